# SPDX-License-Identifier: ISC
# What could depend on the machine: compilers and their options, widths of numbers, large files.

load lib

# le64 N: as the 8 bytes of a little-endian number, for printf
le64() {
	local i
	for ((i = 0; i < 64; i += 8)); do printf '\\x%02x' $(($1 >> i & 255)); done
}

@test "machines: the environment's compiler and options count" {
	printf '#!/bin/sh\necho -DMINE\n' >"$T/my-pkg-config"
	chmod +x "$T/my-pkg-config"
	try env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL CC="ccache gcc" CFLAGS="-O3 -march=native" CPPFLAGS=-DSOME=thing LDFLAGS=-Wl,-z,now \
	    PKG_CONFIG=$T/my-pkg-config make -C .. -n -o "$T/o/ready" O="$T/o"
	[ $rc = 0 ]
	grep -q '^ccache gcc .*-DSOME=thing .*-O3 -march=native -c -o .*/common/tool/arg.o' "$T/out"
	grep -q '^ccache gcc .*-O3 -march=native -Wl,-z,now -o .*/pcat' "$T/out"
	# what the tools need is there all the same
	grep -q '^ccache gcc .*-D_GNU_SOURCE .*-Icommon .*-Wall' "$T/out"
	! grep -q -e '-O2' "$T/out" || failed "-O2 beside -O3"
	grep -q -e '-DMINE' "$T/out" || failed "pkg-config is another"
	done_all
}

@test "machines: numbers with a point are doubles, each time" {
	local cc options
	for cc in "${CC:-cc}" "${CC:-cc} -m32"; do
		$cc -E -xc /dev/null >/dev/null 2>&1 || continue
		env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL CC="$cc" make -C .. -n -o "$T/o/ready" O="$T/o" >"$T/out" 2>/dev/null
		options=$(sed -n 's/.* \(-std=c11 .*\) -c -o .*\/o\/common\/record\/tracing\.o .*/\1/p' "$T/out")
		[[ " $options " == *" -ffp-contract=off "* ]] || failed "$cc: $options"
		$cc $options -dM -E -xc /dev/null | grep -qx '#define __FLT_EVAL_METHOD__ 0' || failed "$cc: $options"
	done
	done_all
}

@test "machines: data and features behind 2 and 4 GiB of a file are found" {
	local at=48 off size far
	off=$(od -An -tu8 -j40 -N8 data/basic.file.data)
	pcat data/basic.file.data >"$T/want"
	for far in 2147483648 3000000000 5000000000; do
		cp data/basic.file.data "$T/far"
		chmod u+w "$T/far"
		tail -c +$((off + 1)) data/basic.file.data | dd of="$T/far" bs=1000000 oflag=seek_bytes seek=$far conv=notrunc 2>/dev/null
		printf "$(le64 $far)" | dd of="$T/far" bs=1 seek=40 conv=notrunc 2>/dev/null
		try pcat "$T/far"
		[ $rc = 0 ] || failed "$far"
		cmp "$T/want" "$T/out" || failed "$far"
		rm "$T/far"
	done
	done_all
}

@test "machines: a type's number has 32 bits, whatever a long has" {
	local n
	for n in 4294967296 4294967300 99999999999 18446744073709551617; do
		try pfilter --drop-type $n data/demo.data
		[ $rc = 2 ] && one_line "pfilter: " || failed "$n"
	done
	done_all
}

@test "machines: a date has 64 bits, whatever a long has" {
	local at
	export TZ=UTC
	pinject --clock-data 1975311415987:4102444800123456789 -o "$T/late" data/k_mono.pipe.data
	try pstat --header "$T/late"
	grep -q 'reference time: 2100-01-01 00:00:00.123456 = 4102444800.123456 ' "$T/out" || failed "the header"
	# the second ends in the last hour of 32 bits, in a zone where that is behind them
	for at in @2100-01-01T00:00:00 @2038-01-19T03:00:00-11:00; do
		try pfilter --time $at, "$T/late"
		[ $rc = 0 ] && [ "$(pstat --json "$T/out" | jq .samples)" = 74 ] || failed "from $at"
	done
	try pfilter --time @2100-01-02T00:00Z, "$T/late"
	[ $rc = 0 ] && [ "$(pstat --json "$T/out" | jq .samples)" = 0 ] || failed "from the next day"
	done_all
}

@test "machines: make demo uses a recording if perf takes no samples, and prints the reason" {
	mkdir "$T/o"
	for t in $TOOLS; do ln -s "$(type -P $t)" "$T/o/"; done
	for how in empty dummy fails; do
		: >"$T/live"
		[ $how != dummy ] || mkpipe <(echo 'attr type=1 config=9 period=1 sample_type=IP|TID|TIME ids=1') >"$T/live"
		{
			echo '#!/bin/sh'
			echo 'case $* in'
			echo "*' -o - '*) cat '$T/live'; $([ $how != fails ] || echo 'echo broken >&2; exit 1');;"
			echo 'report*) echo the report;;'
			echo esac
		} >"$T/perf"
		chmod +x "$T/perf"
		O=$T/o PATH=$T:$PATH try ./demo
		[ $rc = 0 ] || failed "$how"
		grep -q '^Not live: .*\. *So from a recording:$' "$T/out" || failed "$how: says nothing"
		cmp <(pfilter --pid 42 data/demo.data | psort) "$T/o/demo.data" || failed "$how: another recording"
		grep -q '^the report' "$T/out" || failed "$how: no report"
	done
	done_all
}
