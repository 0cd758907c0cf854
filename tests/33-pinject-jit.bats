# SPDX-License-Identifier: ISC
# pinject --jit: code made at run time, from jitdumps.
load lib

# ---- helpers -------------------------------------------------------------------------------------

PID=9999991		# no process has it
ATTR="attr type=1 config=0 period=1 sample_type=IP|TID|TIME flags=sample_id_all|mmap|comm|task|mmap2|use_clockid clockid=1"

# stream: mkpipe from standard input behind the attr, in $T/in; DUMP, PID, MAP and ANON (an area of 64 KiB at 0x10000) stand
# for what they are.
stream() {
	{ echo "$ATTR"; cat; } | sed "
		s,^MAP,MMAP2 misc=2 pid=PID tid=PID start=0x900000 len=0x1000 prot=5 flags=2 filename=DUMP,
		s,^ANON,MMAP2 misc=2 pid=PID tid=PID start=0x10000 len=0x10000 prot=7 flags=0x22 filename=//anon,
		s,DUMP,$T/jit-$PID.dump,; s,PID,$PID,g" >"$T/recipe.txt"
	mkpipe "$@" "$T/recipe.txt" >"$T/in"
}
# dump: mkjitdump from standard input, in $T/jit-PID.dump
dump() {
	sed "s,PID,$PID,g" | ./mkjitdump "$@" >"$T/jit-$PID.dump"
}
jit() {
	pinject -j --buildid-dir "$T/syms" "$@"
}
# ours [-v] <stream: the MMAP2s of jitted code, one a line: number of rounds before, pid, time, start, length, pgoff, name, id
# (0, if it is no file); -v: the stream without them.
ours() {
	perl -e '
		binmode STDIN; binmode STDOUT; local $/; my $d = <STDIN>; my ($o, $rounds) = (16, 0);
		my $v = @ARGV && $ARGV[0] eq "-v"; my $dir = $ARGV[-1];
		my ($u4, $u2, $u8) = $d =~ /^PERFILE2/ ? ("V", "v", "Q<") : ("N", "n", "Q>");
		print substr($d, 0, 16) if $v;
		while ($o + 8 <= length $d) {
			my ($t, $m, $s) = unpack "$u4$u2$u2", substr($d, $o, 8);
			die "size $s at $o" if $s < 8;
			my $pay = $t == 66 ? unpack($u4, substr $d, $o + 8, 4) : 0;
			my $r = substr $d, $o, $s;
			$rounds++ if $t == 68;
			if ($t == 10 && $m & 0x4000 && (my $name = unpack "Z*", substr $r, 72) =~ /^jitted-\d+-\d+\.so$/) {
				my $id = unpack "H40", substr $r, 44, 20;
				(my $file = "$dir/.build-id/$id/elf") =~ s,/(..)([^/]*)/elf$,/$1/$2/elf,;
				printf "%d %d %d 0x%x %d 0x%x %s %s\n", $rounds, unpack($u4, substr $r, 8, 4),
				    unpack($u8, substr $r, -8), unpack("$u8$u8$u8", substr $r, 16, 24), $name, -f $file ? $file : 0 if !$v;
			} elsif ($v) { print substr $d, $o, $s + $pay }
			$o += $s + $pay;
		}' -- "$@" "$T/syms"
}
# shown <stream: the same with the symbol of the file at that place instead of pgoff, name and id
shown() {
	ours | while read -r rounds pid time start len pgoff name file; do
		echo "$rounds $pid $time $start $len $(readelf -sW "$file" | perl -ane '
			print $F[7] if @F > 7 && $F[3] eq "FUNC" && hex $F[1] <= '$((pgoff))' && '$((pgoff))' < hex($F[1]) + $F[2]')"
	done
}
# late <stream: the number of late records
late() {
	psort --stats 2>&1 >/dev/null | sed -n 's/.* late: \([0-9]*\),.*/\1/p'
}
# Nothing that is new is late, and without it the stream is the input.
laws() {
	ours -v <"$T/out" | cmp - "$T/in" || return 1
	late <"$T/in" >"$T/late.in"
	late <"$T/out" | cmp - "$T/late.in" && [ -s "$T/late.in" ] || return 1
	jit <"$T/out" 2>/dev/null | cmp - "$T/out"
}
# report [option of perf...] -- FILE: the functions of the maker and their percentages
report() {
	local file=${@: -1}
	perf "${@:1:$(($# - 2))}" report --stdio --no-children -s sym -i "$file" 2>/dev/null | sed -n 's/ *$//; /\(made\|child\)_/p' | sort
}
# made [option of the maker...]: record it now, in $T/in.data; its stream in $T/in
made() {
	need record
	need native
	mkdir -p "$T/dumps"
	perf record -q --no-bpf-event -k mono -e cpu-clock -F 4000 -o "$T/in.data" -- "$O/jit" "$@" "$T/dumps" >/dev/null 2>"$T/err" ||
	    skip "perf record -k mono does not work here"
	pcat "$T/in.data" >"$T/in"
}

