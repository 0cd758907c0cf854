# SPDX-License-Identifier: ISC
# pcat -z: streams and files that are compressed after the fact.
load lib

# types FILE: how many records of which type a stream has, "type count" a line; payloads outside are not stepped over.
types() {
	local at=16 size type end
	end=$(wc -c <"$1")
	while [ "$at" -lt "$end" ]; do
		read -r type _ size <<<"$(od -An -j $at -N 8 -t u2 "$1" | awk '{ print $1, $3, $4 }')"
		echo "$type"
		at=$((at + size))
	done | sort -n | uniq -c
}

@test "compress: what was compressed expands to the same bytes" {
	for in in data/*.pipe.data $(for r in base ordered small all-types two-events read-group every-sample unknown big; do
	    recipe $r; recipe $r -b; done); do
		for o in -z "-z9 --compressed2"; do
			turn 11 || continue
			pcat "$in" >"$T/plain"
			pcat $o "$T/plain" >"$T/z" || failed "$in $o"
			pcat "$T/z" | cmp "$T/plain" - || failed "$in $o: back"
		done
	done
	for o in -z19 -z=3 --compressed2 "-z3 --threads=2"; do
		pcat $o "$T/plain" | pcat -d | cmp "$T/plain" - || failed "$o"
	done
	done_all
}

@test "compress: perf reads it" {
	need perf
	for in in data/*.pipe.data $(recipe rounds) $(recipe two-events); do
		case $in in
		*s390x*|*stat.*|*per_thread*) continue;;	# COMPRESSED of the other byte order is new; no samples
		esac
		pcat "$in" >"$T/plain"
		pcat -z "$T/plain" >"$T/z" || failed "$in"
		same_script "$T/plain" "$T/z" || failed "$in"
	done
	done_all
}

# incompressible N: a stream of N samples with 8 KiB of random stack.
incompressible() {
	{
		echo "attr type=1 config=0 period=1000 sample_type=IP|TID|TIME|STACK_USER stack_user=8192 flags=sample_id_all|comm len=128"
		echo "COMM pid=100 tid=100 comm=alpha"
		awk -v n="$1" 'BEGIN {
			srand(1)
			for (i = 0; i < n; i++) {
				printf "SAMPLE misc=2 ip=0x401000 pid=100 tid=100 time=%d stack=", 1000 + i
				for (j = 0; j < 8192; j++) printf "%02x", int(rand() * 256)
				print ""
			}
		}'
	} >"$T/incompressible.txt"
	mkpipe "$T/incompressible.txt"
}

@test "compress: perf reads what compresses badly" {
	need perf
	incompressible 150 >"$T/in"
	perf script -f -F ip,time -i "$T/in" >"$T/want"
	[ "$(wc -l <"$T/want")" = 150 ]
	for o in -z -z3 -z9 -z19 "-z9 --frame-size=64K" "-z --frame-size=session" "-z19 --threads=2 --frame-size=256K"; do
		turn 5 || continue
		pcat $o "$T/in" >"$T/z" || failed "$o"
		perf script -f -F ip,time -i "$T/z" 2>&1 | cmp "$T/want" - || failed "$o"
		pcat "$T/z" | cmp "$T/in" - || failed "$o: back"
	done
	pcat -z19 --compressed2 "$T/in" | pcat | cmp "$T/in" - || failed "--compressed2: back"
	done_all
}

# frames FILE: of each COMPRESSED of a stream without payloads, in order: "frame" if a zstd frame begins in it, else "more".
frames() {
	hex_records "$1" | awk '$1 == 81 { print substr($2, 17, 8) == "28b52ffd" ? "frame" : "more" }'
}

@test "compress: a frame for each --frame-size of records, in records of its own" {
	need perf
	in=$(recipe big)
	n=$(wc -c <"$in")
	[ "$n" -gt 1000000 ]
	for size in 65536 131072 262144; do
		pcat -z --frame-size=$((size / 1024))K "$in" >"$T/z"
		frames "$T/z" >"$T/frames"
		# a frame ends with a record, so it may be longer by one; the last one may be a part
		frames=$(grep -c frame "$T/frames")
		[ "$frames" -ge $((n / (size + 256))) ] && [ "$frames" -le $((n / size + 1)) ] || failed "$size: $frames frames of $n bytes"
		# no magic is inside a record
		[ "$(grep -a -o $'\x28\xb5\x2f\xfd' "$T/z" | wc -l)" = "$frames" ] || failed "$size: a frame begins amid a record"
		same_script "$in" "$T/z" -F ip,time || failed "$size"
	done
	pcat -z --frame-size=session "$in" >"$T/z"
	[ "$(frames "$T/z" | grep -c frame)" = 1 ] || failed "session"
	pcat -z "$in" | cmp - <(pcat -z --frame-size=4M "$in") || failed "the default"
	done_all
}

@test "compress: frames keep the rules of readers" {
	python3 -c 'import ctypes; ctypes.CDLL("libzstd.so.1")' 2>"$T/err" || skip "no python3 that finds libzstd"
	incompressible 30 >"$T/bad"
	for in in "$T/bad" $(recipe big) $(recipe all-types) data/g_fp.pipe.data data/sched_R.pipe.data; do
		for o in "-z --frame-size=64K" "-z9" "-z3 --frame-size=session" "-z --compressed2 --frame-size=64K" "-z3 --threads=2 --frame-size=64K"; do
			turn 7 || continue
			pcat $o "$in" >"$T/z"
			try "$BATS_TEST_DIRNAME/frames.py" "$T/z"
			[ $rc = 0 ] || failed "$in $o: $(cat "$T/out")"
		done
	done
	# what breaks a rule is seen: an empty frame and the begin of another in one record
	pcat -z --frame-size=64K "$(recipe big)" >"$T/z"
	python3 - "$T/z" <<-'END'
		import struct, sys
		b, at, last = open(sys.argv[1], "rb").read(), 16, 0
		while at < len(b):
		    kind, _, size = struct.unpack_from("<IHH", b, at)
		    if kind == 81 and b[at + 8:at + 12] == b"\x28\xb5\x2f\xfd":
		        last = at
		    at += size
		size = struct.unpack_from("<H", b, last + 6)[0]
		one = b[last + 8:last + size]
		open(sys.argv[1], "wb").write(b[:last] + struct.pack("<IHH", 81, 0, 8 + size) + b"\x28\xb5\x2f\xfd\x20\x00\x01\x00\x00" + one[:size - 9])
	END
	try "$BATS_TEST_DIRNAME/frames.py" "$T/z"
	[ $rc = 1 ] || failed "two frames in a record"
	done_all
}

@test "compress: --threads writes the same bytes" {
	for in in $(recipe big) $(recipe all-types) data/g_fp.pipe.data data/sched_R.pipe.data; do
		for o in "-z --frame-size=64K" "-z3 --compressed2 --frame-size=100K"; do
			pcat $o "$in" >"$T/want"
			for n in 1 2 5; do
				pcat $o --threads=$n "$in" | cmp "$T/want" - || failed "$in $o --threads=$n"
			done
		done
	done
	done_all
}

@test "compress: a damaged byte in a frame is reported" {
	in=$(recipe big)
	pcat -z --frame-size=64K "$in" >"$T/z"
	n=$(wc -c <"$T/z")
	# the last frame has no end, and so no checksum
	for ((i = 1; i < 40; i++)); do
		cp "$T/z" "$T/flip"
		at=$((i * (n - 20000) / 40 + 1000))
		was=$(od -An -tu1 -j $at -N 1 "$T/flip")
		printf "\\$(printf %o $((was ^ 16)))" | dd of="$T/flip" bs=1 seek=$at conv=notrunc status=none
		try pcat "$T/flip"
		[ $rc = 1 ] || failed "byte $at: status $rc"
	done
	done_all
}

@test "compress: no record expands to more than the size in header feature 27" {
	need perf
	{
		echo "attr type=1 config=0 period=1000 sample_type=IP|TID|TIME|PERIOD flags=sample_id_all|comm len=128"
		echo "COMM pid=100 tid=100 comm=alpha"
		echo "SAMPLE misc=2 ip=0x401000 pid=100 time=1000 period=1 repeat=200000 step=0"
	} >"$T/r.txt"
	mkpipe "$T/r.txt" >"$T/plain"
	for o in -z -z19 "-z --threads=2"; do
		pcat $o "$T/plain" >"$T/z" || failed "$o"
		n=$(perf script -f -i "$T/z" -F ip 2>/dev/null | wc -l)
		[ "$n" = 200000 ] || failed "$o: perf sees $n of 200000 samples"
		[ "$(wc -c <"$T/z")" -lt 100000 ] || failed "$o: $(wc -c <"$T/z") bytes"
		# nor to much less: the last one and those in front of a flush do
		n=$(perl -e 'binmode STDIN; local $/; my $d = <STDIN>; my $n = 0;
			for (my $o = 16; $o + 8 <= length $d; ) { my ($t, $m, $s) = unpack "Vvv", substr $d, $o, 8; $n += $t == 81; $o += $s } print $n' <"$T/z")
		[ "$n" -le $(($(wc -c <"$T/plain") / (400 << 10) + 3)) ] || failed "$o: $n records"
	done
	done_all
}

@test "compress: feature 27 stands with the others, once, in front of what is compressed" {
	in=$(recipe two-events)
	pcat -z "$in" >"$T/z"
	pcat -z --compressed2 "$in" >"$T/z2"
	# as u16s: HEADER_FEATURE 27 of 36 bytes with version, type, level, ratio, mmap_len; then the end mark
	for f in z z2; do
		od -An -v -w2 -t u2 "$T/$f" | tr -s ' \n' ' ' >"$T/words"
		[ "$(grep -o " 80 0 0 36 27 0 0 0" "$T/words" | wc -l)" = 1 ] || failed "$f: once"
		grep -q " 80 0 0 36 27 0 0 0 0 0 1 0 1 0 0 0 4096 9 80 0 0 16 " "$T/words" ||
		    failed "$f: before the end mark, version 0, type 1, level 1, ratio 0, mmap_len 593920"
	done
	types "$T/z" | grep -q ' 81$' && ! types "$T/z" | grep -q ' 83$' || failed "-z"
	types "$T/z2" | grep -q ' 83$' && ! types "$T/z2" | grep -q ' 81$' || failed "--compressed2"
	! types "$T/z" | grep -q ' 9$' || failed "a plain sample"
	[ "$(types "$T/z" | grep ' 6[0-9]$')" = "$(types "$in" | grep ' 6[0-9]$')" ] || failed "perf's own stay plain"
	done_all
}

@test "compress: records of perf's own stay plain, in order" {
	in=$(recipe all-types)
	pcat -z "$in" >"$T/z"
	pcat "$T/z" | cmp "$in" -
	pcat -z "$T/z" | cmp "$T/z" -
}

# Does $T/z hold all of it, though it has no end?
expands_to() {
	pcat "$T/z" | cmp -s "$1" -
}

@test "compress: what has been read is written before more is waited for" {
	in=$(recipe two-events)
	for o in -z "-z --compressed2" "-z --threads=1" "-z --threads=3 --frame-size=64K"; do
		rm -f "$T/fifo" "$T/z"		# or the one of the form before is taken for it
		mkfifo "$T/fifo"
		exec 9<>"$T/fifo"
		pcat $o <"$T/fifo" >"$T/z" 3>&- 9>&- &
		cat "$in" >&9
		await expands_to "$in" || failed "$o: waits"
		kill -9 $! && wait $! 2>/dev/null || true
		exec 9>&-
		pcat "$T/z" | cmp "$in" - || failed "$o"
	done
	done_all
}

@test "compress: as small as zstd makes it" {
	need zstd
	in=$(recipe big)
	for l in 1 3 9; do
		a=$(pcat -z$l "$in" | wc -c)
		b=$(zstd -q -c -$l "$in" | wc -c)
		[ $((a * 100)) -le $((b * 110 + 100000)) ] || failed "-z$l: $a bytes, zstd $b"
	done
	done_all
}

@test "compress: a seekable file" {
	need perf
	for in in data/basic.file.data data/sched_R.file.data $(recipe all-types); do
		pcat "$in" >"$T/plain"
		pcat --format=file -f -o "$T/a" "$in"
		for o in -z "-z --compressed2"; do
			pcat $o --format=file -f -o "$T/z" "$in" || failed "$in $o"
			cmp <(pcat "$T/a") <(pcat "$T/z") || failed "$in $o: back"
			case $in:$o in
			*all-types*) ;;
			*:-z) same_script "$T/a" "$T/z" || failed "$in $o"
				perf report --header-only -f -i "$T/z" 2>/dev/null | grep -q '^# compressed : Zstd, level = 1' ||
				    failed "$in $o: header";;
			esac
		done
	done
	done_all
}

@test "compress: errors are reported" {
	in=$(recipe big)
	for l in 0 23 x; do
		try pcat -z$l "$in"
		[ $rc = 2 ] && ! [ -s "$T/out" ] || failed "-z$l"
	done
	for o in "-z --frame-size=63K" "-z --frame-size=65M" "-z --frame-size=x" "--frame-size=1M" "-z --frame-size=session --threads=2"; do
		try pcat $o "$in"
		[ $rc = 2 ] && ! [ -s "$T/out" ] || failed "$o"
	done
	try sh -c "pcat -z --threads=2 --frame-size=64K '$in' >/dev/full"
	[ $rc = 1 ] && one_line "pcat: <stdout>: write: No space left" || failed "full disk, by threads"
	try sh -c "pcat -z '$in' >/dev/full"
	[ $rc = 1 ] && one_line "pcat: <stdout>: write: No space left" || failed "full disk"
	head -c 1000 "$(recipe ordered)" >"$T/cut"
	try pcat -z "$T/cut"
	[ $rc = 1 ] && one_line "pcat: $T/cut: byte " || failed "a cut stream"
	pcat "$T/cut" >"$T/whole" 2>/dev/null || true
	mv "$T/out" "$T/z"
	pcat "$T/z" | cmp "$T/whole" - || failed "what was whole"
	done_all
}
