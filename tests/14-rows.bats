# SPDX-License-Identifier: ISC
# The meaning of a record type, a bit of sample_type or a header feature is in its row, and nowhere else.
load lib

# source: a copy of what the tools are made of, in $T.
source_copy() {
	cp -r ../common ../cmd ../Makefile "$T"
	mkdir "$T/tests" && cp setup "$T/tests"
}
# compiles FILE SED [FILE.C]: does FILE.C compile with common/record/FILE changed so?
compiles() {
	cp ../common/record/*.def "$T/common/record"
	sed -i "$2" "$T/common/record/$1"
	! cmp -s "../common/record/$1" "$T/common/record/$1" || failed "$2 changes nothing"
	(cd "$T" && ${CC:-cc} -std=c11 -D_GNU_SOURCE -Icommon -I"${3%/*/*}" -Icmd/pstat -fsyntax-only "${3:-common/record/record.c}" 2>"$T/err")
}

@test "rows: nothing compiles without the meaning of a type, field, bit or feature" {
	source_copy
	compiles record.def 's/^REC( 3, COMM/REC( 3, COMN/' common/record/record.c || failed "the test itself"
	! compiles record.def 's/^\(REC(14, SWITCH, *\)SWITCH,/\1,/' || failed "class of a type"
	! compiles record.def 's/^\(REC(14, SWITCH, *SWITCH, *\)6_1,/\1,/' || failed "perf that reads it"
	! compiles record.def 's/^\(REC(14, SWITCH, *\)SWITCH,/\1TASK,/' || failed "a task of which nobody knows whose it is"
	! compiles record.def 's/U8(lost, PLAIN)/U8(lost)/' || failed "role of a field"
	! compiles record.def 's/U8(lost, PLAIN)/U8(lost, NUMBER)/' || failed "role that there is not"
	! compiles record.def '/^REC(73, THREAD_MAP/s/NONE, 0)/PAY8, 0)/' || failed "a payload of which nobody knows what becomes of it"
	! compiles attr.def 's/(config3, HEX, 8, PLAIN)/(config3, HEX, 8)/' || failed "role of an attr's field"
	! compiles attr.def 's/(config3, HEX, 8, PLAIN)/(config3, HEX, 8, COMM)/' || failed "role that tail_attr does not show"
	! compiles flag.def '/^FLAG(26/s/, SIDEBAND//' || failed "what a flag of attrs asks for"
	! compiles flag.def '/^FLAG(26/s/SIDEBAND/OTHER/' cmd/pfilter/drop/record.c || failed "what pfilter does not know of a flag"
	! compiles flag.def '/^FLAG(26/d' common/record/attr.c || failed "a flag without a row"
	! compiles sample.def '/^SAMPLE(21/s/, *CGROUP_ID,/,/' common/record/sample.c || failed "role of a bit"
	! compiles sample.def '/^SAMPLE(21/d' common/record/sample.c || failed "a bit without a row"
	! compiles sample.def '/^SAMPLE(21/s/CGROUP_ID,/PID,/' common/make/rewrite.c || failed "a pid where none is moved"
	! compiles sample.def '/^SAMPLE(21/s/6_1,/,/' common/convert/compat.c || failed "perf that reads a bit"
	! compiles sample.def '/^SAMPLE(21/s/, 21,/, 22,/' cmd/pstat/views/attrs.c || failed "two bits in one place"
	! compiles sample.def '/^SAMPLE(21/s/, 21,/,/' cmd/pstat/views/attrs.c || failed "place of a bit"
	! compiles sample.def '/^SAMPLE(21/s/"cgroup", .*/"cgroup")/' common/field/field.c || failed "perf's option for a number of --filter"
	! compiles sample.def '/^SAMPLE(21/s/"cgroup"/0/' common/field/field.c || failed "name of a number of --filter"
	! compiles sample.def '/^SAMPLE(21/s/NUMBER/WORD/' common/field/field.c || failed "what --filter compares of a bit"
	! compiles sample.def '/^SAMPLE(10/s/ROWS/NUMBER/' common/field/field.c || failed "a number of --filter that is none"
	! compiles sample.def '/^SAMPLE(21/s/, 0, *NUMBER/, NUMBER/' cmd/pfilter/drop/columns.c || failed "word of --strip"
	! compiles sample.def '/^SAMPLE(21/s/cgroup,/cgroup_of,/' common/record/decode.c || failed "member of struct pp_decoded"
	! compiles sample.def '/^SAMPLE(21/s/ U64,/ RAW,/' common/record/decode.c || failed "member of another type"
	! compiles sample.def '/^SAMPLE(21/s/ U64,/ REGS,/' common/make/compose.c || failed "registers that pp_encode() does not know"
	compiles feature.def 's/^FEAT( 8, CPUDESC, *BOTH,/FEAT(8, CPUDESC, BOTH,/' cmd/pstat/views/feature.c || failed "the test itself"
	! compiles feature.def 's/^\(FEAT( 8, CPUDESC, *BOTH, HARDWARE, \)SAME,/\1,/' common/record/feature.c || failed "how a feature is shown"
	! compiles feature.def 's/^\(FEAT( 8, CPUDESC, *BOTH, HARDWARE, \)SAME,/\1OTHER,/' cmd/pstat/views/feature.c || failed "its words"
	! compiles feature.def 's/^\(FEAT( 8, CPUDESC, *BOTH, HARDWARE, \)SAME,/\1LONG,/' cmd/pinject/header/perf_text.c || failed "its parser"
	! compiles feature.def 's/^\(FEAT( 8, CPUDESC, *BOTH, \)HARDWARE,/\1,/' common/record/feature.c || failed "what a feature holds"
	! compiles feature.def 's/^\(FEAT( 8, CPUDESC, *BOTH, HARDWARE, SAME, *\)MACHINE,/\1,/' common/record/feature.c || failed "what it is a fact of"
	! compiles role.def 's/^ROLE(COMM).*/&\nROLE(SECRET)/' cmd/pfilter/anon/field.c || failed "a role of which --anon does not know"
	compiles role.def '/^ROLE(COMM)/s/$/ /' cmd/pcat/jsonl/record.c || failed "the test itself"
	! compiles role.def 's/^ROLE(COMM).*/&\nROLE(SECRET)/' cmd/pcat/jsonl/record.c || failed "a role of which --format=jsonl does not know"
	done_all
}