# ---- real recordings -----------------------------------------------------------------------------

@test "pinject -j: functions side by side, at one place, moved, re-mapped, forked: the names that perf inject -j gives" {
	for how in "-n 4" "-n 4 -p" "-n 3 -M" "-n 3 -r" "-n 3 -r -p" "-n 3 -f" "-n 3 -d -u"; do
		made -m 10 $how
		rm -rf "$T/syms"
		try jit <"$T/in"
		[ $rc = 0 ] || failed "$how: status"
		laws || failed "$how: laws"
		HOME=$T perf inject -j -i "$T/in.data" -o "$T/theirs" 2>/dev/null || skip "this perf cannot inject -j"
		HOME=$T report -- "$T/theirs" >"$T/want"
		report --buildid-dir "$T/syms" -- "$T/out" >"$T/got"
		[ -s "$T/want" ] || failed "$how: perf shows no function"
		diff -u "$T/want" "$T/got" || failed "$how: not the same names"
	done
	done_all
}

@test "pinject -j -b: in the pipe from perf record through psort to perf, with the files of --buildid-dir only" {
	need record
	need native
	mkdir "$T/dumps"
	perf record -q --no-bpf-event -k mono -e cpu-clock -F 4000 -g -o - -- "$O/jit" -n 5 -m 10 "$T/dumps" 2>"$T/err" >"$T/first" ||
	    skip "perf record -k mono does not work here"
	perf record -q --no-bpf-event -k mono -e cpu-clock -F 4000 -g -o - -- "$O/jit" -n 5 -m 10 "$T/dumps" 2>/dev/null |
	    pinject -b -j --buildid-dir "$T/syms" | psort >"$T/run.data"
	rm -r "$T/dumps"
	perf --buildid-dir "$T/syms" script -i "$T/run.data" -F ip,sym,dso >"$T/script" 2>/dev/null
	for i in 0 1 2 3 4; do
		grep -q " made_$i (.*jitted-[0-9]*-[0-9]*\.so)" "$T/script" || failed "made_$i"
	done
	done_all
}

@test "pinject -j: source lines and unwinding tables reach perf" {
	need readelf
	made -m 5 -n 3 -d -u
	jit <"$T/in" >"$T/out"
	ours <"$T/out" | cut -d' ' -f8 | sort -u >"$T/files"
	[ -s "$T/files" ]
	while read -r f; do
		readelf -wL "$f" 2>/dev/null | grep -q 'made\.src' || failed "no lines in $f"
		readelf -wf "$f" 2>/dev/null | grep -q 'FDE' || failed "no tables in $f"
	done <"$T/files"
	done_all
}

