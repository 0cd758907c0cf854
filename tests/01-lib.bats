# SPDX-License-Identifier: ISC
# What lib.bash does for the others.

load lib

# failing LINE...: bats runs these as a test; what it says of it.
failing() {
	cp lib.bash perf.bash "$T"
	{
		printf '%s\n' "load lib" "same() { local a=\$1 b=\$2; [ \"\$a\" = \"\$b\" ]; }" '@test "fails" {' "$@" true }
	} >"$T/failing.bats"
	! O=$O bats "$T/failing.bats" >"$T/out" || failed "it passes: $*"
}
# says TEXT: there is a line of it
says() {
	grep -Fqx -e "$1" "$T/out" || { failed "no line '$1'"; cat "$T/out"; }
}

@test "lib: a failing comparison shows its expression, its place and both values" {
	failing 'rc=3; x="some text"' '[ $rc = 0 ]'
	says "# (in test file $T/failing.bats, line 5)" 
	says '# failed: [ $rc = 0 ]'
	says "#   values: '[' 3 = 0 ']'"

	failing 'x="some text"' '[[ $x == other* ]]'
	says '# failed: [[ $x == other* ]]'
	says '#   values: [[ some text == other* ]]'

	failing 'n=2' '((n > 3))'
	says '# failed: ((n > 3))'
	says '#   values: n=2'

	failing 'same one two'
	says '# failed: [ "$a" = "$b" ]'
	says "#   values: '[' one = two ']'"

	failing 'x=$(false; echo captured)' '[ "$x" = other ]'
	says "#   values: '[' captured = other ']'"

	failing 'rc=3; for c in one two; do' '[ $c = one ] && [ "$rc" = 3 ] || failed "case $c"' done done_all
	says '# FAILED: case two'
	says '#   line 5: [ $c = one ] && [ "$rc" = 3 ] || failed "case $c"'
	says "#   values: '[' two = one ']'"
	says "#   values: '[' 3 = 3 ']'"

	failing 'true &&' '    [ 1 = 0 ] ||' '    failed "on two lines"' done_all
	says '#   line 6: [ 1 = 0 ] || failed "on two lines"'
	says "#   values: '[' 1 = 0 ']'"

	failing 'grep -q nothing-like-it lib.bash'
	says '# failed: grep -q nothing-like-it lib.bash'
	done_all
}

setup_file() {
	echo "${PERF_CONFIG-}" >"$BATS_FILE_TMPDIR/config"
}

@test "lib: perf record links no file of the system into its build-id cache" {
	need record
	perf record -q -o "$T/in" -- "$(type -P sh)" -c 'for i in 1 2 3; do /bin/true; done' || failed "record"
	[ -z "$(ls -A "$T.perf/buildid" 2>/dev/null)" ] || failed "$(find "$T.perf/buildid" | head)"
	done_all
}

@test "lib: perf has an empty build-id cache" {
	need perf
	# also what runs before the tests of a file
	grep -qxF "	dir = $BATS_RUN_TMPDIR/perf/buildid" "$(cat "$BATS_FILE_TMPDIR/config")"
	HOME=$T
	perf --buildid-dir "$T/.debug" buildid-cache -a "$(type -P pcat)"
	[ -n "$(perf --buildid-dir "$T/.debug" buildid-cache -l)" ]
	# of copies: other names would change the ctime of files
	[ ! -e "$O/kallsyms.so" ] || [ "$(stat -c %h "$(type -P pcat)")" = 1 ]
	[ -z "$(perf buildid-cache -l)" ]
}

@test "lib: setup_file can skip all tests of its file" {
	cp lib.bash perf.bash "$T"
	printf '%s\n' "load lib" "setup_file() { skip_file not here; }" '@test "one" { false; }' '@test "two" { false; }' >"$T/skipped.bats"
	O=$O bats --tap "$T/skipped.bats" >"$T/out" || failed "it fails"
	[ "$(grep -c '^ok .* # skip not here$' "$T/out")" = 2 ] || failed "$(cat "$T/out")"
	done_all
}

@test "lib: of a test that takes too long is said what ran at its end" {
	printf '%s\n' "load lib" '@test "one" { true; }' '@test "two" { sleep 98.765; }' >"$T/long.bats"
	cp lib.bash perf.bash "$T"
	TEST_LIMIT=10 O=$O try ./tap "$T/long.bats"
	[ $rc = 1 ] && grep -q '^not ok 2 - no result within 10 s$' "$T/out" || failed "status $rc: $(cat "$T/out")"
	grep -q '^# [0-9]* S [a-z0-9_]* sleep 98.765 *$' "$T/out" || failed "$(cat "$T/out")"
	done_all
}

