# SPDX-License-Identifier: ISC
# Recordings that are compressed as a whole, with the seek table of zstd's seekable format.
load lib

setup_file() {
	local O=${O:-$BATS_TEST_DIRNAME/../build} D=$BATS_FILE_TMPDIR
	PATH=${INSTALLED:+$INSTALLED:}$O:$PATH
	command -v zstd >/dev/null && command -v python3 >/dev/null || return 0
	cd "$D"
	"$O/bench/gen" 1000000 >gen
	pcat -q --format=file --endian=big -o gen.big gen
	for f in gen gen.big; do
		"$BATS_TEST_DIRNAME/seekable.py" 100000 $f $f.zst
	done
}
# In a directory with these.
begin() {
	need zstd
	need python3
	cp "$BATS_FILE_TMPDIR"/gen* "$T"
	cd "$T"
}

@test "seek table: chunks and index are those of the recording in it" {
	begin
	"$BATS_TEST_DIRNAME/seekable.py" -k 50000 gen sums.zst
	cp gen sums
	for f in gen gen.big sums; do
		zstd -dc <$f.zst | cmp - $f || failed "$f: the file"
		pcat $f.zst | cmp - <(pcat $f) || failed "$f"
		pcat --chunks --chunk-size=64K $f >want
		try pcat --chunks --chunk-size=64K $f.zst
		[ $rc = 0 ] && cmp want "$T/out" || failed "$f: chunks"
		for x in $f $f.zst; do pcat -q --index --chunk-size=64K $x || failed "$x: --index"; done
		cmp $f.ppi $f.zst.ppi || failed "$f: index"
		for o in "--time 50%-55%" "--pid 999999" "--time 10%/3"; do
			try pfilter -v $o $f
			grep -o 'index: [0-9]* of [0-9]* chunks, .*' err >index || failed "$f $o: no index"
			cp out with
			pfilter --no-index $o $f 2>no-index | cmp - with || failed "$f $o: index of the plain one"
			try pfilter -v $o $f.zst
			cmp out with && grep -qFf index err || failed "$f $o: $(cat index)"
		done
	done
	try pfilter -v --pid 999999 gen.zst
	! grep -q 'index: 16 of 16 chunks' err || failed "all is read"
	done_all
}

@test "seek table: the output is the same with and without an index" {
	begin
	try "$BATS_TEST_DIRNAME/index-law.py" $((ALL ? 500 : 16)) ${ALL:+$RANDOM}${ALL:-11} gen.zst gen.big.zst
	cat out
	[ $rc = 0 ]
}

@test "seek table: one that lies gives the right output or status 1" {
	begin
	head -c 300000 gen | pcat 2>/dev/null >small || true
	"$BATS_TEST_DIRNAME/seekable.py" 100000 small small.zst
	pcat -q --index --chunk-size=32K small.zst
	pfilter --no-index --time 80%-85% small >want
	n=$(wc -c <small.zst)
	cp small.zst.ppi good.ppi
	# the bytes of 3 entries, their number, flags, magic; then sizes that are wrong only together
	for at in $(seq $((n - 41)) $((ALL ? 1 : 2)) $((n - 1))) both; do
		python3 - $at $n <<-'END'
			import struct, sys
			b = bytearray(open("small.zst", "rb").read())
			if sys.argv[1] == "both":
			    at = int(sys.argv[2]) - 9 - 24
			    one, two = (struct.unpack_from("<I", b, at + 8 * i + 4)[0] for i in (0, 1))
			    struct.pack_into("<I", b, at + 4, one - 1000)
			    struct.pack_into("<I", b, at + 12, two + 1000)
			else:
			    b[int(sys.argv[1])] ^= 8
			open("bad.zst", "wb").write(b)
		END
		cp good.ppi bad.zst.ppi
		try pfilter --time 80%-85% bad.zst
		[ $rc = 1 ] || cmp -s out want || failed "byte $at: with the index"
		try pcat --no-index bad.zst
		[ $rc = 1 ] || cmp -s out small || failed "byte $at"
		rm bad.zst.ppi
		try pcat --index --chunk-size=32K bad.zst
		[ $rc != 0 ] || cmp -s bad.zst.ppi good.ppi || {
			# it is of these bytes, so it may be used
			try pfilter --time 80%-85% bad.zst
			[ $rc = 1 ] || cmp -s out want || failed "byte $at: with its index"
		}
	done
	done_all
}

@test "seek table: read byte by byte it is the same" {
	begin
	head -c 300000 gen | pcat 2>/dev/null >small || true
	"$BATS_TEST_DIRNAME/seekable.py" 100000 small small.zst
	pcat --chunks --chunk-size=64K small.zst >want
	[ "$(wc -l <want)" -ge 4 ] || failed "few chunks"
	with_fault read:short,pread:short pcat --chunks --chunk-size=64K small.zst | diff want - || failed "chunks"
	with_fault read:short,pread:short pfilter --piece=2/3 small.zst | cmp - <(pfilter --piece=2/3 small.zst) || failed "a piece"
	done_all
}

@test "seek table: without one that can be used there are no chunks, and all else works" {
	begin
	zstd -qc gen >one.zst
	python3 - <<-'END'
		import struct
		b = open("one.zst", "rb").read()
		# a frame that claims to be too large for it; more frames than there are bytes
		for name, sizes, n in ("huge", (len(b), 65 << 20), 1), ("many", (len(b), 1000000), 1 << 30), ("none", (), 0):
		    t = struct.pack("<%dI" % len(sizes), *sizes) + struct.pack("<IBI", n, 0, 0x8f92eab1)
		    open(name + ".zst", "wb").write(b + struct.pack("<II", 0x184d2a5e, len(t)) + t)
	END
	for f in one huge many none; do
		try pcat --chunks $f.zst
		[ $rc = 2 ] && one_line "pcat: --chunks: the whole recording is compressed, and has no seek table that can be used" || failed "$f"
		pcat $f.zst | cmp - gen || failed "$f: read"
	done
	try sh -c "pcat --chunks <gen.zst"
	[ $rc = 0 ] || failed "standard input"
	pcat --chunks gen | cmp - out || failed "standard input"
	try sh -c "cat gen.zst | pcat --chunks"
	[ $rc = 2 ] || failed "pipe"
	for o in "" --repair "--piece=1/2"; do
		pcat $o gen.zst | cmp - <(pcat $o gen) || failed "pcat $o"
	done
	done_all
}
