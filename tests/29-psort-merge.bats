# SPDX-License-Identifier: ISC
# psort --merge A B C: several recordings as one stream in time order.
load lib

# script FILE [FIELDS]: perf script of its samples, with single blanks; warnings go to $T/warned.
# The vdso's symbols are perf's own, while no build-id names another.
script() {
	perf script -f --ns -G -F "${2-comm,pid,tid,time,event,period,ip,sym,dso}" -i "$1" 2>>"$T/warned" |
	    sed 's/[[:space:]]\{1,\}/ /g; s/^ //; s/ $//; /^$/d; s/ [^ ]* (\[vdso\])/ (vdso)/'
}

# within A B: do all lines of A stand in B, in their order?
within() {
	awk 'BEGIN { i = n = 0 } NR == FNR { want[n++] = $0; next } i < n && $0 == want[i] { i++ }
	    END { if (i < n) print "line " (i + 1) ": " want[i]; exit i < n }' "$1" "$2"
}

# merges [option...] -- FILE...: perf prints the same for the merge as for the files, in time order, without warnings
merges() {
	local opts=() f
	while [ "$1" != -- ]; do opts+=("$1"); shift; done
	shift
	try psort --merge "${opts[@]}" "$@"
	[ $rc = 0 ] || { failed "psort --merge ${opts[*]} $*"; return 0; }
	mv "$T/out" "$T/merge"
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
		[[ $pair == s390x* ]] && { psort --merge --allow same-input "$@" >"$T/m" && psort -c "$T/m" || failed "$pair"; continue; }
		merges --allow=kernels,clocks -- "$@"
	done
	done_all
}

