# SPDX-License-Identifier: ISC
# psort on streams with all that can be wrong with an order, against perf and against the rule written down once more.
load lib
load oracle

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

# numbers FILE: the periods of a stream's samples as they stand in it (little endian, sizes multiples of 4).
numbers() {
	tail -c +17 "$1" | od -An -v -tu4 -w4 | awk '
		n == 0 { type = $1; at = 0; n = -1 }
		n == -1 && at == 1 { n = int($1 / 65536) / 4 }
		type == 9 && at == 8 { print $1 }
		{ if (++at == n) n = 0 }'
}

# rule RECIPE: the order of delivery as perf-pipe(5) has it.
rule() {
	awk '
	function deliver(upto,   i, j, best) {
		for (;;) {
			best = 0
			for (i = 1; i <= n; i++)
				if (!gone[i] && time[i] <= upto && (!best || time[i] < time[best]))
					best = i
			if (!best)
				return
			gone[best] = 1
			waiting--
			print number[best]
		}
	}
	/^FINISHED_ROUND/ { if (waiting) { deliver(next_flush); next_flush = max } }
	/^SAMPLE/ {
		for (i = 2; i <= NF; i++) { split($i, kv, "="); v[kv[1]] = kv[2] }
		if (v["time"] == 0 || v["time"] == -1) { print v["period"]; next }
		time[++n] = v["time"] + 0; number[n] = v["period"]
		if (!waiting++ || time[n] >= max) max = time[n]
	}
	END { deliver(1e18) }' "$1"
}

@test "order: random interleavings, ties, no times, with and without rounds: the rule, and perf" {
	command -v perf >/dev/null && perf=1 || perf=
	for seed in 1 2 3 4 5 6 7 8 9 10 11 12; do
		random $seed $((seed % 3)) >"$T/recipe"
		mkpipe "$T/recipe" >"$T/in"
		psort -q "$T/in" >"$T/sorted"
		[ "$(wc -c <"$T/in")" = "$(wc -c <"$T/sorted")" ] || failed "seed $seed: not all records"
		diff -u <(rule "$T/recipe") <(numbers "$T/sorted") >"$T/diff" ||
		    { failed "seed $seed: not the rule's order"; head -n 20 "$T/diff"; }
		# what comes too late goes a round forward each time that it is sorted
		[ -n "$perf" ] && [ $((seed % 3)) != 0 ] || continue
		for f in in sorted; do
			# what has no time perf shows as soon as it reads it: that depends on what waits
			script "$T/$f.script" $bare -F time,period -i "$T/$f"
			sed -i '/ 0\.000000000:/d; /18446744073\./d' "$T/$f.script"
		done
		[ -s "$T/in.script" ] && diff -u "$T/in.script" "$T/sorted.script" >"$T/diff" ||
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
