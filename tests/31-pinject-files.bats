# SPDX-License-Identifier: ISC
# pinject: the build-id of a file is that of the very file that ran, or there is none and a reason.
load lib
load pinject

# ---- helpers ----------------------------------------------------------------------------------------

# ids <stream: id and name of each BUILD_ID record
ids() {
	perl -e '
		binmode STDIN; local $/; my $d = <STDIN>; my $o = 16;
		while ($o + 8 <= length $d) {
			my ($t, $m, $s) = unpack "Vvv", substr $d, $o, 8;
			my $pay = $t == 66 ? unpack("V", substr $d, $o + 8, 4) : 0;
			printf "%s %s\n", unpack("H*", substr $d, $o + 12, ord substr $d, $o + 32, 1), unpack "Z*", substr $d, $o + 36, $s - 36
			    if $t == 67;
			$o += $s + $pay;
		}'
}
need_all() {
	need record; need readelf; need native; need perl
	[ -n "$(id_of "$SLEEP")" ] || skip "programs here have no build-ids"
	perf record -q --no-bpf-event -e cpu-clock -o - true 2>/dev/null | pstat -q - >/dev/null || skip "perf record does not work here"
}
need_namespaces() {
	need_all
	[ "$(id -u)" = 0 ] && unshare -m mount -t tmpfs none "$T" 2>/dev/null || skip "no mount namespaces for this user"
}
# record [option...] -- SCRIPT: run it in a shell, recorded in $T/in.  What it leaves running is $(pids).
record() {
	local options=()
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	perf record -q --no-bpf-event -e cpu-clock --no-buildid-mmap "${options[@]}" -o - -- bash -c "$2" >"$T/in" 2>"$T/record.err" </dev/null
}
# Programs of this test that are left.
pids() {
	pgrep -f "^[^ ]* $LONG\$" || true
}
teardown() {
	local p
	for p in $(pids); do kill -KILL "$p"; done
}
gone() {
	teardown
	await eval '[ -z "$(pids)" ]'
}
# As the argument of a program: it stays, and pids finds it.
LONG=9$$.5
# Wait until the program that the shell has started in the background runs.
STARTED='until { [ "$(readlink /proc/$!/exe)" = "$P" ] || [[ $(readlink /proc/$!/exe) == *memfd* ]]; } && grep -q "State:.S" /proc/$!/status; do kill -0 $! || exit 1; done'
# gives NAME ID [option...]: that id and no other; "none: REASON": none.
gives() {
	local name=$1 want=$2
	shift 2
	try timeout -s KILL 60 pinject -v --buildid-all "$@" "$T/in"
	[ $rc = 0 ] || failed "$name: status"
	ids <"$T/out" | sed -n "s|^\([0-9a-f]*\) $name\$|\1|p" >"$T/got"
	case $want in
	none:*)
		! [ -s "$T/got" ] || failed "$name $*: $(cat "$T/got") instead of none"
		[ "$(grep -F "no build-id of '${name//\\/}': " "$T/err" | grep -c ": ${want#none: }")" = 1 ] || failed "$name $*: no reason '${want#none: }'";;
	*) [ "$(cat "$T/got")" = "$want" ] || failed "$name $*: '$(cat "$T/got")' instead of $want";;
	esac
}
# Each id of the output is that of the file of its name; names that are excepted are those of tests.
others_right() {
	local id name
	while read -r id name; do
		case $name in
		"$T"*|"["*|/memfd*) ;;
		*) [ "$(id_of "$name")" = "$id" ] || failed "$name: $id";;
		esac
	done < <(ids <"$T/out")
}

# ---- one namespace ----------------------------------------------------------------------------------

@test "files: one that stayed, was deleted, or was replaced while its process runs" {
	need_all
	prog "$T/p" a; export P=$T/p
	a=$(id_of "$T/p")
	record -- "$T/p $LONG & $STARTED"
	gives "$P" "$a"; others_right
	prog "$T/q" b
	mv "$T/q" "$T/p"
	gives "$P" "$a"; others_right
	rm "$T/p"
	gives "$P" "$a"; others_right
	prog "$T/p" b
	gives "$P" "$a"; others_right
	gone
	gives "$P" "none: was replaced"
	rm "$T/p"
	gives "$P" "none: does not exist"
	done_all
}

