#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# pfilter: what is selected, told by counts per record type; the oracles in 51 compare with perf.
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

@test "psort: descending times take memory in proportion" {
	sanitized && skip "a sanitizer has memory of its own"
	{
		echo "attr type=1 config=0 period=1 sample_type=TID|TIME flags=sample_id_all ids=1"
		seq 200000 -1 1 | sed 's/.*/SAMPLE pid=1 tid=1 time=&/'
	} >"$T/desc.txt"
	mkpipe "$T/desc.txt" >"$T/desc"
	(ulimit -v 120000 && psort "$T/desc" >"$T/out")
	psort -c "$T/out"
}
