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
