# SPDX-License-Identifier: ISC
# What the bats files share.  O: where the tools were built (make check sets it); T: the test's own directory.
# INSTALLED: a directory with the tools to test instead of those in O.  Tests run in tests/, with the tools on PATH.

: "${O:=$BATS_TEST_DIRNAME/../build}"
O=$(cd "$O" && pwd)
# What starts quickly.  A python of a version manager takes seven times as long to start as Debian's, which has the modules that
# tests need; jq 1.6 fifteen times as long as gojq, which is the same but that it always sorts the members of objects, and so has no -S:
# "jq $SORTED".
export KALLSYMS=$BATS_RUN_TMPDIR/kallsyms
if [ ! -d "$BATS_RUN_TMPDIR/bin" ]; then
	mkdir "$BATS_RUN_TMPDIR/bin"
	[ ! -x /usr/bin/python3 ] || ln -s /usr/bin/python3 "$BATS_RUN_TMPDIR/bin"
	! type -P gojq >/dev/null || ln -s "$(type -P gojq)" "$BATS_RUN_TMPDIR/bin/jq"
	command perf version 2>/dev/null | sed -n 's/[^0-9]*\([0-9]*\)\.\([0-9]*\).*/\1 \2/p' >"$BATS_RUN_TMPDIR/perf-version"
	# see perf.bash: a symbol for each 32 KiB of x86's kernels
	awk 'BEGIN { print "ffffffff81000000 T _text\nffffffff81000000 T _stext"
		for (i = 0; i < 2048; i++) printf "ffffffff8%07x T kernel_%d\n", 16777216 + i * 32768, i }' >"$KALLSYMS"
	source "$BATS_TEST_DIRNAME/perf.bash"
	make_perf "$BATS_RUN_TMPDIR/bin"
fi
# perf_config DIR: what perf prints must not depend on this user's settings, nor on what other runs left in the build-id cache.  perf record
# leaves nothing there: a cache may have hard links, by which files of the system change, and kernel symbols of which perf.bash left most out.
perf_config() {
	mkdir -p "$1"
	printf '[buildid]\n\tdir = %s\n[record]\n\tbuild-id = no-cache\n' "$1/buildid" >"$1/config"
	export PERF_CONFIG=$1/config
}
perf_config "$BATS_RUN_TMPDIR/perf"	# for setup_file(); each test has its own
export PERF_VERSION=
read -r PERF_VERSION <"$BATS_RUN_TMPDIR/perf-version" || true
[ -n "${TRUE_PERF-}" ] || export TRUE_PERF=$(type -P "$BATS_RUN_TMPDIR/bin/true_perf" || type -P perf)
PATH=${INSTALLED:+$INSTALLED:}$O:$BATS_RUN_TMPDIR/bin:$PATH
if [ -e "$BATS_RUN_TMPDIR/bin/jq" ]; then SORTED=; else SORTED=-S; fi
CORPUS=$BATS_TEST_DIRNAME/../../shared/corpus
export LC_ALL=C TZ=UTC PAGER=cat PYTHONDONTWRITEBYTECODE=1

source "$BATS_TEST_DIRNAME/perf.bash"

# All tools; those that write a stream; the command of a tool that changes nothing.
TOOLS=$(cd "$BATS_TEST_DIRNAME/../cmd" && echo */main.c)
TOOLS=${TOOLS//\/main.c}
STREAMERS=${TOOLS/ pstat}
neutral() {
	case $1 in
	pinject) echo pinject --finished-init;;
	*) echo "$1";;
	esac
}

setup() {
	trap - DEBUG		# bats notes each line by it, and our loops are long: tell_failed notes the one that counts
	trap 'bats_error_trap; tell_failed "$BASH_COMMAND" "$@"' ERR
	SHELL_DEPTH=$BASH_SUBSHELL
	cd "$BATS_TEST_DIRNAME"
	[ -z "${SKIP_FILE-}" ] || skip "$SKIP_FILE"
	T=$BATS_TEST_TMPDIR TURNS=0
	: >"$T/failures"
	perf_config "$T.perf"
}

# tell_failed COMMAND [argument of the function it is in...]: print the command that failed and its place; of a comparison
# print the values, too.
tell_failed() {
	local command=$1
	shift
	[ "$BASH_SUBSHELL" = "$SHELL_DEPTH" ] || return 0	# in a $( ), this would change its output
	! declare -F bats_capture_stack_trace >/dev/null || bats_capture_stack_trace
	echo "failed: $command" >&2
	case $command in
	"[ "*|"[["*|"(("*) values "$command" >&2;;
	esac
}

