# SPDX-License-Identifier: ISC
# Streams that are the worst for one structure (tests/bench/bombs): what a record costs does not grow with their number.  Instructions are
# counted, no time.

load lib

can_count() {
	perf stat -e instructions:u true 2>&1 | grep -q '[0-9] *instructions' || type -P valgrind >/dev/null || skip "nothing here counts instructions"
	need native
	if sanitized; then
		skip "counts are those of the sanitizer"
	fi
}

counts() {
	can_count
	COUNT=${3:-600 6000} bench/bombs "^($1)\$" >"$T/out" || failed "$(cat "$T/out")"
	[ "$(grep -c ' x$' "$T/out")" = "$2" ]
}

@test "bombs: what grows with the number of records is marked" {
	local rc=0
	counts 'spans pcat|rounds psort' 1
	COUNT="600 6000" AIM=0.01 bench/bombs '^rounds psort$' >"$T/out" || rc=$?
	[ $rc = 1 ]
	grep -Eq '^rounds psort: [0-9.]+ x !$' "$T/out"
	[ "$(tail -1 "$T/out")" = "1 rows are marked" ]
}

@test "bombs: attrs, half of them of events without samples" {
	counts 'dummies (pcat|round)' 2
}

@test "bombs: keys of tables are not what a recording can make alike" {
	counts 'kernel-keys (dsos|sort dso)' 2
	counts 'map-keys index' 1 "10000 100000"
}

@test "bombs: user parts of call chains that are those of no sample" {
	counts 'deferred (pprof|flame)' 2
}

@test "bombs: psort -u, all records of one time" {
	counts 'one-time psort -u' 1 "20000 200000"
}

@test "bombs: a thread number that begins and ends often, in several inputs" {
	counts 'lives (join|merge)' 2
}

@test "bombs: pfilter --span: spans that begin before all that are open" {
	counts 'late span' 1
}

# merged FILE FILE: instructions of psort --merge of both by pipes.
merged() {
	local i
	for i in 1 2; do
		rm -f "$T/pipe.$i"
		mkfifo "$T/pipe.$i"
		cat "${!i}" >"$T/pipe.$i" &
	done
	(cd "$T" && PYTHONPATH=$BATS_TEST_DIRNAME/bench python3 -c 'import counter; print(counter.instructions(["'"$O"'/psort", "--merge", "pipe.1", "pipe.2"]))')
	wait
}

@test "bombs: psort --merge of pipes, a process that executes many programs, each seen twice" {
	local n got=()
	can_count
	for n in 4 600 6000; do
		"$O/bench/bomb" programs $n >"$T/one"
		pcat --time-offset 1500ns "$T/one" >"$T/two"
		got+=("$(merged "$T/one" "$T/two")")
	done
	[ $((got[2] - got[0])) -lt $((13 * (got[1] - got[0]))) ]
}

@test "bombs: files of processes that have ended take no memory" {
	need native
	"$O/bench/bomb" churn 600000 >"$T/in"	# 100,000 files: with their names 15 MB
	pfilter -q --comms 't*' -S 16M "$T/in" | cmp - "$T/in"
	# an index that another file has got is not taken for the file before
	pfilter -q --dsos '*/new*7' "$T/in" | pcat -q --format=jsonl --types SAMPLE --columns time | grep -c time >"$T/n"
	[ "$(cat "$T/n")" = 10000 ]
	pfilter -q --filter 'callchain.dso ~ "*/new*7"' "$T/in" | pcat -q --format=jsonl --types SAMPLE --columns time | grep -c time >"$T/n"
	[ "$(cat "$T/n")" = 10000 ]
}
