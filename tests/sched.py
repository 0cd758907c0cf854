#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""sched.py - a recipe for mkpipe from lines about tasks, with the tracepoints sched:sched_switch and sched:sched_wakeup.

	switch TIME CPU PID/TID PREV NEXT [KEY=VALUE...]	taken in PID/TID; PREV and NEXT are what the payload says
	wakeup TIME CPU PID/TID WOKEN [KEY=VALUE...]
	anything else						a line of the recipe: as it is

An argument is added to sample_type.  A task is called tNUMBER, 0 swapper."""
import struct, sys

COMMON = (("unsigned short common_type", 2, 0), ("unsigned char common_flags", 1, 0), ("unsigned char common_preempt_count", 1, 0),
          ("int common_pid", 4, 1))
EVENTS = (("sched_switch", 7, (("char prev_comm[16]", 16, 0), ("pid_t prev_pid", 4, 1), ("int prev_prio", 4, 1), ("long prev_state", 8, 1),
                               ("char next_comm[16]", 16, 0), ("pid_t next_pid", 4, 1), ("int next_prio", 4, 1))),
          ("sched_wakeup", 8, (("char comm[16]", 16, 0), ("pid_t pid", 4, 1), ("int prio", 4, 1), ("int target_cpu", 4, 1))))


def format_of(name, number, fields):
    text, at = "name: %s\nID: %d\nformat:\n" % (name, number), 0
    for what, size, signed in COMMON + fields:
        text += "\n" if at == 8 else ""
        text += "\tfield:%s;\toffset:%d;\tsize:%d;\tsigned:%d;\n" % (what, at, size, signed)
        at += size
    text += '\nprint fmt: "x"\n'
    return struct.pack("<Q", len(text)) + text.encode()


def tracing_data():
    b = b"\x17\x08\x44tracing0.6\0" + struct.pack("<BBI", 0, 8, 4096)
    page = b"".join(b"\tfield: %s;\toffset:%d;\tsize:%d;\tsigned:0;\n" % f for f in
                    ((b"u64 timestamp", 0, 8), (b"local_t commit", 8, 8), (b"char data", 16, 4080)))
    b += b"header_page\0" + struct.pack("<Q", len(page)) + page + b"header_event\0" + struct.pack("<Q", 0)
    b += struct.pack("<I", 0) + struct.pack("<I", 1) + b"sched\0" + struct.pack("<I", len(EVENTS))
    b += b"".join(format_of(*e) for e in EVENTS)
    b += struct.pack("<IIQ", 0, 0, 0)		# no symbols, no printk formats, no names of tasks
    return b + bytes(-len(b) % 8)


def comm(tid):
    return (b"t%d" % tid if tid else b"swapper").ljust(16, b"\0")


for number, (name, event, _) in enumerate(EVENTS):
    print("attr type=2 config=%d period=1 sample_type=IDENTIFIER|IP|TID|TIME|CPU|PERIOD|RAW%s flags=sample_id_all|comm|task ids=%d" %
          (event, "".join("|" + a for a in sys.argv[1:]), 11 + number))
for number, (name, event, _) in enumerate(EVENTS):
    print("EVENT_UPDATE update_type=2 id=%d z=sched:%s" % (11 + number, name))
data = tracing_data()
print("HEADER_TRACING_DATA data_size=%d payload=%s" % (len(data), data.hex()))
for line in sys.stdin:
    word = line.split()
    if word and word[0] in ("switch", "wakeup"):
        time, cpu, task = word[1:4]
        n = 2 if word[0] == "switch" else 1
        who = [int(w) for w in word[4:4 + n]]
        common = struct.pack("<HBBi", 7 if n == 2 else 8, 0, 0, int(task.split("/")[1]) if n == 1 else who[0])
        raw = comm(who[0]) + struct.pack("<ii", who[0], 120)
        raw += struct.pack("<q", 1) + comm(who[1]) + struct.pack("<ii", who[1], 120) if n == 2 else struct.pack("<i", int(cpu))
        raw = common + raw
        raw += bytes((4 - len(raw)) % 8)		# with its size in front
        print("SAMPLE ev=%d id=%d misc=1 ip=1 pid=%s tid=%s time=%s cpu=%s period=1 raw=%s %s" %
              (2 - n, 13 - n, *task.split("/"), time, cpu, raw.hex(), " ".join(word[4 + n:])))
    else:
        print(line.rstrip("\n"))
