#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""secrets.py ORIGINAL ANONYMOUS: does the second stream hold anything of what names the first?
secrets.py --behind TRAILER ORIGINAL: the stream with *BEHIND* (its first bytes, if there is less room) behind the fields of each
record that can have bytes there.

Both are pipe-mode streams without compressed records.  Gathers from ORIGINAL the host, commands, paths and their parts,
symbols, build ids, pids, and where things are mapped; looks for these in every byte of ANONYMOUS, whatever field
that is.  Prints what it finds; status 1 if anything.  Shares nothing with the tools.
"""
import bisect
import re
import struct
import sys

from behind import COUNT, NEWEST, behind

# Words that are also the names of events, units, PMUs and of what perf and the kernel call their own maps.
PUBLIC = {b"kernel", b"kallsyms", b"kernel.kallsyms", b"clock", b"anon", b"vdso", b"heap", b"stack", b"vsyscall", b"deleted",
          b"zero", b"memfd", b"SYSV", b"anon_inode", b"anon_hugepage", b"breakpoint", b"software", b"tracepoint", b"uprobe",
          b"kprobe", b"record", b"dev", b"vvar", b"vvar_vclock", b"[vvar]", b"[vvar_vclock]"}


def records(data):
    end = "<" if data[:8] == b"PERFILE2" else ">"
    at = 16
    while at + 8 <= len(data):
        kind, misc, size = struct.unpack_from(end + "IHH", data, at)
        if size < 8 or at + size > len(data):
            return
        yield end, kind, misc, data[at:at + size]
        at += size + (behind(end, kind, data, at) if size < 1024 else 0)	# simpleperf has it in the record


def text(body, at):
    return bytes(body[at:]).split(b"\0")[0]


class Secrets:
    def __init__(self, data):
        self.words, self.pids, self.ids, self.args, self.events, self.maps = set(), set(), set(), set(), set(), []
        self.end = "<"
        for self.end, kind, misc, r in records(data):
            self.take(self.end, kind, misc, r)
        self.pids -= {0, 0xffffffff}
        for a in self.args:		# an event on the command line is called so in the stream, too
            if not any(e.split(b":")[0] in a for e in self.events):
                self.path(a)
        self.words = {w for w in self.words if len(w) > 2 and w not in PUBLIC and not re.fullmatch(rb"[0-9.]+", w)}

    def path(self, name):
        if name.startswith((b"[kernel", b"[guest", b"[vdso", b"[vsys", b"[heap", b"[stack]", b"[uprobes", b"//", b"/anon_huge",
                            b"/dev/zero")):
            return
        name = re.sub(rb" \(deleted\)$", b"", name)
        name = re.sub(rb"^(/memfd:|/SYSV|anon_inode:|\[anon:)", b"/", name)
        self.words.add(name)
        self.words.update(re.sub(rb"\.(so|ko)$", b"", re.sub(rb"[\[\]]", b"", c)) for c in name.split(b"/"))

    def mapped(self, start, size):
        # Lower ones, such as qemu's, have a high half that is a small number, as in many pairs of fields.
        if start >= 1 << 40 and size < 1 << 40:
            self.maps.append((start, start + size))

    def take(self, end, kind, misc, r):
        u32 = lambda at: struct.unpack_from(end + "I", r, at)[0]
        u64 = lambda at: struct.unpack_from(end + "Q", r, at)[0]
        if kind in (1, 3, 10, 12, 16):
            self.pids.update((u32(8), u32(12)))
        if kind in (4, 7):
            self.pids.update(u32(at) for at in (8, 12, 16, 20))
        if kind == 3:
            self.words.add(text(r, 16))
        elif kind in (1, 10):
            self.path(text(r, 40 if kind == 1 else 72))
            self.mapped(u64(16), u64(24))
            if kind == 10 and misc & 1 << 14:
                self.ids.add(bytes(r[44:44 + r[40]]))
        elif kind == 17:
            self.words.update({text(r, 24)} - {b"ftrace_trampoline", b"kprobe_insn_page", b"kprobe_optinsn_page"})
            self.mapped(u64(8), u32(16))
        elif kind == 19:
            self.path(text(r, 16))
        elif kind == 67:
            self.ids.add(bytes(r[12:32]))
            self.path(text(r, 36))
        elif kind == 73:
            for i in range(u64(8)):
                self.pids.add(u32(16 + 24 * i + (4 if end == ">" else 0)))
                self.words.add(text(r[:40 + 24 * i], 24 + 24 * i))
        elif kind == 78 and u64(8) == 2:
            self.events.add(text(r, 24))
        elif kind == 80 and len(r) > 24:
            if u64(8) == 3:
                self.words.add(text(r, 20))
            if u64(8) == 11:
                at = 20
                for _ in range(u32(16)):
                    self.args.add(text(r, at + 4))
                    at += 4 + u32(at)


def word_found(word, hay):
    # Short words stand in longer ones by chance: only as a whole then.
    if len(word) >= 6:
        return word in hay
    return re.search(rb"(?<![\w.:-])" + re.escape(word) + rb"(?![\w.:-])", hay) is not None


def numbers(data, end):
    """All that could be a u64 or a pair of u32s: at any multiple of 4."""
    seen = set()
    for at in (0, 4):
        seen.update(struct.unpack_from(f"{end}{max(len(data) - at, 0) // 8}Q", data, at))
    return seen


def inside(maps, v):
    i = bisect.bisect_right(maps, (v, 1 << 64)) - 1
    return i >= 0 and v < maps[i][1]


def joined(maps):
    out = []
    for start, stop in sorted(maps):
        if out and start <= out[-1][1]:
            out[-1] = (out[-1][0], max(stop, out[-1][1]))
        else:
            out.append((start, stop))
    return out


NAMES = {1: 40, 3: 16, 10: 72, 17: 24, 19: 16}		# kernel records that end with a name: where


def grown(data, trailer):
    """Of the kernel's records only what is behind a name, up to a multiple of 8, may have any value; SAMPLEs have nothing.  Left out:
    attrs, whose ids end them; records with a payload; and those that end with counts of any number, or are unknown."""
    out = data[:16]
    for end, kind, misc, r in records(data):
        if kind in (64, 85, 86) or kind in COUNT or kind > NEWEST:
            out += r if kind == 64 else b""
        elif kind >= 64:
            more = (2 if kind == 69 else 4) * b"*BEHIND*"	# 16 for each entry of ID_INDEX would be machines and VCPUs
            out += struct.pack(end + "IHH", kind, misc, len(r) + len(more)) + r[8:] + more
        elif kind in NAMES:
            nul, behind = r.index(0, NAMES[kind]) + 1, len(r) - trailer
            out += r[:nul] + b"*BEHIND*"[:behind - nul] + r[behind:]
        else:
            out += r
    return out


def main():
    if sys.argv[1] == "--behind":
        sys.stdout.buffer.write(grown(open(sys.argv[3], "rb").read(), int(sys.argv[2])))
        return 0
    original, data = (open(name, "rb").read() for name in sys.argv[1:3])
    s = Secrets(original)
    found = []
    # Names of the machine's PMUs stay, and may be those of a program, too: "cpu".
    hay = b"".join(r for _, kind, _, r in records(data) if kind != 80 or b"breakpoint\0" not in r)
    for w in sorted(s.words):
        if word_found(w, hay):
            found.append(f"word {w!r}")
    for i in sorted(s.ids):
        if any(i) and len(i) >= 8 and i in data:
            found.append(f"build id {i.hex()}")
    maps = joined(s.maps)
    pids = {p for p in s.pids if p > 300}
    found += ["BPF program" for _, kind, _, r in records(data) if kind == 80 and struct.unpack_from(s.end + "Q", r, 8)[0] in (25, 26)]
    # Not in TIME_CONV, of which a time may be as large as an address, and BUILD_ID, whose -1 and id may look like one.
    # Nor across the fields of a map, whose place and length lie side by side.  Nor in header features, in which a small number
    # in front of the size of a string (64) looks like an address of 0x4000000000 on, where qemu has its maps; those that hold
    # addresses must be gone.
    timed = b"".join(r if kind not in (1, 10) else r[:16] + r[40:] for _, kind, _, r in records(data) if kind not in (67, 79, 80))
    places = {struct.unpack_from(s.end + "Q", r, at)[0] for _, kind, _, r in records(data) if kind in (1, 10)
              for at in (16, 24, 32)}
    for v in numbers(timed, s.end) | places:
        if v >> 32 in pids and v & 0xffffffff in pids:
            found.append(f"pid/tid {v >> 32}/{v & 0xffffffff}")
        elif v < (1 << 64) - 4095 and inside(maps, v):		# above: PERF_CONTEXT_*
            found.append(f"address {v:#x}")
    found += [f"pid {n.decode()} in a text" for n in set(re.findall(rb"(?<![\w.])[0-9]{3,7}(?![\w.])", data))
              if int(n) in pids]
    for f in found:
        print(f)
    print(f"{len(s.words)} words, {len(s.ids)} build ids, {len(s.pids)} pids, {len(s.maps)} maps: {len(found)} found",
          file=sys.stderr)
    return 1 if found else 0


sys.exit(main())
