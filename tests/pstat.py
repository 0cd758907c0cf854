#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""Check what pstat writes by parsers that are not ours.

pstat.py schema SCHEMA FILE...: is each JSON what the schema says, with no member twice?  Of long tables some rows.  Says nothing without jsonschema.
pstat.py openmetrics FILE: print the samples, a line each: name, labels, value.
pstat.py cells JSON DIR TABLE...: has DIR/TABLE.csv the cells of that table in JSON, and DIR/TABLE.tsv as many?
pstat.py text FILE COLUMNS [ascii]: is each line so wide at most, with colours that end in it, and nothing else that acts on a terminal?
"""
import csv
import json
import re
import sys
import unicodedata


def once(pairs):
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a member stands twice")
    return members


def schema(path, *files):
    try:
        import jsonschema
    except ImportError:
        return 0
    with open(path) as f:
        check = jsonschema.Draft202012Validator(json.load(f))
    bad = 0
    seen = set()
    for path in files:
        with open(path) as f:
            text = f.read()
        if text in seen:
            continue
        seen.add(text)
        try:
            if not text.isascii():
                raise ValueError("not ASCII")
            report = json.loads(text, object_pairs_hook=once)
            for name, rows in report.items():
                if isinstance(rows, list) and len(rows) > 100:
                    report[name] = rows[:50] + rows[-50:]
            for error in check.iter_errors(report):
                raise ValueError(f"{'/'.join(map(str, error.absolute_path))}: {error.message}")
        except ValueError as error:
            print(f"{path}: {error}: {text[:200]}")
            bad = 1
    return bad


def openmetrics(path):
    from prometheus_client.openmetrics import parser
    with open(path, newline="") as f:
        for family in parser.text_string_to_metric_families(f.read()):
            for s in family.samples:
                print(s.name, json.dumps(s.labels, sort_keys=True), s.value)


def cell(value):
    return "" if value is None else " ".join(value) if isinstance(value, list) else str(value).lower() if isinstance(value, bool) else value


def cells(path, directory, *tables):
    with open(path) as f:
        report = json.load(f, parse_int=str, parse_float=str)
    bad = 0
    for name in tables:
        rows = report if name == "report" else report[name]
        rows = [row for row in (rows if isinstance(rows, list) else [rows]) if row is not None]
        if name == "report":
            rows = [{k: v for k, v in row.items() if not isinstance(v, (dict, list)) and k not in ("schema", "time")} for row in rows]
        want = [[re.sub("[\1-\x1f\x80-\x9f\u202a-\u202e]", "?", cell(v)) for v in row.values()] for row in rows]
        with open(f"{directory}/{name}.csv", newline="") as f:
            lines = f.readlines()
            f.seek(0)
            heads, *got = csv.reader(f, strict=True)
        # the apostrophe before a formula, and what is escaped for terminals
        got = [[re.sub(r"(?<!\\)((\\\\)*)(\\x(0[1-9a-f]|1[0-9a-f])|\\xc2\\x[89][0-9a-f]|\\xe2\\x80\\xa[a-e])", r"\1?", re.sub("^'([=+@-])", r"\1", c))
                for c in row] for row in got]
        with open(f"{directory}/{name}.tsv", newline="") as f:
            tsv = [line.split("\t") for line in f]
        for wrong in (got != want and "cells", heads != lines[0].strip().split(",") and "heads", len({len(row) for row in tsv}) != 1 and "fields of TSV",
                      len(tsv) != len(lines) and "rows of TSV"):
            if wrong:
                print(f"{name}: {wrong}: {[(a, b) for a, b in zip(got, want) if a != b][:1]}")
                bad = 1
    return bad


def columns(c):
    return 0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1


def text(path, width, charset=""):
    with open(path, encoding=charset or "utf-8", newline="") as f:
        lines = f.read().split("\n")
    bad = lines.pop() != ""
    for number, line in enumerate(lines, 1):
        colours = re.findall("\033\\[[0-9;]*m", line)
        plain = re.sub("\033\\[[0-9;]*m", "", line)
        wrong = "colours" if colours and (charset or colours[-1] != "\033[0m") else ""
        wrong = wrong or "acts" if any(unicodedata.category(c)[0] == "C" for c in plain) else wrong
        wrong = "width" if sum(map(columns, plain)) > int(width) else wrong
        if wrong:
            print(f"line {number}: {wrong}: {line!r}")
            bad = True
    return bad


if __name__ == "__main__":
    sys.exit({"schema": schema, "openmetrics": openmetrics, "cells": cells, "text": text}[sys.argv[1]](*sys.argv[2:]))
