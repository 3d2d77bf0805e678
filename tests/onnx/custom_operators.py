#!/usr/bin/env python3
"""Writes the models of `operators-of-other-domains.test` into a folder."""

import os
import sys

from onnx import TensorProto, helper, save

F32, F64, I64 = TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.INT64


def model(name, nodes, inputs, outputs, info=()):
    values = [[helper.make_tensor_value_info(n, t, s) for n, t, s in group] for group in (inputs, outputs, info)]
    graph = helper.make_graph(nodes, name, values[0], values[1], value_info=values[2])
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid("com.example", 1)]
    save(helper.make_model(graph, opset_imports=opsets, ir_version=9), f"{name}.onnx")


def node(op, inputs, outputs, **attributes):
    return helper.make_node(op, inputs, outputs, domain="com.example", name=f"my {op}", **attributes)


os.makedirs(sys.argv[1], exist_ok=True)
os.chdir(sys.argv[1])
x, b = ("x", F32, ["n", 3]), ("b", F32, [3])
relu = helper.make_node("Relu", ["x"], ["p"])
model(
    "affine",
    [relu, node("Affine", ["p", "b"], ["q"], alpha=3.0), node("Affine", ["q", "b"], ["y"])],
    [x, b],
    [("y", F32, ["n", 3])],
)
model("wide", [node("Affine", ["x"], ["y"])], [("x", F64, ["n", 3])], [("y", F64, ["n", 3])])
model(
    "sums",
    [relu, node("Sums", ["p"], ["q"]), helper.make_node("Neg", ["q"], ["y"])],
    [x],
    [("y", F32, ["n", 3])],
    [("q", F32, [2, 3])],
)
model(
    "above",
    [node("Above", ["x"], ["q", "c"], bounds=[1.5]), helper.make_node("Neg", ["q"], ["y"])],
    [("x", F32, ["n"])],
    [("y", F32, ["m"]), ("c", I64, [])],
)
model("integers", [node("Affine", ["x", "b"], ["y"])], [("x", I64, ["n", 3]), b], [("y", I64, ["n", 3])])
model(
    "three",
    [node("Above", ["x"], ["y", "c", "d"], bounds=[1.5])],
    [("x", F32, ["n"])],
    [("y", F32, ["m"]), ("d", F32, [])],
)
