# SPDX-License-Identifier: ISC
# pfilter: fewer samples, and what their periods then say.
load lib

# count STREAM: "samples, sum of their periods" by pstat; count_of EVENT STREAM: of that event
count() {
	pstat --json "$1" | jq -r '"\(.samples) \([.events[].period] | add)"'
}
count_of() {
	pstat --json "$2" | jq -r --arg e "$1" '.events[] | select(.name == $e) | "\(.samples) \(.period)"'
}

# many N: two events, four CPUs, five threads, N samples 1 us apart with periods of 1 to 97; a round after every 1000
many() {
	{
		echo "attr type=1 config=0 period=1 sample_type=IDENTIFIER|IP|TID|TIME|CPU|PERIOD flags=sample_id_all|comm ids=11"
		echo "attr type=1 config=2 period=1 sample_type=IDENTIFIER|IP|TID|TIME|CPU|PERIOD flags=sample_id_all ids=21"
		echo "EVENT_UPDATE update_type=2 id=11 z=cpu-clock"
		echo "EVENT_UPDATE update_type=2 id=21 z=page-faults"
		echo "COMM pid=100 tid=100 comm=alpha"
		awk -v n="$1" 'BEGIN {
			for (i = 0; i < n; i++) {
				printf "SAMPLE ev=%d id=%d ip=0x401000 pid=100 tid=%d time=%d cpu=%d period=%d\n", i % 7 == 0,
				    i % 7 ? 11 : 21, 100 + i % 5, 1000000000 + 1000 * i, i % 4, i % 97 + 1
				if (i % 1000 == 999)
					print "FINISHED_ROUND"
			} }'
	} >"$T/many.txt"
	mkpipe "$T/many.txt" >"$T/many"
	read -r all total < <(count "$T/many")
}

# within A B TOLERANCE: |A - B| <= TOLERANCE
within() {
	awk -v a="$1" -v b="$2" -v d="$3" 'BEGIN { exit !(a - b <= d && b - a <= d) }' || { echo "$1, $2 +- $3 expected"; return 1; }
}

@test "thin: --sample keeps its share; another seed another one; 1 keeps all" {
	need jq
	many 20000
	pfilter --sample 0.1 "$T/many" >"$T/a"
	pfilter --sample 10% --seed 0 "$T/many" | cmp - "$T/a"
	pfilter --sample 0.1 --seed 1 "$T/many" >"$T/b"
	! cmp -s "$T/a" "$T/b" || false
	read -r n _ < <(count "$T/a")
	within $n 2000 200		# 5 sigma are 212
	read -r n _ < <(count "$T/b")
	within $n 2000 200
	pfilter --sample 1 "$T/many" | cmp - "$T/many"
	# two choices have in common what chance gives
	pfilter --sample 0.1 --seed 1 "$T/a" >"$T/c"
	read -r n _ < <(count "$T/c")
	within $n 200 70
}

@test "thin: --sample chooses the same in any order, and in each part" {
	many 5000
	# by decreasing time
	{ grep -v -e SAMPLE -e ROUND "$T/many.txt"; grep SAMPLE "$T/many.txt" | tac; } >"$T/back.txt"
	mkpipe "$T/back.txt" | pfilter --sample 0.2 | psort --full >"$T/a"
	pfilter --sample 0.2 "$T/many" | psort --full >"$T/b"
	pfilter --drop-type FINISHED_ROUND --allow vital-types "$T/a" >"$T/a.records"
	pfilter --drop-type FINISHED_ROUND --allow vital-types "$T/b" | cmp - "$T/a.records"
	# in two parts
	for part in ,1.002 1.002000001,; do
		pfilter --time $part "$T/many" | pfilter --sample 0.2 >"$T/part"
		pfilter --sample 0.2 "$T/many" | pfilter --time $part | cmp - "$T/part"
	done
}

