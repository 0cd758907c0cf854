# SPDX-License-Identifier: ISC
# pstat --check by what perf does: names and maps in its time order, levels by its version.  Of recordings made now: 52-oracle-fresh.
load lib
load pstat
load damage

# count FILE RULE...: how often these were broken, together.
count() {
	local in=$1 IFS='|'
	shift
	pstat --check --json -q "$in" 2>/dev/null | jq "[.findings[] | select(.rule | test(\"^($*)$\")).count] | add // 0"
}
# status OPTION...: of pstat --check; its lines in $T/out.
status() {
	try pstat --check -q "$@"
	echo $rc
}
HEAD='attr type=1 config=0 period=1 sample_type=IP|TID|TIME|CPU|PERIOD flags=sample_id_all|mmap|comm|task|mmap2|comm_exec ids=11,12
HEADER_FEATURE feat_id=32'
prog() {	# PID TIME
	echo "MMAP2 misc=2 pid=$1 tid=$1 start=0x400000 len=0x10000 prot=5 flags=2 filename=/opt/prog @ pid=$1 tid=$1 time=$2"
}
fork() {	# PID TIME
	echo "FORK pid=$1 ppid=100 tid=$1 ptid=100 time=$2 @ pid=100 tid=100 time=$2"
}

# The law: what --sort dso counts without a DSO is in no map, or of no mode.
dso_law() {
	local in=$1 without
	without=$(pstat -s dso --top 0 --json -q "$in" 2>/dev/null | jq '[.sort[] | select(.dso == null or .dso == "[unknown]").records] | add // 0')
	[ "$(count "$in" W11 W12 W23)" = "$without" ] || failed "$in: $(count "$in" W11 W12 W23), but --sort dso has $without"
}

@test "check: a FORK that arrives behind the maps of its child, and is older, takes none away" {
	need jq
	{
		echo "$HEAD"
		echo "COMM pid=100 tid=100 comm=sh @ pid=100 tid=100 time=100"
		echo "COMM misc=0x2000 pid=101 tid=101 comm=prog @ pid=101 tid=101 time=2000"
		prog 101 2100
		fork 101 1000
		echo FINISHED_ROUND
		echo "SAMPLE misc=2 ip=0x401000 pid=101 tid=101 time=3000 period=1"
		echo FINISHED_ROUND
		echo FINISHED_ROUND
	} >"$T/recipe"
	mkpipe <"$T/recipe" >"$T/in"
	[ "$(count "$T/in" W11 W13 W14)" = 0 ]
	dso_law "$T/in"
	# but one that is newer does
	sed 's/time=1000/time=2500/g' "$T/recipe" | mkpipe >"$T/in"
	[ "$(count "$T/in" W11)" = 1 ]
	dso_law "$T/in"
	done_all
}

@test "check: an EXIT ends a task in time order, and a COMM or FORK behind it begins another" {
	need jq
	{
		echo "$HEAD"
		echo "COMM pid=100 tid=100 comm=sh @ pid=100 tid=100 time=100"
		fork 101 200
		prog 101 300
		echo "EXIT pid=101 ppid=100 tid=101 ptid=100 time=1000 @ pid=101 tid=101 time=1000"
		for t in 400 900 1001 1500 2500; do	# two of them behind the EXIT
			echo "SAMPLE misc=2 ip=0x401000 pid=101 tid=101 time=$t period=1"
		done
		fork 101 2000
		prog 101 2100
		echo FINISHED_ROUND
	} | mkpipe >"$T/in"
	[ "$(count "$T/in" W14)" = 2 ]
	[ "$(count "$T/in" W11 W13)" = 0 ]
	dso_law "$T/in"
	done_all
}

