# SPDX-License-Identifier: ISC
# pstat --diff --picture flame: a flame graph of B, coloured by how it differs from A; calculated anew from two --folded.
load lib
load pstat
load chains

# compare JSON A B: is the table flame_diff what the folded stacks in the files A and B say?
compare() {
	$PYTHON - "$@" <<-'PY'
		import json, math, sys
		from collections import Counter
		report = json.load(open(sys.argv[1]))
		total, own = [Counter(), Counter()], [Counter(), Counter()]
		for side in 0, 1:
		    for line in open(sys.argv[2 + side], encoding='utf-8', errors='surrogateescape'):
		        stack, n = line.rstrip('\n').rsplit(' ', 1)
		        path = tuple(stack.split(';'))
		        own[side][path] += int(n)
		        for i in range(len(path) + 1):
		            total[side][path[:i]] += int(n)
		all_ = [total[0][()], total[1][()]]
		def variance(n, m):
		    p = (n + 1) / (m + 2)
		    return p * (1 - p) / (m + 2)
		paths, got = [], {}
		for i, b in enumerate(report['flame_diff']):
		    assert b['box'] == i and (b['parent'] is None) == (i == 0) and (i == 0 or b['parent'] < i)
		    paths.append(() if not i else paths[b['parent']] + (b['name'].replace(';', ':'),))
		    assert paths[i] not in got, paths[i]
		    got[paths[i]] = b
		assert set(got) == set(total[0]) | set(total[1]) | {()}, set(got) ^ (set(total[0]) | set(total[1]))
		colours = 0
		for path, b in got.items():
		    a_n, b_n = total[0][path], total[1][path]
		    assert (b['total_a'], b['total_b']) == (a_n, b_n), (path, b, a_n, b_n)
		    assert (b['self_a'], b['self_b']) == (own[0][path], own[1][path]), (path, b)
		    points = b_n / all_[1] - a_n / all_[0]
		    error = 2 * math.sqrt(variance(a_n, all_[0]) + variance(b_n, all_[1]))
		    assert abs(b['difference_ppm'] - points * 1e6) <= 1 and abs(b['error_ppm'] - error * 1e6) <= 1, (path, b)
		    if abs(abs(points) - error) > 1e-9:
		        assert b['noise'] == (abs(points) < error), (path, b, points, error)
		    colours += not b['noise']
		# names that only A has, each once a chain
		names = [{n for p in total[s] for n in p} for s in (0, 1)]
		gone = Counter()
		for path, n in own[0].items():
		    for name in set(path) - names[1]:
		        gone[name] += n
		assert {g['name']: g['total'] for g in report['flame_only_a']} == dict(gone), (report['flame_only_a'], gone)
		for g in report['flame_only_a']:
		    assert g['self'] == sum(n for p, n in own[0].items() if p[-1] == g['name'])
		print(len(got), colours, len(gone))
	PY
}

# boxes SVG: of each box "CLASS TOTAL TOTAL_A NAME"
boxes() {
	$PYTHON svg.py changes "$1"
}

@test "diff flame: figures of each box by the folded stacks of both, and the picture has them" {
	need jq
	mkdir "$T/empty"
	chains main/load/parse=200 main/load/hash=100 main/show/render=250 main/show/old_check/lib=60 main/show/old_check/lib/old_check=9 main/flush=1 main=30 | mkpipe - >"$T/a"
	chains main/load/parse=190 main/load/hash=420 main/show/render=240 main/show/new_check=70 main=33 main/load/hash/lib=2 | mkpipe - >"$T/b"
	pstat --diff --json --picture flame "$T/a" "$T/b" >"$T/json"
	for s in a b; do command pstat -q --symbols "$T/empty" --folded "$T/$s" >"$T/$s.folded"; done
	compare "$T/json" "$T/a.folded" "$T/b.folded" >"$T/counts"
	[ "$(cat "$T/counts")" = "14 9 2" ]
	# a node only in A has no box, one only in B is red if it is not rare
	pstat --diff --picture flame -o "$T/svg" "$T/a" "$T/b"
	boxes "$T/svg" | sort >"$T/boxes"
	jq -r '.flame_diff[] | select(.total_b > 0) | "\(.total_b) \(.total_a) \(.name)"' "$T/json" | sort >"$T/want"
	cut -d ' ' -f 2- "$T/boxes" | sort | diff "$T/want" -
	grep -qx 'd[78] 422 100 \[hash\]' "$T/boxes"
	grep -qx 'd[67] 70 0 \[new_check\]' "$T/boxes"
	grep -qx 'd4 2 0 \[lib\]' "$T/boxes"
	grep -qx 'd[0-2] 240 250 \[render\]' "$T/boxes"
	! grep -q old_check "$T/boxes" || false
	# but a row in the table
	grep -q '>\[old_check\]<' "$T/svg"
	grep -q '>\[flush\]<' "$T/svg"
	jq -c '[.flame_only_a[] | [.name, .total, .self, .noise]]' "$T/json" | grep -qx '\[\["\[old_check\]",69,9,false\],\["\[flush\]",1,1,true\]\]'
	# a larger B changes no share
	chains main/load/parse=1900 main/load/hash=4200 main/show/render=2400 main/show/new_check=700 main=330 main/load/hash/lib=20 | mkpipe - >"$T/b10"
	pstat --diff --json --picture flame "$T/a" "$T/b10" >"$T/json10"
	jq -c '[.flame_diff[] | [.name, .difference_ppm]]' "$T/json" >"$T/shares"
	jq -c '[.flame_diff[] | [.name, .difference_ppm]]' "$T/json10" | diff "$T/shares" -
}

