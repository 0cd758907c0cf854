# SPDX-License-Identifier: ISC
# pfilter --span: from a sample to the next one that ends what it began; window.py works the same out with all samples at hand.
load lib
load oracle
load window

# spans OPTION... <LINES: "begin|end|tick TIME [KEY=VALUE...]" or a recipe line; prints the addresses that are kept, which count from 1
spans() {
	{
		echo "attr type=1 config=0 period=1 sample_type=IDENTIFIER|IP|TID|TIME|CPU flags=sample_id_all|comm ids=11"
		echo "attr type=1 config=2 period=1 sample_type=IDENTIFIER|IP|TID|TIME|CPU flags=sample_id_all ids=21"
		echo "attr type=1 config=3 period=1 sample_type=IDENTIFIER|IP|TID|TIME|CPU flags=sample_id_all ids=31"
		printf 'EVENT_UPDATE update_type=2 id=%s\n' "11 z=begin" "21 z=end" "31 z=tick"
		awk '$1 !~ /^(begin|end|tick)$/ { print; next }
		    { n++; ev = $1 == "begin" ? 0 : $1 == "end" ? 1 : 2; $1 = ""; time = $2; $2 = ""
		      print "SAMPLE ev=" ev " id=" ev + 1 "1 ip=" n " time=" time " " ($0 ~ /tid=/ ? "" : "pid=1 tid=1 ") $0 }'
	} >"$T/spans.txt"
	mkpipe "$T/spans.txt" >"$T/spans"
	try pfilter -v "$@" -o "$T/spans.out" -f "$T/spans"
	[ $rc = 0 ] && python3 window.py --list "$T/spans.out" | cut -d/ -f1 | paste -sd' '
}
becomes() {
	local want=$1 got
	shift
	got=$(spans --span 'event=="begin"; event=="end"; tid' "$@")
	[ "$got" = "$want" ] || failed "$*: $got, expected $want"
	[ -z "${counts-}" ] || grep -qF "pfilter: spans: $counts" "$T/err" || failed "$*: $(grep spans: "$T/err"), expected $counts"
}

@test "span: a model with all samples at hand keeps the same, of streams in as much disorder as rounds allow" {
	need python3
	for seed in 1 2 3 4 5; do
		turn 2 || continue
		python3 window.py -n $((ALL ? 18 : 8)) -s $seed "$(made $seed 1200)" || failed "seed $seed"
	done
	psort --full "$T/made.1" | pfilter --drop-type FINISHED_ROUND --allow vital-types >"$T/sorted"
	mkpipe -b "$T/made.3.txt" >"$T/big"
	python3 window.py -n 8 -s 6 "$T/sorted" "$T/big" || failed "sorted, big"
	done_all
}

@test "span: times that jump by a year, for --around, too" {
	need python3
	for seed in 1 2; do
		turn 2 || continue
		python3 window.py --years --make $seed 900 >"$T/years.txt"
		mkpipe "$T/years.txt" >"$T/years"
		python3 window.py --years -n 8 -s $seed "$T/years" || failed "seed $seed"
		python3 window.py --years --around -n 8 -s $seed "$T/years" || failed "around: seed $seed"
	done
	done_all
}

