"""Models of one node in the newest operator set that the onnx package has, the next one, and one of the far future."""

import os
import sys

import onnx
from onnx import helper

x, y = (helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [2, 3]) for name in "xy")
newest = onnx.defs.onnx_opset_version()
os.makedirs(sys.argv[1], exist_ok=True)
for name, version in (("newest", newest), ("next", newest + 1), ("future", 99)):
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "g", [x], [y])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", version)], ir_version=10)
    onnx.save(model, os.path.join(sys.argv[1], f"{name}.onnx"))
