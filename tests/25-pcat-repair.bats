# SPDX-License-Identifier: ISC
# pcat --repair: all sound records are kept, each fault is reported in a line, exit 1.
load lib

# sampled FILE: has it samples already?
sampled() {
	[ "$(pcat -q --repair "$1" 2>/dev/null | perf script -f -i - 2>/dev/null | grep -c cpu-clock)" -gt 100 ]
}
# killed NAME [option...]: what a recorder leaves that is killed after a while.
killed() {
	local out=$T/$1 pid
	shift
	env perf record -e cpu-clock -o "$out" "$@" -m 8 -a -g -F 5000 -- sleep 60 >/dev/null 2>&1 3>&- &
	pid=$!
	# by env, so that pid is perf's; small buffers fill soon, but what stands there first is about tasks that run already
	await grown "$out" 20000 && await sampled "$out" || true
	kill -KILL $pid $(cat /proc/$pid/task/*/children) 2>/dev/null || skip "perf record does not work here"
	wait $pid 2>/dev/null || true
	[ -s "$out" ] || skip "perf record does not work here"
}

@test "repair: a sound input is copied, exit 0, no message" {
	for f in data/*.data; do
		pcat "$f" >"$T/plain" 2>/dev/null || continue
		try pcat --repair "$f"
		[ $rc = 0 ] && cmp "$T/plain" "$T/out" && ! [ -s "$T/err" ] || failed "$f"
	done
	done_all
}

@test "repair: a sound input from a pipe too" {
	for f in data/basic.file.data data/z1.pipe.data; do
		pcat "$f" >"$T/plain"
		try sh -c "cat $f | pcat --repair"
		[ $rc = 0 ] && cmp "$T/plain" "$T/out" || failed "$f"
	done
	done_all
}

# What has no end yet is left out; the payload of a record is a part of it.
@test "repair: every prefix of a stream keeps its whole records" {
	in=$(recipe small)
	size=$(stat -c %s "$in")
	last=0
	for ((n = 16; n <= size; n++)); do
		turn 7 || ((n == size)) || continue
		head -c $n "$in" >"$T/cut"
		try pcat --repair "$T/cut"
		out=$(stat -c %s "$T/out")
		cmp -s -n $out "$T/out" "$in" || failed "$n: not a prefix"
		[ $out -ge $last ] || failed "$n: $out bytes, with fewer there were $last"
		[ $rc = $((out != n)) ] || failed "$n: $out bytes"
		[ $out = $n ] || grep -q "; $((n - out)) bytes\? left out" "$T/err" || failed "$n: bytes left out not reported"
		last=$out
	done
	[ $last = $size ] || failed "whole: $last of $size bytes"
	done_all
}

@test "repair: every prefix of a perf.data ends well" {
	in=data/basic.file.data
	size=$(stat -c %s $in)
	for ((n = 0; n < size; n += 61)); do
		turn 7 || continue
		head -c $n $in >"$T/cut"
		try pcat --repair "$T/cut"
		[ $rc = 1 ] && [ -s "$T/err" ] || failed $n
	done
	done_all
}

@test "repair: a flipped byte costs no more than its record and the records that depend on it" {
	in=$(recipe two-events)
	size=$(stat -c %s "$in")
	# behind the attrs: without them nothing has a meaning
	for ((n = 1000; n < size; n += 7)); do
		turn 7 || continue
		cp "$in" "$T/flip"
		printf '\xff' | dd of="$T/flip" bs=1 seek=$n conv=notrunc status=none
		try pcat --repair "$T/flip"
		out=$(stat -c %s "$T/out")
		[ $rc -le 1 ] && [ $((size - out)) -le 200 ] || failed "$n: $out of $size bytes"
	done
	done_all
}

# The record in front of a wrong size may have been overwritten, too; but an attr gives all others their meaning.
@test "repair: a wrong size behind the only attr costs no more than its record" {
	cat >"$T/recipe" <<-END
	attr type=1 config=0 period=1000 sample_type=IP|TID|TIME flags=sample_id_all|comm|task
	SAMPLE misc=2 ip=0x401000 pid=100 time=1000000010
	SAMPLE misc=2 ip=0x401004 pid=100 time=1000000020
	COMM pid=100 tid=100 comm=alpha @ time=1000000025
	SAMPLE misc=2 ip=0x401008 pid=100 time=1000000030
	END
	sed 2d "$T/recipe" >"$T/without"
	mkpipe "$T/recipe" >"$T/in"
	mkpipe "$T/without" >"$T/want"
	at=$(($(stat -c %s "$T/want") - 32 - 40 - 32))		# of the first SAMPLE
	for size in '\x00\x00' '\x21\x00' '\x24\x01' '\xff\xff'; do
		cp "$T/in" "$T/wrong"
		printf "$size" | dd of="$T/wrong" bs=1 seek=$((at + 6)) conv=notrunc status=none
		try pcat --repair "$T/wrong"
		[ $rc = 1 ] && cmp "$T/want" "$T/out" || failed "$size"
		one_line "pcat: $T/wrong: byte $at: SAMPLE: "
	done
	done_all
}

@test "repair: the size of a record is 0: the search finds the next" {
	need corpus
	f=$CORPUS/foreign/quipper/perf.data.piped.corrupted.zero_size_sample-3.2
	try pcat "$f"
	[ $rc = 1 ]
	one_line "pcat: $f: byte 49104: SAMPLE: record of 0 bytes needs 8 (pcat --repair"
	[ "$(stat -c %s "$T/out")" = 49104 ]
	try pcat --repair "$f"
	[ $rc = 1 ]
	one_line "pcat: $f: byte 49104: SAMPLE: record of 0 bytes needs 8; 48 bytes left out"
	[ "$(stat -c %s "$T/out")" = 60592 ]
}

@test "repair: garbage amid a stream is stepped over" {
	in=$(recipe base)
	at=$(od -An -v -tu1 -w1 "$in" | wc -l)
	for n in 1 8 13 4096 300000; do
		{ cat "$in"; head -c $n /dev/urandom; tail -c +17 "$in"; } >"$T/garbage"
		try pcat --repair "$T/garbage"
		{ cat "$in"; tail -c +17 "$in"; } >"$T/want"
		[ $rc = 1 ] || failed "$n"
		cmp -s -n "$at" "$in" "$T/out" || failed "$n: before"
		# The records behind it are all there; random bytes may look like one more.
		tail -c $((at - 16)) "$T/out" | cmp -s - <(tail -c +17 "$in") || failed "$n: behind"
	done
	done_all
}

@test "repair: a killed recorder" {
	need perf
	killed k.data
	try pcat "$T/k.data"
	[ $rc = 1 ]
	one_line "pcat: $T/k.data: byte 48: data size is 0: the recorder was killed"
	grep -q -e '--repair' "$T/err"
	try pcat --repair "$T/k.data"
	[ $rc = 1 ]
	[ "$(perf script -f -i "$T/out" 2>/dev/null | grep -c cpu-clock)" -gt 10 ]
}

@test "repair: a killed recorder that compressed" {
	need perf
	perf version --build-options 2>/dev/null | grep -q 'zstd: \[ on' || skip "perf without zstd"
	killed kz.data -z
	try pcat --repair "$T/kz.data"
	[ $rc = 1 ]
	[ "$(perf script -f -i "$T/out" 2>/dev/null | grep -c cpu-clock)" -gt 10 ]
}

@test "repair: the user id 0 recording of the corpus" {
	need corpus
	try pcat --repair "$CORPUS/own/uid0.file.data"
	[ $rc = 1 ]
	one_line "pcat: $CORPUS/own/uid0.file.data: byte 48: data size is 0"
	pcat <"$T/out" | cmp - "$T/out"
}

@test "repair: a feature that lies outside the file is left out alone" {
	# The table of features follows the data; its entries are offset and size.
	in=data/basic.file.data
	off=$(od -An -tu8 -j40 -N8 $in)
	size=$(od -An -tu8 -j48 -N8 $in)
	cp $in "$T/lies"
	chmod u+w "$T/lies"
	printf '\xff\xff\xff\xff\xff' | dd of="$T/lies" bs=1 seek=$((off + size)) conv=notrunc status=none
	try pcat "$T/lies"
	[ $rc = 1 ]
	! [ -s "$T/out" ] || false
	try pcat --repair "$T/lies"
	[ $rc = 1 ]
	grep -q 'lies outside the file' "$T/err"
	perf script -f -i $in >"$T/a" 2>/dev/null || true
	perf script -f -i "$T/out" 2>/dev/null | wc -l | grep -qx "$(wc -l <"$T/a")"
}

@test "repair: broken zstd loses what follows in it, not the plain records" {
	in=$(recipe zipped)
	try pcat --repair <(sed 's/\x28\xb5\x2f\xfd/\x28\xb5\x2f\xfe/' "$in")
	[ $rc = 1 ]
	grep -q 'COMPRESSED: zstd: .*the rest of the frame cannot be expanded; [0-9]* bytes left out' "$T/err"
	[ "$(stat -c %s "$T/out")" -gt 100 ]
	pcat <"$T/out" >/dev/null
}

# A recording of some frames, a record each microsecond; $T/z.
framed() {
	{
		echo "attr type=1 config=0 period=1000 sample_type=IP|TID|TIME|PERIOD flags=sample_id_all|comm len=128"
		echo "COMM pid=100 tid=100 comm=alpha"
		awk 'BEGIN { srand(1); for (i = 0; i < 6000; i++) {
			printf "SAMPLE misc=2 ip=%d pid=100 tid=100 time=%d period=%d\n", rand() * 2147483648, 1000 * i + 1000, rand() * 2147483648
			if (i % 600 == 599) print "FINISHED_ROUND" } }'
	} >"$T/framed.txt"
	mkpipe "$T/framed.txt" >"$T/plain"
	pcat -z --frame-size=64K "$T/plain" >"$T/z"
	[ "$(wc -c <"$T/plain")" = $((6000 * 40 + 80 + 192)) ]
}
# damage AT COUNT: zeros in $T/z there.
damage() {
	dd if=/dev/zero of="$T/z" bs=1 seek="$1" count="$2" conv=notrunc status=none
}
# Where the frames begin in $T/z.
frame_starts() {
	grep -a -b -o $'\x28\xb5\x2f\xfd' "$T/z" | cut -d: -f1
}

@test "repair: damage costs one frame, and the message has the time that is lost" {
	framed
	mapfile -t at < <(frame_starts)
	[ ${#at[@]} = 4 ]
	# amid the second one
	damage $(((at[1] + at[2]) / 2)) 24
	try pcat "$T/z"
	[ $rc = 1 ]
	one_line "pcat: $T/z: byte "
	try pcat --repair "$T/z"
	[ $rc = 1 ]
	[ "$(wc -c <"$T/out")" -ge $((6000 * 40 - 2 * 65600)) ]
	# the frames around it are whole
	cmp -n 65600 "$T/out" "$T/plain"
	tail -c 100000 "$T/out" | cmp - <(tail -c 100000 "$T/plain")
	# all that is not there lies between the two times; those of the samples there are whole microseconds
	grep -q ' bytes left out: 0\.00[0-9]*000 to 0\.00[0-9]*000, 0\.00[0-9]*000 s$' "$T/err" || failed "time"
	read -r from to <<<"$(sed -n 's/.* left out: 0\.\([0-9]*\) to 0\.\([0-9]*\),.*/\1 \2/p' "$T/err" | head -n 1)"
	from=$((10#$from)) to=$((10#$to))
	[ $from -gt 1600000 ] && [ $to -lt 3400000 ] && [ $from -lt $to ] || failed "$from to $to"
	pstat --json "$T/out" >"$T/json"
	done_all
}

@test "repair: a frame whose end is missing does not cost the next one" {
	framed
	mapfile -t at < <(frame_starts)
	# the record headers stand 8 bytes in front of the frames: leave out all records of the second frame but the first
	n=$(od -An -tu2 -j $((at[1] - 2)) -N 2 "$T/z")
	{ head -c $((at[1] - 8 + n)) "$T/z"; tail -c +$((at[2] - 8 + 1)) "$T/z"; } >"$T/less"
	[ "$(wc -c <"$T/less")" -lt "$(wc -c <"$T/z")" ]
	try pcat "$T/less"
	[ $rc = 1 ]
	try pcat --repair "$T/less"
	[ $rc = 1 ]
	one_line "pcat: $T/less: byte "
	grep -q 'the end of the frame before this one is missing\(; [0-9]* bytes\? left out\)\?: 0.00' "$T/err"
	tail -c 100000 "$T/out" | cmp - <(tail -c 100000 "$T/plain")
}

@test "repair: a loss up to the end of the input is reported, too" {
	framed
	head -c 100000 "$T/plain" >"$T/cut"
	try pcat --repair "$T/cut"
	[ $rc = 1 ] && one_line "pcat: $T/cut: byte 99984: SAMPLE: cut short, 16 of 40 bytes; 16 bytes left out: everything after 0.002494000"
}

@test "repair: more than a hundred faults are counted" {
	framed
	# a size that is none, each 320 bytes
	cp "$T/plain" "$T/bad"
	for ((i = 0; i < 300; i++)); do
		printf '\x09' | dd of="$T/bad" bs=1 seek=$((192 + 320 * i + i / 75 * 8 + 6)) conv=notrunc status=none
	done
	try pcat --repair "$T/bad"
	[ $rc = 1 ]
	[ "$(wc -l <"$T/err")" = 101 ]
	# a search may stop short where random bytes look like a record
	tail -n 1 "$T/err" | grep -q "^pcat: $T/bad: 20[0-5] more faults like these; 12000 bytes left out in all$"
	[ "$(wc -c <"$T/out")" = $((6000 * 40 + 80 + 192 - 12000)) ]
}

# Of the perf.data NAME what a killed recorder would have left, in $T/killed: no size of the data, nothing behind them.
kill_file() {
	head -c $(($(od -An -tu8 -j40 -N8 "$1") + $(od -An -tu8 -j48 -N8 "$1"))) "$1" >"$T/killed"
	dd if=/dev/zero of="$T/killed" bs=1 seek=48 count=8 conv=notrunc status=none
	dd if=/dev/zero of="$T/killed" bs=1 seek=72 count=32 conv=notrunc status=none
}

# What a directory of tracing has of the tracepoints of a recording with TRACING_DATA, in $T/tracing.
tracing_directory() {
	local e name
	for e in sched_process_fork sched_process_exec sched_process_exit; do
		mkdir -p "$T/tracing/events/sched/$e"
		sed -n "s/.*\(name: $e\)\$/\1/; /^name: $e\$/,/^print fmt/p" "$1" >"$T/tracing/events/sched/$e/format"
		grep -q '^ID: [0-9]' "$T/tracing/events/sched/$e/format"
	done
	# another system, others of this one, and what is no format
	mkdir -p "$T/tracing/events/irq/irq_handler_entry" "$T/tracing/events/sched/sched_switch" "$T/tracing/events/ftrace/function"
	printf 'name: irq_handler_entry\nID: 9001\nformat:\n' >"$T/tracing/events/irq/irq_handler_entry/format"
	printf 'name: sched_switch\nID: 9002\nformat:\n' >"$T/tracing/events/sched/sched_switch/format"
	echo 1 >"$T/tracing/events/enable"
	sed -n 's/.*\(\tfield: u64 timestamp;\)/\1/; /^\tfield: u64 timestamp;/,/field: char data;/p' "$1" >"$T/tracing/events/header_page"
	sed -n 's/.*\(# compressed entry header\)/\1/; /^# compressed/,/data max type_len/p' "$1" >"$T/tracing/events/header_event"
	[ -s "$T/tracing/events/header_page" ] && [ -s "$T/tracing/events/header_event" ]
}

@test "repair: for a killed recording of tracepoints a message names the missing formats; --formats-from adds them" {
	need perf
	in=data/sched_R.file.data
	kill_file $in
	try pcat --repair "$T/killed"
	[ $rc = 1 ]
	grep -q "^pcat: $T/killed: byte [0-9]*: TRACING_DATA: .*perf shows no tracepoints without them (pcat --repair --formats-from" "$T/err"
	! perf script -f -i "$T/out" 2>/dev/null | grep -q sched_process || false
	perf script -f -i $in >"$T/want"
	[ "$(grep -c sched_process "$T/want")" = 8 ]
	tracing_directory data/sched_R.pipe.data
	for other in data/sched_R.pipe.data $in "$T/tracing"; do
		try pcat --repair --formats-from "$other" "$T/killed"
		[ $rc = 1 ] || failed "$other: status"
		mv "$T/out" "$T/mended"
		perf script -f -i "$T/mended" 2>/dev/null | cmp "$T/want" - || failed "$other: as a stream"
		pcat --format=file -f -o "$T/mended.data" "$T/mended"
		perf script -f -i "$T/mended.data" 2>/dev/null | cmp "$T/want" - || failed "$other: as a file"
		# what was saved without them before can get them, too
		pcat --repair "$T/killed" >"$T/saved" 2>/dev/null || true
		pcat --repair --formats-from "$other" "$T/saved" | cmp "$T/mended" - || failed "$other: saved"
	done
	[ "$(pfilter -e sched:sched_process_exit "$T/mended" | perf script -f -i - 2>/dev/null | wc -l)" -ge 1 ] || failed "names"
	done_all
}

@test "repair: formats that do not fit are refused, those that are there stay" {
	kill_file data/sched_R.file.data
	tracing_directory data/sched_R.pipe.data
	try pcat --repair --formats-from data/basic.pipe.data "$T/killed"
	[ $rc = 1 ]
	one_line "pcat: data/basic.pipe.data: has no formats of tracepoints (TRACING_DATA)"
	! [ -s "$T/out" ] || false
	try pcat --repair --formats-from "$T/nothing" "$T/killed"
	[ $rc = 1 ]
	one_line "pcat: $T/nothing: No such file or directory"
	sed -i 's/^ID: .*/ID: 9003/' "$T/tracing/events/sched/sched_process_fork/format"
	try pcat --repair --formats-from "$T/tracing" "$T/killed"
	[ $rc = 1 ]
	grep -q "has no format of tracepoint [0-9]* of this recording" "$T/err"
	rm "$T/tracing/events/header_page"
	try pcat --repair --formats-from "$T/tracing" "$T/killed"
	[ $rc = 1 ]
	one_line "pcat: $T/tracing: events/header_page: No such file or directory"
	try pcat --repair --formats-from data/sched_R.file.data data/sched_R.pipe.data
	[ $rc = 0 ]
	one_line "pcat: warning: --formats-from: the recording already has formats"
	cmp "$T/out" data/sched_R.pipe.data
	try pcat --repair --formats-from data/sched_R.file.data data/basic.pipe.data
	[ $rc = 0 ]
	one_line "pcat: warning: --formats-from: the recording has no tracepoints"
	cmp "$T/out" data/basic.pipe.data
	for o in "" "--repair data/basic.pipe.data"; do
		try pcat $o --formats-from data/sched_R.file.data "$T/killed"
		[ $rc = 2 ]
	done
}

@test "repair: a hundred broken places in a compressed recording end well" {
	in=data/z1.pipe.data
	size=$(stat -c %s $in)
	for ((n = 200; n < size; n += size / 100 + 1)); do
		turn 7 || continue
		cp $in "$T/z"
		chmod u+w "$T/z"
		printf '\x5a\xa5' | dd of="$T/z" bs=1 seek=$n conv=notrunc status=none
		try timeout 60 pcat --repair "$T/z"
		[ $rc -le 1 ] || failed "$n"
		[ $rc = 0 ] || [ -s "$T/err" ] || failed "$n: nothing said"
		pcat <"$T/out" >/dev/null 2>"$T/again" || failed "$n: $(cat "$T/again")"
	done
	done_all
}

@test "repair: fuzzers' findings end well" {
	need corpus
	for f in "$CORPUS"/foreign/quipper_fuzz/*; do
		try timeout 60 pcat --repair "$f"
		[ $rc -le 1 ] || failed "$f"
	done
	done_all
}

@test "repair: a sample that says more of its user stack than was copied is left out" {
	head='attr type=1 config=0 period=1 sample_type=IP|TID|TIME|STACK_USER flags=sample_id_all ids=11 stack_user=16'
	sample='SAMPLE misc=2 ip=0x1 pid=1 tid=1 stack=000102030405060708090a0b0c0d0e0f'
	printf '%s\n' "$head" "$sample time=1000" "$sample time=1002 dyn_size=0" "$sample time=1003" | mkpipe >"$T/want"
	printf '%s\n' "$head" "$sample time=1000" "$sample time=1001 dyn_size=17" "$sample time=1002 dyn_size=0" "$sample time=1003" | mkpipe >"$T/in"
	try pcat --repair "$T/in"
	[ $rc = 1 ] && cmp "$T/out" "$T/want" && one_line "pcat: $T/in: byte 224: SAMPLE: more user stack is used than was copied" || failed "17 of 16: $(cat "$T/err")"
	try pcat --repair "$T/want"
	[ $rc = 0 ] && cmp "$T/out" "$T/want" || failed "0 and 16 of 16"
	done_all
}