@test "span: ends, lengths, what lies between, losses" {
	need python3
	one() { printf '%s\n' "begin 100" "tick 150" "tick 150 pid=2 tid=2 cpu=1" "end 200" "tick 200" "tick 300"; }
	one | counts="1 begun, 1 kept, 0 unended, 0 replaced, 0 unbegun, 0 uncertain" becomes "1 4" --longer-than 99ns
	one | becomes "" --longer-than 100ns
	one | becomes "1 4" --longer-than 0 --shorter-than 101ns
	one | becomes "" --longer-than 0 --shorter-than 100ns
	one | becomes "1 2 4 5" --longer-than 99ns --span-with same
	one | becomes "1 2 4 5" --longer-than 99ns --span-with cpu
	one | becomes "1 2 3 4 5" --longer-than 99ns --span-with all
	one | becomes "3" --longer-than 99ns --span-with all --tid 2
	one | becomes "1" --longer-than 99ns --max-samples 1 --event begin
	one | becomes "1" --longer-than 99ns --around ip==2 --before 50ns
	# no end; no begin; another begin
	two() { printf '%s\n' "end 50" "begin 100" "begin 200" "tick 300"; }
	two | counts="2 begun, 2 kept, 1 unended, 1 replaced, 1 unbegun, 0 uncertain" becomes "2 3" --longer-than 99ns
	two | becomes "" --longer-than 100ns
	two | becomes "2 3 4" --longer-than 99ns --span-with same
	two | becomes "" --longer-than 1ns --shorter-than 1s
	# CANCEL ends it without a result, and then a second BEGIN changes nothing
	again() { printf '%s\n' "begin 100" "begin 150" "end 200" "begin 300" "tick 350" "end 400" "begin 500" "tick 550" "begin 600" "end 650"; }
	for c in 'event=="tick"' ''; do
		[ "$c" ] && n="1 10 3 9" || n="1 10 3 4 6 7"
		got=$(again | spans --span "event==\"begin\";event==\"end\";tid;$c" --longer-than 49ns --shorter-than 1us)
		[ "$got" = "$n" ] || failed "CANCEL $c: $got"
		[ "$c" ] && n="4 begun, 2 kept, 0 unended, 0 replaced, 1 unbegun, 0 uncertain, 0 forgotten, 0 exited, 2 canceled, 1 repeated" ||
		    n="3 begun, 3 kept, 0 unended, 0 replaced, 0 unbegun, 0 uncertain, 0 forgotten, 0 exited, 0 canceled, 2 repeated"
		grep -qF "pfilter: spans: $n" "$T/err" || failed "CANCEL $c: $(cat "$T/err")"
	done
	# a record of any type shows that time passes
	{ two; echo "COMM pid=9 tid=9 comm=late @ time=301 id=11"; } | becomes "3" --longer-than 100ns
	# a loss on the CPU of either end, or of none that is known
	lost() { printf '%s\n' "begin 100 cpu=2" "LOST id=1 lost=1 @ time=$1 cpu=$2 id=11" "end 200 cpu=3"; }
	local t c n
	for n in "150 2 1" "150 3 1" "150 4 0" "99 2 0" "201 3 0"; do
		read -r t c n <<<"$n"
		lost $t $c | counts="1 begun, 1 kept, 0 unended, 0 replaced, 0 unbegun, $n uncertain" becomes "1 2" --longer-than 1ns
	done
	# an end that comes later than rounds allow: the begin was kept already; another begin was not ended by it
	late() { printf '%s\n' "begin 100" FINISHED_ROUND "tick 400" FINISHED_ROUND "tick 500" FINISHED_ROUND "end 150" "tick 600" FINISHED_ROUND; }
	late | counts="1 begun, 1 kept, 0 unended, 0 replaced, 0 unbegun, 1 uncertain" becomes "1" --longer-than 99ns
	grep -q "warning: 1 samples of --around and --span came after newer ones had been decided" "$T/err" || failed "no warning"
	late | counts="1 begun, 1 kept, 0 unended, 0 replaced, 0 unbegun, 0 uncertain" becomes "1 4" --longer-than 49ns
	late | counts="1 begun, 1 kept, 0 unended, 0 replaced, 0 unbegun, 0 uncertain" becomes "1 4" --longer-than 1ns --shorter-than 1us
	late | sed 's/tick 400/begin 400/; s/tick 600/end 600/' |
	    counts="2 begun, 2 kept, 0 unended, 1 replaced, 1 unbegun, 0 uncertain" becomes "1 2 5" --longer-than 99ns
	late | sed 's/tick 400/COMM pid=9 tid=9 comm=c @ time=400 id=11/' |
	    counts="1 begun, 1 kept, 0 unended, 0 replaced, 0 unbegun, 1 uncertain" becomes "1" --longer-than 99ns
	grep -q "warning: 1 samples" "$T/err" || failed "no warning: COMM"
	# a begin that does: nobody knows whether it ended
	late | sed 's/begin/tick/; s/end/begin/' | counts="1 begun, 1 kept, 1 unended, 0 replaced, 0 unbegun, 1 uncertain" becomes "4" --longer-than 99ns
	late | sed 's/end 150/end 450/' | becomes "1 4" --longer-than 99ns && ! grep -q warning: "$T/err" || failed "a warning"
	done_all
}

