# SPDX-License-Identifier: ISC
# Recordings made now, by the perf and on the kernel that are here.
load lib
load oracle

# fresh NAME [perf record option...]: $BATS_FILE_TMPDIR/NAME; nothing if perf can't.
fresh() {
	local to=$BATS_FILE_TMPDIR/$1
	shift
	command perf record "$@" -- bash -c '
		for i in 1 2 3; do
			(for ((j = 0; j < 4000; j++)); do :; done; ls / >/dev/null) &
		done
		for ((j = 0; j < 15000; j++)); do :; done
		wait' >"$to" 2>/dev/null </dev/null && [ -s "$to" ] || rm -f "$to"
}

setup_file() {
	type -P perf >/dev/null || return 0
	fresh plain -o - -e cpu-clock -F 4999
	fresh zstd -o - -e cpu-clock -F 4999 -z
	fresh chains -o - -e cpu-clock -F 1999 -g
	fresh dwarf -o - -e cpu-clock -F 499 --call-graph dwarf,1024
	fresh events -o - -e cpu-clock,page-faults,context-switches,task-clock -F 1999
	fresh group -o - -e '{cpu-clock,task-clock,page-faults}:S' -F 1999
	fresh group-all -o - -a -e '{cpu-clock,page-faults,context-switches}:S' -F 999
	fresh switches -o - -e cpu-clock -F 999 --switch-events -d
	fresh all -o - -a -e cpu-clock -F 999 -g
	fresh sched -o - -a -R -e sched:sched_switch,sched:sched_process_fork,sched:sched_process_exit
	fresh no-inherit-group -o - -i -e '{cpu-clock,page-faults}:S' -c 100000
	perf record -o "$BATS_FILE_TMPDIR/file" -e cpu-clock,page-faults -F 1999 -g -- ls -lR /etc >/dev/null 2>&1 || true
	perf record -o "$BATS_FILE_TMPDIR/file-zstd" -e cpu-clock -F 4999 -z -- ls -lR /etc >/dev/null 2>&1 || true
	perf record -o "$BATS_FILE_TMPDIR/file-group" -e '{cpu-clock,page-faults}:S' -F 1999 -- ls -lR /etc >/dev/null 2>&1 || true
	perf record -o "$BATS_FILE_TMPDIR/file-sched" -a -R -e sched:sched_switch -- sleep 0.1 >/dev/null 2>&1 || true
}

made() {
	need perf
	find "$BATS_FILE_TMPDIR" -maxdepth 1 -type f -size +2k | grep . || skip "perf record is not allowed here"
}

@test "fresh recordings: pcat" { made | by pcat; }
@test "fresh recordings: psort" { made | by psort; }
@test "fresh recordings: pstat" { made | by pstat; }
@test "fresh recordings: pfilter" { made | by pfilter; }

@test "fresh recordings: the main job, as in the README" {
	made >/dev/null
	in=$BATS_FILE_TMPDIR/chains
	[ -s "$in" ] || skip "no call chains here"
	pid=$(perf script -f -i "$in" -G -F pid $bare 2>/dev/null | awk 'NF' | sort | uniq -c | sort -k1,1nr | awk 'NR == 2 { print $2 }')
	[ -n "$pid" ] || skip "only one process was seen"
	pfilter --pid "$pid" <"$in" | psort >"$T/out.data"
	report() { perf report -f -i "$@" --stdio --no-children -g none -F sample,period,pid,comm,dso,sym 2>/dev/null | grep -v '^#'; }
	# with the pid in the key: else perf throws the samples of two processes together before it drops one's
	echo "pid $pid, $(wc -c <"$in") bytes, $(wc -c <"$T/out.data") kept"
	diff -u <(report "$in" --pid "$pid") <(report "$T/out.data")
	report "$T/out.data" | grep -q .
}
