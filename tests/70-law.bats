# SPDX-License-Identifier: ISC
# join(what is done to pieces) = what is done to the whole: the table of perfpipe-fleet(7), for --piece.  70-law-parts.bats is for
# parts; data/law.txt is what both run.
load lib
load law

N=3

setup_file() {
	O=${O:-$BATS_TEST_DIRNAME/../build}
	law_setup
	"${INSTALLED:-$O}/pcat" -q --index --chunk-size=4K -o ppi "$BATS_TEST_DIRNAME/data/demo.data"
}

# in_pieces COMMAND...: its outputs for all pieces, in $T/piece.KK, and what joins them, in $T/joined.  The last word is the file.
# With an index in $INDEX they are the same.
in_pieces() {
	local f=${*: -1} k
	rm -f "$T"/piece.*
	for ((k = 1; k <= N; k++)); do
		out "${@:1:$#-1}" --piece=$k/$N "$f"
		[ $rc = "$ONE" ] || { failed "$k/$N: $*"; return 0; }
		mv "$T/out" "$T/piece.$(printf %02d $k)"
		[ -n "${INDEX-}" ] && { [ -n "${ALL-}" ] || [ $((LINE % N + 1)) = $k ]; } || continue
		out "${@:1:$#-1}" --piece=$k/$N --index-file="$INDEX" "$f"
		[ $rc = "$ONE" ] && cmp "$T/out" "$T/piece.$(printf %02d $k)" || failed "$k/$N, with an index: $*"
	done
	[ "$ONE" != 0 ] || psort --merge --rounds=drop "$T"/piece.* >"$T/joined"
}
# of_whole COMMAND...: its output, in the same order; its status, in ONE
of_whole() {
	out "$@"
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
	case $* in
	"pinject -b "*|"pinject --buildid-all"*) same_ids "$@";;
	*) cmp "$T/whole" "$T/joined" || failed "$*";;
	esac
	HELD=$((HELD + 1))
}
same() {
	local held=$HELD
	same_if "$@"
	[ $HELD -gt $held ] || failed "$*: status $ONE"
}
# alike COMMAND... FILE: to perf; side-band that samples need comes more than once, if several pieces need it
alike() {
	of_whole "$@"
	in_pieces "$@"
	says "$T/whole" >"$T/want"
	[ -s "$T/want" ] || failed "$*: perf says nothing"
	says "$T/joined" | diff "$T/want" - >"$T/diff" || failed "$*: $(head -n 6 "$T/diff")"
}
# All that perfpipe-fleet(7) excepts: what a process of its own has read, what nobody knows who sees only a piece, and the order of
# rows that are equal.
MEMBERS='del(.bytes_read, .compression, .recordings, .hosts, .approx) | .types |= map(select(.name | startswith("COMPRESSED") | not)) |
	delpaths($approx | map(split(".") | select(.[0] != "comms"))) | del(.comms[].pids) |
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
	approx=$(jq -c .approx "$T/merged")
	diff <(jq $SORTED --argjson approx "$approx" "$MEMBERS" "$T/json") <(jq $SORTED --argjson approx "$approx" "$MEMBERS" "$T/merged") >"$T/diff" ||
	    failed "$*: $(head -n 6 "$T/diff")"
}

SIDE="--show-task-events --show-mmap-events"

# A recording of each kind: a stream, a perf.data, records that are compressed, another byte order, tracepoints, several events.
MORE=(data/multi.pipe.data data/z1.file.data data/s390x_basic.pipe.data data/sched.pipe.data data/p72_forks.pipe.data)
FILES="data/demo.data ${MORE[*]}"

