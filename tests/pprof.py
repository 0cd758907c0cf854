#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""
pprof.py COMMAND PROFILE...: read profiles of pprof by profile.proto alone, and check that readers can: ids, references, UTF-8.

	sums	TYPE UNIT SUM of each sample type; those of all files are added
	stacks	for each sample: its values, its frames (FILE+OFFSET, or the address where no map is), the innermost first, its labels
	folded	OUTER;...;INNER SAMPLES, with ? for frames that follow one another and have no function
	maps	START LIMIT OFFSET BUILD-ID FILE of each map
	head	what the profile says of itself
"""
import gzip
import sys


def varint(b, i):
    v = shift = 0
    while True:
        c = b[i]
        i += 1
        v |= (c & 0x7f) << shift
        shift += 7
        if c < 0x80:
            assert v < 1 << 64, "a number is too large"
            return v, i


def fields(b):
    i = 0
    while i < len(b):
        key, i = varint(b, i)
        wire = key & 7
        assert wire in (0, 2), f"wire type {wire}"
        v, i = varint(b, i)
        if wire == 2:
            assert i + v <= len(b), "a field ends behind its message"
            b_, i = b[i:i + v], i + v
            v = b_
        yield key >> 3, v


def numbers(v):
    """A repeated number: packed, or one of them."""
    if isinstance(v, int):
        return [v]
    out, i = [], 0
    while i < len(v):
        n, i = varint(v, i)
        out.append(n)
    return out


def message(b, names, lists=()):
    m = {n: 0 for n in names.values()}
    m.update({names[n]: [] for n in lists})
    for f, v in fields(b):
        name = names[f]             # KeyError: a field that profile.proto does not have
        if f not in lists:
            m[name] = v
        elif isinstance(v, int) or name in ("location_id", "value"):
            m[name] += numbers(v)
        else:
            m[name].append(v)
    return m


PROFILE = {1: "sample_type", 2: "sample", 3: "mapping", 4: "location", 5: "function", 6: "string", 7: "drop", 8: "keep",
           9: "time_nanos", 10: "duration_nanos", 11: "period_type", 12: "period", 13: "comment", 14: "default"}
TYPE = {1: "type", 2: "unit"}
SAMPLE = {1: "location_id", 2: "value", 3: "label"}
LABEL = {1: "key", 2: "str", 3: "num", 4: "unit"}
MAPPING = {1: "id", 2: "start", 3: "limit", 4: "offset", 5: "file", 6: "build_id", 7: "f", 8: "n", 9: "l", 10: "i"}
LOCATION = {1: "id", 2: "mapping_id", 3: "address", 4: "line", 5: "folded"}
LINE = {1: "function_id", 2: "line"}
FUNCTION = {1: "id", 2: "name", 3: "system_name", 4: "file", 5: "start"}


def read(path):
    with open(path, "rb") as f:
        raw = f.read()
    assert raw[:2] == b"\x1f\x8b", "not gzip"
    p = message(gzip.decompress(raw), PROFILE, (1, 2, 3, 4, 5, 6, 13))
    p["string"] = s = [x.decode("utf-8") for x in p["string"]]
    assert s and s[0] == "", "string 0"
    assert len(set(s)) == len(s), "a string stands twice"
    p["sample_type"] = [(s[t["type"]], s[t["unit"]]) for t in (message(x, TYPE) for x in p["sample_type"])]
    p["period_type"] = message(p["period_type"] or b"", TYPE)
    p["mapping"] = [message(x, MAPPING) for x in p["mapping"]]
    p["location"] = [message(x, LOCATION, (4,)) for x in p["location"]]
    maps = {m["id"]: m for m in p["mapping"]}
    places = {x["id"]: x for x in p["location"]}
    assert 0 not in maps and len(maps) == len(p["mapping"]), "ids of maps"
    assert 0 not in places and len(places) == len(p["location"]), "ids of locations"
    assert len({(x["mapping_id"], x["address"]) for x in p["location"]}) == len(places), "a location stands twice"
    p["function"] = [message(x, FUNCTION) for x in p["function"]]
    functions = {f["id"]: f for f in p["function"]}
    assert 0 not in functions and len(functions) == len(p["function"]), "ids of functions"
    for f in p["function"]:
        assert s[f["name"]] and s[f["system_name"]], "a function without a name"
    for x in p["location"]:
        x["line"] = [message(y, LINE) for y in x["line"]]
        assert len(x["line"]) < 2, "lines"
        x["function"] = s[functions[x["line"][0]["function_id"]]["name"]] if x["line"] else None
        assert not x["function"] or not x["mapping_id"] or maps[x["mapping_id"]]["f"], "has_functions"
    for x in p["location"]:
        x["map"] = maps[x["mapping_id"]] if x["mapping_id"] else None
        if x["map"]:
            assert x["map"]["start"] <= x["address"] < x["map"]["limit"], "an address outside of its map"
    for m in p["mapping"]:
        m["file"], m["build_id"] = s[m["file"]], s[m["build_id"]]
    p["sample"] = [message(x, SAMPLE, (1, 2, 3)) for x in p["sample"]]
    for x in p["sample"]:
        assert len(x["value"]) == len(p["sample_type"]), "values"
        assert all(v < 1 << 63 for v in x["value"]), "a negative value"
        x["frames"] = [places[i] for i in x["location_id"]]
        x["label"] = [message(y, LABEL) for y in x["label"]]
    return p


def frame(x):
    m = x["map"]
    return "%s+%x" % (m["file"].replace(" ", "_"), x["address"] - m["start"] + m["offset"]) if m else "%x" % x["address"]


def sums(profiles):
    total = {}
    for p in profiles:
        for i, t in enumerate(p["sample_type"]):
            total[t] = total.get(t, 0) + sum(x["value"][i] for x in p["sample"])
    for (name, unit), v in total.items():
        print(name, unit, v)


def stacks(profiles):
    for p in profiles:
        s = p["string"]
        for x in p["sample"]:
            labels = ["%s=%s" % (s[y["key"]], s[y["str"]] if y["str"] else y["num"]) for y in x["label"]]
            print(*x["value"], "|", *(frame(y) for y in x["frames"]), "|", *labels)


def folded(profiles):
    total = {}
    for p in profiles:
        for x in p["sample"]:
            names = []
            for y in reversed(x["frames"]):
                name = y["function"].replace(";", ":") if y["function"] else "?"
                if name != "?" or names[-1:] != ["?"]:
                    names.append(name)
            key = ";".join(names)
            total[key] = total.get(key, 0) + sum(x["value"][::2])
    for key, n in total.items():
        print(key, n)


def maps(profiles):
    for p in profiles:
        for m in p["mapping"]:
            print("%x %x %x %s %s" % (m["start"], m["limit"], m["offset"], m["build_id"] or "-", m["file"]))


def head(profiles):
    for p in profiles:
        s, t = p["string"], p["period_type"]
        print("types", *("/".join(t) for t in p["sample_type"]))
        print("default", s[p["default"]])
        print("period", p["period"], s[t["type"]], s[t["unit"]])
        print("time", p["time_nanos"], p["duration_nanos"])
        for c in p["comment"]:
            print("comment", s[c])


if __name__ == "__main__":
    {"sums": sums, "stacks": stacks, "folded": folded, "maps": maps, "head": head}[sys.argv[1]]([read(f) for f in sys.argv[2:]])
