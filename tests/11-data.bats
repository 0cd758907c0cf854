# SPDX-License-Identifier: ISC
# The recipes and recordings of data/ through the tools, compared by perf.
load lib

@test "mkpipe: its streams are what perf reads" {
	need perf
	for r in sorted rounds two-events read-group escape; do
		in=$(recipe $r)
		n=$(perf script -f -i "$in" -F ip 2>/dev/null | grep -c .) || true
		[ "$n" -ge 3 ] || failed "$r: perf sees $n samples"
	done
	done_all
}

@test "mkpipe: a value that is longer than its field is an error" {
	id=$(printf '%042d')		# 21 bytes
	for line in "MMAP2 build_id=$id filename=/x" "HEADER_BUILD_ID build_id=$id filename=/x" "AUXTRACE_ERROR msg=$(printf '%065d')" \
	    "BPF_METADATA list=key/$(printf '%0257d')"; do
		try mkpipe <<<"$line"
		[ $rc = 1 ] && one_line "mkpipe: a value is too long for its field" || failed "$line"
	done
	try mkpipe <<<"MMAP2 build_id=${id#00} filename=/x"
	[ $rc = 0 ] || failed "20 bytes"
	done_all
}

@test "perf script prints the same for recordings and for the outputs of pcat and psort" {
	need perf
	for in in data/*.data $(recipe rounds) $(recipe read-group) $(recipe two-events -b); do
		turn 9 || continue
		F=
		case $in in
		# perf 6.1 does not know COMPRESSED2, nor COMPRESSED of the other byte order; of STAT it shows nothing
		*_z22_*|*s390x_z1*|*/stat.*) continue;;
		# and in a pipe it mixes up the halves of a foreign sample's pid, tid and cpu
		*s390x*.file.*) F="-F comm,time,event,ip,sym,period";;
		esac
		! perf_refuses "$in" || continue
		perf script -f -i "$in" $F >"$T/want" 2>/dev/null || true
		[ -s "$T/want" ] || [[ $in == *per_thread* ]] || failed "$in: perf script said nothing"
		for t in pcat psort; do
			$t "$in" >"$T/out" || failed "$t $in"
			perf script -f -i "$T/out" $F 2>/dev/null | diff "$T/want" - >"$T/diff" ||
			    failed "$t $in: $(head -n 10 "$T/diff")"
		done
	done
	done_all
}

@test "rounds: psort delivers in perf's order" {
	need perf
	for b in "" -b; do
		psort "$(recipe rounds $b)" >"$T/out" || failed "psort $b"
		# without rounds the order is the order in the stream
		perf script -f -i "$T/out" -D 2>/dev/null | sed -n 's/.*PERF_RECORD_SAMPLE.* period: \([0-9]*\).*/\1/p' |
		    diff <(seq 17) - || failed "rounds $b"
	done
	done_all
}

@test "psort: a late record is reported and kept" {
	in=$(recipe late)
	try psort "$in"
	[ $rc = 0 ] && one_line "psort: warning: " || failed late
	[ "$(wc -c <"$T/out")" = "$(wc -c <"$in")" ] || failed "not all came out"
	done_all
}

@test "psort -c: status 0 for a stream in order, 1 for one out of order" {
	try psort -c "$(recipe sorted)"
	[ $rc = 0 ] && ! [ -s "$T/out" ] || failed sorted
	mkpipe -l data/rounds.txt >"$T/list"
	try psort -c "$(recipe rounds)"
	[ $rc = 1 ] && [ -s "$T/err" ] || failed rounds
	grep -q "byte $(sed -n '/SAMPLE/{3p}' <(grep SAMPLE "$T/list") | cut -f 1)" "$T/err" "$T/out" ||
	    failed "rounds: the third sample is the first out of order"
	done_all
}

@test "read values: a filtered sample keeps its own period" {
	need perf
	for pid in 100 200; do
		in=$(recipe read-group)
		pfilter --pid $pid "$in" >"$T/out" || failed "--pid $pid"
		perf script -f -i "$in" --pid $pid -F pid,time,event,ip,period 2>/dev/null >"$T/want"
		perf script -f -i "$T/out" -F pid,time,event,ip,period 2>/dev/null | diff "$T/want" - || failed "--pid $pid"
	done
	done_all
}
