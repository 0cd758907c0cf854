# SPDX-License-Identifier: ISC
# gperftools CPU profiles, in and out.
load lib

# slots WIDTH l|b VALUE...: words of so many bytes, little or big endian.
slots() {
	local w=$1 order=$2 v i h text
	shift 2
	for v; do
		printf -v h "%0$((2 * w))x" "$v"
		text=
		for ((i = 0; i < 2 * w; i += 2)); do
			if [ $order = b ]; then text+="\\x${h:i:2}"; else text="\\x${h:i:2}$text"; fi
		done
		printf "$text"
	done
}

# tiny WIDTH l|b: a profile at 100 Hz of 12 ticks in three stacks.
tiny() {
	slots $1 $2 0 3 0 10000 0  5 3 0x8048100 0x8048200 0x8048300  1 1 0x8048104  6 2 0xf7701010 0x8048210  0 1 0
	cat data/gperf/maps.txt
}

# ticks: three records and the trailer, of 64 bits; what a test adds comes in front of the trailer.
ticks() {
	slots 8 l 0 3 0 1000 0  1 2 0x8048100 0x8048200  2 1 0x8048104 "$@"
}

# slots_of FILE [N]: the slots, or the first N, of a profile of 64 bits, in the byte order of the machine that the tools run on.
slots_of() {
	od -An -v -tu8 -w8 --endian="$(big_endian && echo big || echo little)" "$1" | head -n "${2-99}" | xargs
}

# The samples of a stream: time, period and callchain, one line each.
samples() {
	perf script -D -f -i "$1" 2>/dev/null | awk '
		/PERF_RECORD_SAMPLE/ { if (line) print line; sub(/.*period: /, $1 " "); line = $1 " " $2; next }
		line && /^\.\.\.\.\. +[0-9]+: / { sub(/^0+/, "", $3); line = line " " $3; next }
		line && !/^\.\.\. / { print line; line = "" }
		END { if (line) print line }'
}

# libprofiler.so, or nothing.
profiler() {
	ls /usr/lib/*/libprofiler.so* /usr/lib*/libprofiler.so* /usr/local/lib*/libprofiler.so* 2>/dev/null | head -n 1
}

# profile: $T/spin and its profile $T/spin.cpu.
profile() {
	need cc; need google-pprof
	[ -n "$(profiler)" ] || skip "libprofiler is not installed"
	cc -O1 -g -fno-omit-frame-pointer -o "$T/spin" data/gperf/spin.c
	LD_PRELOAD=$(profiler) CPUPROFILE=$T/spin.cpu CPUPROFILE_FREQUENCY=500 "$T/spin" >/dev/null 2>&1
	[ -s "$T/spin.cpu" ]
}

# pprof FILE: the output of google-pprof.
pprof() {
	google-pprof --text "$T/spin" "$1" 2>/dev/null
}

@test "gperf: 32 and 64 bits of both byte orders are one stream" {
	tiny 8 l >"$T/tiny.cpu"
	pcat "$T/tiny.cpu" >"$T/want"
	for form in "8 b" "4 l" "4 b"; do
		tiny $form >"$T/form.cpu"
		pcat "$T/form.cpu" | cmp - "$T/want" || failed "$form"
		pcat <"$T/form.cpu" | cmp - "$T/want" || failed "$form from standard input"
		tiny $form | pcat | cmp - "$T/want" || failed "$form from a pipe"
	done
	for t in psort pfilter; do
		$t "$T/tiny.cpu" | cmp - "$T/want" || failed "$t"
	done
	done_all
}

