# SPDX-License-Identifier: ISC
# pfilter --sideband=needed: perf prints the same lines for the kept samples.
load lib
load oracle

show() {
	perf script -f --ns $bare -F comm,pid,tid,time,event,ip,dso "$@" 2>/dev/null </dev/null
}

@test "needed: lives that fork, exec, rename, exit and come back: all of them" {
	need perf
	need python3
	# 4, 9: no sample_id_all; 6, 13: no rounds
	for seed in 1 2 3 4 5 6 7 9 13 31; do
		python3 lives.py $seed 10 >"$T/txt"
		mkpipe "$T/txt" >"$T/in"
		show -i "$T/in" >"$T/want"
		pfilter --sideband=needed "$T/in" >"$T/out"
		show -i "$T/out" >"$T/got"
		[ -s "$T/want" ] && cmp -s "$T/want" "$T/got" || failed "seed $seed"
	done
	done_all
}

@test "needed: some of these lives, and the rest" {
	need perf
	need python3
	for seed in 1 2 5; do
		python3 lives.py $seed 6 >"$T/txt"
		mkpipe "$T/txt" >"$T/in"
		show -i "$T/in" >"$T/all"
		for pid in 100 102; do
			pfilter -f --pid $pid --sideband=needed -U "$T/rest" "$T/in" >"$T/out"
			show -i "$T/out" >"$T/got"
			show -i "$T/rest" >"$T/got.rest"
			awk -v x=$pid '{ split($2, a, "/") } a[1] == x' "$T/all" | cmp -s - "$T/got" || failed "seed $seed pid $pid"
			awk -v x=$pid '{ split($2, a, "/") } a[1] != x' "$T/all" | cmp -s - "$T/got.rest" || failed "seed $seed not $pid"
		done
		for comm in name1 name4; do
			pfilter -f --comms $comm --sideband=needed -U "$T/rest" "$T/in" >"$T/out"
			show -i "$T/out" >"$T/got"
			show -i "$T/rest" >"$T/got.rest"
			awk -v x=$comm '$1 == x' "$T/all" | cmp -s - <(perf_remembers <"$T/got") || failed "seed $seed comm $comm"
			awk -v x=$comm '$1 != x' "$T/all" | perf_remembers | cmp -s - <(perf_remembers <"$T/got.rest") ||
			    failed "seed $seed not $comm"
		done
	done
	done_all
}

@test "needed: recordings: perf script of the output is perf script of the input with the same options" {
	need perf
	recordings '*.pipe.data' | grep -v -e p72_group_S -e lost | each needed
}

@test "needed: fresh recordings of forks, execs and threads" {
	need record
	perf record -a -g -o - -e cpu-clock -F 1999 -- bash -c '
		for i in 1 2 3 4 5 6; do (for ((j = 0; j < 2000; j++)); do :; done; ls / | sort >/dev/null) & done; wait' \
		>"$T/fresh" 2>/dev/null </dev/null && [ -s "$T/fresh" ] || skip "perf record is not allowed here"
	echo "$T/fresh" | each needed
}

@test "needed: side-band is written once, before the first kept sample of its task, with the time of the sample" {
	need perf
	cat >"$T/two.txt" <<-'END'
	attr type=1 config=0 period=1 sample_type=IDENTIFIER|IP|TID|TIME|CPU flags=sample_id_all|mmap|comm|task ids=11
	MMAP misc=1 pid=-1 tid=0 start=0x1000000 len=0x1000 pgoff=0 filename=[kernel.kallsyms]_text
	FORK misc=8192 pid=10 ppid=1 tid=10 ptid=1
	COMM pid=10 tid=10 comm=ten
	MMAP misc=2 pid=10 tid=10 start=0x1000 len=0x1000 pgoff=0 filename=/ten
	FORK misc=8192 pid=20 ppid=1 tid=20 ptid=1
	COMM pid=20 tid=20 comm=twenty
	MMAP misc=2 pid=20 tid=20 start=0x1000 len=0x1000 pgoff=0 filename=/twenty
	FINISHED_INIT
	SAMPLE misc=2 ip=0x1001 pid=20 tid=20 time=50 cpu=1
	SAMPLE misc=2 ip=0x1001 pid=10 tid=10 time=60 cpu=1
	FORK pid=10 ppid=10 tid=11 ptid=10 @ pid=10 tid=10 time=70 id=11 cpu=1
	COMM pid=10 tid=10 comm=ten2 @ pid=10 tid=10 time=71 id=11 cpu=1
	COMM pid=20 tid=20 comm=twenty2 @ pid=20 tid=20 time=71 id=11 cpu=1
	SAMPLE misc=2 ip=0x1001 pid=10 tid=11 time=80 cpu=1
	SAMPLE misc=2 ip=0x1001 pid=10 tid=10 time=81 cpu=1
	FINISHED_ROUND
	END
	mkpipe "$T/two.txt" >"$T/two"
	pfilter --pid 10 --sideband=needed "$T/two" >"$T/out"
	perf script -f -i "$T/out" -D 2>/dev/null | sed -n 's/^.*PERF_RECORD_\([A-Z0-9]*\).*/\1/p' |
	    grep -v -e ATTR -e FINISHED | tr '\n' ' ' >"$T/types"
	cat "$T/types"
	[ "$(cat "$T/types")" = "MMAP FORK COMM MMAP SAMPLE COMM FORK COMM SAMPLE SAMPLE " ]
	[ "$(show -i "$T/out" | awk '{ print $1, $2, $NF }' | tr '\n' ' ')" = "ten 10/10 (/ten) ten 10/11 (/ten) ten2 10/10 (/ten) " ]
	# nothing kept is a recording, too
	pfilter --pid 99 --sideband=needed "$T/two" >"$T/none"
	perf script -f -i "$T/none" >"$T/got" 2>&1
	! [ -s "$T/got" ]
}

