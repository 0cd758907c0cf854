# SPDX-License-Identifier: ISC
# join(what is done to pieces) = what is done to the whole: the table of perfpipe-fleet(7).  The pieces are those of --piece, and
# the parts of --switch-output.
load lib

N=3

# in_pieces COMMAND...: its outputs for all pieces, in $T/piece.KK, and what joins them, in $T/joined.  The last word is the file.
in_pieces() {
	local f=${*: -1} k
	rm -f "$T"/piece.*
	for ((k = 1; k <= N; k++)); do
		try "${@:1:$#-1}" --piece=$k/$N "$f"
		[ $rc = "$ONE" ] || { failed "$k/$N: $*"; return 0; }
		mv "$T/out" "$T/piece.$(printf %02d $k)"
	done
	[ "$ONE" != 0 ] || psort --merge --rounds=drop "$T"/piece.* >"$T/joined"
}
# of_whole COMMAND...: its output, in the same order; its status, in ONE
of_whole() {
	try "$@"
	ONE=$rc
	mv "$T/out" "$T/one"
	[ "$ONE" != 0 ] || psort --merge --rounds=drop "$T/one" >"$T/whole"
}
# same_if COMMAND... FILE: byte for byte; or refused by both, as that recording lacks a field or event.  same: not refused.
HELD=0
same_if() {
	of_whole "$@"
	in_pieces "$@"
	[ "$ONE" = 0 ] || return 0
	cmp "$T/whole" "$T/joined" || failed "$*"
	HELD=$((HELD + 1))
}
same() {
	local held=$HELD
	same_if "$@"
	[ $HELD -gt $held ] || failed "$*: status $ONE"
}
# says FILE: perf script, all fields that it has; not the kernel's symbols, which would be those of this machine
says() {
	perf script -f --ns --show-task-events --show-mmap-events --symfs=/nonexistent --kallsyms=/dev/null -i "$1" 2>/dev/null
}
# alike COMMAND... FILE: to perf
alike() {
	of_whole "$@"
	in_pieces "$@"
	says_samples "$T/whole" >"$T/want"
	[ -s "$T/want" ] || failed "$*: perf says nothing"
	says_samples "$T/joined" | diff "$T/want" - >"$T/diff" || failed "$*: $(head -n 6 "$T/diff")"
}
# the samples alone: side-band is what these need, more than once if several pieces need it
says_samples() {
	perf script -f --ns --symfs=/nonexistent --kallsyms=/dev/null -i "$1" 2>/dev/null
}

# What a process of its own has read, and what nobody knows who sees only a piece.
MEMBERS='del(.bytes_read, .compression, .merged, .hosts, .approx, .recordings, .files.mapped, .files.with_build_id, .files.hit, .files.hit_with_build_id, .comms[].pids) |
	.order |= { timed, rounds } | .types |= map(select(.name | startswith("COMPRESSED") | not)) |
	map_values(if type == "array" then sort else . end)'

# adds_up OPTION... FILE: pstat
adds_up() {
	local f=${*: -1} k
	rm -f "$T"/json.?
	for ((k = 1; k <= N; k++)); do
		pstat --json --piece=$k/$N "$@" >"$T/json.$k" || failed "$k: $*"
	done
	pstat --json "$@" >"$T/json"
	pstat --merge --json "$T"/json.? >"$T/merged"
	# the name of a file is that of the whole, too
	diff <(jq -S "$MEMBERS" "$T/json") <(jq -S "$MEMBERS" "$T/merged") >"$T/diff" || failed "$*: $(head -n 6 "$T/diff")"
}

# A recording of each kind: a stream, a perf.data, records that are compressed, another byte order, tracepoints, several events.
FILES="data/demo.data data/multi.pipe.data data/z1.file.data data/s390x_basic.pipe.data data/sched.pipe.data data/p72_forks.pipe.data"

