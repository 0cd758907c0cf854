# SPDX-License-Identifier: ISC
# pstat --picture flame: boxes of call chains, read back from the SVG, beside --folded and perf script.
load lib
load pstat
load perf

# boxes FILE: of each box a line "X WIDTH Y TOTAL SELF NAME", the numbers in hundredths of a pixel; XML's characters as themselves.
boxes() {
	$PYTHON svg.py boxes "$1"
}

# sums FILE: of the boxes of an SVG that has all of them, is the total of each its own and that of its children, below an icicle?
sums() {
	$PYTHON - "$1" <<-'PY'
		import sys
		rows, total, self = {}, 0, 0
		for line in open(sys.argv[1], encoding='utf-8', errors='surrogateescape'):
		    x, w, y, t, s, name = line.rstrip('\n').split(' ', 5)
		    rows.setdefault(int(y), []).append((int(x), int(x) + int(w), int(t), int(s), name))
		    self += int(s)
		ys = sorted(rows)
		assert len(rows[ys[0]]) == 1, 'the first row'
		assert rows[ys[0]][0][2] == self, f'all is {rows[ys[0]][0][2]}, self {self}'
		for a, b in zip(ys, ys[1:] + [None]):
		    for x, end, t, s, name in rows[a]:
		        over = [c for c in rows.get(b, []) if x <= c[0] < end]
		        assert t == s + sum(c[2] for c in over), f'{name}: {t} is not {s} and {over}'
		print(self)
	PY
}

# chains: a recipe: two threads and their idle CPU, a function that calls two others, in a file and in no map
chains() {
	cat <<-'END'
		attr type=1 config=0 period=1000 sample_type=IP|TID|TIME|CPU|PERIOD|CALLCHAIN flags=sample_id_all|mmap|comm|task|mmap2|comm_exec ids=11
		COMM pid=100 tid=100 comm=alpha
		COMM pid=200 tid=200 comm=beta
		MMAP2 misc=2 pid=100 tid=100 start=0x10000000 len=0x1000 prot=5 flags=2 filename=/usr/bin/alpha
		MMAP2 misc=2 pid=100 tid=100 start=0x20000000 len=0x1000 prot=5 flags=2 filename=/usr/lib/libfoo.so
		MMAP2 misc=2 pid=200 tid=200 start=0x10000000 len=0x1000 prot=5 flags=2 filename=/usr/bin/beta
		SAMPLE misc=2 ip=0x20000010 pid=100 tid=100 time=10 cpu=0 period=1000 chain=0xfffffffffffffe00,0x20000010,0x20000020,0x10000030
		SAMPLE misc=2 ip=0x20000010 pid=100 tid=100 time=20 cpu=0 period=3000 chain=0xfffffffffffffe00,0x20000010,0x20000040,0x10000030
		SAMPLE misc=2 ip=0x10000050 pid=100 tid=100 time=30 cpu=0 period=1000 chain=0xfffffffffffffe00,0x10000050,0x10000030
		SAMPLE misc=2 ip=0x50000050 pid=200 tid=200 time=40 cpu=1 period=7000 chain=0xfffffffffffffe00,0x50000050,0x60000030,0x10000030
		SAMPLE misc=2 ip=0x10000050 pid=200 tid=200 time=50 cpu=1 period=1000 chain=0xfffffffffffffe00,0x10000050
		SAMPLE misc=1 ip=0xffffffff81000000 pid=0 tid=0 time=60 cpu=1 period=9000 chain=0xffffffffffffff80,0xffffffff81000000
	END
}

# flame OUT FILE OPTION...
flame() {
	try pstat --picture flame "${@:3}" "$2"
	cp "$T/out" "$1"
	[ $rc = 0 ]
}

@test "flame: a small recording, word for word" {
	chains | mkpipe - >"$T/chains.data"
	golden pstat-flame pstat --picture flame - <"$T/chains.data"
	golden pstat-flame-term sh -c "COLUMNS=80 LC_ALL=C pstat --term --picture flame <'$T/chains.data'"
}

@test "flame: frames of one file without symbols are one box, idle samples are left out, and the boxes have the samples" {
	chains | mkpipe - >"$T/chains.data"
	flame "$T/svg" "$T/chains.data"
	boxes "$T/svg" | cut -d ' ' -f 4- >"$T/got"
	printf '%s\n' '5 0 all' '3 0 alpha' '3 1 [alpha]' '2 2 [libfoo.so]' '2 0 beta' '2 1 [beta]' '1 1 [no map]' | diff - "$T/got"
	grep -q 'without 1 of idle CPUs' "$T/svg"
	grep -q '17 % of frames are in no map' "$T/svg"
	grep -q 'have no name: --symbols DIR' "$T/svg"
	grep -q '>1 sample has a call chain of one frame<' "$T/svg"
}

