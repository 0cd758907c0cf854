# SPDX-License-Identifier: ISC
# pcat --format=file --copy-data: another header for records that nobody reads.
load lib

# u64 FILE OFFSET: a number of it.
u64() {
	local order=little
	[ "$(head -c 1 "$1")" = P ] || order=big
	od --endian=$order -An -t u8 -j "$2" -N 8 "$1" | tr -d ' '
}

# The bytes of the data section.
data_of() {
	tail -c +$(($(u64 "$1" 40) + 1)) "$1" | head -c "$(u64 "$1" 48)"
}

@test "copy: the data is that of the input, in blocks that can be shared, and the header as without" {
	for in in data/*.file.data; do
		if ! pcat --format=file --copy-data -f -o "$T/o" "$in" 2>"$T/err"; then
			grep -Eq "^pcat: $in: --copy-data cannot be used: the recording (has AUXTRACE records|is of perf stat)$" "$T/err" || failed "$in: $(cat "$T/err")"
			continue
		fi
		cmp <(data_of "$in") <(data_of "$T/o") || failed "$in: the data"
		[ $((($(u64 "$in" 40) - $(u64 "$T/o" 40)) % 4096)) = 0 ] || failed "$in: another place in its block"
		# the order of the attrs' sections, and what is written of it, is that of --format=file
		pcat "$in" >"$T/want" || failed "$in"
		pcat "$T/o" | cmp - "$T/want" || failed "$in: the records"
		pcat --copy-data --format=file -o "$T/again" -f "$T/o"
		cmp "$T/o" "$T/again" || failed "$in: again"
	done
	done_all
}

@test "copy: perf reads it as it reads the input" {
	need perf
	for in in data/basic.file.data data/sched_R.file.data data/z1.file.data; do
		pcat --format=file --copy-data -f -o "$T/o" "$in"
		same_script "$in" "$T/o" || failed "$in"
		# more in front of the data than there was
		pcat "$in" | pinject --set-feature CMDLINE=another >"$T/more"
		pcat --format=file -f -o "$T/more.data" "$T/more"
		pcat --format=file --copy-data --no-features=cmdline,hostname -f -o "$T/o" "$T/more.data"
		same_script "$T/more.data" "$T/o" || failed "$in: another header"
		! perf report -f --header-only -i "$T/o" | grep '^# cmdline' || failed "$in: the feature"
	done
	done_all
}

@test "copy: compressed records stay so, and have the feature that expands them" {
	for options in --no-features=compressed --features=hostname; do
		pcat --format=file --copy-data $options -f -o "$T/o" data/z1.file.data
		cmp <(data_of data/z1.file.data) <(data_of "$T/o") || failed "$options"
		# but for those of the header
		for in in data/z1.file.data "$T/o"; do
			pcat "$in" | pstat --json | jq '[.types[] | select(.type < 64)]' >"$T/types.${in##*/}"
		done
		grep -q SAMPLE "$T/types.o"
		cmp "$T/types.z1.file.data" "$T/types.o" || failed "$options"
		! perf_reads || { perf script -f -i "$T/o" >"$T/script" 2>"$T/err" && [ -s "$T/script" ]; } || failed "$options: perf: $(head -n 3 "$T/err")"
	done
	done_all
}

@test "copy: times of samples are those that the input says, or unknown" {
	pcat --format=file -o "$T/in" data/basic.file.data
	pcat --format=file --copy-data -o "$T/o" "$T/in"
	pstat --header "$T/in" | grep 'time of .* sample' >"$T/want"
	[ -s "$T/want" ]
	pstat --header "$T/o" | grep 'time of .* sample' | diff "$T/want" -
	pcat --format=file --no-features=sample_time -o "$T/without" data/basic.file.data
	pcat --format=file --copy-data -f -o "$T/o" "$T/without"
	! pstat --header "$T/o" | grep 'time of .* sample'
}

@test "copy: it reads nothing of the data" {
	type -P strace >/dev/null || skip "strace is not installed"
	"$O/bench/gen" 8000000 | pcat --format=file -o "$T/in"
	cp "$T/in" "$T/bad"
	# no record there could be read
	dd if=/dev/zero of="$T/bad" bs=1M seek=4 count=1 conv=notrunc status=none
	local rc=0
	pcat "$T/bad" >"$T/out" 2>"$T/err" || rc=$?
	[ $rc = 1 ]
	pcat --format=file --copy-data -o "$T/o" "$T/bad"
	cmp <(data_of "$T/bad") <(data_of "$T/o")
	strace -f -o "$T/calls" -e trace=read,pread64,write,writev,pwrite64,copy_file_range pcat --format=file --copy-data -f --no-sandbox -o "$T/o" "$T/in" 2>"$T/err" || skip "strace cannot trace"
	cmp <(data_of "$T/in") <(data_of "$T/o")
	# the kernel refuses it between some file systems, and then the bytes are read
	grep -q ' copy_file_range(.* = [1-9]' "$T/calls" || skip "copy_file_range(2) does not work here"
	awk '/ (read|pread64|write|writev|pwrite64)\(/ { n += $NF } END { exit n > 1500000 }' "$T/calls"
	# whole blocks in one call
	grep -Eq ' copy_file_range\(.* = [0-9]{6}' "$T/calls"
}