@test "law: all pieces make the whole, record for record" {
	for f in data/*.data; do
		try pcat --piece=1/3 "$f"
		[ $rc = 0 ] || { [ $rc = 2 ] && grep -q 'has PERF_SAMPLE_READ' "$T/err" || failed "$f"; continue; }
		same pcat "$f"
		same psort "$f"
	done
	for N in 1 2 7 40; do
		same pcat data/demo.data
	done
	done_all
}

@test "law: perf says the same of the whole and of the joined pieces" {
	need perf
	for f in data/demo.data data/multi.pipe.data data/p72_forks.pipe.data; do
		of_whole psort "$f"
		in_pieces psort "$f"
		says "$T/whole" >"$T/want"
		[ -s "$T/want" ] || failed "$f: perf says nothing"
		says "$T/joined" | diff "$T/want" - >"$T/diff" || failed "$f: $(head -n 6 "$T/diff")"
	done
	done_all
}

@test "law: each sample is of one piece, state of each, and other records of one" {
	need jq
	for f in $FILES; do
		ONE=0 in_pieces pcat "$f"
		for k in "$T"/piece.*; do
			pstat --json "$k" | jq -c '.types[] | [.name, .records]'
		done | jq -s -S 'map({ key: .[0], value: .[1] }) | group_by(.key) | map({ key: .[0].key, value: map(.value) }) | from_entries' >"$T/of"
		pcat "$f" >"$T/plain"
		pstat --json "$T/plain" | jq -e --slurpfile of "$T/of" '
			[.types[] | . as $t | $of[0][.name] as $n |
			(if .name | test("^(SAMPLE|LOST|LOST_SAMPLES|THROTTLE|UNTHROTTLE|READ|SWITCH|SWITCH_CPU_WIDE|AUX.*|STAT|STAT_ROUND)$")
			then ($n | add) == $t.records else $n == [range(3) | $t.records] end)] | all' >/dev/null || failed "$f: $(tr -d ' \n' <"$T/of")"
	done
	done_all
}

@test "law: shares are equal by bytes of samples" {
	need jq
	for f in data/demo.data data/z1.pipe.data; do
		for k in 1 2 3; do
			pstat --piece=$k/3 --json "$f" | jq .content.samples
		done >"$T/bytes"
		# by one sample at most
		[ "$(sort -n "$T/bytes" | sed -n '1h; ${ G; s/\n/ /; p; }' | awk '{ print ($1 - $2 < 300) }')" = 1 ] || failed "$f: $(tr '\n' ' ' <"$T/bytes")"
	done
	done_all
}

@test "law: records of the same time keep their order" {
	{ echo "attr type=1 config=0 period=1 sample_type=IDENTIFIER|IP|TID|TIME flags=sample_id_all|comm|task ids=11"
	  echo "EVENT_UPDATE update_type=2 id=11 z=cpu-clock"
	  for i in $(seq 1 40); do
		# names and samples of one time, in any order
		for j in 1 2 3; do
			[ $(((i * 7 + j) % 3)) = 0 ] || echo "SAMPLE ip=$((i * 10 + j)) pid=1 tid=1 time=$((100 + i / 4)) id=11"
			[ $(((i + j) % 2)) = 0 ] || echo "COMM pid=1 tid=1 comm=n$((i % 3)) @ pid=1 tid=1 time=$((100 + i / 4)) id=11"
		done
		[ $((i % 8)) != 0 ] || echo FINISHED_ROUND
	  done; } | mkpipe - >"$T/ties"
	for N in 2 3 5; do
		same pcat "$T/ties"
		same pfilter --comms n1 "$T/ties"
	done
	done_all
}

@test "law: pfilter" {
	while read -r row; do
		HELD=0
		for f in $FILES; do
			set -f
			set -- $row
			set +f
			same_if pfilter "$@" "$f"
		done
		[ $HELD -ge 3 ] || failed "$row: only $HELD"
	done <<-'END'
		--pid 1-80
		--exclude-pid 1-80
		--tid 1-100
		--cpu 0
		--event *c*
		--exclude-event *[xy]*
		--time +10ms,+300ms
		--time 10%/2,10%/5
		--exclude-time 30%-70%
		--filter period>1
		--filter cpumode==kernel
		--comms bash,cpu
		--exclude-comms bash
		--dsos [kernel.kallsyms]
		--sideband=none --pid 1-80
		--sample 30% --seed 7
		--strip callchain
		--max-stack 2
		--type SAMPLE
		--drop-type SWITCH
	END
	same pfilter --comms bash --inherit data/demo.data
	same pfilter --pid 42 --inherit data/demo.data
	same pfilter --filter "comm =~ 'g.*p' && callchain.nr > 2" data/demo.data
	same pfilter --drop-event '*clock*' data/multi.pipe.data
	same pfilter --order=time --pid 42 data/demo.data
	done_all
}

@test "law: pfilter with what depends on payloads and cgroups" {
	same pfilter --filter 'sched:sched_switch{prev_pid > 0}' data/sched.pipe.data
	same pfilter --filter 'raw.prev_prio >= 100 || prev_pid == 0' data/sched.pipe.data
	same pfilter --filter 'raw.u32[8] > 0' data/sched.pipe.data
	id=$(printf '%064d' 7)
	{ echo "attr type=1 config=0 period=1 sample_type=IDENTIFIER|IP|TID|TIME|CGROUP flags=sample_id_all|cgroup ids=11"
	  echo "EVENT_UPDATE update_type=2 id=11 z=cpu-clock"
	  echo "CGROUP id=1 path=/"
	  echo "CGROUP id=2 path=/system.slice/docker-$id.scope"
	  for i in $(seq 60); do
		# the cgroup of the later samples gets its path behind the first of them
		[ $i != 30 ] || echo "CGROUP id=3 path=/user.slice/a @ time=$((1000 + i)) id=11"
		echo "SAMPLE misc=1 ip=$i pid=1 tid=1 time=$((1000 + i)) cgroup=$((1 + i % 2 + (i > 31))) id=11"
	  done; } | mkpipe - >"$T/cgroups"
	same pfilter --cgroup /user.slice "$T/cgroups"
	same pfilter --exclude-cgroup /user.slice/a "$T/cgroups"
	same pfilter --container "$id" "$T/cgroups"
	[ "$(pstat --json "$T/whole" | grep -c '"samples":3[0-9],')" -ge 1 ] || failed "no container"
	done_all
}

# as_perf COMMAND... FILE: a record without a time of one piece (LOST_SAMPLES that perf record makes) may stand elsewhere
as_perf() {
	of_whole "$@"
	in_pieces "$@"
	[ "$ONE" = 0 ] && ! cmp -s "$T/whole" "$T/joined" || return 0
	says "$T/whole" >"$T/want"
	says "$T/joined" | diff "$T/want" - >"$T/diff" && [ "$(stat -c %s "$T/whole")" = "$(stat -c %s "$T/joined")" ] ||
	    failed "$*: $(head -n 6 "$T/diff")"
}

# check-all has the time for all.
@test "law: recordings of the corpus" {
	need corpus
	need perf
	i=0
	for f in "$CORPUS"/own/*.data; do
		i=$((i + 1))
		[ -n "${ALL-}" ] || [ $((i % 12)) = 0 ] || continue
		# not sound, or without pieces
		psort "$f" >/dev/null 2>&1 && pcat --piece=1/3 "$f" >/dev/null 2>&1 || continue
		as_perf pcat "$f"
		as_perf pfilter --comms 'c*' "$f"
		adds_up "$f"
	done
	done_all
}

@test "law: pfilter --anon with a key" {
	(umask 077; echo "a key of thirty-two bytes or more" | sha256sum >"$T/key")
	for f in data/demo.data data/p72_forks.pipe.data data/namespaces.pipe.data; do
		same pfilter --anon all --anon-key "$T/key" "$f"
	done
	# without one each run has its own names
	try pfilter --anon all --piece=1/2 data/demo.data
	[ $rc = 2 ] && one_line "pfilter: --piece: cannot be combined with --anon without --anon-key"
	done_all
}

@test "law: pfilter --sideband=needed" {
	need perf
	for f in data/demo.data data/p72_forks.pipe.data data/multi.pipe.data; do
		alike pfilter --sideband=needed "$f"
		alike pfilter --sideband=needed --cpu 0-1 "$f"
	done
	done_all
}

@test "law: pcat" {
	for f in data/demo.data data/z1.file.data data/s390x_basic.pipe.data; do
		for o in "-z3 --frame-size=64K" --endian=big --compat=6.1 "--no-features CMDLINE"; do
			same pcat $o "$f"
		done
	done
	for k in 1 2 3; do
		pcat --piece=$k/3 --format=file -o "$T/f.$k" data/demo.data
	done
	psort --merge --rounds=drop "$T"/f.? >"$T/joined"
	pcat --format=file -o "$T/f" data/demo.data
	psort --merge --rounds=drop "$T/f" | cmp - "$T/joined"
	done_all
}

@test "law: psort" {
	for f in data/demo.data data/multi.pipe.data data/s390x_basic.pipe.data; do
		for o in --full "--window 1s" --untimed=first --rounds=keep; do
			same psort $o "$f"
		done
	done
	done_all
}

@test "law: pinject" {
	for f in data/demo.data data/basic.pipe.data data/p72_forks.pipe.data; do
		for o in "--finished-init" "--finished-round=10ms" "--id-index" "--set-feature HOSTNAME=x" "--mmap2-buildid-all --no-fs" "--sample-time"; do
			same pinject $o "$f"
		done
	done
	done_all
}

@test "law: pinject -b finds the files of all pieces" {
	need perf
	need record
	perf record -q -o "$T/f.data" -g -- sh -c 'i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); done; ls /usr >/dev/null; perl -e "for (1..200000) { \$x += \$_ }"' >/dev/null 2>&1
	pcat "$T/f.data" >"$T/f"
	of_whole pinject -b "$T/f"
	in_pieces pinject -b "$T/f"
	for i in whole joined; do
		perf buildid-list -i "$T/$i" | sort >"$T/$i.ids"
	done
	[ -s "$T/whole.ids" ] && diff "$T/whole.ids" "$T/joined.ids"
	done_all
}

@test "law: pstat" {
	need jq
	for f in data/*.data; do
		try pstat --piece=1/3 "$f"
		[ $rc = 2 ] || adds_up "$f"
	done
	for f in data/demo.data data/s390x_basic.pipe.data; do
		for o in "-s comm" "-s pid,event" "-s time" "-s time,cpu" "-s type" "-s dso" "--hist period" "--hist size" "--hist chain -s comm" \
		    "-s time --time-quantum=5ms"; do
			adds_up $o "$f"
		done
	done
	done_all
}

@test "law: what breaks it is refused" {
	while read -r tool rest; do
		try $tool --piece=1/3 $rest data/demo.data
		[ $rc = 2 ] && [ ! -s "$T/out" ] && one_line "$tool: --piece: " || failed "$tool $rest"
	done <<-'END'
		pfilter --max-samples 3
		pfilter --max-rate 3
		pfilter --every 3
		pfilter --every 3 --scale-period
		pfilter --sample 10% --scale-period
		pfilter --switch-on cpu-clock
		pfilter --switch-off cpu-clock
		pfilter --filter nr>3
		pfilter --filter offset>3
		pfilter --around ip>3
		pfilter --span syscall
		pfilter --pid 3 --payload-tasks
		pfilter --drop-unused-events
		pfilter --fail-if-empty
		pfilter --anon comm
		pcat --switch-output=1M -o x
		pcat --repair
		pcat --follow
		pcat --format=gperftools
		pcat --format=pprof -o x
		pcat --merge-attrs
		pcat data/multi.pipe.data
		psort -u
		psort -c
		psort --merge
		psort --late=drop
		psort --untimed=stamp
		pinject -B
		pinject -j --buildid-dir x
		pinject --perf-map --buildid-dir x
		pinject -b --archive --buildid-dir x
		pstat --check
		pstat --privacy
		pstat --header
		pstat --tasks
		pstat --picture rate
		pstat --interval 1s
		pstat --tee
		pstat --hist interval
		pstat --hist gap
		pstat --diff
		pstat --sort comm --top 3
	END
	for tool in $TOOLS; do
		for k in 0/3 4/3 1/0 1 /3 1/ x 1/3x -1/3 1/1000001; do
			try $tool --piece=$k data/demo.data
			[ $rc = 2 ] && one_line "$tool: --piece '$k': expected K/N" || failed "$tool $k"
		done
		try sh -c "cat data/demo.data | $tool --piece=1/2"
		[ $rc = 2 ] && one_line "$tool: --piece: needs the name of a file" || failed "$tool: a pipe"
		try $tool --piece=1/2 data/p72_group_S.pipe.data
		[ $rc = 2 ] && one_line "$tool: --piece: the recording has PERF_SAMPLE_READ" || failed "$tool: READ"
		try $tool --piece=1/2 data/gperf/n.prof
		[ $rc = 2 ] && one_line "$tool: --piece: a CPU profile has no pieces" || failed "$tool: a CPU profile"
	done
	done_all
}

@test "law: pieces of a damaged recording are of what is in front of the damage" {
	head -c 60001 data/demo.data >"$T/cut"
	for ((k = 1; k <= N; k++)); do
		try pcat --piece=$k/$N "$T/cut"
		[ $rc = 1 ] && one_line "pcat: $T/cut: byte " || failed "$k"
		mv "$T/out" "$T/piece.$k"
	done
	psort --merge --rounds=drop "$T"/piece.? >"$T/joined"
	try pcat "$T/cut"
	psort --merge --rounds=drop "$T/out" | cmp - "$T/joined"
	done_all
}
