# SPDX-License-Identifier: ISC
# What the tests of perfpipe-fleet(7)'s table share: data/law.txt, and the files that it names.

# From setup_file.
law_setup() {
	local id=0123456789ab$(printf '%052d' 7) i
	cd "$BATS_FILE_TMPDIR"
	(umask 077; echo "a key of thirty-two bytes or more" | sha256sum >KEY)
	: >EMPTY
	echo "period > 1 and comm != 'gzip'" >FILTER
	for i in /usr/bin/gzip /usr/bin/bash '[kernel.kallsyms]' /usr/lib/x86_64-linux-gnu/libc.so.6 /opt/corpus/local/src/cpu; do
		printf '%040d %s\n' $((++n)) $i
	done >IDS
	{ echo "attr type=1 config=0 period=1 sample_type=IDENTIFIER|IP|TID|TIME|CPU|CGROUP flags=sample_id_all|cgroup|comm ids=11"
	  echo "EVENT_UPDATE update_type=2 id=11 z=cpu-clock"
	  echo "COMM pid=1 tid=1 comm=one"
	  echo "CGROUP id=1 path=/"
	  echo "CGROUP id=2 path=/system.slice/docker-$id.scope"
	  echo "CGROUP id=4 path=/kubepods.slice/kubepods-pod01234567_89ab_cdef_0123_456789abcdef.slice/cri-containerd-$id.scope"
	  for i in $(seq 90); do
		# the cgroup of the later samples gets its path behind the first of them
		[ $i != 30 ] || echo "CGROUP id=3 path=/user.slice/a @ pid=1 tid=1 time=$((1000 + i)) cpu=0 id=11"
		echo "SAMPLE misc=1 ip=$i pid=1 tid=1 time=$((1000 + i)) cpu=0 cgroup=$((1 + i % 2 + (i > 31) + (i > 60))) id=11"
		[ $((i % 10)) != 0 ] || echo FINISHED_ROUND
	  done; } | "$O/mkpipe" - >CGROUPS
}

# each_line FUNCTION: call it with the words of each command, which have OUT and PARTS in them; with $ROW, $PIECES and $PARTS of
# its row, $ONLY (pieces, parts, refused; or nothing), $ON (the file of the line, or nothing), $LINE, its number.
each_line() {
	local line words what=$1 paths=$BATS_FILE_TMPDIR
	LINE=0
	while IFS= read -r line <&8; do
		LINE=$((LINE + 1)) ONLY="" ON=""
		case $line in
		""|"#"*) continue;;
		"@ "*) [ "$what" != line_names ] || line_names "$line"; continue;;
		"= "*|"~ "*)
			ROW=${line%% | *} PIECES=${line#* | }
			PARTS=${PIECES#* | } PIECES=${PIECES%% | *}
			continue;;
		"pieces: "*|"parts: "*|"refused: "*) ONLY=${line%%: *} line=${line#*: };;
		esac
		[[ $line != *" on "* ]] || { ON=${line##* on } line=${line% on *}; }
		set -f
		words=($line)
		set +f
		words=("${words[@]/#KEY/$paths/KEY}")
		words=("${words[@]/#IDS/file://$paths/IDS}")
		words=("${words[@]/#FILTER/$paths/FILTER}")
		words=("${words[@]/%EMPTY/$paths/EMPTY}")
		[ "$ON" != CGROUPS ] || ON=$paths/CGROUPS
		"$what" "${words[@]}"
	done 8<data/law.txt
}

# rows TOOL LEAST: row_holds, of the test file, holds for each row of the tool; it counts in $RAN those that it runs, so many at least
rows() {
	TOOL=$1 RAN=0
	each_line row_holds
	[ $RAN -ge "$2" ] || failed "$1: $RAN rows"
	done_all
}

# out COMMAND...: run it, its status in $rc; its output, one or several files, has names that begin with $T/out.
out() {
	rm -f "$T"/out*
	case " $* " in
	*" OUT "*)
		rc=0
		"${@/#OUT/$T/out}" >"$T/stdout" 2>"$T/err" || rc=$?;;
	*) try "$@";;
	esac
}

# The samples alone; and what perf script says of a file, all fields; not the kernel's symbols, which would be those of this machine.
samples() {
	pfilter --no-index --sideband=none --drop-type FINISHED_ROUND --allow vital-types "$1" 2>/dev/null
}
says() {
	perf script -f --ns --symfs=/nonexistent --kallsyms=/dev/null "${@:2}" -i "$1" 2>/dev/null
}

# same_ids COMMAND...: the build-ids of $T/joined are those of $T/whole; each has them for the files of its samples.
same_ids() {
	pstat --build-ids "$T/whole" | sort -u >"$T/ids"
	[ -s "$T/ids" ] || failed "line ${LINE-}: $*: no build-ids"
	pstat --build-ids "$T/joined" | sort -u | diff "$T/ids" - || failed "line ${LINE-}: $*"
}
