# SPDX-License-Identifier: ISC
# The programs of tests/bench that compare costs: that they find what is dearer.  No test asserts on a time.

load lib

counts() {
	COUNTS=$T/counts SIZES="700000 3000000" bench/instructions "$@" >"$T/out" 2>"$T/err"
}

@test "bench: instructions -c fails for a row that has become dearer, and says what the counts are of" {
	perf stat -e instructions:u true 2>&1 | grep -q '[0-9] *instructions' || type -P valgrind >/dev/null || skip "nothing here counts instructions"
	local rows='^pcat$|^pstat$' rc=0
	ACCEPT=1 counts -c "$rows"
	[ "$(sed '/^#/d; s/\t.*//' "$T/counts")" = $'pcat\npstat' ]
	for fact in compiler libc zstd machine method; do
		grep -q "^# $fact: ." "$T/counts"
	done
	cp "$T/counts" "$T/first"

	awk -F'\t' '!/^#/ { exit !($2 > 20 && $2 < 100000) }' "$T/counts"
	# some slack, as these streams are short
	awk -F'\t' -v OFS='\t' '!/^#/ { $2 *= 1.2 } 1' "$T/first" >"$T/counts"
	counts -c "$rows"
	grep -q '^lower: pcat: before' "$T/out"

	awk -F'\t' -v OFS='\t' '/^pcat/ { $2 /= 2 } 1' "$T/first" | sed 's/^# compiler: .*/# compiler: another/' >"$T/counts"
	cp "$T/counts" "$T/second"
	counts -c '^pcat$' || rc=$?
	[ $rc = 1 ]
	grep -Eqx 'bench-instr: pcat: before [0-9.]+, now [0-9.]+: (1\.9|2\.[01])[0-9]? x' "$T/out"
	grep -q '^bench-instr: compiler: here .*; the counts are of another: they may differ for that$' "$T/out"
	cmp "$T/counts" "$T/second"

	# those of another compiler stay together
	rc=0
	ACCEPT=1 counts -c '^pcat$' || rc=$?
	[ $rc = 1 ]
	grep -q 'ACCEPT=1: some rows only, but the others are of another compiler' "$T/err"
	cmp "$T/counts" "$T/second"

	# a new row, and one that is gone
	sed -i '/^pcat/s/pcat/pcat nosuch/' "$T/counts"
	rc=0
	counts -c '^pcat($| nosuch)' || rc=$?
	[ $rc = 1 ]
	grep -q '^bench-instr: pcat: no count is kept of it; now ' "$T/out"
	grep -qx 'bench-instr: pcat nosuch: is kept, but no row any more' "$T/out"
}

@test "bench: each row of instructions has a count, and each count a row" {
	sed -n '/^ROWS = """/,/"""/p' bench/instructions | sed 's/^ROWS = """//; s/""".*//; s/^\t//' | sort >"$T/rows"
	sed '/^#/d; s/\t.*//' bench/counts.tsv | sort >"$T/counted"
	[ -s "$T/rows" ]
	diff "$T/rows" "$T/counted"
}

@test "bench: streams of growth have what was asked for, and no fault" {
	local growth=$O/bench/growth
	"$growth" -t 30 -m 7 -e 5 -c 3 -f 100 -r 20000 1000 >"$T/in"
	pstat --check "$T/in" >"$T/check"
	[ "$(grep -Ec '^(error|warning)' "$T/check")" = 0 ]
	pstat --json "$T/in" >"$T/json"
	[ "$(jq '.samples' "$T/json")" = 1000 ]
	[ "$(jq '.events | length' "$T/json")" = 5 ]
	[ "$(jq -r '.types[] | "\(.name) \(.records)"' "$T/json" | grep -E '^(COMM|EXIT|FORK|MMAP2) ' | sort | paste -sd' ')" = \
	    "COMM 40 EXIT 10 FORK 10 MMAP2 210" ]
	[ "$(pfilter -q --cpu 0-2 "$T/in" | pstat --json | jq .samples)" = 1000 ]
	[ "$(jq '.order.rounds' "$T/json")" -gt 5 ]
	"$growth" 1000 >"$T/a"
	"$growth" 1000 | cmp - "$T/a"
	! "$growth" -s 1 1000 | cmp -s - "$T/a"
}

@test "bench: growth shows each value of an axis, and marks what does not end" {
	QUICK=1 SAMPLES=3000 bench/growth '(forks|rounds) (pid|pstat)$|inputs x tasks nosuch' >"$T/out"
	[ "$(grep -c '^forks\|^rounds' "$T/out")" = 2 ]
	[ "$(grep -Ec '^(pid|pstat) +ns +[0-9]+ +[0-9]+' "$T/out")" = 4 ]
	[ "$(grep -Ec '^ +ratio .* 1\.0( |$)' "$T/out")" = 4 ]
	grep -Eqx '[0-9]+ ratios above the aim' "$T/out"

	QUICK=1 SAMPLES=100000 TIMEOUT=0.0001 bench/growth 'forks pid$' >"$T/out"
	grep -Eq '^pid +ns +!! +!!$' "$T/out"
	[ "$(tail -1 "$T/out")" = "2 ratios above the aim" ]
}

@test "bench: a row says when other programs had the processors" {
	local busy=() rc=0
	for ((i = 0; i < $(getconf _NPROCESSORS_ONLN); i++)); do
		timeout 60 sh -c 'while :; do :; done' & busy+=($!)
	done
	BYTES=16M N=1 TABLE=samples SLOW=0 bench/bench >"$T/out" || rc=$?
	kill "${busy[@]}"
	[ $rc = 0 ]
	grep -Eq '^pstat FILE .* [0-9.]+ x walk .*   not quiet: other programs [0-9]+ %' "$T/out"
	grep -Eqx 'the machine was not quiet in [0-9]+ of 11 rows: measure these again' "$T/out"
}