@test "span: one sample ends and begins; keys of two fields, of different names, of two options" {
	need python3
	local in got
	in=$(printf '%s\n' "tick 100 tid=1 cpu=1" "tick 200 tid=1 cpu=2" "tick 210 tid=1 cpu=1" "tick 400 tid=2 cpu=1" "tick 405 tid=2 cpu=2")
	while IFS='|' read -r span more want; do
		got=$(spans --span "$span" $more <<<"$in")
		[ "$got" = "$want" ] || failed "$span $more: $got, expected $want"
	done <<-'END'
		event=="tick";event=="tick";tid|--longer-than 50ns|1 2 3
		event=="tick";event=="tick";cpu|--longer-than 50ns|1 2 3 4 5
		event=="tick";event=="tick";tid,cpu|--longer-than 50ns|1 2 3
		ip==3;event=="tick";tid , cpu = cpu|--longer-than 0|3
		ip==1;ip==4;cpu=cpu|--longer-than 0|1 4
		ip==1;ip==4;tid=cpu|--longer-than 0|1 4
		ip==1;ip==5;tid=cpu|--longer-than 0|1
		ip==1;ip==5;tid=tid|--longer-than 0|1
		event=='tick' and ip==1;event ~ "t;k" or ip==2;tid|--longer-than 0|1 2
		ip==1;ip==2;tid|--longer-than 0 --span ip==4;ip==5;tid --longer-than 0|1 2 4 5
		ip==1;ip==2;tid|--longer-than 0 --span ip==4;ip==5;tid --longer-than 5ns|1 2
	END
	done_all
}

