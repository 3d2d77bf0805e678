#!/usr/bin/env python3
"""DequantizeLinear before MatMul, Gemm and Conv: the products are of integers, and right, whatever the scales and zero points."""

import os
import subprocess
import sys

import numpy as np
import onnx
import onnx.reference
from onnx import TensorProto, helper, numpy_helper

TYPES = {np.uint8: TensorProto.UINT8, np.int8: TensorProto.INT8}

# Operator; shapes of the input and of the weights; type and zero point of the weights; the axis of scales, if they are a list; attributes.
CASES = [
    ("MatMul", (5, 70), (70, 33), np.int8, 0, None, {}),
    ("MatMul", (16, 128), (128, 64), np.uint8, 120, None, {}),
    ("MatMul", (2, 3, 40), (40, 24), np.int8, -7, 1, {}),
    ("MatMul", (64,), (64, 20), np.int8, 0, 1, {}),
    ("Gemm", (9, 50), (31, 50), np.int8, 0, 0, {"transB": 1, "alpha": 0.5}),
    ("Gemm", (50, 9), (50, 31), np.uint8, 128, 1, {"transA": 1}),
    ("Conv", (1, 16, 9, 10), (24, 16, 3, 3), np.int8, 0, 0, {"pads": [1, 1, 1, 1]}),
    ("Conv", (2, 8, 7, 7), (12, 4, 3, 3), np.uint8, 100, 0, {"group": 2, "strides": [2, 2]}),
    ("Conv", (1, 6, 12, 12), (6, 1, 3, 3), np.int8, 0, None, {"group": 6, "pads": [1, 1, 1, 1]}),
]


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stderr}"
    return done.stdout


def main(folder):
    os.makedirs(folder, exist_ok=True)
    rng = np.random.default_rng(5)
    for number, (op, shape, weights, kind, zero, axis, attributes) in enumerate(CASES):
        x = rng.integers(0, 256, shape).astype(np.uint8)
        low, high = (0, 256) if kind is np.uint8 else (-128, 128)
        w = rng.integers(low, high, weights).astype(kind)
        count = () if axis is None else (weights[axis],)
        scale = np.asarray(rng.uniform(0.001, 0.02, count), dtype=np.float32)
        zeros = np.full(count, zero, dtype=kind)
        bias = rng.standard_normal(weights[0] if op == "Conv" or attributes.get("transB") else weights[-1]).astype(
            np.float32
        )
        constants = {"w": w, "ws": scale, "wz": zeros, "xs": np.float32(0.05), "xz": np.uint8(117)}
        inputs = ["xf", "wf"]
        if op != "MatMul":
            constants["b"] = bias
            inputs.append("b")
        nodes = [
            helper.make_node("DequantizeLinear", ["x", "xs", "xz"], ["xf"]),
            helper.make_node("DequantizeLinear", ["w", "ws", "wz"], ["wf"], axis=0 if axis is None else axis),
            helper.make_node(op, inputs, ["y"], **attributes),
        ]
        graph = helper.make_graph(
            nodes,
            "g",
            [helper.make_tensor_value_info("x", TensorProto.UINT8, shape)],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
            [numpy_helper.from_array(np.asarray(v), k) for k, v in constants.items()],
        )
        path = os.path.join(folder, f"{number}.onnx")
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)

        # What the specification says, in floats.
        along = scale.reshape([-1 if i == axis else 1 for i in range(len(weights))]) if axis is not None else scale
        wide = {"xf": (x.astype(np.float64) - 117) * 0.05, "wf": (w.astype(np.float64) - zero) * along}
        feeds = {"xf": wide["xf"].astype(np.float32), "wf": wide["wf"].astype(np.float32), "b": bias}
        plain = helper.make_graph(
            [nodes[-1]],
            "g",
            [helper.make_tensor_value_info(k, TensorProto.FLOAT, feeds[k].shape) for k in inputs],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        )
        plain = helper.make_model(plain, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        want = onnx.reference.ReferenceEvaluator(plain).run(None, {k: feeds[k] for k in inputs})[0]

        text = run("hal-import", path)
        assert "arith.muli" in text or "_i32(" in text, f"case {number}, {op}: the products are of floats"
        program, file = path[:-5] + ".so", path[:-5] + ".npy"
        run("hal-compile", "-q", path, "-o", program)
        np.save(file, x)
        run("hal-run", program, f"--input=@{file}", "-o", file)
        got = np.load(file)
        assert got.shape == want.shape and np.allclose(got, want, rtol=1e-4, atol=2e-5 * np.abs(want).max()), (
            f"case {number}, {op}: wrong"
        )


if __name__ == "__main__":
    main(sys.argv[1])
