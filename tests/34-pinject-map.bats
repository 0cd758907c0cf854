# SPDX-License-Identifier: ISC
# pinject --perf-map: names from perf-PID.map.  What perf shows with the file in /tmp is what it must show without it.
load lib

# Of processes that cannot exist: the names come from a directory, and nothing of /tmp is in the way.
PID=4194305
setup_file() {
	rm -f /tmp/perf-$PID.map /tmp/perf-$((PID + 1)).map
}
teardown() {
	rm -f /tmp/perf-$PID.map /tmp/perf-$((PID + 1)).map
}

# stream [-b]: mkpipe from standard input: a process with two anonymous maps, and a program
stream() {
	{
		echo "attr type=1 config=0 period=1 sample_type=IP|TID|TIME|CALLCHAIN flags=sample_id_all|mmap|comm|task|mmap2 ids=7"
		echo "COMM pid=$PID tid=$PID comm=jit"
		echo "MMAP2 misc=2 pid=$PID tid=$PID start=0x400000 len=0x1000 prot=5 flags=2 filename=/nonexistent/program"
		echo "MMAP2 misc=2 pid=$PID tid=$PID start=0x70000000 len=0x10000 prot=5 flags=2 filename=//anon"
		echo "MMAP2 misc=2 pid=$PID tid=$PID start=0x7f1000000000 len=0x10000 prot=7 flags=2 filename=//anon"
		cat
	} | sed "s/PID/$PID/g; s/CHILD/$((PID + 1))/g" >"$T/recipe.txt"
	mkpipe "$@" "$T/recipe.txt" >"$T/in"
}
# sample TIME ADDRESS [chain]
sample() {
	echo "SAMPLE misc=2 pid=${3-PID} tid=${3-PID} time=$1 ip=$2 chain=$2"
}
# inject [option...]: with the perf-PID.map of standard input
inject() {
	mkdir -p "$T/maps"
	cat >"$T/maps/perf-$PID.map"
	try pinject --perf-map="$T/maps" --buildid-dir "$T/syms" "$@" "$T/in"
}
# names FILE [perf option...]: time and name of each sample, or of each entry of its chain; what has no name is [unknown]
names() {
	local f=$1
	shift
	perf "$@" script -f -i "$f" -F time,ip,sym 2>/dev/null | sed 's/^\t *[0-9a-f]* //; /^$/d'
}
# shown: the names alone, of the output of the last `try'
shown() {
	names "$T/out" --buildid-dir "$T/syms" | grep -v '^ *[0-9]*\.[0-9]*: *$' | paste -sd,
}
# as_in_tmp: does perf show of $T/in with the file in /tmp what it shows of $T/out with the directory?
as_in_tmp() {
	cp "$T/maps/perf-$PID.map" /tmp/perf-$PID.map
	names "$T/in" >"$T/names.in"
	rm /tmp/perf-$PID.map
	names "$T/out" --buildid-dir "$T/syms" >"$T/names.out"
	diff -u "$T/names.in" "$T/names.out"
}
# ours [-v] FILE: the MMAP2s that were put in, one a line: time, start, length, pgoff, name.  -v: the stream without them
ours() {
	perl -e 'binmode STDOUT; my $v = $ARGV[0] eq "-v" && shift; open F, "<:raw", shift; local $/; my $d = <F>; my $o = 16;
		my ($u8, $u4, $u2) = $d =~ /^PERFILE2/ ? ("Q>", "V", "v") : ("Q<", "V", "v");
		($u8, $u4, $u2) = substr($d, 0, 8) eq "PERFILE2" ? ("Q<", "V", "v") : ("Q>", "N", "n");
		print substr $d, 0, 16 if $v;
		while ($o < length $d) {
			my ($t, $m, $s) = unpack "$u4$u2$u2", substr $d, $o, 8;
			last if !$s;
			$s += unpack $u4, substr $d, $o + 8, 4 if $t == 66;
			my $r = substr $d, $o, $s;
			my $name = $t == 10 ? unpack "Z*", substr $r, 72 : "";
			if ($name !~ /^jitted-/) { print $r if $v }
			elsif (!$v) { printf "%d %x %x %x %s\n", unpack($u8, substr $r, -8, 8), unpack("$u8$u8$u8", substr $r, 16, 24), $name }
			$o += $s;
		}' -- "$@"
}
# Has all of the stream $1 come out?  What was put in would make up for a size.
came() {
	ours -v "$T/out" | cmp -s - "$1"
}

