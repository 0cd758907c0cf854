# SPDX-License-Identifier: ISC
# pinject --mmap2-buildid-all and --mmap2-buildids: build-ids inside the records of maps.
load lib

# maps <stream: of each MMAP and MMAP2, one a line: type, misc, pid, start, len, pgoff, what is in the place of device and inode,
# the time in its trailer (the last word), name
maps() {
	perl -e '
		binmode STDIN; local $/; my $d = <STDIN>; my $o = 16;
		while ($o + 8 <= length $d) {
			my ($t, $m, $s) = unpack "VvvX8", substr($d, $o, 8);
			my $r = substr $d, $o, $s;
			printf "%d 0x%x %d 0x%x 0x%x 0x%x %s %d %s\n", $t, $m, unpack("l<", substr $r, 8, 4),
			    unpack("Q<3", substr $r, 16, 24), $t == 10 ? unpack("H48", substr $r, 40, 24) : "-", unpack("Q<", substr $r, -8),
			    unpack("Z*", substr $r, $t == 10 ? 72 : 40) if $t == 1 || $t == 10;
			$o += $s + ($t == 66 ? unpack("V", substr $d, $o + 8, 4) : 0);
		}'
}
# others <stream: without MMAP and MMAP2
others() {
	perl -e '
		binmode STDIN; binmode STDOUT; local $/; my $d = <STDIN>; my $o = 16;
		print substr $d, 0, 16;
		while ($o + 8 <= length $d) {
			my ($t, $m, $s) = unpack "Vvv", substr($d, $o, 8);
			$s += unpack "V", substr $d, $o + 8, 4 if $t == 66;
			print substr $d, $o, $s unless $t == 1 || $t == 10;
			$o += $s;
		}'
}
id_of() {
	readelf -n "$1" | sed -n 's/.*Build ID: //p'
}
elf() {
	readlink -f "$(command -v "${1:-cat}")"
}
WORK='ls -l /usr/bin >/dev/null; (gzip -1 </bin/bash >/dev/null); seq 20000 | exec sort -R'
fresh() {
	need record
	need readelf
	perf record -q --no-bpf-event -e cpu-clock -F 4000 -g --no-buildid-mmap -o - -- sh -c "$WORK" >"$T/in" 2>"$T/record.err" </dev/null ||
	    skip "perf record does not work here"
}
ATTR="attr type=1 config=0 period=1 sample_type=IP|TID|TIME|CALLCHAIN flags=sample_id_all|mmap|comm|task|mmap2"
stream() {
	{ echo "$ATTR"; cat; } >"$T/recipe.txt"
	mkpipe "$@" "$T/recipe.txt" >"$T/in"
}
late() {
	psort --stats "$1" 2>&1 >/dev/null | sed -n 's/.*late: \([0-9]*\).*/\1/p'
}
# Are the ids in the maps of that stream those of the files?  Prints how many there are.
right_ids() {
	local type misc pid start len off file time name n=0
	while read -r type misc pid start len off file time name; do
		((misc & 0x4000)) || continue
		n=$((n + 1))
		case $name in
		"[kernel.kallsyms]"*)
			od -An -tx1 -v /sys/kernel/notes | tr -d ' \n' | grep -q "03000000474e5500${file:8:40}" || failed "$name $file";;
		"[vdso]") ;;
		/lib/modules/*|"["*) ;;
		*) [ "$file" = "14000000$(id_of "$name")" ] || failed "$name: $file";;
		esac
	done < <(maps <"$1" | sort -u -k 7,7 -k 9)
	echo $n
}

# ---- all maps ------------------------------------------------------------------------------------

@test "pinject --mmap2-buildid-all: every map of a file with an id has it, in its place; nothing else changes" {
	fresh
	pinject --mmap2-buildid-all "$T/in" >"$T/out"
	[ "$(right_ids "$T/out")" -gt 5 ] || failed "ids"
	cmp <(others <"$T/in") <(others <"$T/out") || failed "other records"
	# maps: in the same order, with the same addresses and times
	diff <(maps <"$T/in" | cut -d' ' -f 3-6,8-) <(maps <"$T/out" | cut -d' ' -f 3-6,8-) || failed maps
	[ "$(late "$T/out")" = "$(late "$T/in")" ] || failed late
	same_script "$T/in" "$T/out" || failed script
	pinject --mmap2-buildid-all "$T/out" | cmp "$T/out" - || failed twice
	pinject --mmap2-buildid-all <"$T/in" | cmp "$T/out" - || failed "in a pipe"
	done_all
}

@test "pinject --mmap2-buildid-all: kernel, data, guests, what has an id, and what has none" {
	need readelf
	a=$(elf cat) b=$(elf ls)
	rest() {	# of the trailer
		echo "@ pid=7 tid=7 time=$1"
	}
	stream <<-END
		HEADER_BUILD_ID misc=0x8002 pid=-1 build_id=0102030405060708090a0b0c0d0e0f1011121314 id_size=20 filename=$b
		MMAP misc=1 pid=-1 tid=0 start=0xffffffff81000000 len=0x1000000 pgoff=0xffffffff81000000 filename=[kernel.kallsyms]_text
		MMAP misc=2 pid=7 tid=7 start=0x400000 len=0x1000 pgoff=0x3000 filename=$a $(rest 5)
		MMAP misc=0x2002 pid=7 tid=7 start=0x401000 len=0x1000 filename=$a $(rest 6)
		MMAP2 misc=2 pid=7 tid=7 start=0x402000 len=0x1000 prot=1 flags=2 filename=$a $(rest 7)
		MMAP2 misc=0x4002 pid=7 tid=7 start=0x403000 len=0x1000 build_id=0102030405060708090a0b0c0d0e0f1011121314 filename=$a $(rest 8)
		MMAP misc=5 pid=7 tid=7 start=0x404000 len=0x1000 filename=$a $(rest 9)
		MMAP misc=2 pid=7 tid=7 start=0x405000 len=0x1000 filename=$b $(rest 10)
		MMAP2 misc=2 pid=7 tid=7 start=0x406000 len=0x1000 maj=1 min=2 ino=3 prot=5 filename=/opt/none $(rest 11)
		MMAP2 misc=2 pid=7 tid=7 start=0x407000 len=0x1000 prot=5 filename=//anon $(rest 12)
	END
	id=$(id_of "$a")
	kernel=$(od -An -tx1 -v /sys/kernel/notes 2>/dev/null | tr -d ' \n' | sed -n 's/.*1400000003000000474e5500\(.\{40\}\).*/\1/p')
	{
		sed 1q "$T/recipe.txt"
		sed -n 2p "$T/recipe.txt"
		if [ -n "$kernel" ]; then
			echo "MMAP2 misc=0x4001 pid=-1 tid=0 start=0xffffffff81000000 len=0x1000000 pgoff=0xffffffff81000000 build_id=$kernel prot=4 filename=[kernel.kallsyms]_text"
		else
			sed -n 3p "$T/recipe.txt"
		fi
		echo "MMAP2 misc=0x4002 pid=7 tid=7 start=0x400000 len=0x1000 pgoff=0x3000 build_id=$id prot=4 filename=$a $(rest 5)"
		echo "MMAP2 misc=0x6002 pid=7 tid=7 start=0x401000 len=0x1000 build_id=$id filename=$a $(rest 6)"
		echo "MMAP2 misc=0x4002 pid=7 tid=7 start=0x402000 len=0x1000 build_id=$id prot=1 flags=2 filename=$a $(rest 7)"
		sed -n '7,$p' "$T/recipe.txt"
	} >"$T/want.txt"
	mkpipe "$T/want.txt" >"$T/want"
	pinject --mmap2-buildid-all "$T/in" | cmp "$T/want" - || failed little
	# of the other byte order nothing is known, and nothing changed
	stream -b <<<"MMAP2 misc=2 pid=7 tid=7 start=0x400000 len=0x1000 prot=5 filename=$a"
	try pinject --mmap2-buildid-all "$T/in"
	[ $rc = 0 ] && cmp "$T/in" "$T/out" && one_line "pinject: warning: no build-ids: " || failed big
	done_all
}

