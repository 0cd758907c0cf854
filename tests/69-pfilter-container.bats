# SPDX-License-Identifier: ISC
# pfilter: names by patterns, and what samples belong to: BPF programs, cgroups, containers, pods,
# namespaces, the files of call chains.
load lib

# samples STREAM: their times, which number them
samples() {
	perf script -f --ns -F time -i "$1" 2>/dev/null </dev/null | awk '$1 ~ /:$/ { printf "%s%d", (n++ ? " " : ""), substr($1, 3) }'
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
	# outside all maps, by each way to say it
	chosen "11 12 13" --filter 'dso == "[unknown]"'
	chosen "11 12 13" --filter 'dso in ("[unknown]", "x")'
	chosen "9 10 11 12 13" --filter 'dso ~ "[[]unk*" or dso =~ "^bpf"'
	chosen "1 2 3 4 5 6 7 8 9 10" --filter 'dso != "[unknown]"'
	chosen "1 2 3 4 5 6 7 8 9 10 11 12 13" --filter 'dso != "x"'
	chosen "1 2 3 4 5 6 7 8 9 10 11 12 13" --filter 'exists(dso)'
	[ "$(pstat --json -s dso "$T/in" | jq '.sort[] | select(.dso == "[unknown]").samples')" = 3 ] || failed "pstat -s dso"
	perf script -f -F ip,dso -i "$T/in" 2>/dev/null </dev/null | grep -c '(\[unknown\])' | grep -qx 3 || failed "perf's number"
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
	1 --container 1ff7a95c3ef0 /system.slice/nerdctl-1ff7a95c3ef0bd9a40d56a96e09a1a43ad36b0ccb57ee7e0b8dba8e6c9c8db52.scope
	1 --container 4f1d0dd1a4b1 /ecs/4f1d0dd1a4b14ad6b9d5a2fc2ff2b1c1/4f1d0dd1a4b14ad6b9d5a2fc2ff2b1c1-2531612879
	1 --container 4f1d0dd1a4b14ad6b9d5a2fc2ff2b1c1 /ecs/4f1d0dd1a4b14ad6b9d5a2fc2ff2b1c1/4f1d0dd1a4b14ad6b9d5a2fc2ff2b1c1-2531612879
	1 --container 4f1d0dd1a4b14ad6b9d5a2fc2ff2b1c1-2531612879 /ecs/4f1d0dd1a4b14ad6b9d5a2fc2ff2b1c1/4f1d0dd1a4b14ad6b9d5a2fc2ff2b1c1-2531612879
	1 --container 432624d2150b /ecs/55091c13-b8cf-4801-b527-f4601742204d/432624d2150b349fe35ba397284dea788c2bf66b885d14dfc1569b01890ca7da
	1 --container web /lxc.payload/web/init.scope
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
	0 --container web /lxc.monitor/web
	0 --container 4f1d0dd1a4b1 /ecs/4f1d0dd1a4b14ad6b9d5a2fc2ff2b1c1
	0 --container 4f1d0dd1a4b1 /ecs/task/4f1d0dd1a4b14ad6b9d5a2fc2ff2b1c1-
	0 --container 4f1d0dd1a4b1 /ecs/task/4f1d0dd1a4b14ad6b9d5a2fc2ff2b1c1-2531x
	0 --container 4f1d0dd1a4b1 /ecs/task/4f1d0dd1a4b14ad6b9d5a2fc2ff2b1c-25316
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
	rows=$(tr -d '\n' <../common/field/container.def | sed 's/" *"//g; s/SHAPE(/\n&/g; s/\\\\/\\/g' | sed -n 's/^SHAPE([A-Z]*, .*"\(\/[^"]*\)").*/\1/p')
	[ "$(wc -l <<<"$rows")" -eq "$(grep -c '^SHAPE' ../common/field/container.def)" ]
	while read -r path; do
		paths | grep -qF " $path" || failed "$path"
	done <<<"$rows"
	done_all
}

