# SPDX-License-Identifier: ISC
# pinject: build-ids that the user knows, for recordings of any host, and nothing of this host's files for those of another.
load lib
load pinject

KERNEL=$(printf '%040d' 1) MODULE=$(printf '%040d' 2) VDSO=$(printf '%040d' 3) VDSO32=$(printf '%040d' 4) PROG=$(printf '%038dab' 5)

# stream [-b]: mkpipe from standard input
stream() {
	{ echo "attr type=1 config=0 period=1 sample_type=IP|TID|TIME|CALLCHAIN flags=sample_id_all|mmap|comm|task|mmap2 ids=7"; cat; } >"$T/recipe.txt"
	mkpipe "$@" "$T/recipe.txt" >"$T/in"
}
# maps ARCH HOST: a map of each kind, each with a sample
maps() {
	local n=0 start name
	echo "HEADER_FEATURE feat_id=3 fs=$2"
	echo "HEADER_FEATURE feat_id=4 fs=0.99"
	echo "HEADER_FEATURE feat_id=6 fs=$1"
	echo "MMAP misc=1 pid=-1 tid=0 start=0xffffffff81000000 len=0x1000000 pgoff=0xffffffff81000000 filename=[kernel.kallsyms]_text"
	echo "MMAP misc=1 pid=-1 tid=0 start=0xffffffffc0000000 len=0x10000 filename=/lib/modules/0.99/kernel/fs/some-fs.ko.xz"
	echo "MMAP misc=1 pid=-1 tid=0 start=0xffffffffc0100000 len=0x10000 filename=[other_fs]"
	echo "SAMPLE misc=1 ip=0xffffffff81000010 pid=7 time=$((++n)) chain="
	echo "SAMPLE misc=1 ip=0xffffffffc0000010 pid=7 time=$((++n)) chain="
	echo "SAMPLE misc=1 ip=0xffffffffc0100010 pid=7 time=$((++n)) chain="
	for name in "[vdso]" "/nonexistent/a\\sprogram" "/nonexistent/short" //anon "[heap]"; do
		start=$((0x7f0000000000 + ++n * 65536))
		echo "MMAP2 misc=2 pid=7 tid=7 start=$start len=0x10000 maj=8 min=1 ino=$((n + 10)) prot=5 flags=2 filename=$name"
		echo "SAMPLE misc=2 ip=$start pid=7 time=$n chain="
	done
	# a 32-bit process
	echo "MMAP2 misc=2 pid=8 tid=8 start=0xf7000000 len=0x1000 prot=5 flags=2 filename=[vdso]"
	echo "SAMPLE misc=2 ip=0xf7000000 pid=8 time=$((++n)) chain="
}
# with_ids <stream: id and name of each BUILD_ID, and of each MMAP2 with an id
with_ids() {
	perl -e '
		binmode STDIN; local $/; my $d = <STDIN>; my $o = 16;
		my ($u4, $u2) = $d =~ /^PERFILE2/ ? ("V", "v") : ("N", "n");
		while ($o + 8 <= length $d) {
			my ($t, $m, $s) = unpack "$u4$u2$u2", substr $d, $o, 8;
			my $pay = $t == 66 ? unpack($u4, substr $d, $o + 8, 4) : 0;
			my $r = substr $d, $o, $s;
			printf "%s %s\n", unpack("H*", substr $r, 12, ord substr $r, 32, 1), unpack "Z*", substr $r, 36 if $t == 67;
			printf "%s %s\n", unpack("H*", substr $r, 44, ord substr $r, 40, 1), unpack "Z*", substr $r, 72 if $t == 10 && $m & 0x4000;
			$o += $s + $pay;
		}' | sed 's/\[kernel.kallsyms\]_text/[kernel.kallsyms]/' | sort -u
}
MODES="-b --buildid-all -B --mmap2-buildid-all"

