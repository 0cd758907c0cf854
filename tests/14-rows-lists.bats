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
	grep -oE '"(/[a-z0-9]+|\.[a-z0-9]+|\[kernel[a-z.]*\])["/]' ../common/symbol/symbols_serve.c | tr -d '"/' | sort -u >"$T/names"
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

@test "rows: evaluate.py and the page have each function of --filter" {
	sed -n '/^#define EXPR_FUNCTIONS/p' ../cmd/pfilter/expr/tree.h | grep -oE '"[a-z0-9]+"' | tr -d '"' >"$T/names"
	[ "$(wc -l <"$T/names")" -ge 7 ] || failed "functions not found"
	while read -r name; do
		grep -qE "^FUNCTIONS = .*\"$name\"" evaluate.py || failed "evaluate.py: $name"
		grep -qE "^\.Fn $name " ../man/perfpipe-filter.7 || failed "perfpipe-filter(7): $name"
	done <"$T/names"
	done_all
}

@test "rows: evaluate.py has each operator of --filter, in what it makes too, and so has the page" {
	python3 - <<-'END'
		import random, re
		from types import SimpleNamespace
		from evaluate import BINARY, SAMPLE, Random, tokens
		lex, parse = open("../cmd/pfilter/expr/lex.c").read(), open("../cmd/pfilter/expr/parse.c").read()
		table = re.search(r"ops\[\] = \{(.*?)\};", lex, re.S)[1]
		ops = set(re.findall(r'\{ "([^"]+)", TOK_', table)) | set(re.findall(r"'([^\\])'", parse)) | set(re.findall(r'lex_is\([^,]*, "(\w+)"', parse))
		ops -= set("()[]{}.")
		assert len(ops) >= 27, ops
		page = re.search(r"^\.Sh OPERATORS(.*?)^\.Sh", open("../man/perfpipe-filter.7").read(), re.S | re.M)[1].replace("\\&", "")
		page = set(" ".join(x for x in page.split("\n") if x.startswith((".It", ".Li", ".Ar"))).split())
		stream = SimpleNamespace(records=[(SAMPLE, b"", {"ip": 1, "period": 7, "event": "cycles:u", "callchain": (1, 2)})])
		made = set()
		for seed in range(400):
		    made |= {text for _, text in tokens(Random(random.Random(seed), stream).filter())}
		for op in ops:
		    assert op in page, f"perfpipe-filter(7): {op}"
		    assert op in BINARY or op in ("!", "-", "..", "(", ")"), f"evaluate.py: {op}"
		    assert op in made, f"evaluate.py makes no filter with {op}"
	END
}

# What a reader of jitdumps does with an unknown record is to step over it, so a new one needs records in the tests.
@test "rows: jitdump.h, mkjitdump, unit/jitdump and the seeds have each record of a jitdump, in both byte orders" {
	python3 - <<-'END'
		import re, glob
		source = open("../cmd/pinject/code/jitdump.c").read()
		names = re.search(r"^enum jitdump_id \{ (.*), JITDUMP_IDS \};", source, re.M)[1].split(", ")
		assert len(names) >= 5, names
		head, make, unit = (open(f).read() for f in ("../cmd/pinject/code/jitdump.h", "mkjitdump", "unit/jitdump.c"))
		seen = {"little": set(), "big": set()}
		for f in glob.glob("fuzz/seeds-jitdump/*-*"):
		    b, order = open(f, "rb").read(), f.rsplit("-", 1)[1]
		    at = int.from_bytes(b[8:12], order)
		    while at + 8 <= len(b):
		        seen[order].add(int.from_bytes(b[at:at + 4], order))
		        at += max(int.from_bytes(b[at + 4:at + 8], order), 16)
		for i, name in enumerate(names):
		    assert re.search(rf"^ \*\t{i} (CODE_)?{name}\t", head, re.M), f"jitdump.h: {name}"
		    assert re.search(rf"put\(\\%f, {i}, ", make), f"mkjitdump: {name}"
		    assert f"begin(d, {i}, " in unit, f"unit/jitdump.c: {name}"
		    for order in seen:
		        assert i in seen[order], f"fuzz/seeds-jitdump/*-{order}: {name}"
	END
}

@test "rows: each source of a table of symbols is in fuzz/symtab.c and unit/symtab.c" {
	sed -nE 's/.*\b(\w+)\(struct symtab_maker \*, const .*/\1/p' ../common/symbol/*.h >"$T/names"
	[ -s "$T/names" ] || failed "sources not found"
	while read -r name; do
		for file in fuzz/symtab.c unit/symtab.c; do
			grep -qw "$name" "$file" || failed "$file: $name"
		done
	done <"$T/names"
	done_all
}

@test "rows: span.py has each name of --span, and 68-pfilter-span records its events" {
	local name event
	sed -n 's/^SPAN(\([a-z-]*\),.*/\1/p' ../cmd/pfilter/window/span.def >"$T/names"
	[ "$(wc -l <"$T/names")" -ge 14 ] || failed "names not found"
	while read -r name; do
		grep -q "^    \"$name\": (" span.py || failed "span.py: $name"
	done <"$T/names"
	# a test of its own has the first; the others are seen on few machines
	grep -oE 'event ~ ..[a-z_]+:[a-z_*]+' ../cmd/pfilter/window/span.def | sed 's/.*"//' | sort -u | grep -vE '^(raw_syscalls|syscalls|kvm):' >"$T/events"
	[ "$(wc -l <"$T/events")" -ge 19 ] || failed "events not found"
	while read -r event; do
		sed -n '/^RECORDED=/,/"$/p' 68-pfilter-span.bats | grep -qw "$event" || failed "68-pfilter-span: $event"
	done <"$T/events"
	done_all
}

