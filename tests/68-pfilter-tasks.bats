# SPDX-License-Identifier: ISC
# pfilter --payload-tasks: perf sched says of a task in the cut what it says in the whole.
load lib

# The tids of the samples, except the idle task's and those past their exit.
tids() {
	perf script -F tid -i "$1" 2>/dev/null | tr -d ' ' | sort -un | awk '$1 > 0'
}
# said FILE TID: what perf sched says of a thread.
said() {
	perf sched timehist -wMn --state --tid "$2" -i "$1" 2>/dev/null
	perf sched timehist -s --tid "$2" -i "$1" 2>/dev/null | grep -E "\[$2[]/]" || true
	perf sched latency -p -i "$1" 2>/dev/null | grep -E ":$2 " || true
}
# same WHOLE TID OPTION...: the cut by these options says the same of the thread.
same() {
	local whole=$1 tid=$2
	shift 2
	pfilter -q -f --payload-tasks "$@" --format=file -o "$T/cut" "$whole" && pcat -q -f --format=file -o "$T/whole" "$whole" || failed "$@"
	said "$T/whole" "$tid" >"$T/want"
	said "$T/cut" "$tid" >"$T/got"
	diff "$T/want" "$T/got" >"$T/differ" || failed "$* of $whole: thread $tid: $(head -4 "$T/differ")"
	cat "$T/want" >>"$T/all"
}
# count FILE [OPTION...]: how many samples pfilter keeps
count() {
	local in=$1
	shift
	pfilter -q "$@" "$in" >"$T/kept"
	pstat --json "$T/kept" | jq '[.types[] | select(.name == "SAMPLE") | .records] | add // 0'
}

@test "tasks: perf sched says the same of each thread in the cut of its process, and of the thread" {
	need perf
	for tid in $(tids data/sched.pipe.data); do
		same data/sched.pipe.data "$tid" --tid "$tid"
	done
	for tid in 30957 31266 31267 31268; do
		same data/sched.pipe.data "$tid" --pid 30957
		same data/sched.pipe.data "$tid" --pid 30957 --sideband=needed
		same data/sched.pipe.data "$tid" --comms python3
		same data/sched.pipe.data "$tid" --pid 30957 --inherit
	done
	(($(grep -c '\[000[0-9]\]' "$T/all") > 300)) || failed "little was compared"
	done_all
}

@test "tasks: perf sched says the same of threads of Linux 6.1, 6.12 and PREEMPT_RT" {
	need perf
	need zstd
	local r tid
	for r in k61 k612 rt61; do
		zstd -dqc data/${r}_sched.pipe.data.zst >"$T/plain"
		perf_since 6.12 || pcat -q --compat 6.1 -f -o "$T/older" "$T/plain"
		perf_since 6.12 || mv "$T/older" "$T/plain"
		# one thread of each of these names
		perf script -F comm,tid -i - <"$T/plain" 2>/dev/null |
		    awk '($1 == "dd" || $1 == "sched-pipe" || $1 == "rcu_preempt") && !seen[$1]++ { print $2 }' >"$T/tids"
		[ "$(wc -l <"$T/tids")" = 3 ] || failed "$r: $(cat "$T/tids")"
		for tid in $(cat "$T/tids"); do
			same "$T/plain" "$tid" --tid "$tid"
		done
	done
	(($(grep -c '\[000[0-9]\]' "$T/all") > 100)) || failed "little was compared"
	done_all
}