@test "files: overwritten in place" {
	need_all
	prog "$T/p" a; export P=$T/p
	a=$(id_of "$T/p")
	record -- "$T/p 0.1"
	gives "$P" "$a"
	sleep 0.02		# times of files are as coarse as the kernel's tick
	brand "$T/p" b
	gives "$P" "none: has been changed since"
	gives "$P" "$(id_of "$T/p")" --allow changed-files
	# while it is recorded, then run once more: the map's time decides
	prog "$T/q" a
	record -k mono -- "$T/p 0.1; sleep 0.05; cat $T/q >$T/p; sleep 0.05"
	gives "$P" "none: has been changed since"
	record -k mono -- "cat $T/q >$T/p; sleep 0.05; $T/p 0.1"
	gives "$P" "$(id_of "$T/q")"
	# without its clock, it must not have changed since pinject began to read
	record -- "$T/p 0.1"
	try pinject --buildid-all <"$T/in"
	ids <"$T/out" | grep -q "^$(id_of "$T/q") $P\$" || failed "file as standard input"
	mkfifo "$T/to"
	pinject -v --buildid-all <"$T/to" >"$T/out" 2>"$T/err" &
	exec 5>"$T/to"
	await grep -q confinement "$T/err"
	sleep 0.02		# as above
	brand "$T/p" c
	cat "$T/in" >&5
	exec 5>&-
	wait $!
	! ids <"$T/out" | grep " $P\$" || failed "live"
	done_all
}

# mapped_twice CLOCK OPTION...: a live recording in which a library is mapped, overwritten in place and mapped again; $T/1, $T/2:
# the ids of its contents; $T/got: those that its maps have, "none" if none.  CLOCK: "clock" it has CLOCK_DATA, "mono" only the name
# of its clock, "none" no times.
mapped_twice() {
	local wall=$(($(date +%s%N) - $(mono))) pinject clock=$1 n=1 maj min ino type="IP|TID|TIME|CALLCHAIN"
	shift
	[ $clock != none ] || type="IP|TID|CALLCHAIN"
	prog "$T/lib" "1$RANDOM"
	sleep 0.05
	id_of "$T/lib" >"$T/1"
	read -r maj min ino < <(stat -c '%Hd %Ld %i' "$T/lib")
	map() {
		echo "MMAP2 misc=2 pid=7 tid=7 start=0x$((n++))00000 len=0x1000 maj=$maj min=$min ino=$ino prot=5 filename=$T/lib @ pid=7 $([ $clock = none ] || echo time=$(($(date +%s%N) - wall)))"
	}
	so_far() {
		mkpipe "$T/recipe.txt" | { [ $clock != clock ] && cat || pinject --clock-data=1:$((wall + 1)); } >"$T/in"
		tail -c +$((sent + 1)) "$T/in" >&5
		sent=$(stat -c %s "$T/in")
		await grown "$T/live" $sent
	}
	sent=0
	echo "attr type=1 config=0 period=1 sample_type=$type flags=sample_id_all|mmap|comm|task|mmap2|use_clockid clockid=1 ids=7" >"$T/recipe.txt"
	rm -f "$T/to" "$T/live" "$T/rc"
	mkfifo "$T/to"
	pinject -q "$@" <"$T/to" >"$T/live" &
	pinject=$!
	exec 5>"$T/to"
	for i in 1 2; do
		map >>"$T/recipe.txt"
		map >>"$T/recipe.txt"
		so_far
		[ $i = 2 ] || { sleep 0.05; prog "$T/q" "2$RANDOM"; cat "$T/q" >"$T/lib"; sleep 0.05; }
	done
	exec 5>&-
	wait $pinject || echo $? >"$T/rc"
	id_of "$T/lib" >"$T/2"
	perl -e 'binmode STDIN; local $/; my $d = <STDIN>; my $o = 16;
		while ($o + 8 <= length $d) {
			my ($t, $m, $s) = unpack "Vvv", substr $d, $o, 8;
			print $m & 0x4000 ? unpack "H40", substr $d, $o + 44, 20 : "none", "\n" if $t == 10;
			$o += $s;
		}' <"$T/live" >"$T/got"
}
@test "files: overwritten in place between two maps of a live recording" {
	need_all
	mapped_twice clock --mmap2-buildid-all
	diff <(cat "$T/1" "$T/1" "$T/2" "$T/2") "$T/got" || failed "by the clock"
	mapped_twice mono --mmap2-buildid-all
	diff <(cat "$T/1" "$T/1" "$T/2" "$T/2") "$T/got" || failed "by the clock of this machine"
	# without times, what has been changed while it runs is not known
	mapped_twice none --mmap2-buildid-all
	diff <(cat "$T/1" "$T/1"; echo none; echo none) "$T/got" || failed "without times"
	mapped_twice clock --mmap2-buildid-all --allow changed-files
	[ "$(wc -l <"$T/got")" = 4 ] || failed "allowed"
	! [ -e "$T/rc" ] || failed "status"
	# a BUILD_ID is of all files of a name: of the first one, which is said
	mapped_twice clock --buildid-all
	[ "$(ids <"$T/live")" = "$(cat "$T/1") $T/lib" ] && [ "$(cat "$T/rc")" = 1 ] || failed "BUILD_ID"
	mapped_twice clock --mmap2-buildid-all --archive --buildid-dir "$T/syms"
	diff <(cat "$T/1" "$T/1" "$T/2" "$T/2") "$T/got" || failed "--archive"
	done_all
}

