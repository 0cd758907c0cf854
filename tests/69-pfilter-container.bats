# SPDX-License-Identifier: ISC
# pfilter: names by patterns, and what samples belong to: BPF programs, cgroups, containers, pods.
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

# in_cgroups: $T/in has a sample of each path that standard input lists, from time 1 on
in_cgroups() {
	{
		echo "attr type=1 config=0 period=1 sample_type=IDENTIFIER|IP|TID|TIME|CGROUP flags=sample_id_all|cgroup ids=11"
		sed 's/\\/\\\\/g' | awk '{ printf "CGROUP id=%d path=%s\nSAMPLE misc=1 ip=1 pid=1 tid=1 time=%d cgroup=%d\n", NR + 100, $1, NR, NR + 100 }'
		echo FINISHED_ROUND
	} >"$T/in.txt"
	mkpipe "$T/in.txt" >"$T/in"
}

# Each shape in container.def, and what is like one; paths of public bug reports and tests, with their ids and UIDs.
paths() {
	cat <<-'END'
	1 --container 4f797c539e6c /docker/4f797c539e6c745de61a93ca3ff892358ecbcaccd8414d5db545c38428142970
	1 --container 9ec39b91f3d7 /system.slice/docker-9ec39b91f3d70e1beff50a308f77067065ea6be0d91a3378375056cd4422cf3d.scope
	1 --container 0e768f8db752fcd648adb264 /system.slice/system-getty.slice/cri-containerd-0e768f8db752fcd648adb264498daa1d8f31562320e881d6a9ec593d24b1f779.scope
	1 --container 5eed91756358 /kubepods.slice/kubepods-burstable.slice/kubepods-burstable-poda5c1f8d5_1919_434d_add7_4afaafdaef89.slice/crio-5eed917563583925ffdbd40a64efb2aaffe58638e57add8becaf460fe74f5b1c.scope
	1 --container 66d6d4ac9851cfcab8400277ad96770ce52c1d75eeac29046753875056eacaed /machine.slice/libpod-66d6d4ac9851cfcab8400277ad96770ce52c1d75eeac29046753875056eacaed.scope/container
	1 --container ee4b20e90ac7 /kubepods-besteffort-pod0125ec2f_b64a_4868_8f5b_94b56cbab864.slice:cri-containerd:ee4b20e90ac7f42a10bd004d05646b13d8ab5e2c5e7cbc01abf8006bac016459
	1 --container D7DFB4A21FE1 /kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-besteffort.slice/kubelet-kubepods-besteffort-pod1e597579_417e_482f_bf65_5fe170c3aebd.slice/cri-containerd-d7dfb4a21fe1703a8537e60d5af248af729315d187b24a538102d14874c8117d.scope
	1 --container d6701ec289c5 /docker/d6701ec289c56e4391acb11d07474b3139466857a305490575508a8b7a9fcf22/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod2ca4a155_3599_498d_bb9d_4446693fa3ea.slice/crio-0ba8ac17e4e7a31fb82279503552fe94e64bab4745bf6fd2ff231e7c8ca8bed0.scope
	1 --container 0ba8ac17e4e7 /docker/d6701ec289c56e4391acb11d07474b3139466857a305490575508a8b7a9fcf22/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod2ca4a155_3599_498d_bb9d_4446693fa3ea.slice/crio-0ba8ac17e4e7a31fb82279503552fe94e64bab4745bf6fd2ff231e7c8ca8bed0.scope
	1 --container d0b3604b67ac /kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod7d4424e6_bb13_42f4_a47a_45a4828bf54d.slice/docker-d0b3604b67ac7930dd34ba3a796627e3e4717d12309e90a4afe3f38b6816ac98
	1 --container web /lxc.payload.web/system.slice/cron.service
	1 --container w?b /lxc.payload.web
	1 --container deb-12 /machine.slice/machine-deb\x2d12.scope/payload
	1 --container trixie /machine.slice/systemd-nspawn@trixie.service/payload
	1 --container x1 /lxc/x1/system.slice/snapd.service
	1 --pod a5c1f8d5-1919-434d-add7-4afaafdaef89 /kubepods.slice/kubepods-burstable.slice/kubepods-burstable-poda5c1f8d5_1919_434d_add7_4afaafdaef89.slice/crio-5eed917563583925ffdbd40a64efb2aaffe58638e57add8becaf460fe74f5b1c.scope
	1 --pod 1e597579_417e_482f_bf65_5fe170c3aebd /kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-besteffort.slice/kubelet-kubepods-besteffort-pod1e597579_417e_482f_bf65_5fe170c3aebd.slice
	1 --pod 0125EC2F-B64A-4868-8F5B-94B56CBAB864 /kubepods-besteffort-pod0125ec2f_b64a_4868_8f5b_94b56cbab864.slice:cri-containerd:ee4b20e90ac7f42a10bd004d05646b13d8ab5e2c5e7cbc01abf8006bac016459
	1 --pod ac04f3f2-1f2c-11e9-b015-1ebee232acfa /kubepods/besteffort/podac04f3f2-1f2c-11e9-b015-1ebee232acfa/605439acbd4fb18c145069289094b17f17e0cfa938f78012d4960bc797305f22
	1 --pod c2b0c2d5d2f05ef1a2bcb3cdd5b7c0d4 /kubepods/burstable/podc2b0c2d5d2f05ef1a2bcb3cdd5b7c0d4
	0 --container 5eed91756358 /kubepods.slice/crio-conmon-5eed917563583925ffdbd40a64efb2aaffe58638e57add8becaf460fe74f5b1c.scope
	0 --container 66d6d4ac9851 /machine.slice/libpod-conmon-66d6d4ac9851cfcab8400277ad96770ce52c1d75eeac29046753875056eacaed.scope
	0 --container 4f797c539e6 /docker/4f797c539e6c745de61a93ca3ff892358ecbcaccd8414d5db545c38428142970
	0 --container f797c539e6c7 /docker/4f797c539e6c745de61a93ca3ff892358ecbcaccd8414d5db545c38428142970
	0 --container 4f797c539e6c /docker/4f797c539e6c745de61a93ca3ff892358ecbcaccd8414d5db545c3842814297
	0 --container 4f797c539e6c /docker/4f797c539e6c745de61a93ca3ff892358ecbcaccd8414d5db545c384281429701
	0 --container deb\x2d12 /machine.slice/machine-deb\x2d12.scope
	0 --container deb /machine.slice/machine-deb.slice
	0 --container we /lxc.payload.web
	0 --container web /lxc.monitor.web
	0 --container x1 /lxc2/x1
	0 --container lxc /lxc
	0 --pod a5c1f8d5-1919-434d-add7-4afaafdaef89 /kubepods-burstable-tripoda5c1f8d5_1919_434d_add7_4afaafdaef89.slice
	0 --pod a5c1f8d5-1919-434d-add7-4afaafdaef89 /kubepods-burstable-poda5c1f8d5_1919_434d_add7_4afaafdaef8.slice
	END
}