@test "tasks: where the recording lacks switches, the last one of the CPU is kept, whoever's it is" {
	need perf
	need jq
	for k in 3 5 7; do
		pfilter -q -f --filter "!(event == 'sched:sched_switch' and nr % $k == 0)" -o "$T/thin" data/sched.pipe.data
		for tid in 30957 31266 31267 31268; do
			same "$T/thin" "$tid" --tid "$tid"
		done
	done
	[ "$(count "$T/thin" --tid 30957 --payload-tasks)" -gt "$(count "$T/thin" --filter 'tid == 30957 or prev_pid == 30957 or
	    next_pid == 30957 or raw.pid == 30957 or child_pid == 30957 or parent_pid == 30957')" ] || failed "no more than what names it"
	done_all
}

# Then it is not held any more when the next is known not to continue it, and is written later.
@test "tasks: a switch that the next does not continue seconds later is kept, too" {
	need perf
	# the second half is 10 s later, of CPU 0 also 5 s later, and half of the switches is gone
	pfilter -q --time 0,7479.006 data/sched.pipe.data >"$T/first"
	pfilter -q --time 7479.006, data/sched.pipe.data >"$T/second"
	pfilter -q --cpu 0 "$T/second" >"$T/between"
	pcat -q "$T/first" --time-offset 5s "$T/between" --time-offset 10s "$T/second" |
	    pfilter -q --filter '!(event == "sched:sched_switch" and nr % 2 == 0)' | psort -q |
	    pinject -q --finished-round 1ms,replace >"$T/both"
	for tid in $(tids "$T/both"); do
		same "$T/both" "$tid" --tid "$tid"
	done
	done_all
}

@test "tasks: kept are the samples taken in a task, and those whose payload names it" {
	need perf
	need jq
	for tid in $(tids data/sched.pipe.data); do
		want=$(count data/sched.pipe.data --filter "tid == $tid or prev_pid == $tid or next_pid == $tid or raw.pid == $tid or
		    old_pid == $tid or child_pid == $tid or parent_pid == $tid or (tid == -1 and common_pid == $tid)")
		got=$(count data/sched.pipe.data --payload-tasks --tid "$tid")
		[ "$got" = "$want" ] || failed "$tid: $got, not $want"
	done
	all=$(count data/sched.pipe.data)
	for select in '--pid 30957' '--exclude-pid 30957' '--comms sh' '--exclude-comms sh' '--tid 31266' '--pid 30957 --exclude-tid 30957'; do
		kept=$(count data/sched.pipe.data --payload-tasks $select)
		out=$(count data/sched.pipe.data --payload-tasks $select --invert)
		pfilter -q -f --payload-tasks $select -U "$T/rest" -o "$T/main" data/sched.pipe.data
		[ $((kept + out)) = "$all" ] && [ "$kept" -gt 0 ] || failed "$select: $kept and $out of $all"
		[ "$(count "$T/main")" = "$kept" ] && [ "$(count "$T/rest")" = "$out" ] || failed "$select -U"
	done
	done_all
}

@test "tasks: other options choose among what names a task" {
	need jq
	[ "$(count data/sched.pipe.data --payload-tasks --tid 30957 -e sched:sched_wakeup)" = \
	    "$(count data/sched.pipe.data --filter 'event == "sched:sched_wakeup" and (tid == 30957 or raw.pid == 30957)')" ]
	[ "$(count data/sched.pipe.data --payload-tasks --tid 30957 --cpu 1)" = \
	    "$(count data/sched.pipe.data --payload-tasks --tid 30957 --filter 'cpu == 1')" ]
}

@test "tasks: --sideband=needed keeps the names of tasks that payloads name" {
	need perf
	pfilter -q -f --payload-tasks --tid 31266 --sideband=needed -o "$T/needed" data/sched.pipe.data
	pfilter -q -f --payload-tasks --tid 31266 -o "$T/all" data/sched.pipe.data
	for f in needed all; do
		pcat -q -f --format=file -o "$T/$f.file" "$T/$f"
		perf sched timehist -wMn -i "$T/$f.file" 2>/dev/null >"$T/$f.txt"
	done
	diff "$T/all.txt" "$T/needed.txt"
	(($(wc -c <"$T/needed") < $(wc -c <"$T/all")))
}

@test "tasks: without --payload-tasks a warning says that perf sched reads the rest wrong" {
	for select in '--pid 30957' '--tid 31266' '--comms python3' '--exclude-pid 30957'; do
		try pfilter -n $select data/sched.pipe.data
		[ $rc = 0 ] && [ "$(cat "$T/err")" = "pfilter: warning: samples of sched_switch were dropped by their task: perf sched will read this wrong; use --payload-tasks" ] ||
		    failed "$select"
		try pfilter -n --payload-tasks $select data/sched.pipe.data
		[ $rc = 0 ] && ! [ -s "$T/err" ] || failed "$select --payload-tasks"
		try pfilter -n $select -e sched:sched_wakeup,sched:sched_stat_runtime data/sched.pipe.data
		[ $rc = 0 ] && ! [ -s "$T/err" ] || failed "$select -e"
	done
	done_all
}

# wrong MESSAGE OPTION...: exit 2 with that message
wrong() {
	local message=$1
	shift
	try pfilter -n "$@"
	[ $rc = 2 ] && [[ $(head -1 "$T/err") == "pfilter: $message"* ]] || failed "$@"
}

@test "tasks: wrong usage" {
	local f=data/sched.pipe.data
	wrong "--payload-tasks: needs an option that selects tasks" --payload-tasks --cpu 1 $f
	wrong "--task-field: needs --payload-tasks" --pid 1 --task-field a:b $f
	wrong "--task-field 'a': expected EVENT:FIELD" --payload-tasks --pid 1 --task-field a $f
	wrong "--task-field 'a:': expected EVENT:FIELD" --payload-tasks --pid 1 --task-field a: $f
	wrong "--task-field 'no:no:pid': no such event" --payload-tasks --pid 1 --task-field no:no:pid $f
	wrong "--task-field 'sched_switch:pid': the event has no number of that name" --payload-tasks --pid 1 --task-field sched_switch:pid $f
	wrong "--task-field 'sched:sched_switch:prev_comm': the event has no number" --payload-tasks --pid 1 --task-field sched:sched_switch:prev_comm $f
	wrong "--order=input: --payload-tasks needs time order" --payload-tasks --pid 1 --order=input $f
	pfilter --allow vital-types --drop-type header_tracing_data $f >"$T/none"
	wrong "--payload-tasks: the format of sched:sched_" --payload-tasks --pid 1 "$T/none"
	try pfilter -n --payload-tasks --pid 1 data/basic.pipe.data
	[ $rc = 0 ] && grep -q "no event of this recording names tasks in its payload" "$T/err" || failed "no tasks"
	done_all
}

@test "tasks: --task-field adds a row, also of a process" {
	need jq
	local f=data/sched.pipe.data
	want=$(count $f --filter 'tid == 1 or target_cpu == 1 or orig_cpu == 1 or dest_cpu == 1')
	[ "$want" -gt 0 ]
	for kind in '' :tid; do
		got=$(count $f --payload-tasks --tid 1 --task-field "sched:sched_waking:target_cpu$kind" --task-field "sched_wakeup:target_cpu" \
		    --task-field sched_wakeup_new:target_cpu --task-field sched_migrate_task:orig_cpu --task-field sched_migrate_task:dest_cpu)
		[ "$got" = "$want" ] || failed "$kind: $got, not $want"
	done
	# the process of thread 1 is not known, that of process 1 is
	[ "$(count $f --payload-tasks --pid 1 --task-field sched_wakeup:target_cpu:tgid)" = \
	    "$(count $f --filter 'event == "sched:sched_wakeup" and target_cpu == 1')" ]
	done_all
}

@test "tasks: payloads of another pid namespace are translated as far as samples say how" {
	need jq
	local f=data/sched.pipe.data
	# samples have other numbers than payloads; the first input, which has the same, goes again
	cp $f "$T/again"
	pcat -q --remap-pids 100000 $f --time-offset 100s "$T/again" | pfilter -q --time 7550, >"$T/ns"
	for tid in 30957 31266 31267 31268; do
		in=$(count "$T/ns" --filter "tid == $((tid + 100000))")
		all=$(count $f --payload-tasks --tid $tid)
		got=$(count "$T/ns" --payload-tasks --tid $((tid + 100000)))
		[ "$got" -gt "$in" ] && [ "$got" -le "$all" ] && [ $((all - got)) -lt 5 ] || failed "$tid: $got, of $in to $all"
		[ "$(count "$T/ns" --payload-tasks --tid $tid)" = 0 ] || failed "$tid is a number of payloads only"
	done
	try pfilter -n --payload-tasks --tid 131267 "$T/ns"
	[ $rc = 0 ] && grep -q "^pfilter: warning: --payload-tasks: payloads number tasks in another pid namespace than samples; [0-9]* times" "$T/err" ||
	    failed "no warning"
	done_all
}

@test "tasks: a recording of now" {
	need record
	[ -r /sys/kernel/tracing/events/sched/sched_switch/id ] || skip "no tracefs"
	timeout -s KILL 60 perf record -q --no-bpf-event -m 1M -a -o "$T/now" -e sched:sched_switch,sched:sched_waking,sched:sched_wakeup \
	    -e sched:sched_wakeup_new,sched:sched_migrate_task,sched:sched_process_fork,sched:sched_process_exec,sched:sched_process_exit \
	    -- sh -c 'for i in 1 2 3 4 5; do ls / | cat & sleep 0.01; done; wait' >/dev/null 2>&1 </dev/null || skip "perf record takes no tracepoints"
	for tid in $(perf script -i "$T/now" -F comm,tid 2>/dev/null | awk '/^ *(sh|ls|cat|sleep|perf) / { print $2 }' | sort -un | awk '$1 > 0' | head -8); do
		same "$T/now" "$tid" --tid "$tid"
	done
	done_all
}
