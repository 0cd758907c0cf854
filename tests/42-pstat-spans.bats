# SPDX-License-Identifier: ISC
# pstat of durations: the recordings of pfilter --span-period.  --columns, --sort -period, histograms of rows.
load lib
load pstat

# spans: a recording of durations; prints its path
spans() {
	{
		echo "attr type=1 config=0 period=1 sample_type=IDENTIFIER|IP|TID|TIME|CPU flags=sample_id_all|comm ids=11"
		echo "COMM pid=1 tid=1 comm=often @ pid=1 tid=1 time=1 id=11"
		echo "COMM pid=2 tid=2 comm=long @ pid=2 tid=2 time=2 id=11"
		awk 'BEGIN { for (i = 1; i <= 100; i++) {
			print "SAMPLE ip=1 pid=1 tid=1 cpu=" i % 2 " time=" 1000000 * i " id=11"
			print "SAMPLE ip=2 pid=1 tid=1 cpu=" i % 2 " time=" 1000000 * i + 1000 * i " id=11" }
			print "SAMPLE ip=1 pid=2 tid=2 cpu=0 time=200000000 id=11"
			print "SAMPLE ip=2 pid=2 tid=2 cpu=0 time=3400000000 id=11" }'
	} >"$T/spans.txt"
	mkpipe "$T/spans.txt" >"$T/calls"
	pfilter --span 'ip==1;ip==2;tid' --span-period -o "$T/spans" -f "$T/calls"
	echo "$T/spans"
}

@test "pstat spans: durations are times on the screen, and numbers in other forms" {
	need jq
	local in
	in=$(spans)
	pstat -s comm --columns count,sum,mean,min,p50,p90,p99,p999,max "$in" | sed -n '/^COMM/,/^$/p' >"$T/out"
	diff - "$T/out" <<-'END' || failed screen
		COMM   COUNT      SUM     MEAN    MIN       P50       P90     P99    P999     MAX
		often    100  5.05 ms  50.5 us   1 us  50.17 us  88.06 us  100 us  100 us  100 us
		long       1    3.2 s    3.2 s  3.2 s     3.2 s     3.2 s   3.2 s   3.2 s   3.2 s
	END
	[ "$(pstat -s comm,-period --columns sum "$in" | sed -n '/^COMM/,$ { s/  .*//; p; }' | paste -sd' ')" = "COMM long often" ] || failed "-period"
	pstat -s comm,-period "$in" | grep -q '^long .* 3.2 s ' || failed "PERIOD of --sort"
	pstat "$in" | grep -q '^cpu-clock:HG .*100.00  *3.205 s  *0$' || failed "PERIOD of events"
	pstat "$T/calls" | grep -q '^cpu-clock:HG .*100.00  *202  *0$' || failed "of other recordings"
	pstat -s comm "$T/calls" | grep -Eq '^often +200 +200 +[0-9.]+ +200 ' || failed "--sort of other recordings"
	pstat --json -s comm,cpu --columns count,mean,max,p99 "$in" >"$T/json"
	jq -c '[.events[0].unit, .events[0].period], (.sort[] | [.comm, .cpu, .count, .mean, .max])' "$T/json" | diff - <(printf '%s\n' \
	    '["ns",3205050000]' '["often",0,50,51000,100000]' '["often",1,50,50000,99000]' '["long",0,1,3200000000,3200000000]') || failed json
	jq -e '[.sort[] | [.comm, .cpu, .count, .max, .p99]] == [.hist[] | [.comm, .cpu, .count, .max, .p99]]' "$T/json" >"$T/out" || failed "hist: the same"
	pstat --csv --table sort -s comm --columns sum,mean --top 1 "$in" | tr -d '\r' | sed 's/.*,,,//; s/.*,sum/sum/' >"$T/out"
	printf '%s\n' sum,mean 5050000,50500 3200000000,3200000000 | diff - "$T/out" || failed "csv: $(cat "$T/out")"
	[ "$(pstat --json "$T/calls" | jq -c '.events[0].unit')" = null ] || failed unit
	done_all
}

