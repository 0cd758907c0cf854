# SPDX-License-Identifier: ISC
# pfilter --span NAME --span-period: what perf has tables for is the same there; tables.py says why some rows differ.
load lib

# what happens while the recording lasts
work() {
	for ((i = 0; i < ${1-2}; i++)); do
		gzip -c /bin/bash >"$T/gz"
		sleep 0.005
	done
	(sleep 0.005 & exec true)
	wait
	dd if=/dev/zero of="$T/file" bs=64k count=4 conv=fsync 2>/dev/null
}

# recorded EVENTS [OPTION...]: make $T/record, or fail
recorded() {
	local events=$1
	shift
	perf record -q -m 4096 -e "$events" "$@" -o "$T/record" -- bash -c "T=$T; $(declare -f work); work" >/dev/null 2>&1 </dev/null
}

# tables VERSION KIND...: with the perfs of $PERFS since (6.12) or before (6.1) a version, or with all of them (-)
tables() {
	local which=$1 kind p major minor rc
	shift
	for p in $PERFS; do
		read -r major minor < <($p version | sed -n 's/[^0-9]*\([0-9]*\)\.\([0-9]*\).*/\1 \2/p')
		case $which-$((major * 100 + minor >= 612)) in
		6.1-1 | 6.12-0) continue;;
		esac
		for kind; do
			rc=0
			python3 tables.py "$kind" "$p" "$T/record" >"$T/table" 2>"$T/err" || rc=$?
			case $rc in
			0) SAME=$((SAME + 1));;
			3) ;;
			*) failed "$p $kind: $(head -n 12 "$T/table")";;
			esac
		done
	done
}

@test "span tables: perf sched timehist, sched latency, trace -s, kwork, lock contention say the same" {
	need record
	need python3
	SAME=0
	if turn 4 && recorded sched:sched_switch,sched:sched_waking,sched:sched_wakeup,sched:sched_wakeup_new -a; then
		tables - offcpu latency
		tables 6.1 wakeup
		tables 6.12 runq
	fi
	if turn 4 && recorded 'raw_syscalls:*'; then
		tables - syscall
	fi
	if turn 4 && recorded 'irq:irq_handler_*,irq:softirq_*,workqueue:workqueue_*' -a; then
		tables - irq softirq softirq-wait work work-wait
	fi
	if turn 4 && recorded 'lock:contention_*' -a; then
		tables - lock
	fi
	done_all
	[ $SAME -gt 0 ] || skip "perf makes no table here"
}