@test "needed: hardware trace needs everything" {
	cat >"$T/aux.txt" <<-'END'
	attr type=1 config=0 period=1 sample_type=IDENTIFIER|IP|TID|TIME|CPU flags=sample_id_all|mmap|comm ids=11
	AUXTRACE_INFO aux_type=1
	COMM pid=10 tid=10 comm=ten
	COMM pid=20 tid=20 comm=twenty
	SAMPLE misc=1 ip=1 pid=10 tid=10 time=10
	FINISHED_ROUND
	END
	mkpipe "$T/aux.txt" >"$T/aux"
	pfilter --sideband=needed "$T/aux" | cmp - "$T/aux"
}

@test "needed: tasks without end, maps of many: memory stays in proportion" {
	need native
	{
		echo "attr type=1 config=0 period=1 sample_type=IDENTIFIER|IP|TID|TIME|CPU flags=sample_id_all|mmap|comm|task ids=11"
		awk 'BEGIN {
			for (i = 1; i <= 300; i++)
				printf "MMAP misc=2 pid=1 tid=1 start=%d len=4096 pgoff=0 filename=/lib/%d @ pid=1 tid=1 time=1 id=11\n", i * 65536, i
			for (i = 2; i < 4000; i++) {
				printf "FORK pid=%d ppid=1 tid=%d ptid=1 @ pid=1 tid=1 time=%d id=11\n", i, i, 10 * i
				printf "SAMPLE misc=2 ip=0x10000 pid=%d tid=%d time=%d cpu=0\n", i, i, 10 * i + 1
			}
		}'
	} >"$T/bomb.txt"
	mkpipe "$T/bomb.txt" >"$T/bomb"
	sanitized || ulimit -v 80000
	pfilter --sideband=needed --max-memory 4M "$T/bomb" 2>"$T/err" | tail -c 56 >"$T/last"
	[ "$(stat -c %s "$T/last")" = 56 ]
}

# like_all FILE [option...]: shows perf of what --sideband=needed keeps what it shows of all side-band?
like_all() {
	local in=$1
	shift
	pfilter -q "$@" "$in" >"$T/all"
	pfilter -q "$@" --sideband=needed "$in" >"$T/out"
	show -i "$T/all" >"$T/want"
	show -i "$T/out" >"$T/got"
	[ -s "$T/want" ] && cmp -s "$T/want" "$T/got" || failed "$in $*: $(diff "$T/want" "$T/got" | head -n 5)"
}

