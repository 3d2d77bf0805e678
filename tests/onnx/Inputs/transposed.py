"""Writes three transposed convolutions: by two pixels with a kernel of two, of four, and, with more filters, of three."""

import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

rng = np.random.default_rng(0)
weights = [
    numpy_helper.from_array(rng.standard_normal(size).astype(np.float32), name)
    for name, size in (("v", (6, 10, 2, 2)), ("w", (10, 3, 4, 4)), ("u", (10, 16, 3, 3)))
]
nodes = [
    helper.make_node("ConvTranspose", ["x", "v"], ["h"], strides=[2, 2]),
    helper.make_node("ConvTranspose", ["h", "w"], ["y"], strides=[2, 2], pads=[1] * 4),
    helper.make_node("ConvTranspose", ["h", "u"], ["z"], strides=[2, 2], pads=[1] * 4, output_padding=[1, 1]),
]
inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 6, 9, 7])]
outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["N", 3, 36, 28])]
outputs.append(helper.make_tensor_value_info("z", TensorProto.FLOAT, ["N", 16, 36, 28]))
graph = helper.make_graph(nodes, "g", inputs, outputs, weights)
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), sys.argv[1])