@test "container: --exclude-container and --exclude-pod drop what --container and --pod keep" {
	local want option value path
	while read -r want option value path; do
		in_cgroups <<-END
		/other
		$path
		$path/below/it
		END
		case $want in
		1) chosen "1" "--exclude-${option#--}" "$value";;
		0) chosen "1 2 3" "--exclude-${option#--}" "$value";;
		esac
	done < <(paths)
	in_cgroups < <(printf '/lxc/%s\n' a b c)
	chosen "2" --container a,b --exclude-container a
	for args in "--container a --exclude-container a,b" "--pod a5c1f8d5-1919-434d-add7-4afaafdaef89 --exclude-pod a5c1f8d5_1919_434d_add7_4afaafdaef89"; do
		try pfilter $args "$T/in"
		[ $rc = 2 ] && grep -q ": nothing remains selected$" "$T/err" || failed "$args"
	done
	try pfilter --exclude-pod web "$T/in"
	[ $rc = 2 ] && one_line "pfilter: --exclude-pod 'web': expected the UID of a pod" || failed "no UID"
	try pfilter --exclude-container a,b,c "$T/in"
	[ $rc = 0 ] && grep -q "none of 3 samples was kept: --exclude-container drops all of them" "$T/err" || failed "all: $(cat "$T/err")"
	try pfilter --container d --exclude-container a "$T/in"
	[ $rc = 0 ] && grep -q "none is in container d" "$T/err" || failed "none: $(cat "$T/err")"
	sed 's/|CGROUP//; s/ cgroup=.*//; /^CGROUP/d' "$T/in.txt" >"$T/none.txt"
	mkpipe "$T/none.txt" >"$T/none"
	try pfilter --exclude-container a "$T/none"
	[ $rc = 2 ] && one_line "pfilter: --exclude-container: no event was recorded with PERF_SAMPLE_CGROUP" || failed "not recorded"
	done_all
}

