# SPDX-License-Identifier: ISC
# psort's modes, its bound of memory and the temporary file behind it, and what it does with odd records.
load lib

attr="attr type=1 sample_type=IP|TID|TIME|PERIOD flags=sample_id_all|comm ids=1 len=128"

# shuffled SEED N SPAN [ROUND]: a recipe of N samples with random times below SPAN; each sample's period is its number.
# With ROUND there are marks, and times grow with them, so that each keeps what marks promise.
shuffled() {
	echo "$attr"
	awk -v seed="$1" -v n="$2" -v span="$3" -v round="${4:-0}" 'BEGIN {
		srand(seed)
		for (i = 1; i <= n; i++) {
			base = round ? int(i / round) * span : 0
			printf "SAMPLE ip=0x1000 pid=7 tid=7 time=%d period=%d\n", base + 1 + int(rand() * span), i
			if (round && i % round == round - 1)
				print "FINISHED_ROUND"
		}
	}'
}

# samples FILE [mark]: time and period of a stream's samples as they stand in it
samples() { samples_at 8 "$@"; }

# reference FILE: the same by sort(1).
reference() {
	samples "$1" | sort -s -n -k1,1
}

@test "psort: order and ties are those of sort -s, in memory, from runs on disk, and from merged runs" {
	shuffled 1 60000 20000 >"$T/recipe"
	mkpipe "$T/recipe" >"$T/in"
	reference "$T/in" >"$T/want"
	for o in "-S 64M" "-S 1M" "-S 1M --full" "-S 1M --compress-temp" "-S 2M --rounds=drop" "-S 1M -u" \
	    "-S 1M --window 1" "-S 1M --untimed=first"; do
		turn 3 || continue
		try psort -vf -T "$T" $o -o "$T/out.p" "$T/in"
		[ $rc = 0 ] || failed "$o"
		samples "$T/out.p" | cmp - "$T/want" || failed "$o: not the order"
	done
	rm -f "$T/out.p" "$T/out" "$T/err"
	[ "$(ls "$T")" = "$(printf '%s\n' failures in recipe want)" ] || failed "left something: $(ls "$T")"
	done_all
}

@test "psort: random streams in rounds, one round over the bound: the same as in memory" {
	for seed in 1 2 3; do
		turn 3 || continue
		shuffled $seed 60000 20000 $((seed * 9000)) >"$T/recipe"
		mkpipe "$T/recipe" >"$T/in"
		psort -q "$T/in" >"$T/want" || failed "$seed"
		reference "$T/in" | cmp - <(samples "$T/want") || failed "$seed: not in order"
		psort -q -S 1M --stats "$T/in" >"$T/got" 2>"$T/stats" || failed "$seed: -S"
		cmp "$T/want" "$T/got" || failed "$seed: differs"
		grep -q 'spilled: [1-9]' "$T/stats" || failed "$seed: nothing was spilled"
	done
	# and if the rounds are wrong, late records have the same places as without the bound
	shuffled 4 60000 20000 | awk 'NR > 1 && NR % 15000 == 0 { print "FINISHED_ROUND" } 1' >"$T/recipe"
	mkpipe "$T/recipe" >"$T/in"
	for o in "" --late=drop --late=clamp --rounds=emit; do
		turn 2 || continue
		rc=0
		psort $o "$T/in" >"$T/want" 2>"$T/want.err" || rc=1
		psort -S 1M $o "$T/in" >"$T/got" 2>"$T/got.err" || rc=1
		[ $rc = 0 ] || failed "late $o"
		diff "$T/want.err" "$T/got.err" || failed "late $o: other words"
		if [ "$o" = --rounds=emit ]; then
			cmp <(samples "$T/want") <(samples "$T/got") || failed "late $o: differs"
		else
			cmp "$T/want" "$T/got" || failed "late $o: differs"
		fi
	done
	done_all
}

@test "psort: memory stays in its bound" {
	need native
	! sanitized || skip "a sanitizer needs its own memory"
	shuffled 5 300000 1000000 >"$T/recipe"
	mkpipe "$T/recipe" >"$T/in"
	(ulimit -v 40000; psort -q -S 8M "$T/in" >"$T/got") || failed "shuffled"
	reference "$T/in" | cmp - <(samples "$T/got") || failed "shuffled: not in order"
	{ echo "$attr"; awk 'BEGIN { for (i = 300000; i; i--) printf "SAMPLE ip=1 pid=7 time=%d period=%d\n", i, i }'; } >"$T/recipe"
	mkpipe "$T/recipe" >"$T/in"
	(ulimit -v 40000; psort -q -S 8M "$T/in" >"$T/got") || failed "descending"
	psort -c "$T/got" || failed "descending: not in order"
	# one record in each buffer has to wait, and the payload beside it does not
	{ echo "$attr"; for i in {200..1}; do echo "SAMPLE ip=1 pid=7 time=$i period=$i"; echo "AUXTRACE npayload=262144"; done; } >"$T/recipe"
	mkpipe "$T/recipe" >"$T/in"
	(ulimit -v 40000; psort -q -S 8M "$T/in" >"$T/got") || failed "payloads"
	psort -c "$T/got" || failed "payloads: not in order"
	done_all
}

