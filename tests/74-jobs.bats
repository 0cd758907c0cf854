# SPDX-License-Identifier: ISC
# --jobs: one command, several processes, the same bytes.  The commands are those of data/law.txt that hold for pieces.
load lib
load law

setup_file() {
	O=${O:-$BATS_TEST_DIRNAME/../build}
	law_setup
	"${INSTALLED:-$O}/pcat" -q --index --chunk-size=4K --snapshots=4K -o ppi "$BATS_TEST_DIRNAME/data/demo.data"
}

# in_order FILE: sorted, without rounds: that of records between two of them is no other result
in_order() {
	psort -q --rounds=drop "$1"
}

# same_with N COMMAND... FILE: its output by N processes is that of one, byte for byte; or as far as the page says.  The status, too.
same_with() {
	local n=$1 one f=${*: -1}
	shift
	out "$@"
	one=$rc
	mv "$T/out" "$T/whole"
	out "${@:1:$#-1}" --jobs=$n ${INDEX:+--index-file="$INDEX"} "$f"
	[ $rc = $one ] || { failed "$n: $*: status $rc, not $one: $(cat "$T/err")"; return 0; }
	[ $rc = 0 ] || return 0
	mv "$T/out" "$T/joined"
	case "$*" in
	"pinject -b "*) [ "$(stat -c %s "$T/whole")" = "$(stat -c %s "$T/joined")" ] || failed "$n: $*: size"
		same_ids "$@";;
	*--sideband=needed*) ! perf_reads || says "$T/whole" | diff - <(says "$T/joined") >"$T/diff" || failed "$n: $*: $(head -n 6 "$T/diff")";;
	*--anon*) cmp -s "$T/whole" "$T/joined" || cmp <(in_order "$T/whole") <(in_order "$T/joined") || failed "$n: $*";;
	*) cmp "$T/whole" "$T/joined" || failed "$n: $*";;
	esac
	HELD=$((HELD + 1))
}

row_holds() {
	local file=${ON:-data/demo.data}
	[ "$1" = "$TOOL" ] && [[ $PIECES == yes || $PIECES == "same key only" ]] && [[ $ONLY != @(parts|refused) ]] || return 0
	case " $* " in *" -U "*|*" --format=file "*|*" --unwind"*|*" --finished-"*|*" --id-index "*|*" --sample-time "*|*" --buildid-dir "*) return 0;; esac
	HELD=0
	INDEX=""
	same_with $((2 + LINE % 3)) "$@" "$file"
	[ "$file" != data/demo.data ] || INDEX=$BATS_FILE_TMPDIR/ppi
	[ -z "$INDEX" ] || same_with 3 "$@" "$file"
	RAN=$((RAN + 1))
}

@test "jobs: pfilter" {
	rows pfilter 40
}

@test "jobs: pinject" {
	rows pinject 3
}