@test "container: pstat -s container and -s pod list what --container and --pod find" {
	need jq
	local want option value path key n
	paths | awk '$1 { print $4 }' | in_cgroups
	for key in container pod; do
		pstat --json -s $key "$T/in" >"$T/$key" || failed $key
		n=0
		while IFS=$'\t' read -r samples value; do
			n=$((n + samples))
			got=$(pfilter -q --$key "$value" "$T/in" | pstat --json | jq .samples)
			# of two inside each other the inner one is counted
			[ "$got" -ge "$samples" ] && [ "$got" -le $((samples + 1)) ] || failed "$key $value: $samples, --$key keeps $got"
		done < <(jq -r '.sort[] | select(.'$key' != null) | [.samples, .'$key'] | @tsv' "$T/$key")
		[ "$n" -gt 4 ] || failed "$key: $n samples"
		while read -r want option value path; do
			[ "$want $option" = "1 --$key" ] || continue
			jq -e --arg v "${value//_/-}" '[.sort[].'$key' | select(. != null and startswith($v | ascii_downcase))] | length > 0' "$T/$key" >"$T/jq" ||
			    [[ $value == w\?b || $path == */d6701ec289c5*/*/* ]] || failed "$value is not listed"
		done < <(paths)
	done
	# a cgroup gets another path
	{
		echo "attr type=1 config=0 period=1 sample_type=IDENTIFIER|IP|TID|TIME|CGROUP flags=sample_id_all|cgroup ids=11"
		echo "CGROUP id=5 path=/lxc/a"
		echo "SAMPLE misc=1 ip=1 pid=1 tid=1 time=2 cgroup=5"
		echo "SAMPLE misc=1 ip=1 pid=1 tid=1 time=3 cgroup=6"
		echo "CGROUP id=5 path=/lxc/b @ time=4 id=11"
		echo "SAMPLE misc=1 ip=1 pid=1 tid=1 time=5 cgroup=5"
		echo FINISHED_ROUND
	} >"$T/in.txt"
	mkpipe "$T/in.txt" >"$T/in"
	[ "$(pstat --json -s container "$T/in" | jq -r '[.sort[] | "\(.container) \(.samples)"] | sort | join(",")')" = "a 1,b 1,null 1" ] || failed "another path"
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
	[ "$rc $(samples "$T/out")" = "0 1 2" ]
	one_line "pfilter: warning: --container ${a::12}: two containers begin so, $a and $b"
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

@test "container: ns.*: the inodes of namespaces, at the time of the sample" {
	need perf
	cat >"$T/in.txt" <<-'END'
	attr type=1 config=0 period=1 sample_type=IDENTIFIER|IP|TID|TIME flags=sample_id_all|comm|task|namespaces ids=11
	NAMESPACES pid=1 tid=1 list=4/10,4/11,4/12,4/13,4/14,4/15,4/16
	NAMESPACES pid=1 tid=2 list=4/20,4/11,4/12
	NAMESPACES pid=3 tid=3 nr=1 list=4/30
	NAMESPACES pid=4 tid=4 list=0/0,4/11
	SAMPLE misc=1 ip=1 pid=1 tid=1 time=1
	SAMPLE misc=1 ip=1 pid=1 tid=2 time=2
	SAMPLE misc=1 ip=1 pid=3 tid=3 time=3
	SAMPLE misc=1 ip=1 pid=4 tid=4 time=4
	SAMPLE misc=1 ip=1 pid=5 tid=5 time=5
	NAMESPACES pid=1 tid=1 list=4/20,4/11,4/12,4/13,4/14,4/15,4/26 @ time=6 id=11
	SAMPLE misc=1 ip=1 pid=1 tid=1 time=7
	FORK pid=1 ppid=9 tid=1 ptid=9 @ time=8 id=11
	SAMPLE misc=1 ip=1 pid=1 tid=1 time=9
	FINISHED_ROUND
	END
	mkpipe "$T/in.txt" >"$T/in"
	while IFS='|' read -r want filter; do
		chosen "$want" --filter "$filter"
	done <<-'END'
		1|ns.net == 10
		2 7|ns.net == 20
		3|ns.net == 30
		1 2 4 7|ns.uts == 11
		1 2 7|ns.ipc == 12
		1 7|ns.pid == 13
		1 7|ns.user == 14
		1 7|ns.mnt in (15, 16)
		1|ns.cgroup == 16
		7|ns.cgroup > 16
		1 2 3 7|exists(ns.net)
		2 7|ns.net != 10 and ns.net < 30
		4 5 9|not exists(ns.net)
	END
	sed 's/|namespaces//' "$T/in.txt" >"$T/none.txt"
	mkpipe "$T/none.txt" >"$T/none"
	try pfilter --filter 'ns.pid == 1' "$T/none"
	[ $rc = 2 ] && grep -q 'no event of this recording has ns.pid; record it with perf record --namespaces' "$T/err" || failed "not recorded"
	done_all
}

@test "container: ns.*: the numbers of a real task in namespaces of its own" {
	need record
	need jq
	unshare -u -i -n -m true 2>/dev/null || skip "this user can make no namespaces"
	perf record -q --namespaces -e cpu-clock -F 4000 -o "$T/in" -- unshare -u -i -n -m bash -c '
	    for n in pid net mnt user uts ipc cgroup; do echo "ns.$n == $(stat -Lc %i /proc/self/ns/$n)"; done >"$1"
	    echo $$ >"$1.pid"; i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done' - "$T/ns" >"$T/record" 2>&1 </dev/null ||
	    skip "perf cannot record namespaces"
	[ "$(wc -l <"$T/ns")" -eq 7 ]
	kept() { pfilter -q "$@" "$T/in" | pstat --json | jq .samples; }
	[ "$(kept --pid "$(cat "$T/ns.pid")" --comms bash)" -gt 0 ]
	while read -r test; do
		[ "$(kept --pid "$(cat "$T/ns.pid")" --comms bash --filter "$test")" = "$(kept --pid "$(cat "$T/ns.pid")" --comms bash)" ] || failed "$test"
		case $test in ns.net*|ns.mnt*|ns.uts*|ns.ipc*)		# before unshare it was in others
			[ "$(kept --comms perf-exec --filter "$test")" = 0 ] || failed "$test: outside"
		esac
	done <"$T/ns"
	done_all
}

@test "container: callchain.dso and the numbers of frames: as perf script lists them" {
	need perf
	need jq
	local f dso n=0 samples user kernel test
	for f in "$CORPUS"/own/a_g.pipe.data "$CORPUS"/own/callgraph_kernel.pipe.data data/g_fp.pipe.data; do
		[ -e "$f" ] || continue
		perf script -f --no-inline --ns -F tid,time,ip -i "$f" 2>/dev/null </dev/null |
		    awk 'BEGIN { RS = ""; FS = "\n" } { u = k = 0; for (i = 2; i <= NF; i++) if ($i ~ /^[ \t]*ffffffff/) k++; else u++; print u, k }' | sort | uniq -c >"$T/frames"
		while read -r samples user kernel; do
			got=$(pfilter -q --filter "callchain.user.nr == $user and callchain.kernel.nr == $kernel" "$f" | pstat --json | jq .samples)
			[ "$got" = "$samples" ] || failed "$f: $user and $kernel frames: $got samples, perf: $samples"
		done < <(head -n 20 "$T/frames" | each 3)
		perf script -f --no-inline --ns -F tid,time,ip,dso -i "$f" 2>/dev/null </dev/null >"$T/dsos"
		for dso in '[kernel.kallsyms]' '[vdso]' $(sed -n 's/.*(\(\/[^() ]*\))$/\1/p' "$T/dsos" | grep -v 'perf-.*map' | sort | uniq -c | sort -rn | awk 'NR <= 3 { print $2 }'); do
			awk -v dso="($dso)" 'BEGIN { RS = ""; FS = "\n" } index($0, dso) { split($1, w, " "); print w[1], w[2] }' "$T/dsos" | sort >"$T/want"
			awk -v dso="($dso)" 'BEGIN { RS = ""; FS = "\n" } !index($0, dso) { split($1, w, " "); print w[1], w[2] }' "$T/dsos" | sort >"$T/wantnot"
			for test in "callchain.dso == '$dso'" "callchain.dso in ('$dso', 'x')" "callchain.dso ~ '\\$dso'" "not (callchain.dso == '$dso')"; do
				turn 7 || continue
				pfilter -q --filter "$test" "$f" | perf script -f --ns -F tid,time,ip -i - 2>/dev/null |
				    awk 'BEGIN { RS = ""; FS = "\n" } { split($1, w, " "); print w[1], w[2] }' | sort >"$T/got"
				case $test in not*) cmp "$T/wantnot" "$T/got";; *) cmp "$T/want" "$T/got";; esac || failed "$f: $test"
				n=$((n + 1))
			done
		done
	done
	[ $n -gt 0 ]
	done_all
}

@test "container: callchain.dso, callchain.user.nr, callchain.kernel.nr: made call chains, and what is refused" {
	need perf
	cat >"$T/in.txt" <<-'END'
	attr type=1 config=0 period=1 sample_type=IDENTIFIER|IP|TID|TIME|CALLCHAIN flags=sample_id_all|mmap|comm|ksymbol ids=11
	attr type=1 config=1 period=1 sample_type=IDENTIFIER|IP|TID|TIME flags=sample_id_all ids=12
	EVENT_UPDATE update_type=2 id=11 z=deep
	EVENT_UPDATE update_type=2 id=12 z=flat
	MMAP2 misc=2 pid=1 tid=1 start=0x1000 len=0x1000 prot=5 flags=2 filename=/lib/one.so
	MMAP2 misc=2 pid=1 tid=1 start=0x2000 len=0x1000 prot=5 flags=2 filename=/lib/two.so
	MMAP misc=1 pid=-1 tid=0 start=0xffffffff81000000 len=0x1000000 pgoff=0xffffffff81000000 filename=[kernel.kallsyms]_text
	KSYMBOL addr=0xffffffffc0100000 len=0x100 ksym_type=1 name=bpf_prog_1234_one
	SAMPLE id=11 misc=2 ip=0x1800 pid=1 tid=1 time=1 chain=-512,0x1800,0x1900,0x2800
	SAMPLE id=11 misc=1 ip=0xffffffff81000010 pid=1 tid=1 time=2 chain=-128,0xffffffff81000010,0xffffffffc0100010,-512,0x2800
	SAMPLE id=11 misc=2 ip=0x1800 pid=1 tid=1 time=3 chain=0x1800
	SAMPLE id=11 misc=1 ip=0xffffffff81000010 pid=1 tid=1 time=4 chain=-128,0xffffffff81000010,-640,0x1800
	SAMPLE id=11 misc=2 ip=0x1800 pid=1 tid=1 time=5
	SAMPLE id=11 misc=2 ip=0x1800 pid=2 tid=2 time=6 chain=-512,0x1800,-2560,0x1800
	SAMPLE id=12 ev=1 misc=2 ip=0x1800 pid=1 tid=1 time=7
	FINISHED_ROUND
	END
	mkpipe "$T/in.txt" >"$T/in"
	while IFS='|' read -r want filter; do
		chosen "$want" --filter "$filter"
	done <<-'END'
		1 3|callchain.dso == "/lib/one.so"
		1 3|"/lib/one.so" == callchain.dso
		1 2|callchain.dso ~ "*two*"
		1 2 3|callchain.dso =~ "one.so$|two"
		2|callchain.dso in ("bpf_prog_1234_one", "one.so")
		2|callchain.dso ~ "bpf*"
		2 4|callchain.dso == "[kernel.kallsyms]"
		2 4 5 6|not (callchain.dso == "/lib/one.so")
		4 5 6|callchain.dso not in ("/lib/one.so", "/lib/two.so")
		1 2 3 4 5 6|exists(callchain.dso)
		1|callchain.dso == "/lib/one.so" and callchain.dso == "/lib/two.so"
		1|callchain.user.nr == 3
		3 6|callchain.user.nr == 1 and callchain.kernel.nr == 0
		2|callchain.kernel.nr == 2 && callchain.user.nr == 1
		4|callchain.kernel.nr == 1 && callchain.user.nr == 0
		5|callchain.kernel.nr + callchain.user.nr == 0
		1 3 6|callchain in (0x1800)
		2 4|callchain in (0xffffffff81000010)
		4|callchain.nr == 4 && callchain not in (0..0x2fff)
		6|callchain.dso == "[unknown]"
		6|callchain.dso in ("[unknown]", "x") and callchain.dso ~ "*known]"
		1 2 3 4 5|not (callchain.dso == "[unknown]")
	END
	while IFS='|' read -r filter text; do
		try pfilter --filter "$filter" "$T/in"
		[ $rc = 2 ] && grep -qF -- "pfilter: --filter: $text" "$T/err" || failed "$filter"
	done <<-'END'
		callchain.dso != "x"|callchain.dso is the files of all frames: write not (callchain.dso == ...)
		callchain.dso !~ "x"|callchain.dso is the files of all frames: write not
		callchain.dso !=~ "x"|callchain.dso is the files of all frames: write not
		"x" != callchain.dso|callchain.dso is the files of all frames: write not
		callchain.dso == comm|callchain.dso is compared with a string in quotes only
		callchain.dso < "x"|callchain.dso has == ~ =~ in
		len(callchain.dso) > 1|callchain.dso has == ~ =~ in
		default(callchain.dso, "x") == "x"|callchain.dso has == ~ =~ in
		callchain.dso|expected a number, found text
	END
	done_all
}
