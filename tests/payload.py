#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""payload.py make little|big SEED: a recipe for mkpipe of tracepoints with secrets in each kind of field of their payloads, and
behind their formats; random, by the seed.  With "sound" behind it, only what perf reads.
payload.py left little|big SEED FILE: which of these secrets are in any byte of FILE, one word a line.
payload.py damage FILE SEED N DIR: N copies of a recording, each with one byte of its formats' fields changed.
payload.py figures: from standard input, what perf sched or perf script prints, without names, ids and the spaces between them.
payload.py tasks MAP: the ids in brackets of the same; with MAP, of --anon-map, those become pseudonyms.
"""
import os
import random
import re
import struct
import sys

# name: how the secret is stored in a field; kind for the field
FORMATS = {
    7: ("sched", "sched_prepare_exec", [
        "__data_loc char[] interp 4 path", "__data_loc char[] filename 4 path", "pid_t pid 4 pid", "__rel_loc char[] comm 4 comm",
        "char text[12] 12 text", "u32 number 4 number", "u64 wide 8 number", "u64 array[2] 16 bytes", "struct x opaque 12 bytes",
        "__data_loc u64[] many 4 bytes", "__data_loc char[] string 4 text", "void * pointer 8 number", "int bits:3 4 bytes",
        "gap 4 bytes", "u8 small 1 small"]),
    8: ("raw_syscalls", "sys_exit", ["long id 8 plain", "long ret 8 number"]),
    9: ("lock", "contention_begin", ["void * lock_addr 8 addr", "unsigned int flags 4 plain"]),
    10: ("sched", "sched_switch", [
        "char prev_comm[16] 16 comm", "pid_t prev_pid 4 pid", "int prev_prio 4 plain", "long prev_state 8 plain",
        "char next_comm[16] 16 comm", "pid_t next_pid 4 pid", "int next_prio 4 plain"]),
    11: ("sched", "sched_waking", ["char comm[16] 16 comm", "pid_t pid 4 pid", "int prio 4 number", "overlap"]),
    14: ("probe_secret", "hidden_main", ["unsigned long __probe_ip 8 number", "u64 hidden_argument 8 number"]),
}
COMMON = ["unsigned short common_type 2", "unsigned char common_flags 1", "unsigned char common_preempt_count 1", "int common_pid 4"]


class Made:
    def __init__(self, order, seed, sound=None):
        self.e, self.big, self.r = "<" if order == "little" else ">", order != "little", random.Random(seed)
        self.secrets = {}
        self.formats, self.others = dict(FORMATS), [] if sound else [12, 13]
        if sound:
            del self.formats[11]
            system, name, fields = FORMATS[7]
            self.formats[7] = system, name, [f for f in fields if "bits" not in f and "struct" not in f]

    def word(self, what, n):
        w = bytes(self.r.choice(b"abcdefghijklmnopqrstuvwxyz") for _ in range(n))
        self.secrets.setdefault(what, []).append(w)
        return w

    def value(self, what, size):
        if what == "plain":
            return bytes(size)
        if what == "pid":
            n = self.r.randrange(1 << 17, 1 << 22)
        elif what == "addr":
            n = 0xffff << 48 | self.r.randrange(1 << 40, 1 << 48) & ~0xfff
        elif what == "small":
            return b"\x5a"
        else:
            n = self.r.randrange(1 << (8 * size - 2), 1 << (8 * size - 1))
        b = n.to_bytes(size, "big" if self.big else "little")
        self.secrets.setdefault(what, []).append(b)
        return b

    def fixed(self, what, size):
        if what == "bytes":
            return self.word(what, size)
        if what in ("comm", "text"):
            # and what a longer name has left behind the NUL
            w = self.word(what, size // 2 - 1)
            return w + b"\0" + self.word("bytes", size - len(w) - 1)
        return self.value(what, size)

    def format(self, number):
        system, name, fields = self.formats[number]
        at, out = 0, []
        for f in COMMON + [f.rsplit(" ", 1)[0] for f in fields if f[:3] not in ("gap", "ove")]:
            decl, size = f.rsplit(" ", 1)
            if decl == "u8 small":
                at += 4			# what is in front of it is no field's
            out.append(f"\tfield:{decl};\toffset:{at};\tsize:{size};\tsigned:{int(decl[:3] in ('int', 'pid', 'lon'))};\n")
            at += int(size)
        if fields[-1] == "overlap":
            out[-1] = out[-1].replace("offset:28", "offset:10")
        text = f"name: {name}\nID: {number}\nformat:\n" + "".join(out[:4]) + "\n" + "".join(out[4:]) + '\nprint fmt: "%d", REC->common_pid\n'
        return system.encode(), text.encode()

    def payload(self, number):
        u32 = lambda n: struct.pack(self.e + "I", n)
        b = struct.pack(self.e + "HBB", number, 0, 0) + self.value("pid", 4)
        fields = [f for f in self.formats[number][2] if f != "overlap"]
        size = len(b) + sum(int(f.split()[-2]) for f in fields)
        tail = b""
        for f in fields:
            decl, n, what = f.rsplit(" ", 2)
            if "_loc" not in decl:
                b += self.fixed(what, int(n))
                continue
            if what == "path":
                w = b"/" + self.word(what, 6) + b"/" + self.word(what, 9) + b"\0"
            elif what == "bytes":
                w = self.word(what, 16)
            else:
                w = self.word(what, 7) + b"\0"
            at = size + len(tail) - (len(b) + 4 if "rel" in decl else 0)
            b += u32(len(w) << 16 | at)
            tail += w
        b += tail + self.word("bytes", 8)
        return b + bytes(-(len(b) + 4) % 8)

    def tracing(self):
        u32, u64 = (lambda n: struct.pack(self.e + "I", n)), (lambda n: struct.pack(self.e + "Q", n))
        b = b"\x17\x08\x44tracing0.6\0" + bytes([self.big, 8]) + u32(4096)
        page = b"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n" \
            b"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n"
        b += b"header_page\0" + u64(len(page)) + page + b"header_event\0" + u64(1) + b"\n" + u32(0) + u32(len(self.formats))
        for number in self.formats:
            system, text = self.format(number)
            b += system + b"\0" + u32(1) + u64(len(text)) + text
        for width, what in ((u32, "kallsyms"), (u32, "printk"), (u64, "tasks")):
            text = b"0xffffffff82819092 : " + self.word(what, 12) + b"\n"
            b += width(len(text)) + text
        return b + bytes(-len(b) % 8)

    def recipe(self):
        out = []
        for number in list(self.formats) + self.others[:1]:
            out.append(f"attr type=2 config={number} sample_type=IDENTIFIER|IP|TID|TIME|CALLCHAIN|RAW|STACK_USER flags=sample_id_all ids={number}")
        if self.others:
            out.append("attr type=1 config=10 sample_type=IDENTIFIER|IP|TID|TIME|CALLCHAIN|RAW|STACK_USER flags=sample_id_all ids=13")
        out.append(f"EVENT_UPDATE update_type=2 id=14 z=probe_secret:hidden_main")
        data = self.tracing()
        out.append(f"HEADER_TRACING_DATA data_size={len(data)} payload={data.hex()}")
        for i in range(3):
            for number in list(self.formats) + self.others:
                raw = self.payload(number) if number in self.formats else self.word("bytes", 28)
                out.append(f"SAMPLE id={number} ip=0x1 pid=1 tid=1 time={len(out)} chain=0x1 raw={raw.hex()} stack={bytes(8).hex()}")
        return "\n".join(out + ["FINISHED_ROUND"])


def left(made, name):
    data = open(name, "rb").read()
    made.recipe()
    made.secrets["names"] = [b"hidden_main", b"hidden_argument", b"probe_secret"]
    return sorted(what for what, secrets in made.secrets.items() for s in secrets if s in data)


def damage(name, seed, count, to):
    data, r = open(name, "rb").read(), random.Random(seed)
    lines = [m.span(1) for m in re.finditer(rb"\tfield:([^\n]*);\n", data) if b"common_" not in m.group(1)]
    for i in range(count):
        start, end = r.choice(lines)
        at = r.randrange(start, end)
        # what changes a digit or a letter into another does most
        b = r.choice(b"0123456789" if 48 <= data[at] < 58 else b"abcprs_:;\t *[]\0\xff")
        with open(os.path.join(to, f"damaged{i}"), "wb") as f:
            f.write(data[:at] + bytes([b]) + data[at + 1:])


# of a task: name[tid], name[tid/pid], one that is cut off at its end; in summaries its parent follows
TASK = r"\S+\[(-?[0-9]+)(?:/([0-9]+))?\]?(?:\s+(-?[0-9]+)(?=\s))?"


def main():
    what, args = sys.argv[1], sys.argv[2:]
    if what == "make":
        print(Made(*args).recipe())
    elif what == "left":
        for word in left(Made(*args[:2]), args[2]):
            print(word)
    elif what == "damage":
        damage(args[0], args[1], int(args[2]), args[3])
    elif what == "figures":
        for line in sys.stdin:
            line = re.sub("(next|awakened): .*", r"\1", line)		# a name may hold blanks
            line = re.sub(r"migrated: .*( cpu \d+ => \d+)", r"migrated:\1", line)	# or be :PID, if no record says it
            print(re.sub(r"\s+", " ", re.sub(TASK, "TASK", line)).strip())
    elif what == "tasks":
        rows = [line.rstrip("\n").split("\t") for line in open(args[0])] if args else []
        names = {r[2]: r[1] for r in rows if r[0] == "pid"}
        for line in sys.stdin:
            print(*[names.get(n, n) for m in re.finditer(TASK, line) for n in m.groups() if n])


main()