@test "rows: when a version of perf follows, nothing compiles that names the last one, until it is read again" {
	local file
	source_copy
	for file in common/record/record.c common/convert/compat.c cmd/pinject/ids/mmap2.c cmd/pstat/options.c cmd/pstat/check/{check,head,show}.c; do
		compiles record.def '1s/$/ /' $file || failed "the test itself: $file: $(cat "$T/err")"
	done
	sed -i '/^#define PP_PERFS(P)/s/P(7_2, "current", 7, 2)/P(7_2, "7.2", 7, 2) P(7_3, "current", 7, 3)/' "$T/common/record/meaning.h"
	compiles record.def '1s/$/ /' common/record/record.c || failed "rows have to be changed: $(cat "$T/err")"
	for file in common/convert/compat.c cmd/pinject/ids/mmap2.c cmd/pstat/options.c cmd/pstat/check/{check,head,show}.c; do
		! compiles record.def '1s/$/ /' $file || failed $file
	done
	grep -rlE '"[^"]*\b7\.2\b[^"]*"' ../common ../cmd --include=*.c | xargs grep -LE 'PP_PERF_TEXTS\(' >"$T/files" || true
	[ ! -s "$T/files" ] || failed "names versions without PP_PERF_TEXTS(): $(cat "$T/files")"
	done_all
}

@test "rows: types that are selected like samples are in pfilter(1), and known to evaluate.py" {
	local classes n name
	classes=$(sed -n 's/^#define PP_CLASSES_LIKE_SAMPLES//p' ../common/record/meaning.h | grep -o 'BIT([A-Z]*)' | tr -d '()' | sed 's/^BIT//' | paste -sd'|')
	sed -nE "s/^REC\( ?([0-9]+), ([A-Z_0-9]+), +($classes),.*/\1 \2/p" ../common/record/record.def >"$T/rows"
	[ "$(wc -l <"$T/rows")" -ge 6 ] || failed "rows not found"
	while read -r n name; do
		grep -qw "${name%_CPU_WIDE}" ../man/pfilter.1 || failed "pfilter.1: $name"
		case $name in
		THROTTLE|UNTHROTTLE|READ) ;;	# of events, not of CPUs and chains
		*) grep -q "^$name " data/followers.txt || failed "data/followers.txt: $name" ;;
		esac
	done <"$T/rows"
	cut -d ' ' -f 1 "$T/rows" | diff - <(sed -n 's/^SAMPLE, FOLLOWS, SWITCHES = 9, (\([0-9, ]*\)), .*/\1/p' evaluate.py |
	    tr -d ' ' | tr , '\n') || failed "< record.def, > FOLLOWS of evaluate.py"
	done_all
}

# The readers of streams for tests are independent of the rows.
@test "rows: those that read streams for the tests know which types have bytes behind them, and the newest type" {
	local n name file
	perl -0ne 'print "$1 $2\n" while /^REC\( ?(\d+), (\w+),(?:(?!^REC).)*, PAY[48],/gms' ../common/record/record.def >"$T/rows"
	[ "$(wc -l <"$T/rows")" -ge 2 ] || failed "rows not found"
	while read -r n name; do
		for file in 'behind.py:^COUNT = ' 'lib.bash:type == ' 'pinject.bash:t == ' 'rule.c:TRACING_DATA = ' 'fuzz/whole/frames.h:REC_TRACING = '; do
			grep -E "${file#*:}" "${file%%:*}" | grep -qw "$n" || failed "${file%%:*}: $name"
		done
	done <"$T/rows"
	n=$(sed -nE 's/^REC\( ?([0-9]+),.*/\1/p' ../common/record/record.def | sort -n | tail -n 1)
	grep -q "^NEWEST = $n\b" behind.py || failed "behind.py: NEWEST"
	done_all
}