# The rows of the page, as in data/law.txt.
page_rows() {
	sed -n '/^\.Ss What holds/,/^\.El/{ s/^\.It //p; }' ../man/perfpipe-fleet.7 | sed -e '/^Sy /d' -e 's/ Ta / | /g' \
	    -e 's/ Ns = Ns Cm /=/g' -e 's/ Ns = Ns /=/g' -e 's/ , /, /g' -e 's/\(^\| \)Fl -/\1--/g' -e 's/, -\([a-z]\)/, --\1/g' \
	    -e 's/\(^\| \)Fl \([A-Za-z]\)\( \|,\)/\1-\2\3/g' -e 's/, \([A-Za-z]\)\(,\| |\)/, -\1\2/g' -e 's/\(^\| \)No /\1/g' -e 's/Pq \(.*\) \.\.\. |/(\1 ...) |/'
}
# What the lines of each row name: "ROW <tab> a word".
line_names() {
	case $1 in
	"@ "*) grep -qF "@test \"law: ${1#@ }\"" 70-law.bats || grep -qF "@test \"law of parts: ${1#@ }\"" 70-law-parts.bats || failed "no such test: $1"
		printf '%s\t%s\n' "$ROW" all >>"$T/names";;
	*) printf '%s\n' "${@%%=*}" "how:${ONLY:-pieces}" "how:${ONLY:-parts}" | sed "s/^/${ROW//\//\\/}\t/" >>"$T/names";;
	esac
}
@test "law: each row of the page has its commands, and each option of the tools a row" {
	diff <(page_rows) <(sed -n 's/^= //p' data/law.txt) || failed "the page and data/law.txt"
	: >"$T/names"
	each_line line_names
	while IFS= read -r line; do
		row=${line%% | *}
		grep -qF "= $row"$'\t' "$T/names" || failed "$row: no command"
		! grep -qxF "= $row"$'\t'all "$T/names" || continue
		for word in $(grep -oE -- '(^| )--?[A-Za-z][a-z0-9-]*' <<<"$row"); do
			grep -qxF -- "= $row"$'\t'"$word" "$T/names" || failed "$row: no command with $word"
		done
		case $line in *"| yes | "*) grep -qxF "= $row"$'\t'how:pieces "$T/names" || failed "$row: no command for pieces";; esac
		case $line in *"| yes"|*"| yes, "*) grep -qxF "= $row"$'\t'how:parts "$T/names" || failed "$row: no command for parts";; esac
	done < <(page_rows)
	for tool in $TOOLS; do
		grep -E "^([a-z]*: )?($tool|all) " data/law.txt | grep -oE -- '--[a-z][a-z0-9-]*' | sort -u >"$T/known"
		list=$($tool --list-options)
		sed -n 's/^{"name":"\([^"]*\)".*/--\1/p' <<<"$list" | sort -u | comm -23 - "$T/known" >"$T/unknown"
		[ ! -s "$T/unknown" ] || failed "$tool: of no row: $(tr '\n' ' ' <"$T/unknown")"
		# what is no option in pieces is in a row that is refused; the last row has those that other tests refuse
		awk '/^[=~]/ { is = / \| refused \| / || /no matter/ } is || /^refused: /' data/law.txt | sed 's/^refused: //' | grep "^$tool " | tr ' =' '\n\n' >"$T/refused"
		for o in $(sed -n 's/^{"kind":"not in pieces","these":\[\([^]]*\)\].*/\1/p' <<<"$list" | tr -d '"' | tr , ' '); do
			letter=$(sed -n "s/^{\"name\":\"$o\",\"letter\":\"\(.\)\".*/-\1/p" <<<"$list")
			grep -qxF -e "--${o%=*}" -e "${letter:-none}" "$T/refused" || failed "$tool: --$o is in no row that is refused"
		done
	done
	done_all
}