@test "flame: options: what is below, how wide, which samples, which way up" {
	chains | mkpipe - >"$T/chains.data"
	local by
	for by in pid:'alpha 100' tid:'beta 200' event:cpu-clock:HG; do
		flame "$T/svg" "$T/chains.data" --flame-by "${by%%:*}" || failed "$by"
		boxes "$T/svg" | cut -d ' ' -f 6- | grep -qx "${by#*:}" || failed "$by: $(boxes "$T/svg")"
	done
	flame "$T/svg" "$T/chains.data" --flame-by none
	boxes "$T/svg" | cut -d ' ' -f 4- | grep -qx '2 2 \[libfoo.so\]' && ! boxes "$T/svg" | grep -q ' alpha$' || failed none
	flame "$T/svg" "$T/chains.data" --weight=period
	boxes "$T/svg" | cut -d ' ' -f 4- | grep -qx '13000 0 all' || failed period
	flame "$T/svg" "$T/chains.data" --cpumode kernel
	grep -q '>no samples<' "$T/svg" || failed kernel
	# all is the lowest, or the highest
	flame "$T/svg" "$T/chains.data"
	boxes "$T/svg" | sort -k3,3nr | head -n 1 | grep -q ' all$' || failed "all is not below"
	flame "$T/svg" "$T/chains.data" --icicle
	boxes "$T/svg" | sort -k3,3n | head -n 1 | grep -q ' all$' || failed "all is not above"
	flame "$T/dark" "$T/chains.data" --icicle --theme dark
	! cmp -s "$T/svg" "$T/dark" || failed "themes are alike"
	boxes "$T/svg" >"$T/a"
	boxes "$T/dark" | cmp - "$T/a"
	done_all
}

@test "flame: several events: the lowest level is the event, and --event chooses" {
	mkpipe data/two-events.txt >"$T/two"
	flame "$T/svg" "$T/two" --icicle
	boxes "$T/svg" >"$T/boxes"
	y=$(awk '$3 > min { print $3 }' min="$(sort -k3,3n "$T/boxes" | head -n 1 | cut -d ' ' -f 3)" "$T/boxes" | sort -n | head -n 1)
	awk -v y="$y" '$3 == y { print $6 }' "$T/boxes" | sort >"$T/got"
	command pstat --csv --table events "$T/two" | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "samples") k = i; next } $k > 0 { print $1 }' | sort >"$T/want"
	[ "$(wc -l <"$T/want")" = 2 ]
	diff "$T/want" "$T/got"
	flame "$T/svg" "$T/two" --event "$(head -n 1 "$T/want")"
	! boxes "$T/svg" | grep -qF "$(head -n 1 "$T/want")" || false
	try pstat --picture flame --event none-such "$T/two"
	[ $rc != 0 ]
}

@test "flame: the boxes are the folded stacks, and their sums are right" {
	chains | mkpipe - >"$T/chains.data"
	need jq
	local f n=0
	mkdir "$T/dir"
	mkpipe data/two-events.txt >"$T/two"
	for f in data/{demo,g_fp.pipe,multi.pipe,basic.pipe,k_mono.pipe,z1.file}.data "$T/two" "$T/chains.data"; do
		try pstat -q --symbols "$T/dir" --json --picture flame "$f"
		[ $rc = 0 ] && cp "$T/out" "$T/json" || failed "$f: $rc"
		jq -r '.flame as $b | ($b | map(select(.parent != null)) | group_by(.parent)[] | {p: .[0].parent, t: (map(.total) | add)}) | select(.t + $b[.p].self != $b[.p].total) | "\(.)"' \
		    "$T/json" >"$T/wrong"
		! [ -s "$T/wrong" ] || failed "$f: totals $(head -n 2 "$T/wrong")"
		jq -r '(.samples - ([.flame[0].total, 0] | add))' "$T/json" >"$T/idle"
		# paths of the boxes; the folded stacks, of which idle ones have the comm swapper
		jq -r 'reduce .flame[] as $x ([]; . + [{ path: (if $x.parent == null then "" else .[$x.parent].path + ";" + ($x.name | gsub(";"; ":")) end), self: $x.self }]) |
		    .[] | select(.self > 0) | "\(.path[1:]) \(.self)"' "$T/json" | sort >"$T/got"
		command pstat -q --symbols "$T/dir" --folded "$f" | { [ "$(cat "$T/idle")" = 0 ] && cat || grep -v '^\([^;]*;\)\?swapper\(;\| \)'; } | sort >"$T/want"
		diff "$T/want" "$T/got" >"$T/diff" || failed "$f: $(head -n 4 "$T/diff")"
		[ ! -s "$T/want" ] || n=$((n + 1))
		# the SVG, if it has all boxes
		flame "$T/svg" "$f" --icicle || failed "$f: svg"
		boxes "$T/svg" >"$T/boxes"
		[ "$(jq '.flame[0].total' "$T/json")" = "$(awk 'NR == 1 { print $4 }' "$T/boxes")" ] || [ ! -s "$T/boxes" ] || failed "$f: all"
		grep -q 'not drawn' "$T/svg" || [ ! -s "$T/boxes" ] || sums "$T/boxes" >"$T/sum" || failed "$f: sums"
	done
	[ $n -ge 5 ]
	done_all
}

