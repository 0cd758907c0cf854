# SPDX-License-Identifier: ISC
# pfilter --drop-event, --drop-unused-events, --drop-type: the expected output is a second recipe.
load lib
load oracle

@test "pfilter --drop-event: attr, ids, names and descriptions go; tracking bits and trailers move" {
	cat >"$T/in" <<-'E'
	attr type=1 config=0 period=4000 sample_type=IDENTIFIER|IP|TID|TIME|CPU|PERIOD flags=freq|sample_id_all|mmap|comm|task|mmap2|comm_exec ids=11,12
	attr type=1 config=2 period=1 sample_type=IDENTIFIER|IP|TID|TIME|ADDR|CPU|PERIOD|CALLCHAIN flags=sample_id_all ids=21,22
	HEADER_FEATURE feat_id=12 u4=2 u4=128 attr=0 u4=2 fs=cpu-clock u8=11 u8=12 attr=1 u4=2 fs=page-faults u8=21 u8=22
	HEADER_FEATURE feat_id=32
	ID_INDEX list=11/0/0/-1,12/1/1/-1,21/0/0/-1,22/1/1/-1
	EVENT_UPDATE update_type=2 id=11 z=cpu-clock
	EVENT_UPDATE update_type=2 id=21 z=page-faults
	COMM pid=100 tid=100 comm=alpha
	SAMPLE misc=2 id=11 ip=0x401000 pid=100 time=1000 cpu=0 period=10
	SAMPLE ev=1 misc=2 id=22 ip=0x401004 pid=100 time=1100 addr=0x7fff0000 cpu=1 period=1 chain=0xfffffffffffffe00,0x401004
	FORK pid=100 ppid=100 tid=101 ptid=100 time=1150 @ pid=100 tid=100 time=1150 id=11
	COMM misc=0x2000 pid=200 tid=200 comm=beta @ time=1260 id=12 cpu=1
	LOST id=12 lost=3 @ time=1270 id=12 cpu=1
	LOST_SAMPLES lost=2 @ time=1280 id=11
	LOST_SAMPLES lost=2 @ time=1280 id=22
	THROTTLE time=1290 id=11 stream_id=11 @ time=1290 id=11
	READ pid=100 tid=100 read=5 @ time=1300 id=12
	STAT id=11 cpu=0 thread=0 val=5 ena=100 run=100
	STAT id=21 cpu=0 thread=0 val=5 ena=100 run=100
	FINISHED_ROUND
	E
	cat >"$T/want" <<-'E'
	attr type=1 config=2 period=1 sample_type=IDENTIFIER|IP|TID|TIME|ADDR|CPU|PERIOD|CALLCHAIN flags=sample_id_all|mmap|comm|task|mmap2|comm_exec ids=21,22
	HEADER_FEATURE feat_id=12 u4=1 u4=128 attr=0 u4=2 fs=page-faults u8=21 u8=22
	HEADER_FEATURE feat_id=32
	ID_INDEX list=21/0/0/-1,22/1/1/-1
	EVENT_UPDATE update_type=2 id=21 z=page-faults
	COMM pid=100 tid=100 comm=alpha
	SAMPLE misc=2 id=22 ip=0x401004 pid=100 time=1100 addr=0x7fff0000 cpu=1 period=1 chain=0xfffffffffffffe00,0x401004
	FORK pid=100 ppid=100 tid=101 ptid=100 time=1150 @ pid=100 tid=100 time=1150 id=21
	COMM misc=0x2000 pid=200 tid=200 comm=beta @ time=1260 id=22 cpu=1
	LOST id=22 lost=3 @ time=1270 id=22 cpu=1
	LOST_SAMPLES lost=2 @ time=1280 id=22
	STAT id=21 cpu=0 thread=0 val=5 ena=100 run=100
	FINISHED_ROUND
	E
	becomes --drop-event cpu-clock
}

