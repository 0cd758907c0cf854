# SPDX-License-Identifier: ISC
# pcat A B C: several recordings as one.  perf must print the same for the join as for its inputs.
load lib
load join

@test "join: perf script of the join is the union of the parts" {
	need perf
	d=data
	for pair in "basic.pipe multi.pipe" "multi.pipe p72_group_S.pipe" "sched_R.pipe basic.pipe" "p72_forks.pipe z1.pipe" \
	    "p72_basic.pipe basic.file" "g_fp.pipe namespaces.pipe" "k_mono.pipe sched_R.file" "z1.file multi.pipe" \
	    "basic.pipe multi.pipe k_mono.pipe p72_basic.pipe" "s390x_basic.pipe s390x_basic.pipe"; do
		set --
		for f in $pair; do set -- "$@" $d/$f.data; done
		same_union --allow=kernels,clocks -- "$@"	# of sched_R and k_mono they are others
	done
	done_all
}

@test "join: a recording with itself, all ids collide" {
	need perf
	for f in basic.pipe multi.pipe p72_group_S.pipe sched_R.pipe g_fp.pipe; do
		turn 3 || continue
		same_union -- data/$f.data data/$f.data
		same_union --merge-attrs -- data/$f.data data/$f.data data/$f.data
	done
	done_all
}

@test "join: recordings of the corpus" {
	need perf
	need corpus
	c=$CORPUS/own
	for pair in "forks.pipe z1.pipe" "sched_R.pipe raw_syscalls.file sched_record.pipe" "notime.pipe a_g.pipe" \
	    "g_dwarf.pipe both_regs_stack.pipe" "p612_multi.pipe p72_basic.pipe a_g.file" "stat_s.pipe switch_cpu.pipe"; do
		turn 5 || continue
		set --
		for f in $pair; do set -- "$@" $c/$f.data; done
		F=comm,pid,tid,event,period,ip,sym,dso same_union -- "$@"
	done
	c=$CORPUS/foreign/quipper
	same_union --allow kernels --remap-pids=never -- $c/perf.data.piped.no_attr_ids-4.14 $c/perf.data.piped.no_attr_ids-4.14
	done_all
}

@test "join: fresh recordings" {
	need record
	perf record -q -o "$T/try" -e cpu-clock true 2>/dev/null || skip "perf cannot record here"
	rec() { perf record -q -o - "$@" 2>/dev/null; }
	rec -e cpu-clock -F 999 -- sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done' >"$T/a"
	rec -e '{task-clock,page-faults}:S' -F 499 -- sh -c 'ls -lR /usr/share/doc >/dev/null' >"$T/b"
	rec -z -e task-clock,page-faults -- sh -c 'ls -lR /usr/share/doc >/dev/null' >"$T/c"
	same_union -- "$T/a" "$T/b"
	same_union -- "$T/b" "$T/c" "$T/a" "$T/try"
	done_all
}

@test "join: formats of tracepoints are those of all inputs" {
	need perf
	need corpus
	c=$CORPUS/own
	F=comm,pid,time,event,trace same_union -- $c/raw_syscalls.file.data $c/sched_R.pipe.data $c/sched_record.pipe.data
	done_all
}

@test "join: one head" {
	need perf
	pcat data/multi.pipe.data data/p72_group_S.pipe.data data/basic.pipe.data >"$T/join"
	perf script -f -i "$T/join" -D 2>/dev/null | grep -a -o 'PERF_RECORD_[A-Z_0-9]*\|[0-9]* [0-9a-fx]* \[[0-9a-fx]*\]: type 80' |
	    sort | uniq -c >"$T/types"
	n() { awk -v t="PERF_RECORD_$1" '$2 == t { n = $1 } END { print n + 0 }' "$T/types"; }
	[ "$(n ATTR)" = 9 ] || failed "$(cat "$T/types")"
	[ "$(n THREAD_MAP)" = 1 ] && [ "$(n CPU_MAP)" = 1 ] && [ "$(n FINISHED_INIT)" = 1 ] || failed "$(cat "$T/types")"
	# what one more pass makes of it is the same: it is a stream like any other
	pcat "$T/join" | cmp - "$T/join" || failed "not a stream"
	[ "$(grep -a -c PERFILE2 "$T/join")" = 1 ] || failed "pipe headers"
	perf report -f -i "$T/join" --header-only 2>/dev/null >"$T/header"
	[ "$(grep -a -c '^# event : ' "$T/header")" = 9 ] || failed "EVENT_DESC: $(cat "$T/header")"
	[ "$(grep -a -c '^# group: ' "$T/header")" = 1 ] || failed "GROUP_DESC: $(cat "$T/header")"
	done_all
}

