# SPDX-License-Identifier: ISC
# pstat --check: each rule by recipes of data/check that break it and that do not, and its level by what three versions of perf
# do with these (data/check/seen.tsv, by tests/seen).
load lib
load pstat
load damage

# found FILE [LIST]: the rules that it breaks, one a line.
found() {
	command pstat --check${2+="$2"} -q "$1" 2>/dev/null </dev/null | sed -n 's/^[a-z]* \([EWN][0-9][0-9]\) .*/\1/p'
}
# rules: of rules.def, "E07 unknown-id what".
rules() {
	sed -n 's/^RULE(\(.\), *\([0-9]*\), \([A-Z0-9_]*\), [A-Z0-9_]*, "\(.*\)",$/\1 \2 \3 \4/p' ../cmd/pstat/check/rules.def |
	    while read -r level n name what; do
		name=${name//_/-}
		printf '%s%02d %s %s\n' $level $n ${name,,} "$what"
	done
}

# findings FILE NAME: a member of the associative array NAME for each rule that is in the output of pstat --check, its place as value.
findings() {
	local -n _places=$2
	local line
	_places=()
	while read -r line; do
		[[ ! $line =~ ^[a-z]*\ ([EWN][0-9][0-9])\ (.*\ first\ at\ byte\ ([0-9]+))? ]] || _places[${BASH_REMATCH[1]}]=${BASH_REMATCH[3]}
	done <"$1"
}

# check_kind NAME: its damage breaks the rules that its recipe says, and without it they hold; found where it is marked.
# 300 kinds: with few processes for each.
check_kind() {
	local rule off at rc=0
	local -a want=(${KIND_RULES[$1]//[~-]/})
	local -A bad good both
	kind "$1" + >"$T/bad"
	kind "$1" - >"$T/good"
	command pstat --check --for=6.1 -q "$T/bad" >"$T/out" 2>/dev/null </dev/null || rc=$?
	command pstat --check --for=6.1 -q "$T/good" >"$T/sound" 2>/dev/null </dev/null || :
	findings "$T/out" bad
	findings "$T/sound" good
	for rule in "${!bad[@]}"; do
		[ -n "${good[$rule]+y}" ] || both[$rule]=
	done
	for rule in "${want[@]}"; do
		[ -n "${both[$rule]+y}" ] || both[not-$rule]=
	done
	[ ${#both[@]} = ${#want[@]} ] || failed "$1: finds ${!bad[*]}, without the damage ${!good[*]}"
	[[ "${want[*]}" != *E* ]] || [ $rc = 1 ] || failed "$1: status $rc"
	# The place: where the only marked record is, if the only rule is about a record.
	[ ${#want[@]} = 1 ] || return 0
	off=${bad[${want[0]}]-}
	[ -n "$off" ] || return 0
	at=$(kind_marked "$1")
	[[ ! $at =~ ^[0-9]+$ ]] || [ "$off" = "$at" ] || failed "$1: ${want[0]} at byte $off, not $at"
}

# In make check the first of those that break the same rules, and each third of the others.
kinds_of() {
	local -A had
	for k in $(sed -n 's/^== \([^ ]*\) .*/\1/p' "data/check/$1.kinds"); do
		[ -z "${had[${KIND_RULES[$k]}]-}" ] || turn 3 || continue
		had[${KIND_RULES[$k]}]=y
		check_kind "$k"
	done
	done_all
}

@test "check: kinds of damage: attr" { kinds_of attr; }
@test "check: kinds of damage: feature" { kinds_of feature; }
@test "check: kinds of damage: file" { kinds_of file; }
@test "check: kinds of damage: framing" { kinds_of framing; }
@test "check: kinds of damage: id" { kinds_of id; }
@test "check: kinds of damage: loss" { kinds_of loss; }
@test "check: kinds of damage: order" { kinds_of order; }
@test "check: kinds of damage: sample" { kinds_of sample; }
@test "check: kinds of damage: sideband" { kinds_of sideband; }
@test "check: kinds of damage: zip" { kinds_of zip; }

@test "check: there are 150 kinds of damage, and one for each rule" {
	[ "$(kinds | wc -l)" -ge 150 ]
	[ -z "$(kinds | sort | uniq -d)" ]
	comm -23 <(rules | cut -d ' ' -f 1 | sort) <(for k in $(kinds); do kind_rules "$k"; done | tr ' ' '\n' | sort -u) >"$T/without"
	# E33, E34: files of newer perfs and recordings of the other byte order are in data/; N10: below
	diff "$T/without" <(printf '%s\n' E33 E34 N10)
	cp data/p72_basic.pipe.data "$T/new.pipe"
	pcat --format=file -q -o "$T/new.data" "$T/new.pipe"
	found "$T/new.data" | grep -qx E33
	found data/s390x_basic.pipe.data | grep -qx E34
}

# Where a perf fails or shows something else, there must be an error; where it shows less, a warning.  "~" in front of the rules of
# a kind: its outputs differ by what the recording itself says, or by what is missing in it.
@test "check: levels by what perf 6.1, 6.12 and 7.2 do" {
	diff <(kinds | sort) <(tail -n +2 data/check/seen.tsv | cut -f 1 | sort)
	while IFS=$'\t' read -r name seen; do
		have=${KIND_RULES[$name]} need=
		while read -r status script report; do
			case "$status $script $report" in
			*sound*) ;;		# it fails without the damage, too
			[!0]*|*none*) need=fails;;
			*" other "*|*" same other") need=${need/less/}; need=${need:-wrong};;
			*less*) need=${need:-less};;
			esac
		done <<<"${seen//$'\t'/$'\n'}"
		case $have in
		"~"*) [ "$need" = fails ] || need=;;
		esac
		case $need in
		fails|wrong) [[ $have = *E* ]] || failed "$name: $need ($seen), but '$have'";;
		less) [[ $have = *[EW]* ]] || failed "$name: $need ($seen), but '$have'";;
		esac
	done < <(tail -n +2 data/check/seen.tsv)
	done_all
}

