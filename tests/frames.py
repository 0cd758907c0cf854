#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""frames.py FILE...: do the zstd frames in COMPRESSED records of little-endian streams keep the rules that readers need?

	a frame begins with a COMPRESSED record, and with a perf record
	no COMPRESSED record is of two frames
	each expands to something
	only the last frame may be without an end

Prints the number of frames and records of each; 1: a rule is broken.  It knows libzstd, and nothing of perfpipe."""
import ctypes
import struct
import sys

from behind import behind

z = ctypes.CDLL("libzstd.so.1")
z.ZSTD_createDStream.restype = ctypes.c_void_p
z.ZSTD_decompressStream.restype = ctypes.c_size_t
z.ZSTD_decompressStream.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]


class Buffer(ctypes.Structure):
    _fields_ = [("p", ctypes.c_void_p), ("size", ctypes.c_size_t), ("pos", ctypes.c_size_t)]


def expand(d, data):
    """What these bytes expand to, those behind the end of the frame, and whether it has ended."""
    space, out = ctypes.create_string_buffer(1 << 17), b""
    source = ctypes.create_string_buffer(data, len(data))
    i = Buffer(ctypes.cast(source, ctypes.c_void_p), len(data), 0)
    while True:
        o = Buffer(ctypes.cast(space, ctypes.c_void_p), len(space), 0)
        left = z.ZSTD_decompressStream(d, ctypes.byref(o), ctypes.byref(i))
        if z.ZSTD_isError(ctypes.c_size_t(left)):
            raise ValueError("zstd: damaged")
        out += space.raw[:o.pos]
        if left == 0 or (i.pos == i.size and o.pos < o.size):
            return out, data[i.pos:], left == 0


def frames(path):
    """Of each frame: how many records it is in, and whether it has ended."""
    b = open(path, "rb").read()
    d, at, all, part, opened = z.ZSTD_createDStream(), 16, [], b"", False
    while at < len(b):
        kind, _, size = struct.unpack_from("<IHH", b, at)
        head, n = 8, size - 8
        if kind == 83:
            head, n = 16, struct.unpack_from("<Q", b, at + 8)[0]
        if kind in (81, 83):
            data = b[at + head:at + head + n]
            begins = data.startswith(b"\x28\xb5\x2f\xfd")
            if begins == opened:
                raise ValueError("byte %d: %s" % (at, "a frame begins in another" if begins else "no frame begins"))
            if begins:
                all.append(0)
                if part:
                    raise ValueError("byte %d: a frame begins amid a record" % at)
            all[-1] += 1
            out, rest, ended = expand(d, data)
            opened = not ended
            if not out:
                raise ValueError("byte %d: expands to nothing" % at)
            if rest:
                raise ValueError("byte %d: has more behind the end of a frame" % at)
            part += out
            while len(part) >= 8 and len(part) >= struct.unpack_from("<H", part, 6)[0]:
                part = part[struct.unpack_from("<H", part, 6)[0]:]
        at += size + (behind("<", kind, b, at) + 7 & ~7)
    return all


status = 0
for name in sys.argv[1:]:
    try:
        all = frames(name)
        print("%s: %d frames, %d records" % (name, len(all), sum(all)))
    except ValueError as e:
        print("%s: %s" % (name, e))
        status = 1
sys.exit(status)
