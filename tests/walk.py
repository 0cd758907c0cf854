#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""walk.py BEFORE AFTER - a second unwinder, of x86-64: are the user chains of AFTER those of the copies of stacks in BEFORE?

Rules are those of readelf --debug-dump=frames-interp; where it has "exp", the frame of a signal is read as the kernel writes it, other
expressions as --debug-dump=frames has them.  Maps are those of the stream, in the order of time; files are found by their names.
Prints counts by kind: samples, frames, equal, why the chains end, and what differs, with examples to standard error."""
import bisect, collections, re, struct, subprocess, sys, tempfile
from chains import Stream, parts, u64

REGS = "rax rdx rcx rbx rsi rdi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15 rip".split()
PERF = [0, 3, 2, 1, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 8]		# PERF_REG_X86_...
UCONTEXT = dict(zip("r8 r9 r10 r11 r12 r13 r14 r15 rdi rsi rbp rbx rdx rax rcx rsp rip".split(), range(40, 40 + 17 * 8, 8)))
RETURN = bytes.fromhex("48c7c00f0000000f05")		# mov $15, %rax; syscall: of a trampoline without tables, if it is there
SP, PC, FP = "rsp", "rip", "rbp"
M64 = 2**64 - 1


def vdso():
    """this process's, which is that of each of this kernel"""
    start, end = next([int(x, 16) for x in line.split()[0].split("-")] for line in open("/proc/self/maps") if "[vdso]" in line)
    f = tempfile.NamedTemporaryFile()
    with open("/proc/self/mem", "rb") as memory:
        memory.seek(start)
        f.write(memory.read(end - start))
    f.seek(0)
    return f


class File:
    def __init__(self, name):
        self.starts, self.fdes, self.exps = [], [], None
        self.f = vdso() if name == b"[vdso]" else open(name, "rb")
        self.path = self.f.name
        self.segments = []
        head = self.f.read(64)
        if head[:4] != b"\x7fELF":
            return
        at, size, n = u64(head, 32), *struct.unpack_from("<HH", head, 54)
        self.f.seek(at)
        for i in range(n):
            p = self.f.read(size)
            if struct.unpack_from("<I", p)[0] == 1:
                self.segments.append((u64(p, 8), u64(p, 16), u64(p, 32)))
        self.read()

    def readelf(self, what):
        return subprocess.run(["readelf", "-W", "--debug-dump=" + what, self.path], capture_output=True, text=True).stdout.split("\n")

    def read(self):
        cies, rows, fdes, section = {}, None, [], 0
        for line in self.readelf("frames-interp"):
            if line[:3] == "Con":
                section += 1
            elif m := re.match(r'([0-9a-f]{8,}) [0-9a-f]+ [0-9a-f]+ CIE "(\w*)"', line):
                rows = []
                cies[section, int(m[1], 16)] = rows, "S" in m[2]
            elif m := re.match(r"[0-9a-f]{8,} [0-9a-f]+ [0-9a-f]+ FDE cie=([0-9a-f]+) pc=([0-9a-f]+)\.\.([0-9a-f]+)", line):
                of, signal = cies[section, int(m[1], 16)]
                start = int(m[2], 16)
                rows = [(start, *r[1:]) for r in of]
                if section == 1 or start:
                    fdes.append((start, int(m[3], 16), rows, signal))
            elif line[:6] == "   LOC":
                columns = ["rip" if c == "ra" else c for c in line.split()[2:]]
            elif re.match(r"[0-9a-f]{16} ", line):
                at, cfa, *rules = re.sub(r"r\d+ \((\w+)\)", r"\1", line).split()
                rows.append((int(at, 16), cfa, dict(zip(columns, rules))))
        self.fdes = sorted(fdes, key=lambda f: f[:2])
        self.starts = [f[0] for f in self.fdes]

    def address(self, offset):
        return next((offset - o + a for o, a, n in self.segments if 0 <= offset - o < n), None)

    def row(self, addr):
        i = bisect.bisect_right(self.starts, addr) - 1
        if i < 0 or addr >= self.fdes[i][1]:
            return None
        start, end, rows, signal = self.fdes[i]
        for at, cfa, rules in reversed(rows):
            if at <= addr:
                return start, cfa, rules, signal, end
        return None

    def expression(self, start, addr):
        """the text of the CFA's expression there"""
        if self.exps is None:
            self.exps, of, loc = {}, None, 0
            for line in self.readelf("frames"):
                if m := re.search(r" FDE cie=\S+ pc=([0-9a-f]+)", line):
                    loc = int(m[1], 16)
                    of = self.exps.setdefault(loc, [])
                elif m := re.search(r"DW_CFA_advance_loc\d?: .* to ([0-9a-f]+)", line):
                    loc = int(m[1], 16)
                elif (m := re.search(r"DW_CFA_def_cfa_expression \((.*)\)", line)) and of is not None:
                    of.append((loc, m[1]))
        return [e for at, e in self.exps[start] if at <= addr][-1]


