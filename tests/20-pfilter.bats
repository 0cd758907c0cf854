# SPDX-License-Identifier: ISC
# pfilter: selections, checked by counts per record type; the oracles in 51 compare with perf.
load lib

# kept OPTION...: "SAMPLE=2 SWITCH=1 ..." of data/followers.txt, kernel records only
kept() {
	pfilter "$@" "$(recipe followers)" | pstat --json |
	    jq -r '[.types[] | select(.type < 64 and .records > 0) | "\(.name)=\(.records)"] | sort | join(" ")'
}

@test "pfilter: switches and deferred chains go with the task, though their event has no samples" {
	need jq
	[ "$(kept --pid 42)" = "CALLCHAIN_DEFERRED=1 COMM=1 SAMPLE=3 SWITCH=1" ]
	[ "$(kept --exclude-pid 42)" = "CALLCHAIN_DEFERRED=1 COMM=1 SAMPLE=1 SWITCH=1 SWITCH_CPU_WIDE=1" ]
	[ "$(kept --cpu 0)" = "CALLCHAIN_DEFERRED=2 COMM=1 SAMPLE=2 SWITCH=1" ]
}

@test "pfilter: --invert keeps what belongs to kept samples" {
	need jq
	[ "$(kept --pid 42 --cpu 0 --invert)" = "CALLCHAIN_DEFERRED=2 COMM=1 SAMPLE=2 SWITCH=1 SWITCH_CPU_WIDE=1" ]
	[ "$(kept --pid 42 --invert)" = "CALLCHAIN_DEFERRED=1 COMM=1 SAMPLE=1 SWITCH=1 SWITCH_CPU_WIDE=1" ]
}

@test "pfilter: --time counts from the first sample that has a time" {
	need jq
	# the one of time ~0 has none: it is kept whatever the range, as perf does with time 0
	[ "$(kept --time +50ns,+150ns)" = "CALLCHAIN_DEFERRED=2 COMM=1 SAMPLE=2" ]
	[ "$(kept --time +2us,)" = "CALLCHAIN_DEFERRED=2 COMM=1 SAMPLE=1" ]
}

@test "pfilter: --exclude-time and --exclude-type" {
	f=data/multi.pipe.data
	times() { perf script -f --ns -F time -i "$1" 2>/dev/null | tr -d ' :' | sort -u; }
	need perf
	mapfile -t all < <(times $f)
	a=${all[10]} b=${all[20]} c=${all[30]}
	pfilter --exclude-time "$a,$b $c," "$f" >"$T/got"
	diff <(printf '%s\n' "${all[@]:0:10}" "${all[@]:21:9}") <(times "$T/got")
	pfilter --time "$a,$c" --exclude-time "$b,$b" "$f" >"$T/got"
	diff <(printf '%s\n' "${all[@]:10:10}" "${all[@]:21:10}") <(times "$T/got")
	pfilter --exclude-time +0s,+1ns <"$f" >"$T/got"
	diff <(printf '%s\n' "${all[@]:1}") <(times "$T/got")
	pfilter --exclude-time 0%-50%,50%-100% "$f" >"$T/got" && [ -z "$(times "$T/got")" ] || [ $? = 2 ]
	try pfilter --time "$a,$b" --exclude-time ",$c" "$f"
	[ $rc = 2 ]
	one_line "pfilter: --time and --exclude-time: nothing remains selected"
	need jq
	[ "$(kept --exclude-type SAMPLE)" = "CALLCHAIN_DEFERRED=2 COMM=1 SWITCH=2 SWITCH_CPU_WIDE=1" ]
	[ "$(kept --exclude-type SWITCH --sideband=none)" = "CALLCHAIN_DEFERRED=2 SAMPLE=4 SWITCH_CPU_WIDE=1" ]
	try pfilter --exclude-type COMM "$f"
	[ $rc = 2 ] && one_line "pfilter: --exclude-type 'COMM': is neither SAMPLE nor selected like samples; use --drop-type"
}

@test "pfilter: --type and --sideband" {
	need jq
	[ "$(kept --type SAMPLE)" = "COMM=1 SAMPLE=4" ]
	[ "$(kept --type switch,SWITCH_CPU_WIDE)" = "COMM=1 SWITCH=2 SWITCH_CPU_WIDE=1" ]
	[ "$(kept --type SAMPLE --sideband=none)" = "SAMPLE=4" ]
	try pfilter --type FINISHED_ROUND "$(recipe followers)"
	[ $rc = 2 ]
	one_line "pfilter: --type 'FINISHED_ROUND': "
}

@test "pfilter: names of events" {
	need jq
	[ "$(kept --event cpu-clock)" = "CALLCHAIN_DEFERRED=2 COMM=1 SAMPLE=4 SWITCH=2 SWITCH_CPU_WIDE=1" ]
	[ "$(kept --exclude-event 'cpu-*')" = "CALLCHAIN_DEFERRED=2 COMM=1 SWITCH=2 SWITCH_CPU_WIDE=1" ]
	try pfilter --event cycles "$(recipe followers)"
	[ $rc = 2 ]
	one_line "pfilter: --event 'cycles': no such event; there are cpu-clock"
}

@test "pfilter: READ values of ids that no event has are left alone" {
	{ recipe read-group; } >/dev/null
	try pfilter --time 0, "$(recipe read-group)"
	[ $rc = 0 ]
}

@test "the input is not overwritten, by whatever name it comes" {
	for t in $STREAMERS; do
		cp data/basic.pipe.data "$T/io"
		for how in "<io -o io" "io -o io" "<io >>io" "<io -o ./io" "io >>io"; do
			rc=0
			(cd "$T" && eval "$(neutral $t) $how" 2>"$T/err") || rc=$?
			[ $rc = 2 ] && one_line "$t: " && cmp -s data/basic.pipe.data "$T/io" || failed "$t $how"
		done
	done
	rc=0
	(cd "$T" && pstat -o io <io) 2>"$T/err" || rc=$?
	[ $rc = 2 ] && cmp data/basic.pipe.data "$T/io" || failed "pstat -o io <io"
	echo keep >"$T/keep"
	! pstat -o "$T/keep" "$T/missing" 2>/dev/null || failed "pstat of a missing file"
	[ "$(cat "$T/keep")" = keep ] || failed "pstat emptied its output before it could read"
	done_all
}
