# SPDX-License-Identifier: ISC
# pcat --repair: all that is whole is kept, each fault is told in a line, exit 1.
load lib


# killed NAME [option...]: what a recorder leaves that is killed after a while.
killed() {
	local out=$T/$1 pid
	shift
	perf record -o "$out" "$@" -m 8 -a -g -F 5000 -- sleep 4 >/dev/null 2>&1 &
	pid=$!
	for _ in {1..35}; do	# small buffers fill soon
		sleep 0.1
		[ "$(stat -c %s "$out" 2>/dev/null || echo 0)" -lt 20000 ] || break
	done
	sleep 1			# what stands there first is about tasks that run already
	kill -KILL $pid 2>/dev/null || skip "perf record does not work here"
	wait $pid 2>/dev/null || true
	[ -s "$out" ] || skip "perf record does not work here"
}

@test "repair: a sound input comes out as without it, exit 0, nothing said" {
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
		head -c $n "$in" >"$T/cut"
		try pcat --repair "$T/cut"
		out=$(stat -c %s "$T/out")
		cmp -s -n $out "$T/out" "$in" || failed "$n: not a prefix"
		[ $out -ge $last ] || failed "$n: $out bytes, with fewer there were $last"
		[ $rc = $((out != n)) ] || failed "$n: $out bytes"
		[ $out = $n ] || grep -q "; $((n - out)) bytes\? left out" "$T/err" || failed "$n: bytes left out not told"
		last=$out
	done
	[ $last = $size ] || failed "whole: $last of $size bytes"
	done_all
}

@test "repair: every prefix of a perf.data ends well" {
	in=data/basic.file.data
	size=$(stat -c %s $in)
	for ((n = 0; n < size; n += 61)); do
		head -c $n $in >"$T/cut"
		try pcat --repair "$T/cut"
		[ $rc = 1 ] && [ -s "$T/err" ] || failed $n
	done
	done_all
}

@test "repair: a flipped byte costs no more than its record and what it says of others" {
	in=$(recipe two-events)
	size=$(stat -c %s "$in")
	# behind the attrs: without them nothing has a meaning
	for ((n = 1000; n < size; n += 7)); do
		cp "$in" "$T/flip"
		printf '\xff' | dd of="$T/flip" bs=1 seek=$n conv=notrunc status=none
		try pcat --repair "$T/flip"
		out=$(stat -c %s "$T/out")
		[ $rc -le 1 ] && [ $((size - out)) -le 200 ] || failed "$n: $out of $size bytes"
	done
	done_all
}

@test "repair: the size of a record is 0: the search finds the next" {
	need corpus
	f=$CORPUS/foreign/quipper/perf.data.piped.corrupted.zero_size_sample-3.2
	try pcat "$f"
	[ $rc = 1 ] && one_line "pcat: $f: byte 49104: SAMPLE: record of 0 bytes needs 8 (pcat --repair"
	[ "$(stat -c %s "$T/out")" = 49104 ]
	try pcat --repair "$f"
	[ $rc = 1 ] && one_line "pcat: $f: byte 49104: SAMPLE: record of 0 bytes needs 8; 48 bytes left out"
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
	[ $rc = 1 ] && one_line "pcat: $T/k.data: byte 48: data size is 0: the recorder was killed"
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
	[ $rc = 1 ] && one_line "pcat: $CORPUS/own/uid0.file.data: byte 48: data size is 0"
	pcat <"$T/out" | cmp - "$T/out"
}

@test "repair: a feature that lies outside the file is left out alone" {
	# The table of features stands behind the data; its entries are offset and size.
	in=data/basic.file.data
	off=$(od -An -tu8 -j40 -N8 $in)
	size=$(od -An -tu8 -j48 -N8 $in)
	cp $in "$T/lies"
	chmod u+w "$T/lies"
	printf '\xff\xff\xff\xff\xff' | dd of="$T/lies" bs=1 seek=$((off + size)) conv=notrunc status=none
	try pcat "$T/lies"
	[ $rc = 1 ] && ! [ -s "$T/out" ]
	try pcat --repair "$T/lies"
	[ $rc = 1 ] && grep -q 'lies outside the file' "$T/err"
	perf script -f -i $in >"$T/a" 2>/dev/null || true
	perf script -f -i "$T/out" 2>/dev/null | wc -l | grep -qx "$(wc -l <"$T/a")"
}

@test "repair: broken zstd loses what follows in it, not the plain records" {
	in=$(recipe zipped)
	try pcat --repair <(sed 's/\x28\xb5\x2f\xfd/\x28\xb5\x2f\xfe/' "$in")
	[ $rc = 1 ] && grep -q 'COMPRESSED: zstd: .*no more of this stream can be expanded; [0-9]* bytes left out' "$T/err"
	[ "$(stat -c %s "$T/out")" -gt 100 ]
	pcat <"$T/out" >/dev/null
}

@test "repair: a hundred broken places in a compressed recording end well" {
	in=data/z1.pipe.data
	size=$(stat -c %s $in)
	for ((n = 200; n < size; n += size / 100 + 1)); do
		cp $in "$T/z"
		chmod u+w "$T/z"
		printf '\x5a\xa5' | dd of="$T/z" bs=1 seek=$n conv=notrunc status=none
		try timeout 20 pcat --repair "$T/z"
		[ $rc -le 1 ] || failed "$n"
		[ $rc = 0 ] || [ -s "$T/err" ] || failed "$n: nothing said"
		pcat <"$T/out" >/dev/null 2>"$T/again" || failed "$n: $(cat "$T/again")"
	done
	done_all
}

@test "repair: fuzzers' findings end well" {
	need corpus
	for f in "$CORPUS"/foreign/quipper_fuzz/*; do
		try timeout 20 pcat --repair "$f"
		[ $rc -le 1 ] || failed "$f"
	done
	done_all
}
