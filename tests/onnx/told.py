#!/usr/bin/env python3
"""What the command line says of inputs that a model leaves open: sequences, optionals, ranks, constants; and what it cannot say."""

import os
import re
import subprocess
import sys

import numpy as np
import onnx
import onnx.parser
from onnx import TensorProto as T
from onnx import helper

sequence = lambda name, elem=T.FLOAT, shape=None: helper.make_value_info(
    name, helper.make_sequence_type_proto(helper.make_tensor_type_proto(elem, shape))
)
optional = lambda name, shape: helper.make_value_info(
    name, helper.make_optional_type_proto(helper.make_tensor_type_proto(T.FLOAT, shape))
)
tensor = helper.make_tensor_value_info


def model(nodes, inputs, outputs):
    graph = helper.make_graph(
        [helper.make_node(op, i.split(), o.split(), **a) for op, i, o, a in nodes], "g", inputs, outputs
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10), "model.onnx")


def tool(*command, code=0):
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == code, f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr}"
    return done.stdout + done.stderr


def compiled(*flags):
    tool("hal-compile", "model.onnx", "-o", "model.so", "-j1", *flags)
    # Names of sizes are left out.
    return next(
        re.sub(r" \[[^]]*\]", "", line.strip())
        for line in tool("hal-run", "model.so", "--list").splitlines()
        if line.strip().startswith("main(")
    )


def refused(text, *flags, code=1):
    said = tool("hal-compile", "model.onnx", "-o", "model.so", "-j1", *flags, code=code)
    assert text in said, f"{flags}: no `{text}` in\n{said}"


os.makedirs(sys.argv[1], exist_ok=True)
os.chdir(sys.argv[1])

# A sequence by its elements, or by its length.
model(
    [("SequenceInsert", "s x", "t", {}), ("ConcatFromSequence", "s", "y", {"axis": 0})],
    [sequence("s"), tensor("x", T.FLOAT, ["N"])],
    [sequence("t"), tensor("y", T.FLOAT, None)],
)
refused("--input-shape=s=[2x3,?x3]")
refused("its rank is not known", "--input-shape=s=2")
refused("the model has no input `z`", "--input-shape=z=2", code=2)
refused("twice", "--input-shape=s=[1]", "--input-shape=s=[2]", code=2)
refused("is not `NAME=SHAPE`", "--input-shape=s", code=2)
refused("is a sequence", "--input-shape=s=none")
refused("is a tensor", "--input-shape=s=[1]", "--input-shape=x=[2]")
assert (
    compiled("--input-shape=s=[2,?]")
    == "main(s.0: 2xf32, s.1: ?xf32, x: ?xf32) -> (t.0: 2xf32, t.1: ?xf32, t.2: ?xf32, y: ?xf32)"
)
np.savez("in.npz", **{"s.0": np.float32([1, 2]), "s.1": np.float32([3, 4, 5]), "x": np.float32([6])})
tool("hal-run", "model.so", "--input=@in.npz", "--output=out.npz")
with np.load("out.npz") as out:
    assert [list(out[n]) for n in ("t.0", "t.1", "t.2", "y")] == [[1, 2], [3, 4, 5], [6], [1, 2, 3, 4, 5]]
model(
    [("SequenceAt", "s i", "y", {})],
    [sequence("s", T.INT32, ["N", 3]), tensor("i", T.INT64, [])],
    [tensor("y", T.INT32, None)],
)
assert compiled("--input-shape=s=3") == "main(s.0: ?x3xi32, s.1: ?x3xi32, s.2: ?x3xi32, i: i64) -> (y: ?x3xi32)"
assert (
    compiled("--input-shape=s=3", "--input-value=i=-1")
    == "main(s.0: ?x3xi32, s.1: ?x3xi32, s.2: ?x3xi32) -> (y: ?x3xi32)"
)
refused("out of range for a sequence of 3", "--input-shape=s=3", "--input-value=i=3")
refused("input `j`", "--input-shape=s=3", "--input-value=j=3", code=2)

# An optional holds something, unless it is said that it does not.
model([("OptionalHasElement", "o", "h", {})], [optional("o", [2])], [tensor("h", T.BOOL, [])])
assert compiled() == "main(o: 2xf32) -> (h: i1)"
assert compiled("--input-shape=o=none") == "main() -> (h: i1)"
assert "False" in tool("hal-run", "model.so") or "0" in tool("hal-run", "model.so")

# A rank that the model leaves open; sizes that it does not.
model([("Neg", "x", "y", {})], [tensor("x", T.FLOAT, None)], [tensor("y", T.FLOAT, None)])
refused("--input-shape=x=2x?")
assert compiled("--input-shape=x=2x?") == "main(x: 2x?xf32) -> (y: 2x?xf32)"
model([("Neg", "x", "y", {})], [tensor("x", T.FLOAT, [2, "N"])], [tensor("y", T.FLOAT, None)])
assert compiled("--input-shape=x=2x5") == "main(x: 2x5xf32) -> (y: 2x5xf32)"
refused("a size of 2", "--input-shape=x=3x?")
refused("rank 2", "--input-shape=x=3")

# The number of steps as a constant: the sequence that a loop makes is an output.
body = onnx.parser.parse_graph(
    "b (int64 i, bool c, seq(float[A]) l) => (bool co, seq(float[B]) lo) { co = Identity(c)  lo = SequenceInsert(l, x) }"
)
model(
    [("SequenceEmpty", "", "e", {}), ("Loop", "m c e", "s", {"body": body})],
    [tensor("m", T.INT64, []), tensor("c", T.BOOL, []), tensor("x", T.FLOAT, ["N"])],
    [sequence("s")],
)
refused("a sequence whose length only a run knows")
assert compiled("--input-value=m=2", "--input-value=c=i1=true") == "main(x: ?xf32) -> (s.0: ?xf32, s.1: ?xf32)"

# Bytes that are narrow numbers.
model(
    [("Cast", "x", "y", {"to": T.FLOAT8E4M3FN}), ("Cast", "x", "z", {"to": T.UINT4})],
    [tensor("x", T.FLOAT, [2])],
    [tensor("y", T.FLOAT8E4M3FN, [2]), tensor("z", T.UINT4, [2])],
)
assert compiled() == "main(x: 2xf32) -> (y: 2xf8E4M3FN, z: 2xui4)"
model([("Add", "x x", "y", {})], [tensor("x", T.FLOAT8E4M3FN, [2])], [tensor("y", T.FLOAT8E4M3FN, [2])])
refused("is of type f8E4M3FN, which the operator does not take")
print("all is as told")
