#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""index-forge.py INDEX [FIELD=VALUE...] [N]: change fields of chunk N (-1: the last; default: all) of an index, make the hashes
right, and print what it has: CHNK or SNAP, offset, size.

The fields are those of common/index/layout.h; version=N: of the head; snap_FIELD: of all snapshots, end_FIELD: of what the end says of them, both_FIELD: of
both; snapshot=WHAT: another content of theirs; bit=N: that one of each changes, the hash does not."""
import struct, sys

MASK = (1 << 64) - 1
P1, P2, P3, P4, P5 = 11400714785074694791, 14029467366897019727, 1609587929392839161, 9650029242287828579, 2870177450012600261
FIELDS = {"size": (4, 4), "file": (8, 4), "flags": (12, 4), "off": (16, 8), "len": (24, 8), "plain": (32, 8), "records": (40, 8),
          "samples": (48, 8), "sample_bytes": (56, 8), "first": (64, 8), "last": (72, 8), "print": (80, 8), "events": (96, 4),
          "cpus": (100, 4), "tasks": (104, 4), "tasks_size": (108, 4), "copy_size": (112, 4), "copy_plain": (116, 4)}
SNAP = {"off": (8, 8), "chunks": (16, 8), "sample_bytes": (24, 8), "plain": (32, 4)}
END = {"at": (0, 8), "off": (8, 8), "chunks": (16, 8), "sample_bytes": (24, 8)}


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


def put(b, at, field, value):
    b[at + field[0]:at + sum(field)] = (int(value) & (1 << 8 * field[1]) - 1).to_bytes(field[1], "little")


def frame(blocks, size):
    """A frame of zstd: blocks of (type, content, length)."""
    f = b"\x28\xb5\x2f\xfd\xa0" + struct.pack("<I", size)
    for i, (kind, content, n) in enumerate(blocks):
        f += struct.pack("<I", (i == len(blocks) - 1) | kind << 1 | n << 3)[:3] + content
    return f


def contents(what):
    """The bytes to put, and the length that is said of them."""
    def rec(kind, size, more=b""):
        return struct.pack("<IHH", kind, 0, size) + more

    if what == "bomb":
        n = 1 << 17
        return frame([(1, b"\0", n)] * 800, 800 * n), 64
    b = rec(68, 8) * 3 + {"SAMPLE": rec(9, 8), "cut": rec(68, 8)[:5], "size0": rec(68, 0), "payload": rec(66, 12, struct.pack("<I", 1 << 20)),
                          "COMPRESSED": rec(81, 16, bytes(8))}[what]
    return frame([(0, b, len(b))], len(b)), len(b)


def change_snaps(b, snaps, lies):
    """Of the snapshots, and of the end, which finishes with a row of 32 bytes for each."""
    if not snaps:
        return
    end = len(b) - 16 - struct.unpack_from("<Q", b, len(b) - 16)[0]
    rows = len(b) - 16 - 8 - 32 * len(snaps)
    for i, (at, size) in enumerate(snaps):
        for name, value in lies:
            where, _, name = name.partition("_")
            if where in ("snap", "both"):
                put(b, at, SNAP[name], value)
            if where in ("end", "both"):
                put(b, rows + 32 * i, END[name], value)
            if where == "snapshot":
                content, plain = contents(value)
                room = size - 36 - 8 - len(content) - 8
                if room < 0:		# a small one
                    continue
                b[at + 36:at + size - 8] = content + struct.pack("<II", 0x184d2a50, room) + bytes(room)
                put(b, at, SNAP["plain"], plain)
        struct.pack_into("<Q", b, at + size - 8, xxh64(b[at:at + size - 8]))
        for name, value in lies:
            if name == "bit":
                b[at + int(value) // 8 % size] ^= 1 << int(value) % 8
    struct.pack_into("<Q", b, len(b) - 24, xxh64(b[end:len(b) - 24]))


def main():
    path, lies = sys.argv[1], [a.split("=") for a in sys.argv[2:] if "=" in a]
    which = [int(a) for a in sys.argv[2:] if "=" not in a]
    b, at, entries = bytearray(open(path, "rb").read()), 64, {b"CHNK": [], b"SNAP": []}
    assert xxh64(b[:56]) == struct.unpack_from("<Q", b, 56)[0]
    while bytes(b[at:at + 4]) in entries:
        entries[bytes(b[at:at + 4])].append((at, struct.unpack_from("<I", b, at + 4)[0]))
        print(b[at:at + 4].decode(), at, entries[bytes(b[at:at + 4])][-1][1])
        at += entries[bytes(b[at:at + 4])][-1][1]
    chunks, of_chunks = entries[b"CHNK"], [x for x in lies if x[0] in FIELDS]
    for at, size in ([chunks[which[0]]] if which else chunks) if of_chunks else []:
        for name, value in of_chunks:
            put(b, at, FIELDS[name], value)
        struct.pack_into("<Q", b, at + size - 8, xxh64(b[at:at + size - 8]))
    for name, value in lies:
        if name == "version":
            struct.pack_into("<I", b, 8, int(value))
            struct.pack_into("<Q", b, 56, xxh64(b[:56]))
    of_snaps = [x for x in lies if x[0] not in FIELDS and x[0] != "version"]
    if of_snaps:
        change_snaps(b, entries[b"SNAP"], of_snaps)
    if lies:
        open(path, "r+b").write(b)


main()
