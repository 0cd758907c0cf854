#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""evaluate.py - what pfilter --filter should keep, worked out a second time.

	evaluate.py [-n COUNT] [-s SEED] STREAM ...		random expressions over the fields that STREAM has
	evaluate.py -e EXPRESSION STREAM ...			this one

For each expression runs pfilter on the pipe-mode stream, and compares the samples that come out (and what is selected
like samples) with those for which the expression is true by the reading of it here: own dissector, own parser, own
arithmetic.  It shares nothing with pfilter but the language.  Prints differences; status 1 if there were any.
"""
import argparse, random, re, struct, subprocess, sys

from behind import behind

SAMPLE, FOLLOWS, SWITCHES = 9, (5, 6, 8, 14, 15, 22), (14, 15)
TYPES = {"MMAP": 1, "COMM": 3, "EXIT": 4, "THROTTLE": 5, "READ": 8, "SAMPLE": 9, "MMAP2": 10, "SWITCH": 14}
WORDS = {
    "mem_op": {"na": 1, "load": 2, "store": 4, "pfetch": 8, "exec": 16},
    "mem_lvl": {"l1": 1, "l2": 2, "l3": 3, "l4": 4, "cxl": 9, "io": 10, "any_cache": 11, "lfb": 12, "ram": 13, "pmem": 14,
                "na": 15},
    "mem_snoop": {"na": 1, "none": 2, "hit": 4, "miss": 8, "hitm": 16, "fwd": 32, "peer": 64},
    "mem_remote": {"remote": 1}, "mem_lock": {"na": 1, "locked": 2},
    "mem_dtlb": {"na": 1, "hit": 2, "any_hit": 2, "miss": 4, "any_miss": 4, "l1": 8, "l1_hit": 10, "l1_miss": 12, "l2": 16, "l2_hit": 18,
                 "l2_miss": 20, "walk": 32, "os": 64, "fault": 64},
    "mem_blk": {"na": 1, "by_data": 2, "by_addr": 4}, "mem_hops": {"hops0": 1, "hops1": 2, "hops2": 3, "hops3": 4},
    "cpumode": {"unknown": 0, "kernel": 1, "user": 2, "hypervisor": 3, "guest_kernel": 4, "guest_user": 5},
    "type": TYPES, "attr.type": {"hardware": 0, "software": 1, "tracepoint": 2, "hw_cache": 3, "raw": 4, "breakpoint": 5},
}
WORDS["mem_lvlnum"] = WORDS["mem_lvl"]
UNITS = {"": 1, "ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "m": 60 * 10**9, "h": 3600 * 10**9, "d": 86400 * 10**9,
         "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
TEXTS = {"event"}

# ---- the stream ---------------------------------------------------------------------------------------


class Event:
    def __init__(s, body, e, index):
        s.type, s.size = struct.unpack_from(e + "II", body, 0)
        s.size = s.size or 64
        s.config, s.period, s.sample_type, s.read_format = struct.unpack_from(e + "4Q", body, 8)
        flags = body[40:48]
        if e == ">":
            flags = bytes(int(f"{x:08b}"[::-1], 2) for x in flags)
        s.flags = int.from_bytes(flags, "little")
        more = bytes(body[:s.size]) + bytes(200)
        s.branch, s.uregs = struct.unpack_from(e + "QQ", more, 72)
        s.iregs, = struct.unpack_from(e + "Q", more, 96)
        n = (len(body) - s.size) // 8
        s.ids = struct.unpack_from(e + f"{n}Q", body, s.size)
        s.index, s.name, s.samples = index, None, 0

    def has(s, bit):
        return s.sample_type >> bit & 1


class Cursor:
    def __init__(s, b, e):
        s.b, s.e, s.o = b, e, 0

    def u64(s, n=None):
        v = struct.unpack_from(s.e + f"{1 if n is None else n}Q", s.b, s.o)
        s.o += 8 * len(v)
        return v[0] if n is None else v

    def u32(s):
        s.o += 4
        return struct.unpack_from(s.e + "I", s.b, s.o - 4)[0]

    def i32(s):
        s.o += 4
        return struct.unpack_from(s.e + "i", s.b, s.o - 4)[0]


class Stream:
    """All records, and of those that are selected their fields by name; what is not there is not in the dict."""

    def __init__(s, data):
        s.e = {b"PERFILE2": "<", b"2ELIFREP": ">"}[data[:8]]
        s.events, s.by_id, s.cpu_of, s.records, s.aux, s.first = [], {}, {}, [], False, None
        o, nr = 16, 0
        while o < len(data):
            typ, misc, size = struct.unpack_from(s.e + "IHH", data, o)
            raw, at, nr = data[o:o + size], o, nr + 1
            o += size + behind(s.e, typ, data, o)
            if typ in (70, 71):
                s.aux = True
            elif typ in (81, 83):
                raise ValueError("compressed")
            elif typ >= 64:
                s.learn(typ, raw)
            elif typ == SAMPLE or (typ in FOLLOWS and not (s.aux and typ in SWITCHES)):
                f = s.sample(raw) if typ == SAMPLE else s.other(typ, raw)
                f.update(type=typ, misc=misc, size=size, cpumode=misc & 7, nr=nr, offset=at)
                if typ == SAMPLE:
                    f["exact_ip"] = misc >> 14 & 1
                s.records.append((typ, raw, f))

    def learn(s, typ, raw):
        if typ == 64:
            ev = Event(raw[8:], s.e, len(s.events))
            s.events.append(ev)
            s.by_id.update((i, ev) for i in ev.ids)
        elif typ == 78:
            kind, i = struct.unpack_from(s.e + "QQ", raw, 8)
            if kind == 2 and i in s.by_id:
                s.by_id[i].name = raw[24:].split(b"\0")[0].decode("latin1")
        elif typ == 69:
            n, = struct.unpack_from(s.e + "Q", raw, 8)
            for k in range(n):
                i, _, cpu, _ = struct.unpack_from(s.e + "QQqq", raw, 16 + 32 * k)
                s.cpu_of[i] = cpu

    def event_of(s, typ, raw):
        first = s.events[0]
        if len(s.events) == 1:
            return first
        if typ == SAMPLE:
            if first.has(16):
                at = 8
            elif first.has(6):
                at = 8 + 8 * sum(first.has(b) for b in (0, 1, 2, 3))
            else:
                return first
        else:
            if not first.flags >> 18 & 1 or not (first.has(16) or first.has(6)):
                return first
            at = len(raw) - (8 if first.has(16) else 8 * (1 + first.has(7) + first.has(9)))
        i, = struct.unpack_from(s.e + "Q", raw, at)
        return s.by_id[i] if i else first

    def about(s, ev, f):
        f.update({"event.index": ev.index, "attr.type": ev.type, "attr.config": ev.config})
        if ev.name:
            f["event"] = ev.name
        return f

    def sample(s, raw):
        ev = s.event_of(SAMPLE, raw)
        ev.samples += 1
        f, c = s.about(ev, {}), Cursor(raw[8:], s.e)
        if ev.has(16): f["id"] = c.u64()
        if ev.has(0): f["ip"] = c.u64()
        if ev.has(1): f["pid"], f["tid"] = c.i32(), c.i32()
        if ev.has(2): f["time"] = c.u64()
        if ev.has(3): f["addr"] = c.u64()
        if ev.has(6): f["id"] = c.u64()
        if ev.has(9): f["stream_id"] = c.u64()
        if ev.has(7):
            f["cpu"] = c.u32()
            c.u32()
        if ev.has(8): f["period"] = c.u64()
        elif not ev.flags >> 10 & 1: f["period"] = ev.period
        if "id" not in f and len(ev.ids) == 1: f["id"] = ev.ids[0]
        if "cpu" not in f and ev.ids:
            cpu = s.cpu_of.get(f.get("id", ev.ids[0]), -1)
            if cpu >= 0: f["cpu"] = cpu
        if s.first is None and f.get("time") not in (None, 0, 2**64 - 1):
            s.first = f["time"]
        if ev.has(4): s.read(ev, c, f)
        if ev.has(5):
            n = f["callchain.nr"] = c.u64()
            f["callchain"] = c.u64(n)
            # behind PERF_CONTEXT_USER_DEFERRED stands a cookie
            f["addresses"] = [ip for i, ip in enumerate(f["callchain"]) if ip < 2**64 - 4095 and (not i or f["callchain"][i - 1] != 2**64 - 640)]
        if ev.has(10):
            n = f["raw.size"] = c.u32()
            c.o += n
        if ev.has(11):
            n = f["brstack.nr"] = c.u64()
            c.o += 8 * (ev.branch >> 17 & 1) + 24 * n + (8 * n if ev.branch >> 19 & 1 else 0)
        if ev.has(12):
            abi = f["regs.abi"] = c.u64()
            c.o += 8 * bin(ev.uregs).count("1") if abi else 0
        if ev.has(13):
            n = c.u64()
            c.o += n
            f["stack.size"] = c.u64() if n else 0
        if ev.has(14) or ev.has(24):
            w = c.u64()
            if ev.has(14): f["weight"] = w
            else:
                f["weight"] = f["weight1"] = w & 0xffffffff
                f["weight2"] = f["ins_lat"] = w >> 32 & 0xffff
                f["weight3"] = f["retire_lat"] = f["p_stage_cyc"] = w >> 48
        if ev.has(15):
            d = f["data_src"] = c.u64()
            f.update(mem_op=d & 31, mem_lvl=d >> 33 & 15, mem_lvlnum=d >> 33 & 15, mem_lock=d >> 24 & 3,
                     mem_snoop=d >> 19 & 31 | (d >> 38 & 3) << 5, mem_dtlb=d >> 26 & 127, mem_remote=d >> 37 & 1,
                     mem_blk=d >> 40 & 7, mem_hops=d >> 43 & 7)
        if ev.has(17): f["txn"] = c.u64()
        if ev.has(18):
            abi = c.u64()
            f.setdefault("regs.abi", abi)
            c.o += 8 * bin(ev.iregs).count("1") if abi else 0
        if ev.has(19): f["phys_addr"] = c.u64()
        if ev.has(21): f["cgroup"] = c.u64()
        if ev.has(22): f["data_pgsz"] = c.u64()
        if ev.has(23): f["code_pgsz"] = c.u64()
        if ev.has(20): f["aux.size"] = c.u64()
        return f

    def read(s, ev, c, f):
        r, v = ev.read_format, None
        n = c.u64() if r & 8 else 1
        if not r & 8: v = c.u64()
        if r & 1: f["read.enabled"] = c.u64()
        if r & 2: f["read.running"] = c.u64()
        each = 1 + (r >> 2 & 1) + (r >> 4 & 1)
        if r & 8:
            all = c.u64(n * each)
            v = all[0] if all else None
        else:
            c.o += 8 * (each - 1)
        if v is not None: f["read.value"] = v

    def other(s, typ, raw):
        ev = s.event_of(typ, raw)
        f = s.about(ev, {})
        back = [(16, "id"), (7, "cpu"), (9, "stream_id"), (6, "id"), (2, "time"), (1, "pid")]
        need = 8 * sum(ev.has(b) for b, _ in back)
        if ev.flags >> 18 & 1 and len(raw) >= 8 + need:
            o = len(raw)
            for bit, name in back:
                if not ev.has(bit):
                    continue
                o -= 8
                if name == "pid":
                    f["pid"], f["tid"] = struct.unpack_from(s.e + "ii", raw, o)
                elif name == "cpu":
                    f["cpu"], = struct.unpack_from(s.e + "I", raw, o)
                else:
                    f[name], = struct.unpack_from(s.e + "Q", raw, o)
        if typ in (5, 6):
            f["time"], f["id"], f["stream_id"] = struct.unpack_from(s.e + "QQQ", raw, 8)
        elif typ == 8:
            f["pid"], f["tid"] = struct.unpack_from(s.e + "ii", raw, 8)
            s.read(ev, Cursor(raw[16:], s.e), f)
        return f


# ---- the language: precedence climbing, where pfilter has a function for each rule ----------------------

TOKEN = re.compile(r"""\s*(?:(?P<num>0[xX][0-9a-fA-F]+|\d+(?:\.\d+)?[a-zA-Z]*)|(?P<name>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)
    |"(?P<str>(?:[^"\\]|\\.)*)"|(?P<op>!=~|&&|\|\||==|!=|<=|>=|=~|!~|\.\.|[-()!,~&|^+*/%<>]))""", re.X)
