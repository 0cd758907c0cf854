# SPDX-License-Identifier: ISC
# pcat --format=jsonl, compared with perf script and with what a reader of JSON says of each line.
load lib

python() {
	[ -x /usr/bin/python3 ] || skip "python3 is not installed"
}
lines() {
	/usr/bin/python3 jsonl.py check
}
jsonl() {
	pcat -q --format=jsonl "$@"
}

# How perf writes a line without a call chain, of those of $fields that it asks for.
AS_PERF='def ns: if length > 9 then .[:-9] + "." + .[-9:] else "0." + ("000000000" + .)[-9:] end;
	def perf($cpu): "\(.pid)/\(.tid) " + (if $cpu then "[\("00\(.cpu)"[-3:])] " else "" end) + "\(.time | ns): " +
	    (if .period then "\(.period) " else "" end) + "\(.event): \(.ip[2:])";'

# like_script FILE: has each sample the fields that perf shows, and is none missing?
like_script() {
	local f=$1 cpu= period= perf
	jsonl --types SAMPLE "$f" >"$T/jsonl" || failed "$f: status"
	jq -e .cpu "$T/jsonl" >/dev/null 2>&1 && cpu=,cpu
	jq -e .period "$T/jsonl" >/dev/null 2>&1 && period=,period
	for perf in $PERFS; do
		"$perf" script -G --ns -F "pid,tid,time,event,ip$cpu$period" -i "$f" 2>/dev/null </dev/null | sed 's/^ *//; s/  */ /g; s/ $//' |
		    sort >"$T/want"
		[ -s "$T/want" ] || failed "$f: $perf shows nothing"
		jq -r "$AS_PERF perf($([ "$cpu" ] && echo true || echo false))" "$T/jsonl" | sort | diff "$T/want" - >"$T/diff" ||
		    failed "$f, $perf: $(head -n 4 "$T/diff")"
	done
}

@test "jsonl: pid, tid, cpu, time, event, ip and period are those of perf script" {
	need perf; need jq
	files=(data/{basic.file,multi.pipe,g_fp.pipe,z1.pipe,k_mono.pipe,sched_R.file,s390x_basic.pipe}.data)
	[ -z "${ALL-}" ] || [ ! -d "$CORPUS" ] || files+=("$CORPUS"/own/{a_g,callgraph_kernel,cgroups,hifreq,multi,namespaces,phys,raw_syscalls}.*.data)
	for f in "${files[@]}"; do like_script "$f"; done
	done_all
}

@test "jsonl: frames of call chains are those of perf script" {
	need perf; need jq
	files=(data/g_fp.pipe.data data/z1.pipe.data)
	[ -z "${ALL-}" ] || [ ! -d "$CORPUS" ] || files+=("$CORPUS"/own/{a_g,callgraph_kernel}.*.data)
	for f in "${files[@]}"; do
		perf script -D -i "$f" 2>/dev/null </dev/null | awk '/^\.\.\. .*chain: nr:/ { if (n++) print chain; chain = "" }
			/^\.\.\.\.\. *[0-9]*: [0-9a-f]+( |$)/ { chain = chain " 0x" $3 } END { print chain }' | sed 's/0x0*\([0-9a-f]\)/0x\1/g' | sort >"$T/want"
		[ -s "$T/want" ]
		jsonl --types SAMPLE "$f" | jq -r '[.callchain[] | if . == "kernel" then "0xffffffffffffff80" elif . == "user" then "0xfffffffffffffe00"
		    else . end] | " " + join(" ")' | sort | diff "$T/want" - >"$T/diff" ||
		    failed "$f: $(head -n 4 "$T/diff")"
	done
	done_all
}

@test "jsonl: fields of payloads are what perf script shows" {
	need perf; need jq
	for f in data/sched_R.file.data data/sched_R.pipe.data; do
		perf script -F event,trace -i "$f" 2>/dev/null </dev/null | sed 's/^ *//; s/  */ /g' | sort >"$T/want"
		[ -s "$T/want" ]
		jsonl "$f" | jq -r 'select(.fields) | "\(.event): " + (.fields |
		    if .child_comm then "comm=\(.parent_comm) pid=\(.parent_pid) child_comm=\(.child_comm) child_pid=\(.child_pid)"
		    elif .filename then "filename=\(.filename) pid=\(.pid) old_pid=\(.old_pid)"
		    else "comm=\(.comm) pid=\(.pid) prio=\(.prio)" + (if .group_dead then " group_dead=\(if .group_dead > 0 then "true" else "false" end)"
			else "" end) end)' | sort | diff "$T/want" - || failed "$f"
	done
	done_all
}

