# SPDX-License-Identifier: ISC
# pstat --hist: counts and sums are exact, percentiles are those of sort(1) within 6.3 %.
load lib
load pstat

# same_as FIELD FILE <values: does the histogram have these values?
same_as() {
	sort -n >"$T/values"
	pstat --json --hist "$1" "$2" >"$T/out"
	awk '{ v[NR] = $1; sum += $1 } END { printf "%d %.0f", NR, sum
		if (NR) { printf " %.0f %.0f", v[1], v[NR]; n = split("500 900 990 999", p, " ")
			for (i = 1; i <= n; i++) { at = int((NR * p[i] + 999) / 1000); printf " %.0f", v[at] } } }' "$T/values" >"$T/want"
	jq -r '.hist[0] | [.count, .sum, .min, .max, .p50, .p90, .p99, .p999] | map(tostring) | join(" ")' "$T/out" >"$T/got"
	paste -d ' ' "$T/want" "$T/got" | awk '{ for (i = 1; i <= 4; i++) if ($i != $(i + 8)) exit 1
		for (i = 5; i <= 8; i++) { d = $i - $(i + 8); if (d < 0) d = -d; if (d > 0.063 * $i) exit 1 } if (NF != 16) exit 1 }' ||
	    failed "$1 $2: sort: $(cat "$T/want"), pstat: $(cat "$T/got")"
	[ "$(jq '.hist[0] | .count == ([.buckets[][1]] | add)' "$T/out")" = true ] || failed "$1 $2: buckets"
}

@test "pstat --hist: values of perf script" {
	need perf
	need jq
	for f in data/demo.data data/g_fp.pipe.data data/multi.pipe.data data/z1.file.data; do
		perf script -f -i "$f" -G -F period 2>/dev/null | tr -d ' ' | same_as period "$f"
		# 0x1234 [0x58]: PERF_RECORD_SAMPLE(IP, 0x2): ...
		perf script -f -D -i "$f" 2>/dev/null | sed -n 's/.* \[\(0x[0-9a-f]*\)\]: PERF_RECORD_SAMPLE.*/\1/p' |
		    while read -r n; do echo $((n)); done | same_as size "$f"
	done
	perf script -f -i data/demo.data -G -F cpu,time,event --ns 2>/dev/null | tr -d '[]:' | awk '{ split($2, t, "."); now = t[1] t[2]
		k = $1 " " $3; if (k in last) printf "%.0f\n", now - last[k]; last[k] = now }' | same_as interval data/demo.data
	perf script -f -i data/demo.data -G -F cpu,time --ns 2>/dev/null | tr -d '[]:' | awk '{ split($2, t, "."); now = t[1] t[2]
		if ($1 in last) printf "%.0f\n", now - last[$1]; last[$1] = now }' | same_as gap data/demo.data
	done_all
}

@test "pstat --hist: of any numbers up to 2^64" {
	need jq
	local i
	{
		echo "attr type=1 config=0 period=1 sample_type=IP|TID|TIME|PERIOD ids=1"
		for i in 0 1 2 15 16 17 31 32 33 63 64 65 1000 65535 65536 1000003 4294967295 4294967296 99999999999 1000000000000000; do
			echo "SAMPLE ip=1 pid=1 tid=1 time=1 period=$i"
		done
	} >"$T/r"
	mkpipe "$T/r" >"$T/in"
	sed -n 's/.*time=1 period=//p' "$T/r" | same_as period "$T/in"
	# buckets: 16 to a power of two
	jq -c '[.hist[0].buckets[][0]]' "$T/out" | diff - <(echo '[0,1,2,15,16,17,31,32,62,64,992,63488,65536,983040,4160749568,4294967296,98784247808,985162418487296]') || failed buckets
	echo "SAMPLE ip=1 pid=1 tid=1 time=1 period=18446744073709551615" >>"$T/r"
	mkpipe "$T/r" | pstat --json --hist period >"$T/out"
	[ "$(jq -c '[.exact, .hist[0].count]' "$T/out")" = '[false,21]' ] && grep -q '\[9223372036854775807,1\]' "$T/out" || failed "the largest"
	done_all
}

@test "pstat --hist: disorder, rounds, periods as weights, rows, the rest" {
	need jq
	cat >"$T/r" <<-X
	attr type=1 config=0 period=1 sample_type=IP|TID|TIME|CPU|PERIOD ids=1
	SAMPLE ip=1 pid=1 tid=1 time=100 cpu=0 period=10
	SAMPLE ip=1 pid=2 tid=2 time=50 cpu=1 period=1
	FINISHED_ROUND
	SAMPLE ip=1 pid=2 tid=2 time=90 cpu=1 period=1
	SAMPLE ip=1 pid=3 tid=3 time=107 cpu=0 period=3
	FINISHED_ROUND
	X
	mkpipe "$T/r" >"$T/in"
	printf '%s\n' 0 50 10 0 | same_as disorder "$T/in"
	printf '%s\n' 40 7 | same_as interval "$T/in"
	pstat --json --hist size:p "$T/in" | jq -c '.hist[0] | [.field, .count, .sum]' | diff - <(echo '["size:p",15,720]') || failed weights
	pstat --json --hist period -s pid "$T/in" | jq -c '.hist[] | [.pid, .count, .sum, .max]' | diff - <(printf '%s\n' '[2,2,2,1]' '[1,1,10,10]' '[3,1,3,3]') || failed rows
	pstat --json --hist period -s pid --top 1 "$T/in" | jq -c '.hist[] | [.pid, .other, .count, .sum]' |
	    diff - <(printf '%s\n' '[2,false,2,2]' '[null,true,2,13]') || failed rest
	pstat --json --hist period -s comm data/demo.data | jq -c '[.hist[] | [.comm, .count, .sum]] == [.sort[] | [.comm, .samples, .period]]' | grep -qx true || failed "in time order"
	[ "$(pstat --json --hist weight "$T/in" | jq -c '.hist[0] | [.count, .min, .p50]')" = '[0,null,null]' ] || failed "no values"
	[ "$(pstat --json --hist round "$T/in" | jq -c '.hist[0].count')" = 2 ] || failed rounds
	for c in "--hist x" "--hist period:q" "--hist period -s pid,cpu,tid,comm" "--columns sum" "-s pid --columns sum,sum" "-s pid --columns x" "-s pid --columns sum --hist size" "-s -period" "--hist round -s pid" "--hist disorder:p" "--hist"; do
		try pstat $c "$T/missing"
		[ $rc = 2 ] || failed "$c"
	done
	done_all
}

@test "pstat --hist: the space of rows that went to the rest is used again" {
	need jq
	{
		echo "attr type=1 config=0 period=1 sample_type=IP|TID|TIME|PERIOD ids=1"
		seq 200000 | sed 's/.*/SAMPLE ip=1 pid=& tid=& time=& period=&/'
	} >"$T/r"
	mkpipe "$T/r" | pstat --json --hist period -s tid --top 1 >"$T/out"
	[ "$(jq '.exact' "$T/out")" = false ] || failed exact
	[ "$(jq '[.hist[].count] | add' "$T/out")" -gt 100000 ] || failed "$(jq -c '.hist[] | [.tid, .count]' "$T/out")"
	done_all
}