@test "gperf: what perf makes of it" {
	need perf
	tiny 8 l | pcat >"$T/tiny"
	samples "$T/tiny" | diff - <(cat <<-'END'
		50000000 50000000 fffffffffffffe00 8048100 8048200 8048300
		60000000 10000000 fffffffffffffe00 8048104
		120000000 60000000 fffffffffffffe00 f7701010 8048210
	END
	)
	perf script -f -i "$T/tiny" --show-mmap-events 2>/dev/null | grep MMAP2 |
	    sed 's/^\(a program with\)  */\1      /' | diff - <(cat <<-'END'
		a program with      1     0.000000: PERF_RECORD_MMAP2 1/1: [0x8048000(0x2000) @ 0x1000 08:02 131 0]: r-xp /usr/local/bin/a program with a long name (deleted)
		a program with      1     0.000000: PERF_RECORD_MMAP2 1/1: [0x40000000(0x15000) @ 0 00:00 0 0]: r-xp /srv/build/lib/ld-2.3.2.so
		a program with      1     0.000000: PERF_RECORD_MMAP2 1/1: [0xf7700000(0x12000) @ 0x1a000 fd:01 4294967297 0]: r-xs /usr/lib/libb $buildings.so
		a program with      1     0.000000: PERF_RECORD_MMAP2 1/1: [0xf7800000(0x1000) @ 0 00:00 0 0]: rwxp //anon
		a program with      1     0.000000: PERF_RECORD_MMAP2 1/1: [0xffffe000(0x1000) @ 0 00:00 0 0]: r-xp [vdso]
	END
	)
	perf report -f -i "$T/tiny" --stdio 2>/dev/null | grep -q "of event 'cpu-clock'"
}

@test "gperf: --expand-counts repeats samples" {
	need perf
	tiny 4 b | pcat --expand-counts >"$T/tiny"
	samples "$T/tiny" >"$T/out"
	[ "$(grep -c . "$T/out")" -eq 12 ]
	[ "$(grep -c ' 10000000 fffffffffffffe00 8048100 8048200 8048300$' "$T/out")" -eq 5 ]
	[ "$(tail -n 1 "$T/out")" = "120000000 10000000 fffffffffffffe00 f7701010 8048210" ]
}

@test "gperf: what is sound before a fault comes out" {
	while IFS='|' read -r name more want; do
		ticks $more >"$T/bad.cpu"
		try pcat "$T/bad.cpu"
		[ $rc -eq 1 ] && one_line "pcat: $T/bad.cpu: byte 96: CPU profile$want" || failed "$name"
		if perf_reads; then
			[ "$(samples "$T/out" | grep -c .)" -eq 2 ] || failed "$name: samples"
		fi
	done <<-'END'
		no trailer||: cut short, no trailer
		count and depth cut|1 1| record: cut short, 16 bytes
		chain cut|1 3 0x1000 0x2000| record: cut short, 2 of 3 addresses
		count 0|0 2 0x1000 0x2000| record: a count of 0
		depth 0|1 0 0x1000| record: no addresses
		depth past the end|1 0x7fffffffffffffff 0x1000| record: cut short, 1 of 9223372036854775807 addresses
		depth that wraps around|1 0x2000000000000001 0x1000 0 0| record: cut short, 3 of 2305843009213693953 addresses
		count too large|0x7fffffffffffffff 1 0x1000 0 1 0| record: a count of 9223372036854775807 periods
	END
	ticks 0x100000000 1 0x1000 0 1 0 >"$T/bad.cpu"
	try pcat --expand-counts "$T/bad.cpu"
	[ $rc -eq 1 ] && one_line "pcat: $T/bad.cpu: byte 96: CPU profile record: a count of 4294967296;" || failed expand
	done_all
}

@test "gperf: maps that are missing, or cut" {
	ticks 0 1 0 >"$T/bad.cpu"
	try pcat "$T/bad.cpu"
	[ $rc -eq 1 ] && one_line "pcat: $T/bad.cpu: byte 120: CPU profile maps: none" || failed "no maps"
	[ "$(wc -c <"$T/out")" -gt 200 ] || failed "no samples without maps"
	{ ticks 0 1 0; head -c 60 data/gperf/maps.txt; } >"$T/bad.cpu"
	try pcat "$T/bad.cpu"
	[ $rc -eq 1 ] && one_line "pcat: $T/bad.cpu: byte 137: CPU profile maps: cut short in a line" || failed "cut maps"
	done_all
}