@test "thin: --sample where samples have no time: by all that they hold" {
	need jq
	{
		echo "attr type=1 config=0 period=1 sample_type=IP|TID|PERIOD ids=11"
		seq 4000 | sed 's/.*/SAMPLE ip=& pid=1 tid=1 period=1/'
	} >"$T/notime.txt"
	mkpipe "$T/notime.txt" >"$T/notime"
	pfilter --sample 0.5 "$T/notime" >"$T/out"
	read -r n _ < <(count "$T/out")
	within $n 2000 160
}

@test "thin: --every N keeps one of N of each event, and its sum with --scale-period" {
	need jq
	many 7000
	pfilter --every 10 "$T/many" >"$T/a"
	[ "$(count_of page-faults "$T/a" | cut -d ' ' -f 1)" = 100 ]
	[ "$(count_of cpu-clock "$T/a" | cut -d ' ' -f 1)" = 600 ]
	pfilter --every 1 "$T/many" | cmp - "$T/many"
	read -r _ sum < <(count "$T/a")
	pfilter --every 10 --scale-period "$T/many" >"$T/b"
	[ "$(count "$T/b")" = "700 $((10 * sum))" ]
}

@test "thin: --scale-period carries what a division leaves over" {
	need jq
	many 20000
	pfilter --sample 0.3 "$T/many" >"$T/a"
	pfilter --sample 0.3 --scale-period "$T/many" >"$T/b"
	for e in cpu-clock page-faults; do
		read -r n sum < <(count_of $e "$T/a")
		read -r m scaled < <(count_of $e "$T/b")
		[ $n = $m ]
		within $scaled $(awk -v s=$sum 'BEGIN { printf "%.6f", s / 0.3 }') 1
	done
}

@test "thin: periods saturate" {
	need jq
	{
		echo "attr type=1 config=0 period=1 sample_type=IP|TID|TIME|PERIOD ids=11"
		echo "SAMPLE ip=1 pid=1 tid=1 time=1 period=0x8000000000000000"
		echo "SAMPLE ip=1 pid=1 tid=1 time=2 period=0x8000000000000001"
	} >"$T/large.txt"
	mkpipe "$T/large.txt" | pfilter --every 2 --scale-period >"$T/out"
	[ "$(pstat --json "$T/out" | jq -r .samples)" = 1 ]
	od -A n -t x8 -v "$T/out" | tr ' ' '\n' | grep -qx ffffffffffffffff
}

@test "thin: --max-rate: a rate that is not reached changes nothing, another one is not passed" {
	need jq
	many 20000			# 1,000,000 a second
	pfilter --max-rate 1000001 "$T/many" | cmp - "$T/many"
	pfilter --max-rate 100000 "$T/many" >"$T/a"
	read -r n _ < <(count "$T/a")
	[ $n -le 12100 ]
	[ $n -ge 11900 ]		# 2000 in 20 ms, and a burst of 10000
	pfilter --max-rate 10000 "$T/many" >"$T/a"
	read -r n _ < <(count "$T/a")
	[ $n -le 1210 ]
	[ $n -ge 1190 ]
	# the dropped periods go to samples that are kept, but for those behind the last one of an event and CPU
	pfilter --max-rate 10000 --scale-period "$T/many" >"$T/b"
	read -r m sum < <(count "$T/b")
	[ $m = $n ]
	within $sum $total $((total / 20))
}

@test "thin: --scale-period where only the attr has a period" {
	need jq
	{
		echo "attr type=1 config=0 period=4000 sample_type=IP|TID|TIME ids=11"
		seq 100 | sed 's/.*/SAMPLE ip=1 pid=1 tid=1 time=&/'
	} >"$T/fixed.txt"
	mkpipe "$T/fixed.txt" >"$T/fixed"
	pfilter --every 10 --scale-period "$T/fixed" >"$T/out"
	[ "$(count "$T/out")" = "10 400000" ]
	pfilter --sample 0.5 --scale-period "$T/fixed" >"$T/out"
	read -r n sum < <(count "$T/out")
	[ $sum = $((n * 8000)) ]
}

# shares FILE: percentage and name of each comm, by perf report
shares() {
	perf report -f --stdio -g none -s comm -i "$1" 2>/dev/null | sed -n 's/^ *\([0-9.]*\)%\( *[0-9.]*%\)\{0,1\}  *\([^ ].*[^ ]\) *$/\1 \3/p' |
	    sed 's/ /\t/; s/ /_/g; s/\t/ /' | sort -k2
}

