# SPDX-License-Identifier: ISC
# pfilter --span-period: the length of a span as the period of a sample; measure.py works the same out with all records at hand.
load lib
load oracle
load window

# measured OPTION...: what pfilter makes of the recipe $T/in.txt, a line "TIME PID/TID PERIOD" for each sample; in both byte orders
measured() {
	local order got
	for order in "" -b; do
		mkpipe $order "$T/in.txt" >"$T/in$order"
		try pfilter -v "$@" -o "$T/out$order.pipe" -f "$T/in$order"
		[ $rc = 0 ] || return 1
		got=$(pcat --format=jsonl --types=SAMPLE "$T/out$order.pipe" | jq -r '"\(.time) \(.pid)/\(.tid) \(.period)"' | paste -sd,)
		[ -z "$order" ] || [ "$got" = "$(cat "$T/got")" ] || echo "-b: $got"
		echo "$got" >"$T/got"
	done
	cat "$T/got"
}
becomes() {
	local want=$1 got
	shift
	got=$(measured "$@")
	[ "$got" = "$want" ] || failed "$*: $got, expected $want"
}
SPAN='ip==1;ip==2;tid'

@test "span period: a model with all records at hand writes the same, of streams in as much disorder as rounds allow" {
	need python3
	local seed years
	for seed in 1 2 3 4 5 6; do
		turn 2 || continue
		years=$([ $((seed % 3)) != 0 ] || echo --years)
		python3 window.py --tasks $years --make $seed 900 >"$T/made.txt"
		mkpipe $([ $seed -le 4 ] || echo -b) "$T/made.txt" >"$T/made"
		python3 measure.py -n $((ALL ? 30 : 10)) -s $seed $years "$T/made" || failed "seed $seed"
	done
	# in order, and without rounds
	psort --full "$T/made" | pfilter --drop-type FINISHED_ROUND --allow vital-types >"$T/sorted"
	python3 measure.py -n 5 -s 7 "$T/sorted" || failed "sorted"
	done_all
}

