# SPDX-License-Identifier: ISC
# A process lives on, with the names and maps that perf shows, if a thread of it execs when its first thread has ended, and many
# other tasks ended since.  Recordings of takeover.c, of a program in Go that does the same, and one that is made now.
load lib
load oracle

setup_file() {
	local d=$BATS_FILE_TMPDIR name f
	PATH=${INSTALLED:+$INSTALLED:}${O:-$BATS_TEST_DIRNAME/../build}:$PATH
	for name in takeover takeover_go; do
		pcat "$BATS_TEST_DIRNAME/data/$name.pipe.data.zst" >"$d/$name"
	done
	for f in leave kill quick last; do ln -s "$(type -P takeover)" "$d/$f"; done
	# without call chains: perf 6.12 and newer lose the maps from before an exec by a thread, in which the chains of the exec are,
	# and snapshots have them
	! type -P perf >/dev/null ||
	    (cd "$d" && perf record -q -e cpu-clock -F 1999 -o - -- ./leave ./kill ./quick ./last) \
	    >"$d/fresh" 2>/dev/null </dev/null || rm -f "$d/fresh"
}

# each_recording FUNCTION: call it with each recording, as a stream in order, and the names of the programs that took over, and of
# what was before them.  In make check each function has one of them, by the length of its name: all of them have some.
each_recording() {
	local what=$1 name
	for name in takeover takeover_go fresh; do
		[ -n "${ALL-}" ] || [ $name = "$(set -- takeover takeover_go fresh; shift $((${#what} % 3)); echo "$1")" ] || continue
		F=$BATS_FILE_TMPDIR/$name
		case $name in
		takeover) COMMS="leave quick last";;
		takeover_go) COMMS="gofirst golast";;
		fresh) COMMS="leave kill quick last";;
		esac
		if [ $name = fresh ] && ! pstat --json "$F" 2>/dev/null | grep -q '"comm":"last"'; then
			echo "# perf record takes no samples of it here: only the recordings of data/ are looked at" >&3
			continue
		fi
		"$what"
	done
	done_all
}

# shows FILE: samples as perf shows them
shows() {
	perf script -f --ns $bare -G -F comm,pid,tid,time,event,ip,dso -i "$1" 2>/dev/null </dev/null
}
# whole: the same of all, once
whole() {
	[ -f "$F.whole" ] || shows "$F" >"$F.whole"
	cat "$F.whole"
}
# pid: of the process
pid() {
	whole | awk -v c="${COMMS##* }" '$1 == c { split($2, a, "/"); if (a[1] == a[2]) { print a[1]; exit } }'
}
# as_whole FILE MESSAGE: are its samples, of which there are some, shown as the whole has them?
as_whole() {
	shows "$1" >"$T/got"
	[ -s "$T/got" ] || failed "$F: $2: nothing"
	sort "$T/got" | comm -23 - <(whole | sort) >"$T/diff"
	! [ -s "$T/diff" ] || failed "$F: $2: $(wc -l <"$T/diff") of $(wc -l <"$T/got"): $(head -n 3 "$T/diff")"
}

is_such() {
	# the number of EXITs between that of the first thread and the exec, for each exec but that of perf
	perf script -f $bare --show-task-events -i "$F" 2>/dev/null | awk -v pid="$(pid)" '
		$0 ~ "PERF_RECORD_EXIT\\(" pid ":" pid "\\)" { on = 1; n = 0 }
		/PERF_RECORD_EXIT/ { n++ }
		$0 ~ "PERF_RECORD_COMM exec: .*:" pid "/" pid "$" && on { print n; on = 0 }' | sort -n | tail -n 1 >"$T/n"
	[ "$(cat "$T/n")" -gt 256 ] || failed "$F: $(cat "$T/n") exits between"
}
@test "takeover: more than 256 tasks end between the end of the first thread and the exec" {
	need perf
	each_recording is_such
}

chooses() {
	local c
	for c in $COMMS; do
		whole | awk -v c="$c" '$1 == c' >"$T/want"
		[ -s "$T/want" ] || failed "$F: no $c"
		for how in "--comms $c" "--sideband=needed --comms $c" "--filter comm=='$c'"; do
			pfilter -q $how "$F" >"$T/out"
			shows "$T/out" | perf_remembers | diff "$T/want" - >"$T/diff" || failed "$F: $how: $(head -n 4 "$T/diff")"
		done
		for how in "--pid $(pid) --exclude-comms $c" "--pid $(pid) --sideband=needed --filter comm!='$c'"; do
			pfilter -q $how "$F" >"$T/out"
			shows "$T/out" | perf_remembers >"$T/got"
			whole | perf_remembers | awk -v c="$c" -v pid="$(pid)" '{ split($2, a, "/") } a[1] == pid && $1 != c' |
			    diff - "$T/got" >"$T/diff" || failed "$F: $how: $(head -n 4 "$T/diff")"
		done
	done
	# the name goes with the number, to whoever has it
	pfilter -q --pid "$(pid)" --inherit --sideband=needed "$F" >"$T/out"
	as_whole "$T/out" --inherit
}
@test "takeover: --comms, --filter, --exclude-comms, --inherit" {
	need perf
	each_recording chooses
}

