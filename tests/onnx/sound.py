#!/usr/bin/env python3
"""Convolutions along one dimension, of known and unknown length, compared with numpy: sound.py FOLDER [--seed N] [--count N] [--target TARGET]."""

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

# Channels, filters, taps, step, dilation, padding, length, groups, transposed result, and what only a run knows (n: how many, l: their length): the
# first ones are those of known models.
FIXED = [
    (512, 512, 3, 2, 1, (0, 0), 399, 1, False, ""),
    (64, 96, 10, 5, 1, (0, 0), 1005, 1, False, "nl"),
    (96, 96, 3, 2, 1, (1, 1), 700, 1, True, ""),
    (96, 96, 3, 2, 1, (1, 1), 700, 1, True, "n"),
    (1, 64, 10, 5, 1, (0, 0), 4000, 1, False, ""),
    (384, 384, 3, 1, 1, (1, 1), 1200, 1, True, ""),
    (32, 32, 11, 1, 5, (25, 25), 2000, 1, False, ""),
    (64, 64, 16, 1, 1, (8, 7), 50, 4, False, "l"),
    (128, 128, 5, 2, 1, (2, 2), 300, 128, False, "nl"),
    # A row that does not fit the cache.
    (256, 64, 5, 3, 2, (4, 3), 4001, 1, False, ""),
    # Tiles of a row of unknown length must not outgrow their scratch memory.
    (300, 24, 5, 3, 1, (0, 0), 328, 1, False, "l"),
    (1500, 16, 5, 3, 1, (0, 0), 328, 1, False, "l"),
    (512, 512, 3, 2, 1, (0, 0), 399, 1, False, "l"),
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
    opened = str(rng.choice(["", "n", "l", "nl"]))
    return channels, filters, taps, step, dilation, pads, length, groups, bool(rng.integers(2)), opened


def convolved(x, w, bias, step, dilation, pads, groups):
    """In f64, window by window."""
    x = np.pad(x.astype(np.float64), ((0, 0), (0, 0), pads))
    filters, per_group, taps = w.shape
    reach = (taps - 1) * dilation + 1
    windows = np.lib.stride_tricks.sliding_window_view(x, reach, axis=2)[:, :, ::step, ::dilation]
    windows = windows.reshape(len(x), groups, per_group, -1, taps)
    w = w.astype(np.float64).reshape(groups, filters // groups, per_group, taps)
    sums = np.einsum("ngcot,gfct->ngfo", windows, w).reshape(len(x), filters, -1)
    return sums + bias.astype(np.float64)[None, :, None]


def run(case, rng):
    channels, filters, taps, step, dilation, pads, length, groups, transposed, opened = case
    w = (rng.standard_normal((filters, channels // groups, taps)) / np.sqrt(channels // groups * taps)).astype(
        np.float32
    )
    bias = rng.standard_normal(filters).astype(np.float32)
    lengths = [length, (taps - 1) * dilation + 1 + length // 3] if "l" in opened else [length]
    samples = []
    for count, length in [(1, lengths[0]), (3 if "n" in opened else 1, lengths[-1])][: 1 + bool(opened)]:
        x = rng.standard_normal((count, channels, length)).astype(np.float32)
        want = np.maximum(convolved(x, w, bias, step, dilation, pads, groups), 0)
        samples.append((x, (want.transpose(0, 2, 1) if transposed else want).astype(np.float32)))
    words = {"strides": [step], "dilations": [dilation], "pads": list(pads), "group": groups}
    nodes = [helper.make_node("Conv", ["x", "w", "b"], ["c"], **words), helper.make_node("Relu", ["c"], ["r"])]
    nodes.append(helper.make_node("Transpose", ["r"], ["y"], perm=[0, 2, 1] if transposed else [0, 1, 2]))

    def described(name, shape, along):
        known = [None if d == 0 and "n" in opened or d == along and "l" in opened else n for d, n in enumerate(shape)]
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, known)

    graph = helper.make_graph(
        nodes,
        "g",
        [described("x", samples[0][0].shape, 2)],
        [described("y", samples[0][1].shape, 1 if transposed else 2)],
        [onnx.numpy_helper.from_array(w, "w"), onnx.numpy_helper.from_array(bias, "b")],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), f"{a.folder}/m.onnx")
    build = ["hal-compile", "-q", f"{a.folder}/m.onnx", "-o", f"{a.folder}/m.so", f"--target={a.target}"]
    subprocess.run(build, check=True)
    wrong = ""
    for x, want in samples:
        np.save(f"{a.folder}/x.npy", x)
        np.save(f"{a.folder}/want.npy", want)
        words = [f"--input=@{a.folder}/x.npy", f"--expect=@{a.folder}/want.npy", "--rtol=1e-4", "--atol=1e-5"]
        done = subprocess.run(["hal-run", f"{a.folder}/m.so", *words], capture_output=True, text=True)
        wrong += f" {x.shape}: {done.stderr}" if done.returncode else ""
    print(f"{case}: {'WRONG' + wrong if wrong else 'as numpy computes it'}", flush=True)


rng = np.random.default_rng(a.seed)
for case in [*FIXED, *(drawn(rng) for _ in range(a.count))]:
    run(case, rng)