@test "pfilter --drop-event: a trailer gets the layout of the event that takes over" {
	cat >"$T/in" <<-'E'
	attr type=1 config=0 sample_type=IDENTIFIER|IP|TID|TIME|ID|STREAM_ID|CPU flags=sample_id_all|comm|task|context_switch ids=11
	attr type=1 config=2 sample_type=IDENTIFIER|IP|TID|TIME flags=sample_id_all ids=21
	attr type=1 config=9 sample_type=IDENTIFIER|IP flags=sample_id_all ids=31
	EVENT_UPDATE update_type=2 id=11 z=cpu-clock
	EVENT_UPDATE update_type=2 id=21 z=page-faults
	EVENT_UPDATE update_type=2 id=31 z=dummy
	COMM pid=100 tid=100 comm=alpha
	COMM pid=100 tid=100 comm=beta @ time=1000 id=11 stream=11 cpu=1
	SWITCH misc=0x2000 @ pid=100 tid=100 time=1100 id=11
	SAMPLE ev=1 misc=2 ip=0x401000 pid=100 time=1200
	SAMPLE misc=2 ip=0x401000 pid=100 time=1300
	E
	cat >"$T/want" <<-'E'
	attr type=1 config=2 sample_type=IDENTIFIER|IP|TID|TIME flags=sample_id_all|comm|task|context_switch ids=21
	attr type=1 config=9 sample_type=IDENTIFIER|IP flags=sample_id_all ids=31
	EVENT_UPDATE update_type=2 id=21 z=page-faults
	EVENT_UPDATE update_type=2 id=31 z=dummy
	COMM pid=100 tid=100 comm=alpha
	COMM pid=100 tid=100 comm=beta @ time=1000 id=21
	SWITCH misc=0x2000 @ pid=100 tid=100 time=1100 id=21
	SAMPLE ev=0 misc=2 ip=0x401000 pid=100 time=1200
	E
	becomes --drop-event cpu-clock
	cat >"$T/want" <<-'E'
	attr type=1 config=0 sample_type=IDENTIFIER|IP|TID|TIME|ID|STREAM_ID|CPU flags=sample_id_all|comm|task|context_switch ids=11
	attr type=1 config=9 sample_type=IDENTIFIER|IP flags=sample_id_all ids=31
	EVENT_UPDATE update_type=2 id=11 z=cpu-clock
	EVENT_UPDATE update_type=2 id=31 z=dummy
	COMM pid=100 tid=100 comm=alpha
	COMM pid=100 tid=100 comm=beta @ time=1000 id=11 stream=11 cpu=1
	SWITCH misc=0x2000 @ pid=100 tid=100 time=1100 id=11
	SAMPLE misc=2 ip=0x401000 pid=100 time=1300
	E
	becomes --drop-event page-faults
	# the synthesised COMM is the first event's: now that of the one without times
	cat >"$T/want" <<-'E'
	attr type=1 config=9 sample_type=IDENTIFIER|IP flags=sample_id_all|comm|task|context_switch ids=31
	EVENT_UPDATE update_type=2 id=31 z=dummy
	COMM pid=100 tid=100 comm=alpha
	COMM pid=100 tid=100 comm=beta @ id=31
	SWITCH misc=0x2000 @ id=31
	E
	becomes --drop-event 'cpu-clock,page-*'
}

