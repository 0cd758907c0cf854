#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""deaths.py SEED COUNT - a recipe for mkpipe: COUNT tasks of which nearly all end soon, each with a number of its own, and samples of those
that live, have just ended, or ended long ago; some leave children behind that have their maps, some processes have threads that come and go."""
import random, sys

rnd = random.Random(int(sys.argv[1]))
now, out = 1000, []
living, ended = [], []					# (pid, tid)


def put(text, pid, tid, trailer=True):
    global now
    now += rnd.choice([1, 1, 2, 7])
    common = "pid=%d tid=%d time=%d cpu=0" % (pid, tid, now)
    out.append("%s @ ev=0 %s id=11" % (text, common) if trailer else "%s %s id=11 period=1" % (text, common))


def sample(pid, tid):
    put("SAMPLE misc=2 ip=0x%x" % (0x10000 * rnd.randrange(1, 9) + 64), pid, tid, False)


def fork(pid, ppid, tid, ptid):
    put("FORK pid=%d ppid=%d tid=%d ptid=%d time=%d" % (pid, ppid, tid, ptid, now), ppid, ptid)


def comm(pid, tid, execs):
    put("COMM misc=%d pid=%d tid=%d comm=name%d" % (0x2000 * execs, pid, tid, rnd.randrange(9)), pid, tid)


def mmap(pid, tid):
    file = rnd.randrange(6)
    put("MMAP2 misc=2 pid=%d tid=%d start=%d len=0x8000 pgoff=0 maj=8 min=1 ino=%d ino_generation=1 prot=5 flags=2 filename=/lib/l%d" %
        (pid, tid, 0x10000 * rnd.randrange(1, 9), file + 1, file), pid, tid)


def end(pid, tid):
    put("EXIT pid=%d ppid=%d tid=%d ptid=%d time=%d" % (pid, pid, tid, pid, now), pid, tid)
    ended.append((pid, tid))


print("attr type=1 config=0 period=1 sample_type=IDENTIFIER|IP|TID|TIME|CPU|PERIOD flags=mmap|mmap2|comm|comm_exec|task|sample_id_all ids=11")
for pid in range(10, 14):
    comm(pid, pid, False)
    for _ in range(6):
        mmap(pid, pid)
    living.append((pid, pid))
for i in range(int(sys.argv[2])):
    tid, (ppid, ptid) = 1000 + i, rnd.choice(living)
    thread = rnd.random() < .3
    pid = ppid if thread else tid
    fork(pid, ppid, tid, ptid)
    if rnd.random() < .6:
        comm(pid, tid, not thread)
    for _ in range(rnd.randrange(3) if rnd.random() < .5 else 0):
        mmap(pid, tid)
    sample(pid, tid)
    if rnd.random() < .02:
        living.append((pid, tid))
        if len(living) > 8:
            gone = living.pop(rnd.randrange(len(living)))
            end(*gone)
    else:
        end(pid, tid)
    sample(*rnd.choice(living))
    if ended:
        sample(*ended[-min(len(ended), rnd.choice([1, 2, 20, 200, 250, 256, 257, 300, 700]))])
    if i % 20 == 19:
        out.append("FINISHED_ROUND")
print("\n".join(out))
