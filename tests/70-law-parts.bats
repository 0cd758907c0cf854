# SPDX-License-Identifier: ISC
# join(what is done to parts) = what is done to the whole: the table of perfpipe-fleet(7), for the parts of --switch-output.
load lib
load law

setup_file() {
	O=${O:-$BATS_TEST_DIRNAME/../build}
	law_setup
}

# parts FILE: some of it, in $PARTS_OF; of a file that its rounds do not let be cut, when sorted
parts() {
	local size=$(($(stat -c %s "$1") / 6))
	PARTS_OF=$T/parts.${1##*/}
	[ ! -d "$PARTS_OF" ] || return 0
	mkdir "$PARTS_OF"
	pcat -q --switch-output=${size}B -o "$PARTS_OF/p" "$1"
	if [ "$(ls "$PARTS_OF" | wc -l)" -lt 3 ]; then
		psort -q "$1" | pcat -q -f --switch-output=${size}B -o "$PARTS_OF/p"
	fi
	[ "$(ls "$PARTS_OF" | wc -l)" -ge 3 ] || failed "$*: $(ls "$PARTS_OF" | wc -l) parts"
}

# joined COMMAND... FILE: what the parts of FILE become, in $T/joined, and what the whole becomes, in $T/whole, both in order
joined() {
	local f=${*: -1} p o
	parts "$f"
	rm -rf "$T/of"
	mkdir "$T/of"
	if [[ " $* " == *" PARTS "* ]]; then
		set -- "${@:1:$#-2}" "$f"
		"${@:1:$#-1}" "$PARTS_OF"/p.* >"$T/of/all" || failed "$*"
	else
		for p in "$PARTS_OF"/p.*; do
			out "${@:1:$#-1}" "$p"
			[ $rc = 0 ] || { failed "$* of ${p##*/}"; return 0; }
			for o in "$T"/out*; do mv "$o" "$T/of/${p##*/}.${o##*/}"; done
		done
	fi
	psort --merge "$T"/of/* >"$T/joined"
	out "$@"
	psort --merge "$T"/out* >"$T/whole"
}

# same_samples COMMAND... FILE: byte for byte.  In each 6th line, with $ALL in all, also to perf.
same_samples() {
	joined "$@"
	samples "$T/whole" >"$T/want"
	samples "$T/joined" | cmp - "$T/want" && [ "$(stat -c %s "$T/want")" -gt 700 ] || failed "line ${LINE-}: $*: $(stat -c %s "$T/want") bytes of samples"
	if perf_reads && { [ -n "${ALL-}" ] || [ $((LINE % 6)) = 0 ]; }; then same_script "$@"; fi
}
same_script() {
	says "$T/whole" >"$T/want"
	[ -s "$T/want" ] || failed "$*: perf says nothing"
	says "$T/joined" | diff "$T/want" - >"$T/diff" || failed "$*: $(head -n 6 "$T/diff")"
}

# What pstat says of samples.  Those of the state are in several parts, and so are their bytes and the times of their records.
SAMPLES='def rows(f): map(f) | map(select(.samples > 0)) | sort;
	[.samples, (.events | rows({ name, samples, period })), (.comms | rows({ comm, samples, period })), (.hist // [] | sort),
	    ((.sort // []) | rows(del(.records, .bytes, .first_ns, .last_ns)))]'

# pstat_adds_up OPTION... FILE
pstat_adds_up() {
	local f=${*: -1} p n=0
	parts "$f"
	rm -f "$T"/json.*
	for p in "$PARTS_OF"/p.*; do
		pstat --json "${@:1:$#-1}" "$p" >"$T/json.${p##*/}"
	done
	diff <(pstat --json "$@" | jq $SORTED "$SAMPLES") <(pstat --merge --json "$T"/json.* | jq $SORTED "$SAMPLES") >"$T/diff" || failed "line ${LINE-}: pstat $*: $(head -n 6 "$T/diff")"
}

# As in 70-law.bats; in make check the first command of each row, and each second.
row_holds() {
	[ "$1" = "$TOOL" ] && [[ $PARTS == yes* || $PARTS == "same key only" ]] && [[ $ONLY != @(pieces|refused) ]] || return 0
	turn 2 || [ "$ROW" != "${LAST_ROW-}" ] || return 0
	LAST_ROW=$ROW
	case "$*" in
	"pstat --json"*) pstat_adds_up "${@:3}" "${ON:-data/demo.data}";;
	"pinject -b "*|"pinject --buildid-all"*)
		joined "$@" "${ON:-data/demo.data}"
		same_ids "$@"
		! perf_reads || same_script "$@";;
	"pcat "*PARTS)		# which makes new ids
		joined "$@" "${ON:-data/demo.data}"
		! perf_reads || same_script "$*";;
	*) same_samples "$@" "${ON:-data/demo.data}";;
	esac
	RAN=$((RAN + 1))
}

