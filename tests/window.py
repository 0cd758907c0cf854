#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""window.py - what pfilter --around and --span should keep, worked out with all samples at hand.

	window.py --make SEED N			a recipe for mkpipe: N samples of three events, some CPUs and tasks, in
						as much disorder as rounds allow, many at equal times
	window.py [-n COUNT] [-s SEED] [--around] [-e EXPRESSION ...] STREAM ...
						COUNT random choices of options, with --around: of this one, for expressions of its own
						or these
	... --years				times jump by a year, twice; and options may have lengths of years
	window.py --list STREAM			the periods and addresses of its samples, sorted

For each choice runs pfilter on the pipe-mode stream, and compares the samples that come out, and with -U those that do not.
It shares nothing with pfilter but the language of expressions (evaluate.py).  Prints differences; status 1 if there were any.
"""
import argparse, random, subprocess, sys, tempfile

from evaluate import SAMPLE, Parser, Stream, truth

ROUND = 1000
YEAR = 365 * 86400 * 10**9


def make(seed, n, years, tasks):
    r = random.Random(seed)
    cpus, tids = r.randint(1, 6), r.randint(1, 12)
    print("attr type=1 config=0 period=1 sample_type=IDENTIFIER|IP|TID|TIME|CPU|PERIOD flags=sample_id_all|comm ids=11")
    for i in (21, 31):
        print(f"attr type=1 config={i} period=1 sample_type=IDENTIFIER|IP|TID|TIME|CPU|PERIOD flags=sample_id_all ids={i}")
    for i, name in ((11, "begin"), (21, "end"), (31, "tick")):
        print(f"EVENT_UPDATE update_type=2 id={i} z={name}")
    for t in range(tids):
        print(f"COMM pid={100 + t // 3} tid={100 + t} comm=c{t % 4}")
    i, step = 0, r.choice((1, 1, 7, 100))
    round = 1
    while i < n:
        # a reader delivers up to the newest of the round before last: what comes now may be older than all of the last one
        for _ in range(r.randint(1, 200)):
            time = 5000 + (3 * i // n * YEAR if years else 0) + r.randrange((round - 1) * ROUND, (round + 1) * ROUND) // step * step
            if r.random() < 0.01:
                t = r.randrange(tids)
                print(f"COMM pid={100 + t // 3} tid={100 + t} comm=c{r.randrange(4)} @ time={time} id=11")
            if r.random() < 0.005:
                print(f"LOST id=11 lost=3 @ time={time} cpu={r.randrange(cpus)} id=11")
            if tasks and r.random() < 0.05:
                t = 100 + r.randrange(tids)
                print(f"{r.choice(('EXIT', 'FORK'))} pid={t} ppid=1 tid={t} ptid=1 time={time} @ pid={t} tid={t} time={time} cpu={r.randrange(cpus)} id=11")
            t, ev = r.randrange(tids), r.choice((0, 0, 1, 1, 1, 2, 2, 2, 2))
            print(f"SAMPLE ev={ev} id={ev}1 ip={i + 1} pid={100 + t // 3} tid={100 + t} time={time} cpu={r.randrange(cpus)}"
                  f" period={r.randint(1, 100)}".replace(f"id={ev}1", f"id={ev + 1}1"))
            i += 1
        print("FINISHED_ROUND")
        round += 1
    print(f"SAMPLE ev=2 id=31 ip={n + 1000} pid=100 tid=100 time={5003 + (3 * YEAR if years else 0) + (round + 1) * ROUND} cpu=0 period=1")


def length(r):
    return r.choice((0, 0, YEAR, 2 * YEAR) if length.years else (0,)) + r.choice((0, 1, 7, 50, 300, 1000, 2500, 20000)) + r.choice((0, 0, 1, r.randrange(100)))


def duration(ns):
    return f"{ns // 10**9}.{ns % 10**9:09}s" if ns > YEAR // 2 else f"{ns}ns"


class Around:
    EXPRS = ('event == "begin" && period > 90', 'period == 1', 'event == "end" and cpu == 1', 'tid == 101 && period in (1..5, 99)',
             'period > 100', 'ip % 97 == 3', 'event == "tick" && pid == 100 && period < 3')

    def __init__(s, r):
        s.expr, s.before, s.after, s.same = r.choice(s.EXPRS), length(r), length(r), r.choice((None, None, "cpu", "tid", "pid"))
        s.options = ["--around", s.expr]
        if s.before or r.random() < 0.5:
            s.options += ["--before", duration(s.before)]
        if s.after or len(s.options) == 2:
            s.options += ["--after", duration(s.after)]
        if s.same:
            s.options += ["--around-same", s.same]

    def choose(s, samples):
        tree = Parser(s.expr).tree
        near = [f for f in samples if truth(tree, f)]
        return {f["nr"] for f in samples if any(f["time"] >= m["time"] - s.before and f["time"] <= m["time"] + s.after and
                                                (not s.same or f[s.same] == m[s.same]) for m in near)}


class Span:
    ENDS = (('event == "begin"', 'event == "end"'), ('event == "begin" && period > 20', 'event == "end" and period < 70'),
            ('event == "tick"', 'event == "tick"'), ('ip % 3 == 1', 'ip % 5 == 1'), ('tid == 102 && event=="begin"', 'period < 3'))
    KEYS = ("tid", "cpu", " pid , cpu", "tid=tid", "tid == pid", "period = cpu, pid", "tid,period")
    CANCELS = (None, None, None, "", 'event == "tick" && period < 30', 'event == "begin" or tid == 103', "ip % 4 == 1")

    def __init__(s, r):
        (s.begin, s.end), s.key = r.choice(s.ENDS), r.choice(s.KEYS)
        s.longer, s.shorter = length(r), r.choice((None, None, length(r)))
        if s.shorter is not None and s.shorter <= s.longer:
            s.shorter = s.longer + 1000
        s.same = r.choice((None, None, "tid", "cpu", "all"))
        s.cancel = r.choice(s.CANCELS)
        if s.cancel is not None and "=" in s.key and "," not in s.key and r.random() < 0.5:
            s.key += " = pid"
        text = f"{s.begin};{s.end} ; {s.key}" + ("" if s.cancel is None else f"; {s.cancel}")
        s.options = ["--span", text, "--longer-than", duration(s.longer)]
        s.options += ["--shorter-than", duration(s.shorter)] if s.shorter else []
        s.options += ["--span-with", {"tid": "same"}.get(s.same, s.same)] if s.same else []

    def parse(s):
        """BEGIN, END, CANCEL: what is true of a sample, and its key there."""
        names = [[part.strip() for part in key.replace("==", "=").split("=")] for key in s.key.split(",")]
        names = [[k[0], k[1] if k[1:] else k[0], k[2] if k[2:] else k[0]] for k in names]

        def part(i, text):
            tree = Parser(text).tree if text else None
            return lambda f: tuple(f[k[i]] for k in names) if tree and truth(tree, f) else None
        return part(0, s.begin), part(1, s.end), part(2, s.cancel)

    def choose(s, samples):
        begin, end, cancel = s.parse()
        open, keep, between = {}, set(), []

        def over(b, time, e):
            d = time - b["time"]
            if d > s.longer and (s.shorter is None or e and d < s.shorter):
                keep.update({b["nr"], e["nr"]} if e else {b["nr"]})
                between.append((b, time))

        for f in sorted(samples, key=lambda f: f["time"]):
            b = open.pop(end(f), None)
            if b:
                over(b, f["time"], f)
            b = open.pop(cancel(f), None)
            if b:
                over(b, f["time"], None)
            key = begin(f)
            if not key or (key in open and s.cancel is not None):
                continue
            if key in open:
                over(open[key], f["time"], None)
            open[key] = f
        for b in open.values():
            over(b, max(f["time"] for f in samples), None)
        if s.same:
            keep |= {f["nr"] for f in samples if any(b["time"] <= f["time"] <= time and (s.same == "all" or f[s.same] == b[s.same])
                                                     for b, time in between)}
        return keep


def first_of_each(samples, n):
    """--max-samples: in time order, those of one time in order of arrival"""
    count, out = {}, set()
    for f in sorted(samples, key=lambda f: f["time"]):
        count[f["event"]] = count.get(f["event"], 0) + 1
        if count[f["event"]] <= n:
            out.add(f["nr"])
    return out


OTHERS = (([], lambda all: {f["nr"] for f in all}), (["--tid", "100-103"], lambda all: {f["nr"] for f in all if f["tid"] <= 103}),
          (["--filter", "period < 50"], lambda all: {f["nr"] for f in all if f["period"] < 50}),
          (["--cpu", "0", "--invert"], lambda all: {f["nr"] for f in all if f["cpu"]}),
          (["--max-samples", "9"], lambda all: first_of_each(all, 9)),
          (["--tid", "101", "--max-samples", "3"], lambda all: first_of_each([f for f in all if f["tid"] == 101], 3)),
          (["--event", "tick", "--sideband=needed"], lambda all: {f["nr"] for f in all if f["event"] == "tick"}))


def check(path, records, kinds, others):
    samples = [f for _, f in records]
    keep = set.intersection(*(set.union(*(k.choose(samples) for k in same)) for same in kinds))
    keep = others[1]([f for f in samples if f["nr"] in keep])
    options = [o for same in kinds for k in same for o in k.options] + others[0]
    with tempfile.TemporaryDirectory() as tmp:
        p = subprocess.run(["pfilter", *options, "-U", tmp + "/rest", "-o", "-", path], capture_output=True)
        outputs = p.stdout, open(tmp + "/rest", "rb").read() if not p.returncode else b""
    for got, what, inside in zip(outputs, ("kept", "rejected"), (True, False)):
        want = [raw for raw, f in records if (f["nr"] in keep) == inside]
        have = [raw for typ, raw, _ in Stream(got).records if typ == SAMPLE] if got else None
        if p.returncode or have != want:
            print(f"{path}: {' '.join(map(repr, options))}: status {p.returncode}, {what} {have and len(have)}, expected {len(want)}")
            print(p.stderr.decode(), end="")
            return False
    return True


def main():
    a = argparse.ArgumentParser()
    a.add_argument("-n", type=int, default=20)
    a.add_argument("-s", type=int, default=1)
    a.add_argument("-e", action="append")
    a.add_argument("--make", nargs=2, type=int)
    a.add_argument("--around", action="store_true")
    a.add_argument("--list", action="store_true")
    a.add_argument("--years", action="store_true")
    a.add_argument("--tasks", action="store_true")
    a.add_argument("streams", nargs="*")
    a = a.parse_args()
    if a.make:
        return make(*a.make, a.years, a.tasks)
    length.years = a.years
    if a.list:
        samples = [f for typ, _, f in Stream((sys.stdin.buffer if a.streams == ["-"] else open(a.streams[0], "rb")).read()).records if typ == SAMPLE]
        return print(*sorted(f"{f['ip']}/{f['period']}" for f in samples), sep="\n")
    Around.EXPRS = a.e or Around.EXPRS
    others = OTHERS[:1] if a.e else OTHERS
    bad = 0
    for path in a.streams:
        stream, r = Stream(open(path, "rb").read()), random.Random(a.s)
        records = [(raw, f) for typ, raw, f in stream.records if typ == SAMPLE]
        for _ in range(a.n):
            kinds = [[K(r) for _ in range(r.choice((1, 1, 2)))] for K in r.choice(([Around],) if a.around else ([Span], [Span], [Around, Span]))]
            bad += not check(path, records, kinds, r.choice(others))
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