@test "diff flame: of a recording and itself all is grey" {
	need jq
	mkdir "$T/empty"
	mkpipe data/two-events.txt >"$T/two"
	for f in data/{demo,g_fp.pipe,multi.pipe,basic.pipe,k_mono.pipe}.data "$T/two"; do
		pstat --diff --json --picture flame "$f" "$f" >"$T/json" || failed "$f"
		jq -e '(.flame_only_a | length) == 0 and (.flame_diff | length) > 0 and (.flame_diff | all(.noise and .difference_ppm == 0 and .total_a == .total_b and .self_a == .self_b))' "$T/json" >/dev/null ||
		    failed "$f: $(jq -c '.flame_diff[0]' "$T/json")"
		pstat --json --picture flame "$f" >"$T/one"
		[ "$(jq -c '[.flame[] | [.box, .parent, .name, .kind, .total, .self]]' "$T/one")" = "$(jq -c '[.flame_diff[] | [.box, .parent, .name, .kind, .total_b, .self_b]]' "$T/json")" ] || failed "$f: boxes"
		pstat --diff --picture flame "$f" "$f" >"$T/svg" || failed "$f: svg"
		boxes "$T/svg" >"$T/boxes"
		[ "$(cut -d ' ' -f 1 "$T/boxes" | sort -u)" = d4 ] || failed "$f: $(head -n 3 "$T/boxes")"
	done
	# other recordings, by their folded stacks
	pstat --diff --json --picture flame data/g_fp.pipe.data data/demo.data >"$T/json"
	command pstat -q --symbols "$T/empty" --folded data/g_fp.pipe.data | grep -v '^swapper' >"$T/a.folded" || true
	command pstat -q --symbols "$T/empty" --folded data/demo.data | grep -v '^swapper' >"$T/b.folded" || true
	compare "$T/json" "$T/a.folded" "$T/b.folded" || failed "two recordings"
	done_all
}

@test "diff flame: of two versions of a program, the function that became hotter is red, and the builds may differ" {
	need record
	need cc
	need jq
	cat >"$T/work.c" <<-'END'
		#include <time.h>
		static volatile long sink;
		#define FN(name) __attribute__((noinline)) static void name(int n) { for (int i = 0; i < n; i++) sink += i * i; sink++; }
		FN(parse) FN(hash) FN(render)
		#ifdef OLD
		FN(old_check)
		#define CHECK old_check(250)
		#define MORE 1
		#else
		FN(before_all_others) FN(new_check)
		#define CHECK (before_all_others(1), new_check(250))
		#define MORE 15
		#endif
		// some 300 samples on a machine of any speed
		int main(void)
		{
			do
				for (int i = 0; i < 100; i++) { parse(500); hash(200 * MORE); render(600); CHECK; }
			while (clock() < CLOCKS_PER_SEC * 3 / 10);
			return 0;
		}
	END
	mkdir "$T/a.bin" "$T/b.bin"
	cc -DOLD -O1 -fno-omit-frame-pointer -Wl,--build-id=sha1 -o "$T/a.bin/prog" "$T/work.c"
	cc -O1 -fno-omit-frame-pointer -Wl,--build-id=sha1 -o "$T/b.bin/prog" "$T/work.c"
	for s in a b; do
		perf record -q -k mono -F 999 -g -e cpu-clock:u -o "$T/$s.raw" -- "$T/$s.bin/prog" 2>/dev/null >&2 || skip "perf record -k mono does not work here"
		pinject -q -B --archive=symbols --buildid-dir "$T/$s.dir" -i "$T/$s.raw" -o "$T/$s.data"
	done
	pstat --diff --symbols "$T/a.dir" --symbols "$T/b.dir" --json --picture flame "$T/a.data" "$T/b.data" >"$T/json"
	for s in a b; do command pstat -q --symbols "$T/$s.dir" --folded "$T/$s.data" >"$T/$s.folded"; done
	try compare "$T/json" "$T/a.folded" "$T/b.folded"
	[ $rc = 0 ] || failed "$(cat "$T/err")"
	pstat --diff --symbols "$T/a.dir" --symbols "$T/b.dir" --picture flame -o "$T/svg" "$T/a.data" "$T/b.data"
	boxes "$T/svg" >"$T/boxes"
	grep -q '^d[78] [0-9]* [0-9]* hash$' "$T/boxes" || failed "hash: $(grep hash "$T/boxes")"
	grep -q '^d[5-8] [0-9]* 0 new_check$' "$T/boxes" || failed "new_check: $(grep check "$T/boxes")"
	grep -q '^d[0-3] [0-9]* [0-9]* render$' "$T/boxes" || failed "render: $(grep render "$T/boxes")"
	grep -q '^d4 [0-9]* [0-9]* all$' "$T/boxes" || failed all
	jq -e '.flame_only_a[0].name == "old_check"' "$T/json" >/dev/null || failed "old_check"
	# without --symbols there is nothing to match but the files
	pstat --diff --json --picture flame "$T/a.data" "$T/b.data" | jq -e '[.flame_diff[].name] | contains(["[prog]"]) and (contains(["hash"]) | not)' >/dev/null || failed nameless
	done_all
}

