# SPDX-License-Identifier: ISC
# Changes on the way: --features, --compat, --endian.
load lib

@test "--endian: the output is what mkpipe writes in that order" {
	for r in all-types sorted rounds two-events read-group escape unknown old-forms; do
		pcat -q --endian=big "$(recipe $r)" | cmp - "$(recipe $r -b)" || failed "$r to big"
		pcat -q --endian=little "$(recipe $r -b)" | cmp - "$(recipe $r)" || failed "$r to little"
	done
	done_all
}

@test "--endian: MMAP2 without prot and flags, and features with padding" {
	{
		cat data/base.txt
		for name in /a /usr/bin/some-program; do
			echo "rec type=10 misc=2 u4=100 u4=100 u8=0x400000 u8=0x1000 u8=0 u4=253 u4=1 u8=99 u8=7 z=$name zeros=$((7 - ${#name} % 8)) u4=100 u4=100 u8=1000 u8=0"
		done
		echo "HEADER_FEATURE feat_id=10 u8=4096 zeros=4"
		echo "HEADER_FEATURE feat_id=7 u4=2 u4=2 x=00000001"
	} >"$T/r.txt"
	mkpipe "$T/r.txt" >"$T/little"
	mkpipe -b "$T/r.txt" >"$T/big"
	# what has bytes behind that are not 0 is left out
	size=28
	try pcat --endian=big "$T/little"
	[ $rc = 0 ] && cmp "$T/out" <(head -c -"$size" "$T/big") && grep -q '1 header feature left out (NRCPUS)' "$T/err" || failed "to big"
	try pcat --endian=little "$T/big"
	[ $rc = 0 ] && cmp "$T/out" <(head -c -"$size" "$T/little") || failed "to little"
	done_all
}

@test "--endian: there and back is the same, of recordings by others" {
	need corpus
	for f in hotspot/file_content__perf.data.true.v2 quipper/perf.data.piped.header_features_aligned-6.12; do
		pcat "$CORPUS/foreign/$f" >"$T/want"
		try pcat --endian=big "$CORPUS/foreign/$f"
		[ $rc = 0 ] && ! grep -q 'left out' "$T/err" || failed "$f"
		pcat -q --endian=little "$T/out" | cmp "$T/want" - || failed "$f: and back"
	done
	done_all
}

@test "--endian: there and back is the same" {
	for f in data/s390x_*.data data/basic.*.data data/sched_R.pipe.data data/p72_*.data; do
		a=little b=big
		[[ $f == *s390x* ]] && a=big b=little
		pcat "$f" >"$T/want"
		pcat -q --endian=$b "$f" | pcat -q --endian=$a | cmp - "$T/want" || failed "$f"
	done
	done_all
}

@test "--features, --no-features, and what is no feature" {
	pcat --features=hostname data/basic.pipe.data >"$T/a" && pcat --no-features=HEADER_HOSTNAME data/basic.pipe.data >"$T/b"
	[ "$(wc -c <"$T/a")" -lt "$(wc -c <"$T/b")" ] || failed size
	same_script data/basic.pipe.data "$T/a" || failed script
	try pcat --features=nonsense data/basic.pipe.data
	[ $rc = 2 ] && one_line "pcat: --features" || failed nonsense
	done_all
}

@test "--compat=6.1: the perf that is installed reads what 7.2 wrote" {
	need perf
	for f in data/p72_*.data; do
		pcat -q --compat=6.1 "$f" >"$T/o" || failed "$f"
		perf script -f -i "$T/o" >"$T/out" 2>"$T/err" || failed "$f: perf"
		! grep -q "failed to process\|wrong feature" "$T/err" || failed "$f: perf says so"
	done
	done_all
}

@test "--compat: an event with fields that the version cannot read is an error" {
	printf '%s\n' "attr type=1 config=0 period=1 sample_type=$((0x10007 | 1 << 40)) flags=sample_id_all ids=1" \
	    "COMM pid=1 tid=1 comm=x @ pid=1 tid=1 time=5" >"$T/recipe"
	mkpipe "$T/recipe" >"$T/in"
	for v in 6.1 6.12; do
		try pcat --compat=$v "$T/in"
		[ $rc = 1 ] && one_line "pcat: $T/in: an event has fields that perf $v cannot read (sample_type 0x10000000000)" || failed $v
	done
	try pcat --compat=current "$T/in"
	[ $rc = 0 ] || failed current
	done_all
}

@test "--compat: what a version cannot read of samples goes: branch counters, the place of a deferred user part" {
	cat >"$T/all.txt" <<-'END'
		attr type=0 config=0 period=1 sample_type=IP|TID|TIME|CALLCHAIN|BRANCH_STACK flags=sample_id_all|comm branch_sample_type=0x80008 ids=11
		SAMPLE ip=1 pid=100 tid=100 time=1000 chain=0xfffffffffffffe00,0x11,0xfffffffffffffd80,0x99 branch=1/2/3,4/5/6 counters=7,8
		SAMPLE ip=1 pid=100 tid=100 time=1001 chain=0xfffffffffffffe00,0x11 branch=1/2/3 counters=9
		FINISHED_ROUND
	END
	sed 's/,0xfffffffffffffd80,0x99//' "$T/all.txt" >"$T/6.12.txt"
	sed 's/0x80008/8/; s/ counters=[0-9,]*//' "$T/6.12.txt" >"$T/6.1.txt"
	cp "$T/all.txt" "$T/current.txt"
	for order in "" -b; do
		mkpipe $order "$T/all.txt" >"$T/in"
		for v in 6.1 6.12 current; do
			pcat -q --compat=$v "$T/in" | cmp - <(mkpipe $order "$T/$v.txt") || failed "$v $order"
		done
	done
	pcat -v --compat=6.1 "$T/in" 2>"$T/err" >"$T/out"
	grep -q '1 attrs resized, 2 samples without their branch counters, 1 samples without the user part of their callchain' "$T/err" || failed "-v"
	done_all
}

