# SPDX-License-Identifier: ISC
# pfilter: names by patterns, and what samples belong to: BPF programs, cgroups.
load lib

# samples STREAM: their times, which number them
samples() {
	perf script -f --ns -F time -i "$1" 2>/dev/null </dev/null | awk '{ printf "%s%d", (NR > 1 ? " " : ""), substr($1, 3) }'
}

# chosen WANT ARG...: the samples that pfilter keeps of $T/in
chosen() {
	local want=$1
	shift
	try pfilter -q "$@" "$T/in"
	[ "$rc $(samples "$T/out")" = "0 $want" ] || failed "$*: $(samples "$T/out"), $want expected"
}

@test "container: names of threads, files, BPF programs by name and by pattern" {
	need perf
	cat >"$T/in.txt" <<-'END'
	attr type=1 config=0 period=1 sample_type=IDENTIFIER|IP|TID|TIME|CPU flags=sample_id_all|mmap|comm|ksymbol ids=11
	COMM pid=1 tid=1 comm=nginx
	COMM pid=2 tid=2 comm=ngin*
	COMM pid=3 tid=3 comm=postgres
	MMAP2 misc=2 pid=1 tid=1 start=0x1000 len=0x1000 prot=5 flags=2 filename=/usr/lib/libcrypto.so.3
	MMAP2 misc=2 pid=1 tid=1 start=0x2000 len=0x1000 prot=5 flags=2 filename=/usr/lib/libc.so.6
	MMAP2 misc=2 pid=1 tid=1 start=0x3000 len=0x1000 prot=5 flags=2 filename=[vdso]
	MMAP2 misc=2 pid=1 tid=1 start=0x4000 len=0x1000 prot=5 flags=2 filename=/usr/bin/v
	MMAP2 misc=2 pid=1 tid=1 start=0x5000 len=0x1000 prot=7 flags=0x22 filename=//anon
	MMAP2 misc=2 pid=1 tid=1 start=0x6000 len=0x1000 prot=5 flags=2 filename=/tmp/perf-77.map
	MMAP misc=1 pid=-1 tid=0 start=0xffffffff81000000 len=0x1000000 pgoff=0xffffffff81000000 filename=[kernel.kallsyms]_text
	MMAP misc=1 pid=-1 tid=0 start=0xffffffffc0000000 len=0x1000 filename=/lib/modules/6.1/kernel/fs/ext4/ext4.ko
	KSYMBOL addr=0xffffffffc0100000 len=0x100 ksym_type=1 name=bpf_prog_1234_one
	KSYMBOL addr=0xffffffffc0200000 len=0x100 ksym_type=1 name=bpf_prog_5678_two
	SAMPLE misc=2 ip=0x1800 pid=1 tid=1 time=1
	SAMPLE misc=2 ip=0x2800 pid=1 tid=1 time=2
	SAMPLE misc=2 ip=0x3800 pid=1 tid=1 time=3
	SAMPLE misc=2 ip=0x4800 pid=1 tid=1 time=4
	SAMPLE misc=2 ip=0x5800 pid=1 tid=1 time=5
	SAMPLE misc=2 ip=0x6800 pid=1 tid=1 time=6
	SAMPLE misc=1 ip=0xffffffff81000800 pid=2 tid=2 time=7
	SAMPLE misc=1 ip=0xffffffffc0000800 pid=2 tid=2 time=8
	SAMPLE misc=1 ip=0xffffffffc0100080 pid=3 tid=3 time=9
	SAMPLE misc=1 ip=0xffffffffc0200080 pid=3 tid=3 time=10
	SAMPLE misc=1 ip=0xffffffffc0300080 pid=3 tid=3 time=11
	SAMPLE misc=1 ip=0xffffffffc0100100 pid=3 tid=3 time=12
	SAMPLE misc=2 ip=0xffffffffc0100080 pid=3 tid=3 time=13
	FINISHED_ROUND
	END
	mkpipe "$T/in.txt" >"$T/in"
	while IFS='|' read -r want args; do
		IFS=' ' read -ra args <<<"$args"
		chosen "$want" "${args[@]}"
	done <<-'END'
		1 2 3 4 5 6 7 8|--comms ng*
		1 2 3 4 5 6|--comms ngin[!*]
		7 8|--comms ngin\*
		1 2 3 4 5 6|--comms *x,nothing
		9 10 11 12 13|--exclude-comms n*
		9 10 11 12 13|--comms post*,ngi --exclude-comms *x
		1 2|--dsos lib*
		1|--dsos *crypto*
		1 2 4|--dsos /usr/*
		3|--dsos [vdso]
		3|--dsos [v*
		5 6|--dsos perf-*.map
		5|--dsos perf-1.map
		6|--dsos perf-77.map
		5 6|--dsos //anon
		5|--dsos [JIT]?tid?1
		7 8|--dsos [kernel]
		7|--dsos [kernel.kallsyms]
		7 8|--dsos [kernel*
		8|--dsos [ext4]
		8|--dsos [ext*]
		8|--dsos ext4.k?
		9 10|--dsos bpf_prog_*
		9|--dsos bpf_prog_1234_one
		11 12 13|--dsos [unknown]
		1 2 3 4 5 6 9 10 11 12 13|--exclude-dsos [kernel]
		1 2 3 4 5 6 7 8 11 12 13|--exclude-dsos bpf*
		8|--dsos [kernel] --exclude-dsos [kernel.kallsyms]
	END
	printf 'lib*\n[vdso]\n' >"$T/list"
	chosen "1 2 3" --dsos "file://$T/list"
	chosen "9 10" --filter 'dso ~ "bpf_prog_*"'
	for dso in bpf_prog_1234_one bpf_prog_5678_two '[ext4]' '[vdso]'; do
		perf script -f --ns -F tid,time,ip -i "$T/in" --dsos "$dso" 2>/dev/null </dev/null >"$T/want"
		pfilter --dsos "$dso" "$T/in" >"$T/out"
		perf script -f --ns -F tid,time,ip -i "$T/out" 2>/dev/null </dev/null >"$T/got"
		[ -s "$T/want" ] && cmp "$T/want" "$T/got" || failed "$dso: perf's choice"
	done
	done_all
}

@test "container: a BPF program has its code from its KSYMBOL until that is taken back or replaced" {
	need perf
	cat >"$T/in.txt" <<-'END'
	attr type=1 config=0 period=1 sample_type=IDENTIFIER|IP|TID|TIME|CPU flags=sample_id_all|mmap|comm|ksymbol ids=11
	KSYMBOL addr=0xffffffffc0100000 len=0x1000 ksym_type=1 name=bpf_prog_1_a @ time=1 id=11
	SAMPLE misc=1 ip=0xffffffffc0100800 pid=1 tid=1 time=2
	KSYMBOL addr=0xffffffffc0100400 len=0x100 ksym_type=1 name=bpf_prog_2_b @ time=3 id=11
	SAMPLE misc=1 ip=0xffffffffc0100480 pid=1 tid=1 time=4
	SAMPLE misc=1 ip=0xffffffffc0100800 pid=1 tid=1 time=5
	KSYMBOL addr=0xffffffffc0100000 len=0x200 ksym_type=1 name=bpf_prog_3_c @ time=6 id=11
	SAMPLE misc=1 ip=0xffffffffc0100100 pid=1 tid=1 time=7
	SAMPLE misc=1 ip=0xffffffffc0100800 pid=1 tid=1 time=8
	KSYMBOL addr=0xffffffffc0100000 len=0x200 ksym_type=1 flags=1 name=bpf_prog_3_c @ time=9 id=11
	SAMPLE misc=1 ip=0xffffffffc0100100 pid=1 tid=1 time=10
	KSYMBOL addr=0xffffffffffffff00 len=0xffffffff ksym_type=1 name=bpf_prog_4_d @ time=11 id=11
	SAMPLE misc=1 ip=0xffffffffffffff80 pid=1 tid=1 time=12
	FINISHED_ROUND
	END
	mkpipe "$T/in.txt" >"$T/in"
	chosen "2 5" --dsos bpf_prog_1_a
	chosen "4" --dsos bpf_prog_2_b
	chosen "7" --dsos bpf_prog_3_c
	chosen "12" --dsos bpf_prog_4_d
	chosen "8 10" --dsos '[unknown]'
	done_all
}

@test "container: --cgroup: real cgroups, each with what is below it; perf report has the same numbers of samples" {
	need record
	need jq
	local root=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/self/mounts) group=pfilter-test-$$ all one
	[ -n "$root" ] && mkdir "$root/$group" "$root/$group/below" "$root/$group.not" 2>/dev/null || skip "no cgroup can be made here"
	for g in "$group" "$group/below" "$group.not"; do
		sh -c 'echo $$ >"$1"/cgroup.procs && i=0 && while [ $i -lt 100000 ]; do i=$((i + 1)); done' sh "$root/$g" &
	done
	perf record -q --all-cgroups -e cpu-clock -a -o "$T/in" -- sleep 0.2 >"$T/record" 2>&1 </dev/null || :
	wait
	rmdir "$root/$group/below" "$root/$group" "$root/$group.not"
	perf report -f --stdio -n -s cgroup -i "$T/in" 2>/dev/null </dev/null | awk '$1 ~ /%$/ { print $NF, $(NF - 1) }' >"$T/counts"
	grep -q "/$group/below " "$T/counts" || skip "perf cannot record all cgroups"
	kept() { pfilter -q "$@" "$T/in" | pstat --json | jq .samples; }
	sum() { awk -v re="$1" '$1 ~ re { n += $2 } END { print n + 0 }' "$T/counts"; }
	[ "$(kept --cgroup "/$group")" = "$(sum "^/$group(/|$)")" ]
	[ "$(kept --cgroup "/$group/*")" = "$(sum "^/$group/below$")" ]
	[ "$(kept --cgroup "/$group*")" = "$(sum "^/$group")" ]
	[ "$(kept --filter "cgroup.name == '/$group'")" = "$(sum "^/$group$")" ]
	[ "$(kept --cgroup /)" = "$(sum .)" ]
	[ "$(kept --exclude-cgroup "/$group")" = "$(($(sum .) - $(sum "^/$group(/|$)")))" ]
}
