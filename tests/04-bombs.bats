# SPDX-License-Identifier: ISC
# Streams that are the worst for one structure (tests/bench/bombs): what a record costs does not grow with their number.  Instructions are
# counted, no time.

load lib

counts() {
	perf stat -e instructions:u true 2>&1 | grep -q '[0-9] *instructions' || type -P valgrind >/dev/null || skip "nothing here counts instructions"
	need native
	sanitized && skip "counts are those of the sanitizer"
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
