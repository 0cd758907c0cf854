# SPDX-License-Identifier: ISC
# pstat: the forms of its report, read back by parsers that are not ours.
load lib
load pstat

# inputs [all]: recipes and recordings of all kinds.
inputs() {
	local r
	for r in all-types rounds read-group zipped two-events escape late followers bad-sample-short bad-size-7 bad-magic; do
		mkpipe "data/$r.txt" >"$T/$r.pipe"
		echo "$T/$r.pipe"
	done
	hostile >"$T/hostile.txt"
	mkpipe "$T/hostile.txt" >"$T/hostile.pipe"
	echo "$T/hostile.pipe"
	[ -z "${1-}" ] || { ls data/*.data; return; }
	printf '%s\n' data/{demo,z1.file,s390x_basic.pipe,sched_R.file}.data
}

# Names that mean something to a terminal, a spreadsheet, a parser.
hostile() {
	local i=100 name
	echo "attr type=1 config=0 period=1 sample_type=IP|TID|TIME|PERIOD flags=sample_id_all|comm ids=11"
	printf 'EVENT_UPDATE update_type=2 id=11 z=%s\n' '=cmd|"/C",\x'
	for name in '=1+1' '+1' '-1' '@SUM(A1)' '"' 'a,b' 'a"b' "'" '\' '\n' '\x41' '{}' 'le="1"}\x207' '#\x20EOF' 'a\x0ab' "$(printf 'x\xe2\x80\xaey')" \
	    "$(printf 'x\x9b31my')" "$(printf 'x\xc2\x9b31my')" "$(printf 'x\x7fy')" "$(printf 'a\tb')" "$(printf 'a\rb')" "$(printf '\xc3\xa4')"; do
		i=$((i + 1))
		printf 'COMM pid=%d tid=%d comm=%s\n' $i $i "$name"
		echo "SAMPLE ip=1 pid=$i tid=$i time=$i period=$i"
	done
}

@test "pstat formats: JSON of any input is of the schema, and the check of it finds what is not" {
	need_module jsonschema
	need jq
	for f in $(inputs all); do
		pstat --json "$f" >"$T/out" 2>/dev/null || true	# teardown_file checks it
		jq -e .schema "$T/out" >/dev/null || failed "$f"
	done
	pstat --json data/demo.data >"$T/good"
	for wrong in '.samples = "1"' '.samples = -1' '.samples = 1.5' 'del(.exact)' '.more = 1' '.events[0].more = 1' \
	    '.pids[0].pid = null' '.period = 9223372036854775808' '.file = null'; do
		turn 2 || continue
		jq "$wrong" "$T/good" >"$T/bad"
		! $PYTHON pstat.py schema pstat.schema.json "$T/bad" >/dev/null || failed "$wrong"
	done
	sed 's/"samples":/"records":/' "$T/good" >"$T/bad"
	! $PYTHON pstat.py schema pstat.schema.json "$T/bad" >/dev/null || failed "a member twice"
	$PYTHON pstat.py schema pstat.schema.json "$T/good"
	done_all
}

@test "pstat formats: pstat(1) has each member of the schema" {
	need jq
	sed -n '/^The JSON output/,/^\.Sh EXIT/p' ../man/pstat.1 | tr ' ,' '\n\n' | sort -u >"$T/page"
	jq -r '.. | .properties? // empty | keys[]' pstat.schema.json | sort -u >"$T/members"
	[ "$(wc -l <"$T/members")" -gt 60 ]
	while read -r m; do
		grep -qxF -- "$m" "$T/page" || failed "$m"
	done <"$T/members"
	done_all
}

@test "pstat formats: CSV and TSV have the cells of JSON" {
	need_module csv
	local tables="report time lost features types events comms pids" n=0
	for f in $(inputs); do
		turn 5 || continue
		pstat --json "$f" >"$T/json" 2>/dev/null || continue
		for t in $tables; do
			try pstat --csv --table $t "$f"
			[ $rc = 0 ] || failed "$f: $t"
			mv "$T/out" "$T/$t.csv"
			pstat --format=tsv --table $t "$f" >"$T/$t.tsv"
		done
		try $PYTHON pstat.py cells "$T/json" "$T" $tables
		[ $rc = 0 ] && ! [ -s "$T/out" ] || failed "$f: $(cat "$T/out")"
		n=$((n + 1))
	done
	[ $n -ge $((ALL ? 10 : 3)) ] || failed "only $n have tables"
	done_all
}

@test "pstat formats: a text never begins a formula, acts on the terminal or ends a row" {
	need jq
	local forms
	hostile >"$T/hostile.txt"
	mkpipe "$T/hostile.txt" >"$T/in"
	mapfile -t forms < <(pstat --list-options | jq -r '.options[] | select(.name == "format").words[] |
	    if . == "csv" or . == "tsv" then . + " --table " + ("comms", "pids", "events") else . end')
	[ ${#forms[@]} -ge 9 ] || failed "words of --format not found"
	for form in "${forms[@]}"; do
		pstat --format=$form "$T/in" >"$T/out" && [ -s "$T/out" ] || failed "$form: status $?"
		! tr -d '\n\r\t' <"$T/out" | grep -aP '[\x00-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\x8b-\x8f\xa8-\xae]' || failed "$form: acts"
		# a lone 0x9b is no UTF-8
		iconv -f UTF-8 -t UTF-8 <"$T/out" >/dev/null || failed "$form: not UTF-8"
	done
	for table in "sort -s comm" "hist -s comm --hist size" "threads --tasks" "attrs --events" "findings --check"; do
		for form in csv tsv openmetrics; do
			[ $form = openmetrics ] && of="${table#* }" || of="--table $table"
			command pstat --format=$form $of "$T/in" >"$T/out" || [ "$table" = "findings --check" ]
			! tr -d '\n\r\t' <"$T/out" | grep -aP '[\x00-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\x8b-\x8f\xa8-\xae]' || failed "$form $table: acts"
			iconv -f UTF-8 -t UTF-8 <"$T/out" >/dev/null || failed "$form $table: not UTF-8"
			[ $form != tsv ] || [ "$(awk -F '\t' '{ print NF }' "$T/out" | sort -u | wc -l)" = 1 ] || failed "$form $table: ends"
			[ $form = openmetrics ] || ! grep -qE '(^|,|\t)"?[=+@]' "$T/out" || failed "$form $table: formula"
		done
	done
	pstat --csv --table comms "$T/in" >"$T/out"
	[ "$(wc -l <"$T/out")" = 23 ] || failed "rows"
	! grep -qE '^"?[=+@-]' "$T/out" || failed "formula"
	grep -q "^\"'=1+1\",false,1," "$T/out" || failed "what a formula becomes"
	! tr -d '\r' <"$T/out" | grep -v ',[0-9]*,[0-9]*,1$' | grep -v '^comm,' || failed "ends"
	done_all
}

@test "pstat formats: OpenMetrics is what the client library of Prometheus reads, with the numbers of JSON" {
	need jq
	need_module prometheus_client
	for f in $(inputs); do
		turn 5 || continue
		pstat --format=openmetrics "$f" >"$T/om" 2>/dev/null || true
		$PYTHON pstat.py openmetrics "$T/om" >"$T/got" || failed "$f: no OpenMetrics"
		pstat --json "$f" >"$T/json" 2>/dev/null || true
		jq -r '"pstat_report_samples_total \(.samples)", "pstat_order_late_total \(.order.late)", "pstat_report_complete \(.complete | if . then 1 else 0 end)",
		    (.types[] | "pstat_types_bytes_total \(.bytes)"), (.events[] | "pstat_events_losses \(.losses)"),
		    (.pids[] | "pstat_pids_samples_total \(.samples)"), (.comms[] | "pstat_comms_pids \(.pids)")' "$T/json" | sort >"$T/want"
		awk '$1 ~ /^pstat_(report_samples_total|order_late_total|report_complete|types_bytes_total|events_losses|pids_samples_total|comms_pids)$/ { printf "%s %d\n", $1, $NF }' "$T/got" |
		    sort | diff "$T/want" - || failed "$f: numbers"
	done
	# names come back, with what acts on terminals as \xNN
	hostile >"$T/hostile.txt"
	mkpipe "$T/hostile.txt" >"$T/in"
	pstat --format=openmetrics "$T/in" >"$T/om"
	$PYTHON pstat.py openmetrics "$T/om" | sed -n 's/^pstat_comms_pids //p' | sed 's/ [0-9.]*$//' | jq .comm | sort >"$T/got"
	pstat --json "$T/in" | jq '.comms[].comm | gsub("\t"; "\\x09") | gsub("\r"; "\\x0d") | gsub("\n"; "\\x0a") | gsub("\u202e"; "\\xe2\\x80\\xae") | gsub("\u009b"; "\\xc2\\x9b")' |
	    sort >"$T/want"
	[ "$(sort -u "$T/want" | wc -l)" = 22 ] || failed "names"
	diff "$T/want" "$T/got" || failed "names"
	done_all
}

@test "pstat formats: wrong usage is said before anything is read" {
	for c in "--format=xml" "--csv" "--format=tsv" "--csv --table nosuch" "--table comms" "--json --csv --table comms" "--json --table comms"; do
		try pstat $c "$T/missing"
		[ $rc = 2 ] && one_line "pstat: --" && ! [ -s "$T/out" ] || failed "$c"
	done
	try pstat --csv --table nosuch "$T/missing"
	grep -q "expected one of report, time, .*, pids" "$T/err" || failed "which there are"
	try pstat --csv --table report data/README
	[ $rc = 1 ] && grep -q ',false,not a perf recording,' "$T/out" || failed "what cannot be read"
	done_all
}
