# SPDX-License-Identifier: ISC
# pstat --picture: the cells of each picture have the samples that perf script shows in them.
load lib
load pstat
load perf

# Recordings whose samples have times.
recordings() {
	printf '%s\n' data/{demo,g_fp.pipe,k_mono.pipe,multi.pipe,per_thread.pipe,basic.file,pid2_a.file,p72_forks.pipe,sched_R.file,z1.file,namespaces.pipe}.data
	mkpipe data/read-group.txt >"$T/group.pipe"
	echo "$T/group.pipe"
}

# script FILE: pid tid cpu seconds nanoseconds of each sample; cpu - if it has none.
script() {
	local f=pid,tid,cpu,time
	perf script -f -G -F $f --ns -i "$1" >"$T/script" 2>/dev/null || { f=pid,tid,time; perf script -f -G -F $f --ns -i "$1" >"$T/script" 2>/dev/null || return 1; }
	sed -nE 's|^ *(-?[0-9]+)/(-?[0-9]+) +(\[0*([0-9]+)\])? +([0-9]+)\.([0-9]+): *$|\1 \2 \4- \5 \6|p' "$T/script" |
	    sed -E 's/ ([0-9]+)- / \1 /'
}

# bins WIDTH PART KEY <script: cells "start key count"; those of one start are all within PART of WIDTH.
bins() {
	awk -v w="$1" -v key="$2" '
	key != "all" && $2 == 0 { next }
	{ start = w < 1e9 ? sprintf("%d%09d", $4, int($5 / w) * w) : sprintf("%d000000000", $4 - $4 % (w / 1e9))
	  n[start " " (key == "cpu" ? ($3 == "-" ? "no CPU" : "CPU " $3) : key == "pid" ? $1 : "-")]++ }
	END { for (i in n) { c = n[i]; sub(/^0+/, "", i); print (i ~ /^ / ? "0" : "") i, c } }' | sort
}

# compare FILE...: the cells of all pictures with time.
compare() {
	local f p w
	for f; do
		script "$f" >"$T/samples" && [ -s "$T/samples" ] || continue
		try pstat --json --picture cpu,rate,tasks,subsecond "$f"
		[ $rc = 0 ] || failed "$f: status $rc"
		for p in cpu:cpu rate:all subsecond:busy; do
			w=$(jq --arg p "${p%:*}" '.pictures[] | select(.name == $p) | .width_ns' "$T/out")
			bins "$w" "${p#*:}" <"$T/samples" >"$T/want"
			if [ $p = cpu:cpu ]; then
				jq -r '.cpu[] | "\(.time_ns) \(.band) \(.samples)"' "$T/out"
			else
				jq -r --arg p "${p%:*}" '.[$p] | group_by(.time_ns)[] | "\(.[0].time_ns) - \(map(.samples) | add)"' "$T/out"
			fi | sort >"$T/got"
			cmp -s "$T/want" "$T/got" || failed "$f: $p: $(diff "$T/want" "$T/got" | head -3)"
		done
		# the processes that are shown
		w=$(jq '.pictures[] | select(.name == "tasks") | .width_ns' "$T/out")
		jq -r '.tasks[] | "\(.time_ns) \(.band | split(" ") | last) \(.samples)"' "$T/out" | sort >"$T/got"
		cut -d ' ' -f 2 "$T/got" | sort -u >"$T/pids"
		bins "$w" pid <"$T/samples" >"$T/all"
		awk 'NR == FNR { shown[$1] = 1; next } $2 in shown' "$T/pids" "$T/all" >"$T/want"
		cmp -s "$T/want" "$T/got" || failed "$f: tasks: $(diff "$T/want" "$T/got" | head -3)"
		[ "$(awk '{ n += $3 } END { print n + 0 }' "$T/all")" = "$(jq '.pictures[] | select(.name == "tasks") | .samples' "$T/out")" ] ||
		    failed "$f: samples of tasks"
		echo "$f" >>"$T/done"
	done
}

@test "pstat pictures: each cell has the samples of perf script" {
	need perf
	need jq
	compare $(recordings)
	[ "$(wc -l <"$T/done")" -ge 6 ]
	done_all
}