@test "span: the same of the recording split and merged, sorted, and read byte by byte" {
	need python3
	in=$(made 14 2500)
	for o in "--longer-than 300ns" "--longer-than 500ns --span-with same" "--longer-than 10ns --shorter-than 400ns --span-with cpu"; do
		set -- --span 'event == "begin"; event == "end"; tid' $o
		pfilter "$@" "$in" >"$T/whole"
		python3 window.py --list "$T/whole" >"$T/want"
		[ "$(wc -l <"$T/want")" -gt 20 ] && [ "$(wc -l <"$T/want")" -lt 2400 ] || failed "$o: $(wc -l <"$T/want")"
		rm -rf "$T/part"
		mkdir "$T/part"
		pcat --switch-output=4us --output-template="$T/part/%n" "$in"
		psort --merge "$T"/part/* | pfilter "$@" >"$T/merged"
		psort --full "$in" | pfilter "$@" >"$T/sorted"
		for f in merged sorted; do
			python3 window.py --list "$T/$f" | diff "$T/want" - >"$T/diff" || failed "$o $f: $(head -n 3 "$T/diff")"
		done
		try with_fault read:short,pread:short pfilter "$@" "$in"
		[ $rc = 0 ] && cmp "$T/out" "$T/whole" || failed "$o: byte by byte"
	done
	done_all
}

@test "span: --span syscall keeps what perf trace --duration shows" {
	need record
	perf record -q -m 4096 -e 'raw_syscalls:*' -o "$T/calls" -- bash -c 'for i in 1 2 3; do sleep 0.02; (sleep 0.007; true) & read -t 0.01 <> <(:); wait; done; exec sleep 0.006' \
	    >/dev/null 2>&1 </dev/null || skip "perf cannot record system calls here"
	# of a call that another thread interrupts perf prints two lines; the length stands in the second
	calls() {
		perf trace -f -i "$1" --duration 5 2>&1 </dev/null | sed -n 's/^ *[0-9.]* ( *\([0-9.]* ms\)): *\([^ ]*\) .* = \(.*\)$/\1 \2 \3/p' | sort
	}
	calls "$T/calls" >"$T/want"
	[ "$(wc -l <"$T/want")" -gt 5 ] || skip "perf trace -i shows no system calls here"
	pfilter --format=file --span syscall --longer-than 4999999ns -v -o "$T/long" "$T/calls" 2>"$T/err"
	calls "$T/long" | diff "$T/want" - || failed "lines of perf trace"
	read -r _ _ _ _ kept _ unended _ replaced _ < <(grep spans: "$T/err" | tr -d ,)
	[ "$kept" -ge "$(wc -l <"$T/want")" ] && [ "$((kept - unended - replaced))" -le "$(wc -l <"$T/want")" ] || failed "$(cat "$T/err")"
	done_all
}

# 14-rows looks for the events of span.def here
RECORDED="sched:sched_switch sched:sched_waking sched:sched_wakeup sched:sched_wakeup_new irq:irq_handler_entry irq:irq_handler_exit irq:softirq_entry \
    irq:softirq_exit block:block_rq_issue block:block_rq_complete lock:contention_begin lock:contention_end workqueue:workqueue_activate_work \
    workqueue:workqueue_execute_start workqueue:workqueue_execute_end irq:softirq_raise sched:sched_process_fork sched:sched_process_exec \
    sched:sched_process_exit"
@test "span: each name keeps the lines of perf script that a model of its own reading chooses" {
	need record
	need python3
	local events name length show="perf script -f --ns -F tid,cpu,time,event,trace -i" kinds=0
	for name in $RECORDED; do
		perf record -q -a -e $name -o /dev/null -- true >/dev/null 2>&1 </dev/null && events+=,$name
	done
	[ -n "$events" ] || skip "perf cannot record tracepoints here"
	perf record -q -a -R -m 2048 -e "${events#,}" -o "$T/record" -- bash -c 'sleep 0.1; for i in 1 2 3; do sleep 0.02; done' >/dev/null 2>&1 </dev/null ||
	    skip "perf cannot record tracepoints here"
	# for the model the last sample is the end: none but samples; a busy machine's records may be later than rounds allow: sorted
	psort --full "$T/record" | pfilter --format=file --type SAMPLE --max-samples 6000 --sideband=none -o "$T/all"
	$show "$T/all" </dev/null >"$T/all.txt" 2>/dev/null
	sed -n 's/^SPAN(\([a-z-]*\),.*/\1/p' ../cmd/pfilter/window/span.def >"$T/names"
	[ "$(wc -l <"$T/names")" -ge 14 ] || failed "names"
	while read -r name; do
		grep -qF -- ".It Cm $name" ../man/pfilter.1 || failed "pfilter(1): $name"
		for length in 1000 50000 2000000; do
			turn 5 || continue
			python3 span.py $name $length <"$T/all.txt" >"$T/want"
			rc=0
			pfilter -q --format=file -f -o "$T/cut" --span $name --longer-than ${length}ns "$T/all" 2>"$T/err" || rc=$?
			# the events of some names may not be there
			[ $rc != 2 ] || ! grep -q "no event of this recording has" "$T/err" || continue
			$show "$T/cut" </dev/null 2>/dev/null | sort >"$T/got"
			[ -s "$T/got" ] || echo >"$T/got"
			LC_ALL=C sort -o "$T/want" "$T/want"
			LC_ALL=C sort -o "$T/got" "$T/got"
			[ $rc = 0 ] && diff "$T/want" "$T/got" >"$T/diff" || failed "$name $length: $(head -n 4 "$T/diff")"
			[ "$(wc -l <"$T/want")" -lt 2 ] || kinds=$((kinds + 1))
		done
		turn 4 || continue
		python3 span.py --lengths $name <"$T/all.txt" | awk '{ n = $1; $1 = ""; print $2, $3, $4, n }' | sort >"$T/want"
		pfilter -q --span $name --span-period "$T/all" 2>"$T/err" | perf script -f -i - --ns -F tid,cpu,time,period,event </dev/stdin 2>/dev/null |
		    awk '{ print $1, $2, $3, $4 }' | sort >"$T/got"
		diff "$T/want" "$T/got" >"$T/diff" || grep -q "no event of this recording has" "$T/err" || failed "$name lengths: $(head -n 4 "$T/diff")"
	done <"$T/names"
	[ "$kinds" -gt 0 ] || skip "nothing happened"
	done_all
}

