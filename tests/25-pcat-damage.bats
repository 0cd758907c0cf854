# SPDX-License-Identifier: ISC
# One place of a stream is damaged: pcat --repair loses what was touched, and invents nothing; a wrong size is never passed over.
load lib
load perf

# streams: some in $T/in, of the recordings of this machine's byte order that perf reads, and with the samples behind their attrs, for
# what is before its attr cannot be judged.  make check-all: all, also from files.
streams() {
	local f i=0 all=(data/{basic,g_fp,sched_R,multi}.pipe.data)
	[ -z "${ALL-}" ] || mapfile -t all < <(find data "$CORPUS" -name '*.data*' -size -600k)
	mkdir "$T/in"
	for f in "${all[@]}"; do
		i=$((i + 1))
		pcat -q "$f" >"$T/in/$i" 2>/dev/null && [ "$(head -c 8 "$T/in/$i")" = PERFILE2 ] && python3 damage.py -t "$T/in/$i" &&
		    pstat -q "$T/in/$i" >/dev/null 2>&1 && { [ -z "${ALL-}" ] || all_read "$T/in/$i"; } || rm "$T/in/$i"
	done
	n=$(ls "$T/in" | wc -l)
	[ "$n" -ge 4 ]
}
# Can each perf read it, undamaged?  7.2 stops at records of its own, by an older one, whose size is no multiple of 8.
all_read() {
	local perf
	for perf in $PERFS; do
		"$perf" script -f -i "$1" >/dev/null 2>&1 || return 1
	done
}
# each KIND [OPTION]: some tries, make check-all a thousand; the output is read by perf.
each() {
	local kind=$1 perf=4
	shift
	need python3
	streams
	n=$((${ALL:+1000 / n +} 3))
	perf_reads || perf=0
	timeout 36000 python3 damage.py -k "$kind" -n $n -p $perf -P "${PERFS// /,}" "$@" "${INSTALLED:-$O}" "$T"/in/* >"$T/out" || failed "$(grep -v ' 0 with faults' "$T/out" | head -n 20)"
	done_all
}

@test "damage: 100 bytes are cut out" { each cut; }
@test "damage: a bit of a size: no tool passes it over" { each size; }
@test "damage: 512 random bytes" { each random; }
@test "damage: 4 KiB of zeros" { each zeros; }
@test "damage: of what was then compressed" { need zstd; each ${ALL:+size,zeros,}cut,random -z; }

# one SAMPLE of 40 bytes; the attr and the sample can be extended.
sample() {
	echo "attr type=1 config=0 period=1 sample_type=IP|TID|TIME|PERIOD$1 flags=sample_id_all|comm ids=11"
	echo "COMM pid=100 tid=100 comm=alpha"
	echo "SAMPLE misc=2 ip=0x401000 pid=100 time=1000 period=1 $2"
	echo "SAMPLE misc=2 ip=0x401001 pid=100 time=1001 period=1 $3"
	echo "FINISHED_ROUND"
}

@test "damage: a sample with 8 bytes behind its fields, if its attr has no unknown bits" {
	sample "" "" "u8=7" >"$T/long.txt"
	mkpipe "$T/long.txt" >"$T/long"
	for t in pcat psort pstat pinject "pfilter --pid 100" "pcat -z" "pcat --index -o $T/index" "pcat --chunks"; do
		try command $t "$T/long"
		[ $rc = 1 ] && one_line "${t%% *}: $T/long: byte 240: SAMPLE: its fields need 40 of 48 bytes (pcat --repair" || failed "$t"
	done
	try pcat "$T/long"
	cmp -n 240 "$T/out" "$T/long" && [ "$(wc -c <"$T/out")" = 240 ] || failed "what is before it"
	try pcat --repair "$T/long"
	[ $rc = 1 ]
	one_line "pcat: $T/long: byte 240: SAMPLE: its fields need 40 of 48 bytes; 48 bytes left out: everything after"
	[ "$(wc -c <"$T/out")" = $(($(wc -c <"$T/long") - 48)) ] || failed "repaired"
	# bit 30 of sample_type is none that is known
	{ head -c 51 "$T/long"; printf '\x40'; tail -c +53 "$T/long"; } >"$T/unknown"
	try pcat "$T/unknown"
	[ $rc = 0 ] && cmp "$T/out" "$T/unknown" || failed "unknown bits"
	done_all
}

@test "damage: a sample that is too short for its fields" {
	sample "|CALLCHAIN" "chain=0x401000" "nr=3 chain=0x401000" | mkpipe >"$T/short"
	try pcat "$T/short"
	[ $rc = 1 ]
	one_line "pcat: $T/short: byte 256: SAMPLE: callchain lies past the end of 56 bytes (pcat --repair"
}

@test "damage: records of perf that are longer than known pass, those that swallowed others do not" {
	{ sample "" "" ""; echo "rec type=68 u8=7"; echo "rec type=79 zeros=64"; echo "rec type=4711 noise=100"; } | mkpipe >"$T/longer"
	try pcat "$T/longer"
	[ $rc = 0 ] && cmp "$T/out" "$T/longer" || failed longer
	# a FINISHED_ROUND of 48 bytes, with a sample in it
	{ sample "" "" ""; echo "rec type=68 x=09000000020028001010400000000000640000006400000010270000000000000100000000000000"; } | mkpipe >"$T/swallowed"
	try pcat "$T/swallowed"
	[ $rc = 1 ] && grep -q 'FINISHED_ROUND: of its 48 bytes, those from byte 8 on are other records' "$T/err" || failed swallowed
	done_all
}

@test "damage: what reads as a record of perf's own up to the end of the input gives way to the samples in it" {
	{ sample "" "" ""; sample "" "" "" | tail -n +3 | grep SAMPLE; sample "" "" "" | grep SAMPLE; } | mkpipe >"$T/good"
	tail -c 120 "$T/good" >"$T/tail"
	for type in $(sed -nE 's/^REC\(([6-9][0-9]|[0-9]{3,}),.*/\1/p' ../common/record/record.def); do
		# in what was overwritten: the header of such a record, as long as all that follows
		{ head -c -120 "$T/good"; printf '\377%.0s' {1..21}; printf "\\$(printf %o $type)\\0\\0\\0\\0\\0\\200\\0"; cat "$T/tail"; } >"$T/bad"
		try pcat --repair "$T/bad"
		[ $rc = 1 ] && one_line "pcat: $T/bad: byte " && tail -c 120 "$T/out" | cmp - "$T/tail" || failed "$type"
		[ "$(pstat --json "$T/out" | jq -c '[.types[].name] - ["HEADER_ATTR", "COMM", "SAMPLE", "FINISHED_ROUND"]')" = "[]" ] || failed "$type: invented"
	done
	done_all
}

