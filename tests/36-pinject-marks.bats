# SPDX-License-Identifier: ISC
# pinject: FINISHED_INIT, ID_INDEX and SAMPLE_TIME.
load lib
load pinject
load oracle

INIT=82 INDEX=69
RECORDINGS=$(cd "$BATS_TEST_DIRNAME" && ls data/*.pipe.data data/*.pipe.data.zst data/*.file.data)

# ---- FINISHED_INIT ---------------------------------------------------------------------------------

@test "pinject --finished-init: taken out of perf's recordings, it comes back to its place" {
	for f in $RECORDINGS; do
		# without times, nothing tells it
		case $f in *per_thread*) continue;; esac
		pcat -q "$f" >"$T/in"
		[ "$(records $INIT <"$T/in" | wc -l)" = 1 ] || continue
		records -v $INIT <"$T/in" | pinject --finished-init | cmp "$T/in" - || failed "$f"
		pinject --finished-init "$T/in" | cmp "$T/in" - || failed "$f: again"
		echo "$f" >>"$T/done"
	done
	[ "$(wc -l <"$T/done")" -ge 10 ] || failed "recordings"
	done_all
}

# ---- ID_INDEX --------------------------------------------------------------------------------------

@test "pinject --id-index: perf's own comes out as it was; without it, it comes back without CPU and thread" {
	need perf
	for f in $RECORDINGS; do
		case $f in data/kernel.*|data/sched.pipe.*) continue;; esac	# perf record of many events puts it before their last names
		turn 2 || continue
		pcat -q "$f" >"$T/in"
		[ "$(records $INDEX <"$T/in" | wc -l)" -gt 0 ] || continue
		pinject --id-index "$T/in" | cmp "$T/in" - || failed "$f"
		records -v $INDEX <"$T/in" >"$T/bare"
		try pinject -v --id-index "$T/bare"
		[ $rc = 0 ] && [ "$(records $INDEX <"$T/out" | cut -d' ' -f1)" = "$(records $INDEX <"$T/in" | cut -d' ' -f1)" ] || failed "$f: place"
		records -v $INDEX <"$T/out" | cmp "$T/bare" - || failed "$f: others"
		pinject --id-index "$T/out" | cmp "$T/out" - || failed "$f: twice"
		! turn 3 || same_script "$T/bare" "$T/out" $bare || failed "$f: script"
		echo "$f" >>"$T/done"
	done
	[ "$(wc -l <"$T/done")" -ge $((ALL ? 10 : 4)) ] || failed "recordings"
	done_all
}

# index <STREAM: the entries of its ID_INDEX records, "id idx cpu tid"; one of each guest behind "guest"
index() {
	perl -e '
		binmode STDIN; local $/; my $d = <STDIN>; my $o = 16;
		my $e = $d =~ /^PERFILE2/ ? "<" : ">"; 
		while ($o + 8 <= length $d) {
			my ($t, $m, $s) = unpack "L${e}S${e}S$e", substr($d, $o, 8);
			if ($t == 69) {
				my $n = unpack "Q$e", substr $d, $o + 8, 8;
				print join(" ", unpack "q$e*", substr $d, $o + 16 + 32 * $_, 32), "\n" for 0 .. $n - 1;
				print join(" ", "guest", unpack "q$e*", substr $d, $o + 16 + 32 * $n + 16 * $_, 16), "\n"
				    for 0 .. ($s - 16 - 32 * $n) / 16 - 1;
			}
			print "type $t\n" if $t != 69;
			$o += $s;
		}'
}
@test "pinject --id-index: of late, unknown, guests' and early entries, and ATTRs that come later" {
	attr="attr type=1 config=0 sample_type=IDENTIFIER|IP|TID|TIME flags=sample_id_all"
	for order in "" -b; do
		{
			# an entry in front of the ATTRs stops perf; id 99 has none
			echo "rec type=69 u8=2 u8=11 u8=4 u8=5 u8=6 u8=99 u8=1 u8=2 u8=3"
			echo "$attr ids=11,12"
			echo "$attr ids=13"
			echo "rec type=69 u8=1 u8=13 u8=7 u8=8 u8=9 u8=77 u8=78"
			echo "EVENT_UPDATE update_type=2 id=11 z=cpu-clock"
			echo "SAMPLE identifier=11 ip=1 pid=7 tid=7 time=5"
			echo "$attr ids=14"
			echo "rec type=69 u8=1 u8=12 u8=1 u8=2 u8=3"
			echo "SAMPLE identifier=11 ip=1 pid=7 tid=7 time=6"
		} >"$T/recipe"
		mkpipe $order "$T/recipe" >"$T/in"
		try pinject --id-index "$T/in"
		[ $rc = 0 ] && ! [ -s "$T/err" ] || failed "status $order"
		index <"$T/out" | diff - <(printf '%s\n' "type 64" "type 64" "11 4 5 6" "12 1 -1 -1" "13 7 8 9" "guest 0 0" "guest 0 0" \
		    "guest 77 78" "type 78" "type 9" "type 64" "12 1 2 3" "14 0 -1 -1" "type 9") || failed "entries $order"
		mv "$T/out" "$T/once"
		pinject --id-index "$T/once" | cmp "$T/once" - || failed "twice $order"
	done
	echo "attr type=1 config=0 sample_type=IP|TID|TIME" >"$T/recipe"
	mkpipe "$T/recipe" >"$T/in"
	try pinject --id-index "$T/in"
	[ $rc = 0 ] && cmp "$T/in" "$T/out" && one_line "pinject: warning: no ID_INDEX: the ATTRs have no ids" || failed "no ids"
	done_all
}

# ---- SAMPLE_TIME -----------------------------------------------------------------------------------

@test "pinject --sample-time: as perf record writes it into a file, and perf script --time 10% can be asked" {
	need perf
	f=data/basic.file.data
	first=$(perf script -f --ns -F time -i $f 2>/dev/null | sort -n | sed -n '1s/[ :]//gp')
	last=$(perf script -f --ns -F time -i $f 2>/dev/null | sort -n | sed -n '$s/[ :]//gp')
	pcat $f >"$T/in"
	try pinject --sample-time "$T/in"
	[ $rc = 0 ] || failed "status"
	pcat --format=file -f -o "$T/file" "$T/out"
	perf report -f --header-only -i "$T/file" >"$T/header" 2>&1
	for at in "first sample : $first" "last sample : $last"; do
		grep -q "time of ${at%???}" "$T/header" || failed "$at: $(grep 'time of' "$T/header")"
	done
	cp "$T/out" "$T/once"
	pinject --sample-time "$T/once" | cmp "$T/once" - || failed "twice"
	perf script -f --time 0%-50% -F time,ip -i "$T/file" >"$T/half" 2>"$T/err"
	n=$(perf script -f -F time,ip -i "$T/file" 2>/dev/null | wc -l)
	[ "$(wc -l <"$T/half")" -gt 0 ] && [ "$(wc -l <"$T/half")" -lt "$n" ] || failed "half of $n"
	try eval 'cat "$T/in" | pinject --sample-time'
	[ $rc = 2 ] && one_line "pinject: --sample-time reads the input twice, so it must be a file" && ! [ -s "$T/out" ] || failed pipe
	try pinject --sample-time data/per_thread.pipe.data
	[ $rc = 0 ] && one_line "pinject: warning: no SAMPLE_TIME: no sample has a time" || failed "no time"
	done_all
}

@test "pinject --sample-time: of what cannot be read twice, the reason is said" {
	# open, but not for us by its name
	[ "$(id -u)" = 0 ] && command -v setpriv >/dev/null || skip "only root can become another user"
	chmod 755 "$T" "$BATS_RUN_TMPDIR"
	cp data/basic.pipe.data "$T/in"
	chmod 600 "$T/in"
	for o in --sample-time --finished-round=auto; do
		try setpriv --reuid 65534 --clear-groups pinject $o <"$T/in"
		[ $rc = 1 ] && ! [ -s "$T/out" ] && one_line "pinject: /dev/stdin: Permission denied" || failed "$o"
	done
	done_all
}

@test "pinject --sample-time: a sample of no event of the recording" {
	cat >"$T/recipe.txt" <<-END
		attr type=1 config=0 period=1 sample_type=IDENTIFIER|IP|TID|TIME flags=sample_id_all ids=7
		attr type=1 config=2 period=1 sample_type=IDENTIFIER|IP|TID|TIME flags=sample_id_all ids=8
		SAMPLE misc=2 ip=0x1000 pid=7 tid=7 time=100 id=7
		SAMPLE misc=2 ip=0x1000 pid=7 tid=7 time=200 id=9
	END
	mkpipe "$T/recipe.txt" >"$T/in"
	try pinject --sample-time "$T/in"
	[ $rc = 1 ] && cmp "$T/in" "$T/out" && one_line "pinject: $T/in: byte "
}
