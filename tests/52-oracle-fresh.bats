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
	fresh mono -o - -e cpu-clock -F 1999 -k mono --namespaces
	fresh wide -o - -a -e cpu-clock -F 1999 --switch-events --all-cgroups
	perf record -o "$BATS_FILE_TMPDIR/file-all" -a -e cpu-clock -F 1999 -g -- sh -c 'for i in 1 2 3 4 5 6 7 8; do ls / & done; wait' >/dev/null 2>&1 || true
	perf record -o "$BATS_FILE_TMPDIR/file" -e cpu-clock,page-faults -F 1999 -g -- ls -lR /etc >/dev/null 2>&1 || true
	perf record -o "$BATS_FILE_TMPDIR/file-zstd" -e cpu-clock -F 4999 -z -- ls -lR /etc >/dev/null 2>&1 || true
	perf record -o "$BATS_FILE_TMPDIR/file-group" -e '{cpu-clock,page-faults}:S' -F 1999 -- ls -lR /etc >/dev/null 2>&1 || true
	perf record -o "$BATS_FILE_TMPDIR/file-sched" -a -R -e sched:sched_switch -- sleep 0.1 >/dev/null 2>&1 || true
}

made() {
	need perf
	find "$BATS_FILE_TMPDIR" -maxdepth 1 -type f -size +2k | sort | grep . || skip "perf record is not allowed here"
}
# third N: in make check each tool takes a third, so that all are taken.
third() {
	if [ -n "${ALL-}" ]; then cat; else awk -v n="$1" 'NR % 3 == n'; fi
}

@test "fresh recordings: pcat" { made | third 0 | by pcat; }
@test "fresh recordings: psort" { made | third 1 | by psort; }
@test "fresh recordings: pstat" { made | third 2 | by pstat; }
@test "fresh recordings: pfilter" { made | third 0 | by pfilter; }

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

# borne_out FILE: does perf show what the warnings of pstat --check say?
borne_out() {
	local rule n maps=0 nameless=0 ended=0 more=0
	while read -r rule n; do
		case $rule in
		W11|W12|W23) maps=$((maps + n));;
		W13) nameless=$n;;
		W14) ended=$n;;
		W18|W19) ;;		# counts of records, which perf report --stats has, too
		*) more=$rule;;
		esac
	done < <(pstat --check=W --json -q "$1" | jq -r '.findings[] | "\(.rule) \(.count)"')
	[ "$more" = 0 ] || failed "$1: $more"
	# since 6.12 perf forgets a task at its EXIT; 6.1 knows its name still
	! perf_forgets || nameless=$((nameless + ended))
	script=$(perf script -f -G -F comm,ip,dso -i "$1" 2>/dev/null </dev/null)
	[ "$(grep -c '^ *:' <<<"$script")" = "$nameless" ] || failed "$1: $nameless nameless, perf has $(grep -c '^ *:' <<<"$script")"
	[ "$(grep -c '(\[unknown\])$' <<<"$script")" = "$maps" ] || failed "$1: $maps in no map, perf has $(grep -c '(\[unknown\])$' <<<"$script")"
}

@test "fresh recordings: pstat --check finds no error, and no warning that perf does not bear out" {
	need jq
	made >"$T/made"
	while read -r f; do
		[ "$f" != "$T/made" ] || continue
		try pstat --check -q "$f"
		[ $rc = 0 ] || failed "$f: status $rc: $(grep '^error' "$T/out")"
		! grep '^note E' "$T/out" || perf_since 6.12 || failed "$f: older than 6.1"
		case $f in
		*group*) continue;;	# perf shows a sample of a group once for each member
		esac
		borne_out "$f"
	done <"$T/made"
	[ "$(wc -l <"$T/made")" -ge 10 ] || failed "few recordings"
	done_all
}
