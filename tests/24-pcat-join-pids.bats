# SPDX-License-Identifier: ISC
# pcat A B C: tasks of several hosts and containers.
load lib
load join

@test "join: hosts are kept apart by their pids" {
	need perf
	a=$({ head_a; echo 'SAMPLE misc=2 ip=1 pid=100 time=1000 cpu=0 period=1'; echo 'SAMPLE misc=2 ip=1 pid=0 time=1001'; } | stream)
	b=$({ head_a | sed 's/alpha-host/beta-host/; s/comm=first/comm=second/'
	    echo 'FORK pid=101 ppid=100 tid=101 ptid=100 time=1900 @ pid=100 tid=100 time=1900'
	    echo 'SAMPLE misc=2 ip=2 pid=101 time=2000 cpu=0 period=1'; echo 'SAMPLE misc=2 ip=2 pid=0 time=2001'; } | stream)
	pids() { script "$T/join" comm,pid,ip | tr '\n' ' '; }
	pcat "$a" "$b" "$a" >"$T/join"
	[ "$(pids)" = "first 100 1 swapper 0 1 second 4194405 2 swapper 0 2 first 100 1 swapper 0 1 " ] || failed "auto: $(pids)"
	pcat --remap-pids=never "$a" "$b" >"$T/join"
	[[ "$(pids)" == *"second 101 2 "* ]] || failed "never: $(pids)"
	pcat --remap-pids=1000 "$a" "$a" >"$T/join"
	[[ "$(pids)" == *"first 1100 1 "* ]] || failed "offset: $(pids)"
	pcat --host-tag=comm "$a" "$b" >"$T/join"
	[[ "$(pids)" == *"alpha-host:first 100 1"*"beta-host:second 4194405 2 "* ]] || failed "tag: $(pids)"
	done_all
}

# A name fits into the padding that was there, or the record grows by as much as it needs: what reads a record whole says so.
@test "join: names with the name of their host before them are of the right size, whatever their length" {
	for host in a ab abcd abcdefg abcdefgh abcdefghi; do
		in=$({ head_a | sed "s/alpha-host/$host/"
		    for n in x xy xyz four fivee sixsix seven77 eight888 nine99999 fourteen14char fifteen15chars_; do
		        echo "COMM pid=100 tid=100 comm=$n @ pid=100 tid=100 time=1000"
		    done
		    echo 'SAMPLE misc=2 ip=1 pid=100 time=2000 cpu=0 period=1'; } | stream)
		pcat --host-tag=comm "$in" >"$T/join"
		try pstat --check --json "$T/join"
		[ $rc = 0 ] && [ ! -s "$T/err" ] || failed "$host: $rc $(cat "$T/err")"
		[ "$(pstat --json "$T/join" | jq -r '.comms[0].comm')" = "$host:fifteen15chars_" ] || failed "$host: $(pstat --json "$T/join" | jq -r '.comms[0].comm')"
	done
	done_all
}

# shares FILE...: samples by comm and file in what perf report says of all
shares() {
	local f
	for f; do
		perf report -f -i "$f" --stdio -g none --no-children -F sample,comm,dso 2>/dev/null
	done | sed '/^#/d; /^ *$/d; s/  */ /g' | sort
}

@test "join: two containers of one host with the same pid: the later one's pids are renumbered, with a message" {
	need perf
	a=data/pid2_a.file.data b=data/pid2_b.file.data
	shares $a $b >"$T/want"
	grep -q loadn "$T/want" && grep -q othernp "$T/want" || failed "perf says nothing: $(cat "$T/want")"
	for how in "pcat $a $b" "pcat $b $a" "psort --merge $a $b" "psort --merge $b $a"; do
		set -- $how
		try "$@" --merge-attrs
		mv "$T/out" "$T/join"
		[ $rc = 0 ] && one_line "$1: warning: ${@: -1}: pid 2 means another process in ${@: -2:1} at the same time: its pids are moved by 4194304" ||
		    failed "$how"
		shares "$T/join" | diff "$T/want" - >"$T/diff" || failed "$how: $(head -n 6 "$T/diff")"
		psort "$T/join" >"$T/sorted" 2>"$T/late"
		shares "$T/sorted" | diff "$T/want" - >"$T/diff" || failed "$how, sorted: $(head -n 6 "$T/diff")"
	done
	try psort --merge --remap-pids=never $a $b
	[ $rc = 0 ] && ! [ -s "$T/err" ] || failed never
	# what comes live cannot be looked at beforehand
	mkfifo "$T/a" "$T/b"
	for t in pcat "psort --merge"; do
		cat $a >"$T/a" & cat $b >"$T/b" &
		try timeout 60 $t "$T/a" "$T/b"
		[ $rc = 1 ] && one_line "${t%% *}: $T/b: pid 2 means another process in $T/a at the same time: --remap-pids=4194304" ||
		    failed "live: $t"
		wait
		cat $a >"$T/a" & cat $b >"$T/b" &
		try timeout 60 $t --merge-attrs --remap-pids=4194304 "$T/a" "$T/b"
		cp "$T/out" "$T/join"
		[ $rc = 0 ] && ! [ -s "$T/err" ] && shares "$T/join" | diff "$T/want" - >"$T/diff" || failed "live, moved: $t"
		wait
		try sh -c "$t $a - <\$0" $b
		[ $rc = 0 ] && one_line "${t%% *}: warning: <stdin>: pid 2 means another" || failed "standard input: $t"
		try sh -c "cat \$0 | $t $a -" $b
		[ $rc = 1 ] && one_line "${t%% *}: <stdin>: pid 2 means another process in $a at" || failed "a file and a pipe: $t"
	done
	done_all
}

