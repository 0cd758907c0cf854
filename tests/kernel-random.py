#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""kernel-random.py RECORDING SEED N: N random filters of the kernel, EVENT{FILTER}, against a model of what the kernel does.

RECORDING is of pipe mode and our byte order.  A run of pfilter tests many filters, each with some samples of its event, which it
finds by their offsets.  The model follows the sources of Linux 6.18 (kernel/trace/trace_events_filter.c, lib/glob.c) and shares
nothing with pfilter.  Prints filters that differ; status 1 if there are any.
"""
import random
import re
import struct
import subprocess
import sys

from kernel import CPU, FIXED, RAW

SLICE, BATCH = 40, 40		# samples for a filter; filters for a run


class Field:
    def __init__(s, decl, offset, size, signed):
        s.offset, s.size, s.signed = offset, size, signed
        array = re.search(r"\[(\w*)\]$", decl)
        s.name = re.sub(r"\[\w*\]$", "", decl).split()[-1].lstrip("*")
        s.dynamic = decl.startswith("__data_loc")
        s.text = bool(array) and re.search(r"\bchar\b", decl) is not None and "unsigned" not in decl
        s.number = not array and not s.dynamic and size in (1, 2, 4, 8) and "char *" not in decl and "cpumask" not in decl

    def bytes(s, raw):
        if not s.dynamic:
            return raw[s.offset:s.offset + s.size]
        at, n = struct.unpack_from("=HH", raw, s.offset)
        return raw[at:at + n]

    def value(s, raw):
        return int.from_bytes(s.bytes(raw), sys.byteorder, signed=s.signed)


def read(path):
    """The events: name -> (fields by name, samples as (offset, record, CPU, payload))"""
    with open(path, "rb") as f:
        data = f.read()
    at, kind, events, names = 16, None, {}, {}
    while at < len(data):
        what, _, size = struct.unpack_from("=IHH", data, at)
        if what == 64 and kind is None:
            kind = struct.unpack_from("=Q", data, at + 32)[0]
        if what == 66:
            n = struct.unpack_from("=I", data, at + 8)[0]
            text = data[at + size:at + size + n].decode("latin1")
            for m in re.finditer(r"name: (\w+)\nID: (\d+)\nformat:\n(.*?)\nprint fmt", text, re.S):
                fields = [Field(*x[:1], *map(int, x[1:])) for x in
                          re.findall(r"field:([^;]+);\s*offset:(\d+);\s*size:(\d+);\s*signed:(\d);", m[3])]
                names[int(m[2])] = m[1]
                events[m[1]] = {x.name: x for x in fields}, []
            at += (n + 7) & ~7
        if what == 9:
            place, cpu = at + 8, 0
            for bit in FIXED:
                if kind & bit:
                    cpu = struct.unpack_from("=I", data, place)[0] if bit == CPU else cpu
                    place += 8
            assert kind & RAW
            n = struct.unpack_from("=I", data, place)[0]
            raw = data[place + 4:place + 4 + n]
            events[names[struct.unpack_from("=H", raw)[0]]][1].append((at, data[at:at + size], cpu, raw))
        at += size
    return {name: e for name, e in events.items() if e[1]}


# ---- what a predicate means ------------------------------------------------------------------------------


def cut(n, size, signed):
    n &= (1 << 8 * size) - 1
    return n - (1 << 8 * size) if signed and n >> (8 * size - 1) else n


COMPARE = {"==": lambda a, b: a == b, "!=": lambda a, b: a != b, "<": lambda a, b: a < b, "<=": lambda a, b: a <= b,
           ">": lambda a, b: a > b, ">=": lambda a, b: a >= b, "&": lambda a, b: a & b != 0}


def c(text):
    return text.split(b"\0")[0]


def glob_class(p, ch):
    """p is behind the '[': the end of the class and whether ch is in it; None: it has no end"""
    inverted, found = p[:1] == b"!", False
    i = 1 if inverted else 0
    first = i
    while True:
        if i >= len(p):
            return None
        a = b = p[i]
        i += 1
        if p[i:i + 1] == b"-" and p[i + 1:i + 2] != b"]":
            if i + 1 >= len(p):
                return None
            b = p[i + 1]
            i += 2
        found |= a <= ch <= b
        if p[i:i + 1] == b"]" and i > first:
            return i + 1, found != inverted


def glob(p, s):
    """lib/glob.c, by recursion"""
    if not p:
        return not s
    if p[:1] == b"*":
        return any(glob(p[1:], s[i:]) for i in range(len(s) + 1))
    if not s:
        return p == b"\\"		# an escaped NUL, which both end with
    if p[:1] == b"?":
        return glob(p[1:], s[1:])
    if p[:1] == b"[":
        at = glob_class(p[1:], s[0])
        if at:
            return at[1] and glob(p[1 + at[0]:], s[1:])
    if p[:1] == b"\\":
        p = p[1:]
    return p[:1] == s[:1] and glob(p[1:], s[1:])


def text_matches(op, value, field):
    """field: all of its bytes"""
    negated = op == "!="
    if op == "~" and value[:1] == b"!":
        negated, value = True, value[1:]
    if op != "~" or not value or value[:1].isdigit():
        is_glob = begins = ends = False
    else:
        begins, ends = value[:1] == b"*", len(value) > 1 and value[-1:] == b"*"
        inner = value[begins:len(value) - ends]
        is_glob = re.search(rb"[\[?\\]", value) is not None or b"*" in inner
    if is_glob:
        is_it = glob(value, c(field))
    elif begins and ends:
        is_it = inner in field
    elif begins:
        n = len(field) - 1
        is_it = n >= len(inner) and field[n - len(inner):n] == inner
    elif ends:
        is_it = field[:len(inner)] == inner
    else:
        is_it = (c(field) + b"\0")[:len(field)] == (value + b"\0")[:len(field)]
    return is_it != negated


# ---- random filters ----------------------------------------------------------------------------------------


class Random:
    def __init__(s, seed, events):
        s.r, s.events = random.Random(seed), events

    def blank(s):
        return s.r.choice(("", "", " ", "  "))

    def number(s, field, samples):
        n = field.value(s.r.choice(samples)[3]) if s.r.random() < 0.6 else s.r.choice(
            (0, 1, 2, 120, 127, 128, 255, 256, 32767, 65535, 65536, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**63 - 1, s.r.getrandbits(s.r.randrange(1, 63))))
        n += s.r.choice((0, 0, 0, 1, -1, 2**32, -2**31))
        if field.signed:
            n = max(min(n, 2**63 - 1), -2**63)
        else:
            n = max(min(n, 2**64 - 1), 0)
        form = s.r.choice(("%d", "%d", "0x%x", "0X%X", "0%o"))
        return n, "-" * (n < 0) + form % abs(n)

    def cpus(s, most):
        n = sorted(s.r.sample(range(most), s.r.randint(1, min(3, most))))
        text = ",".join(map(str, n))
        if len(n) > 1 and n == list(range(n[0], n[-1] + 1)):
            text = s.r.choice((text, "%d-%d" % (n[0], n[-1])))
        return set(n), "CPUS{%s}" % text

    def text(s, field, samples):
        """bytes of ASCII, without quotes"""
        word = c(field.bytes(s.r.choice(samples)[3])).decode("latin1")
        word = re.sub(r"[^ -~]|[\"'}]", "?", word)
        for _ in range(s.r.randrange(4)):
            at = s.r.randrange(len(word) + 1)
            more = s.r.choice(("*", "*", "?", "[a-s]", "[!0-9]", "[", "\\", "x", "]", "-", "[!]]", "[a-]", "", "!"))
            word = word[:at] + more + word[at + s.r.choice((0, 0, 1, 2, 9)):]
        return s.r.choice((word, word, "*" + word[2:], word[:3] + "*", "*" + word[1:3] + "*", "!" + word))

    def predicate(s, fields, samples):
        """its text and a function of a sample"""
        vary = [f for f in fields if len({fields[f].bytes(x[3]) for x in samples}) > 1]
        name = s.r.choice(("CPU", "cpu", "common_cpu")) if s.r.random() < 0.1 else \
            s.r.choice(vary if vary and s.r.random() < 0.8 else list(fields))
        field = fields.get(name)
        gap = s.blank()
        if not field:
            if s.r.random() < 0.5:
                op, (n, value) = s.r.choice(("==", "!=", "&")), s.cpus(8)
                if op == "!=":
                    test = lambda x: x[2] not in n if len(n) == 1 else True
                else:
                    test = lambda x: x[2] in n and (op == "&" or len(n) == 1)
            else:
                op, n = s.r.choice(("==", "!=", "<", "<=", ">", ">=", "&")), s.r.randint(-1, 3)
                value = str(n)
                test = lambda x: op != "&" and COMPARE[op](x[2], n)
        elif field.text:
            op, text = s.r.choice(("==", "!=", "~", "~", "~")), s.text(field, samples)
            quote = s.r.choice("\"'")
            value, raw = quote + text + quote, text.encode()
            test = lambda x: text_matches(op, raw, field.bytes(x[3]))
        elif field.number and s.r.random() < 0.9:
            op, (n, value) = s.r.choice(("==", "!=", "<", "<=", ">", ">=", "&")), s.number(field, samples)
            m = cut(n, field.size, field.signed)
            test = lambda x: COMPARE[op](field.value(x[3]), m)
        elif field.number:
            op, (n, value) = s.r.choice(("==", "&")), s.cpus(200)
            if len(n) == 1:		# it becomes a number
                m = cut(min(n), field.size, field.signed)
                test = lambda x: field.value(x[3]) == m
            else:
                test = lambda x: op == "&" and field.value(x[3]) in n
        else:
            return s.predicate(fields, samples)
        return name + (gap or " " * (op in "&" and value[0] == "&")) + op + s.blank() + value, test

    def filter(s, fields, samples, depth=0):
        """as the grammar has it: or of and of not"""
        kind = s.r.random()
        if depth > 3 or kind < 0.35:
            return s.predicate(fields, samples)
        if kind < 0.5:		# in front of one predicate, or of parentheses
            text, test = s.filter(fields, samples, depth + 1) if s.r.random() < 0.5 else s.predicate(fields, samples)
            return "!" + s.blank() + "(" + text + ")", lambda x: not test(x)
        if kind < 0.6:
            text, test = s.predicate(fields, samples)
            return "!" + s.blank() + text, lambda x: not test(x)
        if kind < 0.7:
            text, test = s.filter(fields, samples, depth + 1)
            return "(" + text + s.blank() + ")", test
        parts = [s.filter(fields, samples, depth + 1) for _ in range(s.r.randint(2, 3))]
        ors = [[parts[0]]]
        text = s.closed(parts[0])
        for p in parts[1:]:
            op = s.r.choice(("&&", "||"))
            text += s.blank() + op + s.blank() + s.closed(p)
            if op == "||":
                ors.append([p])
            else:
                ors[-1].append(p)
        return text, lambda x: any(all(t(x) for _, t in ands) for ands in ors)

    @staticmethod
    def closed(part):
        return "(" + part[0] + ")" if re.search(r"&&|\|\|", part[0]) else part[0]


def run(path, chosen):
    """chosen: (event, text, test, samples).  The number of filters that differ."""
    expression = " || ".join("*:%s{%s} && offset in (%d..%d)" % (event, text, x[0][0], x[-1][0]) for event, text, _, x in chosen)
    p = subprocess.run(["pfilter", "-q", "--sideband=none", "--filter", expression, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if p.returncode:
        print("%s\nstatus %d: %s" % (expression, p.returncode, p.stderr.decode()))
        return 1
    kept, at, bad = [], 16, 0
    while at < len(p.stdout):
        what, _, size = struct.unpack_from("=IHH", p.stdout, at)
        if what == 9:
            kept.append(p.stdout[at:at + size])
        at += size
        if what == 66:
            at += (struct.unpack_from("=I", p.stdout, at - size + 8)[0] + 7) & ~7
    wanted = {}
    for i, (_, _, test, samples) in enumerate(chosen):
        for x in samples:
            if test(x):
                wanted[x[0]] = i, x[1]
    # both are in the order of the input; a record can be there twice
    want = [wanted[offset] for offset in sorted(wanted)]
    if [w[1] for w in want] == kept:
        return 0
    if len(chosen) > 1:
        return sum(run(path, [one]) for one in chosen)
    print("%s{%s}: %d of %d samples are kept, %d expected" % (chosen[0][0], chosen[0][1], len(kept), len(chosen[0][3]), len(want)))
    return 1


def main():
    path, seed, n = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    events = read(path)
    r = Random(seed, events)
    bad = some = 0
    while n > 0:
        chosen, used = [], {}
        while len(chosen) < min(n, BATCH):
            event = r.r.choice(list(events))
            fields, samples = events[event]
            at = used.get(event, 0)		# each filter has its own samples
            if at >= len(samples):
                if all(used.get(e, 0) >= len(events[e][1]) for e in events):
                    break
                continue
            used[event] = at + SLICE
            mine = samples[at:at + SLICE]
            text, test = r.filter(fields, mine)
            chosen.append((event, text, test, mine))
            some += 0 < sum(map(test, mine)) < len(mine)
        bad += run(path, chosen)
        n -= len(chosen)
    print("%d filters differ; %d choose some of several samples" % (bad, some))
    return bad > 0


sys.exit(main())
