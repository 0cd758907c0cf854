# SPDX-License-Identifier: ISC
# pstat --picture as SVG: read back by parsers that are not ours, and its figures beside those of perf, psort and pfilter.
load lib
load pstat
load perf

PICTURES=rate,cpu,tasks,subsecond,disorder,hist:interval,fill,flame
TIMED=rate,cpu,tasks,subsecond

# parsed FILE: for each panel a line "panel TITLE", for each tooltip "cell NUMBER TEXT"; XML's characters as themselves.
parsed() {
	$PYTHON svg.py panels "$1"
}

# The picture of README: the command of a paragraph, and in the next the file.
@test "pstat svg: the pictures of README are what their commands draw" {
	local file command n=0
	grep -E '^`pstat [^`]*`: |^!\[' ../README.md | paste - - | sed -nE 's/^`([^`]*)`.*\]\(([^)]*)\)$/\2 \1/p' >"$T/pictures"
	while read -r file command; do
		(cd data && eval "$command") >"$T/svg" || failed "$command"
		[ -z "$UPDATE" ] || cp "$T/svg" "../$file"
		cmp "$T/svg" "../$file" || failed "$command: see make golden"
		[ "$(stat -c %s "../$file")" -lt 60000 ] || failed "$file: $(stat -c %s "../$file") bytes"
		n=$((n + 1))
	done <"$T/pictures"
	[ $n = "$(ls ../man/pictures/*.svg | wc -l)" ] && [ $n -ge 1 ] || failed "$n pictures"
	done_all
}

# apart FILE: texts that run into another one of their line, or out of the picture, as far as one can say without the font.
apart() {
	$PYTHON svg.py apart "$1"
}

# picture NAME OUT FILE [option...]
picture() {
	local name=$1 out=$2 file=$3
	shift 3
	try pstat --picture "$name" "$@" "$file"
	cp "$T/out" "$out"
	[ $rc = 0 ] && ! [ -s "$T/err" ]
}

@test "pstat svg: a small recording, word for word" {
	golden pstat-svg pstat --picture $PICTURES data/k_mono.pipe.data
	mkpipe data/late.txt >"$T/late.pipe"
	golden pstat-svg-late sh -c "pstat --theme dark --scale log --picture rate,tasks,disorder,fill <'$T/late.pipe'"
}

