#!/usr/bin/env python3
"""Compiles programs of JAX by the plugin `stablehlo` and compares with what JAX computes. Needs jax.

    jax_programs.py [--filter REGEX] [--vhlo] [--platform cpu] [-j N] [--python PYTHON] [--target TARGET]

Exit code 1 if a result is wrong, or if fewer are right than --floor says."""

import argparse
import concurrent.futures
import os
import pathlib
import re
import sys
import tempfile

os.environ.setdefault("JAX_PLATFORMS", "cpu")
import jax
import numpy as np
from compare import check, tally
from jax import export
from jax_cases import CASES


def exported(function, args, symbolic, vhlo, platform):
    """The program and the inputs that it has."""
    leaves, tree = jax.tree.flatten(args)
    leaves = [np.asarray(x) for x in leaves]
    if symbolic:
        scope = export.SymbolicScope()
        specs = [jax.ShapeDtypeStruct(export.symbolic_shape(s, scope=scope), x.dtype) for s, x in zip(symbolic, leaves)]
    else:
        specs = [jax.ShapeDtypeStruct(x.shape, x.dtype) for x in leaves]
    e = export.export(jax.jit(function), platforms=[platform])(*jax.tree.unflatten(tree, specs))
    return e.mlir_module_serialized if vhlo else e.mlir_module().encode(), [leaves[k] for k in e.module_kept_var_idx]


def run(name, options):
    function, args, symbolic, x64 = CASES[name]
    with tempfile.TemporaryDirectory() as folder:
        try:
            with jax.enable_x64(x64):
                expected = [np.asarray(x) for x in jax.tree.leaves(jax.jit(function)(*args))]
                program, inputs = exported(function, args, symbolic, options.vhlo, options.platform)
        except Exception as e:
            return f"not exported: {str(e)[:300]}"
        path = pathlib.Path(options.keep or folder) / f"{name}.{'vhlo' if options.vhlo else 'mlir'}"
        path.write_bytes(program)
        try:
            return check(
                folder, path, inputs, expected, options.python, [f"--target={options.target}"] if options.target else []
            )
        except Exception as e:
            return f"failed: {str(e)[:500]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--filter", default="", help="only programs whose names match")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only each Nth of them")
    parser.add_argument("--vhlo", action="store_true", help="serialized, in the place of text")
    parser.add_argument("--platform", default="tpu", help="what JAX exports for; tpu calls no library")
    parser.add_argument("--python", default=sys.executable, help="what lowers [default: this one]")
    parser.add_argument("--target", help="for hal-compile")
    parser.add_argument("--floor", type=int, default=0, help="how many have to be right")
    parser.add_argument("--keep", help="a folder for the programs")
    parser.add_argument("-j", type=int, default=1)
    options = parser.parse_args()
    if options.keep:
        os.makedirs(options.keep, exist_ok=True)
    names = [n for n in CASES if re.search(options.filter, n)][:: options.every]
    with concurrent.futures.ThreadPoolExecutor(options.j) as pool:
        return tally(zip(names, pool.map(lambda n: run(n, options), names)), options.floor)


sys.exit(main())