@test "pfilter --drop-event: groups, their values and what describes them" {
	local three='attr type=1 config=%d sample_type=IDENTIFIER|IP|TID|TIME|READ read_format=0x%s flags=sample_id_all ids=%d\n'
	update() { printf 'EVENT_UPDATE update_type=2 id=%d z=%s\n' "$@"; }
	for format in f 1f; do
		lost=
		[ $format = f ] || lost=,0
		{
			printf "$three" 0 $format 11 1 $format 21 2 $format 31
			echo 'HEADER_FEATURE feat_id=17 u4=1 fs=group u4=0 u4=3'
			update 11 cpu-clock 21 task-clock 31 page-faults
			echo "SAMPLE misc=2 ip=0x401000 pid=100 time=1000 read=3,10,10,1,11$lost,2,21$lost,3,31$lost"
			echo "SAMPLE misc=2 ip=0x401000 pid=100 time=1001 read=3,20,20,2,11$lost,4,21$lost,6,31$lost"
		} >"$T/in"
		{
			printf "$three" 0 $format 11 2 $format 31
			echo 'HEADER_FEATURE feat_id=17 u4=1 fs=group u4=0 u4=2'
			update 11 cpu-clock 31 page-faults
			echo "SAMPLE misc=2 ip=0x401000 pid=100 time=1000 read=2,10,10,1,11$lost,3,31$lost"
			echo "SAMPLE misc=2 ip=0x401000 pid=100 time=1001 read=2,20,20,2,11$lost,6,31$lost"
		} >"$T/want"
		becomes --drop-event task-clock
	done
	{
		printf "$three" 1 1f 21 2 1f 31
		echo 'HEADER_FEATURE feat_id=17 u4=1 fs=group u4=0 u4=2'
		update 21 task-clock 31 page-faults
	} >"$T/want"
	becomes --drop-event cpu-clock
	grep 'warning: event cpu-clock leads a group: what task-clock counted' "$T/err"
	{
		printf "$three" 0 1f 11
		update 11 cpu-clock
		echo "SAMPLE misc=2 ip=0x401000 pid=100 time=1000 read=1,10,10,1,11,0"
		echo "SAMPLE misc=2 ip=0x401000 pid=100 time=1001 read=1,20,20,2,11,0"
	} >"$T/want"
	becomes --drop-event task-clock,page-faults
	# what is in no group stays out of it
	recipe read-group >/dev/null
	cp data/read-group.txt "$T/in"
	grep -v 'ev=2\|ids=31\|id=31' data/read-group.txt >"$T/want"
	becomes --drop-event task-clock
}

@test "pfilter --drop-event: the index of guests' ids keeps both its halves in step" {
	two='attr type=1 config=%d sample_type=IDENTIFIER|IP|TID|TIME flags=sample_id_all ids=%s\n'
	{
		printf "$two" 0 11,12 2 21
		echo 'ID_INDEX nr=3 list=11/0/0/-1,21/0/0/-1,12/1/1/-1 u8=7 u8=1 u8=7 u8=2 u8=7 u8=3'
		echo 'ID_INDEX list=21/0/0/-1'
		echo 'SAMPLE misc=2 ip=1 pid=100 time=1000'
	} >"$T/in"
	{
		printf "$two" 0 11,12
		echo 'ID_INDEX nr=2 list=11/0/0/-1,12/1/1/-1 u8=7 u8=1 u8=7 u8=3'
		echo 'SAMPLE misc=2 ip=1 pid=100 time=1000'
	} >"$T/want"
	becomes --drop-event page-faults
}

@test "pfilter --drop-event: the hardware trace needs its event, and only with it" {
	{
		echo 'attr type=8 config=0 sample_type=IDENTIFIER|IP|TID|TIME|CPU flags=sample_id_all ids=11'
		echo 'attr type=1 config=9 sample_type=IDENTIFIER|IP|TID|TIME|CPU flags=sample_id_all|comm ids=21'
		echo 'EVENT_UPDATE update_type=2 id=11 z=intel_pt//'
		echo 'EVENT_UPDATE update_type=2 id=21 z=dummy:u'
		echo 'AUXTRACE_INFO aux_type=1 priv=8,2,3'
		echo 'COMM pid=100 tid=100 comm=beta @ time=1000 id=21 cpu=1'
		echo 'ITRACE_START pid=100 tid=100 @ time=1070 id=11'
		echo 'AUX aux_offset=0 aux_size=16 flags=1 @ pid=100 tid=100 time=1080 id=11'
		echo 'AUXTRACE offset=0 reference=1 idx=0 tid=100 cpu=0 payload=44000000000008004400000000000800'
		echo 'SAMPLE ev=1 misc=2 ip=0x401000 pid=100 time=1200'
	} >"$T/in"
	grep -v 'AUX\|ITRACE\|11' "$T/in" | sed 's/ev=1/ev=0/' >"$T/want"
	becomes --drop-event intel_pt//
	grep -v 'SAMPLE\|ids=21\|COMM\|dummy' "$T/in" | sed 's/sample_id_all/sample_id_all|comm/' >"$T/want"
	sed -i '/AUXTRACE_INFO/a COMM pid=100 tid=100 comm=beta @ time=1000 id=11 cpu=1' "$T/want"
	becomes --drop-event dummy
}

