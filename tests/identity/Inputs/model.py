"""Writes a model of two matrix products and a softmax: model.py FILE [front] [wide] [seed=N].

`front` puts three nodes in front of it, which renumbers its executables; `wide` changes the sizes of its second product; `seed`
changes its weights.
"""

import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def main():
    path, words = sys.argv[1], sys.argv[2:]
    seed = next((int(w[5:]) for w in words if w.startswith("seed=")), 0)
    random = np.random.default_rng(seed)
    inner = 48 if "wide" in words else 32

    def weight(name, *shape):
        return numpy_helper.from_array(random.standard_normal(shape).astype(np.float32) * 0.1, name)

    nodes, x = [], "x"
    if "front" in words:
        nodes = [
            helper.make_node("Exp", ["x"], ["e"], name="/front/Exp"),
            helper.make_node("ReduceSum", ["e"], ["s"], name="/front/ReduceSum", keepdims=1),
            helper.make_node("Div", ["e", "s"], ["front"], name="/front/Div"),
        ]
        x = "front"
    nodes += [
        helper.make_node("MatMul", [x, "w1"], ["a"], name="/layer1/MatMul"),
        helper.make_node("Relu", ["a"], ["b"], name="/layer1/Relu"),
        helper.make_node("MatMul", ["b", "w2"], ["c"], name="/layer2/MatMul"),
        # A node without a name is known by its output.
        helper.make_node("Softmax", ["c"], ["y"], axis=1),
    ]
    graph = helper.make_graph(
        nodes,
        "model",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [8, 64])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [8, 16])],
        [weight("w1", 64, inner), weight("w2", inner, 16)],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


main()