@test "check: samples without a map are those that --sort dso has no DSO for" {
	need jq
	for f in data/*.data; do
		turn 3 || continue
		dso_law "$f"
	done
	for f in data/a_busy.pipe data/kernel.pipe data/k61_sched.pipe data/k612_sched.pipe; do
		turn 3 || continue
		zstd -qdc "$f.data.zst" >"$T/in"
		dso_law "$T/in"
	done
	for k in late-mmap map-missing map-kernel map-mode fork-self sample-guest sample-mode sample-pid fork-hides map-empty; do
		kind "$k" + >"$T/in"
		dso_law "$T/in"
	done
	done_all
}

@test "check: what a newer perf reads right is a note for its own recordings, and an error for an older perf" {
	need jq
	for f in data/p72_*.data; do
		[ "$(status "$f")" = 0 ] || failed "$f: $(grep ^error "$T/out")"
		! grep '^error' "$T/out" || failed "$f"
		grep -q '^note E' "$T/out" || failed "$f: no note"
		status --check=E "$f" >/dev/null
		! [ -s "$T/out" ] || failed "$f: --check=E"
		status --check=-N "$f" >/dev/null
		! grep '^note' "$T/out" || failed "$f: --check=-N"
		for x in "1 6.1" "1 6.12" "0 current" "0 7.2" "0 8.0" "1 5.10" "1 6.8" "1 7.1"; do
			[ "$(status --for="${x#* }" "$f")" = "${x% *}" ] || failed "$f: $x"
		done
		pstat --check --json -q "$f" >"$T/json"
		jq -e '[.findings[] | select(.rule[:1] == "E") | .level == "note" and .read_by == "7.2"] | all' "$T/json" >/dev/null || failed "$f: JSON"
	done
	# of the perf in the header
	for x in "1 6.1.170" "1 6.12.9" "0 7.2" "0 7.2.rc3.g0123" "0 9.1" "1 5.4" "0 none" "0 6x1"; do
		pinject --set-feature VERSION="${x#* }" data/p72_basic.pipe.data >"$T/in"
		[ "$(status "$T/in")" = "${x% *}" ] || failed "recorded by $x"
	done
	# a newer one reads what it has written, whatever that is
	for x in "0 8.0.1" "1 7.2.1"; do
		mkpipe >"$T/in" <<-END
			${HEAD%%$'\n'*}
			HEADER_FEATURE feat_id=5 fs=${x#* }
			HEADER_FEATURE feat_id=60 u4=1
			HEADER_FEATURE feat_id=61
			rec type=60 zeros=8
		END
		[ "$(status "$T/in")" = "${x% *}" ] || failed "unknown feature and type of ${x#* }: $(cat "$T/out")"
		[ "$(status --for=8.0 "$T/in")" = 0 ] || failed "for 8.0"
		[ "$(status --for=current "$T/in")" = 1 ] || failed "for 7.2"
	done
	# a version between those that are known reads what it has written, as the next one does
	{
		echo "$HEAD"
		echo "LOST_SAMPLES misc=0x8000 lost=3 @ time=1000"
	} | sed 's/^HEADER_FEATURE.*/HEADER_FEATURE feat_id=5 fs=6.5.3\n&/' | mkpipe >"$T/in"
	[ "$(status "$T/in")" = 0 ]
	grep -q '^note E40 ' "$T/out"
	[ "$(status --for=6.1 "$T/in")" = 1 ]
	[ "$(status --for=6.5 "$T/in")" = 1 ]
	done_all
}

@test "check: what no perf reads is an error, whatever it is checked for" {
	for k in feature-300 tracing-long tracing-short id-sample; do
		kind "$k" + >"$T/in"
		for v in 6.1 6.12 current; do
			[ "$(status --for=$v "$T/in")" = 1 ] || failed "$k: $v"
		done
	done
	done_all
}

# data/check/seen.tsv has what three versions do: an error for a version, if it or a newer one fails, and only older ones read it.
@test "check: --for=VERSION, by what perf 6.12 and 7.2 do" {
	while IFS=$'\t' read -r name p61 p612 p72; do
		case $p61 in *sound*) continue;; esac
		[[ ! $p61 = 0* ]] && [[ $p72 = "0 same same" ]] || continue
		kind "$name" + >"$T/in"
		rules=${KIND_RULES[$name]}
		case $rules in
		E04|E05|E24)
			[ "$(status --for=current "$T/in")" = 0 ] || failed "$name: $(grep ^error "$T/out")"
			[ "$(status --for=6.1 "$T/in")" = 1 ] || failed "$name: 6.1";;
		esac
	done < <(tail -n +2 data/check/seen.tsv)
	done_all
}

@test "check: --for is a version of perf, and goes with --check" {
	for v in fnord 6 6. .1 6.1x "" -1; do
		try pstat --check --for="$v" data/basic.pipe.data
		[ $rc = 2 ] || failed "'$v'"
		grep -q -- "--for" "$T/err" || failed "'$v': message"
	done
	try pstat --for=6.1 data/basic.pipe.data
	[ $rc = 2 ]
	done_all
}

@test "check: more tasks and maps than are kept are said" {
	need native
	! sanitized || skip "a sanitizer needs its own memory"
	awk -v head="$HEAD" 'BEGIN {
		print head
		for (i = 1; i < 150000; i++) {
			print "COMM pid=" i " tid=" i " comm=c" i " @ time=" i
			print "MMAP2 misc=2 pid=" i " tid=" i " start=0x1000 len=4096 prot=5 filename=/f" i " @ time=" i
			print "SAMPLE misc=2 pid=" i " ip=0x1008 time=" i " cpu=" i % 64
		}
	}' | mkpipe >"$T/in"
	(ulimit -v 65536; pstat --check -q "$T/in" >"$T/out")
	! grep '^warning W1[13]' "$T/out" || failed "a name or map is missing"
	grep -q '^note N10 ' "$T/out" || failed "not said"
	# a record that comes behind 300,000 that are newer, without a round
	{
		echo "$HEAD"
		echo "SAMPLE misc=2 ip=0x401000 pid=100 time=1000000 period=1 repeat=300000 step=1000"
		echo "COMM pid=100 tid=100 comm=late @ time=1000"
	} | mkpipe >"$T/in"
	(ulimit -v 65536; pstat --check -q "$T/in" >"$T/out")
	grep -q '^note N10 ' "$T/out" || failed "not said that it was too early"
	done_all
}
