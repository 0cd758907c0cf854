# SPDX-License-Identifier: ISC
# libperfpipe, as another program gets it.
load lib

# installed: links in $ROOT to the installed library, and what belongs to it, as if it had been installed there
installed() {
	local lib=$(pkg-config --variable=libdir perfpipe)
	mkdir -p "$ROOT/usr/lib/pkgconfig" "$ROOT/usr/include"
	[[ $lib == /usr/lib ]] || ln -s . "$ROOT/usr/lib/${lib##*/}"
	ln -s "$(pkg-config --variable=includedir perfpipe)"/perfpipe*.h "$ROOT/usr/include"
	ln -s "$lib"/libperfpipe.* "$ROOT/usr/lib"
	ln -s "$lib/pkgconfig/perfpipe.pc" "$ROOT/usr/lib/pkgconfig"
}
setup_file() {
	[ -z "${EMULATED-}" ] || { skip_file "it is not built for another machine"; return; }
	O=$(cd "${O:-$BATS_TEST_DIRNAME/../build}" && pwd)
	export ROOT=$BATS_FILE_TMPDIR/root
	[ -z "${INSTALLED-}" ] || { installed; return; }
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -C "$BATS_TEST_DIRNAME/.." O="$O" DESTDIR="$ROOT" PREFIX=/usr install
}

# Sanitizers bring names and sections of their own.
need_plain() {
	! nm "$ROOT/usr/lib/libperfpipe.a" | grep -q '__[a-z]*san_' || skip "built with sanitizers"
}

# compilers: CC, language and options of each that there is, one a line
compilers() {
	local c
	for c in gcc clang; do
		! type -P $c >/dev/null || echo "$c -x c -std=c11"
	done
	for c in g++ clang++; do
		! type -P $c >/dev/null || echo "$c -x c++ -std=c++17"
	done
}

@test "library: each header compiles alone, as C11 and as C++17" {
	for h in perfpipe.h perfpipe_inline.h; do	# perfpipe_state.h is a part of the first
		echo "#include <$h>" >"$T/alone"
		while read -r compile; do
			try $compile -Wall -Wextra -Wpedantic -Werror -I"$ROOT/usr/include" -c -o "$T/alone.o" "$T/alone"
			[ $rc = 0 ] || failed "$h: $compile"
		done < <(compilers)
	done
	done_all
}

@test "library: the installed header is self-contained and declares what the header of the tree declares" {
	# but for the parts that are installed beside it
	for h in $(sed -n 's/^#include "\(.*\)"/\1/p' "$ROOT/usr/include"/perfpipe*.h); do
		[ -f "$ROOT/usr/include/$h" ] || failed "$h"
	done
	for dir in ../common "$ROOT/usr/include"; do
		cpp -P -I"$dir" "$dir/perfpipe.h" | tr -s ' \t\n' '\n' >"$T/${dir##*/}"
	done
	diff "$T/common" "$T/include"
	done_all
}

# names of nm, without those of 32-bit x86 that the linker makes one of (Makefile)
names_of() {
	awk 'NF == 3 && $3 !~ /^__x86\.get_pc_thunk\./ { print $3 }'
}
# what leaves the shared library
exported() {
	nm -D --defined-only "$ROOT/usr/lib/libperfpipe.so.0" | awk '{ print $NF }' | sort
}

