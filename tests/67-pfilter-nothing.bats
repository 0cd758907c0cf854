# SPDX-License-Identifier: ISC
# pfilter: the message when nothing matches.
load lib
load spread

# like spread, with names, files, a thread that is no process, and cgroups
lived_in() {
	{
		echo "attr type=1 config=0 period=1 sample_type=IDENTIFIER|IP|TID|TIME|CPU|CGROUP flags=sample_id_all|comm|mmap|task ids=11"
		echo "EVENT_UPDATE update_type=2 id=11 z=cpu-clock"
		echo "CGROUP id=1 path=/user/one"
		echo "COMM pid=1 tid=1 comm=nginx"
		echo "COMM pid=2 tid=2 comm=postgres"
		echo "COMM pid=3 tid=3 comm=fifteen_letters"
		echo "COMM pid=9 tid=9 comm=never-sampled"
		echo "FORK pid=1 ppid=1 tid=8 ptid=1"
		echo "MMAP2 misc=2 pid=1 tid=1 start=0x1000 len=0x1000 prot=5 flags=2 filename=/usr/lib/libcrypto.so.3"
		echo "MMAP2 misc=2 pid=2 tid=2 start=0x1000 len=0x1000 prot=5 flags=2 filename=/usr/bin/postgres"
		for i in 1 2 3 8; do echo "SAMPLE misc=2 ip=0x1800 pid=$((i % 7)) tid=$i time=1$((i))500000000 cpu=$((i % 4)) cgroup=1"; done
		echo FINISHED_ROUND
	} >"$T/lived.txt"
	mkpipe "$T/lived.txt" >"$T/lived"
	pcat --format=file -o "$T/lived.file" "$T/lived"
}