@test "psort: a full disk is reported, and all records that were read are written in order" {
	shuffled 6 40000 20000 >"$T/recipe"
	mkpipe "$T/recipe" >"$T/in"
	for n in 1 2 5 7 11 14 20 23; do
		try with_fault "write:$n+:ENOSPC" psort -q -T "$T" -S 1M "$T/in"
		[ $rc = 1 ] && one_line "psort: $T: temporary file: write: No space left on device" || failed "write $n"
		samples "$T/out" >"$T/got"
		[ -s "$T/got" ] && samples "$T/in" | head -n "$(wc -l <"$T/got")" | sort -s -n -k1,1 | cmp - "$T/got" ||
		    failed "write $n: not what was read"
	done
	for n in 1 2 9 30; do
		try with_fault "pread:$n:EIO" psort -q -T "$T" -S 1M "$T/in"
		[ $rc = 1 ] && one_line "psort: $T: temporary file: read: Input/output error" || failed "pread $n"
	done
	try with_fault write:EINTR,pread:EINTR psort -q -S 1M "$T/in"
	[ $rc = 0 ] && samples "$T/out" | cmp - <(reference "$T/in") || failed "interrupted calls"
	try psort -q -S 1M -T "$T/none" "$T/in"
	[ $rc = 1 ] && one_line "psort: $T/none: temporary file: open: No such file" || failed "no directory"
	try psort -T "$T/none" "$T/in"
	[ $rc = 0 ] || failed "a directory that was not needed"
	done_all
}

@test "psort: --late" {
	sed "s/^include.*/$attr/" data/late.txt >"$T/recipe"
	in=$T/in
	mkpipe "$T/recipe" >"$in"
	samples "$in" >"$T/all"
	try psort --late=emit "$in"
	[ $rc = 0 ] && one_line "psort: warning: $in: 1 records arrived later than their round permits, and were written" || failed emit
	try psort --late=drop "$in"
	[ $rc = 0 ] && one_line "psort: warning: $in: 1 records arrived later than their round permits, and were dropped" &&
	    [ "$(samples "$T/out")" = "$(grep -v ' 4$' "$T/all")" ] || failed drop
	psort -c "$T/out" || failed "drop: order"
	try psort --late=clamp "$in"
	[ $rc = 0 ] && psort -c "$T/out" && [ "$(samples "$T/out" | wc -l)" = "$(wc -l <"$T/all")" ] || failed clamp
	samples "$T/out" | grep -q '^500 ' && failed "clamp: the time stays"
	try psort --late=error "$in"
	[ $rc = 1 ] && one_line "psort: $in: byte " && grep -q "SAMPLE: late: time 0.000000500 after 0.00000" "$T/err" || failed error
	samples "$T/out" | cmp - <(head -n 3 "$T/all") || failed "error: what came before"
	done_all
}

@test "psort: --window" {
	{
		echo "$attr"
		awk 'BEGIN { srand(3); for (i = 1; i <= 5000; i++)
			printf "SAMPLE ip=1 pid=7 time=%d period=%d\n", 10000 + i * 10 + int(rand() * 1000), i }'
	} >"$T/recipe"
	mkpipe "$T/recipe" >"$T/in"
	for w in 1us 2us 1ms; do
		try psort --window=$w "$T/in"
		[ $rc = 0 ] && ! [ -s "$T/err" ] && samples "$T/out" | cmp - <(reference "$T/in") || failed "$w"
	done
	try psort --window=100ns "$T/in"
	[ $rc = 0 ] && one_line "psort: warning: $T/in: " && grep -q "later than the window permits" "$T/err" || failed "too small"
	try psort --window=100ns --late=drop "$T/in"
	psort -c "$T/out" || failed "drop"
	# memory is the window's
	psort --stats -S 1M --window=2us "$T/in" 2>&1 >/dev/null | grep -q "spilled: 0 records" || failed "spilled"
	done_all
}

