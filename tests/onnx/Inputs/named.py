"""Writes a model with named sizes: `named.py FILE [--no-shape|--marks]`."""

import sys

import onnx
from onnx import TensorProto, helper

batch, length = ("?", "?") if "--marks" in sys.argv else ("batch", "length")
x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [batch, length, 4])
y = helper.make_tensor_value_info("y", TensorProto.FLOAT, None if "--no-shape" in sys.argv else [batch, 4])
z = helper.make_tensor_value_info("z", TensorProto.FLOAT, [batch, length, 4])
axes = helper.make_tensor("axes", TensorProto.INT64, [1], [1])
nodes = [helper.make_node("Unsqueeze", ["y", "axes"], ["wide"]), helper.make_node("Add", ["x", "wide"], ["z"])]
graph = helper.make_graph(nodes, "named", [x, y], [z], [axes])
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), sys.argv[1])