@test "pstat svg: XML that parsers accept and that is drawn, of each recording, theme and scale" {
	local how=(-- "--theme light --scale log" "--theme dark --scale rank") i=0 f
	for f in data/*.data data/rounds.txt data/late.txt data/read-group.txt data/every-sample.txt data/sorted.txt; do
		turn 9 || continue
		[ "${f%.txt}" = "$f" ] || { mkpipe "$f" >"$T/in"; f=$T/in; }
		i=$(((i + 1) % 3))
		picture $PICTURES "$T/svg" "$f" ${how[i]} || failed "$f: status $rc"
		parsed "$T/svg" >"$T/parsed" || failed "$f: python"
		[ "$(grep -c ^panel "$T/parsed")" = 8 ] || failed "$f: panels"
		! type -P xmllint >/dev/null || xmllint --noout "$T/svg" || failed "$f: xmllint"
		[ $i != 1 ] || ! type -P rsvg-convert >/dev/null || rsvg-convert -o "$T/png" "$T/svg" || failed "$f: rsvg-convert"
		# nothing that runs, nothing from elsewhere
		! grep -nE '<script|href|url\([^#]|@import|@font|<image|<foreignObject' "$T/svg" || failed "$f: active"
		[ "$(grep -c 'http' "$T/svg")" = 1 ] || failed "$f: an address"
	done
	done_all
}

# many CPUs TASKS: the recipe of a recording with so many of them, in which one cell has 22,000 samples and a task few.
many() {
	echo "attr type=1 config=0 period=1 sample_type=IP|TID|TIME|CPU|PERIOD flags=sample_id_all|comm ids=11"
	awk -v cpus="$1" -v tasks="$2" 'BEGIN {
		for (i = 0; i < tasks; i++)
			printf "COMM pid=%d tid=%d comm=memfd:sealed-%d\n", 4000000 + i, 4000000 + i, i
		for (i = 0; i < 26000; i++) {
			t = i < 22000 ? i : i * 1000
			p = 4000000 + (i < 25990 ? i % 5 : 5 + i % (tasks - 5))
			printf "SAMPLE misc=2 ip=0x401000 pid=%d tid=%d time=%.0f cpu=%d period=1\n", p, p, 1000000000000 + t * 900, i % cpus
		}
	}'
}

@test "pstat svg: texts do not run into each other, and say what is small" {
	local f n=0
	many 64 9 | mkpipe - >"$T/many"
	# the clock jumps by a year; a few intervals are that long
	awk 'BEGIN { print "attr type=1 config=0 period=1 sample_type=IP|TID|TIME|CPU|PERIOD flags=sample_id_all ids=11"
		for (i = 0; i < 60; i++)
			printf "SAMPLE misc=2 ip=0x401000 pid=%d tid=%d time=%.0f cpu=%d period=1\n", i % 7, i % 7, 5000000000 + i * 100000000 + (i > 30) * 31536000000000000, i % 2 }' |
	    mkpipe - >"$T/jumps"
	for f in data/*.data "$T/many" "$T/jumps"; do
		turn 9 || continue
		picture $PICTURES "$T/svg" "$f" || failed "$f: status $rc"
		apart "$T/svg" >"$T/apart" && ! [ -s "$T/apart" ] || failed "$f: $(head -3 "$T/apart")"
		n=$((n + 1))
	done
	[ $n -gt $((ALL ? 20 : 3)) ]
	picture rate,tasks,fill "$T/svg" "$T/many"
	# of a long name that is cut, the pid stays
	grep -q '>memfd:s[a-z]*…</tspan> 4000004</text>' "$T/svg" || failed "$(grep -o '>memfd[^<]*</text>' "$T/svg")"
	# what is there is not nothing, and what is not there is not in the legend
	grep -q '><0.1%\|>&lt;0.1%</text>' "$T/svg" || failed "$(grep -o '[^>]*%</text>' "$T/svg")"
	! grep -q '>0\.0%\|>user stacks' "$T/svg" || failed "what is not there"
	grep -q '26000 samples of 9 processes in [0-9.]* s; the busiest is memfd:sealed-[0-4] 400000[0-4] with 20.0 %$' "$T/svg" || failed "$(grep -A2 '<desc' "$T/svg")"
	done_all
}

@test "pstat svg: the same input gives the same bytes, of each byte order and container" {
	picture $PICTURES "$T/a" data/demo.data
	TZ=Asia/Tokyo LC_ALL=C.UTF-8 picture $PICTURES "$T/b" data/demo.data
	cmp "$T/a" "$T/b"
	for r in small rounds late read-group; do
		mkpipe data/$r.txt >"$T/le"
		mkpipe -b data/$r.txt >"$T/be"
		pstat --picture $PICTURES <"$T/le" >"$T/a"
		pstat --picture $PICTURES <"$T/be" >"$T/b"
		cmp "$T/a" "$T/b" || failed "$r: byte orders"
	done
	done_all
}

@test "pstat svg: themes and scales change nothing but colours" {
	picture $PICTURES "$T/auto" data/demo.data
	picture $PICTURES "$T/dark" data/demo.data --theme dark
	picture $PICTURES "$T/light" data/demo.data --theme light
	grep -q 'prefers-color-scheme' "$T/auto"
	for theme in dark light; do
		! grep -q 'prefers-color-scheme' "$T/$theme" || failed "$theme"
		diff <(sed '/^<style>/,/<\/style>$/d' "$T/auto") <(sed '/^<style>/,/<\/style>$/d' "$T/$theme") || failed "$theme: not only colours"
	done
	for scale in log rank; do
		picture $TIMED "$T/$scale" data/demo.data --scale $scale
		parsed "$T/$scale" | sed -n 's/^cell \([0-9]*\) sample.*/\1/p' | awk '{ n += $1 } END { print n }' >"$T/sum.$scale"
	done
	picture $TIMED "$T/linear" data/demo.data --scale linear
	parsed "$T/linear" | sed -n 's/^cell \([0-9]*\) sample.*/\1/p' | awk '{ n += $1 } END { print n }' >"$T/sum"
	cmp "$T/sum" "$T/sum.log"
	cmp "$T/sum" "$T/sum.rank"
	grep -q 'colours: linear' "$T/linear"
	grep -q 'colours: logarithmic' "$T/log"
	grep -q 'colours: by rank' "$T/rank"
	done_all
}