class Ended(Exception):
    pass


class Walk:
    def __init__(self, f, maps, mask):
        values = [u64(f["regs"], i) for i in range(8, len(f["regs"]), 8)]
        regs = dict(zip([i for i in range(64) if mask >> i & 1], values))
        self.reg = {r: regs[p] for r, p in zip(REGS, PERF)}
        self.stack, self.base, self.maps = f["stack"], self.reg[SP], maps

    def map(self, addr):
        return next((m for m in self.maps if m[0] <= addr < m[1]), None)

    def memory(self, addr):
        at = addr - self.base & M64
        if at + 8 <= len(self.stack):
            return u64(self.stack, at)
        m = self.map(addr)
        if m and not m[4] & 2 and (f := file(m)):
            f.f.seek(addr - m[0] + m[2])
            return u64(f.f.read(8), 0)
        raise Ended("memory")

    def evaluate(self, text):
        stack = []
        for op in text.split("; "):
            if m := re.match(r"DW_OP_breg\d+ \((\w+)\): (-?\d+)", op):
                stack.append(self.reg[m[1]] + int(m[2]))
            elif m := re.match(r"DW_OP_lit(\d+)|DW_OP_const\d[us]: (-?\d+)", op):
                stack.append(int(m[1] or m[2]))
            elif m := re.match(r"DW_OP_plus_uconst: (\d+)", op):
                stack[-1] += int(m[1])
            elif op == "DW_OP_deref":
                stack[-1] = self.memory(stack[-1] & M64)
            else:
                b, a = stack.pop(), stack.pop()
                stack.append({"and": a & b, "plus": a + b, "minus": a - b, "ge": a >= b, "shl": a << (b & 63)}[op[6:]])
            stack[-1] &= M64
        return stack.pop()

    def up(self, f, m, addr):
        """Go to the caller; is this the trampoline of a signal?"""
        row = f and f.row(f.address(addr - m[0] + m[2]) or 0)
        if f and (not row or row[4] == f.address(addr - m[0] + m[2]) + 1):
            pc = self.reg[PC] - m[0] + m[2]
            f.f.seek(max(0, pc - len(RETURN)))
            row = row if RETURN not in f.f.read(2 * len(RETURN)) else (0, "", {}, True, 0)
        if not row:
            return self.by_pointer()
        start, cfa, rules, signal, _ = row
        if signal:
            sp = self.reg[SP]
            self.reg = {r: self.memory(sp + at) for r, at in UCONTEXT.items()}
            return True
        if rules.get(PC) == "u":
            raise Ended("start")
        if cfa == "exp":
            cfa = self.evaluate(f.expression(start, f.address(addr - m[0] + m[2])))
        else:
            r, n = re.match(r"(\w+)([+-]\d+)", cfa).groups()
            if r not in self.reg:
                raise Ended("register")
            cfa = self.reg[r] + int(n) & M64
        if cfa < self.last or (cfa == self.last and not self.active):
            raise Ended("loop")
        old = dict(self.reg)
        self.reg[SP] = self.last = cfa
        for r, how in rules.items():
            if how in ("u", "s") and r != PC:
                continue
            try:
                if how[0] == "c":
                    self.reg[r] = self.memory(cfa + int(how[1:]) & M64)
                elif how[0] == "v":
                    self.reg[r] = cfa + int(how[1:]) & M64
                else:
                    self.reg[r] = old[how]
            except (Ended, KeyError):
                if r == PC:
                    raise Ended("memory")
                self.reg.pop(r, None)
        return False

    def by_pointer(self):
        if FP not in self.reg or not 0 <= self.reg[FP] - self.last <= 16384:
            raise Ended("tables")
        fp, at = self.reg[FP], self.reg[FP] - self.base
        if at < 0 or at + 16 > len(self.stack):
            raise Ended("memory")
        self.last = fp + 16
        self.reg = {FP: u64(self.stack, at), PC: u64(self.stack, at + 8), SP: fp + 16}
        return False

    def chain(self):
        ips, self.active, self.last = [], True, self.reg[SP]
        while len(ips) < 127:
            pc = self.reg[PC]
            if ips and not pc:
                return ips, "start"
            at = pc - (not self.active)
            m = self.map(at)
            if ips and not (m and m[4] & 4):
                return ips, "map"
            ips.append(at)
            try:
                signal = self.up(file(m), m, at)
            except Ended as e:
                return ips, e.args[0]
            if signal:
                ips[-1] = pc
                self.last = 0
            self.active = signal
        return ips, "max"


