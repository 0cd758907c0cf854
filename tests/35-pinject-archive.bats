# SPDX-License-Identifier: ISC
# pinject --archive: copies of what was sampled, so that perf elsewhere has the names of here.
load lib
KALLSYMS=		# perf has the names of the kernel that runs here

# program: compile one of our own, with symbols, that runs for a moment
program() {
	need cc
	cat >"$T/spin.c" <<-'END'
		#include <time.h>
		__attribute__((noinline)) static double beta(double x) { for (int i = 0; i < 1000; i++) x = x * 1.0001 + 1; return x; }
		__attribute__((noinline)) double alpha(double x) { return beta(x) + beta(-x); }
		int main(void) { volatile double x = 1; clock_t end = clock() + CLOCKS_PER_SEC / 4;
		while (clock() < end) x = alpha(x); return x == 0; }
	END
	cc -O1 -fno-omit-frame-pointer -Wl,--build-id=sha1 -o "$T/spin" "$T/spin.c"
}
# recorded: what it does, in $T/in
recorded() {
	need record
	need readelf
	program
	perf record -k mono -q --no-bpf-event -e cpu-clock -F 2000 -g --no-buildid-mmap -o - -- "$T/spin" >"$T/in" 2>"$T/record.err" ||
	    skip "perf record -k mono does not work here"
}
# report FILE [perf option...]
report() {
	local f=$1
	shift
	perf "$@" report -f -i "$f" --stdio -s comm,dso,sym -g none 2>/dev/null | grep '^[^#]*%' | sed 's/ *$//'
}
id_of() {
	readelf -n "$1" | sed -n 's/.*Build ID: //p'
}
copy_of() {
	local id=$(id_of "$1")
	echo "$T/syms/.build-id/${id:0:2}/${id:2}/elf"
}

@test "archive: needs a directory, and a size" {
	try pinject --archive /dev/null
	[ $rc = 2 ] && one_line "pinject: --archive: needs --buildid-dir" || failed "no directory"
	for size in 0 x 1.5G; do
		try pinject --archive=$size --buildid-dir "$T/syms" /dev/null
		[ $rc = 2 ] && one_line "pinject: --archive" || failed "$size"
	done
	done_all
}

@test "archive: with the stream and the directory alone, perf has the names of here" {
	recorded
	try pinject -b --archive --buildid-dir "$T/syms" "$T/in"
	[ $rc = 0 ]
	report "$T/in" >"$T/here"
	grep -q ' beta$' "$T/here"
	cmp "$T/spin" "$(copy_of "$T/spin")"
	rm "$T/spin"
	report "$T/out" --buildid-dir "$T/syms" | diff "$T/here" -
	# which it has not without the directory
	report "$T/in" | grep -q ' beta$' && failed "names without the file"
	perf --buildid-dir "$T/syms" buildid-list -i "$T/out" >/dev/null
	done_all
}

# Has /proc/kallsyms addresses for this user?  (The first symbols of some kernels are at 0 for all.)
has_kallsyms() {
	grep -q '^[0-9a-f]*[1-9a-f][0-9a-f]* T _s*text$' /proc/kallsyms
}
# elsewhere COMMAND: run it where this kernel is not known: as if another one ran
elsewhere() {
	mkdir -p "$T/empty"
	: >"$T/nothing"
	perl -e 'binmode STDIN; binmode STDOUT; local $/; my $d = <STDIN>; my $at = index $d, "GNU\0"; die if $at < 0;
		substr $d, $at + 4, 20, "\x11" x 20; print $d' </sys/kernel/notes >"$T/notes"
	unshare -m sh -c 'mount --bind "$1/nothing" /proc/kallsyms && mount --bind "$1/notes" /sys/kernel/notes &&
	    { [ ! -d /usr/lib/debug ] || mount --bind "$1/empty" /usr/lib/debug; } && { [ ! -d /boot ] || mount --bind "$1/empty" /boot; } || exit 99
	    shift; HOME=/nonexistent exec "$@"' sh "$T" "$@"
}

