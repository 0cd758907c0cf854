# SPDX-License-Identifier: ISC
# psort --merge A B C: several recordings as one stream in time order.
load lib

# script FILE [FIELDS]: what perf says of its samples, blanks made one; what it warns of goes to $T/warned.
# Where a kernel is not this machine's, perf knows its symbols by chance only: then they are left out, and its warning.
script() {
	perf script -f --ns -G -F "${2-comm,pid,tid,time,event,period,ip,sym,dso}" -i "$1" 2>"$T/warns" |
	    sed 's/[[:space:]]\{1,\}/ /g; s/^ //; s/ $//; /^$/d' >"$T/said"
	grep -v 'No kallsyms or vmlinux' "$T/warns" >>"$T/warned" || true
	if [ "$other_kernel" ]; then sed 's/ [^ ]* (\[kernel\.kallsyms\])/ (kernel)/' "$T/said"; else cat "$T/said"; fi
}
# look_for_kernel FILE...: is the kernel of one of them not here?
look_for_kernel() {
	local f
	other_kernel=
	for f; do
		perf script -f -i "$f" 2>&1 >/dev/null | grep -q 'No kallsyms or vmlinux' && other_kernel=1
	done
	return 0
}
other_kernel=

# records: "TYPE BYTES" of each record of the stream on standard input (little endian, no payloads), in hex
records() {
	od -An -v -tu1 -w1 | awk '
	{ b[n++] = $1 + 0 }
	END {
		for (at = 16; at < n; at += size) {
			size = b[at + 6] + 256 * b[at + 7]
			line = b[at] " "
			for (i = 0; i < size; i++)
				line = line sprintf("%02x", b[at + i])
			print line
		}
	}'
}

# within A B: do all lines of A stand in B, in their order?
within() {
	awk 'BEGIN { i = n = 0 } NR == FNR { want[n++] = $0; next } i < n && $0 == want[i] { i++ }
	    END { if (i < n) print "line " (i + 1) ": " want[i]; exit i < n }' "$1" "$2"
}

# merges [option...] -- FILE...: perf says of the merge what it says of the files, in order, and warns of nothing
merges() {
	local opts=() f
	while [ "$1" != -- ]; do opts+=("$1"); shift; done
	shift
	try psort --merge "${opts[@]}" "$@"
	[ $rc = 0 ] || { failed "psort --merge ${opts[*]} $*"; return 0; }
	mv "$T/out" "$T/merge"
	look_for_kernel "$T/merge" "$@"
	for f; do script "$f"; done | sort >"$T/want"
	: >"$T/warned"
	script "$T/merge" >"$T/got"
	[ -s "$T/want" ] || failed "$*: perf says nothing"
	sort "$T/got" | diff "$T/want" - >"$T/diff" || failed "$*: $(head -n 8 "$T/diff")"
	! [ -s "$T/warned" ] || failed "$*: perf warns: $(head -n 3 "$T/warned")"
	psort -c "$T/merge" || failed "$*: not in order"
}

# part HOST COMM [ID]: the head of a recording
part() {
	cat <<-END
	attr type=1 config=0 period=1000 sample_type=IP|TID|TIME|ID|PERIOD flags=sample_id_all|comm|task|mmap2 ids=${3-11}
	HEADER_FEATURE feat_id=3 fs=$1
	HEADER_FEATURE feat_id=4 fs=6.1.0
	HEADER_FEATURE feat_id=32
	COMM pid=100 tid=100 comm=$2
	FINISHED_INIT
	END
}
# sample TIME IP [ID]
sample() {
	echo "SAMPLE misc=2 ip=$2 pid=100 tid=100 time=$1 id=${3-11} period=1"
}

@test "merge: perf script of the merge is the sorted union of the parts, and perf warns of nothing" {
	need perf
	d=data
	for pair in "basic.pipe multi.pipe" "multi.pipe p72_group_S.pipe" "sched_R.pipe basic.pipe" "p72_forks.pipe z1.pipe" \
	    "p72_basic.pipe basic.file" "g_fp.pipe namespaces.pipe" "k_mono.pipe sched_R.file" "z1.file multi.pipe" \
	    "basic.pipe multi.pipe k_mono.pipe p72_basic.pipe" "s390x_basic.pipe s390x_basic.pipe"; do
		set --
		for f in $pair; do set -- "$@" $d/$f.data; done
		[[ $pair == s390x* ]] && { psort --merge -f "$@" >"$T/m" && psort -c "$T/m" || failed "$pair"; continue; }
		merges --force -- "$@"
	done
	done_all
}

