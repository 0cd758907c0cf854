# SPDX-License-Identifier: ISC
# What the tests of pinject --jit share.  Sourced by 33-pinject-jit*.bats (behind lib.bash).

PID=9999991		# no process has it
ATTR="attr type=1 config=0 period=1 sample_type=IP|TID|TIME flags=sample_id_all|mmap|comm|task|mmap2|use_clockid clockid=1"

# stream: mkpipe from standard input behind the attr, in $T/in; DUMP, PID, MAP and ANON (an area of 64 KiB at 0x10000) stand
# for what they are.
stream() {
	{ echo "$ATTR"; cat; } | sed "
		s,^MAP,MMAP2 misc=2 pid=PID tid=PID start=0x900000 len=0x1000 prot=5 flags=2 filename=DUMP,
		s,^ANON,MMAP2 misc=2 pid=PID tid=PID start=0x10000 len=0x10000 prot=7 flags=0x22 filename=//anon,
		s,DUMP,$T/jit-$PID.dump,; s,PID,$PID,g" >"$T/recipe.txt"
	mkpipe "$@" "$T/recipe.txt" >"$T/in"
}
# dump: mkjitdump from standard input, in $T/jit-PID.dump
dump() {
	sed "s,PID,$PID,g" | ./mkjitdump "$@" >"$T/jit-$PID.dump"
}
jit() {
	pinject -j --buildid-dir "$T/syms" "$@"
}
# ours [-v] <stream: the MMAP2s of jitted code, one a line: number of rounds before, pid, time, start, length, pgoff, name, id
# (0, if it is no file); -v: the stream without them.
ours() {
	perl -e '
		binmode STDIN; binmode STDOUT; local $/; my $d = <STDIN>; my ($o, $rounds) = (16, 0);
		my $v = @ARGV && $ARGV[0] eq "-v"; my $dir = $ARGV[-1];
		my ($u4, $u2, $u8) = $d =~ /^PERFILE2/ ? ("V", "v", "Q<") : ("N", "n", "Q>");
		print substr($d, 0, 16) if $v;
		while ($o + 8 <= length $d) {
			my ($t, $m, $s) = unpack "$u4$u2$u2", substr($d, $o, 8);
			die "size $s at $o" if $s < 8;
			my $pay = $t == 66 ? unpack($u4, substr $d, $o + 8, 4) : 0;
			my $r = substr $d, $o, $s;
			$rounds++ if $t == 68;
			if ($t == 10 && $m & 0x4000 && (my $name = unpack "Z*", substr $r, 72) =~ /^jitted-\d+-\d+\.so$/) {
				my $id = unpack "H40", substr $r, 44, 20;
				(my $file = "$dir/.build-id/$id/elf") =~ s,/(..)([^/]*)/elf$,/$1/$2/elf,;
				printf "%d %d %d 0x%x %d 0x%x %s %s\n", $rounds, unpack($u4, substr $r, 8, 4),
				    unpack($u8, substr $r, -8), unpack("$u8$u8$u8", substr $r, 16, 24), $name, -f $file ? $file : 0 if !$v;
			} elsif ($v) { print substr $d, $o, $s + $pay }
			$o += $s + $pay;
		}' -- "$@" "$T/syms"
}
# shown <stream: the same with the symbol of the file at that place instead of pgoff, name and id
shown() {
	ours | while read -r rounds pid time start len pgoff name file; do
		echo "$rounds $pid $time $start $len $(readelf -sW "$file" | perl -ane '
			print $F[7] if @F > 7 && $F[3] eq "FUNC" && hex $F[1] <= '$((pgoff))' && '$((pgoff))' < hex($F[1]) + $F[2]')"
	done
}
# late <stream: the number of late records
late() {
	psort --stats 2>&1 >/dev/null | sed -n 's/.* late: \([0-9]*\),.*/\1/p'
}
# Nothing that is new is late, and without it the stream is the input.
laws() {
	ours -v <"$T/out" | cmp - "$T/in" || return 1
	late <"$T/in" >"$T/late.in"
	late <"$T/out" | cmp - "$T/late.in" && [ -s "$T/late.in" ] || return 1
	jit <"$T/out" 2>/dev/null | cmp - "$T/out"
}
# report [option of perf...] -- FILE: the functions of the maker and their percentages
report() {
	local file=${@: -1}
	perf "${@:1:$(($# - 2))}" report --stdio --no-children -s sym -i "$file" 2>/dev/null | sed -n 's/ *$//; /\(made\|child\)_/p' | sort
}
# made [option of the maker...]: record it now, in $T/in.data; its stream in $T/in
made() {
	need record
	need native
	mkdir -p "$T/dumps"
	perf record -q --no-bpf-event -k mono -e cpu-clock -F 4000 -o "$T/in.data" -- "$O/jit" "$@" "$T/dumps" >/dev/null 2>"$T/err" ||
	    skip "perf record -k mono does not work here"
	pcat "$T/in.data" >"$T/in"
}