@test "flame: names as hostile as they can be do no harm" {
	need_module unicodedata
	local i=0 name
	{
		echo "attr type=1 config=0 period=1 sample_type=IP|TID|TIME|CPU|CALLCHAIN flags=sample_id_all|comm|mmap2 ids=1"
		for name in '</title><script>alert(1)</script>' '\x22&amp;\x27\s·\s5\ssamples\s·\s1%\s·\sself\s9' "$(printf 'L%.0s' {1..4000})" '\xd7\x90\xe2\x80\x8f\xe2\x81\xa7' '\xff\xc3\x9b2J' 'a\x0ab\x0d\x1b[2J' "$(printf '\\xe6\\xbc\\xa2%.0s' {1..200})" ']]>' 'a;b'; do
			i=$((i + 1))
			printf '%s\n' "COMM pid=10$i tid=10$i comm=$name" "MMAP2 misc=2 pid=10$i tid=10$i start=0x10000000 len=0x1000 prot=5 flags=2 filename=/$name" \
			    "SAMPLE misc=2 ip=0x10000000 pid=10$i tid=10$i cpu=0 time=${i}000 chain=0xfffffffffffffe00,0x10000000"
		done
	} | mkpipe - >"$T/hostile"
	flame "$T/svg" "$T/hostile"
	[ "$(boxes "$T/svg" | wc -l)" = 19 ] || failed "boxes: $(boxes "$T/svg" | wc -l)"
	! grep -nE '<script|href|<image' "$T/svg" || failed active
	! LC_ALL=C grep -q $'[\x01-\x09\x0b-\x1f\x7f]' "$T/svg" || failed "control bytes"
	iconv -f UTF-8 -t UTF-8 "$T/svg" >/dev/null || failed UTF-8
	[ "$(stat -c %s "$T/svg")" -lt 40000 ] || failed "$(stat -c %s "$T/svg") bytes"
	for c in 80 200; do
		try env COLUMNS=$c LC_ALL=C.UTF-8 TERM=xterm pstat --term --picture flame "$T/hostile"
		[ $rc = 0 ] && $PYTHON pstat.py text "$T/out" $c || failed "text $c"
		try env COLUMNS=$c LC_ALL=C pstat --term --picture flame "$T/hostile"
		[ $rc = 0 ] && $PYTHON pstat.py text "$T/out" $c ascii || failed "text $c ascii"
	done
	done_all
}