@test "merge: the chunks of pcat --switch-output give the sorted original back" {
	need perf
	for f in data/p72_forks.pipe.data data/multi.pipe.data data/namespaces.pipe.data data/p72_group_S.pipe.data; do
		psort "$f" >"$T/sorted"
		look_for_kernel "$f"
		script "$T/sorted" >"$T/want"
		records <"$T/sorted" | grep -E '^([1-9]|[1-5][0-9]) ' >"$T/want.records"
		for how in "rounds:1 $f" "32K $T/sorted" "32K --format=file $T/sorted" "50ms -z $T/sorted" "20ms $T/sorted"; do
			rm -rf "$T/c"; mkdir "$T/c"
			pcat --output-template="$T/c/%n" --switch-output=$how || failed "$how"
			try psort --merge "$T"/c/*
			[ $rc = 0 ] || failed "merge: $f $how"
			mv "$T/out" "$T/merge"
			: >"$T/warned"
			script "$T/merge" | diff "$T/want" - >"$T/diff" || failed "$f $how: $(head -n 4 "$T/diff")"
			! [ -s "$T/warned" ] || failed "$f $how: perf warns: $(head -n 3 "$T/warned")"
			records <"$T/merge" >"$T/got.records"
			diff <(grep '^9 ' "$T/want.records") <(grep '^9 ' "$T/got.records") >"$T/diff" || failed "$f $how: samples"
			[[ $how == rounds* ]] || within "$T/want.records" "$T/got.records" || failed "$f $how: records"
		done
	done
	done_all
}

@test "merge: ids that collide, and pieces that keep theirs" {
	need perf
	a=$T/a b=$T/b
	{ part h one; sample 1000 1; sample 3000 3; } | mkpipe - >"$a"
	{ part h two | sed 's/config=0/config=1/'; sample 2000 2; sample 4000 4; } | mkpipe - >"$b"
	psort --merge "$a" "$b" >"$T/m"
	[ "$(script "$T/m" ip,event | sed 's/:HG//' | tr '\n' ' ')" = "cpu-clock: 1 task-clock: 2 cpu-clock: 3 task-clock: 4 " ] ||
	    failed "$(script "$T/m" ip,event)"
	# what each says of the task holds from its own first sample on
	[ "$(script "$T/m" comm,ip | tr '\n' ' ')" = "one 1 two 2 two 3 two 4 " ] || failed "$(script "$T/m" comm,ip)"
	{ part h two; sample 2000 2; sample 4000 4; } | mkpipe - >"$b"
	psort --merge "$a" "$b" >"$T/m"
	[ "$(records <"$T/m" | grep -c '^64 ')" = 1 ] || failed "pieces: two events"
	[ "$(records <"$T/m" | grep '^9 ')" = "$(cat "$a" <(tail -c +17 "$b") | records | grep '^9 ' | sort -k 1.18,1.19)" ] ||
	    failed "pieces: $(records <"$T/m" | grep '^9 ')"
	done_all
}

@test "merge: hosts are kept apart, clocks are brought together" {
	need perf
	a=$T/a b=$T/b
	{ part alpha one; sample 1000 1; sample 3000 3; } | mkpipe - >"$a"
	{ part beta two; sample 9000001 2; sample 9002001 4; } | mkpipe - >"$b"
	psort --merge "$a" "$b" >"$T/m"
	[ "$(script "$T/m" comm,pid,ip | tr '\n' ' ')" = "one 100 1 one 100 3 two 4194404 2 two 4194404 4 " ] ||
	    failed "$(script "$T/m" comm,pid,ip)"
	psort --merge --align=first "$a" "$b" >"$T/m"
	[ "$(script "$T/m" comm,time,ip | tr '\n' ' ')" = \
	    "one 0.000001000: 1 two 0.000001000: 2 one 0.000003000: 3 two 0.000003000: 4 " ] ||
	    failed "$(script "$T/m" comm,time,ip)"
	part alpha one | mkpipe -b - >"$b"
	try psort --merge "$a" "$b"
	[ $rc = 2 ] && one_line "psort: $b: is big-endian" || failed endian
	try psort --merge "$a" "$T/nosuch"
	[ $rc = 1 ] && one_line "psort: $T/nosuch: No such file" || failed nosuch
	cp "$T/out" "$T/m"
	[ "$(script "$T/m" ip | wc -l)" = 2 ] || failed "nosuch: the other"
	done_all
}

# until_samples FILE N: wait until that many have come out
until_samples() {
	local i
	for i in $(seq 50); do
		[ "$(records <"$1" | grep -c '^9 ')" = "$2" ] && return
		sleep 0.1
	done
	failed "${3-}: $(records <"$1" | grep -c '^9 ') samples, not $2"
}

@test "merge: live inputs: what all allow goes out at once, and none is waited for without need" {
	mkfifo "$T/a" "$T/b"
	psort --merge "$T/a" "$T/b" >"$T/m" &
	pid=$!
	# rounds TIME...: samples at these times with a marker behind each, as bytes without a head
	rounds() { { part h x; for t; do sample $t $t; echo FINISHED_ROUND; done; } | mkpipe - | tail -c +$(($(part h x | mkpipe - | wc -c) + 1)); }
	exec 7>"$T/a"
	part h x | mkpipe - >&7; rounds 1000 >&7
	exec 8>"$T/b"
	part h y 12 | mkpipe - >&8; rounds 1500 | sed 's/\x0b\x00\x00\x00\x00\x00\x00\x00/\x0c\x00\x00\x00\x00\x00\x00\x00/' >&8
	rounds 2000 3000 >&7	# a has released 2000; b nothing
	sleep 0.3
	until_samples "$T/m" 0 "b has released nothing"
	rounds 2500 3500 | sed 's/\x0b\x00\x00\x00\x00\x00\x00\x00/\x0c\x00\x00\x00\x00\x00\x00\x00/' >&8	# 1500, 2500
	until_samples "$T/m" 3 "up to what both have released"
	# half a record of a must not hold up b, nor a b that says nothing a
	rounds 4000 5000 6000 >"$T/more"
	head -c 61 "$T/more" >&7		# 4000, its marker, and a part
	until_samples "$T/m" 4 "half a record"
	tail -c +62 "$T/more" >&7
	exec 8>&-		# the end of b: all of it, and of a what is released
	until_samples "$T/m" 8 "b has ended"
	exec 7>&-
	wait $pid || failed status
	until_samples "$T/m" 9 end
	psort -c "$T/m" || failed order
	done_all
}

@test "merge: one process that writes both inputs in turn is not stopped by the one that is waited for" {
	mkfifo "$T/a" "$T/b"
	{ part h x; for i in $(seq 3000); do sample $((i * 10)) $i; done; } | mkpipe - >"$T/1"
	{ part h y; for i in $(seq 3000); do sample $((i * 10 + 5)) $i; done; } | mkpipe - >"$T/2"
	timeout 20 psort --merge "$T/a" "$T/b" >"$T/m" &
	pid=$!
	timeout 20 bash -c 'exec 7>"$0/a"; head -c 400 "$0/1" >&7; exec 8>"$0/b"; cat "$0/2" >&8; tail -c +401 "$0/1" >&7' "$T" || failed writer
	wait $pid || failed status
	[ "$(records <"$T/m" | grep -c '^9 ')" = 6000 ] || failed samples
	psort -c "$T/m" || failed order
	done_all
}

@test "merge: what is cut or damaged is said, and the rest goes out" {
	size=$(wc -c <data/basic.pipe.data)
	for n in 0 10 16 100 3000 5000 9001 $((size - 1)); do
		head -c $n data/basic.pipe.data >"$T/cut"
		try pcat "$T/cut"
		alone=$rc
		try psort --merge "$T/cut" data/multi.pipe.data
		[ $rc = $alone ] && { [ $rc = 0 ] || one_line "psort: $T/cut: "; } || failed "cut at $n"
		psort -c "$T/out" || failed "cut at $n: order"
		[ "$(records <"$T/out" | grep -c '^9 ')" -ge "$(records <data/multi.pipe.data | grep -c '^9 ')" ] || failed "cut at $n: samples"
	done
	try sh -c 'psort --merge data/basic.pipe.data data/multi.pipe.data >/dev/full'
	[ $rc = 1 ] && one_line "psort: <stdout>: write: " || failed full
	done_all
}
