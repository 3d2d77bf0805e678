#!/usr/bin/env python3
"""Gives programs of ONNX models inputs that do not fit, and some that do: the first end with an error that names the node and
what does not fit, the others with the numbers of onnxruntime. Sizes are symbolic, so that only the run can tell them apart.

`--group=sizes` are conditions on sizes, `--group=data` on numbers: indices, divisors, lengths, `--group=control` what loops, branches
and sequences make of them, `--group=axes` has axes, steps and counts that are data."""

import argparse
import re

import illegal_axes
import illegal_control
import illegal_data
import illegal_networks
import illegal_signals
import illegal_sizes
from illegal_harness import main

GROUPS = {"sizes": illegal_sizes.ROWS + illegal_networks.ROWS + illegal_signals.SIZES, "data": illegal_data.ROWS + illegal_signals.DATA, "control": illegal_control.ROWS,
          "axes": illegal_axes.ROWS}  # fmt: skip

if __name__ == "__main__":
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--group", choices=GROUPS, action="append", help="repeatable; default: all")
    p.add_argument("--filter", metavar="REGEX", default="", help="only rows whose name matches")
    p.add_argument("--target", default="cpu", help="as for hal-compile; it must run here (default %(default)s)")
    p.add_argument("-j", "--jobs", type=int, help="models at once (default: one per CPU)")
    a = p.parse_args()
    main([r for g in a.group or GROUPS for r in GROUPS[g] if re.search(a.filter, r.name)], a.target, a.jobs)
