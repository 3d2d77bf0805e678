#!/usr/bin/env python3
"""Convolutions by 3x3 filters are written as minimal filtering where that pays, with every size, padding and epilogue right."""

import os
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

# Images, channels, filters, rows, columns, padding; whether a residual is added.
SHAPES = [
    (1, 32, 32, 13, 13, 1, False),
    (2, 40, 36, 14, 15, 1, True),
    (1, 33, 100, 17, 30, 1, False),
    (1, 32, 40, 16, 16, 0, False),
    (1, 64, 64, 14, 14, 1, True),
    (1, 32, 32, 20, 150, 2, False),
    (3, 32, 64, 12, 12, 1, False),
]
# Too few channels, filters or outputs: written as a convolution.
PLAIN = [(1, 31, 64, 14, 14, 1, False), (1, 64, 31, 14, 14, 1, False), (1, 64, 64, 11, 40, 1, False)]


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stderr}"
    return done.stdout + done.stderr


def model(path, shape):
    """Writes a convolution with bias, residual and relu; gives its inputs and result."""
    n, c, k, rows, columns, pad, residual = shape
    rng = np.random.default_rng(sum(shape))
    f32 = lambda *size: rng.standard_normal(size).astype(np.float32)
    x, w, bias = f32(n, c, rows, columns), f32(k, c, 3, 3), f32(k)
    high, wide = rows + 2 * pad - 2, columns + 2 * pad - 2
    r = f32(n, k, high, wide)
    inputs = {"x": x} | ({"r": r} if residual else {})
    nodes = [helper.make_node("Conv", ["x", "w", "b"], ["y"], pads=[pad] * 4)]
    nodes += [helper.make_node("Add", ["y", "r"], ["s"])] if residual else []
    nodes += [helper.make_node("Relu", ["s" if residual else "y"], ["o"])]
    info = lambda name, size: helper.make_tensor_value_info(name, TensorProto.FLOAT, size)
    weights = [numpy_helper.from_array(w, "w"), numpy_helper.from_array(bias, "b")]
    graph = helper.make_graph(nodes, "g", [info(i, v.shape) for i, v in inputs.items()], [info("o", r.shape)], weights)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), path)
    padded = np.pad(x.astype(np.float64), [(0, 0), (0, 0), (pad, pad), (pad, pad)])
    total = np.zeros(r.shape)
    for i in range(3):
        for j in range(3):
            total += np.einsum("nchw,kc->nkhw", padded[:, :, i : i + high, j : j + wide], w[:, :, i, j].astype(np.float64))
    total += bias[:, None, None] + (r if residual else 0)
    return inputs, np.maximum(total, 0).astype(np.float32)


def compare(folder, shape, filtered, *flags):
    path, program = os.path.join(folder, "m.onnx"), os.path.join(folder, "m.so")
    inputs, expected = model(path, shape)
    mlir = run("hal-import", path, "--weights=embed", *[f for f in flags if f.startswith("--layout")])
    assert ("floordiv 32" in mlir) == filtered and ("conv_2d_nchw_fchw" in mlir) != filtered, f"{shape} {flags}"
    run("hal-compile", path, "-o", program, *flags)
    arguments = []
    for name, value in inputs.items():
        file = os.path.join(folder, f"{name}.npy")
        np.save(file, value)
        arguments += ["--input", f"{name}=@{file}"]
    result = os.path.join(folder, "o.npy")
    run("hal-run", program, *arguments, "--output", f"@{result}")
    error = np.abs(np.load(result) - expected).max() / np.abs(expected).max()
    assert error < 3e-6, f"{shape} {flags}: {error}"


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    for shape in SHAPES:
        compare(folder, shape, True)
    for shape in PLAIN:
        compare(folder, shape, False)
    # Narrow vectors and no fused multiply-add; what the generic emitter makes of it; what the model says.
    compare(folder, SHAPES[1], True, "--target=cpu:x86-64")
    compare(folder, SHAPES[0], True, "-O0")
    compare(folder, SHAPES[1], False, "--layout=source")


main()