@test "pinject --mmap2-buildid-all: of two files of one name, the one that is there has its id" {
	need readelf
	[ "$(stat -f -c %T "$T")" != overlayfs ] || skip "overlayfs shows other inodes to a map than to stat"
	cp "$(elf cat)" "$T/prog"
	dev=$(stat -c '%Hd %Ld' "$T/prog" 2>/dev/null) && [[ $dev =~ ^[0-9]+\ [0-9]+$ ]] || skip "stat tells no device"
	for ino in 1 $(stat -c %i "$T/prog") 1; do
		echo "MMAP2 misc=2 pid=7 tid=7 start=0x400000 len=0x10000 maj=${dev% *} min=${dev#* } ino=$ino prot=5 filename=$T/prog"
	done | stream
	pinject --mmap2-buildid-all "$T/in" >"$T/out"
	diff <(maps <"$T/in" | sed "2s/0x2/0x4002/; 2s/ [0-9a-f]\{48\} / 14000000$(id_of "$T/prog") /") <(maps <"$T/out")
}

@test "pinject --mmap2-buildid-all, -B: the ids that perf record --buildid-mmap finds" {
	fresh
	perf record -q --no-bpf-event -e cpu-clock -F 4000 -g --buildid-mmap -o "$T/theirs" -- sh -c "$WORK" 2>/dev/null </dev/null || skip "perf record has no --buildid-mmap here"
	ids_of() {	# of the maps that perf shows, by name
		perf script -f --show-mmap-events -i "$1" 2>/dev/null |
		    sed -n 's/.*PERF_RECORD_MMAP2 .* <\([0-9a-f]*\)>\]: [^ ]* \(\/.*\)/\2 \1/p' | sort -u
	}
	ids_of "$T/theirs" >"$T/want"
	[ "$(wc -l <"$T/want")" -gt 2 ] || skip "perf record finds no ids here"
	for o in --mmap2-buildid-all -B; do
		pinject $o "$T/in" >"$T/out"
		ids_of "$T/out" | grep '^[^ ]* .\{40\}$' >"$T/ours"
		# what is mapped, and hit, varies a little from run to run
		join "$T/want" "$T/ours" >"$T/both"
		awk '$2 != $3 { print; bad = 1 } END { exit bad }' "$T/both" || failed "$o: other ids"
		[ -s "$T/both" ] || failed "$o: $(cat "$T/want" "$T/ours")"
	done
	done_all
}

