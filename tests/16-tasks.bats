# SPDX-License-Identifier: ISC
# Many tasks that live: what each takes, and that -S counts it.
load lib

# living N [CHAIN]: a stream of so many processes that have a COMM and no end, fifty names, and a sample of each tenth, with that call chain
living() {
	awk -v n="$1" -v chain="${2:-}" 'BEGIN {
		print "attr type=1 config=0 period=1 sample_type=IDENTIFIER|IP|TID|TIME|CPU|PERIOD" (chain ? "|CALLCHAIN" : "") \
		    " flags=sample_id_all|comm ids=11"
		for (i = 1; i <= n; i++) {
			printf "COMM pid=%d tid=%d comm=p%d @ pid=%d tid=%d time=%d cpu=0 id=11\n", i, i, i % 50, i, i, 1000 + i
			if (i % 10 == 0)
				printf "SAMPLE id=11 misc=1 ip=1 pid=%d tid=%d time=%d cpu=0 period=1%s\n", i, i, 1000 + i, chain ? " chain=" chain : ""
			if (i % 1000 == 0)
				print "FINISHED_ROUND"
		}
	}' | mkpipe
}

# peak COMMAND...: its peak resident size in KiB
peak() {
	"$O/bench/limit" run "$T/rss" "$@" >"$T/out" || failed "$*"
	cat "$T/rss"
}

@test "tasks: one that lives takes some 70 bytes" {
	local few many most row
	need native
	sanitized && skip "the sizes are those of the sanitizer"
	living 1000 >"$T/few"
	living 200000 >"$T/many"
	while read -r most row; do
		rm -f "$T/x"
		few=$(eval "peak $row \"\$T/few\"")
		rm -f "$T/x"
		many=$(eval "peak $row \"\$T/many\"")
		[ $((many - few)) -lt "$most" ] || failed "$row: $few KiB of 1,000 tasks, $many of 200,000"
	done <<-'END'
	18500 pstat -s comm
	18500 pfilter --comms p10
	18500 pfilter --inherit --pid 10
	18500 pfilter --anon addr
	18500 pcat --format=pprof -o "$T/x"
	40000 pstat --report "$T/x"
	END
	# not by -S, as psort(1) says
	few=$(peak psort -S 1M --merge --allow same-input "$T/few" "$T/few")
	many=$(peak psort -S 1M --merge --allow same-input "$T/many" "$T/many")
	[ $((many - few)) -lt 110000 ] || failed "psort --merge: $few KiB of 1,000 tasks in each input, $many of 200,000"
	few=$(peak psort -S 1M --merge --remap-pids=never --allow same-input "$T/few" "$T/few")
	many=$(peak psort -S 1M --merge --remap-pids=never --allow same-input "$T/many" "$T/many")
	[ $((many - few)) -lt 18500 ] || failed "--remap-pids=never: $few KiB of 1,000 tasks in each input, $many of 200,000"
	rm -f "$T/x"
	living 1000 0xffffffffffffff80,1,2 >"$T/few"
	few=$(peak pstat --report "$T/x" "$T/few")
	rm -f "$T/x"
	living 200000 0xffffffffffffff80,1,2 >"$T/many"
	many=$(peak pstat --report "$T/x" "$T/many")
	[ $((many - few)) -lt 40000 ] || failed "pstat --report, with call chains: $few KiB of 1,000 tasks, $many of 200,000"
	done_all
}

@test "tasks: -S counts them, and what was done before it is met is written" {
	local at row
	living 100000 >"$T/in"
	for row in "pfilter --comms p10" "pfilter --anon comm,addr" 'pfilter --around comm=="p10" --before 1us' "pcat --format=pprof"; do
		try $row -S 16M "$T/in"
		[ $rc = 0 ] || failed "$row: 100,000 tasks fit in half of 16M"
		cp "$T/out" "$T/all"
		try $row -S 12M "$T/in"
		[ $rc = 1 ] && one_line "${row%% *}: $T/in: " && grep -q ': tasks and maps need more than half of --max-memory, which is 6291456 bytes$' "$T/err" ||
			failed "$row: no limit: $rc, $(cat "$T/err")"
		[ "$(wc -c <"$T/out")" -gt $(($(wc -c <"$T/all") / 2)) ] || failed "$row: results before it"
		case $row in
		*--anon*|*pprof) ;;	# another key each time; compressed
		*)	cmp -n "$(wc -c <"$T/out")" "$T/all" "$T/out" || failed "$row: other results before it";;
		esac
		try $row "$T/in"
		[ $rc = 0 ] || failed "$row: limited without -S"
	done
	done_all
}