@test "pfilter --drop-event: the event of a hardware trace, by each form of AUXTRACE_INFO" {
	# TYPE|PRIV|does the trace go with the event of type 8?
	while IFS='|' read -r type priv goes; do
		{
			echo 'attr type=8 config=0 sample_type=IDENTIFIER|IP|TID|TIME|CPU flags=sample_id_all ids=11'
			echo 'attr type=1 config=9 sample_type=IDENTIFIER|IP|TID|TIME|CPU flags=sample_id_all|comm ids=21'
			echo 'EVENT_UPDATE update_type=2 id=11 z=trace//'
			echo 'EVENT_UPDATE update_type=2 id=21 z=dummy:u'
			echo "AUXTRACE_INFO aux_type=$type${priv:+ priv=$priv}"
			echo 'AUXTRACE offset=0 reference=1 idx=0 tid=100 cpu=0 payload=44000000000008004400000000000800'
			echo 'SAMPLE ev=1 misc=2 ip=0x401000 pid=100 time=1200'
		} >"$T/in"
		grep -v '11' "$T/in" | { [ $goes = no ] && cat || grep -v AUX; } | sed 's/ev=1/ev=0/' >"$T/want"
		(becomes --drop-event trace//) || failed "$type $priv"
	done <<-'END'
		1|8,2,3|yes
		1|9,2,3|no
		1||no
		2|8,2|yes
		2||no
		3|0,0x800000001,0|yes
		3|0,0x900000001,0|no
		3|0|no
		4|8,2|yes
		4|9,8|no
		4|1,2,8,4|yes
		4|1,2,9,4|no
		4|8|no
		5|8,8,8|no
		6|8,1|yes
		7|8,8,8|no
	END
	done_all
}

@test "pfilter --drop-event: names that come late, or only in tracing data" {
	local f
	# behind a synthesised record, without EVENT_DESC
	grep -v feat_id=12 data/two-events.txt >"$T/in"
	sed -i '/^EVENT_UPDATE/{h; d}; /^COMM pid=100/{p; s/.*/EVENT_UPDATE update_type=2 id=11 z=ours\nEVENT_UPDATE update_type=2 id=21 z=theirs/}' "$T/in"
	mkpipe "$T/in" >"$T/in.pipe"
	[ "$(pfilter --drop-event theirs "$T/in.pipe" | pstat --json | jq -c '[.events[].name]')" = '["ours"]' ]
	for f in data/sched_R.pipe.data data/sched_R.file.data; do
		pfilter --allow vital-types --drop-type EVENT_UPDATE,HEADER_FEATURE $f >"$T/bare"
		[ "$(pfilter --drop-event 'sched:*_ex[ei]*' "$T/bare" | pstat --json | jq -c '[.events[].name]')" = '["sched:sched_process_fork"]' ] ||
		    failed "$f"
		[ "$(pfilter --drop-event 'sched:*_exec' $f | pstat --json | jq '[.types[] | select(.name == "HEADER_TRACING_DATA")] | length')" = 1 ] ||
		    failed "$f: one tracepoint is left"
	done
	done_all
}

@test "pfilter --drop-event: the last tracepoint takes the tracing data with it" {
	{
		echo 'attr type=1 config=0 sample_type=IDENTIFIER|IP|TID|TIME flags=sample_id_all ids=11'
		echo 'attr type=2 config=5 sample_type=IDENTIFIER|IP|TID|TIME|RAW flags=sample_id_all ids=21'
		echo 'HEADER_TRACING_DATA payload=17084474726163696e67302e35000008001000006865616465725f706167650000000000000000006865616465725f6576656e7400000000000000000000000000000000000000000000000000000000'
		echo 'EVENT_UPDATE update_type=2 id=11 z=cpu-clock'
		echo 'EVENT_UPDATE update_type=2 id=21 z=sched:x'
		echo 'SAMPLE misc=2 ip=0x401000 pid=100 time=1200'
	} >"$T/in"
	grep -v 'TRACING\|21' "$T/in" >"$T/want"
	becomes --drop-event sched:x
	grep -v '11\|SAMPLE' "$T/in" >"$T/want"
	becomes --drop-event cpu-clock
}

@test "pfilter --drop-event: a large payload in the head is not held, a small one is" {
	need native
	{
		echo 'attr type=1 config=0 sample_type=IDENTIFIER|IP|TID|TIME flags=sample_id_all ids=11'
		echo 'attr type=2 config=5 sample_type=IDENTIFIER|IP|TID|TIME|RAW flags=sample_id_all ids=21'
	} | mkpipe - >"$T/in"
	{ printf '\x47\0\0\0\0\0\x30\0\0\0\0\x08\0\0\0\0'; head -c 32 /dev/zero; } >>"$T/in"	# AUXTRACE of 128 MiB
	head -c 134217728 /dev/zero >>"$T/in"
	(ulimit -v 120000; sanitized || pfilter --drop-event cpu-clock "$T/in" >"$T/out")
	sanitized || [ "$(stat -c %s "$T/out")" -gt 134217728 ]
	rm -f "$T/in" "$T/out"
}

@test "pfilter --drop-event: refusals" {
	refuse() {
		local line=$1
		shift
		try pfilter "$@"
		[ $rc = 2 ] && one_line "pfilter: $line" && ! [ -s "$T/out" ] || failed "$@"
	}
	refuse "--drop-event 'cycles': no such event; there are cpu-clock, task-clock, " --drop-event cycles data/multi.pipe.data
	refuse "--drop-event: this would remove all events of the recording; one must remain" --drop-event '*' data/multi.pipe.data
	{
		echo 'attr type=1 config=0 sample_type=IP|TID|TIME flags=sample_id_all ids=11'
		echo 'attr type=1 config=1 sample_type=IP|TID|TIME|ID flags=sample_id_all ids=21'
		echo 'attr type=1 config=2 sample_type=IP|TID|TIME|ADDR|ID flags=sample_id_all ids=31'
		echo 'SAMPLE misc=2 ip=0x401000 pid=100 time=1200'
	} | mkpipe - >"$T/in"
	refuse "events task-clock:HG and page-faults:HG have their ids at different positions" --drop-event cpu-clock "$T/in"
	# one of them alone can do without
	try pfilter --drop-event cpu-clock,task-clock "$T/in"
	[ $rc = 0 ] || failed one
	# a stream without events has none to drop
	echo FINISHED_ROUND | mkpipe - >"$T/in"
	try pfilter --drop-event cycles "$T/in"
	[ $rc = 0 ] && cmp "$T/in" "$T/out" || failed empty
	done_all
}

@test "pfilter --drop-event: hostile heads" {
	local ids
	ids=$(seq -s , 1000 9100)
	{
		echo "attr type=1 config=0 sample_type=IDENTIFIER|IP|TID|TIME flags=sample_id_all ids=$ids"
		echo "attr type=1 config=2 sample_type=IDENTIFIER|IP|TID|TIME flags=sample_id_all ids=5,1000,1000,5"
		# descriptions that contradict the attrs, end early, count too much
		echo 'HEADER_FEATURE feat_id=12 u4=3 u4=128 attr=1 u4=1 fs=x u8=5 attr=0 u4=1 fs=page-faults u8=1001 attr=0 u4=0 fs=y'
		echo 'HEADER_FEATURE feat_id=12 u4=900 u4=128 attr=1 u4=1'
		echo 'HEADER_FEATURE feat_id=12 u4=1 u4=8 zeros=8 u4=1 fs=z u8=1001'
		echo 'HEADER_FEATURE feat_id=17 u4=3 fs=g u4=0 u4=2 fs=h u4=4000000000 u4=4000000000 fs=i u4=1 u4=4294967295'
		echo 'HEADER_FEATURE feat_id=17 u4=9 fs=g u4=0'
		echo 'SAMPLE misc=2 ip=0x401000 pid=100 time=1200 id=1000'
		echo 'SAMPLE misc=2 ip=0x401000 pid=100 time=1200 id=9000'
		echo 'COMM pid=100 tid=100 comm=beta @ time=1000 id=9100'
	} >"$T/recipe"
	for order in "" -b; do
		mkpipe $order "$T/recipe" >"$T/in"
		for e in $(pstat --json "$T/in" 2>/dev/null | jq -r '.events[].name'); do
			# descriptions that no reader accepts are left out, with a warning
			try pfilter --drop-event "$e" "$T/in"
			[ $rc = 1 ] && [ "$(grep -c ': HEADER_FEATURE: .*; left out$' "$T/err")" = "$(wc -l <"$T/err")" ] || failed "$e"
			pstat "$T/out" >/dev/null || failed "$e: what came out"
		done
	done
	# values of a group past the end of their sample
	{
		echo 'attr type=1 config=0 sample_type=IDENTIFIER|IP|READ read_format=0xc flags=sample_id_all ids=11'
		echo 'attr type=1 config=2 sample_type=IDENTIFIER|IP|READ read_format=0xc flags=sample_id_all ids=21'
		echo 'SAMPLE misc=2 ip=0x401000 read=1,5,11'
		echo 'SAMPLE misc=2 ip=0x401000 read=0x1000000000000001,5,11'
	} | mkpipe - >"$T/in"
	try pfilter --drop-event page-faults "$T/in"
	[ $rc = 1 ] && one_line "pfilter: $T/in: byte 352: SAMPLE: " || failed "values"
	[ "$(stat -c %s "$T/out")" = 208 ] || failed "what came before"
	done_all
}

@test "pfilter --drop-event: damage in the head is reported, and the records before it are written" {
	in=$(recipe two-events)
	# inside the first EVENT_UPDATE; the name of the event comes later
	at=$(mkpipe -l data/two-events.txt | awk '$3 == "EVENT_UPDATE" { print $1; exit }')
	head -c $((at + 10)) "$in" >"$T/in"
	try pfilter --drop-event ours "$T/in"
	[ $rc = 1 ] && one_line "pfilter: $T/in: byte $at: EVENT_UPDATE: cut short" || failed cut
	head -c "$at" "$in" | cmp - "$T/out" || failed "what came before"
	mkpipe -l data/two-events.txt >"$T/list"
	cuts -n "$in" "$T/list" pfilter --drop-unused-events || failed prefixes
	done_all
}

@test "pfilter --drop-unused-events: what has no kept sample goes, unless it names the tasks" {
	need jq
	left() { pfilter --drop-unused-events "$@" | pstat --json | jq -c '[.events[].name]'; }
	[ "$(left --exclude-event cpu-migrations data/multi.pipe.data)" = '["cpu-clock","task-clock","page-faults","context-switches"]' ] || failed all
	# cpu-clock has the COMM, MMAP and FORK records
	[ "$(left -e page-faults data/multi.pipe.data)" = '["cpu-clock","page-faults"]' ] || failed one
	# members of a group have no samples of their own
	[ "$(left "$(recipe read-group)")" = '["cpu-clock","page-faults","task-clock"]' ] || failed group
	[ "$(left --exclude-event task-clock "$(recipe read-group)")" = '["cpu-clock","page-faults"]' ] || failed group
	# from a pipe too; and both sides of -U
	[ "$(left -e page-faults <data/multi.pipe.data)" = '["cpu-clock","page-faults"]' ] || failed pipe
	pfilter --drop-unused-events -e task-clock -U "$T/rest" data/multi.pipe.data >"$T/kept"
	[ "$(pstat --json "$T/kept" | jq -c '[.events[].name]')" = '["cpu-clock","task-clock"]' ] || failed kept
	[ "$(pstat --json "$T/rest" | jq -c '[.events[].name]')" = '["cpu-clock","page-faults","context-switches","cpu-migrations"]' ] || failed rest
	# nothing unused: nothing changes
	f=$(recipe two-events)
	pfilter --drop-unused-events "$f" | cmp - "$f" || failed same
	pfilter --drop-unused-events data/sched_R.pipe.data | cmp - data/sched_R.pipe.data || failed "same, with payload"
	# none at all is not left
	try pfilter --drop-unused-events --pid 4711 "$(recipe read-group)"
	[ $rc = 0 ] && [ "$(pstat --json "$T/out" | jq '.events | length')" -ge 1 ] || failed none
	done_all
}

@test "pfilter --rejected: a temporary file that cannot be made is a failure, not wrong usage" {
	TMPDIR=$T/none try pfilter --pid 1 -U "$T/rest" data/basic.pipe.data
	[ $rc = 1 ] && one_line "pfilter: --rejected: needs a temporary file: $T/none: No such file" && ! [ -e "$T/rest" ] || failed dir
	# without descriptors: a message and status 1
	! sanitized || { done_all; return; }	# whose report of leaks needs files
	for n in $(seq 4 40); do
		try bash -c 'ulimit -n $0; exec pfilter --pid 1 -U "$1/rest" data/basic.pipe.data' $n "$T"
		[ $rc != 0 ] || break
		! grep -q 'shared libraries' "$T/err" || continue
		[ $rc = 1 ] && one_line "pfilter: " && grep -q 'Too many open files' "$T/err" || failed "$n descriptors"
	done
	[ $n -gt 4 ] || failed "no descriptors are needed?"
	done_all
}

@test "pfilter --drop-unused-events: the temporary file" {
	try env TMPDIR="$T/none" pfilter --drop-unused-events data/multi.pipe.data
	[ $rc = 1 ]
	one_line "pfilter: --drop-unused-events: needs a temporary file: $T/none: No such file"
	[ -z "$(ls "$T/tmp" 2>/dev/null)" ]
}

@test "pfilter --drop-type: names, numbers, and what would make the rest unreadable" {
	need jq
	count() { pstat --json "$T/out" | jq "[.types[] | select(.type == $1) | .records] | add + 0"; }
	in=$(recipe all-types)
	try pfilter --drop-type TEXT_POKE,switch,PERF_RECORD_SWITCH_CPU_WIDE,79 "$in"
	[ $rc = 0 ]
	for n in 20 14 15 79; do
		[ "$(count $n)" = 0 ] || failed "$n"
	done
	for n in 9 1 3 85; do
		[ "$(count $n)" -ge 1 ] || failed "$n"
	done
	for w in MMAP2 COMM,SWITCH AUXTRACE HEADER_ATTR LOST; do
		try pfilter --drop-type $w "$in"
		[ $rc = 2 ] && one_line "pfilter: --drop-type '${w%,*}': without it " && ! [ -s "$T/out" ] || failed "$w"
	done
	try pfilter --allow vital-types --drop-type MMAP2,AUXTRACE,HEADER_TRACING_DATA "$in"
	[ $rc = 0 ] && [ "$(count 10)" = 0 ] && [ "$(count 71)" = 0 ] && [ "$(count 66)" = 0 ] && [ "$(count 3)" -ge 1 ] || failed force
	try pfilter --drop-type nonsense "$in"
	[ $rc = 2 ] && one_line "pfilter: --drop-type 'nonsense': no such record type" || failed nonsense
	# nothing to do
	try pfilter --drop-type 86 data/multi.pipe.data
	cmp "$T/out" data/multi.pipe.data || failed same
	done_all
}

@test "oracle: --drop-event: each event of the recordings at hand: the lines of the others" {
	need perf
	need jq
	need python3
	recordings '*@(multi|p72_group_S|sched_R).pipe.data' | each drop
}
