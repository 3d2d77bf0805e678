"""Models that compute with constants: imported, compiled, run, and compared with ONNX's reference evaluator. usage: constants.py
FOLDER"""

import os
import re
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto as T
from onnx import helper as h
from onnx import numpy_helper as nh
from onnx.reference import ReferenceEvaluator

folder = sys.argv[1]
rng = np.random.default_rng(3)


def number(*shape):
    return (rng.random(shape) * 2 - 1).astype(np.float32)


def saved(name, nodes, constants, shape, result="c"):
    """A model that adds the last result of nodes on constants to its input; its path."""
    x, y = (h.make_tensor_value_info(n, T.FLOAT, shape) for n in "xy")
    nodes = [*nodes, h.make_node("Add", ["x", result], ["y"])]
    graph = h.make_graph(nodes, "g", [x], [y], [nh.from_array(a, n) for n, a in constants.items()])
    path = os.path.join(folder, name + ".onnx")
    onnx.save(h.make_model(graph, opset_imports=[h.make_opsetid("", 18)], ir_version=9), path)
    return path


def imported(path):
    out = path.replace(".onnx", ".mlir")
    run = subprocess.run(["hal-import", path, "-o", out], capture_output=True, text=True)
    return run, len(
        re.findall(r"module @\w+ attributes {hal.executable", open(out).read())
    ) if run.returncode == 0 else 0


def check(name, nodes, constants, shape, result="c"):
    path = saved(name, nodes, constants, shape, result)
    _, count = imported(path)
    x = number(*shape)
    expected = ReferenceEvaluator(path).run(None, {"x": x})[0]
    base = path.replace(".onnx", "")
    np.save(base + ".x.npy", x)
    np.save(base + ".y.npy", expected.astype(np.float32))
    subprocess.run(["hal-compile", path, "-o", base + ".so", "-q"], check=True)
    run = ["hal-run", base + ".so", f"--input=@{base}.x.npy", f"--expect=@{base}.y.npy", "--rtol=1e-5", "--atol=1e-5"]
    run = subprocess.run(run, capture_output=True, text=True)
    right = "as the reference evaluator computes it" if run.returncode == 0 else run.stdout + run.stderr
    print(f"{name}: {'one executable' if count == 1 else f'{count} executables'}, {right}")


def op(kind, constants, shape, result="c", **attributes):
    name = f"{kind.lower()}-{'x'.join(map(str, shape))}-{len(constants)}-{'.'.join(map(str, attributes.values()))}"
    name = re.sub(r"[^\w.-]", "_", name)
    check(name, [h.make_node(kind, list(constants), [result], **attributes)], constants, shape, result)


a = number(70, 90)
for kind in ["Add", "Sub", "Mul", "Div"]:
    op(kind, {"a": a, "b": number(90) + 2}, (70, 90))
    op(kind, {"a": number(70, 1), "b": number(3, 1, 90) + 2}, (3, 70, 90))
for kind in ["Neg", "Abs", "Relu", "Exp", "Sin", "Cos", "Tanh", "Erf", "Sigmoid"]:
    op(kind, {"a": a}, (70, 90))
for kind in ["Sqrt", "Log", "Reciprocal"]:
    op(kind, {"a": np.abs(a) + 0.1}, (70, 90))
for kind in ["Ceil", "Floor"]:
    op(kind, {"a": a * 5}, (70, 90))
op("Max", {"a": a, "b": number(90), "c": number(1)}, (70, 90), result="r")
op("Min", {"a": a, "b": number(90)}, (70, 90))
op("Clip", {"a": a, "b": np.float32(-0.5), "c": np.float32(0.25)}, (70, 90), result="r")
op("ReduceMean", {"a": a, "axes": np.array([1])}, (70, 1))
op("ReduceSum", {"a": number(5, 60, 20), "axes": np.array([0, -1])}, (60,), keepdims=0)
op("ReduceL2", {"a": number(5, 60, 20)}, (1, 1, 1))
op("ReduceSumSquare", {"a": number(5, 60, 20), "axes": np.array([1])}, (5, 1, 20))
op("ReduceL1", {"a": number(5, 60, 20), "axes": np.array([2])}, (5, 60, 1))
op("MatMul", {"a": number(4, 30, 50), "b": number(50, 40)}, (4, 30, 40))
op("MatMul", {"a": number(3, 8, 9), "b": number(3, 9, 7)}, (3, 8, 7))
op("Softmax", {"a": number(6, 100, 10)}, (6, 100, 10), axis=1)
op("Gather", {"a": a, "numbers": np.array([[3, -1], [0, 69]])}, (2, 2, 90))
op("Gather", {"a": a, "numbers": np.array([89, 0, -2])}, (70, 3), axis=1)
places = np.stack([rng.permutation(70)[:50], rng.integers(-90, 90, 50)], -1)
op("ScatterND", {"a": a, "numbers": places, "u": number(50)}, (70, 90))
op("ScatterND", {"a": a, "numbers": np.array([[[3], [-1]]]), "u": number(1, 2, 90)}, (70, 90), result="r")
# Elements of other types, and arithmetic on integers, of more than fold in any case.
integers = rng.integers(-9, 9, (70, 90))
flags = rng.random((70, 90)) < 0.5
grid = np.stack(np.meshgrid(np.arange(70), np.arange(-90, 0), indexing="ij"), -1)


def through(kind, constants, shape, **attributes):
    """The result becomes floats, which are added to the input."""
    nodes = [h.make_node(kind, list(constants), ["i"], **attributes), h.make_node("Cast", ["i"], ["f"], to=1)]
    check(f"{kind.lower()}-of-{next(iter(constants.values())).dtype}", nodes, constants, shape, "f")


