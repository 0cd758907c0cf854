# SPDX-License-Identifier: ISC
# pinject: is a stream made now?  A replay gets no build-id of a file that was changed since it was recorded.
load lib
load pinject

need_all() {
	need record; need readelf; need native; need perl
	SLEEP=$(readlink -f "$(command -v sh)")		# of which prog makes copies
	[ -n "$(id_of "$SLEEP")" ] || skip "programs here have no build-ids"
	prog "$T/vict" a
	prog "$T/other" b
	a=$(id_of "$T/vict") b=$(id_of "$T/other")
	sleep 0.05		# times of files are as coarse as the kernel's tick
}
WORK='i=0; while [ $i -lt 40000 ]; do i=$((i + 1)); done'
# recorded [perf record option...]: the program, by perf, to standard output
recorded() {
	perf record -q --no-bpf-event -e cpu-clock -F 5000 --no-buildid-mmap "$@" -o - -- "$T/vict" -c "$WORK" 2>/dev/null </dev/null
}
# has FILE ID: does it have that id, by BUILD_ID or MMAP2?
has() {
	perl -e 'local $/; open my $f, "<:raw", shift or die; exit !(index(<$f>, pack "H*", shift) >= 0)' "$1" "$2"
}
WAYS="-b --buildid-all -B --mmap2-buildid-all"

@test "live: a replay through a pipe, a copy and psort: what was changed since has no id, and this is said" {
	need_all
	libc=$(ldd "$SLEEP" | sed -n 's/.*=> \([^ ]*libc[^ ]*\) .*/\1/p')
	for k in "" "-k mono" "-k raw" "-k boot" "-k realtime"; do
		cat "$T/other" >"$T/q" && prog "$T/vict" a && sleep 0.05
		recorded $k >"$T/v" || skip "perf record $k does not work here"
		has "$T/v" "$a" && failed "perf has ids itself"
		cat "$T/other" >"$T/vict"
		sleep 0.1
		cp "$T/v" "$T/w"
		for o in $WAYS "-b --archive --buildid-dir $T/syms"; do
			[[ $o == *all ]] && known=$(id_of "$libc") || known=
			for way in "cat $T/v | pinject $o" "pinject $o $T/w" "psort $T/v | pinject $o"; do
				turn 5 || continue
				try bash -c "$way"
				[ $rc = 0 ] && grep -q "no build-ids of 1 files: has been changed since (1)" "$T/err" || failed "$k: $way: not said"
				! has "$T/out" "$a" && ! has "$T/out" "$b" || failed "$k: $way: an id"
				# what is as it was has its id
				has "$T/out" "$known" || failed "$k: $way: no id of $libc"
			done
		done
		! [ -e "$T/syms/files/$b" ] || failed "$k: archived"
		try pinject -b --allow changed-files "$T/w"
		has "$T/out" "$b" || failed "$k: allowed"
		# without what perf record -k says of the two clocks: ours are read
		[ -n "$k" ] || continue
		try bash -c "pinject --no-features CLOCK_DATA $T/v | pinject --buildid-all"
		! has "$T/out" "$b" && has "$T/out" "$(id_of "$libc")" || failed "$k: no CLOCK_DATA"
	done
	done_all
}

@test "live: a stream that is made now has all ids, also through psort, from all CPUs, by each clock, and late" {
	need_all
	live() {
		bash -c "$1" >"$T/out" 2>"$T/err" </dev/null || failed "$1: status"
		has "$T/out" "$a" || failed "$1: $(cat "$T/err")"
	}
	perf="perf record -q --no-bpf-event -e cpu-clock -F 5000 --no-buildid-mmap -o -"
	run="-- $T/vict -c '$WORK' 2>/dev/null"
	for o in $WAYS; do
		! turn 2 || live "$perf $run | pinject $o"
		! turn 2 || live "$perf $run | psort | pinject $o"
	done
	if perf record -q -a -e cpu-clock -o - -- true >/dev/null 2>&1; then		# not everyone may
		live "$perf -a $run | pinject -b"
		live "$perf -a $run | psort | pinject -B"
	fi
	live "$perf $run | (sleep 3; cat) | pinject -b"
	live "$perf $run | (sleep 3; pinject -b)"
	for k in mono raw boot realtime; do
		turn 2 || continue
		live "$perf -k $k $run | pinject -b"
		live "$perf -k $k $run | pinject --no-features CLOCK_DATA | pinject -b"
	done
	# written while it is recorded, and before it ran
	live "$perf -- sh -c 'cat $T/vict >$T/x; chmod 700 $T/x; sleep 0.1; exec $T/x -c \"\$0\"' '$WORK' 2>/dev/null | pinject -b"
	done_all
}

@test "live: where perf events are not permitted, the clock is estimated: a file must be some seconds older" {
	need_all
	need cc
	! sanitized || skip "the sanitizer's library must be the first"
	cat >"$T/deny.c" <<-END
		#define _GNU_SOURCE
		#include <dlfcn.h>
		#include <errno.h>
		#include <sys/syscall.h>
		long syscall(long n, long a, long b, long c, long d, long e, long f)
		{
			static long (*next)(long, ...);
			if (n == SYS_perf_event_open)
				return errno = EACCES, -1;
			if (!next)
				next = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
			return next(n, a, b, c, d, e, f);
		}
	END
	cc -shared -fPIC -o "$T/deny.so" "$T/deny.c" -ldl
	recorded >"$T/v"
	cat "$T/other" >"$T/vict"
	deny() {
		LD_PRELOAD="$T/deny.so" pinject -b >"$T/out" 2>"$T/err" || failed "$1: status"
	}
	cat "$T/v" | deny replay
	! has "$T/out" "$b" && grep -q "has been changed since" "$T/err" || failed replay
	recorded | deny new
	# 2 s, and how much the monotonic clocks differ
	if has "$T/out" "$b"; then failed "a file that is new"; fi
	# an old one: of a file with two names the mtime counts
	ln "$T/vict" "$T/second"
	touch -d '1 hour ago' "$T/vict"
	recorded | deny live
	has "$T/out" "$b" || failed "live: $(cat "$T/err")"
	done_all
}

