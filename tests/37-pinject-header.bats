# SPDX-License-Identifier: ISC
# pinject: header features are set, removed, taken from another recording; the map of the kernel is made.
load lib

# list FILE: each record of a stream: type, size, of a feature its number, offset.
list() {
	perl -e '
		binmode STDIN; local $/; my $d = <STDIN>; my $o = 16;
		my ($u4, $u2, $q) = $d =~ /^PERFILE2/ ? ("V", "v", "Q<") : ("N", "n", "Q>");
		while ($o + 8 <= length $d) {
			my ($t, $m, $s) = unpack "$u4$u2$u2", substr($d, $o, 8);
			die "size $s at $o" if $s < 8;
			printf "%d %d %s %d\n", $t, $s, $t == 80 ? unpack($q, substr $d, $o + 8, 8) : "-", $o;
			$o += $s + ($t == 66 ? unpack($u4, substr $d, $o + 8, 4) : 0);
		}' <"$1"
}
# shows FILE TEXT: is that in it?
shows() {
	cat "$1" >"$T/shown"
	cat >"$T/wanted" <<<"$2"
	clocks "$T/shown" "$T/wanted"
	grep -qF -- "$(cat "$T/wanted")" "$T/shown"
}
# rest FILE: the stream without features.
rest() {
	perl -e '
		binmode STDIN; binmode STDOUT; local $/; my $d = <STDIN>; my $o = 16;
		my ($u4, $u2) = $d =~ /^PERFILE2/ ? ("V", "v") : ("N", "n");
		print substr $d, 0, 16;
		while ($o + 8 <= length $d) {
			my ($t, $m, $s) = unpack "$u4$u2$u2", substr($d, $o, 8);
			my $n = $s + ($t == 66 ? unpack($u4, substr $d, $o + 8, 4) : 0);
			print substr $d, $o, $n if $t != 80;
			$o += $n;
		}
		print substr $d, $o if $o < length $d' <"$1"
}
# payload FILE NUMBER: of that feature, in hex.
payload() {
	list "$1" | awk -v n="$2" '$1 == 80 && $3 == n { print $4 + 17, $2 - 16 }' | while read -r at n; do
		tail -c +"$at" "$1" | head -c "$n" | od -An -v -tx1 | tr -d ' \n'
		echo
	done
}
numbers() {
	list "$1" | awk '$1 == 80 { printf "%s ", $3 }'
}
header() {
	perf report --header-only -I -i - <"$1" 2>"$T/perf.err"
}

# A value of each feature that has a form as text, and what perf prints of it; the last column is the first perf that knows it.
ROWS='HOSTNAME;box;# hostname : box;
OSRELEASE;6.99-test;# os release : 6.99-test;
VERSION;7.9;# perf version : 7.9;
ARCH;x86_64;# arch : x86_64;
NRCPUS;8,6;# nrcpus avail : 8;
CPUDESC;Z80 : fast;# cpudesc : Z80 : fast;
CPUID;zilog,1;# cpuid : zilog,1;
TOTAL_MEM;12345 kB;# total memory : 12345 kB;
CMDLINE;/bin/perf record -a -- sleep 1;# cmdline : /bin/perf record -a -- sleep 1 ;
CPU_TOPOLOGY;0-1\nsibling threads : 0\nsibling threads : 1\nCPU 0 : core 5, socket 0\nCPU 1 : core 6, socket 0;# CPU 1: Core ID 6, Socket ID 0;
NUMA_TOPOLOGY;node 0 : total 100 kB, free 50 kB, CPUs 0-1;# node0 meminfo  : total = 100 kB, free = 50 kB;
PMU_MAPPINGS;4 = cpu, 1 = software;# pmu mappings: cpu = 4, software = 1;
GROUP_DESC;mine, led by event 0, 2 members;# group: mine{cpu-clock,task-clock};
SAMPLE_TIME;1.5,2.25;# time of last sample : 2.250000;
MEM_TOPOLOGY;0x8000000\nmemory node 0 : 65 blocks: 0-2,63-64;#    0 [640M]: 0-2,63-64;
CLOCKID;1 ns;# clockid frequency: 1000 MHz;
CPU_PMU_CAPS;branches=32, x=y;# cpu pmu capabilities: branches=32, x=y;
CLOCK_DATA;clockid 1, wall clock 1700000000.000000001 s at 2.000000003 s;# reference time: 2023-11-14 22:13:20.000000 = 1700000000.000000 (TOD) = 2.000000003 (monotonic);
PMU_CAPS;pmu capabilities : a=1, b=2 of cpu_core;# cpu_core pmu capabilities: a=1, b=2;
CPU_DOMAIN_INFO;17, at most 1 domains\nCPU 0 domains : 1\n  domain 0, SMT, mask 3, CPUs 0-1\nCPU 1 domains : 0;# Domain cpu list  : 0-1;7.0
E_MACHINE;62,0x10;# e_machine : 62;7.0
CLN_SIZE;64;# cacheline size: 64;7.0'
set_all() {
	while IFS=';' read -r name value want since; do
		"$@" "$name" "$(printf '%b' "$value")" "$want" "$since"
	done <<<"$ROWS"
}