@test "needed: samples behind an EXIT: the EXIT is written, too" {
	need perf
	like_all data/a_many.file.data --cpu 0		# fails with perf 6.12 and newer if it is not
	like_all data/a_many.file.data --cpu 1
	cat >"$T/exit.txt" <<-'END'
	attr type=1 config=0 period=1 sample_type=IDENTIFIER|IP|TID|TIME|CPU flags=sample_id_all|mmap|comm|task ids=11
	FORK misc=8192 pid=10 ppid=1 tid=10 ptid=1
	COMM pid=10 tid=10 comm=ten
	MMAP misc=2 pid=10 tid=10 start=0x1000 len=0x1000 pgoff=0 filename=/ten
	FORK pid=10 ppid=10 tid=11 ptid=10 @ pid=10 tid=10 time=20 id=11 cpu=1
	FORK pid=10 ppid=10 tid=12 ptid=10 @ pid=10 tid=10 time=21 id=11 cpu=1
	EXIT pid=10 ppid=10 tid=11 ptid=10 @ pid=10 tid=11 time=30 id=11 cpu=1
	SAMPLE misc=2 ip=0x1001 pid=10 tid=11 time=31 cpu=1
	SAMPLE misc=2 ip=0x1002 pid=10 tid=11 time=32 cpu=1
	EXIT pid=10 ppid=1 tid=10 ptid=1 @ pid=10 tid=10 time=40 id=11 cpu=1
	SAMPLE misc=2 ip=0x1003 pid=10 tid=10 time=41 cpu=1
	SAMPLE misc=2 ip=0x1004 pid=10 tid=12 time=42 cpu=1
	FINISHED_ROUND
	END
	mkpipe "$T/exit.txt" >"$T/exit"
	types() {
		perf script -f -D -i "$T/out" 2>/dev/null | sed -n 's/^.*PERF_RECORD_\([A-Z0-9]*\).*/\1/p' | grep -v -e ATTR -e FINISHED | tr '\n' ' '
	}
	like_all "$T/exit"
	[ "$(types)" = "FORK COMM MMAP FORK COMM EXIT SAMPLE SAMPLE FORK COMM EXIT SAMPLE SAMPLE " ] || failed "all: $(types)"
	like_all "$T/exit" --tid 10
	[ "$(types)" = "FORK COMM MMAP FORK COMM EXIT SAMPLE " ] || failed "the first thread: $(types)"
	like_all "$T/exit" --tid 11
	[ "$(types)" = "FORK COMM MMAP FORK COMM EXIT SAMPLE SAMPLE FORK COMM EXIT " ] || failed "another: $(types)"
	like_all "$T/exit" --tid 12
	done_all
}

# family N KIND: a process with N maps makes N others, of which samples are kept.  KIND: own: each child has a map of its own;
# grow: the parent another one before each FORK; line: each is forked by the one before; first: there are samples of the parent
family() {
	awk -v n="$1" -v kind="$2" '
	function map(pid, i, t) {
		printf "MMAP2 misc=2 pid=%d tid=%d start=%d len=4096 pgoff=0 maj=8 min=1 ino=%d filename=/lib/a%d @ pid=%d tid=%d time=%d id=11\n",
		    pid, pid, i * 8192 + 65536, i, i, pid, pid, t
	}
	function sample(pid, i, t) {
		printf "SAMPLE misc=2 ip=%d pid=%d tid=%d time=%d cpu=0\n", i * 8192 + 65536, pid, pid, t
	}
	BEGIN {
		print "attr type=1 config=0 period=1 sample_type=IDENTIFIER|IP|TID|TIME|CPU flags=sample_id_all|mmap|mmap2|comm|task ids=11"
		print "COMM pid=100 tid=100 comm=parent @ pid=100 tid=100 time=1 id=11"
		for (i = 0; i < n; i++)
			map(100, i, 2)
		if (kind ~ /first/)
			sample(100, 0, 3)
		for (i = 0; i < n; i++) {
			t = 10 + 10 * i; pid = 1000 + i; by = kind ~ /line/ && i ? pid - 1 : 100
			if (kind ~ /grow/)
				map(100, n + i, t)
			printf "FORK pid=%d ppid=%d tid=%d ptid=%d @ pid=%d tid=%d time=%d id=11\n", pid, by, pid, by, by, by, t + 1
			if (kind ~ /own/) {
				printf "COMM pid=%d tid=%d comm=kid%d @ pid=%d tid=%d time=%d id=11\n", pid, pid, i % 7, pid, pid, t + 2
				map(pid, 3 * n + i, t + 2)
				map(pid, i, t + 2)
			}
			if (kind !~ /end/)
				sample(pid, i, t + 3)
		}
		for (i = 0; i < n && kind ~ /end/; i++)
			sample(1000 + i, i, 10 * n + 20 + i)
		print "FINISHED_ROUND"
	}' >"$T/family.txt"
	mkpipe "$T/family.txt" >"$T/family"
}

@test "needed: the side-band is at most twice as large as the input, and reads the same" {
	need perf
	for kind in plain own grow line line,own own,grow grow,first,end first,own,end; do
		family 40 $kind
		like_all "$T/family"
		like_all "$T/family" --pid 1003,1020-1039
		family 600 $kind
		size=$(pfilter --sideband=needed --pid 0-99999 "$T/family" | wc -c)
		[ "$size" -le $((2 * $(stat -c %s "$T/family"))) ] || failed "$kind: $size bytes of $(stat -c %s "$T/family")"
	done
	# for some families it would be larger: an error
	family 2000 end,grow
	try pfilter --sideband=needed "$T/family"
	[ $rc = 1 ] && one_line "pfilter: $T/family: byte " && grep -q -e 'use --sideband=all' "$T/err" || failed "refused"
	[ "$(wc -c <"$T/out")" -le 100000000 ] || failed "refused"
	done_all
}

