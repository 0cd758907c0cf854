# SPDX-License-Identifier: ISC
# unwind.py rules MACHINE FILE EACH: the rules of each EACH-th entry by readelf, and what tests/unwinding.c says of the same addresses.
#	Prints how many were compared; status 1, and lines, if some differ.
# unwind.py chain WANT GOT: are the chains of GOT (of unwinding) those of WANT (lines "want" of tests/unwind/self.c)?  What is
#	behind the last known frame is of the C library: at most four, and the thread's start.
import re
import subprocess
import sys

NUMBERS = {
    "x86-64": {n: i for i, n in enumerate("rax rdx rcx rbx rsi rdi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15".split())},
    "arm64": {**{"x%d" % i: i for i in range(31)}, "sp": 31},
}


def rule(text, names):
    """readelf's word for a rule as tests/unwinding.c says it; what is not said is "u", too; of registers it has DWARF's numbers"""
    if text in ("u", "s", "n"):
        return "u"
    if text in ("exp", "vexp") or re.fullmatch(r"[cv][+-]\d+", text):
        return text
    return text if re.fullmatch(r"r\d+", text) else "r%d" % names[text]


def entries(path, machine):
    """(start, end, [(address, cfa, {register: rule})]) of each FDE of both sections"""
    names = NUMBERS[machine]
    readelf = "readelf" if machine == "x86-64" else "aarch64-linux-gnu-readelf"
    out = subprocess.run([readelf, "--debug-dump=frames-interp", path], capture_output=True, text=True).stdout
    cies, cie, fde, columns, section = {}, None, None, [], 0
    for line in out.split("\n"):
        if line.startswith("Contents of"):
            section += 1
        elif m := re.match(r'([0-9a-f]{8,}) [0-9a-f]+ [0-9a-f]+ CIE "(\w*)" .* ra=(\d+)', line):
            if fde:
                yield fde
            fde, cie = None, {"rows": [], "ra": int(m[3]), "signal": "S" in m[2]}
            cies[section, int(m[1], 16)] = cie
        elif m := re.match(r"[0-9a-f]{8,} [0-9a-f]+ [0-9a-f]+ FDE cie=([0-9a-f]+) pc=([0-9a-f]+)\.\.([0-9a-f]+)", line):
            if fde:
                yield fde
            cie = cies[section, int(m[1], 16)]
            fde = (int(m[2], 16), int(m[3], 16), [], cie)
            if cie["rows"]:
                fde[2].append((fde[0],) + cie["rows"][0][1:])
        elif line.startswith("   LOC"):
            columns = line.split()[2:]
        elif re.match(r"[0-9a-f]{16} ", line):
            words = re.sub(r" \(\w+\)", "", line).split()
            cfa = re.sub(r"^(\w+)([+-]\d+)$", lambda m: "r%d%s" % (names[m[1]], m[2]), words[1])
            rules = {cie["ra"] if c == "ra" else names[c]: rule(w, names) for c, w in zip(columns, words[2:])
                     if c == "ra" or c in names}
            row = (int(words[0], 16), cfa, rules)
            if fde and fde[2] and fde[2][-1][0] == row[0]:
                fde[2][-1] = row
            elif fde:
                fde[2].append(row)
            else:
                cie["rows"].append(row)
    if fde:
        yield fde


def compare(machine, path, each):
    every = [e for e in entries(path, machine) if e[0] < e[1]]
    # an address of two functions may have the rules of either; behind which ends is nothing?
    last = 0
    overlaps, ends = set(), set()
    for e in sorted(every, key=lambda e: e[:2]):
        if e[0] < last:
            overlaps.add(e[0])
        if e[0] <= last:
            ends.discard(last)
        last = max(last, e[1])
        ends.add(last)
    want = {}
    for start, end, rows, cie in every[::each]:
        if start in overlaps or not start:
            continue
        for i, (at, cfa, rules) in enumerate(rows):
            behind = rows[i + 1][0] if i + 1 < len(rows) else end
            if behind > at:
                want[at] = want[behind - 1] = (cfa, rules, cie["signal"])
        if end in ends:
            want[end] = None
    out = subprocess.run(["unwinding", machine, "rules", path], input="".join("%x\n" % a for a in want), capture_output=True, text=True)
    sys.stderr.write(out.stderr)
    bad = 0
    for line, (at, w) in zip(out.stdout.split("\n"), want.items()):
        words = line.split()
        if w is None:
            good = words[1:] == ["none"]
        elif words[1] == "none":
            good = False
        else:
            got = {int(x.split("=")[0]): x.split("=")[1] for x in words[2:] if "=" in x}
            good = words[1] == w[0] and ("signal" in words) == w[2] and int(words[0], 16) == at and all(
                got.get(r, "u") == w[1].get(r, "u") for r in set(got) | set(w[1]))
        if not good:
            bad += 1
            if bad < 10:
                print("%x: %s, not %s" % (at, line, w))
    print(len(want), "addresses")
    return bad or len(want) != out.stdout.count("\n") or out.returncode


def chains(want, got):
    want = [line.split()[1:] for line in open(want) if line.startswith("want ")]
    got = [line.rstrip("\n").split("\t") for line in open(got)]
    bad = len(want) != len(got) or not want
    for w, (why, g) in zip(want, got):
        g = g.split()
        if g[:len(w)] != w or why != "the thread's start is reached" or len(g) > len(w) + 4:
            bad = 1
            print("want", *w, "\ngot ", *g, "\n", why)
    return bad


if sys.argv[1] == "rules":
    sys.exit(bool(compare(sys.argv[2], sys.argv[3], int(sys.argv[4]))))
sys.exit(bool(chains(*sys.argv[2:4])))
