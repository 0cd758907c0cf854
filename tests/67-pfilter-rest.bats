# SPDX-License-Identifier: ISC
# pfilter: the rest of a selection, counts, hardware trace.
load lib
load spread

@test "-U gets what --invert keeps" {
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

@test "-U: totals of READ values are right in both" {
	need perf
	r=$(recipe read-group)
	pfilter -f --pid 100 -U "$T/rest" -o "$T/out" "$r"
	perf script -f -i "$r" -F pid,event,period 2>/dev/null | sort >"$T/want"
	for f in out rest; do perf script -f -i "$T/$f" -F pid,event,period 2>/dev/null; done | sort | diff "$T/want" -
	[ "$(wc -l <"$T/want")" -ge 8 ]
}

@test "-U: payloads reach both" {
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
	pstat --json "$T/out.tmp" >/dev/null 2>&1 || true
	[ -s "$T/rest.tmp" ]
}

@test "-U: both complete, wrong use, a full disk" {
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

@test "-n writes nothing; --stats prints counts by reason" {
	need jq
	spread
	try pfilter -n --pid 1-50 --cpu 1 --every 2 --stats=json "$T/spread"
	[ $rc = 0 ]
	[ ! -s "$T/out" ]
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
	[ $rc = 0 ]
	[ ! -e "$T/never" ]
	[ ! -e "$T/never2" ]
	try pfilter --stats=xml "$T/spread"
	[ $rc = 2 ]
	# without output there is no message about it
	for args in "-n --stats" "-n --stats=json" --stats --stats=json; do
		pfilter $args --pid 1 data/basic.pipe.data 2>"$T/err" >/dev/null
		case $args in
		-n*) ! grep -q 'pfilter: written\|"written"' "$T/err" && grep -q 'would.be.written' "$T/err";;
		*) grep -q 'pfilter: written:\|"written":' "$T/err";;
		esac || failed "--stats $args"
	done
	done_all
}

@test "rest: --cpu is refused if no field has the CPU" {
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

@test "--cpu of samples that tell neither their CPU nor their id ends with status 1, though ID_INDEX has CPUs" {
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

@test "rest: hardware trace cannot be filtered: a warning, and --drop-type removes it" {
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

@test "rest: what is left without hardware trace can be read" {
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
