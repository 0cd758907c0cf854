# SPDX-License-Identifier: ISC
# pinject --finished-round.
load lib
load pinject
load oracle
load interleaved

ROUND=68
RECORDINGS=$(cd "$BATS_TEST_DIRNAME" && ls data/*.pipe.data data/*.pipe.data.zst data/*.file.data)

# stream [-b]: mkpipe from standard input, behind an attr
stream() {
	{ echo "attr type=1 config=0 period=1 sample_type=IP|TID|TIME|CALLCHAIN flags=sample_id_all|mmap|comm|task|mmap2"; cat; } >"$T/recipe.txt"
	mkpipe "$@" "$T/recipe.txt" >"$T/in"
}
# samples TIME...: recipe of a sample for each, "mark" for a FINISHED_ROUND
samples() {
	local time
	for time; do
		case $time in
		mark) echo FINISHED_ROUND;;
		*) echo "SAMPLE misc=2 ip=0x1000 pid=7 tid=7 time=$time chain=";;
		esac
	done
}
# into TIME...: that recipe is what comes out of $T/in, in this byte order
into() {
	samples "$@" >"$T/want.txt"
	{ head -n 1 "$T/recipe.txt"; cat "$T/want.txt"; } | mkpipe $order /dev/stdin >"$T/want"
	[ $rc = 0 ] && cmp "$T/want" "$T/out"
}
# late FILE: what psort says
late() {
	psort --stats "$1" 2>&1 >/dev/null | sed -n 's/^psort: late: \([0-9]*\),.*/\1/p'
}

@test "pinject --finished-round: a marker behind each record that moves the newest time on by TIME" {
	for order in "" -b; do
		samples 100 105 110 109 119 120 131 141 132 142 | stream $order
		try pinject --finished-round=10ns "$T/in"
		into 100 105 110 mark 109 119 120 mark 131 mark 141 mark 132 142 || failed "behind $order"
		! [ -s "$T/err" ] || failed "silent $order"
		samples 1000000000 1009999999 1010000000 1500000000 | stream $order
		for time in 10ms 0.01 10000us; do
			try pinject --finished-round=$time "$T/in"
			into 1000000000 1009999999 1010000000 mark 1500000000 mark || failed "$time $order"
		done
	done
	done_all
}

@test "pinject --finished-round: TIME is the bound: 1 ns more behind is said, with the TIME that would do, and is late" {
	samples 100 110 105 110 120 110 130 | stream
	try pinject --finished-round=10ns "$T/in"
	[ $rc = 0 ] && [ "$(late "$T/out")" = 0 ] || failed "TIME behind"
	samples 100 110 105 110 120 109 130 | stream
	try pinject --finished-round=10ns -o "$T/out.file" "$T/in"
	[ $rc = 1 ] && one_line "pinject: $T/in: 1 record is more than 0.000010ms behind a newer one" || failed "1 ns more"
	grep -q -- '--finished-round=0.000011ms' "$T/err" || failed "hint"
	[ "$(late "$T/out.file")" = 1 ] || failed "not late"
	records -v $ROUND <"$T/out.file" | cmp "$T/in" - || failed "the others"
	try pinject --finished-round=0.000011ms "$T/in"
	[ $rc = 0 ] && [ "$(late "$T/out")" = 0 ] || failed "the hint"
	# before the first marker nothing is promised
	samples 100 105 50 | stream
	try pinject --finished-round=10ns "$T/in"
	[ $rc = 0 ] && cmp "$T/in" "$T/out" || failed "no marker"
	done_all
}