# Records of before the recording have time 0, so nothing shows that a chain of them is one but its length.
@test "damage: what reads as a record of perf's own gives way to a long chain without times in it, also amid a COMPRESSED" {
	need zstd
	need python3
	python3 - <<-'END' >"$T/good.txt"
		print("attr type=1 config=0 period=1 sample_type=IP|TID|TIME|PERIOD flags=sample_id_all|comm|mmap2 ids=11")
		for i in range(200):
		    print(f"MMAP2 misc=2 pid={i} tid={i} start={i * 4096} len=4096 filename=/usr/lib/{i:040d}")
	END
	mkpipe "$T/good.txt" >"$T/good"
	python3 - "$T/good" "$T/bad" "$T/z" <<-'END'
		import struct, subprocess, sys
		data, first = bytearray(open(sys.argv[1], "rb").read()), 16
		while struct.unpack_from("<I", data, first)[0] >= 64:
		    first += struct.unpack_from("<H", data, first + 6)[0]
		size = struct.unpack_from("<H", data, first + 6)[0]
		at, last = first + 9 * size, len(data) - 2 * size
		data[at:at + 33] = b"\xff" * 33
		struct.pack_into("<IHH", data, at + 33, 80, 0, last + 33 - (at + 33))	# HEADER_FEATURE, up to amid the last but one,
		struct.pack_into("<IHH", data, last + 33, 7, 0, 0x5500)		# where a header seems to stand
		open(sys.argv[2], "wb").write(data)
		z = subprocess.run(["zstd", "-1", "-q", "-c"], input=data[first:], stdout=subprocess.PIPE, check=True).stdout
		open(sys.argv[3], "wb").write(data[:first] + struct.pack("<IHH", 81, 0, 8 + len(z)) + z)
	END
	for f in bad z; do
		try pcat --repair "$T/$f"
		[ $rc = 1 ] && [ "$(pstat --json "$T/out" | jq -c '[.types[] | select(.name != "HEADER_ATTR") | .name, .records]')" = '["MMAP2",198]' ] ||
			failed "$f: $(cat "$T/err"; pstat --json "$T/out" | jq -c .types)"
	done
	done_all
}

