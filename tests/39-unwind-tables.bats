# SPDX-License-Identifier: ISC
# common/unwind: rules of system files against those of readelf and libdw, and chains of programs that know theirs
# (tests/unwind/self.c), by tests/unwinding.c.
load lib

setup_file() {
	x86_64 && [ -z "${EMULATED-}" ] || skip_file "the programs are of x86-64 and arm64"
}

# same_rules MACHINE FILE EACH
same_rules() {
	try python3 unwind.py rules "$@"
	[ $rc = 0 ] && [ ! -s "$T/err" ] || failed "$*"
	[ "$(sed -n 's/ addresses$//p' "$T/out")" -gt 10 ] || failed "$*: too few"
}

# system_files: what this machine has, largest last
system_files() {
	local f
	for f in libc.so.6 ld-linux-x86-64.so.2 libstdc++.so.6 libcrypto.so.3; do
		f=$(gcc -print-file-name=$f)
		[ "${f#/}" = "$f" ] || echo "$f"
	done
	for f in perl python3 node; do
		f=$(PATH=/usr/bin:/bin type -P $f) && readlink -f "$f"
	done
}

@test "unwind: rules of system files are those of readelf" {
	need readelf
	if [ -n "${ALL-}" ]; then
		for f in $(system_files); do
			same_rules x86-64 "$f" 1
		done
	else
		same_rules x86-64 "$(gcc -print-file-name=libc.so.6)" 5
	fi
	done_all
}

@test "unwind: rules and expressions of system files are those of libdw" {
	only_all
	echo '#include <elfutils/libdw.h>' | gcc -E -x c - >/dev/null 2>&1 || skip "libdw-dev is not installed"
	gcc -O1 -std=gnu11 -D_GNU_SOURCE -I../common -o "$T/libdw" unwind/libdw.c ../common/unwind/*.c -ldw -lelf -lz -lzstd
	for f in $(system_files); do
		"$T/libdw" "$f" 1 || failed "$f"
	done
	done_all
}

# form NAME [OPTION...]: the program self with these options, in $T/NAME
form() {
	local name=$1
	shift
	"${COMPILER:-gcc}" -w "$@" -o "$T/$name" unwind/self.c -pthread
}
# knows MACHINE NAME: does it know its chain?  A line of input for each run: DEPTH SEED [signal|thread|behind|alone]
knows() {
	local machine=$1 name=$2 args
	: >"$T/text"
	while read -r args; do
		${QEMU-} "$T/$name" $args >>"$T/text" || failed "$name $args"
	done
	unwinding "$machine" chain <"$T/text" >"$T/chains"
	python3 unwind.py chain "$T/text" "$T/chains" || failed "$name"
}

@test "unwind: a program's own chain is found, whatever compiles it" {
	for options in "-O2" "-O2 -static" "-O0" "-O1 -fno-omit-frame-pointer" "-O3 -fcf-protection=full -fno-pie -no-pie" "-Os -Wl,-z,now" \
	    "-O2 -Wl,--no-eh-frame-hdr" "-O2 -fno-asynchronous-unwind-tables -g" "-O2 -fno-asynchronous-unwind-tables -g -gz"; do
		for compiler in gcc clang; do
			type -P $compiler >/dev/null && turn 5 || continue
			COMPILER=$compiler form self $options
			printf '%s\n' "1 1" "10 2" "40 3" "100 4" "30 5 thread" "30 6 signal" "30 7 behind" "30 8 alone" | knows x86-64 self
		done
	done
	done_all
}

@test "unwind: in a file without tables, the trampoline of a signal is known all the same" {
	need objcopy
	form self -O0 -fno-asynchronous-unwind-tables
	objcopy -R .eh_frame -R .eh_frame_hdr "$T/self" "$T/bare"
	for how in behind alone; do
		"$T/bare" 30 8 $how >"$T/text"
		unwinding x86-64 chain <"$T/text" >"$T/chains"
		want=$(sed -n 's/^want //p' "$T/text")
		[[ "$(sed 's/.*\t//' "$T/chains") " == "$want "* ]] || failed "$how: $(cat "$T/chains"), not $want"
	done
	done_all
}

@test "unwind: depths 1 to 126 are found, and 300 gives 127 frames" {
	form self -O2
	for depth in $(seq 1 119) 300; do
		[ $depth = 1 ] || [ $depth = 300 ] || turn 7 || continue
		echo "$depth $depth"
	done >"$T/args"
	knows x86-64 self < <(sed '$d' "$T/args")
	"$T/self" 300 9 >"$T/text"
	unwinding x86-64 chain <"$T/text" >"$T/chains"
	grep -q '^there are more frames' "$T/chains"
	sed 's/.*\t//' "$T/chains" | tr ' ' '\n' >"$T/frames"
	[ "$(wc -l <"$T/frames")" = 127 ]
	sed -n 's/^want //p' "$T/text" | tr ' ' '\n' | head -n 127 | diff - "$T/frames"
}

@test "unwind: a copy that is too short gives the beginning of the chain, and says so" {
	form self -O2
	"$T/self" 60 3 >"$T/text"
	unwinding x86-64 chain <"$T/text" | sed 's/.*\t//' >"$T/whole"
	for bytes in 0 8 100 512 1000 1500; do
		sed "s/^\(stack .\{$((2 * bytes))\}\).*/\1/" "$T/text" | unwinding x86-64 chain >"$T/cut"
		grep -q '^the copy of the stack is too short' "$T/cut" || failed "$bytes"
		[[ "$(cat "$T/whole") " == "$(sed 's/.*\t//' "$T/cut") "* ]] || failed "$bytes"
	done
	done_all
}

