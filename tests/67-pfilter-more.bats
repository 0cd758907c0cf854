#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# pfilter: lists, times, the rest of a selection, counts.
load lib

# samples STREAM: how many
samples() {
	pstat --json "$1" | jq .samples
}

# spread: samples of pids 1 to 200 and tids beyond what a pid can be, at 1.000000001, 1.000000002 ... s
spread() {
	{
		echo "attr type=1 config=0 period=1 sample_type=IDENTIFIER|IP|TID|TIME|CPU flags=sample_id_all|comm ids=11"
		echo "EVENT_UPDATE update_type=2 id=11 z=cpu-clock"
		seq 200 | awk '{ printf "SAMPLE ip=0x401000 pid=%d tid=%d time=%d cpu=%d\n", $1, $1 + 4194304 * ($1 % 2),
		    1000000000 + $1, $1 % 4 }'
		echo "FINISHED_ROUND"
	} >"$T/spread.txt"
	mkpipe "$T/spread.txt" >"$T/spread"
}

# ---- lists -------------------------------------------------------------------------------------------

@test "more: lists: ranges, many of them, from files, beyond what a pid can be" {
	need jq
	spread
	while read -r want args; do
		got=$(pfilter $args "$T/spread" | pstat --json | jq .samples)
		[ "$got" = "$want" ] || failed "$args: $got, $want expected"
	done <<-'END'
		1 --pid 7
		3 --pid 7,9,11
		13 --pid 7,9-20
		200 --pid 0-9223372036854775807
		199 --exclude-pid 7
		198 --exclude-pid 7 --exclude-pid 9
		10 --pid 1-20 --exclude-pid 11-30
		1 --tid 4194305
		2 --tid 4194305,2
		100 --tid 0-4194303
		100 --tid 4194304-9999999
		3 --tid 4194305,4194307,4194309,99999999,-1
		50 --cpu 1
		150 --cpu 0,2-3
		0 --pid 201
		200 --exclude-pid 201
	END
	seq 1 2 100 >"$T/pids"
	[ "$(pfilter --pid "file://$T/pids" "$T/spread" | pstat --json | jq .samples)" = 50 ]
	[ "$(pfilter --pid "file://$T/pids" --pid 2-4 "$T/spread" | pstat --json | jq .samples)" = 52 ]
	printf 'cpu-cl*\nnot,this\n' >"$T/events"
	try pfilter -e "file://$T/events" "$T/spread"
	[ $rc = 2 ]
	one_line "pfilter: --event 'not,this': no such event"
	printf 'cpu-cl*\n\n' >"$T/events"
	[ "$(pfilter -e "file://$T/events" "$T/spread" | pstat --json | jq .samples)" = 200 ]
	done_all
}

@test "more: a list of a million pids is read at once" {
	need jq
	spread
	awk 'BEGIN { for (i = 0; i < 1000000; i++) print i * 3000017 % 4194301 + 200 }' >"$T/pids"
	echo 100 >>"$T/pids"
	[ "$(timeout 60 pfilter --pid "file://$T/pids" "$T/spread" | pstat --json | jq .samples)" = 2 ]
}

@test "more: lists that say nothing, or against themselves, are wrong use" {
	echo 5 >"$T/good"
	echo 5,x >"$T/bad"
	: >"$T/empty"
	while read -r args; do
		try pfilter $(sed "s|DIR|$T|" <<<"$args") data/basic.pipe.data
		[ $rc = 2 ] && [ ! -s "$T/out" ] && one_line "pfilter: --" || failed "$args"
	done <<-'END'
		--pid 20-10
		--pid 1,20-10
		--pid x
		--pid 1,
		--pid file://DIR/bad
		--pid file://DIR/empty
		--pid file://DIR/missing
		--event file://DIR/empty
		--pid 5 --exclude-pid 5
		--tid 5-9 --exclude-tid 0-6 --exclude-tid 7-9
		--cpu 0 --exclude-cpu 0-3
		--pid file://DIR/good --exclude-pid 5
		--cpu -3
		--cpu 0,-1
		--exclude-cpu -1
		--pid -2
		--tid -4--2
		-S 5m
	END
	done_all
}

@test "more: options that leave nothing, or nothing to do, are wrong use" {
	set -f			# the patterns are for pfilter
	while IFS='|' read -r args text; do
		try pfilter $args data/multi.pipe.data
		[ $rc = 2 ] && one_line "pfilter: $text" || failed "$args"
	done <<-END
		--invert|--invert: needs an option that
		--invert --every 2|--invert: needs an option that
		--invert --switch-on cpu-clock|--invert: needs an option that
		--invert --type SAMPLE|--invert: needs an option that
		--allow vital-types|--allow vital-types: needs --drop-type
		--allow vital-types --pid 1|--allow vital-types: needs --drop-type
		--event cpu-clock --exclude-event *-clock|--event and --exclude-event: nothing remains selected
		--exclude-event *|--exclude-event: nothing remains selected
		--event *-clock --drop-event task-clock,cpu-clock|--event and --drop-event: nothing remains selected
		--exclude-event *-clock --drop-event page-faults,c*-*s|--exclude-event and --drop-event: nothing remains selected
		--type SAMPLE,SWITCH --drop-type SAMPLE,SWITCH,READ|--type and --drop-type: nothing remains selected
		--max-samples 1 --stop -U $T/rest|--stop: cannot be combined with --rejected
	END
	while read -r args; do
		try pfilter $args data/multi.pipe.data
		[ $rc = 0 ] && ! [ -s "$T/err" ] || failed "$args"
	done <<-'END'
		--invert --filter pid==1
		--invert --comms x
		--invert --exclude-event *-clock
		--exclude-event * --invert
		--allow vital-types --drop-type SWITCH
		--event *-clock --drop-event cpu-clock
		--event cpu-clock,page-faults --exclude-event *-clock
		--type SAMPLE,SWITCH --drop-type SAMPLE
	END
	done_all
}

@test "more: of a list without an end no more is read than a list may have" {
	need native
	sanitized && skip "a sanitizer has memory of its own"
	for option in --pid --event --comms --dsos; do
		( ulimit -v 1000000; exec timeout 60 pfilter $option file:///dev/zero data/basic.pipe.data ) >"$T/out" 2>"$T/err" && rc=0 ||
		    rc=$?
		[ $rc = 2 ] && one_line "pfilter: $option 'file:///dev/zero': is not text" || failed "$option"
		yes 2>/dev/null | timeout 60 pfilter $option file:///dev/stdin data/basic.pipe.data >"$T/out" 2>"$T/err" && rc=0 || rc=$?
		[ $rc = 2 ] && one_line "pfilter: $option 'file:///dev/stdin': more than" || failed "$option, of text"
	done
	done_all
}

# ---- names of events ---------------------------------------------------------------------------------

# One event of each name, one sample each.  flags 0x20: without the kernel; 0x10: without user space.
named() {
	local i=0 name flags type
	{
		while read -r name flags type; do
			i=$((i + 1))
			echo "attr type=$type config=$i sample_type=IDENTIFIER|TID|TIME flags=$flags ids=$i"
			echo "EVENT_UPDATE update_type=2 id=$i z=$name" >>"$T/updates"
			echo "SAMPLE ev=$((i - 1)) id=$i pid=1 tid=1 time=$i" >>"$T/samples"
		done
		cat "$T/updates" "$T/samples"
		echo FINISHED_ROUND
	} >"$T/named.txt"
	mkpipe "$T/named.txt" >"$T/named"
}
several_names() {
	named <<-'END'
		cpu-clock/max-stack=4/ 0 1
		cycles:u 0x20 0
		cycles:k 0x10 0
		cpu/mem-loads,ldlat=30/P 0 4
		cpu_core/branches/u 0x20 0
		software/config=9,period=7/ 0 1
		task-clock 0x20 1
		sched:pu 0 2
		page-faults 0 1
	END
}

@test "more: events are named as for perf record -e: without terms and modifiers, in groups, by those modifiers that count" {
	several_names
	while IFS='|' read -r want names; do
		got=$(pfilter -e "$names" "$T/named" >"$T/out" && samples_at 6 "$T/out" | cut -d ' ' -f 1 | tr '\n' ' ')
		[ "$got" = "$want " ] || failed "$names: $got"
	done <<-'END'
		1|cpu-clock
		1|cpu-clock:ppp
		1|cpu-clock/max-stack=4/
		1|cpu-clock/max-stack=8,period=5/p
		1|*/max-stack=4/
		2 3|cycles
		2|cycles:u
		2|cycles:upp
		3|cycles/period=7/k
		2 9|{cycles:u,page-faults}:S
		2 7|{cycles,task-clock}:u
		2 3 9|{cycles,page-faults}
		4|mem-loads
		4|cpu/mem-loads/
		4|cpu/mem-loads,ldlat=50/pp
		5|branches
		5|branches:u
		5|anything/name=branches/
		6|software/config=9/
		6|software/config=9,freq=1/S
		7|task-clock:u
		8|sched:pu
		8|sched:*
	END
	done_all
}

@test "more: a name that only looks like an event's is none" {
	several_names
	set -f
	for name in cpu-clock:k cycles:h cycles/config=1/ cpu software cpu/mem-stores/ cpu/config=9/ branches:k task-clock:k sched sched:p max-stack=4 \
	    '{cycles,nosuch}' page-faults:G; do
		try pfilter -e "$name" "$T/named"
		[ $rc = 2 ] && one_line "pfilter: --event '" || failed "$name"
	done
	try pfilter -e '{}' "$T/named"
	[ $rc = 2 ] && one_line "pfilter: --event ''" || failed "no member"
	done_all
}

@test "more: --drop-event, --switch-on, --switch-off and --filter take the same names of events" {
	several_names
	times() { samples_at 6 "$T/out" | cut -d ' ' -f 1 | tr '\n' ' '; }
	while IFS='|' read -r want option names; do
		try pfilter $option "$names" "$T/named"
		[ "$rc $(times)" = "0 $want " ] || failed "$option $names: $(times)"
	done <<-'END'
		2 3 4 5 6 7 8 9|--drop-event|cpu-clock:p
		1 4 5 6 7 8|--drop-event|{cycles,page-faults}
		4 5 6 7 8 9|--switch-on|cycles:kp
		1 2 3|--switch-off|mem-loads
		1|--filter|event == "cpu-clock"
		1|--filter|"cpu-clock:ppp" == event
		1 3 4 5 6 7 8 9|--filter|event != "cycles/period=5/u"
		2 3 4|--filter|event in ("cycles", "mem-loads", "cpu-clock:ppp")
		2 3|--filter|event ~ "cycles:?"
	END
	done_all
}

@test "more: each event is found by the words that perf record was given for it" {
	need record
	need jq
	perf record -q -e cpu-clock -o - -- true 2>/dev/null | pstat --json | jq -e '.samples > 0' >/dev/null || skip "perf record has no samples here"
	for name in cpu-clock cpu-clock:ppp cpu-clock:u cpu-clock/max-stack=4/ cpu-clock/period=10000/u cpu-clock/freq=9999/ppp software/config=0/ \
	    '{cpu-clock,task-clock}' '{cpu-clock,task-clock}:u' '{cpu-clock:u,task-clock}:S' cpu-clock/name=mine/ cpu-clock/name=mine,period=10000/u; do
		perf record -q -e "$name" -o - -- bash -c 'for i in {1..20000}; do :; done' >"$T/fresh" 2>/dev/null
		all=$(pstat --json "$T/fresh" | jq .samples)
		[ "$all" -gt 0 ] || failed "$name: no samples"
		try pfilter -e "$name" "$T/fresh"
		[ "$rc $(pstat --json "$T/out" | jq .samples)" = "0 $all" ] || failed "$name: of $all"
	done
	done_all
}

# ---- times -------------------------------------------------------------------------------------------

@test "more: --time: ranges, from the first sample, several, slices" {
	need jq
	spread
	while IFS='|' read -r want range; do
		got=$(pfilter --time "$range" "$T/spread" | pstat --json | jq .samples)
		[ "$got" = "$want" ] || failed "$range: $got, $want expected"
	done <<-'END'
		10|1.000000001,1.000000010
		200|,
		5|,1.000000005
		6|1.000000195,
		11|+0,+10ns
		100|+100ns,
		1|+0ns,+0ns
		20|1.000000001,1.000000010 1.000000101,1.000000110
		15|1.000000001,1.000000010 1.000000006,1.000000015
		15|1.000000006,1.000000015   ,1.000000010
		21|,+9ns 1.000000190,
		0|2,3
		20|0%-10%
		20|10%
		20|10%/1
		20|10%/2
		21|10%/10
		40|10%/2,10%/5
		40|0%-10%,30%-40%
		40|0%-10% 30%-40%
		200|0%-100%
		50|10%/1 +90ns,+119ns
	END
	# the option again adds a range
	[ "$(pfilter --time ,1.000000005 --time 1.000000196, "$T/spread" | pstat --json | jq .samples)" = 10 ]
	# a slice and what is left of it; standard input, if it is a file
	for k in 1 2 3 4 5 6 7; do
		samples <(pfilter --time "14.285714285%/$k" <"$T/spread")
	done | awk '{ s += $1 } END { exit s != 200 }' || failed "sevenths"
	done_all
}

@test "more: --time that cannot be told, or is none" {
	spread
	while IFS='|' read -r text; do
		try pfilter --time "$text" "$T/spread"
		[ $rc = 2 ] && [ ! -s "$T/out" ] && one_line "pfilter: --time '" || failed "$text"
	done <<-'END'
		5
		5,4
		1,2,3
		x,
		1,x
		+5,+4
		+x,
		@2026,
		@2026-13-01,
		@2026-02-30,
		@2026-11-21T25:00,
		@2026-11-21T10:00:00+99:00,
		@2026-11-21T10:00:00x,
		@2026-11-22,@2026-11-21
		10%/0
		10%/11
		10%/x
		10%/
		20%-10%
		90%-101%
		10%x
		%
		-1,5
		10%/2,5
	END
	try pfilter --time " " "$T/spread"
	[ $rc = 2 ] || failed "blank"
	try bash -c "cat '$T/spread' | pfilter --time 10%/2"
	[ $rc = 2 ] && one_line "pfilter: --time: percentages need" && grep -q 'pcat -o' "$T/err" || failed "slices in a pipe"
	try pfilter --time @2026-11-21, "$T/spread"
	[ $rc = 2 ] && one_line "pfilter: --time: the recording has no wall clock (CLOCK_DATA): use perf record -k mono" ||
	    failed "no clock"
	try pfilter --time +5,1 "$T/spread"
	[ $rc = 2 ] || failed "mixed, and backwards"
	done_all
}

@test "more: --time from the first sample in time, not in the stream" {
	need jq
	spread
	# the first round comes backwards
	{ grep -v -e SAMPLE -e ROUND "$T/spread.txt"; grep SAMPLE "$T/spread.txt" | head -100 | tac; echo FINISHED_ROUND;
	    grep SAMPLE "$T/spread.txt" | tail -100; echo FINISHED_ROUND; } >"$T/back.txt"
	mkpipe "$T/back.txt" >"$T/back"
	[ "$(pfilter --time ,+9ns "$T/back" | pstat --json | jq .samples)" = 10 ]
	pfilter --time ,+9ns "$T/back" | cmp - <(cat "$T/back" | pfilter --time ,+9ns)
}

@test "more: --time by the wall clock, also of another zone" {
	need jq
	{
		echo "attr type=1 config=0 period=1 sample_type=IP|TID|TIME ids=11"
		# CLOCK_DATA: version, clockid, wall clock 1700000000.5 s at 100 s
		echo "HEADER_FEATURE feat_id=29 u4=1 u4=1 u8=1700000000500000000 u8=100000000000"
		seq 90 110 | sed 's/.*/SAMPLE ip=1 pid=1 tid=1 time=&000000000/'
	} >"$T/wall.txt"
	mkpipe "$T/wall.txt" >"$T/wall"
	# 1700000000 is 2023-11-14 22:13:20 UTC
	while IFS='|' read -r want zone range; do
		got=$(TZ=$zone pfilter --time "$range" "$T/wall" | pstat --json | jq .samples)
		[ "$got" = "$want" ] || failed "$zone $range: $got, $want expected"
	done <<-'END'
		11|UTC|@2023-11-14T22:13:20.5Z,
		10|UTC|@2023-11-14T22:13:20.500000001Z,
		11|UTC|@2023-11-14T22:13:20.5,
		11|UTC|@2023-11-15T00:13:20.5+02:00,
		11|UTC|@2023-11-14T16:43:20.5-0530,
		11|XYZ-3|@2023-11-15T01:13:20.5,
		11|XYZ-3|@2023-11-14T22:13:20.5Z,
		21|UTC|@2023-11-14,@2023-11-15
		0|UTC|@2023-11-15,
		21|UTC|@1970-01-01,
		3|UTC|@2023-11-14T22:13:20Z,102
	END
	cat "$T/wall" | pfilter --time @2023-11-14T22:13:20.5Z, | cmp - <(pfilter --time @2023-11-14T22:13:20.5Z, "$T/wall")
	done_all
}

@test "oracle: slices of a file are those of perf script" {
	need perf
	bare="-G --symfs=/nonexistent --kallsyms=/dev/null"	# in a pipe perf shows symbols of chains, too
	for f in data/*.file.data; do
		[[ $f != *s390x* ]] || continue
		for range in 10%/2 10%/2,10%/10 0%-10%,30%-40% 50% 33%/3 0%-100%; do
			perf script -f --ns -G -F pid,tid,time,event,ip $bare --time $range -i $f >"$T/want" 2>"$T/err" || continue
			pfilter --time $range $f >"$T/out"
			perf script -f --ns -G -F pid,tid,time,event,ip $bare -i "$T/out" >"$T/got" 2>/dev/null
			diff -q "$T/want" "$T/got" >/dev/null || failed "$f $range"
		done
	done
	done_all
}

@test "more: what is selected is not told the old SAMPLE_TIME" {
	pcat data/basic.file.data | pstat --json | jq -e '.features.present | index("SAMPLE_TIME")' >/dev/null || skip "not in the recording"
	pfilter --pid 0-4194304 data/basic.file.data | pstat --json | jq -e '.features.present | index("SAMPLE_TIME") | not' >/dev/null
	pfilter data/basic.file.data | pstat --json | jq -e '.features.present | index("SAMPLE_TIME")' >/dev/null
}

# ---- the rest, and counts ----------------------------------------------------------------------------

@test "more: -U gets what --invert keeps" {
	spread
	pfilter -f --pid 1-50 --cpu 1 -U "$T/rest" "$T/spread" >"$T/out"
	pfilter --pid 1-50 --cpu 1 "$T/spread" | cmp - "$T/out"
	pfilter --pid 1-50 --cpu 1 --invert "$T/spread" | cmp - "$T/rest"
	pfilter -f --pid 1-50 --cpu 1 -o "$T/out2" -U - "$T/spread" | cmp - "$T/rest"
	cmp "$T/out" "$T/out2"
	for f in data/*.pipe.data; do
		case $f in *per_thread*|*stat*) continue;; esac		# no CPUs
		for o in "--cpu 0" "--time +1ms,+2ms" "--pid 1-1000" "--sample 0.5"; do
			pfilter -f $o -U "$T/rest" -o "$T/out" $f
			pfilter $o $f | cmp - "$T/out" || failed "$f $o"
			[[ $o == --sample* ]] || pfilter $o --invert $f | cmp - "$T/rest" || failed "$f $o: the rest"
		done
	done
	done_all
}

@test "more: -U: totals of READ values are right in both" {
	need perf
	r=$(recipe read-group)
	pfilter -f --pid 100 -U "$T/rest" -o "$T/out" "$r"
	perf script -f -i "$r" -F pid,event,period 2>/dev/null | sort >"$T/want"
	for f in out rest; do perf script -f -i "$T/$f" -F pid,event,period 2>/dev/null; done | sort | diff "$T/want" -
	[ "$(wc -l <"$T/want")" -ge 8 ]
}

@test "more: -U: payloads reach both" {
	pfilter -f --cpu 0 -U "$T/rest" -o "$T/out" data/sched_R.pipe.data
	for f in out rest; do
		pcat "$T/$f" | cmp - "$T/$f"
		pstat --json "$T/$f" | jq -e '.types[] | select(.name == "HEADER_TRACING_DATA") | .records == 1' >/dev/null
	done
	{
		echo "attr type=1 config=0 period=1 sample_type=IP|TID|TIME ids=11"
		echo "SAMPLE ip=1 pid=1 tid=1 time=1"
		for i in 1 2 3 4; do echo "AUXTRACE len=300000 npayload=300000"; done
		echo "SAMPLE ip=1 pid=2 tid=2 time=2"
	} >"$T/aux.txt"
	mkpipe "$T/aux.txt" >"$T/aux"
	pfilter -f --pid 1 -U "$T/rest" -o "$T/out" "$T/aux"
	pfilter --pid 1 "$T/aux" | cmp - "$T/out"
	pfilter --pid 2 "$T/aux" | cmp - "$T/rest"
	[ "$(stat -c %s "$T/rest")" -gt 1200000 ]
	# cut amid a payload: one line, and what was good before it in both
	head -c 700000 "$T/aux" >"$T/cut"
	try pfilter -f --pid 1 -U "$T/rest" -o "$T/out" "$T/cut"
	[ $rc = 1 ]
	[ "$(sed "s|$T/||g" "$T/err" | cut -d ' ' -f 1-3 | tr '\n' '|')" = "pfilter: cut: byte|pfilter: rest: incomplete,|pfilter: out: incomplete,|" ]
	pstat --json "$T/out.part" >/dev/null 2>&1 || true
	[ -s "$T/rest.part" ]
}

@test "more: -U: both complete, wrong use, a full disk" {
	spread
	for o in "-f -U $T/out -o $T/out" "-U - " "-U $T/spread" "-f -U $T/./out -o $T/out" "-U $T/new -o $T/./new"; do
		try pfilter $o "$T/spread"
		[ $rc = 2 ] && one_line "pfilter: " || failed "$o"
	done
	cmp "$T/spread" <(mkpipe "$T/spread.txt")
	if [ -w /dev/full ]; then
		try pfilter -f --pid 1 -U /dev/full -o "$T/out" "$T/spread"
		[ $rc = 1 ] && grep -q "^pfilter: /dev/full: write: " "$T/err" || failed "full"
	fi
	try pfilter -f --pid 1 -U "$T/nowhere/x" -o "$T/out" "$T/spread"
	[ $rc = 1 ] && one_line "pfilter: $T/nowhere/x: " || failed "no directory"
	done_all
}

@test "more: -n decides and writes nothing; --stats says why" {
	need jq
	spread
	try pfilter -n --pid 1-50 --cpu 1 --every 2 --stats=json "$T/spread"
	[ $rc = 0 ] && [ ! -s "$T/out" ]
	jq -e '.in.samples == 200 and .kept.samples == 7 and .dropped.pid.samples == 150 and .dropped.cpu.samples == 37 and
	    .dropped.every.samples == 6 and .in.records == .kept.records + ([.dropped[].records] | add) and
	    .would_be_written.records == .kept.records' "$T/err" >/dev/null || { cat "$T/err"; false; }
	try pfilter --pid 1-50 --stats "$T/spread"
	[ $rc = 0 ]
	grep -q '^pfilter: dropped by pid: 150 records, 150 samples$' "$T/err"
	pfilter --pid 1-50 "$T/spread" | cmp - "$T/out"
	try pfilter -f --pid 1-50 --stats=json -U "$T/rest" -o "$T/out" "$T/spread"
	jq -e '.rejected.samples == 150 and .written.samples == 50' "$T/err" >/dev/null
	try pfilter -f --stats=json "$T/spread"
	cmp "$T/out" "$T/spread"
	jq -e '.dropped == {} and .in == .kept and .kept == .written' "$T/err" >/dev/null
	try pfilter -n -o "$T/never" --pid 1 -U "$T/never2" "$T/spread"
	[ $rc = 0 ] && [ ! -e "$T/never" ] && [ ! -e "$T/never2" ]
	try pfilter --stats=xml "$T/spread"
	[ $rc = 2 ]
	# who writes nothing does not say that it did
	for args in "-n --stats" "-n --stats=json" --stats --stats=json; do
		pfilter $args --pid 1 data/basic.pipe.data 2>"$T/err" >/dev/null
		case $args in
		-n*) ! grep -q 'pfilter: written\|"written"' "$T/err" && grep -q 'would.be.written' "$T/err";;
		*) grep -q 'pfilter: written:\|"written":' "$T/err";;
		esac || failed "--stats $args"
	done
	done_all
}

@test "more: a choice by CPU is refused where nothing tells it" {
	{
		echo "attr type=1 config=0 period=1 sample_type=IP|TID|TIME|ID ids=11"
		echo "SAMPLE ip=1 pid=1 tid=1 time=1 id=11"
	} >"$T/nocpu.txt"
	mkpipe "$T/nocpu.txt" >"$T/nocpu"
	try pfilter --cpu 0 "$T/nocpu"
	[ $rc = 1 ]
	one_line "pfilter: $T/nocpu: byte "
	grep -q 'without PERF_SAMPLE_CPU (perf record --sample-cpu)' "$T/err"
}

@test "more: hardware trace cannot be cut: it is said, and --drop-type takes it out" {
	cat >"$T/pt.txt" <<-'END'
	attr type=1 config=0 period=1 sample_type=IDENTIFIER|IP|TID|TIME|CPU flags=sample_id_all|mmap|comm ids=11
	AUXTRACE_INFO aux_type=1
	COMM pid=1 tid=1 comm=one @ time=1 pid=1 tid=1 id=11
	SAMPLE misc=1 ip=1 pid=1 tid=1 time=10
	AUXTRACE tid=1 npayload=64
	AUX @ time=11 id=11
	ITRACE_START pid=1 tid=1 @ time=12 id=11
	SAMPLE misc=1 ip=2 pid=2 tid=2 time=20
	FINISHED_ROUND
	END
	mkpipe "$T/pt.txt" >"$T/pt"
	mkpipe <(sed 's/^AUX/# &/' "$T/pt.txt") >"$T/none"
	for how in "--pid 1" "--comms one" "--cpu 0" "--time ,1" "--filter ip==1" "--every 2" "--pid 1 -f -U $T/rest"; do
		try pfilter $how "$T/pt"
		[ $rc = 0 ] && one_line "pfilter: warning: samples are selected, but hardware trace cannot be cut: all of it is kept (--drop-type " ||
		    failed "$how"
		pstat --json "$T/out" | jq -e '[.types[] | select(.name | test("AUX"))] | length == 3' >/dev/null || failed "$how"
		try pfilter $how --drop-type aux,auxtrace,auxtrace_info "$T/pt"
		[ $rc = 0 ] && ! [ -s "$T/err" ] || failed "$how, without"
		pfilter $how "$T/none" | cmp - "$T/out" || failed "$how, without"
	done
	for how in "" "--type SAMPLE" "--drop-type TIME_CONV" "--sideband=needed"; do
		try pfilter $how "$T/pt"
		[ $rc = 0 ] && ! [ -s "$T/err" ] || failed "$how"
	done
	for how in aux auxtrace,auxtrace_info itrace_start; do
		try pfilter --drop-type $how "$T/pt"
		[ $rc = 2 ] && one_line "pfilter: --drop-type '" || failed "$how"
	done
	done_all
}

@test "more: what is left without hardware trace can be read" {
	need perf
	need corpus
	for f in "$CORPUS"/foreign/quipper/*intel_pt-4.14; do
		pcat -q --format=file -o "$T/$(basename "$f")" "$f"
		perf script -f --no-itrace -F comm,pid,tid,time,ip -i "$T/$(basename "$f")" >"$T/want" 2>/dev/null
		for how in "" ,itrace_start,auxtrace_error,aux_output_hw_id; do
			pfilter --drop-type aux,auxtrace,auxtrace_info$how "$f" | perf script -f -F comm,pid,tid,time,ip -i - 2>/dev/null |
			    cmp - "$T/want" && [ -s "$T/want" ] || failed "$f $how"
		done
	done
	done_all
}

# ---- when nothing matches ----------------------------------------------------------------------------

# like spread, with names, files, a thread that is no process, and cgroups
lived_in() {
	{
		echo "attr type=1 config=0 period=1 sample_type=IDENTIFIER|IP|TID|TIME|CPU|CGROUP flags=sample_id_all|comm|mmap|task ids=11"
		echo "EVENT_UPDATE update_type=2 id=11 z=cpu-clock"
		echo "CGROUP id=1 path=/user/one"
		echo "COMM pid=1 tid=1 comm=nginx"
		echo "COMM pid=2 tid=2 comm=postgres"
		echo "COMM pid=3 tid=3 comm=fifteen_letters"
		echo "COMM pid=9 tid=9 comm=never-sampled"
		echo "FORK pid=1 ppid=1 tid=8 ptid=1"
		echo "MMAP2 misc=2 pid=1 tid=1 start=0x1000 len=0x1000 prot=5 flags=2 filename=/usr/lib/libcrypto.so.3"
		echo "MMAP2 misc=2 pid=2 tid=2 start=0x1000 len=0x1000 prot=5 flags=2 filename=/usr/bin/postgres"
		for i in 1 2 3 8; do echo "SAMPLE misc=2 ip=0x1800 pid=$((i % 7)) tid=$i time=1$((i))500000000 cpu=$((i % 4)) cgroup=1"; done
		echo FINISHED_ROUND
	} >"$T/lived.txt"
	mkpipe "$T/lived.txt" >"$T/lived"
	pcat --format=file -o "$T/lived.file" "$T/lived"
}

@test "more: when no sample is kept one line says why" {
	lived_in
	for in in "$T/lived" "$T/lived.file"; do
		while IFS='|' read -r args text; do
			IFS=' ' read -ra args <<<"$args"
			try pfilter "${args[@]}" "$in"
			[ $rc = 0 ] && one_line "pfilter: warning: none of 4 samples was kept" && grep -qF -- "$text" "$T/err" || failed "${args[*]}"
			try pfilter --fail-if-empty "${args[@]}" "$in"
			[ $rc = 1 ] && one_line "pfilter: warning: none of 4 samples was kept" || failed "${args[*]}: --fail-if-empty"
			try pfilter -q --fail-if-empty "${args[@]}" "$in"
			[ $rc = 1 ] && ! [ -s "$T/err" ] || failed "${args[*]}: -q"
			pfilter -q "${args[@]}" "$in" | cmp - "$T/out" || failed "${args[*]}: output"
		done <<-'END'
			--pid 4711|: none is of process 4711, and no other record refers to it
			--pid 9,4711-4712|: none is of process 9, 4711-4712
			--pid 8|; 8 is a thread of process 1 (--tid)
			--tid 4711|: none is of thread 4711, and no other record refers to it
			--exclude-pid 0-10|: --exclude-pid drops all of them
			--cpu 7|: none is of CPU 7; they are of CPU 0-3
			--cpu 5 --pid 1|; of the 2 that the other options leave: none is of CPU 5; they are of CPU 0-1
			--time 1,2|: none is from 1.000000000,2.000000000; they are from 11.500000000 to 18.500000000
			--time 20,|: none is from 20.000000000,; they are from 11.5
			--pid 2 --time 13,|; of the 1 that the other options leave: none is from 13.000000000,; they are from 12.500000000 to 12.500000000
			--comms ngnix|: none is of a thread named ngnix; similar: nginx
			--comms post|; similar: postgres
			--comms Firefox|; there are nginx, postgres, fifteen_letters
			--comms fifteen_letters_and_more|; comm has 15 characters at most: try 'fifteen_letters'
			--dsos libcrypto.so|: none is in libcrypto.so; similar: /usr/lib/libcrypto.so.3
			--dsos vmlinux|; there are /usr/lib/libcrypto.so.3, /usr/bin/postgres
			--cgroup one|: none is of cgroup one; similar: /user/one
			--exclude-comms nginx,postgres,fifteen_letters,:8|: --exclude-comms drops all of them
			--filter pid==99|: --filter is true for none
			--pid 0-10 --invert|: all of them match, and --invert drops those
			--max-samples 0|: --max-samples drops all of them
			-n --pid 4711|: none is of process 4711
		END
	done
	done_all
}

@test "more: nothing is said where samples are kept, were not asked for, or something else went wrong" {
	lived_in
	for args in "" "--fail-if-empty" "--comms nginx --fail-if-empty" "--type COMM" "--drop-type SAMPLE"; do
		try pfilter $args "$T/lived"
		[ $rc = 0 ] && ! [ -s "$T/err" ] || failed "$args"
	done
	head -c -3 "$T/lived" >"$T/cut"
	try pfilter --pid 4711 "$T/cut"
	[ $rc = 1 ] && one_line "pfilter: $T/cut: byte" || failed "a cut input"
	try pfilter --fail-if-empty --type COMM "$T/lived"
	[ $rc = 1 ] && ! [ -s "$T/err" ] || failed "--type COMM --fail-if-empty"
	# a recording without samples
	sed '/^SAMPLE/d' "$T/lived.txt" >"$T/none.txt"
	mkpipe "$T/none.txt" >"$T/none"
	try pfilter --pid 1 "$T/none"
	[ $rc = 0 ] && one_line "pfilter: warning: no sample was kept: the recording has none" || failed "no samples"
	done_all
}

@test "more: of many names the nearest are found" {
	sanitized && skip "a sanitizer has memory of its own"
	{
		echo "attr type=1 config=0 period=1 sample_type=IDENTIFIER|IP|TID|TIME|CPU flags=sample_id_all|comm ids=11"
		seq 20000 | awk '{ printf "COMM pid=%d tid=%d comm=name-%d\nSAMPLE ip=1 pid=%d tid=%d time=%d\n", $1, $1, $1, $1, $1, $1 }'
		echo FINISHED_ROUND
	} >"$T/names.txt"
	mkpipe "$T/names.txt" >"$T/names"
	try pfilter --comms nam-19876 "$T/names"
	[ $rc = 0 ] && grep -q 'similar: name-19876' "$T/err"
}

@test "more: --cpu of samples that tell neither their CPU nor their id ends with status 1, though ID_INDEX has CPUs" {
	printf '%s\n' 'attr sample_type=IP|TID|TIME flags=sample_id_all ids=1,2' 'ID_INDEX list=1/0/0/-1,2/1/1/-1' \
	    'SAMPLE misc=2 ip=0x401000 pid=100 time=1000' >"$T/recipe"
	for order in "" -b; do
		mkpipe $order "$T/recipe" >"$T/in"
		for o in "--cpu 1" "--cpu 77" "--exclude-cpu 0"; do
			try pfilter $o "$T/in"
			[ $rc = 1 ] && grep -q "was recorded without PERF_SAMPLE_CPU" "$T/err" || failed "$o $order"
		done
	done
	done_all
}