# task LINES: a recording of a host, of no task at first
task() {
	cat <<-END
	attr type=1 config=0 period=1000 sample_type=IDENTIFIER|IP|TID|TIME|PERIOD flags=sample_id_all|comm|task|mmap2|comm_exec ids=$1
	HEADER_FEATURE feat_id=3 fs=alpha-host
	HEADER_FEATURE feat_id=32
	END
	shift
	printf '%s\n' "$@"
}
# maps PID INODE ADDRESS NAME [TIME]: a file mapped executable; without a time as perf reads it from /proc
maps() {
	echo "MMAP2 misc=2 pid=$1 tid=$1 start=$3 len=0x1000 pgoff=0x1000 maj=8 min=1 ino=$2 prot=5 flags=2 filename=$4${5+ @ time=$5}"
}
hit() {	# PID TIME
	echo "SAMPLE misc=2 ip=0x401000 pid=$1 tid=$1 time=$2 period=1"
}
run() {	# PID TIME: exec
	echo "COMM misc=0x2000 pid=$1 tid=$1 comm=x @ time=$2"
}
born() {	# PID PARENT TIME
	echo "FORK pid=$1 ppid=$2 tid=$1 ptid=$2 time=$3 @ pid=$2 tid=$2 time=$3"
}
dead() {	# PID TIME
	echo "EXIT pid=$1 ppid=1 tid=$1 ptid=1 time=$2 @ time=$2"
}

