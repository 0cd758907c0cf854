# SPDX-License-Identifier: ISC
# Where psort puts what has no time of its own, carries a payload, or is known to nobody; by recipes in which each record
# has a label, and by perf's word on recordings.
load lib
load oracle

# The records, each behind its label.  tr1: TRACING_DATA; ax: AUXTRACE; u, k: unknown types above and below 64.
lines() {
	cat <<-'EOF'
	attr| attr type=1 sample_type=IP|TID|TIME|CPU|PERIOD flags=sample_id_all|comm ids=1 len=128
	tr1| HEADER_TRACING_DATA payload=17084474726163696e67302e35000008001000006865616465725f706167650000000000000000006865616465725f6576656e7400000000000000000000000000000000000000000000000000000000
	info| AUXTRACE_INFO aux_type=1 priv=1,2,3
	conv| TIME_CONV shift=10 mult=1024 zero=5
	c| COMM pid=100 tid=100 comm=alpha
	init| FINISHED_INIT
	def400| CALLCHAIN_DEFERRED cookie=1 list=0xfffffffffffffe00,0x401000 @ pid=100 tid=100 time=400 cpu=1
	s300| SAMPLE misc=2 ip=0x401000 pid=100 tid=100 time=300 period=1
	ax1| AUXTRACE offset=0 reference=1 idx=0 tid=100 cpu=0 payload=44000000000008004400000000000801
	aux200| AUX aux_offset=0 aux_size=16 flags=1 @ pid=100 tid=100 time=200
	u1| rec type=200 x=0011223344556677
	k100| rec type=60 x=0102030405060708 u4=100 u4=100 u8=100 u4=0 u4=0
	k0| rec type=63 x=a1b2c3d4e5f60718 u4=100 u4=100 u8=0 u4=0 u4=0
	fill| SAMPLE misc=2 ip=0x401001 pid=100 tid=100 time=250 period=2 repeat=40000 step=0
	round1| FINISHED_ROUND
	s350| SAMPLE misc=2 ip=0x401002 pid=100 tid=100 time=350 period=3
	def300| CALLCHAIN_DEFERRED cookie=2 list=0xfffffffffffffe00,0x401000 @ pid=100 tid=100 time=300
	ax2| AUXTRACE offset=16 reference=2 idx=1 tid=100 cpu=1 payload=0102030405060708 npayload=3000000
	lost320| LOST id=1 lost=3 @ pid=100 tid=100 time=320
	round2| FINISHED_ROUND
	s500| SAMPLE misc=2 ip=0x401003 pid=100 tid=100 time=500 period=4
	err| AUXTRACE_ERROR error_type=1 code=2 cpu=0 pid=100 tid=100 fmt=2 ip=0x401000 time=90 msg=trace\sbroke
	u2| rec type=4294967295 x=00
	round3| FINISHED_ROUND
	lost0| LOST_SAMPLES lost=5 @ time=0 id=1
	ax3| AUXTRACE offset=24 reference=3 idx=0 tid=100 cpu=0 payload=0807060504030201
	stampk| rec type=63 x=a1b2c3d4e5f60718 u4=100 u4=100 u8=100 u4=0 u4=0
	stamplost| LOST_SAMPLES lost=5 @ time=500 id=1
	EOF
}

# take LABEL...: the recipe of these.
take() {
	local l
	for l; do sed -n "s/^$l| //p" "$T/lines"; done
}

# expect OPTIONS LABEL...: what psort makes of $T/in, to the byte, also from a pipe.
expect() {
	local o=$1
	shift
	take "$@" | mkpipe $order >"$T/want"
	try psort $o "$T/in"
	[ $rc = 0 ] && ! [ -s "$T/err" ] && cmp "$T/want" "$T/out" || failed "psort $o $order"
	cat "$T/in" | psort $o | cmp "$T/want" - || failed "psort $o $order, from a pipe"
}

@test "places: payloads, unknown types, deferred chains and what has no time: every mode, both byte orders" {
	lines >"$T/lines"
	for order in "" -b; do
		take $(sed -n 's/^\([a-z0-9]*\)|.*/\1/p' "$T/lines" | grep -v stamp) | mkpipe $order >"$T/in"
		psort -S 1M --stats "$T/in" 2>&1 >"$T/out" | grep -q 'spilled: [1-9]' || failed "nothing is spilled"
		# A record without a time precedes the records held when it arrives; the second FINISHED_ROUND releases the rest
		# after it.  Two marks stand in front of it if something was written since the last two, the second a fresh one.
		# Of two with the same time, the chain that was deferred follows its sample.
		for o in "" "-S 1M"; do
			expect "$o" attr tr1 info conv c init ax1 u1 k0 round1 ax2 \
			    k100 aux200 fill s300 def300 lost320 s350 def400 round2 round2 err u2 round3 lost0 ax3 s500
		done
		for o in --full "--full -S 1M" "--full -S 1M --compress-temp" "--window=1s" "--window=1s -S 1M" "--untimed=first" \
		    "--untimed=first -S 1M"; do
			turn 5 || continue
			expect "$o --rounds=drop" attr tr1 info conv c init ax1 u1 k0 ax2 err u2 lost0 ax3 \
			    k100 aux200 fill s300 def300 lost320 s350 def400 s500
		done
		# with a time put in, they go where they came, but not what perf makes itself
		for o in --full "--full -S 1M"; do
			expect "$o --rounds=drop --untimed=stamp" attr tr1 info conv c init ax1 u1 ax2 err u2 ax3 \
			    k100 stampk aux200 fill s300 def300 lost320 s350 def400 s500 stamplost
		done
	done
	done_all
}

