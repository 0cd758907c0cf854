#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""seekable.py [-k] SIZE IN OUT: compress IN as zstd(1) frames of SIZE bytes each, with the seek table of zstd's seekable format behind
them; -k: with checksums (which are zeros)."""
import struct
import subprocess
import sys

args = sys.argv[1:]
sums = args[0] == "-k"
size, name, to = int(args[sums]), args[sums + 1], args[sums + 2]
data = open(name, "rb").read()
table = b""
with open(to, "wb") as out:
    frames = range(0, len(data), size)
    for at in frames:
        plain = data[at:at + size]
        packed = subprocess.run(["zstd", "-q", "-c"], input=plain, stdout=subprocess.PIPE, check=True).stdout
        out.write(packed)
        table += struct.pack("<II", len(packed), len(plain)) + bytes(4 if sums else 0)
    table += struct.pack("<IBI", len(frames), 128 if sums else 0, 0x8f92eab1)
    out.write(struct.pack("<II", 0x184d2a5e, len(table)) + table)