@test "gperf: bad headers" {
	while IFS='|' read -r slots want; do
		{ slots 8 l $slots; slots 8 l 1 1 0x1000 0 1 0; } >"$T/bad.cpu"
		try pcat "$T/bad.cpu"
		[ $rc -eq 1 ] && one_line "pcat: $T/bad.cpu: byte $want" && ! [ -s "$T/out" ] || failed "$slots"
	done <<-'END'
		0 3 1 1000 0|16: CPU profile header: version 1
		0 3 0 0x100000000 0|24: CPU profile header: a sampling period of 4294967296 us
		0 2 0 1000 0|0: not a perf recording
		0 1000 0 1000 0|0: CPU profile header: cut short, 88 of 8016 bytes
	END
	{ slots 8 l 0 3 0 0 0  7 1 0x8048100  0 1 0; cat data/gperf/maps.txt; } >"$T/zero.cpu"
	try pcat "$T/zero.cpu"
	[ $rc -eq 0 ] && one_line "pcat: warning: $T/zero.cpu: a sampling period of 0 us" || failed "period 0"
	done_all
}

@test "gperf: every cut is noticed" {
	tiny 4 l >"$T/tiny.cpu"
	pcat "$T/tiny.cpu" >"$T/want"
	end=$((4 * 20))			# of the trailer
	for ((n = 1; n < end; n++)); do
		head -c $n "$T/tiny.cpu" >"$T/cut.cpu"
		try pcat "$T/cut.cpu"
		[ $rc -eq 1 ] && one_line "pcat: $T/cut.cpu: byte " || failed "$n bytes"
		((n < 16 || n >= 20)) || grep -q "byte 0: CPU profile header: cut short, $n of 20 bytes" "$T/err" || failed "$n bytes of the header"
	done
	done_all
}

@test "gperf: long callchains are cut, with a warning" {
	{ slots 8 l 0 3 0 1000 0  1 9000
	  yes "$(printf 'aaaaaaa')" | head -n 9000 | tr -d '\r'	# 8 bytes each
	  slots 8 l 1 1 0x8048100  0 1 0; cat data/gperf/maps.txt; } >"$T/long.cpu"
	try pcat "$T/long.cpu"
	[ $rc -eq 0 ]
	one_line "pcat: warning: $T/long.cpu: 1 of 2 callchains have more than 8000 addresses"
	[ "$(wc -c <"$T/out")" -gt 64000 ]
	pcat -q "$T/long.cpu" | psort | cmp - <(pcat -q "$T/long.cpu")
}

@test "gperf: perf report has the functions and the ticks that google-pprof has" {
	need perf
	profile
	pcat "$T/spin.cpu" >"$T/spin.pipe"
	pprof "$T/spin.cpu" | awk '$6 ~ /^(adds|divides|both|recurse|main)$/ && $1 { print $6, $1 }' | sort >"$T/want"
	perf report -f -i "$T/spin.pipe" --stdio -g none --no-children -F period,symbol 2>/dev/null |
	    awk '$3 ~ /^(adds|divides|both|recurse|main)$/ { print $3, $1 / 2000000 }' | sort >"$T/got"
	grep -q '^adds ' "$T/want"
	grep -q '^divides ' "$T/want"
	diff "$T/want" "$T/got"
	# callers: the ticks in which a function is anywhere in the chain
	pprof "$T/spin.cpu" | awk '$6 ~ /^(both|recurse|main)$/ { print $6, $4 }' | sort >"$T/want"
	perf script -f -i "$T/spin.pipe" -F period,ip,sym 2>/dev/null | awk '
		NF == 1 { period = $1; split("", seen) }
		NF == 2 && !seen[$2]++ { sum[$2] += period / 2000000 }
		END { for (f in sum) if (f ~ /^(both|recurse|main)$/) print f, sum[f] }' | sort >"$T/got"
	[ "$(wc -l <"$T/want")" -eq 3 ]
	diff "$T/want" "$T/got"
}