@test "join: GROUP_DESC, also of recordings of perf stat, which may have no groups" {
	groups() { pstat --header "$1" | grep -E '^# (group|missing)'; }
	pcat data/stat_I.file.data >"$T/one"
	for t in pcat "psort --merge"; do
		# it says that there are none
		$t --allow same-input data/stat_I.file.data data/stat_I.file.data >"$T/join"
		[ "$(groups "$T/join")" = "$(groups "$T/one")" ] || failed "$t: $(groups "$T/join")"
		# a file without one first: its features have no end mark
		pcat --format=file -f -o "$T/groups" data/p72_group_S.pipe.data
		$t data/stat_I.file.data "$T/groups" >"$T/join"
		pstat --header "$T/join" | grep -q '^# group: {.*}' || failed "$t: $(groups "$T/join")"
		pinject --no-features GROUP_DESC data/stat_I.file.data >"$T/none"
		pcat -q --format=file -f -o "$T/without" "$T/none"
		$t "$T/without" "$T/groups" >"$T/join"
		pstat --header "$T/join" | grep -q '^# group: {.*}' || failed "$t, without: $(groups "$T/join")"
		# nothing is made up
		$t --allow same-input "$T/without" "$T/without" >"$T/join"
		groups "$T/join" | grep -q 'missing.* GROUP_DESC' || failed "$t: $(groups "$T/join")"
	done
	done_all
}

@test "join: --merge-attrs folds equal events, and groups only as a whole" {
	need perf
	events() { perf evlist -f -i "$1" 2>/dev/null | grep -vc '^#'; }
	pcat data/p72_group_S.pipe.data data/p72_group_S.pipe.data >"$T/two"
	pcat --merge-attrs data/p72_group_S.pipe.data data/p72_group_S.pipe.data >"$T/one"
	[ "$(events "$T/two")" = 6 ] && [ "$(events "$T/one")" = 3 ] || failed "$(events "$T/two") $(events "$T/one")"
	perf report -f -i "$T/one" --header-only 2>/dev/null >"$T/header"
	[ "$(grep -a -c '^# group: ' "$T/header")" = 1 ] || failed "one group"
	# an event of the same attr that is alone is not the one in the group
	a=$(stream <<-'END'
	attr type=1 config=0 sample_type=IDENTIFIER|IP|TID|TIME flags=sample_id_all ids=1
	attr type=1 config=2 sample_type=IDENTIFIER|IP|TID|TIME flags=sample_id_all ids=2
	HEADER_FEATURE feat_id=17 u4=1 fs=g u4=0 u4=2
	HEADER_FEATURE feat_id=32
	SAMPLE id=1 ip=1 pid=1 time=10
	END
	)
	b=$(stream <<-'END'
	attr type=1 config=2 sample_type=IDENTIFIER|IP|TID|TIME flags=sample_id_all ids=1
	attr type=1 config=0 sample_type=IDENTIFIER|IP|TID|TIME flags=sample_id_all ids=2
	HEADER_FEATURE feat_id=32
	SAMPLE id=2 ip=2 pid=1 time=20
	END
	)
	pcat --merge-attrs "$a" "$b" >"$T/join"
	[ "$(events "$T/join")" = 4 ] || failed "group and lone events: $(events "$T/join")"
	pcat --merge-attrs "$b" "$b" >"$T/join"
	[ "$(events "$T/join")" = 2 ] || failed "lone events: $(events "$T/join")"
	done_all
}

@test "join: READ totals of either input stay its own" {
	need perf
	for b in "" -b; do
		in=$(recipe read-group $b)
		F=comm,time,event,period
		same_union -- "$in" "$in"
		same_union --merge-attrs -- "$in" "$in"
	done
	done_all
}