@test "diff flame: reports give what recordings give; one that was changed is refused" {
	need jq
	chains main/one=50 main/two/three=30 | mkpipe - >"$T/a"
	chains main/one=20 main/two/four=30 main/two=4 | mkpipe - >"$T/b"
	for s in a b; do command pstat --json --picture flame "$T/$s" >"$T/$s.json"; done
	pstat --diff --json --picture flame "$T/a" "$T/b" >"$T/want"
	pstat --diff --json --picture flame "$T/a.json" "$T/b" | cmp - "$T/want"
	pstat --diff --json --picture flame "$T/a.json" "$T/b.json" | cmp - "$T/want"
	pstat --diff --picture flame "$T/a.json" "$T/b.json" >"$T/svg"
	pstat --diff --picture flame "$T/a" "$T/b" | cmp - "$T/svg"
	command pstat --json "$T/a" >"$T/plain.json"
	try command pstat --diff --picture flame "$T/plain.json" "$T/b"
	[ $rc = 1 ] && one_line "pstat: $T/plain.json: the report has no table flame; pstat --json --picture flame writes it" && ! [ -s "$T/out" ] || failed plain
	for change in '.flame[2].parent = 3' '.flame[1].parent = null' '.flame[0].parent = 0' '.flame[3].total += 1' '.flame[1].self = 9223372036854775807' \
	    '.flame[2].kind = "odd"' '.flame[2].kind = null' '.flame[1].name = null' '.flame[1].box = 7' '.flame[2].total = -1' '.flame[1] = 3' '.flame = {}' 'del(.flame[1])'; do
		jq -c "$change" "$T/a.json" >"$T/bad.json"
		for x in "bad.json b" "b bad.json"; do
			set -- $x
			try command pstat --diff --picture flame "$T/$1" "$T/$2"
			[ $rc = 1 ] && [ "$(wc -l <"$T/err")" = 1 ] && grep -q "^pstat: $T/bad.json: " "$T/err" && ! [ -s "$T/out" ] || failed "$change: $x: $rc $(cat "$T/err")"
		done
	done
	try command pstat --diff --picture flame --event cycles "$T/a.json" "$T/b.json"
	[ $rc = 1 ] && one_line "pstat: $T/b.json: both inputs are reports" || failed event
	done_all
}

