# SPDX-License-Identifier: ISC
# pinject --jit: code made at run time, from jitdumps.
load lib
load jit

# ---- real recordings -----------------------------------------------------------------------------

@test "pinject -j: functions side by side, at one place, moved, re-mapped, forked: the names that perf inject -j gives" {
	for how in "-n 4" "-n 4 -p" "-n 3 -M" "-n 3 -r" "-n 3 -r -p" "-n 3 -f" "-n 3 -d -u"; do
		turn 3 || continue
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
	# perf inject also copies the vdso
	HOME=$T perf script -F time,ip,sym -i "$T/theirs" 2>/dev/null | sed 's/__vdso_[a-z_]*$/[unknown]/' >"$T/want"
	pcat "$T/in.data" | grep -ao '/tmp/jit-[0-9]*\.dump' >"$T/dumps"
	while read -r dump; do
		dump=${dump#/tmp/jit-}
		rm -f /tmp/jit-"$dump" /tmp/jitted-"${dump%.dump}"-*.so
	done <"$T/dumps"
	perf --buildid-dir "$T/syms" script -F time,ip,sym -i "$T/out" 2>/dev/null | sed 's/__vdso_[a-z_]*$/[unknown]/' | diff -u "$T/want" -
	# a call is few instructions of its trampoline
	grep -q ' py::' "$T/want" || skip "no sample hit a trampoline"
}

@test "pinject -j: perf annotate has code and source lines from the files of --buildid-dir" {
	need objdump
	made -m 20 -n 2 -d
	jit <"$T/in" >"$T/out"
	perf --buildid-dir "$T/syms" annotate --stdio -s made_1 -i "$T/out" >"$T/annotated" 2>&1 </dev/null
	# %rdi is counted down, in the loop of line 201
	perf_since 6.2 || grep -q ':201' "$T/annotated" || failed "no lines"	# newer ones want -l and addr2line
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
	! shown <"$T/out" | grep late || false
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
	# a pipe must say when it was recorded, or be of this machine since it was started
	pinject -q --clock-data=1:"$(date +%s%N)" "$T/in" >"$T/clock"
	mv "$T/clock" "$T/in"
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
	one_line "pinject: warning: '$T/jit-$PID.dump' is not used: recorded without -k mono"
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
	one_line "pinject: warning: '$T/jit-$PID.dump' is not used: "
	try jit --jit-dump-dir "$T/saved" <"$T/in"
	[ $rc = 0 ]
	[ "$(ours <"$T/out" | wc -l)" -eq 1 ]
	laws
}

@test "pinject -j: without --buildid-dir it is wrong usage, and the message says what to do" {
	try pinject -j "$(recipe small)"
	[ $rc = 2 ]
	one_line 'pinject: --jit: needs --buildid-dir'
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

@test "pinject -j -B: the maps of jitted code are those of -j, whatever a sample hits" {
	stream <<-END
	MAP @ time=1000
	ANON @ time=1000
	SAMPLE misc=2 ip=0x10000 pid=PID time=1500
	FINISHED_ROUND
	SAMPLE misc=2 ip=0x10020 pid=PID time=2500
	FINISHED_ROUND
	MMAP2 misc=2 pid=PID tid=PID start=0x800000 len=0x1000 prot=5 filename=/none @ time=3000
	SAMPLE misc=2 ip=0x10000 pid=PID time=3500
	FINISHED_ROUND
	SAMPLE misc=2 ip=0x10020 pid=PID time=4500
	FINISHED_ROUND
	END
	dump <<-END
	head pid=PID
	load time=1100 pid=PID addr=0x10000 size=32 name=alpha
	load time=1200 pid=PID addr=0x10020 size=32 name=beta
	END
	jit <"$T/in" | ours | cut -d' ' -f2- >"$T/want"
	[ "$(wc -l <"$T/want")" -eq 2 ]
	! grep ' 0$' "$T/want" || failed "an id without a file"
	try jit -B <"$T/in"
	[ $rc = 0 ]
	ours <"$T/out" | cut -d' ' -f2- >"$T/got"
	diff -u "$T/want" "$T/got"
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