@test "merge: the parts of pcat --switch-output give the sorted original back" {
	need perf
	for f in data/p72_forks.pipe.data data/multi.pipe.data data/namespaces.pipe.data data/p72_group_S.pipe.data; do
		psort "$f" >"$T/sorted"
		script "$T/sorted" >"$T/want"
		hex_records <"$T/sorted" | grep -E '^([1-9]|[1-5][0-9]) ' >"$T/want.records"
		for how in "rounds:1 $f" "32K $T/sorted" "32K --format=file $T/sorted" "50ms -z $T/sorted" "20ms $T/sorted"; do
			rm -rf "$T/c"; mkdir "$T/c"
			pcat --output-template="$T/c/%n" --switch-output=$how || failed "$how"
			try psort --merge "$T"/c/*
			[ $rc = 0 ] || failed "merge: $f $how"
			mv "$T/out" "$T/merge"
			: >"$T/warned"
			script "$T/merge" | diff "$T/want" - >"$T/diff" || failed "$f $how: $(head -n 4 "$T/diff")"
			! [ -s "$T/warned" ] || failed "$f $how: perf warns: $(head -n 3 "$T/warned")"
			hex_records <"$T/merge" >"$T/got.records"
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
	# the state of each input applies from its first sample on
	[ "$(script "$T/m" comm,ip | tr '\n' ' ')" = "one 1 two 2 two 3 two 4 " ] || failed "$(script "$T/m" comm,ip)"
	{ part h two; sample 2000 2; sample 4000 4; } | mkpipe - >"$b"
	psort --merge "$a" "$b" >"$T/m"
	[ "$(hex_records <"$T/m" | grep -c '^64 ')" = 1 ] || failed "pieces: two events"
	[ "$(hex_records <"$T/m" | grep '^9 ')" = "$(cat "$a" <(tail -c +17 "$b") | hex_records | grep '^9 ' | sort -k 1.18,1.19)" ] ||
	    failed "pieces: $(hex_records <"$T/m" | grep '^9 ')"
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
	psort --merge "$a" --time-offset=-9ms "$b" >"$T/m"
	[ "$(script "$T/m" comm,time,ip | tr '\n' ' ')" = \
	    "two 0.000000001: 2 one 0.000001000: 1 two 0.000002001: 4 one 0.000003000: 3 " ] || failed "$(script "$T/m" comm,time,ip)"
	for wrong in "--time-offset=1s $a" "--merge $a --time-offset=1s" "--merge --time-offset=x $a"; do
		try psort $wrong
		[ $rc = 2 ] && one_line "psort: --" || failed "$wrong"
	done
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
	has_samples() { [ "$(hex_records <"$1" | grep -c '^9 ')" = "$2" ]; }
	await has_samples "$1" "$2" || failed "${3-}: $(hex_records <"$1" | grep -c '^9 ') samples, not $2"
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
	# an incomplete record of a must not delay b, nor a b without data a
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
	timeout 60 psort --merge "$T/a" "$T/b" >"$T/m" &
	pid=$!
	timeout 60 bash -c 'exec 7>"$0/a"; head -c 400 "$0/1" >&7; exec 8>"$0/b"; cat "$0/2" >&8; tail -c +401 "$0/1" >&7' "$T" || failed writer
	wait $pid || failed status
	[ "$(hex_records <"$T/m" | grep -c '^9 ')" = 6000 ] || failed samples
	psort -c "$T/m" || failed order
	done_all
}

@test "merge: a cut or damaged input is reported, and the others are written" {
	size=$(wc -c <data/basic.pipe.data)
	for n in 0 10 16 100 3000 5000 9001 $((size - 1)); do
		head -c $n data/basic.pipe.data >"$T/cut"
		try pcat "$T/cut"
		alone=$rc
		try psort --merge "$T/cut" data/multi.pipe.data
		[ $rc = $alone ] && { [ $rc = 0 ] || one_line "psort: $T/cut: "; } || failed "cut at $n"
		psort -c "$T/out" || failed "cut at $n: order"
		[ "$(hex_records <"$T/out" | grep -c '^9 ')" -ge "$(hex_records <data/multi.pipe.data | grep -c '^9 ')" ] || failed "cut at $n: samples"
	done
	try sh -c 'psort --merge data/basic.pipe.data data/multi.pipe.data >/dev/full'
	[ $rc = 1 ] && one_line "psort: <stdout>: write: " || failed full
	done_all
}

# samples FILE: time and period of the samples of `sample' as they stand
samples() { samples_at 10 "$1"; }

# deal SEED N K ROUND: N samples with many equal times, in disorder within rounds of ROUND samples, dealt at random to
# $T/in.1 ... $T/in.K; each has most of the marks (0: none), and says of its task in front.  Each sample's period is its number.
deal() {
	local i
	rm -f "$T"/in.* "$T"/deal.*
	awk -v seed="$1" -v n="$2" -v k="$3" -v round="$4" -v out="$T/deal." 'BEGIN {
		srand(seed)
		for (i = 1; i <= n; i++) {
			base = round ? int((i - 1) / round) * 700 : 0
			to = out (1 + int(rand() * k))
			time = base + 1 + int(rand() * (round ? 1000 : 20000))
			printf "SAMPLE misc=2 ip=1 pid=100 tid=100 time=%d id=11 period=%d\n", time, i >to
			if (round && i % round == 0)
				for (j = 1; j <= k; j++)
					if (rand() < 0.7)
						print "FINISHED_ROUND" >(out j)
		}
	}'
	for i in $(seq "$3"); do
		{ part h x; cat "$T/deal.$i"; } >"$T/recipe"
		mkpipe "$T/recipe" >"$T/in.$i"
	done
}

# union FILE...: their samples in order of time, equal ones in order of the files
union() {
	local f
	for f; do samples "$f"; done | sort -s -n -k1,1
}

@test "merge: inputs dealt at random come out in order of time and inputs, in memory and over it" {
	for how in "1 2000 2 50" "2 4000 5 300" "3 3000 3 0" "4 500 12 7" "5 25000 3 9000" "6 25000 2 0"; do
		deal $how
		set -- $(ls "$T"/in.* | sort -V)
		union "$@" >"$T/want"
		for o in "" "-q -S 1M" "-q -S 1M --compress-temp -T $T" "--full -S 1M" "--window=1ms" "--rounds=drop" "--untimed=first" \
		    "--untimed=stamp" "--late=error"; do
			turn 5 || continue
			try psort --merge $o "$@"
			[ $rc = 0 ] && ! [ -s "$T/err" ] || failed "$how: $o"
			samples "$T/out" | cmp - "$T/want" || failed "$how: $o: order"
			[[ $o == *drop ]] || psort --late=error "$T/out" >"$T/again" || failed "$how: $o: its marks"
			[[ $o == *drop ]] || samples "$T/again" | cmp - "$T/want" || failed "$how: $o: sorted by its marks"
		done
		# the same through pipes that trickle
		rm -f "$T"/fifo.*
		i=0
		for f; do
			i=$((i + 1))
			mkfifo "$T/fifo.$i"
			dd bs=$((i * 1500)) if="$f" of="$T/fifo.$i" 2>"$T/dd" &
		done
		try timeout 60 psort --merge -S 1M $(ls "$T"/fifo.* | sort -V)
		wait
		[ $rc = 0 ] && samples "$T/out" | cmp - "$T/want" || failed "$how: pipes"
	done
	done_all
}

@test "merge: an input without marks does not need memory of its size" {
	need native
	! sanitized || skip "a sanitizer needs its own memory"
	deal 7 300000 2 0
	{ part h x; for i in 1 2 3; do sample $((i * 5000)) 1; echo FINISHED_ROUND; done; } | mkpipe - >"$T/in.3"
	union "$T/in.1" "$T/in.2" "$T/in.3" >"$T/want"
	(ulimit -v 44000; psort --merge --stats -S 8M "$T/in.1" "$T/in.2" "$T/in.3" >"$T/got" 2>"$T/stats") || failed status
	samples "$T/got" | cmp - "$T/want" || failed order
	grep -q 'spilled: [1-9]' "$T/stats" || failed "nothing was spilled"
	# it comes live, and the others wait
	mkfifo "$T/f"
	cat "$T/in.1" >"$T/f" &
	(ulimit -v 44000; timeout 60 psort --merge -S 8M "$T/f" "$T/in.2" "$T/in.3" >"$T/got") || failed "fifo: status"
	wait
	samples "$T/got" | cmp - "$T/want" || failed "fifo: order"
	try with_fault "write:5+:ENOSPC" psort -q --merge -S 1M -T "$T" "$T/in.1" "$T/in.2"
	[ $rc = 1 ] && one_line "psort: $T: temporary file: write: No space left on device" || failed "full"
	samples "$T/out" >"$T/got"
	[ -s "$T/got" ] && sort -c -s -n -k1,1 "$T/got" || failed "full: what was read"
	done_all
}

@test "merge: --late, --untimed, -u and --stats are those of one stream" {
	a=$T/a b=$T/b
	# a breaks its promise: 500 comes behind marks that released 2000, and b is past that too
	{ part h x; for t in 1000 2000; do sample $t $t; done; echo FINISHED_ROUND; sample 3000 1; echo FINISHED_ROUND
	  sample 3500 1; echo FINISHED_ROUND; for i in $(seq 6000); do sample 3600 $i; done; echo FINISHED_ROUND
	  echo FINISHED_ROUND; sample 500 1; sample 4000 1; } | mkpipe - >"$a"
	{ part h x; for t in 1500 2500 3700 3800; do sample $t $t; echo FINISHED_ROUND; done; for i in $(seq 6000); do sample 3900 1; done; } |
	    mkpipe - >"$b"
	all=$(($(samples "$a" | wc -l) + $(samples "$b" | wc -l)))
	try psort --merge "$a" "$b"
	[ $rc = 0 ] && one_line "psort: warning: $a: 1 records arrived later than their round permits, and were written out of order" || failed emit
	[ "$(samples "$T/out" | wc -l)" = $all ] || failed "emit: number"
	try psort --merge --late=drop "$a" "$b"
	[ $rc = 0 ] && one_line "psort: warning: $a: 1 records arrived later than their round permits, and were dropped" || failed drop
	samples "$T/out" | cmp - <(union "$a" "$b" | grep -v '^500 ') || failed "drop: order"
	try psort --merge --late=clamp "$a" "$b"
	[ $rc = 0 ] && psort -c "$T/out" && [ "$(samples "$T/out" | wc -l)" = $all ] || failed clamp
	samples "$T/out" | grep -q '^500 ' && failed "clamp: the time stays"
	try psort --merge --late=error "$a" "$b"
	[ $rc = 1 ] && one_line "psort: $a: byte " && grep -q 'SAMPLE: late: time 0.000000500 after 0.0000' "$T/err" || failed error
	psort -c "$T/out" && [ "$(samples "$T/out" | wc -l)" = $((all - 2)) ] || failed "error: the rest"
	# equal records of two inputs, and of one
	{ part h x; for i in 1 2 3; do sample $((i * 100)) $i; sample $((i * 100)) $i; done; } | mkpipe - >"$a"
	{ part h x; for i in 2 3 4; do sample $((i * 100)) $i; sample $((i * 100)) 9; done; } | mkpipe - >"$b"
	psort --merge -u --stats "$a" "$b" >"$T/m" 2>"$T/err" || failed unique
	[ "$(samples "$T/m" | cut -d ' ' -f 1 | tr '\n' ' ')" = "100 200 200 300 300 400 400 " ] || failed "unique: $(samples "$T/m")"
	grep -qx 'psort: late: 0, duplicates: 5' "$T/err" || failed "unique: $(cat "$T/err")"
	grep -qx 'psort: records: 12 with a time, 2 without, .*' "$T/err" || failed "stats: $(cat "$T/err")"
	cp "$a" "$T/c"
	psort --merge -u "$a" "$T/c" | samples /dev/stdin | cmp - <(psort -u "$a" | samples /dev/stdin) || failed "unique: twice"
	# records without a time: period 1x follows x
	for n in 1 2; do
		{ part h x | grep -v COMM; for i in 1 2 3; do echo "SAMPLE ip=1 pid=100 tid=100 time=$((i * 100 + n)) id=11 period=$((n * 100 + i))"
		  echo "SAMPLE ip=1 pid=100 tid=100 time=0 id=11 period=$((n * 100 + 10 + i))"; echo FINISHED_ROUND; done; } | mkpipe - >"$T/u$n"
	done
	periods() { psort --merge "$@" "$T/u1" "$T/u2" | samples /dev/stdin | cut -d ' ' -f 2 | tr '\n' ' '; }
	[ "$(periods)" = "111 112 101 211 212 201 113 102 213 202 103 203 " ] || failed "inplace: $(periods)"
	[ "$(periods --untimed=first)" = "111 112 113 211 212 213 101 201 102 202 103 203 " ] || failed "first: $(periods --untimed=first)"
	[ "$(periods --untimed=stamp)" = "101 111 201 211 102 112 202 212 103 113 203 213 " ] || failed "stamp: $(periods --untimed=stamp)"
	# marks
	psort --merge --rounds=drop "$a" "$b" | hex_records | grep -q '^68 ' && failed "drop: marks"
	psort --merge --rounds=emit "$a" "$b" | hex_records | tail -n 1 | grep -q '^68 ' || failed "emit: no mark at the end"
	for o in --rounds=keep --check "--window=1s --full" "-S 10K"; do
		try psort --merge $o "$a" "$b"
		[ $rc = 2 ] && one_line "psort: --" && ! [ -s "$T/out" ] || failed "$o"
	done
	done_all
}

@test "merge: inputs are opened, and their heads read, as they come" {
	mkfifo "$T/a" "$T/b"
	{ part h x; for i in $(seq 3000); do sample $((i * 10)) $i; [ $((i % 100)) != 0 ] || echo FINISHED_ROUND; done; } | mkpipe - >"$T/1"
	{ part h y; for i in $(seq 3000); do sample $((i * 10 + 5)) $i; [ $((i % 70)) != 0 ] || echo FINISHED_ROUND; done; } | mkpipe - >"$T/2"
	union "$T/1" "$T/2" >"$T/want"
	# the writer opens the second one first, and has written all of it before it opens the first
	timeout 60 psort --merge "$T/a" "$T/b" >"$T/m" &
	pid=$!
	timeout 60 sh -c 'cat "$0/2" >"$0/b"; cat "$0/1" >"$0/a"' "$T" || failed "reverse: writer"
	wait $pid || failed "reverse: status"
	samples "$T/m" | cmp - "$T/want" || failed "reverse: order"
	# one that writes both in turn, their heads in pieces
	for step in 100 333 8192; do
		timeout 60 psort --merge "$T/a" "$T/b" >"$T/m" &
		pid=$!
		timeout 60 bash -c 'exec 8>"$1/b" 7>"$1/a"; size=$(stat -c %s "$1/1")
			for at in $(seq 0 $0 6000) 6001; do
				n=$0; [ $at != 6001 ] || { at=$((6000 / $0 * $0 + $0)); n=$size; }
				tail -c +$((at + 1)) "$1/2" | head -c $n >&8; tail -c +$((at + 1)) "$1/1" | head -c $n >&7
			done' $step "$T" || failed "$step: writer"
		wait $pid || failed "$step: status"
		samples "$T/m" | cmp - "$T/want" || failed "$step: order"
	done
	# none of the first is there: the second is not lost
	timeout 60 psort --merge "$T/a" "$T/b" >"$T/m" 2>"$T/err" &
	pid=$!
	timeout 60 sh -c 'cat "$0/2" >"$0/b"; : >"$0/a"' "$T" || failed "empty: writer"
	wait $pid && failed "empty: status"
	one_line "psort: $T/a: byte 0: empty input" && samples "$T/m" | cmp - <(samples "$T/2") || failed "empty"
	done_all
}

@test "merge: a compressed record that ends amid a record does not hold up the others" {
	mkfifo "$T/a" "$T/b"
	{ part h x; for i in 1000 1400 1600; do sample $i 1; echo FINISHED_ROUND; done
	  echo "zip keep=20 {"; sample 2000 1; sample 2100 1; echo "}"; } >"$T/recipe"
	mkpipe "$T/recipe" >"$T/begin"
	{ cat "$T/recipe"; echo "zip {"; echo "}"; } | mkpipe - >"$T/all"
	timeout 60 psort --merge "$T/a" "$T/b" >"$T/m" &
	pid=$!
	exec 7>"$T/a" 8>"$T/b"
	cat "$T/begin" >&7
	{ part h x; for i in 500 600; do sample $i 1; echo FINISHED_ROUND; done; } | mkpipe - >"$T/one"
	{ part h x; for i in 500 600 700 1800; do sample $i 1; echo FINISHED_ROUND; done; } | mkpipe - >"$T/two"
	cat "$T/one" >&8
	until_samples "$T/m" 1 "500"
	sleep 0.3		# now the half record was read ahead
	tail -c +$(($(wc -c <"$T/one") + 1)) "$T/two" >&8
	until_samples "$T/m" 3 "600 and 700"
	exec 8>&-
	until_samples "$T/m" 5 "up to the bound of the first"
	tail -c +$(($(wc -c <"$T/begin") + 1)) "$T/all" >&7
	exec 7>&-
	wait $pid || failed status
	samples "$T/m" | cut -d ' ' -f 1 | tr '\n' ' ' >"$T/got"
	[ "$(cat "$T/got")" = "500 600 700 1000 1400 1600 1800 2000 2100 " ] || failed "$(cat "$T/got")"
	done_all
}

@test "merge: a chunk of COMPRESSED2 that expands to much, with padding behind it, is not taken for the end" {
	{ part h x; for i in 1 2 3; do
		echo "zip2 {"; sample $((i * 1000)) "$i repeat=6000"; echo "}"; echo FINISHED_ROUND
		sample $((i * 1000)) "9 repeat=12000"
	done; } >"$T/recipe"
	mkpipe "$T/recipe" >"$T/z"
	mkpipe -p "$T/recipe" >"$T/plain"
	{ part h x; sample 5 1; } | mkpipe - >"$T/b"
	try psort --merge "$T/z" "$T/b"
	[ $rc = 0 ] || failed status
	psort --merge "$T/plain" "$T/b" | cmp - "$T/out" || failed "not all of it"
	done_all
}

@test "merge: what waits for an input without marks is not merged again and again" {
	{ part h x | sed '1s/|PERIOD/&|RAW/'; awk 'BEGIN { for (i = 1; i <= 60000; i++) print "SAMPLE ip=1 pid=7 tid=7 time=" i " period=1 raw= raw_size=796 zeros=796" }'
	} | mkpipe - >"$T/a"
	{ part h x; for i in 1 2 3; do sample $((i * 5000)) 1; echo FINISHED_ROUND; done; } | mkpipe - >"$T/b"
	psort --merge -S 1M --stats "$T/a" "$T/b" 2>"$T/stats" | psort -c || failed order
	n=$(sed -n 's/^psort: spilled: \([0-9]*\) .*/\1/p' "$T/stats")
	all=$(sed -n 's/^psort: records: \([0-9]*\) .*/\1/p' "$T/stats")
	[ "$n" -ge $((all / 2)) ] && [ "$n" -le $((all * 6)) ] || failed "of $all records $n were written to the file"
	done_all
}