@test "psort: --rounds" {
	in=$T/in
	shuffled 7 3000 1000 300 >"$T/recipe"
	mkpipe "$T/recipe" >"$in"
	reference "$in" >"$T/want"
	for o in emit keep drop; do
		psort --rounds=$o "$in" >"$T/$o" || failed $o
		samples "$T/$o" | cmp - "$T/want" || failed "$o: order"
		# a reader of the output holds one round, and finds no late record
		try psort "$T/$o"
		[ $rc = 0 ] && ! [ -s "$T/err" ] && [ "$(samples "$T/out")" = "$(cat "$T/want")" ] || failed "$o: once more"
	done
	cmp "$T/keep" <(psort "$in") || failed "keep is the default"
	[ "$(samples "$T/drop" 1 | grep -c mark)" = 0 ] || failed "drop: marks"
	[ "$(samples "$T/emit" 1 | grep -c mark)" -ge 2 ] || failed "emit: marks"
	samples "$T/emit" 1 | tail -n 1 | grep -q mark || failed "emit: the last is no mark"
	psort --full "$in" | samples /dev/stdin | cmp - "$T/want" || failed full
	done_all
}

@test "psort: --untimed" {
	{
		echo "$attr"
		echo "COMM pid=7 tid=7 comm=first"
		for i in 1 2 3 4; do
			echo "SAMPLE ip=1 pid=7 time=$((i * 100)) period=$i"
			echo "SAMPLE ip=1 pid=7 time=0 period=$((i + 10))"
			echo FINISHED_ROUND
		done
	} >"$T/recipe"
	mkpipe "$T/recipe" >"$T/in"
	[ "$(psort --untimed=inplace "$T/in" | samples /dev/stdin | cut -d ' ' -f 2 | tr '\n' ' ')" = "11 12 1 13 2 14 3 4 " ] ||
	    failed inplace
	[ "$(psort --untimed=first "$T/in" | samples /dev/stdin | cut -d ' ' -f 2 | tr '\n' ' ')" = "11 12 13 14 1 2 3 4 " ] ||
	    failed first
	[ "$(psort --untimed=stamp "$T/in" | samples /dev/stdin | tr '\n' ' ')" = \
	    "100 1 100 11 200 2 200 12 300 3 300 13 400 4 400 14 " ] || failed stamp
	done_all
}

# perf delivers what stands before the last round but one before a record without a time.
@test "psort --full: records of tasks without a time that overtake what perf has before them are counted" {
	local marks n
	for n in 0 1 2; do
		marks=$(yes FINISHED_ROUND | head -n $n)
		printf '%s\n' "$attr" "COMM pid=7 tid=7 comm=first" "SAMPLE ip=1 pid=7 time=100" $marks "COMM pid=7 tid=7 comm=second" \
		    "SAMPLE ip=1 pid=7 time=0" "SAMPLE ip=1 pid=7 time=200" >"$T/recipe"
		mkpipe "$T/recipe" >"$T/in"
		try psort --full "$T/in"
		[ $rc = 0 ]
		[ $n = 2 ] || ! [ -s "$T/err" ] || failed "$n rounds: $(cat "$T/err")"
	done
	one_line "psort: warning: $T/in: 1 records of tasks and maps without a time now precede older records, whose names may change: without --full they keep their places"
	for o in "" --untimed=first "--full --untimed=stamp" --window=1s; do
		try psort $o "$T/in"
		[ $rc = 0 ] && ! [ -s "$T/err" ] || failed "$o: $(cat "$T/err")"
	done
	done_all
}

@test "psort: -u drops what is equal in every byte, also over runs" {
	{ shuffled 8 20000 2000; shuffled 8 20000 2000 | tail -n +2; } >"$T/recipe"
	mkpipe "$T/recipe" >"$T/in"
	for o in "" "-S 1M"; do
		psort -u --stats $o "$T/in" >"$T/out" 2>"$T/err" || failed "$o"
		grep -q 'duplicates: 20000' "$T/err" || failed "$o: count"
		samples "$T/out" | sort | uniq -d | grep -q . && failed "$o: some are left"
		[ "$(samples "$T/out" | wc -l)" = 20000 ] || failed "$o: number"
	done
	done_all
}

@test "psort: --stats" {
	{
		echo "$attr"
		echo "FINISHED_ROUND"
		for t in 100 200 300 150 400 120; do echo "SAMPLE ip=1 pid=7 time=$t period=$t"; done
	} >"$T/recipe"
	mkpipe "$T/recipe" | psort --stats 2>"$T/err" >"$T/out"
	grep -qx 'psort: records: 6 with a time, 0 without, 1 of perf.s own' "$T/err" || failed records
	grep -qx 'psort: disorder: 2 after newer records, by up to 4 records and 0.000000280 s' "$T/err" || failed disorder
	grep -qx 'psort: rounds: 1, 1 of them before the first time' "$T/err" || failed rounds
	mkpipe "$T/recipe" | psort -v 2>&1 >"$T/out" | grep -q "all FINISHED_ROUND records are before" || failed note
	cat "$T/err"
	done_all
}

