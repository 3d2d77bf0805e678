#!/usr/bin/env python3
"""Convolutions of volumes, compared with onnxruntime: volumes.py FOLDER [--seed N] [--count N] [--target TARGET]."""

import argparse
import subprocess

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("folder")
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--count", type=int, default=16)
parser.add_argument("--target", default="cpu")
a = parser.parse_args()

# Volumes, channels, filters, window, steps, dilations, padding before and after, size, residual: the first ones are those of known models.
FIXED = [
    (1, 32, 32, (3, 3, 3), (1, 1, 1), (1, 1, 1), (1, 1, 1, 1, 1, 1), (6, 12, 12), True),
    (1, 24, 20, (3, 1, 1), (2, 1, 1), (1, 1, 1), (1, 0, 0, 1, 0, 0), (8, 9, 7), False),
    (1, 24, 40, (1, 3, 3), (1, 1, 1), (1, 1, 1), (0, 1, 1, 0, 1, 1), (4, 10, 11), True),
    (2, 16, 33, (3, 3, 3), (1, 1, 1), (1, 1, 1), (2, 1, 0, 0, 1, 2), (5, 8, 7), False),
    (1, 32, 24, (2, 3, 3), (2, 1, 1), (3, 1, 1), (0, 1, 1, 0, 1, 1), (9, 7, 6), False),
    (1, 40, 64, (3, 3, 3), (1, 1, 1), (1, 1, 1), (1, 1, 1, 1, 1, 1), (4, 4, 4), False),
    (1, 20, 24, (4, 1, 1), (1, 1, 1), (2, 1, 1), (3, 1, 2, 2, 1, 0), (7, 5, 6), False),
    (1, 16, 32, (5, 3, 3), (1, 1, 1), (1, 1, 1), (2, 1, 1, 2, 1, 1), (3, 9, 9), True),
]


def drawn(rng):
    window = tuple(
        int(n) for n in rng.choice([(3, 3, 3), (3, 1, 1), (1, 3, 3), (2, 3, 3), (5, 5, 5), (3, 2, 1), (1, 1, 1)])
    )
    rarely = rng.integers(3) == 0
    steps = tuple(int(n) for n in rng.integers(1, 3, 3)) if rarely else (int(rng.integers(1, 3)), 1, 1)
    dilations = (int(rng.integers(1, 4)), 1, 1) if rng.integers(3) else tuple(int(n) for n in rng.integers(1, 3, 3))
    pads = tuple(int(n) for n in rng.integers(0, 3, 6)) if rng.integers(3) else (0,) * 6
    size = tuple(int(n) + (w - 1) * d for n, w, d in zip(rng.integers(1, 11, 3), window, dilations))
    filters = int(rng.choice([rng.integers(1, 20), rng.integers(20, 50)]))
    return (
        int(rng.choice([1, 1, 1, 2, 3])),
        int(rng.integers(1, 40)),
        filters,
        window,
        steps,
        dilations,
        pads,
        size,
        bool(rng.integers(2)),
    )


def dequantised(name, numbers, zero, scale):
    """What makes floats of bytes, and its constants."""
    list_of = onnx.numpy_helper.from_array
    zeros = np.full(np.shape(scale), zero, numbers.dtype)
    constants = [list_of(np.asarray(scale, np.float32), f"{name}s"), list_of(zeros, f"{name}z")]
    return helper.make_node("DequantizeLinear", [f"{name}q", f"{name}s", f"{name}z"], [name], axis=0), constants


def run(case, rng, of_bytes):
    volumes, channels, filters, window, steps, dilations, pads, size, residual = case
    w = (rng.standard_normal((filters, channels, *window)) / np.sqrt(channels * np.prod(window))).astype(np.float32)
    bias = rng.standard_normal(filters).astype(np.float32)
    out = [
        (n + p + q - (k - 1) * d - 1) // s + 1
        for n, p, q, k, d, s in zip(size, pads, pads[3:], window, dilations, steps)
    ]
    feeds = {"x": rng.standard_normal((volumes, channels, *size)).astype(np.float32)}
    words = {"strides": steps, "dilations": dilations, "pads": pads}
    nodes = [helper.make_node("Conv", ["x", "w", "b"], ["c"], **words)]
    constants = [onnx.numpy_helper.from_array(bias, "b")]
    if of_bytes:
        limits = np.iinfo([np.uint8, np.int8][int(rng.integers(2))])
        zero = int(rng.integers(limits.min, limits.max + 1))
        feeds = {"xq": rng.integers(limits.min, limits.max + 1, feeds["x"].shape).astype(limits.dtype)}
        bytes_of_w = rng.integers(-127, 128, w.shape).astype(np.int8)
        scales = rng.uniform(0.5, 1, filters) / 127 / np.sqrt(channels * np.prod(window))
        for made, more in (dequantised("x", feeds["xq"], zero, 0.01), dequantised("w", bytes_of_w, 0, scales)):
            nodes.insert(0, made)
            constants += more
        constants.append(onnx.numpy_helper.from_array(bytes_of_w, "wq"))
    else:
        constants.append(onnx.numpy_helper.from_array(w, "w"))
    if residual:
        feeds["r"] = rng.standard_normal((volumes, filters, *out)).astype(np.float32)
        nodes.append(helper.make_node("Add", ["c", "r"], ["s"]))
    nodes.append(helper.make_node("Relu", ["s" if residual else "c"], ["y"]))
    graph = helper.make_graph(
        nodes,
        "g",
        [
            helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape)
            for name, value in feeds.items()
        ],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, (volumes, filters, *out))],
        constants,
    )
    path = f"{a.folder}/m.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    want = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"]).run(None, feeds)[0]
    np.save(f"{a.folder}/want.npy", want)
    for name, value in feeds.items():
        np.save(f"{a.folder}/{name}.npy", value)
    build = ["hal-compile", "-q", path, "-o", f"{a.folder}/m.so", f"--target={a.target}"]
    subprocess.run(build, check=True)
    words = [f"--input={name}=@{a.folder}/{name}.npy" for name in feeds]
    words += [f"--expect=@{a.folder}/want.npy", "--rtol=1e-4", "--atol=2e-5"]
    done = subprocess.run(["hal-run", f"{a.folder}/m.so", *words], capture_output=True, text=True)
    of = "bytes" if of_bytes else "floats"
    print(
        f"{case} of {of}: {'as onnxruntime computes it' if done.returncode == 0 else 'WRONG ' + done.stderr}",
        flush=True,
    )


rng = np.random.default_rng(a.seed)
cases = [*((case, True) for case in FIXED), *((drawn(rng), bool(rng.integers(2))) for _ in range(a.count))]
for case, of_bytes in [*cases, *((case, False) for case in FIXED)]:
    run(case, rng, of_bytes)
