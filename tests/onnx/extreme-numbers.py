#!/usr/bin/env python3
"""Operators whose int64 inputs are as large and as small as they can be: each run is what the reference evaluator of ONNX computes, or is refused.

usage: extreme-numbers.py FOLDER SEED COUNT
"""

import itertools
import os
import random
import subprocess
import sys
import warnings

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

NUMBERS = [0, 1, 2, 3, 5, -1, -2, 2**31 - 1, -(2**31), 2**47, 2**62, 2**63 - 1, -(2**63)]
# Results with more elements are not computed by the reference.
MOST = 10**6
X = np.arange(1, 7, dtype=np.float32)


def node(kind, inputs, outputs="y", **attributes):
    return helper.make_node(kind, inputs.split(), outputs.split(), **attributes)


def constant(name, value):
    return helper.make_node("Constant", [], [name], value=numpy_helper.from_array(np.array(value), name))


BOTH = node("Concat", "a b", "s", axis=0)
SCALAR = node("Squeeze", "a", "k")

# The inputs `a`, `b`, `c`, and the nodes that make `y` of them and `x`.
OPERATORS = {
    "Slice": ("abc", [constant("axis", [0]), helper.make_node("Slice", ["x", "a", "b", "axis", "c"], ["y"])]),
    "Expand": ("ab", [BOTH, node("Expand", "x s")]),
    "Reshape": ("ab", [BOTH, node("Reshape", "x s")]),
    "Tile": ("a", [node("Tile", "x a")]),
    "ConstantOfShape": ("ab", [BOTH, node("ConstantOfShape", "s")]),
    "Gather": ("a", [node("Gather", "x a")]),
    "GatherElements": ("a", [node("GatherElements", "x a")]),
    "ScatterElements": ("a", [constant("u", np.array([9], np.float32)), node("ScatterElements", "x a u")]),
    "Pad": ("ab", [BOTH, node("Pad", "x s")]),
    "TopK": ("a", [node("TopK", "x a", "y i")]),
    "OneHot": ("ab", [constant("values", np.array([0, 1], np.float32)), node("OneHot", "b a values")]),
    "Split": ("ab", [BOTH, node("Split", "x s", "y z")]),
    "Trilu": ("a", [SCALAR, constant("shape", [2, 3]), node("Reshape", "x shape", "m"), node("Trilu", "m k")]),
    "lower Trilu": (
        "a",
        [SCALAR, constant("shape", [2, 3]), node("Reshape", "x shape", "m"), node("Trilu", "m k", upper=0)],
    ),
    "CumSum": ("a", [SCALAR, node("CumSum", "x k")]),
    "Unsqueeze": ("a", [node("Unsqueeze", "x a")]),
    "Div": ("ab", [node("Div", "a b", "q"), node("Cast", "q", to=TensorProto.DOUBLE)]),
    "Mod": ("ab", [node("Mod", "a b", "q"), node("Cast", "q", to=TensorProto.DOUBLE)]),
}
# Those whose inputs say how large the result is.
SIZED = ("Expand", "Tile", "ConstantOfShape", "Pad", "OneHot", "TopK")


def model(inputs, nodes):
    ints = [helper.make_tensor_value_info(name, TensorProto.INT64, [1]) for name in inputs]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n"])
    last = TensorProto.DOUBLE if nodes[-1].op_type == "Cast" else TensorProto.FLOAT
    y = helper.make_tensor_value_info("y", last, None)
    graph = helper.make_graph(nodes, "g", [x, *ints], [y])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)


def reference(evaluator, inputs, drawn):
    """The result; `None` where there is none, or it is too large."""
    feeds = {"x": X, **{name: np.array([n], np.int64) for name, n in zip(inputs, drawn)}}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return evaluator.run(None, feeds)[0]
    except Exception:
        return None


def main(folder, seed, count):
    os.makedirs(folder, exist_ok=True)
    random.seed(seed)
    file = lambda name: os.path.join(folder, name)
    np.save(file("x.npy"), X)
    right = refused = 0
    for name, (inputs, nodes) in OPERATORS.items():
        proto = model(inputs, nodes)
        onnx.save(proto, file("m.onnx"))
        evaluator = ReferenceEvaluator(proto)
        subprocess.run(["hal-compile", "-q", file("m.onnx"), "-o", file("m.so")], check=True)
        draws = list(itertools.product(NUMBERS, repeat=len(inputs)))
        for drawn in random.sample(draws, min(count, len(draws))):
            is_large = name in SIZED and max(abs(n) for n in drawn) > MOST
            # As much as some machines have, and others not.
            if is_large and any(MOST < n < 2**40 for n in drawn):
                continue
            if os.path.exists(file("y.npy")):
                os.remove(file("y.npy"))
            numbers = [f"--input={letter}=1xi64={n}" for letter, n in zip(inputs, drawn)]
            command = ["hal-run", "--guard", "--timeout=60", file("m.so"), f"--input=x=@{file('x.npy')}", *numbers]
            ran = subprocess.run([*command, "--output", file("y.npy")], capture_output=True, text=True)
            about = f"{name} of {drawn}: {ran.stderr}"
            # 3: there is not as much memory.
            is_refused = ran.returncode == 1 or ran.returncode == 3 and "memory" in ran.stderr
            assert ran.returncode == 0 or is_refused, about
            refused += is_refused
            if is_refused or is_large:
                continue
            expected = reference(evaluator, inputs, drawn)
            if expected is not None:
                assert np.array_equal(np.load(file("y.npy")), expected), f"wrong: {about}"
                right += 1
    print(f"{len(OPERATORS)} operators: {right} runs are right, {refused} are refused")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
