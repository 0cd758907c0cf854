# SPDX-License-Identifier: ISC
# pfilter --anon: what may be left of a recording, and what must be.  secrets.py looks for what may not.
load lib
load oracle

setup_file() {
	head -c 40 /dev/urandom >"$BATS_FILE_TMPDIR/key"
	head -c 40 /dev/urandom >"$BATS_FILE_TMPDIR/other"
	chmod 600 "$BATS_FILE_TMPDIR/key" "$BATS_FILE_TMPDIR/other"
}
anon() {	# LIST FILE...
	local list=$1
	shift
	pfilter -q --anon "$list" --anon-key "$BATS_FILE_TMPDIR/key" "$@"
}

# leaks FILE: what of it is left by --anon all, under one key and under another?  Under one, a pid may become one that another task had.
leaks() {
	local key
	pcat "$1" >"$T/plain"
	for key in key other; do
		pfilter -q --anon all --anon-key "$BATS_FILE_TMPDIR/$key" "$1" >"$T/anon" || { failed "$1: status $?"; return; }
		try python3 secrets.py "$T/plain" "$T/anon"
		[ $rc != 0 ] || return 0
		[ -s "$T/out" ] || failed "$1: no result"
		sort -u "$T/out" >"$T/$key"
	done
	[ -z "$(comm -12 "$T/key" "$T/other" | tee "$T/both")" ] || failed "$1: $(head -n 20 "$T/both")"
}

@test "anon: nothing of names, paths, build ids, pids and places is left in any byte" {
	need python3
	for f in data/*.pipe.data data/*.file.data; do
		turn 3 || continue
		leaks "$f"
	done
	for r in base all-types two-events every-sample ordered; do
		for b in "" -b; do
			turn 3 || continue
			leaks "$(recipe $r $b)"
		done
	done
	done_all
}

@test "anon: nor of what no field of a record is, and of settings whose meaning nobody knows" {
	need python3
	local order mark='\*BEH'	# in the padding of a name stands as much of it as there is room for
	for order in "" -b; do
		python3 secrets.py --behind 48 "$(recipe all-types $order)" >"$T/in"
		[ "$(grep -aob "$mark" "$T/in" | wc -l)" -gt 60 ] || failed "$order: the input"
		pfilter -q --anon all "$T/in" >"$T/out" 2>"$T/err" || true		# a feature that is too long is damage
		[ "$(pstat --json "$T/out" | jq .records)" -gt 30 ] || failed "$order: the output"
		[ "$(grep -aob "$mark" "$T/out" | wc -l)" = 0 ] || failed "$order"
	done
	{
		echo 'attr type=1 config=0 period=1000 sample_type=IP|TID|TIME flags=sample_id_all'
		echo 'rec type=79 u8=1 u8=2 u8=3 u8=4 u8=5 u1=1 u1=1 u2=0x2a2a u4=0x2a2a2a2a'
		echo 'rec type=79 u8=1 u8=2 u8=3 u4=0x2a2a2a2a'
		echo 'rec type=75 u8=4 u8=0 u8=3 u8=0x2a2a2a2a u8=1 u8=1 u8=1000 u8=4 u8=0x2a2a2a2a'
	} >"$T/in.txt"
	{
		head -n 1 "$T/in.txt"
		echo 'rec type=79 u8=1 u8=2 u8=3 u8=4 u8=5 u1=1 u1=1 u2=0 u4=0'
		echo 'rec type=79 u8=1 u8=2 u8=3 u4=0'
		echo 'rec type=75 u8=2 u8=0 u8=3 u8=1 u8=1000'
	} >"$T/want.txt"
	mv "$T/in.txt" "$T/in"
	mv "$T/want.txt" "$T/want"
	becomes --anon all
}

@test "anon: nor of a fresh system-wide recording with all fields that perf can record" {
	need record
	need python3
	perf record -q -a -g -d -F 200 --phys-data --sample-cpu --namespaces --all-cgroups -e cpu-clock,page-faults -o - -- \
	    sh -c 'ls -l /usr/sbin >/dev/null; sleep 0.1' >"$T/fresh" 2>/dev/null ||
	    perf record -q -g -d -e cpu-clock:u -o - -- ls -lR /usr/share/doc >"$T/fresh" 2>/dev/null ||
	    skip "perf can't record here"
	leaks "$T/fresh"
	done_all
}

@test "anon: nor of the recordings in the corpus" {
	need corpus
	need python3
	for f in a_g.pipe buildid_mmap.file cgroups.pipe forks.file namespaces.pipe p72_forks.pipe p72_sched_R.pipe s390x_a_multi.pipe \
	    switch_cpu.file uid0.pipe z22.pipe; do
		turn 3 || continue
		leaks "$CORPUS/own/$f.data"
	done
	for f in quipper/perf.data.piped.header_features-4.16 quipper/perf.data.group_desc-4.14 quipper/perf.data.singleprocess-3.8 \
	    linux-perf-data/sleep.compressed.pipe.data simpleperf/perf_with_two_event_types.data; do
		leaks "$CORPUS/foreign/$f"
	done
	done_all
}

# perf script without addresses: a sample is identified by file, symbol and offset.
bare_script() {
	perf script -f -i "$1" -F comm,pid,tid,time,event,ip,sym,symoff,dso,period 2>/dev/null </dev/null |
	    sed -E 's/\b[0-9a-f]{5,16}\b/IP/g; s/ +/ /g'
}

@test "anon: with addr alone perf finds the same symbol and file for every sample and call chain" {
	need perf
	for f in data/basic.pipe.data data/g_fp.pipe.data data/multi.pipe.data data/p72_forks.pipe.data \
	    data/s390x_basic.pipe.data "$CORPUS"/own/{a_g,forks,threads64}.pipe.data; do
		[ -f "$f" ] || continue
		anon addr "$f" >"$T/moved"
		diff <(pcat "$f" | psort >"$T/sorted"; bare_script "$T/sorted") <(bare_script "$T/moved") >"$T/diff" ||
		    failed "$f: $(head -n 4 "$T/diff")"
		! cmp -s "$T/sorted" "$T/moved" || failed "$f: nothing has moved"
	done
	done_all
}

# How many samples there are of each kind, the kinds without their names.
counts() {
	perf script -f -i "$1" --symfs=/nonexistent --kallsyms=/dev/null -G -F "$2" 2>/dev/null </dev/null |
	    sed 's/^ *//; s/  */ /g' | sort | uniq -c | awk '{ print $1 }' | sort -n
}

