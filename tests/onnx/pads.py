#!/usr/bin/env python3
"""Pad with elements of the tensor itself, static and dynamic, compared with numpy: pads.py FOLDER [--seed N] [--count N]."""

import argparse
import subprocess

import numpy as np
import onnx
from onnx import TensorProto, helper

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("folder")
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--count", type=int, default=24)
a = parser.parse_args()


def model(shape, pads, mode, dynamic):
    named = [f"n{d}" if dynamic and d == len(shape) - 1 else n for d, n in enumerate(shape)]
    node = helper.make_node("Pad", ["x", "pads"], ["y"], mode=mode)
    graph = helper.make_graph(
        [node],
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, named)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [None] * len(shape))],
        [helper.make_tensor("pads", TensorProto.INT64, [len(pads)], pads)],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)], ir_version=9), f"{a.folder}/m.onnx")


rng = np.random.default_rng(a.seed)
for number in range(a.count):
    mode = ["reflect", "edge", "wrap"][number % 3]
    shape = [int(n) for n in rng.integers(1, 40, rng.integers(1, 5))]
    # Padding along one or two dimensions; wrapped, it may go around more than once.
    low, high = np.zeros(len(shape), int), np.zeros(len(shape), int)
    for d in rng.choice(len(shape), min(len(shape), 2), replace=False):
        most = shape[d] - 1 if mode == "reflect" else int(shape[d] * rng.choice([1, 3]))
        low[d], high[d] = rng.integers(0, most + 1, 2)
    dynamic = bool(rng.integers(2))
    model(shape, [int(n) for n in [*low, *high]], mode, dynamic)
    x = rng.standard_normal(shape).astype(np.float32)
    np.save(f"{a.folder}/x.npy", x)
    np.save(f"{a.folder}/want.npy", np.pad(x, list(zip(low, high)), mode=mode))
    subprocess.run(["hal-compile", "-q", f"{a.folder}/m.onnx", "-o", f"{a.folder}/m.so"], check=True)
    words = [f"--input=@{a.folder}/x.npy", f"--expect=@{a.folder}/want.npy", "--rtol=0", "--atol=0"]
    done = subprocess.run(["hal-run", f"{a.folder}/m.so", *words], capture_output=True, text=True)
    what = f"{mode} {shape} by {low.tolist()} and {high.tolist()}{' (dynamic)' if dynamic else ''}"
    print(f"{what}: {'as numpy pads it' if done.returncode == 0 else 'WRONG ' + done.stderr}", flush=True)
