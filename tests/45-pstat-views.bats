# SPDX-License-Identifier: ISC
# pstat --events, --header, --tasks, --mmaps, --build-ids: beside what perf's own commands say of a file.
load lib
load pstat

# What versions of perf do each in its own way: 6.12 names types and configs, and tracepoints of this machine; the place of data
# is of no interest; what is absent or empty, not all know of (features above 30); 6.1 does not indent all of the tree, 6.12 calls private maps shared,
# and 7.2 shows build-ids from elsewhere; the mode of maps is not swapped.
attrs() {
	sed -E -e 's/(\<type(:| =) [0-9]+) \([a-z_0-9]+\)/\1/g' -e 's/ \((PERF_[A-Z0-9_ |]*|[a-z_0-9]+:[a-z_0-9]+)\)//g' -e 's/config(:| =) 0, //' -e '/^# Tip/d'
}
NEWER=$(sed -n 's/^FEAT( *\([0-9]*\), \([A-Z0-9_]*\),.*/\1 \2/p' "$BATS_TEST_DIRNAME/../common/record/feature.def" | awk '$1 > 30 { printf "%s%s", sep, $2; sep = "|" }')
header() {
	attrs | sed -E -e '/^# (captured on|header version|data offset|data size|feat offset) /d' -e '/^# (bpf_prog_info|btf info) empty/d' \
	    -e "/^# missing features/s/ ($NEWER)\\>//g"
}
tree() {
	sed -E -e 's/\| */|/' -e 's/^ +([0-9a-f]+-)/  \1/' -e 's/^(  [0-9a-f]+-[0-9a-f]+) [-r][-w][-x][ps] ([0-9a-f]+) [0-9a-f]* /\1 \2 /' |
	    if perf_since 6.12; then cat; else sort; fi
}
# Names that act on a terminal are escaped by pstat: perf's are, here.
plain() {
	sed -e 's/\\/\\\\/g' -e 's/\t/\\x09/g' -e ':a' -e '$!N' -e 's/\n\([^ #]\)/\\x0a\1/' -e ta -e 'P;D'
}
ids() {
	grep -v '^ ' | sort
}