@test "gperf: out again it is the same to google-pprof" {
	profile
	pcat "$T/spin.cpu" | pcat --format=gperftools >"$T/again.cpu"
	pprof "$T/spin.cpu" >"$T/want"
	[ "$(wc -l <"$T/want")" -ge 4 ]
	pprof "$T/again.cpu" | diff "$T/want" -
	pcat --expand-counts "$T/spin.cpu" | pcat --format=gperftools | cmp - "$T/again.cpu"
	pcat "$T/again.cpu" | pcat --format=gperftools | cmp - "$T/again.cpu"
}

@test "gperf: a recording of perf as a profile" {
	need perf; need cc; need google-pprof
	cc -O1 -g -fno-omit-frame-pointer -o "$T/spin" data/gperf/spin.c
	perf record -q -e cpu-clock:u -c 2000000 -g -o - "$T/spin" 2>/dev/null >"$T/spin.pipe" ||
	    skip "perf can't record here"
	pcat --format=gperftools -o "$T/spin.cpu" "$T/spin.pipe"
	perf report -f -i "$T/spin.pipe" --stdio -g none --no-children -F sample,symbol 2>/dev/null |
	    awk '$3 ~ /^(adds|divides)$/ { print $3, $1 }' | sort >"$T/want"
	pprof "$T/spin.cpu" | awk '$6 ~ /^(adds|divides)$/ { print $6, $1 }' | sort | diff "$T/want" -
	[ "$(wc -l <"$T/want")" -eq 2 ]
	grep -aq "r-xp .* $T/spin\$" "$T/spin.cpu"
}

@test "gperf: one process, one event" {
	in=data/demo.data
	try pcat --format=gperftools -o "$T/out.cpu" $in
	[ $rc -eq 1 ] && one_line "pcat: $T/out.cpu: a CPU profile holds one process, but 42 and 80 have samples" ||
	    failed "two processes"
	! [ -e "$T/out.cpu" ] || failed "a half file"
	try pcat --format=gperftools --pid=42 -o "$T/out.cpu" $in
	[ $rc -eq 0 ] && pcat "$T/out.cpu" >/dev/null || failed "--pid"
	try pcat --format=gperftools --pid=42 -o "$T/out.cpu" $in
	[ $rc -eq 2 ] || failed "overwrites"
	try pcat --format=gperftools --pid=7 -o "$T/none.cpu" $in
	[ $rc -eq 1 ] && one_line "pcat: $T/none.cpu: no samples" || failed "no samples"
	try pcat --format=gperftools --event=nosuch -o "$T/none.cpu" $in
	[ $rc -eq 2 ] && one_line "pcat: --event 'nosuch': no such event" && ! [ -e "$T/none.cpu" ] || failed "no event"
	done_all
}

# shares FILE...: of each by itself: periods by comm and file, in what perf report says
shares() {
	local f
	for f; do
		perf report -f -i "$f" --stdio -g none --no-children -F period,comm,dso 2>/dev/null
	done | sed '/^#/d; /^ *$/d; s/  */ /g' | sort
}

