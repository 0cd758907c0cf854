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

# made little|big: a recording of one tracepoint, event 7, whose samples are the hex lines of standard input.  long is 4 bytes.
made() {
	local big=0 opt= text
	[ "$1" = little ] || big=1 opt=-b
	text=$(printf 'name: made\nID: 7\nformat:\n'
	    printf '\tfield:%s\n' 'unsigned short common_type;	offset:0;	size:2;	signed:0;' 'short s;	offset:2;	size:2;	signed:1;' \
	    '__data_loc char[] d;	offset:4;	size:4;	signed:0;' '__rel_loc char[] r;	offset:8;	size:4;	signed:0;' \
	    'char c[4];	offset:12;	size:4;	signed:0;' 's8 b;	offset:16;	size:1;	signed:1;' 'struct x o;	offset:17;	size:3;	signed:0;' \
	    'long l[2];	offset:20;	size:8;	signed:1;' 'u64 w;	offset:28;	size:8;	signed:0;' 'int bits:3;	offset:36;	size:4;	signed:1;' \
	    'int size;	offset:40;	size:4;	signed:1;'
	    printf '\nprint fmt: "x"\n.')
	python3 - "$1" "${text%.}" >"$T/payload" <<-'END'
		import struct, sys
		e, text = "<" if sys.argv[1] == "little" else ">", sys.argv[2].encode()
		b = b"\x17\x08\x44tracing0.6\0" + struct.pack(e + "BBI", e == ">", 4, 4096)
		b += b"header_page\0" + struct.pack(e + "Q", 0) + b"header_event\0" + struct.pack(e + "Q", 0)
		b += struct.pack(e + "I", 0) + struct.pack(e + "I", 1) + b"sys\0" + struct.pack(e + "IQ", 1, len(text)) + text + bytes(16)
		b += bytes(-len(b) % 8)
		print(b.hex(), len(b))
	END
	read -r hex n <"$T/payload"
	{
		echo "attr type=2 config=7 sample_type=IDENTIFIER|TID|TIME|RAW${2-} flags=sample_id_all ids=1"
		echo "HEADER_TRACING_DATA data_size=$n payload=$hex"
		i=0
		while read -r raw; do
			i=$((i + 1))
			echo "SAMPLE id=1 pid=1 tid=1 time=$i raw=$raw ${3-}"
		done
		echo FINISHED_ROUND
	} >"$T/made.txt"
	mkpipe $opt "$T/made.txt"
}
# is_made EXPRESSION TIMES: these samples are kept
is_made() {
	[ -z "${more-}" ] || turn 7 || return 0
	pfilter -q --filter "$1" "$T/made" 2>"$T/err" | pfilter -q --allow vital-types --drop-type header_tracing_data 2>>"$T/err" |
	    pcat --endian=little 2>>"$T/err" >"$T/got" || :
	got=$(samples_at 6 "$T/got" | cut -d ' ' -f 1 | tr '\n' ' ')
	[ "$got" = "$2${2:+ }" ] || failed "$1: $got"
}

@test "payload: numbers of each size and sign, relative text, text without an end, in both byte orders" {
	need python3
	for order in little big; do
		if [ $order = little ]; then
			printf '%s\n' 0700feff'2c000200''22000400'6162636481000000'ffffffff05000000''efcdab8967452301'00000000'feffffff'78007a7a3031ffff \
			    070002000000000000000000'00000000'7f000000'0100000000000080''ffffffffffffffff'00000000090000000000000000000000
		else
			printf '%s\n' 0007fffe'0002002c''00040022'6162636481000000'ffffffff00000005''0123456789abcdef'00000000'fffffffe'78007a7a3031ffff \
			    000700020000000000000000'00000000'7f000000'0000000180000000''ffffffffffffffff'00000000000000090000000000000000
		fi | made $order >"$T/made"
		for more in '' '|CALLCHAIN'; do
			[ -z "$more" ] || sed 's/^attr type=2.*RAW/&|CALLCHAIN/; s/^SAMPLE/& chain=0x1/' "$T/made.txt" >"$T/chained.txt"
			[ -z "$more" ] || mkpipe $([ $order = little ] || echo -b) "$T/chained.txt" >"$T/made"
			is_made 's == -2' 1
			is_made 's < 0' 1
			is_made 's > -3' "1 2"
			is_made 's in (2, 3)' 2
			is_made 's in (-2, -3)' 1
			is_made 'b == -127' 1
			is_made 'b >= 127' 2
			is_made 'b != 5' "1 2"
			is_made 'l[0] == -1' 1
			is_made 'l[1] == -2147483648' 2
			is_made 'l[1] < l[0]' 2
			is_made 'w == 0x0123456789abcdef' 1
			is_made 'w == 18446744073709551615' 2
			is_made '(w & 0xff) == 0xef' 1
			is_made 'raw.field.size == -2' 1
			is_made 'raw.field.size > 0' 2
			is_made 'c == "abcd"' 1
			is_made 'c == ""' 2
			is_made 'c ~ "*d"' 1
			is_made 'd == "x"' 1
			is_made 'd in ("", "y")' 2
			is_made 'len(d) == 1' 1
			is_made 'r == "zz01"' 1
			is_made 'r =~ "1$"' 1
			is_made 'c == r' 2
			is_made 'len(o) == 3' "1 2"
			is_made 'exists(o) && exists(bits)' "1 2"
			is_made 'raw.u16[0] == 7 && raw.s16[2] < 0x100' "1 2"
			is_made 'raw.u8[16] == 0x81' 1
			is_made 'raw.s8[16] == -127' 1
		done
	done
	done_all
}