# named FILE NAME: the recipe with names of this kind.
named() {
	cat >"$1.txt" <<-END
		attr type=1 config=0 period=1 sample_type=IP|TID|TIME|CPU|PERIOD flags=sample_id_all|mmap|comm|task ids=11
		COMM pid=100 tid=100 comm=$2
		COMM pid=101 tid=101 comm=$2
		SAMPLE misc=2 ip=0x401000 pid=100 time=1000 cpu=0 period=1
		SAMPLE misc=2 ip=0x401000 pid=100 time=2001000 cpu=1 period=1
		SAMPLE misc=2 ip=0x401000 pid=101 time=9001000 cpu=1 period=1
	END
	mkpipe "$1.txt" >"$1"
}

@test "pstat svg: a hostile name is text, and moves nothing" {
	local n=0 name keys long rightward
	printf -v long '<&"%.0s' {1..1400}
	printf -v rightward '\\xd7\\x90%.0s' {1..40}
	named "$T/plain" plain
	for keys in '' comm; do
		pstat --picture $TIMED ${keys:+--sort $keys} <"$T/plain" | sed -z 's|>[^<]*<|><|g' >"$T/bones$keys"
	done
	while read -r name; do
		n=$((n + 1))
		named "$T/hostile" "$name"
		for keys in '' comm; do
			turn 5 || continue
			pstat --picture $TIMED ${keys:+--sort $keys} <"$T/hostile" >"$T/svg" || failed "$name: status"
			# texts have no < and no >: what is between them may differ, and <desc> goes over lines
			sed -z 's|>[^<]*<|><|g' "$T/svg" | diff "$T/bones$keys" - >"$T/diff" || failed "$name: $(head -4 "$T/diff")"
			parsed "$T/svg" >"$T/parsed" || failed "$name: python"
			! grep -qP '[\x00-\x08\x0b-\x1f\x7f]' "$T/svg" || failed "$name: controls"
			apart "$T/svg" >"$T/apart" && ! [ -s "$T/apart" ] || failed "$name: $(head -1 "$T/apart")"
			# letters from right to left are apart from the pid
			[ -n "$keys" ] || [ "$(grep -c '</tspan> 10[01]</text>' "$T/svg")" = 4 ] || failed "$name: pids"
			iconv -f UTF-8 -t UTF-16LE "$T/svg" >"$T/utf16" || failed "$name: UTF-8"
			! LC_ALL=C.UTF-8 grep -qP '[\x{80}-\x{9f}\x{61c}\x{200e}\x{200f}\x{202a}-\x{202e}\x{2066}-\x{2069}\x{fffe}\x{ffff}]' "$T/svg" ||
			    failed "$name: acts on text"
		done
	done <<-END
		<script>alert(1)</script>
		]]></style><x>
		"'&amp;&#0;
		\x1b[2J\x07\x9b1m
		\xff\xfe\x80\xc0\xaf
		\xe2\x80\xae\xe2\x81\xa6
		\xef\xbf\xbe\xef\xbf\xbf
		\xd8\x9c\xe2\x80\x8f\xc2\x85
		\xf0\x9f\x98\x80\xe6\xbc\xa2\xe5\xad\x97
		$long
		$rightward
		\xd8\xa7\xd9\x84\x20\xd7\x90\x20
	END
	[ $n = 12 ]
	done_all
}