@test "library: only names that begin with pp_ leave it, and all that perfpipe.h declares" {
	need_plain
	exported >"$T/names"
	! grep -v '^pp_' "$T/names" || false
	! nm -g --defined-only "$ROOT/usr/lib/libperfpipe.a" | names_of | grep -v '^pp_' || false
	# both libraries have the same ones
	nm -g --defined-only "$ROOT/usr/lib/libperfpipe.a" | names_of | sort | diff "$T/names" -
	# ... which Debian's package says
	sed -n 's/^ \(pp_[a-z0-9_]*\)@Base .*/\1/p' packaging/debian/libperfpipe0.symbols | LC_ALL=C sort | diff - <(LC_ALL=C sort "$T/names")
	# functions by the compiler, which has comments and typedefs out of the way
	echo '#include <perfpipe.h>' >"$T/h.c"
	gcc -std=c11 -I"$ROOT/usr/include" -aux-info "$T/info" -fsyntax-only "$T/h.c"
	sed -n 's/.*\*\/ extern [^(]*\b\(pp_[a-z0-9_]*\) (.*/\1/p' "$T/info" | sort >"$T/declared"
	[ "$(wc -l <"$T/declared")" -gt 50 ]
	[ -z "$(comm -23 "$T/declared" "$T/names")" ] || { comm -23 "$T/declared" "$T/names"; false; }
	# the rest is what perfpipe_inline.h adds
	for name in $(comm -13 "$T/declared" "$T/names"); do
		grep -q "\b$name(" "$ROOT/usr/include/perfpipe_inline.h" || failed "$name is in no header"
	done
	readelf -d "$ROOT/usr/lib/libperfpipe.so.0" | grep -q 'SONAME.*\[libperfpipe.so.0\]'
	done_all
}

@test "library: it calls nothing that ends the process, prints, or changes what belongs to the process" {
	need_plain
	nm -D --undefined-only "$ROOT/usr/lib/libperfpipe.so.0" | awk '{ sub(/@.*/, "", $NF); print $NF }' >"$T/imports"
	[ "$(wc -l <"$T/imports")" -gt 30 ]
	! grep -xE '_?exit|_Exit|quick_exit|atexit|on_exit|abort|raise|kill|__assert_fail|system|fork|vfork|exec.*|posix_spawn.*' "$T/imports" || false
	! grep -xE '(v|__)?(f|d)?printf(_chk)?|puts|putchar|fputs|fputc|putc|fwrite|perror|psignal|v?(err|warn)x?|stdout|stderr|stdin' "$T/imports" || false
	! grep -xE 'syslog|error' "$T/imports" || false
	! grep -xE 'signal|sigaction|bsd_signal|sigprocmask|sigaltstack|alarm|setitimer|setlocale|uselocale|setenv|putenv' "$T/imports" || false
	! grep -xE 'unsetenv|clearenv|chdir|fchdir|umask|setrlimit|srand.*|tzset|dlopen' "$T/imports" || false
	# nor what keeps its state in the process
	! grep -xE 'strtok|rand|random|drand48|localtime|gmtime|ctime|asctime|getopt.*|tmpnam|readdir_r' "$T/imports"
}

@test "library: it has no variables outside of handles" {
	need_plain
	size -A "$ROOT/usr/lib/libperfpipe.a" | awk '$1 ~ /^\.(t?data|t?bss)(\..*)?$/ && $1 !~ /^\.data\.rel\.ro/ && $2 > 0' >"$T/writable"
	cat "$T/writable"
	[ ! -s "$T/writable" ]
	! nm "$ROOT/usr/lib/libperfpipe.a" | grep ' C '
}

@test "library: it needs no libraries but zstd and those of the system" {
	need_plain
	readelf -d "$ROOT/usr/lib/libperfpipe.so.0" | sed -n 's/.*NEEDED.*\[\(.*\)\.so.*/\1/p' >"$T/needed"
	! grep -vxE 'libzstd|libc|libpthread|ld-linux.*|ld64' "$T/needed"
}

@test "library: perfpipe(3) has each function of the header" {
	echo '#include <perfpipe.h>' >"$T/h.c"
	gcc -std=c11 -I"$ROOT/usr/include" -aux-info "$T/info" -fsyntax-only "$T/h.c"
	for name in $(sed -n 's/.*\*\/ extern [^(]*\b\(pp_[a-z0-9_]*\) (.*/\1/p' "$T/info"); do
		grep -qE "^\.(Fn|Fo) $name( |$)" ../man/perfpipe.3 || failed "$name"
	done
	done_all
}

