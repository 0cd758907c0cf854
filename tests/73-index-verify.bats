# SPDX-License-Identifier: ISC
# --verify-index: an index that fits where it is looked at, of a recording that was changed elsewhere.
load lib

# A recording of many chunks, with its index.
recording() {
	"$O/bench/gen" 1500000 >"$T/in" 2>/dev/null
	pcat -q --index --chunk-size=4K "$T/in"
}

# changed: change the recording in a chunk that --pid 999999 leaves out, so that the index still fits; size and time stay.
changed() {
	cp -p "$T/in" "$T/good"
	python3 - "$T/in" <<-'X'
		import os, struct, sys
		p = sys.argv[1]
		st = os.stat(p)
		d = bytearray(open(p, 'rb').read())
		at, n = 16, 0
		while at < len(d):
		    t, m, size = struct.unpack_from('<IHH', d, at)
		    n += t == 9
		    if t == 9 and n == 5003:
		        d[at + size - 1] ^= 1		# of its last field
		        break
		    at += size
		open(p, 'r+b').write(d)
		os.utime(p, ns=(st.st_atime_ns, st.st_mtime_ns))
	X
	! cmp -s "$T/in" "$T/good" || failed "nothing was changed"
}

@test "index: --verify-index compares all bytes, and -v says what is trusted" {
	need python3
	recording
	try pfilter -v --pid 999999 "$T/in"
	[ $rc = 0 ] && grep -q 'index: .* MB left out, of which some places were compared with it, and the rest is trusted' "$T/err" || failed "$(cat "$T/err")"
	cp "$T/out" "$T/want"
	try pfilter -v --verify-index --pid 999999 "$T/in"
	[ $rc = 0 ] && cmp "$T/out" "$T/want" && grep -q 'index: .* MB left out, after their hashes were compared' "$T/err" || failed "sound: $(cat "$T/err")"
	changed
	# believed as it is: the chunk is not read
	try pfilter -v --pid 999999 "$T/in"
	[ $rc = 0 ] && cmp "$T/out" "$T/want" && ! grep -q 'was changed' "$T/err" || failed "believed: $(cat "$T/err")"
	try pfilter -v --verify-index --pid 999999 "$T/in"
	[ $rc = 0 ] && grep -q "warning: $T/in.ppi: the recording was changed after it was made, so all is read" "$T/err" || failed "changed: $rc $(cat "$T/err")"
	! grep -q 'MB left out' "$T/err" || failed "changed, and left out: $(cat "$T/err")"
	# the other tools, by a piece
	for c in ${STREAMERS/ pfilter} "pstat --json"; do
		try $c -q --piece=1/2 --verify-index "$T/good"
		[ $rc = 0 ] || failed "$c: no index"
		cp -p "$T/in.ppi" "$T/good.ppi"
		try $c --piece=1/2 --verify-index "$T/good"
		[ $rc = 0 ] && ! grep -q 'was changed' "$T/err" || failed "$c: sound: $(cat "$T/err")"
		try $c --piece=1/2 --verify-index "$T/in"
		[ $rc = 0 ] && grep -q 'was changed' "$T/err" || failed "$c: changed: $rc $(cat "$T/err")"
		rm "$T/good.ppi"
	done
	try pfilter --verify-index --no-index "$T/in"
	[ $rc = 2 ] && grep -q 'cannot be combined' "$T/err" || failed "--no-index: $rc"
	done_all
}
