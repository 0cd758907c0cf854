# SPDX-License-Identifier: ISC
# pfilter --filter 'EVENT{FILTER}': the kernel's filters, with the kernel as oracle, live or as it once answered (data/kernel-*).
load lib

# selects RECORDING LIST [OPTION...]: kernel.py finds no difference
selects() {
	python3 kernel.py "$2" "$1" "${@:3}" >"$T/results"
	! grep '^not ok' "$T/results" || false
	[ "$(grep -c '^ok' "$T/results")" = "$(wc -l <"$2")" ]
}
tracefs() {
	kernel-filter </dev/null || skip "no tracefs that we may read"
	printf 'sched:sched_switch\tprev_pid == 1\n' | kernel-filter | grep -q taken || skip "no tracepoints for this user"
}
# data/kernel.pipe.data.zst, in $T/plain
golden_recording() {
	need zstd
	zstd -dqc data/kernel.pipe.data.zst >"$T/plain"
}
# kept EXPRESSION: how many samples of $T/plain are
kept() {
	pfilter -q --filter "$1" "$T/plain" >"$T/kept" || return
	pstat --json "$T/kept" | jq '[.types[] | select(.name == "SAMPLE") | .records] | add // 0'
}

@test "kernel: 104 filters select what Linux 6.18 recorded by them" {
	need python3
	! big_endian || skip "kernel.py reads our byte order"
	golden_recording
	selects "$T/plain" data/kernel-filters.list
	# the other byte order has the same samples
	pcat --endian=big "$T/plain" >"$T/big"
	[ "$(pfilter -q --filter 'sched:sched_switch{prev_comm ~ "s*" && prev_prio == 120}' "$T/big" | pstat --json | jq -c .types[0])" = \
	    "$(pfilter -q --filter 'sched:sched_switch{prev_comm ~ "s*" && prev_prio == 120}' "$T/plain" | pstat --json | jq -c .types[0])" ]
}

@test "kernel: random filters select what a model of the kernel does" {
	need python3
	! big_endian || skip "kernel-random.py reads our byte order"
	golden_recording
	pinject --no-features NRCPUS "$T/plain" >"$T/bare"	# numbers are compared with CPUs that it does not have
	python3 kernel-random.py "$T/bare" 1 $((ALL ? 10000 : 500)) >"$T/results" || { head -n 5 "$T/results"; false; }
	[[ $(cat "$T/results") =~ ^'0 filters differ; '([0-9]+)' choose some' && ${BASH_REMATCH[1]} -gt 80 ]]
}

@test "kernel: filters select what this kernel records by them" {
	need python3
	need record
	tracefs
	cut -f1,2 data/kernel-filters.list | kernel-filter >"$T/verdicts"
	paste "$T/verdicts" data/kernel-filters.list | sed -n 's/^taken	//p' >"$T/list"
	[ -s "$T/list" ] || skip "this kernel has none of the tracepoints"
	mapfile -t events < <(python3 kernel.py -r "$T/list")
	# The kernel sets the name of a task some instructions before its COMM record: if an interrupt between them wakes a task, only the kernel has the new
	# name for that sample.  That is rare: one of three recordings has to agree.
	for i in 1 2 3; do
		perf record -q -m 256 -R -o - "${events[@]}" -- sh -c '/bin/true & sh -c "sleep 0.01; :" & sh -c "exit 3"; wait' \
		    </dev/null >"$T/live" 2>"$T/perf" || skip "perf record: $(tail -1 "$T/perf")"
		! pstat --json "$T/live" | jq -e '.types[] | select(.name | startswith("LOST"))' >/dev/null || skip "the kernel lost records"
		! selects "$T/live" "$T/list" || return 0
	done
	false
}

@test "kernel: 179 texts are taken or refused as Linux 6.18 did, or the page says so" {
	local n=0
	golden_recording
	while IFS='	' read -r _ ours event text; do
		try pfilter -n --filter "$event{$text}" "$T/plain"
		case $ours in
		taken) [ $rc = 0 ];;
		refused) [ $rc = 2 ] && [[ $(head -1 "$T/err") == "pfilter: --filter: "* ]];;
		esac || failed "$ours, status $rc: $event{$text}"
		n=$((n + 1))
	done <data/kernel-texts.list
	[ $n = 179 ]
	# nothing that the kernel refuses is taken here
	! grep -P '^refused\ttaken' data/kernel-texts.list || false
	done_all
}