@test "merge: one recording twice is refused, but for --allow same-input" {
	cp data/basic.pipe.data "$T/a"
	ln "$T/a" "$T/b"
	ln -s a "$T/c"
	mkfifo "$T/f"
	for f in a b c; do
		try psort --merge "$T/a" "$T/$f"
		[ $rc = 2 ] && one_line "psort: '$T/a' and '$T/$f' are the same file: --allow same-input" && ! [ -s "$T/out" ] || failed "$f"
	done
	try timeout 60 psort --merge --allow same-input "$T/f" data/multi.pipe.data "$T/f"
	[ $rc = 2 ] && one_line "psort: '$T/f' and '$T/f' are the same input, which can be read only once" || failed "fifo"
	n=$(hex_records <"$T/a" | grep -c '^9 ')
	[ "$(psort --merge --allow same-input "$T/a" "$T/b" | hex_records | grep -c '^9 ')" = $((2 * n)) ] || failed "allowed"
	[ "$(psort --merge "$T/a" - <data/basic.pipe.data | hex_records | grep -c '^9 ')" = $((2 * n)) ] || failed "a copy"
	try psort --merge "$T/a" - <"$T/a"
	[ $rc = 2 ] || failed "standard input"
	done_all
}

@test "merge: payloads, and many records without a time, wait for their place" {
	for n in 1 2; do
		{ part h x; for i in 1 2 3 4 5 6; do
			sample $((i * 1000 + n)) 1
			echo FINISHED_ROUND
			echo "AUXTRACE offset=0 reference=1 idx=0 tid=100 cpu=0 npayload=300000"
		done; } >"$T/recipe"
		mkpipe "$T/recipe" >"$T/aux.$n"
		grep -v AUXTRACE "$T/recipe" | mkpipe - >"$T/plain.$n"
		{ part h x; for i in 1 2 3 4; do
			sample $((i * 1000 + n)) 1
			echo FINISHED_ROUND
			for k in $(seq 4000); do echo "SAMPLE ip=1 pid=100 tid=100 time=0 id=11 period=$((n * 100000 + i * 10000 + k))"; done
		done; } | mkpipe - >"$T/many.$n"
	done
	psort --merge --rounds=drop "$T/plain.1" "$T/plain.2" >"$T/want"
	psort --merge --rounds=drop -S 1M "$T/aux.1" "$T/aux.2" >"$T/got" || failed status
	psort -c "$T/got" || failed order
	[ $(($(wc -c <"$T/got") - $(wc -c <"$T/want"))) = $((12 * (48 + 300000))) ] || failed bytes
	for o in "" "-S 1M" "-S 1M --untimed=stamp" "-S 1M --untimed=first"; do
		psort --merge $o "$T/many.1" "$T/many.2" >"$T/got" || failed "$o: status"
		psort -c "$T/got" || failed "$o: order"
		samples "$T/got" >"$T/list"
		union "$T/many.1" "$T/many.2" | cut -d ' ' -f 2 | sort | cmp - <(cut -d ' ' -f 2 "$T/list" | sort) || failed "$o: some are missing"
		# those of each input stay in their order
		for n in 1 2; do
			awk -v n=$n 'int($2 / 100000) == n { print $2 }' "$T/list" | sort -c -n || failed "$o: input $n"
		done
	done
	done_all
}