@test "rows: secrets.py knows where the kernel's records have names and pids" {
	local n name
	# those that perf writes have no place in NAMES
	perl -0ne 'print "$1 $2 NAMES\n" while /^REC\( ?(\d\d?), (\w+),(?:(?!^REC).)*, +ID,(?:(?!^REC).)*\bSTR\(/gms' ../common/record/record.def >"$T/rows"
	[ "$(wc -l <"$T/rows")" -ge 5 ] || failed "names not found"
	perl -0ne 'print "$1 $2 take\n" while /^REC\( ?(\d\d?), (\w+),(?:(?!^REC).)*\b(?:STR|U4|S4|S8)\(\w+, (?:PID|COMM|PATH|SYMBOL|CGROUP_PATH)\)/gms' \
	    ../common/record/record.def >>"$T/rows"
	while read -r n name where; do
		case $name in
		READ) continue ;;		# its task has samples, too
		AUXTRACE_ERROR) continue ;;	# --anon leaves it out
		esac
		if [ $where = NAMES ]; then
			grep '^NAMES = ' secrets.py | grep -q "\b$n: " || failed "NAMES: $name"
		else
			sed -n '/def take/,/^def /p' secrets.py | grep -E 'kind (==|in) ' | grep -qw "$n" || failed "take(): $name"
		fi
	done <"$T/rows"
	[ "$(grep -c take "$T/rows")" -ge 10 ] || failed "names and pids not found"
	done_all
}

# Files that tell four of these types apart follow tasks and maps.  Of a type that one does not name, this says that it changes nothing there.
@test "rows: who follows tasks and maps knows of each type that changes them" {
	local type file classes
	classes=$(sed -n '/^#define PP_CLASSES_TASK/,/^#define PP_CLASSES_TRACE/p' ../common/record/meaning.h | grep -o 'BIT([A-Z]*)' | tr -d '()' |
	    sed 's/^BIT//; /^TRACE/d' | paste -sd'|')
	sed -nE "s/^REC\( ?[0-9]+, ([A-Z_0-9]+), +($classes),.*/\1/p" ../common/record/record.def >"$T/types"
	[ "$(wc -l <"$T/types")" -ge 10 ] || failed "types not found: $classes"
	while read -r file; do
		while read -r type; do
			! grep -qE "(case|[!=]=) PP_$type\b" "$file" || echo "$file $type"
		done <"$T/types"
	done < <(find ../common ../cmd -name '*.c') >"$T/named"
	cut -d ' ' -f 1 "$T/named" | uniq -c | awk '$1 >= 4 { print $2 }' >"$T/files"
	[ "$(wc -l <"$T/files")" -ge 17 ] || failed "files not found"
	while read -r file; do
		while read -r type; do
			case $type:${file#../*/} in
			KSYMBOL:state/*|KSYMBOL:stack/walk.c|KSYMBOL:*/addr.c|BPF_EVENT:state/*|CGROUP:state/*|TEXT_POKE:state/*) ;;
			KSYMBOL:*|BPF_EVENT:*|CGROUP:*|TEXT_POKE:*) continue ;;
			NAMESPACES:stack/walk.c|NAMESPACES:join/lives.c|NAMESPACES:*/addr.c|NAMESPACES:*/state_keys_guess.c) continue ;;
			NAMESPACES:pcat/*|NAMESPACES:pinject/ids/walk.c|NAMESPACES:pinject/code/*|NAMESPACES:pstat/*) continue ;;
			EXIT:pcat/*|EXIT:psort/*|EXIT:pinject/lookup/*|EXIT:*/state_keys_guess.c|EXIT:pstat/views/*) continue ;;
			MMAP:pinject/lookup/*|COMM:*/state_keys_guess.c) continue ;;
			esac
			grep -qx "$file $type" "$T/named" || failed "${file#../} does not know of $type"
		done <"$T/types"
	done <"$T/files"
	done_all
}

# Fields that depend on other records than the sample and its event are compared by other tests.
@test "rows: evaluate.py has each field of --filter that a record has" {
	{
		sed -nE 's/^SAMPLE\(.* NUMBER, +"([a-z_]+)".*/\1/p' ../common/record/sample.def
		sed -n '/^static const struct field fields/,/^};/p' ../common/field/field.c | sed -nE 's/^	\{ "([a-z_.]+)", .*/\1/p'
	} >"$T/fields"
	[ "$(wc -l <"$T/fields")" -ge 60 ] || failed "fields not found"
	while read -r name; do
		case $name in
		comm|ppid|dso|build_id|map.start|callchain.*|cgroup.name|ns.*|host|walltime|uid|gid|machine_pid|vcpu) ;;
		*) grep -qwF "$name" evaluate.py || failed "$name" ;;
		esac
	done <"$T/fields"
	done_all
}

@test "rows: evaluate.py and the page have each word of a field of --filter" {
	python3 - <<-'END'
		import re
		from evaluate import WORDS
		source, page = open("../common/field/field.c").read(), open("../man/perfpipe-filter.7").read()
		lists = {m[1]: re.findall(r'\{ "(\w+)", ([^}]*) \}', m[2]) for m in re.finditer(r"(\w+_words)\[\] = \{(.*?)\{ NULL", source, re.S)}
		n, seen = 0, set()
		for name, words in re.findall(r'^\t\{ "([a-z_.]+)", .*\b(\w+_words)\b', source, re.M):
		    if words == "type_words":		# rows of record.def
		        continue
		    there = re.search(r"^\.Li %s(?: :|\nis one of)\n\.Li ([a-z0-9_ ]+) [;.]$" % re.escape(name), page, re.M)
		    assert words in seen or there, f"the page does not have the words of {name}"
		    for word, number in lists[words]:
		        n += 1
		        assert word in WORDS[name], f"evaluate.py: {name}: {word}"
		        assert "PP_" in number or WORDS[name][word] == eval(number), f"evaluate.py: {name}: {word} is {number}"
		        assert words in seen or word in there[1].split(), f"the page: {name}: {word}"
		    seen.add(words)
		assert n >= 70, n
	END
}

