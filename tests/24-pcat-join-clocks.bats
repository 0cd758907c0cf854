# SPDX-License-Identifier: ISC
# pcat A B C: times of several clocks, and what cannot go together.
load lib
load join

@test "join: times are moved, all of them" {
	need perf
	for b in "" -b; do
		a=$({ head_a; echo 'SAMPLE misc=2 ip=1 pid=100 time=1000000000 cpu=0 period=1'
		    echo 'FORK pid=101 ppid=100 tid=101 ptid=100 time=1500000000 @ pid=100 tid=100 time=1500000000'; } | stream $b)
		times() { script "$T/join" time | tr -d ' \n'; }
		pcat "$a" --time-offset=2.5s "$a" --time-offset=-10ms "$a" >"$T/join"
		[ "$(script "$T/join" time | sort | tr '\n' ' ')" = "0.990000000: 1.000000000: 3.500000000: " ] || failed "$(times)"
		perf script -f -i "$T/join" --show-task-events -F comm,time -D 2>/dev/null | grep -a '^0 .*RECORD_FORK' >"$T/forks"
		[ "$(wc -l <"$T/forks")" = 3 ] || failed forks
		[ "$(awk '{ print $2 }' "$T/forks" | sort | tr '\n' ' ')" = "1490000000 1500000000 4000000000 " ] || failed "$(cat "$T/forks")"
		try pcat --time-offset=-1s "$a"
		[ $rc = 1 ] && one_line "pcat: $a: byte " || failed underflow
		b2=$(sed 's/time=1000000000/time=7/' <(head_a; echo 'SAMPLE misc=2 ip=2 pid=100 time=7000000000 cpu=0 period=1') | stream $b)
		pcat --align=first "$a" "$b2" >"$T/join"
		[ "$(times)" = "1.000000000:1.000000000:" ] || failed "first: $(times)"
	done
	done_all
}

@test "join: --align=wall by CLOCK_DATA" {
	need perf
	clock() {	# wall clock 100 s, at $1 of the trace's
		sed "s/^HEADER_FEATURE feat_id=32/HEADER_FEATURE feat_id=29 u4=1 u4=1 u8=$2 u8=$1\n&/" <(head_a)
		echo "SAMPLE misc=2 ip=1 pid=100 time=$3 cpu=0 period=1"
	}
	a=$(clock 1000 100000000000 2000 | stream)
	b=$(clock 51000 100000001000 52500 | stream)
	pcat --align=wall "$a" "$b" >"$T/join"
	[ "$(script "$T/join" time | tr '\n' ' ')" = "0.000002000: 0.000003500: " ] || failed "$(script "$T/join" time)"
	c=$({ head_a; echo 'SAMPLE misc=2 ip=1 pid=100 time=1000'; } | stream)
	try pcat --align=wall "$a" "$c"
	[ $rc = 2 ] && one_line "pcat: $c: has no wall clock" && grep -q 'perf record -k mono' "$T/err" || failed wall
	[ ! -s "$T/out" ] || failed "something was written"
	done_all
}

@test "join: what cannot go together is refused, and nothing written" {
	a=$(head_a | stream)
	refused() {	# PATTERN pcat ARGUMENT...
		local what=$1
		shift
		try "$@"
		[ $rc = 2 ] && grep -q -- "$what" "$T/err" && [ "$(wc -l <"$T/err")" = 1 ] && ! [ -s "$T/out" ] || failed "$what: $*"
	}
	refused 'big-endian' pcat "$a" data/s390x_basic.pipe.data
	b=$(head_a | sed 's/6\.1\.0/6.1.1/' | stream)
	refused 'under kernel 6.1.1' pcat "$a" "$b"
	try pcat --allow kernels "$a" "$b"
	[ $rc = 0 ] || failed "--allow kernels"
	k() { head_a; echo "MMAP misc=1 pid=-1 tid=0 start=$1 len=0x1000 pgoff=$1 filename=[kernel.kallsyms]_text"; }
	x=$(k 0xffffffff81000000 | sed '/FINISHED_INIT/d' | stream)
	y=$(k 0xffffffff91000000 | sed '/FINISHED_INIT/d' | stream)
	refused 'the kernel is at 0xffffffff91000000' pcat "$x" "$y"
	refused 'read only once' pcat - -
	refused 'auto' pcat --remap-pids=x "$a" "$a"
	refused 'expected one of none, wall, first' pcat --align=x "$a"
	refused 'expected one of none, comm' pcat --host-tag=x "$a"
	done_all
}

@test "join: times of different clocks are refused, and joined by --align, --time-offset and --allow clocks" {
	on() {	# ATTRIBUTES FEATURE: a recording whose attr or features say its clock
		head_a | sed "s/|mmap2 ids/|mmap2$1 ids/; s/^HEADER_FEATURE feat_id=32/$2\\n&/"
		echo "SAMPLE misc=2 ip=1 pid=100 time=2000 cpu=0 period=1"
	}
	data='HEADER_FEATURE feat_id=29 u4=1 u4=7 u8=5000 u8=1000'
	for b in "" -b; do
		same=$(on "" "" | stream $b) again=$(on "" "" | stream $b)
		while IFS=';' read -r attr feature name; do
			other=$(on "$attr" "$feature" | stream $b)
			for t in pcat "psort --merge"; do
				try $t "$other" "$same"
				[ $rc = 2 ] && one_line "${t%% *}: $same: has times of perf's own clock, $other of $name: " &&
				    grep -q -e '--align or --time-offset; --allow clocks' "$T/err" && ! [ -s "$T/out" ] || failed "$t $b $name"
				try $t "$same" "$again" "$other"
				[ $rc = 2 ] && one_line "${t%% *}: $other: has times of $name, $same of perf's" || failed "third: $t $b $name"
			done
		done <<-END
		|use_clockid clockid=1;;clock monotonic
		|use_clockid clockid=4;;clock monotonic_raw
		|use_clockid clockid=0;;clock realtime
		|use_clockid clockid=11;$data;clock tai
		|use_clockid clockid=77;;clock 77
		;$data;clock boottime
		;HEADER_FEATURE feat_id=23 u8=1;a clock that it does not name
		END
		for t in pcat "psort --merge"; do
			for how in "--allow clocks $other $same" "--align=first $other $same" "--time-offset=1us $other $same" \
			    "$other --time-offset=1us $same"; do
				try $t $how
				[ $rc = 0 ] && [ -s "$T/out" ] || failed "$t $b $how"
			done
		done
	done
	done_all
}

@test "join: real recordings of two clocks are refused" {
	try pcat data/k_mono.pipe.data data/basic.pipe.data
	[ $rc = 2 ] && one_line "pcat: data/basic.pipe.data: has times of perf's own clock, data/k_mono.pipe.data of clock monotonic:" || failed pcat
	try psort --merge data/k_mono.pipe.data data/basic.file.data
	[ $rc = 2 ] && one_line "psort: data/basic.file.data: has times of perf's own clock, " || failed psort
	done_all
}