@test "pstat svg: tooltips add up to the samples of perf script" {
	need perf
	need jq
	local f n=0
	for f in data/{demo,g_fp.pipe,k_mono.pipe,multi.pipe,basic.file,p72_forks.pipe,z1.file}.data; do
		perf script -f -G -F pid,tid --ns -i "$f" 2>/dev/null | grep -oE '^ *-?[0-9]+/-?[0-9]+' >"$T/samples" && [ -s "$T/samples" ] || continue
		picture $TIMED "$T/svg" "$f" || failed "$f: status $rc"
		parsed "$T/svg" | awk '$1 == "panel" { n++ } $1 == "cell" && $3 ~ /^sample/ { sum[n] += $2 } END { for (i = 1; i <= 4; i++) print sum[i] + 0 }' >"$T/got"
		all=$(wc -l <"$T/samples")
		busy=$(grep -cv '/0$' "$T/samples")
		hidden=$(pstat --json --picture tasks "$f" | jq '.pictures[0].hidden_samples')
		printf '%s\n' "$all" "$busy" $((busy - hidden)) "$busy" | diff - "$T/got" || failed "$f"
		n=$((n + 1))
	done
	[ $n -ge 4 ]
	done_all
}

@test "pstat svg: the option of a tooltip selects as many samples as it says" {
	need jq
	local f n p rest got
	for f in data/demo.data data/multi.pipe.data; do
		picture $TIMED "$T/svg" "$f" || failed "$f: status $rc"
		parsed "$T/svg" | awk '/^panel/ { p++; k = 0 } /^cell [0-9]+ samples? · --/ { if (++k % 20 == 1) print p, $0 }' >"$T/cells"
		while read -r p _ n _ _ rest; do
			got=$(eval "pfilter $rest $f" | pstat --json | jq .samples)
			[ "$got" = "$n" ] || failed "$f: $n samples, but $got by pfilter $rest"
		done <"$T/cells"
		for p in 1 3 4 $([ $f != data/demo.data ] || echo 2); do	# some have no CPU
			[ "$(grep -c "^$p" "$T/cells")" -ge 1 ] || failed "$f: no cells of picture $p"
		done
	done
	done_all
}

@test "pstat svg: disorder is what psort and the report say" {
	need jq
	for f in data/demo.data data/multi.pipe.data data/basic.pipe.data rounds late ordered; do
		[ -f "$f" ] || { mkpipe data/$f.txt >"$T/in"; f=$T/in; }
		picture disorder "$T/svg" "$f"
		psort --stats -fo "$T/sorted" "$f" 2>"$T/psort" || :
		back=$(sed -n 's/.* disorder: \([0-9]*\) .*/\1/p' "$T/psort")
		worst=$(sed -n 's/.* records and \([0-9.]*\) s$/\1/p' "$T/psort")
		late=$(sed -n 's/.* late: \([0-9]*\),.*/\1/p' "$T/psort")
		rounds=$(pstat --json "$f" | jq .order.rounds)
		text=$(grep -o '<text class="s" x="150" y="38">[^<]*' "$T/svg")
		[[ $text == *", $back of "*" are behind, by up to $worst s; $rounds rounds; $late are later than two rounds allow"* ]] || failed "$f: $text: $(cat "$T/psort")"
		pstat --json --picture disorder "$f" >"$T/json"
		[ "$(jq '[.disorder[].behind_ns] + [0] | max' "$T/json")" = "$(jq .order.backward_max_ns "$T/json")" ] || failed "$f: worst place"
		[ "$(jq '[.disorder[].late] | add + 0' "$T/json")" = "$(jq .order.late "$T/json")" ] || failed "$f: late"
		[ "$(jq '[.disorder[].late_ns] + [0] | max' "$T/json")" = "$(jq .order.late_max_ns "$T/json")" ] || failed "$f: by how much"
		# that window is enough
		window=$(grep -o 'psort --window=[0-9a-z]*' "$T/svg" | head -1)
		[ "$back" = 0 ] && continue
		eval "psort --stats -fo '$T/sorted' ${window#psort } '$f'" 2>"$T/psort" || failed "$f: $window"
		grep -q ' late: 0,' "$T/psort" || failed "$f: $window: $(cat "$T/psort")"
		# the histogram and the places have each of them
		[ "$(parsed "$T/svg" | sed -n 's/^cell \([0-9,]*\) records .*/\1/p' | tr -d , | awk '{ n += $1 } END { print n }')" = "$back" ] || failed "$f: histogram"
	done
	done_all
}