@test "archive: under another kernel, each perf names the kernel's symbols" {
	need record
	has_kallsyms || skip "/proc/kallsyms has no addresses"
	[ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null || skip "no private mount namespace"
	perf record -k mono -q --no-bpf-event -e cpu-clock -F 4000 -g --no-buildid-mmap -o - -- dd if=/dev/zero of=/dev/null bs=1M count=2000 \
	    >"$T/in" 2>/dev/null || skip "perf record does not work here"
	# the symbols of some kernels begin with offsets
	{ echo "0000000000000000 A fixed_percpu_data"; cat /proc/kallsyms; } >"$T/kallsyms"
	for from in "" "$T/kallsyms"; do
		rm -rf "$T/syms"
		unshare -m sh -c '[ -z "$1" ] || mount --bind "$1" /proc/kallsyms; shift; exec "$@"' sh "$from" \
		    "$(type -P pinject)" -b --archive --buildid-dir "$T/syms" "$T/in" >"$T/out" 2>"$T/err" || failed "$from: status"
		! [ -s "$T/err" ] || failed "$from: $(cat "$T/err")"
		for p in $PERFS; do
			type -P $p >/dev/null || continue
			# a few addresses of a kernel have no symbol: what perf says here is what is right
			$p --buildid-dir "$T/none" script -f -i "$T/in" -F ip,sym,dso 2>/dev/null | grep 'kernel.kallsyms' >"$T/here.got" || true
			for dir in none syms; do
				elsewhere $p --buildid-dir "$T/$dir" script -f -i "$T/out" -F ip,sym,dso 2>/dev/null | grep 'kernel.kallsyms' >"$T/$dir.got" || true
			done
			[ "$(wc -l <"$T/syms.got")" -gt 100 ] || failed "$p: no samples"
			! grep -qv unknown "$T/none.got" || failed "$p: names from elsewhere"
			diff "$T/here.got" "$T/syms.got" >"$T/diff" || failed "$from: $p: other names: $(head -n 6 "$T/diff")"
		done
	done
	# another run, and another recording, add nothing
	find "$T/syms" -type f -printf '%P %s %T@ %i\n' | sort >"$T/files"
	pinject -b --archive --buildid-dir "$T/syms" "$T/in" >/dev/null
	find "$T/syms" -type f -printf '%P %s %T@ %i\n' | sort | diff "$T/files" - || failed "files changed"
	done_all
}

@test "archive: where the program is not, the kernel is another one and debug files are not, the names are those of here" {
	recorded
	[ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null || skip "no private mount namespace"
	has_kallsyms || skip "/proc/kallsyms has no addresses"
	try pinject -b --archive --buildid-dir "$T/syms" "$T/in"
	[ $rc = 0 ]
	mkdir "$T/empty"
	touch "$T/nothing"
	# hidden_report PLACES FILE: with something empty over these places
	hidden_report() {
		unshare -m sh -c 'for f in $1; do [ -d "$f" ] && mount --bind "$3/empty" "$f"; [ -f "$f" ] && mount --bind "$3/nothing" "$f"; done
		    exec perf --buildid-dir "$3/$4" report -f -i "$2" --stdio -s comm,dso,sym -g none 2>/dev/null' sh "$1" "$2" "$T" "$3" |
		    grep '^[^#]*%' | sed 's/ *$//'
	}
	hidden_report "" "$T/in" none >"$T/here"
	grep -q ' beta$' "$T/here"
	grep -q 'kernel' "$T/here"
	! grep -q '0xffff' "$T/here" || false
	hidden_report "/usr/lib/debug /proc/kallsyms /sys/kernel/notes $T/spin" "$T/out" syms | diff "$T/here" -
	# all of it is hidden: without the directory no name is left
	! hidden_report "/usr/lib/debug /proc/kallsyms /sys/kernel/notes $T/spin" "$T/out" none | grep -E ' beta$|\[k\] [a-z_]'
}

@test "archive: each copy is the file of its build-id, and a second run adds nothing" {
	recorded
	try pinject --buildid-all --archive --buildid-dir "$T/syms" "$T/in"
	[ $rc = 0 ]
	[ "$(find "$T/syms" -name elf | wc -l)" -ge 3 ]
	while read -r f; do
		[ "$(id_of "$f")" = "$(basename "${f%/*}")" ] || failed "$f"
	done < <(find "$T/syms/files" -name elf -o -name debug)
	cmp "$T/spin" "$(copy_of "$T/spin")" || failed "not the program"
	if has_kallsyms; then
		cmp /proc/kallsyms "$T"/syms/'[kernel.kallsyms]'/*/kallsyms && cmp /proc/kallsyms "$T"/syms/'[kernel.kcore]'/*/*/kallsyms || failed kallsyms
		! [ -e /proc/modules ] || cmp /proc/modules "$T"/syms/'[kernel.kcore]'/*/*/modules || failed modules
	fi
	find "$T/syms" -type f -printf '%P %s %T@ %i\n' | sort >"$T/files"
	pinject --buildid-all --archive --buildid-dir "$T/syms" "$T/in" >/dev/null
	pinject -b --archive --buildid-dir "$T/syms" "$T/in" >/dev/null
	pinject -B --archive --buildid-dir "$T/syms" "$T/in" >/dev/null
	find "$T/syms" -type f -printf '%P %s %T@ %i\n' | sort | diff "$T/files" - || failed "files changed"
	# what is written does not depend on it
	pinject -b "$T/in" | cmp - <(pinject -b --archive --buildid-dir "$T/syms" "$T/in") || failed "another stream"
	done_all
}

@test "archive: separate debug information, if it is of that build-id" {
	recorded
	need objcopy
	id=$(id_of "$T/spin")
	debug=$T/fs/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug
	mkdir -p "${debug%/*}"
	objcopy --only-keep-debug "$T/spin" "$debug"
	perf record -k mono -q --no-bpf-event -e cpu-clock -F 2000 --no-buildid-mmap -o - -- sh -c "strip '$T/spin' && exec '$T/spin'" >"$T/in" 2>/dev/null
	! report "$T/in" | grep -q ' beta$' || false
	try pinject -b --archive --symfs "$T/fs" --buildid-dir "$T/syms" "$T/in"
	[ $rc = 0 ] && cmp "$debug" "$T/syms/.build-id/${id:0:2}/${id:2}/debug" || failed "the copy"
	report "$T/out" --buildid-dir "$T/syms" | grep -q ' beta$' || failed "no names by it"
	# of another program
	objcopy --only-keep-debug "$(command -v sh)" "$debug"
	try pinject -b --archive --symfs "$T/fs" --buildid-dir "$T/other" "$T/in"
	[ $rc = 0 ] && [ -f "$T/other/.build-id/${id:0:2}/${id:2}/elf" ] && ! [ -e "$T/other/.build-id/${id:0:2}/${id:2}/debug" ] || failed "of another"
	done_all
}

@test "archive: of a stream that has its build-ids" {
	recorded
	pinject --mmap2-buildid-all "$T/in" >"$T/ids"
	try pinject --archive --buildid-dir "$T/syms" "$T/ids"
	[ $rc = 0 ] && cmp "$T/out" "$T/ids" && cmp "$T/spin" "$(copy_of "$T/spin")"
}

@test "archive: what exceeds the size is left out, and this is said" {
	recorded
	try pinject -b --archive=1K --buildid-dir "$T/syms" "$T/in"
	[ $rc = 0 ]
	grep -q "warning: --archive: [0-9]* files of [0-9]* bytes are left out" "$T/err"
	[ "$(find "$T/syms" -name elf | wc -l)" = 0 ]
}

# stream_waits COMMAND: run it when pinject has opened the file that it copies at the end of the stream
stream_waits() {
	! big_endian || skip "the markers below are of the other byte order"
	mkfifo "$T/fifo"
	pinject -v -b --archive --buildid-dir "$T/syms" <"$T/fifo" >"$T/out" 2>"$T/err" 8>&- &
	exec 8>"$T/fifo"
	cat "$T/in" >&8
	printf '\104\0\0\0\0\0\010\0\104\0\0\0\0\0\010\0' >&8		# two FINISHED_ROUNDs
	# as many files are open as are to be copied: the stream is at its end, but not closed
	await sh -c "ls -l /proc/$!/fd | grep -q ' $T/spin$'"
	"$@"
	exec 8>&-
	wait $!
	rm "$T/fifo"
}

@test "archive: a file that is written to before it is copied is left out" {
	recorded
	write_to_it() {
		printf x | dd of="$T/spin" bs=1 seek=100 conv=notrunc 2>/dev/null
	}
	stream_waits write_to_it
	grep -q "^pinject: warning: '$T/spin' is not used: has been written to meanwhile$" "$T/err"
	[ ! -e "$(copy_of "$T/spin")" ]

	# ... as is one of several names: its mtime tells
	recorded
	write_to_it_and_link() {
		write_to_it
		ln "$T/spin" "$T/third"
	}
	stream_waits write_to_it_and_link
	grep -q "'$T/spin' is not used: has been written to meanwhile$" "$T/err"
	[ ! -e "$(copy_of "$T/spin")" ]
}

@test "archive: a file that gets or loses a name before it is copied is copied" {
	recorded
	cp "$T/spin" "$T/same"
	# perf record links files into its cache
	stream_waits ln "$T/spin" "$T/second"
	cmp "$T/same" "$(copy_of "$T/same")" || failed "linked: $(cat "$T/err")"
	rm -r "$T/syms"
	stream_waits mv -f "$T/second" "$T/third"
	cmp "$T/same" "$(copy_of "$T/same")" || failed "one of its names moved: $(cat "$T/err")"
	# an upgrade, or the end of a container
	rm -r "$T/syms"
	recorded
	cp "$T/spin" "$T/same"
	stream_waits rm "$T/spin"
	cmp "$T/same" "$(copy_of "$T/same")" || failed "deleted: $(cat "$T/err")"
	done_all
}

@test "archive: a full disk ends the copies with one message and status 1, not the stream" {
	recorded
	{ (ulimit -f 8; trap '' XFSZ; pinject -b --archive --buildid-dir "$T/syms" "$T/in" 2>"$T/err" || echo $? >"$T/rc"); } | cat >"$T/out"
	[ "$(cat "$T/rc")" = 1 ]
	one_line "pinject: $T/syms/"
	pinject -b "$T/in" | cmp - "$T/out"
}

@test "archive: an output file gets its name when the files that it needs are there, not on a full disk" {
	recorded
	echo "the one before" >"$T/good"
	# also without a file system of O_TMPFILE
	for plan in tmpfile:9999:EIO tmpfile:1+:EOPNOTSUPP; do
		rm -rf "$T/syms" "$T/good.tmp"
		# more than the output needs, less than the C library
		try with_fault $plan sh -c 'ulimit -c 0; ulimit -f 1000; trap "" XFSZ; exec pinject --buildid-all --archive --buildid-dir "$1/syms" -f -o "$1/good" "$1/in"' sh "$T"
		[ "$rc" = 1 ] && [ "$(cat "$T/good")" = "the one before" ] || failed "$plan: $rc $(cat "$T/err")"
		grep -q "^pinject: $T/good: incomplete, so its name is $T/good.tmp$" "$T/err" || failed "$plan: $(cat "$T/err")"
		pinject --buildid-all "$T/in" | cmp - "$T/good.tmp" || failed "$plan: the part"
	done
	with_fault tmpfile:1+:EOPNOTSUPP pinject -b --archive --buildid-dir "$T/syms" -f -o "$T/good" "$T/in" && pinject -b "$T/in" | cmp - "$T/good" ||
	    failed "with space"
	done_all
}

@test "archive: on a disk that is full, the output beside it keeps the good one before" {
	recorded
	[ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null || skip "no private mount namespace"
	echo "the one before" >"$T/good"
	mkdir "$T/small"
	try unshare -m sh -c 'mount -t tmpfs -o size=16k none "$1/small" && exec pinject -b --archive --buildid-dir "$1/small/syms" -f -o "$1/good" "$1/in"' sh "$T"
	[ $rc = 1 ] && grep -q "No space left on device" "$T/err" && [ "$(cat "$T/good")" = "the one before" ] && [ -f "$T/good.tmp" ]
}

@test "archive: each file that was wanted and is not there is named with the reason, and --strict makes it status 1" {
	recorded
	# left REASON [option...]: the program is
	left() {
		local why=$1
		shift
		for strict in "" --strict; do
			rm -rf "$T/syms"
			try ${AS-} pinject $strict --archive${ARCHIVE-} --buildid-dir "$T/syms" "$@" "$T/in"
			[ "$rc$strict" = 0 ] || [ "$rc$strict" = 1--strict ] || failed "$why: status $rc $strict"
			grep -q "^pinject: warning: '$T/spin' is not used: $why$" "$T/err" && cmp "$T/in" "$T/out" || failed "$why: $(cat "$T/err")"
		done
	}
	ARCHIVE==1K left "all copies would exceed --archive=SIZE"
	left "no file here is known to have the build-id of --known-build-ids" --known-build-ids "0123456789012345678901234567890123456789 $T/spin"
	cp "$T/spin" "$T/again"
	mv "$T/again" "$T/spin"
	left "was replaced after the recording"
	rm "$T/spin"
	left "does not exist on this host"
	recorded
	cp "$T/spin" "$T/keep"
	# the first byte, which tells whether it is an ELF file
	AS="with_fault pread:1+:EIO" left "Input/output error"
	# whatever is the first that has no descriptor
	AS= named=
	for n in {5..14}; do
		rm -rf "$T/syms"
		try sh -c 'ulimit -n $1; shift; exec "$@"' sh $n pinject --strict --archive --buildid-dir "$T/syms" "$T/in"
		[ $rc != 127 ] || continue		# not even its libraries can be opened
		[ $rc = 0 ] && [ -e "$(copy_of "$T/spin")" ] || { [ $rc = 1 ] && ! grep -vE "Too many open files(; --no-sandbox does without)?$" "$T/err"; } ||
		    failed "$n descriptors: $rc $(cat "$T/err")"
		! grep -q "'$T/spin' is not used: Too many open files" "$T/err" || named=yes
	done
	[ "$named" ] || failed "no number of descriptors for which the program is named"
	done_all
}

@test "archive: debuginfod serves it" {
	need debuginfod
	need debuginfod-find
	recorded
	pinject -b --archive --buildid-dir "$T/syms" "$T/in" >"$T/out"
	port=$((20000 + RANDOM % 20000))
	debuginfod -p $port -d "$T/db" -F "$T/syms" >"$T/log" 2>&1 3>&- &
	server=$!
	found() {
		DEBUGINFOD_URLS=http://127.0.0.1:$port DEBUGINFOD_CACHE_PATH=$T/cache XDG_CACHE_HOME=$T/cache \
		    debuginfod-find executable "$(id_of "$T/spin")" >"$T/found" || { rm -rf "$T/cache"; return 1; }
	}
	await found || { kill $server; false; }
	kill $server
	cmp "$T/spin" "$(cat "$T/found")"
}

@test "archive: all together in a pipe: program, kernel, jitdump and perf-map have their names from the stream and the directory" {
	recorded
	mkdir "$T/dumps"
	try "$O/jit" -n 1 "$T/dumps"
	[ $rc = 0 ] || skip "no code can be made here"
	perf record -q --no-bpf-event -k mono -e cpu-clock -F 4000 -g --no-buildid-mmap -o - -- sh -c "$O/jit -n 3 -m 40 $T/dumps; $T/spin" 2>"$T/err" |
	    pinject -b -j --perf-map --archive --buildid-dir "$T/syms" | psort >"$T/out"
	rm -r "$T/dumps" "$T/spin"
	report "$T/out" --buildid-dir "$T/syms" >"$T/there"
	for name in ' beta$' 'jitted-.* made_0$' 'jitted-.* made_2$'; do
		grep -q "$name" "$T/there" || failed "$name"
	done
	! has_kallsyms || grep -q '\[k\] [a-z_]' "$T/there" || failed kernel
	psort --stats "$T/out" 2>&1 >/dev/null | grep -q 'late: 0,' || failed late
	done_all
}