@test "flame: of a long name the innermost part stays, and a function has one shade" {
	local name='outer::name_space::Box<long,\sother::Type>::spinning_function'
	{
		echo "attr type=1 config=0 period=1 sample_type=IP|TID|TIME|CPU|CALLCHAIN flags=sample_id_all|comm ids=1"
		for i in 1 2 3 4 5 6; do
			printf '%s\n' "COMM pid=10$i tid=10$i comm=$name" "SAMPLE misc=2 ip=0x10000000 pid=10$i tid=10$i cpu=0 time=${i}000 chain=0xfffffffffffffe00,0x10000000"
		done
	} | mkpipe - >"$T/long"
	flame "$T/svg" "$T/long" --flame-by pid
	[ "$(grep -c '<text class="b".*>…spinning_function 10[1-6]</text>' "$T/svg")" = 6 ] || failed "svg"
	try env COLUMNS=80 LC_ALL=C pstat --term --picture flame --flame-by pid "$T/long"
	[ "$(grep -c ' ~spinning_function 10[1-6]$' "$T/out")" = 6 ] || failed "text"
	[ "$(grep '\[no map\] · 1 sample' "$T/svg" | grep -o 'class="[^"]*"' | sort -u | wc -l)" = 1 ] || failed "shades"
	done_all
}

# deep LEVELS WIDE: a recipe: stacks of so many frames in different files, so many different ones
deep() {
	echo "attr type=1 config=0 period=1 sample_type=IP|TID|TIME|CPU|CALLCHAIN flags=sample_id_all|comm|mmap2 ids=1"
	echo "COMM pid=100 tid=100 comm=deep"
	awk -v deep="$1" -v wide="$2" 'BEGIN {
		for (i = 0; i < deep + wide; i++)
			printf "MMAP2 misc=2 pid=100 tid=100 start=%d len=0x1000 prot=5 flags=2 filename=/file-%d\n", 268435456 + i * 4096, i
		for (i = 0; i < wide; i++) {
			printf "SAMPLE misc=2 ip=%d pid=100 tid=100 cpu=0 time=%d chain=0xfffffffffffffe00,%d", 268435456 + (deep + i) * 4096, 1000 + i, 268435456 + (deep + i) * 4096
			for (k = deep; k-- > 0;)
				printf ",%d", 268435456 + k * 4096 + 1
			print ""
		}
	}'
}

@test "flame: what is too deep, too narrow, or too much is left out, and said" {
	need jq
	deep 400 3 | mkpipe - >"$T/deep"
	flame "$T/svg" "$T/deep"
	[ "$(boxes "$T/svg" | wc -l)" = 250 ] && grep -q '155 boxes above level 250 not drawn' "$T/svg" || failed "deep"
	try env COLUMNS=80 LC_ALL=C pstat --term --picture flame "$T/deep"
	[ $rc = 0 ] && grep -q '325 narrower boxes not shown' "$T/out" || failed "deep text: $(tail -n 1 "$T/out")"
	deep 2 6000 | mkpipe - >"$T/wide"
	flame "$T/svg" "$T/wide"
	[ "$(boxes "$T/svg" | wc -l)" = 4 ] && grep -q '6000 boxes of less than [0-9]* samples not drawn' "$T/svg" || failed "wide"
	# rare ends go into others, and the sum stays
	try pstat --json --picture flame --max-nodes 100 "$T/wide"
	[ $rc = 0 ] && jq -e '.exact == false and .flame[0].total == 6000 and (.flame | length) <= 101 and ([.flame[] | select(.name == "(other)")] | length) > 0 and ([.flame[].self] | add) == 6000' "$T/out" >/dev/null ||
	    failed "max-nodes"
	done_all
}

@test "flame: recordings without samples, without call chains, and what ends too early" {
	local f
	echo "attr type=1 config=0 period=1 sample_type=IP|TID|TIME|CPU flags=sample_id_all ids=1" | mkpipe - >"$T/none"
	flame "$T/svg" "$T/none"
	grep -q '>no samples<' "$T/svg" && boxes "$T/svg" | wc -l | grep -qx 0 || failed none
	try env LC_ALL=C pstat --term --picture flame "$T/none"
	[ $rc = 0 ] && grep -qx 'No samples.' "$T/out" || failed "none as text"
	flame "$T/svg" data/basic.pipe.data
	grep -q 'no sample has a call chain: `perf record -g&#39; records them' "$T/svg" || failed chainless
	f=$(stat -c %s data/g_fp.pipe.data)
	head -c $((f / 2 + 1)) data/g_fp.pipe.data >"$T/cut"
	try command pstat --picture flame "$T/cut"
	[ $rc = 1 ] && cp "$T/out" "$T/svg" && [ "$(boxes "$T/svg" | wc -l)" -gt 2 ] || failed cut
	try command pstat --picture flame "$T/nowhere"
	[ $rc = 1 ] && ! [ -s "$T/out" ] || failed nowhere
	done_all
}

@test "flame: wrong usage" {
	for o in "--icicle" "--picture rate --icicle" "--picture rate --flame-by pid" "--picture flame --flame-by cpu" "--picture flame --weight=x" "--picture flame --max-nodes 3" \
	    "--picture rate --symbols $T" "--picture flame --icicle --json" "--picture flame,flame" "--picture flame --symbols $T/none"; do
		try command pstat $o data/basic.pipe.data
		[ $rc = 2 ] && one_line "pstat: " && [ ! -s "$T/out" ] || failed "pstat $o: $rc"
	done
	done_all
}