@test "perf-map, jit-dump-dir: a directory that is not there is wrong usage, not a recording without names" {
	for o in --perf-map= "--jit-dump-dir "; do
		try pinject ${o}"$T/nowhere" --buildid-dir "$T/syms" /dev/null
		[ $rc = 2 ] && grep -q "'$T/nowhere': No such file" "$T/err" || failed "$o: none"
		try pinject ${o}"$BATS_TEST_FILENAME" --buildid-dir "$T/syms" /dev/null
		[ $rc = 2 ] && grep -q "is not a directory" "$T/err" || failed "$o: a file"
	done
	done_all
}

@test "perf-map: needs a directory for the images" {
	stream </dev/null
	for o in --perf-map --perf-map=/tmp; do
		try pinject $o "$T/in"
		[ $rc = 2 ] && one_line "pinject: --perf-map: needs --buildid-dir" && [ ! -s "$T/out" ] ||
		    failed "$o"
	done
	done_all
}

@test "perf-map: names as perf has them with the file in /tmp, in all maps, in chains, and cut at the ends of a map" {
	need perf
	{
		for ((i = 0; i < 64; i++)); do
			sample $((1000 + i)) $((0x70000000 + i * 0x10))
			sample $((1000 + i)) $((0x7f1000000000 + i * 0x400))
		done
		sample 1100 0x7000ffff
		sample 1100 0x400010
		echo "SAMPLE misc=2 pid=PID tid=PID time=1200 ip=0x400010 chain=0xfffffffffffffe00,0x400010,0x70000104,0x7f1000000008"
		echo "FINISHED_ROUND"
	} | stream
	inject <<-END
		70000000 40 first
		70000040 40 second(int, char*) [tier 1]
		70000100 1 one
		0x0000000070000200 0x0000000000000100 long Java.name(java.lang.Object, long)
		7f1000000000 8000 LazyCompile:~a /tmp/b.js:1:15
		7000f000 2000 over_the_end
		400000 1000 not_anonymous
	END
	[ $rc = 0 ]
	as_in_tmp
	[ "$(tail -n 3 "$T/names.out" | paste -sd,)" = "[unknown],[unknown],LazyCompile:~a /tmp/b.js:1:15" ]
	[ "$(grep -c unknown "$T/names.out")" = 74 ]
	grep -q over_the_end "$T/names.out"
	! grep -q not_anonymous "$T/names.out" || false
	# two maps, two images, 1 ns before the hits, at the ends of the maps
	ours "$T/out" >"$T/ours"
	diff "$T/ours" - <<-END
		999 70000000 10000 1000 jitted-$PID-map1.so
		999 7f1000000000 10000 1000 jitted-$PID-map2.so
	END
	[ "$(find "$T/syms" -type f | wc -l)" = 2 ]
}

@test "perf-map: what is put in can be taken out, twice is once, and nothing is late" {
	need perf
	{ sample 1000 0x70000010; echo FINISHED_ROUND; sample 1500 0x70000010; sample 2000 0x7f1000000000; echo FINISHED_ROUND
	  sample 2600 0x7f1000000001; echo FINISHED_ROUND; } >"$T/text"
	for order in "" -b; do
		rm -rf "$T/syms"
		stream $order <"$T/text"
		inject <<<"70000000 40 first"$'\n'"7f1000000000 40 second"
		[ $rc = 0 ] || failed "$order"
		ours -v "$T/out" | cmp - "$T/in" || failed "$order: taken out"
		[ "$(ours "$T/out" | wc -l)" = 2 ] || failed "$order"
		psort --stats "$T/out" 2>&1 >/dev/null | grep -q 'late: 0,' || failed "$order: late"
		find "$T/syms" -type f -printf '%P %s %T@\n' | sort >"$T/files"
		cp "$T/out" "$T/once"
		try pinject --perf-map="$T/maps" --buildid-dir "$T/syms" "$T/once"
		cmp "$T/once" "$T/out" || failed "$order: twice"
		pinject --perf-map="$T/maps" --buildid-dir "$T/syms" <"$T/in" | cmp - "$T/once" || failed "$order: in a pipe"
		find "$T/syms" -type f -printf '%P %s %T@\n' | sort | diff "$T/files" - || failed "$order: files changed"
	done
	done_all
}