@test "pinject --finished-round: a stream with markers is not changed, or they are replaced" {
	for f in $RECORDINGS; do
		pcat -q "$f" >"$T/in"
		[ "$(records $ROUND <"$T/in" | wc -l)" -gt 0 ] || continue
		for o in 1ns 10ms auto; do
			turn 7 || continue
			try pinject --finished-round=$o "$T/in"
			[ $rc = 0 ] && cmp "$T/in" "$T/out" && ! [ -s "$T/err" ] || failed "$o $f"
		done
		records -v $ROUND <"$T/in" >"$T/bare"
		try pinject -q --finished-round=auto "$T/bare"
		mv "$T/out" "$T/want"
		try pinject -q --finished-round=auto,replace "$T/in"
		[ $rc = 0 ] && cmp "$T/out" "$T/want" || failed "replace $f"
		echo "$f" >>"$T/done"
	done
	[ "$(wc -l <"$T/done")" -ge 5 ] || failed "recordings"
	samples 10 mark 20 30 40 | stream
	try pinject --finished-round=10ns,replace "$T/in"
	order=
	into 10 20 mark 30 mark 40 mark || failed "places"
	done_all
}

@test "pinject --finished-round: markers that come very late: ours until then, and all are true" {
	# 17 MiB without one
	perl -e 'print "SAMPLE misc=2 ip=0x1000 pid=7 tid=7 time=", 1000 + $_ * 10 - $_ % 3 * 15, " chain=", join(",", (4096) x 6000), "\n" for 1 .. 400' >"$T/body"
	{ cat "$T/body"; samples 5040 mark 5000 5060 mark 5070 5050 mark 5080 5065 mark; } | stream
	try pinject --finished-round=50ns "$T/in"
	[ $rc = 0 ] && one_line "pinject: warning: $T/in: byte $(records $ROUND <"$T/in" | awk 'NR == 1 { print $1 }'): the stream has FINISHED_ROUNDs" ||
	    failed "status"
	[ "$(late "$T/out")" = 0 ] || failed "late"
	records -v $ROUND <"$T/out" | cmp - <(records -v $ROUND <"$T/in") || failed "others"
	# from the second one on, they are the stream's
	[ "$(records $ROUND <"$T/out" | wc -l)" -gt 60 ] || failed "ours"
	tail -c 264 "$T/in" | cmp - <(tail -c 264 "$T/out") || failed "theirs"
	cp "$T/out" "$T/once"
	pinject -q --finished-round=50ns "$T/once" | cmp - "$T/once" || failed "twice"
	done_all
}

@test "pinject --finished-round: put in twice is once, taken out is the input; slowly, cut, with payloads, on a full disk" {
	interleaved 5 3000 0 0 >"$T/recipe"
	mkpipe "$T/recipe" >"$T/in"
	[ "$(records 71 <"$T/in" | wc -l)" -gt 5 ] || failed "no payloads"
	for o in --finished-round=auto --finished-round=1us; do
		try pinject -q $o "$T/in"
		records -v $ROUND <"$T/out" | cmp "$T/in" - || failed "taken out $o"
		pinject -q $o "$T/out" | cmp "$T/out" - || failed "twice $o"
		pinject -q $o <"$T/in" | cmp "$T/out" - || failed "stdin $o"
	done
	try pinject -q --finished-round=1us "$T/in"
	[ "$(records $ROUND <"$T/out" | wc -l)" -gt 0 ] || failed "none"
	cat "$T/in" | { pinject -q --finished-round=1us || true; } | cmp "$T/out" - || failed "pipe"
	recipe small >/dev/null
	mkpipe -l data/small.txt >"$T/list"
	cuts "$T/small.pipe" "$T/list" pinject -q --finished-round=1h || failed "prefixes"
	cuts -x "$T/small.pipe" "$T/list" pinject -q --finished-round=1ns || failed "flips"
	try sh -c "pinject -q --finished-round=1us '$T/in' >/dev/full"
	[ $rc = 1 ] && grep -q "No space left" "$T/err" || failed "full"
	done_all
}
@test "pinject --finished-round: one byte per read and per write makes no difference" {
	interleaved 5 4000 0 0 >"$T/recipe"
	mkpipe "$T/recipe" >"$T/in"
	local status
	try pinject -q --finished-round=1us "$T/in"
	cp "$T/out" "$T/want"
	status=$rc
	[ "$(records $ROUND <"$T/want" | wc -l)" -gt 0 ] || failed "no markers"
	for plan in read:short,pread:short write:short,writev:short,splice:short; do
		try with_fault $plan pinject -q --finished-round=1us "$T/in"
		[ $rc = $status ] && cmp "$T/want" "$T/out" || failed "$plan"
	done
	done_all
}

