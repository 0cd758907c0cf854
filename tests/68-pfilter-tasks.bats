# SPDX-License-Identifier: ISC
# pfilter --payload-tasks: perf sched says of a task in the cut what it says in the whole.
load lib

# The tids of the samples, except the idle task's and those past their exit.
tids() {
	perf script -F tid -i "$1" 2>/dev/null | tr -d ' ' | sort -un | awk '$1 > 0'
}
# says COMMAND...: its output, and whether it succeeded
says() {
	"$@" 2>/dev/null || echo "status $?: $*"
}
# said FILE TID [trace]: what perf sched says of a thread, and perf trace
said() {
	says perf sched timehist -wMn --state --tid "$2" -i "$1"
	says perf sched timehist -s --tid "$2" -i "$1" | grep -E "\[$2[]/]|^status" || true
	says perf sched latency -p -i "$1" | grep -E ":$2 |^status" || true
	[ -n "${3-}" ] || return 0
	says perf trace -o "$T/trace" --tid "$2" -i "$1"
	says perf trace -s -o "$T/summary" --tid "$2" -i "$1"
	# of a number that a call returns it prints the task that has it, if it knows one: no payload names that task
	# (without a name, if it knows no more than that there is one)
	sed -E 's/ = [0-9]+ \([^()]*\)$/ =/; s/( (get[a-z]*id|getpgrp|clone3?|v?fork|wait4|set_tid_address)\(.*\) +=) [0-9]+$/\1/; s/ *$//' "$T/trace" "$T/summary"
}
# same WHOLE TID OPTION...: the cut by these options says the same of the thread; with TRACE=trace perf trace, too.
same() {
	local whole=$1 tid=$2
	shift 2
	pfilter -q -f --payload-tasks "$@" --format=file -o "$T/cut" "$whole" && pcat -q -f --format=file -o "$T/whole" "$whole" || failed "$@"
	# of data/ what perf says of the whole is kept for the next options
	if [[ $whole = data/* ]] && [ -f "$T/want.$tid" ]; then
		cp "$T/want.$tid" "$T/want"
	else
		said "$T/whole" "$tid" "${TRACE-}" >"$T/want"
		[[ $whole != data/* ]] || cp "$T/want" "$T/want.$tid"
	fi
	said "$T/cut" "$tid" "${TRACE-}" | sed "s#$T/cut#$T/whole#" >"$T/got"
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
	for tid in $(tids data/sched.pipe.data | each 9); do	# all with make check-all
		same data/sched.pipe.data "$tid" --tid "$tid" $([ $((tid % 2)) = 0 ] || echo --sideband=needed)
	done
	for tid in 30957 31266 31267 31268; do
		turn 2 || continue
		same data/sched.pipe.data "$tid" --pid 30957
		same data/sched.pipe.data "$tid" --pid 30957 --sideband=needed
		same data/sched.pipe.data "$tid" --comms python3
		same data/sched.pipe.data "$tid" --pid 30957 --inherit
	done
	(($(grep -c '\[000[0-9]\]' "$T/all") > $((ALL ? 300 : 100)))) || failed "little was compared"
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
			turn 3 || continue
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
		turn 3 || continue
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
	for tid in $(tids "$T/both" | each 13); do	# all with make check-all
		same "$T/both" "$tid" --tid "$tid"
	done
	done_all
}

@test "tasks: kept are the samples taken in a task, and those whose payload names it" {
	need perf
	need jq
	for tid in $(tids data/sched.pipe.data | each 3); do
		want=$(count data/sched.pipe.data --filter "tid == $tid or prev_pid == $tid or next_pid == $tid or raw.pid == $tid or
		    old_pid == $tid or child_pid == $tid or parent_pid == $tid or (tid == -1 and common_pid == $tid)")
		got=$(count data/sched.pipe.data --payload-tasks --tid "$tid")
		[ "$got" = "$want" ] || failed "$tid: $got, not $want"
	done
	all=$(count data/sched.pipe.data)
	for select in '--pid 30957' '--exclude-pid 30957' '--comms sh' '--exclude-comms sh' '--tid 31266' '--pid 30957 --exclude-tid 30957'; do
		kept=$(count data/sched.pipe.data --payload-tasks $select)
		out=$(count data/sched.pipe.data --payload-tasks $select --invert)
		pfilter -f --payload-tasks $select -U "$T/rest" -o "$T/main" data/sched.pipe.data 2>"$T/err"
		# a switch to a task that is selected only since is on both sides
		late=$(sed -n 's/.*--payload-tasks: \([0-9]*\) times a task that ran already.*/\1/p' "$T/err")
		[ $((kept + out)) = $((all + late)) ] && [ "$kept" -gt 0 ] || failed "$select: $kept and $out of $all"
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
	wrong "--order=input: cannot be combined with --payload-tasks, which needs time order" --payload-tasks --pid 1 --order=input $f
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

# made [FIELD]: $T/in by sched.py from standard input
made() {
	python3 sched.py "$@" >"$T/in.txt"
	mkpipe "$T/in.txt" >"$T/in"
}
# chosen WANT OPTION...: the times of the samples that pfilter keeps of $T/in
chosen() {
	local want=$1
	shift
	try pfilter --payload-tasks "$@" "$T/in"
	got=$(perf script --ns -F time -i "$T/out" 2>/dev/null </dev/null | sort -n | awk '{ printf "%s%d", (n++ ? " " : ""), substr($1, 3) }')
	[ "$rc $got" = "0 $want" ] || failed "$*: $got, $want expected"
}
# as_whole TID OPTION...: of that thread the cut of $T/in says what $T/in says
as_whole() {
	same "$T/in" "$@"
	grep -q '\[0000\]' "$T/want" || failed "perf says nothing of $1"
}

@test "tasks: made: a switch is missing, once on the same CPU, once there is none before" {
	need perf
	made <<-'END'
		COMM pid=5 tid=5 comm=t5 @ id=11
		COMM pid=6 tid=6 comm=t6 @ id=11
		switch 1000 1 5/5 5 0
		switch 2000 0 0/0 0 6
		wakeup 2500 1 0/0 5
		switch 3000 0 6/6 6 0
		switch 4000 0 5/5 5 6
		wakeup 4500 0 6/6 5
		switch 5000 0 6/6 6 5
		switch 6000 0 5/5 5 0
		switch 7000 0 0/0 0 6
		FINISHED_ROUND
	END
	chosen "1000 2500 3000 4000 4500 5000 6000" --tid 5
	for tid in 5 6; do
		as_whole $tid --tid $tid
		as_whole $tid --pid $tid --sideband=needed
	done
	# other options still choose
	chosen "1000 3000 4000 5000 6000" --tid 5 -e sched:sched_switch
	chosen "4000 6000" --tid 5 --filter 'prev_pid == 5' --cpu 0
	chosen "2000 3000 7000" --tid 5 --invert
	done_all
}

@test "tasks: made: a number that a second task gets, of another process" {
	need perf
	made <<-'END'
		COMM pid=5 tid=5 comm=t5 @ id=11
		COMM pid=6 tid=6 comm=t6 @ id=11
		switch 1000 0 0/0 0 5
		switch 2000 0 5/5 5 6
		EXIT pid=5 tid=5 ppid=6 ptid=6 time=2100 @ time=2100 id=11
		switch 3000 0 6/6 6 0
		wakeup 3500 0 0/0 5
		switch 3600 0 0/0 0 6
		FORK pid=6 tid=5 ppid=6 ptid=6 time=4000 @ time=4000 id=11
		wakeup 5000 0 6/6 5
		switch 6000 0 6/6 6 5
		switch 7000 0 6/5 5 0
		switch 8000 0 0/0 0 1
		FINISHED_ROUND
	END
	chosen "1000 2000 3500" --pid 5
	chosen "2000 3000 3600 5000 6000 7000" --pid 6
	chosen "1000 2000 3500 5000 6000 7000" --tid 5
	chosen "1000 2000 3500" --comms t5
	chosen "2000 3000 3600 5000 6000 7000" --comms t6
	as_whole 5 --tid 5
	as_whole 6 --pid 6
	done_all
}

@test "tasks: made: payloads of another pid namespace, of tasks that have samples and of one that has none" {
	need perf
	made <<-'END'
		COMM pid=5 tid=5 comm=t5 @ id=11
		switch 1000 0 0/0 0 1005
		switch 2000 0 5/5 1005 1006
		wakeup 2500 0 6/6 1005
		switch 3000 0 6/6 1006 1005
		switch 4000 0 5/5 1005 1009
		FINISHED_ROUND
	END
	sed -i 's/ @ id=11$//' "$T/in.txt"
	chosen "1000 2000 2500 3000 4000" --tid 5
	grep -q 'another pid namespace than samples; [0-9]* times' "$T/err" || failed "no warning"
	chosen "2000 2500 3000" --tid 6
	chosen "" --tid 1005
	done_all
}

# The first row of such a task cannot be that of the whole, but its run time is.
@test "tasks: made: a task that gets its name while it runs" {
	need perf
	made <<-'END'
		COMM pid=5 tid=5 comm=sh @ id=11
		COMM pid=6 tid=6 comm=t6 @ id=11
		switch 1000000 0 0/0 0 6
		wakeup 1500000 0 6/6 5
		switch 2000000 0 6/6 6 5
		COMM pid=5 tid=5 comm=ls @ time=3000000 id=11 pid=5 tid=5
		switch 4000000 0 5/5 5 6
		wakeup 4500000 0 6/6 5
		switch 5000000 0 6/6 6 5
		switch 6000000 0 5/5 5 0
		FINISHED_ROUND
	END
	chosen "2000000 4000000 4500000 5000000 6000000" --comms ls
	one_line "pfilter: warning: --payload-tasks: 1 times a task that ran already was selected" || failed "no warning"
	chosen "1500000 2000000" --comms sh
	! [ -s "$T/err" ] || failed "a warning"
	pfilter -q -f --payload-tasks --comms ls --format=file -o "$T/cut" "$T/in"
	perf sched timehist --tid 5 -i "$T/cut" 2>/dev/null | awk '/\[0000\]/ { print $1, $NF }' >"$T/got"
	[ "$(cat "$T/got")" = "0.004000 2.000
0.006000 1.000" ] || failed "$(cat "$T/got")"
	# but not what another option rejects
	chosen "4000000 6000000" --comms ls --filter 'prev_pid == 5'
	chosen "4000000 4500000 5000000 6000000" --comms ls --time 0.003,
	done_all
}

# In a cut by --sideband=needed a task has no name before its first sample.
@test "tasks: made: a task that payloads name before any record has said its name" {
	need perf
	made <<-'END'
		COMM pid=5 tid=5 comm=t5 @ id=11
		COMM pid=6 tid=6 comm=t6 @ id=11
		switch 1000000 0 0/0 0 6
		wakeup 1500000 0 6/6 5
		switch 2000000 0 6/6 6 5
		FINISHED_ROUND
		FINISHED_ROUND
		switch 4000000 0 5/5 5 6
		FINISHED_ROUND
	END
	cp "$T/in" "$T/whole.pipe"
	for select in "--comms t5" "--comms t5 --inherit"; do
		chosen "1500000 2000000 4000000" $select
		pfilter -q --cpu 0 --sideband=needed "$T/whole.pipe" >"$T/in"
		chosen "2000000 4000000" $select
		grep -q '^pfilter: warning: --payload-tasks: 1 tasks were selected only since their first sample' "$T/err" || failed "no warning"
		pfilter -q --tid 5,6 --payload-tasks --sideband=needed "$T/whole.pipe" >"$T/in"
		chosen "1500000 2000000 4000000" $select
		! [ -s "$T/err" ] || failed "$select: a warning"
		cp "$T/whole.pipe" "$T/in"
	done
	done_all
}

@test "tasks: made: cgroups, containers and pods of the task of the sample, and of those in its payload" {
	need perf
	local a=4f797c539e6c745de61a93ca3ff892358ecbcaccd8414d5db545c38428142970 pod=a5c1f8d5-1919-434d-add7-4afaafdaef89 args
	made CGROUP <<-END
		CGROUP id=1 path=/
		CGROUP id=2 path=/docker/$a
		CGROUP id=3 path=/kubepods/pod$pod/$a
		COMM pid=5 tid=5 comm=t5 @ id=11
		switch 1000 0 0/0 0 5 cgroup=1
		switch 2000 0 5/5 5 6 cgroup=2
		wakeup 2500 0 6/6 5 cgroup=1
		switch 3000 0 6/6 6 7 cgroup=1
		switch 4000 0 7/7 7 0 cgroup=3
		EXIT pid=5 tid=5 ppid=6 ptid=6 time=4100 @ time=4100 id=11
		FORK pid=5 tid=5 ppid=6 ptid=6 time=4200 @ time=4200 id=11
		wakeup 4500 0 6/6 5 cgroup=1
		switch 5000 0 0/0 0 5 cgroup=1
		switch 6000 0 5/5 5 8 cgroup=1
		switch 7000 0 8/8 8 0 cgroup=9
		switch 8000 0 0/0 0 7 cgroup=1
		FINISHED_ROUND
	END
	chosen "1000 2000 2500 3000 4000 4500 5000 6000 7000 8000" --cgroup /
	chosen "1000 2000 2500" --cgroup /docker
	chosen "3000 4000 8000" --cgroup '/kube*'
	chosen "1000 2000 2500 3000 4000 8000" --container "${a::12}"
	chosen "3000 4000 8000" --container "$a" --pod "$pod"
	chosen "3000 4000 8000" --pod "$pod"
	chosen "3000 4000 8000" --cgroup / --exclude-cgroup /docker --pid 7
	chosen "" --cgroup /docker --pid 7
	one_line "pfilter: warning: none of 10 samples was kept" || failed "empty"
	chosen "1000 2000 2500 4500 5000 6000 7000" --pod "$pod" --invert
	chosen "1000 2000 2500" --container "$a" --comms t5
	chosen "1000 2000 2500 4500 5000 6000" --tid 5
	as_whole 7 --pod "$pod"
	as_whole 7 --pod "$pod" --sideband=needed
	# a sample of a cgroup without a path counts once
	chosen "" --tid 8 --cgroup /
	grep -q '^pfilter: warning: 1 samples are of cgroups without a path' "$T/err" || failed "no path"
	done_all
}

# Real cgroups: what runs in them from its start to its end is read as in the whole.
@test "tasks: --cgroup of a recording of now" {
	need record
	[ -r /sys/kernel/tracing/events/sched/sched_switch/id ] || skip "no tracefs"
	local root=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/self/mounts) group=pfilter-tasks-$$ tid n=0
	[ -n "$root" ] && mkdir "$root/$group" "$root/$group/below" 2>/dev/null || skip "no cgroup can be made here"
	timeout -s KILL 60 perf record -q --no-bpf-event --all-cgroups -m 1M -a -o "$T/now" -e sched:sched_switch,sched:sched_waking \
	    -e sched:sched_wakeup,sched:sched_wakeup_new,sched:sched_migrate_task,sched:sched_process_fork -- sh -c '
	    for g in "$1" "$1/below"; do
		(sh -c "echo \$PPID" >"$g/cgroup.procs"; for i in 1 2 3; do sh -c "sleep 0.02; ls / | cat; sleep 0.01" & sleep 0.01; done; wait) &
	    done; wait' - "$root/$group" >/dev/null 2>&1 </dev/null || :
	rmdir "$root/$group/below" "$root/$group" || :
	[ -s "$T/now" ] || skip "perf records no cgroups of tracepoints"
	pfilter -q -e 'sched:sched_process_fork' --cgroup "/$group" -o "$T/in" "$T/now" || skip "perf records no cgroups"
	# children of tasks that are in the cgroup when they fork
	for tid in $(perf script -F trace -i "$T/in" 2>/dev/null | sed -n 's/.*child_pid=\([0-9]*\).*/\1/p' | head -n $((ALL ? 100 : 2))); do
		same "$T/now" "$tid" --cgroup "/$group"
		n=$((n + 1))
	done
	[ $n -gt 0 ] || skip "the cgroups had no tasks"
	done_all
}

# some NUMBER FILE: so many threads with samples there, first one of each name, then a second ...
some() {
	perf script -F comm,tid -i "$2" 2>/dev/null | awk '$NF > 0 { tid = $NF; $NF = ""; sub("[/:].*", ""); if (!seen[tid]++) print ++n[$0], tid }' |
	    sort -n | head -n "$1" | cut -d ' ' -f 2
}
# now FILE OPTION...: record what short, exec'd, killed, exiting and threaded programs do
now() {
	timeout -s KILL 60 perf "${@:2}" -o "$1" -- sh -c '
	    for i in 1 2 3; do ls / | cat & (exit 3) & sleep 0.01; done
	    sh -c "exec sh -c \"sleep 0.01; exec ls\"" & sleep 5 & p=$!; sleep 0.02; kill -9 $p
	    perf bench sched messaging -t -g 1 -l 2 & wait' >"$T/record" 2>&1 </dev/null
}

# As one program of each kind is read by few lines of perf, make check-all looks at 30 threads of each recording.
@test "tasks: recordings of now: perf sched, perf trace and perf inject -s say the same" {
	need record
	local tid few=$((ALL ? 30 : 2))
	[ -r /sys/kernel/tracing/events/sched/sched_switch/id ] || skip "no tracefs"
	now "$T/sched" sched record -m 1M || skip "perf record takes no tracepoints"
	for tid in $(some "$few" "$T/sched"); do
		same "$T/sched" "$tid" --tid "$tid"
		perf inject -s -i "$T/cut" -o "$T/cut.s" && perf inject -s -i "$T/whole" -o "$T/whole.s" || failed "perf inject: $tid"
		for f in cut whole; do
			pfilter -q --tid "$tid" --allow vital-types --drop-type header_feature,header_build_id,finished_round --type SAMPLE --sideband=none "$T/$f.s" >"$T/$f.t"
		done
		cmp "$T/whole.t" "$T/cut.t" || failed "perf inject -s: $tid"
	done
	now "$T/calls" record -q --no-bpf-event -m 2M -a -e sched:sched_switch,sched:sched_waking,sched:sched_wakeup,sched:sched_wakeup_new --exclude-perf \
	    -e sched:sched_process_fork,sched:sched_process_exec,sched:sched_process_exit,sched:sched_migrate_task -e 'raw_syscalls:*' --exclude-perf || failed "perf record: $(tail -n 2 "$T/record")"
	# from 6.12 on perf trace reads no recordings
	perf_since 6.12 || TRACE=trace
	for tid in $(some "$few" "$T/calls"); do
		same "$T/calls" "$tid" --tid "$tid" $([ $((tid % 2)) = 0 ] || echo --sideband=needed)
	done
	done_all
}