@test "pstat spans: sums of perf report; percentiles of all values sorted" {
	need record
	need python3
	perf record -q -m 2048 -e 'raw_syscalls:*' -o "$T/record" -- bash -c 'for i in 1 2 3; do cat /etc/passwd; done' >/dev/null 2>&1 </dev/null || skip "perf cannot record tracepoints here"
	pfilter --span syscall --span-period -o "$T/in" "$T/record"
	pstat --json -s comm,raw.id --columns count,sum,mean,p50,p90,p99,max "$T/in" >"$T/json"
	perf script -i "$T/in" -F comm,period,event,trace </dev/null 2>/dev/null >"$T/text"
	python3 - "$T/json" "$T/text" <<-'END' || failed "sums, percentiles"
		import collections, json, re, sys
		values = collections.defaultdict(list)
		for line in open(sys.argv[2]):
		    m = re.match(r" *(\S+) +(\d+) +\S+: *NR (\d+)", line)
		    values[m[1], int(m[3])].append(int(m[2]))
		rows = json.load(open(sys.argv[1]))["sort"]
		bad = len(values) != len(rows) or not rows
		for r in rows:
		    v = sorted(values[r["comm"], r["raw.id"]])
		    if [r["count"], r["sum"], r["mean"], r["max"]] != [len(v), sum(v), sum(v) // len(v), v[-1]]:
		        print(r, v)
		        bad = True
		    for p in 50, 90, 99:
		        want = v[(len(v) * p + 99) // 100 - 1]
		        if abs(r[f"p{p}"] - want) > .063 * want + 1:
		            print(p, want, r)
		            bad = True
		sys.exit(bad)
	END
	done_all
}

@test "pstat spans: pieces of a report add up, different units do not" {
	need jq
	local in
	in=$(spans)
	pstat --json -s comm,cpu --hist period "$in" >"$T/a"
	pstat --merge --json "$T/a" "$T/a" | jq -c '[.events[0].unit], (.hist[] | [.comm, .cpu, .count, .sum, .p50])' >"$T/out"
	jq -c '[.events[0].unit], (.hist[] | [.comm, .cpu, .count * 2, .sum * 2, .p50])' "$T/a" | sort | diff - <(sort "$T/out") || failed merge
	pstat --json -s comm,cpu --hist period "$T/calls" >"$T/b"
	try pstat --merge --json "$T/a" "$T/b"
	[ $rc = 1 ] && ! [ -s "$T/out" ] && grep -q "so its periods do not add up" "$T/err" || failed units
	# the same with two events, whose histograms would be one
	sed 's/config=0/config=1/' "$T/spans.txt" >"$T/two.txt"
	mkpipe "$T/two.txt" >"$T/two"
	pstat --json --hist period "$T/two" >"$T/b"
	pstat --json --hist period "$in" >"$T/c"
	try pstat --merge --json "$T/c" "$T/b"
	[ $rc = 1 ] && ! [ -s "$T/out" ] && grep -q "table hist would be of durations (cpu-clock:HG) and of other periods (task-clock:HG)" "$T/err" || failed "hist"
	pstat --json -s event --hist period "$in" >"$T/c"
	pstat --json -s event --hist period "$T/two" | pstat --merge --json "$T/c" - | jq -c '[.hist[] | [.event, .sum]]' >"$T/out"
	[ "$(cat "$T/out")" = '[["cpu-clock:HG",3205050000],["task-clock:HG",202]]' ] || failed "by event: $(cat "$T/out")"
	# so it is in one recording
	{
		echo "attr type=1 config=0 period=1 sample_type=IDENTIFIER|IP|TID|TIME|PERIOD flags=sample_id_all ids=11"
		echo "attr type=1 config=1 period=1 sample_type=IDENTIFIER|IP|TID|TIME|PERIOD flags=sample_id_all ids=21"
		echo "EVENT_UPDATE update_type=0 id=11 z=ns"
		printf '%s\n' "SAMPLE ip=1 pid=1 tid=1 time=100 id=11 period=30" "SAMPLE ip=1 ev=1 pid=1 tid=1 time=200 id=21 period=9"
	} >"$T/both.txt"
	mkpipe "$T/both.txt" >"$T/both"
	try pstat --hist period "$T/both"
	[ $rc = 1 ] && grep -q "the periods of cpu-clock:HG are durations, those of task-clock:HG are not" "$T/err" || failed "one recording"
	try pstat -s comm --columns sum "$T/both"
	[ $rc = 1 ] || failed "one recording: --columns"
	try pstat --json -s event --columns sum "$T/both"
	[ $rc = 0 ] && ! [ -s "$T/err" ] && [ "$(jq -c '[.sort[] | [.event, .sum]]' "$T/out")" = '[["cpu-clock:HG",30],["task-clock:HG",9]]' ] || failed "one recording, by event"
	# times, with the unit
	pstat --merge "$T/a" "$T/a" | sed -n '/^COMM/,$p' >"$T/out"
	grep -Eq '^often +0 +100 .* 5.1 ms ' "$T/out" && grep -Eq '^period +long +0 +2 +6.4 s +3.2 s ' "$T/out" || failed "merge: times: $(cat "$T/out")"
	pstat --json -s comm,cpu --hist raw "$in" >"$T/c"
	! pstat --merge "$T/c" "$T/c" | grep '^raw.* s ' || failed "merge: other values are no times"
	pstat --diff -s comm "$in" "$in" >"$T/out"
	grep -q 'RATIO       A SUM      B SUM  comm$' "$T/out" && grep -q '~     3.2 s      3.2 s  long$' "$T/out" || failed "diff: $(cat "$T/out")"
	pstat --diff --json -s comm "$in" "$in" | jq -c '[.diff[] | [.comm, .sum_ns_a, .sum_ns_b]]' >"$T/out"
	[ "$(cat "$T/out")" = '[["long",3200000000,3200000000],["often",5050000,5050000]]' ] || failed "diff: $(cat "$T/out")"
	pstat --diff --json -s comm "$T/calls" "$T/calls" | jq -e '.diff[0] | has("sum_ns_a") | not' >/dev/null || failed "diff of other recordings"
	try pstat --diff "$in" "$T/calls"
	[ $rc = 1 ] && ! [ -s "$T/out" ] && grep -q "are durations in only one of the two inputs" "$T/err" || failed diff
	done_all
}

@test "pstat spans: the report page has sum, mean, percentiles and a histogram of the durations of each row" {
	need jq
	need python3
	local in key
	in=$(spans)
	pstat --report "$T/page.html" "$in" 2>"$T/err" || failed page
	# cells TABLE: first cell, samples, and the values of the columns of durations, in the page
	cells() {
		sed -n "/<table data-g=\"$1\"/,/<\/table>/p" "$T/page.html" | sed -n 's/^<tr.*<th scope="row"[^>]*>\([^<]*\)<\/th>\(<td class="t">[^<]*<\/td>\)\{0,1\}<td>\([0-9,]*\)<\/td>\(.*\)<svg.*/\1 \3 \4/p' |
		    sed 's/<td>[^<]*<\/td>//g; s/<td data-v="\([0-9]*\)">[^<]*<\/td>/\1 /g; s/<.*//; s/ *$//'
	}
	for key in comm pid cpu event dso; do
		cells $key >"$T/cells"
		pstat --json -s $key,-period --columns count,sum,mean,p50,p90,p99,max "$in" |
		    jq -r ".sort[] | [.$key, .count, .sum, .mean, .p50, .p90, .p99, .max] | join(\" \")" >"$T/want"
		[ -s "$T/want" ] && diff "$T/want" "$T/cells" >"$T/diff" || failed "$key: $(cat "$T/diff")"
	done
	grep -q '<td data-v="3200000000">3.2 s</td>' "$T/page.html" && grep -q 'from 512 ns to 4.295 s</title><path d="M[0-9v.hMVz -]*"/></svg>' "$T/page.html" ||
	    failed "times, bars: $(grep -o '<svg class="bars.*' "$T/page.html" | head -n 2)"
	# what has no row is in the row of the rest
	{ sed '/time=200000000 /,$d' "$T/spans.txt"
	  awk 'BEGIN { for (i = 1; i <= 300; i++) {
		print "SAMPLE ip=1 pid=" 10 + i " tid=" 10 + i " cpu=0 time=" 200000000 + 1000 * i " id=11"
		print "SAMPLE ip=2 pid=" 10 + i " tid=" 10 + i " cpu=0 time=" 200000000 + 1000 * i + i " id=11" } }'; } >"$T/many.txt"
	mkpipe "$T/many.txt" | pfilter --span 'ip==1;ip==2;tid' --span-period -o "$T/many"
	pstat -f --report "$T/page.html" "$T/many" 2>"$T/err" || failed many
	sed -n '/<table data-g="pid"/,/<\/table>/s/^<tr class="rest">\(.*\)/\1/p' "$T/page.html" >"$T/rest"
	# 101 of 301 processes, the shortest: 1 to 101 ns
	grep -q '>101 more<.*<td>101</td>.*<td data-v="5151">5.151 us</td><td data-v="51">51 ns</td>.*<td data-v="101">101 ns</td><td class="t"><svg' "$T/rest" || failed "rest: $(cat "$T/rest")"
	# other recordings have none of it
	pstat -f --report "$T/page.html" "$T/calls" 2>"$T/err"
	! grep -q 'data-v=\|class="bars\|by lengths' "$T/page.html" || failed "of other recordings"
	done_all
}

@test "pstat spans: --columns in the lines of --interval, and on the screen of --live" {
	need jq
	need_module pty
	local in
	in=$(spans)
	# sums over the intervals are those of the report, without rows and with all of them in `other'
	for o in "-s comm" "-s comm --top 1" "--top 1 -s comm,cpu"; do
		command pstat -q --json --interval 10ms --columns count,sum,max $o "$in" >"$T/lines"
		sed '$d' "$T/lines" | jq -s -c '[.[].sort[]] | [length > 10, (map(.count) | add), (map(.sum) | add), (map(.max) | max), all(.count == .samples)]' >"$T/out"
		[ "$(cat "$T/out")" = "[true,101,3205050000,3200000000,true]" ] || failed "$o: $(cat "$T/out")"
	done
	command pstat -q --csv --table sort --interval 1s -s comm,-period --columns sum,mean "$in" | tr -d '\r' >"$T/out"
	printf '%s\n' time_ns,duration_ns,comm,other,samples,sum,mean 0,1000000000,long,false,1,3200000000,3200000000 0,1000000000,often,false,100,5050000,50500 |
	    diff - "$T/out" || failed csv
	python3 - "$in" <<-'END' >"$T/out"
		import os, pty, sys
		pid, fd = pty.fork()
		if pid == 0:
		    os.execvp("pstat", ["pstat", "--live", "-s", "comm,-period", "--columns", "count,mean,max", "-o", "/dev/null", sys.argv[1]])
		out = b""
		while True:
		    try:
		        more = os.read(fd, 65536)
		    except OSError:
		        break
		    if not more:
		        break
		    out += more
		os.waitpid(pid, 0)
		sys.stdout.buffer.write(out.replace(b"\033[K", b"").replace(b"\r", b""))
	END
	grep -A2 '^ *COUNT' "$T/out" | head -n 3 | sed 's/ *$//' | diff - <(printf '%s\n' "     COUNT      MEAN       MAX  COMM" "         1     3.2 s     3.2 s  long" \
	    "       100   50.5 us    100 us  often") || failed "screen"
	done_all
}
