#!/usr/bin/env python3
"""Functions of one byte, as quantisers write activations: dequantised, computed, quantised, several times. They are looked up in registers, and
are what onnxruntime makes of them, node by node.

usage: byte_functions.py FOLDER [--seed=N] [--count=N]          # that many random chains beside the fixed ones
"""

import numpy as np
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from together import Together, arguments

# Chains in one program.
TOGETHER = 12
# CPUs that look bytes up, and whether they do so for a SiLU where a vector holds floats, too, of which there are fewer.
LOOK_UP = {
    "znver4": True,
    "icelake-client": True,
    "skylake-avx512": False,
    "x86-64-v3": False,
    "x86-64-v2": False,
    "neoverse-n1@aarch64-linux-gnu": True,
}
# The steps of a chain: operators of the number at hand, with `q` to quantise and dequantise it, and `x` for the product with the first number.
GELU = ("1.4142:Div", "q", "Erf", "q", "1:Add", "q", "x", "q", "0.5:Mul", "q")
SILU = ("Sigmoid", "q", "x", "q")
HARD_SWISH = ("HardSigmoid", "q", "x", "q")
FIXED = [
    (GELU, (1, 197, 64), False, False),
    (SILU, (1, 8, 13, 13), False, False),
    (HARD_SWISH, (3, 7), True, False),
    (("Tanh", "q"), (257,), True, False),
    (SILU, (2, 31), False, True),
    (GELU, (65, 3), True, True),
]
STEPS = (
    "Sigmoid",
    "Tanh",
    "Erf",
    "HardSwish",
    "Relu",
    "Softplus",
    "0.7:Mul",
    "0.3:Add",
    "1.7:Div",
    "Abs",
    "x",
    "q",
    "q",
    "q",
)


def chain(number, steps, shape, signed, computed):
    """A model of a chain, and its input: bytes, or floats of which the bytes are made first."""
    rng = np.random.default_rng(number)
    kind, least = (np.int8, -128) if signed else (np.uint8, 0)
    nodes, constants = [], []

    def constant(value):
        constants.append(numpy_helper.from_array(np.asarray(value), f"c{len(constants)}"))
        return constants[-1].name

    def op(name, *operands):
        nodes.append(helper.make_node(name, list(operands), [f"v{len(nodes)}"]))
        return nodes[-1].output[0]

    def scale_and_zero():
        return constant(np.float32(rng.uniform(0.01, 0.06))), constant(kind(least + rng.integers(256)))

    scale, zero = scale_and_zero()
    if computed:
        given = rng.normal(0, 3, shape).astype(np.float32)
        byte = op("QuantizeLinear", op("Add", "g", constant(np.float32(0.1))), scale, zero)
    else:
        given, byte = rng.permuted((np.arange(np.prod(shape)) + least).astype(kind)).reshape(shape), "g"
    first = at = op("DequantizeLinear", byte, scale, zero)
    for step in (*steps, "q"):
        if step == "q":
            # What is dequantised already stays as it is.
            if nodes[-1].op_type != "DequantizeLinear":
                by = scale_and_zero()
                at = op("DequantizeLinear", op("QuantizeLinear", at, *by), *by)
        elif step == "x":
            at = op("Mul", first, at)
        elif ":" in step:
            value, name = step.split(":")
            at = op(name, at, constant(np.float32(value)))
        else:
            at = op(step, at)
    last = nodes.pop()
    made = last.input[0]
    types = [TensorProto.FLOAT if computed else helper.np_dtype_to_tensor_dtype(np.dtype(kind))]
    types.append(helper.np_dtype_to_tensor_dtype(np.dtype(kind)))
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("g", types[0], shape)],
        [helper.make_tensor_value_info(made, types[1], shape)],
        constants,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), {"g": given}


def by_onnxruntime(model, inputs):
    """What onnxruntime computes, one node after the other."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, inputs)[0]


def compare(folder, cases, *targets):
    """Compiles chains and runs them. At a border between two integers the functions of two libraries may round apart, which later steps may
    widen: to four at most, for one number in fifty."""
    models, inputs = zip(*(chain(*case) for case in cases), strict=True)
    expected = [by_onnxruntime(*both) for both in zip(models, inputs, strict=True)]
    program = Together(folder, models)
    for target in targets:
        program.compiled(f"--target={target}")
        for case, (got,), wanted in zip(cases, program.run(inputs), expected, strict=True):
            apart = np.abs(got.astype(int) - wanted)
            assert got.dtype == wanted.dtype and apart.max(initial=0) <= 4, f"{case}, {target}: {apart.max()}"
            assert (apart > 0).mean() <= 0.02, f"{case}, {target}: {(apart > 0).mean():.3f} of it differs"
    return program


def randomly(rng, number):
    steps = tuple(rng.choice(STEPS, rng.integers(1, 9)))
    shape = (
        [int(n) for n in rng.integers(1, (400, 40, 12)[rank - 1], rank)] if (rank := int(rng.integers(1, 4))) else []
    )
    return number, steps, shape, bool(rng.integers(2)), bool(rng.random() < 0.4)


def main(folder, seed, count):
    program = compare(folder, list(enumerate_cases(FIXED)), "cpu", "cpu:x86-64-v3", "cpu:x86-64-v2")
    for target, among_floats in LOOK_UP.items():
        for case, why in zip(FIXED, program.translated(f"--target=cpu:{target}")[0], strict=True):
            wanted = among_floats or not case[3] or case[0] != SILU
            assert ("a function of one byte looked up in registers" in why) == wanted, f"{case}, {target}: {why}"
    rng = np.random.default_rng(seed)
    for first in range(0, count, TOGETHER):
        cases = [randomly(rng, int(rng.integers(1 << 16))) for _ in range(first, min(first + TOGETHER, count))]
        compare(folder, cases, "cpu", "cpu:x86-64-v3")


def enumerate_cases(cases):
    return ((number, *case) for number, case in enumerate(cases))


if __name__ == "__main__":
    main(*arguments())