@test "jobs: recordings of all kinds" {
	for f in $(ls data/*.data | each 5); do
		INDEX=""
		for command in "pfilter --sample 70%" "pfilter --comms *a* --order=time" "pinject --buildid-all --no-fs"; do
			set -f
			$command "$f" >"$T/whole" 2>"$T/err" && rc=0 || rc=$?
			${command%% *} --jobs 3 ${command#* } "$f" >"$T/joined" 2>"$T/err2" && joined=0 || joined=$?
			set +f
			if [ $joined != $rc ]; then
				grep -qE -- '--jobs: the recording has PERF_SAMPLE_READ|--jobs: a CPU profile|cannot be read by several' "$T/err2" || failed "$f: $command: $joined: $(cat "$T/err2")"
				[ ! -s "$T/joined" ] || failed "$f: $command: refused, but written"
			elif [ $rc = 0 ]; then
				cmp "$T/whole" "$T/joined" || failed "$f: $command"
			fi
		done
	done
	done_all
}

@test "jobs: the output file, and what stands on standard error" {
	pfilter -v --comms bash -o "$T/one" data/demo.data 2>"$T/err1"
	pfilter -v --comms bash --jobs 3 -o "$T/many" data/demo.data 2>"$T/err"
	cmp "$T/one" "$T/many"
	[ "$(stat -c %a "$T/many")" = 600 ]
	# what all say is said once; the processes are locked as one would be
	grep -v index: "$T/err1" | diff - <(grep -v index: "$T/err")
	# what is true only if all say it
	try pfilter --comms nosuch --jobs 3 data/demo.data
	[ $rc = 0 ]
	[ "$(grep -c 'none of .* samples was kept' "$T/err")" = 1 ]
	try pfilter --tid 80 --jobs 20 data/demo.data
	[ $rc = 0 ]
	[ ! -s "$T/err" ]
	# the key of --anon is that of all
	pfilter --anon comm --jobs 4 data/demo.data >"$T/anon"
	[ "$(pstat --csv --table comms "$T/anon" | wc -l)" = "$(pstat --csv --table comms data/demo.data | wc -l)" ]
	pfilter --comms bash --jobs auto data/demo.data | cmp - "$T/one"
	pfilter --comms bash --jobs 0 data/demo.data | cmp - "$T/one"
	pfilter --comms bash --jobs 1 <data/demo.data | cmp - "$T/one"
}

@test "jobs: what cannot be cut is refused" {
	refused() {
		try "$@"
		[ $rc = 2 ] && [ ! -s "$T/out" ] && one_line "$1: --jobs: " || failed "$*"
	}
	refused pfilter --jobs 2 --every 3 data/demo.data
	refused pfilter --jobs auto --every 3 data/demo.data
	refused pfilter --jobs 2 --piece=1/2 data/demo.data
	refused pfilter --jobs 2 --stats data/demo.data
	refused pfilter --jobs 2 --filter 'nr < 3' data/demo.data
	refused pfilter --jobs 2 -U "$T/rest" data/demo.data
	refused pfilter --jobs 2 --pid 1 data/p72_group_S.pipe.data
	pcat --format=gperftools --pid 42 -o "$T/prof" data/demo.data
	refused pfilter --jobs 2 --pid 1 "$T/prof"
	try pfilter --jobs 2 --pid 1 "$T/nosuch"
	[ $rc = 1 ]
	one_line "pfilter: $T/nosuch: No such file"
	refused pfilter --jobs 2 --comms bash <data/demo.data
	refused pfilter --jobs 2 --comms bash - <data/demo.data
	try pfilter --jobs 257 data/demo.data
	[ $rc = 2 ]
	one_line "pfilter: --jobs '257': too large"
	refused pinject --jobs 2 -B data/demo.data
	refused pinject --jobs 2 --finished-round=1s data/demo.data
	refused pstat --jobs 2 --check data/demo.data
	pfilter --jobs 1 --every 3 data/demo.data | cmp - <(pfilter --every 3 data/demo.data)
	[ ! -e "$T/rest" ]
	echo old >"$T/old"
	try pfilter --jobs 2 --comms bash -o "$T/old" data/demo.data
	[ $rc = 2 ]
	[ "$(cat "$T/old")" = old ]
	cp data/demo.data "$T/in"
	try pfilter --jobs 2 -f --comms bash -o "$T/in" "$T/in"
	[ $rc = 2 ]
	cmp "$T/in" data/demo.data
	done_all
}

@test "jobs: damage and errors leave nothing behind" {
	mkdir "$T/d"
	{ cat data/demo.data; echo; } >"$T/damaged"
	try pfilter --jobs 3 --comms bash -o "$T/d/x" "$T/damaged"
	[ $rc = 1 ]
	one_line "pfilter: $T/damaged: byte "
	[ -z "$(ls -A "$T/d")" ]
	# in another share, the first process has not seen it
	try pfilter --jobs 3 --comms bash "$T/damaged"
	[ $rc = 1 ]
	[ ! -s "$T/out" ]
	# in front of all shares: the first process says it, which may end after the others
	in=$(recipe bad-size-7)
	for i in {1..30}; do
		try pfilter --jobs 2 --pid 1 "$in"
		[ $rc = 1 ] && one_line "pfilter: $in: byte " || failed "try $i"
	done
	# in a record that the head of a compressed recording ends with
	{
		echo "attr type=1 config=0 period=1 sample_type=IP|TID|TIME flags=sample_id_all|comm ids=11"
		echo "HEADER_FEATURE feat_id=27 u4=0 u4=1 u4=1 u4=0 u4=528384"
		echo "CALLCHAIN_DEFERRED nr=1000000 list=1,2"
	} | mkpipe >"$T/in"
	for o in "" --piece=1/2 --jobs=2; do
		try pfilter $o --pid 1 "$T/in"
		[ $rc = 1 ] && one_line "pfilter: $T/in: byte 196: CALLCHAIN_DEFERRED: counts 1000000 entries" || failed "$o"
	done
	try env TMPDIR=/nonexistent pfilter --jobs 2 --comms bash data/demo.data
	[ $rc = 1 ]
	one_line "pfilter: --jobs: temporary file: No such file"
	[ ! -c /dev/full ] || { rc=0; pfilter --jobs 2 --comms bash data/demo.data >/dev/full 2>"$T/err" || rc=$?; [ $rc = 1 ] && one_line "pfilter: <stdout>: write: No space"; }
	# none of the files may be that large: each process is ended, twice
	rc=0
	(ulimit -f 8; pfilter --jobs 2 --pid 0-100000 -o "$T/d/x" data/demo.data) 2>"$T/err" || rc=$?
	[ $rc = 1 ]
	grep -q 'piece [12] of 2 was ended by signal 25 .*, twice' "$T/err"
	[ -z "$(ls -A "$T/d")" ]
	done_all
}

# processes PID: its children
processes() { cat /proc/"$1"/task/"$1"/children 2>/dev/null || :; }
# gone PID...: in the end
gone() {
	local p i
	for p; do
		for ((i = 0; i < 200; i++)); do
			[ -d /proc/$p ] && ! grep -q '^State:.*[ZX]' /proc/$p/status 2>/dev/null || break
			sleep 0.05
		done
		[ $i -lt 200 ] || failed "process $p is left"
	done
}

@test "jobs: a process that is killed is run again, once" {
	[ -e /proc/self/task/$$/children ] || skip "this kernel does not tell the children of a process"
	"$O/bench/gen" 12000000 >"$T/big" 2>/dev/null || skip "tests/bench/gen is not built"
	pfilter --comms 'proc*' "$T/big" >"$T/one"
	pfilter --jobs 2 --comms 'proc*' -o "$T/two" "$T/big" 2>"$T/err" &
	pid=$!
	killed=""
	while [ -z "$killed" ] && kill -0 $pid 2>/dev/null; do
		for p in $(processes $pid); do kill -9 $p 2>/dev/null && killed=$p && break; done
	done
	rc=0; wait $pid || rc=$?
	[ -n "$killed" ]
	[ $rc = 0 ]
	[ ! -s "$T/err" ]
	cmp "$T/one" "$T/two"
	# each time; on a busy machine both can end before the second of these signals: then once more
	mkdir "$T/d"
	for ((i = 0; i < 20; i++)); do
		rm -f "$T/d/x"
		pfilter --jobs 2 --comms 'proc*' -o "$T/d/x" "$T/big" 2>"$T/err" &
		pid=$!
		while [ ! -s "$T/err" ] && kill -0 $pid 2>/dev/null; do
			for p in $(processes $pid); do kill -9 $p 2>/dev/null || :; done
		done
		rc=0; wait $pid || rc=$?
		[ $rc = 0 ] || break
		cmp "$T/one" "$T/d/x"
	done
	[ $rc = 1 ]
	grep -q 'was ended by signal 9 .*, twice$' "$T/err"
	[ -z "$(ls -A "$T/d")" ]
}

@test "jobs: the processes end with the command" {
	[ -e /proc/self/task/$$/children ] || skip "this kernel does not tell the children of a process"
	"$O/bench/gen" 30000000 >"$T/big" 2>/dev/null || skip "tests/bench/gen is not built"
	mkdir "$T/d"
	for sig in TERM KILL; do
		pfilter --jobs 2 --anon all -o "$T/d/x" "$T/big" 2>/dev/null &
		pid=$!
		while kill -0 $pid 2>/dev/null && [ $(processes $pid | wc -w) -lt 2 ]; do :; done
		children=$(processes $pid)
		[ -n "$children" ] || failed "$sig: it has ended by itself"
		kill -$sig $pid
		wait $pid || :
		gone $children
		[ -z "$(ls -A "$T/d")" ] || failed "$sig: $(ls -A "$T/d")"
	done
	done_all
}

@test "jobs: pstat" {
	need jq
	for options in "" "--sort comm,dso" "--hist period"; do
		pstat --json $options data/demo.data >"$T/json"
		for n in 2 5; do
			pstat --json --jobs $n $options data/demo.data >"$T/json.$n"
			approx=$(jq -c .approx "$T/json.$n")
			about='del(.compression, .recordings, .hosts, .approx, .comms[].pids) | delpaths($approx | map(split(".") | select(.[0] != "comms"))) |
			    map_values(if type == "array" then sort else . end)'
			diff <(jq $SORTED --argjson approx "$approx" "$about" "$T/json") <(jq $SORTED --argjson approx "$approx" "$about" "$T/json.$n") >"$T/diff" ||
			    failed "$n: $options: $(head -n 6 "$T/diff")"
		done
	done
	pstat --csv --table sort -s comm,dso data/demo.data | sort | diff - <(pstat --csv --table sort -s comm,dso --jobs 3 data/demo.data | sort)
	pstat --jobs 3 data/demo.data | grep -q '^bash  *153  51.00'
	try pstat --jobs 3 --csv --table nosuch data/demo.data
	[ $rc = 2 ]
	[ ! -s "$T/out" ]
	done_all
}

@test "jobs: one line of progress, but not if what reads the output may draw there" {
	[ -e /proc/self/task/$$/children ] || skip "this kernel does not tell the children of a process"
	[ -x /usr/bin/python3 ] || skip "python3 is not installed"
	"$O/bench/gen" 30000000 >"$T/big" 2>/dev/null || skip "tests/bench/gen is not built"
	# at-terminal FILE|- COMMAND...: what comes to the terminal while its processes stand still for two seconds.  On a busy machine they may
	# have ended before they are stopped: then once more.
	cat >"$T/at-terminal" <<-'END'
		import os, signal, sys, time
		from terminal import on_stderr
		stood = False
		def stand_still(tool):
		    global stood
		    children = []
		    while tool.poll() is None and len(children) < 2:
		        children = [int(p) for p in open(f"/proc/{tool.pid}/task/{tool.pid}/children").read().split()]
		    # they have begun to read, or have ended
		    def has_begun(p):
		        try:
		            return int(open(f"/proc/{p}/io").read().split()[1]) > 2000000
		        except OSError:
		            return True
		    while tool.poll() is None and not all(map(has_begun, children)):
		        pass
		    try:
		        for p in children:
		            os.kill(p, signal.SIGSTOP)
		    except ProcessLookupError:
		        children.remove(p)
		    stood = tool.poll() is None and len(children) == 2
		    time.sleep(2.6 if stood else 0)
		    for p in children:
		        try:
		            os.kill(p, signal.SIGCONT)
		        except ProcessLookupError:
		            stood = False
		for turn in range(9):
		    shown = on_stderr(sys.argv[2:], sys.argv[1], stand_still)
		    if stood:
		        break
		sys.stdout.write(shown)
	END
	PYTHONPATH=$BATS_TEST_DIRNAME /usr/bin/python3 "$T/at-terminal" "$T/file" "$(type -P pfilter)" --jobs 2 --anon all "$T/big" >"$T/shown" &
	PYTHONPATH=$BATS_TEST_DIRNAME /usr/bin/python3 "$T/at-terminal" - "$(type -P pfilter)" --jobs 2 --anon all "$T/big" >"$T/silent"
	wait
	[ "$(tr '\r' '\n' <"$T/shown" | grep -c 'pfilter: .* MB of 3[0-9.]* MB, .*%')" -ge 1 ] || failed "no line: $(cat "$T/shown")"
	[ ! -s "$T/silent" ] || failed "$(cat "$T/silent")"
	done_all
}