@test "rows: pcat(1) has each member of a line of JSON that is no field of the record" {
	sed -n 's/^const char \*const jsonl_each_names.* = { \(.*\) };$/\1/p' ../cmd/pcat/jsonl/out_jsonl.c | tr -d '",' | tr ' ' '\n' >"$T/names"
	[ "$(wc -l <"$T/names")" -ge 4 ] || failed "names not found"
	while read -r name; do
		grep -q "^\.It Va $name Ta " ../man/pcat.1 || failed "$name"
	done <"$T/names"
	done_all
}

@test "rows: pstat --events shows each field of an attr" {
	grep -v ', PAD)' ../common/record/attr.def | sed -nE 's/^ATTR\(([a-z0-9_]+),.*/\1/p' >"$T/fields"
	[ "$(wc -l <"$T/fields")" -ge 20 ] || failed "fields not found"
	while read -r name; do
		grep -q "\ba->$name\b" ../cmd/pstat/views/attrs.c || failed "$name"
	done <"$T/fields"
	done_all
}

@test "rows: each bit of sample_type has a field of --filter" {
	sed -n '/^static const struct field fields/,/^};/p' ../common/field/field.c >"$T/fields"
	sed -n 's/^SAMPLE([ 0-9]*, \([A-Z_]*\), *\([a-z_]*\), *\([A-Z]*\),.* \([A-Z]*\), [^,]*, [^,]*)$/\1 \2 \3 \4/p' ../common/record/sample.def >"$T/rows"
	[ "$(wc -l <"$T/rows")" -ge 25 ] || failed "rows not found"
	while read -r bit name where filter; do
		[ $filter = ROWS ] || continue
		[ $bit != IDENTIFIER ] || name=id		# they are the same to --filter
		[ $where = TAIL ] && want="PP_SAMPLE_$bit\b" || want="(PLAN|ID|CPU|PERIOD), $name\b"
		grep -qE "$want" "$T/fields" || failed "$bit"
	done <"$T/rows"
	# columns.c removes fields behind the fixed part, and ADDR
	! grep -E '^SAMPLE\(.*(EDGE|BOTH|FIXED),.*", +(ROWS|NUMBER),' ../common/record/sample.def | grep -v ', ADDR,' || failed "--strip cannot"
	done_all
}

@test "rows: each part and each picture of pstat has its row" {
	local kind def n
	while read -r kind def n; do
		grep -rhoE "^const struct ${kind}_kind ${kind}_[a-z_]+" ../cmd/pstat --include=*.c | sed "s/.* ${kind}_//" | sort >"$T/have"
		[ "$(wc -l <"$T/have")" -ge $n ] || failed "$kind: not found"
		sed -n "s/^${kind^^}(\([A-Z_]*, \)\?\([a-z_]*\).*/\2/p" "../cmd/pstat/$def" | sort | diff - "$T/have" || failed "$def: < row, > code"
	done <<-END
		part count/parts.def 12
		picture picture/kinds.def 8
	END
	done_all
}