@test "span period: the same of a sorted recording, a file, and read byte by byte; of parts but for spans across a cut" {
	need python3
	local in o f kept sum=0 lost
	in=$(made 14 2500)
	for o in "" "--span-end --longer-than 50ns" "--span-sure --shorter-than 1us"; do
		set -- --span 'event == "begin"; event == "end"; tid' --span-period $o
		pfilter "$@" "$in" >"$T/whole"
		python3 window.py --list "$T/whole" >"$T/want"
		[ "$(wc -l <"$T/want")" -gt 100 ] || failed "$o: $(wc -l <"$T/want")"
		psort --full "$in" | pfilter "$@" >"$T/sorted"
		pfilter "$@" --format=file -f -o "$T/file" "$in"
		pcat "$T/file" >"$T/unfiled"
		for f in sorted unfiled; do
			python3 window.py --list "$T/$f" | diff "$T/want" - >"$T/diff" || failed "$o $f: $(head -n 3 "$T/diff")"
		done
		try with_fault read:short,pread:short pfilter "$@" "$in"
		[ $rc = 0 ] && cmp "$T/out" "$T/whole" || failed "$o: byte by byte"
	done
	set -- --span 'event == "begin"; event == "end"; tid' --span-period
	rm -rf "$T/part"
	mkdir "$T/part"
	pcat --switch-output=4us --output-template="$T/part/%n" "$in"
	psort --full "$in" >"$T/sorted"
	pfilter -n --stats=json "$@" "$T/sorted" 2>"$T/stats"
	for f in "$T"/part/*; do
		pfilter --stats=json "$@" -o "$f.spans" "$f" 2>>"$T/parts"
	done
	psort --merge "$T"/part/*.spans >"$T/merged"
	pfilter "$@" "$in" >"$T/whole"
	python3 window.py --list "$T/whole" >"$T/want"
	python3 window.py --list "$T/merged" >"$T/got"
	kept=$(jq -s 'map(.spans[0].kept) | add' "$T/parts")
	[ "$(wc -l <"$T/got")" = "$kept" ] && [ -z "$(comm -13 "$T/want" "$T/got")" ] || failed "parts: $kept"
	# a span across a cut is open in one part, and has no begin in a later one
	lost=$(($(wc -l <"$T/want") - kept))
	[ $lost -gt 0 ] && [ "$(jq -s "map(.spans[0].unended) | add >= $lost" "$T/parts")" = true ] &&
	    [ "$(jq -s "map(.spans[0].unbegun) | add >= $lost" "$T/parts")" = true ] || failed "$lost are lost"
	done_all
}

@test "span period: pieces together have what the whole has, but for spans that may reach beyond one, which are counted" {
	need python3
	need jq
	local in o n k want=0 lost cut spans
	n=4
	spans=('event == "begin"; event == "end"; tid' 'event == "begin"; event == "end"; tid; event == "tick"' 'event == "begin"; event == "end"; tid, cpu;' \
	    'event == "tick"; event == "tick"; cpu')
	for seed in 14 15 16; do turn 2 || continue
		in=$(made $seed 2500)
		psort --full "$in" >"$T/sorted.$seed"
		mkpipe -b "$T/made.$seed.txt" >"$T/big.$seed"
		pfilter --drop-type FINISHED_ROUND --allow vital-types "$T/sorted.$seed" >"$T/plain.$seed"
		for in in "$in" "$T/sorted.$seed" "$T/big.$seed" "$T/plain.$seed"; do
			for o in "${spans[@]}"; do
				turn 3 || continue
				for more in "" --span-end --span-with=all; do
					[ "$more" != --span-with=all ] || [[ $o != *tick* ]] || continue
					rm -f "$T"/piece.* "$T/stats"
					[ "$more" != --span-with=all ] || more="--span-with all --exclude-event end,begin"
					pfilter -q --span "$o" --span-period ${more%% --exclude*} "$in" >"$T/whole" 2>/dev/null || continue
					for ((k = 1; k <= n; k++)); do
						pfilter -q --stats=json --piece $k/$n --span "$o" --span-period ${more%% --exclude*} -o "$T/piece.$k" "$in" 2>>"$T/stats" || failed "$in $o: $k"
					done
					psort --merge "$T"/piece.* >"$T/merged"
					python3 window.py --list "$T/whole" >"$T/want"
					python3 window.py --list "$T/merged" >"$T/got"
					# none that the whole has not; those that it lacks are counted
					[ -z "$(comm -13 "$T/want" "$T/got")" ] || failed "$in $o $more: $(comm -13 "$T/want" "$T/got" | head -n 3 | paste -sd' ')"
					lost=$(($(pfilter -q -n --stats=json --span "$o" --span-period ${more%% --exclude*} "$in" 2>&1 | jq '.spans[0].kept') - $(jq -s 'map(.spans[0].kept) | add' "$T/stats")))
					cut=$(jq -s 'map(.spans[0] | .cut + .unended) | add' "$T/stats")
					[ $lost -ge 0 ] && [ $cut -ge $lost ] || failed "$in $o $more: $lost lost, $cut are cut"
					want=$((want + $(wc -l <"$T/got")))
				done
			done
		done
	done
	[ $want -gt 500 ] || failed "$want"
	try pfilter --piece 2/3 --span "${spans[0]}" --span-period "$T/sorted.14"
	[ $rc = 0 ] && grep -Eq "^pfilter: warning: [0-9]+ spans may reach beyond the piece, and are not measured" "$T/err" || failed "not said: $(cat "$T/err")"
	# of one piece nothing is cut
	pfilter --piece 1/1 --span "${spans[0]}" --span-period "$T/sorted.14" | cmp - <(pfilter --span "${spans[0]}" --span-period "$T/sorted.14") || failed 1/1
	done_all
}

@test "span period: PERIOD, pid and tid, what belongs to another task" {
	local a="attr type=1 config=0 period=77 sample_type=IDENTIFIER|IP|TID|TIME|CPU"
	need jq
	one() { printf '%s\n' "SAMPLE ip=1 pid=5 tid=6 time=100$1" "SAMPLE ip=3 pid=5 tid=6 time=150$1" "SAMPLE ip=2 pid=5 tid=6 time=230$1" \
	    "SAMPLE ip=1 pid=5 tid=6 time=300$1" "SAMPLE ip=3 pid=7 tid=7 time=390$1"; }
	# the field is there, or is put in
	{ echo "$a|PERIOD flags=sample_id_all ids=11"; one " id=11 period=9"; } >"$T/in.txt"
	becomes "100 5/6 130" --span "$SPAN" --span-period
	becomes "100 5/6 130,300 5/6 90" --span "$SPAN" --span-period --span-open
	becomes "300 5/6 90" --span "$SPAN" --span-period --span-open --filter 'time>250'
	becomes "230 5/6 130" --span "$SPAN" --span-period --span-end
	becomes "100 5/6 130" --span "$SPAN" --span-period --longer-than 129ns
	becomes "" --span "$SPAN" --span-period --longer-than 130ns
	becomes "" --span "$SPAN" --span-period --shorter-than 130ns
	becomes "300 5/6 90" --span "$SPAN" --span-period --span-open --longer-than 89ns --max-samples 1 --filter 'time>250'
	{ echo "$a flags=sample_id_all ids=11"; one " id=11"; } >"$T/in.txt"
	becomes "100 5/6 130" --span "$SPAN" --span-period
	grep -qF "spans: 2 begun, 1 kept, 1 unended, 0 replaced, 0 unbegun, 0 uncertain, 0 forgotten, 0 exited" "$T/err" || failed counts
	pcat --format=jsonl "$T/out.pipe" | jq -r 'select(.type != "SAMPLE") | "\(.type) \(.sample_type) \(.sample_period) \(.update_type) \(.unit)"' \
	    >"$T/head"
	printf '%s\n' "HEADER_ATTR 0x10187 77 null null" "EVENT_UPDATE null null 0 ns" | diff - "$T/head" || failed "attr, unit"
	# the rest gets the field, with the period of the attr, and no unit
	pfilter --span "$SPAN" --span-period -o /dev/null -U "$T/rest" "$T/in"
	[ "$(pcat --format=jsonl "$T/rest" | jq -r '"\(.time) \(.period) \(.unit)"' | paste -sd,)" = \
	    "null null null,150 77 null,230 77 null,300 77 null,390 77 null" ] || failed rest
	# only one event has the field; between both ends of a span of one are samples of the other, whose periods stay
	{ echo "$a flags=sample_id_all ids=11"; echo "$a|PERIOD flags=sample_id_all ids=21"
	  one " id=11" | sed '/ip=[23]/ { s/$/ ev=1 period=9/; s/id=11/id=21/; }'; } >"$T/in.txt"
	becomes "100 5/6 130,150 5/6 9,230 5/6 9" --span "$SPAN" --span-period --span-with same
	[ "$(pcat --format=jsonl --types=EVENT_UPDATE "$T/out.pipe" | jq -r .id)" = 11 ] || failed "units of other events"
	# of the task that the sample was taken in nothing changes
	{
		echo "attr type=1 config=0 period=1 sample_type=IDENTIFIER|IP|TID|TIME|CALLCHAIN|RAW|WEIGHT flags=sample_id_all ids=11"
		echo "SAMPLE ip=1 pid=5 tid=6 time=100 id=11 chain=1,2,3 raw=29000000 weight=3"
		echo "SAMPLE ip=2 pid=5 tid=6 time=120 id=11 chain=4 raw=29000000 weight=4"
	} >"$T/in.txt"
	becomes "100 5/6 20" --span 'ip==1;ip==2;raw.u16[0]' --span-period
	pfilter --span "$SPAN" --span-period --span-task "$T/in" | cmp - "$T/out.pipe" || failed "its own task"
	done_all
}

@test "span period: --span-task: the sample becomes one of the thread that KEY is" {
	local f p
	need record
	need jq
	perf record -q -a --call-graph dwarf,512 -m 2048 -e sched:sched_waking,sched:sched_wakeup_new,sched:sched_switch -o "$T/sched" -- \
	    bash -c 'for i in 1 2 3 4 5; do sleep 0.01; done; (sleep 0.01)' >/dev/null 2>&1 </dev/null || skip "perf cannot record tracepoints here"
	shown() {
		pfilter "$@" "$T/sched" | pcat --format=jsonl --types=SAMPLE | jq -c 'select(.event | test("waking|wakeup"))'
	}
	shown --span wakeup --span-period >"$T/as-it-was"
	shown -v --span wakeup --span-period --span-task >"$T/woken" 2>"$T/err"
	[ -s "$T/woken" ] || skip "nothing woke up"
	# the same samples with the same lengths, some of them of other threads: those have no stack of theirs
	for f in as-it-was woken; do
		jq -c '[.time, .cpu, .period, .event, .raw]' "$T/$f" >"$T/$f.same"
	done
	cmp "$T/as-it-was.same" "$T/woken.same" || failed "other samples"
	paste -d'\n' "$T/as-it-was" "$T/woken" | jq -cs '[range(0; length; 2) as $i | [.[$i], .[$i + 1]]] | map(if .[0].tid == .[1].tid then .[0] == .[1]
	    else (.[1].callchain | length) == 0 and (.[0].callchain | length) > 0 and (.[1].stack_user // {} | (.data // "") | length) == 0 end) | unique' >"$T/unlike"
	[ "$(cat "$T/unlike")" = "[true]" ] || failed "what stays: $(cat "$T/unlike")"
	grep -q "warning: --span-task: [0-9]* samples were taken in another task than their span is of" "$T/err" || failed "not said"
	# perf names them as the payload does, but for one that took its name later; of workers perf knows more than the payload.  No name have
	# those that the recording does not name, as the threads of a process whose maps perf record could not read, and with perf since 6.9
	# those behind their EXIT.
	psort --full "$T/sched" | pcat --format=jsonl --types=COMM,FORK,EXIT | jq -r '"\(.type)|\(.tid)|\(.ptid)|\(.time)"' >"$T/tasks"
	for p in $PERFS; do
		for f in "" --sideband=needed; do
			pfilter --span wakeup --span-period --span-task $f "$T/sched" | $p script -i - --ns -F comm,tid,time,event,trace 2>/dev/null |
			    sed -n 's/^ *\(.*[^ ]\)  *\([0-9][0-9]*\)  *\([0-9]*\)\.\([0-9]*\): *sched:sched_wak[a-z_]*: *comm=\(.*\) pid=\([0-9]*\) .*/\1|\2|\5|\6|\3\4/p' >"$T/names$f"
		done
		[ -s "$T/names" ] || failed "$p script"
		cmp "$T/names" "$T/names--sideband=needed" || failed "$p: other names with --sideband=needed"
		! awk -F'|' '$2 != $4' "$T/names" | grep . || failed "$p: other threads"
		awk -F'|' 'NR == FNR { if ($1 == "COMM" || ($1 == "FORK" && $3 in named)) named[$2]; if ($1 == "EXIT") ended[$2] = $4; next }
		    index($1, $3) != 1 && !($1 == ":" $2 && (!($2 in named) || ($2 in ended && $5 + 0 > ended[$2] + 0)))' "$T/tasks" "$T/names" >"$T/unlike"
		[ "$(wc -l <"$T/unlike")" -le 3 ] || failed "$p: $(head -n 4 "$T/unlike")"
	done
	done_all
}

