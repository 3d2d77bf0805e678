#!/usr/bin/env python3
"""`DynamicQuantizeLSTM` agrees with onnxruntime: directions, types of weights, scales of columns, lengths, states, peepholes.

usage: quantised_lstms.py FOLDER
"""

import os
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

# Direction, steps, batch, inputs, hidden size, type of the weights, whether each column has a scale, lengths, states, peepholes.
CASES = [
    ("forward", 7, 1, 12, 16, np.int8, False, False, False, False),
    ("forward", 5, 3, 9, 5, np.int8, False, True, True, False),
    ("reverse", 6, 2, 16, 8, np.uint8, False, False, True, False),
    ("bidirectional", 4, 3, 10, 7, np.int8, True, True, False, False),
    ("bidirectional", 3, 1, 33, 40, np.uint8, False, False, True, True),
    ("forward", 1, 4, 64, 24, np.int8, True, False, False, True),
]


def run(case, folder):
    direction, steps, batch, inputs, hidden, kind, columns, lengths, states, peepholes = case
    rng = np.random.default_rng(hidden)
    count = 2 if direction == "bidirectional" else 1
    # Without VNNI, onnxruntime adds pairs of products of unsigned and signed bytes with saturation to 16 bits:
    # weights of seven bits do not reach it (its documentation of quantisation calls them `reduce_range`).
    limits = (-64, 64) if kind is np.int8 else (0, 256)
    sizes = (count, 4 * hidden) if columns else (count,)
    constants = {}
    for name, rows in (("w", inputs), ("r", hidden)):
        numbers = rng.integers(*limits, (count, rows, 4 * hidden)).astype(kind)
        constants |= {name: numbers, f"{name}s": (rng.uniform(0.5, 1, sizes) / 128 / np.sqrt(rows)).astype(np.float32)}
        constants[f"{name}z"] = np.full(sizes, 128 if kind is np.uint8 else 0, kind)
    constants["b"] = rng.standard_normal((count, 8 * hidden)).astype(np.float32) / 8
    if peepholes:
        constants["p"] = rng.standard_normal((count, 3 * hidden)).astype(np.float32) / 4
    feeds = {"x": rng.standard_normal((steps, batch, inputs)).astype(np.float32)}
    if lengths:
        feeds["l"] = rng.integers(1, steps + 1, batch).astype(np.int32)
    if states:
        for name in "hc":
            feeds[name] = rng.standard_normal((count, batch, hidden)).astype(np.float32) / 2
    names = ["x", "w", "r", "b", "l", "h", "c", "p", "ws", "wz", "rs", "rz"]
    names = [name if name in feeds or name in constants else "" for name in names]
    node = helper.make_node(
        "DynamicQuantizeLSTM",
        names,
        ["y", "yh", "yc"],
        domain="com.microsoft",
        hidden_size=hidden,
        direction=direction,
    )
    shapes = [(steps, count, batch, hidden), (count, batch, hidden), (count, batch, hidden)]
    graph = helper.make_graph(
        [node],
        "g",
        [
            helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape)
            for name, value in feeds.items()
        ],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in zip(node.output, shapes)],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )
    path = os.path.join(folder, "m.onnx")
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), path)
    # Threads divide the batch, and quantise the state of each part by its own range.
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    wanted = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"]).run(None, feeds)
    subprocess.run(["hal-compile", "-q", path, "-o", f"{folder}/m.so"], check=True)
    for name, value in feeds.items():
        np.save(f"{folder}/{name}.npy", value)
    for at, want in enumerate(wanted):
        np.save(f"{folder}/y{at}.npy", want)
    command = ["hal-run", f"{folder}/m.so", *(f"--input={name}=@{folder}/{name}.npy" for name in feeds)]
    command += [*(f"--expect=@{folder}/y{at}.npy" for at in range(3)), "--rtol=0", "--atol=2e-3"]
    done = subprocess.run(command, capture_output=True, text=True)
    print(f"{case}: {'as onnxruntime computes it' if done.returncode == 0 else 'WRONG ' + done.stderr}", flush=True)


folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)
for case in CASES:
    run(case, folder)
