# SPDX-License-Identifier: ISC
# pstat --sort and --hist beside perf script, perf script -D and perf report --stats, by beside.py.
load lib

# beside AT-LEAST FILE...: do the tables agree, in so many comparisons?
beside() {
	local least=$1
	shift
	export T
	command -v /usr/bin/python3 >/dev/null || skip "python3 is not installed"
	/usr/bin/python3 beside.py "$@" >"$T/said" || { cat "$T/said"; return 1; }
	tail -n 1 "$T/said"
	[ "$(sed -n 's/ comparisons$//p' "$T/said")" -ge "$least" ]
}

@test "pstat oracle: rows and histograms of the recordings of the tests" {
	need perf
	beside $((ALL ? 400 : 120)) $(ls data/{basic.file,demo,g_fp.pipe,k_mono.pipe,multi.pipe,namespaces.pipe,sched_R.file,z1.pipe,per_thread.pipe,p72_z22_dwarf.pipe}.data | each 3)
}

@test "pstat oracle: of a recording just made" {
	need record
	perf record -q -a -g -e cpu-clock,page-faults,context-switches -F 2000 -o "$T/fresh.data" -- sh -c '
	    for i in 1 2 3; do (sh -c "head -c 2000000 /dev/zero | cksum" & wait); done' >"$T/record" 2>&1 || skip "perf cannot record all CPUs"
	beside 50 "$T/fresh.data"
}

@test "pstat oracle: of the corpus" {
	need perf
	need corpus
	beside $((ALL ? 400 : 100)) $(printf '%s\n' "$CORPUS"/own/{both_regs_stack.file,cgroups.pipe,group_S.pipe,mixed_types.pipe,phys.file,raw_syscalls.pipe,tail_synth.file}.data \
	    "$CORPUS"/own/{threads64.pipe,s390x_sched_R.file}.data "$CORPUS"/foreign/quipper/perf.data.{callgraph-3.8,i686-3.4} "$CORPUS"/foreign/simpleperf/perf.data | each 3)
}

@test "pstat oracle: what pfilter selects and what it rejects add up to the whole" {
	need jq
	for f in data/{demo,multi.pipe,g_fp.pipe,sched_R.file}.data; do
		for select in "--cpu 0" "--every 3" "--max-samples 40"; do
			pfilter -q $select -o "$T/a" -U "$T/b" -f "$f"
			for keys in comm,event dso cpumode,tid time; do
				turn 7 || continue
				quantum=
				[ $keys != time ] || quantum="--time-quantum 20ms"
				for part in a b; do pstat --json -s $keys $quantum "$T/$part" >"$T/$part.json"; done
				pstat --json -s $keys $quantum "$f" >"$T/whole.json"
				sum='map(.sort[]) | map(select(.samples > 0)) | group_by([.comm, .event, .dso, .cpumode, .tid, .time]) |
				    map([.[0].comm, .[0].event, .[0].dso, .[0].cpumode, .[0].tid, .[0].time, (map(.samples) | add)])'
				diff <(jq -s -c "$sum" "$T/whole.json") <(jq -s -c "$sum" "$T/a.json" "$T/b.json") >"$T/diff" ||
				    failed "$f $select $keys: $(head -c 600 "$T/diff")"
			done
		done
	done
	done_all
}
