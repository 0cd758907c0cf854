# SPDX-License-Identifier: ISC
# For tests of pstat: each JSON that pstat writes in them is checked by the schema, when the file of tests has ended.

# The python that has Debian's modules.
PYTHON=/usr/bin/python3

# need_module MODULE...: skip the test if python has not these.
need_module() {
	local m
	for m; do
		$PYTHON -c "import $m" 2>/dev/null || skip "python3 has no $m"
	done
}

pstat() {
	local a json= out= prev= copy rc=0
	for a; do
		case $a in --json|--format=json) json=y;; esac
		[ "$prev" != -o ] || out=$a
		prev=$a
	done
	[ -n "$json" ] || { command pstat "$@"; return; }
	copy=$(mktemp "$T.json.XXXXXX")
	command pstat "$@" >"$copy" || rc=$?
	if [ -z "$out" ]; then
		cat "$copy"
	elif [ -f "$out" ]; then
		cp "$out" "$copy"
	fi
	return $rc
}

teardown_file() {
	local -a made=()
	local f
	for f in "$BATS_RUN_TMPDIR"/test/*.json.*; do
		[ ! -s "$f" ] || made+=("$f")
	done
	[ ${#made[@]} = 0 ] || $PYTHON "$BATS_TEST_DIRNAME/pstat.py" schema "$BATS_TEST_DIRNAME/pstat.schema.json" "${made[@]}"
}
