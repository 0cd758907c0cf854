#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""What tracepoints' payloads hold, by other means than ours (tests/68-pfilter-kernels.bats).

formats.py fields <TEXTS   the fields of format texts, as lines of tests/format-fields.c
formats.py values N <TEXT  from the text of perf script -F event,trace: EXPRESSION, a tab, and how many samples it is true of,
                           for N values of each field that perf prints plainly
"""
import collections
import re
import sys

LINE = re.compile(r"\tfield:(.*);\toffset:(\d+);\tsize:(\d+);\tsigned:([01]);$")
DECL = re.compile(r"(?:__(data|rel)_loc )?(.*?)(\[\])? ?\b(\w+)(?:\[(\w*)\])?$")
# bytes of an element where the field's size does not say it
WIDTH = {p + s + str(8 * n): n for p in ("", "__") for s in "us" for n in (1, 2, 4, 8)} | {
    "unsigned char": 1, "short": 2, "unsigned short": 2, "int": 4, "unsigned int": 4, "long": 8, "unsigned long": 8}


def kind(decl, size, signed):
    """The name of a field and its type."""
    loc, base, brackets, name, count = DECL.match(decl).groups()
    sign = "s" if signed and "*" not in base else "u"
    where = f"__{loc}_loc " if loc else ""
    length = "" if loc else size
    base = base.replace("const ", "").strip()
    if size == 0 or re.match(r"(struct|union) ", base) and "*" not in base or loc and size != 4:
        return name, f"{where}bytes[{length}]"
    if base == "cpumask_t":
        return name, where + "cpumask"
    if base == "char" and (loc or count is not None):
        return name, f"{where}char[{length}]"
    if loc:
        return name, f"{where}{sign}{8 * WIDTH[base]}[]"
    if count is not None:
        n = int(count) if count.isdigit() else size // WIDTH[base]
        return name, f"{sign}{8 * size // n}[{n}]"
    return name, f"{sign}{8 * size}" if size in (1, 2, 4, 8) else f"bytes[{size}]"


def fields():
    system = event = number = None
    for line in sys.stdin.read().split("\n"):
        if line.startswith("system: "):
            system = line[8:]
        elif line.startswith("name: "):
            event, seen = line[6:], set()
        elif line.startswith("ID: "):
            number = line[4:]
        elif line.startswith("\tfield:"):
            decl, off, size, signed = LINE.match(line).groups()
            name, what = kind(decl, int(size), signed == "1")
            if name not in seen:
                print(f"{system}:{event} {number} {name} {off} {size} {what}")
            seen.add(name)


# fields that perf script shows by another name, or not as their value
OTHER = {"sched_process_fork": {"comm": "parent_comm", "pid": "parent_pid"}, "sched_switch": {"prev_state": None}}


def values(most):
    seen = collections.defaultdict(collections.Counter)
    for line in sys.stdin:
        event, _, shown = line.strip().partition(": ")
        system, _, short = event.partition(":")
        if system == "raw_syscalls":
            number, rest = re.match(r"NR (-?\d+)(.*)", shown).groups()
            seen[event, "raw.id"][number] += 1
            if rest.startswith(" = "):
                seen[event, "raw.ret"][rest[3:]] += 1
            else:
                for i, arg in enumerate(rest.strip(" ()").split(", ")):
                    seen[event, f"raw.args[{i}]"]["0x" + arg] += 1
            continue
        for name, value in re.findall(r'(\w+)=("[^"]*"|\S+)', shown):
            name = OTHER.get(short, {}).get(name, name)
            if name and re.fullmatch(r"-?\d+|0x[0-9a-f]+", value) and not name.endswith("comm"):
                seen[event, "raw." + name][value if value.startswith("0x") else str(int(value))] += 1
            elif name and not value.startswith("{"):
                seen[event, "raw." + name]['"' + value.strip('"') + '"'] += 1
    for (event, name), counts in sorted(seen.items()):
        ordered = sorted(counts)
        chosen = dict.fromkeys([v for v, _ in counts.most_common(1)] + ordered[-1:] + ordered[:1] + ordered)
        for value in list(chosen)[:most]:
            print(f"event == \"{event}\" and {name} == {value}\t{counts[value]}")


if __name__ == "__main__":
    fields() if sys.argv[1] == "fields" else values(int(sys.argv[2]))