counts() {
	local c
	pstat --json -s comm "$F" >"$T/json"
	pcat -q -f --format=pprof --labels=thread_comm -o "$T/profile" "$F"
	/usr/bin/python3 pprof.py stacks "$T/profile" >"$T/stacks"
	for c in $COMMS; do
		n=$(whole | awk -v c="$c" '$1 == c { n++ } END { print n + 0 }')
		most=$((n + $(whole | awk '/^ *:/ { n++ } END { print n + 0 }')))	# what newer perf do not know, as between EXIT and exec
		got=$(jq --arg c "$c" '[.sort[] | select(.comm == $c) | .samples] | add' "$T/json")
		[ "$got" -ge "$n" ] && [ "$got" -le "$most" ] || failed "$F: pstat -s comm: $c: $got, not $n"
		got=$(awk -v c="thread_comm=$c" '$NF == c { n += $1 } END { print n + 0 }' "$T/stacks")
		[ "$got" -ge "$n" ] && [ "$got" -le "$most" ] || failed "$F: pprof: $c: $got, not $n"
	done
	! awk '{ print $NF }' "$T/stacks" | grep "thread_comm=:[0-9]" || failed "$F: pprof: a task without a name"
}
@test "takeover: pstat -s comm, pcat --format=pprof" {
	need perf; need jq
	[ -x /usr/bin/python3 ] || skip "python3 is not installed"
	each_recording counts
}

is_cut() {
	local t n k
	n=$(whole | wc -l)
	for k in 1 3 5 7 8 9; do
		t=$(whole | sed -n "$((n * k / 10))p" | sed 's/^ *[^ ]* *[^ ]* *\([0-9.]*\):.*/\1/')
		pfilter -q --sideband=needed --time "$t," -U "$T/rest" -f "$F" >"$T/out"
		as_whole "$T/out" "--time $t,"
		as_whole "$T/rest" "-U of --time $t,"
		[ $(($(shows "$T/out" | wc -l) + $(shows "$T/rest" | wc -l))) = "$n" ] || failed "$F: --time $t,: not all"
	done
	for t in $COMMS; do
		pfilter -q --sideband=needed --around "comm == '$t'" --before 2ms --after 2ms "$F" >"$T/out"
		as_whole "$T/out" "--around $t"
	done
}
@test "takeover: --sideband=needed with --time and --around: names and maps are those of the whole" {
	need perf
	each_recording is_cut
}

is_split() {
	rm -rf "$T/parts"
	mkdir "$T/parts"
	psort -q --full "$F" >"$T/sorted"
	pcat -q --switch-output=$(($(stat -c %s "$T/sorted") / 12))B -o "$T/parts/p" "$T/sorted"
	[ "$(ls "$T/parts" | wc -l)" -gt 6 ] || failed "$F: $(ls "$T/parts" | wc -l) parts"
	shows "$T/sorted" >"$T/want"
	for p in "$T"/parts/p*; do shows "$p"; done | diff "$T/want" - >"$T/diff" || failed "$F: parts: $(head -n 4 "$T/diff")"
	psort -q --merge "$T"/parts/p* >"$T/merged"
	shows "$T/merged" | diff "$T/want" - >"$T/diff" || failed "$F: parts, merged: $(head -n 4 "$T/diff")"
	for how in "pcat" "pfilter --sideband=needed" "pfilter --sideband=needed --pid $(pid)"; do
		for k in 1 2 3; do
			$how -q --piece=$k/3 "$T/sorted" >"$T/piece.$k"
			as_whole "$T/piece.$k" "$how --piece=$k/3"
		done
		$how -q "$T/sorted" >"$T/one"
		psort -q --merge "$T"/piece.? >"$T/merged"
		shows "$T/merged" | diff <(shows "$T/one") - >"$T/diff" || failed "$F: $how: pieces, merged: $(head -n 4 "$T/diff")"
	done
}
@test "takeover: --switch-output, --piece: each part alone, and all merged, are the whole" {
	need perf
	each_recording is_split
}

is_joined() {
	local other=data/k_mono.pipe.data
	shows $other >"$T/other"
	{ whole; cat "$T/other"; } | sort >"$T/want"
	for how in "pcat" "psort --merge"; do
		$how -q --allow=kernels,clocks --remap-pids=never "$F" $other >"$T/out" 2>"$T/err" || failed "$F: $how: $(head -n 3 "$T/err")"
		shows "$T/out" | sed 's/  */ /g' | sort | diff <(sed 's/  */ /g' "$T/want" | sort) - >"$T/diff" ||
		    failed "$F: $how: $(head -n 6 "$T/diff")"
	done
}
@test "takeover: joined with another recording" {
	need perf
	each_recording is_joined
}

