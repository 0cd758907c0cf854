# SPDX-License-Identifier: ISC
# pcat --format=file: a seekable perf.data, as perf record would have written it.
load lib

# u64 FILE OFFSET: a number of a little-endian file.
u64() {
	od -An -t u8 -j "$2" -N 8 "$1" | tr -d ' '
}

# section FILE FEATURE: "offset size" of a feature's section; nothing if the bit is not set.  Little-endian files.
section() {
	local at=$(($(u64 "$1" 40) + $(u64 "$1" 48))) bits=$(u64 "$1" 72) i
	(( bits >> $2 & 1 )) || return 0
	for ((i = 0; i < $2; i++)); do (( bits >> i & 1 )) && at=$((at + 16)) || true; done
	echo "$(u64 "$1" $at) $(u64 "$1" $((at + 8)))"
}

# The bytes of the data section.
data_of() {
	tail -c +$(($(u64 "$1" 40) + 1)) "$1" | head -c "$(u64 "$1" 48)"
}

# What perf says of a file, but for its place and date, and what no stream can carry (the caches) or that was
# expanded (compression).  $2: other lines to leave out.
header_of() {
	perf report -f --header-only -i "$1" 2>&1 | sed -e '/captured on/d; /data offset/d; /data size/d; /feat offset/d' \
	    -e '/CACHE info/d; /^# compressed/d; s/ CACHE / /; s/ COMPRESSED / /' -e "${2-}"
}

# same_file ORIGINAL OURS: does perf say the same of both?
same_file() {
	local no_times=
	# Recorded with -z or a build id in each MMAP2, perf does not look at its samples.
	! header_of "$1" | grep -q 'first sample : 0.000000' || no_times='/of first sample/d; /of last sample/d; /sample duration/d'
	same_script "$1" "$2" || return 1
	diff <(header_of "$1" "$no_times") <(header_of "$2" "$no_times") || return 1
	diff <(perf evlist -v -f -i "$1" 2>&1) <(perf evlist -v -f -i "$2" 2>&1) || return 1
	# perf makes a temporary file for a vdso without a build id, and names that
	diff <(perf buildid-list -f -i "$1" 2>&1 | grep -v /tmp/) <(perf buildid-list -f -i "$2" 2>&1 | grep -v /tmp/)
}