@test "nothing: if no sample is kept, one line gives the reason" {
	lived_in
	set -f
	for in in "$T/lived" "$T/lived.file"; do
		while IFS='|' read -r args text; do
			[ "$in" = "$T/lived" ] || turn 4 || continue
			IFS=' ' read -ra args <<<"$args"
			try pfilter "${args[@]}" "$in"
			[ $rc = 0 ] && one_line "pfilter: warning: none of 4 samples was kept" && grep -qF -- "$text" "$T/err" || failed "${args[*]}"
			turn 7 || continue
			try pfilter --fail-if-empty "${args[@]}" "$in"
			[ $rc = 1 ] && one_line "pfilter: warning: none of 4 samples was kept" || failed "${args[*]}: --fail-if-empty"
			try pfilter -q --fail-if-empty "${args[@]}" "$in"
			[ $rc = 1 ] && ! [ -s "$T/err" ] || failed "${args[*]}: -q"
			pfilter -q "${args[@]}" "$in" | cmp - "$T/out" || failed "${args[*]}: output"
		done <<-'END'
			--pid 4711|: none is of process 4711, and no other record refers to it
			--pid 9,4711-4712|: none is of process 9, 4711-4712
			--pid 101,103,105,107,109,111|: none is of process 101, 103, 105, 107, 109, ..., and no other
			--time 1,2 --time 3,4 --time 5,6 --time 7,8 --time 9,10 --time 21,22|7.000000000,8.000000000 or 9.000000000,10.000000000 ...; they are
			--every 100|: --every, --sample and --max-rate drop all of them
			--pid 8|; 8 is a thread of process 1 (--tid)
			--tid 4711|: none is of thread 4711, and no other record refers to it
			--exclude-pid 0-10|: --exclude-pid drops all of them
			--cpu 7|: none is of CPU 7; they are of CPU 0-3
			--cpu 5 --pid 1|; of the 2 that the other options leave: none is of CPU 5; they are of CPU 0-1
			--time 1,2|: none is from 1.000000000,2.000000000; they are from 11.500000000 to 18.500000000 (a time after the first sample begins with +)
			--time 20,|: none is from 20.000000000,; they are from 11.5
			--pid 2 --time 13,|; of the 1 that the other options leave: none is from 13.000000000,; they are from 12.500000000 to 12.500000000
			--comms ngnix|: none is of a thread named ngnix; similar: nginx
			--comms post|; similar: postgres
			--comms Firefox|; there are nginx, postgres, fifteen_letters
			--comms ngnix*|: none is of a thread named ngnix*; similar: nginx
			--comms n[g]nix?|: none is of a thread named n[g]nix?; similar: nginx
			--comms posg*|: none is of a thread named posg*; similar: postgres
			--comms ?|; there are nginx, postgres, fifteen_letters
			--comms fifteen_letters_and_*|; comm has 15 characters at most: try 'fifteen_letters'
			--dsos libcripto*|: none is in libcripto*; similar: /usr/lib/libcrypto.so.3
			--cgroup /user/two|: none is of cgroup /user/two; similar: /user/one
			--cgroup *one/*|: none is of cgroup *one/*; similar: /user/one
			--exclude-cgroup /user|: --exclude-cgroup drops all of them
			--exclude-comms *|: --exclude-comms drops all of them
			--comms fifteen_letters_and_more|; comm has 15 characters at most: try 'fifteen_letters'
			--dsos libcrypto.so|: none is in libcrypto.so; similar: /usr/lib/libcrypto.so.3
			--dsos vmlinux|; there are /usr/lib/libcrypto.so.3, /usr/bin/postgres
			--cgroup one|: none is of cgroup one; similar: /user/one
			--exclude-comms nginx,postgres,fifteen_letters,:8|: --exclude-comms drops all of them
			--filter pid==99|: --filter is true for none
			--pid 0-10 --invert|: all of them match, and --invert drops those
			--max-samples 0|: --max-samples drops all of them
			-n --pid 4711|: none is of process 4711
			--exclude-cpu 0-9|: --exclude-cpu drops all of them
			--exclude-tid 0-10|: --exclude-tid drops all of them
			--exclude-dsos *|: --exclude-dsos drops all of them
			--sample 0.0000001|: --every, --sample and --max-rate drop all of them
			--around pid==99 --before 1ms|: --around is true for none
			--switch-off cpu-clock|: none is between --switch-on and --switch-off
			--cgroup /us?r/[!o]*|: none is of cgroup /us?r/[!o]*; similar: /user/one
			--dsos *.so|: none is in *.so; similar: /usr/lib/libcrypto.so.3
			--comms nginx --cgroup /user/[2-9]|; of the 2 that the other options leave: none is of cgroup /user/[2-9]
		END
	done
	done_all
}

@test "nothing: CPUs that are there, up to five ranges" {
	{
		echo "attr type=1 config=0 period=1 sample_type=IDENTIFIER|IP|TID|TIME|CPU ids=11"
		for cpu in 0 2 4 5 6 8 1023 9000; do echo "SAMPLE misc=2 ip=0x1800 pid=1 tid=1 time=1000 cpu=$cpu"; done
	} >"$T/cpus.txt"
	mkpipe "$T/cpus.txt" >"$T/cpus"
	try pfilter --cpu 3,7,9,11,13,15 "$T/cpus"
	one_line "pfilter: warning: none of 8 samples was kept: none is of CPU 3, 7, 9, 11, 13, ...; they are of CPU 0, 2, 4-6, 8, 1023" || failed "five"
	# a set of 1024: of those beyond it is none to be said
	sed '/cpu=[2-8]/d' "$T/cpus.txt" >"$T/few.txt"
	mkpipe "$T/few.txt" >"$T/few"
	try pfilter --cpu 3 "$T/few"
	one_line "pfilter: warning: none of 3 samples was kept: none is of CPU 3; they are of CPU 0, 1023" || failed "few"
	done_all
}

@test "nothing: what tracepoints say: tasks in payloads, spans, and the kernel's own name" {
	while IFS='|' read -r in args text; do
		IFS=' ' read -ra args <<<"$args"
		try pfilter -n "${args[@]}" "data/$in"
		[ $rc = 0 ] && grep -q "^pfilter: warning: none of [0-9]* samples was kept" "$T/err" && grep -qF -- "$text" "$T/err" || failed "${args[*]}"
	done <<-'END'
		sched.pipe.data|--payload-tasks --tid 99|: none is of thread 99, and no other record refers to it
		sched.pipe.data|--payload-tasks --pid 99|: none is of process 99, and no other record refers to it
		sched.pipe.data|--payload-tasks --comms pithon3|: none is of a thread named pithon3; similar: python3
		sched.pipe.data|--payload-tasks --exclude-pid 0-99999 --exclude-tid 0-99999|drops all of them
		sched.pipe.data|--span wakeup --longer-than 10s|: none is of a span as long as --longer-than and --shorter-than say; 62 spans began
		sched.pipe.data|--around prev_pid==99999 --before 1ms|: --around is true for none
		sched.pipe.data|--filter sched_switch{prev_pid==99999}|: --filter is true for none
		demo.data|--dsos kernel|: none is in kernel; similar: [kernel.kallsyms]_text
	END
	done_all
}

@test "nothing: no warning if samples are kept, are excluded by --type, or after another failure" {
	lived_in
	for args in "" "--fail-if-empty" "--comms nginx --fail-if-empty" "--type COMM" "--drop-type SAMPLE"; do
		try pfilter $args "$T/lived"
		[ $rc = 0 ] && ! [ -s "$T/err" ] || failed "$args"
	done
	head -c -3 "$T/lived" >"$T/cut"
	try pfilter --pid 4711 "$T/cut"
	[ $rc = 1 ] && one_line "pfilter: $T/cut: byte" || failed "a cut input"
	try pfilter --fail-if-empty --type COMM "$T/lived"
	[ $rc = 1 ] && ! [ -s "$T/err" ] || failed "--type COMM --fail-if-empty"
	# a recording without samples
	sed '/^SAMPLE/d' "$T/lived.txt" >"$T/none.txt"
	mkpipe "$T/none.txt" >"$T/none"
	try pfilter --pid 1 "$T/none"
	[ $rc = 0 ] && one_line "pfilter: warning: no sample was kept: the recording has none" || failed "no samples"
	done_all
}

@test "nothing: of many names the nearest are found" {
	sanitized && skip "a sanitizer has memory of its own"
	{
		echo "attr type=1 config=0 period=1 sample_type=IDENTIFIER|IP|TID|TIME|CPU flags=sample_id_all|comm ids=11"
		seq 20000 | awk '{ printf "COMM pid=%d tid=%d comm=name-%d\nSAMPLE ip=1 pid=%d tid=%d time=%d\n", $1, $1, $1, $1, $1, $1 }'
		echo FINISHED_ROUND
	} >"$T/names.txt"
	mkpipe "$T/names.txt" >"$T/names"
	try pfilter --comms nam-19876 "$T/names"
	[ $rc = 0 ] && grep -q 'similar: name-19876' "$T/err"
}
