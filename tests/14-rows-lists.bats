# SPDX-License-Identifier: ISC
# What has no row that says all of it: a kind that the code knows stands also in the tests and on the page.
load lib

@test "rows: 48-pstat-term and the schema have each picture, and 48-pstat-picture the titles of each with time" {
	need jq
	local word
	sed -n 's/^PICTURE([A-Z]*, [a-z_]*, "\([a-z:]*\).*/\1/p' ../cmd/pstat/picture/kinds.def >"$T/words"
	[ "$(wc -l <"$T/words")" -ge 8 ] || failed "pictures not found"
	while read -r word; do
		case $word in
		*:) grep -qE "^	golden .*[ ,]$word" 48-pstat-term.bats ;;
		*) grep -qE "^PICTURES=.*\b$word\b" 48-pstat-term.bats ;;
		esac || failed "48-pstat-term: $word"
		# the figures of one with an argument are another option's
		[[ $word = *: ]] || jq -e --arg word "$word" '.properties[$word]' pstat.schema.json >"$T/out" || failed "pstat.schema.json: $word"
	done <"$T/words"
	sed -nE 's/^const struct picture_kind picture_([a-z]+) = \{ \.timed = true.*/\1/p' ../cmd/pstat/picture/*.c >"$T/words"
	[ "$(wc -l <"$T/words")" -ge 4 ] || failed "pictures with time not found"
	while read -r word; do
		sed -n '/^@test .*the option of a cell/,/^}/p' 48-pstat-picture.bats | grep -qE "(for o in|pasted) .*\b$word\b" || failed "options of cells: $word"
		# one of tasks has no title for each of its samples
		[ $word = tasks ] || sed -n '/^@test .*all titles/,/^}/p' 48-pstat-picture.bats | grep -qE "for p in .*\b$word\b" || failed "all titles: $word"
	done <"$T/words"
	done_all
}

@test "rows: pstat(1) has the files that names come from, and the tables of an ELF file, which the unit test has, too" {
	local name
	sed -n '/^\.Ss FUNCTIONS/,/^\.S[sh]/p' ../man/pstat.1 >"$T/page"
	grep -oE '"(/[a-z]+|\.[a-z]+|\[kernel[a-z.]*\])["/]' ../common/symbol/symbols_serve.c | tr -d '"/' | sort -u >"$T/names"
	[ "$(wc -l <"$T/names")" -ge 6 ] || failed "names of files not found"
	while read -r name; do
		cat "$T/page" <(sed -n '/^\.Ss Files by build-id/,/^\.S[sh]/p' ../man/pinject.1) | grep -qwF -- "$name" || failed "pstat(1): $name"
		sed '/^#ifndef/q' ../common/symbol/symbols.h | grep -qwF -- "$name" || failed "symbols.h: $name"
	done <"$T/names"
	sed -n 's/^enum elfsym_source { \(.*\) };/\1/p' ../common/symbol/elfsym.h | tr -d , | tr ' ' '\n' | sed 's/^ELFSYM_//' >"$T/names"
	[ "$(wc -l <"$T/names")" -ge 5 ] || failed "sources not found"
	while read -r name; do
		cat unit/elfsym.c fuzz/elfsym.c | grep -qw "ELFSYM_$name" || failed "unit/elfsym.c: $name"
		grep -A 1 '^Names come from' "$T/page" | grep -qiE "\b(gnu_)?${name/_/ }\b" || failed "pstat(1): $name"
	done <"$T/names"
	done_all
}

@test "rows: each record of a jitdump is in a recipe of 33-pinject-jit-dump, and in pinject(1)" {
	local name word n=0
	sed -nE 's/^enum jitdump_id \{ (.*), JITDUMP_IDS \};/\1/p' ../cmd/pinject/code/jitdump.c | tr -d , | tr ' ' '\n' >"$T/names"
	while read -r name; do
		word=$(grep -B 9 "put(\\\\%f, $n, " mkjitdump | sed -nE "s/.*\\\$what eq '([a-z]+)'.*/\1/p" | tail -n 1)
		grep -qE "^	${word:-nothing} time=" 33-pinject-jit-dump.bats || failed "33-pinject-jit-dump: $name"
		sed -n '/^\.Ss Code made at run time/,/^\.S[sh]/p' ../man/pinject.1 | grep -qE "\b(CODE_)?$name\b" || failed "pinject(1): $name"
		n=$((n + 1))
	done <"$T/names"
	[ $n -ge 5 ] || failed "$n records are seen"
	done_all
}

@test "rows: perfpipe-filter(7) has each operator in the braces of EVENT{}" {
	local op
	sed -n '/ ops\[\] = {/,/};/p' ../cmd/pfilter/expr/kernel.c | grep -oE '\{ "[^"]+", N_' | cut -d '"' -f 2 >"$T/ops"
	[ "$(wc -l <"$T/ops")" -ge 8 ] || failed "operators not found"
	sed -n '/^\.Ar field operator value/,/^\.It/p' ../man/perfpipe-filter.7 | sed -n 's/^\.Li //p' | tr ' ' '\n' >"$T/page"
	while read -r op; do
		grep -qxF -e "$op" "$T/page" || failed "$op"
	done <"$T/ops"
	done_all
}

# An option that a row OPT_ONLY_WITH() does not have is refused with that one.  Of those that several tools have, these are to be: they
# select or change records, or ask for another output.
@test "rows: each option of several tools is in OPT_ONLY_WITH(), or is not meant to be" {
	need jq
	local t this others refused n=0
	for t in $TOOLS; do
		$t --list-options | jq -r '.options[].name'
	done | sort | uniq -c | awk -v n="$(wc -w <<<"$TOOLS")" '$1 > 1 && $1 < n { print $2 }' >"$T/several"
	[ "$(wc -l <"$T/several")" -ge 20 ] || failed "options not found"
	for t in $TOOLS; do
		$t --list-options | jq -r '.relations[] | select(.kind == "only with") | .these[0] + " " + (.others | join(","))' | sed "s/^/$t /"
	done >"$T/rows"
	while read -r t this others; do
		case $t:$this in
		pcat:index|pcat:chunks|pcat:make-manifest)
			refused="align allow allow-missing columns copy-data demangle event host-tag manifest max-memory merge-attrs no-features pid remap-pids symbols time-offset" ;;
		psort:check) refused="align allow allow-missing host-tag manifest merge merge-attrs remap-pids stats time-offset" ;;
		pinject:copy-data) refused="allow build-ids jobs kallsyms strict" ;;
		pstat:folded|pstat:report) refused="build-ids check columns jobs merge strict" ;;
		*) failed "$t --$this: which options of several tools does it refuse?"; continue ;;
		esac
		$t --list-options | jq -r '.options[].name' | sort | comm -12 - "$T/several" | comm -23 - <(tr ' ,' '\n\n' <<<"$refused $others $this" | sort) >"$T/unknown"
		[ ! -s "$T/unknown" ] || failed "$t --$this: $(tr '\n' ' ' <"$T/unknown")"
		tr ' ' '\n' <<<"$refused" | sort | comm -12 - <(tr , '\n' <<<"$others" | sort) >"$T/both"
		[ ! -s "$T/both" ] || failed "$t --$this has: $(tr '\n' ' ' <"$T/both")"
		n=$((n + 1))
	done <"$T/rows"
	[ $n -ge 7 ] || failed "$n rows are seen"
	done_all
}