@test "merge: records about tasks and maps are left out if an earlier input has them" {
	need perf
	tell() { echo "COMM pid=7 tid=7 comm=$1"; echo "MMAP2 misc=2 pid=7 tid=7 start=0x1000 len=0x1000 pgoff=0 maj=1 min=1 ino=$2 prot=5 filename=/f"; }
	{ part h one; tell seven 1; sample 1000 1; sample 3000 3; } | mkpipe - >"$T/a"
	{ part h one; tell seven 1; sample 2000 2; sample 4000 4; } | mkpipe - >"$T/b"
	{ part h two; tell seven 2; sample 2500 2; } | mkpipe - >"$T/c"
	psort --merge "$T/a" "$T/b" | hex_records >"$T/got"
	[ "$(grep -c '^3 ' "$T/got") $(grep -c '^10 ' "$T/got")" = "2 1" ] || failed "known: $(cat "$T/got")"
	psort --merge "$T/a" "$T/c" >"$T/m"
	hex_records <"$T/m" >"$T/got"
	[ "$(grep -c '^3 ' "$T/got") $(grep -c '^10 ' "$T/got")" = "3 2" ] || failed "new: $(cat "$T/got")"
	[ "$(script "$T/m" comm,ip | tr '\n' ' ')" = "one 1 two 2 two 3 " ] || failed "$(script "$T/m" comm,ip)"
	# a single input, and duplicates within one input
	{ part h one; part h one | grep COMM; sample 5000 1; } | mkpipe - >"$T/d"
	psort --merge "$T/d" | hex_records | grep -c '^3 ' | grep -qx 2 || failed "alone"
	psort --merge "$T/d" "$T/a" | hex_records | grep -c '^3 ' | grep -qx 2 || failed "the first of them"
	done_all
}