# alike_shares WANT GOT N: of N samples of chance: five times the standard deviation of a share; 0.01 is what perf rounds to
alike_shares() {
	join -1 2 -2 2 -a 1 "$1" "$2" | awk -v n="$3" '{ p = $2 / 100; d = 100 * 5 * sqrt(p * (1 - p) / n + 1 / n / n) + 0.02
		if ($2 - $3 > d || $3 - $2 > d) { print; bad = 1 } } END { exit bad || !NR }'
}

@test "thin: --max-rate --scale-period: a sample stands for those of its event and CPU since the one before it, in time order" {
	need perf
	need jq
	# The samples of the CPUs come in blocks; each CPU has its own pid.
	{
		echo "attr type=1 config=0 period=1 sample_type=IDENTIFIER|IP|TID|TIME|CPU|PERIOD flags=sample_id_all|comm ids=11"
		awk 'BEGIN {
			for (b = 0; b < 10; b++) {
				for (cpu = 0; cpu < 2; cpu++)
					for (i = b * 500; i < b * 500 + 500; i++)
						printf "SAMPLE misc=1 ip=%d pid=%d tid=1 time=%.0f cpu=%d period=%d\n", i, cpu + 1,
						    1000000000 + i * 1000000 + cpu * 1000, cpu, cpu ? 3 : 1
				print "FINISHED_ROUND"
			} }'
	} >"$T/cpus.txt"
	mkpipe "$T/cpus.txt" >"$T/cpus"
	pfilter --max-rate 100 --scale-period "$T/cpus" >"$T/out"
	pfilter --max-rate 100 "$T/cpus" | perf script -f -F pid,time -i - 2>/dev/null >"$T/times"
	perf script -f -F pid,time -i "$T/out" 2>/dev/null | cmp - "$T/times"
	# each: as many as milliseconds have passed on that CPU
	perf script -f --ns -F pid,time,period -i "$T/out" 2>/dev/null | tr -d : |
	    awk '{ ms = int(($2 - 1) * 1000 + 0.5); n = ms - last[$1] + (last[$1] == ""); last[$1] = ms
		if ($3 != n * ($1 == 2 ? 3 : 1)) { print; bad = 1 } c[$1]++ }
		END { exit bad || c[1] < 200 || c[2] < 200 || NR > 511 }'
}

@test "oracle: perf report's percentages after --max-rate --scale-period: the input's, with each sample's period and with a fixed one" {
	need perf
	zstd -dqc data/a_busy.pipe.data.zst >"$T/freq"
	# the same with a fixed period: samples without the field
	{
		echo "attr type=1 config=0 period=250000 sample_type=IDENTIFIER|IP|TID|TIME|CPU flags=sample_id_all|comm ids=11"
		echo "EVENT_UPDATE update_type=2 id=11 z=cpu-clock"
		perf script -f --ns -F comm,pid,tid,cpu,time -i "$T/freq" 2>/dev/null |
		    sed -nE 's/^ *(.*[^ ]) +([0-9]+)\/([0-9]+) +\[([0-9]+)\] +([0-9]+)\.([0-9]+): *$/\2 \3 \4 \5\6 \1/p' |
		    awk '{ c = $5; for (i = 6; i <= NF; i++) c = c "\\s" $i; t = $2
			if (name[t] != c) printf "COMM pid=%d tid=%d comm=%s @ pid=%d tid=%d time=%s cpu=%d id=11\n", $1, t, c, $1, t, $4, $3
			name[t] = c
			printf "SAMPLE misc=1 ip=1 pid=%d tid=%d time=%s cpu=%d\n", $1, t, $4, $3
			if (NR % 2000 == 0) print "FINISHED_ROUND" }'
	} >"$T/fixed.txt"
	mkpipe "$T/fixed.txt" >"$T/fixed"
	for f in freq fixed; do
		shares "$T/$f" >"$T/want"
		[ "$(wc -l <"$T/want")" -gt 10 ] || failed "$f: $(cat "$T/want")"
		for how in "--max-rate 100" "--max-rate 300" "--max-rate 1000" "--every 10" "--sample 5%" "--sample 50% --max-rate 300"; do
			turn 5 || continue
			pfilter $how --scale-period "$T/$f" >"$T/out"
			n=$(pstat --json "$T/out" | jq .samples)
			[ "$n" -ge 200 ] || failed "$f $how: $n samples"
			shares "$T/out" >"$T/got"
			alike_shares "$T/want" "$T/got" "$n" || failed "$f $how, $n samples"
		done
	done
	done_all
}

