# SPDX-License-Identifier: ISC
# pstat --sort: samples and periods by keys are those of perf report and perf script.
load lib
load pstat

stream() {
	cat >"$T/recipe.txt"
	mkpipe "$T/recipe.txt" >"$T/recipe.pipe"
}
# rows FIELD...: of the sort table in $T/out, a line each
rows() {
	jq -r '.sort[] | [.[$ARGS.positional[]]] | map(if . == null then "-" else . end | tostring) | join("|")' "$T/out" --args "$@"
}

# as_report KEY FILE: are samples and periods by event and key those of perf report?  Its "pid" is the thread.
as_report() {
	local key=$1 f=$2 ours=$1
	[ $key != pid ] || ours=tid
	perf report -f -i "$f" --no-group -s $key -F sample,period,$key --stdio -t '|' -w 20,20,400 -g none --no-children 2>/dev/null </dev/null >"$T/report" || return 0
	awk -F '|' -v key=$key '/^# Samples: .* of events? / { event = $0; sub(/.* of events? ./, "", event); sub(/.$/, "", event) }
		/^ *[0-9]+ *\| *[0-9]+ *\|/ { k = $3; sub(/^ */, "", k); sub(/ *$/, "", k)
			if (key == "cpu") k += 0
			if (key == "pid") sub(/:.*/, "", k)
			if (key == "pid" && k == -1) k = "-"	# of a task that has just ended
			if (key == "dso" && k ~ /^\[JIT\] tid [0-9]+$/) k = "anon"	# //anon, of which perf hopes for a map of names
			n[event "|" k] += $1; p[event "|" k] += $2 }
		END { for (i in n) printf "%s|%d|%d\n", i, n[i], p[i] }' "$T/report" | sort >"$T/want"
	try pstat --json -s event,$ours "$f"
	[ $rc = 0 ] || failed "$key: $f"
	[ "$(jq '.exact' "$T/out")" = true ] || failed "$key: $f: not exact"
	rows event $ours samples period | awk -F '|' -v key=$key '$3 > 0 {
		if (key == "dso") { sub(/.*\//, "", $2); if ($2 ~ /\.ko(\.[a-z]+)?$/) { sub(/\.ko.*/, "", $2); gsub(/-/, "_", $2); $2 = "[" $2 "]" } }
		if (key == "cgroup" && $2 == "-") $2 = "unknown"
		n[$1 "|" $2] += $3; p[$1 "|" $2] += $4 } END { for (i in n) printf "%s|%d|%d\n", i, n[i], p[i] }' | sort >"$T/got"
	if [ -s "$T/want" ]; then
		! grep -q '[|]-1[|]' "$T/want" || return 0	# samples without a CPU: pstat has that of their id
		compared=$((compared + 1))
		diff "$T/want" "$T/got" >"$T/diff" || { rc= failed "$key: $f: < perf report, > pstat: $(head -n 6 "$T/diff")"; }
	fi
}

# as_script FILE: are samples and periods by process, and by event and bin of 20 ms, those of perf script?
as_script() {
	perf script -f -i "$1" -G -F pid,tid,time,event,period --ns 2>/dev/null </dev/null >"$T/script" || return 0
	[ -s "$T/script" ] || return 0
	compared=$((compared + 1))
	sed -n 's|^ *\(-*[0-9]*\)/-*[0-9]* *\([0-9]*\)\.\([0-9]*\): *\([0-9]*\) *.*$|\1 \2\3 \4|p' "$T/script" >"$T/lines"
	# a task that has just ended has the pid -1, for which pstat prints "-"
	awk '$1 == -1 { $1 = "-" } { n[$1]++; p[$1] += $3 } END { for (i in n) printf "%s|%d|%.0f\n", i, n[i], p[i] }' "$T/lines" | sort >"$T/want"
	pstat --json -s pid,event "$1" >"$T/out"
	rows pid samples period | awk -F '|' '$2 > 0 { n[$1] += $2; p[$1] += $3 } END { for (i in n) printf "%s|%d|%.0f\n", i, n[i], p[i] }' |
	    sort | diff "$T/want" - >"$T/diff" || failed "pid: $1: < perf script, > pstat: $(head -n 6 "$T/diff")"
	awk '{ bin = substr($2, 1, length($2) - 7); bin -= bin % 2; n[bin]++ } END { for (i in n) printf "%s0000000|%d\n", i, n[i] }' "$T/lines" | sort >"$T/want"
	pstat --json -s time --time-quantum 20ms "$1" >"$T/out"
	rows time samples | grep -v '|0$' | sort | diff "$T/want" - >"$T/diff" || failed "time: $1: < perf script, > pstat: $(head -n 6 "$T/diff")"
}

agree() {
	local f key
	compared=0
	for f; do
		[ -f "$f" ] || continue
		for key in comm pid cpu dso cgroup; do
			! { [ $key = comm ] && perf_forgets; } || continue
			if [ $key = cgroup ]; then
				perf evlist -v -i "$f" 2>/dev/null </dev/null | grep -q CGROUP || continue
			fi
			as_report $key "$f"
		done
		as_script "$f"
	done
}

@test "pstat --sort: samples and periods per key are those of perf, of recordings of the tests" {
	need perf
	need jq
	agree $(ls data/{basic.file,demo,g_fp.pipe,k_mono.pipe,multi.pipe,namespaces.pipe,sched_R.file,z1.file,pid2_a.file}.data | each 3)
	echo "$compared comparisons"
	[ $compared -ge $((ALL ? 25 : 8)) ]
	done_all
}

@test "pstat --sort: the same of a recording just made" {
	need record
	need jq
	perf record -q -a --all-cgroups -e cpu-clock,page-faults -F 2000 -o "$T/fresh.data" -- sh -c '
	    for i in 1 2 3 4; do (sh -c "head -c 2000000 /dev/zero | cksum" & wait); done' >"$T/record" 2>&1 || skip "perf cannot record all cgroups"
	agree "$T/fresh.data"
	[ $compared -ge 5 ]
	done_all
}

@test "pstat --sort: comm, dso and cgroup are those of the time of the sample, whatever the order of arrival" {
	stream <<-X
	attr type=1 config=0 period=1 sample_type=IP|TID|TIME|CPU|PERIOD flags=sample_id_all|comm|task|mmap ids=1
	COMM pid=1 tid=1 comm=first @ time=1
	MMAP2 misc=2 pid=1 tid=1 start=0x1000 len=0x1000 maj=8 min=1 ino=1 prot=5 flags=2 filename=/a/one @ time=2
	SAMPLE misc=2 ip=0x1800 pid=1 tid=1 time=300 period=1
	SAMPLE misc=2 ip=0x1800 pid=1 tid=1 time=100 period=10
	SAMPLE misc=2 ip=0x9800 pid=1 tid=1 time=100 period=100
	MMAP2 misc=2 pid=1 tid=1 start=0x1000 len=0x1000 maj=8 min=1 ino=2 prot=5 flags=2 filename=/a/two @ time=200
	COMM pid=1 tid=1 comm=second @ time=250
	SAMPLE misc=2 ip=0x1800 pid=1 tid=1 time=230 period=1000
	SAMPLE misc=2 ip=0x1800 pid=7 tid=8 time=230 period=10000
	X
	try pstat --json -s comm,dso "$T/recipe.pipe"
	rows comm dso period samples records | sort | diff <(printf '%s\n' 'first|/a/one|10|1|1' 'first|[unknown]|100|1|1' 'first|/a/two|1000|1|1' 'second|/a/two|1|1|1' ':8|[unknown]|10000|1|1' | sort) -
}

@test "pstat --sort: dso is the BPF program, by KSYMBOL, as perf script and pfilter --dsos have it" {
	need perf
	stream <<-X
	attr type=1 config=0 period=1 sample_type=IP|TID|TIME|CPU flags=sample_id_all|comm|task|mmap|ksymbol ids=1
	MMAP misc=1 pid=-1 tid=0 start=0xffffffff81000000 len=0x1000000 pgoff=0xffffffff81000000 filename=[kernel.kallsyms]_text
	KSYMBOL addr=0xffffffffc0100000 len=0x100 ksym_type=1 name=bpf_prog_1234_one @ time=10
	KSYMBOL addr=0xffffffffc0100100 len=0x80 ksym_type=1 name=bpf_prog_5678_two @ time=11
	SAMPLE misc=1 ip=0xffffffff81000010 pid=1 tid=1 time=100
	SAMPLE misc=1 ip=0xffffffffc0100000 pid=1 tid=1 time=101
	SAMPLE misc=1 ip=0xffffffffc01000ff pid=1 tid=1 time=102
	SAMPLE misc=1 ip=0xffffffffc0100100 pid=2 tid=2 time=103
	SAMPLE misc=1 ip=0xffffffffc0100180 pid=2 tid=2 time=104
	SAMPLE misc=2 ip=0xffffffffc0100000 pid=1 tid=1 time=105
	X
	perf script -i - -F ip,dso <"$T/recipe.pipe" 2>/dev/null | sed -n 's/.*(\(.*\))$/\1/p' | sort | uniq -c | awk '{ print $2 "|" $1 }' >"$T/want"
	grep -q 'bpf_prog_1234_one|2' "$T/want" || skip "this perf does not show BPF programs"
	pstat --json -s dso "$T/recipe.pipe" >"$T/out"
	rows dso samples | LC_ALL=C sort | diff <(LC_ALL=C sort "$T/want") -
	for name in bpf_prog_1234_one bpf_prog_5678_two; do
		[ "$(pfilter --dsos $name "$T/recipe.pipe" | pstat --json | jq .samples)" = "$(sed -n "s/^$name|//p" "$T/want")" ] || failed $name
	done
	done_all
}

@test "pstat --sort: all keys, the rest, first and last, losses, of a recipe" {
	stream <<-X
	attr type=1 config=0 period=1 sample_type=IDENTIFIER|IP|TID|TIME|CPU|PERIOD flags=sample_id_all ids=11
	attr type=1 config=2 period=1 sample_type=IDENTIFIER|IP|TID|TIME|CPU|PERIOD flags=sample_id_all ids=22
	SAMPLE ev=0 misc=2 ip=1 pid=1 tid=2 time=10000000 cpu=3 period=5
	SAMPLE ev=0 misc=1 ip=1 pid=1 tid=2 time=30000000 cpu=3 period=6
	SAMPLE ev=1 misc=2 ip=1 pid=1 tid=3 time=20000000 cpu=0 period=7
	SAMPLE ev=1 misc=2 ip=1 pid=-1 tid=-1 time=0 cpu=0 period=8
	LOST ev=1 id=22 lost=9 @ time=21000000 cpu=3
	LOST_SAMPLES ev=0 lost=4 @ time=31000000 cpu=3
	X
	try pstat --json -s cpu "$T/recipe.pipe"
	rows cpu other records samples period first_ns last_ns lost lost_samples | diff - <(printf '%s\n' \
	    '0|false|2|2|-|20000000|20000000|0|0' '3|false|2|2|-|10000000|30000000|9|4') || failed cpu
	try pstat --json -s event "$T/recipe.pipe"
	rows event samples period lost lost_samples | diff - <(printf '%s\n' 'cpu-clock:HG|2|11|0|4' 'page-faults:HG|2|15|9|0') || failed event
	try pstat --json -s cpumode,pid "$T/recipe.pipe"
	rows cpumode pid samples lost | diff - <(printf '%s\n' 'kernel|1|1|-' 'user|1|2|-' 'user|-|1|-' | sort -t '|' -k3,3nr -s) || failed cpumode
	try pstat --json -s time --time-quantum 20ms "$T/recipe.pipe"
	rows time samples lost lost_samples | diff - <(printf '%s\n' '0|1|0|0' '20000000|2|9|4' '-|1|0|0') || failed time
	try pstat --json -s type "$T/recipe.pipe"
	rows type records samples | diff - <(printf '%s\n' 'SAMPLE|4|4' 'HEADER_ATTR|2|0' 'LOST|1|0' 'LOST_SAMPLES|1|0') || failed type
	try pstat --json -s tid --top 1 "$T/recipe.pipe"
	rows tid other samples bytes | diff - <(printf '%s\n' '2|false|2|112' '-|true|2|112') || failed top
	pstat -s tid --top 1 "$T/recipe.pipe" | grep -q '^other  *2  *2  *50.00' || failed "the rest on the screen"
	done_all
}

@test "pstat --sort: recordings of the other byte order have the same rows" {
	local f keys
	for f in demo multi.pipe sched_R.file; do
		pcat --endian=big data/$f.data >"$T/big.pipe" 2>"$T/err" || failed "$f: $(cat "$T/err")"
		for keys in pid cpumode,event cpu,tid,cpumode dso,comm; do
			pstat --csv --table sort -s $keys data/$f.data >"$T/want" && pstat --csv --table sort -s $keys "$T/big.pipe" >"$T/got"
			diff "$T/want" "$T/got" >"$T/diff" || failed "$keys: $f: $(head -n 4 "$T/diff")"
		done
	done
	done_all
}

@test "pstat --sort: bins are of the finest width with 4096 of them, whatever the order" {
	local n want
	for n in "4096 1000000" "4097 5000000" "100000 100000000"; do
		want=${n#* }
		n=${n% *}
		echo "attr type=1 config=0 period=1 sample_type=IP|TID|TIME|PERIOD ids=1" >"$T/head"
		seq 1 "$n" | awk '{ print "SAMPLE ip=1 pid=1 tid=1 time=" $1 "000000 period=1" }' >"$T/forth"
		tac "$T/forth" >"$T/back"
		for way in forth back; do
			cat "$T/head" "$T/$way" >"$T/r"
			mkpipe "$T/r" | pstat --json -s time >"$T/$way.json"
			[ "$(jq -c '[.sorted_by.time_quantum_ns, ([.sort[].samples] | add), .exact]' "$T/$way.json")" = "[$want,$n,true]" ] || failed "$n $way"
		done
		diff <(jq -c .sort "$T/forth.json") <(jq -c .sort "$T/back.json") || failed "$n: the order counts"
	done
	# a clock that jumps a year makes one bin more
	{ cat "$T/head"; echo "SAMPLE ip=1 pid=1 tid=1 time=1000000 period=1"; echo "SAMPLE ip=1 pid=1 tid=1 time=31536000000000000 period=1"; } >"$T/r"
	mkpipe "$T/r" | pstat --json -s time >"$T/out"
	rows time samples | diff - <(printf '%s\n' '1000000|1' '31536000000000000|1') || failed "a year"
	done_all
}

@test "pstat --sort: more rows than it keeps are one row, and the sums stay" {
	{
		echo "attr type=1 config=0 period=1 sample_type=IP|TID|TIME|PERIOD ids=1"
		seq 70000 | awk '{ print "SAMPLE ip=1 pid=" $1 " tid=" $1 " time=" $1 " period=1" }'
		seq 500 | awk '{ print "SAMPLE ip=1 pid=5 tid=5 time=" $1 + 80000 " period=1" }'
	} >"$T/r"
	mkpipe "$T/r" | pstat --json -s tid >"$T/out"
	[ "$(jq -c '[.exact, (.sort | length), ([.sort[].samples] | add), .sort[0].tid, .sort[-1].other]' "$T/out")" = "[false,$(jq '.sort | length' "$T/out"),70500,5,true]" ]
	[ "$(jq '.sort | length' "$T/out")" -gt 49000 ]
}

# What waits for its time is bounded: names that come later than that are not those of the samples.
@test "pstat --sort: without rounds it decides before the end, and says so if a name came too late" {
	local late exact
	{
		echo "attr type=1 config=0 period=1 sample_type=IP|TID|TIME|PERIOD flags=sample_id_all|comm ids=1"
		seq 70000 | awk '{ print "SAMPLE ip=1 pid=5 tid=5 time=" $1 + 100 " period=1" }'
	} >"$T/head"
	for late in 50:false 120:false 100000:true; do
		exact=${late#*:}
		{ cat "$T/head"; echo "COMM pid=5 tid=5 comm=late @ time=${late%:*}"; } >"$T/r"
		mkpipe "$T/r" | pstat --json -s comm >"$T/out"
		[ "$(jq -c '[.exact, ([.sort[].samples] | add)]' "$T/out")" = "[$exact,70000]" ] || failed "$late"
		# a round in between leaves little that waits
		awk '{ print } NR == 40000 { print "FINISHED_ROUND"; print "FINISHED_ROUND" }' "$T/r" | mkpipe | pstat --json -s comm >"$T/out"
		[ "$(jq -c '[.exact, ([.sort[].samples] | add)]' "$T/out")" = "[true,70000]" ] || failed "$late: rounds"
	done
	done_all
}

@test "pstat --sort: wrong usage" {
	for c in "-s nosuch" "-s comm,comm" "-s comm,pid,tid,cpu" "-s ," "--top 5" "--time-quantum 1s" "-s comm --time-quantum 1s" "-s time --time-quantum 2ms" "-s comm --top x"; do
		try pstat $c "$T/missing"
		[ $rc = 2 ] && one_line "pstat: -" && ! [ -s "$T/out" ] || failed "$c"
	done
	try pstat --csv --table sort -s comm data/demo.data
	[ $rc = 0 ] && grep -q '^bash,false,153,153,612000000,' "$T/out" || failed "CSV"
	done_all
}

# traced FILE EVENT FIELD: its values, as perf script prints them
traced() {
	perf script -f -i "$1" -F event,trace 2>/dev/null | grep -a "^ *$2: " | sed -n "s/.* $3=\([^ ]*\).*/\1/p"
}

@test "pstat --sort, --hist raw.FIELD: fields of payloads are those of perf script" {
	need perf
	need jq
	need zstd
	zstd -dqc data/k612_sched.pipe.data.zst >"$T/k612"
	for f in data/sched.pipe.data "$T/k612"; do
		for x in prev_comm prev_pid next_pid; do
			traced $f sched:sched_switch $x | sort | uniq -c | awk '{ print $2 "|" $1 }' | sort >"$T/want"
			[ "$(wc -l <"$T/want")" -gt 3 ] || failed "$f: $x: perf says nothing"
			try pstat --json --sort raw.$x $f
			[ $rc = 0 ] || failed "$f: $x"
			rows raw.$x samples | grep -v '^-|' | sed 's/ [^|]*|/|/' | sort | diff "$T/want" - >"$T/diff" || failed "$f: $x: $(head -n 4 "$T/diff")"
		done
	done
	f=data/sched.pipe.data
	pstat --json --sort raw.comm,event,raw.runtime $f >"$T/out"
	perf script -f -i $f -F event,trace 2>/dev/null | sed -n 's/.*stat_runtime: comm=\([^ ]*\) .*runtime=\([0-9]*\) .*/\1|\2/p' | sort >"$T/want"
	rows raw.comm raw.runtime samples | grep -v '|-|' | awk -F '|' '{ for (i = 0; i < $3; i++) print $1 "|" $2 }' | sort | diff "$T/want" - || failed "three keys"
	cut -d '|' -f 2 "$T/want" | sort -n >"$T/runtimes"
	pstat --json --hist raw.runtime $f >"$T/out"
	[ "$(jq -r '.hist[0] | "\(.count) \(.sum) \(.min) \(.max)"' "$T/out")" = "$(awk 'NR == 1 { min = $1 } { sum += $1 } END { print NR, sum, min, $1 }' "$T/runtimes")" ] ||
	    failed "histogram"
	pstat --picture hist:raw.runtime $f >"$T/svg"		# of raw alone they are bytes
	grep -q 'Histogram of raw.runtime' "$T/svg" && ! grep -q bytes "$T/svg" || failed picture
	# in time order with a key of history; CSV; metrics
	[ "$(pstat --json --sort raw.prev_pid,comm $f | jq '[.sort[].samples] | add')" = 382 ] || failed "history"
	pstat --csv --table sort --sort raw.prev_comm $f >"$T/csv"
	[ "$(head -n 1 "$T/csv" | cut -d , -f 1)" = raw.prev_comm ] || failed csv
	pstat --format=openmetrics --sort raw.prev_comm $f | grep -q '^pstat_sort_records_total{raw_prev_comm="python3",' || failed metrics
	# tracepoints of a big-endian machine are in 24-pcat-join-formats; here another order of the stream
	pcat --endian=big $f 2>"$T/warned" >"$T/big"
	diff <(pstat --json --sort raw.prev_pid $f | jq .sort) <(pstat --json --sort raw.prev_pid "$T/big" | jq .sort) || failed "big-endian"
	done_all
}

@test "pstat --sort, --hist raw.FIELD: numbers below 0, arrays, raw data; what cannot be" {
	need jq
	f=data/tracepoints.pipe.data
	pstat --json --sort 'raw.ret' $f >"$T/out"
	[ "$(jq -r '[.sort[] | select(."raw.ret" == -2) | .samples] | add' "$T/out")" = "$(pfilter -q --filter 'ret == -2' $f | pstat --json | jq '[.events[].samples] | add')" ] || failed "below 0"
	[ "$(jq -r '.sort | map(."raw.ret") | unique | length' "$T/out")" -gt 2 ] || failed "numbers"
	try pstat --json --hist raw.ret $f
	[ $rc = 0 ] && grep -qE '^pstat: warning: --hist: [1-9][0-9]* values of raw.ret are below 0, and are left out$' "$T/err" || failed "left out"
	for k in 'raw.args[0]' 'raw.u16[0]' 'raw.s64[4]'; do
		try pstat --json --sort "$k" $f
		[ $rc = 0 ] && [ "$(jq '[.sort[].samples] | add' "$T/out")" = 146 ] && [ "$(jq '.sort | length' "$T/out")" -gt 2 ] || failed "$k"
	done
	no() {
		try pstat "${@:2}"
		[ $rc = 2 ] && ! [ -s "$T/out" ] && one_line "pstat: $1" || failed "$*"
	}
	no "--sort raw.next_pud: no event of this recording has that field; similar: next_pid; --events lists them" --sort raw.next_pud $f
	no "--sort raw.args: args of raw_syscalls:sys_enter is u64[6]" --sort raw.args $f
	no "--hist raw.prev_comm: prev_comm of sched:sched_switch is char[16]" --hist raw.prev_comm $f
	no "--sort raw.pid: no event of this recording has payloads; record them with perf record -R" --sort raw.pid data/basic.pipe.data
	for wrong in raw. 'raw.x[' 'raw.x[1' 'raw.x[]' 'raw.x[1]y' 'raw.a-b' 'raw.x[99999]'; do
		no "--sort '$wrong': expected raw.FIELD or raw.FIELD[N]" --sort "$wrong" $f
	done
	no "--diff: cannot compare by fields of payloads" --diff --sort raw.pid $f $f
	pfilter --allow vital-types --drop-type header_tracing_data $f >"$T/none"
	no "--sort raw.prev_pid: the formats of the tracepoints are missing, or behind the data; \`pcat --formats-from' adds them" --sort raw.prev_pid "$T/none"
	pstat --json --sort raw.pid $f >"$T/report"
	try pstat --merge "$T/report" "$T/report"
	[ $rc = 1 ] && grep -q 'is sorted by raw.pid: reports by fields of payloads cannot be merged' "$T/err" || failed merge
	done_all
}

@test "pstat --events: fields of payloads by type and place; a format that cannot be used is named" {
	need jq
	f=data/tracepoints.pipe.data
	pstat --events $f >"$T/events"
	grep -qx 'sched:sched_switch: raw.prev_pid: s32 at 24' "$T/events" && grep -qx 'raw_syscalls:sys_enter: raw.args: u64\[6\] at 16' "$T/events" || failed "$(cat "$T/events")"
	[ "$(pstat --events --json $f | jq -c '.payloads[] | select(.event == "sched:sched_switch" and .field == "prev_comm") | [.type, .offset, .bytes]')" = \
	    '["char[16]",8,16]' ] || failed json
	perl -0777 -pe 's/(name: sched_wakeup\n.*?offset:)0;/$1?;/s' data/sched.pipe.data >"$T/bad"
	for o in --events "--sort raw.prev_pid" "--hist raw.runtime"; do
		try pstat $o "$T/bad"
		[ $rc = 0 ] && one_line "pstat: warning: the format of sched:sched_wakeup cannot be used: it has a field without a valid offset" || failed "$o"
	done
	try pstat --sort raw.success "$T/bad"
	[ $rc = 2 ] && one_line "pstat: --sort raw.success: the format of sched:sched_wakeup cannot be used" || failed "asked for"
	try pstat "$T/bad"
	[ $rc = 0 ] && ! [ -s "$T/err" ] || failed "not used"
	done_all
}

@test "pstat -s: long names are whole in a pipe, and cut in the middle on a terminal" {
	need python3
	local name=/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod0123456789abcdef.slice/cri-containerd-fedcba9876543210.scope line
	mkpipe - >"$T/in" <<-X
		attr type=1 config=0 period=1 sample_type=IP|TID|TIME|CPU|CGROUP flags=sample_id_all|comm|mmap|mmap2|cgroup ids=1
		CGROUP id=7 path=$name @ pid=1 tid=1 time=1 cpu=0
		SAMPLE misc=2 ip=0x401000 pid=1 tid=1 time=1000 cpu=0 cgroup=7
	X
	pstat -s cgroup "$T/in" >"$T/out"
	grep -q "^$name  *1 " "$T/out" || failed "pipe: $(tail -n 2 "$T/out")"
	for columns in 80 100 120 200; do
		$(command -v python3) - "$columns" pstat -s cgroup "$T/in" >"$T/out" <<-'X'
			import fcntl, os, pty, struct, sys, termios
			pid, fd = pty.fork()
			if not pid:
			    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack('HHHH', 50, int(sys.argv[1]), 0, 0))
			    os.execvp(sys.argv[2], sys.argv[2:])
			try:
			    while True:
			        sys.stdout.buffer.write(os.read(fd, 65536).replace(b'\r', b''))
			except OSError:
			    sys.exit(os.waitpid(pid, 0)[1] != 0)
		X
		line=$(grep '^/kub' "$T/out") || failed "$columns: no row"
		[ ${#line} -le $columns ] || failed "$columns: a line of ${#line}"
		[ $columns = 200 ] || [[ $line =~ ^/kubepo[^~\ ]*~[^\ ]*.scope\  ]] || [ $columns = 80 ] || failed "$columns: $line"
		[ $columns != 200 ] || [[ $line = "$name "* ]] || failed "$columns: $line"
	done
	done_all
}

@test "pstat --sort: a name of hundreds of characters makes its own row long, not all" {
	name=/lib/$(printf 'x%.0s' {1..300})
	{
		echo "attr type=1 config=0 period=1 sample_type=IP|TID|TIME flags=sample_id_all|mmap2 ids=1"
		echo "MMAP2 misc=2 pid=10 tid=10 start=0x10000 len=0x1000 prot=5 flags=2 filename=$name"
		echo "MMAP2 misc=2 pid=10 tid=10 start=0x20000 len=0x1000 prot=5 flags=2 filename=/lib/short"
		printf 'SAMPLE misc=2 ip=0x%s0000 pid=10 tid=10 time=1\n' 1 2 2
	} | mkpipe - >"$T/in"
	pstat -q --sort dso "$T/in" >"$T/out"
	grep -q "^$name  *1 " "$T/out" && [ "$(grep '^/lib/short ' "$T/out" | wc -c)" -lt 120 ] || { cat "$T/out"; false; }
}

@test "pstat sort: syscall: the names and counts of perf trace -s; of 32-bit tasks, too; in JSON, CSV and merged" {
	need record
	need jq
	local p n=0 regs= other=' clone[0-9]* \| vfork \| execve '
	ldd "$(type -P pstat)" | grep -qF libseccomp || skip "pstat was built without libseccomp"
	# 32-bit tasks of a 64-bit kernel are known by their registers
	! compat || regs=--user-regs=ip
	perf record -q -m 2048 $regs -e 'raw_syscalls:*' -o "$T/calls" -- bash -c 'ls -l / >/dev/null; sleep 0.01; (echo x | gzip -c | cat >/dev/null); [ -e /nowhere ]; umask 22' \
	    >/dev/null 2>&1 </dev/null || skip "perf cannot record system calls here"
	pfilter --span syscall --span-period -o "$T/spans" "$T/calls"
	pstat --json -s tid,syscall "$T/spans" | jq -r '.sort[] | select(.syscall != "rt_sigreturn") | "\(.tid) \(.syscall) \(.samples)"' | sort >"$T/got"
	[ "$(wc -l <"$T/got")" -gt 30 ] && ! grep -q ' [0-9-]* [0-9]*$' "$T/got" || failed "names: $(head -n 3 "$T/got")"
	# perf counts a return without a call, too: of a new thread from clone(), and the first from execve()
	for p in $PERFS; do
		$p trace -s -f -i "$T/calls" 2>&1 </dev/null | awk '/ \([0-9]+\), [0-9]+ events/ { split($0, x, /[()]/); tid = x[2] } /^   [a-z0-9_]+ +[0-9]+ +[0-9]+ +[0-9.]+ / { print tid, $1, $2 }' |
		    sort >"$T/want"
		[ -s "$T/want" ] || continue
		n=$((n + 1))
		grep -v "$other" "$T/want" >"$T/perf"
		grep -v "$other" "$T/got" >"$T/ours"
		# ... and then perf leaves out calls that only they have, as geteuid32
		[ -z "$regs" ] || awk 'NR == FNR { known[$2] = 1; next } $2 in known' "$T/perf" "$T/got" >"$T/ours"
		diff "$T/perf" "$T/ours" >"$T/diff" || failed "$p: $(head -n 8 "$T/diff")"
	done
	[ $n -gt 0 ] || skip "perf trace -s shows nothing here"
	pstat --csv --table sort -s syscall --columns count "$T/spans" | grep -q '^execve,' || failed csv
	pstat --json -s syscall "$T/spans" >"$T/a"
	pstat --merge --json "$T/a" "$T/a" | jq -c '[.sort[] | [.syscall, .samples]] | sort' >"$T/out"
	jq -c '[.sort[] | [.syscall, .samples * 2]] | sort' "$T/a" | diff - "$T/out" || failed merge
	pstat --diff --json -s syscall "$T/spans" "$T/spans" | jq -e 'any(.diff[]; .syscall == "execve")' >/dev/null || failed diff
	# of syscalls:sys_enter_*, by __syscall_nr
	if [ -z "$regs" ] && perf record -q -e syscalls:sys_enter_openat,syscalls:sys_enter_newfstat,sched:sched_switch -o "$T/own" -- ls / >/dev/null 2>&1 </dev/null; then
		pstat --json -s event,syscall "$T/own" | jq -r '.sort[] | "\(.event) \(.syscall)"' | sort -u >"$T/out"
		printf '%s\n' "sched:sched_switch null" "syscalls:sys_enter_newfstat fstat" "syscalls:sys_enter_openat openat" | comm -13 - "$T/out" >"$T/diff"
		grep -q openat "$T/out" && ! [ -s "$T/diff" ] || failed "syscalls: $(cat "$T/out")"
	fi
	# a task of 32 bits, which is known by its registers
	if [ "$(uname -m)" = x86_64 ] && printf '%s\n' 'void _start(void) { int r; __asm__ volatile("int $0x80" : "=a"(r) : "a"(20)); __asm__ volatile("int $0x80" :: "a"(1), "b"(0)); }' |
	    cc -m32 -nostdlib -static -fno-pie -no-pie -x c -o "$T/small" - 2>/dev/null && "$T/small" 2>/dev/null; then
		perf record -q -e raw_syscalls:sys_enter --user-regs=ip -o "$T/regs" -- "$T/small" >/dev/null 2>&1 </dev/null || failed "--user-regs"
		pstat --json -s comm,syscall,raw.id "$T/regs" | jq -c '.sort[] | select(.comm == "small") | [.syscall, ."raw.id"]' | sort | paste -sd' ' >"$T/out"
		[ "$(cat "$T/out")" = '["exit",1] ["getpid",20]' ] || failed "32 bits: $(cat "$T/out")"
	fi
	try pstat -s syscall data/demo.data
	[ $rc = 2 ] && one_line "pstat: --sort syscall: no event of this recording is of raw_syscalls or syscalls; record it with perf record -e 'raw_syscalls:*'" || failed none
	done_all
}

@test "--children with other keys: a function counts once for each sample that has it, with the comm, event and thread of that sample" {
	cat >"$T/r.txt" <<-'END'
		attr type=1 config=0 period=1 sample_type=ID|IP|TID|TIME|CALLCHAIN|PERIOD flags=sample_id_all|comm|mmap ids=11
		attr type=1 config=1 period=1 sample_type=ID|IP|TID|TIME|CALLCHAIN|PERIOD flags=sample_id_all|comm|mmap ids=12
		MMAP misc=2 pid=7 tid=7 start=0x0 len=0x18 pgoff=0 filename=/bin/a @ pid=7 tid=7 time=1 id=11
		MMAP misc=2 pid=7 tid=7 start=0x18 len=0x100 pgoff=0 filename=/bin/b @ pid=7 tid=7 time=1 id=11
		MMAP misc=2 pid=8 tid=9 start=0x0 len=0x18 pgoff=0 filename=/bin/a @ pid=8 tid=9 time=1 id=11
		COMM pid=7 tid=7 comm=one @ pid=7 tid=7 time=1 id=11
		COMM pid=8 tid=9 comm=two @ pid=8 tid=9 time=1 id=11
		SAMPLE misc=2 ip=0x10 pid=7 tid=7 time=2 period=10 chain=0xfffffffffffffe00,0x10,0x20,0x10 id=11
		SAMPLE misc=2 ip=0x20 pid=7 tid=7 time=3 period=10 chain=0xfffffffffffffe00,0x20,0x30 id=12
		SAMPLE misc=2 ip=0x10 pid=8 tid=9 time=4 period=10 chain=0xfffffffffffffe00,0x10 id=11
		SAMPLE misc=2 ip=0x10 pid=8 tid=10 time=5 period=10 chain=0xfffffffffffffe00,0x10 id=11
		FINISHED_ROUND
	END
	mkdir "$T/none"
	for order in "" -b; do
		mkpipe $order "$T/r.txt" >"$T/in"
		for want in "comm,event,symbol|:10,cpu-clock:HG,[a] 1|one,cpu-clock:HG,[a] 1|one,cpu-clock:HG,[b] 1|one,task-clock:HG,[b] 1|two,cpu-clock:HG,[a] 1" \
		    "pid,tid,symbol|7,7,[a] 1|7,7,[b] 2|8,10,[a] 1|8,9,[a] 1" "event,symbol|cpu-clock:HG,[a] 3|cpu-clock:HG,[b] 1|task-clock:HG,[b] 1"; do
			keys=${want%%|*}
			n=$(tr -dc , <<<"$keys" | wc -c)
			pstat -q --csv --table=sort --sort "$keys" --children --symbols "$T/none" "$T/in" |
			    awk -F, -v n=$((n + 1)) 'NR > 1 { k = $1; for (i = 2; i <= n; i++) k = k "," $i; print k, $(n + 3) }' | LC_ALL=C sort >"$T/got"
			[ "$(paste -sd'|' "$T/got")" = "${want#*|}" ] || failed "$keys $order: $(paste -sd'|' "$T/got")"
		done
	done
	done_all
}