@test "join: events whose samples have no id get an IDENTIFIER" {
	need perf
	for b in "" -b; do
		a=$(head_a | cat - <(cat <<-'END'
		SAMPLE misc=2 ip=0x401000 pid=100 time=1000 cpu=0 period=10
		FORK pid=101 ppid=100 tid=101 ptid=100 time=1100 @ pid=100 tid=100 time=1100 cpu=1
		SAMPLE misc=2 ip=0x401004 pid=101 time=1200 cpu=1 period=20
		END
		) | stream $b)
		# without ids, without sample_id_all, with the id elsewhere
		c=$(stream $b <<-'END'
		attr type=1 config=1 period=1000 sample_type=IP|TID|TIME|PERIOD flags=comm|task
		COMM pid=300 tid=300 comm=third
		SAMPLE misc=2 ip=0x401008 pid=300 time=3000 period=30
		END
		)
		d=$(stream $b <<-'END'
		attr type=1 config=2 period=1 sample_type=IP|TID|TIME|ADDR|ID|PERIOD flags=sample_id_all|comm ids=11
		COMM pid=400 tid=400 comm=fourth
		SAMPLE misc=2 ip=0x40100c pid=400 time=4000 addr=1 id=11 period=40
		COMM pid=400 tid=400 comm=later @ pid=400 tid=400 time=4100 id=11
		SAMPLE misc=2 ip=0x401010 pid=400 time=4200 addr=1 id=11 period=41
		END
		)
		for files in "$a $c" "$c $a" "$a $d $c" "$d $a" "$c $d $c"; do
			F=comm,pid,time,event,period,ip same_union -- $files
		done
	done
	done_all
}

@test "join: untimed records of a later input come behind the samples before" {
	need perf
	a=$({ head_a; echo 'SAMPLE misc=2 ip=1 pid=100 time=1000 cpu=0 period=1'; } | stream)
	b=$({ head_a | sed 's/comm=first/comm=second/'; echo 'SAMPLE misc=2 ip=2 pid=100 time=2000 cpu=0 period=1'; } | stream)
	pcat "$a" "$b" >"$T/join"
	[ "$(script "$T/join" comm,ip)" = "$(printf 'first 1\nsecond 2')" ] || failed "$(script "$T/join" comm,ip)"
	done_all
}

@test "join: every record type, byte for byte: pids, times" {
	for b in "" -b; do
		# what is no task: -1, 0, and the machine of a build id; what is no time of the trace: STAT_ROUND
		sed -E '/BUILD_ID|^attr/b
		    :p; s/\<(next_prev_|p)?([pt]id)=100/\1\2=1100/; tp; :q; s/\<(next_prev_|p)?([pt]id)=101/\1\2=1101/; tq
		    s/100\/alpha,101/1100\/alpha,1101/; s/zero=5/zero=3005/; /STAT_ROUND/b
		    :t; s/\<time=(1[0-9]{3})\>/time=T\1/; tt; s/time=T1/time=4/g' data/all-types.txt >"$T/all"
		mkpipe $b "$T/all" >"$T/want"
		mkpipe $b data/all-types.txt >"$T/in"
		head -c 16 "$T/in" >"$T/none"
		try pcat --remap-pids=1000 "$T/none" --time-offset=3us "$T/in"
		[ $rc = 0 ] || failed "pcat $b"
		# HEADER_EVENT_TYPE is obsolete and left out; two rounds part the inputs; build ids come twice
		diff <(hex_records "$T/want" | grep -v '^6[58] ' | sort -u) <(hex_records "$T/out" | grep -v '^68 ' | sort -u) || failed "records $b"
	done
	done_all
}

@test "join: every record type, byte for byte: ids" {
	for b in "" -b; do
		sed -E '/BPF_EVENT|CGROUP/b
		    s/(ids|list)=11\>([^,]*),12/\1=13\2,14/; s/\<(stream_)?id=11/\1id=13/g; s/id=12/id=14/; s/,11,0/,13,0/
		    s/^SAMPLE/& id=13 stream=13/; s/@ (.*)time=1[0-9]*/& id=13 stream=13/' data/all-types.txt >"$T/all"
		mkpipe $b "$T/all" >"$T/renumbered"
		mkpipe $b data/all-types.txt >"$T/in"
		pcat "$T/in" "$T/in" >"$T/out"
		{ hex_records "$T/in"; hex_records "$T/renumbered"; } | grep -E '^([2-9]|[12][0-9]|64|69|7[1268]) ' | sort >"$T/want"
		hex_records "$T/out" | grep -E '^([2-9]|[12][0-9]|64|69|7[1268]) ' | sort | diff "$T/want" - || failed "records $b"
	done
	done_all
}