@test "files: overwritten in place while perf records" {
	need_all
	prog "$T/p" a; prog "$T/q" b; export P=$T/p
	a=$(id_of "$T/p") b=$(id_of "$T/q")
	perf record -q -k mono -e cpu-clock --no-buildid-mmap -o - -- \
	    bash -c "$T/p 0.1; sleep 0.3; cat $T/q >$T/p; sleep 0.3; $T/p 0.1; sleep 0.1" 2>/dev/null </dev/null |
	    tee "$T/in" | pinject -q --mmap2-buildid-all >"$T/live"
	# in order of time; perf may have passed the first map when the file was changed already
	perf script --show-mmap-events -i "$T/live" 2>/dev/null | grep "MMAP2.* $P\$" |
	    sed 's/.* @ [0-9a-fx]* <\([0-9a-f]*\)>\].*/\1/; t; s/.*/none/' | uniq >"$T/got"
	cat "$T/got"
	[ "$(cat "$T/got")" = "$a"$'\n'"$b" ] || [ "$(cat "$T/got")" = "none"$'\n'"$b" ]
}

@test "files: an inode that was used again" {
	need_all
	prog "$T/p" a; export P=$T/p
	record -- "$T/p 0.1"
	gives "$P" "$(id_of "$T/p")"
	inode=$(stat -c %i "$T/p")
	for i in $(seq 100); do
		rm -f "$T/p"
		prog "$T/p" b
		[ "$(stat -c %i "$T/p")" != "$inode" ] || break
		mv "$T/p" "$T/p$i"
	done
	[ "$(stat -c %i "$T/p")" = "$inode" ] || skip "this file system does not use inodes again"
	gives "$P" "none: "
	# by its generation alone, where the file system has one
	pstat -v "$T/in" 2>/dev/null >/dev/null
	lsattr -v "$T/p" >/dev/null 2>&1 || skip "this file system has no generations"
	gives "$P" "none: was replaced" --allow changed-files
	done_all
}