# tell_line FILE LINE: of a command that ended in "|| failed" the text, and what its comparisons compared.
tell_line() {
	local _text _rest
	_text=$(sed -n "$(($2 - 1)),$2p" "$1" 2>/dev/null | sed -n 'x; /||$/!s/.*//; x; H; ${ x; s/[[:space:]]\{1,\}/ /g; s/^ //p; }')
	echo "  line $2: $_text"
	_rest=${_text%%|| failed*}
	while [[ $_rest =~ (^|[[:space:]])(\[ [^]]* \])(.*)$ ]]; do
		_rest=${BASH_REMATCH[3]}
		values "${BASH_REMATCH[2]}"
	done
}
# values COMMAND: a comparison as the shell sees it; of arithmetic, which it does not show, the variables.
values() {
	local _name
	case $1 in
	"(("*)	for _name in $(grep -o '\b[A-Za-z_][A-Za-z_0-9]*' <<<"$1" | sort -u); do
			echo "  values: $_name=${!_name-}"
		done;;
	*) (trap - ERR; set +e; PS4=+; set -x; eval "$1") 2>&1 | tail -n 1 | sed 's/^+* */  values: /';;
	esac
}

# x86_64: are programs that are compiled here of x86-64?  uname says it of the kernel, also to a 32-bit system.
x86_64() {
	[ "$(uname -m)" = x86_64 ] && [ "$(getconf LONG_BIT)" = 64 ]
}

# compat: are they of 32 bits, and the kernel of 64?  It makes no event of syscalls:* for them.
compat() {
	[ "$(getconf LONG_BIT)" = 32 ] && [[ $(uname -m) = *64* ]]
}

# skip_file REASON...: in setup_file(), which returns then: all tests of the file are skipped.  skip fails there, in bats 1.8.
skip_file() {
	export SKIP_FILE="$*"
}

# need perf | record | native | corpus | COMMAND: skip the test, saying why, if it is not there.  perf: it reads; record: it takes
# samples; native: the tools run without an emulator.
need() {
	case $1 in
	perf) [ "$(type -P perf)" ] || skip "perf is not installed"
		perf_reads || skip "perf is killed when it reads a recording";;
	native) [ -z "${EMULATED-}" ] || skip "an emulator needs more memory";;
	record) need perf; perf_records || skip "perf record takes no samples here: $PERF_WHY";;
	corpus) [ -d "$CORPUS" ] || skip "no corpus of recordings beside the project";;
	*) command -v "$1" >/dev/null || skip "$1 is not installed";;
	esac
}

# each N: of the lines of standard input each N-th; with $ALL all.
each() {
	if [ "${ALL-}" ]; then cat; else awk -v n="$1" 'NR % n == 0'; fi
}

# turn N: for a loop over cases that are much alike.  True for the first call in a test and for each N-th after it; with $ALL always.
# Choose an N that has no common divisor with the number of values of the innermost loop: then each value comes up.
turn() {
	[ -n "${ALL-}" ] || ((TURNS++ % $1 == 0))
}
# only_all: the rest of the test is for make check-all.
only_all() {
	[ -n "${ALL-}" ] || skip "make check-all does"
}

# recipe NAME [-b]: build data/NAME.txt in $T; prints the stream's path.
recipe() {
	local out=$T/$1${2-}.pipe
	mkpipe ${2-} "data/$1.txt" >"$out"
	echo "$out"
}

# plain NAME [-b]: the same, with all that is compressed in it expanded.
plain() {
	local out=$T/$1${2-}.plain
	mkpipe -p ${2-} "data/$1.txt" >"$out"
	echo "$out"
}

# try CMD...: run it; status in $rc, output in $T/out and $T/err.
try() {
	rc=0
	"$@" >"$T/out" 2>"$T/err" || rc=$?
}

# await CONDITION...: until it is true; half a minute is enough on any machine.
await() {
	local i
	for ((i = 0; i < 1500; i++)); do
		! "$@" 2>/dev/null || return 0
		sleep 0.02
	done
	echo "never: $*"
	return 1
}
# Is the file of that size, or larger?
grown() {
	[ "$(stat -c %s "$1")" -ge "$2" ]
}

# For tests that go through many cases: note a failure and go on; `done_all' at the end of the test.
# Prints the case, the line of the test and the values of its comparisons, and what the last `try' saw.
failed() {
	echo "FAILED: $*"
	tell_line "${BASH_SOURCE[1]}" "${BASH_LINENO[0]}"
	[ -z "${rc-}" ] || echo "  status $rc, stderr: $(head -c 2000 "$T/err" 2>&1 | cat -v)"
	echo x >>"$T/failures"
}
done_all() {
	! [ -s "$T/failures" ]
}

# Is standard error one line that begins with this?
one_line() {
	local -a lines
	mapfile -t lines <"$T/err"
	[ ${#lines[@]} -eq 1 ] && [[ ${lines[0]} == "$1"* ]]
}

# Do the tools run on a big-endian machine?
big_endian() {
	case ${EMULATED-} in
	"") [ "$(printf '\0\1' | od -An -tu2)" -eq 1 ];;
	*) [[ $EMULATED == *s390x* ]];;
	esac
}

# golden NAME CMD...: status, stderr and stdout must match golden/NAME.*; UPDATE=1 makes them.
golden() {
	local name=$1 s
	shift
	echo "\$ $*"
	try "$@"
	echo $rc >"$T/rc"
	# on a big-endian machine the screen has these remarks for little-endian streams
	! big_endian || sed -i -e '1s/, other byte order)$/)/' -e '/^findings .*; E34 [^;]*;$/{ N; s/; E34 [^;]*;\n */; /; }' "$T/out"
	for s in rc err out; do
		if [ -n "${UPDATE-}" ]; then cp "$T/$s" "golden/$name.$s"
		else diff -u "golden/$name.$s" "$T/$s"; fi
	done
}