@test "span period: a thread that ends ends its span, and so does another one with its number" {
	need jq
	local how
	for how in EXIT FORK; do
		{
			echo "attr type=1 config=0 period=1 sample_type=IDENTIFIER|IP|TID|TIME|CPU flags=sample_id_all ids=11"
			echo "SAMPLE ip=1 pid=5 tid=6 time=100 id=11"
			echo "$how pid=5 ppid=1 tid=6 ptid=1 time=150 @ pid=5 tid=6 time=150 id=11"
			echo "SAMPLE ip=2 pid=5 tid=6 time=200 id=11"
			echo "SAMPLE ip=1 pid=5 tid=6 time=300 id=11"
			echo "$how pid=5 ppid=1 tid=7 ptid=1 time=350 @ pid=5 tid=7 time=350 id=11"
			echo "SAMPLE ip=2 pid=5 tid=6 time=400 id=11"
		} >"$T/in.txt"
		becomes "300 5/6 100" --span "$SPAN" --span-period
		grep -q "2 begun, 1 kept, 0 unended, 0 replaced, 1 unbegun, 0 uncertain, 0 forgotten, 1 exited" "$T/err" || failed "$how: counts"
		# a KEY that is no thread is not closed by one
		becomes "100 5/6 100,300 5/6 100" --span "ip==1;ip==2;pid" --span-period --longer-than 99ns
		[ "$(pfilter --span "$SPAN" --longer-than 99ns -q -n --stats=json "$T/in" 2>&1 >/dev/null | jq -c '[.spans[0] | .kept, .exited]')" = "[1,1]" ] ||
		    failed "$how: without --span-period"
	done
	done_all
}