@test "header: each feature with a form as text is set, and perf reads it back" {
	need perf
	# a topology of two CPUs, where there is nothing of CPUs
	pinject --no-features NRCPUS data/multi.pipe.data >"$T/bare"
	try_row() {
		local in=data/multi.pipe.data also=()
		[ "$1" != NRCPUS ] || in=$T/bare
		[[ $1 != CPU_* ]] || also=(--set-feature NRCPUS=2,2)
		try pinject "${also[@]}" --set-feature "$1=$2" "$in"
		[ $rc = 0 ] || failed "$1"
		cp "$T/out" "$T/set"
		cmp <(rest "$T/set") <(rest "$in") || failed "$1: other records"
		[ "$(numbers "$T/set")" = "$(numbers "$T/set" | tr ' ' '\n' | sort -n | uniq | tr -s '\n' ' ' | sed 's/^ //')" ] || failed "$1: order $(numbers "$T/set")"
		pinject "${also[@]}" --set-feature "$1=$2" "$T/set" 2>&1 | cmp - "$T/set" || failed "$1: twice is not once"
		[ -z "$4" ] || perf_since "$4" || return 0
		header "$T/set" >"$T/header"
		shows "$T/header" "$3" || failed "$1: $(diff <(header "$in") "$T/header")"
		! turn 7 || perf report -i - <"$T/set" >/dev/null 2>"$T/report.err" || failed "$1: $(tail -n 2 "$T/report.err")"
	}
	set_all try_row
	done_all
}

@test "header: each row of feature.def that can be text is tested" {
	# BOTH: in a stream; without attrs and bytes; COMPRESSED is refused
	perl -0pe 's{/\*.*?\*/}{}gs; s/\n\s+/ /g' ../common/record/feature.def | grep BOTH |
	    grep -vE 'ATTR\(|INFO\(|BYTES\(|COMPRESSED' | sed 's/^FEAT([ 0-9]*, \([A-Z_0-9]*\),.*/\1/' >"$T/rows"
	[ "$(wc -l <"$T/rows")" -gt 20 ]
	cut -d';' -f1 <<<"$ROWS" | diff "$T/rows" -
}

@test "header: a recording without features gets them behind its ATTRs, with an end mark" {
	need perf
	try_row() {
		local also=()
		[[ $1 != CPU_* ]] || also=(--set-feature NRCPUS=2,2)
		try pinject "${also[@]}" --set-feature "$1=$2" data/stat.pipe.data
		[ $rc = 0 ] && [ ! -s "$T/err" ] || failed "$1"
		cp "$T/out" "$T/set"
		cmp <(rest "$T/set") data/stat.pipe.data || failed "$1: other records"
		list "$T/set" | awk '{ print $1 }' | uniq | head -n 3 | tr '\n' ' ' | grep -qx '64 78 80 ' || failed "$1: place"
		list "$T/set" | awk '$1 == 80 && $2 == 16' | wc -l | grep -qx 1 || failed "$1: marks"
		[ -z "$4" ] || perf_since "$4" || return 0
		[ "$1" = GROUP_DESC ] || shows <(header "$T/set") "$3" || failed "$1: $(header "$T/set")"
	}
	set_all try_row
	done_all
}

@test "header: in the other byte order, features are written so" {
	need perf
	in=data/s390x_basic.pipe.data
	try_row() {
		# of two events; the container makes its own
		[ "$1" != GROUP_DESC ] && [ "$1" != SAMPLE_TIME ] || return 0
		local also=()
		[[ $1 != CPU_* ]] || also=(--set-feature NRCPUS=2,2)
		pinject --no-features CPU_TOPOLOGY "${also[@]}" --set-feature "$1=$2" $in >"$T/set" 2>/dev/null
		pinject --no-features CPU_TOPOLOGY "${also[@]}" --set-feature "$1=$2" data/k_mono.pipe.data >"$T/little" 2>/dev/null
		[ -z "$4" ] || perf_since "$4" || return 0
		# before 7.0, perf report reads no features of such a stream, but of a file
		pcat --format=file -f -o "$T/file" "$T/set"
		perf report --header-only -I -i "$T/file" >"$T/header" 2>"$T/perf.err"
		shows "$T/header" "$3" || failed "$1: $(cat "$T/header")"
		# words, and the lengths of strings, have turned
		n=$(pinject --set-feature "$1=$2" data/stat.pipe.data 2>/dev/null >"$T/one"; numbers "$T/one" | cut -d' ' -f1)
		[[ $1 == CPU_* ]] || [ "$(payload "$T/set" "$n")" != "$(payload "$T/little" "$n")" ] || failed "$1: byte order"
	}
	set_all try_row
	done_all
}