@test "thin: --max-rate --scale-period of samples without a period: they get the field, all else stays" {
	need perf
	need jq
	{
		echo "attr type=1 config=0 period=4000 sample_type=IP|TID|TIME|ID|CPU flags=sample_id_all|comm ids=11"
		echo "attr type=1 config=2 period=1 sample_type=IP|TID|TIME|ID|CPU|PERIOD flags=sample_id_all ids=21"
		echo "HEADER_FEATURE feat_id=12 u4=1 u4=128 attr=0 u4=1 fs=one u8=11"
		awk 'BEGIN { for (i = 0; i < 400; i++)
			printf "SAMPLE ev=%d id=%d ip=%d pid=1 tid=1 time=%d cpu=0%s\n", i % 4 == 3, i % 4 == 3 ? 21 : 11, i, 1000000 * (i + 1),
			    i % 4 == 3 ? " period=7" : "" }'
		echo "FINISHED_ROUND"
	} >"$T/both.txt"
	mkpipe "$T/both.txt" >"$T/both" || failed "recipe"
	pfilter --max-rate 1000 --scale-period "$T/both" >"$T/out"
	[ "$(count_of one "$T/out")" = "300 $((300 * 4000))" ] || failed "all: $(count_of one "$T/out")"
	pfilter --max-rate 20 --scale-period -U "$T/rest" "$T/both" >"$T/out"
	perf script -f -F event,ip,period -i "$T/both" 2>/dev/null | awk '{ print $2, $3 }' >"$T/want"
	{ perf script -f -F event,ip -i "$T/out"; perf script -f -F event,ip -i "$T/rest"; } 2>/dev/null | awk '{ print $1, $2 }' | sort >"$T/got"
	sort "$T/want" | cmp - "$T/got" || failed "samples"
	[ "$(perf script -f -F period,event -i "$T/rest" 2>/dev/null | awk '{ print $1 }' | sort -n | uniq | tr '\n' ' ')" = "7 4000 " ] ||
	    failed "the rest"
	# without space for it
	{ sed -n '1s/|CPU/&|RAW/p' "$T/both.txt"; echo "SAMPLE ip=1 pid=1 tid=1 time=1 id=11 cpu=0 raw= raw_size=65476 zeros=65476"; } >"$T/full.txt"
	mkpipe "$T/full.txt" >"$T/full"
	try pfilter --max-rate 1000 --scale-period "$T/full"
	[ $rc = 1 ] && one_line "pfilter: $T/full: byte " && grep -q 'cannot hold a period' "$T/err" || failed "no room"
	done_all
}

@test "thin: --scale-period with READ values: they go on counting" {
	need perf
	for o in --every=2 --sample=0.5 --max-rate=1; do
		pfilter $o --scale-period "$(recipe read-group)" >"$T/out"
		perf script -f -i "$T/out" -F event,period 2>/dev/null >"$T/got"
		# of each event: up to the last kept sample nothing is lost
		awk '{ s[$2] += $1; n++ } END { exit !(n && s["cpu-clock:"] <= 5600 && s["task-clock:"] <= 1600) }' "$T/got" ||
		    failed "$o: $(cat "$T/got")"
	done
	f=$(recipe read-group)
	pfilter --every 1 --scale-period "$f" | cmp - "$f"
	# the first one kept counts for all before it
	pfilter --max-samples 1 --every 4 --scale-period "$f" >"$T/out"
	read -r time period < <(perf script -f --ns -i "$T/out" -F time,event,period 2>/dev/null | awk '/cpu-clock/ { print $1, $2 }')
	perf script -f --ns -i "$f" -F time,event,period 2>/dev/null |
	    awk -v t="${time%:}" -v p="$period" '/cpu-clock/ && $1 + 0 <= t + 0 { sum += $2 } END { exit !(sum && sum == p) }' || failed "$time $period"
	done_all
}