@test "join: which pids of two recordings collide" {
	S=1000000000
	a=("$(maps 5 77 0x401000 /bin/a)" "$(hit 5 $((2 * S)))" "$(hit 5 $((9 * S)))")
	thread="FORK pid=5 ppid=5 tid=6 ptid=5 time=$((3 * S)) @ pid=5 tid=5 time=$((3 * S))"
	while IFS='|' read -r want name first second; do
		eval "first=($first) second=($second)"
		for b in "" -b; do
			task 11 "${first[@]}" | mkpipe $b - >"$T/1"
			task 12 "${second[@]}" | mkpipe $b - >"$T/2"
			for t in "pcat $T/1 $T/2" "psort --merge $T/1 $T/2" "psort --merge $T/2 $T/1"; do
				try $t
				if [ $want = no ]; then [ $rc = 0 ] && ! [ -s "$T/err" ]
				else [ $rc = 0 ] && one_line "${t%% *}: warning: ${t##* }: pid $want means another process"
				fi || failed "$name: $t $b"
			done
			# live, all in order of time
			for t in pcat "psort --merge"; do
				try timeout 60 bash -c "$t <(cat $T/1) <(cat $T/2)"
				if [ $want = no ]; then [ $rc = 0 ] && ! [ -s "$T/err" ]
				else [ $rc = 1 ] && grep -q "pid $want means another process in .*: --remap-pids=4194304 keeps" "$T/err"
				fi || failed "$name: live: $t $b"
			done
		done
	done <<-'END'
	no|the same process|"${a[@]}"|"$(maps 5 77 0x401000 /bin/a)" "$(hit 5 $((5 * S)))"
	5|another file at that address|"${a[@]}"|"$(maps 5 78 0x401000 /bin/b)" "$(hit 5 $((5 * S)))"
	5|another inode of that name|"${a[@]}"|"$(maps 5 78 0x401000 /bin/a)" "$(hit 5 $((5 * S)))"
	5|that file at another address|"${a[@]}"|"$(maps 5 77 0x402000 /bin/a)" "$(hit 5 $((5 * S)))"
	no|by the kernel, of another device|"${a[@]}"|"$(maps 5 78 0x401000 /bin/a $((3 * S)))" "$(hit 5 $((5 * S)))"
	5|by the kernel, another file|"${a[@]}"|"$(maps 5 78 0x401000 /bin/b $((3 * S)))" "$(hit 5 $((5 * S)))"
	no|at another time|"${a[@]}"|"$(maps 5 78 0x401000 /bin/b)" "$(hit 5 $((19 * S)))"
	no|one more library|"${a[@]}"|"$(maps 5 77 0x401000 /bin/a)" "$(maps 5 99 0x701000 /lib/x)" "$(hit 5 $((5 * S)))"
	5|a library in common, other programs|"$(maps 5 99 0x701000 /lib/x)" "${a[@]}"|"$(maps 5 99 0x701000 /lib/x)" "$(maps 5 78 0x401800 /bin/b)" "$(hit 5 $((5 * S)))"
	5|another exec|"${a[@]}"|"$(run 5 $((3 * S)))" "$(maps 5 78 0x501000 /bin/b $((3 * S + 1)))" "$(hit 5 $((5 * S)))"
	no|one exec, seen by both|"${a[0]}" "${a[1]}" "$(run 5 $((3 * S)))" "$(maps 5 78 0x501000 /bin/b $((3 * S + 9)))" "${a[2]}"|"$(maps 5 77 0x401000 /bin/a)" "$(hit 5 $((2 * S)))" "$(run 5 $((3 * S + 500)))" "$(maps 5 78 0x501000 /bin/b $((3 * S + 509)))" "$(hit 5 $((8 * S)))"
	no|a pid used again|"${a[0]}" "${a[1]}" "$(dead 5 $((3 * S)))" "$(hit 9 $((9 * S)))"|"$(hit 9 $((2 * S)))" "$(born 5 4 $((4 * S)))" "$(run 5 $((4 * S + 9)))" "$(maps 5 78 0x401000 /bin/b $((4 * S + 19)))" "$(hit 5 $((8 * S)))"
	7|a child has its parent's maps|"${a[0]}" "$(born 7 5 $((3 * S)))" "$(hit 7 $((9 * S)))"|"$(maps 7 78 0x401000 /bin/b)" "$(hit 7 $((5 * S)))" "$(hit 7 $((6 * S)))"
	no|parts of one recording, as the FORK is the same|"${a[0]}" "$(born 7 5 $((3 * S)))" "$(hit 5 $((9 * S)))"|"$(born 7 5 $((3 * S)))" "$(run 7 $((4 * S)))" "$(maps 7 78 0x401000 /bin/b $((4 * S + 9)))" "$(hit 7 $((8 * S)))"
	7|another FORK of that pid|"${a[0]}" "$(born 7 5 $((3 * S)))" "$(hit 5 $((9 * S)))"|"$(born 7 5 $((3 * S + 1)))" "$(run 7 $((4 * S)))" "$(maps 7 78 0x401000 /bin/b $((4 * S + 9)))" "$(hit 7 $((8 * S)))"
	6|a thread and a process|"${a[0]}" "$thread" "${a[@]:1}"|"COMM pid=6 tid=6 comm=six" "$(hit 6 $((5 * S)))" "$(hit 6 $((6 * S)))"
	no|a number that a thread had before its exec|"${a[0]}" "$thread" "$(dead 5 $((4 * S)))" "$(run 5 $((5 * S)))" "$(maps 5 78 0x501000 /bin/b $((5 * S + 9)))" "${a[2]}"|"COMM pid=6 tid=6 comm=six" "$(hit 6 $((7 * S)))" "$(hit 6 $((8 * S)))"
	no|a map behind the end of the first thread|"${a[0]}" "$thread" "$(dead 5 $((4 * S)))" "$(maps 5 99 0x701000 /lib/x $((5 * S)))" "${a[2]}"|"$(maps 5 77 0x401000 /bin/a)" "$(hit 5 $((7 * S)))" "$(hit 5 $((8 * S)))"
	5|of a few nanoseconds|"${a[0]}" "$(hit 5 1000)" "$(hit 5 3000)"|"$(maps 5 78 0x401000 /bin/b)" "$(hit 5 2000)"
	END
	done_all
}

@test "join: pids of hosts and containers, and of joins of them, stay apart" {
	need perf
	S=1000000000
	for i in 1 2 3; do
		task 1$i "COMM pid=5 tid=5 comm=task$i" "$(maps 5 7$i 0x401000 /bin/$i)" "$(hit 5 $((i * S)))" "$(hit 5 $((9 * S)))" |
		    mkpipe - >"$T/$i"
	done
	psort -q --merge "$T/1" "$T/2" "$T/3" >"$T/join"
	script "$T/join" comm,pid | sort -u | diff - <(printf '%s\n' 'task1 5' 'task2 4194309' 'task3 8388613') || failed three
	psort -q --merge "$T/1" "$T/2" >"$T/12"
	psort -q --merge "$T/12" "$T/3" >"$T/join"
	script "$T/join" comm,pid | sort -u | diff - <(printf '%s\n' 'task1 5' 'task2 4194309' 'task3 8388613') || failed "a join and one"
	mkdir "$T/dir"; pcat --format=file -o "$T/dir/data" "$T/2"; zstd -q "$T/2"
	try psort --merge "$T/1" "$T/2.zst"
	[ $rc = 0 ] && one_line "psort: warning: $T/2.zst: pid 5 " || failed "wrapped"
	try pcat "$T/1" "$T/dir/data"
	[ $rc = 0 ] && one_line "pcat: warning: $T/dir/data: pid 5 " || failed "file"
	done_all
}