@test "header: other recordings: only features change, and twice is once" {
	for in in $(ls data/*.data | each 7); do
		pcat "$in" >"$T/in" 2>/dev/null || continue
		try pinject --set-feature HOSTNAME=box --set-feature CLOCKID='7 ns' "$T/in"
		[ $rc = 0 ] || failed "$in"
		cp "$T/out" "$T/once"
		cmp <(rest "$T/once") <(rest "$T/in") || failed "$in"
		# what is not named stays
		cmp <(pinject --no-features HOSTNAME,CLOCKID "$T/once") <(pinject --no-features HOSTNAME,CLOCKID "$T/in") ||
		    [ -z "$(numbers "$T/in")" ] || failed "$in: other features"
		try pinject --set-feature HOSTNAME=box --set-feature CLOCKID='7 ns' "$T/once"
		cmp "$T/out" "$T/once" || failed "$in: twice"
		try pinject --set-feature HOSTNAME=box --set-feature CLOCKID='7 ns' --format=file -f -o "$T/file" "$T/in"
		[ $rc = 0 ] && [ "$(pstat --json "$T/file" | sed -n 's/.*"hostname":"\([^"]*\)".*/\1/p')" = box ] || failed "$in: file"
		# from a perf.data, its features and ours
		[[ $(head -c 24 "$in" | tail -c 16 | od -An -tx1 | tr -d ' \n') != 6800000000000000* ]] ||
		    cmp <(pinject --set-feature HOSTNAME=box "$in" | rest /dev/stdin) <(pcat "$in" | rest /dev/stdin) || failed "$in: of a file"
	done
	done_all
}

@test "header: a perf.data has what was set" {
	need perf
	pinject --set-feature HOSTNAME=box --set-feature CLOCKID="1 ns" --no-features CPUDESC --format=file -o "$T/file" data/basic.pipe.data
	perf report --header-only -i "$T/file" >"$T/header"
	grep -qx '# hostname : box' "$T/header"
	grep -q '^# clockid frequency: 1000 MHz' "$T/header"
	! grep cpudesc "$T/header"
}

@test "header: payloads of files" {
	need perf
	need xxd
	in=data/basic.pipe.data
	payload $in 12 | xxd -r -p >"$T/desc"
	# EVENT_DESC again is the same
	pinject --set-feature "EVENT_DESC=@$T/desc" $in | cmp - $in
	pinject --no-features EVENT_DESC $in >"$T/bare"
	pinject --set-feature "EVENT_DESC=@$T/desc" "$T/bare" | cmp - $in
	# unknown to us
	printf 'abc' >"$T/abc"
	try pinject --set-feature "99=@$T/abc" $in
	[ $rc = 0 ]
	[ "$(payload "$T/out" 99)" = 616263 ]
	head -c 65519 /dev/zero >"$T/large"
	try pinject --set-feature "99=@$T/large" $in
	[ $rc = 0 ]
	list "$T/out" | grep -q '^80 65535 99 '
	head -c 65520 /dev/zero >"$T/large"
	try pinject --set-feature "99=@$T/large" $in
	[ $rc = 2 ]
	one_line "pinject: --set-feature 99: expected at most 65519 bytes, which is what a record holds"
	# not a payload of that feature
	try pinject --set-feature "EVENT_DESC=@$T/abc" $in
	[ $rc = 2 ]
	one_line "pinject: --set-feature EVENT_DESC: HEADER_FEATURE: EVENT_DESC: cut short, 3 of 4 bytes of nr"
	: >"$T/empty"
	try pinject --set-feature "HOSTNAME=@$T/empty" $in
	[ $rc = 2 ]
	one_line "pinject: --set-feature HOSTNAME: the file is empty"
	try pinject --set-feature "HOSTNAME=@$T/none" $in
	[ $rc = 2 ]
	one_line "pinject: --set-feature: $T/none: No such file or directory"
	# a word of the other byte order has no meaning: only the stream shows it
	printf '\0\0\0\10\0\0\0\6' >"$T/big"
	try pinject --set-feature "NRCPUS=@$T/big" --no-features CPU_TOPOLOGY data/s390x_basic.pipe.data
	[ $rc = 0 ]
	[ "$(payload "$T/out" 7)" = 0000000800000006 ]
	try pinject --set-feature "NRCPUS=@$T/big" --no-features CPU_TOPOLOGY $in
	[ $rc = 1 ] && one_line "pinject: $in: HEADER_FEATURE: NRCPUS: 134217728 CPUs"
}

@test "header: what cannot be of a feature is wrong usage, and what is expected is said" {
	wrong() {
		try pinject --set-feature "$1" data/basic.pipe.data
		[ $rc = 2 ] && [ ! -s "$T/out" ] && one_line "pinject: --set-feature $2" || failed "$1: $(cat "$T/err")"
	}
	wrong HOSTNAME "'HOSTNAME': expected NAME=VALUE or NAME=@FILE"
	wrong =x "'=x': expected NAME=VALUE or NAME=@FILE"
	wrong NOSUCH=x "'NOSUCH': not a header feature"
	wrong NRCPUS=many "NRCPUS: 'many': expected 'nrcpus avail : ' and a number"
	wrong NRCPUS=8 "NRCPUS: '': expected 'nrcpus online : ' and a number"
	wrong NRCPUS=6,8 "NRCPUS: HEADER_FEATURE: NRCPUS: 8 CPUs are online, of 6"
	wrong NRCPUS=99999999,8 "NRCPUS: HEADER_FEATURE: NRCPUS: 99999999 CPUs"
	wrong TOTAL_MEM='5 MB' "TOTAL_MEM: ' MB': expected ' kB'"
	wrong 'CLOCKID=-1 ns' "CLOCKID: '-1 ns': expected 'clockid resolution : ' and a number"
	wrong SAMPLE_TIME=now "SAMPLE_TIME: 'now': expected 'time of first sample : ' and seconds such as 12.345678901"
	wrong EVENT_DESC=cycles "EVENT_DESC: has no form as text, expected @FILE with its bytes"
	wrong 99=x "99: has no form as text, expected @FILE with its bytes"
	wrong E_MACHINE=62 "E_MACHINE: expected e_flags behind the machine, such as 62,0x0"
	wrong 'COMPRESSED=1, level 1, ratio 0, mmap_len 4096' "COMPRESSED: the records of the output are not compressed"
	for name in TRACING_DATA BUILD_ID AUXTRACE CACHE DIR_FORMAT STAT BRANCH_STACK HYBRID_TOPOLOGY; do
		wrong $name=x "$name: has no place in a stream, only in a perf.data"
	done
	wrong 'GROUP_DESC=a, led by event 0, 0 members' "GROUP_DESC: HEADER_FEATURE: GROUP_DESC: events 0 to"
	wrong "CMDLINE=$(seq -s ' ' 1000)" "CMDLINE: HEADER_FEATURE: CMDLINE: larger than 65519 bytes"
	done_all
}

@test "header: what does not go with the other features of the recording is refused" {
	refused() {
		local what=$1
		shift
		try pinject "$@"
		[ $rc = 1 ] && one_line "pinject: ${!#}: HEADER_FEATURE: $what" || failed "$*"
	}
	refused 'CPU_TOPOLOGY: is of 2 CPUs, but the new NRCPUS says 8; leave it out by --no-features' --set-feature NRCPUS=8,8 data/basic.pipe.data
	refused 'CPU_TOPOLOGY: NRCPUS is missing' --no-features NRCPUS --set-feature $'CPU_TOPOLOGY=0-1\nCPU 0 : core 0, socket 0' data/basic.pipe.data
	refused 'GROUP_DESC: events 0 to 1 are not a group of 1 events' --set-feature 'GROUP_DESC=a, led by event 0, 2 members' data/basic.pipe.data
	done_all
}

@test "header: a newer feature than that of the recorder gets a mark behind it" {
	local end=$(($(sed -n 's/^FEAT( *\([0-9]*\),.*/\1/p' ../common/record/feature.def | tail -n 1) + 1))
	for one in E_MACHINE=62,0 CLN_SIZE=64; do
		try pinject --set-feature $one data/basic.pipe.data
		[ $rc = 0 ] && one_line "pinject: warning: feature ${one%%=*} is newer than the perf of this recording" || failed $one
		[[ "$(numbers "$T/out")" == *" $end " ]] || failed "$one: $(numbers "$T/out")"
		! perf_since 7.0 || perf report -i - <"$T/out" >/dev/null 2>&1 || failed "$one: perf"
	done
	done_all
}

@test "header: --no-features removes, and no other record" {
	in=data/basic.pipe.data
	pinject --no-features hostname,HEADER_CPUID,31 $in >"$T/out"
	[ "$(numbers "$T/out")" = "$(numbers $in | sed 's/\b3 //; s/\b9 //; s/\b31 //')" ]
	cmp <(rest "$T/out") <(rest $in)
	try pinject --no-features NOSUCH $in
	[ $rc = 2 ]
	one_line "pinject: --no-features 'NOSUCH': not a header feature"
	# what is set comes after it
	pinject --no-features HOSTNAME --set-feature HOSTNAME=x $in | cmp - <(pinject --set-feature HOSTNAME=x $in)
}

@test "header: --features-from adds what is absent, and of the machine only" {
	need perf
	from=data/multi.pipe.data
	try pinject --features-from $from data/stat.pipe.data
	[ $rc = 0 ]
	[ ! -s "$T/err" ]
	[ "$(numbers "$T/out")" = "3 4 5 6 7 8 9 10 13 14 16 22 31 32 " ]
	cmp <(rest "$T/out") data/stat.pipe.data
	for n in 3 4 5 6 7 8 9 10 13 14 16 22 31; do
		[ "$(payload "$T/out" $n)" = "$(payload $from $n)" ] || failed $n
	done
	header "$T/out" | grep -v '^# [a-z]*ed on\|cmdline\|# event\|sample\|bpf\|btf' >"$T/got"
	header $from | grep -v '^# [a-z]*ed on\|cmdline\|# event\|sample\|bpf\|btf' | diff - "$T/got"
	# what is there stays
	pinject --features-from $from data/stat.pipe.data >"$T/once"
	pinject --features-from $from "$T/once" | cmp - "$T/once"
	pinject --no-features HOSTNAME --set-feature CPUID=mine --features-from $from data/k_mono.pipe.data >"$T/out"
	[ "$(payload "$T/out" 3)" = "$(payload $from 3)" ]
	[ "$(payload "$T/out" 9)" != "$(payload $from 9)" ]
	# what the perf of the recording does not know is not taken
	pinject --no-features HOSTNAME,ARCH,NRCPUS --features-from data/p72_basic.pipe.data data/basic.pipe.data >"$T/out"
	[[ "$(numbers "$T/out")" == *" 31 32 " ]]
	# a perf.data, too
	try pinject --features-from data/basic.file.data data/stat.pipe.data
	[ $rc = 0 ]
	[ "$(payload "$T/out" 4)" = "$(payload data/basic.pipe.data 4)" ]
	done_all
}

@test "header: --features-from refuses another machine, and what is no recording" {
	refused() {
		try pinject --features-from "$1" "$2"
		[ $rc = 1 ] && one_line "pinject: $3" || failed "$1: $(cat "$T/err")"
	}
	refused data/s390x_basic.pipe.data data/basic.pipe.data "data/s390x_basic.pipe.data: has the other byte order"
	refused data/demo.data data/basic.pipe.data "data/basic.pipe.data: HEADER_FEATURE: HOSTNAME: the recording of --features-from has another one"
	pinject --no-features CPU_TOPOLOGY --set-feature NRCPUS=3,3 data/basic.pipe.data >"$T/three"
	refused "$T/three" data/basic.pipe.data "data/basic.pipe.data: HEADER_FEATURE: NRCPUS: the recording of --features-from has another one"
	refused "$T/none" data/basic.pipe.data "$T/none: No such file"
	refused "$T/out" data/basic.pipe.data "$T/out: "
	head -c 300 data/basic.pipe.data >"$T/cut"
	refused "$T/cut" data/basic.pipe.data "$T/cut: byte 252: HEADER_FEATURE: cut short, 48 of 84 bytes"
	try pinject --features-from - data/basic.pipe.data
	[ $rc = 2 ]
	one_line "pinject: --features-from -: expected a file"
	try pinject --features-from data/stat.pipe.data data/basic.pipe.data
	[ $rc = 0 ]
	one_line "pinject: warning: --features-from data/stat.pipe.data: it has no features"
	cmp "$T/out" data/basic.pipe.data
	done_all
}

@test "header: --clock-data gives the time of day" {
	need perf
	for in in k_mono s390x_basic; do
		try pinject --clock-data=1:1700000000000000001 data/$in.pipe.data
		[ $rc = 0 ] || failed $in
		cp "$T/out" "$T/set"
		cmp <(rest "$T/set") <(rest data/$in.pipe.data) || failed "$in: other records"
		[ $in = k_mono ] || perf_since 7.0 || continue		# reads no features of the other byte order
		perf script --ns -F tod,time -i - <"$T/set" 2>/dev/null | head -n 5 >"$T/tod"
		[ "$(wc -l <"$T/tod")" = 5 ] || failed "$in: no samples"
		perl -MPOSIX -ne '/^ *(\S+ \S+)\.(\d+) +(\d+)\.(\d+):/ or die "$_";
			my ($tod, $f, $s, $ns) = ($1, $2, $3, $4);
			my $n = int($4) + 0; my $sec = 1700000000 + $3;
			die "$_" unless $tod eq strftime("%Y-%m-%d %H:%M:%S", gmtime $sec) && $f == $n' "$T/tod" || failed "$in: $(cat "$T/tod")"
		pinject --clock-data=1:1700000000000000001 "$T/set" 2>/dev/null | cmp - "$T/set" || failed "$in: twice"
	done
	# of which clock the times are is not known without -k
	try pinject --clock-data=1:2 data/basic.pipe.data
	[ $rc = 0 ]
	one_line "pinject: warning: --clock-data: the times are of the kernel's own clock"
	for bad in 1 x:1 1:x -1:1 0:1 1:0 1:18446744073709551616 1:2:3 ""; do
		try pinject --clock-data="$bad" data/k_mono.pipe.data
		[ $rc = 2 ] || failed "$bad"
	done
	done_all
}

@test "header: --clock-data=now is for a recording that is being made here" {
	need record
	perf record -q --no-bpf-event -k mono -e cpu-clock -F 4000 -o - -- sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done' 2>/dev/null |
	    tee "$T/in" | pinject --clock-data=now >"$T/set"
	[ "$(payload "$T/set" 29 | cut -c1-16)" = 0100000001000000 ]
	# what perf record says of the clocks differs by less than some seconds
	difference() {
		payload "$1" 29 | perl -ne 'chomp; my ($v, $c, $wall, $mono) = unpack "VVQ<Q<", pack "H*", $_; print $wall - $mono'
	}
	perl -e 'exit !(abs($ARGV[0] - $ARGV[1]) < 1e9)' "$(difference "$T/set")" "$(difference "$T/in")"
	# another clock, a file, another time
	try pinject --clock-data=now "$T/in"
	[ $rc = 2 ]
	one_line "pinject: --clock-data=now: the recording is a file"
	try pinject --clock-data=now <<<"$(:)" # not a recording at all
	[ $rc != 0 ]
	cat data/basic.pipe.data | { try pinject --clock-data=now; [ $rc = 2 ]; }
	one_line "pinject: --clock-data=now: nothing but the kernel can read the clock of this recording; use perf record -k mono"
	# times after now: the recorder ran longer than this machine
	pinject --set-feature HOSTNAME=x data/k_mono.pipe.data | cat | { try pinject --clock-data=now; echo $rc >"$T/rc"; } || true
	[ "$(cat "$T/rc")" = 2 ]
}

@test "header: --add-cmdline puts the command behind that of the recorder, once" {
	need perf
	try pinject --add-cmdline -v <data/basic.pipe.data
	[ $rc = 0 ]
	cp "$T/out" "$T/once"
	before=$(header data/basic.pipe.data | grep cmdline)
	[ "$(header "$T/once" | grep cmdline)" = "$before| pinject --add-cmdline -v " ]
	pinject --add-cmdline -v <"$T/once" 2>/dev/null | cmp - "$T/once"
	# another command is one more
	pinject --add-cmdline --finished-init <"$T/once" | header /dev/stdin | grep -qxF "$before| pinject --add-cmdline -v | pinject --add-cmdline --finished-init "
	# behind what is set; and never as if it were the recorder
	pinject --set-feature CMDLINE="perf record" --add-cmdline <data/basic.pipe.data | header /dev/stdin |
	    grep -qxF "# cmdline : perf record | pinject --set-feature CMDLINE=perf record --add-cmdline "
	pinject --add-cmdline <data/stat.pipe.data | header /dev/stdin | grep -qxF "# cmdline : | pinject --add-cmdline "
	pinject --add-cmdline <data/s390x_basic.pipe.data >"$T/other"
	pstat --json "$T/other" | grep -qF '"/wl/cpu","400","|","pinject","--add-cmdline"]'
	cmp <(pinject --add-cmdline <data/basic.pipe.data | rest /dev/stdin) <(rest data/basic.pipe.data)
	# it is off by default
	! pinject --finished-init data/basic.pipe.data | header /dev/stdin | grep pinject
}

# the map of the kernel and the stream without it, of a recording, in $T/map and $T/bare
part_map() {
	perl -e '
		binmode STDIN; local $/; my $d = <STDIN>; my $o = 16;
		my ($u4, $u2) = $d =~ /^PERFILE2/ ? ("V", "v") : ("N", "n");
		open my $map, ">", "$ARGV[0]/map"; open my $bare, ">", "$ARGV[0]/bare";
		print $bare substr $d, 0, 16;
		while ($o + 8 <= length $d) {
			my ($t, $m, $s) = unpack "$u4$u2$u2", substr($d, $o, 8);
			my $r = substr $d, $o, $s;
			print { $t == 1 && $r =~ /kernel\.kallsyms/ ? $map : $bare } $r;
			$o += $s;
		}' "$T" <"$1"
}

@test "header: --kallsyms makes the map that perf record made" {
	for in in basic g_fp s390x_basic multi; do
		case $in in
		s390x*) text=0000000000100000;;
		*) text=ffffffff81000000;;
		esac
		part_map data/$in.pipe.data
		[ -s "$T/map" ] || failed "$in: no map"
		cp "$T/map" "$T/map.was"
		cp "$T/bare" "$T/bare.was"
		[[ $in == s390x* ]] && order='Q>' || order='Q<'
		end=$(perl -e 'local $/; my ($l) = unpack $ARGV[1], substr <STDIN>, 24, 8; printf "%016x", hex($ARGV[0]) + $l' \
		    $text $order <"$T/map")
		printf '%s T _stext\n%s T _text\n%s T _etext\n%s t f\t[mod]\n' $text $text "$end" ffffffffc0000000 >"$T/syms"
		try pinject --kallsyms "$T/syms" "$T/bare"
		[ $rc = 0 ] && [ ! -s "$T/err" ] || failed $in
		cp "$T/out" "$T/made"
		part_map "$T/made"
		cmp "$T/map" "$T/map.was" || failed "$in: the map"
		cmp "$T/bare" "$T/bare.was" || failed "$in: the rest"
		pinject --kallsyms "$T/syms" "$T/made" | cmp - "$T/made" || failed "$in: twice"
		# the recording's own stays
		try pinject --kallsyms "$T/syms" data/$in.pipe.data
		[ $rc = 0 ] && [ ! -s "$T/err" ] && cmp "$T/out" data/$in.pipe.data || failed "$in: has one"
	done
	done_all
}

