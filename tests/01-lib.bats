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

@test "lib: perf has an empty build-id cache" {
	need perf
	HOME=$T
	perf --buildid-dir "$T/.debug" buildid-cache -a "$(type -P pcat)"
	[ -n "$(perf --buildid-dir "$T/.debug" buildid-cache -l)" ]
	[ -z "$(perf buildid-cache -l)" ]
}
