# SPDX-License-Identifier: ISC
# What the tests of pinject share.  It reads streams with perl, not with what is tested.

# records [-v] TYPE <stream: those of that number, one per line: byte offset, misc, 20 id bytes, their number, name.
# -v: the stream without them.
records() {
	perl -e '
		binmode STDIN; binmode STDOUT; local $/; my $d = <STDIN>;
		my $v = $ARGV[0] eq "-v" && shift; my $want = shift; my $o = 16;
		my ($u4, $u2, $u8) = $d =~ /^PERFILE2/ ? ("V", "v", "Q<") : ("N", "n", "Q>");
		print substr($d, 0, 16) if $v;
		while ($o + 8 <= length $d) {
			my ($t, $m, $s) = unpack "$u4$u2$u2", substr($d, $o, 8);
			die "size $s at $o" if $s < 8;
			my $pay = $t == 66 ? unpack($u4, substr $d, $o + 8, 4) : $t == 71 ? unpack($u8, substr $d, $o + 8, 8) : 0;
			my $r = substr $d, $o, $s;
			if ($t != $want) { print substr $d, $o, $s + $pay if $v }
			elsif (!$v) {
				printf "%d 0x%x %s %d %s\n", $o, $m, unpack("H40", substr $r, 12, 20),
				    $s > 32 ? ord substr $r, 32, 1 : 0, $s > 36 ? unpack "Z*", substr $r, 36 : "";
			}
			$o += $s + $pay;
		}' -- "$@"
}

SLEEP=$(readlink -f "$(command -v sleep)")
id_of() {
	readelf -n "$1" 2>/dev/null | sed -n 's/.*Build ID: //p'
}
# prog FILE WORD: a sleep(1) with a build-id of its own.
prog() {
	cp "$SLEEP" "$1"
	brand "$1" "$2"
}
# brand FILE WORD: change its build-id, in place.
brand() {
	perl -e '
		my ($file, $old, $new) = @ARGV;
		open my $f, "+<:raw", $file or die; local $/; my $d = <$f>;
		my $at = index $d, pack "H*", $old; die if $at < 0;
		seek $f, $at, 0; print $f pack "H*", $new; close $f or die' "$1" "$(id_of "$1")" "$(printf %s "$2" | sha1sum | cut -c 1-40)"
}
# Now by CLOCK_MONOTONIC, ns.
mono() {
	perl -MTime::HiRes=clock_gettime,CLOCK_MONOTONIC -e 'printf "%d\n", 1e9 * clock_gettime(CLOCK_MONOTONIC)'
}
