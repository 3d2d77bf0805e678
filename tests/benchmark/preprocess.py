#!/usr/bin/env python3
"""What an identity preprocessor (`cat`) on every executable adds to compiling light_densenet121; it may be 25 %.

usage: preprocess.py [--model NAME] [--rounds N]     (with a python that has the onnx wheel)
"""

import os
import statistics
import sys

import onnx.backend.test
from peers.common import WORK, arguments, by_turns, record, seconds, tool

LIMIT = 0.25
args = arguments(__doc__, 7, "densenet121")
model = os.path.join(os.path.dirname(onnx.backend.test.__file__), "data", "light", f"light_{args.model}.onnx")
compile_it = [tool("hal-compile"), "-q", model, "-o", os.path.join(WORK, f"{args.model}-preprocessed.so")]
candidates = {
    "plain": [],
    "cat": ["--preprocess-executables-with=cat"],
    "cat, in bytecode": ["--preprocess-executables-with=cmd[bytecode]:cat"],
    # Every reply is parsed, verified and put in its place.
    "sed": ["--preprocess-executables-with=sed 's,$, //,'"],
}
samples = by_turns(
    {name: lambda flags=flags: seconds([*compile_it, *flags]) for name, flags in candidates.items()}, args.rounds
)
record(
    f"preprocess-{args.model}",
    samples,
    commands={name: " ".join(["hal-compile", "MODEL", "-o", "OUT.so", *flags]) for name, flags in candidates.items()},
)
plain = statistics.median(samples["plain"])
added = {name: statistics.median(values) / plain - 1 for name, values in samples.items() if name != "plain"}
for name, share in added.items():
    print(f"{name} adds {share:.1%}")
sys.exit(1 if added["cat"] > LIMIT else 0)
