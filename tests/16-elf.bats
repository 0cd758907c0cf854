# SPDX-License-Identifier: ISC
# What the build asks of the compiler and the linker, as the ELF files have it.
load lib

# optimized: were the commands built with an optimizing compiler, and without a sanitizer?
optimized() {
	! sanitized && [[ " ${CFLAGS--O2 -g} " =~ " -O"[1-9sgz]?" " ]] && [[ "${CFLAGS-}" != *FORTIFY* && "${CPPFLAGS-}" != *FORTIFY* ]]
}

# at FILE: where a command or library is; pkg-config knows the directory of an installed library
at() {
	local dir=${INSTALLED:-$O}
	[[ -z "${INSTALLED-}" || $1 != lib* ]] || dir=$(pkg-config --variable=libdir perfpipe)
	echo "$dir/$1"
}

# has FILE PATTERN COMMAND...: its output of that file has such a line
has() {
	local file=$1 pattern=$2
	shift 2
	"$@" "$file" >"$T/elf" 2>&1
	grep -qE -e "$pattern" "$T/elf" || failed "${file##*/}: $pattern"
}

@test "elf: commands and library have RELRO, immediate binding, PIE and a stack that cannot be run" {
	need readelf
	for f in $TOOLS libperfpipe.so.0; do
		f=$(at $f)
		has "$f" '^  Type: +DYN' readelf -hW
		has "$f" '^ *GNU_RELRO' readelf -lW
		has "$f" '^ *GNU_STACK .* RW ' readelf -lW
		has "$f" '\(FLAGS\).*BIND_NOW|\(BIND_NOW\)' readelf -dW
		[[ "$f" == *.so.0 ]] || has "$f" '\(FLAGS_1\).*NOW.* PIE' readelf -dW
	done
	done_all
}

@test "elf: each has the stack protector and checked calls" {
	need readelf
	optimized || skip "built without optimization, with a sanitizer, or with a level of the user's"
	for f in $TOOLS libperfpipe.so.0; do
		has "$(at $f)" ' __stack_chk_fail' readelf --dyn-syms -W
		has "$(at $f)" ' __[a-z]+_chk(@|$)' readelf --dyn-syms -W
	done
	# so do programs that link the library statically
	has "$(at libperfpipe.a)" ' __stack_chk_fail' readelf -sW
	done_all
}

# compiles CC CFLAGS...: an object without a word of the compiler; the options are printed, too.
compiles() {
	local cc=$1
	shift
	rm -rf "$T/build"
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u CPPFLAGS -u LDFLAGS make -s -C .. O="$T/build" CC="$cc" CFLAGS="$*" \
	    "$T/build/common/record/err.o" "$T/build/common/convert/blob.o" >"$T/out" 2>"$T/err" &&
	    [ ! -s "$T/err" ] && nm "$T/build/common/record/err.o" >"$T/nm" || failed "$cc $*"
}

@test "elf: what the user's CFLAGS say counts" {
	need native
	need nm
	for cc in gcc clang; do
		type -P $cc >/dev/null || continue
		compiles $cc -O2 -g
		grep -q '__vsnprintf_chk' "$T/nm" || failed "$cc: no FORTIFY"
		for flags in "-O0 -g" "-g" "-O2 -U_FORTIFY_SOURCE" "-O2 -D_FORTIFY_SOURCE=0" "-O1 -fsanitize=undefined"; do
			turn 3 || continue
			compiles $cc $flags
			! grep -q '_chk$' <(grep -v stack_chk "$T/nm") || failed "$cc $flags: FORTIFY"
		done
		! turn 2 || compiles $cc -O2 -D_FORTIFY_SOURCE=2
		! turn 2 || compiles $cc -Os
		compiles $cc -O2 -fno-stack-protector
		! grep -q stack_chk "$T/nm" || failed "$cc: -fno-stack-protector"
	done
	done_all
}
