#!/usr/bin/env python3
"""Convolutions of which every size of the input is a symbol, channels too, as PyTorch exports models with dynamic axes: their weights tell the number
of channels. Compared with onnxruntime; another number of channels is refused.

usage: unknown_channels.py FOLDER [--seed 1] [--count 24]
"""

import argparse
import os
import random
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("folder")
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--count", type=int, default=24)
a = parser.parse_args()
os.makedirs(a.folder, exist_ok=True)
path = os.path.join(a.folder, "m")


def run(command):
    return subprocess.run(command, capture_output=True, text=True, check=False)


for number in range(a.count):
    r = random.Random(f"{a.seed} {number}")
    axes, transposed = r.choice([1, 2, 2, 3]), r.random() < 0.25
    groups, each, more = r.choice([1, 2, 3, 6]), r.choice([1, 2, 5]), r.choice([1, 2, 4])
    window = [r.choice([1, 2, 3]) for _ in range(axes)]
    words = {"group": groups, "kernel_shape": window}
    if r.random() < 0.7:
        words["pads"] = [r.randrange(k) for k in window * 2]
    if r.random() < 0.5:
        words["strides"] = [r.choice([1, 2]) for _ in window]
    if r.random() < 0.3:
        words["dilations"] = [r.choice([1, 2]) for _ in window]
    sizes = [r.randrange(5, 9) for _ in window]
    rng = np.random.default_rng(number)
    shape = [groups * each, more, *window] if transposed else [groups * more, each, *window]
    weights = rng.standard_normal(shape).astype(np.float32)
    x = rng.standard_normal([2, groups * each, *sizes]).astype(np.float32)
    op = "ConvTranspose" if transposed else "Conv"
    graph = helper.make_graph(
        [helper.make_node(op, ["x", "w"], ["y"], **words)],
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [f"n{d}" for d in range(x.ndim)])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [None] * x.ndim)],
        [numpy_helper.from_array(weights, "w")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, f"{path}.onnx")
    wanted = onnxruntime.InferenceSession(f"{path}.onnx", providers=["CPUExecutionProvider"]).run(None, {"x": x})[0]
    what = f"{op} {x.shape} by {weights.shape} {words}"
    done = run(["hal-compile", "-q", f"{path}.onnx", "-o", f"{path}.so"])
    assert done.returncode == 0, f"{what}: {done.stderr}"
    np.save(f"{path}-x.npy", x)
    np.save(f"{path}-y.npy", wanted)
    limits = [f"--expect=@{path}-y.npy", "--rtol=1e-4", "--atol=1e-4"]
    done = run(["hal-run", f"{path}.so", f"--input=@{path}-x.npy", *limits])
    assert done.returncode == 0, f"{what}: {done.stderr}"
    np.save(f"{path}-x.npy", np.repeat(x, 2, axis=1))
    done = run(["hal-run", f"{path}.so", f"--input=@{path}-x.npy"])
    assert done.returncode == 1 and f" {2 * groups * each} channels" in done.stderr, f"{what}: {done.stderr}"
print(f"{a.count} convolutions are right", file=sys.stdout)
