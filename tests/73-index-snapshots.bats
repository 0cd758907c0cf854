# SPDX-License-Identifier: ISC
# Snapshots in an index: the processes of --jobs begin with one instead of all that is before their pieces.
load lib

setup_file() {
	PATH=${INSTALLED:+$INSTALLED:}${O:-$BATS_TEST_DIRNAME/../build}:$PATH
	cd "$BATS_FILE_TMPDIR"
	head -c 32 /dev/urandom >key
	chmod 600 key
	"$BATS_TEST_DIRNAME/deaths.py" 1 2500 | mkpipe >deaths
	pcat -q --index --chunk-size=4K --snapshots=8K deaths
}

# have FILE: a copy with its index in $T
have() {
	cp "$BATS_FILE_TMPDIR/$1" "$BATS_FILE_TMPDIR/$1.ppi" "$T"
}
# used: how many processes have begun with a snapshot, by the last -v
used() {
	grep -c "only what was in force" "$T/err" || :
}
# snapshots INDEX: their number
snapshots() {
	"$BATS_TEST_DIRNAME/index-forge.py" "$1" | grep -c ^SNAP || :
}
# as_without N FILE COMMAND...: by N processes it writes the same with and without the index, and some process has begun with a snapshot
as_without() {
	local n=$1 f=$2
	shift 2
	try "$@" -v --jobs "$n" "$f"
	[ $rc = 0 ] && [ "$(used)" -gt 0 ] || failed "$*: status $rc, $(used) snapshots: $(head -n 2 "$T/err")"
	mv "$T/out" "$T/with"
	try "$@" --no-index --jobs "$n" "$f"
	[ $rc = 0 ] && cmp "$T/with" "$T/out" || failed "$n: $*"
}
# all_as_without N FILE: timed, if it is empty: COMMs and FORKs have no times
all_as_without() {
	local inherit="pfilter --comms *2 --inherit"
	[ -n "${timed-yes}" ] || inherit=
	set -f
	for o in "pfilter --comms *1*,*3" ${inherit:+"$inherit"} "pfilter --dsos *l1*" "pfilter --filter comm=='name3'" \
	    "pfilter --sideband=none --comms *1" "pfilter --anon all --anon-key $BATS_FILE_TMPDIR/key" "pfilter --anon comm,pid --anon-key $BATS_FILE_TMPDIR/key" \
	    "pinject -b --no-fs" "pinject --buildid-all --no-fs" "pinject --mmap2-buildid-all --no-fs"; do
		as_without "$1" "$2" $o
	done
	set +f
}

@test "snapshots: the same bytes as without, for tasks that fork, exec, end, and whose numbers come back" {
	for seed in $(seq 1 $((ALL ? 40 : 3))); do
		case $((seed % 7)) in 6) continue;; esac		# without FINISHED_ROUNDs all waits to the end
		case $((seed % 5)) in 4) timed=;; *) timed=yes;; esac
		python3 "$BATS_TEST_DIRNAME/lives.py" $seed 90 | mkpipe >"$T/x"
		pcat -q -f --index --chunk-size=4K --snapshots=4K "$T/x"
		all_as_without $((3 + seed % 6)) "$T/x"
	done
	done_all
}

# kin FLAGS: a process from before the recording, whose parent is told of behind it, then has another name, and ends before 600 others
kin() {
	local at="@ pid=30 tid=30 id=11 time"
	[ -n "$1" ] || at="time"
	cat <<-END
	attr type=1 config=0 period=1 sample_type=IDENTIFIER|IP|TID|TIME|CPU flags=$1mmap|comm|task ids=11
	FORK misc=8192 pid=31 ppid=30 tid=31 ptid=30
	COMM pid=31 tid=31 comm=kid
	FORK misc=8192 pid=30 ppid=1 tid=30 ptid=1
	COMM pid=30 tid=30 comm=sh
	COMM pid=40 tid=40 comm=other
	SAMPLE misc=1 ip=1 pid=40 tid=40 time=5 repeat=200 step=0
	FINISHED_ROUND
	COMM pid=30 tid=30 comm=before $at=10
	COMM pid=30 tid=30 comm=behind $at=11
	SAMPLE misc=1 ip=1 pid=31 tid=31 time=12 repeat=200 step=0
	FINISHED_ROUND
	EXIT pid=30 ppid=30 tid=30 ptid=30 $at=13
	END
	for i in {1000..1600}; do
		echo "FORK pid=$i ppid=40 tid=$i ptid=40 $at=$((i + 1000))"
		echo "EXIT pid=$i ppid=40 tid=$i ptid=40 $at=$((i + 1000))"
	done
	cat <<-END
	FINISHED_ROUND
	SAMPLE misc=1 ip=2 pid=31 tid=31 time=3000 repeat=400 step=0
	FINISHED_ROUND
	SAMPLE misc=1 ip=2 pid=31 tid=31 time=3001 repeat=400 step=0
	FINISHED_ROUND
	END
}

