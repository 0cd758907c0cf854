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
			n[event "|" k] += $1; p[event "|" k] += $2 }
		END { for (i in n) printf "%s|%d|%d\n", i, n[i], p[i] }' "$T/report" | sort >"$T/want"
	try pstat --json -s event,$ours "$f"
	[ $rc = 0 ] || failed "$key: $f"
	[ "$(jq '.exact' "$T/out")" = true ] || failed "$key: $f: not exact"
	rows event $ours samples period | awk -F '|' -v key=$key '$3 > 0 {
		if (key == "dso") { sub(/.*\//, "", $2); if ($2 ~ /\.ko(\.[a-z]+)?$/) { sub(/\.ko.*/, "", $2); gsub(/-/, "_", $2); $2 = "[" $2 "]" } }
		if (key == "dso" && $2 == "-") $2 = "[unknown]"
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
	awk '{ n[$1]++; p[$1] += $3 } END { for (i in n) printf "%s|%d|%.0f\n", i, n[i], p[i] }' "$T/lines" | sort >"$T/want"
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
	agree data/{basic.file,demo,g_fp.pipe,k_mono.pipe,multi.pipe,namespaces.pipe,sched_R.file,z1.file,pid2_a.file}.data
	echo "$compared comparisons"
	[ $compared -ge 25 ]
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
	rows comm dso period samples records | sort | diff <(printf '%s\n' 'first|/a/one|10|1|1' 'first|-|100|1|1' 'first|/a/two|1000|1|1' 'second|/a/two|1|1|1' ':8|-|10000|1|1' | sort) -
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
	rows dso samples | sed 's/^-/[unknown]/' | LC_ALL=C sort | diff <(LC_ALL=C sort "$T/want") -
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