# include_only DIR ALLOWED...: the files of that directory of common/ include no header of another one.
include_only() {
	local dir=$1 from
	shift
	for from in $(sed -n 's|^#include "\([a-z]*\)/.*|\1|p' ../common/"$dir"/*.[ch] | sort -u); do
		[[ " $dir $* " == *" $from "* ]] || failed "common/$dir includes $from/"
	done
}

@test "library: each directory of common includes only those below it" {
	include_only record
	include_only make record
	include_only sink record make
	include_only state record
	include_only source record make sink
	include_only index record sink source state
	include_only tool record sink state source index
	include_only field record state source tool
	include_only convert record make sink tool
	include_only stack record state
	include_only symbol record make state tool field
	include_only join record make sink state source tool convert
	include_only unwind
	! grep -ln '#include ".*cmd/' ../common/*/*.[ch] || failed "common includes a command"
	done_all
}

# part_only DIR ALLOWED...: the same of a directory of cmd/pstat, and of those beside it
part_only() {
	local dir=$1 from
	shift
	for from in $(sed -n 's|^#include "\([a-z]*\)/.*|\1|p' ../cmd/pstat/"$dir"/*.[ch] | sort -u); do
		[[ " $dir $* " == *" $from "* || ! -d ../cmd/pstat/$from ]] || failed "cmd/pstat/$dir includes $from/"
	done
	echo "$dir" >>"$T/parts"
}

@test "library: no part of pstat includes another one, but those that show what it has counted" {
	part_only report
	part_only tally report
	part_only count report tally
	for dir in check stacks views; do
		part_only $dir count report tally
	done
	part_only privacy count report tally stacks
	part_only live count report tally sort
	part_only sort count report tally stacks
	part_only picture count report tally sort stacks
	part_only page count report tally sort picture
	part_only merge count report tally sort picture page
	(cd ../cmd/pstat && printf '%s\n' */) | tr -d / | diff - <(sort "$T/parts")
	done_all
}

@test "library: each part, and each picture of pstat, is a row" {
	cd ../cmd/pstat
	for kind in part picture; do
		sed -n "s/^const struct ${kind}_kind ${kind}_\([a-z_]*\) = .*/\1/p" */*.c | sort >"$T/made"
		sed -n 's/^PART(\([a-z_]*\)).*/part \1/p; s/^PICTURE([A-Z]*, \([a-z_]*\),.*/picture \1/p' count/parts.def picture/kinds.def |
			sed -n "s/^$kind //p" | sort >"$T/rows"
		[ -s "$T/rows" ] && diff "$T/made" "$T/rows" || failed "$kind"
	done
	done_all
}

# tsort(1) names a circle.  The headers of common/ itself stand below all, and include rows of record/.
@test "library: no folders of common and cmd include each other in a circle" {
	(cd .. && { find common cmd -name '*.[ch]' -printf '%p\n'; find common cmd -name '*.[ch]' -exec grep -H '^#include "' {} +; }) | awk -F '[:"]' '
		function dir(f) { sub(/\/[^\/]*$/, "", f); return f }
		NF == 1 { is[$1] = 1; next }
		{
			tool = $1; from = dir($1); to = ""
			sub(/^cmd\/[a-z]*\//, "&|", tool); sub(/\|.*/, "", tool)
			if (is[from "/" $3]) next
			if (is["common/" $3]) to = dir("common/" $3); else if (is[tool $3]) to = dir(tool $3)
			if (to != "common" && to != "" && from != "common") print from, to
		}' | sort -u >"$T/pairs"
	[ "$(wc -l <"$T/pairs")" -gt 60 ] || failed "includes not found"
	tsort "$T/pairs" >/dev/null
	echo "common/record cmd/pstat" >>"$T/pairs"
	run tsort "$T/pairs"
	[ $status != 0 ] || failed "a circle is not found"
	done_all
}

@test "library: its version is that of the commands, of the header and of perfpipe.pc" {
	printf '#include <stdio.h>\n#include <perfpipe.h>\nint main(void) { printf("%%s %%s %%d.%%d\\n", pp_version(), PP_VERSION, %s); }\n' \
	    'PP_VERSION_MAJOR, PP_VERSION_MINOR' >"$T/v.c"
	build_with "gcc -std=c11" "$T/v.c" "$T/v"
	v=$(pcat --version | sed 's/.*(perfpipe) \([0-9.]*\),.*/\1/')
	[ "$(run_with "$T/v")" = "$v $v $v" ]
	[ "$(pkg_config --modversion perfpipe)" = "$v" ]
}

# ---- programs of others --------------------------------------------------------------------------

pkg_config() {
	PKG_CONFIG_SYSROOT_DIR=$ROOT PKG_CONFIG_PATH=$ROOT/usr/lib/pkgconfig PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 \
	    PKG_CONFIG_ALLOW_SYSTEM_LIBS=1 pkg-config "$@"
}
# build_with COMPILER SOURCE PROGRAM [static]: as perfpipe(3) says
build_with() {
	local libs
	need_plain
	libs=$(pkg_config ${4:+--static} --libs perfpipe)
	[ -z "${4-}" ] || libs=${libs/-lperfpipe/-l:libperfpipe.a}
	$1 -O1 -Wall -Wextra -Wpedantic -Werror $(pkg_config --cflags perfpipe) -o "$3" "$2" $libs
}
run_with() {
	LD_LIBRARY_PATH=$ROOT/usr/lib "$@"
}

# The programs of perfpipe(3): the first, that with the other turn(), the filter.
example() {
	awk -v dir="$T" '
		function put(f) { print >(dir "/" f) }
		{ gsub(/\\e/, "\\") }
		/^\.Bd -literal$/ { block++; next }
		/^\.Ed/ { inside = 0 }
		!inside && /^#include/ { inside = 1; program++ }
		!inside && /^static int/ { inside = 1; other = 1 }
		inside && !other && program == 1 { first[++n] = $0; put("comms.c") }
		inside && program == 2 { put("filter.c") }
		inside && other && program == 1 { second = second $0 "\n" }
		END {
			for (i = 1; i <= n; i++) {
				if (first[i] ~ /^static int/) { printf "%s", second >(dir "/files.c"); skip = 1 }
				if (!skip) print first[i] >(dir "/files.c")
				if (skip && first[i] ~ /^}/) skip = 0
			}
		}' ../man/perfpipe.3
}

# samples: what the program prints of them and what perf does, in one form
samples() {
	grep -aE '^ *[^ ].* +-?[0-9]+ +[0-9]+\.[0-9]{6}: ' | sed 's/  */ /g; s/^ //; s/ *$//'
}

# as_perf PERF OURS: are the samples those of perf, but for the names of threads that perf forgets at their EXIT?
as_perf() {
	diff "$1" "$2" >"$T/diff" && return
	perf_forgets && [ "$(wc -l <"$1")" = "$(wc -l <"$2")" ] && paste -d '\t' "$1" "$2" | awk -F '\t' '
		$1 == $2 { next }
		$1 !~ /^:-?[0-9]+ / { print; exit 1 }
		{ rest = $1; sub(/^[^ ]+/, "", rest); if (substr($2, length($2) - length(rest) + 1) != rest) { print; exit 1 } }' && return
	head -n 20 "$T/diff"
	return 1
}

@test "library: the program of perfpipe(3) prints comm and samples of any recording as perf does" {
	need perf
	need_plain
	example
	while read -r compile; do
		for how in "" static; do
			turn 3 || continue
			rm -f "$T/comms"
			build_with "$compile" "$T/comms.c" "$T/comms" $how || failed "$compile $how"
			[ -z "$how" ] || ! readelf -d "$T/comms" | grep -q libperfpipe || failed "$compile: not static"
			run_with "$T/comms" data/demo.data | samples >"$T/comms.out"
			perf script -f -G -F comm,tid,time,event -i data/demo.data 2>/dev/null | samples >"$T/perf.out"
			as_perf "$T/perf.out" "$T/comms.out" || failed "$compile $how"
		done
	done < <(compilers)
	zstd -qc data/basic.file.data >"$T/zipped"
	for f in data/{basic.file,basic.pipe,z1.file,z1.pipe,sched_R.pipe,sched_R.file,multi.pipe,namespaces.pipe,p72_forks.pipe}.data \
	    data/{k_mono.pipe,s390x_basic.file,g_fp.pipe}.data "$T/zipped"; do
		turn 3 || continue
		plain=$f
		[ "$f" != "$T/zipped" ] || plain=data/basic.file.data
		perf script -f -G -F comm,tid,time,event -i "$plain" 2>/dev/null | samples >"$T/perf.out"
		[ -s "$T/perf.out" ] || failed "$f: perf prints nothing"
		try run_with "$T/comms" "$f"
		[ $rc = 0 ] || failed "$f"
		samples <"$T/out" >"$T/comms.out"
		as_perf "$T/perf.out" "$T/comms.out" || failed "$f"
	done
	done_all
}

@test "library: the programs of perfpipe(3) that count by file and that filter do what perf says" {
	need perf
	need_plain
	example
	[ "$(wc -l <"$T/files.c")" -gt 40 ] && [ "$(wc -l <"$T/filter.c")" -le 40 ] || failed "programs not found"
	while read -r compile; do
		for program in files filter; do
			rm -f "$T/$program"
			build_with "$compile" "$T/$program.c" "$T/$program" || failed "$compile $program"
		done
		for f in data/{demo,basic.pipe,p72_forks.pipe,s390x_basic.pipe}.data; do
			turn 3 || continue
			run_with "$T/files" "$f" | sed 's/^\[kernel\.kallsyms\]_.*/[kernel.kallsyms]/' | sort | uniq -c >"$T/files.out"
			perf script -f -G -F ip,dso -i "$f" 2>/dev/null | sed -n 's/.*(\(.*\))$/\1/p' | sort | uniq -c >"$T/perf.out"
			[ -s "$T/perf.out" ] && diff "$T/perf.out" "$T/files.out" || failed "$compile $f"
		done
		pid=$(pstat --csv --table pids data/demo.data | sed -n 2p | cut -d, -f1)
		run_with "$T/filter" "$pid" data/demo.data >"$T/filtered" || failed "$compile: filter"
		pfilter -q --pid "$pid" --order=input data/demo.data >"$T/want"
		cmp "$T/filtered" "$T/want" || failed "$compile: filter, pid $pid"
	done < <(compilers)
	done_all
}

# seek.c: with an index, samples of a time, and how many bytes were not read
@test "library: an index leaves out what is of other times" {
	need_plain
	cat >"$T/seek.c" <<'END'
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <perfpipe.h>

int
main(int argc, char *argv[])
{
	struct pp_err err = { 0 }, none = { 0 };
	uint64_t from = strtoull(argv[3], NULL, 10), to = strtoull(argv[4], NULL, 10), time;
	struct pp_source *in = pp_open(argv[1], 0, &err);
	struct pp_index *x = pp_index_use(in, argv[2], from, to, &none);
	struct pp_rec r;

	(void)argc;
	if (!x)
		printf("%s\n", none.what);
	while (pp_next(in, &r) > 0)
		if (r.type == PP_SAMPLE && pp_record_time(in, &r, &time) > 0 && time >= from && time <= to)
			printf("%" PRIu64 "\n", time);
		else if (r.type == PP_COMM)
			puts("COMM");
	if (x)
		fprintf(stderr, "%" PRIu64 "\n", pp_index_left_out(x));
	if (pp_close(in) < 0)
		return 1;
	pp_index_free(x);
	return 0;
}
END
	build_with "gcc -std=c11" "$T/seek.c" "$T/seek"
	bench/gen 1500000 >"$T/d.data" 2>/dev/null || "$O/bench/gen" 1500000 >"$T/d.data"
	pcat -q --index --chunk-size=4K "$T/d.data"
	mapfile -t times < <(pfilter --type SAMPLE --sideband=none "$T/d.data" | pcat --format=jsonl --columns time | sed -n 's/.*"time":"\([0-9]*\)".*/\1/p')
	n=${#times[@]}
	[ "$n" -gt 50 ] || failed "$n times"
	from=${times[n / 2]} to=${times[n / 2 + 9]}
	run_with "$T/seek" "$T/d.data" "$T/d.data.ppi" "$from" "$to" >"$T/with" 2>"$T/left"
	run_with "$T/seek" "$T/d.data" /nonexistent "$from" "$to" >"$T/without" 2>/dev/null
	[ "$(head -n 1 "$T/without")" = "/nonexistent: No such file or directory" ]
	diff "$T/with" <(sed 1d "$T/without")
	[ "$(grep -vc COMM "$T/with")" -ge 10 ] && [ "$(cat "$T/left")" -gt 0 ] || failed "nothing left out"
	# another recording's
	run_with "$T/seek" data/basic.file.data "$T/d.data.ppi" "$from" "$to" 2>/dev/null | head -n 1 | grep -q . || failed "another's index"
	done_all
}

@test "library: the program of perfpipe(3) reads a directory, a CPU profile and standard input" {
	example
	build_with "gcc -std=c11" "$T/comms.c" "$T/comms"
	inputs=(data/gperf/*.prof)
	if [ "$(type -P perf)" ] && perf record --threads -o "$T/dir" -a -g -F 500 -- sleep 0.3 >/dev/null 2>&1 && [ -e "$T/dir/data.0" ]; then
		inputs+=("$T/dir")
	fi
	for f in "${inputs[@]}"; do
		try pcat "$f"
		[ $rc = 0 ] || failed "$f: pcat"
		run_with "$T/comms" <"$T/out" >"$T/want" || failed "$f: standard input"
		[ -s "$T/want" ] || failed "$f: nothing"
		run_with "$T/comms" "$f" >"$T/got" || failed "$f"
		diff "$T/want" "$T/got" || failed "$f"
	done
	done_all
}

@test "library: what fails is in pp_err, with its code, and nothing is printed" {
	cat >"$T/fail.c" <<'END'
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include <perfpipe.h>

/* 1, or the code of what failed: nothing is printed by this program itself */
static int
copy(const char *from, const char *to, int code, int error)
{
	struct pp_err in_err = { 0 }, out_err = { 0 }, *e;
	struct pp_source *in = pp_open(from, 0, &in_err);
	struct pp_sink *out = in ? pp_create(to, &out_err) : NULL;
	struct pp_rec r;
	int rc = -1;

	if (out && pp_start(out, in) > 0)
		while ((rc = pp_next(in, &r)) > 0 && (rc = pp_put(out, in, &r)) > 0)
			;
	if (pp_finish(out) < 0)
		rc = -1;
	pp_close(in);
	e = in_err.what[0] ? &in_err : &out_err;
	if (code == PP_ERR_NONE)
		return rc == 0 && !e->what[0] && e->code == code;
	return rc < 0 && e->what[0] && !strchr(e->what, '\n') && e->file && e->code == code && e->error == error;
}

int
main(int argc, char *argv[])
{
	int fd = open("/dev/null", O_RDONLY), bad = 0;
	struct pp_err err = { 0 };

	(void)argc;
	close(fd);
	bad |= !copy(argv[1], "/dev/null", PP_ERR_NONE, 0) << 0;
	bad |= !copy(argv[1], "/dev/full", PP_ERR_SYSTEM, ENOSPC) << 1;
	bad |= !copy("/dev/full", "/dev/null", PP_ERR_DATA, 0) << 2;
	bad |= !copy(argv[2], "/dev/null", PP_ERR_DATA, 0) << 3;
	bad |= !copy(argv[3], "/dev/null", PP_ERR_DATA, 0) << 4;
	bad |= !copy("/nonexistent/a", "/dev/null", PP_ERR_SYSTEM, ENOENT) << 5;
	bad |= !copy(argv[1], "/nonexistent/a", PP_ERR_SYSTEM, ENOENT) << 6;
	errno = EBADF;
	bad |= (pp_open_fd(-1, "closed", 0, &err) || err.code != PP_ERR_SYSTEM || err.error != EBADF) << 7;
	return bad;
}
END
	build_with "gcc -std=c11" "$T/fail.c" "$T/fail"
	head -c 5000 data/demo.data >"$T/cut"
	rc=0
	run_with "$T/fail" data/demo.data ../LICENSE "$T/cut" >"$T/out" 2>"$T/err" || rc=$?
	[ $rc = 0 ]
	[ ! -s "$T/out" ] && [ ! -s "$T/err" ]
}

@test "library: two threads with a handle each do not meet" {
	need_plain
	cat >"$T/threads.c" <<'END'
#include <pthread.h>
#include <stdio.h>
#include <perfpipe.h>

struct job {
	const char	*from, *to;
	struct pp_err	 in_err, out_err;
	struct pp_state	*state;
	struct pp_source *in;
	uint64_t	 records, fields, named;
	int		 rc;
};

static int
count(void *arg, const struct pp_value *v)
{
	((struct job *)arg)->fields += v->len != 0;
	return 1;
}

static int
turn(void *arg, uint64_t time, const uint8_t *p, size_t n)
{
	struct job *j = arg;
	struct pp_rec r = pp_view(j->in, p);
	struct pp_decoded d;

	(void)time, (void)n;
	if (pp_fields(j->in, &r, count, j, &j->in_err) < 0)
		return -1;
	if (pp_decode(j->in, &r, &d, &j->in_err) > 0 && d.has & PP_SAMPLE_TID)
		j->named += pp_state_comm(j->state, d.tid) != NULL;
	return pp_state_take(j->state, j->in, &r);
}

static int
text(void *arg, const char *p, size_t n)
{
	((struct job *)arg)->fields += p && n;
	return 1;
}

static void *
run(void *arg)
{
	struct job *j = arg;
	struct pp_source *in = j->in = pp_open(j->from, 0, &j->in_err);
	struct pp_sink *out = pp_create(j->to, &j->out_err);
	struct pp_timeline *line = pp_timeline_new(turn, j, 1 << 20, &j->in_err);
	struct pp_feature f;
	struct pp_rec r;

	j->state = in ? pp_state_of(in, &j->in_err) : NULL;
	j->rc = j->state && out && line && pp_start(out, in) > 0 && pp_sink_compress(out, 1, false, 1, 0) > 0 ? 1 : -1;
	while (j->rc > 0 && (j->rc = pp_next(in, &r)) > 0) {
		j->records++;
		if (pp_feature_view(in, &r, &f, &j->in_err) > 0)
			pp_feature_text(&f, text, j, &j->in_err);
		if (pp_put(out, in, &r) < 0 || pp_timeline_take(line, in, &r) < 0)
			j->rc = -1;
	}
	if (j->rc == 0)
		j->rc = pp_timeline_release(line, UINT64_MAX);
	if (pp_finish(out) < 0)
		j->rc = -1;
	pp_timeline_free(line);
	pp_state_free(j->state);
	if (pp_close(in) < 0)
		j->rc = -1;
	return NULL;
}

int
main(int argc, char *argv[])
{
	static struct job job[2];
	pthread_t thread[2];

	(void)argc;
	for (int i = 0; i < 2; i++) {
		job[i].from = argv[1 + i];
		job[i].to = argv[3 + i];
		pthread_create(&thread[i], NULL, run, &job[i]);
	}
	for (int i = 0; i < 2; i++) {
		pthread_join(thread[i], NULL);
		printf("%d %d %d %d\n", job[i].rc, job[i].records > 100, job[i].fields > 100, job[i].named > 10);
		if (job[i].rc < 0)
			fprintf(stderr, "%s%s\n", job[i].in_err.what, job[i].out_err.what);
	}
	return 0;
}
END
	# what they write is as it should be; make check-all watches what they touch, too, in the library's own code
	threads="$ROOT/usr/lib/libperfpipe.a" watch=
	if [ -n "${ALL-}" ]; then
		threads=$O/tsan/libperfpipe.a watch=-fsanitize=thread
		env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -C .. O="$O/tsan" CC=gcc CFLAGS="-O0 -g1 $watch" "$threads"
	fi
	try gcc -std=c11 $watch -O1 -g -I"$ROOT/usr/include" -o "$T/threads" "$T/threads.c" "$threads" -lzstd -pthread
	[ $rc = 0 ]
	for pair in "demo.data basic.file.data" "p72_forks.pipe.data z1.file.data" "s390x_basic.pipe.data k_mono.pipe.data"; do
		try setarch -R "$T/threads" data/${pair% *} data/${pair#* } "$T/one" "$T/two"
		[ $rc = 0 ] && [ ! -s "$T/err" ] || failed "$pair"
		printf '1 1 1 1\n1 1 1 1\n' | diff - "$T/out" || failed "$pair"
		pcat "$T/one" | cmp - <(pcat data/${pair% *}) || failed "$pair: what was written"
	done
	done_all
}