# What is compared with another commit, what fails at any call, and who reads damaged streams.
@test "rows: the lists of tests/same, failing.py, damage.py and 48-pstat have each picture and tool" {
	local word t f
	sed -n 's/^PICTURE([A-Z]*, [a-z_]*, "\([a-z]*\).*/\1/p' ../cmd/pstat/picture/kinds.def >"$T/words"
	[ "$(wc -l <"$T/words")" -ge 8 ] || failed "pictures not found"
	while read -r word; do
		grep -qE -- "^	--picture [^ ]*\b$word\b.* -o OUT" same || failed "same: $word"
		grep -qE -- "^	--picture [^ ]*\b$word\b.* --term" same || failed "same --term: $word"
		grep -qE -- "^pstat --picture [^ ]*\b$word\b" failing.py || failed "failing.py: $word"
		grep -qE "^PICTURES=.*\b$word\b" 48-pstat-svg.bats || failed "48-pstat-svg: $word"
	done <"$T/words"
	sed -nE 's/^const struct picture_kind picture_([a-z]+) = \{ \.timed = true.*/\1/p' ../cmd/pstat/picture/*.c >"$T/words"
	[ "$(wc -l <"$T/words")" -ge 4 ] || failed "pictures with time not found"
	while read -r word; do
		for f in compare sums; do
			sed -n "/^$f()/,/^}/p" 48-pstat-picture.bats | grep -qE -- "--picture [^ ]*\b$word\b" || failed "48-pstat-picture: $f: $word"
		done
		grep -qE "^TIMED=.*\b$word\b" 48-pstat-svg.bats || failed "48-pstat-svg: TIMED: $word"
	done <"$T/words"
	for t in $TOOLS; do
		grep -E '^READERS = ' damage.py | grep -qF "[\"$t\"" || failed "damage.py: $t"
		grep -qE "^$t " failing.py || failed "failing.py: $t"
	done
	done_all
}

# options_of_files LIST: a line with tool and name of each option that names a file or directory, but those that all tools read and
# write by the same functions; and yes if a command of LIST has it
options_of_files() {
	local t name letter
	for t in $TOOLS; do
		$t --list-options | jq -r '.options[] | select((.of == "file" or .of == "dir") and (.name | IN("input", "output", "index-file") | not)) |
		    [.name, .letter] | @tsv' | while IFS=$'\t' read -r name letter; do
			grep -E "^$t " "$1" | grep -qE -e " -(-$name${letter:+|$letter})\b" && echo "$t --$name yes" || echo "$t --$name"
		done
	done
}

@test "rows: failing.py has a way with each option that names a file or directory" {
	need jq
	local t name has n=0
	while read -r t name has; do
		[ "$has" ] || failed "$t $name"
		n=$((n + 1))
	done < <(options_of_files failing.py)
	[ $n -ge 18 ] || failed "$n options are seen"
	done_all
}

# What is read whole before the lock is here; the files of --input, --output and --index-file are those of all ways.
@test "rows: locked.py has a way with each option that names what is opened behind the lock" {
	need jq
	local before="pfilter --filter-file;pfilter --kallsyms;pfilter --anon-key;pinject --features-from;pinject --kallsyms" t name has n=0
	while read -r t name has; do
		[ "$has" ] || [[ ";$before;" == *";$t $name;"* ]] || failed "$t $name"
		n=$((n + ${#has} / 3))
	done < <(options_of_files locked.py)
	[ $n -ge 14 ] || failed "$n options are seen"
	done_all
}

@test "rows: perf-pipe(5) has each bit of misc, with the type whose bit it is" {
	local bit of n=0
	# a bit of several types stands in front of the first only
	sed -n '/^Bits 0 to 2 of misc/,/^\.Ed/p' ../man/perf-pipe.5 | awk '/^[0-9]+ / { bit = $1 } /^  / { $0 = bit $0 } 1' >"$T/bits"
	while read -r of bit; do
		grep -qE "^$bit .*\b(HEADER_)?$of" "$T/bits" || failed "bit $bit of $of"
		n=$((n + 1))
	done < <(grep -oE 'PP_MISC_[A-Z]+_[A-Z_]+ = 1 << [0-9]+' ../common/perfpipe.h | sed -E 's/PP_MISC_([A-Z]+)_.* ([0-9]+)/\1 \2/')
	[ $n -ge 6 ] || failed "$n bits are seen"
	done_all
}

# A bit that changes the layout has a record in recipes whose fields other tests read; here are those that do not.
@test "rows: of each bit of misc it is known whether it changes the layout, and a record has it then" {
	local of bit n=0
	while read -r of name bit; do
		n=$((n + 1))
		case $name in
		MMAP_DATA|COMM_EXEC|FORK_EXEC|SWITCH_OUT) continue ;;
		BUILD_ID_SIZE) of=HEADER_BUILD_ID ;;
		esac
		perl -ne 'print if /^'$of'\w* misc=(\S+)/ && (substr($1, 0, 2) eq "0x" ? hex $1 : $1) >> '$bit' & 1' data/{old-forms,pprof}.txt | grep -q . ||
		    failed "PP_MISC_$name: neither among those that leave the layout as it is, nor in data/old-forms.txt"
	done < <(grep -oE 'PP_MISC_[A-Z]+_[A-Z_]+ = 1 << [0-9]+' ../common/perfpipe.h | sed -E 's/PP_MISC_(([A-Z]+)_.*) = 1 << ([0-9]+)/\2 \1 \3/')
	[ $n -ge 6 ] || failed "$n bits are seen"
	done_all
}

@test "rows: each key of --sort is in its help and the schema of both its tables, and none has the name of a column" {
	need jq
	local table
	sed -n 's/^KEY("\([a-z_]*\)".*/\1/p' ../cmd/pstat/sort/keys.def | sort >"$T/keys"
	[ "$(wc -l <"$T/keys")" -ge 14 ] || failed "keys not found"
	# a word with another in brackets stands for two: cpu[mode]; there is no room for time, which the row of --time-quantum has
	pstat --help | sed -nE 's/^ *-s, --sort KEYS *//p; s/.*--sort (time) .*/\1/p' | sed -E 's/([a-z]+)\[([a-z]+)\]/\1 \1\2/' | tr ' ' '\n' | sort | comm -23 "$T/keys" - >"$T/lacks"
	[ ! -s "$T/lacks" ] || failed "the help of --sort: $(tr '\n' ' ' <"$T/lacks")"
	for table in sort hist; do
		jq -r ".properties.$table.items.properties | keys[]" pstat.schema.json | sort | comm -23 "$T/keys" - >"$T/lacks"
		[ ! -s "$T/lacks" ] || failed "pstat.schema.json: $table: $(tr '\n' ' ' <"$T/lacks")"
	done
	{
		jq -r '.properties.sort.items.required[]' pstat.schema.json
		pstat --list-options | jq -r '.options[] | select(.name == "columns").words[]'
	} | sort >"$T/columns"
	[ "$(wc -l <"$T/columns")" -ge 18 ] || failed "columns not found"
	comm -12 "$T/keys" "$T/columns" >"$T/both"
	[ ! -s "$T/both" ] || failed "also a column: $(tr '\n' ' ' <"$T/both")"
	done_all
}