@test "pstat pictures: each cell has the samples of perf script, over the corpus" {
	need perf
	need jq
	need corpus
	# perf 6.1 counts members of inherited groups otherwise; of streams of the other byte order perf exchanges pid and tid
	compare $(ls "$CORPUS"/own/*.data | grep -v -e group_S -e 's390x.*pipe' | each 40)
	done_all
}

@test "pstat pictures: recordings of the other byte order have the same" {
	need jq
	for f in demo multi.pipe p72_group_S.pipe; do
		pcat --endian=big data/$f.data >"$T/big" 2>"$T/err" || failed "$f: $(cat "$T/err")"
		for k in '' '--sort comm' '--sort cpu'; do
			pstat --json --picture rate,cpu,tasks,subsecond $k data/$f.data | jq -c '[.pictures, .rate, .cpu, .tasks, .subsecond, .strips]' >"$T/want"
			pstat --json --picture rate,cpu,tasks,subsecond $k "$T/big" | jq -c '[.pictures, .rate, .cpu, .tasks, .subsecond, .strips]' >"$T/got"
			cmp -s "$T/want" "$T/got" || failed "$f $k"
		done
	done
	done_all
}

@test "pstat pictures: rows by comm are those of perf script, by the time of the sample" {
	need perf
	need jq
	! perf_forgets || skip "this perf forgets the comm of a thread at its EXIT"
	for f in data/{demo,g_fp.pipe,multi.pipe,namespaces.pipe,sched_R.file}.data; do
		perf script -f -G -F comm,tid,time --ns -i "$f" 2>/dev/null |
		    sed -nE 's|^ *(.*[^ ]) +(-?[0-9]+) +[0-9]+\.[0-9]+: *$|\2 \1|p' >"$T/samples"
		[ -s "$T/samples" ] || continue
		try pstat --json --sort comm --picture rate,tasks "$f"
		[ $rc = 0 ] || failed "$f: status $rc"
		cut -d ' ' -f 2- "$T/samples" | sort | uniq -c | sed 's/^ *//' | sort >"$T/want"
		jq -r '.rate | group_by(.band)[] | "\(map(.samples) | add) \(.[0].band)"' "$T/out" | sort >"$T/got"
		[ "$(awk '{ n += $1 } END { print n }' "$T/want")" = "$(awk '{ n += $1 } END { print n }' "$T/got")" ] || failed "$f: sum of rate"
		grep -v ' other$' "$T/got" | comm -13 "$T/want" - >"$T/more"
		[ ! -s "$T/more" ] || failed "$f: rate: $(head -3 "$T/more")"
		grep -v '^0 ' "$T/samples" | cut -d ' ' -f 2- | sort | uniq -c | sed 's/^ *//' | sort >"$T/want"
		jq -r '.tasks | group_by(.band)[] | "\(map(.samples) | add) \(.[0].band)"' "$T/out" | sort | comm -13 "$T/want" - >"$T/more"
		[ ! -s "$T/more" ] || failed "$f: tasks: $(head -3 "$T/more")"
	done
	done_all
}

# pasted NAME FILE [option...]: what pfilter selects by each <title> of that picture.
pasted() {
	local name=$1 f=$2 n rest title
	shift 2
	pstat --picture "$name" "$@" -o "$T/svg" -f "$f"
	grep -o '<title>[0-9]* sample[^<]* · -[^<]*</title>' "$T/svg" | grep -v ' · other · ' | sed -E 's/<\/?title>//g; s/&#39;|&apos;/'"'"'/g; s/&gt;/>/g; s/&lt;/</g; s/&quot;/"/g; s/&amp;/\&/g' >"$T/titles"
	[ -s "$T/titles" ] || failed "$name $f: no titles"
	awk -v n="$(wc -l <"$T/titles")" 'n <= 6 || NR % int(n / 6) == 0' "$T/titles" >"$T/some"
	while read -r title; do
		n=${title%% *} rest=${title#* · }
		rest=${rest#no CPU · }
		eval "pfilter -q $rest \"\$f\"" </dev/null >"$T/part" 2>/dev/null || { failed "$name $f: pfilter $rest"; continue; }
		[ "$(pstat --json "$T/part" | jq .samples)" = "$n" ] || failed "$name $f: '$title' selects $(pstat --json "$T/part" | jq .samples)"
	done <"$T/some"
}

@test "pstat pictures: the option of a cell selects its samples" {
	need jq
	for f in data/demo.data data/multi.pipe.data; do
		for o in cpu tasks subsecond; do
			! turn 2 || pasted $o "$f"
		done
		! turn 2 || pasted cpu "$f" --cpumode kernel
		! turn 2 || pasted tasks "$f" --sort comm
		! turn 3 || pasted rate "$f" --sort comm --cpumode user
	done
	pasted tasks data/multi.pipe.data --sort event
	pasted tasks data/escape.data --sort comm
	pasted cpu data/multi.pipe.data --event "$(pstat --json data/multi.pipe.data | jq -r '.events | max_by(.samples).name')"
	done_all
}

@test "pstat pictures: all titles of an SVG together have all samples" {
	need jq
	for f in data/{demo,g_fp.pipe,p72_forks.pipe}.data; do
		for p in cpu subsecond rate; do
			want=$(pstat --json --picture $p "$f" | jq ".pictures[0].samples")
			got=$(pstat --picture $p "$f" | grep -o '<title>[0-9]* sample' | tr -dc '0-9\n' | awk '{ n += $1 } END { print n + 0 }')
			[ "$want" = "$got" ] || failed "$f: $p: $got of $want"
		done
	done
	done_all
}

# recipe [FIELDS]: the attr of a recording whose samples have these.
recipe() {
	echo "attr type=1 config=0 period=1 sample_type=IP|TID|${1-TIME|CPU|}PERIOD flags=sample_id_all|comm ids=11"
}

# sums FILE [option...]: the samples of each picture, those of its cells, and exact.
sums() {
	pstat --json --picture rate,cpu,tasks,subsecond "$@" 2>"$T/err" | jq -c '[(.pictures[] | .samples - .hidden_samples), .exact, ([.rate, .cpu, .tasks, .subsecond][] | map(.samples) | add)]'
}

@test "pstat pictures: clocks that jump, many processes and CPUs, no time, no CPU, one sample, none" {
	need jq
	{ recipe; awk 'BEGIN { for (i = 0; i < 3000; i++) printf "SAMPLE ip=1 pid=%d tid=%d time=%d%09d cpu=%d period=1\n", i % 5 + 1, i % 5 + 1, (i > 1500 ? 31536001 : 1) + int(i / 1000), i % 1000 * 1000000, i % 3 }'; } >"$T/jump.txt"
	mkpipe "$T/jump.txt" >"$T/jump"
	[ "$(sums "$T/jump")" = '[3000,3000,3000,3000,true,3000,3000,3000,3000]' ] || failed "jump: $(sums "$T/jump")"
	pstat --json --picture cpu "$T/jump" | jq -r '.pictures[0].width_ns' >"$T/width"
	[ "$(cat "$T/width")" -le 20000000 ] || failed "jump: width $(cat "$T/width")"
	pstat --picture rate,cpu,tasks,subsecond -o "$T/svg" -f "$T/jump"

	{ recipe; awk 'BEGIN { srand(7); for (i = 0; i < 4000; i++) printf "SAMPLE ip=1 pid=%d tid=%d time=%d%09d cpu=%d period=1\n", i % 5 + 1, i % 5 + 1, rand() * 18446744072, rand() * 999999999 + 1, i % 3 }'; } >"$T/random.txt"
	mkpipe "$T/random.txt" >"$T/random"
	pstat --json --picture rate,cpu,tasks,subsecond "$T/random" | jq -c '[([.rate, .cpu, .tasks, .subsecond][] | map(.samples) | add)]' >"$T/out"
	[ "$(cat "$T/out")" = '[4000,4000,4000,4000]' ] || failed "random: $(cat "$T/out")"
	[ "$(pstat --json --picture rate "$T/random" | jq '[.rate[].time_ns] | unique | length')" -le 1000 ] || failed "random: columns"

	# 20,000 processes of one sample, and some that have many; 4,096 CPUs
	{ recipe; awk 'BEGIN { for (i = 0; i < 24000; i++) { p = i % 6 ? 1000 + i : i % 7 + 1; printf "SAMPLE ip=1 pid=%d tid=%d time=%d%09d cpu=%d period=1\n", p, p, 1 + int(i / 1000), i % 1000 * 1000000, i % 4096 } }'; } >"$T/many.txt"
	mkpipe "$T/many.txt" >"$T/many"
	pstat --json --picture rate,cpu,tasks,subsecond "$T/many" >"$T/out"
	[ "$(jq -c '[([.rate, .cpu, .subsecond][] | map(.samples) | add), (.tasks | map(.samples) | add) + .pictures[2].hidden_samples]' "$T/out")" = '[24000,24000,24000,24000]' ] ||
	    failed "many"
	[ "$(jq '[.cpu[].band] | unique | length' "$T/out")" -le 200 ] || failed "many: $(jq '[.cpu[].band] | unique | length' "$T/out") CPUs"
	jq -r '.tasks | group_by(.band)[] | "\(map(.samples) | add) \(.[0].band)"' "$T/out" | sort -n | tail -7 | awk '$2 < 8 { n += $1 } END { if (n != 4000) exit 1 }' || failed "many: the processes with most samples"
	[ "$(pstat --json --time-quantum 20m --picture cpu "$T/many" | jq '.cpu | map(.time_ns) | unique | length')" = 1 ] || failed "many: 20m"
	try pstat --json --time-quantum 1ms --picture cpu "$T/many"
	[ $rc = 2 ] && grep -q 'more than 4095 bins' "$T/err" || failed "many: 1ms: $rc"

	{ recipe 'CPU|'; echo 'SAMPLE ip=1 pid=1 tid=1 cpu=1 period=1'; } >"$T/notime.txt"
	mkpipe "$T/notime.txt" >"$T/notime"
	[ "$(sums "$T/notime")" = '[0,0,0,0,true,null,null,null,null]' ] || failed "no time: $(sums "$T/notime")"
	pstat --json --picture cpu "$T/notime" | jq -r '.pictures[0].desc' | grep -q 'no sample has a time' || failed "no time: desc"
	{ recipe 'TIME|'; echo 'SAMPLE ip=1 pid=1 tid=1 time=5 period=1'; } >"$T/nocpu.txt"
	mkpipe "$T/nocpu.txt" >"$T/nocpu"
	[ "$(sums "$T/nocpu")" = '[1,1,1,1,true,1,1,1,1]' ] || failed "no CPU: $(sums "$T/nocpu")"
	recipe >"$T/none.txt"
	mkpipe "$T/none.txt" >"$T/none"
	[ "$(sums "$T/none")" = '[0,0,0,0,true,null,null,null,null]' ] || failed "none: $(sums "$T/none")"
	for f in jump random many notime nocpu none; do
		pstat --term --picture rate,cpu,tasks,subsecond "$T/$f" >/dev/null || failed "$f: text"
	done
	done_all
}

@test "pstat pictures: losses are in the bins of their records, each once" {
	need jq
	{ recipe; cat <<-'X'; } >"$T/lost.txt"
	SAMPLE ip=1 pid=1 tid=1 time=1000000000 cpu=1 period=1
	LOST id=11 lost=7 @ pid=1 tid=1 time=1500000000 cpu=1
	THROTTLE time=1600000000 id=11 stream_id=11 @ pid=1 tid=1 time=1600000000 cpu=1
	SAMPLE ip=1 pid=1 tid=1 time=2000000000 cpu=1 period=1
	X
	mkpipe "$T/lost.txt" >"$T/lost" || skip "recipe"
	pstat --json --picture cpu --time-quantum 100ms "$T/lost" | jq -c '[.strips[] | [.time_ns, .lost, .throttled]]' >"$T/out"
	[ "$(cat "$T/out")" = '[[1500000000,7,0],[1600000000,0,1]]' ] || failed "LOST: $(cat "$T/out")"
	# LOST_SAMPLES say the same losses
	sed 's/^LOST .*/&\nLOST_SAMPLES lost=5 @ pid=1 tid=1 time=1700000000 cpu=1/' "$T/lost.txt" >"$T/both.txt"
	mkpipe "$T/both.txt" >"$T/both"
	[ "$(pstat --json --picture cpu "$T/both" | jq '[.strips[].lost] | add')" = 5 ] || failed "both"
	[ "$(pstat --json --picture cpu "$T/both" | jq '[.events[].losses] | add')" = 5 ] || failed "both: events"
	done_all
}

@test "pstat pictures: --event takes the names that pfilter takes" {
	f=data/sched.pipe.data
	shown() { pstat --picture rate --term -e "$1" $f | sed 2,3d; }	# they have the name
	shown sched:sched_switch >"$T/want"
	[ -s "$T/want" ]
	for name in sched_switch sched_switch:p 'sched_swit?h'; do
		shown "$name" | diff "$T/want" - || failed "$name"
	done
	for name in sched_swich nosuch; do
		try pstat --picture rate -e $name $f
		[ $rc = 2 ] && [ ! -s "$T/out" ] && one_line "pstat: --event '$name': no such event; " || failed "$name"
	done
	try pstat --picture rate -e sched_switch,nosuch $f
	[ $rc = 2 ] || failed "one of two"
	done_all
}

@test "pstat pictures: wrong use is refused" {
	refuses() {
		local want=$1
		shift
		try pstat "$@" data/demo.data
		[ $rc = 2 ] && grep -q -- "$want" "$T/err" && [ ! -s "$T/out" ] || failed "$*: $rc $(cat "$T/err")"
	}
	refuses 'expected rate' --picture nonsense
	refuses 'given twice' --picture cpu,cpu
	refuses 'expected period' --picture hist:nonsense
	refuses 'needs --picture' --term
	refuses 'needs --picture' --event cycles
	refuses 'expected one of light, dark' --picture cpu --theme blue
	refuses 'expected one of linear' --picture cpu --scale none
	refuses 'expected kernel' --picture cpu --cpumode nonsense
	refuses 'expected 1, 5' --picture cpu --time-quantum 3ms
	refuses 'an SVG has nothing else' --picture cpu --check
	refuses 'have time already' --picture rate --sort time
	refuses 'cannot be combined with --json, which draws nothing' --picture cpu --json --theme dark
	done_all
}

# On a logarithmic axis, values of which each doubling has as many have bars of one height, though buckets differ in width.
@test "pstat pictures: pstat(1) has each word" {
	run pstat --picture no data/demo.data
	words=${output##*expected } words=${words//:FIELD/:}
	[ "$(wc -w <<<"$words")" -gt 7 ] || failed "words: $output"
	for word in ${words//,/ }; do
		[ "$word" = or ] || grep -qF ".It Cm $word" ../man/pstat.1 || failed "$word"
	done
	done_all
}

@test "pstat --picture hist: a bar is as high as its count for each doubling of the value" {
	{
		echo "attr type=1 config=0 period=1 sample_type=IP|TID|TIME|CPU|PERIOD ids=1"
		awk 'BEGIN { for (i = 0; i < 4000; i++) printf "SAMPLE ip=1 pid=1 tid=1 cpu=0 time=%d period=%d\n", i + 1, 1000 * 2 ^ (i / 800) }'
	} | mkpipe - >"$T/in"
	pstat --picture hist:period -o "$T/svg" "$T/in" || failed "status"
	grep -q 'count for each doubling of the value' "$T/svg" || failed "axis"
	# without the first and the last bucket, of which the values fill a part
	sed -nE 's|.*width="[0-9.]*" height="([0-9.]*)" class="c5"><title>([0-9,]+) of .*|\1 \2|p' "$T/svg" | sed '1d;$d' >"$T/bars"
	[ "$(wc -l <"$T/bars")" -gt 70 ] || failed "$(wc -l <"$T/bars") bars"
	awk '{ if (!lo || $1 < lo) lo = $1; if ($1 > hi) hi = $1; if (!a || $2 < a) a = $2; if ($2 > b) b = $2 }
	END { exit !(b > 1.8 * a && hi < 1.15 * lo) }' "$T/bars" || failed "heights: $(sort -n "$T/bars" | sed -n '1p;$p')"
	# as text: each line is a part of a power of two
	COLUMNS=200 LC_ALL=C pstat --term --picture hist:period "$T/in" >"$T/text"
	grep -q 'for each doubling' "$T/text" || failed "text: axis"
	sed -nE 's/^ *[0-9.]+k? (#+) +([0-9]+) .*/\1 \2/p' "$T/text" | sed '1d;$d' |
	    awk '{ n = length($1); if (!lo || n < lo) lo = n; if (n > hi) hi = n; if (!a || $2 < a) a = $2; if ($2 > b) b = $2 }
	END { exit !(NR > 8 && b > 1.3 * a && hi < 1.1 * lo) }' || failed "text: $(cat "$T/text")"
	# lines of one value each are as wide as each other: a bar is its count
	{
		echo "attr type=1 config=0 period=1 sample_type=IP|TID|TIME|CPU|PERIOD ids=1"
		awk 'BEGIN { for (i = 0; i < 200; i++) printf "SAMPLE ip=1 pid=1 tid=1 cpu=0 time=%d period=%d\n", i + 1, 12 + i % 10 }'
	} | mkpipe - >"$T/in"
	COLUMNS=200 LC_ALL=C pstat --term --picture hist:period "$T/in" >"$T/text"
	run grep -q doubling "$T/text"
	[ $status = 1 ] && [ "$(grep -oE '#+ +20 ' "$T/text" | uniq | wc -l)" = 1 ] || failed "one value: $(cat "$T/text")"
	done_all
}

@test "pstat --picture hist:FIELD: --event and --cpumode choose samples as pfilter does" {
	local event="--event cpu-clock" mode="--filter cpumode==user" f c ev
	{
		echo "attr type=1 config=0 period=1 sample_type=IP|TID|TIME|CPU|PERIOD|IDENTIFIER ids=1"
		echo "attr type=1 config=1 period=1 sample_type=IP|TID|TIME|CPU|PERIOD|IDENTIFIER ids=2"
		for ((i = 1; i <= 60; i++)); do
			echo "SAMPLE misc=$((i % 3 ? 2 : 1)) identifier=1 ip=1 pid=1 tid=1 cpu=0 time=$((i * 100)) period=1000"
			((i % 6)) || echo "SAMPLE misc=$((i % 4 ? 2 : 1)) identifier=2 ip=1 pid=1 tid=1 cpu=0 time=$((i * 1000 + 7)) period=70"
		done
	} | mkpipe - >"$T/in"
	for f in period gap interval period:p size; do
		for c in "$event" "$mode"; do
			ev=${c/--filter cpumode==/--cpumode }
			pfilter $c "$T/in" | LC_ALL=C pstat --term=ascii --picture "hist:$f" - | sed 2d >"$T/want"
			LC_ALL=C pstat --term=ascii --picture "hist:$f" $ev "$T/in" >"$T/all" || failed "$f $ev: status"
			sed 2d "$T/all" >"$T/got"
			diff "$T/want" "$T/got" || failed "$f $ev"
			[ "$(wc -l <"$T/got")" -gt 2 ] || failed "$f $ev: empty"
		done
	done
	grep -q 'samples, cpumode user' "$T/all" || failed "what it shows is not said"
	LC_ALL=C pstat --term=ascii --picture hist:disorder "$T/in" >"$T/want"
	LC_ALL=C pstat --term=ascii --picture hist:disorder $event "$T/in" | diff "$T/want" - || failed "disorder: of all records, and says so"
	run pstat --picture hist:period --event nonsense "$T/in"
	[ $status != 0 ] || failed "an event that is not there"
	done_all
}