@test "gperf: profiles of two programs are two processes of a joined stream" {
	need perf
	n=data/gperf/n.prof o=data/gperf/o.prof
	pcat $n >"$T/n"; pcat $o >"$T/o"
	shares "$T/n" "$T/o" >"$T/want"
	grep -q loadnp "$T/want" && grep -q otherp "$T/want" || failed "perf says nothing"
	pcat $n $o | psort -q >"$T/pipe"
	psort --merge $n $o >"$T/merge"
	psort --merge --merge-attrs $o $n >"$T/other"
	cat $o | psort --merge --merge-attrs $n - >"$T/live"
	pcat --merge-attrs $n data/basic.pipe.data >"$T/host"	# the profile is the one that moves
	psort -q --merge "$T/n" "$T/o" >"$T/streams"
	for f in pipe merge other live streams; do
		shares "$T/$f" | diff "$T/want" - >"$T/diff" || failed "$f: $(head -n 6 "$T/diff")"
		[ "$(perf script -f -G -i "$T/$f" -F pid 2>/dev/null | sort -u | grep -c .)" = 2 ] || failed "$f: pids"
	done
	perf script -f -G -i "$T/host" -F comm,pid 2>/dev/null | sed 's/^ *//; s/  */ /g; s/ $//' | sort -u >"$T/got"
	grep -qx 'loadnp 4194305' "$T/got" && ! grep -v loadnp "$T/got" | grep -q ' 4[0-9]\{6\}$' || failed "host: $(cat "$T/got")"
	done_all
}

@test "gperf: one profile of two programs is refused; two of one program join" {
	n=data/gperf/n.prof o=data/gperf/o.prof
	for two in "$n $o" "$n $n $o" "$o $n"; do
		try pcat --allow same-input --format=gperftools -o "$T/out.cpu" $two
		[ $rc = 2 ] && one_line "pcat: data/gperf/" && grep -q 'is a profile of .*, and their maps differ' "$T/err" || failed "$two"
		! [ -e "$T/out.cpu" ] || failed "$two: a file"
	done
	try pcat --allow same-input --format=gperftools --pid=1 $n $o
	[ $rc = 0 ] || failed "--pid"
	pcat --format=gperftools $n | cmp - "$T/out" || failed "--pid chooses"
	cp $n "$T/n.prof"
	try pcat --format=gperftools --merge-attrs $n "$T/n.prof"
	[ $rc = 0 ] && cp "$T/out" "$T/twice.cpu" || failed "one program"
	ticks_of() { pcat "$1" | pstat --json | jq -r '.events[].period'; }
	if command -v jq >/dev/null; then
		[ "$(ticks_of "$T/twice.cpu")" = $((2 * $(ticks_of $n))) ] || failed "ticks: $(ticks_of "$T/twice.cpu")"
	fi
	if command -v google-pprof >/dev/null; then
		google-pprof --text --addresses /bin/true "$T/twice.cpu" >"$T/twice" 2>"$T/err" || failed "google-pprof"
		google-pprof --text --addresses /bin/true $n >"$T/once" 2>"$T/err"
		awk '!/^Total/ { print 2 * $1, $6 }' "$T/once" | sort | diff - <(awk '!/^Total/ { print $1, $6 }' "$T/twice" | sort) || failed "google-pprof: counts"
	fi
	# the same program with one library more, mapped later
	sed 's/^7f751bb6a000-7f751bcc0000 r-xp.*libc.so.6$/&\n6f0000000000-6f0000001000 r-xp 00000000 00:00 4711 \/lib\/plugin.so/' $n >"$T/more.prof"
	try pcat --format=gperftools $n "$T/more.prof"
	[ $rc = 0 ] && grep -aq /lib/plugin.so "$T/out" || failed "one library more"
	done_all
}

@test "gperf: a full disk is a failure" {
	tiny 8 l >"$T/tiny.cpu"
	rc=0
	pcat --format=gperftools "$T/tiny.cpu" 2>"$T/err" >/dev/full || rc=$?
	[ $rc -eq 1 ]
	one_line "pcat: <stdout>: write: No space left on device"
}

