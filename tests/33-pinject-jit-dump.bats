# SPDX-License-Identifier: ISC
# pinject --jit: which dump it is, and dumps that are damaged.
load lib
load jit

@test "pinject -j: the dump of another process than the mapper is done with: one line, status 1" {
	stream <<-END
	MMAP2 misc=2 pid=$((PID + 1)) tid=$((PID + 1)) start=0x900000 len=0x1000 prot=5 flags=2 filename=DUMP @ time=1000
	MMAP2 misc=2 pid=PID tid=PID start=0x900000 len=0x1000 prot=5 flags=2 filename=DUMP @ time=1000
	SAMPLE misc=2 ip=0x10000 pid=$((PID + 1)) time=1500
	SAMPLE misc=2 ip=0x10000 pid=PID time=1500
	END
	dump <<-END
	head pid=PID
	load time=1100 pid=PID addr=0x10000 size=32 name=alpha
	END
	try jit <"$T/in"
	[ $rc = 1 ]
	one_line "pinject: $T/jit-$PID.dump: a jitdump of process $PID, not $((PID + 1))"
	ours <"$T/out" | cut -d' ' -f2 >"$T/pids"
	diff - "$T/pids" <<<$PID
	ours -v <"$T/out" | cmp - "$T/in"
	# the header has the mapper, but the name has not
	dump <<<"head pid=$((PID + 1))"
	sed -i '/pid='$PID'.*jit-/d' "$T/recipe.txt"
	mkpipe "$T/recipe.txt" >"$T/in"
	try jit <"$T/in"
	[ $rc = 1 ]
	one_line "pinject: $T/jit-$PID.dump: a jitdump of process $((PID + 1)), not $PID"
}

@test "pinject -j: a process in another pid namespace has its dump by its own pid" {
	need native
	unshare -p -f true 2>/dev/null || skip "no pid namespaces for this user"
	mkdir "$T/dumps"
	mkfifo "$T/go"
	# the process stays until the fifo is closed
	unshare -p -f "$O/jit" -n 2 -m 0 -k "$T/dumps" <"$T/go" >/dev/null 2>&1 3>&- &
	exec 7>"$T/go"
	await grep -q made_1 "$T/dumps/jit-1.dump" || skip "no code for this machine"
	PID=$(cat /proc/$!/task/$!/children)
	PID=${PID% }
	stream <<-END
	MMAP2 misc=2 pid=PID tid=PID start=0x900000 len=0x1000 prot=5 flags=2 filename=$T/dumps/jit-1.dump @ time=1000
	SAMPLE misc=2 ip=0x10000 pid=PID time=900000000000000000
	END
	try jit <"$T/in"
	exec 7>&-
	wait
	[ $rc = 0 ]
	[ "$(ours <"$T/out" | wc -l)" -eq 2 ]
	# it is gone, and that the other namespace was one of pids, nobody can say
	try jit <"$T/in"
	[ $rc = 1 ]
	one_line "pinject: $T/dumps/jit-1.dump: a jitdump of process 1, not $PID"
	# but the user can
	mkdir "$T/saved"
	mv "$T/dumps/jit-1.dump" "$T/saved"
	jit --jit-dump-dir "$T/saved" <"$T/in" >"$T/out"
	[ "$(ours <"$T/out" | wc -l)" -eq 2 ]
}

# map_of FILE: the MMAP2 of it, with its device and inode
map_of() {
	local dev=$(stat -c '%Hd %Ld' "$1")
	echo "MMAP2 misc=2 pid=PID tid=PID start=0x900000 len=0x1000 maj=${dev% *} min=${dev#* } ino=$(stat -c %i "$1") prot=5 flags=2 filename=DUMP @ time=1000"
}

@test "pinject -j: a dump that replaced the mapped one gives no names" {
	dump <<-END
	head pid=PID
	load time=1100 pid=PID addr=0x10000 size=32 name=alpha
	END
	{ map_of "$T/jit-$PID.dump"; echo "SAMPLE misc=2 ip=0x10000 pid=PID time=1500"; } | stream
	try jit <"$T/in"
	[ $rc = 0 ]
	[ "$(ours <"$T/out" | wc -l)" -eq 1 ]
	cp "$T/jit-$PID.dump" "$T/other"
	mv "$T/other" "$T/jit-$PID.dump"
	try jit <"$T/in"
	[ $rc = 0 ]
	cmp "$T/in" "$T/out"
	one_line "pinject: warning: '$T/jit-$PID.dump' is not used: was replaced after the recording"
	# deleted, and another one of that name in the directory that the user names
	mkdir "$T/saved"
	mv "$T/jit-$PID.dump" "$T/saved"
	jit --jit-dump-dir "$T/saved" <"$T/in" >"$T/out"
	[ "$(ours <"$T/out" | wc -l)" -eq 1 ]
}

