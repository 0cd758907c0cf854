# SPDX-License-Identifier: ISC
# pstat: figures while the input is read (--interval, --live), and the input itself (--tee).
load lib
load pstat

setup_file() {
	export LIVE_JSON="$BATS_TEST_DIRNAME/pstat-interval.schema.json"
}

# Is it a pipe-mode stream?
is_stream() {
	case $(od -An -v -tx1 -N16 "$1" | tr -d ' \n') in
	50455246494c45321000000000000000|32454c49465245500000000000000010) return 0;;
	esac
	return 1
}
# teed FILE: what --tee writes of it.
teed() {
	if is_stream "$1"; then
		cat "$1"
	elif [[ $1 == *.zst ]] && zstd -qdc "$1" 2>/dev/null | head -c 16 >"$T/head" && is_stream "$T/head"; then
		zstd -qdc "$1" 2>/dev/null
	else
		pcat "$1" 2>/dev/null
	fi
}

# copies FILE: by name, and from a pipe; with the status that pstat has otherwise.
copies() {
	local want=0
	teed "$1" >"$T/want" || true
	command pstat "$1" >/dev/null 2>&1 || want=$?
	try command pstat --tee "$1"
	[ $rc = $want ] && cmp "$T/want" "$T/out" || failed "$1"
	try command pstat --tee --interval 10ms <"$1"
	[ $rc = $want ] && cmp "$T/want" "$T/out" || failed "<$1"
	rc=0
	cat "$1" | command pstat --tee -o /dev/null >"$T/out" 2>"$T/err" || rc=$?
	[ $rc = $want ] && cmp "$T/want" "$T/out" || failed "cat $1"
}

# ---- --tee ----------------------------------------------------------------------------------------

# The report on the screen as it is with --tee and --interval.
without_glance() {
	sed '/^findings/,/^contains/d'
}

