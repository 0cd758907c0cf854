# SPDX-License-Identifier: ISC
# pstat: its two reports, word for word; its counts against perf's own.
load lib
load pstat

# A stream of the recipe on standard input.
stream() {
	cat >"$T/recipe.txt"
	mkpipe "$T/recipe.txt" >"$T/recipe.pipe"
}
# The reports of a recipe: the name of the input is always the same.
report() {
	mkpipe "$1" | pstat "${@:2}"
}
# rows TABLE FIELD...: of the JSON in $T/out, one line a row, sorted.
rows() {
	jq -r --arg t "$1" '.[$t][] | [.[$ARGS.positional[]]] | map(. // "-" | tostring) | join("|")' "$T/out" \
	    --args "${@:2}" | sort
}

# is TABLE FIELD... <<rows: are these the rows, in any order?
is() {
	sort >"$T/want"
	rows "$@" | diff "$T/want" -
}

@test "pstat: a screen"			{ golden pstat-screen report data/rounds.txt; }
@test "pstat: a screen of many types"	{ golden pstat-types report <(sed '/^# newer/,$d' data/all-types.txt); }
@test "pstat: JSON"			{ golden pstat-json report data/rounds.txt --json; }
@test "pstat: JSON of a compressed stream" { golden pstat-zip report data/zipped.txt --json; }
@test "pstat: running totals of READ"	{ golden pstat-read report data/read-group.txt --json; }
@test "pstat: names that speak to the terminal" { golden pstat-escape report data/escape.txt; }
@test "pstat: the same names in JSON"	{ golden pstat-escape-json report data/escape.txt --json; }

# Names of valid UTF-8: DEL, C1, marks of direction, a tag, and two that are harmless.
@test "pstat: nothing that hides or turns text around reaches the screen, messages or JSON" {
	need jq
	name=$(printf 'a\x7fb\xc2\x9b2Jc\xe2\x80\xaed\xe2\x81\xa6e\xf3\xa0\x81\x81f\xd8\x9cg')
	{
		echo "attr type=1 config=0 period=1 sample_type=IP|TID|TIME|PERIOD flags=sample_id_all|comm ids=11"
		echo "HEADER_FEATURE feat_id=3 fs=$name"
		echo "EVENT_UPDATE update_type=2 id=11 z=$name"
		echo "COMM pid=100 tid=100 comm=$(printf 'x\xc2\x9by')"
		echo "COMM pid=101 tid=101 comm=$(printf 'x\xe2\x80\xaey')"
		echo "COMM pid=102 tid=102 comm=$(printf 'x\x7fy')"
		echo "COMM pid=103 tid=103 comm=$(printf '\xc3\xa4\xe2\x82\xac')"
		for i in 0 1 2 3; do echo "SAMPLE ip=1 pid=10$i tid=10$i time=$i period=1"; done
	} >"$T/marks.txt"
	mkpipe "$T/marks.txt" >"$T/marks"
	for in in "$T/marks" data/escape.data; do
		pstat "$in" >"$T/screen"
		pfilter -e "$name" -v "$in" >/dev/null 2>"$T/screen.err" || true
		pfilter -e nosuch "$in" >/dev/null 2>>"$T/screen.err" || true
		! cat "$T/screen" "$T/screen.err" | tr -d '\n\t' | grep -aP '[\x00-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\x8b-\x8f\xa8-\xae]|\xe2\x81[\xa6-\xa9]|\xf3\xa0|\xd8\x9c' ||
		    failed "$in: screen"
		pstat --json "$in" >"$T/json"
		jq -e . "$T/json" >/dev/null || failed "$in: no JSON"
		! tr -d '\n' <"$T/json" | grep -aP '[^\x20-\x7e]' || failed "$in: JSON"
	done
	pstat "$T/marks" | grep -q "$(printf '\xc3\xa4\xe2\x82\xac')" || failed "what is harmless"
	[ "$(pstat --json "$T/marks" | jq -r '.features.hostname')" = "${name/$'\x7f'/\\x7f}" ] || failed "JSON means the same"
	done_all
}
@test "pstat: nothing but a header"	{ golden pstat-empty sh -c "printf 'noheader\nheader\n' >'$T/r'; mkpipe '$T/r' | pstat"; }
@test "pstat: of a cut stream, what was good" { golden pstat-cut sh -c 'mkpipe data/ordered.txt | head -c 1090 | pstat'; }
@test "pstat: of a cut stream, in JSON"	{ golden pstat-cut-json sh -c 'mkpipe data/ordered.txt | head -c 1090 | pstat --json'; }

