#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""index-forge.py INDEX FIELD=VALUE... [N]: change fields of chunk N (-1: the last; default: all) of an index, and make the hashes right.

The fields are those of common/index/layout.h."""
import struct, sys

MASK = (1 << 64) - 1
P1, P2, P3, P4, P5 = 11400714785074694791, 14029467366897019727, 1609587929392839161, 9650029242287828579, 2870177450012600261
FIELDS = {"size": (4, 4), "file": (8, 4), "flags": (12, 4), "off": (16, 8), "len": (24, 8), "plain": (32, 8), "records": (40, 8),
          "samples": (48, 8), "sample_bytes": (56, 8), "first": (64, 8), "last": (72, 8), "print": (80, 8), "events": (96, 4),
          "cpus": (100, 4), "tasks": (104, 4), "tasks_size": (108, 4), "copy_size": (112, 4), "copy_plain": (116, 4)}


def xxh64(b):
    """https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md, seed 0"""
    def rot(x, n):
        return (x << n | x >> 64 - n) & MASK

    def turn(acc, v):
        return rot((acc + v * P2) & MASK, 31) * P1 & MASK

    n, i = len(b), 0
    if n >= 32:
        v = [(P1 + P2) & MASK, P2, 0, -P1 & MASK]
        while i + 32 <= n:
            v = [turn(a, w) for a, w in zip(v, struct.unpack_from("<4Q", b, i))]
            i += 32
        h = (rot(v[0], 1) + rot(v[1], 7) + rot(v[2], 12) + rot(v[3], 18)) & MASK
        for a in v:
            h = ((h ^ turn(0, a)) * P1 + P4) & MASK
    else:
        h = P5
    h = (h + n) & MASK
    while i + 8 <= n:
        h = (rot(h ^ turn(0, struct.unpack_from("<Q", b, i)[0]), 27) * P1 + P4) & MASK
        i += 8
    if i + 4 <= n:
        h = (rot(h ^ struct.unpack_from("<I", b, i)[0] * P1 & MASK, 23) * P2 + P3) & MASK
        i += 4
    for c in b[i:]:
        h = rot(h ^ c * P5 & MASK, 11) * P1 & MASK
    h = (h ^ h >> 33) * P2 & MASK
    h = (h ^ h >> 29) * P3 & MASK
    return h ^ h >> 32


def main():
    path, lies = sys.argv[1], [a.split("=") for a in sys.argv[2:] if "=" in a]
    which = [int(a) for a in sys.argv[2:] if "=" not in a]
    b, at, entries = bytearray(open(path, "rb").read()), 64, []
    assert xxh64(b[:56]) == struct.unpack_from("<Q", b, 56)[0]
    while b[at:at + 4] == b"CHNK":
        entries.append((at, struct.unpack_from("<I", b, at + 4)[0]))
        at += entries[-1][1]
    for at, size in [entries[which[0]]] if which else entries:
        for name, value in lies:
            off, width = FIELDS[name]
            b[at + off:at + off + width] = (int(value) & (1 << 8 * width) - 1).to_bytes(width, "little")
        struct.pack_into("<Q", b, at + size - 8, xxh64(b[at:at + size - 8]))
    open(path, "r+b").write(b)


main()