@test "header: --kallsyms: perf script shows symbols of the kernel again" {
	need record
	grep -q '^[0-9a-f]*[1-9a-f][0-9a-f]* T _text' /proc/kallsyms || skip "addresses of the kernel are hidden"
	cat /proc/kallsyms >"$T/syms"
	perf record -q --no-bpf-event -g -e cpu-clock -F 4000 -o - -- dd if=/dev/zero of=/dev/null bs=1M count=2000 >"$T/in" 2>/dev/null || skip "perf record does not work here"
	part_map "$T/in"
	[ -s "$T/map" ] || skip "perf record makes no MMAP of the kernel"
	shown() {
		perf script --kallsyms "$T/syms" -F ip,sym,dso -i - <"$1" 2>/dev/null | grep kernel.kallsyms | grep -v unknown
	}
	shown "$T/in" >"$T/want"
	[ -s "$T/want" ]
	cp "$T/bare" "$T/without"
	[ "$(shown "$T/without" | wc -l)" = 0 ]
	pinject --kallsyms "$T/syms" "$T/without" >"$T/made"
	shown "$T/made" | diff "$T/want" - >"$T/diff" || { head "$T/diff"; false; }
}

@test "header: --kallsyms of another kernel: a warning, and no build-id of the kernel" {
	printf '%s T _text\n%s T _etext\n' ffffffff91000000 ffffffff92208d88 >"$T/syms"
	try pinject --kallsyms "$T/syms" data/basic.pipe.data
	[ $rc = 0 ]
	one_line "pinject: warning: --kallsyms: _text is at 0xffffffff91000000 there, but at 0xffffffff81000000 in the recording"
	cmp "$T/out" data/basic.pipe.data
	need record
	perf record -q --no-bpf-event -e cpu-clock -F 4000 -g --no-buildid-mmap -o - -- dd if=/dev/zero of=/dev/null bs=1M count=2000 >"$T/in" 2>/dev/null || skip "perf record does not work here"
	pinject --buildid-all "$T/in" 2>/dev/null >"$T/with"
	list "$T/with" | grep -q '^67 ' || skip "pinject finds no build-ids here"
	pinject --buildid-all "$T/with" 2>/dev/null | strings | grep -q 'kernel.kallsyms\]$' || skip "no build-id of the kernel here"
	pinject -v --buildid-all --kallsyms "$T/syms" "$T/in" >"$T/without" 2>"$T/err"
	! perl -e 'binmode STDIN; local $/; my $d = <STDIN>; my $o = 16; while ($o + 8 <= length $d) {
		my ($t, $m, $s) = unpack "Vvv", substr $d, $o, 8; print substr($d, $o, $s), "\n" if $t == 67; $o += $s }' <"$T/without" | grep -a 'kernel.kallsyms'
}