# Where an index is used, samples that match no condition of prune_make() are not read.  So an option with which these count, as
# --invert, is a row of prune_hinders().  Any other is drawn by index-law.py; here are those with which nothing can be compared, and
# those that only go with another one.
@test "rows: each option of pfilter hinders the use of an index, or is tried with and without one" {
	need jq
	{
		sed -n '/^prune_hinders/,/^}/p' ../cmd/pfilter/prune.c | grep -o -- '--[a-z-]*'
		grep -o '"--[a-z][a-z-]*' index-law.py | tr -d '"'
		printf -- '--%s\n' container exclude-container pod exclude-pod filter-file drop-event anon \
		    show-on-off-events kallsyms explain task-field before after around-same longer-than shorter-than span-with span-period span-end \
		    span-task span-open span-sure seed anon-key anon-map anon-undo allow \
		    max-memory input max-expand output force format dry-run jobs index-file verify-index quiet verbose no-sandbox help version
	} | sort -u >"$T/known"
	pfilter --list-options | jq -r '"--" + .options[].name' | sort | comm -23 - "$T/known" >"$T/unknown"
	[ ! -s "$T/unknown" ] || failed "neither in prune_hinders() nor drawn by index-law.py: $(tr '\n' ' ' <"$T/unknown")"
	[ "$(grep -c . "$T/known")" -ge 60 ] || failed "options not found"
	done_all
}

# refused TOOL OPTION: the options that it refuses with that one
refused() {
	"$1" --list-options | jq -r --arg with "$2" '.relations[] | select(.kind == "not with" and ([.these[], .others[]] | index($with))) | .these[], .others[]'
}

# all_known TOOL OPTION N <NAMES: each option of the tool is among the names, of which there are N at least
all_known() {
	sort -u >"$T/known"
	[ "$(grep -c . "$T/known")" -ge "$3" ] || failed "options not found"
	"$1" --list-options | jq -r '.options[].name' | sort | comm -23 - "$T/known" >"$T/unknown"
	[ ! -s "$T/unknown" ] || failed "what does --$2 with $(tr '\n' ' ' <"$T/unknown")?"
}

# --diff makes the report of a recording by another process, which gets the options that diff_handed_on names.  What it does not name,
# and no relation refuses, says nothing of what is counted.
@test "rows: each option of pstat is handed on by --diff, refused with it, or about the output" {
	need jq
	{
		sed -n 's/^#define COUNTED "\(.*\)"$/\1/p; s/^static const char diff_handed_on\[\] = "\(.*\)," COUNTED ",\(.*\)";$/\1,\2/p' \
		    ../cmd/pstat/merge/run.c | tr , '\n'
		refused pstat diff
		# these go only with such as are refused, or with what is named here
		printf '%s\n' strict for folded allow-missing weight
		printf '%s\n' top icicle term theme report format json csv table output force quiet input piece jobs help version
	} >"$T/names"
	all_known pstat diff 40 <"$T/names"
	done_all
}

# What pstat --merge ignores is refused with it, or needs what is refused, or is about the output.
@test "rows: each option of pstat is refused with --merge, or about the output" {
	need jq
	{
		refused pstat merge
		printf '%s\n' merge strict for folded children demangle event cpumode term theme scale icicle max-nodes flame-by weight report allow-missing
		printf '%s\n' table format json csv output force input quiet verbose no-sandbox jobs piece help version
	} >"$T/names"
	all_known pstat merge 40 <"$T/names"
	done_all
}

# pcat --copy-data looks at no record.
@test "rows: each option of pcat is refused with --copy-data, or changes no record" {
	need jq
	{
		refused pcat copy-data
		pcat --list-options | jq -r '.relations[] | select(.kind == "only with").these[]'
		# these go only with such as are refused
		printf '%s\n' frame-size threads pid event labels max-memory symbols demangle columns types output-template switch-max-files formats-from \
		    allow allow-missing part pids
		# about the header, or only of a CPU profile
		printf '%s\n' features no-features expand-counts
		printf '%s\n' format input output force max-expand write-index chunk-size snapshots index-file no-index verify-index piece quiet verbose \
		    no-sandbox help version
	} >"$T/names"
	all_known pcat copy-data 50 <"$T/names"
	done_all
}

# Of the options that all tools have, some need an input that is read as a recording, or an output.
@test "rows: OPT_ONLY_WITH() permits the options that all tools have, as --no-sandbox" {
	need jq
	for t in $TOOLS; do
		$t --list-options | jq -r '.options[].name' | sort
	done | sort | uniq -c | awk -v n="$(wc -w <<<"$TOOLS")" '$1 == n { print $2 }' |
	    grep -vxE 'format|input|max-expand|output|force|piece|index-file|no-index|verify-index|help|version' >"$T/common"
	grep -qx no-sandbox "$T/common" || failed "options not found"
	for t in $TOOLS; do
		$t --list-options | jq -r '.relations[] | select(.kind == "only with") | .these[0] + " " + (.others | join(","))'
	done >"$T/rows"
	[ "$(wc -l <"$T/rows")" -ge 6 ] || failed "rows not found"
	while read -r this others; do
		tr , '\n' <<<"$others" | sort | comm -23 "$T/common" - >"$T/lacks"
		[ ! -s "$T/lacks" ] || failed "--$this: $(tr '\n' ' ' <"$T/lacks")"
	done <"$T/rows"
	done_all
}

# What a word of --sideband leaves out, an index must not, nor its snapshots.
@test "rows: each word of --sideband is tried with and without an index" {
	need jq
	pfilter --list-options | jq -r '.options[] | select(.name == "sideband").words[]' >"$T/words"
	grep -qx needed "$T/words" || failed "words not found"
	while read -r word; do
		[ $word = all ] || grep -- '"--sideband="' index-law.py | grep -q "\"$word\"" || failed "$word"
	done <"$T/words"
	done_all
}