@test "span period: a live stream flows until the oldest span that is open, or as --shorter-than lets it" {
	local i
	need jq
	echo "attr type=1 config=0 period=1 sample_type=IDENTIFIER|IP|TID|TIME|CPU flags=sample_id_all ids=11" >"$T/head.txt"
	# tid 1 is open from 100 to the end; thread 2 has a span each 10 ns
	{ cat "$T/head.txt"; echo "SAMPLE ip=1 pid=1 tid=1 time=1000 id=11"
	  for ((i = 20; i < 400; i += 2)); do
		printf '%s\n' "SAMPLE ip=1 pid=2 tid=2 time=${i}00 id=11" "SAMPLE ip=2 pid=2 tid=2 time=$((i + 1))00 id=11" FINISHED_ROUND
	  done; } >"$T/first.txt"
	{ cat "$T/first.txt"; echo "SAMPLE ip=2 pid=1 tid=1 time=50000 id=11"; } >"$T/all.txt"
	mkpipe "$T/first.txt" >"$T/first"
	mkpipe "$T/all.txt" >"$T/all"
	count() { pcat -q --format=jsonl --types=SAMPLE "$T/out" 2>/dev/null | wc -l; }
	# flows N OPTION...: that many samples are out before the end
	flows() {
		local n=$1 pid fd
		shift
		rm -f "$T/fifo"
		mkfifo "$T/fifo"
		pfilter --span "$SPAN" --span-period "$@" <"$T/fifo" >"$T/out" 2>"$T/err" &
		pid=$!
		exec {fd}>"$T/fifo"
		cat "$T/first" >&$fd
		await eval '[ "$(count)" -ge '"$n"' ]' || failed "$*: $(count) samples are out, not $n"
		sleep 0.05
		[ "$n" != 0 ] || [ "$(count)" = 0 ] || failed "$*: $(count) are out"
		tail -c +$(($(stat -c %s "$T/first") + 1)) "$T/all" >&$fd
		exec {fd}>&-
		wait $pid
		pfilter --span "$SPAN" --span-period "$@" "$T/all" | cmp - "$T/out" || failed "$*: live is not as the file"
	}
	flows 0
	flows 180 --span-end
	flows 100 --shorter-than 10us
	done_all
}