@test "join: records without space for an id are counted before the output, in a message with the option that helps, and left out" {
	big=$(stream <<-END
	attr type=1 config=1 sample_type=IP|TID|TIME|RAW flags=sample_id_all ids=1
	SAMPLE ip=1 pid=1 time=1000 raw=$(printf '%0130984d' 0)
	SAMPLE ip=2 pid=1 time=2000 raw=00000000
	END
	)
	other=$(printf '%s\n' 'attr type=1 config=0 sample_type=IP|TID|TIME flags=sample_id_all ids=3' 'SAMPLE ip=3 pid=1 time=500' | stream)
	for t in "pcat $big $big" "psort --merge $big $other"; do
		try $t
		set -- $t
		want=1; [ $1 = psort ] || want=2
		[ $rc = 1 ] && [ "$(grep -c "warning: $big: 1 records cannot hold an event id, and will be dropped; pfilter --st" "$T/err")" = $want ] &&
		    [ "$(wc -l <"$T/err")" = $want ] || failed "$t"
		cp "$T/out" "$T/join"
		[ "$(hex_records "$T/join" | grep -c '^9 ')" = 2 ] || failed "$t: $(hex_records "$T/join" | cut -c1-60)"
	done
	# the message precedes the output
	try sh -c 'pcat --allow same-input "$0" "$0" 2>&1 >/dev/full | head -n 1' "$big"
	grep -q 'will be dropped' "$T/out" || failed beforehand
	# for a pipe, which cannot be counted beforehand, the message follows the output
	try sh -c 'cat "$0" | pcat --allow same-input "$0" -' "$big"
	[ $rc = 1 ] && grep -q "warning: $big: 1 records cannot hold" "$T/err" && grep -q 'warning: <stdin>: 1 records could not hold' "$T/err" || failed pipe
	try pcat "$big"
	[ $rc = 0 ] || failed alone
	# the two ways out
	try pcat --merge-attrs "$big" "$big"
	[ $rc = 0 ] && ! [ -s "$T/err" ] && cp "$T/out" "$T/join" && [ "$(hex_records "$T/join" | grep -c '^9 ')" = 4 ] || failed "--merge-attrs"
	pfilter --strip raw "$big" >"$T/small"
	try pcat "$T/small" "$T/small"
	[ $rc = 0 ] && ! [ -s "$T/err" ] && cp "$T/out" "$T/join" && [ "$(hex_records "$T/join" | grep -c '^9 ')" = 4 ] || failed "--strip"
	done_all
}

@test "join: a live input is passed on at once" {
	need perf
	mkfifo "$T/live"
	pcat data/basic.pipe.data "$T/live" >"$T/join" &
	exec 7>"$T/live"
	cat data/multi.pipe.data >&7
	want=$(($(said data/basic.pipe.data data/multi.pipe.data | wc -l)))
	all_said() { [ "$(said "$T/join" | wc -l)" = $want ]; }
	await all_said || true
	[ "$(said "$T/join" | wc -l)" = $want ] || failed "$(said "$T/join" | wc -l) of $want"
	exec 7>&-
	wait
	done_all
}