# inherits COUNT OPTION...: so many samples, by one process, by two, and by five
inherits() {
	local n got want=$1
	shift
	for n in 1 2 5; do
		got=$(pfilter -q --inherit "$@" --jobs $n "$T/x" | pstat --json | jq .samples)
		[ "$got" = "$want" ] || failed "$*, $n processes: $got samples, not $want"
	done
}

@test "snapshots: --inherit: whose child a process from before the recording is depends on the names of that time" {
	need jq
	kin "sample_id_all|" | mkpipe >"$T/x"
	for snapshots in 4K 16K 1G; do
		pcat -q -f --index --chunk-size=4K --snapshots=$snapshots "$T/x"
		inherits 1000 --comms sh
		inherits 0 --comms before,behind
		inherits 1000 --pid 30
	done
	done_all
}

@test "snapshots: --inherit, and no times of COMMs: an index leaves nothing out, and --jobs is refused" {
	need jq
	kin "" | mkpipe >"$T/x"
	pcat -q --index --chunk-size=4K --snapshots=4K "$T/x"
	# readers take all COMMs before the first sample
	[ "$(pfilter -q --inherit --comms before,behind "$T/x" | pstat --json | jq .samples)" = 1000 ] || failed names
	try pfilter -v --inherit --comms sh "$T/x"
	[ $rc = 0 ] && grep -q 'index: all is read: --inherit, without sample_id_all\|24 of 24 chunks' "$T/err" || failed "left out: $(cat "$T/err")"
	for o in "--jobs 2" --piece=1/2; do
		try pfilter --inherit --comms sh $o "$T/x"
		[ $rc = 2 ] && one_line "pfilter: ${o%%[ =]*}: with --inherit the recording needs sample_id_all" || failed "$o"
	done
	done_all
}

@test "snapshots: those of version 2 lack names, and are not used" {
	have deaths
	"$BATS_TEST_DIRNAME/index-forge.py" "$T/deaths.ppi" version=2 >/dev/null
	try pfilter -v --jobs 3 --pid 200 "$T/deaths"
	[ $rc = 0 ] && [ "$(used)" = 0 ] && grep -q "index: .* chunks" "$T/err" || failed "$(cat "$T/err")"
	"$BATS_TEST_DIRNAME/index-forge.py" "$T/deaths.ppi" version=3 >/dev/null
	try pfilter -v --jobs 3 --pid 200 "$T/deaths"
	[ $rc = 0 ] && [ "$(used)" -gt 0 ] || failed "$(cat "$T/err")"
	done_all
}

@test "snapshots: the same bytes as without, for thousands that have ended" {
	have deaths
	[ "$(snapshots "$T/deaths.ppi")" -gt 10 ]
	all_as_without 3 "$T/deaths"
	[ -z "${ALL-}" ] || all_as_without 16 "$T/deaths"
	done_all
}

@test "snapshots: of a file, of the other byte order, compressed by records and as a whole" {
	need zstd
	have deaths
	pcat -q --format=file -o "$T/file" "$T/deaths"
	pcat -q --format=file --endian=big -o "$T/big" "$T/deaths"
	pcat -q -z --frame-size=64K -o "$T/z" "$T/deaths"
	for f in file big z; do
		pcat -q --index --chunk-size=4K --snapshots=16K "$T/$f"
		set -f
		for o in "pfilter --comms *1*,*3" "pfilter --dsos *l1*" "pinject -b --no-fs"; do as_without 7 "$T/$f" $o; done
		set +f
	done
	done_all
}

@test "snapshots: formats of tracepoints, ids and features come with them" {
	for f in sched kernel; do
		[ -e data/$f.pipe.data ] && cp data/$f.pipe.data "$T/x" || zstd -qdc data/$f.pipe.data.zst >"$T/x"
		pcat -q -f --index --chunk-size=4K --snapshots=4K "$T/x"
		for n in 3 9; do
			as_without $n "$T/x" pfilter --filter 'sched:sched_switch{prev_pid > 0} or comm == "bash"'
			as_without $n "$T/x" pfilter --anon comm,path --anon-key "$BATS_FILE_TMPDIR/key"
		done
	done
	done_all
}

@test "snapshots: what is written, or told from all before, gets none" {
	have deaths
	for o in "--sideband=needed --comms name1" "--span-period --span a,b"; do
		try pfilter -v --jobs 5 $o "$T/deaths"
		[ "$(used)" = 0 ] || failed "$o"
	done
	try pfilter -v --piece=4/5 --comms name1 "$T/deaths"
	[ $rc = 0 ] && [ "$(used)" = 0 ] || failed "--piece"
	pfilter --no-index --piece=4/5 --comms name1 "$T/deaths" | cmp - "$T/out" || failed "--piece: output"
	try pfilter -v --comms name1 "$T/deaths"
	[ $rc = 0 ] && [ "$(used)" = 0 ] || failed "no pieces"
	done_all
}