@test "pinject -j: a dump below --jit-dump-dir whose functions are older than the map is of an earlier process of that pid" {
	mkdir "$T/saved"
	dump <<-END
	head pid=PID
	load time=900 pid=PID addr=0x10000 size=32 name=alpha
	load time=1100 pid=PID addr=0x10000 size=32 name=beta
	END
	mv "$T/jit-$PID.dump" "$T/saved"
	stream <<-END
	MAP @ time=1000
	SAMPLE misc=2 ip=0x10000 pid=PID time=1500
	END
	try jit --jit-dump-dir "$T/saved" <"$T/in"
	[ $rc = 0 ]
	cmp "$T/in" "$T/out"
	one_line "pinject: warning: '$T/jit-$PID.dump' is not used: its functions are older than its map"
	# a map from before the recording has no time
	sed -i 's/time=1000/time=0/' "$T/recipe.txt"
	mkpipe "$T/recipe.txt" >"$T/in"
	jit --jit-dump-dir "$T/saved" <"$T/in" >"$T/out"
	[ "$(ours <"$T/out" | wc -l)" -eq 2 ]
}

@test "pinject -j: a deleted dump of a process that runs" {
	need native
	mkdir "$T/dumps"
	mkfifo "$T/go"
	"$O/jit" -n 2 -m 0 -k "$T/dumps" <"$T/go" >/dev/null 2>&1 3>&- &
	PID=$!
	exec 7>"$T/go"
	await grep -q made_1 "$T/dumps/jit-$PID.dump" || skip "no code for this machine"
	map=$(map_of "$T/dumps/jit-$PID.dump")
	{ echo "${map/DUMP/$T/dumps/jit-PID.dump}"; echo "SAMPLE misc=2 ip=0x10000 pid=PID time=900000000000000000"; } | stream
	rm "$T/dumps/jit-$PID.dump"
	# a file of the same name by another hand
	dump <<-END
	head pid=PID
	load time=1100 pid=PID addr=0x10000 size=32 name=foreign
	END
	mv "$T/jit-$PID.dump" "$T/dumps"
	try jit <"$T/in"
	exec 7>&-
	wait
	[ $rc = 0 ] && [ "$(ours <"$T/out" | wc -l)" -eq 2 ]
}

# ---- dumps that are damaged, or lie ---------------------------------------------------------------

# lie TEXT PREFIX...: a dump with a good function, then what standard input says: one line with the text, the good function, status 1
lie() {
	local text=$1
	dump <<-END
	head pid=PID
	load time=1100 pid=PID addr=0x10000 size=32 name=good
	$(cat)
	END
	rm -rf "$T/syms"
	try jit <"$T/in"
	[ $rc = 1 ] || failed "$text: status"
	one_line "pinject: $T/jit-$PID.dump: " && grep -qF -- "$text" "$T/err" || failed "$text: message"
	ours -v <"$T/out" | cmp - "$T/in" || failed "$text: the stream"
	[ "$(ours <"$T/out" | wc -l)" -eq 1 ] || failed "$text: the good function"
}

@test "pinject -j: a damaged dump is one line with the place, what was good before, and status 1" {
	stream <<-END
	MAP @ time=1000
	SAMPLE misc=2 ip=0x10000 pid=PID time=1500
	FINISHED_ROUND
	FINISHED_ROUND
	END
	lie "byte 133: a record of less than 16 bytes" <<<"record id=7 total=15 size=40"
	lie "byte 133: CODE_LOAD: its code exceeds the record" <<<"load time=1200 pid=PID addr=0x10100 size=16 code_size=17 name=x"
	lie "byte 133: CODE_LOAD: more than 16 MiB of code" <<<"load time=1200 pid=PID addr=0x10100 size=16 code_size=16777217 name=x"
	lie "byte 133: CODE_LOAD: its name has no NUL" <<<"load time=1200 pid=PID addr=0x10100 size=16 name=x no_nul=1"
	lie "byte 133: CODE_LOAD: too short" <<<"record id=0 time=1200 size=40"
	lie "byte 133: CODE_LOAD: its code exceeds the address space" <<<"load time=1200 pid=PID addr=0xfffffffffffffff8 size=16 name=x"
	lie "byte 133: a record of more than 32 MiB" <<<"record id=0 total=33554433 size=40"
	lie "byte 133: CODE_MOVE: too short" <<<"record id=1 time=1200 size=40"
	lie "byte 133: DEBUG_INFO: its lines exceed the record" <<<"debug time=1200 addr=0x10000 lines=10000:1:a count=2"
	lie "byte 133: DEBUG_INFO: its lines exceed the record" <<<"debug time=1200 addr=0x10000 lines=10000:1:a count=0xffffffffffffffff"
	lie "byte 133: UNWINDING_INFO: its tables exceed the record" <<<"unwind time=1200 size=16 header=17"
	lie "byte 133: UNWINDING_INFO: its tables exceed the record" <<<"unwind time=1200 size=16 says=17"
	lie "byte 133: CODE_LOAD: of process 5, not $PID" <<<"load time=1200 pid=5 addr=0x10100 size=16 name=x"
	done_all
}