# In a namespace without a map of numbers, all of ours are those of one user, who is not root.
@test "perf-map: a user's own file is read" {
	unshare -U true 2>/dev/null || skip "no user namespace can be made here"
	sample 1000 0x70000010 | stream
	mkdir "$T/maps"
	echo "70000000 40 own" >"$T/maps/perf-$PID.map"
	try unshare -U pinject --perf-map="$T/maps" --buildid-dir "$T/syms" "$T/in"
	[ $rc = 0 ] && [ "$(shown)" = own ] || { shown; cat "$T/err"; false; }
}

@test "perf-map: the last line for an address wins" {
	need perf
	for a in 00 0f 10 1f 20 2f 30 3f 40 50; do sample 1000 0x700000$a; done | stream
	inject <<-END
		70000010 30 early
		70000000 18 left
		70000020 10 inner
		70000020 8 innermost
		70000038 10 right
		70000048 0 none
	END
	[ $rc = 0 ]
	[ "$(shown)" = "left,left,left,early,innermost,inner,early,right,right,[unknown]" ] || { shown; false; }
}

@test "perf-map: the file is read again when it has grown and a name is missing" {
	need perf
	{ sample 1000 0x70000010; sample 1001 0x70000050; echo FINISHED_ROUND; echo FINISHED_ROUND; } | stream
	cp "$T/in" "$T/first"
	{ sample 1000 0x70000010; sample 1001 0x70000050; echo FINISHED_ROUND; echo FINISHED_ROUND
	  sample 2000 0x70000050; sample 2001 0x70000010; echo FINISHED_ROUND; } | stream
	mkdir "$T/maps"
	printf '70000000 40 fir' >"$T/maps/perf-$PID.map"		# its writer is at work
	mkfifo "$T/fifo"
	pinject --perf-map="$T/maps" --buildid-dir "$T/syms" <"$T/fifo" >"$T/out" 8>&- &
	exec 8>"$T/fifo"
	cat "$T/first" >&8
	await came "$T/first"
	printf 'st\n70000040 40 second\n' >>"$T/maps/perf-$PID.map"
	tail -c +$(($(stat -c %s "$T/first") + 1)) "$T/in" >&8
	exec 8>&-
	wait $!
	[ "$(shown)" = "fir,[unknown],second,first" ] || { shown; false; }
	[ "$(ours "$T/out" | cut -d' ' -f1 | paste -sd,)" = 999,1999 ]
}

@test "perf-map: of a file that grows at each round each function has its name at once, by an image of what is new" {
	need perf
	stream </dev/null
	cp "$T/in" "$T/begin"
	mkdir "$T/maps"
	for ((i = 0; i < 200; i++)); do printf '%x 10 f%d\n' $((0x70000000 + i * 16)) $i; done >"$T/maps/perf-$PID.map"
	mkfifo "$T/fifo"
	pinject --perf-map="$T/maps" --buildid-dir "$T/syms" <"$T/fifo" >"$T/out" 8>&- &
	exec 8>"$T/fifo"
	tee "$T/sent" <"$T/begin" >&8
	# each round hits the first function, the newest one, and in the last rounds one of the middle
	size=$(stat -c %s "$T/in")
	for ((i = 0; i < 64; i++)); do
		printf '%x 10 f%d\n' $((0x70000000 + (200 + i) * 16)) $((200 + i)) >>"$T/maps/perf-$PID.map"
		{
			sample $((1000 + i * 10)) 0x70000000
			sample $((1001 + i * 10)) $((0x70000000 + (200 + i) * 16))
			[ $i -lt 62 ] || sample $((1002 + i * 10)) $((0x70000000 + 210 * 16))
			echo FINISHED_ROUND
			echo FINISHED_ROUND
		} | stream
		tail -c +$((size + 1)) "$T/in" | tee -a "$T/sent" >&8
		await came "$T/sent"
	done
	exec 8>&-
	wait $!
	shown | tr , '\n' >"$T/shown"
	grep -v '^f0$\|^f210$' "$T/shown" >"$T/new"
	diff "$T/new" <(seq -f f%g 200 263 | grep -v 210) || failed "new ones"
	[ "$(grep -cx f0 "$T/shown")" = 64 ] && [ "$(grep -cx f210 "$T/shown")" = 3 ] || failed "old ones"
	# the first image is of the whole map, the others of the new functions, 16 bytes each
	ours "$T/out" | awk 'NR == 1 { if ($3 != "10000") exit 1; next } $3 != "10" { exit 1 }' || failed "maps: $(ours "$T/out")"
	find "$T/syms" -name elf -size +3 -size -40 | grep -q . || failed "the first image"
	[ "$(find "$T/syms" -name elf -size +3 | wc -l)" = 1 ] || failed "large images: $(find "$T/syms" -name elf -printf '%s ')"
	done_all
}

