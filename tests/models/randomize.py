#!/usr/bin/env python3
"""Gives a model whose weights are constants realistic ones.

The `light_*` models inside the `onnx` wheel have the real architectures, but every weight is a ConstantOfShape, so that
activations overflow or vanish and many bugs cancel out. Here each such weight becomes a seeded random initialiser: He-normal for
convolutions and matrix products, statistics near 0 and 1 for batch normalisation, small biases.

usage: randomize.py IN.onnx OUT.onnx [--seed N] [--batch N]
"""

import argparse

import numpy as np
import onnx
from onnx import numpy_helper


def constants(graph):
    """name → (node, shape) of what ConstantOfShape makes of a known shape."""
    known = {t.name: t for t in graph.initializer}
    known |= {n.output[0]: a.t for n in graph.node if n.op_type == "Constant" for a in n.attribute if a.name == "value"}
    found = [n for n in graph.node if n.op_type == "ConstantOfShape" and n.input[0] in known]
    return {n.output[0]: (n, tuple(int(d) for d in numpy_helper.to_array(known[n.input[0]]))) for n in found}


def weight(rng, use, shape):
    """Numbers for a weight that node `use[0]` takes as its input `use[1]`; None if it is no weight."""
    node, position = use
    normal = lambda scale: rng.standard_normal(shape, np.float32) * np.float32(scale)
    if node.op_type == "BatchNormalization" and position > 0:
        # Inputs: data, scale, bias, mean, variance.
        return rng.uniform(0.8, 1.2, shape).astype(np.float32) if position in (1, 4) else normal(0.05)
    if node.op_type in ("Mul", "Add"):
        # Batch normalisation's scale and bias, where an exporter split them off.
        return rng.uniform(0.8, 1.2, shape).astype(np.float32) if node.op_type == "Mul" else normal(0.05)
    if node.op_type not in ("Conv", "Gemm", "MatMul") or position == 0:
        return None
    if position > 1:
        return normal(0.01)
    transposed = any(a.name == "transB" and a.i for a in node.attribute)
    fan_in = int(np.prod(shape[1:])) if node.op_type == "Conv" else shape[-1] if transposed else shape[-2]
    return normal(np.sqrt(2.0 / max(1, fan_in)))


def randomize(model, seed=0, batch=None):
    """Changes the model in place. Inputs that only declared weights go, too. Returns the number of parameters made."""
    graph, rng = model.graph, np.random.default_rng(seed)
    uses = {}
    for node in graph.node:
        for position, name in enumerate(node.input):
            uses.setdefault(name, (node, position))

    def use(name):
        """The node that computes with it, behind reshapes."""
        node, position = uses[name]
        shaping = node.op_type in ("Reshape", "Unsqueeze", "Squeeze") and position == 0 and node.output[0] in uses
        return use(node.output[0]) if shaping else (node, position)

    made = {}
    for name, (_, shape) in constants(graph).items():
        value = weight(rng, use(name), shape) if name in uses else None
        if value is not None:
            made[name] = numpy_helper.from_array(value, name)
    nodes = [n for n in graph.node if not (n.output and n.output[0] in made)]
    used = {name for n in nodes for name in n.input} | {o.name for o in graph.output}
    nodes = [n for n in nodes if n.op_type != "Constant" or n.output[0] in used]
    initializers = [t for t in graph.initializer if t.name in used] + list(made.values())
    inputs = [v for v in graph.input if v.name in used and v.name not in made]
    for field, content in (("node", nodes), ("initializer", initializers), ("input", inputs), ("value_info", [])):
        del getattr(graph, field)[:]
        getattr(graph, field).extend(content)
    if batch is not None:
        for value in [*graph.input, *graph.output]:
            value.type.tensor_type.shape.dim[0].dim_value = batch
    # From version 4 on, initialisers need not be inputs.
    model.ir_version = max(model.ir_version, 4)
    onnx.checker.check_model(model)
    return sum(int(np.prod(t.dims)) for t in made.values())


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("input")
    p.add_argument("output")
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--batch", type=int, help="the first dimension of inputs and outputs")
    a = p.parse_args()
    model = onnx.load(a.input)
    count = randomize(model, a.seed, a.batch)
    onnx.save(model, a.output)
    print(f"{a.output}: {count:,} random parameters")


if __name__ == "__main__":
    main()
