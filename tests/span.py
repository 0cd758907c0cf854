#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""span.py - which lines of perf script pfilter --span NAME should keep

	perf script --ns -F tid,cpu,time,event,trace ... | span.py NAME NANOSECONDS
	... | span.py --lengths NAME

Reads fields in what perf prints of a tracepoint.  Prints the first and the last line of each span that is longer, sorted; or the length
and the first line of each span that ends.
"""
import re, sys

PID, WORK = r" pid=(\d+)", r"work struct (\w+)"
WAKES, OUT = "sched:sched_waking sched:sched_wakeup sched:sched_wakeup_new", ("sched:sched_switch", r" prev_pid=([1-9]\d*)")
ROWS = {  # BEGIN, END: events and the key in what they print; which of tid and cpu belongs to the key, too; CANCEL, if there is one
    "irq": ("irq:irq_handler_entry", r"irq=(\d+)", "irq:irq_handler_exit", r"irq=(\d+)", "cpu"),
    "softirq": ("irq:softirq_entry", r"vec=(\d+)", "irq:softirq_exit", r"vec=(\d+)", "cpu"),
    "block": ("block:block_rq_issue", r"(\d+,\d+) .*\) (\d+) \+", "block:block_rq_complete", r"(\d+,\d+) .*\) (\d+) \+", ""),
    "offcpu": ("sched:sched_switch", r" prev_pid=([1-9]\d*)", "sched:sched_switch", r" next_pid=(\d+)", ""),
    "wakeup": (WAKES, PID, "sched:sched_switch", r" next_pid=(\d+)", "", *OUT),
    "lock": ("lock:contention_begin", r"(0x\w+)", "lock:contention_end", r"(0x\w+)", "tid", "", ""),
    "work": ("workqueue:workqueue_execute_start", WORK, "workqueue:workqueue_execute_end", WORK, ""),
    "syscall": ("raw_syscalls:sys_enter", "()", "raw_syscalls:sys_exit", "()", "tid"),
    "runq": (WAKES + " sched:sched_switch", PID + r"| prev_pid=([1-9]\d*) .* prev_state=R", "sched:sched_switch",
             r" next_pid=(\d+)", "", *OUT),
    "softirq-wait": ("irq:softirq_raise", r"vec=(\d+)", "irq:softirq_entry", r"vec=(\d+)", "cpu"),
    "work-wait": ("workqueue:workqueue_activate_work", WORK, "workqueue:workqueue_execute_start", WORK, ""),
    "kvm": ("kvm:kvm_exit", "()", "kvm:kvm_entry", "()", "tid"),
    "exec": ("sched:sched_process_fork", r"child_pid=(\d+)", "sched:sched_process_exec", PID, ""),
    "task": ("sched:sched_process_fork", r"child_pid=(\d+)", "sched:sched_process_exit", PID, ""),
}


def main():
    lengths = sys.argv[1] == "--lengths"
    begin, begin_key, end, end_key, own, *cancel = ROWS[sys.argv[1 + lengths]]
    parts = [(end, end_key, "end"), (cancel[0], cancel[1], "cancel")] if cancel else [(end, end_key, "end")]
    longer, open, kept, last = 0 if lengths else int(sys.argv[2]), {}, set(), 0
    lines = [x.rstrip("\n") for x in sys.stdin]
    for i, line in enumerate(lines):
        m = re.match(r" *(-?\d+) \[(\d+)\] *(\d+)\.(\d{9}): +(\S+): (.*)", line)
        last = time = int(m[3] + m[4])
        fixed = {"tid": m[1], "cpu": m[2], "": ""}[own]
        for events, pattern, part in (*parts, (begin, begin_key, "begin")):
            k = re.search(pattern, " " + m[6]) if m[5] in events.split() else None
            if not k:
                continue
            key = fixed, *(g for g in k.groups() if g is not None)
            if part == "begin" and cancel and key in open:
                continue
            before = open.pop(key, None)
            if lengths and before and part == "end":
                print(time - before[0], lines[before[1]])
            if before and time - before[0] > longer:
                kept |= {before[1], i} if part == "end" else {before[1]}
            if part == "begin":
                open[key] = time, i
    if lengths:
        return
    kept |= {i for time, i in open.values() if last - time > longer}
    print(*sorted(lines[i] for i in kept), sep="\n")


main()