# same FILE [INPUT]: pstat says of INPUT what perf says of FILE.
same() {
	local in=${2-$1}
	diff <(perf evlist -v -i "$1" 2>/dev/null | attrs) <(pstat --events "$in" | grep -v ': raw\.' | attrs) >"$T/diff" || failed "$in: events: $(head -n 4 "$T/diff")"
	perf report --header-only -i "$1" 2>/dev/null | header >"$T/want"
	pstat --header "$in" | header >"$T/said"
	if grep -q 'time of first sample : 0\.000000' "$T/want"; then	# perf record -z writes no times
		sed -i '/^# .*\<sample.* : /d' "$T/want" "$T/said"
	fi
	clocks "$T/want" "$T/said"
	[ $# = 1 ] || sed -i -e '/^# compressed : /d' -e 's/ COMPRESSED\>//' "$T/want" "$T/said"	# pcat has expanded it
	diff "$T/want" "$T/said" >"$T/diff" || failed "$in: header: $(head -n 4 "$T/diff")"
	for o in tasks mmaps; do
		perf report --$o -i "$1" 2>/dev/null | plain | tree >"$T/want"
		[ "$(wc -l <"$T/want")" -gt 2 ] || [[ $in = *stat* ]] || failed "$in: perf shows no $o"
		diff "$T/want" <(pstat --$o "$in" | tree) >"$T/diff" || failed "$in: $o: $(head -n 4 "$T/diff")"
	done
}
# same_ids FILE [INPUT]: the same of build-ids.
same_ids() {
	diff <(perf buildid-list -i "$1" 2>/dev/null | ids) <(pstat --build-ids "${2-$1}" | ids) >"$T/diff" ||
	    failed "$1: build-ids: $(head -n 4 "$T/diff")"
}

@test "pstat views: of files" {
	need perf
	for in in data/{a_many,basic,pid2_a,sched_R,z1,s390x_basic}.file.data; do
		! perf_refuses "$in" || continue
		same "$in"
		[[ $in = *z1* ]] || same_ids "$in"
	done
	done_all
}

@test "pstat views: of streams, as perf says of the files that they become" {
	need perf
	for n in basic multi event-name g_fp k_mono namespaces sched_R z1 per_thread s390x_basic s390x_z1 p72_forks; do
		turn 5 || continue
		pcat --format=file -o "$T/$n.data" "data/$n.pipe.data"
		! perf_refuses "$T/$n.data" || continue
		same "$T/$n.data" "data/$n.pipe.data"
		! diff <(pstat --events "data/$n.pipe.data") <(pstat --events data/stat_I.file.data) >/dev/null || failed "$n: not of this input"
	done
	done_all
}

@test "pstat views: of recordings made now" {
	need record
	# perf 7.0 and newer put ids into MMAP2, of which perf lists only those that a sample hit: the test of them is below
	perf record -q --no-buildid-mmap -e cpu-clock,page-faults -F 999 -g -o "$T/file" -- sh -c 'for i in 1 2 3; do (head -c 3000000 /dev/zero | cksum); done' >/dev/null 2>&1
	same "$T/file"
	same_ids "$T/file"
	perf record -q -e cpu-clock -F 999 --namespaces -k mono -o - -- sh -c 'for i in 1 2 3; do (head -c 3000000 /dev/zero | cksum) >&2; done' \
	    >"$T/stream" 2>/dev/null
	pcat --format=file -o "$T/of-stream" "$T/stream"
	same "$T/of-stream" "$T/stream"
	same "$T/of-stream"
	pstat --tasks "$T/stream" | grep -q 'cksum$'
	done_all
}

@test "pstat views: over the corpus" {
	need perf
	need corpus
	for in in "$CORPUS"/own/{a_g,both_regs_stack,cgroups,forks,group_S,k_mono,mixed_types,multi,namespaces,switch_cpu,threads64,z22,p72_basic}.file.data; do
		turn 7 || continue
		[ -f "$in" ] && ! perf_refuses "$in" || continue
		same "$in"
	done
	for n in a_g cgroups forks group_S lost raw_syscalls s390x_sched_R threads64 both_regs_stack; do
		turn 5 || continue
		pcat --format=file -o "$T/$n.data" "$CORPUS/own/$n.pipe.data"
		same "$T/$n.data" "$CORPUS/own/$n.pipe.data"
	done
	done_all
}

@test "pstat views: the time of CLOCK_DATA is that of the place" {
	need perf
	[ -f /usr/share/zoneinfo/America/New_York ] || skip "no zoneinfo"
	pcat --format=file -o "$T/file" data/k_mono.pipe.data
	TZ=America/New_York perf report --header-only -i "$T/file" 2>/dev/null | grep '^# reference time' >"$T/want"
	TZ=America/New_York pstat --header data/k_mono.pipe.data | grep '^# reference time' >"$T/said"
	clocks "$T/want" "$T/said"
	diff "$T/want" "$T/said"
	! diff "$T/want" <(pstat --header data/k_mono.pipe.data | grep '^# reference time') >/dev/null
}

# perf lists of the latter only those that a sample hit.
@test "pstat views: build-ids of the head and of MMAP2, each once, by name" {
	mkpipe >"$T/in" <<<"attr type=1 config=0 period=1 sample_type=IP|TID|TIME flags=sample_id_all|mmap|mmap2|comm ids=11
		HEADER_BUILD_ID misc=2 pid=-1 build_id=000102030405060708090a0b0c0d0e0f10111213 id_size=20 filename=/opt/none/beta
		HEADER_BUILD_ID misc=2 pid=-1 build_id=000102030405060708090a0b0c0d0e0f10111213 id_size=20 filename=/opt/none/beta
		MMAP2 misc=0x4002 pid=100 tid=100 start=0x400000 len=0x10000 build_id=ff0102030405060708090a0b0c0d0e0f10111213 prot=5 flags=2 filename=/opt/none/alpha
		MMAP2 misc=2 pid=100 tid=100 start=0x800000 len=0x10000 ino=7 prot=5 flags=1 filename=/opt/none/plain
		SAMPLE ip=0x400001 pid=100 tid=100 time=5"
	pstat --build-ids "$T/in" >"$T/out"
	diff - "$T/out" <<-END
		ff0102030405060708090a0b0c0d0e0f10111213 /opt/none/alpha
		000102030405060708090a0b0c0d0e0f10111213 /opt/none/beta
	END
	pstat --mmaps "$T/in" | tail -n 2 | diff - <(cat <<-END
		                                 400000-410000 r-xp 00000000 ff0102030405060708090a0b0c0d0e0f10111213 /opt/none/alpha
		                                 800000-810000 r-xs 00000000 7 /opt/none/plain
	END
	)
}

@test "pstat views: rows of JSON and CSV, all at once, by the schema" {
	need jq
	for in in data/a_many.file.data data/p72_forks.pipe.data data/escape.data data/s390x_z1.pipe.data data/stat_I.file.data; do
		pstat --events --header --tasks --mmaps --build-ids --check --json "$in" >"$T/json" || [ $? = 1 ]
		diff <(pstat --tasks "$in" | tail -n +2 | awk '{ print $1, $2, $3 }') \
		    <(jq -r '.threads[] | "\(.pid) \(.tid) \(.ppid)"' "$T/json") || failed "$in: tasks"
		[ "$(pstat --mmaps "$in" | grep -c '^ *[0-9a-f]*-[0-9a-f]* ')" = "$(jq '.maps | length' "$T/json")" ] || failed "$in: maps"
		diff <(pstat --header "$in" | sed '1d;$d' | sed '$d' | wc -l) <(jq '.header | length' "$T/json") || failed "$in: header"
		diff <(pstat --build-ids "$in" | cut -d ' ' -f 1) <(jq -r '.build_ids[].build_id' "$T/json") || failed "$in: ids"
		diff <(pstat --events "$in" | wc -l) <(jq '(.attrs | length) + (.payloads | length)' "$T/json") || failed "$in: events"
		[ "$(jq .exact "$T/json")" = true ] || failed "$in: exact"
	done
	pstat --csv --table threads --tasks data/a_many.file.data >"$T/csv"
	[ "$(head -n 1 "$T/csv" | tr -d '\r')" = pid,tid,ppid,comm ] || failed csv
	# without the option there is no such table, and counts do not change by it
	for n in basic z1 sched_R; do
		diff <(pstat --json data/$n.file.data | jq 'del(.bytes_read)') \
		    <(pstat --json --header --tasks data/$n.file.data | jq 'del(.header, .threads, .bytes_read)') || failed "$n: counts"
	done
	done_all
}

@test "pstat views: parents in a circle, threads that are gone, a number used again, chains deep as there are threads" {
	need jq
	{
		echo "attr type=1 config=0 period=1 sample_type=IP|TID|TIME flags=sample_id_all|mmap|mmap2|comm|task ids=11"
		echo "FORK pid=10 ppid=20 tid=10 ptid=20 time=1"
		echo "FORK pid=20 ppid=10 tid=20 ptid=10 time=2"
		echo "FORK pid=30 ppid=30 tid=30 ptid=30 time=3"
		echo "COMM pid=40 tid=40 comm=first"
		echo "EXIT pid=40 ppid=0 tid=40 ptid=0 time=4"
		echo "FORK pid=40 ppid=50 tid=40 ptid=50 time=5"
		for ((i = 1000; i < 1600; i++)); do
			echo "FORK pid=$((i + 1)) ppid=$i tid=$((i + 1)) ptid=$i time=$i"
			echo "EXIT pid=$((i + 1)) ppid=$i tid=$((i + 1)) ptid=$i time=$i"
		done
	} >"$T/recipe"
	mkpipe "$T/recipe" >"$T/in"
	timeout -s KILL 20 pstat --tasks --json "$T/in" >"$T/json"
	[ "$(jq '.threads | length' "$T/json")" = $((1 + 2 + 1 + 2 + 601)) ]
	[ "$(jq '[.threads[].tid] | unique | length' "$T/json")" = $((1 + 2 + 1 + 2 + 601)) ]
	[ "$(jq -c '.threads[] | select(.tid == 40) | [.ppid, .comm]' "$T/json")" = '[50,":40"]' ]
	pstat --tasks "$T/in" >"$T/out"
	[ "$(awk '{ n = length($0) > n ? length($0) : n } END { print n }' "$T/out")" -le 250 ]
}

@test "pstat views: what cannot be read is one line, and a damaged feature is left out" {
	for o in events header tasks mmaps build-ids; do
		try pstat --$o "$T/nosuch"
		[ $rc = 1 ] && [ ! -s "$T/out" ] && [ "$(wc -l <"$T/err")" = 1 ] || failed "$o: no file"
		try pstat --$o data/README
		[ $rc = 1 ] && [ ! -s "$T/out" ] && [ "$(wc -l <"$T/err")" = 1 ] || failed "$o: no recording"
		head -c 6000 data/a_many.file.data >"$T/cut"
		try pstat --$o "$T/cut"
		[ $rc = 1 ] && [ "$(wc -l <"$T/err")" = 1 ] || failed "$o: cut"
		try sh -c "pstat --$o data/basic.file.data >/dev/full"
		[ $rc = 1 ] && grep -q 'No space left' "$T/err" || failed "$o: full"
	done
	done_all
}

@test "pstat views: every prefix of a stream" {
	size=$(stat -c %s data/per_thread.pipe.data)
	for ((n = 0; n < size; n += 97)); do
		head -c $n data/per_thread.pipe.data >"$T/cut"
		timeout -s KILL 10 pstat --events --header --tasks --mmaps --build-ids "$T/cut" >"$T/out" 2>"$T/err" || [ $? = 1 ] || failed "$n"
	done
	done_all
}

@test "pstat views: capabilities of PMUs, CPUs of several kinds, and a feature that is not known" {
	{
		cat data/base.txt
		printf 'HEADER_FEATURE feat_id=30 u4=2 fs=cpu_core fs=0-3 fs=cpu_atom fs=4-7\n'
		printf 'HEADER_FEATURE feat_id=77 u8=1\n'
	} >"$T/r.txt"
	mkpipe "$T/r.txt" | pinject -q --set-feature 'CPU_PMU_CAPS=branches=32, x=y' \
	    --set-feature $'PMU_CAPS=pmu capabilities : a=1, b=2 of cpu_core\npmu capabilities : c=3 of cpu_atom' >"$T/in"
	pstat -q --header "$T/in" | grep -A1 -E 'pmu capabilities|hybrid|cpu list|unknown feature' | grep -v '^--' >"$T/got"
	for line in "cpu pmu capabilities: branches=32, x=y" "cpu_core pmu capabilities: a=1, b=2" "cpu_atom pmu capabilities: c=3" \
	    "hybrid cpu system:" "cpu_core cpu list : 0-3" "cpu_atom cpu list : 4-7" "unknown feature 77"; do
		grep -qxF "# $line" "$T/got" || failed "$line"
	done
	if command -v perf >/dev/null && perf report -f --header-only -i "$T/in" >"$T/perf" 2>/dev/null; then
		grep 'pmu capabilities' "$T/perf" >"$T/want" || true
		grep 'pmu capabilities' "$T/got" | diff "$T/want" - || failed "not what perf says"
	fi
	done_all
}

@test "pstat views: names of types and configs, beyond their ends, too" {
	# TYPE CONFIG|what stands behind the numbers
	cat >"$T/rows" <<-'END'
		0 0|PERF_TYPE_HARDWARE|PERF_COUNT_HW_CPU_CYCLES
		0 9|PERF_TYPE_HARDWARE|PERF_COUNT_HW_REF_CPU_CYCLES
		0 10|PERF_TYPE_HARDWARE|
		1 11|PERF_TYPE_SOFTWARE|PERF_COUNT_SW_CGROUP_SWITCHES
		1 12|PERF_TYPE_SOFTWARE|
		2 1|PERF_TYPE_TRACEPOINT|
		3 0|PERF_TYPE_HW_CACHE|PERF_COUNT_HW_CACHE_RESULT_ACCESS | PERF_COUNT_HW_CACHE_OP_READ | PERF_COUNT_HW_CACHE_L1D
		3 0x10206|PERF_TYPE_HW_CACHE|PERF_COUNT_HW_CACHE_RESULT_MISS | PERF_COUNT_HW_CACHE_OP_PREFETCH | PERF_COUNT_HW_CACHE_NODE
		3 7|PERF_TYPE_HW_CACHE|
		3 0x300|PERF_TYPE_HW_CACHE|
		3 0x20000|PERF_TYPE_HW_CACHE|
		4 0x1c2|PERF_TYPE_RAW|
		5 0|PERF_TYPE_BREAKPOINT|
		6 0||
		4294967295 1||
	END
	n=0
	while IFS='|' read -r numbers type config; do
		n=$((n + 1))
		read -r t c <<<"$numbers"
		echo "attr type=$t config=$c period=1 sample_type=IDENTIFIER|IP ids=$n"
		printf 'type: %s%s, config: %s%s\n' "$t" "${type:+ ($type)}" "$([ $((c)) = 0 ] && echo 0 || printf 0x%x $((c)))" \
		    "${config:+ ($config)}" >>"$T/want"
	done < <(sed 's/ | /~/g' "$T/rows") >"$T/recipe"
	sed -i 's/~/ | /g' "$T/want"
	mkpipe "$T/recipe" >"$T/in"
	pstat --events "$T/in" | sed -E 's/.*(\<type: .*), size: [0-9]+(, config: [^,]*),.*/\1\2/' | diff "$T/want" -
}
