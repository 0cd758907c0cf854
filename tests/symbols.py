#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""
symbols.py FOLDED SCRIPT [SHARE]: are the stacks of pstat --folded those of `perf script -F tid,ip,sym,symoff --no-inline'?

Not compared are frames with a return address that is the first of a function (offset 0), because perf takes it as it is, and so gets the
function behind the one that called; those where perf left a name mangled; entries of the PLT, of which perf misses some; and the innermost
frame of a call chain that perf drops, of which it shows nothing.  Names are compared without parameters and without
the type that a function returns.  At least SHARE (1) of the stacks must be equal.
"""
import collections
import re
import sys

UNKNOWN = "?"
ANY = "*"


def bare(name):
    """Without parameters and what stands behind them."""
    depth = 0
    out = ""
    name = name.replace("operator()", "operator\0").replace("(anonymous namespace)", "{anonymous}")
    for c in name:
        depth += c == "("
        if not depth:
            out += c
        depth -= c == ")"
    out = re.sub(r"\[clone .*?\]| const$|::h[0-9a-f]{16}$", "", out).strip().replace(";", ":")
    if out.startswith("operator ") or "::operator " in out or " as " in out:
        return out
    depth = 0
    for i in range(len(out) - 1, -1, -1):       # the last blank outside of <>
        depth += (out[i] == ">") - (out[i] == "<")
        if out[i] == " " and not depth:
            return out[i + 1:]
    return out


def joined(names):
    out = []
    for n in names:
        if n != UNKNOWN or not out or out[-1] != UNKNOWN:
            out.append(n)
    return tuple(out)


def ours(path):
    stacks = collections.Counter()
    for line in open(path, encoding="utf-8", errors="surrogateescape"):
        stack, count = line.rstrip("\n").rsplit(" ", 1)
        names = stack.split(";")[1:]
        stacks[joined(UNKNOWN if re.match(r"\[.*\]$", n) else bare(n) for n in names)] += int(count)
    return stacks


def theirs(path):
    stacks = collections.Counter()
    for block in open(path, encoding="utf-8", errors="surrogateescape").read().split("\n\n"):
        frames = []
        lines = [l for l in block.split("\n") if l.strip()]
        for i, line in enumerate(lines[1:]):
            name = line.split(None, 1)[1] if len(line.split(None, 1)) > 1 else "[unknown]"
            m = re.match(r"(.*)\+0x([0-9a-f]+)$", name)
            first = i > 0 and m and m.group(2) == "0"
            name = m.group(1) if m else name
            if first or re.match(r"_R|_ZN|.*\$(LT|u7b)\$", name):
                frames.append(ANY)
            else:
                frames.append(UNKNOWN if name == "[unknown]" else bare(name))
        if lines:
            stacks[joined(reversed(frames)) or (ANY,)] += 1
    return stacks


def fits(stack, other):
    return len(stack) == len(other) and all(a in (ANY, b) or b.endswith("@plt") for a, b in zip(stack, other))


def take(mine, stack, n):
    """How many of n stacks are among ours, which are taken out."""
    taken = 0
    for other in [stack] if mine[stack] >= n else [x for x in mine if fits(stack, x)]:
        k = min(n - taken, mine[other])
        mine[other] -= k
        taken += k
    return taken


def main():
    mine, perf = ours(sys.argv[1]), theirs(sys.argv[2])
    share = float(sys.argv[3]) if len(sys.argv) > 3 else 1
    total = sum(perf.values())
    assert total and sum(mine.values()) == total, f"samples: {sum(mine.values())}, perf has {total}"
    missing = collections.Counter()
    for stack, n in sorted(perf.items(), key=lambda x: ANY in x[0]):    # those without ANY first
        missing[stack] = n - take(mine, stack, n)
    if sum(missing.values()) > (1 - share) * total:
        for who, stacks in ("perf", missing), ("ours", mine):
            for stack, n in stacks.most_common(8):
                print(who, n, stack)
        sys.exit(f"{total - sum(missing.values())} of {total} stacks are equal")


main()