@test "pstat: a screen is no wider than 100 columns and no longer than 50 lines" {
	stream <<-X
	$(for i in $(seq 12); do echo "attr type=1 config=$i period=1 sample_type=IDENTIFIER|IP|TID|TIME|CPU|PERIOD flags=sample_id_all ids=$i"; done)
	HEADER_FEATURE feat_id=3 fs=$(printf 'h%.0s' {1..300})
	HEADER_FEATURE feat_id=8 fs=$(printf 'c%.0s' {1..300})
	HEADER_FEATURE feat_id=11 u4=1 fs=$(printf 'a%.0s' {1..300})
	$(for i in $(seq 80); do
		echo "COMM pid=$i tid=$i comm=$(printf 'name%.0s' {1..9})$i"
		echo "SAMPLE ev=$((i % 12)) ip=1 pid=$i tid=$i time=$((1000000000000 + i)) period=12345678901234567"
	done)
	$(for i in $(seq 200 240); do echo "THREAD_MAP type=$i"; done)
	X
	pstat "$T/recipe.pipe" | tail -n +2 >"$T/out"
	cat "$T/out"
	[ "$(wc -L <"$T/out")" -le 100 ]
	[ "$(wc -l <"$T/out")" -le 50 ]
}

# The kernel counts a loss for the event (LOST_SAMPLES), and for the buffer (LOST).
@test "pstat: a loss is counted once, and what BPF filtered is none" {
	stream <<-X
	attr type=1 config=0 period=1 sample_type=IDENTIFIER|IP|TID|TIME|PERIOD flags=sample_id_all ids=11
	attr type=1 config=1 period=1 sample_type=IDENTIFIER|IP|TID|TIME|PERIOD flags=sample_id_all ids=22
	SAMPLE ev=0 ip=1 pid=1 tid=1 time=10 period=1
	LOST ev=0 id=11 lost=100 @ time=20
	LOST ev=1 id=22 lost=7 @ time=21
	LOST_SAMPLES ev=0 lost=103 @ time=30
	LOST_SAMPLES ev=0 misc=0x8000 lost=5000 @ time=31
	LOST_SAMPLES ev=1 misc=0x8000 lost=600 @ time=32
	X
	pstat "$T/recipe.pipe" >"$T/screen"
	[ "$(awk '/^EVENT/ { getline; a = $5 " " $6; getline; print $NF, $(NF - 1), a }' "$T/screen")" = "600 7 103 5000" ]
	grep -q '^lost  *107 records (2 LOST), 103 samples (3 LOST_SAMPLES), 5600 filtered' "$T/screen"
	[ "$(pstat --json "$T/recipe.pipe" | jq -c '[.events[] | [.lost, .lost_samples, .losses, .filtered]], .lost.filtered')" = \
	    "$(printf '[[100,103,103,5000],[7,0,7,600]]\n5600')" ]
}

@test "pstat: the losses of all events are those of perf report" {
	need perf
	need corpus
	n=0
	for f in "$CORPUS"/own/{,p612_,p72_}lost.{pipe,file}.data; do
		want=$(perf report --stdio -i "$f" 2>/dev/null </dev/null | sed -n 's/^# Total Lost Samples: //p' | head -n 1)
		[ "${want:-0}" -gt 0 ] || continue		# older perfs read no newer files, or have no such line
		n=$((n + 1))
		try pstat --json "$f"
		[ "$(jq '[.events[].losses] | add' "$T/out")" = "$want" ] || failed "$f"
	done
	[ $n -gt 0 ] || skip "this perf says nothing of losses"
	done_all
}