# ---- maps that are hit ---------------------------------------------------------------------------

@test "pinject -B: perf script shows the same, with few maps" {
	fresh
	pinject -B "$T/in" >"$T/out"
	[ "$(right_ids "$T/out")" -gt 2 ] || failed ids
	cmp <(others <"$T/in") <(others <"$T/out") || failed "other records"
	[ "$(maps <"$T/out" | wc -l)" -lt "$(maps <"$T/in" | wc -l)" ] || failed "not fewer"
	[ "$(late "$T/out")" = "$(late "$T/in")" ] || failed late
	same_script "$T/in" "$T/out" || failed script
	same_script <(psort <"$T/out") <(psort <"$T/in" | pinject -B) || failed psort
	pinject -B <"$T/in" | cmp "$T/out" - || failed "in a pipe"
	done_all
}

@test "pinject -B: a map stands in front of the marker, 1 ns before its first sample, as what is left of it" {
	need readelf
	a=$(elf cat) b=/opt/none
	stream <<-END
		MMAP2 misc=2 pid=7 tid=7 start=0x400000 len=0x10000 pgoff=0x1000 prot=5 filename=$a
		MMAP2 misc=2 pid=7 tid=7 start=0x500000 len=0x10000 prot=5 filename=$a
		FINISHED_ROUND
		SAMPLE misc=2 ip=0x40f000 pid=7 tid=7 time=200 chain=
		MMAP2 misc=2 pid=7 tid=7 start=0x400000 len=0x8000 maj=1 min=2 ino=3 prot=5 filename=$b @ pid=7 tid=7 time=150
		FORK pid=8 ppid=7 tid=8 ptid=7 time=160 @ pid=7 tid=7 time=160
		FINISHED_ROUND
		SAMPLE misc=2 ip=0x400010 pid=8 tid=8 time=300 chain=
		SAMPLE misc=2 ip=0x40f000 pid=8 tid=8 time=301 chain=
		SAMPLE misc=2 ip=0x40e000 pid=7 tid=7 time=302 chain=
		FINISHED_ROUND
		FINISHED_ROUND
	END
	pinject -B "$T/in" >"$T/out"
	id=$(id_of "$a")
	sed '/^MMAP2/d' "$T/recipe.txt" | awk -v a="$a" -v b="$b" -v id="$id" '
		/^FINISHED_ROUND/ && ++n == 3 {
			print "MMAP2 misc=0x4002 pid=7 tid=7 start=0x408000 len=0x8000 pgoff=0x9000 build_id=" id " prot=5 filename=" a " @ pid=7 tid=7 time=199"
		}
		/^FINISHED_ROUND/ && n == 4 {
			print "MMAP2 misc=2 pid=8 tid=8 start=0x400000 len=0x8000 maj=1 min=2 ino=3 prot=5 filename=" b " @ pid=8 tid=8 time=299"
			print "MMAP2 misc=0x4002 pid=8 tid=8 start=0x408000 len=0x8000 pgoff=0x9000 build_id=" id " prot=5 filename=" a " @ pid=8 tid=8 time=300"
		}
		{ print }' >"$T/want.txt"
	mkpipe "$T/want.txt" >"$T/want"
	cmp "$T/want" "$T/out" || diff <(maps <"$T/want") <(maps <"$T/out")
}