# Each container to read has a row here: where it is opened, what pcat -v calls it, a recording, how the pages call it, and the first bytes of
# a seed in fuzz/seeds (no seed is a directory).  Either its records stand in the input, and then pieces hold them all; or they are made,
# and then chunks, pieces and an index are refused.
@test "rows: each container to read has a recording, a seed, and its place in the pages" {
	local file name in said seed page n=0 cut
	mkdir "$T/dir" && cp data/basic.file.data "$T/dir/data"
	cat >"$T/rows" <<-END
		stream.c;pipe-mode stream;data/basic.pipe.data;stream;(PERFILE2\x10\x00{7}|2ELIFREP\x00{7}\x10)
		file.c;seekable perf.data;data/basic.file.data;perf.data;(PERFILE2h\x00{7}|2ELIFREP\x00{7}h)
		parts.c;seekable perf.data in a directory of perf record --threads;$T/dir;--threads;
		cpuprofile.c;gperftools CPU profile;data/gperf/o.prof;(gperftools CPU profile|CPU profile[[:space:]]+of gperftools);(\x00{8}\x03\x00{7}|\x00{7}\x03)
	END
	# segments.c gives another container what was read of it back
	grep -l 'struct container_kind [a-z_]* = {' ../common/source/*.c | sed 's/.*\///' | grep -vx segments.c | sort | diff - <(cut -d ';' -f 1 "$T/rows" | sort) ||
	    failed "< containers, > rows"
	sed -n '/^open_container/,/^}/p' ../common/source/open.c | grep 'open_name(' | grep -oE '"[^"]+"' | tr -d '"' >"$T/names"
	[ "$(wc -l <"$T/names")" -ge 3 ] || failed "names not found"
	while read -r name; do
		cut -d ';' -f 2 "$T/rows" | grep -qxF -e "$name" || failed "no row of $name"
	done <"$T/names"
	while IFS=';' read -r file name in page seed; do
		pcat -v "$in" 2>&1 >"$T/whole" | grep -qxF "pcat: $in: $name" && [ -s "$T/whole" ] || failed "$file: $in is no $name"
		for said in ../README.md ../man/{pcat.1,perfpipe.7,perfpipe.3} ../common/perfpipe.h; do
			grep -qE -e "$page" $said || failed "$said: $page"
		done
		[ -z "$seed" ] || [ "$(LC_ALL=C grep -laP "\A$seed" fuzz/seeds/* | wc -l)" -ge 2 ] || failed "fuzz/seeds: $name"
		cut=0
		pcat -q --format=jsonl --types sample --piece 1/2 "$in" >"$T/one" 2>"$T/err" || cut=$?
		if [ $cut = 0 ]; then
			pcat -q --format=jsonl --types sample --piece 2/2 "$in" | cat "$T/one" - | cmp - <(pcat -q --format=jsonl --types sample "$in") ||
			    failed "pieces of $name"
			pcat -q --chunks "$in" >/dev/null && pcat -q --index -f -o "$T/ppi" "$in" || failed "chunks of $name"
		else
			! pcat -q --chunks "$in" >/dev/null 2>&1 && ! pcat -q --index -f -o "$T/ppi" "$in" 2>/dev/null || failed "$name has chunks, but no pieces"
		fi
		n=$((n + 1))
	done <"$T/rows"
	[ $n -ge 4 ] || failed "$n containers"
	done_all
}

# What --format=file takes, another form takes, too, or refuses as wrong usage: what it writes is no recording.
@test "rows: each form that pcat writes takes or refuses what is for recordings, and is in README.md" {
	need jq
	local form words opts want n=0
	pcat --list-options | jq -r '.options[] | select(.name == "format").words[]' >"$T/forms"
	while read -r form; do
		n=$((n + 1))
		case $form in
		stream) words="a stream" want=00000 ;;
		file) words="a \`perf.data\`" want=00000 ;;
		gperftools) words="a CPU profile" want=22222 ;;
		pprof) words="a profile of pprof" want=22222 ;;
		jsonl) words="lines of JSON" want=22220 ;;
		*) failed "nobody knows of $form how README.md calls it, and what of recordings it takes"; continue ;;
		esac
		sed -n 's/^| `pcat` | //p' ../README.md | sed 's/.* writes //' | grep -qF "$words" || failed "README.md: $words"
		for opts in --compress --compressed2 --switch-output=1M --write-index "--piece 1/2"; do
			try pcat -f -q --format=$form $opts -o "$T/written" data/multi.pipe.data
			[ $rc = ${want:0:1} ] || failed "--format=$form $opts"
			want=${want#?}
		done
	done <"$T/forms"
	[ $n -ge 5 ] || failed "forms not found"
	done_all
}