@test "lib: of a 32-bit machine whose perf is killed by each recording, tests that need perf are skipped" {
	mkdir "$T/bin"
	printf '#!/bin/sh\necho 32\n' >"$T/bin/getconf"
	for how in "exit 1:0" "kill -ABRT \$\$:1"; do
		printf '#!/bin/sh\n%s\n' "${how%:*}" >"$T/bin/perf"
		chmod +x "$T"/bin/*
		rm -f "$T/perf-reads"
		try env BATS_RUN_TMPDIR="$T" PATH="$T/bin:$PATH" bash -c 'source perf.bash && perf_reads'
		[ $rc = "${how#*:}" ] || failed "$how: $rc"
	done
	done_all
}

# what perf 7.2 prints there, seconds that need more than 32 bits as nanoseconds, too; and times below 2^32 ns, which it has right
@test "lib: of a 32-bit machine, perf script --ns has the times of the recording" {
	mkdir "$T/bin" "$T/made"
	printf '#!/bin/sh\necho 32\n' >"$T/bin/getconf"
	printf '#!/bin/sh\n%s\nexit 3\n' 'printf "%s\n" " sh 5126 [000]  1914.1911468789387: a:b: x=1.12345678901" "    1  4.294967295:  2.000000001: e" \
	    "1266874889.18446744070124135934: e" " 1914.208342: $*"' >"$T/bin/perf"
	chmod +x "$T"/bin/*
	O=$T KALLSYMS= PATH="$T/bin:$PATH" bash -c 'source perf.bash && make_perf "$1"' bash "$T/made"
	for perf in perf true_perf; do
		KALLSYMS= try "$T/made/$perf" --buildid-dir x script -F time --ns -i "a b"
		[ $rc = 3 ] || failed "$perf: status"
		diff - "$T/out" <<-END || failed "$perf"
			 sh 5126 [000]  1914.208342667: a:b: x=1.12345678901
			    1  4.294967295:  2.000000001: e
			18446744073.709551614: e
			 1914.208342: --buildid-dir x script -F time --ns -i a b
		END
		KALLSYMS= try "$T/made/$perf" script -i x
		[ $rc = 3 ] && grep -q '1914.1911468789387:' "$T/out" || failed "$perf: without --ns"
	done
	printf '#!/bin/sh\nkill -ABRT $$\n' >"$T/bin/perf"
	try "$T/made/true_perf" script --ns
	[ $rc = 134 ] || failed "a signal: $rc"
	done_all
}

# machine NAME PROGRAM: a directory $T/NAME of the tools, in which the shell program stands for pstat.
machine() {
	mkdir -p "$T/$1"
	ln -sf $(type -P $TOOLS mkpipe) "$T/$1/"
	[ -z "${2-}" ] || { rm "$T/$1/pstat"; printf '%s\n' '#!/bin/sh' "$(type -P pstat) \"\$@\" | $2" >"$T/$1/pstat"; chmod +x "$T/$1/pstat"; }
}
# compares STATUS OTHER REGEX
compares() {
	O=$T/here try ./same "$T/$2/" "$3"
	[ $rc = $1 ] || { failed "$2: status $rc"; cat "$T/out" "$T/err"; }
}

# A second perf_reads() once made tests skip that need perf, in each file that loaded both.
@test "lib: what one library defines, no other that is loaded beside it defines anew" {
	for f in *.bats; do
		for l in $(printf '%s\n' lib perf $(sed -n 's/^load \([a-z]*\).*/\1/p' "$f") | sort -u); do
			[ ! -e $l.bash ] || sed -nE "s/^([a-z_0-9]+)\(\).*/\1/p" $l.bash | sort -u
		done | sort | uniq -d >"$T/twice"
		[ ! -s "$T/twice" ] || failed "$f: $(paste -sd' ' "$T/twice")"
	done
	done_all
}

@test "same: the tools of two machines" {
	local other='sed "1s/)$/, other byte order)/; s/^findings    none at a glance;/findings    E34 header features in the other byte order: 9 times;/"'
	machine here
	machine alike
	compares 0 alike '^(pcat|pstat|psort|pstat --check --json) data/basic.(pipe|file).data$'
	grep -qx 'same: 2 inputs, 8 runs .*: no difference' "$T/out"
	machine wrong 'sed s/side-band/side-bend/'
	compares 1 wrong '^(pcat|pstat) data/basic.pipe.data$'
	grep -q '^pstat data/basic.pipe.data: was ' "$T/out"
	! grep -q ^pcat "$T/out" || failed "pcat, which is the same"

	# of the other byte order: what it has to remark, and no more, on recordings of this one's only; what it cannot do as this one is told
	machine order "$other"
	compares 0 order '^(pcat|pstat) data/(basic.pipe|p72_basic.pipe).data$'
	compares 0 order '^pcat( -v)? gperf/o.prof$'
	machine order-wrong "$other | sed s/side-band/side-bend/"
	compares 1 order-wrong '^pstat data/basic.pipe.data$'
	compares 1 order '^pstat data/s390x_basic.pipe.data$'

	# tests/outputs looks for the same
	for how in "0 here" "1 wrong" "0 order" "1 order-wrong"; do
		INSTALLED=$T/${how#* } try ./outputs '^pstat( -v)? data/(basic|p72)[a-z0-9_]*.(pipe|file).data$'
		[ $rc = "${how% *}" ] || failed "outputs: $how"
		[ $rc = 0 ] || grep -q '^pstat .*data: was 0:.* now 0:' "$T/out" || failed "outputs: $how: what"
	done

	# the parts are all, each run once
	for k in 1 2 3; do PART=$k/3 compares 0 alike '^pstat.* data/basic.pipe.data$'; sed -n 's/.* \([0-9]*\) runs .*/\1/p' "$T/out"; done >"$T/parts"
	compares 0 alike '^pstat.* data/basic.pipe.data$'
	grep -q " $(($(paste -sd+ "$T/parts"))) runs " "$T/out"
	done_all
}