@test "law: all pieces make the whole, record for record" {
	for f in $(ls data/*.data | each 9); do
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
		says "$T/whole" $SIDE >"$T/want"
		[ -s "$T/want" ] || failed "$f: perf says nothing"
		says "$T/joined" $SIDE | diff "$T/want" - >"$T/diff" || failed "$f: $(head -n 6 "$T/diff")"
	done
	done_all
}

@test "law: each sample is of one piece, state of each, and other records of one" {
	need jq
	for f in $(ls $FILES | each 4); do
		ONE=0 in_pieces pcat "$f"
		for k in "$T"/piece.*; do
			pstat --json "$k" | jq -c '.types[] | [.name, .records]'
		done | jq -s $SORTED 'map({ key: .[0], value: .[1] }) | group_by(.key) | map({ key: .[0].key, value: map(.value) }) | from_entries' >"$T/of"
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

# The commands of a tool for which the page says that they hold: for the file of the line, or for demo.data and, in each sixth
# line, one more; with $ALL for all of $FILES.  Each with an index of demo.data, too.
row_holds() {
	local files
	[ "$1" = "$TOOL" ] && [[ $PIECES == yes || $PIECES == "same key only" ]] && [[ $ONLY != @(parts|refused) ]] || return 0
	files=data/demo.data
	if [ -n "$ON" ]; then files=$ON
	elif [ -n "${ALL-}" ]; then files+=" ${MORE[*]}"
	elif [ $((LINE % 6)) = 0 ]; then files+=" ${MORE[LINE / 6 % ${#MORE[@]}]}"
	fi
	HELD=0
	for f in $files; do
		INDEX=""
		[ "$f" != data/demo.data ] || INDEX=$BATS_FILE_TMPDIR/ppi
		case "$*" in
		"pstat --json"*) adds_up "${@:3}" "$f"; HELD=1;;
		*--sideband=needed*) ! perf_reads || alike "$@" "$f"; HELD=1;;
		*) same_if "$@" "$f";;
		esac
	done
	[ $HELD -ge 1 ] || failed "line $LINE: $*: status $ONE"
	RAN=$((RAN + 1))
}

@test "law: pfilter" {
	rows pfilter 45
	# another number of pieces
	for N in 2 7; do
		same pfilter --comms bash --inherit data/demo.data
		same pfilter --order=time --pid 42 data/demo.data
	done
	done_all
}

@test "law: pcat and psort" {
	rows pcat 8
	rows psort 6
}

@test "law: pinject" {
	rows pinject 10
}

@test "law: pstat" {
	need jq
	rows pstat 9
	for f in $(ls data/*.data | each 12); do
		try pstat --piece=1/3 "$f"
		[ $rc = 2 ] || adds_up "$f"
	done
	done_all
}

row_refused() {
	[ "$ROW" != "~ no matter" ] && { [ "$ONLY" = refused ] || [ "$PIECES$ONLY" = refused ]; } || return 0
	out "$1" --piece=1/3 "${@:2}" "${ON:-data/demo.data}"
	[ $rc = 2 ] && [ ! -s "$T/out" ] && one_line "$1: --piece: " || failed "line $LINE: $*"
	RAN=$((RAN + 1))
}
@test "law: what breaks it is refused" {
	RAN=0
	each_line row_refused
	[ $RAN -ge 60 ] || failed "$RAN"
	done_all
}

# as_perf COMMAND... FILE: a record without a time of one piece (LOST_SAMPLES that perf record makes) may stand elsewhere
as_perf() {
	of_whole "$@"
	in_pieces "$@"
	[ "$ONE" = 0 ] && ! cmp -s "$T/whole" "$T/joined" || return 0
	says "$T/whole" $SIDE >"$T/want"
	says "$T/joined" $SIDE | diff "$T/want" - >"$T/diff" && [ "$(stat -c %s "$T/whole")" = "$(stat -c %s "$T/joined")" ] ||
	    failed "$*: $(head -n 6 "$T/diff")"
}

# check-all has the time for all.
@test "law: recordings of the corpus" {
	need corpus
	need perf
	i=0
	for f in "$CORPUS"/own/*.data; do
		i=$((i + 1))
		[ -n "${ALL-}" ] || [ $((i % 30)) = 0 ] || continue
		# not sound, or without pieces
		psort "$f" >/dev/null 2>&1 && pcat --piece=1/3 "$f" >/dev/null 2>&1 || continue
		as_perf pcat "$f"
		as_perf pfilter --comms 'c*' "$f"
		adds_up "$f"
	done
	done_all
}

# needed FILE: its pieces, and what is sampled and the rest, with the side-band that their samples need: joined, no pid means two
# processes, and perf says of the samples what it says of the whole.  Counts of perf stat are in both of the latter two.
needed() {
	psort -q --merge --rounds=drop "$1" >"$T/whole" 2>/dev/null || return 0
	says "$T/whole" >"$T/want" && [ -s "$T/want" ] || return 0
	rm -f "$T"/piece.*
	for k in 1 2 3; do
		! pfilter -q --piece=$k/3 --sideband=needed "$1" >"$T/piece.$k" 2>"$T/err" || continue
		grep -q -- "--piece: " "$T/err" || failed "$1: $k/3"
		rm -f "$T"/piece.*
		break
	done
	if [ -e "$T/piece.1" ]; then
		joins_quietly "$1" "$T"/piece.?
		says "$T/joined" | diff "$T/want" - >"$T/diff" || failed "$1, pieces: $(head -n 6 "$T/diff")"
	fi
	pfilter -q -f --sample 40% --sideband=needed -U "$T/rest" -o "$T/kept" "$1" 2>/dev/null || return 0
	joins_quietly "$1" "$T/kept" "$T/rest"
	[ "$(says "$T/joined" | but_counts | cksum)" = "$(but_counts <"$T/want" | cksum)" ] || failed "$1, --sample"
	NEEDED=$((NEEDED + 1))
}
but_counts() {
	grep -vE '^ *-?[0-9]+ +-?[0-9]+ +[0-9]+ +[0-9]+ +[0-9]+ +[0-9]+ ' | sort
}
# The samples by this perf, but those of threads that it forgot at their EXIT.
remembered() {
	command "$1" script -f --ns --symfs=/nonexistent --kallsyms=/dev/null -F comm,pid,tid,cpu,time,ip,sym,dso -i "$2" 2>/dev/null |
	    sed '/^ *:[0-9]/d'
}
joins_quietly() {
	try psort --merge --rounds=drop "${@:2}"
	[ $rc = 0 ] && [ ! -s "$T/err" ] || failed "$1"
	mv "$T/out" "$T/joined"
}

@test "law: parts of a recording have the pids of the whole" {
	need perf
	NEEDED=0
	# g++ execs collect2, and both begin at one address; python has more maps than are looked at.  Events without ids.
	{ echo "attr type=1 config=0 period=1 sample_type=IP|TID|TIME|PERIOD flags=sample_id_all|mmap|mmap2|comm|comm_exec|task"
	  echo "COMM pid=5 tid=5 comm=python"
	  for i in $(seq 40); do
		echo "MMAP2 misc=2 pid=5 tid=5 start=0x$((i + 10))00000 len=0x90000 maj=8 min=1 ino=$i prot=5 flags=2 filename=/lib/l$i @ pid=5 tid=5"
	  done
	  for i in $(seq 10 2 60); do
		t=${i}00000000
		echo "SAMPLE misc=2 ip=0x1100010 pid=5 tid=5 time=$t period=1"
		echo "FORK pid=$i ppid=5 tid=$i ptid=5 time=$((t + 1)) @ pid=5 tid=5 time=$((t + 1))"
		for j in 2 3 4; do
			echo "SAMPLE misc=2 ip=0x1100010 pid=$i tid=$i time=$((t + j)) period=1"
		done
		for e in 1 2; do
			t=$((t + 50000000))
			echo "COMM misc=0x2000 pid=$i tid=$i comm=exec$e @ pid=$i tid=$i time=$t"
			echo "MMAP2 misc=2 pid=$i tid=$i start=0x400000 len=0x${e}0000 maj=8 min=1 ino=9$e prot=5 flags=2 filename=/bin/exec$e @ pid=$i tid=$i time=$((t + 5))"
			for j in 7 8 9; do
				echo "SAMPLE misc=2 ip=0x400010 pid=$i tid=$i time=$((t + j)) period=1"
			done
		done
		[ $((i % 4)) = 0 ] || echo "EXIT pid=$i ppid=5 tid=$i ptid=5 time=$((t + 200000000)) @ pid=$i tid=$i time=$((t + 200000000))"
		[ $((i % 6)) != 0 ] || echo FINISHED_ROUND
	  done; } | mkpipe - >"$T/execs"
	needed "$T/execs"
	[ $NEEDED = 1 ] || failed "$NEEDED"
	# a snapshot has the time of a FORK that another part has, too
	needed data/a_busy.pipe.data.zst
	for f in $(ls data/*.data data/*.zst | each 16); do
		needed "$f"
	done
	# Pieces of what is not in time order overlap: a task lives in one while another has a snapshot of it (23, 45, 67, 78), with a FORK
	# that copies maps (20), also of a process whose first thread has ended (126).  Without ids, too, for which --merge-attrs is needed.
	# Every fifth seed has no times but those of samples, by which nothing can be merged.
	for s in 20 23 45 67 78 126 $(seq 0 199 | grep -v '[49]$' | each 40); do
		python3 lives.py "$s" 40 >"$T/text"
		[ $((s % 2)) = 0 ] || sed -i 's/IDENTIFIER|//; s/ ids=[0-9]*//; s/ id=[0-9]*//; /attr.*config=1/d; s/ ev=1//' "$T/text"
		mkpipe - <"$T/text" >"$T/lives"
		for k in 1 2 3; do
			pfilter -q --piece=$k/3 --sideband=needed "$T/lives" >"$T/piece.$k"
		done
		psort -q --merge --rounds=drop "$T/lives" >"$T/whole"
		joins_quietly "seed $s" --merge-attrs "$T"/piece.?
		for perf in $PERFS; do
			diff <(remembered "$perf" "$T/whole") <(remembered "$perf" "$T/joined") >"$T/diff" ||
			    failed "seed $s, $perf: $(head -n 6 "$T/diff")"
		done
	done
	if perf_records; then
		perf record -q -F 5000 -o "$T/f.data" -- bash -c 'for i in 1 2 3 4 5 6 7 8; do (ls /usr | sort; gzip </bin/ls; bash -c "ls; exec sort /etc/passwd") >/dev/null & done; wait' >/dev/null 2>&1
		needed "$T/f.data"
	fi
	for f in $([ ! -d "$CORPUS" ] || find "$CORPUS" -type f -size -8M ! -name '*.tsv' | each 60); do
		needed "$f"
	done
	[ $NEEDED -ge 5 ] || failed "$NEEDED recordings"
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
	[ -s "$T/whole.ids" ]
	diff "$T/whole.ids" "$T/joined.ids"
	done_all
}

@test "law: --piece: what is wrong, and inputs that have no pieces" {
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
	try pfilter --piece=1/2 --time 10%-90% data/p72_group_S.pipe.data
	[ $rc = 2 ] && one_line "pfilter: --piece: the recording has PERF_SAMPLE_READ" || failed "READ, by the pass for the times"
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