@test "thin: --max-samples of each event, --stop" {
	need jq
	many 7000
	pfilter --max-samples 50 "$T/many" >"$T/a"
	[ "$(count_of page-faults "$T/a" | cut -d ' ' -f 1)" = 50 ]
	[ "$(count_of cpu-clock "$T/a" | cut -d ' ' -f 1)" = 50 ]
	pfilter --max-samples 50 --stop "$T/many" >"$T/b"
	[ "$(pstat --json "$T/a" | jq .samples)" = "$(pstat --json "$T/b" | jq .samples)" ]
	[ "$(pstat --json "$T/a" | jq .order.rounds)" = 7 ]
	[ "$(pstat --json "$T/b" | jq .order.rounds)" = 0 ]
	# what is not selected is not waited for
	pfilter -e cpu-clock --max-samples 5 --stop "$T/many" >"$T/b"
	[ "$(pstat --json "$T/b" | jq .samples)" = 5 ]
	# a stream that does not end
	mkfifo "$T/live"
	{ cat "$T/many" || :; exec sleep 100; } >"$T/live" 2>"$T/err" 3>&- &
	timeout 60 pfilter --max-samples 5 --stop <"$T/live" >"$T/b"
	kill $!
	[ "$(pstat --json "$T/b" | jq .samples)" = 10 ]
	pfilter --max-samples 0 "$T/many" >"$T/b"
	[ "$(pstat --json "$T/b" | jq .samples)" = 0 ]
}

@test "thin: one after another: --every, then --sample" {
	many 5000
	pfilter --every 3 "$T/many" | pfilter --sample 0.5 >"$T/a"
	pfilter --sample 0.5 --every 3 "$T/many" | cmp - "$T/a"
	pfilter --tid 100 --every 3 "$T/many" >"$T/a"
	pfilter --tid 100 "$T/many" | pfilter --every 3 | cmp - "$T/a"
}

@test "thin: wrong use" {
	while read -r args; do
		try pfilter $args data/basic.pipe.data
		[ $rc = 2 ] && [ ! -s "$T/out" ] && one_line "pfilter: --" || failed "$args"
	done <<-'END'
		--every 0
		--every -1
		--every x
		--sample 0
		--sample 1.5
		--sample -0.1
		--sample 101%
		--sample nan
		--sample inf
		--sample x
		--seed 1
		--max-rate 0
		--scale-period
		--scale-period --max-samples 1
		--stop
	END
	done_all
}

@test "oracle: perf report's percentages after --sample 0.1 --scale-period, within chance" {
	need record
	perf record -q -a -F 5000 -e cpu-clock -o - -- sh -c 'ls -lR /usr/share/doc >/dev/null; gzip -c /proc/self/exe >/dev/null; sh -c "while [ \${i:-0} -lt 60000 ]; do i=\$((\${i:-0}+1)); done"' \
	    >"$T/rec" 2>/dev/null || skip "perf cannot record here"
	n=$(pfilter --sample 0.1 -n --stats=json "$T/rec" 2>&1 | sed 's/.*"kept":{"records":[0-9]*,"samples":\([0-9]*\).*/\1/')
	[[ $n =~ ^[0-9]+$ ]]
	[ "$n" -gt 100 ] || skip "too few samples: $n"
	shares "$T/rec" >"$T/want"
	[ -s "$T/want" ]
	for seed in 0 1 2; do
		turn 2 || continue
		pfilter --sample 0.1 --seed $seed --scale-period "$T/rec" >"$T/out"
		shares "$T/out" >"$T/got"
		alike_shares "$T/want" "$T/got" "$n" || failed "seed $seed, $n samples"
	done
	done_all
}