@test "check: no error in recordings that all three versions read right" {
	need corpus
	while read -r f; do
		errors=$(found "$CORPUS/$f" E)
		[ -z "$errors" ] || failed "$f: $errors"
	done <data/check/right.txt
	done_all
}

@test "check: the page has each rule" {
	sed -n '/^\.It Cm [EWN][0-9][0-9] Ar/{ s/^\.It Cm \(.*\) Ar /\1 /; N; s/\n/ /; s/\.$//; p; }' ../man/pstat.1 >"$T/page"
	rules >"$T/rules"
	[ "$(wc -l <"$T/rules")" -ge 60 ]
	[ "$(wc -l <"$T/rules")" = "$(grep -c '^RULE(' ../cmd/pstat/check/rules.def)" ]
	diff <(tr A-Z a-z <"$T/rules") <(tr A-Z a-z <"$T/page")
}

@test "check: LIST chooses rules by level, number and name" {
	kind fork-hides + >"$T/in"
	diff <(found "$T/in" | tr '\n' ' ') <(echo -n "E21 W11 W13 N02 N03 N04 ")
	diff <(found "$T/in" E | tr '\n' ' ') <(echo -n "E21 ")
	diff <(found "$T/in" -N | tr '\n' ' ') <(echo -n "E21 W11 W13 ")
	diff <(found "$T/in" E,W,-W13 | tr '\n' ' ') <(echo -n "E21 W11 ")
	diff <(found "$T/in" no-map,e21 | tr '\n' ' ') <(echo -n "E21 W11 ")
	try pstat --check=E,fnord "$T/in"
	[ $rc = 2 ]
	grep -q "'fnord': expected E, W, N" "$T/err"
	try pstat --strict "$T/in"
	[ $rc = 2 ]
}

@test "check: status 1 for an error; for a warning only with --strict" {
	kind lost + >"$T/warning"
	kind lost - >"$T/note"
	kind id-sample + >"$T/error"
	for x in "0 note --check" "0 warning --check" "1 error --check" "0 note --strict --check" "1 warning --strict --check" "0 error --check=W" \
	    "0 warning --strict --check=N"; do
		set -- $x
		try pstat "${@:3}" "$T/$2"
		[ $rc = "$1" ] || failed "$x: $rc"
	done
	done_all
}

@test "check: what is behind a record that cannot be understood is still checked" {
	need jq
	kind id-sample-many + >"$T/in"
	try pstat --check --json "$T/in"
	[ $rc = 1 ]
	jq -e '.findings[] | select(.rule == "E07") | .count == 3 and .type == "SAMPLE" and .level == "error"' "$T/out"
	jq -e '.complete' "$T/out"
}

@test "check: the fault that ends the reading is a finding behind the others" {
	kind fork-self + >"$T/in"
	head -c -20 "$T/in" >"$T/cut"
	try pstat --check "$T/cut"
	[ $rc = 1 ]
	grep -q '^error E01 .*cut short' "$T/out"
	grep -q '^error E20 ' "$T/out"
	try pstat --check "$T/nosuch"
	[ $rc = 1 ]
}

@test "check: names of the recording do not speak to the terminal" {
	pstat --check data/escape.data >"$T/out"
	! LC_ALL=C grep -aP '[\x00-\x08\x0b-\x1f\x7f]|\xc2\x9b|\xe2\x80\xae' "$T/out"
}

