#!/usr/bin/env python3
"""Convolutions whose weights are known come in the form of fast kernels, with every size, stride, padding and epilogue right.

usage: convolutions.py FOLDER [vulkan]
"""

import os
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

# Images, channels, filters, rows, columns; window, stride, dilation, padding; what follows.
FILTERED = [
    ((1, 32, 32, 13, 13), (3, 1, 1, 1), "relu"),
    ((2, 40, 36, 14, 15), (3, 1, 1, 1), "residual"),
    ((1, 33, 100, 17, 30), (3, 1, 1, 1), "relu"),
    ((1, 32, 40, 16, 16), (3, 1, 1, 0), "relu"),
    ((1, 32, 32, 20, 150), (3, 1, 1, 2), "relu"),
    ((3, 32, 64, 12, 12), (3, 1, 1, 1), "relu"),
    ((1, 16, 32, 12, 12), (3, 1, 1, 1), "nothing"),
]
PACKED = [
    ((1, 128, 64, 7, 7), (1, 1, 1, 0), "residual"),
    ((1, 3, 64, 40, 20), (7, 2, 1, 3), "relu"),
    ((2, 17, 96, 9, 13), (3, 2, 1, 1), "residual"),
    ((1, 20, 64, 12, 11), (5, 1, 1, 2), "residual"),
    ((1, 20, 32, 20, 20), (3, 1, 2, 2), "residual"),
    ((1, 64, 128, 14, 14), (1, 2, 1, 0), "nothing"),
    ((1, 16, 60, 5, 5), (3, 1, 1, 1), "residual"),
    ((1, 133, 124, 6, 6), (1, 1, 1, 0), "residual"),
    ((1, 16, 32, 3, 2), (1, 1, 1, 0), "residual"),
    ((1, 8, 32, 1, 2), (1, 1, 1, 0), "relu"),
    ((1, 15, 64, 10, 17), (3, 1, 1, 1), "relu"),
]
# Large enough for tiles of 4x4 outputs.
LARGE = [((1, 32, 64, 28, 28), (3, 1, 1, 1), "residual"), ((1, 33, 48, 27, 46), (3, 1, 1, 1), "relu")]
# Too few filters; images wide enough for the lanes.
PLAIN = [((1, 32, 31, 14, 14), (3, 1, 1, 1), "relu"), ((1, 64, 64, 4, 16), (3, 1, 1, 1), "relu")]

SAID = {"filtered": "minimal filtering F(2×2, 3×3)", "packed": "packed filters"}


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stderr}"
    return done.stdout + done.stderr


def model(path, case):
    """Writes a convolution and what follows; gives its inputs and result."""
    (n, c, k, rows, columns), (window, stride, dilation, pad), follows = case
    rng = np.random.default_rng(sum(case[0]) + sum(case[1]))
    f32 = lambda *size: rng.standard_normal(size).astype(np.float32)
    x, w, bias = f32(n, c, rows, columns), f32(k, c, window, window), f32(k)
    high, wide = ((size + 2 * pad - dilation * (window - 1) - 1) // stride + 1 for size in (rows, columns))
    r = f32(n, k, high, wide)
    inputs = {"x": x} | ({"r": r} if follows == "residual" else {})
    attributes = {"pads": [pad] * 4, "strides": [stride] * 2, "dilations": [dilation] * 2}
    if follows == "nothing":
        nodes = [helper.make_node("Conv", ["x", "w"], ["o"], **attributes)]
    else:
        nodes = [helper.make_node("Conv", ["x", "w", "b"], ["y"], **attributes)]
        nodes += [helper.make_node("Add", ["y", "r"], ["s"])] if follows == "residual" else []
        nodes += [helper.make_node("Relu", ["s" if follows == "residual" else "y"], ["o"])]
    info = lambda name, size: helper.make_tensor_value_info(name, TensorProto.FLOAT, size)
    weights = [numpy_helper.from_array(w, "w"), numpy_helper.from_array(bias, "b")]
    graph = helper.make_graph(nodes, "g", [info(i, v.shape) for i, v in inputs.items()], [info("o", r.shape)], weights)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), path)
    padded = np.pad(x.astype(np.float64), [(0, 0), (0, 0), (pad, pad), (pad, pad)])
    total = np.zeros(r.shape)
    for i in range(window):
        for j in range(window):
            seen = padded[:, :, i * dilation :: stride, j * dilation :: stride][:, :, :high, :wide]
            total += np.einsum("nchw,kc->nkhw", seen, w[:, :, i, j].astype(np.float64))
    if follows != "nothing":
        total = np.maximum(total + bias[:, None, None] + (r if follows == "residual" else 0), 0)
    return inputs, total.astype(np.float32)


def compare(folder, case, form, *flags):
    path, program, mlir = (os.path.join(folder, f"m.{end}") for end in ("onnx", "so", "mlir"))
    inputs, expected = model(path, case)
    importing = [f for f in flags if f.startswith(("--layout", "--fast-math"))]
    run("hal-import", path, "--weights-to=embed", "-o", mlir, *importing)
    with open(mlir) as file:
        text = file.read()
    assert ("conv_2d_nchw_fchw" in text) == (form == "plain"), f"{case} {flags}"
    explained = run("hal-translate", mlir, "--explain", "-o", "/dev/null", *[f for f in flags if f not in importing])
    gpu = "--target=vulkan" in flags
    said = "minimal filtering F(4×4, 3×3)" if "--fast-math=winograd" in flags else SAID.get(form, "")
    said = "product over several loops" if gpu else said
    assert "-O0" in flags or said in explained, f"{case} {flags}: {explained}"
    run("hal-compile", path, "-o", program, *flags)
    arguments = []
    for name, value in inputs.items():
        file = os.path.join(folder, f"{name}.npy")
        np.save(file, value)
        arguments += ["--input", f"{name}=@{file}"]
    result = os.path.join(folder, "o.npy")
    run("hal-run", program, *arguments, "--output", f"@{result}", f"--device={'vulkan' if gpu else 'cpu'}")
    error = np.abs(np.load(result) - expected).max() / np.abs(expected).max()
    assert error < (1e-5 if "--fast-math=winograd" in flags else 3e-6), f"{case} {flags}: {error}"


def on_gpu(folder):
    """What is made for CPUs, in one kernel that takes the windows as they are."""
    for case in FILTERED[:3]:
        compare(folder, case, "filtered", "--target=vulkan", "--layout=auto")
    compare(folder, LARGE[1], "filtered", "--target=vulkan", "--fast-math=winograd")
    compare(folder, PACKED[1], "packed", "--target=vulkan", "--layout=auto")


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    if sys.argv[2:] == ["vulkan"]:
        return on_gpu(folder)
    for form, cases in (("filtered", FILTERED), ("packed", PACKED), ("plain", PLAIN)):
        for case in cases:
            compare(folder, case, form)
    # Narrow vectors and no fused multiply-add; plain loops; what the model says.
    for form, case in (("filtered", FILTERED[1]), ("packed", PACKED[0])):
        compare(folder, case, form, "--target=cpu:x86-64")
        compare(folder, case, form, "-O0")
        compare(folder, case, "plain", "--layout=source")
    # Larger tiles, of which the last ones stand over.
    for case in LARGE:
        compare(folder, case, "filtered", "--fast-math=winograd")
    compare(folder, LARGE[1], "filtered", "--fast-math=winograd", "--target=cpu:x86-64-v3")


main()
