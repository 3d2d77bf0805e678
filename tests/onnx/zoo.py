#!/usr/bin/env python3
"""Models of tests/models/zoo.py against onnxruntime, one after the other.

usage: zoo.py [NAME…] [--size N] [--width PERCENT] [--target TARGET]
"""

import argparse
import os
import sys
import tempfile

from models import HERE, LIMIT, check

sys.path.insert(0, os.path.join(HERE, "..", "models"))
import zoo  # noqa: E402

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("names", nargs="*", default=[], metavar="NAME")
parser.add_argument("--size", type=int)
parser.add_argument("--width", type=int, default=100, metavar="PERCENT")
parser.add_argument("--target", default="cpu", help="as for hal-compile; it must run here (default %(default)s)")
a = parser.parse_args()
unknown = [name for name in a.names if name not in zoo.MODELS]
if unknown:
    parser.error(f"`{unknown[0]}` is not one of {', '.join(zoo.MODELS)}")
wrong = 0
for name in a.names or zoo.MODELS:
    with tempfile.TemporaryDirectory(prefix="hal-zoo-") as folder:
        try:
            compiling, running, error, elementwise = check(zoo.build(name, a.size, a.width), 0, folder, a.target, [])
        except RuntimeError as failure:
            wrong += 1
            print(f"{name}: {failure}", flush=True)
            continue
    good = error <= LIMIT and elementwise <= LIMIT
    wrong += not good
    print(
        f"{name:20} compile {compiling:6.2f} s, run {running:5.2f} s, error {error:.1e}, elementwise {elementwise:.1e}{'' if good else '  WRONG'}",
        flush=True,
    )
print(f"{len(a.names or zoo.MODELS) - wrong} right, {wrong} wrong")
sys.exit(wrong > 0)
