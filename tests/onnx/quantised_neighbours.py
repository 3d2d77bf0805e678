#!/usr/bin/env python3
"""Convolutions and products between QuantizeLinear and DequantizeLinear, as quantisers write them, with neighbours of many kinds: right
as by onnxruntime, and of bytes, which are multiplied as they are."""

import os
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

# Shapes of the input and of the weights (convolutions have four dimensions), what follows, attributes.
CASES = [
    ((1, 16, 9, 10), (24, 16, 3, 3), "none", {"pads": [1, 1, 1, 1]}),
    ((2, 8, 13, 13), (12, 8, 3, 3), "relu", {"pads": [2, 2, 2, 2], "dilations": [2, 2]}),
    ((1, 16, 9, 20), (20, 16, 3, 3), "both", {"pads": [1, 1, 1, 1]}),
    ((1, 16, 9, 20), (20, 16, 3, 3), "transpose", {"pads": [1, 1, 1, 1]}),
    ((3, 12, 7, 7), (40, 12, 1, 1), "transpose", {}),
    ((2, 16, 11, 17), (24, 8, 3, 3), "none", {"group": 2, "pads": [1, 1, 1, 1]}),
    ((2, 16, 11, 17), (24, 4, 3, 3), "both", {"group": 4, "pads": [1, 1, 1, 1]}),
    ((1, 32, 10, 10), (16, 16, 3, 3), "transpose", {"group": 2, "pads": [1, 1, 1, 1]}),
    ((1, 24, 12, 12), (24, 24, 3, 3), "residual", {"pads": [1, 1, 1, 1]}),
    ((1, 16, 15, 15), (24, 16, 3, 3), "chain", {"pads": [1, 1, 1, 1], "strides": [2, 2]}),
    ((2, 17, 64), (64, 48), "none", {}),
    ((1, 33, 96), (96, 40), "both", {}),
    ((2, 19, 64), (64, 36), "transpose", {}),
]


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stderr}"
    return done.stdout + done.stderr


def model(number, shape, weights, after, attributes):
    """The model of a case, and its input."""
    rng = np.random.default_rng(number)
    constants, nodes = {}, []

    def op(kind, *operands, **attributes):
        name = f"v{len(nodes)}"
        nodes.append(helper.make_node(kind, list(operands), [name], **attributes))
        return name

    def constant(array):
        constants[f"c{len(constants)}"] = array
        return f"c{len(constants) - 1}"

    def bytes_of(x):
        scale, zero = constant(np.float32(0.03)), constant(np.uint8(128))
        return op("DequantizeLinear", op("QuantizeLinear", x, scale, zero), scale, zero)

    def layer(x, weights):
        axis = 0 if len(weights) == 4 else 1
        scales = constant(rng.uniform(1e-3, 2e-3, weights[axis]).astype(np.float32))
        w = op("DequantizeLinear", constant(rng.integers(-127, 128, weights).astype(np.int8)), scales, axis=axis)
        return op("Conv", x, w, **attributes) if axis == 0 else op("MatMul", x, w)

    x = bytes_of("x")
    y = layer(x, weights)
    if after in ("relu", "chain"):
        y = op("Relu", y)
    if after == "residual":
        y = op("Add", y, x)
    y = bytes_of(y)
    if after == "chain":
        y = layer(y, (12, weights[0], *weights[2:]))
    results = [y]
    if after == "both":
        results.append(op("Relu", y))
    if after == "transpose":
        results = [op("Transpose", y, perm=[0, *range(2, len(shape)), 1])]
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in results],
        [numpy_helper.from_array(np.asarray(v), k) for k, v in constants.items()],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return made, rng.normal(0, 1, shape).astype(np.float32)


def main(folder):
    os.makedirs(folder, exist_ok=True)
    for number, case in enumerate(CASES):
        made, x = model(number, *case)
        path = os.path.join(folder, f"{number}.onnx")
        onnx.save(made, path)
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        want = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"]).run(None, {"x": x})

        text = os.path.join(folder, f"{number}.mlir")
        run("hal-import", path, "-o", text)
        with open(text, encoding="utf-8") as f:
            imported = f.read()
        wide = [line for line in imported.splitlines() if "call @" in line and "xi32>" in line]
        assert not wide, f"case {number}, {case}: words are stored between kernels\n{wide}"
        told = run("hal-translate", "--target=cpu:znver4", "--explain", text, "-o", os.devnull)
        products = [line for line in told.splitlines() if "_conv_" in line or "_matmul_" in line]
        assert products and all(
            "product of short numbers by vpdpbusd" in line or "packed filters" in line or "matrix in panels" in line
            for line in products
            if " for cpu" in line
        ), f"case {number}, {case}: the products are not of bytes\n{told}"
        for target in ("cpu", "cpu:x86-64-v3"):
            program, file = path[:-5] + ".so", os.path.join(folder, f"{number}.npy")
            run("hal-compile", "-q", f"--target={target}", path, "-o", program)
            np.save(file, x)
            outputs = [os.path.join(folder, f"{number}-{i}.npy") for i in range(len(want))]
            run("hal-run", program, f"--input=@{file}", *(f"-o{o}" for o in outputs))
            for output, right in zip(outputs, want):
                got = np.load(output)
                # Where a quotient lies between two bytes, the order of sums decides: a step of a few elements is allowed.
                apart = np.abs(got - right)
                assert got.shape == right.shape and apart.max() < 0.061 and (apart > 1e-4).mean() < 0.01, (
                    f"case {number}, {case}, {target}: wrong by up to {apart.max()}, {(apart > 1e-4).mean():.3f} of it"
                )


if __name__ == "__main__":
    main(sys.argv[1])