through("ScatterND", {"a": integers, "numbers": grid, "u": rng.integers(0, 9, (70, 90))}, (70, 90))
through(
    "ScatterElements", {"a": flags, "numbers": rng.permutation(90)[None, :80], "u": ~flags[:1, :80]}, (70, 90), axis=1
)
through("GatherND", {"a": integers, "numbers": grid}, (70, 90))
through("GatherND", {"a": flags, "numbers": grid[:, :, 1:]}, (70, 90), batch_dims=1)
some = integers[:, :60].astype(np.int8)
through("GatherElements", {"a": some, "numbers": rng.integers(-60, 60, (70, 90))}, (70, 90), axis=1)
through("Gather", {"a": integers.astype(np.uint8), "numbers": np.array([[3, -1], [0, 69]])}, (2, 2, 90))
through("Concat", {"a": integers, "b": integers[:, :3], "c": integers[:, 5:]}, (70, 178), axis=1)
for kind in ["Add", "Sub", "Mul"]:
    through(kind, {"a": integers, "b": rng.integers(-9, 9, (90,))}, (70, 90))
for kind in ["Equal", "Less", "GreaterOrEqual"]:
    through(kind, {"a": integers.astype(np.int32), "b": rng.integers(-9, 9, (70, 1), np.int32)}, (70, 90))
through("And", {"a": flags, "b": flags[:, ::-1].copy()}, (70, 90))
through("Not", {"a": flags}, (70, 90))
through("Where", {"a": flags, "b": integers, "c": rng.integers(0, 9, (70, 90))}, (70, 90))
op("Concat", {"a": a, "b": number(5, 90)}, (75, 90), result="r", axis=0)
# A table of relative positions, as transformers make it.
nodes = [
    h.make_node("Expand", ["row", "shape"], ["rows"]),
    h.make_node("Concat", ["rows", "columns"], ["places"], axis=-1),
    h.make_node("Slice", ["places", "first", "last", "zero"], ["some"]),
    h.make_node("ScatterND", ["zeros", "some", "distances"], ["table"]),
    h.make_node("Cast", ["table"], ["c"], to=1),
]
constants = {
    "row": grid[:, :1, :1],
    "shape": np.array([70, 90, 1]),
    "columns": grid[:, :, 1:],
    "zeros": np.zeros((70, 90), np.int64),
}
constants |= {"zero": np.array([0]), "first": np.array([1]), "last": np.array([60]), "distances": integers[:59]}
check("positions", nodes, constants, (70, 90))
channels = {"a": number(1, 40, 200), "s": number(40), "b": number(40), "m": number(40), "v": np.abs(number(40))}
op("BatchNormalization", channels, (1, 40, 200))
# Weights that are standardised, as normaliser-free networks have them.
nodes = [
    h.make_node("BatchNormalization", ["a", "s", "b", "m", "v"], ["n", "nm", "nv"], training_mode=1, epsilon=1e-5),
    h.make_node("Reshape", ["n", "shape"], ["r"]),
    h.make_node("ReduceMean", ["r", "axes"], ["t"], keepdims=1),
    h.make_node("Sub", ["r", "t"], ["c"]),
]
check("standardised", nodes, channels | {"shape": np.array([40, 8, 5, 5]), "axes": np.array([1, 2, 3])}, (40, 8, 5, 5))

# Padding as TensorFlow has it: computed from the sizes of the image, and so known.
nodes = [
    h.make_node("Shape", ["x"], ["s"]),
    h.make_node("Gather", ["s", "two"], ["n"]),
    h.make_node("Cast", ["n"], ["f"], to=1),
    h.make_node("Div", ["f", "step"], ["d"]),
    h.make_node("Ceil", ["d"], ["u"]),
    h.make_node("Sub", ["u", "one"], ["l"]),
    h.make_node("Mul", ["l", "step"], ["m"]),
    h.make_node("Add", ["m", "window"], ["w"]),
    h.make_node("Sub", ["w", "f"], ["p"]),
    h.make_node("Clip", ["p", "zero"], ["q"]),
    h.make_node("Unsqueeze", ["q", "first"], ["v"]),
    h.make_node("Cast", ["v"], ["i"], to=7),
    h.make_node("Concat", ["none", "i", "i", "none", "i", "i"], ["pads"], axis=0),
    h.make_node("Pad", ["x", "pads"], ["padded"]),
    h.make_node("MaxPool", ["padded"], ["c"], kernel_shape=[5, 5], strides=[1, 1]),
]
two = {"two": np.array(2), "first": np.array([0]), "none": np.array([0, 0])}
floats = {"step": 2, "one": 1, "window": 3, "zero": 0}
constants = {"two": np.array(2), "first": np.array([0]), "none": np.array([0, 0])}
constants |= {n: np.float32(v) for n, v in {"step": 2, "one": 1, "window": 3, "zero": 0}.items()}
check("same", nodes, constants, (1, 2, 9, 9))

run, _ = imported(saved("range", [h.make_node("Gather", ["a", "n"], ["c"])], {"a": a, "n": np.array([70])}, (1, 90)))
print(
    "out of range:",
    run.stderr.strip().replace("\n", " ")[:300],
    "the model is refused" if run.returncode == 2 or run.returncode == 1 else "",
)
# What would make the program grow stays a computation.
nodes = [h.make_node("Mul", ["a", "b"], ["c"])]
imported(saved("large", nodes, {"a": number(300, 1), "b": number(1, 300)}, (300, 300)))
size = os.path.getsize(os.path.join(folder, "large.safetensors"))
print("too large: it stays a computation" if size < 10_000 else f"weights of {size} bytes")
