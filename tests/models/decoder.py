#!/usr/bin/env python3
"""Writes a decoder of a language model as an ONNX model, as onnxruntime's model builder does: MatMulNBits (weights of 4 bits), or weights of f16,
GroupQueryAttention with rotary embedding and a cache, RMS norms, SwiGLU. Sizes are those of a model of half a billion weights with fewer layers.

The input is what tokens are embedded as; the caches of all layers are inputs and results. Weights are seeded.

usage: decoder.py OUT.onnx [--layers 4] [--rows 1] [--past 256] [--level 0] [--block 32] [--vocabulary 32000] [--weights q4|f16]
"""

import argparse

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

WIDTH, HEADS, FEW, SIZE, INNER = 896, 14, 2, 64, 4864


class Graph:
    """Nodes and initialisers under construction."""

    def __init__(self, a):
        self.a, self.nodes, self.held = a, [], []
        self.rng = np.random.default_rng(0)
        self.inputs, self.outputs = [], []

    def constant(self, name, array):
        self.held.append(numpy_helper.from_array(array, name))
        return name

    def add(self, op, inputs, name, outputs=None, domain="", **attributes):
        self.nodes.append(helper.make_node(op, inputs, outputs or [name], name, domain=domain, **attributes))
        return name

    def linear(self, x, k, n, name):
        if self.a.weights == "f16":
            weights = (self.rng.standard_normal((k, n)) / np.sqrt(k)).astype(np.float16)
            wide = self.add("Cast", [self.constant(f"{name}.h", weights)], f"{name}.w", to=TensorProto.FLOAT)
            return self.add("MatMul", [x, wide], name)
        blocks, block = -(-k // self.a.block), self.a.block
        numbers = self.rng.integers(0, 256, (n, blocks, block // 2), dtype=np.uint8)
        # Numbers of 4 bits are 4.6 on average.
        scales = (self.rng.uniform(0.7, 1.3, (n, blocks)) / 4.6 / np.sqrt(k)).astype(np.float32)
        inputs = [x, self.constant(f"{name}.q", numbers), self.constant(f"{name}.s", scales)]
        attributes = {"K": k, "N": n, "bits": 4, "block_size": block, "accuracy_level": self.a.level}
        return self.add("MatMulNBits", inputs, name, domain="com.microsoft", **attributes)

    def norm(self, x, name):
        weight = self.constant(f"{name}.w", self.rng.uniform(0.8, 1.2, WIDTH).astype(np.float32))
        return self.add("SimplifiedLayerNormalization", [x, weight], name, axis=-1, epsilon=1e-6)

    def layer(self, x, at):
        a, name = self.a, f"layer{at}"
        caches, present = [], []
        for which in ("key", "value"):
            shape = [1, FEW, a.past, SIZE]
            self.inputs.append(helper.make_tensor_value_info(f"past.{at}.{which}", TensorProto.FLOAT, shape))
            shape = [1, FEW, a.past + a.rows, SIZE]
            self.outputs.append(helper.make_tensor_value_info(f"present.{at}.{which}", TensorProto.FLOAT, shape))
            caches.append(f"past.{at}.{which}")
            present.append(f"present.{at}.{which}")
        inner = self.norm(x, f"{name}.norm1")
        heads = [self.linear(inner, WIDTH, n * SIZE, f"{name}.{w}") for w, n in (("q", HEADS), ("k", FEW), ("v", FEW))]
        attended = self.add(
            "GroupQueryAttention",
            [*heads, *caches, "seen", "total", "cosine", "sine"],
            f"{name}.attention",
            [f"{name}.attention", *present],
            "com.microsoft",
            num_heads=HEADS,
            kv_num_heads=FEW,
            do_rotary=1,
        )
        x = self.add("Add", [x, self.linear(attended, HEADS * SIZE, WIDTH, f"{name}.o")], f"{name}.sum1")
        inner = self.norm(x, f"{name}.norm2")
        gate, up = (self.linear(inner, WIDTH, INNER, f"{name}.{w}") for w in ("gate", "up"))
        squashed = self.add("Mul", [gate, self.add("Sigmoid", [gate], f"{name}.sigmoid")], f"{name}.silu")
        down = self.linear(self.add("Mul", [squashed, up], f"{name}.product"), INNER, WIDTH, f"{name}.down")
        return self.add("Add", [x, down], f"{name}.sum2")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    for name, value in {"layers": 4, "rows": 1, "past": 256, "level": 0, "block": 32, "vocabulary": 32000}.items():
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--weights", choices=["q4", "f16"], default="q4")
    a = parser.parse_args()
    g = Graph(a)
    g.constant("seen", np.array([a.past + a.rows - 1], np.int32))
    g.constant("total", np.array(a.past + a.rows, np.int32))
    angles = np.arange(a.past + a.rows)[:, None] / 10000.0 ** (np.arange(SIZE // 2) / (SIZE // 2))
    g.constant("cosine", np.cos(angles).astype(np.float32))
    g.constant("sine", np.sin(angles).astype(np.float32))
    x = "embedded"
    g.inputs.append(helper.make_tensor_value_info(x, TensorProto.FLOAT, [1, a.rows, WIDTH]))
    for at in range(a.layers):
        x = g.layer(x, at)
    g.linear(g.norm(x, "norm"), WIDTH, a.vocabulary, "logits")
    g.outputs.insert(0, helper.make_tensor_value_info("logits", TensorProto.FLOAT, [1, a.rows, a.vocabulary]))
    graph = helper.make_graph(g.nodes, "decoder", g.inputs, g.outputs, g.held)
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), a.out)


if __name__ == "__main__":
    main()
