# SPDX-License-Identifier: ISC
# pcat A B, psort --merge A B of recordings whose tracepoints have other numbers or other layouts: kernels.py makes them.
load lib
load join

sched=data/sched.pipe.data some=data/tracepoints.pipe.data

# other OPTION... <IN >OUT: as another kernel would have recorded it, a second later
other() {
	python3 kernels.py -t 1000000000 "$@"
}
laid_out="-g sched_switch:prev_state -g sched_process_exec:pid -g sched_wakeup:pid -g sys_exit_openat:ret"

# readable FILE: one that perf reads: of a big-endian stream it does not read payloads, of a file it does
readable() {
	if [ "$(head -c 9 "$1" | tail -c 1 | od -An -tu1)" -ne 0 ]; then	# the size of the header, little-endian
		echo "$1"
	else
		pcat --format=file -f -o "$1.file" "$1"
		echo "$1.file"
	fi
}

# united FILE...: perf script prints the same for the joins as for the files, in order of text
united() {
	local t f files=()
	for f; do files+=("$(readable "$f")"); done
	said "${files[@]}" >"$T/want"
	[ -s "$T/want" ] || failed "$*: perf says nothing"
	for t in "command pcat --allow ${ALLOW-same-input}" "psort --merge --allow ${ALLOW-same-input}"; do
		try $t --remap-pids=never "$@"
		[ $rc = 0 ] && ! [ -s "$T/err" ] || failed "$t $*"
		cp "$T/out" "$T/join"
		said "$(readable "$T/join")" | diff "$T/want" - >"$T/diff" || failed "$t $*: $(head -n 4 "$T/diff")"
	done
}

# kept FILE EXPRESSION: how many samples
kept() {
	pfilter -q --filter "$2" "$1" 2>"$T/err" >"$T/kept" || failed "$2: $(cat "$T/err")"
	hex_records "$T/kept" | grep -c '^9 ' || :
}

# made [-b] SYSTEM ID [BIG LONG]: a recording of the tracepoint SYSTEM:made with two samples; -b: of a big-endian machine; BIG, LONG:
# what its formats say of that machine
made() {
	local opt= big=0 raw
	[ "$1" != -b ] || { opt=-b big=1; shift; }
	raw=$(printf %04x "$2")
	[ $big = 1 ] || raw=${raw:2}${raw:0:2}
	{
		echo "attr type=2 config=$2 sample_type=IDENTIFIER|TID|TIME|RAW flags=sample_id_all ids=1"
		python3 - "$1" "$2" "${3-$big}" "${3-$big}" "${4-8}" <<-'END'
			import struct, sys
			system, number, order, big, long = sys.argv[1].encode(), int(sys.argv[2]), *map(int, sys.argv[3:])
			e = "<>"[order]
			text = b"name: made\nID: %d\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" % number
			text += b"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
			text += b"\tfield:u32 x;\toffset:8;\tsize:4;\tsigned:0;\n\tfield:u32 y;\toffset:12;\tsize:4;\tsigned:0;\n"
			text += b"\nprint fmt: \"x=%x y=%x\", REC->x, REC->y\n"
			texts = struct.pack(e + "IQ", 1, len(text)) + text
			b = b"\x17\x08\x44tracing0.6\0" + struct.pack(e + "BBI", big, long, 4096)
			pages = (b"header_page", b"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"), (b"header_event", b"#\n")
			b += b"".join(name + b"\0" + struct.pack(e + "Q", len(page)) + page for name, page in pages)
			b += texts if system == b"ftrace" else bytes(4)
			b += struct.pack(e + "I", 0) if system == b"ftrace" else struct.pack(e + "I", 1) + system + b"\0" + texts
			b += struct.pack(e + "IIQ", 0, 0, 0)
			b += bytes(-len(b) % 8)
			print("HEADER_TRACING_DATA data_size=%d payload=%s" % (len(b), b.hex()))
		END
		echo "COMM pid=7 tid=7 comm=made"
		echo "SAMPLE id=1 pid=7 tid=7 time=1000 raw=${raw}000000000007010203040506070800000000"
		echo "SAMPLE id=1 pid=7 tid=7 time=2000 raw=${raw}000000000007111213141516171800000000"
	} | mkpipe $opt -
}