@test "kernel: this kernel takes and refuses what is written of Linux 6.18" {
	tracefs
	[ "$(printf '%s\n' 6.8 "$(uname -r)" | sort -V | head -1)" = 6.8 ] || skip "a kernel before 6.8 knows less"
	[ "$(getconf _NPROCESSORS_CONF)" -ge 2 ] || skip "CPUS{0-1} needs two CPUs"
	cut -f3- data/kernel-texts.list | kernel-filter >"$T/now"
	paste "$T/now" data/kernel-texts.list | awk -F'\t' '$1 != "missing" && $1 != $2' >"$T/differ"
	! [ -s "$T/differ" ] || { cat "$T/differ"; false; }
}

@test "kernel: EVENT{} in larger expressions" {
	need jq
	local all switch waking both
	golden_recording
	all=$(kept 'event.index >= 0') switch=$(kept 'event == "sched:sched_switch"') waking=$(kept 'sched:sched_waking{prio > 0}')
	[ "$(kept 'sched:sched_switch{prev_pid > -1}')" = "$switch" ]
	[ "$(kept '!sched:sched_switch{prev_pid > -1}')" = $((all - switch)) ]
	[ "$(kept 'not sched:sched_switch{!prev_pid > -1}')" = "$all" ]
	both=$(kept 'sched:sched_switch{prev_pid > -1}||sched:sched_waking{prio > 0}')
	[ "$both" = $((switch + waking)) ]
	[ "$(kept 'sched:sched_switch{prev_comm == "a}b"} or (sched:sched_waking{prio > 0})')" = "$waking" ]
	[ "$(kept 'sched:sched_switch{prev_pid == 0 && CPU & CPUS{0-1}} and cpu == 0')" = "$(kept 'event == "sched:sched_switch", raw.prev_pid == 0, cpu == 0')" ]
	[ "$(kept 'sched:sched_sw*{prev_prio == 0170}')" = "$(kept 'event == "sched:sched_switch" && prev_prio == 120')" ]
	printf '# lines\nsched:sched_switch{prev_pid > -1\n && next_pid > -1}\n' >"$T/lines"
	[ "$(pfilter -q --filter-file "$T/lines" "$T/plain" | pstat --json | jq '[.types[] | select(.name == "SAMPLE") | .records] | add')" = "$switch" ]
}

@test "kernel: a pattern is false for events that cannot have the filter, and an error if none can" {
	need jq
	local f=$T/plain
	golden_recording
	try pfilter -n --filter 'sched:*{prev_pid == 0}' $f
	[ $rc = 0 ]
	grep -q '^pfilter: warning: --filter: sched:\*{...} is false for [0-9]* events: sched:sched_waking has no field `prev_pid'"'" "$T/err"
	[ "$(grep -c 'is false for' "$T/err")" = 1 ]
	[ "$(kept 'sched:*{prev_pid >= 0}')" = "$(kept 'event == "sched:sched_switch"')" ]
	[ "$(kept '!sched:*{prev_pid >= 0}')" = "$(kept 'event != "sched:sched_switch"')" ]
	# pid is a number with sign in all, and comm is text in one, and else the task's
	[ "$(kept 'sched:sched_waking{comm == "sh"}')" = "$(kept 'event == "sched:sched_waking" && raw.comm == "sh"')" ]
	[ "$(kept 'sched:sched_waking{COMM == "sh"}')" = "$(kept 'event == "sched:sched_waking" && comm == "sh"')" ]
	try pfilter -n --filter 'sched:*{prev_pdi == 0}' $f
	[ $rc = 2 ]
	grep -q "^pfilter: --filter: sched:sched_switch has no field \`prev_pdi'; similar: prev_pid" "$T/err"
	try pfilter -n --filter 'sched:sched_switch{prev_pid == 4294967295}' $f
	[ $rc = 0 ]
	grep -q 'warning: --filter: prev_pid of sched:sched_switch has 32 bits: the kernel compares it with -1, not 4294967295' "$T/err"
	try pfilter -n --filter 'sched:sched_switch{prev_comm ~ "*sh"}' $f
	[ $rc = 0 ]
	grep -q 'has 16 bytes: the kernel compares "\*sh" with the last ones' "$T/err"
	try pfilter -n --filter 'no:such{prev_pid == 1}' $f
	[ $rc = 0 ]
	grep -q 'no event is called "no:such"' "$T/err"
	# without formats
	pfilter -q --allow vital-types --drop-type header_tracing_data $f >"$T/none"
	try pfilter -n --filter 'sched:sched_switch{prev_pid == 0}' "$T/none"
	[ $rc = 2 ] && grep -q 'its format is missing' "$T/err"
}