@test "needed: build-ids of files that a kept map names, and no others" {
	need perf
	{
		echo "attr type=1 config=0 period=1 sample_type=IDENTIFIER|IP|TID|TIME|CPU flags=sample_id_all|mmap|comm ids=11"
		for f in "1 [kernel.kallsyms]" "2 /late" "2 /ten" "2 /stranger" "2 /twenty" "2 /ten" "4 /guest"; do
			echo "HEADER_BUILD_ID misc=${f%% *} pid=-1 build_id=00112233445566778899aabbccddeeff00112233 filename=${f#* }"
		done
		cat <<-'END'
		MMAP misc=1 pid=-1 tid=0 start=0x1000000 len=0x1000 pgoff=0 filename=[kernel.kallsyms]_text
		COMM pid=10 tid=10 comm=ten
		MMAP misc=2 pid=10 tid=10 start=0x1000 len=0x1000 pgoff=0 filename=/ten
		COMM pid=20 tid=20 comm=twenty
		MMAP misc=2 pid=20 tid=20 start=0x1000 len=0x1000 pgoff=0 filename=/twenty
		SAMPLE misc=2 ip=0x1001 pid=20 tid=20 time=50 cpu=1
		SAMPLE misc=2 ip=0x1001 pid=10 tid=10 time=60 cpu=1
		MMAP misc=2 pid=10 tid=10 start=0x3000 len=0x1000 pgoff=0 filename=/late @ pid=10 tid=10 time=70 id=11
		FINISHED_ROUND
		HEADER_BUILD_ID misc=2 pid=-1 build_id=0011 filename=/ten
		HEADER_BUILD_ID misc=2 pid=-1 build_id=0011 filename=/stranger
		END
	} >"$T/ids.txt"
	mkpipe "$T/ids.txt" >"$T/ids"
	order() {
		perl -e 'binmode STDIN; local $/; my $d = <STDIN>; for (my $o = 16; $o + 8 <= length $d; ) {
			my ($t, $m, $s) = unpack "Vvv", substr $d, $o, 8;
			print "id:", unpack("Z*", substr $d, $o + 36), " " if $t == 67;
			print "map:", unpack("Z*", substr $d, $o + 40), " " if $t == 1;
			$o += $s }'
	}
	[ "$(pfilter --pid 10 --sideband=needed -U "$T/rest" "$T/ids" | order)" = "id:[kernel.kallsyms] id:/guest map:[kernel.kallsyms]_text id:/ten id:/ten map:/ten id:/late map:/late id:/ten " ]
	[ "$(order <"$T/rest")" = "id:[kernel.kallsyms] id:/guest map:[kernel.kallsyms]_text id:/twenty map:/twenty " ]
	pfilter --pid 99 --sideband=needed "$T/ids" >"$T/none"
	[ "$(order <"$T/none")" = "id:[kernel.kallsyms] id:/guest map:[kernel.kallsyms]_text " ]
	! grep -q -a -e stranger -e /ten "$T/none" || false
	pfilter --pid 10 "$T/ids" | order | grep -q stranger
	# as a header feature: what stays of it are records
	{
		sed -n 1p "$T/ids.txt"
		echo "HEADER_FEATURE feat_id=2 u4=0 u2=2 u2=48 u4=0xffffffff x=$(printf '%048d' 1) z=/ten zeros=7 u4=0 u2=2 u2=48 u4=0xffffffff x=$(printf '%048d' 2) z=/stranger zeros=2"
		sed -n '/^MMAP/,$p' "$T/ids.txt" | grep -v BUILD_ID
	} >"$T/feature.txt"
	mkpipe "$T/feature.txt" >"$T/feature"
	[ "$(pfilter --pid 10 --sideband=needed "$T/feature" | order)" = "map:[kernel.kallsyms]_text id:/ten map:/ten map:/late " ]
	# of a file: perf finds each id that it finds with all of them
	for f in data/a_many.file.data data/basic.file.data; do
		pid=$(perf script -f -F pid -i $f 2>/dev/null | sort | uniq -c | sort -n | tail -1 | awk '{ print $2 }')
		pfilter --pid $pid --sideband=needed "$f" >"$T/out"
		perf script -f $bare -F pid,ip,dso -i "$T/out" 2>/dev/null | grep -o '(/[^)]*)' | tr -d '()' | sort -u >"$T/dsos"
		perf buildid-list -f -i "$f" 2>/dev/null | awk '{ print $2 }' | sort | comm -12 - "$T/dsos" >"$T/want"
		order <"$T/out" | grep -o 'id:/[^ ]*' | cut -c 4- | sort | comm -12 - "$T/dsos" | diff "$T/want" - || failed "$f"
		[ -s "$T/want" ] || failed "$f: no ids"
	done
	done_all
}