@test "header: what comes in front of the ATTRs, and maps that come late, change nothing" {
	# as perf record --overwrite to a pipe: rounds in front of all
	{ head -c 16 data/stat.pipe.data; printf '\104\0\0\0\0\0\010\0'; tail -c +17 data/stat.pipe.data; } >"$T/in"
	try pinject -q --clock-data=1:2 --set-feature HOSTNAME=box "$T/in"
	[ $rc = 0 ]
	[ "$(numbers "$T/out")" = "3 29 32 " ]
	cp "$T/out" "$T/once"
	cmp <(rest "$T/once") "$T/in"
	pinject -q --clock-data=1:2 --set-feature HOSTNAME=box "$T/once" | cmp - "$T/once"
	# the map of another kernel, behind a record of the kernel
	printf '%s T _text\n%s T _etext\n' ffffffff91000000 ffffffff92208d88 >"$T/syms"
	part_map data/basic.pipe.data
	cat "$T/bare" "$T/map" >"$T/in"
	try pinject --kallsyms "$T/syms" "$T/in"
	[ $rc = 0 ] && one_line "pinject: warning: --kallsyms: _text is at 0xffffffff91000000 there, but at 0xffffffff81000000 in the recording"
}

@test "header: --kallsyms files that are none" {
	wrong() {
		try timeout 10 pinject --kallsyms "$1" data/basic.pipe.data
		[ $rc = 2 ] && one_line "pinject: --kallsyms $1: $2" || failed "$2: $(head -c 300 "$T/err")"
	}
	f=$T/syms
	wrong "$T/none" "No such file"
	wrong "$T" "expected a file of symbols"
	wrong /dev/zero "expected a file of symbols"
	mkfifo "$T/fifo"
	wrong "$T/fifo" "expected a file of symbols"
	printf 'ffffffff81000000 T _te' >"$f"
	wrong "$f" "line 1: cut short"
	head -c 8192 /dev/zero | tr '\0' a >"$f"
	wrong "$f" "line 1: cut short, too long, or not text"
	printf 'ffffffff81000000 T _text\nffffffff81 \0 T\n' >"$f"
	wrong "$f" "line 2: cut short, too long, or not text"
	printf 'ffffffff81000000 T _text\nhello\n' >"$f"
	wrong "$f" "line 2: expected an address, a letter and a name, not 'hello'"
	printf '11111111ffffffff81000000 T _text\n' >"$f"
	wrong "$f" "line 1: expected an address"
	printf '0 T _text\n0 T _etext\n' >"$f"
	wrong "$f" "all addresses are 0: read as root, or with kernel.kptr_restrict=0"
	printf 'ffffffff81000000 T f\n' >"$f"
	wrong "$f" "expected a symbol _text or _stext"
	printf 'ffffffff81000000 T _text\n' >"$f"
	wrong "$f" "expected a symbol _edata or _etext, behind _text"
	printf 'ffffffff81000000 T _text\nffffffff80000000 T _etext\n' >"$f"
	wrong "$f" "expected a symbol _edata or _etext, behind _text"
	: >"$f"
	wrong "$f" "all addresses are 0"
	done_all
}

