#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""kernel.py LIST RECORDING [OPTION...]: does pfilter select what the kernel did?

A line of LIST is EVENT, a tab and a filter, by event.  RECORDING (of pipe mode, our byte order) has for each event one
that is not filtered, and behind it one for each of its filters, in the order of LIST.  A line for each filter: "ok" or
"not ok", how many samples the kernel took, of how many, and the filter.  OPTION: of pfilter, for the filters.

kernel.py -r LIST: print the arguments of perf record that make it.
"""
import collections
import itertools
import struct
import subprocess
import sys

FIXED = 1 << 16, 1, 2, 4, 8, 64, 512, 128, 256		# the order of fields in a sample up to RAW; each has 8 bytes
CPU, RAW, OTHER = 128, 1024, 16 | 32


def filters(path):
    with open(path) as f:
        lines = [line.rstrip("\n").split("\t") for line in f]
    return [(event, [x[1] for x in group]) for event, group in itertools.groupby(lines, lambda x: x[0])]


def samples(data):
    """CPU and payload of each sample, counted; all events record the same fields."""
    at, kind, found = 16, None, collections.Counter()
    while at < len(data):
        what, _, size = struct.unpack_from("=IHH", data, at)
        if what == 64 and kind is None:
            kind = struct.unpack_from("=Q", data, at + 8 + 24)[0]
            assert kind & RAW and not kind & OTHER
        if what == 9:
            cpu, place = 0, at + 8
            for bit in FIXED:
                if kind & bit:
                    cpu = struct.unpack_from("=I", data, place)[0] if bit == CPU else cpu
                    place += 8
            n = struct.unpack_from("=I", data, place)[0]
            found[cpu, data[place + 4:place + 4 + n]] += 1
        at += size
        if what == 66:		# TRACING_DATA has its data behind
            at += (struct.unpack_from("=I", data, at - size + 8)[0] + 7) & ~7
    return found


def select(expression, path, options=()):
    run = subprocess.run(["pfilter", "-q", *options, "--filter", expression, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if run.returncode:
        sys.exit("%s: %s" % (expression, run.stderr.decode()))
    return samples(run.stdout)


def main():
    index = 0
    if sys.argv[1] == "-r":
        for event, group in filters(sys.argv[2]):
            print("-e\n" + event)
            for one in group:
                print("-e\n%s\n--filter\n%s" % (event, one))
        return
    for event, group in filters(sys.argv[1]):
        all_of = index
        total = sum(select("event.index == %d" % all_of, sys.argv[2]).values())
        for one in group:
            index += 1
            kernel = select("event.index == %d" % index, sys.argv[2])
            ours = select("event.index == %d && %s{%s}" % (all_of, event, one), sys.argv[2], sys.argv[3:])
            print("ok" if kernel == ours else "not ok", sum(kernel.values()), "of", total, event, one)
        index += 1


if __name__ == "__main__":
    main()