# A role that is none of these is left as it is, as CPU and ADDR.
@test "rows: of each role it is known whether a join changes it" {
	local role
	sed -nE 's/^ROLE\(([A-Z_]+)\).*/\1/p' ../common/record/role.def >"$T/roles"
	[ "$(wc -l <"$T/roles")" -ge 40 ] || failed "roles not found"
	while read -r role; do
		case $role in
		PAD|PLAIN|CPU|ADDR|USER_ADDR|KERNEL_ADDR|PHYS_ADDR|POINTER|CONFIG|REGS|MAP_*|COMM|PATH|SYMBOL|CGROUP_PATH|EVENT|EVENT_BYTES|UNIT|TEXT) ;;
		BUILD_ID|BUILD_ID_SIZE|FILE_ID|TAG|DEVICE|NAMESPACE|CGROUP_ID|COOKIE|CODE|OPAQUE|RESULT) ;;
		*) grep -qE "PP_ROLE_(BIT\()?$role\b" ../common/make/rewrite.c || failed "$role" ;;
		esac
	done <"$T/roles"
	done_all
}

# All but that word leave what only that word changes; command lines are also removed for any name in them.
@test "rows: each word of --anon changes something" {
	need jq
	head -c 32 /dev/urandom >"$T/key"
	sed -E 's/^(EVENT_UPDATE .* )z=.*/\1z=secret:thing/' data/all-types.txt | mkpipe - >"$T/in"
	pfilter --list-options | jq -r '.options[] | select(.name == "anon").words[]' | grep -vxE 'all|cmdline' >"$T/words"
	[ "$(wc -l <"$T/words")" -ge 7 ] || failed "words not found"
	pfilter -q --anon all --anon-key "$T/key" "$T/in" >"$T/all"
	while read -r word; do
		try pfilter -q --anon "all,-$word" --anon-key "$T/key" "$T/in"
		[ $rc = 0 ] && ! cmp -s "$T/all" "$T/out" || failed "$word"
	done <"$T/words"
	done_all
}

@test "rows: each tool is among Debian's links, or its name is taken there" {
	for t in $TOOLS; do
		grep -q "/perfpipe/$t usr/bin/$t\$" packaging/debian/perfpipe.links && grep -q "man1/$t.1.gz\$" packaging/debian/perfpipe.links ||
		    grep -q "^TAKEN = .*\b$t\b" packaging/debian/rules || failed "$t"
		sed -n '/^Package: perfpipe$/,/^$/p' packaging/debian/control | tr -s '\n ' ' ' | grep -q "\b$t (\|\band $t (" || failed "control: $t"
	done
	done_all
}

@test "rows: the words of --columns, and the units of durations, are the same wherever they stand" {
	need jq
	local unit
	pstat --list-options | jq -r '.options[] | select(.name == "columns").words[]' | sort >"$T/words"
	sed -n '/column_words\[\] = {/,/^}/p' ../cmd/pstat/sort/values.c | grep -oE '\{ "[a-z0-9]+"' | tr -d '{ "' | sort | diff "$T/words" - || failed "--columns"
	[ "$(wc -l <"$T/words")" -ge 9 ] || failed "words not found"
	sed -n '/^tool_duration/,/^}/p' ../common/tool/arg.c | grep -oE '\{ "[a-z]+", ' | tr -d '{ ",' >"$T/units"
	[ "$(wc -l <"$T/units")" -ge 7 ] || failed "units not found"
	while read -r unit; do
		sed -n '/^unit_of/,/^}/p' ../cmd/pfilter/expr/lex.c | grep -q "{ \"$unit\", " || failed "--filter: $unit"
		grep -F 'strspn(unit, "' ../cmd/pfilter/keys/times.c | grep -qE "\"[a-z]*${unit:0:1}[a-z]*\"" || failed "--time: $unit"
		grep -A 2 '^\.Cm ns ' ../man/perfpipe.7 | grep -qw "$unit" || failed "perfpipe(7): $unit"
		grep -E '^\.Li ns ' ../man/perfpipe-filter.7 | grep -qw "$unit" || failed "perfpipe-filter(7): $unit"
	done <"$T/units"
	done_all
}

# A field of such a role says nothing of a person or a machine.
@test "rows: each role is counted by pstat --privacy, or gives nothing away" {
	local role
	sed -nE 's/^ROLE\(([A-Z_]+)\).*/\1/p' ../common/record/role.def >"$T/roles"
	[ "$(wc -l <"$T/roles")" -ge 40 ] || failed "roles not found"
	while read -r role; do
		case $role in
		PAD|PLAIN|CPU|TIME|CLOCK|ID_OWN|ID_REF|STREAM_ID|READ|POINTER|CONFIG|MAP_LEN|MAP_PGOFF|UNIT|BUILD_ID_SIZE|DEVICE|CGROUP_ID|COOKIE) ;;
		*) cat ../cmd/pstat/privacy/{record,payload}.c | grep -qE "(PP_ROLE_|BIT\()$role\b" || failed "$role" ;;
		esac
	done <"$T/roles"
	done_all
}

# bytes FILE TYPE: the records of that type, in hexadecimal
bytes() {
	od -An -v -tx1 -w1 "$1" | tr -d ' \n' | perl -ne '
		my $s = pack "H*", $_; my $le = substr($s, 0, 4) eq "PERF";
		for (my $at = 16; $at < length $s; ) {
			my ($type, $misc, $size) = unpack $le ? "Vvv" : "Nnn", substr $s, $at, 8;
			print unpack("H*", substr $s, $at, $size), "\n" if $type == '"$2"';
			$at += $size;
		}'
}