@test "pinject -j: python -X perf_jit: the names that perf inject -j gives" {
	local python dump
	need record
	for python in python3.15 python3.14 python3.13 python3 none; do
		"$python" -X perf_jit -c 'import sys; sys.exit(not sys.is_stack_trampoline_active())' 2>/dev/null </dev/null && break
	done
	[ $python != none ] || skip "no python with -X perf_jit"
	cat >"$T/hot.py" <<-'END'
	def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
	def one(i): return 1
	def loop(n):
	    s = 0
	    for i in range(n): s += one(i)
	    return s
	def same(i): return i
	def comprehension(n): return sum([same(i) for i in range(n)])
	for _ in range(3): fib(22), loop(300000), comprehension(300000)
	END
	perf record -q -k mono -e cpu-clock -F 20000 -o "$T/in.data" -- "$python" -X perf_jit "$T/hot.py" >/dev/null 2>"$T/err" ||
	    skip "perf record -k mono does not work here"
	jit <"$T/in.data" >"$T/out"
	HOME=$T perf inject -j -i "$T/in.data" -o "$T/theirs" 2>/dev/null || skip "this perf cannot inject -j"
	HOME=$T perf script -F time,ip,sym -i "$T/theirs" >"$T/want" 2>/dev/null
	pcat "$T/in.data" | grep -ao '/tmp/jit-[0-9]*\.dump' >"$T/dumps"
	while read -r dump; do
		dump=${dump#/tmp/jit-}
		rm -f /tmp/jit-"$dump" /tmp/jitted-"${dump%.dump}"-*.so
	done <"$T/dumps"
	perf --buildid-dir "$T/syms" script -F time,ip,sym -i "$T/out" 2>/dev/null | diff -u "$T/want" -
	# a call is few instructions of its trampoline
	grep -q ' py::' "$T/want" || skip "no sample hit a trampoline"
}

@test "pinject -j: perf annotate has code and source lines from the files of --buildid-dir" {
	need objdump
	made -m 20 -n 2 -d
	jit <"$T/in" >"$T/out"
	perf --buildid-dir "$T/syms" annotate --stdio -s made_1 -i "$T/out" >"$T/annotated" 2>&1 </dev/null
	# %rdi is counted down, in the loop of line 201
	grep -q ':201' "$T/annotated" || failed "no lines"
	grep -Eq '[1-9][0-9.]+ +: +[0-9a-f]+: +(dec|add|sub|subs|b.ne|jne) ' "$T/annotated" || failed "no code"
	done_all
}

@test "pinject -j: many functions are few files, no larger than the dump and a half" {
	need native
	mkdir "$T/d"
	dumped=$("$O/jit" -n 20000 -m 0 "$T/d") || skip "no code for this machine"
	PID=${dumped##*-}
	PID=${PID%.dump}
	stream <<-END
	MMAP2 misc=2 pid=PID tid=PID start=0x900000 len=0x1000 prot=5 flags=2 filename=$dumped @ time=1000
	FINISHED_ROUND
	SAMPLE misc=2 ip=0x10000 pid=PID time=900000000000000000 period=1
	FINISHED_ROUND
	FINISHED_ROUND
	END
	jit <"$T/in" >"$T/out"
	[ "$(ours <"$T/out" | wc -l)" -eq 20000 ]
	[ "$(find "$T/syms" -name elf | wc -l)" -le 3 ]
	[ "$(du -sb "$T/syms" | cut -f1)" -le $(($(stat -c %s "$dumped") * 3 / 2)) ]
}

# ---- what is written where -----------------------------------------------------------------------

@test "pinject -j: each MMAP2 in front of the FINISHED_ROUND that delivers its time" {
	need readelf
	dump <<-END
	head pid=PID
	load time=1100 pid=PID addr=0x10000 size=32 name=alpha
	load time=1500 pid=PID addr=0x10100 size=32 name=beta
	move time=1600 pid=PID from=0x10000 addr=0x10200 size=32
	load time=2500 pid=PID addr=0x10000 size=16 name=gamma
	END
	stream <<-END
	MAP @ time=1000
	ANON @ time=1001
	FINISHED_ROUND
	SAMPLE misc=2 ip=0x10000 pid=PID time=1200
	FINISHED_ROUND
	SAMPLE misc=2 ip=0x10100 pid=PID time=2000
	FINISHED_ROUND
	SAMPLE misc=2 ip=0x10000 pid=PID time=3000
	FINISHED_ROUND
	FINISHED_ROUND
	END
	jit <"$T/in" >"$T/out"
	shown <"$T/out" >"$T/shown"
	diff -u - "$T/shown" <<-END
	2 $PID 1100 0x10000 32 alpha
	3 $PID 1500 0x10100 32 beta
	3 $PID 1600 0x10200 32 alpha
	4 $PID 2500 0x10000 16 gamma
	END
	laws
}

@test "pinject -j: psort before or after makes no difference to perf script" {
	made -n 4 -p -m 5
	jit <"$T/in" | psort >"$T/1"
	psort <"$T/in" | jit >"$T/2"
	if cmp -s "$T/in" "$T/2"; then echo "nothing was added"; false; fi
	same_script "$T/1" "$T/2"
	# in order it is behind psort only, but nothing is late
	psort -c "$T/1"
	[ "$(late <"$T/2")" = 0 ]
}

@test "pinject -j: a later anonymous map hides no function; what it hides in part comes back in part; one of a file does hide" {
	need readelf
	dump <<-END
	head pid=PID
	load time=1100 pid=PID addr=0x10000 size=32 name=alpha
	load time=1100 pid=PID addr=0x10020 size=32 name=beta
	load time=1100 pid=PID addr=0x13000 size=32 name=gamma
	END
	stream <<-END
	MAP @ time=1000
	ANON @ time=1001
	SAMPLE misc=2 ip=0x10000 pid=PID time=1200
	ANON @ time=1300
	MMAP2 misc=2 pid=PID tid=PID start=0x10010 len=0x20 prot=5 flags=2 filename=//anon @ time=1400
	MMAP2 misc=2 pid=PID tid=PID start=0x13000 len=0x1000 prot=5 flags=2 filename=/lib/x @ time=1500
	ANON @ time=1600
	END
	jit <"$T/in" >"$T/out"
	shown <"$T/out" >"$T/shown"
	# alpha and beta stand side by side in the file, too
	diff -u - "$T/shown" <<-END
	0 $PID 1100 0x10000 32 alpha
	0 $PID 1100 0x10020 32 beta
	0 $PID 1100 0x13000 32 gamma
	0 $PID 1301 0x10000 64 alpha
	0 $PID 1301 0x13000 32 gamma
	0 $PID 1401 0x10010 32 alpha
	0 $PID 1601 0x10000 64 alpha
	END
	laws
}

@test "pinject -j: FORK hands functions on, exec ends them, EXIT ends the dump" {
	need readelf
	dump <<-END
	head pid=PID
	load time=1100 pid=PID addr=0x10000 size=32 name=alpha
	load time=1350 pid=$((PID + 1)) addr=0x10100 size=32 name=heir
	load time=1700 pid=PID addr=0x10200 size=32 name=late
	END
	stream <<-END
	MAP @ time=1000
	ANON @ time=1001
	FORK pid=$((PID + 1)) ppid=PID tid=$((PID + 1)) ptid=PID time=1200 @ time=1200
	MMAP2 misc=2 pid=$((PID + 1)) tid=$((PID + 1)) start=0x10000 len=0x1000 prot=5 flags=2 filename=//anon @ time=1300
	EXIT pid=$((PID + 1)) ppid=PID tid=$((PID + 1)) ptid=PID time=1380 @ time=1380
	COMM misc=0x2000 pid=PID tid=PID comm=other @ time=1400
	ANON @ time=1500
	SAMPLE misc=2 ip=0x10000 pid=PID time=1800
	END
	jit <"$T/in" >"$T/out"
	shown <"$T/out" >"$T/shown"
	diff -u - "$T/shown" <<-END
	0 $PID 1100 0x10000 32 alpha
	0 $((PID + 1)) 1301 0x10000 32 alpha
	0 $((PID + 1)) 1350 0x10100 32 heir
	END
	laws
	sed -i 's/^COMM.*/EXIT pid='$PID' ppid=1 tid='$PID' ptid=1 time=1400 @ time=1400/' "$T/recipe.txt"
	mkpipe "$T/recipe.txt" >"$T/in"
	jit <"$T/in" >"$T/out"
	! shown <"$T/out" | grep late
	laws
}

@test "pinject -j: a dump that grows is read on at each round; a record that is cut waits; what comes late is stamped and counted" {
	need readelf
	dump <<-END
	head pid=PID
	load time=1100 pid=PID addr=0x10000 size=32 name=alpha
	load time=1300 pid=PID addr=0x10100 size=32 name=beta
	load time=1400 pid=PID addr=0x10200 size=32 name=gamma
	END
	mv "$T/jit-$PID.dump" "$T/whole"
	stream <<-END
	MAP @ time=1000
	FINISHED_ROUND
	SAMPLE misc=2 ip=0x10000 pid=PID time=1500
	FINISHED_ROUND
	SAMPLE misc=2 ip=0x10100 pid=PID time=2000
	FINISHED_ROUND
	SAMPLE misc=2 ip=0x10100 pid=PID time=2500
	FINISHED_ROUND
	FINISHED_ROUND
	END
	# up to and with the 3rd FINISHED_ROUND; the dump ends inside beta
	third=$(pcat "$T/in" | perl -e 'binmode STDIN; local $/; $_ = <STDIN>; my $o = 16; my $n = 0;
		while ($n < 3) { my ($t, $m, $s) = unpack "Vvv", substr $_, $o; $o += $s; $n++ if $t == 68 } print $o')
	head -c 190 "$T/whole" >"$T/jit-$PID.dump"
	mkfifo "$T/fifo"
	jit -v <"$T/fifo" >"$T/out" 2>"$T/err" &
	exec 7>"$T/fifo"
	head -c "$third" "$T/in" >&7
	await grown "$T/out" $((third + 100))
	cp "$T/whole" "$T/jit-$PID.dump"
	tail -c +$((third + 1)) "$T/in" >&7
	exec 7>&-
	wait $!
	shown <"$T/out" >"$T/shown"
	diff -u - "$T/shown" <<-END
	2 $PID 1100 0x10000 32 alpha
	3 $PID 1500 0x10100 32 beta
	3 $PID 1500 0x10200 32 gamma
	END
	grep -q '2 times written late' "$T/err"
	ours -v <"$T/out" | cmp - "$T/in"
}

# ---- clocks --------------------------------------------------------------------------------------

@test "pinject -j: a dump without the recording's clock is not used, and that is said; --strict makes it status 1" {
	dump <<-END
	head pid=PID
	load time=1100 pid=PID addr=0x10000 size=32 name=alpha
	END
	ATTR=${ATTR/|use_clockid clockid=1/}
	stream <<-END
	MAP @ time=1000
	SAMPLE misc=2 ip=0x10000 pid=PID time=1500
	END
	try jit <"$T/in"
	[ $rc = 0 ]
	cmp "$T/in" "$T/out"
	one_line "pinject: warning: 1 jitdumps not used: '$T/jit-$PID.dump': recorded without -k mono"
	try jit --strict <"$T/in"
	[ $rc = 1 ]
	cmp "$T/in" "$T/out"
}

@test "pinject -j: times that are CPU cycles become times by TIME_CONV, as in perf inject -j" {
	need readelf
	need perf
	ATTR=${ATTR/|use_clockid clockid=1/}
	dump <<-END
	head pid=PID flags=1
	load time=1024 pid=PID addr=0x10000 tid=PID index=1 size=32 name=made_1
	load time=3072 pid=PID addr=0x10000 tid=PID index=2 size=32 name=made_2
	load time=8192 pid=PID addr=0x10000 tid=PID index=3 size=32 name=made_3
	END
	stream <<-END
	TIME_CONV shift=10 mult=512 zero=1000 cycles=0 mask=0xffffffffffffffff cap_zero=1 cap_short=0
	COMM pid=PID tid=PID comm=jit
	MAP @ time=1000
	ANON @ time=1001
	SAMPLE misc=2 ip=0x10008 pid=PID time=1600
	SAMPLE misc=2 ip=0x10008 pid=PID time=2600
	SAMPLE misc=2 ip=0x10008 pid=PID time=2700
	SAMPLE misc=2 ip=0x10008 pid=PID time=6000
	END
	jit <"$T/in" >"$T/out"
	shown <"$T/out" >"$T/shown"
	diff -u - "$T/shown" <<-END
	0 $PID 1512 0x10000 32 made_1
	0 $PID 2536 0x10000 32 made_2
	0 $PID 5096 0x10000 32 made_3
	END
	laws
	perf --buildid-dir "$T/syms" script -F time,ip,sym -i "$T/out" 2>/dev/null >"$T/got"
	awk '{ print $3 }' "$T/got" >"$T/names"
	printf 'made_%s\n' 1 2 2 3 | diff -u - "$T/names"
	pcat --format=file -o "$T/in.data" "$T/in"
	HOME=$T perf inject -j -i "$T/in.data" -o "$T/theirs" 2>"$T/theirs.err" || skip "this perf cannot inject -j"
	perf script -D -i "$T/theirs" 2>/dev/null | sed -n 's/ .*MMAP2.*jitted.*//p' >"$T/times"
	cut -d' ' -f3 "$T/shown" | diff -u "$T/times" -
	HOME=$T perf script -F time,ip,sym -i "$T/theirs" 2>/dev/null | diff -u - "$T/got"
}

# ---- where dumps are -----------------------------------------------------------------------------

@test "pinject -j: --jit-dump-dir finds the dump of a process that is gone" {
	dump <<-END
	head pid=PID
	load time=1100 pid=PID addr=0x10000 size=32 name=alpha
	END
	stream <<-END
	MAP @ time=1000
	SAMPLE misc=2 ip=0x10000 pid=PID time=1500
	END
	mkdir "$T/saved"
	mv "$T/jit-$PID.dump" "$T/saved"
	try jit <"$T/in"
	[ $rc = 0 ]
	cmp "$T/in" "$T/out"
	one_line "pinject: warning: 1 jitdumps not used: '$T/jit-$PID.dump': "
	try jit --jit-dump-dir "$T/saved" <"$T/in"
	[ $rc = 0 ]
	[ "$(ours <"$T/out" | wc -l)" -eq 1 ]
	laws
}

@test "pinject -j: without --buildid-dir it is wrong usage, and the message says what to do" {
	try pinject -j "$(recipe small)"
	[ $rc = 2 ]
	grep -q -- '--buildid-dir DIR' "$T/err"
}

@test "pinject -j: a big-endian dump makes a big-endian file" {
	need readelf
	dump -b <<-END
	head pid=PID machine=22
	load time=1100 pid=PID addr=0x10000 size=32 name=alpha
	debug time=1150 addr=0x10100 lines=10100:7:a.c,10108:8
	load time=1150 pid=PID addr=0x10100 size=32 name=beta
	END
	stream <<-END
	MAP @ time=1000
	SAMPLE misc=2 ip=0x10000 pid=PID time=1500
	END
	jit <"$T/in" >"$T/out"
	shown <"$T/out" >"$T/shown"
	diff -u - "$T/shown" <<-END
	0 $PID 1100 0x10000 32 alpha
	0 $PID 1150 0x10100 32 beta
	END
	readelf -h "$(ours <"$T/out" | head -n 1 | cut -d' ' -f8)" >"$T/head" 2>&1
	grep -q 'big endian' "$T/head"
	grep -q 'S/390' "$T/head"
	laws
	# of a big-endian stream, too, which is of another machine
	stream -b <<-END
	MAP @ time=1000
	SAMPLE misc=2 ip=0x10000 pid=PID time=1500
	END
	jit -q <"$T/in" >"$T/out"
	cmp "$T/in" "$T/out"
	mkdir "$T/saved"
	mv "$T/jit-$PID.dump" "$T/saved"
	jit() { pinject -j --buildid-dir "$T/syms" --jit-dump-dir "$T/saved" "$@"; }
	jit <"$T/in" >"$T/out"
	[ "$(ours <"$T/out" | wc -l)" -eq 2 ]
	laws
}

@test "pinject -j --perf-map: a process with a dump is left to it" {
	need readelf
	dump <<-END
	head pid=PID
	load time=1300 pid=PID addr=0x10000 size=32 name=alpha
	END
	stream <<-END
	MAP @ time=1000
	ANON @ time=1001
	SAMPLE misc=2 ip=0x10040 pid=PID time=1200
	SAMPLE misc=2 ip=0x10000 pid=PID time=1400
	END
	mkdir "$T/maps"
	echo "10000 100 old" >"$T/maps/perf-$PID.map"
	jit --perf-map="$T/maps" <"$T/in" >"$T/out"
	shown <"$T/out" >"$T/shown"
	diff -u - "$T/shown" <<<"0 $PID 1300 0x10000 32 alpha"
	laws
	# without the dump it is used
	rm "$T/jit-$PID.dump"
	jit -q --perf-map="$T/maps" <"$T/in" >"$T/out"
	pcat "$T/out" | cmp -s - "$T/in" && failed "the perf-map is not used"
	done_all
}

# ---- whose dump ----------------------------------------------------------------------------------

@test "pinject -j: the dump of another process than the mapper is done with: one line, status 1" {
	stream <<-END
	MMAP2 misc=2 pid=$((PID + 1)) tid=$((PID + 1)) start=0x900000 len=0x1000 prot=5 flags=2 filename=DUMP @ time=1000
	MMAP2 misc=2 pid=PID tid=PID start=0x900000 len=0x1000 prot=5 flags=2 filename=DUMP @ time=1000
	SAMPLE misc=2 ip=0x10000 pid=$((PID + 1)) time=1500
	SAMPLE misc=2 ip=0x10000 pid=PID time=1500
	END
	dump <<-END
	head pid=PID
	load time=1100 pid=PID addr=0x10000 size=32 name=alpha
	END
	try jit <"$T/in"
	[ $rc = 1 ]
	one_line "pinject: $T/jit-$PID.dump: a jitdump of process $PID, not $((PID + 1))"
	ours <"$T/out" | cut -d' ' -f2 >"$T/pids"
	diff - "$T/pids" <<<$PID
	ours -v <"$T/out" | cmp - "$T/in"
	# the header has the mapper, but the name has not
	dump <<<"head pid=$((PID + 1))"
	sed -i '/pid='$PID'.*jit-/d' "$T/recipe.txt"
	mkpipe "$T/recipe.txt" >"$T/in"
	try jit <"$T/in"
	[ $rc = 1 ]
	one_line "pinject: $T/jit-$PID.dump: a jitdump of process $((PID + 1)), not $PID"
}

@test "pinject -j: a process in another pid namespace has its dump by its own pid" {
	need native
	unshare -p -f true 2>/dev/null || skip "no pid namespaces for this user"
	mkdir "$T/dumps"
	mkfifo "$T/go"
	# the process stays until the fifo is closed
	unshare -p -f "$O/jit" -n 2 -m 0 -k "$T/dumps" <"$T/go" >/dev/null 2>&1 3>&- &
	exec 7>"$T/go"
	await grep -q made_1 "$T/dumps/jit-1.dump" || skip "no code for this machine"
	PID=$(cat /proc/$!/task/$!/children)
	PID=${PID% }
	stream <<-END
	MMAP2 misc=2 pid=PID tid=PID start=0x900000 len=0x1000 prot=5 flags=2 filename=$T/dumps/jit-1.dump @ time=1000
	SAMPLE misc=2 ip=0x10000 pid=PID time=900000000000000000
	END
	try jit <"$T/in"
	exec 7>&-
	wait
	[ $rc = 0 ]
	[ "$(ours <"$T/out" | wc -l)" -eq 2 ]
	# it is gone, and that the other namespace was one of pids, nobody can say
	try jit <"$T/in"
	[ $rc = 1 ]
	one_line "pinject: $T/dumps/jit-1.dump: a jitdump of process 1, not $PID"
	# but the user can
	mkdir "$T/saved"
	mv "$T/dumps/jit-1.dump" "$T/saved"
	jit --jit-dump-dir "$T/saved" <"$T/in" >"$T/out"
	[ "$(ours <"$T/out" | wc -l)" -eq 2 ]
}

# map_of FILE: the MMAP2 of it, with its device and inode
map_of() {
	local dev=$(stat -c '%Hd %Ld' "$1")
	echo "MMAP2 misc=2 pid=PID tid=PID start=0x900000 len=0x1000 maj=${dev% *} min=${dev#* } ino=$(stat -c %i "$1") prot=5 flags=2 filename=DUMP @ time=1000"
}

@test "pinject -j: a dump that replaced the mapped one gives no names" {
	dump <<-END
	head pid=PID
	load time=1100 pid=PID addr=0x10000 size=32 name=alpha
	END
	{ map_of "$T/jit-$PID.dump"; echo "SAMPLE misc=2 ip=0x10000 pid=PID time=1500"; } | stream
	try jit <"$T/in"
	[ $rc = 0 ]
	[ "$(ours <"$T/out" | wc -l)" -eq 1 ]
	cp "$T/jit-$PID.dump" "$T/other"
	mv "$T/other" "$T/jit-$PID.dump"
	try jit <"$T/in"
	[ $rc = 0 ]
	cmp "$T/in" "$T/out"
	one_line "pinject: warning: 1 jitdumps not used: '$T/jit-$PID.dump': was replaced after the recording"
	# deleted, and another one of that name in the directory that the user names
	mkdir "$T/saved"
	mv "$T/jit-$PID.dump" "$T/saved"
	jit --jit-dump-dir "$T/saved" <"$T/in" >"$T/out"
	[ "$(ours <"$T/out" | wc -l)" -eq 1 ]
}

@test "pinject -j: a dump below --jit-dump-dir whose functions are older than the map is of an earlier process of that pid" {
	mkdir "$T/saved"
	dump <<-END
	head pid=PID
	load time=900 pid=PID addr=0x10000 size=32 name=alpha
	load time=1100 pid=PID addr=0x10000 size=32 name=beta
	END
	mv "$T/jit-$PID.dump" "$T/saved"
	stream <<-END
	MAP @ time=1000
	SAMPLE misc=2 ip=0x10000 pid=PID time=1500
	END
	try jit --jit-dump-dir "$T/saved" <"$T/in"
	[ $rc = 0 ]
	cmp "$T/in" "$T/out"
	one_line "pinject: warning: 1 jitdumps not used: '$T/jit-$PID.dump': its functions are older than its map"
	# a map from before the recording has no time
	sed -i 's/time=1000/time=0/' "$T/recipe.txt"
	mkpipe "$T/recipe.txt" >"$T/in"
	jit --jit-dump-dir "$T/saved" <"$T/in" >"$T/out"
	[ "$(ours <"$T/out" | wc -l)" -eq 2 ]
}

@test "pinject -j: a deleted dump of a process that runs" {
	need native
	mkdir "$T/dumps"
	mkfifo "$T/go"
	"$O/jit" -n 2 -m 0 -k "$T/dumps" <"$T/go" >/dev/null 2>&1 3>&- &
	PID=$!
	exec 7>"$T/go"
	await grep -q made_1 "$T/dumps/jit-$PID.dump" || skip "no code for this machine"
	map=$(map_of "$T/dumps/jit-$PID.dump")
	{ echo "${map/DUMP/$T/dumps/jit-PID.dump}"; echo "SAMPLE misc=2 ip=0x10000 pid=PID time=900000000000000000"; } | stream
	rm "$T/dumps/jit-$PID.dump"
	# a file of the same name by another hand
	dump <<-END
	head pid=PID
	load time=1100 pid=PID addr=0x10000 size=32 name=foreign
	END
	mv "$T/jit-$PID.dump" "$T/dumps"
	try jit <"$T/in"
	exec 7>&-
	wait
	[ $rc = 0 ] && [ "$(ours <"$T/out" | wc -l)" -eq 2 ]
}

# ---- dumps that are damaged, or lie ---------------------------------------------------------------

# lie TEXT PREFIX...: a dump with a good function, then what standard input says: one line with the text, the good function, status 1
lie() {
	local text=$1
	dump <<-END
	head pid=PID
	load time=1100 pid=PID addr=0x10000 size=32 name=good
	$(cat)
	END
	rm -rf "$T/syms"
	try jit <"$T/in"
	[ $rc = 1 ] || failed "$text: status"
	one_line "pinject: $T/jit-$PID.dump: " && grep -qF -- "$text" "$T/err" || failed "$text: message"
	ours -v <"$T/out" | cmp - "$T/in" || failed "$text: the stream"
	[ "$(ours <"$T/out" | wc -l)" -eq 1 ] || failed "$text: the good function"
}

@test "pinject -j: a damaged dump is one line with the place, what was good before, and status 1" {
	stream <<-END
	MAP @ time=1000
	SAMPLE misc=2 ip=0x10000 pid=PID time=1500
	FINISHED_ROUND
	FINISHED_ROUND
	END
	lie "byte 133: a record of less than 16 bytes" <<<"record id=7 total=15 size=40"
	lie "byte 133: CODE_LOAD: its code exceeds the record" <<<"load time=1200 pid=PID addr=0x10100 size=16 code_size=17 name=x"
	lie "byte 133: CODE_LOAD: more than 16 MiB of code" <<<"load time=1200 pid=PID addr=0x10100 size=16 code_size=16777217 name=x"
	lie "byte 133: CODE_LOAD: its name has no NUL" <<<"load time=1200 pid=PID addr=0x10100 size=16 name=x no_nul=1"
	lie "byte 133: CODE_LOAD: too short" <<<"record id=0 time=1200 size=40"
	lie "byte 133: CODE_LOAD: its code exceeds the address space" <<<"load time=1200 pid=PID addr=0xfffffffffffffff8 size=16 name=x"
	lie "byte 133: a record of more than 32 MiB" <<<"record id=0 total=33554433 size=40"
	lie "byte 133: CODE_MOVE: too short" <<<"record id=1 time=1200 size=40"
	lie "byte 133: DEBUG_INFO: its lines exceed the record" <<<"debug time=1200 addr=0x10000 lines=10000:1:a count=2"
	lie "byte 133: DEBUG_INFO: its lines exceed the record" <<<"debug time=1200 addr=0x10000 lines=10000:1:a count=0xffffffffffffffff"
	lie "byte 133: UNWINDING_INFO: its tables exceed the record" <<<"unwind time=1200 size=16 header=17"
	lie "byte 133: UNWINDING_INFO: its tables exceed the record" <<<"unwind time=1200 size=16 says=17"
	lie "byte 133: CODE_LOAD: of process 5, not $PID" <<<"load time=1200 pid=5 addr=0x10100 size=16 name=x"
	done_all
}

@test "pinject -j: a dump that was damaged or refused is not read again when it is mapped again" {
	printf 'head pid=PID\nload time=500 pid=PID tid=PID addr=0x10000 size=64 name=good\n' | dump
	printf '\0\0\0\0\3\0\0\0\0\0\0\0\0\0\0\0' >>"$T/jit-$PID.dump"
	for i in 1 10 20 30; do
		echo "MAP @ pid=PID tid=PID time=${i}00"
		echo "FINISHED_ROUND"
	done | stream
	try jit <"$T/in"
	[ $rc = 1 ] && one_line "pinject: $T/jit-$PID.dump: byte" && [ "$(ours <"$T/out" | wc -l)" = 1 ] || failed damaged
	sed -i 's/use_clockid clockid=1/use_clockid clockid=0/' "$T/recipe.txt"
	mkpipe "$T/recipe.txt" >"$T/in"
	try jit <"$T/in"
	[ $rc = 0 ] && one_line "pinject: warning: 1 jitdumps not used" && cmp "$T/in" "$T/out" || failed refused
	done_all
}

@test "pinject -j: a process has a limited number of dumps" {
	for ((i = 0; i < 40; i++)); do
		mkdir -p "$T/$i"
		echo "MMAP2 misc=2 pid=PID tid=PID start=0x900000 len=0x1000 prot=5 flags=2 filename=$T/$i/jit-PID.dump @ pid=PID tid=PID time=1${i}0"
		printf 'head pid=PID\nload time=5000 pid=PID tid=PID addr=0x10000 size=64 name=good\n' | dump
		mv "$T/jit-$PID.dump" "$T/$i"
	done | stream
	try jit <"$T/in"
	[ $rc = 0 ] && one_line "pinject: warning: 24 jitdumps not used: '$T/16/jit-$PID.dump': the process has had too many"
}

@test "pinject -j: what is no jitdump, or one of another process, is one line and status 1" {
	stream <<-END
	MAP @ time=1000
	SAMPLE misc=2 ip=0x10000 pid=PID time=1500
	END
	while IFS='|' read -r text lines; do
		dump <<<"$lines"
		try jit <"$T/in"
		[ $rc = 1 ] && grep -qF -- "$text" "$T/err" && one_line "pinject: $T/jit-$PID.dump: " || failed "$text"
		cmp "$T/in" "$T/out" || failed "$text: the stream"
	done <<-END
	not a jitdump|head pid=PID magic=0x12345678
	unknown version 2|head pid=PID version=2
	header of 39 bytes|head pid=PID size=39
	header of 5000 bytes|head pid=PID size=5000
	a jitdump of process 5|head pid=5
	END
	# nothing at all yet, and a header alone
	: >"$T/jit-$PID.dump"
	try jit <"$T/in"
	[ $rc = 0 ] || failed "an empty one"
	dump <<<"head pid=PID size=48"
	try jit <"$T/in"
	[ $rc = 0 ] || failed "a header alone"
	done_all
}

@test "pinject -j: every prefix of a dump gives the functions that are whole in it, without a word" {
	dump <<-END
	head pid=PID
	load time=1100 pid=PID addr=0x10000 size=8 name=a
	debug time=1110 addr=0x10100 lines=10100:7:a.c
	unwind time=1110 size=8 header=4
	load time=1150 pid=PID addr=0x10100 size=8 name=b
	record id=77 size=24
	move time=1200 pid=PID from=0x10000 addr=0x10200 size=8
	close time=1300
	END
	stream <<-END
	MAP @ time=1000
	SAMPLE misc=2 ip=0x10000 pid=PID time=1500
	END
	mv "$T/jit-$PID.dump" "$T/whole"
	size=$(stat -c %s "$T/whole")
	for ((i = 0; i <= size; i += 5)); do
		head -c $i "$T/whole" >"$T/jit-$PID.dump"
		try jit <"$T/in"
		n=$((i < 106 ? 0 : i < 250 ? 1 : i < 338 ? 2 : 3))
		got=$(ours <"$T/out" | wc -l)
		[ $rc = 0 ] && ! [ -s "$T/err" ] && [ "$got" -le 3 ] && [ "$got" -ge "${last:-0}" ] || failed "$i: $got"
		last=$got
	done
	[ "$last" -eq 3 ] || failed "all of it: $last"
	done_all
}

@test "pinject -j: a directory that is full ends the files, not the stream" {
	dump <<-END
	head pid=PID
	load time=1100 pid=PID addr=0x10000 size=200000 name=a
	END
	stream <<-END
	MAP @ time=1000
	SAMPLE misc=2 ip=0x10000 pid=PID time=1500
	END
	mkdir "$T/syms"
	mount -t tmpfs -o size=64k none "$T/syms" 2>/dev/null || skip "no tmpfs can be mounted"
	try jit <"$T/in"
	umount "$T/syms"
	[ $rc = 1 ]
	cmp "$T/in" "$T/out"
	grep -q 'No space left on device' "$T/err"
}