@test "host: --known-build-ids in every mode, of any machine and byte order, with all digits" {
	cat >"$T/list" <<-END
		$KERNEL [kernel.kallsyms]
		$MODULE /lib/modules/0.99/kernel/fs/some-fs.ko.xz
		0123456789abcdef0123 [other_fs]
		$VDSO [vdso]
		$PROG /nonexistent/a program
		0123456789abcdef0123456789abcdef         /nonexistent/short
		$PROG //anon
	END
	sed 's/  */ /; /anon/d' "$T/list" | sort >"$T/want"
	for machine in x86_64 aarch64 s390x; do
		for order in "" -b; do
			maps $machine elsewhere | stream $order
			for mode in $MODES; do
				try pinject --strict $mode --no-fs --known-build-ids "file://$T/list" "$T/in"
				[ $rc = 1 ] || failed "$machine $order $mode: status"	# of the 32-bit vdso
				grep -q "^pinject: warning: no build-ids of 1 files: not looked for (--no-fs) (1)" "$T/err" ||
				    grep -q "^pinject: warning: no build-ids: the recording was made on" "$T/err" || failed "$machine $order $mode: text"
				with_ids <"$T/out" | grep -v anon | diff "$T/want" - || failed "$machine $order $mode"
				# that of another width has a name of its own
				try pinject --strict $mode --known-build-ids "file://$T/list" --known-build-ids "$VDSO32 [vdso32]" "$T/in"
				case $mode in
				*mmap2*|-B) [ $rc = 0 ] && ! [ -s "$T/err" ] && with_ids <"$T/out" | grep -qx "$VDSO32 \[vdso\]";;
				*) [ $rc = 1 ] && one_line "pinject: warning: no build-ids of 1 files: another file of this name has the BUILD_ID";;
				esac || failed "$machine $order $mode: all known"
			done
		done
	done
	# a 32-bit machine has one vdso only
	maps armv7l elsewhere | stream
	for mode in -B --mmap2-buildid-all; do
		try pinject --strict $mode --known-build-ids "file://$T/list" "$T/in"
		[ $rc = 0 ] && ! with_ids <"$T/out" | grep -v "^$VDSO" | grep 'vdso' || failed "armv7l $mode"
	done
	done_all
}

@test "host: perf buildid-list of one recording is the list for another" {
	need perf
	printf '%s\n' "$KERNEL [kernel.kallsyms]" "0123456789abcdef0123456789abcdef /nonexistent/short" "$PROG /nonexistent/a program" \
	    "$VDSO [vdso]" >"$T/list"
	maps x86_64 elsewhere | stream
	pinject -q -b --no-fs --known-build-ids "file://$T/list" "$T/in" >"$T/one"
	perf buildid-list -i "$T/one" 2>/dev/null >"$T/perf.list"
	[ "$(wc -l <"$T/perf.list")" -ge 4 ]
	for mode in $MODES; do
		pinject -q $mode --known-build-ids "file://$T/perf.list" "$T/in" | with_ids >"$T/got"
		sed -n 's/^\([0-9a-f][0-9a-f]*\)  */\1 /p' "$T/perf.list" | sort | diff - "$T/got" || failed "$mode"
	done
	done_all
}

@test "host: an id of the stream is kept when the list has another, and that is said" {
	maps x86_64 elsewhere | stream
	for mode in $MODES; do
		pinject -q $mode --known-build-ids "$PROG /nonexistent/a program" "$T/in" >"$T/first"
		for other in $MODES; do
			try pinject $other --no-fs --known-build-ids "$PROG /nonexistent/a program" "$T/first"
			! grep -q 'another build-id' "$T/err" || failed "$mode $other: the same"
			try pinject $other --no-fs --known-build-ids "$MODULE /nonexistent/a program" "$T/first"
			[ $rc = 0 ] && [ "$(grep -c "the recording has another build-id of '/nonexistent/a program' than --known-build-ids" "$T/err")" = 1 ] ||
			    failed "$mode $other"
			case $mode$other in
			*all*all|-b*all) continue;;		# when the map passes, its BUILD_ID is still to come
			esac
			[ "$(with_ids <"$T/out")" = "$PROG /nonexistent/a program" ] || failed "$mode $other: kept"
		done
	done
	done_all
}