@test "pinject -B: a sample that has the time of the FORK of its process" {
	need perf
	stream <<-END
		MMAP2 misc=2 pid=7 tid=7 start=0x400000 len=0x10000 prot=5 flags=2 filename=/opt/none
		MMAP2 misc=2 pid=7 tid=7 start=0x500000 len=0x10000 prot=5 flags=2 filename=/opt/other
		FORK pid=8 ppid=7 tid=8 ptid=7 time=160 @ pid=7 tid=7 time=160
		SAMPLE misc=2 ip=0x400010 pid=8 tid=8 time=160 chain=0x400010
		FORK pid=9 ppid=8 tid=9 ptid=8 time=160 @ pid=8 tid=8 time=160
		SAMPLE misc=2 ip=0x500010 pid=9 tid=9 time=160 chain=0x500010
		SAMPLE misc=2 ip=0x500010 pid=8 tid=8 time=161 chain=0x500010
		SAMPLE misc=2 ip=0x400010 pid=7 tid=7 time=161 chain=0x400010
		SAMPLE misc=2 ip=0x400010 pid=9 tid=9 time=162 chain=0x400010
		FINISHED_ROUND
		FINISHED_ROUND
	END
	pinject -q -B "$T/in" >"$T/out"
	[ "$(perf script -f -i "$T/in" -F ip,sym,dso 2>/dev/null | grep -c '/opt/')" = 5 ]
	same_script "$T/in" "$T/out" -F pid,time,ip,sym,dso
	# and in another order of arrival
	[ "$(psort "$T/out" | perf script -f -i - -F ip,sym,dso 2>/dev/null | grep -c '/opt/')" = 5 ]
}

