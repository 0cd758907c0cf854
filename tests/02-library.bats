# SPDX-License-Identifier: ISC
# libperfpipe, as another program gets it.
load lib

setup_file() {
	O=$(cd "${O:-$BATS_TEST_DIRNAME/../build}" && pwd)
	export ROOT=$BATS_FILE_TMPDIR/root
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
	for h in perfpipe.h perfpipe_inline.h; do
		echo "#include <$h>" >"$T/alone"
		while read -r compile; do
			try $compile -Wall -Wextra -Wpedantic -Werror -I"$ROOT/usr/include" -c -o "$T/alone.o" "$T/alone"
			[ $rc = 0 ] || failed "$h: $compile"
		done < <(compilers)
	done
	done_all
}

@test "library: the installed header is self-contained and says what that of the tree says" {
	! grep '#include "' "$ROOT/usr/include/perfpipe.h"
	for dir in ../common "$ROOT/usr/include"; do
		cpp -P -I"$dir" "$dir/perfpipe.h" | tr -s ' \t\n' '\n' >"$T/${dir##*/}"
	done
	diff "$T/common" "$T/include"
}

# what leaves the shared library
exported() {
	nm -D --defined-only "$ROOT/usr/lib/libperfpipe.so.0" | awk '{ print $NF }' | sort
}

@test "library: only names that begin with pp_ leave it, and all that perfpipe.h declares" {
	need_plain
	exported >"$T/names"
	! grep -v '^pp_' "$T/names"
	! nm -g --defined-only "$ROOT/usr/lib/libperfpipe.a" | awk 'NF == 3 { print $3 }' | grep -v '^pp_'
	# both libraries have the same ones
	nm -g --defined-only "$ROOT/usr/lib/libperfpipe.a" | awk 'NF == 3 { print $3 }' | sort | diff "$T/names" -
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
	! grep -xE '_?exit|_Exit|quick_exit|atexit|on_exit|abort|raise|kill|__assert_fail|system|fork|vfork|exec.*|posix_spawn.*' "$T/imports"
	! grep -xE '(v|__)?(f|d)?printf(_chk)?|puts|putchar|fputs|fputc|putc|fwrite|perror|psignal|v?(err|warn)x?|stdout|stderr|stdin' "$T/imports"
	! grep -xE 'syslog|error' "$T/imports"
	! grep -xE 'signal|sigaction|bsd_signal|sigprocmask|sigaltstack|alarm|setitimer|setlocale|uselocale|setenv|putenv' "$T/imports"
	! grep -xE 'unsetenv|clearenv|chdir|fchdir|umask|setrlimit|srand.*|tzset|dlopen' "$T/imports"
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
