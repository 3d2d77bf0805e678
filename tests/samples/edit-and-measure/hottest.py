#!/usr/bin/env python3
"""The executables of a JSON report of `hal-benchmark --per-executable`, hottest first: hottest.py REPORT [COUNT]"""

import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    dispatches = [m["dispatch"] for m in json.load(file)["results"] if "dispatch" in m]
shares = {}
for dispatch in dispatches:
    shares[dispatch["executable"]] = shares.get(dispatch["executable"], 0) + dispatch["share"]
ranking = sorted(shares, key=shares.get, reverse=True)
for name in ranking[: int(sys.argv[2]) if len(sys.argv) > 2 else 1]:
    print(name)