is_anonymous() {
	pfilter -q --anon comm --anon-map "$T/map" -f "$F" >"$T/out"
	shows "$T/out" | awk '{ $1 = ""; print }' | diff <(whole | awk '{ $1 = ""; print }') - >"$T/diff" || failed "$F: $(head -n 4 "$T/diff")"
	paste <(whole | awk '{ print $1 }') <(shows "$T/out" | awk '{ print $1 }') | sort -u >"$T/pairs"
	[ "$(cut -f 1 "$T/pairs" | uniq -d | wc -l)" = 0 ] && [ "$(cut -f 2 "$T/pairs" | sort | uniq -d | wc -l)" = 0 ] ||
	    failed "$F: names: $(head -n 20 "$T/pairs")"
	! grep -wF "${COMMS##* }" <(cut -f 2 "$T/pairs") || failed "$F: a name is left"
}
@test "takeover: --anon comm: each name has one pseudonym" {
	need perf
	each_recording is_anonymous
}

is_checked() {
	psort -q --full "$F" >"$T/sorted"
	got=$(pstat --check=W14 "$T/sorted" | sed -n 's/^warning W14 [^:]*: \([0-9]*\) times\{0,1\},.*/\1/p')
	# samples between the EXIT of their thread and what shows that it lives
	n=$(perf script -f $bare -G -F comm,pid,tid,time,event --show-task-events --show-mmap-events -i "$T/sorted" 2>/dev/null | perl -ne '
		next unless m{ (\d+)/(\d+) +[\d.]+: *(.*)};
		my ($tid, $what) = ($2, $3);
		if ($what =~ /PERF_RECORD_EXIT\(\d+:(\d+)\)/) { $ended{$1} = 1 }
		elsif ($what =~ /PERF_RECORD_FORK\(\d+:(\d+)\)/) { delete $ended{$1} }
		elsif ($what =~ m{PERF_RECORD_(?:COMM.*:|MMAP2? )\d+/(\d+)(?::|$)}) { delete $ended{$1} }
		elsif ($what !~ /PERF_RECORD/ && $ended{$tid}) { $n++ }
		END { print $n + 0 }')
	echo "$F: W14 ${got:-0}, $n samples behind an EXIT"
	[ "${got:-0}" = "$n" ] || failed "$F: pstat --check=W14: ${got:-0} times, not $n"
	perf_forgets || return 0
	unknown=$(shows "$T/sorted" | awk '/^ *:/ { n++ } END { print n + 0 }')
	[ "$unknown" = "$n" ] || failed "$F: perf does not know $unknown, W14 is $n"
}
@test "takeover: pstat --check=W14 has the samples between EXIT and exec, and no others" {
	need perf
	each_recording is_checked
}

@test "takeover: the oracles of other recordings" {
	need perf
	each_recording oracles
}
oracles() {
	for check in pcat psort pstat pfilter state needed strip; do
		turn 3 || continue
		bash oracle.bash $check "$F" || failed "$F: $check"
	done
}

@test "takeover: --payload-tasks: perf sched says the same of the process in the cut" {
	need record
	(cd "$BATS_FILE_TMPDIR" && perf record -q -a -m 1M -R -o "$T/sched" -e "$(printf 'sched:sched_%s,' switch \
	    process_fork process_exec process_exit stat_runtime waking wakeup_new)sched:sched_migrate_task" -- ./leave ./kill ./quick ./last) \
	    >/dev/null 2>&1 </dev/null || skip "perf cannot record the scheduler here"
	pcat -q "$T/sched" >"$T/in"
	pid=$(pstat --json -s comm,pid "$T/in" | jq '[.sort[] | select(.comm == "last")][0].pid')
	# the names of other tasks are not what was asked for: ":NUMBER" is one without
	says() {
		perf sched timehist -wMn --state --tid "$pid" -i "$1" 2>/dev/null |
		    P=$pid perl -pe 's!\S+\[(\d+)\]|(?<\!\S):(\d+)(?\!\S)!my $n = $1 // $2; $n == $ENV{P} ? $& : "[$n]"!ge'
	}
	says "$T/sched" >"$T/want"
	[ "$(wc -l <"$T/want")" -gt 20 ] || failed "perf says nothing of $pid"
	for how in "--pid $pid" "--comms perf-exec,leave,kill,quick,last" "--comms perf-exec,leave,kill,quick,last --sideband=needed"; do
		pfilter -q -f --payload-tasks $how --format=file -o "$T/cut" "$T/in"
		says "$T/cut" | diff "$T/want" - >"$T/diff" || failed "$how: $(head -n 6 "$T/diff")"
	done
	done_all
}