@test "pinject -j: a dump that was damaged or refused is not read again when it is mapped again" {
	printf 'head pid=PID\nload time=500 pid=PID tid=PID addr=0x10000 size=64 name=good\n' | dump
	printf '\0\0\0\0\3\0\0\0\0\0\0\0\0\0\0\0' >>"$T/jit-$PID.dump"
	for i in 1 10 20 30; do
		echo "MAP @ pid=PID tid=PID time=${i}00"
		echo "FINISHED_ROUND"
	done | stream
	try jit <"$T/in"
	[ $rc = 1 ] && one_line "pinject: $T/jit-$PID.dump: byte" && [ "$(ours <"$T/out" | wc -l)" = 1 ] || failed damaged
	sed -i 's/use_clockid clockid=1/use_clockid clockid=0/' "$T/recipe.txt"
	mkpipe "$T/recipe.txt" >"$T/in"
	try jit <"$T/in"
	[ $rc = 0 ] && one_line "pinject: warning: '$T/jit-$PID.dump' is not used: " && cmp "$T/in" "$T/out" || failed refused
	done_all
}

@test "pinject -j: a process has a limited number of dumps" {
	for ((i = 0; i < 40; i++)); do
		mkdir -p "$T/$i"
		echo "MMAP2 misc=2 pid=PID tid=PID start=0x900000 len=0x1000 prot=5 flags=2 filename=$T/$i/jit-PID.dump @ pid=PID tid=PID time=1${i}0"
		printf 'head pid=PID\nload time=5000 pid=PID tid=PID addr=0x10000 size=64 name=good\n' | dump
		mv "$T/jit-$PID.dump" "$T/$i"
	done | stream
	try jit <"$T/in"
	[ $rc = 0 ]
	[ "$(grep -c "is not used: the process has had too many$" "$T/err")" = 5 ]
	head -n 1 "$T/err" | grep -qF "pinject: warning: '$T/16/jit-$PID.dump' is not used"
	grep -q "^pinject: warning: 19 more jitdumps are not used; -v names them$" "$T/err" && [ "$(wc -l <"$T/err")" = 6 ]
}

@test "pinject -j: what is no jitdump, or one of another process, is one line and status 1" {
	stream <<-END
	MAP @ time=1000
	SAMPLE misc=2 ip=0x10000 pid=PID time=1500
	END
	while IFS='|' read -r text lines; do
		dump <<<"$lines"
		try jit <"$T/in"
		[ $rc = 1 ] && grep -qF -- "$text" "$T/err" && one_line "pinject: $T/jit-$PID.dump: " || failed "$text"
		cmp "$T/in" "$T/out" || failed "$text: the stream"
	done <<-END
	not a jitdump|head pid=PID magic=0x12345678
	unknown version 2|head pid=PID version=2
	header of 39 bytes|head pid=PID size=39
	header of 5000 bytes|head pid=PID size=5000
	a jitdump of process 5|head pid=5
	END
	# nothing at all yet, and a header alone
	: >"$T/jit-$PID.dump"
	try jit <"$T/in"
	[ $rc = 0 ] || failed "an empty one"
	dump <<<"head pid=PID size=48"
	try jit <"$T/in"
	[ $rc = 0 ] || failed "a header alone"
	done_all
}

@test "pinject -j: every prefix of a dump gives the functions that are whole in it, without a word" {
	dump <<-END
	head pid=PID
	load time=1100 pid=PID addr=0x10000 size=8 name=a
	debug time=1110 addr=0x10100 lines=10100:7:a.c
	unwind time=1110 size=8 header=4
	load time=1150 pid=PID addr=0x10100 size=8 name=b
	record id=77 size=24
	move time=1200 pid=PID from=0x10000 addr=0x10200 size=8
	close time=1300
	END
	stream <<-END
	MAP @ time=1000
	SAMPLE misc=2 ip=0x10000 pid=PID time=1500
	END
	mv "$T/jit-$PID.dump" "$T/whole"
	size=$(stat -c %s "$T/whole")
	for ((i = 0; i <= size; i += 5)); do
		turn 4 || ((i + 5 > size)) || continue
		head -c $i "$T/whole" >"$T/jit-$PID.dump"
		try jit <"$T/in"
		n=$((i < 106 ? 0 : i < 250 ? 1 : i < 338 ? 2 : 3))
		got=$(ours <"$T/out" | wc -l)
		[ $rc = 0 ] && ! [ -s "$T/err" ] && [ "$got" -le 3 ] && [ "$got" -ge "${last:-0}" ] || failed "$i: $got"
		last=$got
	done
	[ "$last" -eq 3 ] || failed "all of it: $last"
	done_all
}

@test "pinject -j: a directory that is full ends the files, not the stream" {
	dump <<-END
	head pid=PID
	load time=1100 pid=PID addr=0x10000 size=200000 name=a
	END
	stream <<-END
	MAP @ time=1000
	SAMPLE misc=2 ip=0x10000 pid=PID time=1500
	END
	mkdir "$T/syms"
	mount -t tmpfs -o size=64k none "$T/syms" 2>/dev/null || skip "no tmpfs can be mounted"
	try jit <"$T/in"
	umount "$T/syms"
	[ $rc = 1 ]
	cmp "$T/in" "$T/out"
	grep -q 'No space left on device' "$T/err"
}
