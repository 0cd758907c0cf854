# SPDX-License-Identifier: ISC
"""jsonl.py check: each line of standard input is an object of JSON in UTF-8, as RFC 8259 has it, in which no member comes
twice.  Prints the number of lines.
jsonl.py types: "MEMBER TYPE" of each member of each line, once; in an object MEMBER.NAME, in a list MEMBER[]."""
import json, sys


def once(pairs):
    names = [k for k, _ in pairs]
    if len(set(names)) != len(names):
        sys.exit("a member comes twice: %s" % names)
    return dict(pairs)


def constant(word):
    sys.exit("no number of JSON: " + word)


def types(name, value, found):
    if isinstance(value, dict):
        for k, v in value.items():
            types(name + "." + k if name else k, v, found)
    elif isinstance(value, list):
        for v in value:
            types(name + "[]", v, found)
    elif value is not None:
        found.add("%s %s" % (name, "text" if isinstance(value, str) else "number"))


lines, found = 0, set()
for line in sys.stdin.buffer:
    if not line.endswith(b"\n"):
        sys.exit("the last line has no end")
    record = json.loads(line.decode("utf-8"), object_pairs_hook=once, parse_constant=constant)
    if not isinstance(record, dict) or not record:
        sys.exit("not an object: %r" % line)
    types("", record, found)
    lines += 1
if sys.argv[1] == "check":
    print(lines)
else:
    print("\n".join(sorted(found)))
