# SPDX-License-Identifier: ISC
# pinject --unwind: rounds that are larger than memory, and recordings without rounds.
load lib

setup_file() {
	export W=$BATS_FILE_TMPDIR
	O=$(cd "${O:-$BATS_TEST_DIRNAME/../build}" && pwd)
	"$O/bench/stacks" 72000000 >"$W/stacks" 2>"$W/err" || return 0
	# rounds IN OUT WORD...: all records get a time.  one: behind the first, the rest is one; none: there are no rounds; late: the maps of
	# code come last, with times before all samples; halves: the second half of the samples is older than the first
	cat >"$W/rounds.py" <<-'END'
		import struct, sys
		data, words, at, records = open(sys.argv[1], "rb").read(), sys.argv[3:], 16, []
		while at < len(data):
		    kind, misc, size = struct.unpack_from("<IHH", data, at)
		    records.append((kind, data[at:at + size]))
		    at += size
		samples = [struct.unpack_from("<Q", r, 24)[0] for kind, r in records if kind == 9]
		out, late, round, n = [data[:16]], [], struct.pack("<IHH", 68, 0, 8), 0
		for kind, r in records:
		    if kind == 64:
		        r = r[:48] + struct.pack("<Q", struct.unpack_from("<Q", r, 48)[0] | 1 << 18) + r[56:]
		    elif kind == 68 and ("none" in words or ("one" in words and n > 64)):
		        continue
		    elif kind == 9:
		        if "halves" in words and n >= len(samples) // 2:
		            r = r[:24] + struct.pack("<Q", samples[n] - 20000000) + r[32:]
		        n += 1
		    elif kind == 10:
		        r = r[:6] + struct.pack("<H", len(r) + 16) + r[8:] + r[8:16] + struct.pack("<Q", samples[0] - 40000000)
		        if "late" in words and r[64] & 4:
		            late.append(r)
		            continue
		    out.append(r)
		out += late + ([] if "none" in words else 2 * [round])
		open(sys.argv[2], "wb").write(b"".join(out))
	END
	python3 "$W/rounds.py" "$W/stacks" "$W/in"
	"${INSTALLED:-$O}/pinject" --unwind "$W/in" >"$W/out" 2>"$W/err" && python3 "$BATS_TEST_DIRNAME/chains.py" chains "$W/out" >"$W/chains"
}
recorded() {
	need native
	[ -s "$W/stacks" ] || skip "stacks of $(uname -m) cannot be unwound"
	[ -s "$W/chains" ] && ! grep -v 'files got another name' "$W/err" || { cat "$W/err"; false; }
}
# made WORD...: $T/in, in that form
made() {
	python3 "$W/rounds.py" "$W/stacks" "$T/in" "$@"
}
# silent: is there no warning, but that files of the system got another name, as by another perf meanwhile?
silent() {
	! grep warning "$T/err" | grep -v 'files got another name'
}
# chains: are those of $T/out the same?
chains() {
	python3 chains.py chains "$T/out" >"$T/chains"
	cut -d ' ' -f 1,2,4- "$T/chains" | sort >"$T/those"
	cut -d ' ' -f 1,2,4- "$W/chains" | sort | cmp - "$T/those"
}

@test "unwind: a round that is larger than memory waits in a temporary file; maps that come last are in time" {
	recorded
	made one late
	"$O/bench/limit" run "$T/rss" "$(type -P pinject)" -v --unwind "$T/in" >"$T/out" 2>"$T/err"
	grep -q 'samples waited in a temporary file' "$T/err" && silent || failed "$(cat "$T/err")"
	chains || failed "chains"
	[ "$(cat "$T/rss")" -le $((80 << 10)) ] || sanitized || failed "memory: $(cat "$T/rss") KiB"
	dd bs=65537 if="$T/in" 2>/dev/null | pinject --unwind | cmp - "$T/out" || failed "in pieces"
	done_all
}

@test "unwind: of a round whose second half is older than the first, what is unwound waits in the file, too" {
	recorded
	made one late halves
	"$O/bench/limit" run "$T/rss" "$(type -P pinject)" -v --unwind "$T/in" >"$T/out" 2>"$T/err"
	grep -q 'samples waited in a temporary file' "$T/err" && silent || failed "$(cat "$T/err")"
	chains || failed "chains"
	done_all
}

@test "unwind: where records come too late for samples that could not wait, the status is 1" {
	recorded
	made none late
	try pinject --unwind "$T/in"
	[ $rc = 1 ] && grep -q 'warning: [0-9]* records arrived after newer samples .*, and the recording has no rounds; chains may be wrong: psort first' "$T/err" ||
	    failed "no rounds"
	! chains || failed "this test is of no use: the chains are right"
	# as the page says
	psort -q "$T/in" >"$T/sorted"
	try pinject --unwind "$T/sorted"
	[ $rc = 0 ] && chains || failed "sorted"
	made one late
	TMPDIR=$T/none try pinject --unwind "$T/in"
	[ $rc = 1 ] && grep -q 'warning: temporary file: No such file or directory' "$T/err" && grep -q 'chains may be wrong' "$T/err" || failed "no directory"
	# in their order, they need not wait
	made none
	try pinject --unwind "$T/in"
	[ $rc = 0 ] && silent && chains || failed "in order"
	done_all
}