@test "host: for a recording of another host nothing of this one is taken; directories that the user names are" {
	need native
	pid=$$ at=$(printf 0x%x $((0x7f5500000000)))
	cat=$(readlink -f "$(command -v cat)")
	mkdir -p "$T/here" "$T/saved" "$T/saved-maps" "$T/fs${cat%/*}"
	dump() { sed "s,PID,$pid,g" <<<"$1" | ./mkjitdump; }
	dump $'head pid=PID\nload time=1100 pid=PID addr=0x10000 size=32 name=here' >"$T/here/jit-$pid.dump"
	dump $'head pid=PID\nload time=1100 pid=PID addr=0x10000 size=32 name=saved' >"$T/saved/jit-$pid.dump"
	rm -f /tmp/perf-$pid.map
	echo "${at#0x} 100 here" >/tmp/perf-$pid.map
	echo "${at#0x} 100 saved" >"$T/saved-maps/perf-$pid.map"
	recording() {
		[ -z "$1" ] || echo "HEADER_FEATURE feat_id=3 fs=$1"
		echo "HEADER_FEATURE feat_id=4 fs=$(uname -r)"
		echo "HEADER_FEATURE feat_id=6 fs=$(uname -m)"
		# CLOCK_DATA of CLOCK_MONOTONIC is no need of --jit: the clock is in the ATTR
		echo "MMAP misc=1 pid=-1 tid=0 start=0xffffffff81000000 len=0x1000000 pgoff=0xffffffff81000000 filename=[kernel.kallsyms]_text"
		echo "MMAP2 misc=2 pid=$pid tid=$pid start=0x400000 len=0x10000 prot=5 flags=2 filename=$cat @ pid=$pid time=900"
		echo "MMAP2 misc=2 pid=$pid tid=$pid start=0x7fff00000000 len=0x1000 prot=5 flags=2 filename=[vdso] @ pid=$pid time=901"
		echo "MMAP2 misc=2 pid=$pid tid=$pid start=0x500000 len=0x1000 prot=5 flags=2 filename=$T/here/jit-$pid.dump @ pid=$pid time=1000"
		echo "MMAP2 misc=2 pid=7 tid=7 start=$at len=0x1000 prot=5 flags=2 filename=//anon @ pid=7 time=1001"
		echo "SAMPLE misc=2 ip=0x400010 pid=$pid time=1500 chain=0xffffffff81000010,0x400010,0x7fff00000010"
		echo "SAMPLE misc=1 ip=0xffffffff81000010 pid=$pid time=1501 chain="
		echo "SAMPLE misc=2 ip=0x10000 pid=$pid time=1502 chain="
		echo "SAMPLE misc=2 ip=0x7fff00000010 pid=$pid time=1503 chain="
	}
	record_in() {
		recording "$1" >"$T/body"
		{ echo "attr type=1 config=0 period=1 sample_type=IP|TID|TIME|CALLCHAIN flags=sample_id_all|mmap|comm|task|mmap2|use_clockid clockid=1 ids=7"
		  sed "s/pid=7 tid=7/pid=$pid tid=$pid/; s/@ pid=7/@ pid=$pid/" "$T/body"
		  echo "SAMPLE misc=2 ip=$at pid=$2 time=1504 chain="; } >"$T/recipe.txt"
		mkpipe "$T/recipe.txt" >"$T/in"
	}
	# a process with a jitdump is left to --jit, so each is tried by itself
	try_all() {
		for o in "-b" "--buildid-all" "-B" "--mmap2-buildid-all" "--jit --buildid-dir $T/syms" "--perf-map --buildid-dir $T/syms" \
		    "-b --archive --buildid-dir $T/syms" "--mmap2-buildid-all --archive --buildid-dir $T/syms"; do
			rm -rf "$T/syms"
			try pinject $o "$@" "$T/in"
			[ "$o" = -B ] && with_ids <"$T/out" >"$T/changed" || { cmp "$T/in" "$T/out" >"$T/changed" 2>&1 || true; }
			! [ -d "$T/syms" ] || find "$T/syms" -type f >>"$T/changed"
			! [ -s "$T/changed" ] || echo "$o"
		done
	}
	for o in $(pinject --list-options | jq -r '.relations[] | select(.kind == "needs" and .others == ["buildid-dir"]).these[]'); do
		declare -f try_all | grep -qE -- "--$o( |\")" || failed "--$o is not tried"
	done
	record_in elsewhere $pid
	try_all >"$T/did"
	! [ -s "$T/did" ] || failed "elsewhere: $(cat "$T/did")"
	# each of these does add something to a recording of this host
	record_in "$(uname -n)" $pid
	[ "$(try_all | wc -l)" = 8 ] || failed "here: $(try_all)"
	record_in elsewhere $pid
	[ "$(try_all --allow other-host | wc -l)" = 8 ] || failed "allowed: $(try_all --allow other-host)"
	# no word of the host: it is taken to be this one, and -v says so
	record_in "" $pid
	[ "$(try_all | wc -l)" = 8 ] || failed "no HOSTNAME"
	try pinject -v -b "$T/in"
	grep -q "does not say on which host it was made" "$T/err" || failed "not said"
	# what the user names
	record_in elsewhere $pid
	rm -rf "$T/syms"
	pinject -q -j --jit-dump-dir "$T/saved" --buildid-dir "$T/syms" "$T/in" >"$T/out" || failed "--jit-dump-dir: status"
	grep -rqa saved "$T/syms" && ! grep -rqa here "$T/syms" || failed "--jit-dump-dir"
	rm -rf "$T/syms"
	pinject -q --perf-map="$T/saved-maps" --buildid-dir "$T/syms" "$T/in" >"$T/out" || failed "--perf-map=DIR: status"
	grep -rqa saved "$T/syms" && ! grep -rqa here "$T/syms" || failed "--perf-map=DIR"
	cp "$cat" "$T/fs$cat"
	rm -rf "$T/syms"
	pinject -q -b --archive --symfs "$T/fs" --buildid-dir "$T/syms" "$T/in" >"$T/out" || failed "--symfs: status"
	with_ids <"$T/out" >"$T/got"
	[ "$(cut -d' ' -f2 "$T/got")" = "$cat" ] && [ "$(find "$T/syms" -type f | wc -l)" = 1 ] || failed "--symfs: $(cat "$T/got")"
	# an id of the list makes no file here the one of that id: no kernel's symbols, no vdso
	record_in "$(uname -n)" $pid
	rm -rf "$T/syms"
	pinject -q -b --archive --known-build-ids "$KERNEL [kernel.kallsyms],$VDSO [vdso],$PROG $cat" --buildid-dir "$T/syms" "$T/in" >"$T/out" ||
	    failed "list: status"
	[ "$(with_ids <"$T/out" | wc -l)" = 3 ] && [ -z "$(find "$T/syms" -type f)" ] || failed "list: $(find "$T/syms" -type f)"
	rm -f /tmp/perf-$pid.map
	done_all
}

