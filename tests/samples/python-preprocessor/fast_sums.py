#!/usr/bin/env python3
"""Lets the compiler reorder the arithmetic of some kernels: `fast_sums.py PATTERN...`.

A preprocessor in plain Python: MLIR text in, MLIR text out. The environment says which executable this is.
"""

import fnmatch
import os
import re
import sys

text = sys.stdin.read()
name = os.environ["HALYARD_EXECUTABLE"]
if any(fnmatch.fnmatchcase(name, pattern) for pattern in sys.argv[1:]):
    text, count = re.subn(r"(arith\.(?:addf|subf|mulf|divf) %\w+, %\w+) :", r"\1 fastmath<fast> :", text)
    # What stands on standard error is shown under the executable's name.
    print(f"{count} operations may be reordered", file=sys.stderr)
sys.stdout.write(text)
