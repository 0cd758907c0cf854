# SPDX-License-Identifier: ISC
# pfilter --around: what is near in time to other samples; window.py works the same out by comparing each with each.
load lib
load oracle
load window

@test "around: a brute-force model keeps the same, of streams in as much disorder as rounds allow" {
	need python3
	for seed in 1 2 3 4; do
		turn 2 || [ $seed = 2 ] || continue
		python3 window.py --around -n $((ALL ? 12 : 5)) -s $seed "$(made $seed 1500)" || failed "seed $seed"
	done
	# in time order without rounds, and of the other byte order
	psort --full "$T/made.1" | pfilter --drop-type FINISHED_ROUND --allow vital-types >"$T/sorted"
	mkpipe -b "$T/made.2.txt" >"$T/big"
	python3 window.py --around -n 6 -s 5 "$T/sorted" "$T/big" || failed "sorted, big"
	done_all
}

@test "around: recordings" {
	need python3
	python3 window.py --around -n 5 -e 'time % 17 == 1' -e 'event.index == 0 && time % 97 == 5' -e 'tid % 5 == 1 && cpu == 0' \
	    data/multi.pipe.data data/p72_basic.pipe.data data/sched_R.pipe.data data/s390x_basic.pipe.data
}

@test "around: the same of the recording split and merged, sorted, as a file, and read byte by byte" {
	need python3
	in=$(made 7 2500)
	for o in "period == 1 --before 300ns --after 20ns" "cpu==1&&period>95 --before 3us --around-same tid"; do
		read -r expr more <<<"${o/ == /==}"
		pfilter --around "$expr" $more "$in" >"$T/whole"
		python3 window.py --list "$T/whole" >"$T/want"
		[ "$(wc -l <"$T/want")" -gt 20 ] && [ "$(wc -l <"$T/want")" -lt 2400 ] || failed "$o: $(wc -l <"$T/want")"
		rm -rf "$T/part"
		mkdir "$T/part"
		pcat --switch-output=4us --output-template="$T/part/%n" "$in"
		[ "$(ls "$T/part" | wc -l)" -gt 2 ] || failed "parts"
		psort --merge "$T"/part/* | pfilter --around "$expr" $more >"$T/merged"
		psort --full "$in" | pfilter --around "$expr" $more >"$T/sorted"
		pcat --format=file -o "$T/seekable" -f "$in"
		pfilter --around "$expr" $more "$T/seekable" >"$T/file"
		for f in merged sorted file; do
			python3 window.py --list "$T/$f" | diff "$T/want" - >"$T/diff" || failed "$o $f: $(head -n 3 "$T/diff")"
		done
		try with_fault read:short,pread:short pfilter --around "$expr" $more "$in"
		[ $rc = 0 ] && cmp "$T/out" "$T/whole" || failed "$o: byte by byte"
	done
	done_all
}

@test "around: the output is that of --filter with the same samples: order, side-band, READ totals, -U" {
	need python3
	in=$(made 9 800)
	for f in "$in:period > 97:2us" "$(recipe read-group):ip == 0x401004:150ns"; do
		IFS=: read -r f expr length <<<"$f"
		for more in "" "--sideband=none --drop-unused-events" "--scale-period --every 2 --order=time"; do
			turn 2 || continue
			rm -f "$T/rest" "$T/rest2"
			pfilter --around "$expr" --before "$length" --after 100ns "$f" >"$T/plain"
			python3 window.py --list "$T/plain" | cut -d/ -f1 >"$T/ips"
			[ "$(wc -l <"$T/ips")" -gt 1 ] || failed "$f: few"
			pfilter $more --around "$expr" --before "$length" --after 100ns -U "$T/rest" "$f" >"$T/got"
			pfilter $more --filter "ip in ($(paste -sd, "$T/ips"))" -U "$T/rest2" "$f" | cmp - "$T/got" || failed "$f $more"
			cmp "$T/rest" "$T/rest2" || failed "$f $more: -U"
		done
		# a COMM is written in front of the first sample that needs it in the order of decisions: the names are the same
		pfilter --sideband=needed --around "$expr" --before "$length" --after 100ns "$f" >"$T/needed"
		for name in c0 c1 c2 c3 alpha beta; do
			turn 5 || continue
			cmp <(pfilter -q --comms $name "$T/plain" | python3 window.py --list -) \
			    <(pfilter -q --comms $name "$T/needed" | python3 window.py --list -) || failed "$f: $name"
		done
	done
	done_all
}

@test "around: the expression sees names and files as of its own sample's time, and what other options reject" {
	{
		echo "attr type=1 config=0 period=1 sample_type=IDENTIFIER|IP|TID|TIME|CPU flags=sample_id_all|comm ids=11"
		echo "COMM pid=1 tid=1 comm=before"
		for i in 1 2 3 4 5 6 7 8; do
			echo "SAMPLE ip=$i pid=$((1 + i % 2)) tid=$((1 + i % 2)) time=${i}00 cpu=0"
			[ $i != 4 ] || echo "COMM pid=1 tid=1 comm=after @ time=450 id=11"
		done
		echo FINISHED_ROUND
	} >"$T/in.txt"
	mkpipe "$T/in.txt" >"$T/in"
	check() {
		local want=$1
		shift
		python3 window.py --list <(pfilter "$@" "$T/in") | cut -d/ -f1 | paste -sd' ' >"$T/ips"
		[ "$(cat "$T/ips")" = "$want" ] || failed "$*: $(cat "$T/ips"), expected $want"
	}
	need python3
	check "1 2 3 4 5" --around 'comm == "before"' --before 100ns --after 100ns
	check "1 3" --around 'comm == "before"' --before 100ns --after 100ns --comms :2 --time 0.0000001,0.0000003
	check "6 8" --around 'comm == "after"' --before 0
	check "5 6 7 8" --around 'comm == "after"' --before 100ns
	check "5 7" --around 'comm == "after"' --before 100ns --exclude-comms after
	check "2 4 6" --around 'tid == 1' --before 600ns --tid 1 --time ,0.0000007
	check "1 2 3" --around 'reltime == 100' --before 100ns --after 100ns
	check "6 7" --around 'nr == 10' --before 100ns
	done_all
}

@test "around: errors and reasons" {
	in=$(recipe read-group)
	sed 's/|TIME//' data/read-group.txt >"$T/untimed.txt"
	mkpipe "$T/untimed.txt" >"$T/untimed"
	while IFS='|' read -r args text; do
		IFS=' ' read -ra args <<<"$args"
		try pfilter "${args[@]}" "$in"
		[ $rc = 2 ] && ! [ -s "$T/out" ] && grep -qF -- "$text" "$T/err" || failed "${args[*]}"
	done <<-'END'
		--around period==1|--around: needs --before or --after
		--around period==1 --before 1 --around period==2|--around: needs --before or --after
		--before 1ms|--before: needs an --around in front of it
		--around-same cpu|--around-same: needs an --around in front of it
		--around period==1 --before 1x|expected a duration
		--around period==1 --before 110000d|too long
		--around period==1 --before 1 --around-same comm|expected one of cpu, tid, pid
		--around period==1 --before 1 --around-same cpu|was recorded without PERF_SAMPLE_CPU
		--around period==1 --before 1 --order=input|--order=input: cannot be combined with --around, which needs time order
		--around perod==1 --before 1|--around: no field is named `perod'
		--around addr==1 --before 1|--around: no event of this recording has addr
		--around period==1 --before 1 --invert|--invert: needs an option
	END
	try pfilter --around 'period==1' --before 1 "$T/untimed"
	[ $rc = 2 ] && ! [ -s "$T/out" ] && one_line "pfilter: --around: event cpu-clock was recorded without PERF_SAMPLE_TIME" || failed untimed
	try pfilter --around 'period==7' --before 1 "$in"
	[ $rc = 0 ] && one_line "pfilter: warning: none of 8 samples was kept: --around is true for none" || failed none
	try pfilter --around 'ip==0x401000' --before 1 --pid 200 "$in"
	[ $rc = 0 ] && grep -q "of the 1 that the other options leave: none is of process 200" "$T/err" || failed "none of 200"
	try pfilter --around 'ip==0x401000' --after 0 --stats -n "$in"
	grep -q "dropped by around: 7 records, 7 samples" "$T/err" || failed stats
	done_all
}

@test "around: memory is that of --max-memory; what was decided too early for it is counted" {
	need native
	{
		echo "attr type=1 config=0 period=1 sample_type=IDENTIFIER|IP|TID|TIME|CPU flags=sample_id_all|comm ids=11"
		awk 'BEGIN { for (i = 1; i <= 120000; i++)
			printf "SAMPLE misc=1 ip=%d pid=%d tid=%d time=%d cpu=0\n", i % 1000, i % 9, i % 9, 1000 + i - i % 4 * 2 }'
	} >"$T/many.txt"
	mkpipe "$T/many.txt" >"$T/many"
	pfilter --around 'ip == 500' --before 20ns "$T/many" >"$T/want"
	for s in 1M 2M; do
		try pfilter --around 'ip == 500' --before 20ns -S $s "$T/many"
		[ $rc = 0 ] && ! [ -s "$T/err" ] && cmp "$T/want" "$T/out" || failed $s
	done
	sanitized || (ulimit -v 60000; pfilter --around 'ip == 500' --before 20ns -S 1M "$T/many" | cmp - "$T/want") || failed ulimit
	try pfilter --around 'ip == 500' --before 1s -S 1M "$T/many"
	[ $rc = 0 ] && grep -q "records had to be decided before all that is near them had arrived: --max-memory is too small" "$T/err" || failed 1s
	done_all
}