@test "anon: as many samples of each command, thread and file as before" {
	need perf
	# not forks.*: a name with a newline in it is two lines there
	for f in data/basic.pipe.data data/multi.pipe.data data/g_fp.pipe.data "$CORPUS"/own/{a_g,cgroups,switch_cpu}.pipe.data; do
		[ -f "$f" ] || continue
		anon all "$f" >"$T/anon"
		for F in comm pid tid comm,tid ip,dso comm,ip,dso; do
			turn 7 || continue
			diff <(counts "$f" $F) <(counts "$T/anon" $F) >"$T/diff" || failed "$f: $F: $(head -n 4 "$T/diff")"
		done
		[ -n "$(counts "$T/anon" comm)" ] || failed "$f: no samples"
	done
	done_all
}

@test "anon: one key, one result; another key, or none, another" {
	local in
	in=$(recipe all-types)
	anon all "$in" >"$T/a"
	anon all "$in" >"$T/b"
	cmp "$T/a" "$T/b"
	pfilter -q --anon all --anon-key "$BATS_FILE_TMPDIR/other" "$in" >"$T/c"
	! cmp -s "$T/a" "$T/c" || false
	pfilter -q --anon all "$in" >"$T/d"
	pfilter -q --anon all "$in" >"$T/e"
	! cmp -s "$T/d" "$T/e"
}

# man/CHANGES.md promises it: a part that is made anonymous by another version has the same names.
@test "anon: the pseudonyms of a key are those that it always had" {
	need jq
	echo 'a key of thirty-two bytes or more of it' | sha256sum >"$T/key"
	chmod 600 "$T/key"
	{
		cat data/base.txt
		echo 'SAMPLE misc=2 ip=0x400123 pid=100 tid=101 time=1000 id=11'
		echo 'SAMPLE misc=1 ip=0xffffffff81000123 pid=4194303 tid=4194305 time=1001 id=11'
		echo 'SAMPLE misc=2 ip=0x5000 pid=5 tid=4194304 time=1002 id=11'
	} | mkpipe - | pfilter -q --anon all --anon-key "$T/key" | pcat --format=jsonl |
	    jq -r 'select(.type | test("MMAP|COMM|SAMPLE")) | [.type, .pid, .tid, .ip, .start, .comm, .filename, .inode_or_build_id.ino] |
		map(values) | join(" ")' >"$T/got"
	cat >"$T/want" <<-'EOF'
		MMAP -1 0 0xff6f5df00fd69000 [kernel.kallsyms]_text
		COMM 1202160 1202160 comm-43e71b50e0
		MMAP2 1202160 1202160 0x6e3b727ba9f000 /pb95294225c/pdc85c3e7cb/pfd517a1906 148013209254226
		MMAP2 1202160 1202160 0x6010291b518000 /pb95294225c/pdc85c3e7cb/p9783af08f3.so 33380624998714
		SAMPLE 1202160 1732752 0x6e3b727ba9f123
		SAMPLE 293154 -982604667 0xff6f5df00fd69123
		SAMPLE 1770606 1665907793 0x9e45c1220df000
	EOF
	diff "$T/want" "$T/got"
}

