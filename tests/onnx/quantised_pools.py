#!/usr/bin/env python3
"""Poolings between DequantizeLinear and QuantizeLinear select bytes, and pairs that change nothing vanish: equal to onnxruntime.

usage: quantised_pools.py FOLDER
"""

import os
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

# Shape; attributes of the pooling; type; scale and zero point before and after it; whether bytes are all there is.
CASES = [
    ((1, 8, 17, 16), {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 1, 1, 1]}, np.uint8, (0.03, 128), (0.03, 128), True),
    ((2, 5, 9, 33), {"kernel_shape": [3, 3], "strides": [1, 1], "pads": [1, 1, 1, 1]}, np.int8, (0.5, -7), (0.5, -7), True),
    ((1, 3, 12, 13), {"kernel_shape": [2, 3], "strides": [2, 2], "ceil_mode": 1}, np.uint8, (1.7, 0), (1.7, 0), True),
    ((1, 3, 11, 40), {"kernel_shape": [2, 2], "dilations": [3, 2]}, np.int8, (0.02, 127), (0.02, 127), True),
    ((3, 4, 50), {"kernel_shape": [5], "pads": [4, 2]}, np.uint8, (0.1, 255), (0.1, 255), True),
    ((1, 3, 5, 6, 7), {"kernel_shape": [2, 2, 2]}, np.uint8, (0.1, 3), (0.1, 3), True),
    # Other scales and zero points after it.
    ((1, 8, 16, 16), {"kernel_shape": [3, 3], "strides": [2, 2]}, np.uint8, (0.03, 128), (0.04, 128), False),
    ((1, 8, 16, 16), {"kernel_shape": [3, 3], "strides": [2, 2]}, np.uint8, (0.03, 128), (0.03, 100), False),
    # A scale that turns the order around.
    ((1, 8, 16, 16), {"kernel_shape": [3, 3], "strides": [2, 2]}, np.uint8, (-0.03, 128), (-0.03, 128), False),
]  # fmt: skip


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stderr}"


def model(shape, attributes, kind, before, after):
    constants = {}
    for name, value in (("s", before[0]), ("t", after[0])):
        constants[name] = np.float32(value)
    for name, value in (("z", before[1]), ("y", after[1])):
        constants[name] = np.array(value, kind)
    nodes = [
        helper.make_node("DequantizeLinear", ["x", "s", "z"], ["d"]),
        helper.make_node("MaxPool", ["d"], ["p"], **attributes),
        helper.make_node("QuantizeLinear", ["p", "t", "y"], ["q"]),
    ]
    elem = helper.np_dtype_to_tensor_dtype(np.dtype(kind))
    x = helper.make_tensor_value_info("x", elem, shape)
    results = [
        helper.make_tensor_value_info("q", elem, None),
        helper.make_tensor_value_info("p", TensorProto.FLOAT, None),
    ]
    weights = [numpy_helper.from_array(a, n) for n, a in constants.items()]
    graph = helper.make_graph(nodes, "g", [x], results, weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def main(folder):
    os.makedirs(folder, exist_ok=True)
    path, mlir, program = (os.path.join(folder, f"m.{end}") for end in ("onnx", "mlir", "so"))
    for number, (shape, attributes, kind, before, after, bytes_alone) in enumerate(CASES):
        made = model(shape, attributes, kind, before, after)
        rng = np.random.default_rng(number)
        ends = np.iinfo(kind)
        x = rng.integers(ends.min, ends.max + 1, shape).astype(kind)
        onnx.save(made, path)
        expected = onnxruntime.InferenceSession(made.SerializeToString()).run(None, {"x": x})
        np.save(f"{folder}/x.npy", x)
        run("hal-compile", path, "-o", program)
        run("hal-run", program, f"--input=@{folder}/x.npy", f"--output=@{folder}/q.npy", f"--output=@{folder}/p.npy")
        for name, want in zip("qp", expected, strict=True):
            got = np.load(f"{folder}/{name}.npy")
            assert got.dtype == want.dtype and np.array_equal(got, want), f"{CASES[number]}: {name}"
        # Without the floats as a result nothing but the pooling is left.
        del made.graph.output[1]
        onnx.save(made, path)
        run("hal-import", path, "-o", mlir)
        with open(mlir) as file:
            text = file.read()
        assert ("f32" not in text) == bytes_alone, f"{CASES[number]}:\n{text}"


if __name__ == "__main__":
    main(sys.argv[1])
    print("all right")