@test "kernel: .function, with --kallsyms: what lies in a function, up to the next symbol" {
	need jq
	golden_recording
	# hrtimer_start has three functions: 6 samples at ffffffff813c5a00, 7 at ffffffff8141e4b0, 30 at ffffffff814332e0
	cat >"$T/syms" <<-'END'
	ffffffff8141e4b1 t above
	ffffffff81000000 T _stext
	ffffffff81000000 T _text
	ffffffff813c5a00 t one
	ffffffff8141e4a0 t two
	ffffffff8141e4a0 t alias
	ffffffff8141e4b0 d inside	[xfs]
	ffffffff814332d0 t twice
	ffffffff81500000 t twice
	ffffffff81600000 D last
	ffffffff81600000 D _edata
	ffffffffc0000000 t module	[xfs]
	ffffffffc0000100 t one	[xfs]
	END
	local filter want
	while IFS='|' read -r want filter; do
		rc=0
		pfilter -q --kallsyms "$T/syms" --filter "timer:hrtimer_start{$filter}" "$T/plain" >"$T/kept" || rc=$?
		[ "$rc $(pstat --json "$T/kept" | jq .samples)" = "0 $want" ] || failed "$filter"
	done <<-'END'
		6|function.function == one
		37|function.function != one
		7|function.function == two
		7|function.function==alias
		36|function.function != two 
		7|function.function == 0xffffffff8141e4b0
		7|function.function == 18446744071583163568
		0|function.function == above
		43|!(function.function == above )
		30|function.function == 0xffffffff81433fff && mode >= 0
		0|expires.function == two
		43|expires.function != two
	END
	while IFS='|' read -r filter text; do
		try pfilter -n --kallsyms "$T/syms" --filter "timer:hrtimer_start{$filter}" "$T/plain"
		[ $rc = 2 ] && grep -qF -- "pfilter: --filter: $text" "$T/err" || failed "$filter"
	done <<-'END'
		function.function == no_such|--kallsyms: no such symbol
		function.function == one&&mode|--kallsyms: no such symbol: the name goes up to the next blank
		function.function == twice|several symbols have this name, at 0xffffffff814332d0 and 0xffffffff81500000: write an address
		function.function == module|it is in the module [xfs]: where functions of modules end is known only at record time
		function.function == last|--kallsyms: there is no function at 0xffffffff81600000, or its end is not known
		function.function == 0xffffffff80ffffff|--kallsyms: there is no function at 0xffffffff80ffffff, or its end is not known
		function.function == 0|no address
		function.function == 0x1ffffffffffffffff|no address
		function.function == |expected the name of a function, or an address in it
		function.function == "one"|--kallsyms: no such symbol
		function.function & one|.function has == and !=
		mode.function == one|mode of timer:hrtimer_start is u32: it does not have the size of an address
		CPU.function == one|timer:hrtimer_start has no field `CPU'
		nothing.function == one|timer:hrtimer_start has no field `nothing'
	END
	# which file, and whether there is one
	try pfilter -n --filter 'timer:hrtimer_start{function.function == one}' "$T/plain"
	[ $rc = 2 ] && grep -q '^pfilter: --filter: .function is known only at record time (perf record --filter), or with --kallsyms$' "$T/err" || failed none
	try pfilter -n --span 'timer:hrtimer_start{function.function == one};pid == 1;tid' --longer-than 1 "$T/plain"
	[ $rc = 2 ] && grep -q '.function is known only at record time' "$T/err" || failed span
	pfilter -q --kallsyms "$T/syms" --around 'timer:hrtimer_start{function.function == one}' --after 0 -n "$T/plain" || failed around
	try pfilter -n --kallsyms "$T/syms" --filter 'pid == 1' "$T/plain"
	[ $rc = 2 ] && one_line "pfilter: --kallsyms: needs EVENT{FIELD.function == NAME} in an expression" || failed unused
	sed 's/^ffffffff8/ffffffff9/' "$T/syms" >"$T/other"
	try pfilter -n --kallsyms "$T/other" --filter 'timer:hrtimer_start{function.function == one}' "$T/plain"
	[ $rc = 0 ] && grep -q "^pfilter: warning: --kallsyms: the recording has no map of the kernel that shows whether" "$T/err" || failed unknown
	pinject --kallsyms "$T/syms" "$T/plain" >"$T/map"
	try pfilter -n --kallsyms "$T/syms" --filter 'timer:hrtimer_start{function.function == one}' "$T/map"
	[ $rc = 0 ] && ! [ -s "$T/err" ] || failed same
	try pfilter --kallsyms "$T/other" --filter 'timer:hrtimer_start{function.function == one}' "$T/map"
	[ $rc = 1 ] && grep -q "MMAP: --kallsyms: _text is at 0xffffffff91000000 there, but at 0xffffffff81000000 in the recording" "$T/err" || failed other
	sed 's/^[0-9a-f]*/0000000000000000/' "$T/syms" >"$T/other"
	try pfilter -n --kallsyms "$T/other" --filter 'timer:hrtimer_start{function.function == one}' "$T/plain"
	[ $rc = 2 ] && one_line "pfilter: --kallsyms $T/other: all addresses are 0: read as root, or with kernel.kptr_restrict=0" || failed zero
	try pfilter -n --kallsyms "$T/plain" --filter 'timer:hrtimer_start{function.function == one}' "$T/plain"
	[ $rc = 2 ] && grep -q "^pfilter: --kallsyms $T/plain: line 1: " "$T/err" || failed binary
	done_all
}