@test "pinject --finished-round: any order of arrival: perf's rule gives the order of the whole, with TIME as it must be" {
	for seed in 1 2 3 4 5 6 7 8; do
		interleaved $seed 1500 0 $((seed % 2 * 40)) | grep -v 'time=0\|time=-1\|rec type=' >"$T/recipe"
		mkpipe "$T/recipe" >"$T/in"
		rule -f <"$T/in" | records -v 71 >"$T/want"
		behind=$(psort --stats "$T/in" 2>&1 >/dev/null | sed -n 's/^psort: disorder: .* and \([0-9]*\)\.\([0-9]*\) s$/\1\2/p' | sed 's/^0*//')
		: "${behind:=0}"
		for time in $((behind + 1)) $((behind + 1000)) $((behind > 0 ? behind : 1)); do
			turn 4 || continue
			try pinject --finished-round=${time}ns "$T/in"
			[ $rc = 0 ] || failed "seed $seed, $time"
			records $ROUND <"$T/out" | head -n 1 >>"$T/marks"
			rule <"$T/out" | records -v $ROUND | records -v 71 | cmp "$T/want" - || failed "seed $seed, $time: not the order"
			[ "$(late "$T/out")" = 0 ] || failed "seed $seed, $time: late"
		done
		[ "$behind" -lt 2 ] || {
			try pinject --finished-round=$((behind - 1))ns "$T/in"
			[ $rc = 1 ] || ! records $ROUND <"$T/out" | grep -q . || failed "seed $seed: less than it must be"
			echo "$seed" >>"$T/less"
		}
		try pinject --finished-round=auto "$T/in"
		[ $rc = 0 ] || failed "seed $seed: auto"
	done
	[ "$(wc -l <"$T/less")" -ge 4 ] && [ "$(wc -l <"$T/marks")" -ge $((ALL ? 10 : 3)) ] || failed "no disorder"
	done_all
}

@test "pinject --finished-round=auto: perf script is as with perf record's own, and psort needs less" {
	need perf
	for f in $RECORDINGS; do
		turn 7 || continue
		case $f in *s390x*|*stat*|*per_thread*) continue;; esac
		pcat -q "$f" >"$T/whole"
		records -v $ROUND <"$T/whole" >"$T/in"
		try pinject -q --finished-round=auto "$T/in"
		[ $rc = 0 ] || failed "$f"
		same_script "$T/whole" "$T/out" $bare || failed "$f: script"
		[ "$(late "$T/out")" = 0 ] || failed "$f: late"
		psort "$T/out" >"$T/sorted"
		pinject -q --finished-round=10ms,replace <(psort "$T/in") >"$T/then"
		same_script "$T/sorted" "$T/then" $bare || failed "$f: psort before and behind"
	done
	done_all
}

@test "pinject --finished-round: a recording of all CPUs made now: perf script equal, nothing late" {
	need record
	perf record -q --no-bpf-event -a -g -e cpu-clock -F 4000 -o - -- sh -c 'for i in 1 2 3 4; do ls -lR /usr/share/perl >/dev/null 2>&1; done' >"$T/whole" 2>/dev/null ||
	    skip "perf record -a is not allowed here"
	pcat -q "$T/whole" | records -v $ROUND >"$T/in"
	try pinject -v --finished-round=auto "$T/in"
	[ $rc = 0 ] && [ "$(late "$T/out")" = 0 ] || failed "late"
	same_script "$T/whole" "$T/out" --symfs=/nonexistent -F comm,pid,tid,cpu,time,event,ip || failed "script"
	done_all
}