@test "diff flame: an empty side, options, what is cut, and wrong usage" {
	need jq
	chains main/one=50 main/two/three=30 | mkpipe - >"$T/a"
	chains main/one=20 main/two/four=30 | mkpipe - >"$T/b"
	echo "attr type=1 config=0 period=1 sample_type=IP|TID|TIME|CPU|CALLCHAIN flags=sample_id_all ids=1" | mkpipe - >"$T/none"
	for x in "none b" "a none" "none none"; do
		set -- $x
		pstat --diff --json --picture flame "$T/$1" "$T/$2" | jq -e '.flame_diff | all(.noise)' >/dev/null || failed "$x"
		pstat --diff --picture flame "$T/$1" "$T/$2" >"$T/svg" || failed "$x: svg"
		grep -q 'has no samples, so nothing is compared' "$T/svg" || failed "$x: said"
		! boxes "$T/svg" | grep -qv ^d4 || failed "$x: colours"
	done
	pstat --diff --json --picture flame --flame-by none "$T/a" "$T/b" | jq -e '[.flame_diff[].name] | index("prog") == null' >/dev/null || failed flame-by
	pstat --diff --json --picture flame --cpumode kernel "$T/a" "$T/b" | jq -e '.flame_diff[0].total_b == 0' >/dev/null || failed cpumode
	# a limit on boxes is said
	pstat --diff --picture flame --max-nodes 16 data/demo.data data/g_fp.pipe.data | grep -q 'its counts are not exact' || failed max-nodes
	# no input has not even the box of all
	: >"$T/empty"
	try command pstat --diff --json --picture flame "$T/a" "$T/empty"
	[ $rc = 1 ] && jq -c '[.flame_diff[] | [.box, .parent, .name, .total_a]]' "$T/out" | grep -q '^\[\[0,null,"all",80\],\[1,0,"prog",80\],' || failed "empty: $rc"
	# both themes have the same boxes; the other way up
	for o in "--theme light" "--theme dark" --icicle; do
		pstat --diff --picture flame $o "$T/a" "$T/b" >"$T/svg"
		boxes "$T/svg" | sort >>"$T/sets"
	done
	[ "$(sort "$T/sets" | uniq -c | awk '{ print $1 }' | sort -u)" = 3 ] || failed themes
	# as text
	for c in 80 200; do
		try env COLUMNS=$c LC_ALL=C.UTF-8 TERM=xterm pstat --diff --term --picture flame "$T/a" "$T/b"
		[ $rc = 0 ] && $PYTHON pstat.py text "$T/out" $c || failed "text $c"
		try env COLUMNS=$c LC_ALL=C pstat --diff --term --picture flame "$T/a" "$T/b"
		[ $rc = 0 ] && $PYTHON pstat.py text "$T/out" $c ascii || failed "text $c ascii"
	done
	grep -qE '^ +0\.0% +60\.0% +\+60\.00 .*\[four\]$' "$T/out" || failed "text: $(cat "$T/out")"
	grep -A 2 '^Only in A' "$T/out" | grep -q '37.5% .*\[three\]$' || failed "text: only in A"
	head -c $(($(stat -c %s "$T/a") - 30)) "$T/a" >"$T/cut"
	try command pstat --diff --picture flame "$T/cut" "$T/b"
	[ $rc = 1 ] && [ "$(boxes "$T/out" | wc -l)" -gt 2 ] || failed "cut: $rc"
	for o in "--picture rate" "--picture flame,rate" "--picture flame -s comm" "--picture flame --weight=period" "--picture flame --scale log" "--picture flame --top 3" \
	    "--icicle" "--picture flame --json --term" "--picture flame --merge" "--picture flame --csv"; do
		try command pstat --diff $o "$T/a" "$T/b"
		[ $rc = 2 ] && one_line "pstat: " && ! [ -s "$T/out" ] || failed "$o: $rc"
	done
	pstat --diff --picture flame --csv --table flame_only_a "$T/a" "$T/b" | head -n 1 | tr -d '\r' | grep -qx name,kind,total,self,noise || failed csv
	done_all
}

@test "diff flame: names as hostile as they can be do no harm" {
	need_module unicodedata
	local i=0 name
	for name in '</title><script>alert(1)</script>' '\x22&amp;\x27\s·\s5' "$(printf 'L%.0s' {1..4000})" '\xd7\x90\xe2\x80\x8f\xe2\x81\xa7' '\xff\xc3\x9b2J' 'a\x0ab\x0d\x1b[2J' ']]>' 'a;b'; do
		printf '%s\n' "COMM pid=10$((++i)) tid=10$i comm=$name" "SAMPLE misc=2 ip=0x10000000 pid=10$i tid=10$i cpu=0 time=${i}000 chain=0xfffffffffffffe00,0x10000000"
	done >"$T/samples"
	{ echo "attr type=1 config=0 period=1 sample_type=IP|TID|TIME|CPU|CALLCHAIN flags=sample_id_all|comm ids=1"; cat "$T/samples"; } | mkpipe - >"$T/hostile"
	chains main=5 | mkpipe - >"$T/plain"
	for x in "hostile plain" "plain hostile"; do
		set -- $x
		pstat --diff --picture flame "$T/$1" "$T/$2" >"$T/svg"
		! grep -nE '<script|href|<image' "$T/svg" || failed active
		! LC_ALL=C grep -q $'[\x01-\x09\x0b-\x1f\x7f]' "$T/svg" || failed "control bytes"
		iconv -f UTF-8 -t UTF-8 "$T/svg" >/dev/null || failed UTF-8
		boxes "$T/svg" >/dev/null || failed XML
		try env COLUMNS=80 LC_ALL=C.UTF-8 TERM=xterm pstat --diff --term --picture flame "$T/$1" "$T/$2"
		[ $rc = 0 ] && $PYTHON pstat.py text "$T/out" 80 || failed text
	done
	done_all
}
