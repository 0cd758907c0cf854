#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""index-law.py COUNT SEED RECORDING... - the law of the index: the output of pfilter is the same with and without.

COUNT times: a recording, a size of chunks and options of pfilter, drawn by SEED.  The index is made beside the recording.  Prints each
case in which output or status differ, and at the end how often chunks were left out; status 1 if a case differed, or if that
was less than once in ten.  The tools are those of $PATH."""
import json, os, random, re, subprocess, sys


def run(*argv):
    p = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
    return p.returncode, p.stdout, p.stderr.decode(errors="replace")


def seconds(ns):
    return "%d.%09d" % divmod(ns, 10 ** 9)


class Recording:
    """What options about it can name."""

    def __init__(self, path):
        self.path = path
        rows = [r.split("\t") for r in run("pcat", "--chunks", "--chunk-size=4K", path)[1].decode().splitlines()[1:]]
        self.times = sorted(int(t) for r in rows for t in r[6:8] if t.isdigit()) or [1]
        text = run("pstat", "--json", path)[1].decode(errors="replace")
        self.tasks = sorted(set(re.findall(r'"[pt]id": *(\d+)', text))) or ["1"]
        self.comms = sorted(set(re.findall(r'"comm": *"([^"\\,*?\[]+)"', text))) or ["x"]
        script = run("pstat", "--events", "--json", path)[1].decode(errors="replace")
        self.events = sorted(set(re.findall(r'"(?:name|event)": *"([^"\\,]+)"', script))) or ["cpu-clock"]

    def time(self, rnd):
        a, b = sorted((rnd.choice(self.times), rnd.choice(self.times)))
        if rnd.random() < .4:
            b = a + rnd.randrange(1, (self.times[-1] - self.times[0]) // 50 + 2)
        return seconds(a) + "," + seconds(b)

    def some(self, rnd):
        return ",".join(rnd.sample(self.tasks, min(len(self.tasks), rnd.randrange(1, 4))))

    def filter(self, rnd):
        a, b = sorted((rnd.choice(self.times), rnd.choice(self.times)))
        t = rnd.choice(self.tasks)
        return rnd.choice(["period > 10", "cpu == 0", "cpu >= 1 and period > 0", "cpu < 1", "pid == " + t, "reltime > 1ms",
                           "pid in (%s, 5..9) and (cpu == 0 or tid == %s)" % (t, t), "event.index == 0 and tid != " + t,
                           "time > %s and time <= %s" % (seconds(a) + "s", seconds(b) + "s"), "comm == '%s'" % rnd.choice(self.comms)])

    def options(self, rnd):
        o, c = [], rnd.random
        for share, make in [
                (.4, lambda: ["--time", rnd.choice([self.time(rnd), self.time(rnd) + " " + self.time(rnd), "10%/3", "0%-10%",
                                                   "+1ms,+3ms", "+0ms,+200us"])]),
                (.3, lambda: ["--pid", self.some(rnd)] + (["--inherit"] if c() < .3 else [])),
                (.2, lambda: ["--tid", self.some(rnd)]),
                (.2, lambda: ["--cpu", str(rnd.randrange(8))]),
                (.2, lambda: ["--event", rnd.choice(self.events)]),
                (.25, lambda: ["--comms", rnd.choice(self.comms)]),
                (.3, lambda: ["--sideband=" + rnd.choice(["needed", "needed", "none"])]),
                (.1, lambda: ["--exclude-pid", rnd.choice(self.tasks)]),
                (.1, lambda: ["--dsos", "lib*"]),
                (.25, lambda: ["--filter", self.filter(rnd)]),
                (.1, lambda: ["--max-samples", str(rnd.randrange(1, 9))] + (["--stop"] if c() < .5 else [])),
                (.1, lambda: ["--sample", "50%"]),
                (.1, lambda: ["--order=" + rnd.choice(["time", "input"])]),
                (.1, lambda: ["--max-stack", "2"]),
                (.1, lambda: ["--piece", "%d/3" % rnd.randrange(1, 4)]),
                (.05, lambda: ["--switch-on", rnd.choice(self.events)]),
                (.05, lambda: ["--type", "SAMPLE"]),
                (.05, lambda: ["--every", "3"]),
                (.05, lambda: ["--invert"]),
                (.05, lambda: ["--fail-if-empty"]),
                (.2, lambda: rnd.choice([["--exclude-tid", self.some(rnd)], ["--exclude-cpu", "0"], ["--exclude-event", rnd.choice(self.events)],
                                         ["--exclude-time", self.time(rnd)], ["--exclude-comms", rnd.choice(self.comms)],
                                         ["--exclude-dsos", "lib*"], ["--exclude-type", "SWITCH"], ["--cgroup", "/*"],
                                         ["--exclude-cgroup", "/*"], ["--switch-off", rnd.choice(self.events)], ["--strip", "addr"],
                                         ["--drop-type", "exit"], ["--stack-size", "64"]]))]:
            if c() < share:
                o += make()
        return o


def main():
    count, rnd = int(sys.argv[1]), random.Random(int(sys.argv[2]))
    all = [Recording(p) for p in sys.argv[3:]]
    bad = left = done = 0
    while done < count:
        done += 1
        r, size = rnd.choice(all), rnd.choice(["4K", "16K", "64K"])
        if run("pcat", "-q", "--index", "--chunk-size=" + size, "-f", r.path)[0]:
            sys.exit("index-law.py: %s: no index" % r.path)
        options = r.options(rnd)
        with_, without = run("pfilter", "-v", *options, r.path), run("pfilter", "-v", "--no-index", *options, r.path)
        m = re.search(r"index: (\d+) of (\d+) chunks", with_[2])
        left += bool(m) and int(m[1]) < int(m[2])
        # with wrong usage, what was written by then does not matter
        if with_[0] != without[0] or (with_[0] != 2 and with_[1] != without[1]):
            bad += 1
            print("%s, chunks of %s: pfilter %s: status %d and %d, %d and %d bytes\n%s%s" %
                  (r.path, size, options, with_[0], without[0], len(with_[1]), len(without[1]), with_[2], without[2]))
    print("%d cases, chunks left out in %d, %d differ" % (done, left, bad))
    sys.exit(bad > 0 or left < count / 10)


main()