@test "span period: what waits for a span that is open for long is the samples of spans that are kept, and little of others" {
	need native
	! sanitized || skip "memory is measured"
	{
		echo "attr type=1 config=0 period=1 sample_type=IDENTIFIER|IP|TID|TIME|CPU|PERIOD flags=sample_id_all ids=11"
		awk 'BEGIN { print "SAMPLE ip=1 pid=1 tid=1 time=100"
			for (i = 1; i <= 60000; i++) {
				print "SAMPLE ip=1 pid=2 tid=" 2 + i % 7 " time=" 1000 * i
				print "SAMPLE ip=2 pid=2 tid=" 2 + i % 7 " time=" 1000 * i + (i % 1000 ? 10 : 500)
				if (i % 10 == 0)
					print "FINISHED_ROUND" }
			print "SAMPLE ip=2 pid=1 tid=1 time=99000000" }'
	} >"$T/long.txt"
	mkpipe "$T/long.txt" >"$T/long"
	set -- --span "$SPAN" --span-period --longer-than 100ns
	pfilter "$@" -S 1G -o "$T/want" "$T/long"
	[ "$(pcat --format=jsonl --types=SAMPLE "$T/want" | wc -l)" = 61 ] || failed "the whole"
	# all records with their bytes would be 12 MiB
	try pfilter "$@" -S 8M "$T/long"
	[ $rc = 0 ] && cmp "$T/out" "$T/want" || failed "-S 8M"
	try pfilter "$@" -S 8M -U "$T/rest" -f "$T/long"
	[ $rc = 1 ] && grep -q "warning: 1 spans were given up while they were open, and are not measured" "$T/err" || failed "-U"
	pcat --format=jsonl --types=SAMPLE "$T/out" >"$T/json"
	[ "$(wc -l <"$T/json")" = 60 ] || failed "without the open one: $(wc -l <"$T/json")"
	done_all
}

