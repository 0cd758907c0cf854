#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""lives.py SEED [ROUNDS] - a recipe for mkpipe: tasks that fork, exec, rename themselves, map, exit, whose numbers are
given out again; processes whose first thread ends before others, one of which may exec; seen by several CPUs, whose buffers are
written one after the other.  Options by SEED: see below."""
import random, sys

seed = int(sys.argv[1])
rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 12
rnd = random.Random(seed)
NUMBERS = range(100, 100 + rnd.choice([6, 12, 40]))	# few: they come back soon
CPUS = rnd.choice([1, 3, 6])
TWO = seed % 3 == 1					# a second event, with other fields
TRAILER = seed % 5 != 4					# sample_id_all
MARKED = seed % 7 != 6					# FINISHED_ROUND
out, now, asked = [], 1000, False
cpus = [[] for _ in range(CPUS)]
procs, tasks, dead = {}, {}, []				# pid: set of tids; tid: pid
leaderless = set()					# pids of processes whose first thread has ended


def put(text, event=0, task=None, cpu=None, timed=True):
    global now, asked
    now += rnd.choice([0, 1, 1, 3, 10] if text.startswith("SAMPLE") and asked else [1, 1, 3, 10])
    asked = text.startswith("SAMPLE")		# only samples may have the same time
    cpu = rnd.randrange(CPUS) if cpu is None else cpu
    pid, tid = task if task else (0, 0)
    common = "pid=%d tid=%d time=%d cpu=%d" % (pid, tid, now if timed else 0, cpu)
    if text.startswith("SAMPLE"):
        line = "%s id=%d %s period=1" % (text, 11 + 10 * event, common)
    elif TRAILER:
        line = "%s @ ev=%d %s id=%d" % (text, event, common, 11 + 10 * event)
    else:
        line = text
    (cpus[cpu] if timed else out).append(line)


def comm(tid, name, timed=True, execs=False):
    put("COMM misc=%d pid=%d tid=%d comm=%s" % (0x2000 * execs, tasks[tid], tid, name), 0, (tasks[tid], tid), timed=timed)


def mmap(tid, timed=True, all=False):
    start = 0x10000 * rnd.randrange(1, 12)
    size = 0x1000 * rnd.choice([1, 8, 16, 40])
    if all:
        start, size = 0x1000, 0x1000000
    name = "/lib/l%d" % rnd.randrange(30)
    kind = rnd.randrange(4)
    where = "pid=%d tid=%d start=%d len=%d pgoff=%d" % (tasks[tid], tid, start, size, 0x1000 * rnd.randrange(3))
    if kind == 0:
        text = "MMAP misc=2 %s filename=%s" % (where, name)
    else:
        text = "MMAP2 misc=2 %s maj=8 min=1 ino=%d ino_generation=1 prot=5 flags=2 filename=%s" % (where, rnd.randrange(1, 99), name)
    put(text, 0, (tasks[tid], tid), timed=timed)


def fork(timed=True):
    free = [n for n in NUMBERS if n not in tasks and n not in leaderless]
    if not free or not tasks and timed:
        return
    new = rnd.choice(free)
    thread = bool(tasks) and rnd.random() < 0.3 and timed
    by = rnd.choice(sorted(tasks)) if tasks else 1
    ppid = tasks.get(by, 1)
    if ppid in leaderless:		# to perf 6.12 and newer such a thread has no maps, not even those that were there before
        thread = False
    pid = ppid if thread else new
    tasks[new] = pid
    procs.setdefault(pid, set()).add(new)
    if new in dead:
        dead.remove(new)
    put("FORK misc=%d pid=%d ppid=%d tid=%d ptid=%d time=%d" % (0 if timed else 0x2000, pid, ppid, new, by, now), 0,
        (ppid, by), timed=timed)
    if not timed:
        comm(new, "init%d" % (new % 4), False)
        for _ in range(3):
            mmap(new, False)


def leave():
    if len(tasks) < 3:
        return
    tid = rnd.choice(sorted(tasks))
    pid = tasks[tid]
    end(tid)
    if rnd.random() < 0.5:				# a last sample of who has just died
        sample(pid, tid)


def end(tid, told=True):
    pid = tasks[tid]
    if told:
        put("EXIT pid=%d ppid=%d tid=%d ptid=%d time=%d" % (pid, pid, tid, pid, now), 0, (pid, tid))
    del tasks[tid]
    procs[pid].discard(tid)
    if not procs[pid]:
        del procs[pid]
        leaderless.discard(pid)
    elif tid == pid:
        leaderless.add(pid)
    dead.append(tid)


def execs(tid):
    """It takes the number of the first thread; all others end before, and nothing tells the end of its own number."""
    pid = tasks[tid]
    for other in sorted(procs[pid] - {tid}):
        end(other)
    if tid != pid:
        for i in range(300 if rnd.random() < 0.3 else 0):	# more than pp_state keeps
            put("FORK pid=%d ppid=%d tid=%d ptid=%d time=%d" % (5000 + i, pid, 5000 + i, tid, now), 0, (pid, tid), 0)
            put("EXIT pid=%d ppid=%d tid=%d ptid=%d time=%d" % (5000 + i, pid, 5000 + i, tid, now), 0, (5000 + i, 5000 + i), 0)
        end(tid, False)
        tasks[pid] = pid
        procs[pid] = {pid}
        leaderless.discard(pid)
    comm(pid, "name%d" % rnd.randrange(6), execs=True)
    mmap(pid, all=tid != pid)		# whether the maps of the time before are left depends on the version of perf


def sample(pid=None, tid=None):
    if tid is None:
        if not tasks:
            return
        tid = rnd.choice(sorted(tasks))
        pid = tasks[tid]
    kernel = rnd.random() < 0.2
    ip = 0xffffffff81000000 + rnd.randrange(0x200000) if kernel else 0x10000 * rnd.randrange(1, 13) + rnd.randrange(0x10000)
    put("SAMPLE misc=%d ip=0x%x" % (1 if kernel else 2, ip), 1 if TWO and rnd.random() < 0.4 else 0, (pid, tid))


flags = "mmap|mmap2|comm|comm_exec|task" + ("|sample_id_all" if TRAILER else "")
print("attr type=1 config=0 period=1 sample_type=IDENTIFIER|IP|TID|TIME|CPU|PERIOD flags=%s ids=11" % flags)
if TWO:
    print("attr type=1 config=1 period=1 sample_type=IDENTIFIER|IP|TID|TIME|CPU|PERIOD flags=%s ids=21" % flags)
print("MMAP misc=1 pid=-1 tid=0 start=0xffffffff81000000 len=0x1000000 pgoff=0xffffffff81000000 "
      "filename=[kernel.kallsyms]_text" + (" @ ev=0 pid=-1 tid=0 time=0 cpu=0 id=0" if TRAILER else ""))
for _ in range(3):
    fork(False)
out.append("FINISHED_INIT")
for _ in range(rounds):
    for _ in range(rnd.choice([5, 60])):
        op = rnd.random()
        if op < 0.45:
            sample()
        elif op < 0.60:
            fork()
        elif op < 0.72:
            leave()
        elif op < 0.82 and tasks:
            if rnd.random() < 0.3:
                execs(rnd.choice(sorted(tasks)))
            else:
                comm(rnd.choice(sorted(tasks)), "name%d" % rnd.randrange(6))
        elif tasks:
            mmap(rnd.choice(sorted(tasks)))
    for c in cpus:
        out += c
        c.clear()
    if MARKED:
        out.append("FINISHED_ROUND")
print("\n".join(out))
