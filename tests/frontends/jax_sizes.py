#!/usr/bin/env python3
"""Compiles the programs of JAX with symbolic sizes once, runs them with many sizes, and compares with JAX. Needs jax.

jax_sizes.py [REGEX]"""

import itertools
import os
import pathlib
import re
import sys
import tempfile

os.environ.setdefault("JAX_PLATFORMS", "cpu")
import jax
import numpy as np
from compare import PLUGIN, compare, plain, tool
from jax import export
from jax_cases import CASES

rng = np.random.default_rng(3)


def random(shape, like, positive):
    """An input of a shape, of the kind of another one."""
    if like.dtype.kind == "f":
        v = rng.standard_normal(shape).astype(like.dtype)
        return (v @ v.swapaxes(-1, -2) + shape[-1] * np.eye(shape[-1])).astype(like.dtype) if positive else v
    if like.dtype.kind == "c":
        return (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype(like.dtype)
    return like if like.dtype == np.uint32 else rng.integers(0, 3, shape).astype(like.dtype)


def run(name, folder):
    """What went wrong, for which sizes."""
    function, args, symbolic, _ = CASES[name]
    args = [np.asarray(x) for x in args]
    scope = export.SymbolicScope()
    specs = [jax.ShapeDtypeStruct(export.symbolic_shape(s, scope=scope), x.dtype) for s, x in zip(symbolic, args)]
    e = export.export(jax.jit(function), platforms=["tpu"])(*specs)
    (folder / "m.mlir").write_text(e.mlir_module())
    done = tool(
        "hal-compile", folder / "m.mlir", "-o", folder / "m.so", f"--plugin={PLUGIN}/{{python={sys.executable}}}"
    )
    if done.returncode:
        return [f"refused: {done.stderr[:500]}"]
    names = sorted(set(re.findall(r"[a-z]\b", " ".join(symbolic))))
    wrong = []
    for sizes in itertools.product([1, 2, 5, 33] if len(names) < 2 else [1, 4, 17], repeat=len(names)):
        env = dict(zip(names, sizes))
        shapes = [[eval(d, {}, dict(env)) for d in s.split(",")] for s in symbolic]
        inputs = [random(s, x, "cholesky" in name) for s, x in zip(shapes, args)]
        expected = [np.asarray(y) for y in jax.tree.leaves(jax.jit(function)(*inputs))]
        words = []
        for k in e.module_kept_var_idx:
            np.save(folder / f"in{k}.npy", plain(inputs[k]))
            words.append(f"--input=@{folder}/in{k}.npy")
        words += [f"--output={folder}/out{k}.npy" for k in range(len(expected))]
        done = tool("hal-run", folder / "m.so", *words)
        said = (
            done.stderr[:500]
            if done.returncode
            else compare([np.load(folder / f"out{k}.npy") for k in range(len(expected))], expected)
        )
        if said != "right":
            wrong.append(f"{env}: {said}")
    return wrong


def main():
    failed = 0
    names = [n for n, case in CASES.items() if case[2] and re.search(sys.argv[1] if len(sys.argv) > 1 else "", n)]
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            for line in run(name, pathlib.Path(folder)):
                failed += 1
                print(f"{name}: {line}", flush=True)
    print(f"{len(names)} programs, {failed} runs are wrong")
    return failed > 0


sys.exit(main())