@test "gperf: periods become counts: what remains of one goes to the next; an event that is no clock" {
	cat >"$T/r.txt" <<-'END'
		attr type=0 config=0 period=1000 sample_type=ID|IP|TID|TIME|PERIOD flags=sample_id_all|comm ids=11
		attr type=0 config=1 period=1000 sample_type=ID|IP|TID|TIME|PERIOD flags=sample_id_all|comm ids=12
		SAMPLE misc=2 ip=0x10 pid=7 tid=7 time=2 period=1500 id=11
		SAMPLE misc=2 ip=0x20 pid=7 tid=7 time=3 period=1600 id=11
		SAMPLE misc=2 ip=0x30 pid=7 tid=7 time=4 period=300 id=11
		FINISHED_ROUND
	END
	mkpipe "$T/r.txt" >"$T/in"
	try pcat -v --format=gperftools -f -o "$T/cpu" "$T/in"
	# half a count is there at first: 500 + 1500 are 2, 0 + 1600 are 1, 600 + 300 are none
	[ $rc = 0 ] && [ "$(slots_of "$T/cpu")" = "0 3 0 1000 0 2 1 16 1 1 32 0 1 0" ] || failed "fixed: $(slots_of "$T/cpu")"
	for text in "warning: event cycles:HG is not a clock: counts in the profile are correct, times are not" \
	    "1 of 3 stacks have less than one count and are left out" "warning: the recording has no maps of process 7: its addresses have no file names"; do
		grep -qxF "pcat: $text" "$T/err" || failed "$text"
	done
	# of 4000 a second one is 250 us, and a count the mean period, 1133: 566 + 1500 are 1, 933 + 1600 are 2, 267 + 300 are none
	sed 's/period=1000/period=4000/; s/|comm/|comm|freq/' "$T/r.txt" >"$T/freq.txt"
	mkpipe "$T/freq.txt" >"$T/in"
	try pcat -v --format=gperftools -f -o "$T/cpu" "$T/in"
	[ $rc = 0 ] && [ "$(slots_of "$T/cpu")" = "0 3 0 250 0 1 1 16 2 1 32 0 1 0" ] || failed "freq: $(slots_of "$T/cpu")"
	grep -q 'event cycles:HG has no fixed period: one count of the profile is 1133, the mean period of its samples' "$T/err" || failed "mean"
	done_all
}

@test "gperf: why no profile can be made of a recording" {
	cat >"$T/r.txt" <<-'END'
		attr type=0 config=0 period=1000 sample_type=ID|IP|TID|TIME|PERIOD flags=sample_id_all|comm ids=11
		attr type=0 config=1 period=1000 sample_type=ID|IP|TID|TIME|PERIOD flags=sample_id_all|comm ids=12
		SAMPLE misc=2 ip=0x10 pid=7 tid=7 time=2 period=1500 id=11
		SAMPLE misc=2 ip=0x10 pid=7 tid=7 time=3 period=1600 id=11
		FINISHED_ROUND
	END
	# why TEXT SED [OPTION...]
	why() {
		local text=$1 edit=$2
		shift 2
		sed "$edit" "$T/r.txt" >"$T/edited.txt"
		mkpipe "$T/edited.txt" >"$T/in"
		try pcat --format=gperftools "$@" -o "$T/none" "$T/in"
		[ $rc = 1 ] && one_line "pcat: $T/none: $text" && [ ! -e "$T/none" ] || failed "$text"
	}
	why "samples of event cycles:HG have no pid" 's/|TID//; s/pid=7 tid=7//'
	why "no samples for a CPU profile" /^SAMPLE/d
	why "no samples for a CPU profile: process of --pid has none" "" --pid 8
	why "no samples of event instructions for a CPU profile" "" --event instructions
	why "2 samples, none with a user address" s/misc=2/misc=1/
	why "the periods of event cycles:HG add up to more than 2^64" s/period=1600/period=18446744073709551615/
	done_all
}