@test "span: keys in payloads, of either byte order" {
	need python3
	local flag
	for flag in "" -b; do
		{
			echo "attr type=1 config=0 period=1 sample_type=IDENTIFIER|IP|TID|TIME|RAW flags=sample_id_all|comm ids=11"
			for r in "1 100 0700" "2 110 0800" "3 150 0700" "4 160 08" "5 200 0800"; do
				read -r ip time raw <<<"$r"
				echo "SAMPLE ip=$ip pid=1 tid=1 time=$time raw=$raw"
			done
		} >"$T/raw.txt"
		mkpipe $flag "$T/raw.txt" >"$T/raw"
		for o in "10ns:1 2 3 5" "60ns:2 5" "90ns:"; do
			got=$(pfilter -q --span 'ip<3;ip>2;raw.u16[0]' --longer-than "${o%%:*}" "$T/raw" | python3 window.py --list - | cut -d/ -f1 | paste -sd' ')
			[ "$got" = "${o#*:}" ] || failed "$flag $o: $got"
		done
	done
	done_all
}

@test "span: errors, reasons and counts" {
	printf '%s\n' "begin 100" "end 200" | spans --span 'ip==1;ip==2;tid' --longer-than 1ns >"$T/kept" || skip "python3 is not installed"
	[ "$(cat "$T/kept")" = "1 2" ]
	while IFS='|' read -r span more text; do
		try pfilter --span "$span" $more "$T/spans"
		[ $rc = 2 ] && ! [ -s "$T/out" ] && grep -qF -- "$text" "$T/err" || failed "$span $more"
	done <<-'END'
		x|--longer-than 1|expected 'BEGIN; END; KEY', 'BEGIN; END; KEY; CANCEL', or one of syscall, irq, softirq, block, offcpu, wakeup, lock, work, runq, softirq-wait, work-wait, kvm, exec, task
		ip==1;ip==2|--longer-than 1|expected 'BEGIN; END; KEY'
		ip==1;ip==2;|--longer-than 1|expected the name of a field in KEY, at ''
		ip==1;ip==2;tid;ip==3;|--longer-than 1|more than 'BEGIN; END; KEY; CANCEL'
		ip==1;ip==2;tid; ip==|--longer-than 1|--span CANCEL: ends where a value is expected
		ip==1;ip==2;tid=tid=tid|--longer-than 1|KEY has more names than there are expressions, at '=tid'
		ip==1;ip==2;tid=tid=tid=tid;|--longer-than 1|KEY has more names than there are expressions, at '=tid;'
		ip==1;ip==2;tid,;|--longer-than 1|expected the name of a field in KEY, at ';'
		ip==1;ip==2;tid=tid=raw.tod;ip==3|--longer-than 1|no event of this recording has a number raw.tod; similar: tid
		ip==1;ip==2;tid,|--longer-than 1|expected the name of a field in KEY, at ''
		ip==1;ip==2;tid =|--longer-than 1|expected the name of a field in KEY, at ''
		ip==1;ip==2;tid cpu|--longer-than 1|expected ',' or '=' in KEY, at 'cpu'
		ip==1;ip==2;raw.u32[x]|--longer-than 1|expected a number and ']' in KEY, at '[x]'
		ip==1;ip==2;tid,cpu,pid|--longer-than 1|KEY has more than 2 fields
		ip==1;ip==2;tod|--longer-than 1|no event of this recording has a number raw.tod; similar: tid
		ip==1;ip==2;tid = raw.u32[0]|--longer-than 1|no event of this recording has a number raw.u32[0]
		ip==1;ip==2;comm|--longer-than 1|'comm' in KEY is not a number that a record holds
		ip==1;ip==2;uid|--longer-than 1|'uid' in KEY is not a number that a record holds
		ip==1;ip==2;addr|--longer-than 1|no event of this recording has addr; record it with perf record -d
		ip==;ip==2;tid|--longer-than 1|--span BEGIN: ends where a value is expected
		ip==1;;tid|--longer-than 1|--span END: 
		ip==1;ip==2;tid||--span: needs --longer-than, or --span-period
		ip==1;ip==2;tid|--shorter-than 1|--span: needs --longer-than
		ip==1;ip==2;tid|--longer-than 1 --shorter-than 1|--shorter-than: no span is longer than
		ip==1;ip==2;tid|--longer-than 1 --span-with tid|expected one of same, cpu, all
	END
	for o in --longer-than --shorter-than; do
		try pfilter $o 1 "$T/spans"
		[ $rc = 2 ] && one_line "pfilter: $o: needs a --span in front of it" || failed "$o"
	done
	try pfilter --span 'ip==1;ip==2;tid' --longer-than 1 "$T/spans"
	[ $rc = 0 ] && one_line "pfilter: warning: none of 2 samples was kept: none is of a span as long as --longer-than and --shorter-than say; 1 spans began" || failed long
	try pfilter --span 'ip==3;ip==2;tid' --longer-than 1 "$T/spans"
	[ $rc = 0 ] && one_line "pfilter: warning: none of 2 samples was kept: no --span began, and 1 samples would end one" || failed began
	try pfilter --span 'ip==1;ip==2;tid' --longer-than 1ns -n --stats=json "$T/spans"
	[ "$(jq -c '[.kept.samples, (.spans[] | .begun, .kept, .unended, .replaced, .unbegun, .uncertain, .forgotten)]' "$T/err")" = '[2,1,1,0,0,0,0,0]' ] || failed json
	done_all
}

