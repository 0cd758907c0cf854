# SPDX-License-Identifier: ISC
# What each process of each tool may still do behind its locks: tried by locked.c in the processes themselves, compared with locked.tsv.
load lib

setup_file() {
	export KERNEL_ABI=$(kernel_abi)
}
able() {
	need native
	need python3
	! sanitized || skip "a sanitizer needs files and programs"
	[ "$(uname -m)" = x86_64 ] && [ -e /usr/include/x86_64-linux-gnu/asm/unistd_64.h ] || skip "tests/locked.c is for x86-64"
	[ "${KERNEL_ABI:-0}" -ge 6 ] || skip "the table is for kernels with seccomp and Landlock's ABI 6"
	mkdir -p "$T/places"
	"$O/locked" -o "$T/tries" "$T/places" true </dev/null || skip "no process can be traced here"
}
locked() {
	try python3 locked.py "$@" "${TABLE-locked.tsv}"
}

@test "locked: what is allowed stands in the table, and why" {
	able
	locked -m '^(psort < in/pipe|pcat --f(ollow|ormat=file) .*|pcat --format=pprof --symbols .*|pinject (-b|--archive=symbols .*) in/host|pfilter --jobs.*)$'
	[ $rc = 0 ] || failed "$(cat "$T/out")"
	done_all
}

@test "locked: kernels without Landlock, without seccomp, with neither; that refuse them; an ordinary user" {
	able
	locked -k "user;no Landlock;no seccomp;neither;no new privileges;Landlock refuses;seccomp refuses" \
	    -m '^(pcat in/data|pcat --format=file .*|pinject -b in/host)$'
	[ $rc = 0 ] || failed "$(cat "$T/out")"
	done_all
}

@test "locked: each tool and option that widens the lock, on each kernel" {
	able; only_all
	locked -k all
	[ $rc = 0 ] || failed "$(cat "$T/out")"
	done_all
}

@test "locked: a tool that may open sockets is found" {
	able
	[ -e "$O/cmd/psort/main.o" ] && [ -e "$O/tool.a" ] && [ -e "$O/library.a" ] || skip "no objects of psort in $O"
	mkdir "$T/planted"
	cp "$O"/{pcat,pfilter,pinject,pstat} "$T/planted"
	sed 's/^\tCALL(sysinfo)/\tCALL(socket) &/' ../common/tool/confine_calls.c >"$T/calls.c"
	grep -q 'CALL(socket)' "$T/calls.c"
	${CC:-cc} -D_GNU_SOURCE -I../common -I../common/tool -o "$T/planted/psort" "$T/calls.c" "$O"/cmd/psort/*.o "$O/tool.a" "$O/library.a" \
	    $(${PKG_CONFIG:-pkg-config} --libs libzstd libbsd-overlay) -pthread -lm
	INSTALLED=$T/planted locked -m '^(psort|pfilter) < in/pipe$'
	[ $rc = 1 ] && [ "$(grep -c 'row: both	psort < in/pipe: tool	socket' "$T/out")" -ge 4 ] && ! grep -v 'psort < in/pipe: tool	socket' "$T/out" ||
	    failed "$(cat "$T/out")"
	done_all
}

# faulty SED MESSAGE: of a table that is changed so, it says that.
faulty() {
	sed "$1" locked.tsv >"$T/table"
	if cmp -s "$T/table" locked.tsv; then failed "no change: $1"; fi
	TABLE=$T/table locked -m '^psort < in/pipe$'
	[ $rc = 1 ] && grep -q "$2" "$T/out" || failed "$1: $(cat "$T/out")"
}

@test "locked: a row without a reason, one that is missing, and one that claims too much are found" {
	able
	faulty '/	sysinfo	/s/	[^	]*$/	/' ': no reason$'
	faulty '/	sysinfo	/d' '^allowed without a row: both	psort < in/pipe: tool	sysinfo	'
	faulty 's/	sysinfo	/	sysinfo; socketpair	/' '^line [0-9]*: not allowed: both	psort < in/pipe: tool	socketpair$'
	done_all
}