@test "tee: each recording, a stream byte for byte, also a compressed one; others as pcat writes them" {
	for f in data/*.data data/gperf/*; do
		turn 3 || continue
		copies "$f"
	done
	if type -P zstd >/dev/null; then
		copies data/a_busy.pipe.data.zst
		zstd -q data/basic.file.data -o "$T/file.zst"
		copies "$T/file.zst"
	fi
	done_all
}

@test "tee: the corpus" {
	need corpus
	[ "$(sed 1d "$CORPUS/INDEX.tsv" | cut -f 1 | wc -l)" -gt 100 ]
	for f in $(sed 1d "$CORPUS/INDEX.tsv" | cut -f 1 | each 30); do
		[ "$(stat -c %s "$CORPUS/$f")" -gt 4000000 ] || copies "$CORPUS/$f"
	done
	done_all
}

@test "tee: of a damaged stream all bytes, with status 1; of what is no recording none" {
	for r in data/*.txt; do
		[ "$r" != data/law.txt ] && turn 3 || continue	# commands, no recipe
		mkpipe "$r" >"$T/in"
		try command pstat --tee <"$T/in"
		if is_stream "$T/in"; then
			cmp "$T/in" "$T/out" || failed "$r"
		else
			[ $rc = 1 ] && ! [ -s "$T/out" ] || failed "$r"
		fi
		n=$rc
		command pstat "$T/in" >/dev/null 2>&1 && rc=0 || rc=$?
		[ $rc = $n ] || failed "$r: status $n with --tee"
	done
	# one line says what is wrong, once, and the report is of what is before it
	in=$(recipe bad-size-7)
	try command pstat --tee -o "$T/report" "$in"
	[ $rc = 1 ]
	one_line "pstat: $in: byte "
	cmp "$in" "$T/out"
	command pstat "$in" 2>/dev/null | without_glance | cmp - "$T/report"
	# a payload that says more than there is, and a rest that is long
	{ cat "$in"; head -c 3000000 /dev/urandom; } >"$T/long"
	try command pstat --tee "$T/long"
	[ $rc = 1 ]
	cmp "$T/long" "$T/out"
	rc=0
	cat "$T/long" | command pstat --tee 2>/dev/null | cmp "$T/long" -
	done_all
}

@test "tee: every prefix of a stream" {
	for in in "$(recipe ordered)" "$(recipe zipped)"; do
		size=$(stat -c %s "$in")
		for ((n = 16; n < size; n += (ALL ? 1 : 7) + n / 20)); do
			head -c $n "$in" >"$T/cut"
			try command pstat --tee <"$T/cut"
			[ $rc -le 1 ] && cmp "$T/cut" "$T/out" || failed "$in: $n bytes"
		done
		head -c 15 "$in" | try command pstat --tee
		! [ -s "$T/out" ] || failed "$in: 15 bytes"
	done
	done_all
}

@test "tee: one byte per read and per write, storms of EINTR and EAGAIN make no difference" {
	for in in "$(recipe ordered)" "$(recipe all-types -b)" "$(recipe zipped)" data/sched_R.file.data; do
		teed "$in" >"$T/want"
		for plan in read:short,pread:short write:short read:EINTR,pread:EINTR write:EINTR read:EAGAIN write:EAGAIN; do
			turn 5 || continue
			try with_fault $plan pstat --tee --interval 1ms -o /dev/null "$in"
			[ $rc = 0 ] && cmp "$T/want" "$T/out" && ! [ -s "$T/err" ] || failed "$plan $in"
			cat "$in" | with_fault $plan pstat --tee -o /dev/null | cmp "$T/want" - || failed "cat | $plan $in"
		done
	done
	done_all
}

@test "tee: what was written into a FIFO arrives before more is sent" {
	for in in "$(recipe rounds)" "$(recipe zipped)" "$(recipe bad-size-7)"; do
		mkfifo "$T/fifo"
		command pstat --tee --interval 1s <"$T/fifo" >"$T/live" 2>/dev/null &
		pid=$!
		exec 7>"$T/fifo"
		size=$(stat -c %s "$in") at=0
		for n in 16 1 7 8 100 3 $size; do
			tail -c +$((at + 1)) "$in" | head -c $n >&7
			at=$((at + n < size ? at + n : size))
			await grown "$T/live" $at || failed "$in: $at bytes"
		done
		exec 7>&-
		wait $pid || true
		cmp "$in" "$T/live" || failed "$in"
		rm "$T/fifo"
	done
	done_all
}

@test "tee: the report goes to standard error or -o, in any form" {
	in=data/demo.data
	command pstat $in | without_glance >"$T/want"
	try command pstat --tee $in
	[ $rc = 0 ]
	cmp $in "$T/out"
	cmp "$T/want" "$T/err"
	try command pstat --tee -o "$T/report" $in
	[ $rc = 0 ]
	cmp $in "$T/out"
	! [ -s "$T/err" ] || false
	cmp "$T/want" "$T/report"
	command pstat --csv --table pids $in >"$T/want"
	try command pstat --tee --csv --table pids $in
	[ $rc = 0 ]
	cmp $in "$T/out"
	cmp "$T/want" "$T/err"
	command pstat --check --sort comm $in >"$T/want"
	try command pstat --tee --check --sort comm $in
	[ $rc = 0 ]
	cmp $in "$T/out"
	cmp "$T/want" "$T/err"
	# the header of a file has records that are in no stream
	command pstat --header data/sched_R.file.data >"$T/want"
	try command pstat --tee --header data/sched_R.file.data
	[ $rc = 0 ] && pcat data/sched_R.file.data | cmp - "$T/out" && cmp "$T/want" "$T/err"
}

@test "tee: an output that fails or ends" {
	in=$(recipe big)
	for f in "$in" data/basic.file.data; do
		rc=0
		command pstat --tee "$f" >/dev/full 2>"$T/err" || rc=$?
		[ $rc = 1 ] && tail -n 1 "$T/err" | grep -qx 'pstat: <stdout>: write: No space left on device' || failed "/dev/full: $f"
		rc=0
		command pstat --tee "$f" >&- 2>"$T/err" || rc=$?
		[ $rc = 1 ] && grep -q '^pstat: <stdout>: ' "$T/err" || failed "closed: $f"
		rc=0
		command pstat --tee "$f" 2>/dev/full >"$T/out" || rc=$?
		[ $rc = 1 ] && teed "$f" | cmp - "$T/out" || failed "no figures: $f"
	done
	# as for other tools SIGPIPE is the reason, but the figures are written
	mkpipe data/big.txt >"$T/one"
	for i in {1..40}; do tail -c +17 "$T/one" ; done | cat "$T/one" - >"$T/many"
	(trap - PIPE; bash -c 'pstat --tee "$1" 2>"$2"; echo $? >"$3"' - "$T/many" "$T/err" "$T/status" | head -c 100 >/dev/null)
	if [ "$(cat "$T/status")" = 141 ]; then
		grep -q '^lost ' "$T/err"
	else	# ignored where this test runs
		grep -q '<stdout>: write: Broken pipe' "$T/err"
	fi
	done_all
}

@test "tee, interval, live: what is refused" {
	cp data/demo.data "$T/in"
	refused() {
		try "$@"
		[ $rc = 2 ] && one_line "pstat: " && ! [ -s "$T/out" ] || failed "$*"
	}
	refused command pstat --live "$T/in"
	refused command pstat --interval 0 "$T/in"
	refused command pstat --interval 0.5ms "$T/in"
	refused command pstat --interval x "$T/in"
	refused command pstat --interval 1s --csv --table pids "$T/in"
	refused command pstat --interval 1s --merge "$T/in"
	refused command pstat --interval 1s --picture rate "$T/in"
	refused command pstat --tee --diff "$T/in" "$T/in"
	refused command pstat --tee -o /dev/stdout "$T/in"
	refused command pstat --tee --check data/sched_R.file.data
	rc=0
	command pstat --tee "$T/in" >"$T/out" 2>&1 || rc=$?
	mv "$T/out" "$T/err"
	[ $rc = 2 ] && one_line "pstat: --tee: the report would be written into the stream" || failed "2>&1"
	rc=0
	command pstat --tee "$T/in" >>"$T/in" 2>"$T/err" || rc=$?
	[ $rc = 2 ] && one_line "pstat: <stdout>: is also the input" && cmp data/demo.data "$T/in" || failed "its own input"
	done_all
}

# ---- --interval ------------------------------------------------------------------------------------

# lines OPTION... FILE: those of --interval --json; the report, which comes after them, is in $T/report.
lines() {
	command pstat --json "$@" >"$T/json" 2>/dev/null || true
	tail -n 1 "$T/json" >"$T/report"
	sed '$d' "$T/json" >"$T/lines"
}

@test "interval: the sums over all lines are those of the report, and each line is of the schema" {
	need jq
	for r in all-types rounds read-group zipped two-events late followers ordered bad-sample-short; do
		recipe $r >>"$T/recipes"
	done
	for f in $(cat "$T/recipes") data/*.data; do
		for every in 1ms 1s; do
			command pstat --json --interval $every "$f" 2>/dev/null | jq -s -c '
			    .[:-1] as $l | last as $r |
			    [($r.records, $r.samples, $r.bytes, $r.lost.throttled) - 0] ==
				([$l | (map(.records), map(.samples), map(.bytes), map(.throttled)) | add // 0]),
			    ($l | all(.exact) and ([.[].time_ns // 0] | . == sort) and all(.[]; (.time_ns // 0) % .duration_ns == 0) and
				([.[].line] == [range(length)]))' >"$T/out"
			[ "$(paste -sd ' ' "$T/out")" = "true true" ] || failed "$every $f: $(cat "$T/out")"
		done
	done
	done_all
}

@test "interval: each line is of the schema, and pstat(1) has its members" {
	need jq
	need_module jsonschema
	for f in data/demo.data data/s390x_basic.pipe.data "$(recipe all-types)" "$(recipe escape)"; do
		lines --interval 10ms -s comm,pid "$f"
		rm -rf "$T/each"
		mkdir "$T/each"
		(cd "$T/each" && split -l 1 "$T/lines")
		$PYTHON pstat.py schema "$LIVE_JSON" "$T/each"/* || failed "$f"
		$PYTHON pstat.py schema pstat.schema.json "$T/report" || failed "$f: report"
	done
	sed -n '/^\.Ss Lines of/,/^\.Sh EXIT/p' ../man/pstat.1 | tr ' ,' '\n\n' | sort -u >"$T/page"
	for m in $(jq -r '.properties | keys[]' "$LIVE_JSON"); do
		grep -qxF -- "$m" "$T/page" || failed "$m"
	done
	done_all
}

@test "interval: samples of each are those of perf script with that time" {
	need perf
	need jq
	for f in data/demo.data data/basic.pipe.data data/g_fp.pipe.data data/k_mono.pipe.data data/multi.pipe.data; do
		for ms in 10 100; do
			lines --interval ${ms}ms "$f"
			jq -s -e 'all(.late == 0)' "$T/lines" >/dev/null || continue
			jq -r 'select(.samples > 0) | "\(.time_ns / 1000000) \(.samples)"' "$T/lines" >"$T/got"
			perf script -f --ns -G -F time -i - <"$f" 2>/dev/null | sed -n 's/^ *\([0-9]*\.[0-9]*\): *$/\1/p' |
			    awk -v ms=$ms '{ split($1, t, "."); n[int((t[1] * 1000 + t[2] / 1000000) / ms + 1e-9) * ms]++ }
				END { for (i in n) print i, n[i] }' | sort -n >"$T/want"
			[ -s "$T/want" ] && diff "$T/want" "$T/got" || failed "$f: $ms ms"
			echo x >>"$T/compared"
		done
	done
	[ "$(wc -l <"$T/compared")" -ge 6 ]
	done_all
}

# Two CPUs in rounds; the second is read later.
small() {
	cat <<-'END'
	attr type=1 config=0 period=1 sample_type=IDENTIFIER|IP|TID|TIME|CPU|PERIOD flags=sample_id_all|comm|task ids=11,12
	COMM pid=1 tid=1 comm=one
	COMM pid=2 tid=2 comm=t\x1bwo
	SAMPLE ip=1 pid=1 tid=1 id=11 cpu=0 time=1000000000 period=1
	SAMPLE ip=1 pid=1 tid=1 id=11 cpu=0 time=3500000000 period=1
	LOST id=11 lost=7 @ pid=1 tid=1 id=11 cpu=0 time=3600000000
	SAMPLE ip=1 pid=2 tid=2 id=12 cpu=1 time=1200000000 period=1
	SAMPLE ip=1 pid=2 tid=2 id=12 cpu=1 time=1300000000 period=1
	THROTTLE time=1400000000 id=12 stream_id=12 @ pid=2 tid=2 id=12 cpu=1 time=1400000000
	FINISHED_ROUND
	SAMPLE ip=1 pid=9 tid=9 id=11 cpu=0 time=4000000000 period=1
	SAMPLE ip=1 pid=2 tid=2 id=12 cpu=1 time=3200000000 period=1
	SAMPLE ip=1 pid=2 tid=2 id=12 cpu=1 time=3300000000 period=1
	FINISHED_ROUND
	FINISHED_ROUND
	SAMPLE ip=1 pid=1 tid=1 id=11 cpu=0 time=1100000000 period=1
	SAMPLE ip=1 pid=1 tid=1 id=11 cpu=0 time=9000000000 period=1
	FINISHED_ROUND
	END
}

@test "interval: a record counts at its time, though CPUs come one after the other; a late one in the oldest that is open" {
	small >"$T/small.txt"
	mkpipe "$T/small.txt" >"$T/small"
	command pstat --interval 1s "$T/small" | sed -n '/^input/q; p' >"$T/got"
	awk '/ empty interval/ { print; next } { print substr($0, 1, 25) substr($0, 34, 19) substr($0, 63) }' "$T/got" | tee "$T/cut"
	diff - "$T/cut" <<-'END'
	          TIME  SAMPLES/S   LOST LOST-S  THR    BEHIND  TOP COMM
	         1.000          3      0      0    1         -  t^[wo 66.7%
	           ... 1 empty interval
	         3.000          3      7      0    0         -  t^[wo 66.7%
	         4.000          2      0      0    0         -  :9 50.0%  (1 late)
	           ... 4 empty intervals
	         9.000          1      0      0    0         -  one 100.0%
	END
}

@test "interval: of a long stream without FINISHED_ROUND, an interval waits for the end of the next one" {
	need jq
	{
		echo "attr type=1 config=0 period=1 sample_type=IP|TID|TIME|PERIOD flags=sample_id_all ids=1"
		awk 'BEGIN { for (i = 0; i < 280; i++) print "rec type=200 zeros=60000" }'
		for t in 1 2 1 3 2 1 5; do echo "SAMPLE ip=1 pid=1 tid=1 time=${t}000000000 period=1"; done
	} >"$T/plain.txt"
	mkpipe "$T/plain.txt" >"$T/plain"
	lines --interval 1s "$T/plain"
	[ "$(jq -c '[.time_ns / 1000000000, .samples, .late, .disorder_ns / 1000000000, .empty]' "$T/lines" | paste -sd ' ')" = \
	    "[1,2,0,1,0] [2,2,0,1,0] [3,2,1,2,0] [5,1,0,0,1]" ]
	# a short one is known as a whole before the first line
	sed -i /type=200/d "$T/plain.txt"
	mkpipe "$T/plain.txt" >"$T/plain"
	lines --interval 1s "$T/plain"
	[ "$(jq -c '[.time_ns / 1000000000, .samples, .late, .disorder_ns / 1000000000, .empty]' "$T/lines" | paste -sd ' ')" = \
	    "[1,3,0,2,0] [2,2,0,1,0] [3,1,0,0,0] [5,1,0,0,1]" ]
}

@test "interval: a jump of a year, and one back, are a few lines" {
	need jq
	year=31536000
	{
		echo "attr type=1 config=0 period=1 sample_type=IP|TID|TIME|PERIOD flags=sample_id_all ids=1"
		for t in 10 $((year + 10)) 11 $((year + 11)) 18446744073; do
			echo "SAMPLE ip=1 pid=1 tid=1 time=${t}000000000 period=1"
		done
	} >"$T/year.txt"
	sed 's/^SAMPLE.*/&\nFINISHED_ROUND/' "$T/year.txt" >"$T/rounds.txt"
	for f in year rounds; do
		mkpipe "$T/$f.txt" >"$T/$f"
		timeout -s KILL 60 pstat --interval 1s "$T/$f" | sed -n '/^input/q; p' >"$T/got"
		[ "$(wc -l <"$T/got")" -le 9 ] && grep -q " ... $((year - 1)) empty intervals$" "$T/got" || failed "$f: $(cat "$T/got")"
		timeout -s KILL 60 pstat --interval 1ms "$T/$f" | sed -n '/^input/q; p' >"$T/got"
		[ "$(wc -l <"$T/got")" -le 9 ] && grep -q " ... $((year - 1))999 empty intervals$" "$T/got" ||
		    failed "$f, 1ms: $(cat "$T/got")"
		lines --interval 1s "$T/$f"
		[ "$(jq -s 'map(.samples) | add' "$T/lines")" = 5 ] || failed "$f: sum"
	done
	done_all
}

