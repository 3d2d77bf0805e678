#!/usr/bin/env python3
"""Writes a transformer encoder as an ONNX model, as exporters do: attention as matrix products, reshapes and transposes.

Each layer is attention and a feed-forward part of four times the width, both with a residual and a layer normalisation
behind them (as in BERT). Weights are seeded and realistic: activations stay near 1, attention is neither flat nor sharp.

usage: transformer.py OUT.onnx [--layers 12] [--width 768] [--heads 12] [--sequence 128] [--batch 1] [--mask] [--gelu erf]
"""

import argparse

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSET = 20


class Graph:
    """Nodes and initialisers under construction."""

    def __init__(self, seed):
        self.nodes, self.initializers = [], {}
        self.rng = np.random.default_rng(seed)

    def add(self, op, *inputs, name, **attributes):
        self.nodes.append(helper.make_node(op, list(inputs), [name], name, **attributes))
        return name

    def constant(self, name, value):
        self.initializers.setdefault(name, numpy_helper.from_array(np.asarray(value), name))
        return name

    def linear(self, x, inputs, outputs, name, scale=1.0):
        weight = self.rng.standard_normal((inputs, outputs), np.float32) * np.float32(scale / np.sqrt(inputs))
        bias = self.rng.standard_normal(outputs, np.float32) * np.float32(0.02)
        product = self.add("MatMul", x, self.constant(f"{name}.weight", weight), name=f"{name}.product")
        return self.add("Add", product, self.constant(f"{name}.bias", bias), name=name)

    def norm(self, x, width, name):
        scale = self.constant(f"{name}.weight", self.rng.uniform(0.8, 1.2, width).astype(np.float32))
        bias = self.constant(f"{name}.bias", self.rng.standard_normal(width, np.float32) * np.float32(0.05))
        return self.add("LayerNormalization", x, scale, bias, name=name, axis=-1, epsilon=1e-5)

    def gelu(self, x, form, name):
        if form == "op":
            return self.add("Gelu", x, name=name)
        number = lambda value: self.constant(f"number.{value:.3f}", np.float32(value))
        erf = self.add("Erf", self.add("Div", x, number(np.sqrt(2)), name=f"{name}.scaled"), name=f"{name}.erf")
        product = self.add("Mul", x, self.add("Add", erf, number(1), name=f"{name}.shifted"), name=f"{name}.product")
        return self.add("Mul", product, number(0.5), name=name)

    def heads(self, x, a, order, name):
        """From batch x sequence x width to batch x heads x sequence x head, or with the last two exchanged."""
        shape = self.constant("split", np.array([a.batch, a.sequence, a.heads, a.width // a.heads], np.int64))
        return self.add("Transpose", self.add("Reshape", x, shape, name=f"{name}.split"), name=name, perm=order)

    def layer(self, x, a, mask, name):
        # Queries and keys somewhat larger, so that the scores have a spread of about 2.
        parts = [
            self.linear(x, a.width, a.width, f"{name}.{part}", scale)
            for part, scale in (("q", 1.4), ("k", 1.4), ("v", 1.0))
        ]
        q = self.heads(parts[0], a, [0, 2, 1, 3], f"{name}.q.heads")
        k = self.heads(parts[1], a, [0, 2, 3, 1], f"{name}.k.heads")
        v = self.heads(parts[2], a, [0, 2, 1, 3], f"{name}.v.heads")
        root = self.constant("root", np.float32(np.sqrt(a.width // a.heads)))
        scores = self.add("Div", self.add("MatMul", q, k, name=f"{name}.scores"), root, name=f"{name}.scaled")
        if mask:
            scores = self.add("Add", scores, mask, name=f"{name}.masked")
        weights = self.add("Softmax", scores, name=f"{name}.attention", axis=-1)
        mixed = self.add("MatMul", weights, v, name=f"{name}.mixed")
        joined = self.add("Transpose", mixed, name=f"{name}.joined", perm=[0, 2, 1, 3])
        shape = self.constant("join", np.array([a.batch, a.sequence, a.width], np.int64))
        out = self.linear(self.add("Reshape", joined, shape, name=f"{name}.merged"), a.width, a.width, f"{name}.out")
        x = self.norm(self.add("Add", x, out, name=f"{name}.residual"), a.width, f"{name}.norm")
        inner = self.gelu(self.linear(x, a.width, 4 * a.width, f"{name}.up"), a.gelu, f"{name}.gelu")
        out = self.linear(inner, 4 * a.width, a.width, f"{name}.down")
        return self.norm(self.add("Add", x, out, name=f"{name}.residual2"), a.width, f"{name}.norm2")


def encoder(a):
    """The model for a command line."""
    graph = Graph(a.seed)
    shape = [a.batch, a.sequence, a.width]
    inputs, mask = [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)], None
    if a.mask:
        # 1 for tokens that count, 0 for padding.
        inputs.append(helper.make_tensor_value_info("mask", TensorProto.FLOAT, [a.batch, 1, 1, a.sequence]))
        away = graph.add("Sub", graph.constant("one", np.float32(1)), "mask", name="mask.away")
        mask = graph.add("Mul", away, graph.constant("far", np.float32(-10000)), name="mask.bias")
    x = "x"
    for i in range(a.layers):
        x = graph.layer(x, a, mask, f"layer{i}")
    output = helper.make_tensor_value_info(x, TensorProto.FLOAT, shape)
    made = helper.make_graph(graph.nodes, "encoder", inputs, [output], list(graph.initializers.values()))
    return helper.make_model(made, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=9)


def arguments():
    """The parser of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output")
    parser.add_argument("--layers", type=int, default=12)
    parser.add_argument("--width", type=int, default=768)
    parser.add_argument("--heads", type=int, default=12)
    parser.add_argument("--sequence", type=int, default=128)
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--mask", action="store_true", help="take a mask of tokens that count as a second input")
    parser.add_argument(
        "--gelu", choices=["erf", "op"], default="erf", help="spelt out with Erf, or as the operator Gelu"
    )
    parser.add_argument("--seed", type=int, default=0)
    return parser


def main():
    a = arguments().parse_args()
    model = encoder(a)
    onnx.checker.check_model(model)
    onnx.save(model, a.output)


if __name__ == "__main__":
    main()