@test "pinject --finished-round: psort's memory has its bound again" {
	# 8 MB in disorder of some us, at 1 record each us
	{
		echo "attr type=1 sample_type=IP|TID|TIME|PERIOD flags=sample_id_all|comm ids=1 len=128"
		awk 'BEGIN { for (i = 0; i < 150000; i++) print "SAMPLE ip=0x1000 pid=7 tid=7 time=" 1000000000 + i * 1000 - i * 7919 % 5000 " period=1" }'
	} >"$T/recipe"
	mkpipe "$T/recipe" >"$T/in"
	pinject --finished-round=1ms "$T/in" >"$T/out"
	spilled() { psort -S 1M --stats "$1" 2>&1 >/dev/null | sed -n 's/^psort: spilled: \([0-9]*\) .*/\1/p'; }
	[ "$(spilled "$T/in")" -gt 10000 ]
	[ "$(spilled "$T/out")" = 0 ]
	cmp <(psort --full --rounds=drop "$T/in") <(psort --rounds=drop "$T/out")
}

@test "pinject --finished-round -b: the build-ids are in front of the markers" {
	need readelf
	f=$(readlink -f "$(command -v cat)")
	stream <<-END
		MMAP misc=2 pid=7 tid=7 start=0x400000 len=0x10000 filename=$f @ time=1
		SAMPLE misc=2 ip=0x401000 pid=7 tid=7 time=5 chain=
		$(samples 20 21 22 30 31 40 50)
	END
	try pinject --finished-round=10ns -b "$T/in"
	[ $rc = 0 ] && [ "$(records 67 <"$T/out" | wc -l)" = 1 ] || failed "status"
	# it is in front of the marker that delivers the sample: the second one
	[ "$(records 67 <"$T/out" | cut -d' ' -f1)" -lt "$(records $ROUND <"$T/out" | sed -n '2s/ .*//p')" ] || failed "behind"
	[ "$(records 67 <"$T/out" | cut -d' ' -f1)" -gt "$(records $ROUND <"$T/out" | sed -n '1s/ .*//p')" ] || failed "early"
	pinject -b "$T/in" | records 67 | cut -d' ' -f2- | cmp - <(records 67 <"$T/out" | cut -d' ' -f2-) || failed "others"
	done_all
}

@test "pinject --finished-round: what was held has its place in a message; no times; wrong words" {
	for o in "" 5x 0 0ms auto,replac 10ms, replace ,replace 10ms,auto; do
		try pinject --finished-round="$o" data/basic.pipe.data
		[ $rc = 2 ] && one_line "pinject: --finished-round '" || failed "'$o'"
	done
	try eval 'cat data/basic.pipe.data | pinject --finished-round=auto'
	[ $rc = 2 ] && one_line "pinject: --finished-round=auto reads the input twice, so it must be a file" && ! [ -s "$T/out" ] || failed pipe
	records -v $ROUND <data/per_thread.pipe.data >"$T/in"
	try pinject --finished-round=1s "$T/in"
	[ $rc = 0 ] && one_line "pinject: warning: no FINISHED_ROUND added: no record has a time" && cmp "$T/out" "$T/in" ||
	    failed "no time"
	# a callchain that is longer than its record, which only -b looks at
	{ samples 10 20; echo "SAMPLE misc=2 ip=0x1000 pid=7 tid=7 time=30 nr=9 chain=1"; samples 40; } | stream
	at=$(records 9 <"$T/in" | sed -n '3s/ .*//p')
	for o in --finished-round=1h --finished-round=1h,replace; do
		try pinject -b $o "$T/in"
		[ $rc = 1 ] && one_line "pinject: $T/in: byte $at: SAMPLE: " && cmp "$T/out" <(head -c $at "$T/in") || failed "place $o"
	done
	done_all
}