@test "interval: the heading comes again after 20 lines; 70,000 threads are counted, if not each by name" {
	need jq
	{
		echo "attr type=1 config=0 period=1 sample_type=IP|TID|TIME|PERIOD flags=sample_id_all ids=1"
		for ((t = 1; t <= 50; t++)); do echo "SAMPLE ip=1 pid=1 tid=1 time=${t}000000000 period=1"; done
		awk 'BEGIN { for (i = 1; i <= 70000; i++) print "SAMPLE ip=1 pid=" i " tid=" i " time=60000000000 period=1" }'
	} >"$T/many.txt"
	mkpipe "$T/many.txt" >"$T/many"
	[ "$(command pstat --interval 1s "$T/many" | grep -n 'TOP COMM$' | cut -d : -f 1 | paste -sd ' ')" = "1 22 43" ]
	lines --interval 1s "$T/many"
	[ "$(tail -n 1 "$T/lines" | jq -c '[.samples, .exact, .comm_samples, .empty]')" = "[70000,false,1,9]" ]
	[ "$(head -n 1 "$T/lines" | jq -c '[.samples, .exact, .comm]')" = '[1,true,":1"]' ]
}

@test "interval: a silent stream has its lines, and what has passed is not held back" {
	small | sed '/FINISHED_ROUND/,$d' >"$T/small.txt"
	mkpipe "$T/small.txt" >"$T/small"
	mkfifo "$T/fifo"
	command pstat --interval 20ms <"$T/fifo" >"$T/live" 2>"$T/err" &
	pid=$!
	exec 7>"$T/fifo"
	await grep -q '^ *-  *0 ' "$T/live"
	cat "$T/small" >&7
	await grep -q '^  *1\.400 ' "$T/live"
	! grep -q '^  *3\.600 ' "$T/live" || false		# it may not be over
	exec 7>&-
	wait $pid
	grep -q '^  *3\.600 ' "$T/live"
	grep -q '^input' "$T/live"
}

