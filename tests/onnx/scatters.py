#!/usr/bin/env python3
"""ScatterND and ScatterElements with many updates, static and dynamic, compared with numpy: scatters.py FOLDER."""

import subprocess
import sys

import numpy as np
import onnx
from onnx import helper

folder = sys.argv[1]
rng = np.random.default_rng(11)
UFUNCS = {"add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum}
OPSET = 18


def scatter_nd(data, indices, updates, reduction):
    y = data.copy()
    for at in np.ndindex(indices.shape[:-1]):
        place = tuple(indices[at])
        y[place] = updates[at] if reduction == "none" else UFUNCS[reduction](y[place], updates[at])
    return y


def scatter_elements(data, indices, updates, reduction, axis):
    y = data.copy()
    for at in np.ndindex(indices.shape):
        place = list(at)
        place[axis] = indices[at]
        place = tuple(place)
        y[place] = updates[at] if reduction == "none" else UFUNCS[reduction](y[place], updates[at])
    return y


def program(op, arrays, dynamic, words):
    def declare(name, a):
        kind = helper.np_dtype_to_tensor_dtype(a.dtype)
        shape = [f"{name}{d}" if dynamic and d == 0 else n for d, n in enumerate(a.shape)]
        return helper.make_tensor_value_info(name, kind, shape)

    names = ["data", "indices", "updates"]
    node = helper.make_node(op, names, ["y"], **words)
    inputs = [declare(n, a) for n, a in zip(names, arrays)]
    kind = helper.np_dtype_to_tensor_dtype(arrays[0].dtype)
    outputs = [helper.make_tensor_value_info("y", kind, [None] * arrays[0].ndim)]
    graph = helper.make_graph([node], "g", inputs, outputs)
    onnx.save(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=8), f"{folder}/m.onnx"
    )
    subprocess.run(["hal-compile", "-q", f"{folder}/m.onnx", "-o", f"{folder}/m.so"], check=True)


def run(arrays, want):
    for name, a in [*zip(["data", "indices", "updates"], arrays), ("want", want)]:
        np.save(f"{folder}/{name}.npy", a)
    words = [f"--input=@{folder}/{name}.npy" for name in ("data", "indices", "updates")]
    return subprocess.run(
        ["hal-run", f"{folder}/m.so", *words, f"--expect=@{folder}/want.npy"], capture_output=True, text=True
    )


def compare(op, arrays, want, dynamic, **words):
    program(op, arrays, dynamic, words)
    done = run(arrays, want)
    said = "as numpy computes it" if done.returncode == 0 else f"WRONG {done.stdout}{done.stderr}"
    print(f"{op} {[a.shape for a in arrays]} {words} {'dynamic' if dynamic else 'static'}: {said}")


def small(shape, dtype=np.float32):
    """Numbers whose sums and products are exact."""
    return rng.integers(1, 3, shape).astype(dtype)


for dynamic in (False, True):
    # As PyTorch exports `x[..., 2] = v`: a scalar for each of a grid of places.
    grid = np.stack(np.meshgrid(np.arange(2), np.arange(30), np.arange(-20, 0), [2], indexing="ij"), -1).astype(
        np.int64
    )
    data, updates = small((2, 30, 20, 3)), rng.standard_normal(grid.shape[:-1]).astype(np.float32)
    compare("ScatterND", [data, grid, updates], scatter_nd(data, grid, updates, "none"), dynamic)
    for reduction in ("none", "add", "max"):
        # Rows, several at one place.
        at = rng.integers(-50, 50, (200, 1)).astype(np.int64)
        data, updates = small((50, 33)), small((200, 33))
        want = scatter_nd(data, at, updates, reduction)
        compare("ScatterND", [data, at, updates], want, dynamic, reduction=reduction)
    for axis, reduction in ((0, "none"), (1, "add"), (-1, "mul")):
        # Fewer updates than elements along the other axes.
        data, at = small((40, 50), np.int32), rng.integers(-40, 40, (35, 45)).astype(np.int64)
        updates = small((35, 45), np.int32) if reduction != "mul" else np.ones((35, 45), np.int32)
        want = scatter_elements(data, at, updates, reduction, axis)
        compare("ScatterElements", [data, at, updates], want, dynamic, reduction=reduction, axis=axis)

at[3, 4] = 50
done = run([data, at, updates], want)
print(
    f"out of range: {done.stderr.strip().splitlines()[0]}: the run {'is refused' if done.returncode == 1 else 'goes on'}"
)