@test "kernel: .function selects what this kernel records by it" {
	need python3
	need record
	tracefs
	grep -q '^[0-9a-f]*[1-9a-f][0-9a-f]* T _text' /proc/kallsyms || skip "addresses of the kernel are hidden"
	cat /proc/kallsyms >"$T/syms"
	local address function
	address=$(awk '$3 == "hrtimer_wakeup" { print $1 }' "$T/syms")
	# names of several symbols are taken by the kernel, and refused here
	for function in hrtimer_wakeup tick_nohz_handler tick_sched_timer tick_nohz_highres_handler "0x$address"; do
		[ "$(awk -v name="$function" '$3 == name && $4 == ""' "$T/syms" | wc -l)" = 1 ] || [[ $function == 0x?* ]] || continue
		printf 'timer:hrtimer_start\tfunction.function %s\n' "== $function" "!= $function" "== $function && mode != 99"
		printf 'timer:hrtimer_start\texpires.function %s\n' "!= $function"
	done >"$T/texts"
	for function in alloc_pipe_info load_elf_phdrs copy_process; do
		[ "$(awk -v name="$function" '$3 == name && $4 == ""' "$T/syms" | wc -l)" = 1 ] || continue
		printf 'kmem:kmalloc\t%s\n' "call_site.function == $function" "!call_site.function == $function || bytes_req == 64"
	done >>"$T/texts"
	kernel-filter <"$T/texts" | paste - "$T/texts" | sed -n 's/^taken	//p' >"$T/list"
	[ -s "$T/list" ] || skip "this kernel has no .function, or none of the tracepoints"
	mapfile -t events < <(python3 kernel.py -r "$T/list")
	perf record -q -m 256 -R -o - "${events[@]}" -- sh -c '/bin/true | cat & sh -c "sleep 0.01; :" & wait' </dev/null >"$T/live" 2>"$T/perf" ||
	    skip "perf record: $(tail -1 "$T/perf")"
	! pstat --json "$T/live" | jq -e '.types[] | select(.name | startswith("LOST"))' >/dev/null || skip "the kernel lost records"
	selects "$T/live" "$T/list" --kallsyms "$T/syms"
}

