#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""measure.py - what pfilter --span-period should write, worked out with all records at hand.

	measure.py [-n COUNT] [-s SEED] STREAM ...

For COUNT random choices of options runs pfilter on the pipe-mode stream, of window.py --make --tasks, and compares the samples that come
out, byte by byte, those of -U, and the units of events.  Prints differences; status 1 if there were any.
"""
import argparse, json, random, struct, subprocess, sys, tempfile

import window
from evaluate import SAMPLE, Stream

PERIOD = 48             # where it is in a sample of window.py
LOST, EXIT, FORK, UPDATE = 2, 4, 7, 78


def records(data, swap):
    """All records: type, bytes, time (None: it has none), cpu, and of EXIT and FORK the tid."""
    o, out = 16, []
    while o < len(data):
        typ, _, size = struct.unpack_from(swap + "IHH", data, o)
        raw = data[o:o + size]
        o += size
        time = cpu = tid = None
        if typ == SAMPLE:
            time, cpu = struct.unpack_from(swap + "QI", raw, 32)
        elif typ < 64:                          # trailer: pid, tid, time, cpu, res, identifier
            time, cpu = struct.unpack_from(swap + "QI", raw, size - 24)
            tid = struct.unpack_from(swap + "I", raw, 16)[0] if typ in (EXIT, FORK) else None
        out.append((typ, raw, time or None, cpu, tid))
    return out


class Measured(window.Span):
    def __init__(s, r):
        window.Span.__init__(s, r)
        if r.random() < 0.5:
            s.longer = -1
            at = s.options.index("--longer-than")
            del s.options[at:at + 2]
        if s.same and r.random() < 0.7:
            s.same = None
            del s.options[s.options.index("--span-with"):]

    def choose_lengths(s, all, by_raw, o):
        """By index of a record its length; the ranges of --span-with; indexes of samples that begin, or end, a span."""
        begin, end, cancel = s.parse()
        open, length, between, measured, lost, last = {}, {}, [], [], {}, 0

        def since(cpu, time):
            return lost.get(cpu, 0) >= time

        def over(i, j, time, cpu):
            b, d = by_raw[i], time - by_raw[i]["time"]
            sure = not since(b["cpu"], b["time"]) and not (cpu is not None and since(cpu, b["time"]))
            if d > s.longer and (s.shorter is None or (j is not None and d < s.shorter)) and (sure or not o["sure"]):
                length[j if o["last"] else i] = d
                between.append((b, time))

        for i in sorted((i for i in range(len(all)) if all[i][2]), key=lambda i: all[i][2]):
            typ, _, time, cpu, tid = all[i]
            last = time
            if typ == LOST:
                lost[cpu] = time
            if typ in (EXIT, FORK) and "," not in s.key and s.key.startswith("tid"):
                open.pop((tid,), None)
            if typ != SAMPLE:
                continue
            f = by_raw[i]
            b = open.pop(end(f), None)
            if b is not None:
                over(b, i, time, cpu)
                if o["last"]:
                    measured.append(i)
            open.pop(cancel(f), None)
            key = begin(f)
            if key and (key not in open or s.cancel is None):
                open[key] = i
                if not o["last"]:
                    measured.append(i)
        if o["open"]:
            for b in open.values():
                over(b, None, last, None)
        return length, between, measured


def check(path, data, r):
    swap = {b"PERFILE2": "<", b"2ELIFREP": ">"}[data[:8]]
    all = records(data, swap)
    samples = iter(f for typ, _, f in Stream(data).records if typ == SAMPLE)
    by_raw = {i: next(samples) for i, x in enumerate(all) if x[0] == SAMPLE}
    o = {"last": r.random() < 0.4, "sure": r.random() < 0.4, "open": False}
    o["open"] = not o["last"] and r.random() < 0.4
    spans = [Measured(r) for _ in range(r.choice((1, 1, 1, 2)))]
    other = r.choice(([], [], ["--tid", "100-103"], ["--filter", "period < 50"]))
    length, keep, measured, two = {}, set(), set(), False
    for s in spans:
        one, between, these = s.choose_lengths(all, by_raw, o)
        two |= bool(measured & set(these))
        measured |= set(these)
        length.update(one)
        if s.same:
            keep |= {i for i, f in by_raw.items() if any(b["time"] <= f["time"] <= time and (s.same == "all" or f[s.same] == b[s.same])
                                                         for b, time in between)}
    keep |= set(length)
    keep = {i for i in keep if other[:1] != ["--tid"] or by_raw[i]["tid"] <= 103}
    keep = {i for i in keep if other[:1] != ["--filter"] or by_raw[i]["period"] < 50}
    with_length = {by_raw[i]["event"] for i in keep if i in length}
    mixed = with_length & {by_raw[i]["event"] for i in keep if i not in length}
    options = [x for s in spans for x in s.options] + ["--span-period"] + other
    options += ["--span-" + {"last": "end"}.get(k, k) for k in o if o[k]]
    with tempfile.TemporaryDirectory() as tmp:
        p = subprocess.run(["pfilter", *options, "-U", tmp + "/rest", "-o", "-", path], capture_output=True)
        rest = open(tmp + "/rest", "rb").read() if not p.returncode else b""

    def wrong(what):
        print(f"{path}: {' '.join(map(repr, options))}: status {p.returncode}: {what}")
        print(p.stderr.decode(), end="")
        return False

    if two or mixed:
        said = (two and b"s two spans" in p.stderr) or (mixed and b"--span-with cannot keep these" in p.stderr)
        return (p.returncode == 1 and said) or wrong(f"samples of two spans: {two}; {mixed} have two kinds of periods")
    if p.returncode:
        return wrong("failed")

    def put(i):
        raw = all[i][1]
        return raw[:PERIOD] + struct.pack(swap + "Q", length[i]) + raw[PERIOD + 8:] if i in length else raw

    got = records(p.stdout, swap)
    have, want = [x[1] for x in got if x[0] == SAMPLE], [put(i) for i in sorted(keep)]
    if have != want:
        return wrong(f"kept {len(have)}, expected {len(want)}: {[x for x in zip(have, want) if x[0] != x[1]][:1]}")
    have, want = [x[1] for x in records(rest, swap) if x[0] == SAMPLE], [all[i][1] for i in sorted(by_raw) if i not in keep]
    if have != want:
        return wrong(f"rejected {len(have)}, expected {len(want)}")
    units = [x[1][16:] for x in got if x[0] == UPDATE and x[1][8:16] == bytes(8)]
    want = {struct.pack(swap + "Q", {"begin": 11, "end": 21, "tick": 31}[e]) + b"ns\0\0\0\0\0\0" for e in with_length}
    check.lengths += len(length)
    # without -U what is not kept does not wait
    q = subprocess.run(["pfilter", *options, "--stats=json", "-o", "-", path], capture_output=True)
    stats = json.loads(q.stderr.splitlines()[-1])
    if q.stdout != p.stdout or stats["in"]["samples"] != len(by_raw) or sum(x["samples"] for x in stats["dropped"].values()) != len(by_raw) - len(keep):
        return wrong(f"without -U: status {q.returncode}, {stats}")
    return (set(units) == want and len(units) == len(want)) or wrong(f"units {units}")


def main():
    a = argparse.ArgumentParser()
    a.add_argument("-n", type=int, default=20)
    a.add_argument("-s", type=int, default=1)
    a.add_argument("--years", action="store_true")
    a.add_argument("streams", nargs="*")
    a = a.parse_args()
    window.length.years, check.lengths, bad = a.years, 0, 0
    for path in a.streams:
        data, r = open(path, "rb").read(), random.Random(a.s)
        for _ in range(a.n):
            bad += not check(path, data, r)
    if check.lengths < 2 * a.n:
        print(f"only {check.lengths} lengths")
        bad += 1
    sys.exit(bad > 0)


main()
