"""Models whose results lie across the lanes of what they are computed from, and dilated convolutions: compiled, run, and
compared with numpy. usage: across.py FOLDER"""

import os
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto as T
from onnx import helper as h
from onnx import numpy_helper as nh

folder = sys.argv[1]
rng = np.random.default_rng(7)


def number(*shape):
    return (rng.random(shape) * 2 - 1).astype(np.float32)


def check(name, nodes, weights, inputs, expected):
    """Compiles a model of these nodes, and runs it on the inputs; the results are those of `expected`."""
    info = lambda n, a: h.make_tensor_value_info(n, T.FLOAT, a.shape)  # noqa: E731
    graph = h.make_graph(
        nodes,
        "g",
        [info(n, a) for n, a in inputs.items()],
        [info(n, a) for n, a in expected.items()],
        [nh.from_array(a, n) for n, a in weights.items()],
    )
    path = os.path.join(folder, name)
    onnx.save(h.make_model(graph, opset_imports=[h.make_opsetid("", 17)]), path + ".onnx")
    for n, a in (inputs | expected).items():
        np.save(f"{path}.{n}.npy", a)
    subprocess.run(["hal-import", path + ".onnx", "-o", path + ".mlir"], check=True)
    subprocess.run(["hal-compile", path + ".onnx", "-o", path + ".so", "-q", "--verify=2"], check=True)
    given = [f"--input={n}=@{path}.{n}.npy" for n in inputs]
    wanted = [f"--expect=@{path}.{n}.npy" for n in expected]
    run = subprocess.run(
        ["hal-run", path + ".so", *given, *wanted, "--rtol=1e-4", "--atol=1e-4"], capture_output=True, text=True
    )
    print(name, "as numpy computes it" if run.returncode == 0 else run.stdout + run.stderr)


def transpose(a, *order):
    return np.ascontiguousarray(a.transpose(order))


def product(m, k, n, both):
    """A product with a residual, transposed; with `both`, also as it is."""
    x, w, b, r, s = number(1, m, k), number(k, n), number(n), number(1, m, n), number(n)
    y = x.astype(np.float64) @ w + b + r
    results = {"z": transpose((y * s).astype(np.float32), 0, 2, 1)}
    if both:
        results["y"] = y.astype(np.float32)
    nodes = [
        h.make_node("MatMul", ["x", "w"], ["p"]),
        h.make_node("Add", ["p", "b"], ["q"]),
        h.make_node("Add", ["q", "r"], ["y"]),
        h.make_node("Mul", ["y", "s"], ["t"]),
        h.make_node("Transpose", ["t"], ["z"], perm=[0, 2, 1]),
    ]
    check(f"{'both' if both else 'product'}-{m}-{k}-{n}", nodes, {"w": w, "b": b, "s": s}, {"x": x, "r": r}, results)


def normalisation(rows, columns):
    x, w, b = number(1, rows, columns) * 3, number(columns), number(columns)
    wide = x.astype(np.float64)
    mean, var = wide.mean(-1, keepdims=True), wide.var(-1, keepdims=True)
    y = ((wide - mean) / np.sqrt(var + 1e-5) * w + b).astype(np.float32)
    nodes = [
        h.make_node("LayerNormalization", ["x", "w", "b"], ["y"], axis=-1, epsilon=1e-5),
        h.make_node("Transpose", ["y"], ["z"], perm=[0, 2, 1]),
    ]
    check(f"normalisation-{rows}-{columns}", nodes, {"w": w, "b": b}, {"x": x}, {"z": transpose(y, 0, 2, 1)})


def heads(m, k, groups, size):
    """A product whose columns are heads, which come first in the result."""
    x, w = number(m, k), number(k, groups * size)
    y = (x.astype(np.float64) @ w).astype(np.float32).reshape(m, groups, size)
    nodes = [
        h.make_node("MatMul", ["x", "w"], ["p"]),
        h.make_node("Reshape", ["p", "shape"], ["q"]),
        h.make_node("Transpose", ["q"], ["z"], perm=[1, 2, 0]),
    ]
    weights = {"w": w, "shape": np.array([m, groups, size])}
    check(f"heads-{m}-{k}-{groups}-{size}", nodes, weights, {"x": x}, {"z": transpose(y, 1, 2, 0)})


def convolution(channels, size, filters, taps, dilation, pad, stride=1):
    x, w, b = number(1, channels, *size), number(filters, channels, taps, taps), number(filters)
    padded = np.pad(x.astype(np.float64), ((0, 0), (0, 0), (pad[0], pad[2]), (pad[1], pad[3])))
    reach = (taps - 1) * dilation + 1
    places = [(n - reach) // stride + 1 for n in padded.shape[2:]]
    y = np.zeros((1, filters, *places)) + b[None, :, None, None]
    for i in range(taps):
        for j in range(taps):
            rows = slice(i * dilation, i * dilation + (places[0] - 1) * stride + 1, stride)
            columns = slice(j * dilation, j * dilation + (places[1] - 1) * stride + 1, stride)
            y += np.einsum("fc,nchw->nfhw", w[:, :, i, j], padded[:, :, rows, columns])
    attributes = {"dilations": [dilation] * 2, "pads": list(pad), "strides": [stride] * 2}
    name = f"convolution-{channels}-{size[0]}x{size[1]}-{filters}-{taps}-{dilation}-{'.'.join(map(str, pad))}-{stride}"
    check(
        name,
        [h.make_node("Conv", ["x", "w", "b"], ["y"], **attributes)],
        {"w": w, "b": b},
        {"x": x},
        {"y": y.astype(np.float32)},
    )


for m, k, n in [(196, 64, 40), (33, 17, 50), (16, 300, 16), (50, 1500, 35), (7, 9, 5), (20, 20, 20)]:
    product(m, k, n, False)
    product(m, k, n, True)
for rows, columns in [(196, 96), (49, 70), (100, 33), (17, 16), (31, 5), (3, 40)]:
    normalisation(rows, columns)
for m, k, groups, size in [(49, 32, 4, 24), (17, 5, 3, 16), (64, 64, 2, 33), (5, 6, 2, 7)]:
    heads(m, k, groups, size)
for channels, filters in [(20, 40), (3, 9)]:
    convolution(channels, (14, 14), filters, 3, 12, (12, 12, 12, 12))
    convolution(channels, (14, 14), filters, 3, 24, (24, 24, 24, 24))
    convolution(channels, (9, 11), filters, 3, 10, (10, 10, 10, 10))
    convolution(channels, (7, 7), filters, 2, 9, (9, 0, 0, 9))
    convolution(channels, (7, 7), filters, 5, 4, (8, 8, 8, 8))
    convolution(channels, (8, 30), filters, 3, 8, (8, 8, 8, 8))
    convolution(channels, (14, 15), filters, 3, 6, (6, 6, 6, 6), 2)
    convolution(channels, (6, 6), filters, 3, 20, (40, 40, 0, 0))
    convolution(channels, (13, 13), filters, 3, 18, (18, 18, 18, 18), 3)
    convolution(channels, (5, 5), filters, 2, 7, (0, 14, 14, 0))
    convolution(channels, (14, 14), filters, 1, 5, (3, 3, 3, 3))