@test "files: memory files" {
	need_all
	x86_64 || skip "only with the system calls of x86-64"
	[ "$(id -u)" = 0 ] || skip "only /proc/PID/map_files has their interpreter's"
	prog "$T/p" a; export P=$T/p
	record -- "perl -e 'my \$fd = syscall 319, my \$name = \"test\", 0; open my \$f, \">&=\", \$fd; open my \$p, \"<\", \"$T/p\"; local \$/;
	    syswrite \$f, <\$p>; select undef, undef, undef, 0.05; exec {\"/proc/self/fd/\$fd\"} \"x\", \"$LONG\"' & $STARTED"
	gives '/memfd:test (deleted)' "$(id_of "$T/p")"; others_right
	gone
	gives '/memfd:test (deleted)' "none: does not exist"
	done_all
}

@test "files: a process in a directory as its root" {
	need_namespaces
	mkdir -p "$T/root$T"
	for lib in $(ldd "$SLEEP" | grep -o '/[^ ]*'); do
		mkdir -p "$T/root${lib%/*}"
		cp "$lib" "$T/root$lib"
	done
	prog "$T/root$T/p" a; export P=$T/root$T/p
	prog "$T/p" b
	record -- "chroot $T/root $T/p $LONG & $STARTED"
	grep -qa "$T/p" "$T/in"
	gives "$T/p" "$(id_of "$P")"
	gone
	gives "$T/p" "none: was replaced"
	done_all
}

# ---- several namespaces -----------------------------------------------------------------------------

# The program at $T/p is another file for the process; WHERE makes it so, in its mount namespace.
in_namespace() {
	local a before=$1
	prog "$T/p" here; export P=$T/p
	prog "$T/q" there
	a=$(id_of "$T/q")
	# alive
	record -- "unshare -m bash -c '$before; sleep 0.05; exec $T/p $LONG' & $STARTED"
	gives "$P" "$a"; others_right
	# gone
	gone
	gives "$P" "none: "
	# gone, but another process of the namespace is left
	record --namespaces -- "unshare -m bash -c '$before; $T/p 0.1; exec sleep $LONG'"' & until [ "$(cat /proc/$!/comm)" = sleep ]; do :; done'
	# --buildid-all looks up at once, so what says where the process was must not come later from the buffer of another CPU
	psort "$T/in" >"$T/sorted"
	mv "$T/sorted" "$T/in"
	gives "$P" "$a"; others_right
	gone
	gives "$P" "none: "
	# gone at the end of a live stream
	mkfifo "$T/go"
	{ perf record -q --no-bpf-event -e cpu-clock --no-buildid-mmap -o - -- bash -c "unshare -m bash -c '$before; $T/p $LONG & wait'; read x <$T/go" 2>/dev/null; } |
	    tee "$T/in" | pinject --buildid-all >"$T/live" 3>&- &
	# perf passes what it has once a second pages are full, or at the end: until pinject has the map
	await eval '[ -n "$(pids)" ]'
	sleep 0.2
	gone
	echo >"$T/go"
	wait
	rm "$T/go"
	ids <"$T/live" | sed -n "s|^\([0-9a-f]*\) $P\$|\1|p" >"$T/got"
	# perf may pass the map too late, then there is none
	echo "$a $b: $(cat "$T/got")"
	[ "$(cat "$T/got")" = "$a" ] || ! [ -s "$T/got" ] || failed "live: $(cat "$T/got")"
}

@test "files: a bind mount over the path" {
	need_namespaces
	in_namespace "mount --bind $T/q $T/p"
	done_all
}

@test "files: a tmpfs that only the namespace has" {
	need_namespaces
	mkdir "$T/copy"
	in_namespace "cp $T/q $T/copy; mount -t tmpfs none /mnt; cp $T/q /mnt; mount --bind /mnt/q $T/p"
	done_all
}

@test "files: overlayfs, of one file system and of two" {
	need_namespaces
	mkdir -p "$T/o"/{l,u,w,m} "$T/x"
	unshare -m mount -t overlay o -o "lowerdir=$T/o/l,upperdir=$T/o/u,workdir=$T/o/w" "$T/o/m" 2>/dev/null || skip "no overlayfs"
	one="mount -t overlay o -o lowerdir=$T/o/l,upperdir=$T/o/u,workdir=$T/o/w $T/o/m"
	two="mount -t tmpfs none $T/x; mkdir $T/x/u $T/x/w; mount -t overlay o -o lowerdir=$T/o/l,upperdir=$T/x/u,workdir=$T/x/w $T/o/m"
	for over in "$one" "$two"; do
		for how in "cp $T/q $T/o/l/p; $over" "rm -f $T/o/l/p; $over; cp $T/q $T/o/m/p" "cp $T/q $T/o/l/p; $over; chmod 700 $T/o/m/p"; do
			rm -rf "$T/o"; mkdir -p "$T/o"/{l,u,w,m}
			prog "$T/o/m/p" here; export P=$T/o/m/p
			prog "$T/q" there
			record -- "unshare -m bash -c '$how; sleep 0.05; exec $P $LONG' & $STARTED"
			gives "$P" "$(id_of "$T/q")"; others_right
			gone
			gives "$P" "none: "
		done
	done
	done_all
}

@test "files: a live stream of a container that is gone" {
	need_namespaces
	prog "$T/p" here; export P=$T/p
	prog "$T/q" there
	record -- "unshare -m bash -c 'mount --bind $T/q $T/p; exec $T/p $LONG' & $STARTED"
	mkfifo "$T/to"
	pinject --buildid-all -b <"$T/to" >"$T/out" &
	pinject=$!
	exec 5>"$T/to"
	# all but the last record; --buildid-all looks it up at once, so -b is tried, too
	cat "$T/in" >&5
	await grep -qa "$T/p" "$T/out"
	exec 5>&-
	wait $pinject
	ids <"$T/out" | grep -q "^$(id_of "$T/q") $P\$"
	# -b, which needs it behind a sample only: the process is gone then
	pid=$(pids)
	read -r start maj min ino < <(perl -ne 'print "$1 ", hex $2, " ", hex $3, " $4\n" if m|^([0-9a-f]+)-\S+ r-xp \S+ (\S+):(\S+) (\d+) +'"$T/p"'|' /proc/$pid/maps)
	cat >"$T/recipe.txt" <<-END
		attr type=1 config=0 period=1 sample_type=IP|TID|TIME|CALLCHAIN flags=sample_id_all|mmap|comm|task|mmap2|use_clockid clockid=1
		MMAP2 misc=2 pid=$pid tid=$pid start=0x$start len=0x1000 maj=$maj min=$min ino=$ino prot=5 filename=$T/p @ pid=$pid time=$(mono)
		SAMPLE misc=2 ip=0x$start pid=$pid time=$(mono) chain=
		FINISHED_ROUND
		FINISHED_ROUND
	END
	mkpipe "$T/recipe.txt" >"$T/in"
	pinject -b <"$T/to" >"$T/out" &
	pinject=$!
	exec 5>"$T/to"
	head -c -16 "$T/in" >&5
	await grep -qa "$T/p" "$T/out"
	# it has the answer when it answers the next question
	sleep 0.2
	gone
	tail -c 16 "$T/in" >&5
	exec 5>&-
	wait $pinject
	ids <"$T/out" | grep -q "^$(id_of "$T/q") $P\$"
}

# ---- what the user says -----------------------------------------------------------------------------

@test "files: a recording of another host" {
	need_namespaces
	prog "$T/p" a; export P=$T/p
	unshare -u bash -c "hostname elsewhere; exec perf record -q --no-bpf-event -e cpu-clock --no-buildid-mmap -o - -- $T/p 0.1" >"$T/in" 2>/dev/null
	try pinject --buildid-all "$T/in"
	[ $rc = 0 ] && cmp "$T/in" "$T/out" && one_line "pinject: warning: no build-ids: the recording was made on 'elsewhere'" || failed refused
	gives "$P" "$(id_of "$T/p")" --allow other-host
	gives "$P" "$(printf '%040d' 7)" --known-build-ids "$(printf '%040d' 7) $P"
	mkdir -p "$T/fs$T"
	prog "$T/fs$T/p" b
	gives "$P" "$(id_of "$T/fs$T/p")" --symfs "$T/fs"
	done_all
}

@test "files: --symfs in order, before /; links that lead out; --no-fs" {
	need_all
	prog "$T/p" a; export P=$T/p
	record -- "$T/p 0.1"
	mkdir -p "$T"/{1,2,3}"$T"
	prog "$T/2$T/p" 2
	prog "$T/3$T/p" 3
	gives "$P" "$(id_of "$T/2$T/p")" --symfs "$T/1" --symfs "$T/2" --symfs "$T/3"
	gives "$P" "$(id_of "$T/3$T/p")" --symfs "$T/3" --symfs "$T/2"
	ln -s "$T/2$T/p" "$T/1$T/p"
	gives "$P" "$(id_of "$T/p")" --symfs "$T/1"
	ln -sf ../../../../../../../../../../../../etc/passwd "$T/1$T/p"
	gives "$P" "$(id_of "$T/p")" --symfs "$T/1"
	gives "$P" "none: not looked for" --no-fs
	[ -z "$(ids <"$T/out")" ] || failed "--no-fs"
	for o in "--symfs $T/none" "--symfs $T/p"; do
		try pinject $o -b "$T/in"
		[ $rc = 2 ] && ! [ -s "$T/out" ] && one_line "pinject: --symfs '" || failed "$o"
	done
	done_all
}

@test "files: --known-build-ids wins, with all its digits, as perf buildid-list prints them" {
	need_all
	prog "$T/p" a; export P=$T/p
	record -- "$T/p 0.1"
	long=$(printf '%040d' 12) short=0123456789abcdef0123
	gives "$P" $long --known-build-ids "$short /x,$long $P"
	gives "$P" $short --known-build-ids "$long $P,$short $P"
	pinject --buildid-all "$T/in" >"$T/all"
	perf buildid-list -i "$T/all" >"$T/list"
	[ -s "$T/list" ]
	pinject --no-fs --buildid-all --known-build-ids "file://$T/list" "$T/in" >"$T/out"
	diff <(sort "$T/list") <(ids <"$T/out" | sort) || failed list
	for bad in "" x "$long" "$long " "${long}0 /x" "123 /x" "$long$long /x" "zz /x" "$long /x,zz"; do
		try pinject --known-build-ids "$bad" -b "$T/in"
		[ -z "$bad" ] || { [ $rc = 2 ] && ! [ -s "$T/out" ] && one_line "pinject: --known-build-ids" || failed "'$bad'"; }
	done
	done_all
}

@test "files: the vdso of a 32-bit process" {
	need_all
	cat >"$T/p.c" <<-END
		void _start(void)
		{
			for (;;)
				__asm__ volatile("int \$0x80" : : "a" (29) : "memory");		/* pause */
		}
	END
	${CC:-cc} -m32 -O -nostdlib -static -ffreestanding -fno-pie -no-pie -o "$T/p" "$T/p.c" 2>/dev/null || skip "no compiler for 32 bits"
	export P=$T/p
	record -- "$T/p $LONG & $STARTED" || skip "no 32-bit programs here"
	pid=$(pids)
	read -r from to < <(sed -n 's/^\([0-9a-f]*\)-\([0-9a-f]*\) .*\[vdso\]$/\1 \2/p' /proc/$pid/maps)
	[ -n "$from" ] || skip "no vdso for 32-bit programs here"
	dd if=/proc/$pid/mem bs=4096 skip=$((0x$from / 4096)) count=$(((0x$to - 0x$from) / 4096)) of="$T/vdso" 2>/dev/null
	want=$(id_of "$T/vdso")
	[ -n "$want" ]
	cat >"$T/recipe.txt" <<-END
		attr type=1 config=0 period=1 sample_type=IP|TID|TIME|CALLCHAIN flags=sample_id_all|mmap|comm|task|mmap2
		MMAP2 misc=2 pid=$pid tid=$pid start=0x$from len=0x$(printf %x $((0x$to - 0x$from))) prot=5 filename=[vdso]
	END
	mkpipe "$T/recipe.txt" >"$T/in"
	gives '\[vdso\]' "$want"
	# a pinject of 32 bits has that itself, and needs no process for it
	ended="none: the vdso of a 32-bit process that has ended"
	[ "$(getconf LONG_BIT)" = 64 ] || ended=$want
	# an address that says it is one, of a program that is none
	sed "s/start=0x$from/start=0x8048000/" "$T/recipe.txt" >"$T/other.txt"
	mkpipe "$T/other.txt" >"$T/in"
	gives '\[vdso\]' "$ended"
	# beside that of a 64-bit process, which a pinject of 32 bits does not see, only the first one has an id, and of the other that is said
	big="MMAP misc=2 pid=1 tid=1 start=0x7ffc00000000 len=0x2000 filename=[vdso]"
	sed "1a$big" "$T/recipe.txt" >"$T/both.txt"
	other="SAMPLE misc=2 ip=0x7ffc00000100 pid=1" this="SAMPLE misc=2 ip=0x$from pid=$pid"
	for first in other this; do
		[ $first = this ] && second=other || second=this
		{ cat "$T/both.txt"; echo "${!first} time=1 chain="; echo "${!second} time=2 chain="; } >"$T/order.txt"
		mkpipe "$T/order.txt" >"$T/in"
		try pinject -v -b "$T/in"
		ids <"$T/out" >"$T/got"
		is=none said="another file of this name .*"
		! [ -s "$T/got" ] || is=other
		! grep -q "^$want " "$T/got" || is=this
		case $(getconf LONG_BIT)$first in
		32other) [ $is = none ] || failed "$first: $(cat "$T/got")";;
		32this)	said="the vdso of a 64-bit process, which a 32-bit program does not see";&
		*)	[ $is = $first ] && [ "$(wc -l <"$T/got")" = 1 ] || failed "$first: $(cat "$T/got")";;
		esac
		[ "$(grep -cx "pinject: no build-id of '\[vdso\]': $said" "$T/err")" = 1 ] || failed "$first: $(cat "$T/err")"
		pinject --mmap2-buildid-all "$T/in" | od -An -tx1 -v | tr -d ' \n' | grep -q "14000000$want" || failed "in the map"
	done
	mkpipe "$T/recipe.txt" >"$T/in"
	gone
	gives '\[vdso\]' "$ended"
	done_all
}

