# SPDX-License-Identifier: ISC
# Slurm with two nodes, which are slurmds of ours on this machine: one dies in mid-run, and its task is run again.
BATS_TEST_DIRNAME=${BATS_TEST_DIRNAME%/fleet}
PATH=$PATH:/usr/sbin
load lib
load fleet/fleet

cluster() {
	local p i port host
	for p in munged slurmctld slurmd sbatch squeue sinfo; do need $p; done
	S=$T/slurm
	mkdir -p "$S/run" "$S/state" "$S/spool/n1" "$S/spool/n2" "$S/log" "$T/bin"
	chmod 700 "$S/run"
	head -c 1024 /dev/urandom >"$S/run/key"
	chmod 600 "$S/run/key"
	host=$(hostname -s) port=$((20000 + RANDOM % 12000))
	cat >"$S/slurm.conf" <<-END
		ClusterName=perfpipe
		SlurmctldHost=$host(127.0.0.1)
		SlurmUser=$(id -un)
		SlurmdUser=$(id -un)
		AuthType=auth/munge
		AuthInfo=socket=$S/run/munge.socket,cred_expire=6
		CredType=cred/munge
		BatchStartTimeout=5
		StateSaveLocation=$S/state
		SlurmdSpoolDir=$S/spool/%n
		SlurmctldPidFile=$S/run/ctld.pid
		SlurmdPidFile=$S/run/%n.pid
		SlurmctldLogFile=$S/log/ctld.log
		SlurmdLogFile=$S/log/%n.log
		SlurmctldPort=$port
		SlurmctldTimeout=10
		SlurmdTimeout=4
		MinJobAge=300
		KillWait=3
		ReturnToService=2
		SchedulerType=sched/builtin
		SelectType=select/cons_tres
		SelectTypeParameters=CR_CPU
		ProctrackType=proctrack/linuxproc
		TaskPlugin=task/none
		JobAcctGatherType=jobacct_gather/none
		AccountingStorageType=accounting_storage/none
		JobCompType=jobcomp/none
		MpiDefault=none
		SwitchType=switch/none
		JobRequeue=1
		NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 1)) CPUs=1 State=UNKNOWN
		NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 2)) CPUs=1 State=UNKNOWN
		PartitionName=all Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
	END
	export SLURM_CONF=$S/slurm.conf
	munged --socket="$S/run/munge.socket" --key-file="$S/run/key" --pid-file="$S/run/munged.pid" --log-file="$S/log/munged.log" \
	    --seed-file="$S/run/seed" --force </dev/null >"$T/err" 2>&1 3>&- || skip "munged does not run here: $(tail -n 1 "$T/err")"
	slurmctld -i </dev/null >"$T/err" 2>&1 3>&- || skip "slurmctld does not run here: $(tail -n 1 "$T/err")"
	for i in n1 n2; do
		slurmd -N $i </dev/null >"$T/err" 2>&1 3>&- ||
		    skip "slurmd does not run here: $(sed -n 's/.* error: //p' "$T/err" "$S/log/$i.log" 2>/dev/null | tail -n 3 | paste -sd';')"
	done
	for i in $(seq 150); do
		[ "$(sinfo -h -t idle -o %D 2>/dev/null)" != 2 ] || return 0
		sleep 0.1
	done
	skip "no nodes here: $(tail -n 1 "$S/log/ctld.log")"
}
teardown() {
	local f pid pids=()
	for f in "$T"/slurm/run/n?.pid "$T"/slurm/run/ctld.pid "$T"/slurm/run/munged.pid; do
		[ -s "$f" ] || continue
		pid=$(cat "$f")
		! kill "$pid" 2>/dev/null || pids+=("$pid")
	done
	[ ! -s "$T/fallen" ] || kill -9 $(cat "$T/fallen") 2>/dev/null || true
	# what they write at their end is in $T, which goes away
	for pid in "${pids[@]}"; do await [ ! -d "/proc/$pid" ] || kill -9 "$pid"; done
}
# finished JOB: within 90 seconds
finished() {
	local i
	for i in $(seq 180); do
		[ -n "$(squeue -h -j "$1" 2>"$T/err")" ] || [ -s "$T/err" ] || return 0
		sleep 0.5
	done
	squeue
	return 1
}

@test "fleet: Slurm: one of two nodes dies, its task is run again, and parts and pieces give what one run gives" {
	cluster
	whole
	# what runs on the second node first never ends; above it are part.sh, the script, and slurmstepd
	cat >"$T/bin/perfpipe" <<-END
		#!/bin/bash
		if [ "\$1" = pfilter ] && [ "\$SLURMD_NODENAME" = n2 ] && mkdir "$T/first" 2>/dev/null; then
			p=\$\$ all=
			for i in 1 2 3 4; do all="\$all \$p"; p=\$(ps -o ppid= -p \$p | tr -d ' '); done
			echo \$all >"$T/fallen.new"
			mv "$T/fallen.new" "$T/fallen"
			exec sleep 80
		fi
		exec "$(type -P perfpipe)" "\$@"
	END
	chmod +x "$T/bin/perfpipe"
	mkdir "$T/out" "$T/pieces"
	export FLEET
	PATH=$T/bin:$PATH
	job=$(sbatch --parsable -o "$T/log-%a" --array=1-$N "$FLEET/slurm.sbatch" "$T/out" "$T/parts.tsv" $SELECT 3>&-)
	await [ -s "$T/fallen" ] || { cat "$T"/log-*; squeue; failed "the second node did nothing"; }
	kill -9 "$(cat "$S/run/n2.pid")" $(cat "$T/fallen")
	rm "$S/run/n2.pid"
	finished "$job" || failed "not finished: $(tail -n 5 "$S/log/ctld.log")"
	results=("$T"/out/p.*)
	[ ${#results[@]} = $N ] || failed "results: $(ls -A "$T/out"): $(cat "$T"/log-*)"
	psort --merge --merge-attrs --remap-pids=never "${results[@]}" >"$T/all"
	cmp "$T/all" "$T/want" || failed parts
	# pieces, on the node that is left
	job=$(sbatch --parsable -o "$T/log-%a" --array=1-3 "$FLEET/slurm.sbatch" "$T/pieces" "$T/whole/" $SELECT 3>&-)
	finished "$job" || failed "pieces: not finished"
	results=("$T"/pieces/*_3)
	[ ${#results[@]} = 3 ] || failed "pieces: $(ls -A "$T/pieces"): $(cat "$T"/log-*)"
	psort --merge --merge-attrs --remap-pids=never "${results[@]}" >"$T/all"
	same "$T/all" || failed pieces
	done_all
}
