# SPDX-License-Identifier: ISC
# What the tests of pcat A B C share.

# Many tests join a recording with itself.
pcat() {
	command pcat --allow same-input "$@"
}

FIELDS=comm,pid,tid,time,event,period,ip,sym,dso

# stream [-b] <<recipe: build it; prints the path
stream() {
	local out
	out=$(mktemp "$T/stream.XXXXXX")
	mkpipe "$@" - >"$out"
	echo "$out"
}

# said FILE...: the samples of all, one line each, in order of text; without the symbols that perf takes from its own machine:
# the kernel's, where that kernel runs, and the vdso's, while no build-id of any input names one
said() {
	local f
	for f; do
		perf script -f --ns -F "${F-$FIELDS}" -i "$f" 2>>"$T/perf.err" || true
	done | sed 's/[[:space:]]\{1,\}/ /g; /^ *$/d; s/ [^ ]* (\[kernel\.kallsyms\])/ (kernel)/; s/ [^ ]* (\[vdso\])/ (vdso)/' | sort
}

# same_union [option...] -- FILE...: does perf print the same for the join as for the files?
same_union() {
	local opts=()
	while [ "$1" != -- ]; do opts+=("$1"); shift; done
	shift
	try pcat "${opts[@]}" "$@"
	[ $rc = 0 ] || { failed "pcat ${opts[*]} $*"; return 0; }
	mv "$T/out" "$T/join"
	said "$@" >"$T/want"
	said "$T/join" >"$T/got"
	[ -s "$T/want" ] || failed "$*: perf says nothing"
	diff "$T/want" "$T/got" >"$T/diff" || failed "${opts[*]} $*: $(head -n 8 "$T/diff")"
}

# script FILE FIELDS: perf script without the warnings, blanks made one
script() {
	perf script -f --ns -i "$1" -F "$2" 2>/dev/null | sed 's/[[:space:]]\{1,\}/ /g; s/^ //; s/ $//; /^$/d'
}

head_a() {
	cat <<-'END'
	attr type=1 config=0 period=1000 sample_type=IP|TID|TIME|CPU|PERIOD flags=sample_id_all|comm|task|mmap2 ids=11,12
	HEADER_FEATURE feat_id=3 fs=alpha-host
	HEADER_FEATURE feat_id=4 fs=6.1.0
	HEADER_FEATURE feat_id=7 u4=2 u4=2
	HEADER_FEATURE feat_id=32
	EVENT_UPDATE update_type=2 id=11 z=cpu-clock
	COMM pid=100 tid=100 comm=first
	FINISHED_INIT
	END
}
