#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""damage.py [-n N] [-k KIND] [-s SEED] [-p N] [-P PERF,...] [-v] [-z] DIR FILE...: what pcat --repair saves of streams that were damaged in one place.

    cut      100 bytes are missing
    size     a bit of the size of a record is the other way round
    random   512 random bytes instead of those that were there
    zeros    4 KiB of zeros instead

N tries of each kind (100) on each FILE, a stream in this machine's byte order and not compressed, behind the records that tell what
the others mean.  -z: all behind these is in COMPRESSED records then.  For each try
    - all records are there but those that were touched and their neighbours
    - none is there that was not there before: a touched one may be there as it was damaged
    - of each N-th output (-p) perf script (-P: of each of these perfs) reads everything
    - where a size was changed, no tool that reads it without --repair ends with status 0
DIR has the tools.  Prints a line for each fault, and what was lost; 1: there are faults.  It knows how records are framed, and nothing
of perfpipe.
damage.py -t FILE: is the file such a stream?"""
import argparse
import os
import random
import struct
import subprocess
import sys
import tempfile

from behind import NEWEST, behind

FIRST_OWN, COMPRESSED = 64, 81
READERS = (["pcat"], ["pfilter", "--cpu", "0-99999"], ["psort"], ["pstat"], ["pinject"], ["pcat", "--format=file", "-f", "-o", "OUT"])


def frames(b):
    """Where the records of a stream begin, and where the last one ends; None: it is no stream of whole records."""
    at, all = 16, []
    while at + 8 <= len(b):
        all.append(at)
        kind, _, size = struct.unpack_from("<IHH", b, at)
        if size < 8 or at + size > len(b):
            return None
        at += size + (behind("<", kind, b, at) + 7 & ~7)
    all.append(at)
    return all if at == len(b) else None


def body(b, at):
    """Where the first record of the kernel is."""
    return at[next(i for i, p in enumerate(at[:-1]) if struct.unpack_from("<I", b, p)[0] < FIRST_OWN)]


def compressed(b, first):
    """The stream with all from `first' on in COMPRESSED records."""
    z = subprocess.run(["zstd", "-1", "-q", "-c"], input=b[first:], stdout=subprocess.PIPE, check=True).stdout
    parts = [z[i:i + 4096] for i in range(0, len(z), 4096)]
    return b[:first] + b"".join(struct.pack("<IHH", COMPRESSED, 0, 8 + len(x)) + x for x in parts)


def damaged(kind, b, at, dice):
    """The damaged stream, and the bytes of the old one that are touched."""
    first = body(b, at)
    if kind == "size":
        p = dice.choice([p for p in at[:-1] if p >= first]) + 6
        bit = dice.randrange(16)
        return b[:p + bit // 8] + bytes([b[p + bit // 8] ^ 1 << bit % 8]) + b[p + bit // 8 + 1:], p, p + 2
    n = {"cut": 100, "random": 512, "zeros": 4096}[kind]
    p = dice.randrange(first, max(first + 1, len(b) - n))
    new = {"cut": b"", "random": dice.randbytes(n), "zeros": bytes(n)}[kind]
    return (b[:p] + new + b[p + n:])[:len(b) - (n if kind == "cut" else 0)], p, min(p + n, len(b))


def compare(b, at, new_b, start, end, out):
    """Of the output: the number of records lost beyond those touched and their neighbours, and of those invented; those lost in all."""
    got = frames(out)
    if got is None:
        return None, None, None
    old = [b[p:q] for p, q in zip(at, at[1:])]
    new = [out[p:q] for p, q in zip(got, got[1:])]
    i = 0
    while i < min(len(old), len(new)) and old[i] == new[i]:
        i += 1
    j = 0
    while j < min(len(old), len(new)) - i and old[-1 - j] == new[-1 - j]:
        j += 1
    touched = [n for n, (p, q) in enumerate(zip(at, at[1:])) if p < end and q > start]
    low, high = max(0, touched[0] - 1), min(len(old), touched[-1] + 2)
    kept, invented, n = set(range(i)) | set(range(len(old) - j, len(old))), 0, i
    for r in new[i:len(new) - j]:
        same = [k for k in range(n, len(old) - j) if old[k] == r] or [
            k for k in touched if n <= k < len(old) - j and (old[k][:8] == r[:8] or new_b[at[k]:at[k + 1]] == r)]
        if same:
            kept.add(same[0])
            n = same[0] + 1
        else:
            invented += 1
    return sum(k not in kept for k in range(len(old)) if not low <= k < high), invented, len(old) - len(kept)


parser = argparse.ArgumentParser()
parser.add_argument("-n", type=int, default=100)
parser.add_argument("-k", default="cut,size,random,zeros")
parser.add_argument("-s", type=int, default=1)
parser.add_argument("-p", type=int, default=1)
parser.add_argument("-P", default="perf")
parser.add_argument("-t", action="store_true")
parser.add_argument("-v", action="store_true")
parser.add_argument("-z", action="store_true")
parser.add_argument("file", nargs="+")
o = parser.parse_args()
if o.t:
    b = open(o.file[0], "rb").read()
    sys.exit(not frames(b) or not any(struct.unpack_from("<I", b, p)[0] < FIRST_OWN for p in frames(b)[:-1]))
o.dir = os.path.abspath(o.file.pop(0))
faults = 0
with tempfile.TemporaryDirectory() as work:
    o.file = [os.path.abspath(f) for f in o.file]
    os.chdir(work)
    for path in o.file:
        b = open(path, "rb").read()
        at = frames(b)
        assert at, path
        for kind in o.k.split(","):
            dice, sum_lost, bad = random.Random("%d %s %s" % (o.s, kind, os.path.basename(path))), 0, 0
            for t in range(o.n):
                new, start, end = damaged(kind, b, at, dice)
                if new == b:
                    continue
                open("in", "wb").write(compressed(new, body(b, at)) if o.z else new)
                problems = []
                r = subprocess.run([o.dir + "/pcat", "--repair", "in"], capture_output=True)
                lost, invented, all_lost = compare(b, at, new, start, end, r.stdout)
                if lost is None:
                    problems.append("the output is no stream of whole records")
                    lost = invented = all_lost = 0
                if lost:
                    problems.append("%d records lost that were not touched" % lost)
                if invented:
                    problems.append("%d records invented" % invented)
                if r.returncode != 1 and (all_lost or kind == "size"):
                    problems.append("pcat --repair: status %d" % r.returncode)
                sum_lost += all_lost
                strange = any(struct.unpack_from("<I", r.stdout, x)[0] > NEWEST for x in (frames(r.stdout) or [0])[:-1])
                if o.p and t % o.p == 0 and not strange:	# perf refuses types that it does not know; pcat passes them
                    open("out", "wb").write(r.stdout)
                    for perf in o.P.split(","):
                        p = subprocess.run([perf, "script", "-f", "-i", "out"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
                        if p.returncode:
                            problems.append("%s script: status %d: %s" % (perf, p.returncode, p.stderr[-200:].decode(errors="replace")))
                if kind == "size":
                    for words in READERS:
                        p = subprocess.run([o.dir + "/" + words[0], *words[1:], "in"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
                        if p.returncode != 1 or p.stderr.count(b"\n") != 1 + ("OUT" in words):
                            problems.append("%s: status %d, %d lines" % (" ".join(words), p.returncode, p.stderr.count(b"\n")))
                for x in problems:
                    print("%s: %s, try %d: bytes %d to %d: %s" % (path, kind, t, start, end, x), flush=True)
                bad += bool(problems)
                if problems and o.v:
                    open("/tmp/dmg.%s.%s.%d" % (os.path.basename(path), kind, t), "wb").write(new)
            faults += bad
            print("%s: %s: %d tries, %d with faults; %.1f records lost of each" % (path, kind, o.n, bad, sum_lost / max(1, o.n)), flush=True)
sys.exit(faults > 0)
