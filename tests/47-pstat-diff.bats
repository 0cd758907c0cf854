# SPDX-License-Identifier: ISC
# pstat --diff: two recordings or reports beside each other; the figures by jq from the reports of each.
load lib
load pstat

# recording NAME=SAMPLES...: of comms, a sample each millisecond.
recording() {
	local i=100 time=1000000000 x
	{
		echo "attr type=1 config=0 period=1 sample_type=IP|TID|TIME|PERIOD flags=sample_id_all|comm ids=11"
		for x; do
			i=$((i + 1))
			echo "COMM pid=$i tid=$i comm=${x%=*}"
			for ((n = 0; n < ${x#*=}; n++)); do
				echo "SAMPLE ip=1 pid=$i tid=$i time=$((time += 1000000)) period=1"
			done
		done
		echo "LOST_SAMPLES lost=7"
	} | mkpipe
}

@test "pstat --diff: rates, shares, ratio and noise by the reports of each" {
	need jq
	recording same=100 near=100 more=50 gone=9 rare=1 >"$T/a"
	recording same=100 near=119 more=100 new=30 rare=4 >"$T/b"
	pstat --diff --json "$T/a" "$T/b" >"$T/o"
	pstat --json "$T/a" >"$T/a.json"
	pstat --json "$T/b" >"$T/b.json"
	jq -r '.diff[] | [.comm, .samples_a, .samples_b, .samples_per_ks_a, .samples_per_ks_b, .share_ppm_a, .share_ppm_b, .difference_ppm, .error_ppm, .noise] | join(" ")' \
	    "$T/o" | sort >"$T/said"
	jq -rn --slurpfile a "$T/a.json" --slurpfile b "$T/b.json" '
		def of($r; $c): ([$r.comms[] | select(.comm == $c) | .samples] + [0])[0];
		def ks($r; $n): $n * 1e12 / $r.time.duration_ns | round;
		def variance($r; $n): (($n + 1) / ($r.samples + 2)) as $p | $p * (1 - $p) / ($r.samples + 2);
		([$a[0].comms[].comm] + [$b[0].comms[].comm] | unique)[] as $c | of($a[0]; $c) as $x | of($b[0]; $c) as $y |
		($x * 1e6 / $a[0].samples | round) as $p | ($y * 1e6 / $b[0].samples | round) as $q |
		(variance($a[0]; $x) + variance($b[0]; $y) | sqrt * 2) as $error |
		($b[0].time.duration_ns / ($a[0].time.duration_ns + $b[0].time.duration_ns)) as $d |
		(($x / $a[0].samples - $y / $b[0].samples | fabs) < $error and
		    ($y - $d * ($x + $y) | fabs) < 2 * ($d * (1 - $d) * ($x + $y + 2) | sqrt)) as $noise |
		[$c, $x, $y, ks($a[0]; $x), ks($b[0]; $y), $p, $q, $q - $p, ($error * 1e6 | round), $noise] | join(" ")' | sort >"$T/want"
	diff "$T/want" "$T/said"
	grep -q '^near 100 119 .* true$' "$T/said"
	grep -q '^more 50 100 .* false$' "$T/said"
	[ "$(jq -c '[.diff_of[] | [.side, .samples, .lost_samples, .complete]]' "$T/o")" = '[["a",260,7,true],["b",353,7,true]]' ]
	[ "$(jq -c '[.diff[] | select(.comm == "new") | .ratio_ppm]' "$T/o")" = '[null]' ]
	# the largest difference first
	jq -e '[.diff[].difference_ppm | fabs] as $d | $d == ($d | sort | reverse)' "$T/o" >/dev/null
	pstat --diff "$T/a" "$T/b" >"$T/screen"
	grep -q 'lost 0 records, 7 samples' "$T/screen"
	grep -qE ' ~ near$' "$T/screen"
	grep -qE '[^~] more$' "$T/screen"
}

# steady SECONDS NAME=RATE...: samples of that rate, evenly.
steady() {
	awk -v seconds="$1" -v all="${*:2}" 'BEGIN {
		print "attr type=1 config=0 period=1 sample_type=IP|TID|TIME|PERIOD flags=sample_id_all|comm ids=11"
		n = split(all, one, " ")
		for (i = 1; i <= n; i++) {
			split(one[i], x, "=")
			print "COMM pid=" i " tid=" i " comm=" x[1]
			printf "SAMPLE ip=1 pid=%d tid=%d time=1000000000 period=1 repeat=%d step=%d\n", i, i, x[2] * seconds, 1e9 / x[2]
		}
	}' | mkpipe
}

@test "pstat --diff: recordings of different durations: a rate that has doubled is no noise, equal rates and shares are" {
	need jq
	steady 22 fast=23.7 even=100 idle=400 >"$T/a"
	steady 10.7 fast=50 even=100 idle=400 >"$T/b"
	pstat --diff --json "$T/a" "$T/b" >"$T/o"
	[ "$(jq -c '[.diff[] | {(.comm): .noise}] | add | [.fast, .even]' "$T/o")" = '[false,true]' ] || failed "$(jq -c .diff "$T/o")"
	# nearly as many samples of each: 521 and 535
	jq -e '.diff[] | select(.comm == "fast") | .samples_b / .samples_a < 1.1 and .difference_ppm > 2 * .error_ppm' "$T/o" >/dev/null || failed fast
	# another frequency: the shares are the same, the rates are not
	steady 10 x=100 y=200 >"$T/a"
	steady 10 x=200 y=400 >"$T/b"
	pstat --diff --json "$T/a" "$T/b" | jq -e '[.diff[] | .noise == false and .difference_ppm == 0] | all' >/dev/null || failed frequency
	# the same twice as long: noise, and the interval is smaller with more samples
	steady 20 x=100 y=200 >"$T/b"
	pstat --diff --json "$T/a" "$T/b" >"$T/o"
	jq -e '[.diff[].noise] | all' "$T/o" >/dev/null || failed "twice as long"
	steady 200 x=100 y=200 >"$T/c"
	[ "$(jq '.diff[0].error_ppm' "$T/o")" -gt "$(pstat --diff --json "$T/b" "$T/c" | jq '.diff[0].error_ppm')" ] || failed "interval"
	done_all
}

@test "pstat --diff: reports, recordings and standard input give the same" {
	need jq
	command pstat --json -s pid,cpu data/a_many.file.data >"$T/a.json"
	command pstat --json -s pid,cpu data/demo.data >"$T/b.json"
	pstat --diff --json -s pid,cpu data/a_many.file.data data/demo.data >"$T/o"
	[ "$(jq '.diff | length' "$T/o")" -gt 10 ]
	[ "$(jq '[.diff[].samples_a] | add' "$T/o")" = "$(jq .samples "$T/a.json")" ]
	[ "$(jq '[.diff[].samples_b] | add' "$T/o")" = "$(jq .samples "$T/b.json")" ]
	pstat --diff --json -s pid,cpu "$T/a.json" data/demo.data | cmp - "$T/o"
	pstat --diff --json "$T/a.json" "$T/b.json" | cmp - "$T/o"
	pstat --diff --json -s pid,cpu "$T/a.json" - <data/demo.data | jq -c .diff | cmp - <(jq -c .diff "$T/o")
	pstat --no-sandbox --diff --json -s pid,cpu "$T/a.json" data/demo.data | cmp - "$T/o"
	pstat --diff -s pid,cpu --top 3 "$T/a.json" data/demo.data | grep -q 'rows with smaller differences'
	pstat --diff --csv --table diff "$T/a.json" "$T/b.json" | head -n 1 | grep -q '^pid,cpu,other,samples_a,'
	# the same twice: all is noise, status 0
	pstat --diff --json data/demo.data data/demo.data | jq -e '[.diff[] | .noise and .difference_ppm == 0] | all' >/dev/null
}

@test "pstat --diff: options about recordings are those of each, or refused" {
	need jq
	need zstd
	need cc
	# a bomb
	{ echo "attr type=1 config=0 period=1 sample_type=IP|TID|TIME|PERIOD flags=sample_id_all ids=11"; echo "rec type=200 zeros=60000 repeat=200"; } | mkpipe - >"$T/a"
	zstd -q "$T/a" -o "$T/a.zst"
	for o in 1:--max-expand=1K 0:--no-index 0:--verify-index; do
		try command pstat ${o#*:} "$T/a.zst"
		[ $rc = ${o%%:*} ] || failed "$o: one"
		cp "$T/err" "$T/said"
		try command pstat --diff ${o#*:} "$T/a.zst" data/demo.data
		[ $rc = ${o%%:*} ] && cmp "$T/said" "$T/err" || failed "$o: $rc, $(cat "$T/err")"
	done
	# names of functions
	printf '\t.text\n\t.globl one\n\t.type one, @function\none: .zero 64\n\t.size one, 64\n' >"$T/made.s"
	cc -shared -nostdlib -Wl,--build-id=sha1 -o "$T/made.so" -x assembler "$T/made.s"
	id=$(readelf -n "$T/made.so" | sed -n 's/.*Build ID: //p')
	mkdir -p "$T/dir/.build-id/${id:0:2}/${id:2}"
	cp "$T/made.so" "$T/dir/.build-id/${id:0:2}/${id:2}/elf"
	ip=$((0x10000008 + 0x$(readelf -sW "$T/made.so" | awk '$8 == "one" { print $2; exit }')))
	for x in a:3 b:5; do
		{
			grep '^attr' data/base.txt
			echo "MMAP2 misc=0x4002 pid=100 tid=100 start=0x10000000 len=0x100000 build_id=$id prot=5 flags=2 filename=/nowhere/made.so"
			echo "SAMPLE misc=2 ip=$ip pid=100 tid=100 time=10 repeat=${x#*:} step=10"
		} | mkpipe - >"$T/${x%:*}"
	done
	[ "$(pstat --diff --json -s symbol --symbols "$T/dir" "$T/a" "$T/b" | jq -c '[.diff[] | [.symbol, .samples_a, .samples_b]]')" = '[["one",3,5]]' ] || failed symbols
	pstat --json -s symbol --symbols "$T/dir" "$T/a" >"$T/a.json"
	[ "$(pstat --diff --json -s symbol --symbols "$T/dir" "$T/a.json" "$T/b" | jq -c '[.diff[] | [.symbol, .samples_a, .samples_b]]')" = '[["one",3,5]]' ] || failed report
	# where there is no recording, they are refused
	try command pstat --diff -s symbol --symbols "$T/dir" "$T/a.json" "$T/a.json"
	[ $rc = 1 ] && one_line "pstat: $T/a.json: both inputs are reports" && ! [ -s "$T/out" ] || failed "two reports"
	try command pstat --diff --index-file "$T/x" "$T/a" "$T/b"
	[ $rc = 2 ] || failed index-file
	done_all
}

@test "pstat --diff: status 0 whatever differs, 1 for what cannot be read, 2 for wrong usage" {
	pstat --diff data/basic.pipe.data data/multi.pipe.data >/dev/null
	head -c 5000 data/demo.data >"$T/cut"
	try pstat --diff "$T/cut" data/demo.data
	[ $rc = 1 ] && grep -q 'NOT COMPLETE' "$T/out" && [ "$(wc -l <"$T/err")" = 1 ] || failed cut
	try pstat --diff "$T/nosuch" data/demo.data
	[ $rc = 1 ] && [ "$(wc -l <"$T/err")" = 1 ] || failed nosuch
	command pstat --json data/demo.data >"$T/r"
	try pstat --diff -s comm "$T/r" data/demo.data
	[ $rc = 1 ] && [ ! -s "$T/out" ] && grep -q 'other keys' "$T/err" || failed keys
	echo '{"schema":2' >"$T/r"
	try pstat --diff "$T/r" data/demo.data
	[ $rc = 1 ] && [ ! -s "$T/out" ] && [ "$(wc -l <"$T/err")" = 1 ] || failed "no JSON"
	for o in data/demo.data "data/demo.data data/demo.data data/demo.data" "- -" "--check data/demo.data data/demo.data"; do
		try pstat --diff $o </dev/null
		[ $rc = 2 ] || failed "$o"
	done
	try sh -c 'pstat --diff data/demo.data data/basic.pipe.data >/dev/full'
	[ $rc = 1 ] || failed full
	! pstat --diff data/escape.data data/demo.data | tr -d '\n' | grep -aP '[\x00-\x1f\x7f]|\xc2[\x80-\x9f]' || failed escape
	done_all
}