# What mends it, tried: the finding is gone.
@test "check: what is said to mend it does" {
	while read -r rule name command; do
		kind "$name" + >"$T/in"
		found "$T/in" | grep -qx "$rule" || failed "$rule is not in $name"
		rm -f "$T/out.data" "$T/out.data.tmp"
		eval "$command" <"$T/in" >"$T/mended" 2>"$T/err" || [ $? = 1 ] || failed "$rule: $command: $(cat "$T/err")"
		[ ! -f "$T/out.data" ] || mv "$T/out.data" "$T/mended"
		[ -s "$T/mended" ] && ! found "$T/mended" | grep -qx "$rule" || failed "$rule: $command"
	done <<-'END'
		E01 short-comm pcat --repair
		E02 buildid-unaligned pcat --compat=current
		E03 kernel-type-50 pfilter --drop-type 50
		E04 user-type-150 pcat --compat=6.1
		E04 zip2 pcat
		E05 feature-newer pcat --compat=6.1
		E06 nrcpus-online pcat
		E07 id-sample pcat --repair
		E08 id-index pfilter --drop-type id_index
		E13 sample-short pcat --repair
		E14 stack-dyn pfilter --strip user-stack
		E14 stack-dyn pinject --unwind --no-fs
		E15 late-mmap psort --full
		E18 sample-cpu pfilter --filter 'cpu < 2'
		E20 fork-self pfilter --drop-type fork --allow vital-types
		E25 feature-newer pcat --compat=6.1
		E26 feature-18 pcat --no-features=auxtrace
		E27 zip-mmap-len-odd pcat -z
		E28 zip-empty pcat -z
		E30 auxtrace-no-info pfilter --drop-type aux,auxtrace,auxtrace_info
		E31 cpumap-type pfilter --drop-type cpu_map
		E32 attr-no-id-all pfilter --drop-type exit --allow vital-types
		E37 profile pcat
		E39 id-update pfilter --drop-type event_update --allow vital-types
		E40 lost-bpf pfilter --drop-type lost_samples --allow vital-types
		E38 trace-stream pcat --format=file -o "$T/out.data"
		W01 attr-size-152 pcat --compat=6.1
		N09 back-1s psort
		W14 exit-before pfilter --drop-type exit --allow vital-types
		W21 mark-missing pcat --format=file -o "$T/out.data"
		W27 zip-type pcat -z
		W29 time-wrong pcat --format=file -o "$T/out.data"
		N01 no-init pinject --finished-init
		N05 time-0 pcat --format=file -o "$T/out.data"
	END
	done_all
}

# As many tasks, maps and cookies as a stream can name: memory stays, and nothing is said that is not known.
@test "check: parts of pcat --switch-output have no error: EXITs of their snapshots have no time, and no samples" {
	zstd -qdc data/a_busy.pipe.data.zst >"$T/in"
	pcat -q --switch-output=100K -o "$T/p" "$T/in"
	for p in "$T"/p.*; do
		try pstat --check "$p"
		! grep '^error' "$T/out" || failed "$p"
	done
	done_all
}

@test "check: memory is bounded" {
	need native
	! sanitized || skip "a sanitizer needs its own memory"
	awk 'BEGIN {
		print "attr type=1 config=0 period=1 sample_type=IP|TID|TIME|CPU|PERIOD flags=sample_id_all|mmap|comm|task|mmap2 ids=11"
		for (i = 1; i < 150000; i++) {
			print "COMM pid=" i " tid=" i " comm=c" i " @ time=" i
			print "MMAP2 misc=2 pid=" i " tid=" i " start=" 4096 * (i % 1000) " len=4096 prot=5 filename=/f" i " @ time=" i
			print "SAMPLE misc=2 pid=" i " ip=" 4096 * (i % 1000) + 8 " time=" i " cpu=" i % 64
		}
		for (i = 1; i < 50000; i++)
			print "MMAP2 misc=2 pid=7 tid=7 start=" 8192 * i " len=4096 prot=5 filename=/g @ time=150000"
	}' | mkpipe >"$T/in"
	(ulimit -v 65536; pstat --check -q "$T/in" >"$T/out")
	! grep '^warning W1[13]' "$T/out" || failed "a name or map is missing"
	done_all
}

@test "check: header feature COMPRESSED without compressed records, as perf stat record writes it, is no finding" {
	printf '%s\n' "attr type=1 config=0 sample_type=0" "HEADER_FEATURE feat_id=27 zeros=20" | mkpipe >"$T/in"
	try pstat --check "$T/in"
	[ $rc = 0 ] && ! grep -q COMPRESSED "$T/out" || failed "empty"
	if command -v perf >/dev/null && perf stat record -o "$T/stat.data" -e cpu-clock true >/dev/null 2>&1; then
		try pstat --check "$T/stat.data"
		[ $rc = 0 ] && ! grep -q COMPRESSED "$T/out" || failed "perf stat"
	fi
	done_all
}