@test "pstat: of an input that cannot be read, JSON says so" {
	need jq
	printf 'x%.0s' {1..100} >"$T/none"
	for f in "$T/none" "$T/missing" "$T" data/README; do
		for o in "" "-o $T/report"; do
			rm -f "$T/report"
			try pstat --json $o "$f"
			[ $rc = 1 ] && one_line "pstat: $f: " || failed "$f $o"
			[ -z "$o" ] || cp "$T/report" "$T/out"
			[ "$(jq -c '[.schema, .file, .complete, .samples, .events, (.error | type)]' "$T/out")" = "[2,\"$f\",false,0,[],\"string\"]" ] || failed "$f $o: $(cat "$T/out")"
		done
		rm -f "$T/report"
		try pstat -o "$T/report" "$f"
		[ $rc = 1 ] && one_line "pstat: $f: " && ! [ -e "$T/report" ] || failed "$f: no report to read"
	done
	done_all
}

@test "pstat: a number past 2^63 is said not to be exact" {
	need jq
	for n in 1 9223372036854775807 9223372036854775808 18446744073709551615; do
		stream <<-X
		attr type=1 config=0 period=1 sample_type=IP|TID|TIME|PERIOD flags=sample_id_all ids=1
		SAMPLE ip=1 pid=1 tid=1 time=10 period=$n
		X
		[ "${#n}" = 1 ] || [ $n = 9223372036854775807 ] && want=true || want=false
		pstat --json "$T/recipe.pipe" | jq -c '[.exact, .events[0].period == (if .exact then '$n' else 9223372036854775807 end)]' >"$T/got"
		[ "$(cat "$T/got")" = "[$want,true]" ] || failed "$n"
	done
	done_all
}

@test "pstat: sums past 2^64 do not begin again at 0" {
	need jq
	for n in 9223372036854775807 6148914691236517206; do
		stream <<-X
		attr type=1 config=0 period=1 sample_type=IDENTIFIER|IP|TID|TIME|PERIOD flags=sample_id_all ids=11
		SAMPLE ip=1 pid=1 tid=1 time=10 period=$n
		SAMPLE ip=1 pid=1 tid=1 time=20 period=$n
		SAMPLE ip=1 pid=1 tid=1 time=30 period=$n
		LOST_SAMPLES ev=0 lost=$n @ time=40
		LOST_SAMPLES ev=0 lost=$n @ time=50
		LOST_SAMPLES ev=0 lost=$n @ time=60
		X
		for keys in tid comm event time,event; do
			pstat --json -s $keys "$T/recipe.pipe" >"$T/out"
			jq -e '(.exact | not) and ([.period, .events[0].period, .events[0].lost_samples, .comms[0].period, .pids[0].period,
			    (.sort | map(select(.samples > 0))[0].period)] | unique == [9223372036854775807])' "$T/out" >/dev/null || failed "$n $keys"
		done
	done
	done_all
}

@test "pstat: periods of several events are not added up" {
	need jq
	for two in 0 1; do
		stream <<-X
		attr type=1 config=0 period=1 sample_type=IDENTIFIER|IP|TID|TIME|PERIOD flags=sample_id_all ids=11
		attr type=1 config=1 period=1 sample_type=IDENTIFIER|IP|TID|TIME|PERIOD flags=sample_id_all ids=22
		SAMPLE ev=0 ip=1 pid=1 tid=1 time=10 period=3
		SAMPLE ev=$two ip=1 pid=1 tid=1 time=10 period=1000
		X
		[ $two = 0 ] && want='[1003,1003,1003,0,[1003,0]]' || want='[null,null,null,null,[3,1000]]'
		[ "$(pstat --json "$T/recipe.pipe" | jq -c '[.period, .comms[0].period, .pids[0].period, .other_pids.period, [.events[].period]]')" = "$want" ] ||
		    failed "$two: JSON"
		[ "$(pstat "$T/recipe.pipe" | grep -c '^COMM.*PERIOD')" = $((1 - two)) ] || failed "$two: screen"
	done
	done_all
}