@test "perf-map: a map over an image hides it, and the names are told again" {
	need perf
	{
		sample 1000 0x70000010
		echo "MMAP2 misc=2 pid=PID tid=PID start=0x70000000 len=0x10000 prot=5 flags=2 filename=//anon @ pid=PID tid=PID time=1500"
		sample 2000 0x70000010
		echo "MMAP2 misc=2 pid=PID tid=PID start=0x70001000 len=0x1000 prot=5 flags=2 filename=/memfd:x\\s(deleted) @ pid=PID tid=PID time=2500"
		sample 3000 0x70001010
		sample 3001 0x70000010
		sample 3002 0x70003010
		echo "MMAP2 misc=2 pid=PID tid=PID start=0x70003000 len=0x1000 prot=5 flags=2 filename=/usr/lib/x.so @ pid=PID tid=PID time=3500"
		sample 4000 0x70003010
		sample 4001 0x70005010
	} | stream
	inject <<<"70000000 10000 all"
	[ "$(shown)" = "all,all,all,all,all,[unknown],all" ] || { shown; false; }
	[ "$(find "$T/syms" -type f | wc -l)" -lt 4 ]			# the same content is the same file
}

@test "perf-map: a child has the names of its parent, a new process of that number none" {
	need perf
	{
		sample 1000 0x70000010
		echo "FORK pid=CHILD ppid=PID tid=CHILD ptid=PID @ pid=PID tid=PID time=1100"
		sample 1200 0x70000010 CHILD
		echo "FORK pid=PID ppid=1 tid=PID ptid=1 @ pid=1 tid=1 time=1300"
		sample 1400 0x70000010
	} | stream
	inject <<<"70000000 10000 all"
	[ "$(shown)" = "all,all,[unknown]" ] || { shown; false; }
}

@test "perf-map: maps over parts of maps, in any order: names as perf has them" {
	need perf
	perl -e 'srand 7; my $t = 1000; my @name = ("//anon", "//anon", "//anon", "/usr/lib/x.so");
		for (1 .. 400) {
			my ($start, $n) = (0x70000000 + 4096 * int rand 16, 1 + int rand 4);
			printf "MMAP2 misc=2 pid=PID tid=PID start=%d len=%d prot=5 flags=2 filename=%s @ pid=PID tid=PID time=%d\n",
			    $start, 4096 * $n, $name[rand @name], $t += 10;
			for (1 .. 3) {
				my $ip = 0x70000000 + int rand 0x10000;
				printf "SAMPLE misc=2 pid=PID tid=PID time=%d ip=%d chain=%d\n", $t += 10, $ip, $ip;
			}
			print "FINISHED_ROUND\n" if rand() < .2;
		}' | stream
	inject < <(for ((i = 0; i < 32; i++)); do printf '%x %x name_%d\n' $((0x70000000 + i * 0x800)) $((0x400 + i * 16)) $i; done)
	[ $rc = 0 ]
	as_in_tmp
	[ "$(grep -c name_ "$T/names.out")" -gt 400 ]
}

@test "perf-map: the text of a process that has ended takes no memory" {
	mkdir "$T/maps"
	for ((i = 0; i < 6; i++)); do
		p=$((PID + i))
		printf '70000000 40 good\n' >"$T/maps/perf-$p.map"
		truncate -s 60M "$T/maps/perf-$p.map"
		echo "MMAP2 misc=2 pid=$p tid=$p start=0x70000000 len=0x10000 prot=5 flags=2 filename=//anon @ pid=$p tid=$p time=1${i}10"
		sample 1${i}20 0x70000010 $p
		echo "EXIT pid=$p ppid=1 tid=$p ptid=1 @ pid=$p tid=$p time=1${i}30"
	done | stream
	try pinject --perf-map="$T/maps" --buildid-dir "$T/syms" "$T/in"
	[ $rc = 0 ] && [ ! -s "$T/err" ] && [ "$(ours "$T/out" | wc -l)" = 6 ]
}

