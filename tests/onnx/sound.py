#!/usr/bin/env python3
"""Convolutions along one dimension, compared with numpy: sound.py FOLDER [--seed N] [--count N] [--target TARGET]."""

import argparse
import subprocess

import numpy as np
import onnx
from onnx import TensorProto, helper

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("folder")
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--count", type=int, default=12)
parser.add_argument("--target", default="cpu")
a = parser.parse_args()

# Channels, filters, taps, step, dilation, padding, length, groups, transposed result: the first ones are those of known models.
FIXED = [
    (512, 512, 3, 2, 1, (0, 0), 399, 1, False),
    (64, 96, 10, 5, 1, (0, 0), 1005, 1, False),
    (96, 96, 3, 2, 1, (1, 1), 700, 1, True),
    (1, 64, 10, 5, 1, (0, 0), 4000, 1, False),
    (384, 384, 3, 1, 1, (1, 1), 1200, 1, True),
    (32, 32, 11, 1, 5, (25, 25), 2000, 1, False),
    (64, 64, 16, 1, 1, (8, 7), 50, 4, False),
    (128, 128, 5, 2, 1, (2, 2), 300, 128, False),
    # A row that does not fit the cache.
    (256, 64, 5, 3, 2, (4, 3), 4001, 1, False),
]


def drawn(rng):
    groups = int(rng.choice([1, 1, 1, 2, 4]))
    channels, filters = (groups * int(n) for n in rng.integers(1, 70, 2))
    if rng.integers(5) == 0:
        groups, filters = channels, channels
    taps, step, dilation = int(rng.integers(1, 17)), int(rng.integers(1, 6)), int(rng.choice([1, 1, 1, 2, 5]))
    reach = (taps - 1) * dilation
    pads = tuple(int(n) for n in rng.integers(0, reach + 1, 2)) if rng.integers(2) else (0, 0)
    length = reach + int(rng.choice([1, 7, 30, 113, 500, 3000]))
    return channels, filters, taps, step, dilation, pads, length, groups, bool(rng.integers(2))


def convolved(x, w, bias, step, dilation, pads, groups):
    """In f64, window by window."""
    x = np.pad(x.astype(np.float64), ((0, 0), (0, 0), pads))
    filters, per_group, taps = w.shape
    reach = (taps - 1) * dilation + 1
    windows = np.lib.stride_tricks.sliding_window_view(x[0], reach, axis=1)[:, ::step, ::dilation]
    windows = windows.reshape(groups, per_group, -1, taps)
    w = w.astype(np.float64).reshape(groups, filters // groups, per_group, taps)
    return np.einsum("gcot,gfct->gfo", windows, w).reshape(1, filters, -1) + bias.astype(np.float64)[None, :, None]


def run(case, rng):
    channels, filters, taps, step, dilation, pads, length, groups, transposed = case
    x = rng.standard_normal((1, channels, length)).astype(np.float32)
    w = (rng.standard_normal((filters, channels // groups, taps)) / np.sqrt(channels // groups * taps)).astype(
        np.float32
    )
    bias = rng.standard_normal(filters).astype(np.float32)
    want = np.maximum(convolved(x, w, bias, step, dilation, pads, groups), 0)
    words = {"strides": [step], "dilations": [dilation], "pads": list(pads), "group": groups}
    nodes = [helper.make_node("Conv", ["x", "w", "b"], ["c"], **words), helper.make_node("Relu", ["c"], ["r"])]
    nodes.append(helper.make_node("Transpose", ["r"], ["y"], perm=[0, 2, 1] if transposed else [0, 1, 2]))
    want = want.transpose(0, 2, 1) if transposed else want
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, x.shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, want.shape)],
        [onnx.numpy_helper.from_array(w, "w"), onnx.numpy_helper.from_array(bias, "b")],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), f"{a.folder}/m.onnx")
    np.save(f"{a.folder}/x.npy", x)
    np.save(f"{a.folder}/want.npy", want.astype(np.float32))
    build = ["hal-compile", "-q", f"{a.folder}/m.onnx", "-o", f"{a.folder}/m.so", f"--target={a.target}"]
    subprocess.run(build, check=True)
    words = [f"--input=@{a.folder}/x.npy", f"--expect=@{a.folder}/want.npy", "--rtol=1e-4", "--atol=1e-5"]
    done = subprocess.run(["hal-run", f"{a.folder}/m.so", *words], capture_output=True, text=True)
    print(f"{case}: {'as numpy computes it' if done.returncode == 0 else 'WRONG ' + done.stderr}", flush=True)


rng = np.random.default_rng(a.seed)
for case in [*FIXED, *(drawn(rng) for _ in range(a.count))]:
    run(case, rng)
