#!/usr/bin/env python3
"""Checks lines of JSON of simulate.py: simulated.py FILE [--faster-than FILE] [--lost]"""

import argparse
import json
import sys

parser = argparse.ArgumentParser()
parser.add_argument("file")
parser.add_argument("--faster-than")
parser.add_argument("--lost", action="store_true")
args = parser.parse_args()


def read(name):
    with sys.stdin if name == "-" else open(name, encoding="utf-8") as f:
        return [json.loads(line) for line in f]


rows = read(args.file)
for r in rows:
    assert r["translated"] + r["from cache"] == r["executables"], r
    assert r["farm"] >= r["work"] / r["workers"], r
    assert abs(r["makespan"] - sum(r[p] for p in ("import and keys", "store", "farm", "link"))) < 1e-3, r
    assert r["jobs"] <= r["translated"] + r["lost"] + r["doubled"], r
    assert r["store bytes"] > 0 and r["cost"] > 0, r
print(len(rows), "builds are possible")
if args.faster_than:
    assert all(a["farm"] < b["farm"] / 2 for a, b in zip(rows, read(args.faster_than), strict=True))
    print("each is faster")
if args.lost:
    assert all(r["lost"] > 0 and r["jobs"] > r["lost"] for r in rows)
    print("jobs were lost")
