#!/usr/bin/env python3
"""Runs cases of a program that `on-device.py prepare` made in this process, which starts the device once.

`cases.py FOLDER GROUP` runs the cases of the group of that number, or of those that --cases names, and prints a JSON line for
each when it is done: its name and what is wrong (null: nothing). A kernel that crashes takes the process with it.
"""

import argparse
import importlib
import json
import os
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "numerics"))
import harness  # noqa: E402


def call(program, case):
    """The results of a case: arrays of the types that it expects, as bf16 comes back as bits."""
    expected = [np.asarray(e) for e in case.expected]
    got = (program.session() if program.states else program)[case.name](*case.inputs)
    arrays = got if isinstance(got, tuple) else (got,)
    return [np.asarray(a).view(e.dtype) if a.dtype != e.dtype else np.asarray(a) for a, e in zip(arrays, expected)]


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    p.add_argument("folder")
    p.add_argument("group", type=int)
    p.add_argument("--cases", help="only these, names with commas between (default: all)")
    p.add_argument("--device", default="cuda")
    a = p.parse_args()
    with open(os.path.join(a.folder, "index.json"), encoding="utf-8") as f:
        group = json.load(f)["groups"][a.group]
    sys.path.insert(0, os.path.join(a.folder, "python"))
    import halyard

    program = halyard.load(os.path.join(a.folder, group["program"]), a.device)
    only = a.cases.split(",") if a.cases else None
    known = {case.name: case for case in importlib.import_module(group["family"]).CASES}
    for case in (known[name] for name in group["cases"] if not only or name in only):
        try:
            wrong = harness.judge(case, call(program, case))
        except halyard.Error as e:
            wrong = str(e)
        print(json.dumps({"case": case.name, "wrong": wrong}), flush=True)


if __name__ == "__main__":
    main()