@test "payload: a payload that is too short, or points outside of itself, lacks the field, is counted once, and reads as much as there is" {
	need python3
	printf '%s\n' 0700feff2c00020022000400 070005002c00020022000400'6162636481000000''ffffffff05000000' \
	    07000500ffff0200'2200ffff6162636481000000''ffffffff05000000''efcdab8967452301' '' '' | made little >"$T/made"
	is_made 's == -2' 1
	is_made 's == 5' "2 3"
	is_made 'b == -127' "2 3"
	is_made 'w > 0' 3
	is_made 'exists(w)' 3
	is_made 'not exists(w)' "1 2 4 5"
	is_made 'default(w, 1) == 1' "1 2 4 5"
	is_made 'default(l[0], 9) == 9' "1 4 5"
	is_made 'exists(d) || exists(r)' ''
	is_made 's == -2 || w > 0' "1 3"
	is_made 'raw.u8[4] == 0x2c' "1 2"
	is_made 'raw.u64[28] > 0' 3
	for row in 'w > 0@4@raw.w' 'd == "x"@5@raw.d' 's == 5@2@raw.s' 'raw.u16[4] > 0@2@raw.u16[4]'; do
		IFS='@' read -r expr n name <<<"$row"
		try pfilter -n --filter "$expr" "$T/made"
		[ $rc = 0 ] && grep -qxF "pfilter: warning: --filter: $n samples are too short for $name, so tests of it select none of them" "$T/err" &&
		    [ "$(grep -c 'too short' "$T/err")" = 1 ] || failed "$expr"
	done
	done_all
}

@test "payload: a format that passes a limit has no fields, which an expression says" {
	need python3
	printf '%s\n' 0700feff | made little >"$T/made"
	wrong "$T/made" 'prev_pid == 1' "no field is named"
	sed 's/\(payload=.*\)6f66667365743a343b/\16f66667365743a3f3b/' "$T/made.txt" >"$T/bad.txt"	# an offset that is no number
	mkpipe "$T/bad.txt" >"$T/bad"
	wrong "$T/bad" 'prev_pid == 1' "the format of sys:made cannot be used: it has a field without a valid offset and size"
	[ "$(pfilter -q --filter 'pid == 1' "$T/bad" | pstat --json | jq '[.types[] | select(.name == "SAMPLE") | .records] | add')" = 1 ]
	done_all
}

# damaged EVENT <IN: its format has an offset that is no number
damaged() {
	perl -0777 -pe "s/(name: $1\n.*?offset:)0;/\$1?;/s"
}

@test "payload: one line names an event whose format cannot be used, if fields of payloads are asked for" {
	need perl
	line="pfilter: warning: the format of sched:sched_wakeup cannot be used: it has a field without a valid offset and size; its samples have no fields of payloads"
	damaged sched_wakeup <data/sched.pipe.data >"$T/bad"
	for opts in "--filter prev_pid>0" "--around raw.prev_pid>0 --before 1ns" "--filter sched:sched_switch{prev_pid>0}" \
	    "--span wakeup --longer-than 1us"; do
		try pfilter -n $opts "$T/bad"
		[ $rc = 0 ] && [ "$(grep -c 'cannot be used' "$T/err")" = 1 ] && grep -qxF "$line" "$T/err" || failed "$opts"
	done
	for opts in "--filter period>0" "--around period>0 --before 1ns" "-e sched:sched_switch" ""; do
		try pfilter -n $opts "$T/bad"
		[ $rc = 0 ] && ! grep -q 'cannot be used' "$T/err" || failed "not used: $opts"
	done
	try pcat "$T/bad"
	[ $rc = 0 ] && ! [ -s "$T/err" ] || failed pcat
	# that only this event has
	wrong "$T/bad" 'raw.success == 1' "the format of sched:sched_wakeup cannot be used: it has a field without"
	wrong "$T/bad" 'sched:sched_wakeup{target_cpu == 1}' "the format of sched:sched_wakeup cannot be used"
	done_all
}