@test "law of parts: pfilter" {
	rows pfilter $((ALL ? 35 : 17))
}

@test "law of parts: pcat and psort" {
	rows pcat $((ALL ? 10 : 5))
	rows psort $((ALL ? 8 : 4))
}

@test "law of parts: pinject" {
	rows pinject $((ALL ? 9 : 4))
}

@test "law of parts: pstat" {
	need jq
	rows pstat $((ALL ? 9 : 4))
}

@test "law of parts: pinject -b finds the files of all parts" {
	need record
	perf record -q -o "$T/f.data" -g -- sh -c 'i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); done; ls /usr >/dev/null; perl -e "for (1..200000) { \$x += \$_ }"' >/dev/null 2>&1
	psort "$T/f.data" >"$T/f"
	joined pinject -b "$T/f"
	same_ids pinject -b
	same_script pinject -b
	done_all
}

@test "law of parts: pcat --format=jsonl, of pieces and parts" {
	# the lines of samples; those of other records come with each piece that needs them
	pcat --format=jsonl --types=SAMPLE data/demo.data | sort >"$T/whole"
	[ -s "$T/whole" ]
	for k in 1 2 3; do
		pcat --format=jsonl --types=SAMPLE --piece=$k/3 data/demo.data
	done | sort | cmp "$T/whole" -
	parts data/demo.data
	for p in "$PARTS_OF"/p.*; do
		pcat --format=jsonl --types=SAMPLE "$p"
	done | sed 's/"offset":[0-9]*//' | sort | cmp <(sed 's/"offset":[0-9]*//' "$T/whole" | sort) -
}

@test "law of parts: recordings with PERF_SAMPLE_READ" {
	need record
	perf record -q --no-inherit -o "$T/f.data" -F 2000 -e '{cpu-clock,task-clock}:S' -- sh -c 'i=0; while [ $i -lt 60000 ]; do i=$((i + 1)); done; ls /usr >/dev/null' >/dev/null 2>&1
	for f in "$T/f.data" data/p72_group_S.pipe.data; do
		joined pcat "$f"
		# with --inherit they are totals by thread, which perf before 7 does not know
		[ "$f" = "$T/f.data" ] || perf_since 7.0 || continue
		same_script pcat "$f"
	done
	for t in $TOOLS; do
		try $t --piece=1/2 "$T/f.data"
		[ $rc = 2 ] && [ ! -s "$T/out" ] && one_line "$t: --piece: the recording has PERF_SAMPLE_READ" || failed "$t"
	done
	done_all
}

@test "law of parts: recordings whose events have no ids" {
	need jq
	{ echo "attr type=1 config=0 period=1 sample_type=IP|TID|TIME|CPU flags=sample_id_all|comm|task"
	  echo "COMM pid=1 tid=1 comm=one"
	  for i in $(seq 90); do
		[ $((i % 9)) != 5 ] || echo "COMM pid=1 tid=1 comm=n$i @ pid=1 tid=1 time=$((1000 + i)) cpu=0"
		echo "SAMPLE misc=1 ip=$i pid=1 tid=1 time=$((1000 + i)) cpu=0"
		[ $((i % 10)) != 0 ] || echo FINISHED_ROUND
	  done; } | mkpipe - >"$T/in"
	parts "$T/in"
	for ((k = 1; k <= 3; k++)); do
		pfilter --exclude-comms n50 --piece=$k/3 "$T/in" >"$T/piece.$k"
	done
	for p in "$PARTS_OF"/p.*; do
		pfilter --exclude-comms n50 "$p" >"$T/part.${p##*.}"
	done
	pfilter --exclude-comms n50 "$T/in" | psort >"$T/whole"
	for what in piece part; do
		psort --merge --merge-attrs "$T/$what".* >"$T/joined"
		samples "$T/joined" | cmp - <(samples "$T/whole") || failed "$what"
		[ "$(pstat --json "$T/joined" | jq -c '[.samples, (.events | length)]')" = "[81,1]" ] || failed "$what: $(pstat --json "$T/joined" | jq -c .events)"
		! perf_reads || same_script "$what"
		# the page says why
		psort --merge "$T/$what".* >"$T/joined"
		[ "$(pstat --json "$T/joined" | jq '.events | length')" -gt 1 ] || failed "$what: without --merge-attrs"
	done
	done_all
}

@test "law of parts: what does not hold" {
	need jq
	parts data/demo.data
	# so that the page does not say less than there is
	samples_of_parts() {
		for p in "$PARTS_OF"/p.*; do
			"$@" -q "$p" | pstat --json | jq .samples
		done | jq -s add
	}
	for o in "--max-samples 5" "--every 13" "--time 0%-50%" "--time +100ms,"; do
		[ "$(samples_of_parts pfilter $o)" != "$(pfilter $o data/demo.data | pstat --json | jq .samples)" ] || failed "$o"
	done
	done_all
}