@test "jsonl: samples are those of perf data convert --to-json" {
	need perf; need jq
	tried=0
	for perf in $PERFS; do
		for f in data/basic.file.data data/sched_R.file.data data/s390x_basic.file.data; do
			rm -f "$T/perf.json"
			command "$perf" data convert --to-json "$T/perf.json" --force -i "$f" >/dev/null 2>&1 || continue
			tried=1
			# a field of a payload called pid takes the place of the sample's in perf's, so this is without
			jq -r '.samples[] | "\(.timestamp) \(.tid) \(.cpu) \(.callchain[].ip)"' "$T/perf.json" | sort >"$T/want"
			[ -s "$T/want" ]
			jsonl --types SAMPLE "$f" | jq -r '"\(.time) \(.tid) \(.cpu) \(.ip)"' | sort | diff "$T/want" - >"$T/diff" ||
			    failed "$f, $perf: $(head -n 4 "$T/diff")"
		done
	done
	[ $tried = 1 ] || skip "no perf that converts to JSON"
	done_all
}

@test "jsonl: each record is a line that parses, and no member comes twice" {
	python; need jq
	files=(data/{demo,basic.file,p72_group_S.pipe,s390x_z1.pipe,tracepoints.pipe,stat.pipe,namespaces.pipe,event-name.pipe}.data data/escape.data
	    data/gperf/n.prof data/k612_probe.pipe.data.zst)
	[ -z "${ALL-}" ] || files+=(data/*.file.data data/*.pipe.data data/k*.data.zst)
	for f in all-types every-sample old-forms read-group unknown escape zipped2 compressed-types; do files+=("$(recipe $f)" "$(recipe $f -b)"); done
	for f in "${files[@]}"; do
		jsonl "$f" >"$T/jsonl" || failed "$f: status"
		got=$(lines <"$T/jsonl") || failed "$f: $got"
		[ "$got" = "$(pstat --json "$f" 2>/dev/null | jq .records)" ] || failed "$f: $got lines"
	done
	done_all
}

@test "jsonl: a member has one type" {
	python
	for f in all-types every-sample old-forms read-group two-events; do jsonl "$(recipe $f)"; done >"$T/jsonl"
	for f in data/{demo,multi.pipe,p72_group_S.pipe,tracepoints.pipe,stat.pipe,namespaces.pipe}.data; do jsonl --types SAMPLE,COMM,FORK,MMAP2 "$f"; done >>"$T/jsonl"
	/usr/bin/python3 jsonl.py types <"$T/jsonl" >"$T/types"
	grep -v ^fields "$T/types" | cut -d' ' -f1 | uniq -d >"$T/two"
	[ ! -s "$T/two" ] || failed "two types: $(cat "$T/two")"
	grep -qx 'time text' "$T/types"
	grep -qx 'pid number' "$T/types"
	done_all
}

@test "jsonl: each field of each row is a member" {
	python
	jsonl "$(recipe all-types)" >"$T/jsonl"
	# all types but those that are expanded, and each has a line
	grep -o '^REC([ 0-9]*, [A-Z0-9_]*' ../common/record/record.def | sed 's/.* //' | grep -v '^COMPRESSED2\?$' | sort >"$T/want"
	grep -o '^{"type":"[A-Z0-9_]*' "$T/jsonl" | sed 's/.*"//' | sort -u | diff "$T/want" -
	jsonl "$(recipe every-sample)" >"$T/sample"
	sed -n 's/^SAMPLE( *\([0-9]*\), *[A-Z_0-9]*, *\([a-z_0-9]*\), *\([A-Z]*\), *\([A-Z0-9_]*\),.*/\1 \2 \3 \4/p' ../common/record/sample.def >"$T/rows"
	[ "$(wc -l <"$T/rows")" = "$(grep -c '^SAMPLE' ../common/record/sample.def)" ] || failed "rows not found"
	while read -r bit name where form; do
		grep -q "\"$name\":" "$T/sample" && continue
		# mkpipe does not know the bit; a number needs no more than its eight bytes
		[ "$where $form" = "TAIL U64" ] || failed "no sample has $name"
		printf '%s\n' "attr type=1 config=0 sample_type=$((1 << bit)) ids=1" "rec type=9 misc=2 u8=77" >"$T/recipe"
		mkpipe "$T/recipe" | jsonl | grep '"type":"SAMPLE"' | grep -qE "\"$name\":\"?(77|0x4d)\"?[,}]" || failed "no number $name"
	done <"$T/rows"
	done_all
}

@test "jsonl: the other byte order gives the same lines" {
	# but for bytes as they stand
	for f in all-types every-sample old-forms read-group two-events escape; do
		for to in little big; do
			pcat -q --endian=$to "$(recipe $f)" | jsonl | sed 's/"counters":"[0-9a-f]*"/"counters":""/' >"$T/$to"
		done
		[ -s "$T/little" ]
		diff "$T/little" "$T/big" >"$T/diff" || failed "$f: $(head -n 4 "$T/diff" | cut -c1-300)"
	done
	done_all
}

@test "jsonl: names of any bytes" {
	need jq
	mkpipe >"$T/in" <<-'END'
		include data/base.txt
		COMM pid=100 tid=100 comm=\x1b[31m"a\\b\x09\xff\xc3\xa9\x7f @ id=11
	END
	jsonl --types COMM "$T/in" >"$T/jsonl"
	LC_ALL=C grep -q '"comm":"\\u001b\[31m\\"a\\\\\\\\b\\u0009\\\\xff'$'\xc3\xa9''\\\\x7f"' "$T/jsonl" || failed "$(tail -n 1 "$T/jsonl")"
	[ "$(tail -n 1 "$T/jsonl" | jq -r .comm)" = $'\e[31m"a\\\\b\t\\xff\xc3\xa9\\x7f' ]
	# nothing that a terminal obeys
	jsonl data/escape.data >"$T/jsonl"
	! LC_ALL=C grep -n $'[\x01-\x09\x0b-\x1f\x7f]\|\xc2[\x80-\x9f]\|\xe2\x80\xae' "$T/jsonl" || failed "a character that acts"
	done_all
}

@test "jsonl: damage ends it behind the last good line" {
	python
	for f in bad-name-escape bad-sample-chain bad-sample-short bad-payload-cut bad-unknown-id bad-zstd-garbage-later; do
		mkpipe "data/$f.txt" >"$T/in"
		try pcat --format=jsonl "$T/in"
		[ $rc = 1 ] && [ "$(wc -l <"$T/err")" = 1 ] || failed "$f: status $rc, $(cat "$T/err")"
		[ "$(lines <"$T/out")" -gt 0 ] || failed "$f: no lines"
		try pcat --format=jsonl -o "$T/$f.jsonl" "$T/in"
		[ $rc = 1 ] && [ ! -e "$T/$f.jsonl" ] || failed "$f: status $rc with -o"
		cmp "$T/$f.jsonl.tmp" <(pcat --format=jsonl "$T/in" 2>/dev/null) || failed "$f: the incomplete file"
	done
	# cut anywhere, it is the first lines of the whole
	jsonl data/multi.pipe.data >"$T/whole"
	for n in 100 2001 20002 30001; do
		head -c $n data/multi.pipe.data >"$T/in"
		try pcat --format=jsonl "$T/in"
		[ $rc = 1 ] || failed "$n: status $rc"
		head -c "$(stat -c %s "$T/out")" "$T/whole" | cmp - "$T/out" || failed "$n bytes: other lines"
		lines <"$T/out" >/dev/null || failed "$n bytes: half a line"
	done
	done_all
}

@test "jsonl: lines come while the stream flows" {
	need jq
	mkfifo "$T/fifo"
	pcat --format=jsonl "$T/fifo" >"$T/out" &
	exec 7>"$T/fifo"
	head -c 20000 data/multi.pipe.data >&7
	await grown "$T/out" 20000
	exec 7>&-
	wait $! || true
	done_all
}

@test "jsonl: --columns and --types" {
	need jq
	jsonl data/g_fp.pipe.data >"$T/whole"
	jsonl --types=SAMPLE --columns=time,pid,callchain data/g_fp.pipe.data >"$T/got"
	jq -c $SORTED 'select(.type == "SAMPLE") | {pid, time, callchain}' "$T/whole" >"$T/want"
	jq -c $SORTED . "$T/got" | cmp "$T/want" -
	# a record without any of the columns has no line
	[ "$(jsonl --columns=comm data/g_fp.pipe.data | wc -l)" = "$(jq 'select(.comm) | 1' "$T/whole" | wc -l)" ]
	jsonl --types=comm,PERF_RECORD_MMAP2,3 data/g_fp.pipe.data | diff <(grep '^{"type":"\(COMM\|MMAP2\)"' "$T/whole") -
	# payloads of tracepoints: fields by name, and raw if it is asked for
	jsonl --types=SAMPLE --columns=fields,raw data/sched_R.pipe.data | jq -e '.raw and .fields.common_pid' >/dev/null
	! jsonl --types=SAMPLE data/sched_R.pipe.data | grep '"raw":' || failed "raw, which has fields"
	try pcat --format=jsonl --columns=time,tim,time data/g_fp.pipe.data
	[ $rc = 0 ]
	[ "$(cat "$T/err")" = "pcat: warning: --columns: no record has 'tim'" ]
	done_all
}

@test "jsonl: pieces, joined and split recordings" {
	python; need jq
	for f in data/multi.pipe.data data/z1.pipe.data; do
		jsonl --types=SAMPLE "$f" | sort >"$T/want"
		for k in 1 2 3; do jsonl --types=SAMPLE --piece=$k/3 "$f"; done | sort | cmp "$T/want" - || failed "$f: pieces"
	done
	# of several inputs: as of the joined stream, whose records stand nowhere in them
	jsonl data/multi.pipe.data data/g_fp.pipe.data >"$T/got"
	pcat data/multi.pipe.data data/g_fp.pipe.data | jsonl | sed 's/"offset":[0-9]*,//' | cmp - "$T/got"
	# an offset is where the record is
	jsonl --types=SAMPLE data/multi.pipe.data | sed -n '7p' >"$T/line"
	at=$(jq .offset "$T/line")
	[ "$(od -An -t u4 -j "$at" -N 4 data/multi.pipe.data | tr -d ' ')" = 9 ]
	done_all
}

@test "jsonl: what goes with it" {
	while read -r options; do
		try pcat $options data/basic.pipe.data
		[ $rc = 2 ] || failed "$options: status $rc"
	done <<-'END'
		--format=jsonl -z
		--format=jsonl --compressed2
		--format=jsonl --switch-output=1M
		--format=jsonl --endian=big
		--format=jsonl --write-index
		--format=jsonl --types=NONE
		--format=jsonl --columns=
		--columns=time
		--types=SAMPLE
		--format=pprof --types=SAMPLE
	END
	done_all
}

@test "jsonl: the recipes of the page for pandas and DuckDB have the sums of pstat" {
	need jq
	load pstat
	local recipe sql n=0
	jsonl data/multi.pipe.data >"$T/all.jsonl"
	jsonl --types SAMPLE data/multi.pipe.data >"$T/samples.jsonl"
	pstat --json data/multi.pipe.data | jq -r '[.events[] | select(.samples > 0)] | group_by(.name)[] | "\(.[0].name) \(map(.period) | add)"' | sort >"$T/want"
	if (cd "$T" && /usr/bin/python3 -c 'import pandas') 2>/dev/null; then
		sed -n 's/^\.Ql "\(d = pandas.*\|d\.astype.*\)" [.,]$/\1/p' ../man/pcat.1 >"$T/recipe"
		[ "$(wc -l <"$T/recipe")" = 2 ]
		(cd "$T" && /usr/bin/python3 -c "import pandas; $(sed -n 1p recipe); print($(sed -n 2p recipe).to_string(header=False))") | awk '{ print $1, $2 }' | sort | diff "$T/want" -
		n=1
	fi
	if type duckdb >/dev/null 2>&1; then
		sql=$(sed -n 's/^\.Ql "\(select .*read_json.*\)" \.$/\1/p' ../man/pcat.1)
		(cd "$T" && duckdb -csv -noheader -c "$sql") | awk -F, '{ print $1, $3 }' | sort | diff "$T/want" -
		n=1
	fi
	[ $n = 1 ] || skip "neither pandas nor duckdb is installed"
}