@test "anon: the parts of a stream agree: cut then made anonymous, or the other way round" {
	need perf
	local mid
	for f in data/p72_forks.pipe.data data/basic.pipe.data "$CORPUS"/own/{forks,a_g}.pipe.data; do
		[ -f "$f" ] || continue
		mid=$(perf script -f -i "$f" -G -F time 2>/dev/null | sed 's/[ :]//g' | sort -n | awk '{ t[NR] = $1 } END { print t[int(NR / 2)] }')
		pfilter --time ",$mid" "$f" | anon all >"$T/cut.anon"
		anon all "$f" | pfilter --time ",$mid" >"$T/anon.cut"
		same_script "$T/cut.anon" "$T/anon.cut" --show-mmap-events --show-task-events || failed "$f"
	done
	done_all
}

@test "anon: both byte orders get the same pseudonyms" {
	for r in base all-types two-events ordered; do
		anon all "$(recipe $r)" >"$T/little"
		anon all "$(recipe $r -b)" | pcat -q --endian=little >"$T/big"
		cmp "$T/little" "$T/big" || failed $r
	done
	done_all
}

@test "anon: one word changes what it names, and no more" {
	local in=data/p72_forks.pipe.data
	need perf
	anon comm $in >"$T/comm"
	perf script -i "$T/comm" -G -F pid,tid,time,ip,dso 2>/dev/null >"$T/got"
	perf script -i $in -G -F pid,tid,time,ip,dso 2>/dev/null | diff - "$T/got"
	! perf script -i "$T/comm" -G -F comm 2>/dev/null | grep -v -e comm- -e '^ *$' || false
	anon pid $in >"$T/pid"
	perf script -i "$T/pid" -G -F comm,time,ip,dso 2>/dev/null >"$T/got"
	perf script -i $in -G -F comm,time,ip,dso 2>/dev/null | diff - "$T/got"
	anon path $in >"$T/path"
	perf script -i "$T/path" -G -F comm,pid,tid,time,ip 2>/dev/null >"$T/got"
	perf script -i $in -G -F comm,pid,tid,time,ip 2>/dev/null | diff - "$T/got"
	anon host $in | pstat --json >"$T/json"
	grep -q '"hostname":"host-' "$T/json" || grep -q 'host-[0-9a-f]\{10\}' <(anon host $in)
}

@test "anon: a path means the same in MMAP2 and BUILD_ID, a module by either of its names" {
	printf '%s\n' 'attr sample_type=IP|TID|TIME flags=sample_id_all ids=1' \
	    'HEADER_BUILD_ID misc=2 pid=-1 build_id=000102030405060708090a0b0c0d0e0f10111213 id_size=20 filename=/opt/my/libx.so.1' \
	    'HEADER_BUILD_ID misc=1 pid=-1 build_id=000102030405060708090a0b0c0d0e0f10111214 id_size=20 filename=[dm_mod]' \
	    'MMAP misc=1 pid=-1 tid=0 start=0xffffffffc0000000 len=0x1000 pgoff=0 filename=/lib/modules/6/dm-mod.ko.xz' \
	    'MMAP misc=2 pid=5 tid=5 start=0x400000 len=0x1000 pgoff=0 filename=/opt/my/libx.so.1' \
	    'MMAP misc=2 pid=5 tid=5 start=0x500000 len=0x1000 pgoff=0 filename=/opt/my/other' >"$T/recipe"
	mkpipe "$T/recipe" | anon path | strings -n 6 >"$T/strings"
	cat "$T/strings"
	[ "$(grep -c '^/p[0-9a-f]*/p[0-9a-f]*/p[0-9a-f]*\.so$' "$T/strings")" = 2 ]
	[ "$(grep '\.so$' "$T/strings" | sort -u | wc -l)" = 1 ]
	[ "$(grep -o 'm[0-9a-f]\{10\}' "$T/strings" | sort | uniq -c | awk '{ print $1 }')" = 2 ]
	dir=$(grep '\.so$' "$T/strings" | head -n 1 | sed 's|/[^/]*$||')
	[ "$(grep -c "^$dir/" "$T/strings")" = 3 ]	# the other file of the directory, too
}