@test "interval: how far the clock is ahead is known if the recording says its clock, and it comes through a pipe" {
	need jq
	lines --interval 1h data/k_mono.pipe.data
	jq -s -e 'all(.behind_ns == null)' "$T/lines"
	cat data/basic.pipe.data | command pstat --json --interval 1ms | sed '$d' | jq -s -e 'all(.behind_ns == null)'
	# the last line is of what has ended
	cat data/k_mono.pipe.data | command pstat --json --interval 1ms | sed '$d' >"$T/lines"
	jq -s -e 'last.behind_ns == null' "$T/lines"
}

# ---- signals, the terminal ---------------------------------------------------------------------------

# begin OPTION...: pstat with these reads $T/fifo, and has read what is in $T/small.
begin() {
	small >"$T/small.txt"
	mkpipe "$T/small.txt" >"$T/small"
	rm -f "$T/fifo" "$T/live"
	mkfifo "$T/fifo"
	# a shell starts what runs in the background with SIGINT ignored
	$PYTHON -c 'import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL); signal.signal(signal.SIGPIPE, signal.SIG_DFL)
os.execvp("pstat", ["pstat"] + sys.argv[1:])' "$@" <"$T/fifo" >"$T/live" 2>"$T/err" &
	pid=$!
	exec 7>"$T/fifo"
	cat "$T/small" >&7
}

