# SPDX-License-Identifier: ISC
# Messages, word for word.  make golden T=12-golden makes them anew.
load lib

@test "golden: a cut record"		{ golden cut sh -c 'mkpipe data/ordered.txt | head -c 1090 | pcat >/dev/null'; }
@test "golden: a cut record header"	{ golden cut-header sh -c 'mkpipe data/ordered.txt | head -c 1009 | psort >/dev/null'; }
@test "golden: a missing file"		{ golden missing pfilter data/nosuch; }
@test "golden: not a recording"		{ golden not-perf sh -c 'pstat data/README'; }
@test "golden: zstd garbage"		{ golden zstd sh -c 'mkpipe data/bad-zstd-garbage.txt | pcat >/dev/null'; }
@test "golden: a second pipe header"	{ golden second-header sh -c 'mkpipe data/bad-second-header.txt | pcat >/dev/null'; }
@test "golden: an unknown id"		{ golden unknown-id sh -c 'mkpipe data/bad-unknown-id.txt | psort >/dev/null'; }
@test "golden: a full disk"		{ golden full sh -c 'mkpipe data/ordered.txt | pfilter >/dev/full'; }
@test "golden: a name that speaks to the terminal" { golden escape sh -c 'pcat -i "$(printf "data/no\033[31msuch")"'; }
@test "golden: disorder"		{ golden disorder sh -c 'mkpipe data/rounds.txt | psort -c'; }