# with all options that change the head
EDIT() {
	printf 'ffffffff81000000 T _text\nffffffff82208d88 T _etext\n' >"$T/syms"
	edit=(--no-features CPUID,CPUDESC --set-feature HOSTNAME=box --set-feature CLOCKID='7 ns' --clock-data=1:2 --add-cmdline --kallsyms "$T/syms")
}

@test "header: each cut of the head: what was before it is written, and the fault is said" {
	EDIT
	part_map data/k_mono.pipe.data
	head -c 3400 "$T/bare" >"$T/in"
	pinject "${edit[@]}" <"$T/bare" >"$T/whole"
	list "$T/whole" >"$T/whole.list"
	starts=$(list "$T/bare" | awk '{ printf "%s ", $4 }')
	for ((n = 17; n < 3400; n += 1 + (n > 300) * 22)); do
		[[ " $starts" == *" $n "* ]] || turn 7 || continue
		head -c $n "$T/in" >"$T/cut"
		try pinject "${edit[@]}" <"$T/cut"
		if [[ " $starts" == *" $n "* ]]; then
			[ $rc = 0 ] && [ ! -s "$T/err" ] || failed "$n: a boundary"
		else
			[ $rc = 1 ] && one_line "pinject: <stdin>: byte " || failed "$n"
			# as the whole begins
			cmp -n "$(stat -c %s "$T/out")" "$T/out" "$T/whole" || failed "$n: what was before"
		fi
	done
	done_all
}

@test "header: one byte a read, a full disk, a terminal that is none" {
	EDIT
	part_map data/k_mono.pipe.data
	pinject "${edit[@]}" <"$T/bare" >"$T/whole"
	cat "$T/bare" | with_fault read:short,write:short pinject "${edit[@]}" | cmp - "$T/whole"
	rc=0
	pinject "${edit[@]}" <"$T/bare" >/dev/full 2>"$T/err" || rc=$?
	[ $rc = 1 ]
	one_line "pinject: <stdout>: write: No space left on device"
	# in a pipe as of the file, and psort before or after makes no difference to readers
	cat "$T/bare" | pinject "${edit[@]}" | cmp - "$T/whole"
	need perf
	psort "$T/whole" >"$T/a"
	psort "$T/bare" | pinject "${edit[@]}" >"$T/b"
	same_script "$T/a" "$T/b"
	same_script "$T/a" "$T/whole"
}