BINARY = {",": 1, "||": 2, "or": 2, "&&": 3, "and": 3, "==": 5, "!=": 5, "<": 5, "<=": 5, ">": 5, ">=": 5, "~": 5, "!~": 5,
          "=~": 5, "!=~": 5, "in": 5, "not": 5, "|": 6, "^": 7, "&": 8, "+": 9, "-": 9, "*": 10, "/": 10, "%": 10}
FUNCTIONS = ("exists", "default", "min", "max", "abs", "popcount", "len")


def tokens(text):
    out, o = [], 0
    text = text.rstrip()
    while o < len(text):
        m = TOKEN.match(text, o)
        if not m:
            raise ValueError(f"no token at {text[o:]!r}")
        out.append((m.lastgroup, m.group(m.lastgroup)))
        o = m.end()
    return out + [("end", "")]


class Parser:
    def __init__(s, text):
        s.t, s.i = tokens(text), 0
        s.tree = s.binary(1)
        assert s.t[s.i][0] == "end", s.t[s.i]

    def take(s, want=None):
        k, v = s.t[s.i]
        assert want is None or v == want, (want, v)
        s.i += 1
        return v

    def peek(s):
        return s.t[s.i][1] if s.t[s.i][0] in ("op", "name") else None

    def binary(s, least):
        left = s.unary()
        while BINARY.get(s.peek(), 0) >= least:
            op = s.take()
            if op == "not":
                s.take("in")
                left = ("!", s.members(left))
            elif op == "in":
                left = s.members(left)
            else:
                left = (op, left, s.binary(BINARY[op] + 1))
        return left

    def members(s, left):
        s.take("(")
        items = []
        while True:
            lo = s.binary(6)
            if s.peek() == "..":
                s.take()
                items.append((lo, s.binary(6)))
            else:
                items.append((lo, lo))
            if s.take() == ")":
                return ("in", left, items)

    def unary(s):
        kind, v = s.t[s.i]
        s.i += 1
        if v == "!" and kind == "op" or v == "not" and kind == "name":
            return ("!", s.binary(4))
        if v == "-" and kind == "op":
            return ("neg", s.binary(11))
        if v == "(" and kind == "op":
            tree = s.binary(1)
            s.take(")")
            return tree
        if kind == "num":
            m = re.match(r"(0[xX][0-9a-fA-F]+)$|(\d+)(?:\.(\d+))?([a-zA-Z]*)$", v)
            if m[1]:
                return ("num", int(m[1], 16))
            unit, frac = UNITS[m[4]], m[3] or "0"
            return ("num", int(m[2]) * unit + int(frac) * unit // 10**len(frac))
        if kind == "str":
            return ("str", re.sub(r'\\(["\\])', r"\1", v))
        if v in FUNCTIONS:
            s.take("(")
            args = [s.binary(6)]
            while s.take() == ",":
                args.append(s.binary(6))
            return (v, *args)
        return ("name", v)


BIG = 1 << 127


def fit(n):
    return n if n is not None and -BIG <= n < BIG else None


def word_field(tree):
    if tree[0] == "name":
        return tree[1] if tree[1] in WORDS else None
    for x in tree[1:]:
        if isinstance(x, tuple) and (w := word_field(x)):
            return w
    return None


def value(t, f, words=None):
    op = t[0]
    if op in ("num", "str"):
        return t[1]
    if op == "name":
        if words and t[1] in WORDS[words]:
            return WORDS[words][t[1]]
        return f.get(t[1])
    words = words or next((w for x in t[1:] if (w := word_field(x))), None)
    a = [value(x, f, words) for x in t[1:]]
    if op == "default":
        return a[1] if a[0] is None else a[0]
    if None in a:
        return None
    if op == "neg": return fit(-a[0])
    if op == "abs": return fit(abs(a[0]))
    if op == "popcount": return bin(a[0]).count("1") if a[0] >= 0 else None
    if op == "len": return len(a[0])
    if op == "min": return min(a)
    if op == "max": return max(a)
    x, y = a
    if op in "/%":
        if not y:
            return None
        q = abs(x) // abs(y)
        q = -q if (x < 0) != (y < 0) else q
        return fit(q) if op == "/" else fit(x - q * y)
    return fit({"+": x + y, "-": x - y, "*": x * y, "&": x & y, "|": x | y, "^": x ^ y}[op])


def glob(p):
    return re.compile("".join(".*" if c == "*" else "." if c == "?" else re.escape(c) for c in p) + r"\Z", re.S)


def truth(t, f):
    """True, False, or None: unknown"""
    op = t[0]
    if op == "!":
        v = truth(t[1], f)
        return None if v is None else not v
    if op in (",", "&&", "and", "||", "or"):
        a, b = truth(t[1], f), truth(t[2], f)
        if op in ("||", "or"):
            return True if a or b else None if None in (a, b) else False
        return False if a is False or b is False else None if None in (a, b) else True
    if op == "exists":
        return value(t[1], f) is not None
    if op == "in":
        w, any_unknown = word_field(t[1]), False
        if t[1] == ("name", "callchain"):
            if "callchain" not in f:
                return None
            ranges = [(value(lo, f), value(hi, f)) for lo, hi in t[2]]
            return any(lo <= ip <= hi for ip in f["addresses"] for lo, hi in ranges)
        x = value(t[1], f)
        if x is None:
            return None
        for lo, hi in t[2]:
            lo, hi = value(lo, f, w), value(hi, f, w)
            # lo <= x and x <= hi by three values
            ge, le = None if lo is None else lo <= x, None if hi is None else x <= hi
            if ge and le:
                return True
            any_unknown |= None in (ge, le) and ge is not False and le is not False
        return None if any_unknown else False
    if op in ("==", "!=", "<", "<=", ">", ">=", "~", "!~", "=~", "!=~"):
        words = word_field(t[1]) or word_field(t[2])
        a, b = value(t[1], f, words), value(t[2], f, words)
        if a is None or b is None:
            return None
        if "~" in op:
            return bool((re.search(b, a) if "=~" in op else glob(b).match(a))) != op.startswith("!")
        return {"==": a == b, "!=": a != b, "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[op] \
            if op in ("==", "!=") or not isinstance(a, str) else None
    v = value(t, f)
    return None if v is None else v != 0


# ---- random expressions ---------------------------------------------------------------------------------


class Random:
    def __init__(s, rnd, stream):
        s.r, s.values = rnd, {}
        for typ, _, f in stream.records:
            for k, v in f.items():
                if typ == SAMPLE and k not in ("nr", "offset"):
                    s.values.setdefault(k, []).append(v)
        s.ints = [k for k, v in s.values.items() if isinstance(v[0], int)]

    def number(s, field=None):
        r = s.r.random()
        if field and r < 0.6:
            return str(s.r.choice(s.values[field]) + s.r.choice((0, 0, 0, 1, -1)))
        if r < 0.8:
            return str(s.r.choice((0, 1, 2, 3, 7, 8, 255, 4096, 65535, 2**31, 2**32 - 1, 2**63, 2**64 - 1)))
        return s.r.choice(("0x10", "4K", "10ms", "007", "1.5s", "-1", "-3", "1M", "0xffffffff81000000"))

    def constant(s, field):
        if field in WORDS and s.r.random() < 0.5:
            return s.r.choice(sorted(WORDS[field]))
        return s.number(field)

    def value(s, depth, words=None):
        r = s.r.random()
        if depth <= 0 or r < 0.5:
            return s.r.choice(s.ints) if s.r.random() < 0.7 else s.number()
        if r < 0.8:
            a, b = s.r.choice(s.ints), s.value(depth - 1)	# not both constant: that may be refused
            if s.r.random() < 0.5:
                a, b = b, a
            op = s.r.choice("+-*/%&|^")
            return f"({a} {op} {b})" if s.r.random() < 0.7 or op in "&|^" else f"{a} {op} {b}"
        if r < 0.85:
            return f"-{s.r.choice(s.ints)}"
        if r < 0.9:
            return f"default({s.r.choice(s.ints)}, {s.value(depth - 1)})"
        fn = s.r.choice(("min", "max", "abs", "popcount"))
        a = s.r.choice(s.ints)
        return f"{fn}({a}, {s.value(depth - 1)})" if fn in ("min", "max") else f"{fn}({a})"

    def test(s, depth):
        r, f = s.r.random(), s.r.choice(s.ints)
        rel = s.r.choice(("==", "!=", "<", "<=", ">", ">="))
        if r < 0.35:
            c = s.constant(f)
            return f"{f} {rel} {c}" if s.r.random() < 0.8 or c[0].isalpha() else f"{c} {rel} {f}"
        if r < 0.45:
            return f"{f} & {s.number()}" if s.r.random() < 0.7 else f"({f} & {s.number(f)}) {rel} {s.number()}"
        if r < 0.6:
            items = []
            for _ in range(s.r.choice((1, 2, 5, 30))):
                a = s.constant(f)
                if s.r.random() < 0.2 and not a[0].isalpha():
                    a = f"{a}..{a} + {s.r.choice(s.ints)}"
                items.append(a if s.r.random() < 0.95 else s.r.choice(s.ints))
            return f"{f} {s.r.choice(('in', 'not in'))} ({', '.join(items)})"
        if r < 0.65 and "event" in s.values:
            name = s.r.choice(s.values["event"])
            return s.r.choice((f'event == "{name}"', f'event != "{name}"', f'event ~ "{name[:3]}*"', f'event !~ "*{name[-2:]}"',
                               f'event =~ "^{name[:2]}"', f'event !=~ "{name[:2]}$"', f'event in ("x", "{name}")'))
        if r < 0.7:
            return f"exists({s.r.choice(s.ints)})"
        if r < 0.75 and "callchain" in s.values:
            chain = s.r.choice(s.values["callchain"]) or (0,)
            ip = s.r.choice(chain)
            return f"callchain {s.r.choice(('in', 'not in'))} (1, {ip}..{ip})"
        if r < 0.8:
            return f
        a, b = s.value(depth - 1), s.value(depth - 1)
        return f"{a} {rel} {b}" if not set(a) & set("&|^") and not set(b) & set("&|^") else f"({a}) {rel} ({b})"

    def cond(s, depth):
        r = s.r.random()
        if depth <= 0 or r < 0.3:
            return s.test(2)
        if r < 0.45:
            return s.r.choice(("!", "not ")) + f"({s.cond(depth - 1)})"
        op = s.r.choice((" && ", " || ", " and ", " or "))
        a, b = s.cond(depth - 1), s.cond(depth - 1)
        return f"({a}){op}({b})" if s.r.random() < 0.4 else f"{a}{op}{b}"

    def filter(s):
        return ", ".join(s.cond(s.r.choice((0, 1, 2, 3))) for _ in range(s.r.choice((1, 1, 1, 2))))


# ---- comparing ------------------------------------------------------------------------------------------


def key(stream, typ, raw):
    """READ totals change when samples are dropped: then by the fields in front of them."""
    ev = stream.event_of(typ, raw)
    return raw[:8 + 8 * bin(ev.sample_type & 0x103cf).count("1")] if typ == SAMPLE and ev.has(4) else raw


def check(path, data, stream, expr):
    got = subprocess.run(["pfilter", "-q", "--filter", expr, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if got.returncode:
        print(f"{path}: {expr}\n  status {got.returncode}: {got.stderr.decode()}")
        return False
    tree = Parser(expr).tree
    want = []
    for typ, raw, f in stream.records:
        if stream.first is not None and f.get("time") not in (None, 0, 2**64 - 1):
            f = dict(f, reltime=f["time"] - stream.first)
        v = truth(tree, f)
        if v or (v is None and typ != SAMPLE):
            want.append(key(stream, typ, raw))
    out = Stream(got.stdout)
    have = [key(out, typ, raw) for typ, raw, _ in out.records]
    if have == want:
        return True
    n = next((i for i, (a, b) in enumerate(zip(have, want)) if a != b), min(len(have), len(want)))
    print(f"{path}: {expr}\n  pfilter keeps {len(have)}, should keep {len(want)}; the first that differs is {n}")
    return False


def main():
    a = argparse.ArgumentParser()
    a.add_argument("-n", type=int, default=50)
    a.add_argument("-s", type=int, default=1)
    a.add_argument("-e", action="append")
    a.add_argument("stream", nargs="+")
    a = a.parse_args()
    bad = done = kept = 0
    for path in a.stream:
        data = open(path, "rb").read()
        try:
            stream = Stream(data)
        except (ValueError, LookupError, struct.error):
            continue		# compressed, or no sound stream
        if not any(t == SAMPLE for t, _, _ in stream.records):
            continue
        make = Random(random.Random(f"{a.s} {path.split('/')[-1]}"), stream)
        for expr in a.e or (make.filter() for _ in range(a.n)):
            bad += not check(path, data, stream, expr)
            done += 1
    print(f"{done} expressions, {bad} wrong")
    return 1 if bad or not done else 0


if __name__ == "__main__":
    sys.exit(main())