@test "psort: wrong options" {
	for o in "-S 10K" "-S x" "--late=x" "--rounds=" "--untimed=later" "--window=x" "--window=1s --full"; do
		try psort $o "$(recipe small)"
		[ $rc = 2 ] && one_line "psort: --" && ! [ -s "$T/out" ] || failed "$o"
	done
	done_all
}

@test "psort: perf sees the same, over a bound of memory and after perf inject -b" {
	need perf
	shuffled 9 22000 100000000 >"$T/recipe"
	mkpipe "$T/recipe" >"$T/in"
	try psort -S 1M "$T/in"
	mv "$T/out" "$T/sorted"
	one_line "psort: warning: $T/in: no FINISHED_ROUND: sorted at its end with a temporary file" || failed warning
	same_script "$T/in" "$T/sorted" -F time,period || failed bound
	for o in --full --rounds=emit "--window=1s" "--untimed=first"; do
		for f in data/basic.pipe.data data/multi.pipe.data; do
			turn 3 || continue
			psort $o "$f" >"$T/sorted" 2>"$T/err" || failed "$f $o"
			same_script "$f" "$T/sorted" -F comm,pid,time,event,ip || failed "$f $o"
			perf report -i "$T/sorted" --stdio 2>&1 >/dev/null | grep -qi 'order\|timeslice' && failed "$f $o: perf warns"
		done
	done
	perf inject -b <data/basic.pipe.data >"$T/b" 2>/dev/null || skip "perf inject does not"
	psort -v "$T/b" >"$T/sorted" 2>"$T/err" || failed inject
	same_script "$T/b" "$T/sorted" -F comm,pid,time,event,ip || failed "inject: differs"
	done_all
}

@test "psort: descending times take memory in proportion" {
	need native
	sanitized && skip "a sanitizer has memory of its own"
	{
		echo "attr type=1 config=0 period=1 sample_type=TID|TIME flags=sample_id_all ids=1"
		seq 200000 -1 1 | sed 's/.*/SAMPLE pid=1 tid=1 time=&/'
	} >"$T/desc.txt"
	mkpipe "$T/desc.txt" >"$T/desc"
	(ulimit -v 120000 && psort "$T/desc" >"$T/out")
	psort -c "$T/out"
}

@test "psort: what was sorted stays as it is: also records without a time, and payloads" {
	for k in 1 2 3 4 5 6; do
		for i in 900 100 500; do echo "SAMPLE ip=1 pid=1 tid=1 time=$((k * 400 + i)) cpu=0 period=1"; done
		[ $k != 4 ] || echo "AUXTRACE offset=0 reference=1 idx=0 tid=1 cpu=0 npayload=300"
		echo "LOST_SAMPLES lost=$k"
		[ $k = 3 ] || echo FINISHED_ROUND
	done | cat <(sed '/^[A-Z]*SAMPLE/,$d; /^FINISHED_ROUND/,$d' data/rounds.txt) - >"$T/r"
	for o in "" -b; do
		mkpipe $o "$T/r" >"$T/in"
		psort "$T/in" >"$T/once" && psort "$T/once" >"$T/twice" && cmp "$T/once" "$T/twice" || failed "recipe $o"
		! cmp -s "$T/in" "$T/once" || failed "recipe $o: in order already"
		psort --window=1us "$T/in" | psort >"$T/once" && psort "$T/once" | cmp - "$T/once" || failed "window $o"
		psort --merge "$T/in" "$T/in" --allow same-input >"$T/once" && psort "$T/once" | cmp - "$T/once" || failed "merge $o"
	done
	for f in data/*.pipe.data; do
		psort "$f" >"$T/once" && psort "$T/once" | cmp - "$T/once" || failed "$f"
	done
	done_all
}

@test "psort -u: thousands of records of one time, of which each comes twice" {
	{
		echo "attr type=1 config=0 period=1 sample_type=IP|TID|TIME flags=sample_id_all|comm ids=11"
		for i in $(seq 3000) $(seq 3000 -1 1) 5000; do echo "SAMPLE ip=$i pid=1 tid=1 time=1000"; done
		echo FINISHED_ROUND
	} >"$T/twice.txt"
	awk '!/^SAMPLE/ || !seen[$0]++' "$T/twice.txt" >"$T/once.txt"
	[ "$(grep -c ^SAMPLE "$T/once.txt")" = 3001 ] || failed "this test is of no use"
	for order in "" -b; do
		mkpipe $order "$T/twice.txt" >"$T/in"
		psort -u "$T/in" | cmp - <(mkpipe $order "$T/once.txt") || failed "order $order"
	done
	done_all
}
