# SPDX-License-Identifier: ISC
# --format=file of all tools but pcat: what perf's commands make of it, and that it is what pcat would write.
load lib
load oracle

OTHERS=${STREAMERS/pcat }

# The options with which a tool keeps all records.
whole() {
	case $1 in
	psort) echo psort --rounds=keep;;
	*) neutral "$1";;
	esac
}

@test "format=file: the file is, byte for byte, what pcat makes of the stream" {
	for f in data/*.data $(recipe all-types) $(recipe all-types -b) $(recipe two-events) $(recipe big); do
		for t in $OTHERS; do
			turn 5 || continue
			same_file $t "$f"
		done
	done
	done_all
}
# Both or neither: a stream that cannot be made a file is none either way.
same_file() {	# TOOL FILE
	rm -f "$T/direct" "$T/piped"
	try $(whole $1) --format=file -o "$T/direct" "$2"
	$(whole $1) "$2" >"$T/stream" 2>/dev/null || true
	pcat --format=file -o "$T/piped" "$T/stream" 2>/dev/null || true
	[ $rc = 0 ] || { [ ! -e "$T/direct" ] || failed "$1 $2: status $rc"; return 0; }
	cmp "$T/direct" "$T/piped" || failed "$1 $2"
}

@test "format=file: also of hardware trace, whose payload stands behind its records" {
	need corpus
	for f in "$CORPUS"/foreign/quipper/perf.data.intel_pt-4.14 "$CORPUS"/foreign/quipper/perf.data.cs_etm*; do
		[ -f "$f" ] || continue
		for t in $OTHERS; do
			same_file $t "$f"
		done
		perf script --no-itrace -f -i "$f" >"$T/want" 2>/dev/null || true
		perf script --no-itrace -f -i "$T/direct" 2>/dev/null | diff "$T/want" - >"$T/diff" || failed "$f: $(head -n 4 "$T/diff")"
	done
	done_all
}

@test "format=file: perf sched timehist and perf report say of it what they say of the recording" {
	need perf
	local -a inputs=(data/sched_R.file.data)
	[ ! -d "$CORPUS" ] || inputs+=("$CORPUS"/own/*sched*.file.data)
	for f in "${inputs[@]}"; do
		perf sched timehist -f -i "$f" >"$T/want.sched" 2>/dev/null || true
		perf report -f --stdio -i "$f" 2>/dev/null | grep -v '^# (Tip' >"$T/want.report" || true
		for t in $OTHERS; do
			rm -f "$T/out"
			$(whole $t) --format=file -o "$T/out" "$f"
			perf sched timehist -f -i "$T/out" 2>/dev/null | diff "$T/want.sched" - >"$T/diff" || failed "$t $f: $(head -n 4 "$T/diff")"
			perf report -f --stdio -i "$T/out" 2>/dev/null | grep -v '^# (Tip' | diff "$T/want.report" - >"$T/diff" || failed "$t $f: $(head -n 4 "$T/diff")"
		done
		[ -s "$T/want.report" ] || failed "$f: perf said nothing"
	done
	done_all
}

@test "format=file: perf sees the chosen samples in it, and the span that they have" {
	need perf
	tid=$(perf script -f -i data/multi.pipe.data -F tid 2>/dev/null | awk 'NR == 200 { print $1 }')
	pfilter --tid "$tid" data/multi.pipe.data >"$T/stream"
	pfilter --tid "$tid" --format=file -U "$T/rest" -o "$T/file" data/multi.pipe.data
	same_script "$T/stream" "$T/file"
	[ -s "$T/script.a" ]
	head -c 8 "$T/rest" | grep -q PERFILE2
	n=$(perf script -i data/multi.pipe.data 2>/dev/null | wc -l)
	[ "$(cat <(perf script -i "$T/file" 2>/dev/null) <(perf script -i "$T/rest" 2>/dev/null) | wc -l)" = "$n" ]
	# HEADER's SAMPLE_TIME is that of what was kept
	perf report --header-only -i "$T/file" 2>/dev/null | sed -n 's/^# time of \(first\|last\) sample : //p' >"$T/got"
	perf script -F time -i "$T/stream" 2>/dev/null | tr -d ' :' | sed -n '1p;$p' >"$T/want"
	diff "$T/want" "$T/got"
}

@test "format=file: psort --merge writes it, too" {
	need perf
	psort --merge data/basic.pipe.data data/g_fp.pipe.data >"$T/stream"
	psort --merge --format=file -o "$T/file" data/basic.pipe.data data/g_fp.pipe.data
	pcat --format=file -o "$T/piped" "$T/stream"
	cmp "$T/file" "$T/piped"
	same_script "$T/stream" "$T/file"
}

@test "format=file: without a file to write it is wrong usage" {
	for t in $OTHERS; do
		try $t --format=file data/basic.pipe.data
		[ $rc = 2 ] && one_line "$t: --format=file: needs -o FILE" && [ ! -s "$T/out" ] || failed $t
		try $t --format=flie -o "$T/x" data/basic.pipe.data
		[ $rc = 2 ] && one_line "$t: --format 'flie': expected one of stream, file" || failed "$t flie"
		try $t --format=file -o /dev/null data/basic.pipe.data
		[ $rc = 1 ] && one_line "$t: /dev/null: is a pipe, a device or open already: " || failed "$t /dev/null"
		try $t --format=file -o /dev/fd/7 data/basic.pipe.data 7>"$T/x"
		[ $rc = 1 ] && one_line "$t: /dev/fd/7: is a pipe, a device or open already: " || failed "$t /dev/fd/7"
	done
	done_all
}

@test "format=file: a damaged input gives the part that was good, under another name" {
	need perf
	head -c 9000 data/basic.pipe.data >"$T/cut"
	pcat "$T/cut" >"$T/good" 2>/dev/null || true
	for t in $OTHERS; do
		rm -f "$T"/out*
		try $(whole $t) --format=file -o "$T/out.data" "$T/cut"
		[ $rc = 1 ] && [ ! -e "$T/out.data" ] && [ -s "$T/out.data.tmp" ] || failed "$t"
		same_script "$T/good" "$T/out.data.tmp" || failed "$t: other samples"
	done
	done_all
}
