"""Writes small ONNX models: models.py FOLDER."""

import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

folder = sys.argv[1]
rng = np.random.default_rng(7)
W = rng.standard_normal((16, 8), dtype=np.float32)
B = rng.standard_normal(8, dtype=np.float32)


def save(name, nodes, weights, inputs=("x",), outputs=("y",)):
    sizes = {"x": ["N", 16], "y": ["N", 8], "p": ["N", 16], "t": [8, "N"]}
    info = [helper.make_tensor_value_info(n, TensorProto.FLOAT, sizes[n]) for n in (*inputs, *outputs)]
    initializers = [numpy_helper.from_array(a, n) for n, a in weights.items()]
    graph = helper.make_graph(nodes, "m", info[: len(inputs)], info[len(inputs) :], initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    onnx.save(model, f"{folder}/{name}.onnx")


def dense(bias, scale=1.0):
    """A product, a bias, an activation, and a normalisation of it, of which each has a name."""
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["product"], "dense/MatMul"),
        helper.make_node("Add", ["product", "b"], ["sum"], "dense/Add"),
        helper.make_node("Relu", ["sum"], ["active"], "dense/Relu"),
        helper.make_node("Softmax", ["active"], ["likely"], "softmax", axis=1),
        helper.make_node("Mul", ["likely", "scale"], ["y"], "scaled"),
    ]
    return nodes, {"w": W, "b": bias, "scale": np.float32(scale)}


wrong = B.copy()
wrong[3] += 0.25
save("m", *dense(B))
save("bias", *dense(wrong))
# The same in other words: other executables compute tensors of the same names.
save(
    "gemm",
    [
        helper.make_node("Gemm", ["x", "w", "b"], ["pre"], "gemm"),
        helper.make_node("Relu", ["pre"], ["active"], "relu"),
        helper.make_node("Softmax", ["active"], ["z"], "softmax", axis=1),
        helper.make_node("Identity", ["z"], ["y"], "last"),
    ],
    {"w": W, "b": wrong},
)
# What a dispatch computes is a transposed tensor, not the model's: a name must not go to the wrong one.
save(
    "transposed",
    [
        helper.make_node("MatMul", ["x", "w"], ["product"], "MatMul"),
        helper.make_node("Transpose", ["product"], ["turned"], "Transpose", perm=[1, 0]),
        helper.make_node("Exp", ["turned"], ["t"], "Exp"),
    ],
    {"w": W},
    outputs=("t",),
)
save(
    "two",
    [helper.make_node("Add", ["x", "p"], ["q"]), helper.make_node("MatMul", ["q", "w"], ["y"])],
    {"w": W},
    ("x", "p"),
)