# ---- what a recording may name ----------------------------------------------------------------------

# named NAME...: a map of each, by this shell.
named() {
	local n=0 name
	{
		echo "attr type=1 config=0 period=1 sample_type=IP|TID|TIME|CALLCHAIN flags=sample_id_all|mmap|comm|task|mmap2"
		for name; do
			echo "MMAP misc=2 pid=$$ tid=$$ start=0x$(printf %x $((++n << 16))) len=0x1000 filename=$name"
		done
	} >"$T/recipe.txt"
	mkpipe "$T/recipe.txt" >"$T/in"
}

@test "files: names of all kinds give no id, a reason, and do nothing" {
	need_all
	mkfifo "$T/fifo"
	ln -s fifo "$T/link"
	ln -s loop "$T/loop"
	: >"$T/empty"
	long=/$(printf '%04094d' 0)
	names=("$T/fifo" "$T/link" "$T/loop" "$T/empty" "$T" / "$T/none" /dev/zero /dev/tty /proc/kmsg /proc/self/mem /proc/self/exe
	    /proc/kcore /sys/kernel/notes /sys/kernel/uevent_seqnum /proc/self/root/etc/passwd /etc/passwd //anon '[heap]' '[stack]'
	    'anon_inode:[perf_event]' /memfd:x /../../etc/passwd ../x x "$long")
	named "${names[@]}"
	try timeout -s KILL 30 pinject -v --buildid-all "$T/in"
	[ $rc = 0 ] && cmp "$T/in" "$T/out" || failed "status $rc"
	[ "$(grep -c '^pinject: no build-id of ' "$T/err")" = ${#names[@]} ] || failed "reasons: $(cat "$T/err")"
	done_all
}

@test "files: maps and tasks in front of all attrs" {
	need readelf
	printf '%s\n' "FORK pid=7 ppid=1 tid=7 ptid=1" "COMM misc=0x2000 pid=7 tid=7 comm=x" \
	    "MMAP2 misc=2 pid=7 tid=7 start=0x400000 len=0x1000 prot=5 filename=$SLEEP" >"$T/recipe.txt"
	mkpipe "$T/recipe.txt" >"$T/in"
	for o in --buildid-all --mmap2-buildid-all; do
		pinject $o "$T/in" >"$T/out" || failed "$o file"
		pinject $o <"$T/in" | cmp "$T/out" - || failed "$o"
		cat "$T/in" | pinject $o | cmp "$T/out" - || failed "$o in a pipe"
	done
	pinject --buildid-all "$T/in" | ids | grep -q "^$(id_of "$SLEEP") $SLEEP\$" || failed id
	done_all
}

@test "files: ELF files that lie" {
	! sanitized || skip "a sanitizer needs more address space"
	need_all
	# a segment of notes of a gigabyte; 65,535 program headers; notes past the end; no notes
	elf() {		# elf FILE phnum p_offset p_filesz
		perl -e 'my ($n, $off, $size) = @ARGV; binmode STDOUT;
			print "\x7fELF\2\1\1", "\0" x 9, pack("vvVQQQVvvvvvv", 3, 62, 1, 0, 64, 0, 0, 64, 56, $n, 0, 0, 0),
			    pack("VVQQQQQQ", 4, 4, $off, 0, 0, $size, $size, 4) x ($n > 5000 ? 5000 : $n), pack("VVV", 4, 20, 3), "GNU\0", "\x11" x 20' \
		    "$2" "$3" "$4" >"$1"
	}
	elf "$T/good" 1 120 36
	elf "$T/giga" 1 120 $((1 << 30))
	elf "$T/past" 1 $((1 << 40)) 36
	elf "$T/many" 65534 120 0
	elf "$T/wrap" 1 $((-16)) 36
	truncate -s 8G "$T/giga"
	named "$T/good" "$T/giga" "$T/past" "$T/many" "$T/wrap"
	try timeout -s KILL 30 bash -c 'ulimit -v 300000; exec pinject -v --buildid-all "$1"' x "$T/in"
	[ $rc = 0 ] || failed status
	[ "$(ids <"$T/out")" = "$(printf '11%.0s' {1..20}) $T/good" ] || failed "$(ids <"$T/out")"
	[ "$(grep -c 'has no build-id\|not an ELF file' "$T/err")" = 4 ] || failed reasons
	done_all
}