@test "span: open spans are bounded: over 1,048,576 the oldest is given up, and counted" {
	need native
	! sanitized || skip "memory is measured"
	{
		echo "attr type=1 config=0 period=1 sample_type=IDENTIFIER|IP|TID|TIME|CPU flags=sample_id_all|comm ids=11"
		echo "SAMPLE ip=7 pid=0 tid=0 time=500 cpu=0"
		awk 'BEGIN { for (i = 1; i <= 1048577; i++) {
			print "SAMPLE ip=1 pid=1 tid=" i " time=" 1000 + i " cpu=0"
			if (i % 10000 == 0)
				print "FINISHED_ROUND" }
			print "SAMPLE ip=2 pid=1 tid=1 time=3000000 cpu=0"
			print "SAMPLE ip=2 pid=1 tid=3 time=3000000 cpu=0"
			print "SAMPLE ip=2 pid=1 tid=1048577 time=3000001 cpu=0" }'
	} >"$T/open.txt"
	mkpipe "$T/open.txt" >"$T/open"
	try env pfilter --span 'ip==1;ip==2;tid' --longer-than 1ms --shorter-than 2ms -S 16M "$T/open"
	[ $rc = 0 ] && grep -q "warning: 1 spans were given up: more than 1048576 were open" "$T/err" || failed warning
	(ulimit -v 200000; pfilter -q --span 'ip==1;ip==2;tid' --longer-than 100us -n --stats -S 16M "$T/open" 2>"$T/err") || failed memory
	grep -q "1048577 begun, .* 1 unbegun, 0 uncertain, 1 forgotten" "$T/err" || failed "$(cat "$T/err")"
	done_all
}