@test "snapshots: a piece reads about its share, not what is before it" {
	have deaths
	size=$(stat -c %s "$T/deaths")
	try pfilter -v --jobs 16 --comms name1 "$T/deaths"
	[ $rc = 0 ]
	# of the processes that began with one: chunks read, of which two rounds on both sides of the share
	awk -v all="$(pcat --chunks --chunk-size=4K "$T/deaths" | wc -l)" '/index: [0-9]+ of/ { if ($3 > all / 4) n++; k++ } END { exit !(k == 16 && n <= 2) }' "$T/err"
}

@test "snapshots: an index that is continued is the one that is made anew" {
	have deaths
	cp "$T/deaths" "$T/all"
	mv "$T/deaths.ppi" "$T/want"
	awk 'NR > 1 { print $2 + $3 }' < <(pcat --chunks --chunk-size=4K "$T/all") | sed -n '20p;21p;60p' >"$T/ends"
	for n in $(cat "$T/ends"); do
		rm -f "$T/deaths.ppi"
		head -c "$n" "$T/all" >"$T/deaths"
		pcat -q --index --chunk-size=4K --snapshots=8K "$T/deaths"
		cp "$T/all" "$T/deaths"
		try pcat -v --index --chunk-size=4K --snapshots=8K "$T/deaths"
		[ $rc = 0 ] && grep -q continued "$T/err" && cmp "$T/deaths.ppi" "$T/want" || failed "$n"
	done
	# with others it is not
	try pcat -v --index --chunk-size=4K --snapshots=16K "$T/deaths"
	[ $rc = 0 ] && ! grep -q continued "$T/err" && [ "$(snapshots "$T/deaths.ppi")" -lt "$(snapshots "$T/want")" ] || failed "another distance"
	try pcat -q --snapshots=16K "$T/deaths"
	[ $rc = 2 ] && one_line "pcat: --snapshots: needs --index" || failed "no index"
	try pcat -q --write-index --chunk-size=4K --snapshots=8K -o "$T/copy" "$T/all"
	cmp "$T/copy.ppi" "$T/want" || failed "--write-index"
	done_all
}

@test "snapshots: a byte that changed, a lie with the right hash, one that expands to more: the right output, or status 1 and one line" {
	have deaths
	cp "$T/deaths.ppi" "$T/good"
	pfilter --no-index --jobs 5 --comms name1 "$T/deaths" >"$T/want"
	judge() {
		try timeout -s KILL 60 pfilter --jobs 5 --comms name1 "$T/deaths"
		case $rc in
		0) cmp -s "$T/out" "$T/want";;
		1) [ ! -s "$T/out" ] && [ "$(grep -c '^pfilter: ' "$T/err")" -le 5 ] && grep -q . "$T/err";;
		*) false;;
		esac || failed "$*: $rc"
	}
	seen=0
	for n in 0 5 9 17 25 33 40 500 -3; do
		cp "$T/good" "$T/deaths.ppi"
		"$BATS_TEST_DIRNAME/index-forge.py" "$T/deaths.ppi" bit=$((8 * n + (n + 3) % 8)) >"$T/forged"
		judge "byte $n of all snapshots"
		! grep -q "a snapshot in it is damaged" "$T/err" || seen=$((seen + 1))
	done
	[ $seen -gt 5 ] || failed "nothing was noticed"
	for lie in snap_off=-1 snap_off=0 snap_off=17 snap_chunks=0 snap_sample_bytes=0 snap_sample_bytes=-1 snap_plain=0 snap_plain=64 snap_plain=67108865 \
	    snap_plain=-1 end_at=0 end_at=-1 end_at=64 end_off=-1 end_off=20000 end_sample_bytes=0 both_off=0 both_off=-1 both_off=20001 both_sample_bytes=0 \
	    both_sample_bytes=-1; do
		turn 3 || continue
		cp "$T/good" "$T/deaths.ppi"
		"$BATS_TEST_DIRNAME/index-forge.py" "$T/deaths.ppi" $lie >"$T/forged"
		! cmp -s "$T/good" "$T/deaths.ppi" || failed "$lie: is the truth"
		judge "$lie"
	done
	# more than its length, records that cannot be there, or are cut
	for what in bomb SAMPLE cut size0 payload COMPRESSED; do
		cp "$T/good" "$T/deaths.ppi"
		"$BATS_TEST_DIRNAME/index-forge.py" "$T/deaths.ppi" snapshot=$what >"$T/forged"
		judge "$what"
		[ $rc = 1 ] && grep -q "does not fit: a snapshot" "$T/err" || failed "$what: $rc: $(cat "$T/err")"
	done
	done_all
}
