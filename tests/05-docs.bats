# SPDX-License-Identifier: ISC
# What is written about the tools is so: options, examples, tables, installation.
load lib

# Options by a tool's help, and by its page: one a line, sorted.
options_of_help() {
	"$1" --help | sed -n 's/^  \(-.\), \(--[a-z0-9-]*\).*/\1\n\2/p; s/^      \(--[a-z0-9-]*\).*/\1/p' | sort -u
}
options_of_page() {
	sed -n '/^\.It Fl /p' "../man/$1.1" | tr ' ' '\n' | sed -n 's/^-[a-z][a-z0-9-]*$/-&/p; s/^[a-zA-Z]$/-&/p' | sort -u
}

@test "docs: each tool's options are those of its page" {
	for t in $TOOLS; do
		options_of_help $t >"$T/help"
		options_of_page $t >"$T/page"
		[ "$(wc -l <"$T/help")" -ge 9 ] && diff "$T/help" "$T/page" || failed "$t: < --help, > page"
	done
	done_all
}

@test "options: what --list-options prints is JSON; names in relations and in the code are options" {
	need jq
	: >"$T/all"
	for t in $TOOLS; do
		$t --list-options >"$T/$t.json"
		jq -r '.options[].name' "$T/$t.json" | sort >"$T/$t.names"
		options_of_help $t | sed -n 's/^--//p' | diff - "$T/$t.names" || failed "$t: < --help, > --list-options"
		# an option, or one with an argument, which is one of its words if it has words
		jq -r '.options[] | .name, (.name + "=" + (.words[] // "")), (select(.words == []) | .name + "=*")' "$T/$t.json" >"$T/terms"
		for term in $(jq -r '.relations[] | (.these + .others)[]' "$T/$t.json"); do
			grep -qxF -e "$term" -e "${term%%=*}=*" "$T/terms" || failed "$t: a relation names $term"
		done
		[ "$(jq '.relations | length' "$T/$t.json")" -ge 1 ] || failed "$t: relations"
		cat "$T/$t.names" >>"$T/all"
		for name in $(names_in ../cmd/$t); do
			grep -qxF "$name" "$T/$t.names" || failed "$t: its code asks for $name"
		done
	done
	for name in $(names_in ../common); do
		grep -qxF "$name" "$T/all" || failed "common: code asks for $name"
	done
	[ "$(names_in ../cmd | wc -l)" -ge 8 ] || failed "names in the code are not seen"
	done_all
}
# The options that the code asks for by name.
names_in() {
	grep -rhoE 'tool_(given|forget|row)\([^"()]*"[^"]*"' "$1" | grep -o '"[^"]*"' | tr -d '"' | tr , '\n' | sed 's/=.*//; /^$/d' | sort -u
}

# Those under these headings that select nothing by themselves, or not samples, have to be here.
@test "options: each one that selects samples of pfilter goes with --invert" {
	need jq
	printf '%s\n' exclude-type invert inherit payload-tasks task-field switch-on switch-off show-on-off-events order max-memory kallsyms explain |
	    sort >"$T/others"
	pfilter --list-options >"$T/json"
	jq -r '.options[] | select(.heading | test("^Selection by (fields|state|expression)|^Time$")).name' "$T/json" | sort >"$T/all"
	jq -r '.relations[] | select(.these == ["invert"] and .kind == "needs").others[]' "$T/json" | sort >"$T/selects"
	[ "$(wc -l <"$T/selects")" -ge 20 ] || failed "options not found"
	sort "$T/others" "$T/selects" | diff "$T/all" - || failed "< options, > those with --invert, and those that this test names"
	done_all
}

# The members of rows: the first word of each that is neither a text nor a constant.
members_in() {
	cat "$@" 2>/dev/null | sed 's/"[^"]*"//g; s/\x27[^\x27]*\x27//g' | grep -oE '\<OPT_(FLAG|BITS|NUMBER|SIZE|DURATION|TEXT|WORD|WORD_ARG|NUMBERS|DIR)\([^a-z]*[a-z][A-Za-z0-9_.]*' |
	    sed 's/.*[^A-Za-z0-9_]//' | sort -u
}
@test "options: what a row stores is used" {
	local n=0
	for t in $TOOLS; do
		for m in $(members_in ../cmd/$t/{main,options}.c); do
			n=$((n + 1))
			grep -rhE "(\.|->)$m\>" ../cmd/$t ../common --include=*.[ch] | grep -vqE '\<OPT_[A-Z]' || failed "$t: nothing uses $m"
		done
	done
	[ $n -ge 90 ] || failed "$n members are seen"
	done_all
}