@test "perf-map: processes that ran code without a name, and have no file, are said" {
	mkdir "$T/maps"
	for c in "0 1:2" "1:1" ":0"; do
		printf '70000000 40 good\n' | tee "$T/maps/perf-$PID.map" >"$T/maps/perf-$((PID + 1)).map"
		for p in ${c%:*}; do
			rm "$T/maps/perf-$((PID + p)).map"
		done
		{
			sample 1000 0x70000010
			echo "MMAP2 misc=2 pid=CHILD tid=CHILD start=0x70000000 len=0x10000 prot=5 flags=2 filename=//anon @ pid=CHILD tid=CHILD time=1100"
			sample 1200 0x70000010 CHILD
			echo "EXIT pid=PID ppid=1 tid=PID ptid=1 @ pid=PID tid=PID time=1300"
			sample 1400 0x400010 CHILD
		} | stream
		try pinject -v --perf-map="$T/maps" --buildid-dir "$T/syms" "$T/in"
		grep -q "^pinject: perf-PID.map: .*; no file found for ${c#*:} processes with samples in code of no file$" "$T/err" || failed "$c: $(cat "$T/err")"
		[ ${c#*:} = 2 ] && warns="warning: no perf-PID.map found for 2 processes with samples in code of no file, such as pid $PID" || warns=
		try pinject --perf-map="$T/maps" --buildid-dir "$T/syms" "$T/in"
		[ $rc = 0 ] && { [ -n "$warns" ] && one_line "pinject: $warns" || [ ! -s "$T/err" ]; } || failed "$c: $rc $(cat "$T/err")"
	done
	# one without a line for the address has a file
	printf '80000000 40 other\n' | tee "$T/maps/perf-$PID.map" >"$T/maps/perf-$((PID + 1)).map"
	try pinject --perf-map="$T/maps" --buildid-dir "$T/syms" "$T/in"
	[ $rc = 0 ] && [ ! -s "$T/err" ] || failed "a name is missing: $(cat "$T/err")"
	: | tee "$T/maps/perf-$PID.map" >"$T/maps/perf-$((PID + 1)).map"
	try pinject --perf-map="$T/maps" --buildid-dir "$T/syms" "$T/in"
	[ $rc = 0 ] && [ ! -s "$T/err" ] || failed "an empty file: $(cat "$T/err")"
	# one that ends before its samples, and one of its number behind it
	rm "$T/maps/"*
	{
		sample 1000 0x70000010
		echo "EXIT pid=PID ppid=1 tid=PID ptid=1 @ pid=PID tid=PID time=1100"
		echo "FORK pid=PID ppid=1 tid=PID ptid=1 @ pid=1 tid=1 time=1200"
		echo "MMAP2 misc=2 pid=PID tid=PID start=0x70000000 len=0x10000 prot=5 flags=2 filename=//anon @ pid=PID tid=PID time=1300"
		sample 1400 0x70000010
		sample 1500 0x70000010
	} | stream
	try pinject --perf-map="$T/maps" --buildid-dir "$T/syms" "$T/in"
	[ $rc = 0 ] && one_line "pinject: warning: no perf-PID.map found for 2 processes with samples" || failed "two of one number: $(cat "$T/err")"
	done_all
}

@test "perf-map: with --jit, a process with a jitdump is left to that" {
	need perf
	stream <<-END
		MMAP2 misc=2 pid=PID tid=PID start=0x900000 len=0x1000 prot=5 flags=2 filename=$T/jit-PID.dump @ pid=PID tid=PID time=100
		$(sample 1000 0x70000010)
		$(sample 1001 0x70000110)
	END
	sed -i 's/mmap2 ids=7/mmap2|use_clockid clockid=1 ids=7/' "$T/recipe.txt"
	mkpipe "$T/recipe.txt" >"$T/in"
	printf 'head pid=%d\nload time=500 pid=%d tid=%d addr=0x70000000 size=64 name=dumped\n' $PID $PID $PID | ./mkjitdump >"$T/jit-$PID.dump"
	inject <<<"70000000 10000 mapped"
	[ "$(shown)" = "mapped,mapped" ] || { shown; false; }
	inject -j <<<"70000000 10000 mapped"
	[ $rc = 0 ] && [ "$(shown)" = "dumped,[unknown]" ] || { shown; false; }
	# a sample in front of the jitdump has asked for a file
	{ sed '/time=100$/,$d' "$T/recipe.txt"; sample 50 0x70000010 $PID; sed -n '/time=100$/,$p' "$T/recipe.txt"; } >"$T/early.txt"
	mkpipe "$T/early.txt" >"$T/in"
	rm "$T/maps/perf-$PID.map"
	try pinject --perf-map="$T/maps" --buildid-dir "$T/syms" "$T/in"
	one_line "pinject: warning: no perf-PID.map found for 1 processes"
	try pinject -j --perf-map="$T/maps" --buildid-dir "$T/syms" "$T/in"
	[ $rc = 0 ] && [ ! -s "$T/err" ]
}

@test "perf-map: lines that are none are left out, with one message and status 1" {
	need perf
	sample 1000 0x70000010 | stream
	check() {
		inject < <(printf "$1")
		[ $rc = 1 ] && one_line "pinject: perf-$PID.map: $2" || failed "$1"
		ours -v "$T/out" | cmp - "$T/in" || failed "$1: the stream"
		[ "$(shown)" = "$3" ] || failed "$1: $(shown)"
	}
	good='70000000 40 good\n'
	check "${good}70000000 40\n" "1 lines are not" good
	check "${good}xyz\n7000000g 1 a\n" "2 lines are not" good
	check "${good}-70000000 1 a\n$good" "1 lines are not" good
	check "${good}70000000  1 a\n" "1 lines are not" good
	check "${good}70000000 11111111111111111 a\n" "1 lines are not" good
	check "${good}fffffffffffffff0 11 a\n" "1 lines are not" good
	check "${good}70000000 40 a\\0b\n" "1 lines are not" good
	check "$good$(printf '70000000 40 %04096d' 0)\n" "1 lines are not" good
	# a name of 4,000 bytes is one; control characters are not written
	inject < <(printf "70000000 40 a\\033[7m\\tb\n")
	[ $rc = 0 ] && [ "$(shown)" = 'a?[7m?b' ] || failed "control: $(shown)"
	inject </dev/null
	[ $rc = 0 ] && cmp "$T/in" "$T/out" || failed empty
	done_all
}

@test "perf-map: more than 64 MiB, or than two million lines: the rest is left out" {
	sample 1000 0x70000010 | stream
	inject < <(echo "70000000 40 good"; awk 'BEGIN { for (i = 0; i < 2200000; i++) print "1 1 a" }')
	[ $rc = 1 ] && one_line "pinject: perf-$PID.map: is longer than" && [ "$(ours "$T/out" | wc -l)" = 1 ] || failed lines
	inject < <(echo "70000000 40 good"; head -c 70M /dev/zero | tr '\0' x)
	[ $rc = 1 ] && one_line "pinject: perf-$PID.map: is longer than" && [ "$(ours "$T/out" | wc -l)" = 1 ] || failed bytes
	done_all
}

@test "perf-map: a directory that cannot be written ends images, not the stream" {
	[ "$(id -u)" != 0 ] || [ -e /dev/full ] || skip "nothing fails here"
	{ sample 1000 0x70000010; sample 2000 0x7f1000000000; } | stream
	mkdir "$T/syms"
	touch "$T/syms/.build-id"
	inject <<<"70000000 40 first"$'\n'"7f1000000000 40 second"
	[ $rc = 1 ] && one_line "pinject: $T/syms/.build-id/" && cmp "$T/in" "$T/out"
}

@test "perf-map: a file that is there and cannot be used is named with the reason, and --strict makes it status 1" {
	sample 1000 0x70000010 | stream
	map=$T/maps/perf-$PID.map
	mkdir "$T/maps"
	# refused REASON: it is, and the stream is as it was
	refused() {
		for strict in "" --strict; do
			try ${AS-} pinject $strict --perf-map="$T/maps" --buildid-dir "$T/syms" "$T/in"
			[ "$rc$strict" = 0 ] || [ "$rc$strict" = 1--strict ] || failed "$1: status $rc $strict"
			one_line "pinject: warning: 'perf-$PID.map' is not used: $1" && cmp "$T/in" "$T/out" || failed "$1: $(cat "$T/err")"
		done
	}
	echo "70000000 40 linked" >"$T/elsewhere"
	ln -s "$T/elsewhere" "$map"
	refused "a symbolic link, which is not followed"
	rm "$map"
	mkdir "$map"
	refused "not a regular file"
	rmdir "$map"
	echo "70000000 40 own" >"$map"
	AS="with_fault pread:1+:EIO" refused "Input/output error"
	# no descriptor is left for it
	named=
	for n in {5..14}; do
		try sh -c 'ulimit -n $1; shift; exec "$@"' sh $n pinject --strict --perf-map="$T/maps" --buildid-dir "$T/syms" "$T/in"
		[ $rc != 127 ] || continue		# not even its libraries can be opened
		[ $rc = 0 ] && [ "$(ours "$T/out" | wc -l)" = 1 ] || { [ $rc = 1 ] && ! grep -vE "Too many open files(; --no-sandbox does without)?$" "$T/err"; } ||
		    failed "$n descriptors: $rc $(cat "$T/err")"
		! grep -q "perf-$PID.map' is not used: Too many open files$" "$T/err" || named=yes
	done
	[ "$named" ] || failed "no number of descriptors for which the file is named"
	# there is none
	rm "$map"
	try pinject --strict --perf-map="$T/maps" --buildid-dir "$T/syms" "$T/in"
	[ $rc = 0 ] && one_line "pinject: warning: no perf-PID.map found for 1 processes with samples in code of no file, such as pid $PID" || failed "none: $(cat "$T/err")"
	done_all
}

@test "perf-map: that of another user is taken with --allow foreign-maps only, and so is one that we may not read" {
	need perf
	[ "$(id -u)" = 0 ] || skip "files of other users are made by root"
	sample 1000 0x70000010 | stream
	inject <<<"70000000 40 service"
	[ "$(shown)" = service ] || failed "our own"
	chown 12345 "$T/maps/perf-$PID.map"
	for strict in "" --strict; do
		try pinject $strict --perf-map="$T/maps" --buildid-dir "$T/syms" "$T/in"
		[ "$rc$strict" = 0 ] || [ "$rc$strict" = 1--strict ] || failed "status $rc $strict"
		one_line "pinject: warning: 'perf-$PID.map' is not used: belongs to another user: --allow foreign-maps takes it" &&
		    cmp "$T/in" "$T/out" || failed "$(cat "$T/err")"
	done
	try pinject --strict --allow foreign-maps --perf-map="$T/maps" --buildid-dir "$T/syms" "$T/in"
	[ $rc = 0 ] && [ ! -s "$T/err" ] && [ "$(shown)" = service ] || failed "allowed: $(cat "$T/err")"
	# as nobody, in a directory of its own
	chmod 600 "$T/maps/perf-$PID.map"
	chmod 755 "$BATS_FILE_TMPDIR" "$T" "$T/maps"
	install -d -o 65534 "$T/nobody"
	setpriv --reuid 65534 --clear-groups test -r "$T/in" || skip "nobody cannot read the files of the tests"
	setpriv --reuid 65534 --clear-groups pinject --perf-map="$T/maps" --buildid-dir "$T/nobody/syms" --allow foreign-maps "$T/in" 2>"$T/err" |
	    cmp - "$T/in" || failed "nobody"
	one_line "pinject: warning: 'perf-$PID.map' is not used: permission denied" || failed "nobody: $(cat "$T/err")"
	done_all
}

@test "perf-map: of many that cannot be used five are named, and -v names all" {
	mkdir "$T/maps"
	for ((i = 0; i < 9; i++)); do
		p=$((PID + i))
		mkdir "$T/maps/perf-$p.map"
		echo "MMAP2 misc=2 pid=$p tid=$p start=0x70000000 len=0x10000 prot=5 flags=2 filename=//anon @ pid=$p tid=$p time=1${i}10"
		sample 1${i}20 0x70000010 $p
	done | stream
	try pinject --perf-map="$T/maps" --buildid-dir "$T/syms" "$T/in"
	[ $rc = 0 ] && [ "$(grep -c "is not used: not a regular file" "$T/err")" = 5 ] &&
	    grep -q "^pinject: warning: 4 more perf-PID.map files are not used; -v names them$" "$T/err" || failed five
	try pinject -v --perf-map="$T/maps" --buildid-dir "$T/syms" "$T/in"
	[ "$(grep -c "is not used: not a regular file" "$T/err")" = 9 ] && ! grep -q " more " "$T/err" || failed nine
	done_all
}

@test "perf-map: a file that is written anew is read anew" {
	need perf
	{ sample 1000 0x70000010; echo FINISHED_ROUND; echo FINISHED_ROUND; } | stream
	cp "$T/in" "$T/first"
	{ sample 1000 0x70000010; echo FINISHED_ROUND; echo FINISHED_ROUND
	  sample 2000 0x70000010; sample 2001 0x70000110; echo FINISHED_ROUND; } | stream
	mkdir "$T/maps"
	printf '70000000 40 first\n70000040 40 gone\n' >"$T/maps/perf-$PID.map"
	mkfifo "$T/fifo"
	pinject --perf-map="$T/maps" --buildid-dir "$T/syms" <"$T/fifo" >"$T/out" 8>&- &
	exec 8>"$T/fifo"
	cat "$T/first" >&8
	await came "$T/first"
	# longer than before, with other lines where the old ones were
	printf '70000000 20 again\n70000020 60 between\n70000100 40 beyond\n' >"$T/maps/perf-$PID.map"
	tail -c +$(($(stat -c %s "$T/first") + 1)) "$T/in" >&8
	exec 8>&-
	wait $!
	[ "$(shown)" = "first,again,beyond" ] || { shown; false; }
}

@test "perf-map: code in the place of other code has its name from the round on in which its line is read" {
	need perf
	samples() { sample ${1}000 0x70000010; sample ${1}001 0x70000050; echo FINISHED_ROUND; }
	{ samples 1; echo FINISHED_ROUND; samples 2; } | stream
	cp "$T/in" "$T/first"
	{ samples 1; echo FINISHED_ROUND; samples 2; echo FINISHED_ROUND; } | stream
	cp "$T/in" "$T/second"
	{ samples 1; echo FINISHED_ROUND; samples 2; echo FINISHED_ROUND; samples 3; } | stream
	mkdir "$T/maps"
	echo "70000000 40 old" >"$T/maps/perf-$PID.map"
	mkfifo "$T/fifo"
	pinject --perf-map="$T/maps" --buildid-dir "$T/syms" <"$T/fifo" >"$T/out" 8>&- &
	exec 8>"$T/fifo"
	cat "$T/first" >&8
	await grown "$T/out" "$(stat -c %s "$T/first")"
	# They are read because 0x70000050 has no name, in the round that delivers the second samples, which are older than these lines.
	printf '70000040 40 fresh\n70000000 40 new\n' >>"$T/maps/perf-$PID.map"
	tail -c +$(($(stat -c %s "$T/first") + 1)) "$T/second" >&8
	await grown "$T/out" "$(stat -c %s "$T/second")"
	tail -c +$(($(stat -c %s "$T/second") + 1)) "$T/in" >&8
	exec 8>&-
	wait $!
	[ "$(shown)" = "old,[unknown],old,fresh,new,fresh" ] || { shown; false; }
}

@test "perf-map: images that anonymous memory hides again and again are put over it again, or become one" {
	need perf
	for rounds in 5 $((ALL ? 150 : 70)); do
		rm -rf "$T/maps" "$T/syms" "$T/fifo"
		stream </dev/null
		cp "$T/in" "$T/begin"
		mkdir "$T/maps"
		mkfifo "$T/fifo"
		pinject --perf-map="$T/maps" --buildid-dir "$T/syms" <"$T/fifo" >"$T/out" 8>&- &
		exec 8>"$T/fifo"
		tee "$T/sent" <"$T/begin" >&8
		size=$(stat -c %s "$T/in")
		for ((i = 0; i < rounds; i++)); do
			# as a compiler does that makes its memory writable and executable by turns
			printf '%x 10 f%d\n' $((0x70000000 + i * 16)) $i >>"$T/maps/perf-$PID.map"
			{
				echo "MMAP2 misc=2 pid=PID tid=PID start=0x70000000 len=0x10000 prot=5 flags=2 filename=//anon @ pid=PID tid=PID time=$((1000 + i * 10))"
				sample $((1002 + i * 10)) $((0x70000000 + i * 16))
				sample $((1003 + i * 10)) $((0x70000000 + i / 2 * 16))
				echo FINISHED_ROUND
				echo FINISHED_ROUND
			} | stream
			tail -c +$((size + 1)) "$T/in" | tee -a "$T/sent" >&8
			await came "$T/sent"
		done
		exec 8>&-
		wait $!
		shown | tr , '\n' >"$T/shown"
		diff "$T/shown" <(for ((i = 0; i < rounds; i++)); do echo f$i; echo f$((i / 2)); done) || failed "$rounds: names"
		[ "$(find "$T/syms" -name elf | wc -l)" -le $rounds ] || failed "$rounds: $(find "$T/syms" -name elf | wc -l) images"
		[ "$(ours "$T/out" | wc -l)" -le $((rounds * 66)) ] || failed "$rounds: $(ours "$T/out" | wc -l) maps"
	done
	done_all
}