@test "file: a recording that became a stream becomes the same recording again" {
	need perf
	for in in data/*.file.data; do
		turn 3 || continue
		[[ $in != *stat_I* ]] || continue	# keeps the attrs of a stream
		pcat "$in" | pcat --format=file -f -o "$T/o" || failed "$in"
		same_file "$in" "$T/o" || failed "$in"
		pcat --format=file -f -o "$T/p" "$in"
		diff <(perf report -f -I --header-only -i "$in" 2>&1 | grep '^#  L') <(perf report -f -I --header-only -i "$T/p" 2>&1 | grep '^#  L') ||
		    failed "$in: the caches"
		pcat --format=file --no-features=cache -f -o "$T/p" "$in" && cmp "$T/o" "$T/p" || failed "$in: not by way of a stream"
	done
	done_all
}

# hits FILE: the output of perf report, without its header, and without entries that have no sample
hits() {
	perf report -f --stdio -g none -F overhead,sample,period,comm,dso -i "$1" 2>"$T/err" </dev/null | grep -v '^#\|^$\|^ *0.00%  *0  *0 '
}

@test "file: perf report prints the same for the stream and the file" {
	need perf
	for in in data/basic.file.data data/sched_R.file.data data/z1.file.data; do
		pcat "$in" >"$T/stream" || failed "$in"
		hits "$in" >"$T/want"
		hits "$T/stream" >"$T/got"
		grep -q '%' "$T/want" || failed "$in: perf report says nothing of it"
		diff "$T/want" "$T/got" || failed "$in: $(cat "$T/err")"
	done
	done_all
}

# put FILE OFFSET HEX...: overwrite bytes.
put() {
	printf "$(printf '\\x%s' "${@:3}")" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

# described NAME: data/basic.file.data with another name of its event in EVENT_DESC; prints where that entry's nr_ids stand.
described() {
	local at size
	cp data/basic.file.data "$T/described"
	read -r at size <<<"$(section "$T/described" 12)"
	put "$T/described" $((at + 8 + 128 + 8)) $(printf '%s' "$1" | od -An -v -tx1) 00
	echo $((at + 8 + 128))
}

@test "file: the name of an event, with ids and without" {
	need perf
	nr=$(described some-event)
	for ids in "" without; do
		[ -z "$ids" ] || put "$T/described" "$nr" 00 00 00 00
		for t in pcat pfilter psort; do
			$t "$T/described" >"$T/o" || failed "$t $ids"
			perf script -f -i "$T/o" -F event 2>/dev/null | sort | uniq -c | grep -q ' 196 some-event: *$' || failed "perf: $t $ids"
			pstat --json "$T/o" | grep -q '"name":"some-event"' || failed "pstat: $t $ids"
		done
		pcat --format=file -f -o "$T/o" "$T/described"
		perf script -f -i "$T/o" -F event 2>/dev/null | sort | uniq -c | grep -q ' 196 some-event: *$' || failed "file $ids"
	done
	# the name needs its event, though other events without ids are left
	mkpipe <<<"attr type=1 config=0 period=1000 sample_type=IP|TID|TIME flags=sample_id_all
		attr type=1 config=2 period=1000 sample_type=IP|TID|TIME flags=sample_id_all
		EVENT_UPDATE update_type=2 id=0 z=some-event" >"$T/two" || failed mkpipe
	pfilter --drop-event some-event "$T/two" >"$T/o"
	! strings "$T/o" | grep some-event || failed "a name without its event"
	done_all
}

@test "file: the names of events are perf's, over the corpus" {
	need perf
	need corpus
	for in in "$CORPUS"/foreign/wild/w_A*.data "$CORPUS"/own/multi.file.data "$CORPUS"/own/stat_s.file.data; do
		diff <(perf script -f -i "$in" -F event 2>/dev/null) <(pcat -q "$in" | perf script -i - -F event 2>/dev/null) >"$T/diff" ||
		    failed "$in: $(head -n 4 "$T/diff")"
	done
	done_all
}

@test "file: perf stat record -I reads as a stream of it" {
	need perf
	! perf_refuses data/stat_I.file.data || skip "this perf does not read such files of perf 6.1"
	pcat data/stat_I.file.data >"$T/o"
	perf script -i data/stat_I.file.data >"$T/want"
	[ "$(grep -c context-switches "$T/want")" -ge 10 ] || failed "perf shows nothing of the file"
	perf script -i - <"$T/o" | diff "$T/want" - || failed script
	perf stat report -i data/stat_I.file.data >"$T/want" 2>&1
	grep -q context-switches "$T/want" || failed "perf stat report shows nothing of the file"
	perf stat report -i - <"$T/o" 2>&1 | diff "$T/want" - || failed "stat report"
	# an id in EVENT_DESC that no attr has: perf goes by the order of the events
	cp data/stat_I.file.data "$T/f"
	read -r at _ <<<"$(section "$T/f" 12)"
	put "$T/f" $((at + 8 + 128 + 4 + 68 + 16 + 128 + 4 + 68)) ff ff ff ff ff ff ff 7f
	perf script -i "$T/f" >"$T/script"
	cmp -s "$T/f" data/stat_I.file.data && failed "not overwritten"
	pcat "$T/f" | perf script -i - | diff "$T/script" - || failed "an id that is none"
	# its attrs are those of a stream by the same perf, and it is a file again
	[ "$(u64 "$T/o" 48)" = 0 ] && [ "$(u64 data/stat.pipe.data 48)" = 0 ] || failed "sample_type"
	pcat --format=file -f -o "$T/f" data/stat_I.file.data
	perf script -i data/stat_I.file.data | diff - <(perf script -i "$T/f") || failed "file to file"
	diff "$T/want" <(perf stat report -i "$T/f" 2>&1) || failed "stat report of a file"
	done_all
}

@test "file: the corpus becomes streams and files again" {
	need perf
	need corpus
	for n in multi lost group_S namespaces notime callgraph_kernel sched_record raw_syscalls s390x_dwarf p612_multi \
	    tail_synth cgroups; do
		turn 5 || continue
		in=$CORPUS/own/$n.file.data
		pcat "$in" | pcat --format=file -f -o "$T/o" || failed "$n"
		same_file "$in" "$T/o" || failed "$n"
	done
	done_all
}

@test "file: header, attrs, ids, data and build ids are the bytes that perf record writes" {
	in=data/sched_R.file.data
	pcat "$in" | pcat --format=file -o "$T/o"
	cmp <(head -c 72 "$in") <(head -c 72 "$T/o")
	cmp <(head -c "$(u64 "$in" 40)" "$in" | tail -c +105) <(head -c "$(u64 "$T/o" 40)" "$T/o" | tail -c +105)
	cmp <(data_of "$in") <(data_of "$T/o")
	for f in 2 3 11 12 21; do
		read -r at n <<<"$(section "$in" $f)"
		read -r to m <<<"$(section "$T/o" $f)"
		cmp <(tail -c +$((at + 1)) "$in" | head -c "$n") <(tail -c +$((to + 1)) "$T/o" | head -c "$m") || failed "feature $f"
	done
	done_all
}

@test "file: streams of every kind, both byte orders" {
	need perf
	for in in data/*.pipe.data $(recipe rounds) $(recipe two-events) $(recipe two-events -b) $(recipe read-group); do
		turn 3 || continue
		F=
		case $in in
		# perf 6.1 refuses files (not streams) with a longer attr than its own
		*p72_*|*stat.*|*per_thread*) continue;;
		# its foreign callchains it shows by our symbols in a pipe, by none in a file
		*s390x_z1*) continue;;
		# and in a pipe it mixes up the halves of a foreign sample's pid, tid and cpu, so names no task and symbol right
		*s390x*|*-b.pipe) F="-F time,event,period";;
		esac
		pcat --format=file -f -o "$T/o" "$in" || failed "$in"
		pcat "$in" >"$T/plain"
		same_script "$T/plain" "$T/o" $F || failed "$in"
	done
	done_all
}

@test "file: only what belongs to a pipe leaves the data section" {
	in=$(recipe all-types)
	pcat --format=file -o "$T/o" "$in"
	data_of "$T/o" >"$T/data"
	# a stream of the same records, to be cut up by the list of the original
	mkpipe -l data/all-types.txt >"$T/list"
	while read -r off size name _; do
		case $name in
		header|HEADER_ATTR|HEADER_FEATURE|HEADER_TRACING_DATA|HEADER_BUILD_ID) continue;;
		EVENT_UPDATE) [ "$(u64 "$in" $((off + 8)))" != 2 ] || continue;;
		esac
		tail -c +$((off + 1)) "$in" | head -c "$size"
	done <"$T/list" | cmp - "$T/data"
	# flags: STAT by its records; AUXTRACE: how many, where each stands, its header's size
	[ "$(section "$T/o" 19 | cut -d' ' -f2)" = 0 ] || failed STAT
	read -r at n <<<"$(section "$T/o" 18)"
	[ "$n" = 24 ] && [ "$(u64 "$T/o" "$at")" = 1 ] && [ "$(u64 "$T/o" $((at + 16)))" = 48 ] || failed "AUXTRACE index"
	[ "$(od -An -t u4 -j "$(u64 "$T/o" $((at + 8)))" -N 4 "$T/o" | tr -d ' ')" = 71 ] || failed "AUXTRACE place"
	done_all
}

@test "file: an event with more ids than a record holds is one event again" {
	attr="attr type=1 config=0 period=1000 sample_type=IP|TID|TIME|IDENTIFIER flags=sample_id_all len=128 ids="
	{
		echo "$attr$(seq -s, 1 8174)"
		echo "$attr$(seq -s, 8175 9000)"
		echo "COMM pid=100 tid=100 comm=alpha"
		echo "SAMPLE misc=2 ip=0x401000 pid=100 time=1000"
	} >"$T/r.txt"
	mkpipe "$T/r.txt" >"$T/in"
	pcat --format=file -o "$T/o" "$T/in"
	[ "$(u64 "$T/o" 32)" = 144 ] && [ "$(u64 "$T/o" $(($(u64 "$T/o" 24) + 136)))" = 72000 ] || failed "one attr"
	cmp -n 72288 <(pcat -q "$T/o") "$T/in" || failed "the two HEADER_ATTRs again"
	done_all
}

@test "file: a stream without features or samples still opens" {
	need perf
	mkpipe <<<"attr type=1 config=0 period=1000 sample_type=IP|TID|TIME flags=sample_id_all" >"$T/in"
	pcat --format=file -o "$T/o" "$T/in"
	try perf report -f --stdio -i "$T/o"
	[ $rc = 0 ] || failed "perf report"
	! grep -qi 'data size field is 0' "$T/err" "$T/out" || failed "taken for a killed recording"
	perf evlist -f -i "$T/o" | grep -q cpu-clock || failed "no event"
	done_all
}

@test "file: attrs and features behind the samples come in front" {
	need perf
	for r in two-events; do
		mkpipe -l "data/$r.txt" >"$T/list"
		in=$(recipe $r)
		# the same, with the second attr at the end
		read -r off size _ <<<"$(grep HEADER_ATTR "$T/list" | sed -n 2p)"
		{ head -c "$off" "$in"; tail -c +$((off + size + 1)) "$in"; tail -c +$((off + 1)) "$in" | head -c "$size"; } >"$T/late"
		pcat --format=file -f -o "$T/a" "$in"
		pcat --format=file -f -o "$T/b" "$T/late"
		same_script "$T/a" "$T/b" || failed "$r"
		diff <(perf evlist -v -f -i "$T/a") <(perf evlist -v -f -i "$T/b") || failed "$r: evlist"
	done
	done_all
}

@test "file: perf data convert reads it" {
	need perf
	perf data convert --to-json "$T/a.json" --force -i data/basic.file.data >/dev/null 2>&1 ||
	    skip "this perf has no data convert --to-json"
	pcat data/basic.file.data | pcat --format=file -o "$T/o"
	perf data convert --to-json "$T/b.json" --force -i "$T/o" >/dev/null 2>&1
	diff <(grep -v 'captured-on\|-offset' "$T/a.json") <(grep -v 'captured-on\|-offset' "$T/b.json")
}

# features_of FILE: the numbers of all that its bitmap names, on one line.
features_of() {
	local bits i
	bits=$(u64 "$1" 72)
	for ((i = 0; i < 64; i++)); do (( bits >> i & 1 )) && echo $i || true; done | tr '\n' ' '
}

@test "file: features larger than a record are kept in a file, and reported for a stream" {
	need perf
	# CMDLINE becomes one argument of 70,000 bytes, behind all else; CACHE has no place in a stream
	in=$T/large
	cp data/basic.file.data "$in"
	bits=$(u64 "$in" 72) at=$(($(u64 "$in" 40) + $(u64 "$in" 48)))
	for ((i = 0; i < 11; i++)); do (( bits >> i & 1 )) && at=$((at + 16)) || true; done
	put "$in" $at $(printf '%016x%016x' 70024 "$(stat -c %s "$in")" | sed 's/../& /g' | tac -s ' ')
	printf '\1\0\0\0\200\021\001\0' >>"$in"
	{ printf '%069999d' 0; head -c 17 /dev/zero; } >>"$in"
	perf report --header-only -f -I -i "$in" | sed '/captured on/d; /feat offset/d' >"$T/want"
	grep -q '^# cmdline : 0000' "$T/want" && grep -q 'CPU cache info:' "$T/want" || failed "perf does not read it"
	pcat -q --format=file -o "$T/o" "$in"
	perf report --header-only -f -I -i "$T/o" | sed '/captured on/d; /feat offset/d' | cmp - "$T/want" || failed kept
	pcat --format=file --compat=6.1 --no-features=hostname -o "$T/p" "$in"
	perf report --header-only -f -I -i "$T/p" | grep -q '^# cmdline : 0000' || failed "kept on the way"
	pcat --format=file --no-features=cmdline,cache -f -o "$T/p" "$in"
	[ "$(features_of "$T/p")" = "$(features_of data/basic.file.data | sed 's/ 11 / /; s/ 20 / /')" ] || failed "left out: $(features_of "$T/p")"
	for t in pcat pfilter "pcat --endian=big"; do
		try $t "$in"
		[ $rc = 0 ] && grep -q "^${t%% *}: warning: $in: header feature CMDLINE of 70024 bytes is too large for a record and left out" "$T/err" ||
		    failed "$t: not reported"
		! grep -q 0000000000 "$T/out" || failed "$t: in a stream"
	done
	done_all
}

@test "file: a section that is larger than memory should be is not read" {
	# 8 GiB of zeros in a file of a few KB: BUILD_ID and EVENT_DESC are read as a whole
	pstat -s type data/basic.file.data | awk '/^SAMPLE/ { print $2 }' >"$T/want"
	[ -s "$T/want" ] || failed "no samples"
	for f in 2 BUILD_ID 12 EVENT_DESC; do
		[ "${f//[0-9]/}" ] || { number=$f; continue; }
		in=$T/large
		cp data/basic.file.data "$in"
		bits=$(u64 "$in" 72) at=$(($(u64 "$in" 40) + $(u64 "$in" 48)))
		for ((i = 0; i < number; i++)); do (( bits >> i & 1 )) && at=$((at + 16)) || true; done
		end=$(stat -c %s "$in")
		put "$in" $at $(printf '%016x%016x' $((8 << 30)) "$end" | sed 's/../& /g' | tac -s ' ')
		truncate -s $((end + (8 << 30))) "$in"
		rc=0
		(sanitized || ulimit -v 4000000; exec pcat "$in") >"$T/out" 2>"$T/err" || rc=$?
		[ $rc = 1 ] && grep -qx "pcat: $in: byte $end: $f: 8589934592 bytes are too large; left out" "$T/err" || failed "$f: status $rc"
		pstat -s type "$T/out" | awk '/^SAMPLE/ { print $2 }' | cmp - "$T/want" || failed "$f: samples"
	done
	cp data/basic.file.data "$in"		# ids of the first attr
	at=$(u64 "$in" 24) end=$(stat -c %s "$in")
	put "$in" $((at + $(u64 "$in" 16) - 16)) $(printf '%016x%016x' $((8 << 30)) "$end" | sed 's/../& /g' | tac -s ' ')
	truncate -s $((end + (8 << 30))) "$in"
	rc=0
	(sanitized || ulimit -v 4000000; exec pcat "$in") >"$T/out" 2>"$T/err" || rc=$?
	[ $rc = 1 ] && grep -qF "pcat: $in: byte $at: ids: section of 8589934592 bytes: more than 16777216 ids" "$T/err" || failed "ids: status $rc"
	done_all
}

@test "file: a record of a feature that has no place in a stream does not come into a file" {
	mkpipe data/base.txt | pcat --format=file -o "$T/want"
	for number in 17 24 30; do		# in octal: BRANCH_STACK, CACHE, DIR_FORMAT
		{ mkpipe data/base.txt; printf '\120\0\0\0\0\0\30\0\'$number'\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0'; } >"$T/in"
		try pcat --format=file -o "$T/o" -f "$T/in"
		[ $rc = 0 ] && [ "$(features_of "$T/o")" = "$(features_of "$T/want")" ] || failed "$number: $(features_of "$T/o")"
	done
	done_all
}

@test "file: each feature that is too large for a stream is reported" {
	need corpus
	try pcat "$CORPUS/foreign/quipper/perf.data.branch_stack_spec"
	[ $rc = 0 ] && grep -q 'BPF_PROG_INFO of 291764 bytes' "$T/err" && grep -q 'BPF_BTF of 365726 bytes' "$T/err" || failed stream
	try pcat --format=file -o "$T/o" "$CORPUS/foreign/quipper/perf.data.branch_stack_spec"
	[ $rc = 0 ] && ! [ -s "$T/err" ] || failed file
	for f in 25 26; do
		read -r at n <<<"$(section "$CORPUS/foreign/quipper/perf.data.branch_stack_spec" $f)"
		read -r to m <<<"$(section "$T/o" $f)"
		cmp <(tail -c +$((at + 1)) "$CORPUS/foreign/quipper/perf.data.branch_stack_spec" | head -c "$n") \
		    <(tail -c +$((to + 1)) "$T/o" | head -c "$m") || failed "feature $f"
	done
	done_all
}

@test "file: --features and --no-features hold for what is made of them" {
	for in in data/sched_R.file.data data/sched_R.pipe.data data/z1.file.data; do
		tracing=
		[[ $in == *z1* ]] || tracing="1 "
		pcat --features=hostname --format=file -f -o "$T/o" "$in"
		[ "$(features_of "$T/o")" = "${tracing}3 " ] || failed "$in: --features=hostname: $(features_of "$T/o")"
		pcat --features=arch,build_id,sample_time --format=file -f -o "$T/o" "$in"
		# the hostname is empty
		[[ "$(features_of "$T/o")" =~ ^"$tracing"(2 )?3\ 6\ 21\ $ ]] || failed "$in: --features=arch: $(features_of "$T/o")"
		[ "$(section "$T/o" 3 | cut -d ' ' -f 2)" = 68 ] || failed "$in: empty hostname"
		pcat --no-features=sample_time,event_desc,build_id,tracing_data --format=file -f -o "$T/o" "$in"
		! features_of "$T/o" | grep -wq '1\|2\|12\|21' || failed "$in: --no-features: $(features_of "$T/o")"
		pcat --features=hostname -z --format=file -f -o "$T/o" "$in"
		[ "$(features_of "$T/o")" = "${tracing}3 27 " ] || failed "$in: -z: $(features_of "$T/o")"
	done
	pcat --features=hostname data/sched_R.file.data >"$T/o"
	[ "$(pstat --json "$T/o" | grep -c '"name":"HEADER_BUILD_ID"')" = 0 ] || failed "BUILD_ID in a stream"
	pcat --features=hostname,build_id data/sched_R.file.data >"$T/o"
	[ "$(pstat --json "$T/o" | grep -c '"name":"HEADER_BUILD_ID"')" = 1 ] || failed "no BUILD_ID in a stream"
	done_all
}

# ---- the name ------------------------------------------------------------------------------------

@test "output: gets its name when it is complete, and replaces no file without -f" {
	in=$(recipe ordered)
	mkdir "$T/d"
	for f in stream file; do
		o=$T/d/$f
		pcat --format=$f -o "$o" "$in" || failed "$f"
		[ "$(stat -c %a "$o")" = 600 ] || failed "$f: mode"
		cp "$o" "$T/was"
		try pcat --format=file -o "$o" "$in"
		[ $rc = 2 ] && one_line "pcat: $o: exists" && cmp "$o" "$T/was" || failed "$f: overwritten"
		try pcat --format=$f -f -o "$o" "$in"
		[ $rc = 0 ] && cmp "$o" "$T/was" || failed "$f -f"
		ln -s "$f" "$o.link"
		try pcat --format=$f -f -o "$o.link" "$in"
		[ $rc = 0 ] && [ -L "$o.link" ] && cmp "$o" "$T/was" || failed "$f: through a link"
		rm "$o.link"
	done
	[ "$(ls -A "$T/d" | tr '\n' ' ')" = "file stream " ] || failed "left behind: $(ls -A "$T/d")"
	done_all
}

@test "output: nothing remains selected of one that could not be finished" {
	in=$(recipe big)
	mkdir "$T/d"
	for f in stream file; do
		try sh -c "trap '' XFSZ; ulimit -f 16; exec pcat --format=$f -o '$T/d/x' '$in'"
		[ $rc = 1 ] && one_line "pcat: $T/d/x: write: " || failed "$f: file too large"
		rm -f "$T/fifo"
		mkfifo "$T/fifo"
		exec 9<>"$T/fifo"
		pcat --format=$f -o "$T/d/y" <"$T/fifo" 3>&- 9>&- &
		cat "$in" >&9
		kill $! && wait $! 2>/dev/null || true
		exec 9>&-
		try pcat --format=$f -o "$T/nodir/x" "$in"
		[ $rc = 1 ] && one_line "pcat: $T/nodir/x: No such file" || failed "$f: no directory"
		[ -z "$(ls -A "$T/d")" ] || failed "$f: left behind: $(ls -A "$T/d")"
	done
	try pcat --format=file -o /dev/full "$in"
	[ $rc = 1 ] && one_line "pcat: /dev/full: " || failed "a device"
	done_all
}

@test "file: of a cut stream it holds every whole record" {
	need perf
	in=$(recipe rounds)
	for n in $(($(wc -c <"$in") - 3)) $(($(wc -c <"$in") / 2 + 1)); do
		head -c "$n" "$in" >"$T/cut"
		try pcat --format=file -f -o "$T/o" "$T/cut"
		[ $rc = 1 ] && grep -q "^pcat: $T/cut: byte " "$T/err" || failed "cut at $n"
		pcat "$T/cut" >"$T/whole" 2>/dev/null || true
		same_script "$T/whole" "$T/o.tmp" || failed "cut at $n"
	done
	done_all
}

@test "file: an AUXTRACE whose payload is cut is left out" {
	in=$(recipe all-types)
	mkpipe -l data/all-types.txt >"$T/list"
	read -r off size _ <<<"$(grep -w AUXTRACE "$T/list")"
	head -c "$off" "$in" >"$T/before"
	head -c $((off + size - 4)) "$in" >"$T/cut"
	pcat --format=file -o "$T/want" "$T/before"
	for z in "" -z; do
		try pcat $z --format=file -f -o "$T/o" "$T/cut"
		[ $rc = 1 ] && grep -q "^pcat: $T/cut: byte $off: AUXTRACE: cut short" "$T/err" || failed "message $z"
		cmp <(pcat "$T/want") <(pcat "$T/o.tmp") || failed "what is whole $z"
	done
	done_all
}

@test "file: an event without a name gets none" {
	need perf
	# each perf builds a name of its own, "cycles:HG" or "cycles"
	events() { perf evlist -i "$1" 2>/dev/null | tr '\n' ' '; }
	one="attr type=0 config=0 period=1 sample_type=IDENTIFIER|IP|TID|TIME flags=sample_id_all"
	{ echo "$one ids=11"; echo "attr type=1 config=0 period=1 sample_type=IDENTIFIER|IP|TID|TIME flags=sample_id_all ids=12"
	  echo "SAMPLE ip=1 pid=1 tid=1 time=10 id=11"; } | mkpipe - >"$T/none"
	{ echo "$one ids=21"; echo "EVENT_UPDATE update_type=2 id=21 z=mine"; echo "SAMPLE ip=1 pid=1 tid=1 time=11 id=21"; } | mkpipe - >"$T/named"
	built=$(events "$T/none")
	for tool in pcat pfilter psort; do
		$tool --format=file -f -o "$T/file" "$T/none"
		[ "$(events "$T/file")" = "$built" ] || failed "$tool: $(events "$T/file")"
		pstat --header "$T/file" | grep -q '^# missing features:.* EVENT_DESC' || failed "$tool: EVENT_DESC"
	done
	# what has a name keeps it, in front of the others and behind them
	shown() { perf script -i "$1" -F time,event 2>/dev/null | sed 's/^[^:]*: *//; s/: *$//' | tr '\n' ' '; }
	for order in "named none" "none named"; do
		set -- $order
		for t in pcat "psort --merge"; do
			for as in "" .file; do
				for f in $order; do
					pcat --format=file -f -o "$T/$f.file" "$T/$f"
				done
				$t "$T/$1$as" "$T/$2$as" >"$T/joined"
				[[ " $(shown "$T/joined")" == *" mine "* ]] && [[ " $(shown "$T/joined")" == *" ${built%% *} "* ]] ||
				    failed "$t $order$as: $(shown "$T/joined")"
			done
			pcat --format=file -f -o "$T/file" "$T/joined"
			[[ " $(events "$T/file")" == *" mine "* ]] || failed "$t $order, file: $(events "$T/file")"
			[ "$order" = "none named" ] || [ "$(events "$T/file")" = "mine $built" ] || failed "$t $order, file: $(events "$T/file")"
		done
	done
	done_all
}
