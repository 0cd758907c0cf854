#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""tables.py - is what pfilter --span-period makes of a recording what perf's own tables say?

	tables.py KIND PERF FILE	KIND is a name of --span, PERF a command, FILE a perf.data

Prints how many rows are the same, and those that differ for no reason that is known here; status 1 if there are some, 3: perf has no table.  The reasons are
said where they are looked for.  Names of system calls and of functions that work queues call are not compared: rows are those of the
same thread or CPU, with the same counts and times.
"""
import json, re, subprocess, sys
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


def samples(path):
    """Of all switches and wakeups: time, event, text."""
    for line in run("perf", "script", "-f", "-i", path, "--ns", "-F", "time,event,trace").decode(errors="replace").splitlines():
        m = re.match(r" *(\d+)\.(\d{9}): +(\S+): *(.*)", line)
        if m:
            yield int(m[1] + m[2]), m[3], m[4]


def by_task(name, path):
    """By thread: ends of spans that end with a switch to it, in ns, and their lengths."""
    ours = defaultdict(dict)
    for line in spans(name, path, "time,period,event,trace", "--span-end"):
        m = re.match(r" *(\d+)\.(\d{9}): +(\d+) +\S+: .*next_pid=(\d+)", line)
        ours[int(m[4])][int(m[1] + m[2])] = int(m[3])
    return ours


def timehist(perf, path, column):
    """By thread: when it was switched to, in us, and that column: 0 wait time, 1 sch delay."""
    theirs = defaultdict(list)
    for line in table(perf, "sched", "timehist", "-f", "-i", path):
        m = re.match(r" *(\d+)\.(\d{6}) \[\d+\]  .*?(?:\[(-?\d+)(?:/-?\d+)?\])?" + 3 * NUMBER + " *$", line)
        if m and m[3]:                          # not the idle task
            run_time = round(float(m[6]) * 1000)
            theirs[int(m[3])].append((int(m[1] + m[2]) - run_time, round(float(m[4 + column]) * 1000)))
    return theirs


def compare_timehist(kind, perf, path):
    """offcpu: wait time; wakeup: sch delay.  A line of timehist is of a thread that stops: it tells when that was switched to."""
    ours, theirs = by_task(kind, path), timehist(perf, path, kind == "wakeup")
    if not theirs:
        sys.exit(3)
    same, bad, odd = 0, [], []
    # perf counts all threads that had their exit as one, -1; these lines are of nobody
    gone = len(theirs.pop(-1, []))
    out, woken = defaultdict(list), defaultdict(list)
    for time, event, text in samples(path):
        m = re.search(r"prev_pid=(\d+)", text) if event.endswith("sched_switch") else None
        if m:
            out[int(m[1])].append(time)
        elif event.endswith(("waking", "wakeup_new")):
            woken[int(re.search(r" pid=(\d+)", " " + text)[1])].append(time)
    for tid, rows in theirs.items():
        ends = sorted(ours.get(tid, {}).items())
        for start, theirs_us in rows:
            at = [i for i, (end, _) in enumerate(ends) if abs(end // 1000 - start) <= 2]
            mine = ends.pop(at[0]) if at else None
            if mine and abs(mine[1] / 1000 - theirs_us) <= 1:
                same += 1
            elif not mine and not theirs_us:    # its first time here; or it was not woken, but had been preempted
                same += 1
            else:
                bad.append((tid, start, theirs_us, mine))
        # the last run of a thread has no line of its own, if it ends with the exit or the recording; runs after the exit neither
        odd.extend((tid, end, "no line of perf", length) for end, length in ends if end != max(ours[tid]))
    bad_rows.extend(odd[gone:])
    reasons = []
    for tid, start, theirs_us, mine in bad:
        # the recording lacks a switch to or from it: perf goes on by the switches of its CPU
        before = [t for t in out[tid] if t // 1000 <= start]
        missing = not mine and (before or woken[tid])
        # it was woken while it ran, and stopped later: perf knows that it ran, and has no delay
        ran = mine and kind == "wakeup" and any(mine[0] - mine[1] <= t < mine[0] for t in out[tid])
        # woken twice: perf counts from the first time
        twice = kind == "wakeup" and mine and [t for t in woken[tid] if mine[0] - theirs_us * 1000 - 1500 <= t < mine[0] - mine[1]]
        (reasons if missing or ran or twice else bad_rows).append((tid, start, theirs_us, mine))
    print(f"{kind}: {same} same, {gone} of gone threads, {len(reasons)} with a reason")
    return same > 2 * len(reasons) and not bad_rows


def compare_rows(kind, ours, theirs, slack):
    """Counters of (group, count, total in us, longest in us); times may differ by rounding."""
    same, left = 0, []
    if not theirs:
        sys.exit(3)
    for row in sorted(theirs, key=lambda r: -r[2]):
        near = [o for o in ours if o[0] == row[0] and o[1] == row[1] and abs(o[2] - row[2]) <= slack * row[1] + 1 and abs(o[3] - row[3]) <= 1]
        if near:
            ours.remove(min(near, key=lambda o: abs(o[2] - row[2]) + abs(o[3] - row[3])))
            same += 1
        else:
            left.append(row)
    print(f"{kind}: {same} same")
    bad_rows.extend(left + ours)
    return same > 0 and not bad_rows


def sums(values):
    """Lists of ns by key: (group, count, total in us, longest in us) for each."""
    return [(k[0], len(v), sum(v) / 1000, max(v) / 1000) for k, v in values.items()]


def compare_latency(kind, perf, path):
    """sched latency -p, of perf since 6.12, which knows threads that are preempted."""
    theirs, ours, ran = [], defaultdict(list), set()
    for line in table(perf, "sched", "latency", "-p", "-f", "-i", path):
        m = re.match(r" *.*?:(\d+) *\| *[\d.]+ ms \| *(\d+) \| avg: *([\d.]+) ms \| max: *([\d.]+) ms", line)
        if m:
            theirs.append((m[1], int(m[2]), float(m[3]) * 1000 * int(m[2]), float(m[4]) * 1000))
    running, waiting, heard, first = set(), set(), set(), set()
    for _, event, text in samples(path):
        if event.endswith("sched_switch"):
            m = re.search(r"prev_pid=(\d+).*prev_state=(\S+).*next_pid=(\d+)", text)
            out, into = m[1], m[3]
            if (out in heard and out not in running) or into in running:
                ran.update({out, into} - {"0"})         # a switch is missing
            first |= {into} - heard - {out}             # perf counts this as a wait of 0
            running = running - {out} | {into}
            waiting = (waiting | {out} if m[2][0] == "R" else waiting - {out}) - {into}
            heard |= {out, into}
        if not event.endswith(("waking", "wakeup_new")):
            continue
        tid = re.search(r" pid=(\d+)", " " + text)[1]
        heard.add(tid)
        if tid in running or tid in waiting:
            ran.add(tid)                                # perf has no delay, or counts from the time that it could run
        waiting.add(tid)
    for tid, ends in by_task(kind, path).items():
        ours[(str(tid),)] += ends.values()
    print(f"{len(ran)} were woken while they ran or waited, or lack a switch")
    ours = [o for o in sums(ours) if o[0] not in ran]
    return compare_rows(kind, ours, [(t[0], t[1] - (t[0] in first), *t[2:]) for t in theirs if t[0] not in ran and t[1] > (t[0] in first)], 0.6)


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
    counts = run("pfilter", "-n", "-q", "--stats=json", "--span", kind, "--span-period", path, stderr=subprocess.STDOUT)
    counts = json.loads(counts)["spans"][0]     # perf has those that begin again, when spinning for a mutex has not helped
    near = abs(o[1] - theirs[0][1]) <= counts["replaced"] + counts["unended"] and abs(o[2] - theirs[0][2]) <= .006 * o[2] and abs(o[3] - theirs[0][3]) <= .006 * o[3] + .01
    print(f"{kind}: {o[1]} of {theirs[0][1]}")
    if not near:
        bad_rows.extend([o, theirs[0]])
    return near


KINDS = {"offcpu": compare_timehist, "wakeup": compare_timehist, "runq": compare_latency, "irq": compare_kwork, "softirq": compare_kwork,
         "softirq-wait": compare_kwork, "work": compare_kwork, "work-wait": compare_kwork, "syscall": compare_trace, "lock": compare_lock}
good = KINDS[sys.argv[1]](*sys.argv[1:4])
print(*sorted(bad_rows)[:40], sep="\n", end="\n" if bad_rows else "")
sys.exit(not good)