@test "--compat: fields of an attr that a version does not know are removed, with a warning" {
	attr="attr type=1 config=0 period=1 sample_type=IP|TID|TIME flags=sample_id_all|comm len=144 ids=11"
	printf '%s\n' "$attr" "SAMPLE ip=1 pid=1 tid=1 time=5" >"$T/r.txt"
	for v in 6.1:128 6.12:136; do
		# byte 140 of the attr, which begins behind 16 bytes of the stream and 8 of the record
		mkpipe "$T/r.txt" | { head -c $((24 + 140)); printf '\5'; tail -c +2; } >"$T/in"
		try pcat --compat=${v%:*} "$T/in"
		[ $rc = 0 ] && grep -q "warning: 1 attrs have fields that perf ${v%:*} does not know (after byte ${v#*:}): removed" "$T/err" || failed "$v"
		cmp "$T/out" <(sed "s/len=144/len=${v#*:}/" "$T/r.txt" >"$T/want.txt"; mkpipe "$T/want.txt") || failed "$v: output"
	done
	done_all
}

# Linux 6.18 writes such maps while another perf asks for build-ids: the flag of one, before device, inode and generation.
@test "compat: a map whose device and inode have the flag of a build-id is one without a build-id, in all tools" {
	{
		echo "attr type=1 config=0 period=1 sample_type=IP|TID|TIME flags=sample_id_all|mmap|comm|task|mmap2"
		echo "COMM pid=7 tid=7 comm=x @ pid=7 tid=7 time=1"
		map="MMAP2 pid=7 tid=7 len=0x1000 prot=5" end="@ pid=7 tid=7 time=2"
		# a disk, a virtio disk, nvme, tmpfs; and build-ids of 8 and of 20 bytes
		echo "$map misc=2 start=0x1000 maj=8 min=1 ino=77 filename=/sda $end"
		echo "$map misc=2 start=0x2000 maj=254 ino=78 filename=/vda $end"
		echo "$map misc=2 start=0x3000 maj=259 min=2 ino=79 filename=/nvme $end"
		echo "$map misc=2 start=0x4000 min=33 ino=80 filename=/tmpfs $end"
		echo "$map misc=0x4002 start=0x5000 build_id=0102030405060708 filename=/eight $end"
		echo "$map misc=0x4002 start=0x6000 build_id=000102030405060708090a0b0c0d0e0f10111213 filename=/twenty $end"
		for i in 1 2 3 4 5 6; do
			echo "SAMPLE misc=2 ip=0x${i}010 pid=7 tid=7 time=1$i"
		done
	} | mkpipe >"$T/plain"
	# mkpipe has no generation of an inode, and no such maps
	poke() {
		perl -e 'binmode STDIN; binmode STDOUT; local $/; my $d = <STDIN>; my $o = 16;
			while ($o + 8 <= length $d) {
				my ($t, $m, $s) = unpack "Vvv", substr $d, $o, 8;
				substr($d, $o + 56, 1) = "\5" if $t == 10 && $m == 2;
				substr($d, $o + 4, 2) = pack "v", $ARGV[0] if $t == 10 && $m == 2;
				$o += $s;
			}
			print $d' "$1" <"$T/plain"
	}
	poke 2 >"$T/want"
	poke $((0x4002)) >"$T/in"
	! cmp -s "$T/in" "$T/want" || failed "no flag"
	for v in 6.1 6.12 current; do
		pcat --compat=$v "$T/in" >"$T/out"
		pcat --compat=$v "$T/want" | cmp - "$T/out" || failed "$v"
	done
	pcat "$T/in" | cmp "$T/in" - || failed "pcat changes it"
	lines() { pcat --format=jsonl --types=MMAP2 --columns=inode_or_build_id,filename "$1"; }
	diff <(lines "$T/want") <(lines "$T/in") || failed jsonl
	pcat --endian=big "$T/in" | pcat --endian=little | cmp "$T/in" - || failed "there and back"
	diff <(pcat --endian=big "$T/want" | pstat --mmaps) <(pcat --endian=big "$T/in" | pstat --mmaps) || failed "big"
	diff <(pstat --mmaps "$T/want") <(pstat --mmaps "$T/in") || failed mmaps
	diff <(pstat --build-ids "$T/want") <(pstat --build-ids "$T/in") || failed build-ids
	ids="0011223344556677889900112233445566778899 /sda,1111223344556677889900112233445566778899 /vda"
	pinject -q -B --no-fs --known-build-ids "$ids" "$T/want" >"$T/out.want"
	pinject -q -B --no-fs --known-build-ids "$ids" "$T/in" | cmp "$T/out.want" - || failed "-B"
	pfilter -q -p 7 --sideband=needed "$T/in" | pstat --check=E24 --for=6.1 || failed "needed"
	head -c 32 /dev/urandom >"$T/key"
	chmod 600 "$T/key"
	anon() { pfilter -q --anon path --anon-key "$T/key" "$1" | pcat --format=jsonl --types=MMAP2; }
	diff <(anon "$T/want") <(anon "$T/in") || failed anon
	try pstat --check=E --for=6.1 "$T/in"
	[ $rc = 1 ] && grep -q "^error E24 .*: 4 times, .*: device and inode with the flag of a build-id" "$T/out" || failed "check: $(cat "$T/out")"
	pcat --compat=6.1 "$T/in" | pstat --check=E --for=6.1 || failed "check of --compat"
	done_all
}
