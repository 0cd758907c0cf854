#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""laws.py [-1] [-w TYPE] [-x LAW] OPTIONS RECORDING... - the laws of what pinject puts in, for one set of its options.

	taken out	the records of the input are those of the output, byte for byte and in order, with others between them
	twice = once	pinject of the output changes nothing
	pipe = file	from a pipe comes what comes from the file
	late		no record of the output is later than rounds allow that was not so before (pstat)

Prints a line for each recording and law that does not hold; status 1 if there is one, or if nothing was put into any of them.
The input is what pcat makes of the recording, without the records of number TYPE; LAW is one that does not hold for these
options.  -1: a recording that pinject refuses with status 1 is left out.  DIR in OPTIONS is an empty directory.  The tools are those of $PATH."""
import argparse, json, os, struct, subprocess, sys, tempfile

from behind import behind


def order_of(d):
    return "<" if d[:8] == b"PERFILE2" else ">"


def kind_of(d, r):
    return struct.unpack_from(order_of(d) + "I", r)[0] if len(r) >= 4 else None


def records(d):
    """Records of a stream, each with its payload."""
    e = order_of(d)
    o = 16
    while o + 8 <= len(d):
        kind, size = struct.unpack_from(e + "IxxH", d, o)
        more = behind(e, kind, d, o)
        yield d[o:o + max(size, 8) + more]
        o += max(size, 8) + more
    if d[o:]:
        yield d[o:]


def run(*argv, stdin=b""):
    p = subprocess.run(argv, input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
    return p.returncode, p.stdout


def late(stream):
    return json.loads(run("pstat", "--json", stdin=stream)[1])["order"]["late"]


def broken(args, path, where):
    """The laws that do not hold for a recording; whether something was put in."""
    status, base = run("pcat", path)
    if len(base) < 16 or status:
        return [], False
    base = base[:16] + b"".join(r for r in records(base) if kind_of(base, r) != args.without)
    name = os.path.join(where, "in")
    with open(name, "wb") as f:
        f.write(base)
    words = ["pinject", "-q", *(where if w == "DIR" else w for w in args.options.split())]
    status, out = run(*words, name)
    if status or len(out) < 16:
        return ["status %d" % status] if status != 1 or not args.refused else [], False
    left = records(out)
    bad = []
    if out[:16] != base[:16] or any(all(r != want for r in left) for want in records(base)):
        bad.append("taken out")
    if run(*words, stdin=out)[1] != out:
        bad.append("twice = once")
    if run(*words, stdin=base)[1] != out:
        bad.append("pipe = file")
    if late(out) > late(base):
        bad.append("late")
    return [law for law in bad if law != args.x], out != base


ap = argparse.ArgumentParser()
ap.add_argument("-w", type=int, dest="without")
ap.add_argument("-x")
ap.add_argument("-1", action="store_true", dest="refused")
ap.add_argument("options")
ap.add_argument("recordings", nargs="+")
args = ap.parse_args()
failed, put = False, 0
for path in args.recordings:
    with tempfile.TemporaryDirectory() as where:
        bad, more = broken(args, path, where)
    put += more
    for law in bad:
        print("%s: %s: %s" % (args.options, os.path.basename(path), law))
        failed = True
if not put:
    print("%s: nothing was put into any recording" % args.options)
sys.exit(failed or not put)