@test "merge: inputs that have a counter in common add up: each sample keeps its own period" {
	need perf
	reads() {
		echo "attr type=1 config=0 period=1000 sample_type=IDENTIFIER|IP|TID|TIME|READ|PERIOD read_format=0x4 flags=sample_id_all|comm ids=11"
		while [ $# -gt 0 ]; do echo "SAMPLE misc=2 ip=1 pid=1 time=$1 period=1 read=$2,11"; shift 2; done
	}
	reads 1000 5 3000 12 5000 100 | mkpipe - >"$T/a"
	reads 2000 900 4000 901 | mkpipe - >"$T/b"
	psort --merge "$T/a" "$T/b" >"$T/m"
	[ "$(script "$T/m" time,period | tr '\n' ' ')" = \
	    "0.000001000: 5 0.000002000: 900 0.000003000: 7 0.000004000: 1 0.000005000: 88 " ] || failed "$(script "$T/m" time,period)"
	cp "$T/a" "$T/c"
	psort --merge -u "$T/a" "$T/c" >"$T/m"
	[ "$(script "$T/m" period | tr '\n' ' ')" = "5 7 88 " ] || failed "-u: $(script "$T/m" period)"
	done_all
}

@test "merge: a record that two inputs have is put twice if what the second has in front of it has undone the first" {
	need jq
	named() {
		mkpipe - <<-END
		attr type=1 config=0 period=1 sample_type=IP|TID|TIME|ID flags=sample_id_all|comm|task ids=11
		$1
		FINISHED_ROUND
		END
	}
	comm() { echo "COMM pid=1 tid=1 comm=$1 @ pid=1 tid=1 time=100 id=11"; }
	named "$(comm a; echo "SAMPLE ip=1 pid=1 tid=1 time=110 id=11")" >"$T/a"
	named "$(comm x; comm a; echo "SAMPLE ip=1 pid=1 tid=1 time=120 id=11")" >"$T/b"
	for order in "a b" "b a"; do
		set -- $order
		psort --merge "$T/$1" "$T/$2" | pstat -s comm --json | jq -c '[.sort[] | [.comm, .samples]]' >"$T/names"
		[ "$(cat "$T/names")" = '[["a",2]]' ] || failed "$order: $(cat "$T/names")"
	done
	done_all
}

@test "merge: poll(2) that keeps failing is an error, not a loop" {
	local n
	mkfifo "$T/a" "$T/b"
	for n in 1 2 3 4; do
		(sleep 0.2; cat data/multi.pipe.data) >"$T/a" &
		(sleep 0.3; cat data/multi.pipe.data) >"$T/b" &
		try with_fault "poll:$n+:ENOMEM" timeout -s KILL 20 psort --merge "$T/a" "$T/b"
		[ $rc != 137 ] || failed "$n: it never ends"
		[ $rc = 0 ] || grep -q 'Cannot allocate memory' "$T/err" || failed "$n: $rc $(cat "$T/err")"
		[ $rc = 0 ] || echo $n >>"$T/seen"
		wait
	done
	[ -s "$T/seen" ] || failed "no call fails"
	done_all
}
