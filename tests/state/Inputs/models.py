"""Models with an input that is the result of the call before."""

import numpy as np
import onnx
from onnx import TensorProto as T
from onnx import helper, numpy_helper

INFO = helper.make_tensor_value_info
RNG = np.random.default_rng(5)


def save(folder, name, nodes, inputs, outputs, constants=(), opset=20):
    initializers = [numpy_helper.from_array(a, n) for n, a in dict(constants).items()]
    graph = helper.make_graph(nodes, name, inputs, outputs, initializers)
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10 if opset < 23 else 12
    )
    onnx.save(model, f"{folder}/{name}.onnx")
    return f"{folder}/{name}.onnx"


def random(*shape, dtype="f4"):
    return RNG.standard_normal(shape).astype(dtype)


def lstm(folder):
    """A cell for one step; both states have three axes."""
    nodes = [helper.make_node("LSTM", ["x", "w", "r", "", "", "h", "c"], ["y", "h1", "c1"], hidden_size=6)]
    constants = {"w": random(1, 24, 5), "r": random(1, 24, 6)}
    state = lambda name: INFO(name, T.FLOAT, [1, 2, 6])
    return save(
        folder,
        "lstm",
        nodes,
        [INFO("x", T.FLOAT, [1, 2, 5]), state("h"), state("c")],
        [INFO("y", T.FLOAT, None), state("h1"), state("c1")],
        constants,
    )


def decoder(folder, layers=3, heads=2, width=8, vocabulary=11, fixed=False):
    """A decoder of transformers' form: past_key_values.N.key, present.N.key, of a length that grows."""
    nodes, inputs, outputs, constants = (
        [],
        [INFO("ids", T.INT64, ["batch", "length"])],
        [INFO("logits", T.FLOAT, None)],
        {},
    )
    node = lambda op, i, o, **a: nodes.append(helper.make_node(op, i, [o], **a))
    hidden = heads * width
    constants["embedding"] = random(vocabulary, hidden)
    constants["heads"] = np.array([0, 0, heads, width])
    constants["flat"] = np.array([0, 0, hidden])
    constants["scale"] = np.array(width**-0.5, "f4")
    node("Gather", ["embedding", "ids"], "x0")
    for i in range(layers):
        for what in "qkv":
            constants[f"w{what}{i}"] = random(hidden, hidden) / 4
            node("MatMul", [f"x{i}", f"w{what}{i}"], f"{what}{i}_flat")
            node("Reshape", [f"{what}{i}_flat", "heads"], f"{what}{i}_split")
            node("Transpose", [f"{what}{i}_split"], f"{what}{i}", perm=[0, 2, 1, 3])
        for what, long in [("k", "key"), ("v", "value")]:
            past, present = f"past_key_values.{i}.{long}", f"present.{i}.{long}"
            inputs.append(INFO(past, T.FLOAT, ["batch", heads, "past_length", width]))
            outputs.append(INFO(present, T.FLOAT, ["batch", heads, "total_length", width]))
            node("Concat", [past, f"{what}{i}"], present, axis=2)
        node("Transpose", [f"present.{i}.key"], f"kt{i}", perm=[0, 1, 3, 2])
        node("MatMul", [f"q{i}", f"kt{i}"], f"scores{i}")
        node("Mul", [f"scores{i}", "scale"], f"scaled{i}")
        node("Softmax", [f"scaled{i}"], f"weights{i}", axis=-1)
        node("MatMul", [f"weights{i}", f"present.{i}.value"], f"mixed{i}")
        node("Transpose", [f"mixed{i}"], f"joined{i}", perm=[0, 2, 1, 3])
        node("Reshape", [f"joined{i}", "flat"], f"attended{i}")
        node("Add", [f"attended{i}", f"x{i}"], f"x{i + 1}")
    node("Transpose", ["embedding"], "unembedding", perm=[1, 0])
    node("MatMul", [f"x{layers}", "unembedding"], "logits")
    return save(folder, "decoder", nodes, inputs, outputs, constants)


def scatter(folder):
    """A cache of fixed size whose rows are written by their numbers."""
    nodes = [
        helper.make_node("ScatterND", ["past", "at", "x"], ["present"]),
        helper.make_node("ReduceSum", ["present", "axes"], ["y"], keepdims=0),
    ]
    cache = lambda name: INFO(name, T.FLOAT, [16, 4])
    return save(
        folder,
        "scatter",
        nodes,
        [INFO("x", T.FLOAT, [2, 4]), INFO("at", T.INT64, [2, 1]), cache("past")],
        [INFO("y", T.FLOAT, None), cache("present")],
        {"axes": np.array([0])},
    )


def tensor_scatter(folder):
    """The same by the operator for it."""
    nodes = [helper.make_node("TensorScatter", ["past", "x", "at"], ["present"], axis=2)]
    cache = lambda name: INFO(name, T.FLOAT, [2, 2, 8, 4])
    return save(
        folder,
        "tensor_scatter",
        nodes,
        [INFO("x", T.FLOAT, [2, 2, 1, 4]), INFO("at", T.INT64, [2]), cache("past")],
        [cache("present")],
        opset=24,
    )


def counters(folder):
    """States of other types: numbers without a sign, half precision, truth, a scalar."""
    nodes = [
        helper.make_node("Add", ["s.bytes", "byte"], ["s.bytes1"]),
        helper.make_node("Mul", ["s.halves", "half"], ["s.halves1"]),
        helper.make_node("Not", ["s.flags"], ["s.flags1"]),
        helper.make_node("Add", ["s.count", "one"], ["s.count1"]),
        helper.make_node("Identity", ["s.count1"], ["y"]),
    ]
    types = {
        "s.bytes": (T.UINT8, [3]),
        "s.halves": (T.FLOAT16, [2, 2]),
        "s.flags": (T.BOOL, [5]),
        "s.count": (T.INT64, []),
    }
    inputs = [INFO("byte", T.UINT8, [3]), INFO("half", T.FLOAT16, [2, 2])] + [INFO(n, *t) for n, t in types.items()]
    return save(
        folder,
        "counters",
        nodes,
        inputs,
        [INFO("y", T.INT64, [])] + [INFO(n + "1", *t) for n, t in types.items()],
        {"one": np.array(1)},
    )


SLICE = """
func.func @main(%x: tensor<2x1x4xf32> {hal.name = "x"}, %at: tensor<i64> {hal.name = "at"}, %past: tensor<2x16x4xf32> {hal.name = "past"}) -> (tensor<2xf32>, tensor<2x16x4xf32> {hal.name = "present"}) {
  %p = tensor.extract %at[] : tensor<i64>
  %i = arith.index_cast %p : i64 to index
  %n = tensor.insert_slice %x into %past[0, %i, 0] [2, 1, 4] [1, 1, 1] : tensor<2x1x4xf32> into tensor<2x16x4xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  %s = linalg.reduce { arith.addf } ins(%n : tensor<2x16x4xf32>) outs(%f : tensor<2xf32>) dimensions = [1, 2]
  return %s, %n : tensor<2xf32>, tensor<2x16x4xf32>
}
"""


def insert(folder):
    """A row of a cache in MLIR."""
    with open(f"{folder}/insert.mlir", "w", encoding="utf-8") as f:
        f.write(SLICE)
    return f"{folder}/insert.mlir"
