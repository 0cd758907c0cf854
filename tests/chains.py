#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""chains.py COMMAND FILE... - what pinject --unwind has made of a little-endian stream, read without its code.

	chains FILE		a line for each sample that has a user part: pid tid time address...
	same BEFORE AFTER [regs]
				compares the streams: all records but samples with copies of stacks and their attrs are the same, in their places;
				of such a sample all other fields and the kernel's part of the chain are; of the attr, what has to change.
				regs: the registers stay
	private BEFORE AFTER	no two words of a copy of a stack stand side by side in a sample of AFTER, but small numbers
	script [-l] A B		compares what perf script -F tid,time,ip prints, A of copies of stacks, B of chains: counts by kind.
				-l: by libunwind, which lowers the trampolines of signals, and ends a chain by -1"""
import collections, re, struct, sys

from behind import behind

CALLCHAIN, REGS, STACK = 1 << 5, 1 << 12, 1 << 13
USER, FIRST_MARKER = 2**64 - 512, 2**64 - 4095
FIXED = 1 << 16, 1 << 0, 1 << 1, 1 << 2, 1 << 3, 1 << 6, 1 << 9, 1 << 7, 1 << 8		# IDENTIFIER IP TID TIME ADDR ID STREAM_ID CPU PERIOD


def u64(b, at):
    return struct.unpack_from("<Q", b, at)[0]


class Stream:
    def __init__(self, name):
        self.data = open(name, "rb").read()
        assert self.data[:8] == b"PERFILE2"
        self.attrs, self.records = [], []
        at = 16
        while at < len(self.data):
            kind, size = struct.unpack_from("<IxxH", self.data, at)
            r = self.data[at:at + size]
            if kind == 64:
                self.attrs.append((u64(r, 32), u64(r, 88), [u64(r, i) for i in range(8 + struct.unpack_from("<I", r, 12)[0], size, 8)]))
            self.records.append((kind, r))
            at += size + behind("<", kind, self.data, at)

    def sample(self, r):
        """Its fields: a dict, and the bytes before the chain, between chain and registers, and behind the stack."""
        assert all(self.attrs[0][0] & 0x103cf == a[0] & 0x103cf for a in self.attrs)
        kind, mask, at, f = *self.attrs[0][:2], 8, {}
        for bit in FIXED:
            if kind & bit:
                f[bit] = u64(r, at)
                at += 8
        if 1 << 16 in f or 1 << 6 in f:
            kind, mask = next(((a[0], a[1]) for a in self.attrs if f.get(1 << 16, f.get(1 << 6)) in a[2]), (kind, mask))
        assert not kind & 1 << 4			# READ
        f["kind"], f["front"], f["chain"], f["regs"], f["stack"] = kind, r[8:at], [], b"", b""
        if kind & CALLCHAIN:
            n = u64(r, at)
            f["chain"] = list(struct.unpack_from("<%dQ" % n, r, at + 8))
            at += 8 + 8 * n
        begin = at
        if kind & 1 << 10:				# RAW
            at += 4 + struct.unpack_from("<I", r, at)[0]
        assert not kind & 1 << 11			# BRANCH_STACK
        f["between"] = r[begin:at]
        if kind & REGS:
            end = at + 8 + (8 * bin(mask).count("1") if u64(r, at) else 0)
            f["regs"] = r[at:end]
            at = end
        if kind & STACK:
            n = u64(r, at)
            f["stack"] = r[at + 8:at + 8 + min(n, u64(r, at + 8 + n))] if n else b""
            at += 8 + (n + 8 if n else 0)
        f["behind"] = r[at:]
        return f

    def samples(self):
        for kind, r in self.records:
            if kind == 9:
                yield self.sample(r)


def parts(chain):
    """The kernel's part, with its markers; the user's part."""
    kernel, user, mode = [], [], USER
    for v in chain:
        if v >= FIRST_MARKER:
            mode = v
        if mode != USER:
            kernel.append(v)
        elif v < FIRST_MARKER:
            user.append(v)
    return kernel, user


def chains(name):
    for f in Stream(name).samples():
        user = parts(f["chain"])[1]
        if user:
            print(f[2] & 0xffffffff, f[2] >> 32, f.get(4), *("%x" % v for v in user))


def attr_changed(r, regs):
    r = bytearray(r)
    kind = u64(r, 32)
    if kind & (REGS | STACK) == REGS | STACK:
        struct.pack_into("<Q", r, 32, kind & ~(STACK if regs else REGS | STACK) | CALLCHAIN)
        struct.pack_into("<Q", r, 48, u64(r, 48) & ~(1 << 22))		# exclude_callchain_user
        struct.pack_into("<I", r, 96, 0)
        if not regs:
            struct.pack_into("<Q", r, 88, 0)
    return bytes(r)


def same(before, after, regs):
    a, b = Stream(before), Stream(after)
    assert len(a.records) == len(b.records) and a.data[:16] == b.data[:16], "number of records"
    n = 0
    for (kind, x), (kind_b, y) in zip(a.records, b.records):
        assert kind == kind_b
        if kind == 64:
            assert y == attr_changed(x, regs), "attr"
        elif kind == 80 and u64(x, 8) == 12:			# EVENT_DESC
            assert len(x) == len(y)
        elif kind == 9 and a.sample(x)["kind"] & STACK:
            f, g = a.sample(x), b.sample(y)
            assert x[:6] == y[:6] and len(y) == struct.unpack_from("<H", y, 6)[0], "header"
            assert all(f[k] == g[k] for k in ("front", "between", "behind")), "fields"
            assert g["regs"] == (f["regs"] if regs else b""), "registers"
            assert parts(f["chain"])[0] == parts(g["chain"])[0], "kernel part"
            assert USER not in g["chain"] or g["chain"].index(USER) == len(g["chain"]) - len(parts(g["chain"])[1]) - 1, "marker"
            n += 1
        else:
            assert x == y, "record of type %d" % kind
    print(n)
    return n == 0


def private(before, after):
    def pairs(b):
        for at in range(0, len(b) - 15, 8):
            x, y = struct.unpack_from("<QQ", b, at)
            if x >> 16 and y >> 16 and x != y and not x + 1 == 0:
                yield x, y
    stacks = set()
    for f in Stream(before).samples():
        stacks.update(pairs(f["stack"]))
    found = [p for kind, r in Stream(after).records if kind == 9 for p in pairs(r) if p in stacks]
    print(len(stacks), len(found), *("%x %x" % p for p in found[:3]))
    return len(stacks) < 100 or found


def printed(name):
    all, chain = collections.defaultdict(list), None
    for line in open(name, errors="replace"):
        head = re.match(r"\s*(\d+)\s+(\d+\.\d+):\s*([0-9a-f]*)\s*$", line)
        if head and not line.startswith("\t"):
            chain = []
            all[head[1], head[2]].append(chain)
            line = head[3]
        if line.strip():
            chain.append(int(line.split()[0], 16))
    return all


def script(a, b, lowered):
    a, b, kinds, said = printed(a), printed(b), collections.Counter(), 0
    for key, one in a.items():
        for x, y in zip(one, b.get(key, ())):
            ux, uy = [[v for v in c if v < 1 << 63] for c in (x, y)]
            kx, ky = [[v for v in c if 1 << 63 <= v < 2**64 - 1] for c in (x, y)]
            kinds["samples"] += 1
            kinds["frames"] += len(uy)
            kinds["kernel parts differ"] += kx != ky
            if ux == uy or (lowered and len(ux) == len(uy) and all(p == q or p + 1 == q for p, q in zip(ux, uy))):
                kinds["equal"] += 1
            elif not ux:
                kinds["none before"] += 1
            elif uy[:len(ux)] == ux:
                kinds["longer"] += 1
            elif ux[:len(uy)] == uy:
                kinds["shorter"] += 1
            else:
                kinds["differ"] += 1
            if kinds["differ"] + kinds["shorter"] > said:
                said += 1
                print("%s %s: %s\n\t%s" % (*key, *(" ".join("%x" % v for v in c) for c in (ux, uy))), file=sys.stderr)
    print(*("%s %d" % (k, n) for k, n in sorted(kinds.items())), sep="\n")
    return sum(map(len, a.values())) != kinds["samples"]


if __name__ == "__main__":
    command, *args = sys.argv[1:]
    sys.exit(bool(chains(*args) if command == "chains" else same(args[0], args[1], "regs" in args) if command == "same" else
                  private(*args) if command == "private" else script(*args[-2:], "-l" in args)))
