# SPDX-License-Identifier: ISC
# pfilter: verdicts that are kept - from the arrival of a sample to its turn, and from one sample of a task to the next - are those
# that the state gives at its turn.
load lib

@test "state: verdicts on samples that wait while tasks begin, end and change are those of the same stream in order" {
	need jq
	cat >"$T/life.awk" <<-'END'
	# few tasks on four CPUs, whose buffers are read one after the other
	function r(n) { return int(rand() * n) }
	BEGIN {
		srand(seed)
		print "attr type=1 config=0 period=1 sample_type=IDENTIFIER|IP|TID|TIME|CPU|PERIOD|CGROUP flags=sample_id_all|mmap|comm|task|mmap2|comm_exec|cgroup ids=11"
		for (i = 0; i < tasks; i++)
			if (r(2))
				printf "COMM pid=%d tid=%d comm=n%d\n", 10 + i - r(2) * (i % 3), 10 + i, r(5)
		for (i = 0; i < 4; i++)
			printf "CGROUP id=%d path=/g/%d\n", i, r(4)
		for (base = 1000; base < 31000; base += 1000) {
			for (c = 0; c < 4; c++)
				for (t = base + r(400); t < base + 1600; t += 1 + r(60)) {
					tid = 10 + r(tasks); pid = r(4) ? tid - (tid % 3) : 10 + r(tasks)
					e = sprintf("@ pid=%d tid=%d time=%d cpu=%d id=11", pid, tid, t, c)
					x = r(each)
					if (x == 0) printf "COMM misc=%d pid=%d tid=%d comm=n%d %s\n", r(3) ? 0 : 8192, pid, tid, r(5), e
					else if (x == 1) printf "FORK misc=%d pid=%d ppid=%d tid=%d ptid=%d %s\n", r(6) ? 0 : 8192, pid, 10 + r(tasks), tid, 10 + r(tasks), e
					else if (x == 2) printf "EXIT pid=%d ppid=%d tid=%d ptid=%d %s\n", pid, pid, tid, tid, e
					else if (x == 3) printf "MMAP2 misc=%d pid=%d tid=%d start=%d len=4096 prot=5 flags=2 filename=/l/f%d %s\n", r(9) ? 2 : 1, r(40) ? pid : 4294967295, tid, 4096 * (1 + r(4)), r(5), e
					else if (x == 4) printf "CGROUP id=%d path=/g/%d %s\n", r(4), r(4), e
					else printf "SAMPLE misc=%d ip=%d pid=%d tid=%d time=%d cpu=%d period=1 cgroup=%d\n", r(5) ? 2 : 1, 4096 * (1 + r(4)) + r(4000), pid, tid, t, c, r(4)
				}
			print "FINISHED_ROUND"
		}
	}
	END
	samples() { pcat -q --format=jsonl --types SAMPLE --columns time,pid,tid,ip,cpu | sort; }
	for seed in 1 2 3; do
		awk -v seed=$seed -v tasks=$((3 + seed * 7)) -v each=$((seed * 40 - 30)) -f "$T/life.awk" >"$T/life.txt"
		mkpipe "$T/life.txt" >"$T/life"
		psort -q "$T/life" >"$T/sorted"
		while read -r args; do
			pfilter -q $args "$T/life" | samples >"$T/life.samples"
			pfilter -q --order=input $args "$T/sorted" | samples >"$T/sorted.samples"
			[ -s "$T/life.samples" ] || failed "seed $seed: $args: no samples"
			cmp -s "$T/life.samples" "$T/sorted.samples" || failed "seed $seed: $args: $(wc -l <"$T/life.samples") samples, $(wc -l <"$T/sorted.samples") in order"
		done <<-'END'
			--comms n1
			--exclude-comms n1 --invert
			--comms n1,n2 --inherit
			--pid 12,15 --inherit
			--dsos /l/f1,f2
			--dsos f1 --comms n1,n3
			--cgroup /g/1
			--cgroup /g/1,/g/2 --comms n1,n2,n4
			--exclude-dsos f0,[unknown] --inherit --pid 12,13,14
		END
	done
	done_all
}

@test "arrival: tasks that have ended, some of which are forgotten: any number of processes selects the same samples" {
	need python3
	python3 deaths.py 1 2500 >"$T/deaths.txt"
	mkpipe "$T/deaths.txt" >"$T/deaths"
	while read -r args; do
		pfilter -q $args "$T/deaths" >"$T/one"
		for n in 2 5; do
			pfilter -q $args --jobs $n "$T/deaths" >"$T/some"
			cmp -s "$T/one" "$T/some" || failed "$args: other samples by $n processes"
		done
	done <<-'END'
		--comms name3
		--exclude-comms name1
		--comms name3 --inherit
		--pid 10,11 --inherit
	END
	done_all
}

@test "arrival: a thread that an exec of another has ended is forgotten as others are, in order and while it waits" {
	need jq
	# 12 has no FORK, so that it descends by its process
	exec="COMM misc=8192 pid=10 tid=10 comm=go @ pid=10 tid=10 time=30 id=11"
	late="SAMPLE misc=1 ip=3 pid=10 tid=11 time=900,SAMPLE misc=1 ip=4 pid=11 tid=12 time=901"
	for order in "$late,$exec" "$exec,FINISHED_ROUND,$late,FINISHED_ROUND" "$exec,FINISHED_ROUND,FINISHED_ROUND,$late"; do
		{
			cat <<-END
			attr type=1 config=0 period=1 sample_type=IDENTIFIER|IP|TID|TIME|CPU flags=sample_id_all|mmap|comm|comm_exec|task ids=11
			COMM pid=5 tid=5 comm=sh
			COMM pid=10 tid=10 comm=go
			FORK pid=10 ppid=5 tid=11 ptid=5 @ pid=5 tid=5 time=10 id=11
			COMM pid=10 tid=11 comm=go @ pid=10 tid=11 time=11 id=11
			SAMPLE misc=1 ip=1 pid=10 tid=11 time=20
			SAMPLE misc=1 ip=2 pid=11 tid=12 time=21
			FINISHED_ROUND
			FINISHED_ROUND
			${order//,/$'\n'}
			END
			for i in $(seq 100 360); do
				echo "FORK pid=$i ppid=10 tid=$i ptid=10 @ pid=10 tid=10 time=$i id=11"
				echo "EXIT pid=$i ppid=10 tid=$i ptid=10 @ pid=$i tid=$i time=$i id=11"
			done
			echo FINISHED_ROUND
			echo SAMPLE misc=1 ip=5 pid=10 tid=11 time=902
			echo SAMPLE misc=1 ip=6 pid=11 tid=12 time=903
		} >"$T/exec.txt"
		mkpipe "$T/exec.txt" >"$T/exec"
		while read -r want args; do
			got=$(pfilter -q $args "$T/exec" | pcat -q --format=jsonl --types SAMPLE --columns ip | jq -r .ip | sort | tr -d '\n')
			[ "$got" = "$want" ] || failed "$order: $args: $got"
		done <<-'END'
			0x1 --comms go
			0x20x30x40x50x6 --comms :11,:12
			0x2 --pid 5 --inherit --exclude-comms go
		END
	done
	done_all
}