@test "span: block, exec, task, futex by address, and kvm of a made stream: the lengths of brute force over perf script" {
	need record
	need python3
	local name in n
	# lengths NAME IN: those of pfilter and of the model, sorted
	lengths() {
		perf script -f --ns -F tid,cpu,time,event,trace -i "$2" </dev/null 2>/dev/null >"$T/text"
		python3 span.py --lengths "$1" <"$T/text" | awk '{ print $1 }' | sort -n >"$T/want"
		pfilter -q --span "$1" --span-period "$2" | pcat --format=jsonl --types=SAMPLE | jq -r .period | sort -n >"$T/got"
		diff "$T/want" "$T/got" >"$T/diff" || failed "$1: $(head -n 4 "$T/diff")"
		n=$(wc -l <"$T/want")
	}
	work() { local i; for i in 1 2 3; do true | cat; (sleep 0.002 & exec true); wait; dd if=/dev/zero of="$T/file" bs=64k count=8 conv=fsync 2>/dev/null; done; }
	if perf record -q -a -m 2048 -e sched:sched_process_fork,sched:sched_process_exec,sched:sched_process_exit -o "$T/raw" -- bash -c "T=$T; $(declare -f work); work" \
	    >/dev/null 2>&1 </dev/null; then
		# without the records that end a thread, which the text does not show
		pfilter --drop-type EXIT,FORK --allow vital-types "$T/raw" | psort --full --format=file -o "$T/tasks" -f -
		for name in exec task; do
			lengths $name "$T/tasks"
			[ "$n" -ge 6 ] || failed "$name: $n spans"
		done
	fi
	if perf record -q -a -m 2048 -e block:block_rq_issue,block:block_rq_complete -o "$T/raw" -- bash -c "T=$T; $(declare -f work); work" >/dev/null 2>&1 </dev/null; then
		psort --full --format=file -o "$T/block" -f "$T/raw"
		lengths block "$T/block"
	fi
	if ! compat && perf record -q -m 2048 -e syscalls:sys_enter_futex,syscalls:sys_exit_futex -o "$T/futex" -- python3 -c 'if True:
		import threading, time
		lock = threading.Lock()
		def run():
		    for _ in range(8):
		        with lock:
		            time.sleep(0.0005)
		all = [threading.Thread(target=run) for _ in range(4)]
		[t.start() for t in all]
		[t.join() for t in all]' >/dev/null 2>&1 </dev/null; then
		perf script -f --ns -F tid,time,event,trace -i "$T/futex" </dev/null 2>/dev/null >"$T/text"
		python3 - "$T/text" >"$T/want" <<-'END'
			import re, sys
			calls, sums = {}, {}
			for line in open(sys.argv[1], errors="replace"):
			    m = re.match(r" *(\d+) +(\d+)\.(\d{9}): +syscalls:sys_(\w+)_futex: *(?:uaddr: (0x\w+))?", line)
			    time = int(m[2] + m[3])
			    if m[4] == "enter":
			        calls[m[1]] = time, int(m[5], 16)
			    elif m[1] in calls:
			        began, address = calls.pop(m[1])
			        n, total = sums.get(address, (0, 0))
			        sums[address] = n + 1, total + time - began
			print(*sorted(f"{a} {n} {total}" for a, (n, total) in sums.items()), sep="\n")
		END
		pfilter --span syscall --span-period "$T/futex" | pstat --json -s raw.uaddr --columns count,sum - |
		    jq -r '.sort[] | "\(.["raw.uaddr"]) \(.count) \(.sum)"' | sort >"$T/got"
		[ "$(wc -l <"$T/want")" -gt 1 ] && LC_ALL=C sort "$T/want" | diff - <(LC_ALL=C sort "$T/got") >"$T/diff" || failed "futex: $(head -n 4 "$T/diff")"
	fi
	# a guest needs a processor that can have one
	{
		echo "attr type=1 config=0 period=1 sample_type=IDENTIFIER|IP|TID|TIME|CPU flags=sample_id_all ids=11"
		echo "attr type=1 config=1 period=1 sample_type=IDENTIFIER|IP|TID|TIME|CPU flags=sample_id_all ids=21"
		echo "EVENT_UPDATE update_type=2 id=11 z=kvm:kvm_exit"
		echo "EVENT_UPDATE update_type=2 id=21 z=kvm:kvm_entry"
		awk 'BEGIN { srand(7); for (i = 1; i <= 2000; i++) { ev = rand() < .5; t = int(5 * rand())
			print "SAMPLE ev=" ev " id=" ev + 1 "1 ip=1 pid=" 10 + t " tid=" 10 + t " cpu=" int(2 * rand()) " time=" 1000 * i + int(900 * rand()) } }'
	} >"$T/kvm.txt"
	mkpipe "$T/kvm.txt" >"$T/kvm"
	lengths kvm "$T/kvm"
	[ "$n" -gt 200 ] || failed "kvm: $n spans"
	# the page says what to record for each name
	sed -n '/^What to record for a span/,/^\.It Fl/p' ../man/pfilter.1 >"$T/page"
	sed -n 's/^SPAN(\([a-z-]*\),.*/\1/p' ../cmd/pfilter/window/span.def | while read -r name; do
		grep -Eq "^\.It Cm (.* )?$name( ,.*)?$" "$T/page" || failed "pfilter(1): what to record for $name"
	done
	done_all
}