files = {}


def file(m):
    if not m or m[3][:2] == b"//" or m[3][:1] not in b"/[" or m[3] in (b"[heap]", b"[stack]"):
        return None
    if m[3] not in files:
        try:
            files[m[3]] = File(m[3])
        except OSError as e:
            print(e, file=sys.stderr)
            files[m[3]] = None
    return files[m[3]]


def insert(maps, new):
    out = []
    for m in maps:
        if m[1] <= new[0] or m[0] >= new[1]:
            out.append(m)
            continue
        if m[0] < new[0]:
            out.append((m[0], new[0], *m[2:]))
        if m[1] > new[1]:
            out.append((new[1], m[1], m[2] + new[1] - m[0], *m[3:]))
    return out + [new]


def main(before, after):
    a, b = Stream(before), Stream(after)
    kind, mask, _ = a.attrs[0]
    chains = [f for f in b.samples()]
    events, n = [], 0
    id_all = 8 * bin(kind & 0x102c6).count("1")		# TID TIME ID STREAM_ID CPU IDENTIFIER
    for k, r in a.records:
        if k == 9:
            f = a.sample(r)
            events.append((f[4], len(events), k, f, chains[n]))
            n += 1
        elif k in (1, 3, 7, 10):
            tail = r[len(r) - id_all:]
            events.append((u64(tail, 8), len(events), k, r, None))
    spaces, kinds, said = collections.defaultdict(list), collections.Counter(), collections.Counter()
    for time, _, k, r, got in sorted(events, key=lambda e: e[:2]):
        if k == 9:
            kinds["samples"] += 1
            ours = parts(got["chain"])[1]
            if len(r["regs"]) <= 8:
                want, why = [], "kernel"
            elif u64(r["regs"], 0) != 2:
                want, why = ours[:1], "32 bits"
            else:
                want, why = Walk(r, spaces[r[2] & 0xffffffff], mask).chain()
            kinds["ended by " + why] += 1
            kinds["frames"] += len(want)
            if want == ours:
                kinds["equal"] += 1
                continue
            d = next((i for i, (x, y) in enumerate(zip(want, ours)) if x != y), min(len(want), len(ours)))
            m = next((m for m in spaces[r[2] & 0xffffffff] if d and m[0] <= ours[d - 1] < m[1]), (0, 0, 0, b"first"))
            what = "%s behind %s, %s" % ("shorter" if d == len(ours) else "longer" if d == len(want) else "differ", m[3].decode(), why)
            kinds[what] += 1
            if said[what] < 3:
                said[what] += 1
                print(what, "pid %d time %d copy %d after %d" % (r[2] & 0xffffffff, time, len(r["stack"]), d),
                      *(" ".join([name] + ["%x" % v for v in c[max(0, d - 2):d + 3]]) for name, c in (("\twant", want), ("\tours", ours))),
                      sep="\n", file=sys.stderr)
            continue
        pid, second = struct.unpack_from("<II", r, 8)
        misc = struct.unpack_from("<H", r, 4)[0]
        if k == 10 and misc & 7 == 2:
            start, size, pgoff = struct.unpack_from("<QQQ", r, 16)
            prot = struct.unpack_from("<I", r, 64)[0]
            spaces[pid] = insert(spaces[pid], (start, start + size, pgoff, r[72:].split(b"\0")[0], prot))
        elif k == 3 and misc & 1 << 13:
            spaces[pid] = []
        elif k == 7 and pid != second:
            spaces[pid] = list(spaces[second])
    for k, v in sorted(kinds.items()):
        print(k, v)


if __name__ == "__main__":
    main(*sys.argv[1:])