@test "kernel: 13 filters of a CPU mask select what Linux 6.12 recorded by them on five CPUs" {
	need python3
	need zstd
	! big_endian || skip "kernel.py reads our byte order"
	zstd -dqc data/k612_cpumask.pipe.data.zst >"$T/plain"
	selects "$T/plain" data/kernel-cpumask.list
	# a CPU that the machine does not have
	try pfilter -n --filter 'ipi:ipi_send_cpumask{cpumask & CPUS{5}}' "$T/plain"
	[ $rc = 2 ] && grep -q '^pfilter: --filter: cpumask of ipi:ipi_send_cpumask is __data_loc cpumask: the recorded machine has only 5 CPUs' "$T/err" || failed 5
	try pfilter -n --filter 'ipi:ipi_send_cpumask{CPU == CPUS{1,3-8191}}' "$T/plain"
	[ $rc = 2 ] && grep -q 'the recorded machine has only 5 CPUs' "$T/err" || failed 8191
	pinject --no-features NRCPUS "$T/plain" >"$T/unknown"
	pfilter -q -n --filter 'ipi:ipi_send_cpumask{cpumask & CPUS{5,8191}}' "$T/unknown" || failed unknown
	pfilter -q --format=file -o "$T/file" "$T/plain"
	try pfilter -n --filter 'ipi:ipi_send_cpumask{cpumask & CPUS{5}}' "$T/file"
	[ $rc = 2 ] || failed file
	done_all
}

@test "kernel: CPU masks" {
	need jq
	# the same length as the text: a mask in the place of the file's name, "/bin/true" of which has the bits 0-3, 5 in its first byte
	golden_recording
	LC_ALL=C sed 's/__data_loc char\[\] filename;/__data_loc cpumask_t fname;/' "$T/plain" | pinject --no-features NRCPUS >"$T/mask"
	masks() { pfilter -q --filter "sched:sched_process_exec{$1} && event.index == ${2-0}" "$T/mask" | pstat --json | jq '[.types[] | select(.name == "SAMPLE") | .records] | add // 0'; }
	local first all
	first=$(python3 kernel.py -r data/kernel-filters.list | grep -A1 '^-e$' | grep -v -e '^-e$' -e '^--$' | grep -n -m1 sched_process_exec | cut -d: -f1)
	first=$((first - 1))
	all=$(masks 'pid > 0' $first)
	[ "$all" -gt 2 ]
	# all begin with / or . (0x2f, 0x2e)
	[ "$(masks 'fname & CPUS{1}' $first)" = "$all" ]
	[ "$(masks 'fname & CPUS{4,6-7}' $first)" = 0 ]
	[ "$(masks 'fname & CPUS{0}' $first)" -gt 0 ]
	[ "$(masks 'fname & CPUS{0}' $first)" -lt "$all" ]
	[ "$(masks 'fname == CPUS{0-3,5}' $first)" = 0 ]
	[ "$(masks 'fname != CPUS{0-3,5}' $first)" = "$all" ]
	local bits
	bits=$(python3 -c 'print(",".join(str(i) for i in range(80) if (b"/bin/true\0"[i // 8] >> i % 8) & 1))')
	[ "$(masks "fname == CPUS{$bits}" $first)" = 1 ]
	[ "$(masks "fname != CPUS{$bits}" $first)" = $((all - 1)) ]
}

@test "kernel: --explain shows fields, their places, and events" {
	golden pfilter-kernel-explain pfilter --explain -n --filter \
	    'sched:sched_*{prev_pid == 42 && prev_comm ~ "ba*"} || syscalls:*{ret < 0 || CPU & CPUS{0,1}}' data/tracepoints.pipe.data
}