@test "docs: the pages say which options have an argument, and have their words" {
	need jq
	for t in $TOOLS; do
		while IFS=$'\t' read -r name arg words; do
			awk -v name="-$name" '/^\.Sh/ { is = 0 } /^\.It Fl/ { is = 0; for (i = 3; i <= NF; i++) is = is || $i == name } is' "../man/$t.1" >"$T/entry"
			head -n 1 "$T/entry" | grep -qE ' (Ar|Cm) ' && has=yes || has=
			[ "$has" = "${arg:+yes}" ] || failed "$t: --$name: $(head -n 1 "$T/entry")"
			for w in $words; do
				tr ' ,|' '\n\n\n' <"$T/entry" | grep -qxF -- "${w%FIELD}" || grep -q "^\.It Cm ${w%FIELD}" "../man/$t.1" ||
				    failed "$t: --$name: $w"
			done
		done < <($t --list-options | jq -r '.options[] | [.name, .arg, (.words | join(" "))] | @tsv')
	done
	done_all
}

@test "docs: SYNOPSIS has options that there are, and letters of those without an argument" {
	need jq
	for t in $TOOLS; do
		$t --list-options | jq -r '.options[] | "--" + .name, (select(.letter != "") | "-" + .letter), (select(.letter != "" and (.arg == "" or .arg[:1] == "[")) | "flag" + .letter)' >"$T/known"
		sed -n '/^\.Sh SYN/,/^\.Sh DES/p' "../man/$t.1" >"$T/synopsis"
		for o in $(grep -oE 'Fl -[a-z0-9-]+' "$T/synopsis" | sed 's/Fl /-/' | sort -u); do
			grep -qxF -e "$o" "$T/known" || failed "$t: SYNOPSIS: $o"
		done
		for o in $(sed -n 's/^\.Op Fl \([A-Za-z][A-Za-z]*\)$/\1/p' "$T/synopsis" | fold -w 1 | sort -u); do
			grep -qxF "flag$o" "$T/known" || failed "$t: SYNOPSIS: -$o"
		done
		! grep -q '^\.Op Fl [A-Za-z][A-Za-z]*$' "$T/synopsis" ||
		    for o in $(sed -n 's/^flag//p' "$T/known"); do
			sed -n 's/^\.Op Fl \([A-Za-z]*\)$/\1/p' "$T/synopsis" | grep -q "$o" || failed "$t: SYNOPSIS has no -$o"
		    done
	done
	done_all
}

@test "docs: --help has an equals sign where an argument can be left out" {
	for t in $TOOLS; do
		$t --help | grep -- '^ .*--[a-z0-9-]*\[' >"$T/optional" || true
		! grep -v -- '--[a-z0-9-]*\[=[A-Za-z]*\]' "$T/optional" || failed "$t"
	done
	pinject --help | grep -q -- '--perf-map\[=DIR\]' || failed "none is seen"
	done_all
}

@test "docs: each option of the help is one that the tool knows" {
	for t in $TOOLS; do
		for o in $(options_of_help $t); do
			# Asked for the version behind it: an unknown one, or one without its argument, comes first.
			try $t $o x --version </dev/null
			! grep -q "no such option" "$T/err" || failed "$t $o"
		done
	done
	done_all
}

@test "docs: ENVIRONMENT of perfpipe(7) has each variable that is asked for" {
	sed -n '/^\.Sh ENVIRONMENT/,/^\.Sh EXIT/p' ../man/perfpipe.7 | sed -n 's/^\.It Ev //p' | tr -d ' ' | tr , '\n' | sort >"$T/page"
	# by its name, or from an array of that function
	grep -rhoE 'getenv\("[A-Z_]+"' ../cmd ../common --include=*.c | grep -oE '[A-Z_]{2,}' >"$T/code"
	grep -rlE 'getenv\([a-z]' ../cmd ../common --include=*.c | xargs awk '/names\[\] = \{ ("[A-Z_]+"(, )?)+ \};/ { a = $0 } /getenv\(names/ { print a; n++ } /getenv\([a-z]/ && !/getenv\(names/ { print "\"" FILENAME "\"" }' |
	    grep -oE '"[^"]+"' | tr -d '"' >>"$T/code"
	[ "$(sort -u "$T/code" | wc -l)" -ge 9 ] || failed "variables not found"
	sort -u "$T/code" | comm -23 - "$T/page" >"$T/lacks"
	[ ! -s "$T/lacks" ] || failed "$(cat "$T/lacks")"
	done_all
}