@test "pstat svg: the parts of fill are all bytes" {
	need jq
	for f in data/demo.data data/p72_group_S.pipe.data data/z1.pipe.data data/stat.pipe.data; do
		pstat --json --picture fill "$f" >"$T/json"
		[ "$(jq '[.fill[].bytes] | add' "$T/json")" = "$(jq .bytes "$T/json")" ] || failed "$f: sum"
		[ "$(jq '.fill[] | select(.part == "call chains").bytes' "$T/json")" = "$(jq .content.call_chains "$T/json")" ] || failed "$f: chains"
		picture fill "$T/svg" "$f"
		[ "$(parsed "$T/svg" | sed -n 's/^cell \([0-9]*\) byte.*/\1/p' | awk '{ n += $1 } END { print n }')" = "$(jq .bytes "$T/json")" ] || failed "$f: tooltips"
	done
	done_all
}

@test "pstat svg: a full disk is a failure" {
	try sh -c 'pstat --picture rate data/demo.data >/dev/full'
	[ $rc = 1 ]
	one_line "pstat: <stdout>: write: No space left on device"
}

@test "pstat --picture: of 64 busy CPUs it is smaller than 1 MB, and has all samples" {
	{
		echo "attr type=1 config=0 period=1 sample_type=IP|TID|TIME|CPU ids=1"
		awk 'BEGIN { srand(1); for (t = 0; t < 1000; t++) for (c = 0; c < 64; c++) { n = int(rand() * 3)
			for (i = 0; i <= n; i++) printf "SAMPLE ip=1 pid=%d tid=%d time=%.0f cpu=%d\n", c + 1, c + 1, 9000000000000 + t * 5000000 + i, c } }'
	} | mkpipe - >"$T/in"
	pstat --picture cpu -o "$T/svg" "$T/in" || failed status
	[ "$(wc -c <"$T/svg")" -lt 1000000 ] || failed "$(wc -c <"$T/svg") bytes"
	[ "$(grep -c 'class="c[1-8]"><title>' "$T/svg")" -gt 2000 ] || failed "too coarse: $(grep -c '<title>' "$T/svg") cells"
	[ "$(sed -n 's/.*<title>\([0-9]*\) samples* · --cpu.*/\1/p' "$T/svg" | awk '{ n += $1 } END { print n }')" = \
	    "$(pstat --json "$T/in" | sed -n 's/^"samples":\([0-9]*\),.*/\1/p')" ] || failed "samples"
	done_all
}

@test "pstat --picture hist: of an input without samples" {
	mkpipe - >"$T/in" <<<"attr type=1 config=0 period=1 sample_type=IP|TID|TIME|CPU|PERIOD ids=1"
	for f in period interval; do
		try pstat --picture hist:$f --term "$T/in"
		[ $rc = 0 ] && grep -q 'No value' "$T/out" || failed "$f: $rc $(cat "$T/err")"
	done
	done_all
}
