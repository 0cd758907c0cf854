#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""Compare the tables of pstat --sort and --hist with what perf prints of the same recordings.

beside.py FILE...: print a line for each difference, and at the end the number of comparisons.  Status 1 if there was one.
PERF: the perf to ask; what it cannot read is not compared.
"""
import collections
import json
import os
import re
import subprocess
import sys

PERF = os.environ.get("PERF", "perf")
KEYS = ["comm", "pid", "tid", "cpu", "event", "dso", "cgroup", "cpumode", "type", "time"]
MODES = {"K": "kernel", "U": "user", "KUH": "hypervisor", "G": "guest_kernel", "KGg": "guest_user", "": "unknown"}
NAMES = {"HEADER_ATTR": "ATTR", "HEADER_FEATURE": "FEATURE", "HEADER_EVENT_TYPE": "EVENT_TYPE",
         "HEADER_BUILD_ID": "BUILD_ID", "HEADER_TRACING_DATA": "TRACING_DATA"}
LINE = re.compile(r" *(?:(-?\d+)/)?(-?\d+) *(?:\[(-?\d+)\])? *([KUGgHE]*) +(?:(\d+)\.(\d+):)? *(?:(\d+) )?(.*?): *$")
compared = 0
differ = 0


def run(*command, given=None):
    done = subprocess.run(command, input=given, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return done.stdout


def perf(*options):
    return run(PERF, *options, given=b"").decode("utf-8", "backslashreplace")


def pstat(*options):
    return json.loads(run("pstat", "--json", *options))


def plain(event):
    """Without modifiers: versions of perf print others."""
    return re.sub(r":[ukhIGHpPSDWe]+$", "", event.strip())


def same(what, want, got):
    global compared, differ
    compared += 1
    if want != got:
        differ += 1
        if isinstance(want, dict):
            want, got = ({k: v for k, v in a.items() if b.get(k) != v} for a, b in ((want, got), (got, want)))
        print(f"{what}: perf: {str(want)[:300]}, pstat: {str(got)[:300]}")


def rows(path, keys, *options):
    """Samples by keys."""
    n = collections.Counter()
    for row in pstat("-s", keys, *options, path)["sort"]:
        if row["samples"]:
            n[tuple(plain(row[k]) if k == "event" else row[k] for k in keys.split(","))] += row["samples"]
    return n


def hist(path, field, values):
    """Count, sum, smallest and largest are exact, percentiles within 6.3 %."""
    made = pstat("--hist", field, path)["hist"]
    made = made[0] if made else dict.fromkeys(("count", "sum"), 0)
    values = sorted(values)
    same(f"{path}: {field}", [len(values), sum(values)], [made["count"], made["sum"]])
    if not values or len(values) != made["count"]:
        return
    same(f"{path}: {field}", [values[0], values[-1]], [made["min"], made["max"]])
    for name, thousandths in (("p50", 500), ("p90", 900), ("p99", 990), ("p999", 999)):
        want = values[(len(values) * thousandths + 999) // 1000 - 1]
        same(f"{path}: {field} {name}", want, want if abs(made[name] - want) <= 0.063 * want else made[name])
    buckets = collections.Counter()
    for value in values:
        shift = max(0, value.bit_length() - 5)
        buckets[value >> shift << shift] += 1
    same(f"{path}: {field} buckets", dict(buckets), dict(made["buckets"]))


def samples(path):
    """pid, tid, cpu, mode, time, period, event of each sample by perf script, None for what it has not."""
    found = []
    for fields in ("misc,pid,tid,cpu,time,event,period", "misc,pid,tid,time,event,period"):
        for line in perf("script", "-f", "-i", path, "-G", "--no-itrace", "-F", fields, "--ns").splitlines():
            m = LINE.match(line)
            if not m:
                return []
            pid, tid, cpu, mode, seconds, ns, period, event = m.groups()
            found.append((int(pid or tid), int(tid), cpu and int(cpu), MODES.get(mode, mode),
                          int(seconds + ns) if seconds else 0, period and int(period), plain(event)))
        if found:
            break
    return found


def by_script(path, all_):
    def known(n):
        return None if n == -1 else n
    tables = [("pid,event", (), lambda s: (known(s[0]), s[6])), ("tid", (), lambda s: (known(s[1]),)),
              ("cpumode,event", (), lambda s: (s[3], s[6]))]
    for quantum, width in (("5ms", 5000000), ("1s", 1000000000)):
        tables.append(("time,event", ("--time-quantum", quantum),
                       lambda s, w=width: (s[4] // w * w if s[4] else None, s[6])))
    if all_[0][2] is not None and all_[0][2] >= 0:
        tables.append(("cpu", (), lambda s: (s[2],)))
    for keys, options, key in tables:
        same(f"{path}: {keys}", dict(collections.Counter(map(key, all_))), dict(rows(path, keys, *options)))
    if all(s[5] is not None for s in all_):
        hist(path, "period", [s[5] for s in all_])
    if all_[0][2] is not None and all_[0][2] >= 0:
        for field in ("interval", "gap"):
            last, values = {}, []
            for s in all_:
                place = s[2], s[6] if field == "interval" else ""
                if s[4] and place in last:
                    values.append(s[4] - last[place])
                if s[4]:
                    last[place] = s[4]
            hist(path, field, values)


def by_dump(path):
    sizes, chains, stacks = [], [], []
    for line in perf("script", "-f", "-D", "--no-itrace", "-i", path).splitlines():
        if m := re.match(r".* \[(0x[0-9a-f]+)\]: PERF_RECORD_SAMPLE", line):
            sizes.append(int(m[1], 16))
        elif m := re.match(r"\.\.\. (?:FP|LBR) chain: nr:(\d+)", line):
            chains.append(int(m[1]))
        elif m := re.match(r"\.\.\. ustack: size (\d+)", line):
            stacks.append(int(m[1]))
    hist(path, "size", sizes)
    hist(path, "chain", chains)
    if stacks:
        hist(path, "stack", stacks)


def by_stats(path):
    stream = run("pcat", "-q", path)
    want = {}
    copy = os.path.join(os.environ["T"], "beside.pipe")
    with open(copy, "wb") as f:
        f.write(stream)
    report = subprocess.run([PERF, "report", "-f", "-i", copy, "--stats", "--stdio"], stdin=subprocess.DEVNULL,
                            capture_output=True, check=False)
    if b"unexpected end of event stream" in report.stderr:  # it wants more of TRACING_DATA than that has, and stops
        return
    for line in report.stdout.decode("utf-8", "backslashreplace").splitlines():
        if re.match(r"\S.* stats:$", line) and "Aggregated" not in line:
            break
        if (m := re.match(r" *(\S+) events: *(\d+)", line)) and m[1] != "TOTAL":
            want[m[1]] = int(m[2])
    if want:
        same(f"{path}: type", want, {NAMES.get(r["type"], r["type"]): r["records"] for r in pstat("-s", "type", copy)["sort"]})


def sums(path):
    """By each key, and with most rows in `other', the samples are those of the recording; and so are those of its parts."""
    whole = pstat(path)["samples"]
    for key in KEYS:
        for top in ("0", "1"):
            same(f"{path}: sum by {key}", whole, sum(r["samples"] for r in pstat("-s", key, "--top", top, path)["sort"]))


def main(paths):
    for path in paths:
        sums(path)
        found = samples(path)
        if found:
            by_script(path, found)
            by_dump(path)
            by_stats(path)
    print(f"{compared} comparisons")
    return differ > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