@test "join: more inputs than files may be open" {
	mkdir "$T/in"
	for i in $(seq 40); do
		{ head_a | sed "s/=100/=$i/g"; echo "SAMPLE misc=2 ip=$i pid=$i time=$((i * 1000)) cpu=0 period=1"; } | mkpipe - >"$T/in/$i"
	done
	set -- $(ls "$T"/in/* | sort -V)
	pcat --format=file -o "$T/file" "$T/in/7"; mv "$T/file" "$T/in/7"
	zstd -q --rm "$T/in/8"; mv "$T/in/8.zst" "$T/in/8"
	pcat "$@" >"$T/want"
	psort --merge "$@" >"$T/sorted"
	limit() {	# -n|-Sn N CMD...
		try bash -c 'ulimit $0 $1; shift; exec "$@"' "$@"
	}
	limit -n 24 pcat "$@"
	[ $rc = 0 ] && ! [ -s "$T/err" ] && cmp "$T/out" "$T/want" || failed "pcat closes what it does not need"
	limit -n 24 pcat -o "$T/o" "$@"
	[ $rc = 0 ] && cmp "$T/o" "$T/want" || failed "pcat -o"
	limit -n 24 psort --merge "$@"
	[ $rc = 1 ] && one_line "psort: 40 inputs need 56 open files, the limit is 24: take fewer at a time, or ulimit -n 56" && ! [ -s "$T/out" ] || failed psort
	for t in pcat "psort --merge"; do
		limit -Sn 24 $t "$@"
		[ $rc = 0 ] && ! [ -s "$T/err" ] || failed "a limit that can go up: $t"
	done
	cmp "$T/out" "$T/sorted" || failed "psort: sorted"
	limit -n 56 psort --merge "$@"
	[ $rc = 0 ] && cmp "$T/out" "$T/sorted" || failed "psort: as many as it says"
	# pipes have to stay open
	! sanitized || { done_all; return; }	# whose report of leaks needs files
	local writers=()
	for i in $(seq 40); do
		mkfifo "$T/fifo.$i"
		timeout 60 sh -c 'cat "$0" >"$1"' "$T/in/$i" "$T/fifo.$i" 2>"$T/writer" &
		writers+=($!)
	done
	limit -n 24 timeout 60 pcat "$T"/fifo.*
	[ $rc = 1 ] && one_line "pcat: 40 inputs need " && grep -q ' or ulimit -n [1-9]' "$T/err" || failed "pipes"
	kill "${writers[@]}" 2>"$T/killed" || true
	wait
	done_all
}

@test "join: a feature that is left out is reported once, in the head and after it" {
	bad='HEADER_FEATURE feat_id=7 u4=2'
	for b in "" -b; do
		early=$({ head_a | sed "s/^HEADER_FEATURE feat_id=32/$bad\n&/"; echo 'SAMPLE misc=2 ip=1 pid=100 time=1000'; } | stream $b)
		late=$({ head_a; echo 'SAMPLE misc=2 ip=1 pid=100 time=1000'; echo "$bad"; echo 'SAMPLE misc=2 ip=1 pid=100 time=2000'; } | stream $b)
		for in in "$early" "$late"; do
			try pcat "$in"
			[ $rc = 1 ] && one_line "pcat: $in: byte " || failed "alone $b"
			cp "$T/err" "$T/alone"
			for t in pcat "psort --merge --allow same-input"; do
				try $t "$in" "$(recipe sorted $b)"
				[ $rc = 1 ] && diff <(sed 's/^pcat/psort/' "$T/alone") <(sed 's/^pcat/psort/' "$T/err") || failed "$t $b $in"
			done
		done
	done
	done_all
}

@test "join: a bad input does not cost the good ones" {
	need perf
	F=time
	want=$(said data/basic.pipe.data data/multi.pipe.data | wc -l)
	try pcat data/nosuch data/basic.pipe.data data/multi.pipe.data
	[ $rc = 1 ] && one_line "pcat: data/nosuch: No such file" || failed nosuch
	cp "$T/out" "$T/join"
	[ "$(said "$T/join" | wc -l)" = "$want" ] || failed "nosuch: $(said "$T/join" | wc -l) of $want"
	size=$(wc -c <data/basic.pipe.data)
	for n in 0 10 16 100 1000 2600 3000 5000 9001 $((size - 1)); do
		head -c $n data/basic.pipe.data >"$T/cut"
		try pcat "$T/cut"
		alone=$rc
		try pcat "$T/cut" data/multi.pipe.data
		[ $rc = $alone ] && { [ $rc = 0 ] || one_line "pcat: $T/cut: "; } || failed "cut at $n"
		cp "$T/out" "$T/join"
		perf script -f -i "$T/cut" --ns -F time 2>/dev/null >"$T/s" || true
		[ "$(said "$T/join" | wc -l)" = $(($(said data/multi.pipe.data | wc -l) + $(grep -c . "$T/s" || true))) ] ||
		    failed "cut at $n: $(said "$T/join" | wc -l)"
	done
	try sh -c 'pcat data/basic.pipe.data data/multi.pipe.data >/dev/full'
	[ $rc = 1 ] && one_line "pcat: <stdout>: write: " || failed full
	done_all
}

@test "join: a recording that is named twice is refused, unless that is allowed" {
	for twice in "data/basic.pipe.data data/basic.pipe.data" "data/basic.pipe.data ./data/../data/basic.pipe.data"; do
		try command pcat $twice
		[ $rc = 2 ] && [ ! -s "$T/out" ] && one_line "pcat: '${twice% *}' and '${twice#* }' are the same file: --allow same-input" || failed "$twice"
		try command pcat --allow same-input $twice
		[ $rc = 0 ] || failed "$twice, allowed"
	done
	# of several the first that is one too many, and the first of its file
	for i in 1 2 3; do cp data/basic.pipe.data "$T/$i"; done
	try command pcat "$T"/{3,2,1} data/multi.pipe.data "$T"/{./2,./3,./1,2}
	[ $rc = 2 ] && one_line "pcat: '$T/2' and '$T/./2' are the same file: --allow same-input" || failed "several"
	mkfifo "$T/fifo"
	try command pcat --allow same-input "$T/fifo" "$T/fifo"
	[ $rc = 2 ]
	one_line "pcat: '$T/fifo' and '$T/fifo' are the same input, which can be read only once"
	done_all
}