@test "pstat: a comm holds from its time on, and a FORK takes it over" {
	stream <<-X
	attr type=1 config=0 period=1 sample_type=IP|TID|TIME|CPU|PERIOD flags=sample_id_all|comm|task ids=1
	COMM pid=1 tid=1 comm=first
	SAMPLE ip=1 pid=1 tid=1 time=100 period=1
	COMM pid=1 tid=1 comm=second @ time=200
	SAMPLE ip=1 pid=1 tid=1 time=200 period=10
	SAMPLE ip=1 pid=1 tid=1 time=150 period=100
	FORK pid=2 ppid=1 tid=2 ptid=1 time=300 @ time=300
	SAMPLE ip=1 pid=2 tid=2 time=310 period=1000
	EXIT pid=2 ppid=1 tid=2 ptid=1 time=320 @ time=320
	FORK pid=2 ppid=1 tid=2 ptid=1 time=180 @ time=180
	SAMPLE ip=1 pid=2 tid=2 time=190 period=10000
	SAMPLE ip=1 pid=0 tid=0 time=400 period=100000
	SAMPLE ip=1 pid=7 tid=7 time=400 period=1000000
	X
	try pstat --json "$T/recipe.pipe"
	is pids pid comm period <<-X
	1|first|101
	1|second|10
	2|first|10000
	2|second|1000
	0|swapper|100000
	7|-|1000000
	X
}

@test "pstat: a comm that comes late takes what was counted before it came" {
	stream <<-X
	attr type=1 config=0 period=1 sample_type=IP|TID|TIME|CPU|PERIOD flags=sample_id_all|comm|task ids=1
	COMM pid=1 tid=1 comm=first
	SAMPLE ip=1 pid=1 tid=1 time=100 period=1
	SAMPLE ip=1 pid=1 tid=1 time=300 period=10
	FORK pid=2 ppid=1 tid=2 ptid=1 time=350 @ time=350
	SAMPLE ip=1 pid=2 tid=2 time=360 period=100
	COMM pid=1 tid=1 comm=third @ time=320
	SAMPLE ip=1 pid=1 tid=1 time=330 period=1000
	COMM pid=1 tid=1 comm=second @ time=200
	SAMPLE ip=1 pid=1 tid=1 time=310 period=10000
	X
	try pstat --json "$T/recipe.pipe"
	is pids pid comm period <<-X
	1|first|1
	1|second|10010
	1|third|1000
	2|third|100
	X
}

@test "pstat: more tasks than it remembers are still counted by comm" {
	stream <<-X
	attr type=1 config=0 period=1 sample_type=IP|TID|TIME|CPU|PERIOD flags=sample_id_all|comm|task ids=1
	COMM pid=1 tid=1 comm=parent
	$(seq 50000 | awk '{ t = 100 * $1; p = $1 + 10
		print "FORK pid=" p " ppid=1 tid=" p " ptid=1 time=" t " @ pid=1 tid=1 time=" t
		print "COMM pid=" p " tid=" p " comm=child" $1 % 3 " @ time=" t + 1
		print "SAMPLE ip=1 pid=" p " tid=" p " time=" t + 2 " period=1"
		print "EXIT pid=" p " ppid=1 tid=" p " ptid=1 time=" t + 3 " @ time=" t + 3
		if ($1 % 100 == 0) print "FINISHED_ROUND" }')
	X
	try pstat --json "$T/recipe.pipe"
	is comms comm samples pids <<-X
	child0|16666|16666
	child1|16667|16667
	child2|16667|16667
	X
	[ "$(jq .other_pids.samples "$T/out")" -gt 20000 ]
	[ "$(rows pids pid | wc -l)" -eq $((50000 - $(jq .other_pids.tasks "$T/out"))) ]
	[ "$(jq .comms_rough "$T/out")" = false ]
}

@test "pstat: memory stays under 12 MiB, whatever the tasks, comms and order" {
	sanitized && skip "a sanitizer takes memory of its own"
	[ -x /usr/bin/time ] || skip "no time(1)"
	stream <<-X
	attr type=1 config=0 period=1 sample_type=IP|TID|TIME|CPU|PERIOD flags=sample_id_all|comm|task ids=1
	$(seq 40000 | awk '{ t = 1000000 - $1; p = $1 * 7919
		print "COMM pid=" p " tid=" p " comm=" $1 "-" p "-and-more-of-it @ time=" t + 1
		print "SAMPLE ip=1 pid=" p " tid=" p " time=" t + 2 " period=1"
		print "SAMPLE ip=1 pid=9 tid=9 time=" t + 2 " period=1"
		print "COMM pid=9 tid=9 comm=" $1 "-late @ time=" t + 1 }')
	X
	for o in --quiet --json; do
		/usr/bin/time -f %M -o "$T/kb" pstat $o "$T/recipe.pipe" >"$T/out" || failed "$o: status $?"
		[ "$(cat "$T/kb")" -le 12288 ] || failed "$o: $(cat "$T/kb") KB"
	done
	[ "$(jq .samples "$T/out")" = 80000 ] || failed "samples"
	[ "$(jq '[.comms[].samples] | add' "$T/out")" = 80000 ] || failed "sum over comms"
	done_all
}

