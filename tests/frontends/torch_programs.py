#!/usr/bin/env python3
"""Compiles modules of PyTorch, by torch-mlir and the plugin `stablehlo`, and compares with what PyTorch computes.

    torch_programs.py [--filter REGEX] [--as stablehlo|linalg-on-tensors|tosa] [--python PYTHON]

PYTHON is one that has jaxlib. Exit code 1 if a result is wrong, or if fewer are right than --floor says."""

import argparse
import pathlib
import re
import sys
import tempfile
import warnings

import torch
from compare import check, tally
from torch_cases import CASES, Function
from torch_mlir import fx


def run(name, options):
    module, args, dynamic = CASES[name]
    with tempfile.TemporaryDirectory() as folder:
        try:
            with torch.no_grad(), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                expected = module(*args)
                # A function takes all as `*args`.
                shapes = {"args": tuple(dynamic)} if dynamic and isinstance(module, Function) else dynamic
                program = torch.export.export(module, args, dynamic_shapes=shapes)
                text = fx.export_and_import(program, output_type=options.output, func_name="main").operation.get_asm()
        except Exception as e:
            return f"not exported: {str(e)[:300]}"
        expected = [
            x.numpy() for x in (expected if isinstance(expected, (tuple, list)) else [expected]) if x is not None
        ]
        path = pathlib.Path(options.keep or folder) / f"{name}.mlir"
        path.write_text(text)
        try:
            return check(folder, path, [x.numpy() for x in args], expected, options.python)
        except Exception as e:
            return f"failed: {str(e)[:500]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--filter", default="", help="only modules whose names match")
    parser.add_argument("--as", dest="output", default="stablehlo", help="what torch-mlir makes")
    parser.add_argument("--python", default="python3", help="what lowers; it has jaxlib")
    parser.add_argument("--floor", type=int, default=0, help="how many have to be right")
    parser.add_argument("--keep", help="a folder for the programs")
    options = parser.parse_args()
    if options.keep:
        pathlib.Path(options.keep).mkdir(exist_ok=True, parents=True)
    names = (n for n in CASES if re.search(options.filter, n))
    return tally(((n, run(n, options)) for n in names), options.floor)


sys.exit(main())
