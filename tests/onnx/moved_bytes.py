#!/usr/bin/env python3
"""Operators that move dequantised numbers move the bytes: as onnxruntime does, and without a float if the result is quantised again.

usage: moved_bytes.py FOLDER
"""

import os
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper

# Operator, the shape of its first input, further inputs, attributes, how many results.
CASES = [
    ("Concat", (2, 8, 6, 4), [], {"axis": 1}, 1),
    ("DepthToSpace", (2, 8, 6, 4), [], {"blocksize": 2}, 1),
    ("Expand", (2, 1, 6, 4), [[1, 8, 1, 1]], {}, 1),
    ("Flatten", (2, 8, 6, 4), [], {"axis": 2}, 1),
    ("Gather", (2, 8, 6, 4), [[3, 0, -1]], {"axis": 1}, 1),
    ("GatherElements", (3, 4), [[[3, 0, -1]]], {"axis": 1}, 1),
    ("GatherND", (2, 8, 6), [[[1, 7], [0, -3]]], {}, 1),
    ("Identity", (2, 8, 6, 4), [], {}, 1),
    ("Reshape", (2, 8, 6, 4), [[2, -1, 12]], {}, 1),
    ("ReverseSequence", (5, 3, 4), [[2, 5, 1]], {}, 1),
    ("Slice", (2, 8, 6, 4), [[1, 0], [7, 6], [1, 2], [2, 3]], {}, 1),
    ("SpaceToDepth", (2, 8, 6, 4), [], {"blocksize": 2}, 1),
    ("Split", (2, 8, 6, 4), [[3, 5]], {"axis": 1}, 2),
    ("Squeeze", (2, 1, 6, 4), [[1]], {}, 1),
    ("Tile", (2, 8, 1, 4), [[1, 2, 3, 1]], {}, 1),
    ("Transpose", (2, 8, 6, 4), [], {"perm": [0, 2, 3, 1]}, 1),
    ("Unsqueeze", (2, 8, 6), [[0, 3]], {}, 1),
]


def run(case, folder, elem, again):
    """`again`: the scale with which results are quantised again, or None."""
    op, shape, more, attributes, count = case
    rng = np.random.default_rng(len(op))
    limits = np.iinfo(elem)
    x = rng.integers(limits.min, limits.max + 1, shape).astype(elem)
    constants = {"s": np.float32(0.05), "z": elem(7)} | ({"t": again} if again else {})
    constants |= {f"i{at}": np.asarray(values, np.int64) for at, values in enumerate(more)}
    moved = ["f", "f"] if op == "Concat" else ["f"]
    results = [f"r{at}" for at in range(count)]
    nodes = [helper.make_node("DequantizeLinear", ["x", "s", "z"], ["f"])]
    nodes.append(helper.make_node(op, [*moved, *(f"i{at}" for at in range(len(more)))], results, **attributes))
    if again:
        nodes += [helper.make_node("QuantizeLinear", [r, "t", "z"], [f"q{r}"]) for r in results]
        results = [f"q{r}" for r in results]
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", helper.np_dtype_to_tensor_dtype(x.dtype), shape)],
        [helper.ValueInfoProto(name=r) for r in results],
        [numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    path = os.path.join(folder, "m.onnx")
    onnx.save(onnx.shape_inference.infer_shapes(model), path)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    wanted = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"]).run(None, {"x": x})
    np.save(f"{folder}/x.npy", x)
    program = os.path.join(folder, "m.mlir")
    subprocess.run(["hal-import", "-q", path, "-o", program], check=True)
    with open(program) as text:
        has_floats = "f32" in text.read()
    assert has_floats == (again != constants["s"]), f"{op} {elem.__name__} {again}: floats are {has_floats}"
    subprocess.run(["hal-compile", "-q", path, "-o", f"{folder}/m.so"], check=True)
    for at, want in enumerate(wanted):
        np.save(f"{folder}/w{at}.npy", want)
    expected = [f"--expect=@{folder}/w{at}.npy" for at in range(count)]
    check = ["hal-run", f"{folder}/m.so", f"--input=@{folder}/x.npy", *expected, "--rtol=0", "--atol=0"]
    done = subprocess.run(check, capture_output=True, text=True)
    assert done.returncode == 0, f"{op} {elem.__name__} {again}: {done.stderr}"


folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)
for case in CASES:
    for elem in (np.uint8, np.int8):
        for again in (np.float32(0.05), np.float32(0.08), None):
            run(case, folder, elem, again)
    print(f"{case[0]} moves bytes")
