#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""tables.py - is what pfilter --span-period makes of a recording what perf's own tables say?

	tables.py KIND PERF FILE	KIND is a name of --span, or latency, PERF a command, FILE a perf.data

Prints how many rows are the same, and those that differ for no reason that is known here; status 1 if there are some, 3: perf has no table.  The reasons are
said where they are looked for.  Names of system calls and of functions that work queues call are not compared: rows are those of the
same thread or CPU, with the same counts and times.
"""
import re, subprocess, sys
from collections import defaultdict

NUMBER = r" +([\d.]+)"
bad_rows = []


def run(*command, data=None, stderr=subprocess.DEVNULL):
    return subprocess.run(command, stdin=None if data else subprocess.DEVNULL, input=data, stdout=subprocess.PIPE, stderr=stderr).stdout


def table(*command):
    """Lines of what perf prints, some on standard error."""
    return run(*command, stderr=subprocess.STDOUT).decode(errors="replace").splitlines()


def spans(name, path, fields, *options):
    """Lines of perf script of the samples with lengths."""
    out = run("pfilter", "-q", "--span", name, "--span-period", *options, path)
    return run("perf", "script", "-i", "-", "--ns", "-F", fields, data=out).decode(errors="replace").splitlines() if out else []


def scheduled(path):
    """
    Of all switches, wakeups, ends and beginnings of threads, in time order: (time, cpu, what, thread, state, next thread, gone); only switches have the last
    three.  Of a thread that is gone, but for its last switch, samples have no number: -1.
    """
    for line in run("perf", "script", "-f", "-i", path, "--ns", "--show-task-events", "-F", "tid,cpu,time,event,trace").decode(errors="replace").splitlines():
        m = re.match(r" *(-?\d+) +\[(\d+)\] +(\d+)\.(\d{9}): +(\S.*)", line)
        if not m:
            continue
        at, text = (int(m[3] + m[4]), int(m[2])), m[5]
        if x := re.match(r"sched:sched_switch: .*prev_pid=(\d+) .*prev_state=(\S+) .*next_pid=(\d+)", text):
            yield *at, "switch", int(x[1]), x[2], int(x[3]), m[1] == "-1"
        elif x := re.match(r"sched:sched_(wak[a-z_]+): .*?\bpid=(\d+) prio=", text):
            yield *at, x[1], int(x[2]), "", 0, False
        elif x := re.match(r"PERF_RECORD_EXIT\(\d+:(\d+)\)", text):
            yield *at, "exit", int(x[1]), "", 0, False
        elif x := re.match(r"PERF_RECORD_FORK\(\d+:(\d+)\)", text):
            yield *at, "fork", int(x[1]), "", 0, False


def by_task(path, *span):
    """By thread: ends of spans that end with a switch to it, in ns, and their lengths."""
    ours = defaultdict(dict)
    for line in spans(span[0], path, "time,period,event,trace", "--span-end", *span[1:]):
        m = re.match(r" *(\d+)\.(\d{9}): +(\d+) +\S+: .*next_pid=(\d+)", line)
        ours[int(m[4])][int(m[1] + m[2])] = int(m[3])
    return ours


def since_612(perf):
    major, minor = re.search(r"(\d+)\.(\d+)", table(perf, "version")[0]).groups()
    return (int(major), int(minor)) >= (6, 12)


LATE = "its exit is in front of the switch to it"
WAKING, WAKEUP = ("waking", "wakeup_new"), ("wakeup", "wakeup_new")


def timehist_lines(path, newer):
    """
    What timehist computes, in ns: (time, cpu, thread, since when it ran, wait time, delay, cause), a line for each switch from a thread.  A thread
    can run from its first sched_waking behind the last switch from it, since perf 6.12 (`newer') also from a switch that preempts it.
    The cause says why a span has another length than the line.
    """
    ready, woken, last, of_cpu, into, unseen = {}, {}, {}, {}, {}, set()
    for time, cpu, what, tid, state, next, gone in scheduled(path):
        if what in WAKING + WAKEUP:
            woken[tid] = woken.get(tid) or time
        if what in WAKING:
            ready[tid] = ready.get(tid) or time
        if what == "fork":                      # another thread with this number
            for x in (ready, woken, last, into):
                x.pop(tid, None)
            unseen.discard(tid)
        elif what == "exit" and newer:          # a thread that had its exit is a new one: nothing is known of what it waited for
            ready.pop(tid, None)
            last.pop(tid, None)
            into[tid] = "after its exit"
        elif what == "exit":
            unseen |= {tid} - set(into)         # the thread that ends writes the record, and so had been switched to
        elif what == "switch":
            since = of_cpu.get(cpu, 0)
            cause = into.pop(tid, "") or ("" if since else "the first switch of the CPU")
            if since and cause not in ("after its exit", LATE, (since, cpu)):
                cause = "the recording lacks the switch to it"
            if cause == (since, cpu):
                cause = "" if ready.get(tid) == woken.get(tid) else "only sched_wakeup is behind the switch from it"
            if gone and not newer:              # all of these are one thread
                cause = "after its exit"
            who = -1 if gone and not newer else tid
            line = [since - x[who] if since and x.get(who) and x[who] <= since else 0 for x in (last, ready)]
            if tid:
                yield time, cpu, tid, since, *line, cause
            last[who], of_cpu[cpu], into[next] = time, time, (time, cpu) if next not in unseen else LATE
            ready[tid] = woken[tid] = time if newer and state[0] == "R" else 0


def compare_timehist(kind, perf, path):
    """offcpu: wait time; wakeup, and runq since perf 6.12: sch delay.  A line of timehist is of a thread that stops."""
    newer, ours = since_612(perf), by_task(path, kind)
    if newer == (kind == "wakeup") and kind != "offcpu":
        sys.exit(3)
    theirs = []
    for line in table(perf, "sched", "timehist", "-f", "-i", path):
        m = re.match(r" *(\d+)\.(\d{6}) \[(\d+)\]  (.*?)" + 3 * NUMBER + " *$", line)
        if m and not m[4].startswith("<idle>"):
            theirs.append((int(m[1] + m[2]), int(m[3]), m[4], round(float(m[5]) * 1000), round(float(m[6]) * 1000)))
    lines, same, causes, ran = list(timehist_lines(path, newer)), 0, defaultdict(int), set()
    if not theirs:
        sys.exit(3)
    if len(theirs) != len(lines):
        bad_rows.append(("lines", len(theirs), len(lines), ""))
    for got, (time, cpu, tid, since, wait, delay, cause) in zip(theirs, lines):
        one = re.search(r"\[-1(/\d+)?\]$", got[2])     # COMM[TID], or COMM[TID/PID]; perf gives what it has of all threads that are gone: only the time and the CPU are of this one
        if abs(got[0] - time // 1000) > 1 or got[1] != cpu or not one and (abs(got[3] - wait / 1000) > 1 or abs(got[4] - delay / 1000) > 1):
            bad_rows.append(("timehist says", got, "and not", (time, cpu, tid, wait, delay)))
        mine = ours[tid].get(since, 0)
        ran.add((tid, since))
        if mine == (wait if kind == "offcpu" else delay):
            same += 1
        elif cause:
            causes[cause] += 1
        else:
            bad_rows.append((kind, (time, cpu, tid, since, wait, delay), "the span has", mine))
    # a span has no line if the thread does not stop behind it in the recording, or if a switch is missing
    open = {e[5]: e[0] for e in scheduled(path) if e[2] == "switch"}
    for tid, ends in ours.items():
        for end in ends:
            if (tid, end) not in ran:
                causes["the last switch to it" if open.get(tid) == end else "the recording lacks the switch from it"] += 1
    print(f"{kind}: {same} same, {dict(causes)}")
    return same > sum(causes.values()) and not bad_rows


def compare_rows(kind, ours, theirs, slack):
    """Counters of (group, count, total in us, longest in us); times may differ by rounding."""
    if not theirs:
        sys.exit(3)
    near = [[j for j, o in enumerate(ours) if o[:2] == r[:2] and abs(o[2] - r[2]) <= slack * r[1] + 1 and abs(o[3] - r[3]) <= 1] for r in theirs]
    of = {}                                     # which of theirs a row of ours is

    def place(i, seen):
        """Find one of ours for row i of theirs, if need be by another one for a row that had it."""
        for j in near[i]:
            if j not in seen:
                seen.add(j)
                if j not in of or place(of[j], seen):
                    of[j] = i
                    return True
        return False

    same = sum(place(i, set()) for i in range(len(theirs)))
    left = [r for i, r in enumerate(theirs) if i not in of.values()]
    ours = [o for j, o in enumerate(ours) if j not in of]
    print(f"{kind}: {same} same")
    bad_rows.extend(left + ours)
    return same > 0 and not bad_rows


def sums(values):
    """Lists of ns by key: (group, count, total in us, longest in us) for each."""
    return [(k[0], len(v), sum(v) / 1000, max(v) / 1000) for k, v in values.items()]


def latencies(path, newer, wakes):
    """
    What sched latency computes: by thread its delays, in ns, and those of 0 that it makes up; threads without a switch to or from them.  One of the
    events `wakes' counts if perf takes the thread for asleep.
    """
    state, since, delays, made_up, running, lacks = {}, {}, defaultdict(list), defaultdict(int), {}, set()
    for time, cpu, what, tid, prev, next, _ in scheduled(path):
        if what in wakes and state.get(tid, "asleep") == "asleep":
            state[tid], since[tid] = "waits", time
        elif what == "fork":
            state.pop(tid, None)
            since.pop(tid, None)
        elif what == "switch":
            if running.get(cpu, tid) != tid:
                lacks |= {tid, running[cpu]}
            running[cpu] = next
            # before 6.12 perf does not know the state of a thread that is preempted, R+
            state[tid], since[tid] = "waits" if prev == "R" or (newer and prev[0] == "R") else "asleep", time
            made_up[next] += next not in state
            if state.get(next, "waits") == "waits":
                delays[next].append(time - since.get(next, time))
                state[next] = "runs"
        elif what == "exit" and state.get(tid) == "waits":
            lacks.add(tid)                      # it writes the record, and so had been switched to
    return delays, made_up, lacks


# as runq, but without threads that are preempted, and without sched_waking
BEFORE_612 = ('event ~ "sched:sched_wakeup*" or (event ~ "sched:sched_switch" and prev_pid != 0 and prev_state == 0); event ~ "sched:sched_switch";'
              'raw.pid | prev_pid = next_pid = prev_pid; event ~ "sched:sched_switch"')


def compare_latency(kind, perf, path):
    """sched latency -p, which has a row for each thread: how often it waited, the average and the longest delay."""
    newer = since_612(perf)
    ours, (delays, made_up, lacks) = by_task(path, "runq" if newer else BEFORE_612), latencies(path, newer, WAKING if newer else WAKEUP)
    all = latencies(path, newer, WAKING + WAKEUP)[0] if newer else delays
    rows = {}
    for line in table(perf, "sched", "latency", "-p", "-f", "-i", path):
        m = re.match(r" *.*?:(\d+) *\| *[\d.]+ ms \| *(\d+) \| avg: *([\d.]+) ms \| max: *([\d.]+) ms", line)
        if m:
            had, new = rows.get(int(m[1]), (0, 0, 0)), (int(m[2]), float(m[3]) * 1000, float(m[4]) * 1000)
            n = had[0] + new[0]                 # threads of one number have a row each
            rows[int(m[1])] = n, (had[0] * had[1] + new[0] * new[1]) / max(1, n), max(had[2], new[2])
    if not rows:
        sys.exit(3)
    same = 0
    for tid in set(rows) | {t for t in ours if ours[t]} - {0}:
        want = delays[tid]
        row, mine = rows.get(tid, (0, 0, 0)), sorted(ours[tid].values())
        if row[0] != len(want) or abs(row[1] - sum(want) / max(1, len(want)) / 1000) > 1 or abs(row[2] - max(want, default=0) / 1000) > 1:
            bad_rows.append((kind, tid, "perf has", row, "and not", len(want), sum(want)))
        if mine in (sorted(want)[made_up[tid]:], sorted(all[tid])[made_up[tid]:]):
            same += 1
        elif tid not in lacks:
            bad_rows.append((kind, tid, "perf has", sorted(want)[-9:], "spans", mine[-9:]))
    print(f"{kind}: {same} of {len(rows)} same, {len(lacks)} lack a switch")
    return same > len(rows) / 2 and not bad_rows


PAIRS = {"work": ("execute_start", "execute_end", r"work struct (\w+)"), "work-wait": ("activate_work", "execute_start", r"work struct (\w+)"), "softirq-wait": ("softirq_raise", "softirq_entry", r"vec=(\d+)")}


def waits_of(kind, path, by_cpu, stacked=False):
    """
    Times from begins to ends, by CPU and vec; by_cpu: if both were on the same CPU, as perf pairs them; stacked: a begin
    that another one replaced is used by an end that has none.
    """
    begin, end, pattern = PAIRS[kind]
    open, sums = {}, defaultdict(list)
    for line in run("perf", "script", "-f", "-i", path, "--ns", "-F", "cpu,time,event,trace").decode(errors="replace").splitlines():
        m = re.match(r" *\[(\d+)\] +(\d+)\.(\d{9}): +\S+:(\S+): *(.*)", line)
        if not m or not m[4].endswith((begin, end)):
            continue
        what = re.search(pattern, m[5])[1]
        key, time = (what, m[1] if by_cpu else ""), int(m[2] + m[3])
        if m[4].endswith(begin):
            open[key] = (open.get(key, []) if stacked else []) + [time]
        elif open.get(key):
            sums[f"{int(m[1]):04}", what if kind == "softirq-wait" else ""].append(time - open[key].pop())
    return sums


def compare_kwork(kind, perf, path):
    """kwork report, or latency for what waits: by CPU, and irq or vec; perf names a work by its first function."""
    of = {"irq": ("irq", r"irq=(\d+)"), "softirq": ("softirq", r"vec=(\d+)"), "work": ("workqueue", r"()")}[kind.split("-")[0]]
    by_name, ours, waits = defaultdict(list), defaultdict(list), kind.endswith("wait")
    for line in table(perf, "kwork", "-k", of[0], "latency" if waits else "report", "-f", "-i", path):
        m = re.match(r" *(\S.*?) +\| (\d+) +\| *([\d.]+) ms \| *(\d+) \| *([\d.]+) ms", line)
        if m:
            n, time = int(m[4]), float(m[3]) * 1000
            vec = "" if of[0] == "workqueue" else m[1].split(":")[-1]
            by_name[m[2], vec].append((n, time * (n if waits else 1), float(m[5]) * 1000))
    theirs = [(k[0], sum(x[0] for x in v), sum(x[1] for x in v), max(x[2] for x in v)) for k, v in by_name.items()]
    for line in spans(kind, path, "cpu,period,event,trace", "--span-end"):
        m = re.match(r" *\[(\d+)\] +(\d+) +\S+: *(.*)", line)
        ours[f"{int(m[1]):04}", re.search(of[1], m[3])[1]].append(int(m[2]))
    if kind in PAIRS:
        mine = waits_of(kind, path, kind == "softirq-wait")
        if {k: sorted(v) for k, v in ours.items()} != {k: sorted(v) for k, v in mine.items()}:
            bad_rows.append((kind, 0, 0, 0))
        # perf 6.1 finds an older begin of what waits, and was taken back, once more
        ours = waits_of(kind, path, True, waits and "perf version 6.1." in table(perf, "version")[0])
    return compare_rows(kind, sums(ours), theirs, 0.6)


def compare_trace(kind, perf, path):
    """trace -s: a row of ours is that of a thread and number of a call."""
    theirs, ours, tid = [], defaultdict(list), None
    for line in table(perf, "trace", "-s", "-f", "-i", path):
        if m := re.match(r" .* \((\d+)\), \d+ events", line):
            tid = m[1]
        elif m := re.match(r"   \S+ +(\d+) +\d+" + 4 * NUMBER + r" +[\d.]+%$", line):
            theirs.append((tid, int(m[1]), float(m[2]) * 1000, float(m[5]) * 1000))
    for line in spans(kind, path, "tid,period,event,trace"):
        m = re.match(r" *(-?\d+) +(\d+) +\S+: *NR (\d+)", line)
        ours[m[1], m[3]].append(int(m[2]))
    inside = {}
    for line in run("perf", "script", "-f", "-i", path, "--ns", "-F", "tid,event,trace").decode(errors="replace").splitlines():
        m = re.match(r" *(-?\d+) +\S+:sys_(\w+): *NR (-?\d+)", line)
        if m and m[2] == "exit" and m[1] not in inside:
            ours[m[1], m[3]].append(0)          # the return of a new thread from clone(): perf counts a call of no time
        elif m and m[2] == "exit" and (number := inside.pop(m[1])) != m[3]:
            ours.pop((m[1], number), None)      # rt_sigreturn() has number -1 when it returns: perf does not count it
        elif m and m[2] == "enter":
            inside[m[1]] = m[3]
    return compare_rows(kind, sums(ours), theirs, 0)


def compare_lock(kind, perf, path):
    """lock contention: all together."""
    theirs, ours = [], defaultdict(list)
    units = {"ns": .001, "us": 1, "ms": 1000, "s": 1e6}
    for line in table(perf, "lock", "contention", "-f", "-i", path):
        m = re.match(r" +(\d+)" + 2 * r" +([\d.]+) ([mun]?s)" + r" +[\d.]+ [mun]?s +(\S+) ", line + " ")
        if m:
            theirs.append((m[6], int(m[1]), float(m[2]) * units[m[3]], float(m[4]) * units[m[5]]))
    for line in spans(kind, path, "period,event,trace"):
        ours["all",].append(int(line.split()[0]))
    if not theirs:
        sys.exit(3)
    theirs = [("all", sum(t[1] for t in theirs), sum(t[2] for t in theirs), max((t[3] for t in theirs), default=0))]
    o = sums(ours)[0] if ours else ("all", 0, 0, 0)
    # perf counts a begin that has no end, too: after its EXIT a thread has no number by which an end is its own
    begins, pairs, open = 0, 0, set()
    for line in run("perf", "script", "-f", "-i", path, "-F", "tid,event,trace").decode(errors="replace").splitlines():
        if m := re.match(r" *(-?\d+) +lock:contention_(begin|end): *(0x[0-9a-f]+)", line):
            if m[2] == "begin":
                begins += 1
                open.add((m[1], m[3]))
            elif (m[1], m[3]) in open:
                pairs += 1
                open.remove((m[1], m[3]))
    near = o[1] == pairs and theirs[0][1] in (pairs, begins) and abs(o[2] - theirs[0][2]) <= .006 * o[2] and abs(o[3] - theirs[0][3]) <= .006 * o[3] + .01
    print(f"{kind}: {o[1]} of {theirs[0][1]}")
    if not near:
        bad_rows.extend([o, theirs[0]])
    return near


KINDS = {"offcpu": compare_timehist, "wakeup": compare_timehist, "runq": compare_timehist, "latency": compare_latency, "irq": compare_kwork, "softirq": compare_kwork,
         "softirq-wait": compare_kwork, "work": compare_kwork, "work-wait": compare_kwork, "syscall": compare_trace, "lock": compare_lock}
good = KINDS[sys.argv[1]](*sys.argv[1:4])
print(*sorted(bad_rows, key=str)[:40], sep="\n", end="\n" if bad_rows else "")
sys.exit(not good)