@test "span period: perf reads it, with the sums of brute force" {
	need record
	need python3
	local p f want
	perf record -q -a -g -m 2048 -e sched:sched_switch -o "$T/sched" -- bash -c 'for i in 1 2 3 4 5; do sleep 0.01; done' >/dev/null 2>&1 </dev/null ||
	    skip "perf cannot record tracepoints here"
	pfilter --span offcpu --span-period -o "$T/stream" "$T/sched"
	pfilter --span offcpu --span-period --format=file -o "$T/file" "$T/sched"
	perf script -f -i "$T/sched" -F tid,cpu,time,event,trace --ns </dev/null 2>/dev/null | grep -a sched: >"$T/text"
	want=$(python3 span.py --lengths offcpu <"$T/text" | awk '{ n += $1 } END { printf "%.0f", n }')
	[ "$want" -gt 0 ] || skip "nothing happened"
	for p in $PERFS; do
		for f in stream file; do
			[ "$($p script -f -F period,event -i "$T/$f" </dev/null 2>/dev/null | awk '/sched:/ { n += $1 } END { printf "%.0f", n }')" = "$want" ] ||
			    failed "$p script $f"
			$p report -f --stdio --no-children -g none -s comm -F period,comm -i "$T/$f" </dev/null 2>"$T/err" | awk '/^ *[0-9]/ { n += $1 } END { printf "%.0f", n }' >"$T/sum"
			[ "$(cat "$T/sum")" = "$want" ] && ! grep -qi "error\|fail\|unknown" "$T/err" || failed "$p report $f: $(cat "$T/sum"), expected $want"
		done
	done
	# what adds up periods here: folded stacks, a flame graph, a profile
	mkdir -p "$T/none"
	[ "$(pstat -q --symbols "$T/none" --folded --weight period "$T/stream" | awk '{ n += $NF } END { printf "%.0f", n }')" = "$want" ] || failed folded
	[ "$(pstat -q --picture flame --weight period --json "$T/stream" | jq '.flame[0].total')" = "$want" ] || failed flame
	pstat -q --picture flame --weight period -f -o "$T/flame.svg" "$T/stream"
	grep -q "width: length of spans" "$T/flame.svg" && grep -q "<title>all · [0-9,]* ns ·" "$T/flame.svg" || failed "flame: unit"
	pcat --format=pprof -f -o "$T/pb" "$T/stream"
	python3 pprof.py sums "$T/pb" | grep -qxF "sched:sched_switch nanoseconds $want" || failed "pprof: $(python3 pprof.py sums "$T/pb")"
	done_all
}