@test "gperf: which samples, with which weights, from where" {
	# profile WANT SLOTS SED: the profile of this recording, changed
	cat >"$T/r.txt" <<-'END'
		attr type=1 config=0 period=1000000 sample_type=ID|IP|TID|TIME|CALLCHAIN flags=sample_id_all|comm ids=11
		attr type=1 config=0 period=1000000 sample_type=ID|IP|TID|TIME|CALLCHAIN flags=sample_id_all|comm ids=12
		EVENT_UPDATE update_type=2 id=11 z=mine
		EVENT_UPDATE update_type=2 id=12 z=mine
		COMM pid=7 tid=7 time=1 id=11 comm=seven
		MMAP misc=1 pid=-1 tid=0 start=0xffffffff81000000 len=0x1000 pgoff=0 filename=[kernel.kallsyms]_text
		MMAP misc=0x2002 pid=7 tid=7 start=0x9000 len=0x1000 pgoff=0 filename=/data @ pid=7 tid=7 time=1 id=11
		MMAP misc=2 pid=7 tid=7 start=0x1000 len=0x1000 pgoff=0 filename=/bin/seven @ pid=7 tid=7 time=1 id=11
		SAMPLE misc=2 ip=0x1010 pid=7 tid=7 time=2 id=11 chain=0xfffffffffffffe00,0x1010,0x1020
		SAMPLE misc=2 ip=0x1010 pid=7 tid=7 time=3 id=12 chain=0xfffffffffffffe00,0x1010,0x1020
		SAMPLE misc=2 ip=0x1030 pid=7 tid=7 time=4 id=12 chain=0xfffffffffffffe00,0x1030,0x1020
		SAMPLE misc=2 ip=0x1010 pid=7 tid=7 time=5 id=11 chain=0xfffffffffffffe00,0x1010
		SAMPLE misc=2 ip=0 pid=7 tid=7 time=6 id=11 chain=0xfffffffffffffe00,0,0x1040
		SAMPLE misc=1 ip=0xffffffff81000010 pid=7 tid=7 time=7 id=11 chain=0xffffffffffffff80,0xffffffff81000010
		FINISHED_ROUND
	END
	profile() {
		local want=$1 n=$2 edit=$3
		shift 3
		sed "$edit" "$T/r.txt" >"$T/edited.txt"
		mkpipe "$T/edited.txt" >"$T/in"
		try pcat --format=gperftools -f "$@" -o "$T/cpu" "$T/in"
		[ $rc = 0 ] && [ "$(slots_of "$T/cpu" $n)" = "$want" ] || failed "$edit: $(slots_of "$T/cpu" $n) $(cat "$T/err")"
	}
	# events of one name, type, config and period are one; those that differ in one of them are not
	all="2 2 4112 4128 1 2 4144 4128 1 1 4112 1 2 1 4160 0 1 0" one="1 2 4112 4128 1 1 4112 1 2 1 4160 0 1 0"
	profile "0 3 0 1000 0 $all" 23 ""
	tail -c +185 "$T/cpu" | grep -q '/bin/seven' || failed "no map"
	! grep -aq -e /data -e kallsyms "$T/cpu" || failed "maps of data, or of the kernel"
	profile "0 3 0 1000 0 $one" 19 's/id=12 z=mine/id=12 z=other/'
	profile "0 3 0 1000 0 $one" 19 '2s/config=0/config=1/'
	profile "0 3 0 1000 0 $one" 19 '2s/type=1/type=0/'
	profile "0 3 0 1000 0 $one" 19 '2s/period=1000000/period=2000000/'
	profile "0 3 0 1000 0 $all" 23 "" --event mine
	# without periods, a sample of an attr without a period counts once, and so does one of a frequency
	profile "0 3 0 1 0 $one" 19 's/period=1000000/period=0/; s/id=12 z=mine/id=12 z=x/; s/config=0/config=2/'
	profile "0 3 0 250 0 $one" 19 's/period=1000000/period=4000/; s/|comm/|comm|freq/; s/id=12 z=mine/id=12 z=x/; s/config=0/config=2/'
	done_all
}