@test "damage: an input with a bad feature gets no index, and a line says why" {
	{ sample "" "" "" | head -n 1; echo "rec type=80 u8=3 u4=4000 x=41"; sample "" "" "" | tail -n +2; } | mkpipe >"$T/bad"
	try pcat --index "$T/bad"
	[ $rc = 1 ]
	one_line "pcat: $T/bad: byte "
	grep -q 'HOSTNAME' "$T/err"
	[ ! -e "$T/bad.ppi" ]
}

@test "damage: a large COMPRESSED2 that ends too early, or whose blocks have no header, is said, and what is before it kept" {
	need python3
	python3 - >"$T/in.txt" <<-'END'
		import random
		random.seed(1)
		print("attr type=1 config=0 period=1 sample_type=IP|TID|TIME|PERIOD flags=sample_id_all|comm ids=11\nzip2 {")
		for i in range(8000):
		    print(f"SAMPLE ip={random.getrandbits(63)} pid=100 tid=100 time={1000 + i} period={random.getrandbits(63)}")
		print("}\nFINISHED_ROUND")
	END
	mkpipe "$T/in.txt" >"$T/in"
	pcat -q "$T/in" >"$T/whole"
	# the second block begins 65519 bytes behind the header of the record, of 16 bytes, and so has one of its own
	for how in "cut 65535" "cut 65543" "cut 65651" "type 65535" "size 65541" "round 65535"; do
		python3 - "$T/in" "$T/bad" $how <<-'END'
			import sys
			data, how, n = bytearray(open(sys.argv[1], "rb").read()), sys.argv[3], 160 + int(sys.argv[4])
			if how == "cut":
			    del data[n:]
			elif how == "round":	# in the place of the header stands the next record
			    data[n:n + 8] = bytes([68, 0, 0, 0, 0, 0, 8, 0])
			else:
			    data[n:n + 2] = (84 if how == "type" else 16).to_bytes(2, "little")
			open(sys.argv[2], "wb").write(data)
		END
		case $how in cut*) why="cut short";; *) why="no block header where perf 6.16 to 7.1 writes it";; esac
		try pcat "$T/bad"
		[ $rc = 1 ] && one_line "pcat: $T/bad: byte 160: COMPRESSED2: $why" || failed "$how"
		# zstd writes its first 128 KiB before it needs what is missing
		[ "$(stat -c %s "$T/out")" -gt 131072 ] && cmp -n "$(stat -c %s "$T/out")" "$T/out" "$T/whole" || failed "$how: output"
		mv "$T/out" "$T/first"
		try pcat --repair "$T/bad"
		[ $rc = 1 ] && grep -q "byte 160: COMPRESSED2: $why" "$T/err" && cmp -n "$(stat -c %s "$T/first")" "$T/first" "$T/out" || failed "$how: repair"
		[[ $how != round* ]] || [ "$(pstat --json "$T/out" | grep -o '"name":"FINISHED_ROUND","records":[0-9]*')" = '"name":"FINISHED_ROUND","records":2' ] ||
		    failed "$how: repair: the round there"
	done
	done_all
}
