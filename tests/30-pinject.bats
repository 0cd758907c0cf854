# SPDX-License-Identifier: ISC
# pinject: build-ids of what is on this machine, put where a reader needs them; FINISHED_INIT.
load lib
load pinject

# ---- helpers ---------------------------------------------------------------------------------------

# names <stream: of the DSOs that have a BUILD_ID, sorted
names() {
	records 67 | cut -d' ' -f5- | sort
}
# The build-id of a file as binutils sees it.
id_of() {
	readelf -n "$1" | sed -n 's/.*Build ID: //p'
}
# A file with a build-id, by its real name.
elf() {
	readlink -f "$(command -v "${1:-cat}")"
}
# fresh [perf record option...] -- CMD: a recording made now, in $T/in
fresh() {
	need perf
	need readelf
	# without ids in MMAP2, where newer ones put them
	perf record -q --no-bpf-event -e cpu-clock -F 4000 -g --no-buildid-mmap -o - "$@" >"$T/in" 2>"$T/record.err" || skip "perf record does not work here"
	[ "$(records 9 <"$T/in" | wc -l)" -gt 20 ] || [ "$(records 81 <"$T/in" | wc -l)" -gt 0 ] ||
	    skip "perf record takes no samples here"
}
# stream: mkpipe from standard input, behind an attr with callchains
ATTR="attr type=1 config=0 period=1 sample_type=IP|TID|TIME|CALLCHAIN flags=sample_id_all|mmap|comm|task|mmap2"
stream() {
	{ echo "$ATTR"; cat; } >"$T/recipe.txt"
	mkpipe "$@" "$T/recipe.txt" >"$T/in"
}
# What -b must have added: the DSOs that perf script shows, if they are files with an id, or the kernel.
hit() {
	perf script -f -i "$1" -F ip,sym,dso 2>/dev/null | sed -n 's/.* (\([/[].*\))$/\1/p' | sort -u |
	while read -r f; do
		case $f in
		"[kernel.kallsyms]"*) echo "[kernel.kallsyms]";;
		"[vdso]") echo "$f";;
		/*) [ ! -f "$f" ] || [ -z "$(id_of "$f" 2>/dev/null)" ] || echo "$f";;
		esac
	done | sort -u
}
# Are the ids those of the files, and the records sound?
right_ids() {
	local off misc id n name
	records 67 <"$1" >"$T/ids"
	while read -r off misc id n name; do
		case $name in
		"[kernel.kallsyms]") [ $misc = 0x8001 ] &&
			od -An -tx1 -v /sys/kernel/notes | tr -d ' \n' | grep -q "03000000474e5500$id";;
		"[vdso]") [ $misc = 0x8002 ];;
		*) [ $misc = 0x8002 ] && [ "$(printf '%-40s' "$(id_of "$name")" | tr ' ' 0)" = "$id" ];;
		esac || failed "$name: $misc $id"
		[ $n = 20 ] || failed "$name: $n bytes"
	done <"$T/ids"
}

# ---- real recordings -----------------------------------------------------------------------------

WORK='ls -l /usr/bin >/dev/null; (gzip -1 </bin/bash >/dev/null); seq 20000 | exec sort -R'

@test "pinject -b: the ids of exactly what samples and callchains hit; nothing else changes" {
	fresh -- sh -c "$WORK" >/dev/null
	pinject -b "$T/in" >"$T/out"
	right_ids "$T/out"
	names <"$T/out" | diff -u <(hit "$T/in") -
	records -v 67 <"$T/out" | cmp "$T/in" -
	same_script "$T/in" "$T/out"
	# as many as perf finds, or more: old ones look at no callchains
	perf inject -b -i "$T/in" -o "$T/theirs" 2>/dev/null
	perf buildid-list -i "$T/theirs" | grep '^[0-9a-f]' | sed 's/^[^ ]* //' | grep -v '^\[vdso' | sort >"$T/1"
	comm -13 <(names <"$T/out") "$T/1" >"$T/2"
	! [ -s "$T/2" ] || failed "missed: $(cat "$T/2")"
	done_all
}

@test "pinject -b in the pipe from perf record to perf: report and buildid-list know the ids" {
	fresh -- sh -c "$WORK" >/dev/null
	pinject -b <"$T/in" | perf report -i - --stdio >"$T/report" 2>"$T/err"
	grep -q '%.*sort' "$T/report"
	pinject -b "$T/in" >"$T/out"
	perf buildid-list -i "$T/out" >"$T/list"
	f=$(elf sort)
	grep -q "^$(id_of "$f") $f\$" "$T/list"
}

@test "pinject -b: compressed recordings" {
	fresh -z -- sh -c "$WORK" >/dev/null
	pinject -b "$T/in" >"$T/out"
	right_ids "$T/out"
	grep -q " $(elf sort)\$" "$T/ids" || failed "no id of sort"
	records -v 67 <"$T/out" | cmp - <(pinject --finished-init "$T/in") || failed "not the same records"
	same_script "$T/in" "$T/out" || failed script
	done_all
}

@test "pinject --buildid-all: the ids of all that is mapped, each in front of its first map" {
	fresh -- sh -c "$WORK" >/dev/null
	pinject --buildid-all "$T/in" >"$T/out"
	right_ids "$T/out"
	records -v 67 <"$T/out" | cmp "$T/in" - || failed "not the same records"
	comm -13 <(names <"$T/out") <(hit "$T/in") >"$T/1"
	! [ -s "$T/1" ] || failed "missed: $(cat "$T/1")"
	names <"$T/out" | uniq -d >"$T/1"
	! [ -s "$T/1" ] || failed "twice: $(cat "$T/1")"
	pinject -b --buildid-all "$T/in" | cmp "$T/out" - || failed "with -b too"
	done_all
}

# ---- which map, and when -------------------------------------------------------------------------

@test "pinject -b: decides in time order, writes before the marker" {
	need readelf
	a=$(elf cat) b=$(elf ls) c=$(elf sort)
	# CPU 0's buffer comes first; CPU 1's has the map of another file at that address before the sample.
	stream <<-END
		MMAP misc=2 pid=7 tid=7 start=0x400000 len=0x10000 filename=$a
		FINISHED_ROUND
		SAMPLE misc=2 ip=0x401000 pid=7 time=200 chain=
		MMAP misc=2 pid=7 tid=7 start=0x400000 len=0x10000 filename=$b @ pid=7 time=150
		FORK pid=8 ppid=7 tid=8 ptid=7 time=160 @ pid=7 time=160
		FINISHED_ROUND
		SAMPLE misc=2 ip=0x501000 pid=9 time=400 chain=
		MMAP misc=2 pid=8 tid=8 start=0x500000 len=0x10000 filename=$c @ pid=8 time=300
		FORK pid=9 ppid=8 tid=9 ptid=8 time=350 @ pid=8 time=350
		FINISHED_ROUND
		FINISHED_ROUND
	END
	pinject -b "$T/in" >"$T/out"
	[ "$(names <"$T/out")" = "$(printf '%s\n' "$b" "$c" | sort)" ]
	# each in front of the third and the fourth marker, which release the two samples
	mapfile -t ids < <(records 67 <"$T/out" | cut -d' ' -f1)
	mapfile -t marks < <(records 68 <"$T/out" | cut -d' ' -f1)
	[ "${marks[1]}" -lt "${ids[0]}" ]
	[ "${ids[0]}" -lt "${marks[2]}" ]
	[ "${marks[2]}" -lt "${ids[1]}" ] && [ "${ids[1]}" -lt "${marks[3]}" ]
}

@test "pinject -b: a record of another kind moves the watermark, as it does for a reader" {
	need readelf
	a=$(elf cat)
	stream <<-END
		MMAP misc=2 pid=7 tid=7 start=0x400000 len=0x10000 filename=$a
		SWITCH misc=0 @ pid=7 time=500
		FINISHED_ROUND
		SAMPLE misc=2 ip=0x401000 pid=7 time=400 chain=
		FINISHED_ROUND
		SAMPLE misc=2 ip=0x401000 pid=7 time=600 chain=
	END
	pinject -b "$T/in" >"$T/out"
	id=$(records 67 <"$T/out" | cut -d' ' -f1)
	mapfile -t marks < <(records 68 <"$T/out" | cut -d' ' -f1)
	[ "$id" -gt "${marks[0]}" ] && [ "$id" -lt "${marks[1]}" ]
}

@test "pinject -b: forks, threads, exits and numbers that come back" {
	need readelf
	a=$(elf cat) b=$(elf ls) c=$(elf sort) d=$(elf head)
	stream <<-END
		MMAP misc=2 pid=7 tid=7 start=0x400000 len=0x10000 filename=$a
		FORK pid=8 ppid=7 tid=8 ptid=7 time=10 @ pid=7 time=10
		MMAP misc=2 pid=8 tid=8 start=0x600000 len=0x10000 filename=$b @ pid=8 time=20
		FORK pid=8 ppid=8 tid=18 ptid=8 time=30 @ pid=8 time=30
		MMAP misc=2 pid=8 tid=18 start=0x700000 len=0x10000 filename=$c @ pid=8 time=31
		EXIT pid=8 ppid=7 tid=18 ptid=7 time=40 @ pid=8 time=40
		EXIT pid=8 ppid=7 tid=8 ptid=7 time=41 @ pid=8 time=41
		SAMPLE misc=2 ip=0x601000 pid=8 time=50 chain=
		FORK pid=8 ppid=7 tid=8 ptid=7 time=60 @ pid=7 time=60
		SAMPLE misc=2 ip=0x601000 pid=8 time=61 chain=
		SAMPLE misc=2 ip=0x401000 pid=8 time=62 chain=0xfffffffffffffe00,0x701000
		FORK misc=0x2000 pid=9 ppid=7 tid=9 ptid=7
		MMAP misc=2 pid=9 tid=9 start=0x800000 len=0x10000 filename=$d
		SAMPLE misc=2 ip=0x701000 pid=9 time=70 chain=
	END
	pinject -b "$T/in" >"$T/out"
	# the last samples of a task follow its EXIT (61-pfilter-state.bats shows that perf agrees)
	[ "$(names <"$T/out")" = "$(printf '%s\n' "$a" "$b" | sort)" ]
}

@test "pinject -b: one id for many maps; callchains by their markers" {
	need readelf
	a=$(elf cat) b=$(elf ls) c=$(elf sort)
	stream <<-END
		MMAP misc=1 pid=-1 tid=0 start=0xffffffff81000000 len=0x1000000 filename=[kernel.kallsyms]_text
		MMAP misc=2 pid=7 tid=7 start=0x400000 len=0x10000 filename=$a
		MMAP misc=2 pid=7 tid=7 start=0x410000 len=0x10000 pgoff=0x10000 filename=$a
		MMAP misc=2 pid=8 tid=8 start=0x400000 len=0x10000 filename=$a
		MMAP misc=2 pid=8 tid=8 start=0x500000 len=0x10000 filename=$b
		MMAP misc=2 pid=8 tid=8 start=0x600000 len=0x10000 filename=$c
		SAMPLE misc=2 ip=0x401000 pid=7 time=1 chain=
		SAMPLE misc=2 ip=0x411000 pid=7 time=2 chain=
		SAMPLE misc=1 ip=0xffffffff81000010 pid=7 time=3 chain=
		SAMPLE misc=1 ip=0xffffffff81000010 pid=8 time=4 chain=0xffffffffffffff80,0xffffffff81000020,0x601000,0xfffffffffffffe00,0x401000,0x501000
		SAMPLE misc=5 ip=0x601000 pid=8 time=5 chain=0xfffffffffffff600,0x601000
	END
	pinject -b "$T/in" >"$T/out"
	right_ids "$T/out"
	kernel=$(od -An -tx1 -v /sys/kernel/notes 2>/dev/null | tr -d ' \n' | grep -q 474e5500 && echo "[kernel.kallsyms]")
	[ "$(names <"$T/out")" = "$(printf '%s\n' $kernel "$a" "$b" | sort)" ] || failed names
	# the user's part of a chain may come later, with a cookie that is no address
	{ tail -n +2 "$T/recipe.txt"; echo "CALLCHAIN_DEFERRED cookie=0x501000 list=0x601000 @ pid=8 time=6"; } >"$T/more"
	stream <"$T/more"
	[ "$(pinject -b "$T/in" | names)" = "$(printf '%s\n' $kernel "$a" "$b" "$c" | sort)" ] || failed deferred
	done_all
}

@test "pinject -b: a map that goes up to the markers of call chains hides none of them" {
	need readelf
	a=$(elf cat)
	for len in 0x7effffff 0x7effffffffffffff; do
		stream <<-END
			MMAP misc=1 pid=-1 tid=0 start=0xffffffff81000000 len=$len filename=[kernel.kallsyms]_text
			MMAP misc=2 pid=7 tid=7 start=0x400000 len=0x10000 filename=$a
			SAMPLE misc=1 ip=0xffffffff81000010 pid=7 time=1 chain=0xffffffffffffff80,0xffffffff81000020,0xfffffffffffffe00,0x401000
			SAMPLE misc=1 ip=0xfffffffffffffff0 pid=7 time=2 chain=0xffffffffffffff80,0xffffffff81000020
		END
		pinject -b "$T/in" | names | grep -qxF "$a" || failed "$len"
	done
	done_all
}

@test "pinject: what has an id in the stream gets no other" {
	a=$(elf cat) b=$(elf ls)
	stream <<-END
		HEADER_BUILD_ID misc=0x8002 pid=-1 build_id=0102030405060708090a0b0c0d0e0f1011121314 id_size=20 filename=$a
		HEADER_BUILD_ID misc=0x8001 pid=-1 build_id=0102030405060708090a0b0c0d0e0f1011121314 id_size=20 filename=[kernel.kallsyms]
		MMAP misc=1 pid=-1 tid=0 start=0xffffffff81000000 len=0x1000000 filename=[kernel.kallsyms]_text
		MMAP misc=2 pid=7 tid=7 start=0x400000 len=0x10000 filename=$a
		MMAP2 misc=0x4002 pid=7 tid=7 start=0x500000 len=0x10000 build_id=0102030405060708090a0b0c0d0e0f1011121314 filename=$b
		SAMPLE misc=2 ip=0x401000 pid=7 time=1 chain=
		SAMPLE misc=2 ip=0x501000 pid=7 time=2 chain=
		SAMPLE misc=1 ip=0xffffffff81000010 pid=7 time=3 chain=
	END
	pinject -b "$T/in" | cmp "$T/in" -
	pinject --buildid-all "$T/in" | cmp "$T/in" -
}

# module NAME ID: does a map of it get that id, by the names that the kernel and perf give it?
module() {
	local name=$1 id=$2 as
	for as in "[$name]" "/lib/modules/$(uname -r)/kernel/x/${name//_/-}.ko.xz" "/lib/modules/$(uname -r)/kernel/x/$name.ko"; do
		{
			echo "MMAP misc=1 pid=-1 tid=0 start=0xffffffffc0000000 len=0x10000 filename=$as"
			echo "SAMPLE misc=1 ip=0xffffffffc0000010 pid=7 time=1 chain="
		} | stream
		for o in -b --buildid-all; do
			pinject $o "$T/in" >"$T/out"
			[ "$(records 67 <"$T/out" | cut -d' ' -f3,5)" = "$id $as" ] || failed "$o $as: $(records 67 <"$T/out")"
		done
	done
}
@test "pinject: a loaded kernel module" {
	need readelf
	for notes in /sys/module/*/notes/.note.gnu.build-id; do
		name=${notes#/sys/module/}
		name=${name%%/*}
		[ -r "$notes" ] && [ -d "/sys/module/$name/sections" ] || continue
		# of the module's file, if it can be read, else of the last note
		file=$(command -v modinfo >/dev/null && modinfo -n "$name" 2>/dev/null)
		case $file in
		*.xz) xz -dc "$file" >"$T/module.ko";;
		*.zst) zstd -qdc "$file" >"$T/module.ko";;
		*.gz) gzip -dc "$file" >"$T/module.ko";;
		*.ko) cp "$file" "$T/module.ko";;
		*) : >"$T/module.ko";;
		esac 2>/dev/null || : >"$T/module.ko"
		id=$(id_of "$T/module.ko" 2>/dev/null)
		: "${id:=$(tail -c 20 "$notes" | od -An -tx1 -v | tr -d ' \n')}"
		module "$name" "$id"
		done_all
		return
	done
	skip "no module with a build-id is loaded"
}
@test "pinject: a kernel module, with a note in its place" {
	need readelf
	[ "$(id -u)" = 0 ] && unshare -m mount -t tmpfs none "$T" 2>/dev/null || skip "no mount namespaces for this user"
	[ -d /sys/module ] || skip "no /sys/module"
	id=$(id_of "$(elf cat)")
	[ -n "$id" ] || skip "programs here have no build-ids"
	perl -e 'print pack("L3", 4, length($ARGV[0]) / 2, 3), "GNU\0", pack "H*", $ARGV[0]' "$id" >"$T/note"
	pinject() {
		unshare -m sh -c 'mount -t tmpfs none /sys/module && mkdir -p /sys/module/a_module/notes &&
		    cp "$1/note" /sys/module/a_module/notes/.note.gnu.build-id && shift && exec "$@"' sh "$T" "$(type -P pinject)" "$@"
	}
	module a_module "$id"
	done_all
}

# ---- what must not be believed -------------------------------------------------------------------

@test "pinject: names that are no ELF files are left alone, and none of them is waited for" {
	mkfifo "$T/fifo"
	ln -s "$T/fifo" "$T/link"
	echo text >"$T/text"
	head -c 100 "$(elf cat)" >"$T/cut"
	for name in "$T/fifo" "$T/link" "$T/text" "$T/cut" "$T" "$T/none" /dev/zero /dev/null //anon '[heap]' '[stack]' \
	    anon_inode:x '/memfd:x' /SYSV00000000 /anon_hugepage x ../x "" '[../../kernel]' /x/[kernel.ko; do
		echo "MMAP misc=2 pid=7 tid=7 start=0x400000 len=0x10000 filename=$name"
		echo "SAMPLE misc=2 ip=0x401000 pid=7 time=$((++n)) chain="
		echo "MMAP misc=1 pid=-1 tid=0 start=0xffffffff81000000 len=0x10000 filename=$name"
		echo "SAMPLE misc=1 ip=0xffffffff81000000 pid=7 time=$((++n)) chain="
	done | stream
	for o in -b --buildid-all; do
		try timeout 60 pinject $o "$T/in"
		[ $rc = 0 ] && cmp "$T/in" "$T/out" && one_line "pinject: warning: no build-ids of " || failed "$o"
	done
	done_all
}

@test "pinject: files without an id are counted by reason in one line; --strict makes it status 1; memory does not count" {
	need readelf
	head -c 100 "$(elf cat)" >"$T/cut"
	two_of_a_name
	{
		for name in //anon '[heap]' '[stack]' anon_inode:x /memfd:x /SYSV00000000 /anon_hugepage /dev/zero "[anon:x]" "$T/in" \
		    "$(elf cat)"; do
			echo "MMAP2 misc=2 pid=7 tid=7 start=$((++n * 65536)) len=0x10000 prot=5 filename=$name"
			echo "SAMPLE misc=2 ip=$((n * 65536)) pid=7 time=$n chain="
		done
	} | tee "$T/text" | stream
	for o in -b --buildid-all -B --mmap2-buildid-all; do
		try pinject --strict $o "$T/in"
		[ $rc = 0 ] && ! [ -s "$T/err" ] || failed "memory: $o"
	done
	{
		cat "$T/text"
		for name in "$T/cut" "$T/none" "$T/none2" "$T/prog"; do
			echo "MMAP2 misc=2 pid=7 tid=7 start=$((++n * 65536)) len=0x10000 $was prot=5 filename=$name"
			echo "SAMPLE misc=2 ip=$((n * 65536)) pid=7 time=$n chain="
		done
	} | stream
	for o in -b --buildid-all -B --mmap2-buildid-all; do
		for strict in "" --strict; do
			try pinject $strict $o "$T/in"
			[ $rc = $((${#strict} / 8)) ] || failed "$o $strict"
			one_line "pinject: warning: no build-ids of 4 files: was replaced after the recording (2), does not exist on this host (2)" ||
			    failed "$o $strict: text"
			cp "$T/out" "$T/with$strict"
		done
		cmp "$T/with" "$T/with--strict" || failed "$o: output"
		try pinject -q --strict $o "$T/in"
		[ $rc = 1 ] && ! [ -s "$T/err" ] || failed "$o -q"
		try pinject --no-fs --strict $o "$T/in"
		[ $rc = 1 ] && one_line "pinject: warning: no build-ids of 6 files: not looked for (--no-fs) (" || failed "$o --no-fs"
		try pinject -v --strict $o "$T/in"
		[ $rc = 1 ] && [ "$(grep -c "no build-id of '$T/[cnp]" "$T/err")" = 4 ] && ! grep -q warning "$T/err" || failed "$o -v"
	done
	done_all
}

@test "pinject: no change of an ELF file makes it fail" {
	f=$(elf cat)
	head -c 4096 "$f" >"$T/head"
	for i in $(seq 1 200); do
		cp "$T/head" "$T/elf$i"
		# the header or the program headers, which have the offset of the notes
		printf "\\x$(printf %02x $((i * 7 % 256)))\\xff\\x$(printf %02x $((i * 31 % 256)))" |
		    dd of="$T/elf$i" bs=1 seek=$((16 + i * 3)) conv=notrunc 2>/dev/null
		echo "MMAP misc=2 pid=7 tid=7 start=$((i * 65536)) len=0x10000 filename=$T/elf$i"
	done | stream
	try timeout 60 pinject --buildid-all "$T/in"
	[ $rc = 0 ]
	records -v 67 <"$T/out" | cmp "$T/in" -
}

@test "pinject: a file that was replaced after the recording gets no build-id" {
	need readelf
	[ "$(stat -f -c %T "$T")" != overlayfs ] || skip "overlayfs shows other inodes to a map than to stat"
	cp "$(elf cat)" "$T/prog"
	dev=$(stat -c '%Hd %Ld' "$T/prog" 2>/dev/null) && [[ $dev =~ ^[0-9]+\ [0-9]+$ ]] || skip "stat tells no device"
	for ino in $(stat -c %i "$T/prog") 1; do
		echo "MMAP2 misc=2 pid=7 tid=7 start=0x400000 len=0x10000 maj=${dev% *} min=${dev#* } ino=$ino prot=5 filename=$T/prog" |
		    stream
		pinject --buildid-all "$T/in" | names >>"$T/1"
	done
	[ "$(cat "$T/1")" = "$T/prog" ]
}

# two of the same name, in a directory that a recording can name: $T/prog is what is there now
two_of_a_name() {
	need readelf
	[ "$(stat -f -c %T "$T")" != overlayfs ] || skip "overlayfs shows other inodes to a map than to stat"
	cp "$(elf cat)" "$T/prog"
	dev=$(stat -c '%Hd %Ld' "$T/prog" 2>/dev/null) && [[ $dev =~ ^[0-9]+\ [0-9]+$ ]] || skip "stat tells no device"
	is="maj=${dev% *} min=${dev#* } ino=$(stat -c %i "$T/prog")"
	was="maj=${dev% *} min=${dev#* } ino=1"
}
@test "pinject: a file is device, inode and name; of two of one name none has a BUILD_ID" {
	two_of_a_name
	for first in is was; do
		[ $first = is ] && second=was || second=is
		stream <<-END
			MMAP2 misc=2 pid=7 tid=7 start=0x400000 len=0x10000 ${!first} prot=5 filename=$T/prog
			MMAP2 misc=2 pid=8 tid=8 start=0x400000 len=0x10000 ${!second} prot=5 filename=$T/prog
			SAMPLE misc=2 ip=0x401000 pid=7 time=1 chain=
			SAMPLE misc=2 ip=0x401000 pid=8 time=2 chain=
		END
		pinject -v -b "$T/in" >"$T/out" 2>"$T/err"
		names <"$T/out" >"$T/$first"
		grep -q "no build-id of '$T/prog'" "$T/err" || failed "$first: $(cat "$T/err")"
	done
	# readers would take the id of one for the other, too
	! [ -s "$T/is" ] && ! [ -s "$T/was" ] || failed names
	grep -q "use --mmap2-buildids" "$T/err" || failed hint
	# a sample in the other one may still come
	stream <<-END
		MMAP2 misc=2 pid=7 tid=7 start=0x400000 len=0x10000 $was prot=5 filename=$T/prog
		MMAP2 misc=2 pid=8 tid=8 start=0x400000 len=0x10000 $is prot=5 filename=$T/prog
		SAMPLE misc=2 ip=0x401000 pid=8 time=2 chain=
	END
	[ -z "$(pinject -q -b "$T/in" | names)" ] || failed "not sampled"
	# an id that was written already is wrong for a file that comes later, which is said
	stream <<-END
		MMAP2 misc=2 pid=8 tid=8 start=0x400000 len=0x10000 $is prot=5 filename=$T/prog
		SAMPLE misc=2 ip=0x401000 pid=8 time=2 chain=
		FINISHED_ROUND
		FINISHED_ROUND
		MMAP2 misc=2 pid=7 tid=7 start=0x400000 len=0x10000 $was prot=5 filename=$T/prog @ pid=7 time=3
	END
	try pinject -b "$T/in"
	[ $rc = 0 ] && [ "$(names <"$T/out")" = "$T/prog" ] || failed "not sampled later"
	echo "SAMPLE misc=2 ip=0x401000 pid=7 time=4 chain=" | cat "$T/recipe.txt" - | tail -n +2 >"$T/more"
	stream <"$T/more"
	for o in -b --buildid-all; do
		try pinject $o "$T/in"
		[ $rc = 1 ] && [ "$(names <"$T/out")" = "$T/prog" ] && grep -q "1 names are of several files, and have a BUILD_ID of only one" "$T/err" ||
		    failed "$o: sampled later"
	done
	done_all
}

# The process of the 32-bit one is gone, so it has no id; 31-pinject-files.bats has one that lives.
@test "pinject: the vdsos of 32-bit and other processes have one name: of the second it is said that it has no BUILD_ID" {
	big="MMAP misc=2 pid=7 tid=7 start=0x7ffc00000000 len=0x2000 filename=[vdso]"
	small="MMAP misc=2 pid=4194305 tid=4194305 start=0xf7f00000 len=0x2000 filename=[vdso]"
	in_big="SAMPLE misc=2 ip=0x7ffc00000100 pid=7 time"
	in_small="SAMPLE misc=2 ip=0xf7f00100 pid=4194305 time"
	printf '%s\n' "$big" "$in_big=1 chain=" | stream
	[ "$(pinject -b "$T/in" | names)" = "[vdso]" ] || skip "this process has no vdso with a build-id"
	printf '%s\n' "$big" "$small" "$in_big=1 chain=" "$in_small=2 chain=" "$in_small=3 chain=" | stream
	for o in -b --buildid-all; do
		try pinject -v $o "$T/in"
		[ "$(names <"$T/out")" = "[vdso]" ] || failed "$o: $(names <"$T/out")"
		[ "$(grep -c "no build-id of '\[vdso\]': the vdso of a 32-bit process that has ended" "$T/err")" = 1 ] || failed "$o: $(cat "$T/err")"
	done
	# the first one has none: the name would mean both
	printf '%s\n' "$small" "$big" "$big" "$in_small=1 chain=" "$in_big=2 chain=" "$in_big=3 chain=" | stream
	for o in -b --buildid-all; do
		try pinject -v $o "$T/in"
		[ -z "$(names <"$T/out")" ] || failed "$o: $(names <"$T/out")"
		[ "$(grep -c "no build-id of '\[vdso\]': another file of this name was sampled (use --mmap2-buildids)" "$T/err")" = 1 ] ||
		    failed "$o: $(cat "$T/err")"
	done
	done_all
}

@test "pinject: a recording of another kind of machine or byte order gets nothing" {
	recipe="MMAP misc=2 pid=7 tid=7 start=0x400000 len=0x10000 filename=$(elf cat)
	SAMPLE misc=2 ip=0x401000 pid=7 time=1 chain="
	{ echo "HEADER_FEATURE feat_id=6 fs=pdp11"; echo "$recipe"; } | stream
	for o in -b --buildid-all; do
		try pinject $o "$T/in"
		[ $rc = 0 ] && cmp "$T/in" "$T/out" && one_line "pinject: warning: no build-ids: " || failed "kind $o"
	done
	echo "$recipe" | stream -b
	for o in -b --buildid-all; do
		try pinject $o "$T/in"
		[ $rc = 0 ] && cmp "$T/in" "$T/out" && one_line "pinject: warning: no build-ids: " || failed "order $o"
	done
	for f in data/s390x*.pipe.data; do
		[ ! -e "$f" ] || pinject -q -b "$f" | cmp - <(pcat "$f") || failed "$f"
	done
	{ echo "HEADER_FEATURE feat_id=3 fs=elsewhere"; echo "HEADER_FEATURE feat_id=4 fs=0.99"; echo "$recipe"
	echo "MMAP misc=1 pid=-1 tid=0 start=0xffffffff81000000 len=0x1000000 filename=[kernel.kallsyms]_text"; } | stream
	try pinject --buildid-all "$T/in"
	[ $rc = 0 ] && cmp "$T/in" "$T/out" && one_line "pinject: warning: no build-ids: the recording was made on 'elsewhere'" || failed "host"
	try pinject --buildid-all --allow other-host "$T/in"
	[ "$(names <"$T/out")" = "$(elf cat)" ] &&
	    one_line "pinject: warning: no build-ids of 1 files: recorded under another kernel (1)" || failed "allowed host"
	done_all
}

# ---- the stream ----------------------------------------------------------------------------------

@test "pinject --finished-init: behind what perf made up, once" {
	cat >"$T/body" <<-END
		COMM pid=7 tid=7 comm=x
		THREAD_MAP list=7/x
		COMM pid=7 tid=7 comm=y @ time=-1
	END
	{ cat "$T/body"; echo "SAMPLE misc=2 ip=1 pid=7 time=5 chain="; echo "COMM pid=7 tid=7 comm=z @ time=6"; } >"$T/tail"
	for b in "" -b; do
		stream $b <"$T/body"
		at=$(wc -c <"$T/in")
		pinject --finished-init "$T/in" | cmp "$T/in" - || failed "nothing timed"
		stream $b <"$T/tail"
		pinject --finished-init "$T/in" >"$T/out"
		[ "$(records 82 <"$T/out" | cut -d' ' -f1)" = $at ] || failed "place $b"
		records -v 82 <"$T/out" | cmp "$T/in" - || failed "others $b"
		pinject --finished-init "$T/out" | cmp "$T/out" - || failed "again $b"
	done
	done_all
}

@test "pinject: records are passed on at once" {
	need readelf
	a=$(elf cat)
	stream <<-END
		MMAP misc=2 pid=7 tid=7 start=0x400000 len=0x10000 filename=$a
		SAMPLE misc=2 ip=0x401000 pid=7 time=1 chain=
	END
	mkfifo "$T/to" "$T/from"
	pinject -b --allow changed-files <"$T/to" >"$T/from" &
	exec 5>"$T/to" 6<"$T/from"
	cat "$T/in" >&5
	timeout 60 head -c "$(wc -c <"$T/in")" <&6 | cmp "$T/in" -
	exec 5>&-
	cat <&6 >"$T/rest"
	exec 6<&-
	wait
	[ "$(wc -c <"$T/rest")" -gt 36 ]
}

@test "pinject: a stream without rounds does not make it grow" {
	need native
	! sanitized || skip "the sanitizer needs the address space that is limited here"
	stream <<-END
		MMAP misc=2 pid=7 tid=7 start=0x400000 len=0x10000 filename=/opt/none
		SAMPLE misc=2 ip=0x401000 pid=7 time=1 chain=0x401000,0x402000,0x403000,0x404000,0x405000,0x406000,0x407000,0x408000
	END
	head=$(($(wc -c <"$T/in") - 104))
	tail -c +$((head + 1)) "$T/in" >"$T/one"
	[ "$(od -An -tu4 -N4 "$T/one" | tr -d ' ')" = 9 ]
	for i in $(seq 17); do		# 2^17 of them
		cat "$T/one" "$T/one" >"$T/two"
		mv "$T/two" "$T/one"
	done
	{ head -c $head "$T/in"; for i in $(seq 24); do cat "$T/one"; done; } |
	    ( ulimit -v 300000; pinject -b ) | wc -c >"$T/size"
	[ "$(cat "$T/size")" = $((head + 24 * 131072 * 104)) ]
}

@test "pinject: the examples of its page" {
	need readelf
	fresh -- sh -c "$WORK" >/dev/null
	cp "$T/in" "$T/run.pipe"
	cd "$T"
	gzip <"$T/in" >archive.gz
	sed -n 's/^\.Dl \$ //p' "$BATS_TEST_DIRNAME/../man/pinject.1" >examples
	[ "$(wc -l <examples)" -ge 3 ]
	registers=$(perf_stacks)
	while read -r line; do
		[[ $line != *unshare* ]] || unshare -rm true 2>/dev/null || continue
		bash -o pipefail -c "${line//--call-graph dwarf/$registers--call-graph dwarf}" >out 2>err || failed "$line: $(cat err)"
	done <examples
	done_all
}

@test "pinject: the process that looks files up goes on when its timer has told it something" {
	need pgrep
	need readelf
	local pid helper
	stream <<-END
		MMAP2 misc=2 pid=100 tid=100 start=0x400000 len=0x100000 prot=5 flags=2 filename=$(elf)
		SAMPLE misc=2 ip=0x400100 pid=100 tid=100 cpu=0 time=1 chain=0x400100
		SAMPLE misc=2 ip=0x400100 pid=100 tid=100 cpu=0 time=2 chain=0x400100
	END
	mkfifo "$T/fifo"
	command pinject -b --allow changed-files <"$T/fifo" >"$T/out" 2>"$T/err" 3>&- &
	pid=$!
	exec 7>"$T/fifo"
	head -c 200 "$T/in" >&7
	await pgrep -P $pid
	helper=$(pgrep -P $pid)
	await grep -q '^SigCgt:.*2[0-9a-f]\{3\}$' "/proc/$helper/status"	# it catches SIGALRM
	kill -ALRM "$helper"
	sleep 0.2
	tail -c +201 "$T/in" >&7
	exec 7>&-
	wait $pid || failed "$(cat "$T/err")"
	names <"$T/out" | grep -qx "$(elf)" || failed "no id: $(cat "$T/err")"
	! grep -q ended "$T/err" || failed "$(cat "$T/err")"
	done_all
}
