# SPDX-License-Identifier: ISC
# Each system call of each tool fails, or is its last one: by failing.c and failing.py; allocations by fault/fault.c.
load lib

able() {
	need native
	need python3
	! sanitized || skip "a sanitizer makes calls of its own"
	[ "$(uname -m)" = x86_64 ] && [ -e /usr/include/x86_64-linux-gnu/asm/unistd_64.h ] || skip "tests/failing.c is for x86-64"
	"$O/failing" true || skip "no process can be traced here"
}
failing() {
	try python3 failing.py "$@" "${TABLE-failing.tsv}"
	[ $rc != 2 ] || failed "$(cat "$T/err")"
}

@test "failing: whatever system call fails, nothing is missing without a word, and nothing is left" {
	able
	# all of what failed once, some of the others
	for some in "-c fcntl -m ^pcat.--chunks" "-c write -m ^pstat.--diff.--picture" "-c fstat$ -m ^pinject.*(perf-map=|archive=s)" "$([ -n "${ALL-}" ] || printf %s -e149)"; do
		failing $some
		[ $rc = 0 ] || failed "$(cat "$T/out")"
	done
	done_all
}

@test "failing: killed at any call, files are as they were, or whole" {
	able
	failing -k $([ -n "${ALL-}" ] || printf %s -e43)
	[ $rc = 0 ] || failed "$(cat "$T/out")"
	done_all
}

@test "failing: without memory, at any allocation, the same" {
	able
	for some in "-m ^pcat.--format=(file|jsonl.in/sched)|^pfilter.--drop-event" "$([ -n "${ALL-}" ] || printf %s -e127)"; do
		failing -a $some
		[ $rc = 0 ] || failed "$(cat "$T/out")"
	done
	done_all
}

@test "failing: what is otherwise, and a row of no case, are found" {
	able
	: >"$T/none.tsv"
	TABLE=$T/none.tsv failing -m '^pcat -f -o out/old in/data$' -k -c renameat
	[ $rc = 1 ] && grep -q 'renameat.SIGKILL.left behind' "$T/out" || failed "left behind: $(cat "$T/out" "$T/err")"
	TABLE=$T/none.tsv failing -m '^pfilter --anon-undo' -c openat
	[ $rc = 1 ] && grep -q 'openat.EACCES.status 2' "$T/out" || failed "status: $(cat "$T/out" "$T/err")"
	printf '*\t*\t*\tstatus 2\t\n' >"$T/bad.tsv"
	try python3 failing.py "$T/bad.tsv"
	[ $rc = 1 ] && grep -q 'not a way' "$T/err" || failed "no reason: $(cat "$T/out" "$T/err")"
	done_all
}

@test "failing: a process whose parent is killed while it makes it goes on" {
	able
	cat >"$T/killed.py" <<-'END'
		import os, time
		for i in range(100):
		    p = os.fork()
		    while not p:
		        c = os.fork() or os._exit(0)
		        os.waitpid(c, 0)
		    time.sleep(i % 9 / 1000)
		    os.kill(p, 9)
		    os.waitpid(p, 0)
	END
	try "$O/failing" -s 60 python3 "$T/killed.py"
	[ $rc = 0 ] || failed "status $rc"
	done_all
}