# The kernel of RHEL 7 writes MMAP2 without prot and flags, and perf reads the name of it 8 bytes late.
@test "anon: MMAP2 without prot and flags has the pseudonyms of one that has them" {
	need python3
	short() {	# MISSING NAME...
		local missing=$1 name pad
		shift
		cat data/base.txt
		for name; do
			pad=$((7 - ${#name} % 8))
			echo "rec type=10 misc=2 u4=100 u4=100 u8=0x400000 u8=0x1000 u8=0x2000 u4=253 u4=1 u8=99 u8=7 zeros=$missing z=$name zeros=$pad u4=100 u4=100 u8=1000 u8=0"
			echo "SAMPLE misc=2 ip=0x400123 pid=100 tid=100 time=1000 id=11"	# it moves with the map
		done
	}
	local order what
	for order in "" -b; do
		short 0 /a /usr/bin/some-program /opt/x '[heap]' | mkpipe $order - >"$T/short"
		short 8 /a /usr/bin/some-program /opt/x '[heap]' | mkpipe $order - >"$T/full"
		[ "$(stat -c %s "$T/full")" = $(($(stat -c %s "$T/short") + 32)) ] || failed "recipe"
		for what in all path pid addr,path build-id comm; do
			anon $what "$T/full" >"$T/want"
			try anon $what "$T/short"
			[ $rc = 0 ] || failed "$what $order: $(cat "$T/err")"
			pcat "$T/out" >/dev/null || failed "$what $order: what was written"
			python3 - "$T/want" "$T/out" $order <<-'X' || failed "$what $order: differs"
			import struct, sys
			u = '>' if sys.argv[3:] else '<'
			def records(name):
			    d, at = open(name, 'rb').read(), 16
			    while at < len(d):
			        t, m, n = struct.unpack_from(u + 'IHH', d, at)
			        yield t, m, d[at + 8:at + n]
			        at += n
			want, got = list(records(sys.argv[1])), list(records(sys.argv[2]))
			seen = 0
			for i, (t, m, b) in enumerate(want):
			    if t == 10 and b[56:64] == bytes(8):
			        seen += 1
			        want[i] = t, m, b[:56] + b[64:]
			sys.exit(want != got or seen != 4)
			X
		done
	done
	run grep -c some-program "$T/short"
	[ "$output" = 1 ] || failed "the name is not in the input"
	anon all "$T/short" >"$T/out"
	run grep -c some-program "$T/out"
	[ "$output" = 0 ] || failed "the name is left"
	done_all
}

@test "anon: fields without pseudonyms are removed, with a warning" {
	try pfilter --anon pid "$(recipe every-sample)"
	[ $rc = 0 ]
	grep -q 'warning: --anon: fields without pseudonyms removed from samples: [0-9]* RAW' "$T/err"
	try pfilter --anon pid data/tracepoints.pipe.data
	grep -q 'warning: --anon: fields without pseudonyms removed from samples: [0-9]* fields of payloads' "$T/err"
	try pfilter --anon host data/p72_z22_dwarf.pipe.data
	grep -q '[0-9]* user stacks.* (pinject --unwind first makes call chains of stacks)' "$T/err"
	try pfilter --anon addr "$(recipe all-types)"
	grep -q 'without pseudonyms removed: .*1 TEXT_POKE' "$T/err"
	grep -q 'without pseudonyms removed: .*1 AUXTRACE_INFO' "$T/err"
}

@test "anon: records and features of unknown type: removed by all, kept by less, with a warning" {
	printf '%s\n' 'attr sample_type=IP|TID|TIME flags=sample_id_all ids=1' 'HEADER_FEATURE feat_id=63 u4=4711' \
	    'rec type=200 x=7365637265747300' 'SAMPLE misc=2 ip=0x401000 pid=100 time=1000' >"$T/recipe"
	mkpipe "$T/recipe" >"$T/in"
	try pfilter --anon all "$T/in"
	[ $rc = 0 ]
	grep -q 'without pseudonyms removed: 1 of unknown type' "$T/err"
	! grep -q secrets "$T/out" || false
	try pfilter --anon comm "$T/in"
	[ $rc = 0 ]
	grep -q '2 records or header features of unknown type are kept' "$T/err"
	grep -q secrets "$T/out"
}

@test "anon: bytes that no field owns become zeros: behind a name, behind RAW, behind a record of perf" {
	printf '%s\n' 'attr sample_type=IP|TID|TIME|RAW flags=sample_id_all ids=1' \
	    'SAMPLE misc=2 ip=0x401000 pid=100 time=1000 raw=0102030405 x=53454352455453' \
	    'rec type=3 u4=100 u4=100 z= x=53454352455453 u4=100 u4=100 u8=1001' \
	    'rec type=10 misc=2 u4=100 u4=100 u8=0x400000 u8=0x1000 zeros=32 u4=5 u4=2 z=/tmp/abc x=53454352455453 u4=100 u4=100 u8=1002' \
	    'rec type=79 zeros=48 x=5345435245545321' >"$T/recipe"
	mkpipe "$T/recipe" >"$T/in"
	[ "$(grep -ao SECRETS "$T/in" | wc -l)" = 4 ]
	try anon host "$T/in"
	[ $rc = 0 ]
	[ "$(pstat --json "$T/out" | jq .records)" = "$(pstat --json "$T/in" | jq .records)" ]
	run grep -aq SECRETS "$T/out"
	[ $status = 1 ]
}

@test "anon: pids stay apart, 0 and -1 stay, a thread's leader is its process" {
	{
		echo 'attr sample_type=IP|TID|TIME flags=sample_id_all ids=1'
		for ((i = 0; i < 3000; i++)); do
			echo "COMM pid=$i tid=$i comm=x @ pid=$i tid=$((i + 1)) time=$((i + 1))"
		done
		echo 'MMAP misc=1 pid=-1 tid=0 start=0xffffffff81000000 len=0x1000 pgoff=0xffffffff81000000 filename=[kernel.kallsyms]_text'
	} >"$T/recipe"
	need python3
	mkpipe "$T/recipe" | anon pid >"$T/out"
	python3 - "$T/out" <<-'EOF'
		import struct, sys
		d, at, pids, trail = open(sys.argv[1], 'rb').read(), 16, [], []
		while at < len(d):
		    kind, misc, size = struct.unpack_from('<IHH', d, at)
		    if kind == 3:
		        p, t = struct.unpack_from('<II', d, at + 8)
		        assert p == t
		        pids.append(p)
		        trail.append(struct.unpack_from('<II', d, at + size - 16))
		    if kind == 1:
		        assert struct.unpack_from('<iI', d, at + 8) == (-1, 0)
		    at += size
		assert len(set(pids)) == 3000 and pids[0] == 0 and max(pids) < 1 << 22
		assert all(a == (p, q) for a, p, q in zip(trail, pids, pids[1:]))
	EOF
}

@test "anon: pids of guest machines and of ID_INDEX and THREAD_MAP are those of samples" {
	need python3
	printf '%s\n' 'attr sample_type=IP|TID|TIME flags=sample_id_all ids=1' \
	    'ID_INDEX list=1/0/0/4242 u8=4343 u8=1' 'THREAD_MAP list=4242/x,-1/y' \
	    'HEADER_BUILD_ID misc=4 pid=4343 build_id=000102030405060708090a0b0c0d0e0f10111213 id_size=20 filename=/x' \
	    'SWITCH_CPU_WIDE next_prev_pid=4343 next_prev_tid=4242 @ pid=4242 tid=4343 time=1' >"$T/recipe"
	mkpipe "$T/recipe" | anon pid >"$T/out"
	python3 - "$T/out" <<-'EOF'
		import struct, sys
		d, at, r = open(sys.argv[1], 'rb').read(), 16, {}
		while at < len(d):
		    kind, misc, size = struct.unpack_from('<IHH', d, at)
		    r[kind] = d[at:at + size]
		    at += size
		a, b = struct.unpack_from('<II', r[15], 8)[::-1]
		assert len({a, b, 4242, 4343}) == 4 and max(a, b) < 1 << 22
		assert struct.unpack_from('<II', r[15], 16) == (a, b)
		assert struct.unpack_from('<QQ', r[69], 40) == (a, b), r[69]
		assert struct.unpack_from('<q', r[73], 16) == (a,) and struct.unpack_from('<q', r[73], 40) == (-1,)
		assert struct.unpack_from('<I', r[67], 8) == (b,)
	EOF
}

@test "anon: maps do not keep their distance, but parts of a file do, and a child has its parent's" {
	need perf
	printf '%s\n' 'attr sample_type=IP|TID|TIME flags=sample_id_all ids=1' \
	    'COMM pid=5 tid=5 comm=x @ time=1' \
	    'MMAP2 misc=2 pid=5 tid=5 start=0x7f0000001000 len=0x1000 pgoff=0x1000 maj=8 min=1 ino=9 prot=5 flags=2 filename=/a/x @ time=2' \
	    'MMAP2 misc=2 pid=5 tid=5 start=0x7f0000002000 len=0x1000 pgoff=0x2000 maj=8 min=1 ino=9 prot=5 flags=2 filename=/a/x @ time=3' \
	    'MMAP2 misc=2 pid=5 tid=5 start=0x7f0000003000 len=0x1000 pgoff=0 maj=8 min=1 ino=10 prot=5 flags=2 filename=/a/y @ time=4' \
	    'FORK pid=6 ppid=5 tid=6 ptid=5 time=5 @ time=5' \
	    'SAMPLE misc=2 ip=0x7f0000001234 pid=6 time=10' 'SAMPLE misc=2 ip=0x7f0000002234 pid=5 time=11' \
	    'SAMPLE misc=2 ip=0x7f0000003234 pid=6 time=12' 'SAMPLE misc=2 ip=0x7f0000004234 pid=6 time=13' >"$T/recipe"
	mkpipe "$T/recipe" | anon addr >"$T/out"
	perf script -i "$T/out" -F ip,dso 2>/dev/null >"$T/script"
	mapfile -t ip < <(awk '{ print "0x" $1 }' "$T/script")
	cat "$T/script"
	[ $((ip[1] - ip[0])) = $((0x1000)) ]
	[ $((ip[2] - ip[1])) != $((0x1000)) ]
	[ $((ip[3] - ip[2])) != $((0x1000)) ]
	[ $((ip[2] % 0x1000)) = $((0x234)) ]
	[ "$(awk '{ print $2 }' "$T/script" | tr '\n' ' ')" = '(/a/x) (/a/x) (/a/y) ([unknown]) ' ]
}

@test "anon: addresses of samples that precede their map are changed by that map" {
	need perf
	printf '%s\n' 'attr sample_type=IP|TID|TIME flags=sample_id_all ids=1' \
	    'SAMPLE misc=2 ip=0x400123 pid=5 time=10' \
	    'MMAP misc=2 pid=5 tid=5 start=0x400000 len=0x1000 pgoff=0 filename=/a/x @ time=2' FINISHED_ROUND >"$T/recipe"
	mkpipe "$T/recipe" | anon addr >"$T/out"
	perf script -i "$T/out" -F ip,dso 2>/dev/null | grep '123 (/a/x)'
}

@test "anon: bounded memory decides early, and still nothing is left" {
	need python3
	{
		echo 'attr sample_type=IP|TID|TIME flags=sample_id_all ids=1'
		for ((i = 1; i < 60000; i++)); do echo "SAMPLE misc=2 ip=0x7f0000001234 pid=500 time=$((i * 7))"; done
		echo 'MMAP misc=2 pid=500 tid=500 start=0x7f0000001000 len=0x1000 pgoff=0 filename=/a/secret-file @ time=1'
	} >"$T/recipe"
	mkpipe "$T/recipe" >"$T/in"
	try pfilter --anon all -S 1M "$T/in"
	[ $rc = 0 ]
	grep -q 'out of order because of --max-memory' "$T/err"
	cp "$T/out" "$T/anon"
	python3 secrets.py "$T/in" "$T/anon"
}

@test "anon: wrong words and keys" {
	try pfilter --anon hots data/basic.pipe.data
	[ $rc = 2 ]
	one_line "pfilter: --anon 'hots': expected host, cmdline"
	try pfilter --anon pid,-pid data/basic.pipe.data
	[ $rc = 2 ]
	one_line "pfilter: --anon 'pid,-pid': is empty"
	try pfilter --anon all --anon-key "$T/none" data/basic.pipe.data
	[ $rc = 2 ]
	one_line "pfilter: --anon-key $T/none: No such file"
	head -c 32 /dev/urandom >"$T/key"
	try pfilter --anon-key "$T/key" data/basic.pipe.data
	[ $rc = 2 ]
	try pfilter --anon-map "$T/map" data/basic.pipe.data
	[ $rc = 2 ] && one_line "pfilter: --anon-map: needs --anon"
}

# key_of CONTENT: try that key, in a file that nobody else can read.
key_of() {
	printf "$1" >"$T/key"
	chmod 600 "$T/key"
	try pfilter --anon comm --anon-key "$T/key" data/basic.pipe.data
}

@test "anon: a key that does not look like 128 secret bits is refused" {
	for weak in 'too short' '%016d' '%01000d' abcdefghijklmnopqrstuvwxyz0123456789 \
	    '\0\1\2\3\4\5\6\7\10\11\12\13\14\15\16\17' 'passwordpasswordpasswordpassword'; do
		key_of "$weak"
		[ $rc = 2 ] && one_line "pfilter: --anon-key $T/key: " || failed "$weak"
		grep -q 'bits at most; needs 128' "$T/err" || failed "$weak"
	done
	for ((i = 0; i < 20; i++)); do
		head -c 16 /dev/urandom >"$T/key"
		try pfilter --anon comm --anon-key "$T/key" data/basic.pipe.data
		[ $rc = 0 ] || failed "16 random bytes: $(od -An -tx1 "$T/key")"
		key_of "$(od -An -v -tx1 -N16 /dev/urandom | tr -d ' \n')"
		[ $rc = 0 ] || failed "32 hexadecimal digits: $(cat "$T/key")"
	done
	done_all
}

@test "anon: a key that others can read gets a warning" {
	key_of 'a sentence that nobody else would think of'
	[ $rc = 0 ]
	[ ! -s "$T/err" ]
	chmod 640 "$T/key"
	try pfilter --anon comm --anon-key "$T/key" data/basic.pipe.data
	[ $rc = 0 ] && one_line "pfilter: warning: --anon-key $T/key: other users can read the key (mode 0640)"
}

@test "anon: names that users gave to events, groups and units are pseudonyms; perf's own stay" {
	need perf
	anon all data/event-name.pipe.data >"$T/out"
	! grep -aq acme "$T/out" || false
	perf script -i "$T/out" -F event 2>/dev/null | grep -q '^ *event-[0-9a-f]\{10\}:'
	# in EVENT_DESC and in EVENT_UPDATE
	[ "$(grep -ao 'event-[0-9a-f]\{10\}' "$T/out" | sort | uniq -c | awk '{ print $1 }')" = 2 ]
	for name in cpu-clock cycles:ppp L1-dcache-load-misses sched:sched_switch syscalls:sys_enter_openat r01c2 dummy:HG \
	    cpu/event=0x3c,umask=0/ cpu_core/cycles/u intel_pt// 'type 6 config 0x300e601' cpu-clock/call-graph=fp/ \
	    LLC-loads:u iTLB-prefetch-refs branch-misses instructions:ukhGHpPSDWeIbR r0x1c2 'raw 0x1c2' 'type 6 config 0300e601' \
	    'tracepoint 123' 'unknown tracepoint 7' 'unknown attr type: 9' cycles// armv8_pmuv3_0/event=0x11,umask=0x0/ msr/tsc/ \
	    cpu/config=0x1,call-graph=dwarf,no-inherit/k raw_syscalls:sys_enter:u cpu/instructions/; do
		renamed "$name"
		[ "$(cat "$T/name")" = "$name" ] || failed "$name became $(cat "$T/name")"
	done
	for name in acme acme:u acme/event=1/ cpu/event=1,name=acme/ cpu/acme/ cpu/acme=1/ cpu/event=acme/ probe_acme:main sched:acme-x \
	    acme:sched_switch /opt/acme/libx.so mem:0x7fac3e0000acme r01acme cycles/name=acme/ppp \
	    acme-loads L1-dcache-acme LLCacme 'type acme config 1' 'type 6 config acme' racme 'raw acme' cpu/acme cpu_acme/event=1/ \
	    uncore_ac-me:acme/event=1/ uncore_acme-x/event=1/ /acme/ acme// :acme sched:acme.x cpu/event=1,acme,umask=2/ 'tracepoint acme' \
	    r0xacme mem:acme acme:acme:u instructions:acme cpu/event=1/acme; do
		renamed "$name"
		! grep -q acme "$T/name" || failed "$name became $(cat "$T/name")"
	done
	renamed cpu/event=1,name=acme/pp
	grep -qx 'cpu/event=1,name=event-[0-9a-f]\{10\}/pp' "$T/name"
	renamed uncore_imc_0/event=1,acme_read,umask=0x2/
	grep -qx 'uncore_imc_0/event=1,event-[0-9a-f]\{10\},umask=0x2/' "$T/name" || failed "$(cat "$T/name")"
	renamed mem:0x7fac3e0000acme:rw
	grep -q '^mem:' "$T/name" || failed "$(cat "$T/name")"
	done_all
}
# renamed NAME: what becomes of it in EVENT_UPDATE, the same in both byte orders, into $T/name
renamed() {
	local order
	for order in "" -b; do
		printf '%s\n' 'attr sample_type=IP|TID|TIME flags=sample_id_all ids=1' \
		    "EVENT_UPDATE update_type=2 id=1 z=${1// /\\s}" >"$T/recipe"
		mkpipe $order "$T/recipe" | anon event | strings -n 4 | grep -v 'PERFILE\|ELIFREP' >"$T/name$order"
	done
	cmp "$T/name" "$T/name-b" || failed "$1: another name in the other byte order"
}

@test "anon: all but build-id: an exception leaves that, and only that" {
	need perf
	anon all,-build-id data/basic.file.data >"$T/out"
	perf buildid-list -i data/basic.file.data 2>/dev/null | awk '{ print $1 }' | sort >"$T/want"
	[ -s "$T/want" ]
	pstat --json "$T/out" >/dev/null
	pcat --format=file -o "$T/file" "$T/out"
	perf buildid-list -i "$T/file" 2>/dev/null | awk '{ print $1 }' | sort | diff "$T/want" -
	# what is not known goes, as with all
	printf '%s\n' 'attr sample_type=IP|TID|TIME flags=sample_id_all ids=1' 'rec type=200 x=7365637265747300' >"$T/recipe"
	mkpipe "$T/recipe" | anon all,-build-id >"$T/out"
	! grep -aq secrets "$T/out"
}

@test "anon: by the dictionary a report becomes what it would have been" {
	need perf
	for f in data/p72_forks.pipe.data data/g_fp.pipe.data data/multi.pipe.data; do
		rm -f "$T/map"
		pfilter -q --anon comm,path,event,host --anon-map "$T/map" "$f" >"$T/out"
		[ "$(stat -c %a "$T/map")" = 600 ] || failed "mode of $f's"
		for what in -G --show-mmap-events --show-task-events; do
			report "$f" $what >"$T/want"
			report "$T/out" $what >"$T/hidden"
			grep -q 'comm-\|/p[0-9a-f]' "$T/hidden" || failed "$f $what: nothing to undo"
			# names are escaped for the terminal's sake
			pfilter --anon-undo "$T/map" <"$T/hidden" | sed 's/\\t/\t/g; s/\\n/\n/g' | tr -s ' ' >"$T/got"
			diff "$T/want" "$T/got" >"$T/diff" || failed "$f $what: $(head -n 6 "$T/diff")"
		done
	done
	done_all
}
# report FILE OPTION: the output of perf script, without symbols, devices and inodes
report() {
	perf script -i "$1" "$2" -F comm,pid,tid,time,event,ip,dso 2>/dev/null |
	    sed -E 's/ @ (0x|)([0-9a-f]+) [0-9a-f:]+ [0-9]+ [0-9]+\]/ @ \2]/; s/^(\s+[0-9a-f]+) \S+ \(/\1 (/' | tr -s ' '
}

@test "anon: a dictionary holds what a name could do to a terminal only escaped; a bad one is refused" {
	printf '%s\n' 'attr sample_type=IP|TID|TIME flags=sample_id_all ids=1' \
	    'COMM pid=5 tid=5 comm=a\x1b[2J\x09b @ pid=5 tid=5 time=1' >"$T/recipe"
	mkpipe "$T/recipe" | pfilter --anon comm --anon-map "$T/map" >"$T/out"
	! grep -q $'\x1b' "$T/map" || false
	grep -o 'comm-[0-9a-f]*' "$T/map" | pfilter --anon-undo "$T/map" >"$T/text"
	[ "$(cat "$T/text")" = 'a^[[2J\tb' ]
	try pfilter --anon comm --anon-map "$T/map" data/basic.pipe.data
	[ $rc = 2 ]
	one_line "pfilter: $T/map: "
	echo nonsense >"$T/bad"
	try pfilter --anon-undo "$T/bad" /dev/null
	[ $rc = 2 ] && one_line "pfilter: --anon-undo $T/bad: line 1 is not from --anon-map"
}

@test "anon: a fault in the input leaves all that came before it" {
	local whole
	whole=$(($(wc -c <data/basic.pipe.data) - 1))
	for n in 5001 8001 $whole; do
		head -c $n data/basic.pipe.data >"$T/cut"
		pcat "$T/cut" >"$T/good" 2>/dev/null || true
		try anon all "$T/cut"
		[ $rc = 1 ] && one_line "pfilter: $T/cut: byte " || failed "$n: status $rc"
		cp "$T/out" "$T/anon"
		[ "$(pstat --json "$T/good" | grep -c '"SAMPLE"')" = 1 ] || failed "$n: no samples"
		diff <(pstat --json "$T/good" | grep '"name":"SAMPLE"') <(pstat --json "$T/anon" | grep '"name":"SAMPLE"') ||
		    failed "$n: not the same samples"
	done
	done_all
}

@test "anon: a sample_type with bits that are unknown is refused" {
	printf '%s\n' 'attr sample_type=0x80000007 flags=sample_id_all ids=1' >"$T/recipe"
	mkpipe "$T/recipe" >"$T/in"
	try pfilter --anon pid "$T/in"
	[ $rc = 1 ] && one_line "pfilter: $T/in: byte 16: HEADER_ATTR: sample_type 0x80000007"
}