@test "copy: where the kernel cannot, the bytes are read and written" {
	"$O/bench/gen" 3000000 | pcat --format=file -o "$T/in"
	for fault in 1+:EINVAL 2+:ENOSYS EOPNOTSUPP short; do
		# some bytes one by one, but not all of them
		[ $fault != short ] || fault=short,copy_file_range:100+:EPERM
		with_fault copy_file_range:$fault pcat --no-sandbox --format=file --copy-data -f -o "$T/o" "$T/in" || failed "$fault"
		cmp <(data_of "$T/in") <(data_of "$T/o") || failed "$fault"
		pcat "$T/o" | cmp - <(pcat "$T/in") || failed "$fault"
	done
	for fault in copy_file_range:1:ENOSPC copy_file_range:2:EIO copy_file_range:1+:EPERM,pread:9:EIO; do
		rc=0
		with_fault $fault pcat --no-sandbox --format=file --copy-data -o "$T/none" "$T/in" 2>"$T/err" || rc=$?
		[ $rc = 1 ] && [ ! -e "$T/none" ] && [ -s "$T/err" ] || failed "$fault: status $rc"
	done
	done_all
}

@test "copy: what is no complete perf.data file is refused" {
	refused() {
		local rc=0
		pcat --format=file --copy-data -f -o "$T/o" "$@" 2>"$T/err" || rc=$?
		[ $rc != 0 ] && [ ! -e "$T/o" ] || failed "$*: status $rc"
	}
	refused data/basic.pipe.data
	grep -q -- '--copy-data cannot be used: the input is no perf.data file' "$T/err"
	refused - <data/basic.pipe.data
	cat data/basic.file.data | refused -
	head -c -100 data/basic.file.data >"$T/cut"
	refused "$T/cut"
	head -c 3000 data/basic.file.data >"$T/cut"
	refused "$T/cut"
	zstd -q data/basic.file.data -o "$T/zst"
	refused "$T/zst"
	refused data/basic.file.data data/basic.file.data
	refused --piece=1/2 data/basic.file.data
	refused --endian=big data/basic.file.data
	refused --compat=6.1 data/basic.file.data
	refused -z data/basic.file.data
	"$O/mkpipe" <data/all-types.txt >"$T/types"
	pcat --format=file -o "$T/types.data" "$T/types"
	refused "$T/types.data"
	grep -q 'the recording has AUXTRACE records' "$T/err"
	done_all
}

@test "copy: pinject changes the header, too" {
	need perf
	pinject --format=file --copy-data --set-feature HOSTNAME=web1 --add-cmdline -f -o "$T/o" data/basic.file.data
	cmp <(data_of data/basic.file.data) <(data_of "$T/o")
	[ $((($(u64 data/basic.file.data 40) - $(u64 "$T/o" 40)) % 4096)) = 0 ]
	same_script data/basic.file.data "$T/o"
	perf report -f --header-only -i "$T/o" >"$T/header" 2>"$T/err"
	grep -q '^# hostname : web1$' "$T/header"
	grep -q '^# cmdline : .*pinject' "$T/header"
	# as when all is read
	pinject --format=file --set-feature HOSTNAME=web1 -f -o "$T/read" data/basic.file.data
	pinject --format=file --copy-data --set-feature HOSTNAME=web1 -f -o "$T/o" data/basic.file.data
	cmp <(pcat "$T/read") <(pcat "$T/o")

	pinject --format=file --copy-data --no-features=compressed,cmdline -f -o "$T/o" data/z1.file.data
	cmp <(data_of data/z1.file.data) <(data_of "$T/o")
	same_script data/z1.file.data "$T/o"

	local rc=0
	pinject --format=file --copy-data --set-feature HOSTNAME=web1 -o "$T/none" data/basic.pipe.data 2>"$T/err" || rc=$?
	[ $rc = 1 ]
	[ "$(echo "$T"/none*)" = "$T/none*" ]
	grep -q 'copy-data cannot be used: the input is no perf.data file' "$T/err"
	for options in -b --finished-init --jobs=2; do
		rc=0
		pinject --format=file --copy-data $options -o "$T/none" data/basic.file.data 2>"$T/err" || rc=$?
		[ $rc = 2 ] || failed "$options: status $rc"
	done
	done_all
}