# same_script A B [option...]: does perf script, if there is one, print the same for both, with these options?
same_script() {
	local a=$1 b=$2
	shift 2
	perf_reads || return 0
	# perf takes the vdso's symbols from its own process, or not, as the build-ids of the recording are
	perf script -f -i "$a" "$@" 2>/dev/null | sed 's/ [^ ]* (\[vdso[x0-9]*\])$/ (vdso)/' >"$T/script.a"
	perf script -f -i "$b" "$@" 2>/dev/null | sed 's/ [^ ]* (\[vdso[x0-9]*\])$/ (vdso)/' >"$T/script.b"
	# perf 7.0 and newer show CPU 0 for CPUs that this machine does not have, in streams only
	if [ $# = 0 ] && perf_since 7.0 && ! cmp -s "$T/script.a" "$T/script.b"; then
		same_script "$a" "$b" -F -cpu
		return
	fi
	diff -u "$T/script.a" "$T/script.b" >"$T/script.diff" || {
		echo "perf script differs: $a $b"
		head -n 20 "$T/script.diff"
		return 1
	}
}

# The ABI of Landlock, if this kernel has both it and seccomp, as pcat -v says; also in setup_file().
kernel_abi() {
	"${INSTALLED:-${O:-$BATS_TEST_DIRNAME/../build}}"/pcat -v "$BATS_TEST_DIRNAME/data/basic.pipe.data" 2>&1 >/dev/null |
	    sed -n 's/.*confinement: Landlock ABI \([0-9]*\), seccomp$/\1/p'
}
# with_fault PLAN CMD...: run it with failing system calls (PLAN: see fault/fault.c).
with_fault() {
	local plan=$1
	shift
	[ -z "${EMULATED-}" ] || skip "the system calls of an emulated program are its emulator's"
	# A sanitizer's library must come first.
	LD_PRELOAD="$(asan_library) $O/fault.so" FAULT=$plan "$@"
}
asan_library() {
	ldd "${INSTALLED:-$O}/pcat" | sed -n 's/.*libasan[^ ]* => \([^ ]*\) .*/\1/p'
}
sanitized() {
	[ -n "$(asan_library)" ] || grep -q __asan_init "${INSTALLED:-$O}/pcat"
}

# becomes OPTION...: the output of pfilter with these options for the recipe $T/in is the recipe $T/want, in both byte orders.
becomes() {
	local order
	for order in "" -b; do
		mkpipe $order "$T/in" >"$T/in$order.pipe"
		mkpipe $order "$T/want" >"$T/want$order.pipe"
		try pfilter "$@" "$T/in$order.pipe"
		[ $rc = 0 ] || failed "$* $order"
		cmp "$T/out" "$T/want$order.pipe" || failed "$* $order: $(diff <(pstat -v "$T/out" 2>&1) <(pstat -v "$T/want$order.pipe" 2>&1))"
	done
	done_all
}

# samples_at WORD FILE [mark]: time, and the u32 at that word, of a stream's samples in their order (little endian, sizes
# multiples of 4, the time at word 6); with "mark", a line "mark" for each FINISHED_ROUND.
samples_at() {
	perl -e '
		my ($word, $file, $marks) = @ARGV;
		open F, "<:raw", $file or die "$file: $!\n";
		local $/;
		my $d = <F>;
		for (my ($o, $size) = 16; $o + 8 <= length $d; $o += $size) {
			(my $type, undef, $size) = unpack "Vvv", substr $d, $o, 8;
			die "$file: size $size at $o\n" if $size < 8;
			last if $o + $size > length $d;
			if ($type == 9) { printf "%u %u\n", unpack("Q<", substr $d, $o + 24, 8), unpack "V", substr $d, $o + 4 * $word, 4 }
			elsif ($type == 68 && $marks) { print "mark\n" }
		}' "$1" "$2" "${3-}"
}

# hex_records [FILE]: "TYPE BYTES" of each record of a stream of either byte order, in hex; payloads as part of it.
hex_records() {
	perl -e '
		open F, "<:raw", $ARGV[0] or die "$ARGV[0]: $!\n";
		local $/;
		my $d = <F>;
		my ($u4, $u2, $u8) = $d =~ /^PERFILE2/ ? ("V", "v", "Q<") : ("N", "n", "Q>");
		for (my ($o, $size) = 16; $o + 8 <= length $d; $o += $size) {
			(my $type, undef, $size) = unpack "$u4$u2$u2", substr $d, $o, 8;
			die "$ARGV[0]: size $size at $o\n" if $size < 8;
			$size += $type == 66 ? unpack($u4, substr $d, $o + 8, 4) : $type == 71 ? unpack($u8, substr $d, $o + 8, 8) : 0;
			last if $o + $size > length $d;
			print "$type ", unpack("H*", substr $d, $o, $size), "\n";
		}' "${1:-/dev/stdin}"
}
