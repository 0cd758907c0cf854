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