@test "unwind: arm64, with and without signed return addresses" {
	need aarch64-linux-gnu-gcc
	need qemu-aarch64-static
	echo 'int main(void) {}' | aarch64-linux-gnu-gcc -static -x c -o "$T/try" - 2>/dev/null || skip "no C library for arm64"
	export COMPILER=aarch64-linux-gnu-gcc QEMU=qemu-aarch64-static
	for options in "-O2 -mbranch-protection=standard" "-O2" "-O0" "-O2 -mbranch-protection=pac-ret+leaf -fomit-frame-pointer" \
	    "-O1 -fomit-frame-pointer"; do
		turn 5 || continue
		form self -static $options
		printf '%s\n' "1 1" "30 2" "20 5 thread" "20 7 behind" "20 8 alone" | knows arm64 self
		# they are signed: the last caller's, whose frame has 6 bytes of an address and two that are not 0
		[[ "$options" == *protection* ]] || continue
		ra=$(printf '%012x' $((0x$(sed -n 's/^want .* //p' "$T/text" | head -n 1) + 1)) | fold -w 2 | tac | tr -d '\n')
		sed -n 's/^stack //p' "$T/text" | grep -oE "$ra[0-9a-f]{4}" | grep -qv '0000$' || failed "$options: not signed"
	done
	need aarch64-linux-gnu-readelf
	same_rules arm64 "$T/self" 10
	done_all
}

@test "unwind: .debug_frame of Go, compressed" {
	only_all
	need go
	printf 'package main\n\nfunc main() { println("x") }\n' >"$T/x.go"
	HOME=$T GOCACHE=$T/cache go build -o "$T/x" "$T/x.go"
	readelf -SW "$T/x" | grep '\.debug_frame' | grep -q ' C ' || failed "not compressed"
	same_rules x86-64 "$T/x" 1
	done_all
}

# Each entry costs libdw 474 MB.
@test "unwind: a hostile entry costs neither time nor memory" {
	printf '.globl main\nmain: .cfi_startproc\n nop\n .rept %d\n .cfi_escape 0x0a\n .endr\n nop\n .cfi_endproc\n' ${ALL:+20}100000 |
		gcc -x assembler -o "$T/hostile" -
	main=$(nm "$T/hostile" | sed -n 's/ T main//p')
	for i in 0 1; do
		printf '%x\n' $((0x$main + i))
	done >"$T/addresses"
	(ulimit -v 40000 -t 2; unwinding x86-64 rules "$T/hostile" <"$T/addresses") >"$T/out"
	[ "$(grep -c none "$T/out")" = 2 ]
}

@test "unwind: what is no file with tables is refused, with the reason" {
	printf 'int main(void) { return 0; }\n' >"$T/x.c"
	gcc -o "$T/x" "$T/x.c"
	gcc -c -o "$T/x.o" "$T/x.c"
	objcopy -R .eh_frame -R .eh_frame_hdr "$T/x" "$T/none" 2>/dev/null
	for row in "../LICENSE:not an ELF file" "$T/x.o:an ELF file of another type than program or library" "/dev/null:not an ELF file"; do
		try unwinding x86-64 rules "${row%%:*}"
		[ $rc = 1 ] && grep -q ": ${row#*:}\$" "$T/err" || failed "$row"
	done
	try unwinding arm64 rules "$T/x"
	[ $rc = 1 ] && grep -q ': an ELF file of another machine$' "$T/err" || failed "another machine"
	done_all
}