@test "container: --container and --pod know the paths of all runtimes, and no others" {
	need perf
	local want option value path rows
	while read -r want option value path; do
		in_cgroups <<-END
		/other
		$path
		$path/below/it
		END
		case $want in
		1) chosen "2 3" "$option" "$value";;
		0) chosen "" "$option" "$value";;
		esac
	done < <(paths)
	# the example of each shape is one of them
	rows=$(tr -d '\n' <../cmd/pfilter/container.def | sed 's/" *"//g; s/SHAPE(/\n&/g; s/\\\\/\\/g' | sed -n 's/^SHAPE([A-Z]*, .*"\(\/[^"]*\)").*/\1/p')
	[ "$(wc -l <<<"$rows")" -eq "$(grep -c '^SHAPE' ../cmd/pfilter/container.def)" ]
	while read -r path; do
		paths | grep -qF " $path" || failed "$path"
	done <<<"$rows"
	done_all
}

@test "container: several, with other options, from a list; two of one beginning" {
	need perf
	local a=4f797c539e6c745de61a93ca3ff892358ecbcaccd8414d5db545c38428142970 b=4f797c539e6c845de61a93ca3ff892358ecbcaccd8414d5db545c38428142970
	local pod=a5c1f8d5_1919_434d_add7_4afaafdaef89
	in_cgroups <<-END
	/docker/$a
	/kubepods-pod$pod.slice/docker-$b.scope
	/kubepods-pod$pod.slice
	/lxc/x1
	/
	END
	chosen "1 4" --container "${a::13},x1"
	chosen "2 3" --pod "$pod"
	chosen "2" --pod "$pod" --container "$b"
	chosen "3" --pod "$pod" --exclude-cgroup '*docker*'
	chosen "1 3 4 5" --container "$b" --invert
	printf '%s\nx1\n' "${b::20}" >"$T/list"
	chosen "2 4" --container "file://$T/list"
	try pfilter --container "${a::12}" "$T/in"
	[ "$rc $(samples "$T/out")" = "0 1 2" ] && one_line "pfilter: warning: --container ${a::12}: two containers begin so, $a and $b"
	try pfilter -n --stats --container "$a" --pod "$pod" "$T/in"
	grep -q 'dropped by container: 4 records' "$T/err" && grep -q 'dropped by pod: 1 records' "$T/err" || failed "counts"
	while IFS='|' read -r args text; do
		IFS=' ' read -ra args <<<"$args"
		try pfilter "${args[@]}" "$T/in"
		[ $rc = 0 ] && one_line "pfilter: warning: none of 5 samples was kept" && grep -qF -- "$text" "$T/err" || failed "${args[*]}"
	done <<-END
		--container 4f797c539e6d|: none is in container 4f797c539e6d; similar: 4f797c539e6c
		--container x2|: none is in container x2; similar: x1
		--container cafe|: none is in container cafe; if 'cafe' begins an id, give at least 12 digits of it
		--pod a5c1f8d5-1919-434d-add7-4afaafdaef88|: none is in pod a5c1f8d5-1919-434d-add7-4afaafdaef88; similar: a5c1f8d5-1919-434d-add7-4afaafdaef89
	END
	try pfilter --pod web "$T/in"
	[ $rc = 2 ] && one_line "pfilter: --pod 'web': expected the UID of a pod" || failed "no UID"
	sed 's/|CGROUP//; s/ cgroup=.*//; /^CGROUP/d' "$T/in.txt" >"$T/none.txt"
	mkpipe "$T/none.txt" >"$T/none"
	for args in "--container x1" "--pod $pod"; do
		try pfilter $args "$T/none"
		[ $rc = 2 ] && one_line "pfilter: ${args%% *}: no event was recorded with PERF_SAMPLE_CGROUP (perf record --all-cgroups)" || failed "$args"
	done
	done_all
}