# maps_then TIME: a map without a time, and a sample of that time by CLOCK_MONOTONIC
maps_then() {
	cat >"$T/recipe.txt" <<-END
		attr type=1 config=0 period=1 sample_type=IP|TID|TIME flags=sample_id_all|mmap|comm|task|mmap2|use_clockid clockid=1
		MMAP2 misc=2 pid=7 tid=7 start=0x400000 len=0x10000 prot=5 flags=2 filename=$T/vict
		SAMPLE misc=2 ip=0x401000 pid=7 tid=7 time=$1
	END
	mkpipe "$T/recipe.txt" >"$T/in"
}

@test "live: maps without a time, whose file was changed before the first time" {
	need native; need readelf; need perl
	prog "$T/vict" a
	a=$(id_of "$T/vict")
	before=$(mono)
	sleep 0.05
	brand "$T/vict" b
	b=$(id_of "$T/vict")
	sleep 0.05
	maps_then "$before"
	for o in $WAYS; do
		try bash -c "cat $T/in | pinject -v $o"
		case $o in
		*all)	# the map arrives first, and has an id then
			[ $rc = 1 ] && grep -q "<stdin>: the recording was made before files of its maps were changed" "$T/err" || failed "$o";;
		*) [ $rc = 0 ] && ! has "$T/out" "$b" && grep -q "no build-id of '$T/vict': has been changed since" "$T/err" || failed "$o";;
		esac
	done
	maps_then "$(mono)"
	for o in $WAYS; do
		try bash -c "cat $T/in | pinject $o"
		[ $rc = 0 ] && ! [ -s "$T/err" ] && has "$T/out" "$b" || failed "$o: unchanged"
	done
	done_all
}

@test "live: what comes through a pipe from another boot, another kernel, or without times" {
	need native; need readelf; need perl
	prog "$T/vict" a
	a=$(id_of "$T/vict")
	sleep 0.05
	for time in 100 $(($(mono) + 3600000000000)); do
		maps_then $time
		try bash -c "cat $T/in | pinject -b"
		[ $rc = 0 ] && cmp "$T/in" "$T/out" && one_line "pinject: warning: no build-ids: the recording was not made since this host was started" ||
		    failed "$time"
		try bash -c "cat $T/in | pinject -b --allow changed-files"
		has "$T/out" "$a" || failed "$time: allowed"
		# a file has a time of its own
		try pinject -b "$T/in"
		has "$T/out" "$a" || failed "$time: a file"
	done
	maps_then "$(mono)"
	sed -i '1aHEADER_FEATURE feat_id=4 fs=0.99' "$T/recipe.txt"
	mkpipe "$T/recipe.txt" >"$T/in"
	try bash -c "cat $T/in | pinject -b"
	[ $rc = 0 ] && cmp "$T/in" "$T/out" && one_line "pinject: warning: no build-ids: the recording was made under another kernel, and does not say when" ||
	    failed "another kernel"
	maps_then 1
	sed -i 's/|TIME//; s/ time=1$//' "$T/recipe.txt"
	mkpipe "$T/recipe.txt" >"$T/in"
	try bash -c "cat $T/in | pinject -b"
	[ $rc = 0 ] && has "$T/out" "$a" && one_line "pinject: warning: the recording has no times, and is taken to be made now" || failed "no times"
	done_all
}

@test "live: --clock-data=now of another host, kernel or time is wrong usage" {
	need native; need perl
	stream() {
		printf '%s\n' "attr type=1 config=0 period=1 sample_type=IP|TID|TIME flags=sample_id_all|use_clockid clockid=1" "$@" \
		    "SAMPLE misc=2 ip=0x401000 pid=7 tid=7 time=$time" >"$T/recipe.txt"
		mkpipe "$T/recipe.txt" >"$T/in"
	}
	now() {
		try bash -c "cat $T/in | pinject --clock-data=now"
	}
	time=$(mono)
	for wrong in "3 HOSTNAME elsewhere" "4 OSRELEASE 0.99" "6 ARCH pdp11"; do
		read -r number name value <<<"$wrong"
		stream "HEADER_FEATURE feat_id=$number fs=$value"
		now
		[ $rc = 2 ] && one_line "pinject: --clock-data=now: $name of the recording is not that of this machine: it is not being recorded here" ||
		    failed "$name"
	done
	stream "HEADER_FEATURE feat_id=3 fs=$(uname -n)" "HEADER_FEATURE feat_id=4 fs=$(uname -r)" "HEADER_FEATURE feat_id=6 fs=$(uname -m)"
	now
	[ $rc = 0 ] && ! [ -s "$T/err" ] || failed "this machine"
	for time in 100 $(($(mono) + 3600000000000)) $(($(mono) > 200000000000 ? $(mono) - 100000000000 : 100)); do
		stream
		now
		[ $rc = 2 ] && one_line "pinject: --clock-data=now: a record is of " || failed "$time"
	done
	done_all
}
