# SPDX-License-Identifier: ISC
# pinject: the second process, which looks files up.
load lib
load pinject

# names <stream: of the DSOs that have a BUILD_ID, sorted
names() {
	records 67 | cut -d' ' -f5- | sort
}
# A file with a build-id, by its real name.
elf() {
	readlink -f "$(command -v "${1:-cat}")"
}
# stream: mkpipe from standard input, behind an attr
stream() {
	{ echo "attr type=1 config=0 period=1 sample_type=IP|TID|TIME flags=sample_id_all|mmap|comm|task|mmap2"; cat; } >"$T/recipe.txt"
	mkpipe "$T/recipe.txt" >"$T/in"
}

@test "pinject: a second process opens what the recording names, when it is confined" {
	need native
	need strace
	! sanitized || skip "a sanitizer needs files and programs"
	a=$(elf cat)
	stream <<-END
		MMAP misc=2 pid=7 tid=7 start=0x400000 len=0x10000 filename=$a
	END
	strace -f -y -o "$T/trace" -e trace=open,openat,openat2,read,sendto,seccomp pinject --buildid-all "$T/in" >"$T/out" || skip "strace does not work here"
	[ "$(names <"$T/out")" = "$a" ]
	reader=$(grep -m 1 "read(.*<$T/in>" "$T/trace" | cut -d' ' -f1)
	# a component at a time
	opener=$(grep -m 1 "openat(.*<${a%/*}>, \"${a##*/}\", O_RDONLY.*O_NOFOLLOW.*O_PATH" "$T/trace" | cut -d' ' -f1)
	[ -n "$reader" ]
	[ -n "$opener" ]
	[ "$reader" != "$opener" ]
	! grep "openat2(\|O_WRONLY\|O_RDWR\|O_TRUNC" "$T/trace" | grep "^$opener " || false
	awk -v p="$opener" -v name="\"${a##*/}\"" '
		$1 == p && /SECCOMP_SET_MODE_FILTER/ { locked = 1 }
		/ open(at)?2?\(/ && index($0, name) && ($1 != p || !locked) { print; bad = 1 }
		END { exit bad }' "$T/trace"
}

# served SIGNAL: pinject -v of $T/in, whose second process gets the signal before there is anything to read.
served() {
	local pid child
	rm -f "$T/to"
	mkfifo "$T/to"
	# the shell has what runs in the background ignore SIGINT
	perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV' pinject -v --buildid-all <"$T/to" >"$T/out" 2>"$T/err" &
	pid=$!
	exec 5>"$T/to"
	await eval 'child=$(pgrep -P $pid) && [ -n "$child" ]'
	await grep -q confinement "$T/err"
	kill -"$1" $child
	cat "$T/in" >&5
	exec 5>&-
	rc=0
	wait $pid || rc=$?
}
@test "pinject: without the second process there are no ids, and that is said; Ctrl-C does not end it" {
	need readelf
	a=$(elf cat)
	stream <<-END
		MMAP misc=2 pid=7 tid=7 start=0x400000 len=0x10000 filename=$a
		MMAP misc=2 pid=7 tid=7 start=0x500000 len=0x10000 filename=$(elf ls)
	END
	served INT
	[ $rc = 0 ] && [ "$(names <"$T/out" | wc -l)" = 2 ] || failed INT
	served KILL
	[ $rc = 0 ] && cmp "$T/in" "$T/out" || failed KILL
	[ "$(grep -c "no build-id of .*: the process that looks files up has ended" "$T/err")" = 2 ] || failed KILL
	done_all
}

@test "pinject: a second process that answers no more does not hold up the stream" {
	echo "MMAP misc=2 pid=7 tid=7 start=0x400000 len=0x10000 filename=$(elf cat)" | stream
	mkfifo "$T/to"
	pinject --buildid-all <"$T/to" >"$T/out" 2>"$T/err" &
	pinject=$!
	exec 5>"$T/to"
	await eval 'child=$(pgrep -P $pinject) && [ -n "$child" ]'
	kill -STOP "$child"
	cat "$T/in" >&5
	exec 5>&-
	wait $pinject
	cmp "$T/in" "$T/out"
	one_line "pinject: warning: the process that looks files up waits for one: no more build-ids"
	kill -CONT "$child"
	await eval '! readlink "/proc/$child/exe" >/dev/null'
}

# No process has a number above 4194304.  in_turn PID...: each maps $T/p and has a sample in it.
DEAD=5000001
in_turn() {
	for pid; do
		time=$(mono)
		echo "MMAP2 misc=2 pid=$pid tid=$pid start=0x400000 len=0x10000 maj=$maj min=$min ino=$ino prot=5 flags=2 filename=$T/p @ pid=$pid tid=$pid time=$time"
		echo "SAMPLE misc=2 ip=0x401000 pid=$pid tid=$pid time=$((time + 1))"
	done
	echo "FINISHED_ROUND"
	echo "FINISHED_ROUND"
}
clocked() {
	{ echo "attr type=1 config=0 period=1 sample_type=IP|TID|TIME flags=sample_id_all|mmap|comm|task|mmap2|use_clockid clockid=1"; cat; } >"$T/recipe.txt"
	mkpipe "$T/recipe.txt" >"$T/in"
	touch -d '5 seconds' "$T/in"		# it is complete, and was written after its maps
}
# each_way WANT: the BUILD_IDs of $T/p, of a file and through a pipe; by all options that look for it
each_way() {
	for o in -b --buildid-all; do
		for way in "pinject $o $T/in" "cat $T/in | pinject $o"; do
			try bash -c "$way"
			[ $rc = 0 ] && [ "$(records 67 <"$T/out" | awk -v p="$T/p" '$5 == p { print $3 }')" = "$1" ] || failed "$way"
		done
	done
}

@test "pinject: a file that is gone for processes that have ended is found by one that runs it" {
	need native; need readelf; need perl
	prog "$T/p" a
	a=$(id_of "$T/p")
	read -r maj min ino < <(stat -c '%Hd %Ld %i' "$T/p")
	"$T/p" 60 &
	p=$!
	await eval '[ "$(readlink /proc/$p/exe)" = "$T/p" ]'
	rm "$T/p"
	sleep 0.05
	in_turn $DEAD $((DEAD + 1)) $((DEAD + 2)) $p | clocked
	each_way "$a"
	kill $p
	done_all
}

@test "pinject: a file that is absent in one mount namespace is found in another one" {
	need native; need readelf; need perl
	mkdir "$T/d"
	[ "$(id -u)" = 0 ] && unshare -m mount -t tmpfs none "$T/d" 2>/dev/null || skip "no mount namespaces for this user"
	prog "$T/q" a
	a=$(id_of "$T/q")
	unshare -m bash -c 'mount -t tmpfs none "$0/d"; cp "$0/q" "$0/d/p"; exec sleep 60' "$T" &
	p=$!
	await eval '[ "$(cat /proc/$p/comm)" = sleep ]'
	read -r maj min ino < <(stat -c '%Hd %Ld %i' "/proc/$p/root$T/d/p")
	mnt=$(stat -L -c %i "/proc/$p/ns/mnt")
	sleep 0.05
	dead=$((DEAD + 2)) said="pid=$dead tid=$dead list=4/1,4/2,4/3,4/4,4/5,4/$mnt,4/7 @ pid=$dead tid=$dead"
	forked="pid=$dead ppid=$p tid=$dead ptid=$p"
	T=$T/d in_turn $DEAD $((DEAD + 1)) >"$T/first"
	# by a record, or because its parent is seen to be there
	for how in said forked; do
		{
			cat "$T/first"
			if [ $how = said ]; then
				echo "NAMESPACES $said time=$(mono)"
			else
				echo "FORK $forked time=$(mono) @ pid=$p tid=$p time=$(mono)"
				T=$T/nothing in_turn $p
			fi
			T=$T/d in_turn $dead
		} | clocked
		for way in "pinject -b $T/in" "cat $T/in | pinject -b" "pinject --buildid-all $T/in"; do
			try bash -c "$way"
			[ $rc = 0 ] && [ "$(records 67 <"$T/out" | awk -v p="$T/d/p" '$5 == p { print $3 }')" = "$a" ] || failed "$how: $way"
		done
	done
	kill $p
	done_all
}

@test "pinject: a file that appears while a stream is live is found for what maps it then" {
	need native; need readelf; need perl
	for o in -b --buildid-all; do
		rm -f "$T/p" "$T/to" "$T/live"
		prog "$T/q" a
		a=$(id_of "$T/q")
		read -r maj min ino < <(stat -c '%Hd %Ld %i' "$T/q")
		mkfifo "$T/to"
		pinject $o <"$T/to" >"$T/live" 2>"$T/err" &
		exec 5>"$T/to"
		# by maps that only have a name; the number of a process that has ended is used again
		in_turn $DEAD $((DEAD + 1)) | sed 's/^MMAP2/MMAP/; s/maj=.* filename/filename/' | clocked
		cat "$T/in" >&5
		sent=$(stat -c %s "$T/in")
		await grown "$T/live" $sent
		mv "$T/q" "$T/p"
		sleep 0.05
		in_turn $DEAD | sed 's/^MMAP2/MMAP/; s/maj=.* filename/filename/' >>"$T/recipe.txt"
		mkpipe "$T/recipe.txt" | tail -c +$((sent + 1)) >&5
		exec 5>&-
		wait $!
		[ "$(records 67 <"$T/live" | awk -v p="$T/p" '$5 == p { print $3 }')" = "$a" ] || failed "$o"
	done
	done_all
}

# asks FILES: the system calls of all processes, if eight processes that have ended have so many files that are absent
asks() {
	for ((f = 0; f < $1; f++)); do
		for ((p = 0; p < 8; p++)); do
			echo "MMAP2 misc=2 pid=$((DEAD + p)) tid=$((DEAD + p)) start=$((f + 1))0000 len=4096 maj=8 min=1 ino=$((f + 100)) prot=5 flags=2 filename=$T/absent/of/some/depth/$f @ time=1000"
			echo "SAMPLE misc=2 ip=$((f + 1))0000 pid=$((DEAD + p)) tid=$((DEAD + p)) time=2000"
		done
	done | stream
	touch -d '1 hour ago' "$T/in"
	strace -f -o "$T/calls" pinject -q $o "$T/in" >"$T/out" || skip "strace does not work here"
	grep -vc 'resumed>\|+++\|---' "$T/calls"
}
@test "pinject: to ask for a file that is absent takes at most 8 system calls, however many processes had it" {
	need native; need strace
	! sanitized || skip "a sanitizer has calls of its own"
	for o in -b --buildid-all -B; do
		few=$(asks 20) many=$(asks 120)
		[ $((many - few)) -le 800 ] && [ $((many - few)) -ge 400 ] || failed "$o: $((many - few)) for 100 files"
	done
	done_all
}
@test "pinject: whether a process of a pipe has ended is asked for by its number, not by a path in /proc" {
	need native; need strace
	! sanitized || skip "a sanitizer has calls of its own"
	for ((p = 0; p < 500; p++)); do
		echo "FORK pid=$((DEAD + p)) tid=$((DEAD + p)) ppid=1 ptid=1 @ time=1000"
		echo "COMM misc=0x2000 pid=$((DEAD + p)) tid=$((DEAD + p)) comm=short @ time=1001"
		echo "MMAP2 misc=2 pid=$((DEAD + p)) tid=$((DEAD + p)) start=10000 len=4096 maj=8 min=1 ino=100 prot=5 flags=2 filename=$T/absent @ time=1002"
	done | stream
	cat "$T/in" | strace -f -o "$T/calls" pinject -q -b >"$T/out" || skip "strace does not work here"
	[ "$(grep -c 'getpgid(' "$T/calls")" -ge 500 ] || failed "by number"
	[ "$(grep -c '"/proc/[0-9]' "$T/calls")" -le 20 ] || failed "by path"
}