# random SEED: the recipe of a stream with maps that cut, cover and repeat others, forks, exits and numbers that come back, in
# the order in which the buffers of four CPUs would arrive
random() {
	perl -e '
		my ($seed, @files) = @ARGV; srand $seed; my ($time, @buffer, @pids) = (1000); @pids = (10 .. 14);
		sub at { sprintf "\@ pid=%d tid=%d time=%d", $_[0], $_[0], $time }
		sub map_ {
			my $p = shift;
			sprintf "MMAP2 misc=2 pid=%d tid=%d start=0x%x len=0x%x pgoff=0x%x prot=%d flags=2 filename=%s", $p, $p,
			    0x400000 + 0x1000 * int rand 32, 0x1000 * (1 + int rand 8), 0x1000 * int rand 8, rand > .1 ? 5 : 1, $files[rand @files];
		}
		print map_($_), "\n" for @pids, @pids, @pids;
		for my $round (1 .. 12) {
			for (1 .. 60) {
				my $p = $pids[rand @pids]; my $x = rand; my $line; $time += 2 + int rand 3;
				if ($x < .15) { $line = map_($p) . " " . at($p) }
				elsif ($x < .2) { my $c = 10 + int rand 12; next if grep { $_ == $c } @pids; push @pids, $c;
					$line = "FORK pid=$c ppid=$p tid=$c ptid=$p time=$time " . at($p) }
				elsif ($x < .21) { $line = "COMM misc=0x2000 pid=$p tid=$p comm=t$p " . at($p) }
				elsif ($x < .24 && @pids > 2) { @pids = grep { $_ != $p } @pids;
					$line = "EXIT pid=$p ppid=1 tid=$p ptid=1 time=$time " . at($p) }
				else { $line = sprintf "SAMPLE misc=2 ip=0x%x pid=%d tid=%d time=%d chain=0xfffffffffffffe00,%s", 0x400000 + rand 0x28000, $p, $p,
					$time, join ",", map { sprintf "0x%x", 0x400000 + rand 0x28000 } 1 .. 4 }
				push @{$buffer[rand 4]}, $line;
			}
			for (@buffer) { print "$_\n" for @{$_ // []}; $_ = [] }
			print "FINISHED_ROUND\n";
		}' "$@"
}
@test "pinject -B: the file and the place in it of every address of random streams, by perf" {
	need perf
	for seed in $(seq 6 | each 3); do
		random "$seed" "$(elf cat)" "$(elf sort)" "$(elf ls)" /opt/none //anon '[heap]' | stream
		pinject -B "$T/in" >"$T/out"
		[ "$(late "$T/in")$(late "$T/out")" = 00 ] || failed "$seed: late"
		same_script "$T/in" "$T/out" -F pid,time,ip,sym,symoff,dso || failed "$seed"
		grep -q "($(elf cat))" "$T/script.a" || failed "$seed: nothing resolved"
		# without markers, and in order
		psort "$T/in" | pinject -B >"$T/sorted"
		same_script "$T/in" "$T/sorted" -F pid,time,ip,sym,symoff,dso || failed "$seed: sorted"
		grep -v FINISHED_ROUND "$T/recipe.txt" >"$T/bare.txt"
		mkpipe "$T/bare.txt" | pinject -B >"$T/bare"
		same_script "$T/in" "$T/bare" -F pid,time,ip,sym,symoff,dso || failed "$seed: without markers"
		for o in -b --buildid-all --mmap2-buildid-all; do
			pinject $o "$T/in" >"$T/out"
			same_script "$T/in" "$T/out" -F pid,time,ip,sym,symoff,dso || failed "$seed: $o"
		done
	done
	done_all
}

# written: which maps of $T/in -B writes, the numbers in their names
written() {
	pinject "$@" -B "$T/in" 2>"$T/err" | maps | grep -o '[0-9]*$' | sort | tr '\n' ' '
}
# five maps that only differ in their names
five() {
	for i in 1 2 3 4 5; do
		echo "MMAP2 misc=2 pid=7 tid=7 start=0x${i}00000 len=0x10000 prot=$((i % 2 * 4 + 1)) filename=/opt/$i"
	done
	echo "MMAP misc=1 pid=-1 tid=0 start=0xffffffffa0000000 len=0x10000 filename=/opt/6"
}
@test "pinject -B: maps for data, for branches, for an unwinder and for a hardware trace" {
	five >"$T/five"
	head="attr type=1 config=0 period=1 flags=sample_id_all|mmap|mmap2"
	SAMPLE="SAMPLE misc=2 ip=0x100010 pid=7 tid=7 time=100"
	for order in "" -b; do
		{ echo "$head sample_type=IP|TID|TIME|ADDR"; cat "$T/five"; echo "$SAMPLE addr=0x200010"; } >"$T/r"
		mkpipe $order "$T/r" >"$T/in"
		[ "$order" ] || [ "$(written)" = "1 2 " ] || failed "data: $(written)"
		{ echo "$head sample_type=IP|TID|TIME|BRANCH_STACK branch_sample_type=9"; cat "$T/five"
		echo "$SAMPLE branch=0x300010/0x400010/1,0xffffffffa0000010/0x300000/1"; } >"$T/r"
		mkpipe $order "$T/r" >"$T/in"
		[ "$order" ] || [ "$(written)" = "1 3 4 6 " ] || failed "branches: $(written)"
		{ echo "$head sample_type=IP|TID|TIME|REGS_USER|STACK_USER regs_user=1 stack_user=8"; cat "$T/five"
		echo "$SAMPLE uregs=2,6 stack=0001020304050607 dyn_size=8"; } >"$T/r"
		mkpipe $order "$T/r" >"$T/in"
		[ "$order" ] || [ "$(written)" = "1 2 3 4 5 " ] || failed "stack: $(written)"
		pinject -q -B "$T/in" >"$T/out" || failed "$order"
		[ "$(pstat --json "$T/out" | jq -c '[.types[] | select(.name == "MMAP2").records]')" = "[5]" ] || failed "records $order"
	done
	{ echo "$head sample_type=IP|TID|TIME"; echo "AUXTRACE_INFO aux_type=1"; cat "$T/five"; echo "$SAMPLE"; } >"$T/r"
	mkpipe "$T/r" >"$T/in"
	[ "$(written)" = "1 2 3 4 5 6 " ] && grep -q "^pinject: warning: all maps are kept, because" "$T/err" || failed "trace: $(written)"
	done_all
}

@test "pinject -B: perf unwinds copied stacks as before" {
	need record
	perf record -q --no-bpf-event -e cpu-clock -F 1000 --call-graph dwarf --no-buildid-mmap -o - -- sh -c "$WORK" >"$T/in" 2>/dev/null </dev/null ||
	    skip "perf record takes no stacks here"
	pinject -B "$T/in" >"$T/out"
	same_script "$T/in" "$T/out" -F comm,tid,time,ip,sym,dso
}

# ---- any recording -------------------------------------------------------------------------------

@test "pinject --mmap2-buildid-all, -B: recordings of other machines and other kinds keep their samples" {
	for f in data/*.data; do
		pcat -q "$f" >"$T/in" 2>/dev/null || continue
		for o in --mmap2-buildid-all -B; do
			turn 7 || continue
			try pinject -q $o "$T/in"
			[ $rc = 0 ] || failed "$f $o"
			[ "$(pstat --json "$T/out" | jq .samples)" = "$(pstat --json "$T/in" | jq .samples)" ] || failed "$f $o: samples"
			[ "$(late "$T/out")" = "$(late "$T/in")" ] || failed "$f $o: late"
		done
	done
	done_all
}

@test "pinject: build-ids are put into one place" {
	excluded() {
		try pinject $1 /dev/null
		[ $rc = 2 ] && one_line "pinject: $2" || failed "$1"
	}
	excluded "-b -B" "--build-ids: cannot be combined with --mmap2-buildids"
	excluded "-b --mmap2-buildid-all" "--build-ids: cannot be combined with --mmap2-buildid-all"
	excluded "--buildid-all -B" "--buildid-all: cannot be combined with --mmap2-buildids"
	excluded "--buildid-all --mmap2-buildid-all" "--buildid-all: cannot be combined with --mmap2-buildid-all"
	excluded "-B --mmap2-buildid-all" "--mmap2-buildids: cannot be combined with --mmap2-buildid-all"
	done_all
}

@test "mmap2-buildids: in front of the vdso of a 32-bit process are its files, by which perf tells the vdsos apart" {
	stream <<-END
		COMM pid=7 tid=7 comm=small
		MMAP2 misc=2 pid=7 tid=7 start=0x8048000 len=0x1000 prot=5 filename=/small
		MMAP2 misc=2 pid=7 tid=7 start=0x9000000 len=0x1000 prot=5 filename=//anon
		MMAP2 misc=2 pid=7 tid=7 start=0xf7d00000 len=0x1000 prot=5 filename=/lib32
		MMAP2 misc=2 pid=7 tid=7 start=0xf7f00000 len=0x2000 prot=5 filename=[vdso]
		COMM pid=8 tid=8 comm=big
		MMAP2 misc=2 pid=8 tid=8 start=0x400000 len=0x1000 prot=5 filename=/big
		MMAP2 misc=2 pid=8 tid=8 start=0x7ffc00000000 len=0x2000 prot=5 filename=[vdso]
		SAMPLE misc=2 ip=0xf7f00100 pid=7 tid=7 time=10 chain=
		SAMPLE misc=2 ip=0x7ffc00000100 pid=8 tid=8 time=20 chain=
		SAMPLE misc=2 ip=0xf7f00110 pid=7 tid=7 time=30 chain=
		SAMPLE misc=2 ip=0x8048010 pid=7 tid=7 time=40 chain=
	END
	pinject -q -B "$T/in" | maps | grep -v anon | awk '{ print $3, $NF }' >"$T/got"
	diff - "$T/got" <<-END
		7 /small
		7 /lib32
		7 [vdso]
		8 [vdso]
	END
	[ "$(pinject -q -B "$T/in" | maps | grep -c //anon)" = 1 ]
}