@test "pstat: -o names a file, never the input" {
	local in=$(recipe rounds)
	try pstat -o "$T/report" "$in"
	[ $rc = 0 ]
	[ ! -s "$T/out" ]
	grep -q '^EVENT' "$T/report"
	cp "$in" "$T/copy"
	try pstat -o "$in" "$in"
	[ $rc = 2 ]
	cmp "$in" "$T/copy"
	try pstat -o "$T/no/such" "$in"
	[ $rc = 1 ] && one_line "pstat: $T/no/such: No such file"
}

# ---- against perf (50-oracle.bats has the counts of the corpus by type and event) ------------------

# agrees FILE [stats]: samples per process and comm as perf script has them, and with "stats" what perf report --stats counts.
# Comms with unusual characters are identified by their process alone.
# by_pid FILE: rows by process, where perf has no comm.
by_pid() {
	awk -F '|' 'NR == FNR { forgot[$1]; next } { n[$1 "|" ($1 in forgot ? "*" : $2)] += $3 }
		END { for (i in n) print i "|" n[i] }' "$T/forgot" "$1" | sort >"$T/by-pid"
	mv "$T/by-pid" "$1"
}
agrees() {
	rc=0
	perf script -F comm,pid,tid -G -i "$1" >"$T/script" 2>/dev/null </dev/null || return 0	# perf can't read it
	try pstat --json "$1"
	[ $rc = 0 ] || failed "$1"
	sed -n 's|^\(.*\) \(-*[0-9][0-9]*\)/-*[0-9]* *$|\2 \1|p' "$T/script" |
	    awk '{ pid = $1; $1 = ""; n[pid "|" ($0 ~ /^ [A-Za-z0-9_.\/-]+$/ ? substr($0, 2) : "?")]++ }
		END { for (i in n) print i "|" n[i] }' | sort >"$T/want"
	jq -r '.pids[] | "\(.pid)|\((.comm // "") | sub("^.*\n"; "") | if test("^[A-Za-z0-9_./-]+$") then . else "?" end) \(.samples)"' "$T/out" |
	    awk '{ n[$1] += $2 } END { for (i in n) print i "|" n[i] }' | sort >"$T/got"
	if perf_forgets; then
		sed -n 's|^ *:[0-9]* *\([0-9]*\)/.*|\1|p' "$T/script" | sort -u >"$T/forgot"
		by_pid "$T/want"
		by_pid "$T/got"
	fi
	diff "$T/want" "$T/got" >"$T/diff" || { rc= failed "$1: < perf script, > pstat: $(head -n 5 "$T/diff")"; }
	[ -n "${2-}" ] || return 0
	perf report --stats -i "$1" 2>/dev/null </dev/null | awk '/stats:$/ { all = /^Aggregated/; name = $0; sub(/ stats:$/, "", name); next }
		/events:/ && $1 != "TOTAL" { print (all ? $1 : name " " $1), $3 }' |
	    sed 's/^\(ATTR\|FEATURE\|TRACING_DATA\) /HEADER_\1 /' | sort >"$T/want"
	jq -r '(.types[] | "\(.name) \(.records)"),
	    (.events[] | select(.samples > 0) | "\(.name) SAMPLE \(.samples)"),
	    (.events[] | select(.lost_samples > 0) | "\(.name) LOST_SAMPLES \(.lost_samples)")' "$T/out" | sort >"$T/got"
	diff "$T/want" "$T/got" >"$T/diff" || { rc= failed "$1: < perf report --stats, > pstat: $(cat "$T/diff")"; }
}
can_record() {
	need record
	perf record -q -e cpu-clock -o "$T/try" "$@" true >/dev/null 2>&1 || skip "perf cannot record here: $*"
}

