# SPDX-License-Identifier: ISC
# pfilter: --time.
load lib
load spread

@test "--time: ranges, from the first sample, several, slices" {
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

@test "--time: invalid arguments" {
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
		@x,
		@26-11-21,
		@2026/11/21,
		@2026-1-21,
		@2026-11,
		@2026-11/21,
		@2026-11-2,
		@2026-11-21T,
		@2026-11-21T1,
		@2026-11-21T10,
		@2026-11-21T10-00,
		@2026-11-21T10:0,
		@2026-11-21T10:60,
		@2026-11-21T10:00:,
		@2026-11-21T10:00:0,
		@2026-11-21T10:00:61Z,
		@2026-11-21T10:00:00Zx,
		@2026-11-21T10:00:00+,
		@2026-11-21T10:00:00+2,
		@2026-11-21T10:00:00+02:,
		@2026-11-21T10:00:00+02:0,
		@2026-11-21T10:00:00+020,
		@2026-11-21T10:00:00+02:60,
		@2026-11-21T10:00:00+02:00x,
		@1969-12-31T12:00:00Z,
		@1970-01-01T00:00:00+01:00,
		@2600-01-01Z,
		@2026-11-22,@2026-11-21
		.x,
		10%-
		10%-x%
		10%-20
		x%
		.%
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

@test "--time and --exclude-time: ranges that overlap, touch, or are in one another" {
	need jq
	need python3
	spread
	# 200 samples, a nanosecond apart: those that are in a range, and in none that is excluded
	python3 - >"$T/rows" <<-'END'
		import random
		random.seed(7)
		def ranges(n):
		    return [sorted((random.randint(1, 210), random.randint(1, 210))) for _ in range(n)]
		text = lambda rs: " ".join("1.%09d,1.%09d" % tuple(r) for r in rs)
		for n in range(25):
		    ins, outs = ranges(random.randint(1, 4)), ranges(random.randint(1, 4))
		    if n % 4 == 0:	# they touch
		        outs = [[r[1] + 1, r[1] + 5] for r in ins] + [[max(r[0] - 5, 1), r[0]] for r in ins]
		    inside = lambda t, rs: any(a <= t <= b for a, b in rs)
		    kept = [t for t in range(1, 211) if inside(t, ins) and not inside(t, outs)]
		    print(sum(t <= 200 for t in kept) if kept else "", text(ins), text(outs), sep="|")
	END
	while IFS='|' read -r want in out; do
		if [ -z "$want" ]; then
			try pfilter --time "$in" --exclude-time "$out" "$T/spread"
			[ $rc = 2 ] && one_line "pfilter: --time and --exclude-time: nothing remains selected" || failed "$in but $out"
			continue
		fi
		[ "$(pfilter -q --time "$in" --exclude-time "$out" "$T/spread" | samples -)" = "$want" ] || failed "$in but $out: not $want"
	done <"$T/rows"
	try pfilter --exclude-time +5,1 "$T/spread"
	[ $rc = 2 ] && one_line "pfilter: --exclude-time: a range starts at 6000000001 ns but stops at 1000000000 ns" || failed "backwards"
	done_all
}

@test "--time from the first sample in time, not in the stream" {
	need jq
	spread
	# the first round comes backwards
	{ grep -v -e SAMPLE -e ROUND "$T/spread.txt"; grep SAMPLE "$T/spread.txt" | head -100 | tac; echo FINISHED_ROUND;
	    grep SAMPLE "$T/spread.txt" | tail -100; echo FINISHED_ROUND; } >"$T/back.txt"
	mkpipe "$T/back.txt" >"$T/back"
	[ "$(pfilter --time ,+9ns "$T/back" | pstat --json | jq .samples)" = 10 ]
	pfilter --time ,+9ns "$T/back" | cmp - <(cat "$T/back" | pfilter --time ,+9ns)
}

@test "--time by the wall clock, also of another zone" {
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
		11|UTC|@2023-11-15T00:13:20.5+02,
		11|UTC|@2023-11-14T21:13:20.5-01,
		21|UTC|@2023-11-14T22:13,
		0|UTC|@2023-11-14T22:14,
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

@test "time: the output of a selection has no SAMPLE_TIME" {
	pcat data/basic.file.data | pstat --json | jq -e '.features.present | index("SAMPLE_TIME")' >/dev/null || skip "not in the recording"
	pfilter --pid 0-4194304 data/basic.file.data | pstat --json | jq -e '.features.present | index("SAMPLE_TIME") | not' >/dev/null
	pfilter data/basic.file.data | pstat --json | jq -e '.features.present | index("SAMPLE_TIME")' >/dev/null
}

# what_reads COMMAND...: the bytes that it reads, of files of any kind
what_reads() {
	bash -c '"$@" >/dev/null && awk "\$1 == \"rchar:\" { print \$2 }" /proc/$$/io' bash "$@"
}

@test "time: a percentage with a piece reads the file twice, not three times" {
	[ -r /proc/self/io ] || skip "the kernel does not count what is read"
	[ -x "$O/bench/gen" ] || skip "bench/gen is not built"
	"$O/bench/gen" 8000000 >"$T/in"
	size=$(stat -c %s "$T/in")
	for o in "--time 10%-90%" --piece=2/3 "--time 10%-90% --piece=2/3"; do
		n=$(what_reads pfilter $o "$T/in")
		[ "$n" -gt $((size * 19 / 10)) ] && [ "$n" -lt $((size * 5 / 2)) ] || failed "$o: $n of $size bytes"
	done
	done_all
}

@test "--time: seconds with a unit get a hint" {
	for time in 2s,3s 2s,+3s ,300ms 1.5m,; do
		try pfilter --time "$time" data/demo.data
		[ $rc = 2 ] && grep -q ": a time of the recording's clock is seconds without a unit; +[0-9.]*[ms]* is that long after the first sample" "$T/err" ||
		    failed "$time: $rc $(cat "$T/err")"
	done
	try pfilter --time 2x,3 data/demo.data
	[ $rc = 2 ] && grep -q "expected seconds of the recording's clock" "$T/err" || failed "2x: $(cat "$T/err")"
	done_all
}
