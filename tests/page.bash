# SPDX-License-Identifier: ISC
# For tests of the page of pstat --report.

# in_browser STEP...: browser.py in $T, what it prints in $T/browser; skips without a browser that runs here.
in_browser() {
	local rc=0
	(cd "$T" && timeout -s KILL 400 "$PYTHON" "$OLDPWD/browser.py" "$@") </dev/null >"$T/browser" 2>"$T/faults" || rc=$?
	[ $rc != 77 ] || skip "no Chromium that runs here"
	[ $rc = 0 ] || failed "$(cat "$T/faults")"
}

# page FILE NAME [OPTION...]: the page of a copy of the recording that has that name, so that the commands in it find it.
page() {
	[ "$1" -ef "$T/$2" ] || cp "$1" "$T/$2"
	rc=0
	(cd "$T" && command pstat -f --report page.html "${@:3}" "./$2") </dev/null >"$T/out" 2>"$T/err" || rc=$?
}