@test "pstat: samples per process and comm are perf's, of recordings with many tasks" {
	need perf
	for f in data/*.data "$CORPUS"/own/{a_g,forks,lost,sched_record,threads64}.*.data \
	    "$CORPUS"/foreign/quipper/perf.data.{forkexit-3.8,systemwide.[01]-3.8,throttle-3.8}; do
		case $f in
		*/s390x*.pipe.data)	continue;;	# perf 6.1 takes pid for tid in pipes of the other byte order
		*/p72_group_S*)		continue;;	# and totals of inherited events for those of one task
		esac
		[ ! -f "$f" ] || ! turn 5 || agrees "$f"
	done
	done_all
}

@test "pstat: a recording just made: counts, comms and samples are perf's" {
	can_record -a
	perf record -q -a -g -e cpu-clock,page-faults,context-switches -o - -- sh -c '
	    for i in 1 2 3 4 5 6 7 8; do (sh -c "head -c 2000000 /dev/zero | cksum" & wait); done' >"$T/many.pipe" 2>/dev/null
	agrees "$T/many.pipe" stats
	perf record -q -e '{cpu-clock,context-switches,page-faults}:S' -F 999 -o - -- sh -c '
	    i=0; while [ $i -lt 20 ]; do i=$((i + 1)); head -c 3000000 /dev/zero | cksum; done' >"$T/group.pipe" 2>/dev/null
	agrees "$T/group.pipe" stats
	perf record -q -e cpu-clock -o "$T/file" -- sh -c 'head -c 20000000 /dev/zero | cksum' >/dev/null 2>&1
	agrees "$T/file"
	done_all
}

@test "pstat: periods of running totals are perf's" {
	can_record
	perf record -q -a -e '{cpu-clock,context-switches,page-faults}:S' -F 499 -o "$T/file" -- sh -c '
	    i=0; while [ $i -lt 20 ]; do i=$((i + 1)); head -c 3000000 /dev/zero | cksum; done' >/dev/null 2>&1
	perf script -F event,period -i "$T/file" 2>/dev/null |
	    awk '{ sub(/:$/, "", $2); n[$2] += $1 } END { for (i in n) printf "%s|%d\n", i, n[i] }' | sort >"$T/want"
	try pstat --json "$T/file"
	[ -s "$T/want" ]
	rows events name period | grep -v '|0$' | diff "$T/want" -
}

@test "pstat: what waits for its turn is that of two rounds" {
	need jq
	cat >"$T/recipe" <<-X
	attr type=1 config=0 period=1 sample_type=TID|TIME flags=sample_id_all
	SAMPLE pid=1 tid=1 time=10
	FINISHED_ROUND
	SAMPLE pid=1 tid=1 time=30
	SAMPLE pid=1 tid=1 time=40
	FINISHED_ROUND
	SAMPLE pid=1 tid=1 time=50
	SAMPLE pid=1 tid=1 time=70
	SAMPLE pid=1 tid=1 time=60
	FINISHED_ROUND
	SAMPLE pid=1 tid=1 time=80
	X
	mkpipe "$T/recipe" | pstat --json >"$T/out"
	# before the third round ends nothing newer than 10 is delivered: 30 to 70 wait, 24 bytes each
	[ "$(jq -c '.order | [.held_max, .held_bytes_max, .held_max_ns]' "$T/out")" = '[5,120,60]' ] || failed "$(jq -c .order "$T/out")"
	# what waits at the end, and a round before the first record
	sed '/time=40/,$d' "$T/recipe" | sed '1a FINISHED_ROUND' >"$T/few"
	mkpipe "$T/few" | pstat --json >"$T/out"
	[ "$(jq -c '.order | [.held_max, .held_bytes_max, .held_max_ns]' "$T/out")" = '[2,48,20]' ] || failed "end: $(jq -c .order "$T/out")"
	mkpipe "$T/recipe" | pfilter --drop-type SAMPLE --allow vital-types | pstat --json >"$T/out"
	[ "$(jq -c '.order | [.held_max, .held_bytes_max, .held_max_ns]' "$T/out")" = '[0,0,0]' ] || failed "no samples: $(jq -c .order "$T/out")"
	# without rounds everything waits
	grep -v FINISHED_ROUND "$T/recipe" >"$T/none"
	mkpipe "$T/none" | pstat --json >"$T/out"
	[ "$(jq -c '.order | [.held_max, .held_max_ns]' "$T/out")" = '[7,70]' ] || failed "none: $(jq -c .order "$T/out")"
	done_all
}