# A warning is found by the first words of its longest part without a conversion, which may stand anywhere in the section.
@test "docs: DIAGNOSTICS has each warning: of a command in its page, of common/ in perfpipe(7) or any" {
	find ../cmd ../common -name '*.c' | sort >"$T/sources"
	TOOLS=$TOOLS perl -ne '
		sub section {
			my ($page) = @_;
			return $text{$page} //= do {
				local $/;
				open my $f, "<", "../man/$page" or die "$page: $!\n";
				my $s = join "", <$f> =~ /^\.Sh DIAGNOSTICS\n(.*?)(?=^\.Sh )/gms;
				$s =~ s/^\.It //gm;
				$s =~ s/^\.Ql //gm;
				$s =~ s/\\\(dq/"/g;
				$s =~ s/\\&//g;
				$s =~ s/\s+/ /g;
				$s;
			};
		}
		chomp;
		my $s = do { local $/; open my $f, "<", $_ or die "$_: $!\n"; <$f> };
		my @pages = m{^\.\./cmd/(\w+)/} ? "$1.1" : ("perfpipe.7", map "$_.1", split " ", $ENV{TOOLS});
		while ($s =~ /\b(?:(?:tool|file)_warn\([^,]*|snprintf\(s->warning, sizeof s->warning),\s*((?:"(?:\\.|[^"\\])*"|PRI\w+|\s)+)/g) {
			my $format = join "", map { /^PRI/ ? "u" : substr $_, 1, -1 } $1 =~ /"(?:\\.|[^"\\])*"|PRI\w+/g;
			$format =~ s/\\"/"/g;
			my ($part) = sort { length $b <=> length $a } map { s/^[\s:,;\x27"]+|[\s:,;\x27"]+$//gr } split /%%|%[-.*0-9]*[jzl]*[a-zA-Z]/, $format;
			my @words = split " ", $part;
			my $first = join " ", @words > 6 ? @words[0 .. 5] : @words;
			$n++;
			print "$_: $format\n" if @words > 1 && !grep { index(section($_), $first) >= 0 } @pages;
		}
		END { print "$n warnings are seen\n" if $n < 100 }' "$T/sources" >"$T/lacks"
	[ ! -s "$T/lacks" ] || failed "no page has: $(cat "$T/lacks")"
	done_all
}

@test "docs: mandoc has nothing to say of the pages" {
	need mandoc
	run mandoc -T lint -W warning ../man/*.[1-9]
	echo "$output"
	[ "$status" = 0 ] && [ -z "$output" ]
}

@test "docs: the lines of the pages can be broken" {
	# what is longer than a line of a terminal needs a place (\:), or lintian says that of it which groff says; examples stay as they are
	awk '/^\.Bd/ { shown = 1 } /^\.Ed/ { shown = 0 }
	    !shown { for (i = 1; i <= NF; i++) { n = split($i, part, /\\:/); for (k = 1; k <= n; k++) if (length(part[k]) > 66) print FILENAME ":" FNR ": " part[k] } }' \
	    ../man/*.[1-9] >"$T/long"
	[ ! -s "$T/long" ] || failed "$(cat "$T/long")"
	done_all
}

@test "docs: each tool has its page, of the usual sections, and it and the other pages are named where the family is" {
	for t in $TOOLS; do
		grep '^\.Sh ' "../man/$t.1" | diff - <(printf '.Sh %s\n' NAME SYNOPSIS DESCRIPTION "EXIT STATUS" EXAMPLES \
		    DIAGNOSTICS "SEE ALSO" CAVEATS) || failed "$t: sections"
		ls [2-9]?-$t*.bats >/dev/null || failed "$t: no tests"
	done
	# The lists of tools: each names all of them, and no other.
	printf '%s\n' $TOOLS | sort >"$T/tools"
	tools_are() {
		sort | diff "$T/tools" - || failed "$1: < cmd/, > what it lists"
	}
	tools_are "man/*.1" < <(cd ../man && printf '%s\n' *.1 | sed 's/\.1$//; /^perfpipe$/d')
	tools_are "perfpipe.7, SYNOPSIS" < <(sed -n '/^\.Sh SYN/,/^\.Sh DESC/s/^\.Nm //p' ../man/perfpipe.7)
	tools_are "perfpipe.7, DESCRIPTION" < <(sed -n '/^\.Sh DESC/,/^\.Ss/s/^\.It Xr \(.*\) 1/\1/p' ../man/perfpipe.7)
	tools_are "perfpipe.7, SEE ALSO" < <(sed -n '/^\.Sh SEE/,/^\.Sh CAV/s/^\.Xr \(p[a-z]*\) 1.*/\1/p' ../man/perfpipe.7 | grep -vx perfpipe)
	for page in $(cd ../man && echo *.[1-9]); do
		name=${page%.*}
		grep -qF "](man/$page)" ../README.md || [[ " $TOOLS " == *" $name "* ]] || failed "README.md has no link to $page"
		sed -n '/^\.Sh SEE/,/^\.Sh CAV/p' ../man/perfpipe.7 | grep -qE "^\.Xr $name ${page##*.}( ,)?$" || [ $page = perfpipe.7 ] || failed "perfpipe.7, SEE ALSO: no $page"
	done
	tools_are README.md < <(sed -n '/^## The tools/,/^## Thirteen/s/^| .\([a-z]*\). |.*/\1/p' ../README.md)
	done_all
}

@test "docs: perfpipe(7) defines the terms of the pages" {
	sed -n '/^\.Ss Glossary/,/^\.Sh/s/^\.It //p' ../man/perfpipe.7 >"$T/terms"
	sort -fc "$T/terms" || failed "not in alphabetical order"
	for term in attr build-id "BUILD_ID record" chunk collision comm DSO event flush frame "hardware trace" head "header feature" hold image index jitdump late manifest map part piece pseudonym record recording round sample \
	    side-band snapshot span spill synthesise thinning trailer verdict watermark window; do
		grep -qx "$term" "$T/terms" || failed "$term"
	done
	done_all
}

@test "docs: perf-pipe(5) has each record type, bit of sample_type, feature and field of an attr, by number and name" {
	local at=0
	sed -n 's/^\(REC\|FEAT\|SAMPLE\)(\( *[0-9]*\), \([A-Z0-9_]*\),.*/\2 \3/p' ../common/record/*.def >"$T/rows"
	[ "$(wc -l <"$T/rows")" -gt 95 ] || failed "rows not found"
	while read -r n name; do
		grep -q "^ *$n  *$name\b" ../man/perf-pipe.5 || failed "$n $name"
	done <"$T/rows"
	while read -r name n; do
		grep -qE "\b$name@$at\b" ../man/perf-pipe.5 || failed "$name@$at"
		at=$((at + n))
	done < <(sed -nE 's/^ATTR\(([a-z0-9_]+), [A-Z]+, ([0-9]+),.*/\1 \2/p' ../common/record/attr.def)
	[ $at -ge 144 ] || failed "fields of attrs not found"
	done_all
}

@test "docs: pinject(1) names the features that --features-from takes, and no other" {
	sed -n 's/^FEAT([ 0-9]*, \([A-Z_0-9]*\), *BOTH,[^,]*,[^,]*, *MACHINE,.*/\1/p' ../common/record/feature.def | sort >"$T/rows"
	[ "$(wc -l <"$T/rows")" -ge 17 ] || failed "rows not found"
	sed -n '/^Taken are/,/^Not taken/{/^Not/!p}' ../man/pinject.1 | grep -oE '\<[A-Z][A-Z_]+\>' | sort |
	    diff "$T/rows" - || failed "< feature.def, > the page"
	done_all
}

@test "docs: what README points to is there" {
	for f in $(sed -n 's/.*](\([^)]*\)).*/\1/p' ../README.md); do
		[ -e "../$f" ] || failed "$f"
	done
	for t in $(sed -n 's/^ *make \([a-z]*\)  .*/\1/p; s/.*`make \([a-z]*\)[` ].*/\1/p' ../README.md); do
		grep -q "^$t:" ../Makefile || failed "make $t"
	done
	done_all
}

# Not in the table: what others are made of, and what README.md of the top says.
@test "docs: each target of make, and of libFuzzer, is in its table of tests/README.md" {
	for f in fuzz/*.c; do
		f=${f#fuzz/} f=${f%.c}
		[[ $f =~ ^(main|whole)$ ]] || grep -q "^| $f | " README.md || failed "no figures of fuzz/$f"
	done
	sed -n '/^| .make /s/^| \([^|]*\) |.*/\1/p' README.md | grep -oE 'make [a-z-]+' | cut -d ' ' -f 2 | sort -u >"$T/table"
	sed -n 's/^\.PHONY: //p' ../Makefile | tr ' ' '\n' |
	    grep -vxE 'all|completions|demo|install|uninstall|clean|library|test-programs|examiners|run-tests|fuzzers|known|[$].*' | sort |
	    diff - "$T/table" || failed "< Makefile, > the table"
	done_all
}

@test "docs: what the maps say of the tree is so" {
	for d in $(cd .. && find common cmd man tests -mindepth 1 -maxdepth 2 -type d ! -path 'tests/*/*'); do
		case $d in
		cmd/*/*) in="../${d%/*}/README.md" what="^| .${d##*/}/";;
		cmd/*)	in=../README.md what="^| .${d##*/}. |";;
		tests/*) in=../tests/README.md what="^ .*\b${d##*/}/";;
		*)	in=../common/README.md what="^ .*\b${d##*/}/";;
		esac
		grep -qE "$what" "$in" || failed "$d is not in $in"
		# a tool of one file says in it what it is
		! [[ $d == c*/* && $d != cmd/*/* ]] || [ -s "../$d/README.md" ] || [ "$(ls "../$d")" = main.c ] || failed "$d has no README.md"
	done
	{ sed -n '/^## Where things go/,$p' ../common/README.md; sed -n '/^## Where things go/,/^## Other/p' ../tests/README.md; } >"$T/where"
	for f in ../common/*/README.md ../cmd/*/README.md; do
		for h in $(grep -oE '`[a-z_0-9]+\.[chdef]+`' "$f" | tr -d '`' | sort -u); do
			[ -n "$(find "${f%/*}" -name "$h")" ] || failed "$f: there is no $h"
		done
	done
	grep -o '`[a-z]*/[a-zA-Z0-9_./-]*`' "$T/where" | tr -d '`' | grep -v NAME | sort -u >"$T/files"
	grep -o '`[a-zA-Z_]*()`' "$T/where" | tr -d '`()' | sort -u >"$T/functions"
	[ "$(wc -l <"$T/files")" -gt 40 ] && [ "$(wc -l <"$T/functions")" -gt 10 ] || failed "table not found"
	while read -r f; do
		[ -e "../$f" ] || failed "there is no $f"
	done <"$T/files"
	while read -r f; do
		grep -qrE "^($f|#define $f)\(|[ *]$f\(.*;$" ../common ../cmd || failed "there is no $f()"
	done <"$T/functions"
	done_all
}

# page_has LEAST PAGE: each word of the input, at least so many
page_has() {
	cat >"$T/words"
	[ "$(wc -l <"$T/words")" -ge "$1" ] || failed "$2: rows not found"
	# A line of the page is a request and words.
	tr ' ,' '\n\n' <"../man/$2" | sort -u >"$T/page"
	while read -r w; do
		grep -qxF -- "$w" "$T/page" || failed "$2: $w"
	done <"$T/words"
}
@test "docs: each field of --filter, and each word of --strip and --anon, is in the page that describes it" {
	local n=0
	need jq
	{
		sed -n '/^static const struct field fields/,/^};/s/^	{ "\([^"]*\)".*/\1/p' ../common/field/field.c
		sed -n 's/^SAMPLE(.* NUMBER, "\([^"]*\)".*/\1/p' ../common/record/sample.def
	} | page_has 60 perfpipe-filter.7
	sed -n 's/^SAMPLE(.*, "\([a-z-]*\)", *\(ROWS\|NUMBER\),.*/\1/p' ../common/record/sample.def | sort -u | page_has 10 pfilter.1
	for w in $(pfilter --list-options | jq -r '.options[] | select(.name == "anon").words[]'); do
		grep -qx "\.It Cm $w" ../man/perfpipe-anon.7 || failed "perfpipe-anon.7: $w"
		n=$((n + 1))
	done
	[ $n -ge 9 ] || failed "words not found"
	done_all
}

@test "docs: perfpipe(7) has the options that all tools share, and no other, as common" {
	need jq
	for t in $TOOLS; do
		$t --list-options | jq -r '.options[].name' | sort -u
	done | sort | uniq -c | awk -v n="$(wc -w <<<"$TOOLS")" '$1 == n { print $2 }' >"$T/shared"
	[ "$(wc -l <"$T/shared")" -ge 12 ] || failed "options not found"
	sed -n '/^\.Ss Common options/,/^If perf/p' ../man/perfpipe.7 | tr ' ' '\n' | sed -n 's/^-\([a-z][a-z0-9-]*\)$/\1/p' | sort -u |
	    diff "$T/shared" - || failed "< --list-options, > the page"
	done_all
}

@test "docs: --help has groups where there are many options, and rows of 110 characters at most" {
	for t in $TOOLS; do
		$t --help >"$T/help"
		[ "$(grep -c '^  .[a-z]*,* *--' "$T/help")" -le 24 ] || [ "$(grep -c '^[A-Z].*:$' "$T/help")" -ge 4 ] ||
		    failed "$t: many options without groups"
		[ "$(grep -c '^  \$ ' "$T/help")" -ge 2 ] || failed "$t: no examples"
		! grep -E '.{111}' "$T/help" || failed "$t: long lines"
	done
	done_all
}

# The examples of a page or README, or of the output of --help: lines that begin with "$ " in literal text.
examples() {
	sed -n -e 's/^\.Dl \$ //p' -e '/^\.Bd -literal/,/^\.Ed/s/^\$ //p' -e '/^```/,/^```/s/^\$ //p' "$1" | sed 's/\\e/\\/g'
}

# in_here LINE: run it in $T/here, where $registers are what perf_stacks says; status in $rc.  Each command of a pipeline must be content, or have nobody left that reads it.
in_here() {
	rc=0
	(cd "$T/here" && bash -c "${1//--call-graph dwarf/$registers--call-graph dwarf}
	    for rc in \${PIPESTATUS[@]}; do [ \$rc = 0 ] || [ \$rc = 141 ] || exit \$rc; done") \
	    </dev/null >"$T/out" 2>"$T/err" || rc=$?
}

# The blocks of README that are for a shell, pasted as they stand, but for the time that some take.  Each command is content, all that is said on
# standard error is expected, and files and reports are not empty.
@test "docs: the commands of README, pasted into an empty directory, keep samples" {
	need record
	perf record -q -a -e cpu-clock -e 'sched:*' -o /dev/null -- true 2>/dev/null || skip "perf cannot record sched:* here"
	registers=$(perf_stacks)
	mkdir "$T/here"
	sed -n '/^```sh$/,/^```$/{/^```/!p}' ../README.md >"$T/examples"
	[ "$(wc -l <"$T/examples")" -ge 22 ] || failed "examples not found"
	[ "$(wc -l <../README.md)" -le 120 ] || failed "README has more than 120 lines"
	# What this machine may have done meanwhile: replaced files, been too busy; what ends early has a reader that has ended; perf 7.2 reads the
	# number behind the last feature of perf 6.1, which a stream has, too, as a feature of its own.
	printf '%s\n' "pinject: warning: .* is not used: " "pinject: warning: [0-9]* more files of --archive are not used" "pinject: warning: no perf-PID.map found for " "pinject: warning: no build-ids of " "pinject: warning: [0-9]* names are of maps with a build-id and of maps without one" "pinject: warning: only .* of the call chains reach the start" \
	    "pcat: cut.data: byte [0-9]*: .*cut short, .*left out" "pcat: warning: [0-9]* samples have a damaged call chain" \
	    "Invalid HEADER_CPU_DOMAIN_INFO: section too small \(0\) for" "p[a-z]*: warning: --symbols: " "Warning:$" "Processed [0-9]* (events|samples) and lost" "Check IO/CPU overload!$" "$" >"$T/expected"
	[ -z "$registers" ] || echo "pinject: warning: [0-9]* samples of 32-bit programs have only their first frame$" >>"$T/expected"
	while IFS= read -r line <&3; do
		# perf finds paths of cgroups only where cgroup2 is mounted: not in a bare chroot
		[[ $line != *--cgroup\ * ]] || pstat --json "$T/here/all.data" | grep -q '"name":"CGROUP"' || continue
		run=${line//sleep 2/sleep 0.2}
		run=${run//perf record /perf record --no-bpf-event }
		in_here "$run"
		[ $rc = 0 ] || failed "$line"
		! grep -vE "^($(paste -sd '|' "$T/expected"))" "$T/err" || failed "$line: stderr"
		# what is in the files that it writes, and what is shown of files
		for f in $(sed -E 's/#.*//; s/[>|]/ & /g' <<<"$line" | awk '{ for (i = 1; i < NF; i++) if ($i == ">" || $i == "-o" || $i == "-U") print $(i + 1) }' | grep '\.data$'); do
			pstat --json "$T/here/$f" 2>/dev/null | grep -q '^"samples":[1-9]' || failed "$line: $f has no samples"
		done
		! [[ $line == *"perf script "* || $line == *"perf report "* || $line == *"--privacy"* || $line == pstat\ [a-z]* || $line == *"--interval"* ]] ||
		    [ "$(wc -l <"$T/out")" -ge 5 ] || failed "$line: shows nothing: $(cat "$T/out")"
		! [[ $line =~ -o\ ([a-z]*\.(svg|html|pb.gz)) ]] || [ -s "$T/here/${BASH_REMATCH[1]}" ] || failed "$line: ${BASH_REMATCH[1]}"
	done 3<"$T/examples"
	done_all
}

@test "docs: each example of the pages runs" {
	need record
	need zstd
	registers=$(perf_stacks)
	may_record=yes
	perf record -q -a -g -o /dev/null -- true >/dev/null 2>&1 || may_record=
	[ -n "$may_record" ] || echo "# perf cannot record here: examples get a recording instead"
	for t in $TOOLS; do
		{ echo '```'; $t --help | sed 's/^  //'; echo '```'; } >"$T/$t.help"
	done
	for page in ../man/*.[1-9] "$T"/*.help; do
		page=$(realpath "$page")
		rm -rf "$T/here" && mkdir "$T/here"
		cp data/demo.data "$T/here/all.data"
		cp data/sched_R.file.data "$T/here/perf.data"
		cp data/sched.pipe.data "$T/here/sched.data"
		cp data/demo.data "$T/here/run.pipe"
		cp data/k_mono.pipe.data "$T/here/web1.data"
		cp data/k_mono.pipe.data "$T/here/web2.data"
		head -c 20000 data/demo.data >"$T/here/cut.data"
		head -c 3800 data/sched_R.file.data >"$T/here/killed.data"
		printf '42\n89\n' >"$T/here/pids"
		gzip -c ../LICENSE >"$T/here/archive.gz"
		examples "$page" >"$T/examples"
		[ -s "$T/examples" ] || [[ $page == *perf-pipe.5 || $page == *perfpipe.3 ]] || failed "$page: no example found"
		while read -r line <&3; do
			[[ $line != *unshare* ]] || unshare -rm true 2>/dev/null || continue
			# as it stands, but for the time that it takes
			run=${line//sleep 2/sleep 0.1}
			run=${run//perf record /perf record --no-bpf-event }
			[ -n "$may_record" ] || run=$(sed 's/perf record [^|]*[^| ]/cat all.data/' <<<"$run")
			in_here "$run"
			[ $rc = 0 ] || failed "${page##*/}: $line"
		done 3<"$T/examples"
	done
	done_all
}

@test "docs: make install puts all in place, make uninstall takes it away" {
	[ -z "${INSTALLED-}" ] || skip "what is installed is not built here"
	sub() {
		env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -C .. O="$O" DESTDIR="$T/root" PREFIX=/opt/perfpipe "$@"
	}
	installed() {
		{
			printf './bin/%s\n' perfpipe $(printf "$1%s\n" $TOOLS)
			printf './lib/%s\n' libperfpipe.a libperfpipe.so libperfpipe.so.0 pkgconfig/perfpipe.pc
			printf './include/%s\n' perfpipe.h perfpipe_state.h perfpipe_inline.h
			for m in ../man/*.[1-9]; do
				m=${m##*/}
				[[ " $TOOLS " != *" ${m%.1} "* ]] || m=$1$m
				echo "./share/man/man${m##*.}/$m"
			done
			printf './share/doc/perfpipe/%s\n' README.md LICENSE
			for t in perfpipe $(printf "$1%s\n" $TOOLS); do printf './share/%s\n' bash-completion/completions/$t zsh/site-functions/_$t fish/vendor_completions.d/$t.fish; done
			(cd ../man && find examples -type f -printf './share/doc/perfpipe/%p\n')
		} | sort | diff - <(cd "$T/root/opt/perfpipe" && find . ! -type d | sort) || failed "installed: $1"
	}
	sub install
	installed ""
	for t in $TOOLS; do
		[ "$("$T/root/opt/perfpipe/bin/$t" --version | cut -d ' ' -f 1)" = $t ] || failed "$t"
	done
	# the jobs run with what is installed, also below another prefix, and make their OUT
	fleet=$T/root/opt/perfpipe/share/doc/perfpipe/examples/fleet
	sed -i "s|^tools=|&$T/root|" "$T/root/opt/perfpipe/bin/perfpipe"
	grep -q ':-/opt/perfpipe/share/doc/perfpipe/examples/fleet}' "$fleet/slurm.sbatch" || failed "slurm.sbatch: $(tail -n 1 "$fleet/slurm.sbatch")"
	for k in 1 2; do
		PATH=$T/root/opt/perfpipe/bin:$PATH "$fleet/part.sh" "$T/out" data/demo.data $k/2 --cpu 0 2>"$T/err" || failed "part.sh: $(cat "$T/err")"
		PATH=$T/root/opt/perfpipe/bin:$PATH FLEET=$fleet SLURM_ARRAY_TASK_ID=$k SLURM_ARRAY_TASK_COUNT=2 "$fleet/slurm.sbatch" "$T/slurm" data/demo.data/ --cpu 0 \
		    2>"$T/err" || failed "slurm.sbatch: $(cat "$T/err")"
		pfilter -q --piece=$k/2 --cpu 0 data/demo.data | cmp - "$T/out/${k}_2" && cmp "$T/out/${k}_2" "$T/slurm/${k}_2" || failed "piece $k"
	done
	sub uninstall
	[ -z "$(find "$T/root" ! -type d)" ] || failed "left behind: $(find "$T/root" ! -type d)"
	rm -rf "$T/out"
	# perfpipe(1) runs the tools by any name; messages have the name by which a tool was called
	(umask 077; sub install PROGRAM_PREFIX=perf-)
	installed perf-
	[ -z "$(find "$T/root" ! -type l ! -perm -444)" ] || failed "only its owner can read: $(find "$T/root" ! -type l ! -perm -444)"
	sed -i "s|^tools=|&$T/root|" "$T/root/opt/perfpipe/bin/perfpipe"
	p=$T/root/opt/perfpipe/bin
	[ "$("$p/perfpipe" psort data/basic.pipe.data | md5sum)" = "$(psort data/basic.pipe.data | md5sum)" ] || failed "perfpipe psort"
	for t in $TOOLS; do
		try "$p/perfpipe" $t --no-such
		[ $rc = 2 ] && one_line "perf-$t: --no-such: no such option; see perf-$t --help" || failed "perfpipe $t"
	done
	for wrong in "" nosuch "help nosuch" --nosuch; do
		try "$p/perfpipe" $wrong
		[ $rc = 2 ] && one_line "perfpipe: " || failed "perfpipe $wrong"
	done
	[ "$("$p/perfpipe" --path)" = "$p" ] && "$p/perfpipe" --help | grep -q ': '"$(echo $(printf '%s\n' $TOOLS | sort))"'\.$' || failed "perfpipe --help"
	[ "$("$p/perfpipe" --version)" = "$(pcat --version | sed 's/^pcat (perfpipe)/perfpipe/')" ] || failed "perfpipe --version"
	for o in --version --path --help; do
		run sh -c '"$1" $2 >/dev/full' sh "$p/perfpipe" $o
		[ $status = 1 ] || failed "perfpipe $o: its output is lost: $status"
	done
	# so do the jobs, where nothing has the name of a tool
	PATH=$p:/usr/bin:/bin "$fleet/part.sh" "$T/prefixed" data/demo.data 1/2 --cpu 0 2>"$T/err" || failed "part.sh: $(cat "$T/err")"
	pfilter -q --piece=1/2 --cpu 0 data/demo.data | cmp - "$T/prefixed/1_2" || failed "part.sh: piece"
	rm "$p/perf-pcat"
	try "$p/perfpipe" --version
	[ $rc = 1 ] || failed "perfpipe --version without pcat: $rc"
	sub uninstall PROGRAM_PREFIX=perf-
	[ -z "$(find "$T/root" ! -type d)" ] || failed "left behind: $(find "$T/root" ! -type d)"
	done_all
}

@test "fleet: parallel.sh begins anew if an option was wrong, and keeps results of others" {
	need jq
	mkdir "$T/bin"
	# as GNU parallel here: jobs one after the other, a line of the joblog for each
	cat >"$T/bin/parallel" <<-'X'
		#!/bin/bash
		while [ "$1" != -q ]; do
			[ "$1" != --joblog ] || log=$2
			shift
		done
		shift
		[ -e "$log" ] || printf 'Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand\n' >"$log"
		bad=0
		while IFS= read -r -d '' part; do
			rc=0
			"${@/\{\}/$part}" || rc=$?
			printf '1\t:\t1\t1\t0\t0\t%d\t0\tx\n' "$rc" >>"$log"
			[ $rc = 0 ] || bad=1
		done
		exit $bad
	X
	chmod +x "$T/bin/parallel"
	run_it() { PATH=$T/bin:$PATH ../man/examples/fleet/parallel.sh : "$T/out" data/demo.data/2 "$@" >"$T/log" 2>&1; }
	run run_it --cpuu 0
	[ $status != 0 ] && [ $status != 2 ] || failed "a wrong option: $status"
	run_it --cpu 0 || failed "after a wrong option: $(cat "$T/log")"
	pfilter -q --cpu 0 data/demo.data | pstat --json | jq .samples >"$T/want"
	pstat --json "$T/out/all.data" | jq .samples | cmp - "$T/want" || failed "result"
	run run_it --cpu 1
	[ $status = 2 ] && grep -q 'has results of' "$T/log" || failed "other options: $status"
	done_all
}

# bash goes on after a command that is negated, and after one in front of the last && of a list.
@test "tests: a condition that does not hold fails its test" {
	awk 'function code(s) { gsub(/\047[^\047]*\047|"([^"\\]|\\.)*"|\$\([^()]*(\([^()]*\))?[^()]*\)/, "x", s); return s }
	FNR == 1 { line = "" }
	line != "" && $0 != "}" { print FILENAME ": " line }
	{ line = ""; s = code($0) }
	/ \|\| (failed|false)/ || s ~ /\|\||(&&|\\|\||\{)$/ { next }
	s ~ /^\t+! / || s ~ /^\t+(\[|one_line|grep|cmp|diff|list) ?.* && *(!|\[|one_line|grep|cmp|diff|list)/ { line = $0 }' ./*.bats fleet/*.bats >"$T/found"
	cat "$T/found"
	[ ! -s "$T/found" ]
}

@test "make lint: a fault of each kind fails, and what is right passes" {
	need mandoc; need codespell; need clang-tidy
	lint() { try env O="$O" DEFS="-Icommon -D_GNU_SOURCE" ./lint "$@"; }
	printf 'int f(int *p);\nint f(int *p) { return p ? *p : 1; }\n' >"$T/right.c"
	printf 'int f(int *p);\nint f(int *p) { return p ? 1 : *p; }\n' >"$T/wrong.c"
	printf '#include "no-such.h"\n' >"$T/missing.c"
	printf '#include "expr/expr.h"\n' >"$T/part.c"		# of pfilter
	printf '/* of t\145h */\nint f(int *p);\n' >"$T/word.c"
	{ cat ../man/psort.1; echo .Xx; } >"$T/wrong.1"
	lint "$T/right.c" man/psort.1
	[ $rc = 0 ] && ! [ -s "$T/out" ] || failed "right: $(cat "$T/out")"
	lint "$T/part.c"
	! grep clang-diagnostic-error "$T/out" || failed "the headers of a command are not found: $(cat "$T/out")"
	for f in wrong.c:NullDereference missing.c:clang-diagnostic-error "word.c:==> the" wrong.1:Xx; do
		lint "$T/${f%:*}"
		[ $rc = 1 ] && grep -q "${f#*:}" "$T/out" || failed "$f: $(cat "$T/out")"
	done
	done_all
}