@test "signals: the first SIGINT is the writer's; the second ends the reading, and the totals are written" {
	begin --tee --interval 1ms
	await grep -q 'TOP COMM' "$T/err"
	kill -INT $pid
	tail -c +17 "$T/small" >&7
	await grown "$T/live" $((2 * $(stat -c %s "$T/small") - 16))
	! grep -q ^input "$T/err" || false
	kill -INT $pid
	rc=0; wait $pid || rc=$?
	exec 7>&-
	[ $rc = 130 ]
	{ cat "$T/small"; tail -c +17 "$T/small"; } | cmp - "$T/live"
	grep -q '^size .* 18 samples' "$T/err"
}

@test "signals: SIGTERM writes the totals, too" {
	begin --interval 1ms
	await grep -q 'TOP COMM' "$T/live"
	kill -TERM $pid
	rc=0; wait $pid || rc=$?
	exec 7>&-
	[ $rc = 143 ]
	grep -q '^input' "$T/live"
	begin --tee -o "$T/report"
	await grown "$T/live" "$(stat -c %s "$T/small")"
	kill -TERM $pid
	rc=0; wait $pid || rc=$?
	exec 7>&-
	[ $rc = 143 ] && grep -q '^input' "$T/report"
}

@test "live: 24 lines on a terminal, which is as it was after Ctrl-C" {
	need_module pty
	small | sed 's/comm=one/comm=o\\x1bne/' >"$T/small.txt"
	mkpipe "$T/small.txt" >"$T/small"
	for lang in C.UTF-8 C; do
		PYTHONPATH=. $PYTHON - "$T/small" "$T/screen" $lang <<-'END'
		import os, sys, time
		from terminal import Terminal
		stream, screen, lang = sys.argv[1:]
		t = Terminal(["pstat", "--live", "--interval", "20ms", "-o", "/dev/null"], 30, 60, {"LC_ALL": lang})
		os.write(t.feed, open(stream, "rb").read())
		sent, end = 0, time.time() + 60
		while time.time() < end and t.read(0.05):
		    if t.out.count(b"SAMPLES") >= 4 * (sent + 1) and sent < 2:
		        os.write(t.fd, b"\x03")	# the first is for the writer
		        sent += 1
		status, out = t.status(), t.out
		assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == 2, (status, out[-300:])
		open(screen, "wb").write(out)
		# each picture begins where the last one began, and at the end nothing is left
		import re
		pictures = re.split(rb"\x1b\[(\d+)F", out.replace(b"\r", b"").replace(b"^C", b""))
		assert pictures[-1] == b"\x1b[J", pictures[-1]
		assert len(pictures) >= 5
		for text, up in zip(pictures[0::2], pictures[1::2]):
		    text = text.decode()
		    assert text.count("\n") == int(up) <= 24, (text, up)
		    assert all(len(l.replace("\x1b[K", "").replace("\x1b[J", "")) < 60 for l in text.split("\n")), text
		    assert set(re.findall("\x1b.", text)) <= {"\x1b["}, text
		    assert set(re.findall("\x1b\\[.", text)) == {"\x1b[K", "\x1b[J"}, text
		text = pictures[-3].decode()
		assert "o^[ne" in text and "rate" in text, text
		assert text.isascii() == (lang == "C"), text
		assert ("@| 100/s" if lang == "C" else "█| 100/s") in re.sub(" +\\|", "|", text), text
		END
	done
}

@test "live: a real pipeline: the figures come while perf records, and the stream goes on" {
	need record
	need native
	perf record -q -e cpu-clock -F 999 -k mono -o - -- sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done; exec sleep 0.3' 2>/dev/null |
	    command pstat --tee --interval 50ms 2>"$T/figures" | tee "$T/stream" | pfilter --comms sh >"$T/part"
	grep -q 'TOP COMM' "$T/figures"
	command pstat "$T/stream" | sed 1d | without_glance >"$T/want"
	sed '1,/^input/d' "$T/figures" | diff "$T/want" -
	[ "$(command pstat "$T/part" | grep -c '^sh ')" -ge 1 ]
}