# recording TID TIME: both what is new and what is not, of a task
recording() {
	printf '%s\n' "attr type=1 config=0 period=1 sample_type=$((0x10007 | 3 << bit)) flags=sample_id_all|comm|mmap ids=1" \
	    "COMM pid=$1 tid=$1 comm=x @ pid=$1 tid=$1 time=$2" \
	    "rec type=9 misc=2 u8=1 u8=0x7fff12345678 u4=$1 u4=$1 u8=$2 u8=0x7365637265743233 u8=77" \
	    "rec type=63 misc=2 u4=$1 u4=$1 u8=0x7fff12345678 u8=$2 z=/home/secret/of-nobodys u4=$1 u4=$1 u8=$2 u8=1" FINISHED_ROUND
}

@test "rows: a record type and bits of sample_type need only their rows to be known to all that the tools do" {
	only_all		# it builds the tools
	source_copy
	sed -i '/^REC(64,/i REC(63, TEST_NOTE, SWITCH, 7_2, ID, U4(pid, PID) U4(tid, TID) X8(addr, ADDR) U8(time, TIME) STR(path, PATH), NONE, 0)' \
	    "$T/common/record/record.def"
	bit=$(grep -c '^SAMPLE(' ../common/record/sample.def)
	printf 'SAMPLE(%d, TEST_%s, TAIL, U64, %s)\n' \
	    $bit "SECRET, secret" "OPAQUE, 7_2, $((bit + 1)), 0, NUMBER, \"secret\", 0" \
	    $((bit + 1)) "NUMBER, number" "PLAIN, 7_2, $((bit + 2)), \"number\", NUMBER, \"number\", 0" >>"$T/common/record/sample.def"
	sed -i 's/^	struct pp_bytes	 aux;/&\n	uint64_t	 secret, number;/' "$T/common/perfpipe.h"
	make -s -j2 -C "$T" O="$T/o" CFLAGS=-O0 "$T/o/pcat" "$T/o/pfilter" >"$T/make" 2>&1 || { cat "$T/make"; false; }
	PATH=$T/o:$PATH
	for b in "" -b; do
		recording 4711 1005 >"$T/recipe"
		mkpipe $b "$T/recipe" >"$T/in"
		mkpipe $([ "$b" ] || echo -b) "$T/recipe" >"$T/turned"
		try pcat --endian $([ "$b" ] && echo little || echo big) "$T/in"
		cmp "$T/turned" "$T/out" || failed "byte order $b"

		recording 5711 4005 >"$T/recipe"
		mkpipe $b "$T/recipe" >"$T/moved"
		head -c 16 "$T/in" >"$T/none"
		try pcat --remap-pids=1000 "$T/none" --time-offset=3us "$T/in"
		for t in 9 63; do
			bytes "$T/moved" $t | grep . >"$T/want" || failed "no such record"
			bytes "$T/out" $t | diff "$T/want" - || failed "pids and times of type $t $b"
		done

		try pfilter --anon all "$T/in"
		[ $rc = 0 ] && one_line "pfilter: warning: --anon: fields without pseudonyms removed from samples: 1 secret" || failed anon
		[ "$(bytes "$T/out" 63 | wc -l)" = 1 ] && ! grep -aqE 'secret|23terces' "$T/out" || failed "a path or secret $b"
		! bytes "$T/out" 63 | grep -E '00007fff12345678|78563412ff7f0000|00001267|67120000' || failed "a pid or address $b"
		[ "$(bytes "$T/out" 9 | wc -c)" = 97 ] && bytes "$T/out" 9 | grep -qE '(4d0{14}|0{14}4d)$' || failed "fields of the sample $b"
		try pfilter --anon comm "$T/in"
		bytes "$T/in" 63 | diff - <(bytes "$T/out" 63) || failed "what is not asked for $b"

		for keys in "--pid 4711" "--time ,0.001" "--filter pid==4711" "--filter time==1005" "--type test_note,sample,comm"; do
			try pfilter $keys "$T/in"
			[ $rc = 0 ] && [ "$(bytes "$T/out" 63 | wc -l)" = 1 ] || failed "$keys $b"
		done
		for keys in "--pid 4712" "--time 0.001," "--filter pid==4712" "--type sample" "--drop-type test_note" "--tid 1"; do
			try pfilter $keys "$T/in"
			[ -z "$(bytes "$T/out" 63)" ] || failed "$keys $b"
		done
		try pcat --compat 6.12 "$T/in"
		[ $rc = 0 ] && [ -z "$(bytes "$T/out" 63)" ] || failed "an old perf $b"
		cp "$T/out" "$T/older"
		recording 4711 1005 | sed -e '/type=63/d; s/ u8=0x7365637265743233 u8=77//' \
		    -e "s/sample_type=[0-9]*/sample_type=$((0x10007))/" >"$T/recipe"
		mkpipe $b "$T/recipe" | pcat --compat 6.12 | cmp - "$T/older" || failed "fields that an old perf does not read $b"
		try pfilter --strip number "$T/in"
		[ $rc = 0 ] && [ "$(bytes "$T/out" 9 | wc -c)" = 97 ] || failed "--strip $b"
		try pcat --compat current "$T/in"
		[ $rc = 0 ] && [ "$(bytes "$T/out" 63 | wc -l)" = 1 ] || failed "a new perf $b"
	done
	done_all
}