@test "host: a HOSTNAME that comes behind what was taken makes status 1" {
	cat=$(readlink -f "$(command -v cat)")
	for o in --buildid-all --mmap2-buildid-all; do
		stream <<-END
			MMAP2 misc=2 pid=7 tid=7 start=0x400000 len=0x10000 prot=5 flags=2 filename=$cat @ pid=7 time=900
			HEADER_FEATURE feat_id=3 fs=elsewhere
			MMAP2 misc=2 pid=7 tid=7 start=0x500000 len=0x10000 prot=5 flags=2 filename=/etc/../$cat @ pid=7 time=901
		END
		try pinject $o "$T/in"
		[ $rc = 1 ] && grep -q ": the recording was made on another host, and says so behind its maps: 1 files of this host" "$T/err" ||
		    failed "$o"
		! with_ids <"$T/out" | grep /etc || failed "$o: behind it"
		try pinject $o --known-build-ids "$PROG $cat" "$T/in"
		[ $rc = 0 ] && ! grep -q "says so behind" "$T/err" || failed "$o: known"
		sed -i "s/elsewhere/$(uname -n)/" "$T/recipe.txt"
		mkpipe "$T/recipe.txt" >"$T/in"
		try pinject $o "$T/in"
		[ $rc = 0 ] || failed "$o: ours"
	done
	done_all
}