@test "span period: errors and reasons" {
	local span more text
	{ echo "attr type=1 config=0 period=1 sample_type=IDENTIFIER|IP|TID|TIME|CPU flags=sample_id_all ids=11"
	  printf '%s\n' "SAMPLE ip=1 pid=1 tid=1 time=100 id=11" "SAMPLE ip=2 pid=1 tid=1 time=200 id=11"; } >"$T/in.txt"
	mkpipe "$T/in.txt" >"$T/in"
	while IFS='|' read -r more text; do
		try pfilter $more "$T/in"
		[ $rc = 2 ] && ! [ -s "$T/out" ] && grep -qF -- "$text" "$T/err" || failed "$more"
	done <<-'END'
		--span-period|--span-period: needs --span
		--span ip==1;ip==2;tid --longer-than 1 --span-end|--span-end: needs --span-period
		--span ip==1;ip==2;tid --longer-than 1 --span-sure|--span-sure: needs --span-period
		--span ip==1;ip==2;tid --span-period --span-open --span-end|--span-open: cannot be combined with --span-end
		--span ip==1;ip==2;tid --span-period --every 2 --scale-period|cannot be combined with --scale-period; scale the lengths by another pfilter
		--span ip==1;ip==2;cpu --span-period --span-task|--span-task: KEY of a --span is the number of no thread
		--span ip==1;ip==2;tid --longer-than 1 --piece 1/2|--piece: cannot be combined with --span without --span-period
		--span ip==1;ip==2;tid --span-period --span-open --piece 1/2|--piece: cannot be combined with --span-open
		--span ip==1;ip==2;tid --span-period --span-sure --piece 1/2|--piece: cannot be combined with --span-sure
	END
	# one sample, two spans
	for more in "" "--span-end"; do
		try pfilter --span 'ip==1;ip==2;tid' --span 'ip<2;ip>1;pid' --span-period $more "$T/in"
		[ $rc = 1 ] && grep -q "SAMPLE: it $([ "$more" ] && echo ends || echo begins) two spans, and its PERIOD can have the length of one" "$T/err" || failed "two $more"
	done
	grep -q "run pfilter with one --span at a time, and join what it writes by psort --merge" "$T/err" || failed "two: what to do"
	# no span behind that was given up for want of memory
	{ sed -n 1p "$T/in.txt"; printf '%s\n' "SAMPLE ip="{5,2,1,2}" pid=1 tid=9 time="{100,200,300,400}" id=11" | sed -n '1p;6p;11p;16p'; } | mkpipe - >"$T/open"
	try pfilter --span 'ip==1 or ip==5;ip==2;tid' --span 'ip==5;ip==2;pid' --span-period "$T/open"
	[ $rc = 1 ] && one_line "pfilter: $T/open: byte " || failed "two, and one behind: $(cat "$T/err")"
	# which is this: all spans of both, and each event has the unit, though the first input has no sample of one
	{
		printf '%s\n' "attr type=1 config="{0,1}" period=1 sample_type=IDENTIFIER|IP|TID|TIME flags=sample_id_all ids="{1,2}1
		printf '%s\n' "SAMPLE ip=1 pid=1 tid=1 time=100 id=11" "SAMPLE ip=2 ev=1 pid=1 tid=1 time=150 id=21" "SAMPLE ip=3 pid=1 tid=1 time=200 id=11"
	} | grep -v 'config=0.*ids=21\|config=1.*ids=11' >"$T/both.txt"
	mkpipe "$T/both.txt" >"$T/both"
	pfilter --span 'ip==1;ip==2;tid' --span-period "$T/both" >"$T/a"
	pfilter --span 'ip==2;ip==3;tid' --span-period "$T/both" >"$T/b"
	[ "$(psort --merge "$T/a" "$T/b" | pcat --format=jsonl | jq -r 'select(.type == "SAMPLE" or .update_type == "0") | "\(.id) \(.unit // .period)"' | sort | paste -sd,)" = \
	    "11 ns,21 ns,null 50,null 50" ] || failed "merged: $(psort --merge "$T/a" "$T/b" | pcat --format=jsonl | jq -c '[.type, .id, .unit, .period]' | paste -sd' ')"
	try pfilter --span 'ip==1;ip==3;tid' --span-period "$T/in"
	[ $rc = 0 ] && one_line "pfilter: warning: none of 2 samples was kept: none is of a span that ends, and is as long as --longer-than and --shorter-than say; 1 spans began" || failed reason
	sed 's/|CPU/|CPU|READ read_format=12/; s/id=11$/id=11 read=1,5,11/' "$T/in.txt" >"$T/read.txt"
	mkpipe "$T/read.txt" >"$T/read" || failed recipe
	try pfilter --span 'ip==1;ip==2;tid' --span-period "$T/read"
	[ $rc = 2 ] && ! [ -s "$T/out" ] && grep -q "was recorded with counts of its group (PERF_SAMPLE_READ), of which perf makes the periods" "$T/err" || failed read
	sed 's/|TIME//; s/time=[0-9]* //' "$T/in.txt" >"$T/untimed.txt"
	mkpipe "$T/untimed.txt" >"$T/untimed" || failed recipe
	try pfilter --span 'ip==1;ip==2;tid' --span-period "$T/untimed"
	[ $rc = 2 ] && grep -q "was recorded without PERF_SAMPLE_TIME" "$T/err" || failed time
	done_all
}
