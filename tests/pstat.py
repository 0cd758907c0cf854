#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""Check what pstat writes by parsers that are not ours.

pstat.py schema SCHEMA FILE...: is each JSON what the schema says, with no member twice?  Of long tables some rows.
pstat.py openmetrics FILE: print the samples, a line each: name, labels, value.
pstat.py csv FILE: print the cells, as JSON: a list a row.
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
    import jsonschema
    with open(path) as f:
        check = jsonschema.Draft202012Validator(json.load(f))
    bad = 0
    for path in files:
        with open(path) as f:
            text = f.read()
        try:
            if not text.isascii():
                raise ValueError("not ASCII")
            report = json.loads(text, object_pairs_hook=once)
            for name, rows in report.items():
                if isinstance(rows, list) and len(rows) > 400:
                    report[name] = rows[:200] + rows[-200:]
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


def table(path):
    with open(path, newline="") as f:
        for row in csv.reader(f, strict=True):
            print(json.dumps(row))


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
    sys.exit({"schema": schema, "openmetrics": openmetrics, "csv": table, "text": text}[sys.argv[1]](*sys.argv[2:]))