@test "pstat: files with a build-id: by BUILD_ID before or after the map, or by MMAP2" {
	need jq
	id=00112233445566778899aabbccddeeff00112233
	stream <<-X
	attr type=1 config=0 period=1 sample_type=IP|TID|TIME flags=sample_id_all|mmap|mmap2 ids=1
	HEADER_BUILD_ID misc=0x8002 pid=-1 build_id=$id id_size=20 filename=/lib/before
	HEADER_BUILD_ID misc=0x8002 pid=-1 build_id=$id id_size=20 filename=/lib/not-mapped
	MMAP2 misc=2 pid=1 tid=1 start=0x1000 len=0x1000 prot=5 filename=/lib/before
	MMAP2 misc=2 pid=2 tid=2 start=0x1000 len=0x1000 prot=5 filename=/lib/before
	MMAP2 misc=2 pid=1 tid=1 start=0x2000 len=0x1000 prot=5 filename=/lib/after
	MMAP2 misc=2 pid=1 tid=1 start=0x3000 len=0x1000 prot=5 filename=/lib/none
	MMAP2 misc=2 pid=1 tid=1 start=0x4000 len=0x1000 prot=1 filename=/lib/data-only
	MMAP misc=2 pid=1 tid=1 start=0x5000 len=0x1000 filename=/lib/old-none
	MMAP misc=0x2002 pid=1 tid=1 start=0x6000 len=0x1000 filename=/lib/old-data
	MMAP2 misc=2 pid=1 tid=1 start=0x7000 len=0x1000 prot=5 filename=//anon
	MMAP2 misc=2 pid=1 tid=1 start=0x8000 len=0x1000 prot=5 filename=[vdso]
	MMAP2 misc=0x4002 pid=1 tid=1 start=0x9000 len=0x1000 build_id=$id prot=5 filename=/lib/mmap2
	HEADER_BUILD_ID misc=0x8002 pid=-1 build_id=$id id_size=20 filename=/lib/after
	X
	[ "$(pstat --json "$T/recipe.pipe" | jq -c ".files | {mapped, with_build_id}")" = '{"mapped":5,"with_build_id":3}' ] || failed "$(pstat --json "$T/recipe.pipe" | jq -c .files)"
	pstat "$T/recipe.pipe" | grep -qx 'build-ids   3 of 5 mapped files' || failed "screen"
	done_all
}

@test "pstat: files with a build-id are those of perf's maps and of perf buildid-list" {
	can_record
	for o in -q --buildid-mmap; do
		perf record -e cpu-clock $o -o "$T/file" -- sh -c 'head -c 20000000 /dev/zero | cksum' >/dev/null 2>&1 || skip "perf record $o"
		perf script --show-mmap-events -i "$T/file" 2>/dev/null </dev/null |
		    sed -n 's|.* PERF_RECORD_MMAP2 .* @ [^ ]* \(.*\)\]: [-r][-w]x[-ps] \(/.*\)$|\2 \1|p' | grep -v '^//anon' | sort -u >"$T/maps"
		perf buildid-list -i "$T/file" 2>/dev/null | sed 's/^[0-9a-f]* //' >"$T/ids"
		[ -s "$T/maps" ] && [ -s "$T/ids" ] || failed "$o: nothing to compare"
		want=$(awk 'NR == FNR { has[$0]; next } { all[$1]; if ($1 in has || $2 ~ /^</) ids[$1] }
			END { print length(ids), "of", length(all) }' "$T/ids" "$T/maps")
		got=$(pstat "$T/file" | sed -n 's/^build-ids  *\(.*\) mapped files$/\1/p')
		[ "$got" = "$want" ] || failed "$o: '$got', perf '$want'"
	done
	done_all
}
