# SPDX-License-Identifier: ISC
# pfilter --filter: fields of tracepoints' payloads.
load lib

# kept EXPRESSION FILE: how many samples are
kept() {
	pfilter -q --filter "$1" "$2" >"$T/kept" || return
	pstat --json "$T/kept" | jq '[.types[] | select(.name == "SAMPLE") | .records] | add // 0'
}
# wrong FILE EXPRESSION MESSAGE: exit 2 with that message, and nothing written
wrong() {
	try pfilter --filter "$2" "$1"
	[ $rc = 2 ] && ! [ -s "$T/out" ] && [[ $(head -1 "$T/err") == "pfilter: --filter: $3"* ]] || failed "$2"
}

@test "payload: numbers, texts and arrays are those that perf script shows" {
	need perf
	need jq
	perf script -i data/tracepoints.pipe.data -F event,trace 2>/dev/null >"$T/shown"
	while IFS='@' read -r expr shown; do
		got=$(kept "$expr" data/tracepoints.pipe.data)
		want=$(grep -cE "$shown" "$T/shown" || true)
		[ "$got" = "$want" ] && [ "$got" -gt 0 ] || failed "$expr: $got, perf shows $want"
	done <<-'END'
		prev_pid == 28071@sched_switch: .* prev_pid=28071 
		raw.prev_pid == 28071@sched_switch: .* prev_pid=28071 
		raw.field.prev_pid == 28071@sched_switch: .* prev_pid=28071 
		28072 == raw.prev_pid + 1@sched_switch: .* prev_pid=28071 
		next_prio in (100..120)@sched_switch: .* next_prio=1[0-2]
		prev_comm == "true"@sched_switch: prev_comm=true 
		prev_comm != "true"@sched_switch: prev_comm=([^t]|t[^r])
		prev_comm ~ "t*"@sched_switch: prev_comm=t
		prev_comm =~ "^(ls|true)$"@sched_switch: prev_comm=(ls|true) 
		prev_comm in ("ls", "x", "true")@sched_switch: prev_comm=(ls|true) 
		prev_comm == next_comm@sched_switch: prev_comm=([^ ]*) .*next_comm=\1 
		len(next_comm) == 4@next_comm=.... 
		filename == "/bin/true"@exec: filename=/bin/true 
		filename ~ "*/ls"@exec: filename=[^ ]*/ls 
		"/bin/true" == raw.filename@exec: filename=/bin/true 
		len(filename) > 9@exec: filename=[^ ]{10}
		raw.pid == old_pid@exec: 
		raw.ret == -2@openat: 0xfffffffffffffffe
		raw.ret < 0@openat: 0xf
		-raw.ret > 0@openat: 0xf
		raw.ret > 0@openat: 0x[0-9a-e]
		raw.ret@openat: 
		raw.id == 9@sys_enter: NR 9 
		args[0] == 4@sys_enter: NR [0-9]+ \(4,
		raw.args[0] == 4 && raw.args[2] > 0xff@sys_enter: NR [0-9]+ \(4, [^,]*, [1-9a-f][0-9a-f]{2,},
		len(args) == 6@sys_enter:
		exists(prev_pid)@sched_switch:
		exists(raw.args) || exists(filename)@sys_enter:|exec:
		default(raw.ret, 7) == 7@sys_enter:|sched_|writeback
		raw.common_pid == 28072 && event == "sched:sched_switch"@sched_switch: .* prev_pid=28072 
	END
	want=$(sed -n 's/.*prev_pid=\([0-9]*\).*next_pid=\([0-9]*\).*/\1 \2/p' "$T/shown" | awk '$1 < $2' | wc -l)
	[ "$(kept 'prev_pid < next_pid' data/tracepoints.pipe.data)" = "$want" ] || failed "two fields"
	done_all
}

@test "payload: a file, a stream of the other byte order and a compressed one give the same" {
	pcat --format=file -o "$T/file" data/tracepoints.pipe.data
	pcat -z data/tracepoints.pipe.data >"$T/packed"
	pcat --endian=big data/tracepoints.pipe.data >"$T/big"
	for expr in 'prev_comm ~ "t*"' 'raw.ret == -2' 'args[0] == 4' 'prev_pid < next_pid' 'filename =~ "true"'; do
		want=$(kept "$expr" data/tracepoints.pipe.data)
		for f in file packed big; do
			[ "$(kept "$expr" "$T/$f")" = "$want" ] || failed "$f: $expr"
		done
	done
	done_all
}


@test "payload: a field that no event has is an error with names near it, one of several events is unknown in the others" {
	local f=data/tracepoints.pipe.data
	wrong $f 'raw.prev_pdi == 1' "no field is named \`prev_pdi'; similar: prev_pid"
	wrong $f 'prev_pdi == 1' "no field is named \`prev_pdi'; similar: prev_pid"
	wrong $f 'filenam == "x"' "no field is named \`filenam'; similar: filename"
	wrong $f 'event == sched' "no field is named \`sched'; text goes in quotes"
	wrong $f 'prev_comm == 5' "prev_comm of sched:sched_switch is char[16], which is not one number"
	wrong $f 'prev_comm > next_comm' "next_comm of sched:sched_switch is char[16], which is not one number"
	wrong $f 'prev_pid ~ "4*"' "prev_pid of sched:sched_switch is s32, which is not text"
	wrong $f 'args == 5' "args of raw_syscalls:sys_enter is u64[6], which is not one number"
	wrong $f 'args[6] == 5' "args of raw_syscalls:sys_enter is u64[6], which is not an array with that index"
	wrong $f 'prev_pid[0] == 5' "prev_pid of sched:sched_switch is s32, which is not an array with that index"
	wrong $f 'args[65536] == 5' "expected a number below 65536"
	wrong $f 'args[x] == 5' "expected a number below 65536"
	wrong $f 'args[0 == 5' "expected \`]'"
	wrong data/basic.pipe.data 'raw.prev_pid == 1' "no event of this recording has payloads; record them with perf record -R"
	wrong data/basic.pipe.data 'prev_pid == 1' "no field is named \`prev_pid'"
	[ "$(kept '!(prev_pid == 1) && event != "sched:sched_switch"' $f)" = 0 ] || failed "unknown"
	# without formats, and with formats behind the data
	pfilter --allow vital-types --drop-type header_tracing_data $f >"$T/none"
	wrong "$T/none" 'raw.prev_pid == 1' "the formats of the tracepoints, which say where raw.prev_pid is, are missing"
	wrong "$T/none" 'prev_pid == 1' "no field is named \`prev_pid'; similar: id, pid; the formats of the tracepoints"
	grep -q 'pcat --formats-from' "$T/err" || failed "no hint"
	done_all
}

@test "payload: own names win, and a warning says which field of a payload has that name" {
	local f=data/tracepoints.pipe.data
	try pfilter -n --filter 'pid == 28071' $f
	grep -q "^pfilter: warning: --filter: \`pid' is the sample's; raw.pid is that of sched:sched_process_exec" "$T/err" || failed note
	try pfilter -n --filter 'raw.pid == 28071' $f
	! grep -q "is the sample's" "$T/err" || failed "no note"
	[ "$(kept 'pid == 28071' $f)" != "$(kept 'raw.pid == 28071' $f)" ] || failed "pid"
	done_all
}

@test "payload: --explain shows type, place, and which events a condition can be true of" {
	golden pfilter-payload-explain pfilter --explain -n --filter 'prev_pid == 42 || filename == "x" || args[2] > 3' \
	    data/tracepoints.pipe.data
}

@test "payload: --around looks at payloads, too" {
	pfilter -q --around 'prev_comm == "true"' --before 1ns --around-same cpu data/tracepoints.pipe.data >"$T/around"
	[ "$(kept 'prev_comm == "true"' "$T/around")" = "$(kept 'prev_comm == "true"' data/tracepoints.pipe.data)" ]
	[ "$(kept 'prev_comm == "true"' "$T/around")" -gt 0 ]
}
