# RUN: %python %s %S/Inputs/identity.mlir %t
# REQUIRES: numpy
"""Arrays are printed as numpy prints them, and files are numpy's, whatever the type and the values."""

import subprocess
import sys

import numpy as np

source, temp = sys.argv[1:]
rng = np.random.default_rng(5)
arrays = []
for dtype in ("float32", "float64", "float16"):
    arrays += [
        rng.standard_normal((3, 5)),
        rng.standard_normal(3000) * 1e3,
        rng.standard_normal((40, 50)) * 1e-3,
        10.0 ** rng.integers(-4, 4, 20),
        np.array([np.nan, np.inf, -np.inf, 1.25]),
        np.array([0.0, -0.0, 1e-7, 3.0]),
        rng.standard_normal((2, 3, 4)),
        rng.integers(0, 5, (4, 4)),
        np.array(2.5),
        np.zeros((0, 4)),
        rng.standard_normal(40).round(2),
    ]
    arrays[-11:] = [a.astype(dtype) for a in arrays[-11:]]
for dtype in ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"):
    arrays += [rng.integers(0, 100, (3, 4)).astype(dtype), rng.integers(0, 100, 2001).astype(dtype)]
arrays += [rng.integers(0, 2, (5, 2)).astype(bool), np.asfortranarray(rng.standard_normal((4, 3)))]

# A program per type would be slow: one that returns nothing of its own prints what it is given.
names = {"float32": "f32", "float64": "f64", "float16": "f16", "bool": "i1"}
with open(source, encoding="utf-8") as f:
    template = f.read()
functions, wrong = [], []
for i, a in enumerate(arrays):
    name = names.get(a.dtype.name) or a.dtype.name.replace("uint", "i").replace("int", "i")
    kind = "x".join([*map(str, a.shape), name])
    functions.append(template.replace("@main", f"@f{i}").replace("KIND", kind))
program = subprocess.run(["hal-compile", "-q", "-", "-o", f"{temp}.so"], input="".join(functions).encode(), check=True)
for i, a in enumerate(arrays):
    np.save(f"{temp}.npy", a)
    command = ["hal-run", f"{temp}.so", f"--function=f{i}", f"--input=@{temp}.npy", "-o", "-", "-o", f"{temp}.out.npy"]
    got = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    back = np.load(f"{temp}.out.npy")
    # MLIR's integers have no sign of their own.
    signed = a.astype(a.dtype.name.replace("uint", "int"))
    if got.split("\n", 1)[1] != repr(signed) + "\n":
        wrong.append(f"{a.dtype} {a.shape}:\n{got}numpy:\n{signed!r}")
    if not np.array_equal(back, signed, equal_nan=True) if a.dtype.kind == "f" else not np.array_equal(back, signed):
        wrong.append(f"{a.dtype} {a.shape}: the file differs")
print("\n".join(wrong))
sys.exit(bool(wrong))