@test "places: a deferred chain without sample_id_all has no time, and stands where perf takes it: at once" {
	order=
	lines | sed 's/flags=sample_id_all|comm/flags=comm/; s/@.*//' >"$T/lines"
	take attr s500 s300 def400 s350 >"$T/recipe"
	mkpipe "$T/recipe" >"$T/in"
	expect "" attr def400 s300 s350 s500
	expect --full\ --rounds=drop attr def400 s300 s350 s500
	done_all
}

# ---- recordings ------------------------------------------------------------------------------------------

# Recordings with payloads, records of the user's type amid others, LOST and LOST_SAMPLES, order over CPUs.
some() {
	ls data/sched_R.pipe.data data/multi.pipe.data data/z1.pipe.data data/s390x_z1.pipe.data data/namespaces.pipe.data
	ls -d "$CORPUS"/own/{lost,p612_lost,p72_lost,switch_cpu,raw_syscalls}.pipe.data \
	    "$CORPUS"/foreign/quipper/perf.data.piped.{lost_samples-4.4,intel_pt-4.14} \
	    "$CORPUS"/foreign/simpleperf/etm__perf_etm.data 2>/dev/null
}

# counts FILE: of each type, records and bytes with payloads; less what psort expands or makes anew.
counts() {
	pstat --json "$1" | jq -c '.types[] | select(.name | test("COMPRESSED|FINISHED_ROUND") | not) | [.type, .records, .bytes]'
}

@test "places: recordings keep every record and payload in every mode" {
	need jq
	for f in $(some); do
		counts <(pcat "$f") >"$T/want"
		for o in "" "-S 1M" --full "--full -S 1M" --window=1s --untimed=first --untimed=stamp; do
			turn 11 || continue
			psort -q $o "$f" >"$T/out" || failed "$f $o"
			counts "$T/out" | diff "$T/want" - || failed "$f $o: not the same records"
		done
	done
	done_all
}

@test "places: recordings stand, record by record, in the order in which perf takes them" {
	need perf
	n=0
	for f in $(some); do
		pcat "$f" >"$T/in"
		perf_delivers "$T/in" >"$T/want"
		[ -s "$T/want" ] || continue	# perf of this version can't read it
		n=$((n + 1))
		for o in "" "-S 1M"; do
			turn 5 || continue
			psort -q $o "$T/in" >"$T/sorted"
			perf_finds "$T/sorted" | diff "$T/want" - >"$T/diff" || { failed "$f $o"; head "$T/diff"; }
		done
	done
	echo "$n recordings"
	[ $n -ge 5 ]
	done_all
}

# stats FILE: perf's counts, less those of what psort makes anew.
stats() {
	perf report --stats -f -i "$1" 2>/dev/null </dev/null | sed 's/ *(.*//' | grep -v 'TOTAL\|FINISHED_ROUND\|COMPRESSED'
}

@test "places: perf counts the same, and what was lost too, wherever LOST_SAMPLES stands" {
	need perf
	for f in $(some); do
		pcat "$f" >"$T/in"
		stats "$T/in" >"$T/want" || true
		script "$T/want.script" $bare -i "$T/in" -G -F pid,time,event,ip --show-lost-events
		[ -s "$T/want.script" ] || continue
		for o in "" "-S 1M" --full --window=1s --untimed=first; do
			turn 9 || continue
			psort -q $o "$T/in" >"$T/sorted"
			stats "$T/sorted" | diff "$T/want" - || failed "$f $o: counts"
			script "$T/got.script" $bare -i "$T/sorted" -G -F pid,time,event,ip --show-lost-events
			# LOST_SAMPLES has no time: its place depends on the mode of psort
			diff <(grep -v LOST_SAMPLES "$T/want.script") <(grep -v LOST_SAMPLES "$T/got.script") >"$T/diff" ||
			    { failed "$f $o: script"; head "$T/diff"; }
			diff <(grep LOST_SAMPLES "$T/want.script") <(grep LOST_SAMPLES "$T/got.script") || failed "$f $o: lost"
		done
	done
	done_all
}

@test "places: a payload that is cut off does not swallow what waits, nor what others have" {
	attr="attr type=1 sample_type=IP|TID|TIME|PERIOD flags=sample_id_all ids=1"
	{ echo "$attr"; for i in {40..1}; do echo "SAMPLE ip=1 pid=7 time=$i period=1"; done; echo "AUXTRACE npayload=200000"; } |
	    mkpipe - >"$T/whole"
	{ echo "$attr"; for i in {100..160}; do echo "SAMPLE ip=1 pid=7 time=$i period=1"; done; } | mkpipe - >"$T/other"
	size=$(wc -c <"$T/whole")
	for cut in 1 1000 150000 200000; do
		head -c $((size - cut)) "$T/whole" >"$T/in"
		for o in "" "--full -S 1M" "--merge" "--merge --untimed=first"; do
			other= n=40
			case $o in --merge*) other=$T/other n=101;; esac
			try psort -q $o "$T/in" $other
			[ $rc = 1 ] && one_line "psort: $T/in: byte " || failed "$cut less, psort $o"
			psort -c "$T/out" || failed "$cut less, psort $o: what came out"
			got=$(pstat --json "$T/out" | sed -n 's/^"samples":\([0-9]*\),$/\1/p')
			[ "$got" = $n ] || failed "$cut less, psort $o: $got samples of $n"
		done
	done
	done_all
}