@test "join formats: one number, two layouts; the same layout, another number; both orders, three inputs" {
	need python3
	need perf
	F=comm,pid,time,event,trace
	other $laid_out <$sched >"$T/b"		# the same numbers
	! cmp -s $sched "$T/b" || failed "no other layout"
	united $sched "$T/b"
	other -i 1 $laid_out <$some >"$T/b"	# those of neighbours
	other -i 7 <$some >"$T/c"
	united "$T/b" $some
	united "$T/b" "$T/c" $some
	done_all
}

@test "join formats: another event under a number, as a kprobe set anew" {
	need python3
	need perf
	other -n sched_switch=sched_other <$sched >"$T/b"
	F=comm,pid,time,trace united $sched "$T/b"
	F=comm,pid,time,trace united "$T/b" $sched
	done_all
}

@test "join formats: big-endian streams, with payloads of either order; formats of ftrace; numbers are used up to the last" {
	need python3
	need perf
	F=comm,pid,time,event,trace
	pcat --endian=big $sched >"$T/a"
	other -i 1 $laid_out <$sched | pcat --endian=big >"$T/b"
	united "$T/a" "$T/b"
	for b in "" -b; do
		for at in "sys 7" "ftrace 1" "sys 65535"; do
			turn 4 || continue
			made $b $at >"$T/a"
			other -g made:x <"$T/a" >"$T/b"
			other -g made:x -g made:y <"$T/a" >"$T/c"
			united "$T/a" "$T/b"
			grep -q 'x=0*4030201 \|x=0*1020304 ' "$T/want" || failed "$b $at: $(cat "$T/want")"
			united "$T/b" "$T/c" "$T/a"
		done
	done
	done_all
}

@test "join formats: pfilter reads the payloads of each by its own layout" {
	need python3
	other $laid_out <$sched >"$T/b"
	other -i 1 $laid_out -g sched_switch:next_comm <$sched >"$T/c"
	for t in "pcat --allow same-input" "psort --merge --allow same-input"; do
		command $t --remap-pids=never $sched "$T/b" "$T/c" >"$T/join"
		for e in 'prev_state == 1' 'next_pid > 31000' 'next_comm == "bash"' 'raw.pid == 31269' 'filename ~ "*ls"' 'target_cpu == 1'; do
			one=$(kept $sched "$e")
			[ "$one" -gt 0 ] && [ "$(kept "$T/join" "$e")" = $((3 * one)) ] || failed "$t: $e: $one"
		done
		[ "$(kept "$T/join" 'added == 0x4847464544434241')" = "$(($(kept "$T/b" 'exists(added)') * 2))" ] || failed "$t: added"
	done
	done_all
}

@test "join formats: --merge-attrs folds events of equal formats only" {
	need python3
	events() { pcat --remap-pids=never --merge-attrs "$@" | pstat --json --events - | python3 -c 'import json, sys; print(len(json.load(sys.stdin)["events"]))'; }
	other -i 7 <$sched >"$T/b"
	other $laid_out <$sched >"$T/c"
	[ "$(events $sched "$T/b")" = 10 ] || failed "other numbers: $(events $sched "$T/b")"
	[ "$(events $sched "$T/c")" = 13 ] || failed "other layouts: $(events $sched "$T/c")"
	[ "$(events $sched "$T/c" "$T/b" "$T/c")" = 13 ] || failed "both: $(events $sched "$T/c" "$T/b" "$T/c")"
	done_all
}

