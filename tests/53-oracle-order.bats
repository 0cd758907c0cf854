# SPDX-License-Identifier: ISC
# psort on streams with all that can be wrong with an order, against perf and against the rule written down once more.
load lib
load oracle
load interleaved

# random SEED PROMISE: a recipe of 400 samples in rounds.  Each sample's period is its number.  Four buffers are read
# one after the other; if PROMISE is 0 some records come far later than their round allows.
random() {
	echo "attr type=1 sample_type=IP|TID|TIME|PERIOD flags=sample_id_all|comm ids=1 len=128"
	awk -v seed="$1" -v promise="$2" 'BEGIN {
		srand(seed)
		rounds = int(rand() * 12)
		for (i = 1; i <= 400; i++) {
			cpu = int((i - 1) % 40 / 10)
			if ((i - 1) % 40 == 0 && i > 1 && rounds > 0 && rand() < rounds / 12)
				print "FINISHED_ROUND"
			now = int((i - 1) / 40) * 1000 + cpu * 150
			if (i % 10 == 1) t = now + 1
			t += int(rand() * rand() * 120)		# ties are common
			u = t
			if (rand() < .02) u = 0
			if (rand() < .02) u = -1
			if (!promise && rand() < .03) u = int(rand() * t) + 1
			printf "SAMPLE ip=0x1000 pid=%d tid=%d time=%s period=%d\n", cpu + 10, cpu + 10, u, i
		}
	}'
}

# same_as_rule WHAT [psort option...]: is that what the rule made in $T/want?
same_as_rule() {
	local what=$1
	shift
	psort -q "$@" "$T/in" | cmp "$T/want" - || failed "$what: psort $*"
}

@test "order: random interleavings, with few, many and no rounds, also over the bound of memory: the rule, to the byte" {
	for seed in 1 2 3 4 5 6 7 8 9 10 11 12; do
		set -- $(case $((seed % 6)) in 0) echo 0 0;; 1) echo 1 0;; 2) echo 3 0;; 3) echo 15 0;; 4) echo 1 100;; 5) echo 8 300;; esac)
		interleaved $seed 15000 "$@" >"$T/recipe"
		mkpipe "$T/recipe" >"$T/in"
		what="seed $seed: a mark in $1, late 1 in $2"
		rule <"$T/in" >"$T/want"
		for o in "" "-S 1M" "-S 1M --compress-temp" "-S 3M"; do
			turn 5 || continue
			same_as_rule "$what" $o
		done
		rule -f <"$T/in" >"$T/want"
		for o in --full "--full -S 1M" "--window=100s -S 1M" "--untimed=first -S 2M"; do
			turn 5 || continue
			same_as_rule "$what" $o --rounds=drop
		done
		psort --stats -S 1M "$T/in" 2>&1 >/dev/null | grep '^psort: [a-z]*:' >>"$T/stats"
	done
	# there was all of it: rounds, late ones, and spilling with and without these
	cat "$T/stats"
	[ "$(grep -c 'rounds: [1-9]' "$T/stats")" -ge 8 ] && [ "$(grep -c 'late: [1-9]' "$T/stats")" -ge 4 ] &&
	    [ "$(grep -c 'spilled: [1-9]' "$T/stats")" -ge 6 ] || failed "not the streams that were meant"
	done_all
}

@test "order: small interleavings: the rule, and perf" {
	perf_reads && perf=1 || perf=
	for seed in $(seq 12 | each 4); do
		random $seed $((seed % 3)) >"$T/recipe"
		mkpipe "$T/recipe" >"$T/in"
		psort -q "$T/in" >"$T/sorted"
		rule <"$T/in" | cmp - "$T/sorted" || failed "seed $seed: not the rule's order"
		[ -n "$perf" ] || continue
		diff -u <(perf_delivers "$T/in") <(perf_finds "$T/sorted") >"$T/diff" ||
		    { failed "seed $seed: not perf's order"; head -n 20 "$T/diff"; }
	done
	done_all
}

@test "order: what is sorted stays, to the byte" {
	for seed in 21 22 24; do
		random $seed 1 | grep -v 'time=0\|time=-1' >"$T/recipe"	# these step forward each time
		mkpipe "$T/recipe" | psort -q >"$T/1"
		psort -q "$T/1" >"$T/2"
		cmp "$T/1" "$T/2" || failed "seed $seed"
	done
	done_all
}

# ---- recordings made now -----------------------------------------------------------------------------------

# busy NAME [perf record option...]: $T/NAME, of all CPUs, while two processes make system calls as fast as they can and others
# come and go.
busy() {
	local to=$T/$1
	shift
	perf record -a -o - "$@" -- bash -c '
		for i in 1 2; do
			dd if=/dev/zero of=/dev/null bs=1 count=400 2>/dev/null &
		done
		for i in 1 2 3; do /bin/true; ls /usr/bin | tail -n 1; done >/dev/null
		wait' >"$to" 2>"$T/perf.err" </dev/null && [ -s "$to" ] || { rm -f "$to"; head -n 1 "$T/perf.err"; }
}

@test "order: all CPUs, made now, at high rates, with small buffers that lose, compressed: the order in which perf takes them" {
	need perf
	busy clock -e cpu-clock -F 10000 -g
	busy clock-lost -m 1 -e cpu-clock -F 10000 -g
	busy clock-zstd -z -e cpu-clock,context-switches -F 20000 -g
	busy switches -R -c 1 -e sched:sched_switch,sched:sched_wakeup
	busy calls -R -c 1 -e raw_syscalls:sys_enter,sched:sched_switch
	busy calls-lost -R -c 1 -m 1 -e raw_syscalls:sys_enter,sched:sched_switch
	busy calls-zstd -R -c 1 -z -m 1,1 -e raw_syscalls:sys_enter,raw_syscalls:sys_exit
	made=$(cd "$T" && ls -d clock* switches* calls* 2>/dev/null || true)
	[ -n "$made" ] || skip "perf record -a is not allowed here"
	for f in $made; do
		psort --stats "$T/$f" 2>"$T/stats" >"$T/sorted" || failed "$f: $(tail -n 3 "$T/stats")"
		perf_delivers "$T/$f" >"$T/want"
		perf_finds "$T/sorted" | cmp "$T/want" - || failed "$f: not perf's order"
		echo "$f: $(wc -l <"$T/want") records, $(grep -c 'RECORD_LOST' "$T/want") of lost ones;" \
		    "$(sed -n 's/psort: disorder: \([0-9]*\).*/\1/p' "$T/stats") behind newer ones," \
		    "$(sed -n 's/psort: late: \([0-9]*\).*/\1/p' "$T/stats") late"
		# what is late goes one round forward each time that it is sorted, by perf too
		! grep -q 'late: 0' "$T/stats" ||
		    same_script "$T/$f" "$T/sorted" $bare -G -F pid,tid,cpu,time,event,ip --show-lost-events || failed "$f: script"
	done
	done_all
}
