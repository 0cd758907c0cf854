# SPDX-License-Identifier: ISC
# ns.pl PERF ARGUMENT...: perf script --ns of a 32-bit machine, with the times that the recording has.  There perf 7.2 multiplies seconds by
# 10^9 in 32 bits before it takes them from the time, and so prints some multiple of 2^32 too much behind the point, which are more than nine
# digits then.  What another perf prints stays as it is.
use strict;
use warnings;
open my $perf, "-|", @ARGV or die "$ARGV[0]: $!\n";
while (<$perf>) {
	s{\b(\d+)\.(\d{10,})(?=:)}{
		my $time = $2 + ($1 * 1000000000 & 0xffffffff);
		my $ns = $time % 1000000000;
		sprintf "%u.%09u", ($time - $ns) / 1000000000, $ns;
	}e;
	print;
}
close $perf;
kill $? & 127, $$ if $? & 127;
exit $? >> 8;