@test "join formats: texts of addresses are those of all inputs; of an address with two texts, none" {
	need python3
	other -p '0xffffffff00000010 : "added"\n' <$sched >"$T/b"
	other -p '0xffffffff00000010 : "other"\n0xffffffff00000020 : "third"\n' <$sched >"$T/c"
	pcat --remap-pids=never $sched "$T/b" >"$T/join"
	grep -aq '^0xffffffff00000010 : "added"' "$T/join" && grep -aq '^0xffffffff8281a405 : "rcu_preempt"' "$T/join" || failed union
	try pcat --remap-pids=never $sched "$T/b" "$T/c"
	[ $rc = 0 ] && one_line "pcat: warning: 1 addresses of texts in payloads mean other texts in another input" || failed warning
	grep -aq '^0xffffffff00000020 : "third"' "$T/out" && ! grep -aq '^0xffffffff00000010 :' "$T/out" || failed conflict
	done_all
}

@test "join formats: an input without formats beside one with them" {
	need python3
	other -x <$some >"$T/x"
	for t in pcat "psort --merge"; do
		for order in "$sched $T/x" "$T/x $sched"; do
			try $t $order
			[ $rc = 2 ] && ! [ -s "$T/out" ] && one_line "${t%% *}: $T/x: has no format of tracepoint sched:sched_switch, which" ||
			    failed "$t $order"
		done
		try $t --allow kernels "$T/x" data/basic.pipe.data
		[ $rc = 0 ] || failed "$t: nobody has formats"
	done
	# with the formats of another recording of that kernel
	pcat --repair --formats-from $some "$T/x" >"$T/y"
	try pcat --remap-pids=never $sched "$T/y"
	[ $rc = 0 ] || failed "formats-from"
	# a piece of one that has them
	python3 kernels.py -x <$sched >"$T/piece"
	try pcat $sched "$T/piece"
	[ $rc = 0 ] || failed piece
	cp "$T/out" "$T/join"
	[ "$(kept "$T/join" 'prev_state == 1')" = $((2 * $(kept $sched 'prev_state == 1'))) ] || failed "payloads of the piece"
	# without one sample
	head -c 600 "$T/x" >"$T/cut"
	try pcat "$T/cut" $sched
	[ $rc != 2 ] || failed cut
	done_all
}

@test "join formats: what one TRACING_DATA cannot have is refused" {
	need python3
	made sys 7 >"$T/a"
	made sys 7 1 >"$T/big"
	made sys 7 0 4 >"$T/short"
	sed 's/header_event/header_Event/' "$T/a" >"$T/cut"
	sed 's/ID: 7/ID; 7/' "$T/a" >"$T/bad"
	for t in pcat "psort --merge"; do
		for f in big short; do
			try $t "$T/a" "$T/$f"
			[ $rc = 2 ] && ! [ -s "$T/out" ] || failed "$t $f"
			one_line "${t%% *}: $T/$f: " && [ $f = big ] || grep -q "are of another byte order or size of long than those of $T/a: one str" "$T/err" ||
			    failed "$t $f: message"
		done
		try $t "$T/a" "$T/bad"
		[ $rc = 2 ] && one_line "${t%% *}: $T/bad: its formats of tracepoints (TRACING_DATA) are damaged, and cannot be joined" || failed "$t bad"
		try $t "$T/a" "$T/cut"
		[ $rc = 2 ] && grep -q "^${t%% *}: $T/cut: byte [0-9]*: TRACING_DATA: what is in it is cut or malformed, .*; left out$" "$T/err" &&
		    grep -q "^${t%% *}: $T/cut: has no format of tracepoint" "$T/err" || failed "$t cut"
	done
	done_all
}

@test "join formats: recordings of Linux 6.1, 6.12 and 6.1 PREEMPT_RT" {
	need perf
	need zstd
	for f in k61 k612 rt61; do zstd -dqc data/${f}_sched.pipe.data.zst >"$T/$f"; done
	F=tid,time,event,trace		# the names that each perf gives to tasks without one differ
	ALLOW=kernels,clocks,same-input
	united "$T/k61" "$T/k612"
	united "$T/k612" "$T/rt61" "$T/k61"
	for e in 'prev_state == 1' 'next_comm ~ "kworker*"' 'raw.common_type > 0'; do
		all=0
		for f in k61 k612 rt61; do all=$((all + $(kept "$T/$f" "$e"))); done
		[ "$all" -gt 0 ] && [ "$(kept "$T/join" "$e")" = $all ] || failed "$e: $all"
	done
	done_all
}
