#!/usr/bin/env python3
"""Products with transposed results, and convolutions on CPUs with sixteen vector registers or with large dilations, agree with numpy: long rows
that are divided, stripes with the channels of a pixel side by side, chunks of channels, padding that is left out, the first lanes of vectors
stored in pieces.

usage: few_registers.py FOLDER [--seed=N] [--count=N]       # that many random cases beside the fixed ones
"""

import argparse
import os
import subprocess

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

# Images, channels, filters, rows, columns; window (rows, columns), stride, dilation, padding (of all sides, or top, left, bottom, right), groups;
# the bits of the filters.
CONVOLUTIONS = [
    # Vectors of channels and pixels that are not full.
    ((1, 9, 17, 5, 7), ((3, 3), 1, 1, 1, 1), 32),
    ((2, 33, 40, 13, 9), ((3, 3), 2, 1, 1, 1), 32),
    # Several chunks of channels, of which the last is smaller.
    ((1, 600, 33, 7, 7), ((3, 3), 1, 1, 1, 1), 32),
    ((1, 1100, 64, 9, 7), ((3, 3), 2, 1, 1, 1), 16),
    ((1, 2300, 40, 7, 7), ((1, 1), 1, 1, 0, 1), 32),
    # Several stripes; groups; large windows and dilations.
    ((1, 64, 64, 57, 61), ((3, 3), 2, 1, 0, 1), 32),
    ((2, 48, 66, 11, 11), ((3, 3), 2, 1, 1, 3), 32),
    ((1, 24, 36, 19, 23), ((7, 5), 3, 1, 2, 1), 32),
    ((1, 40, 24, 14, 14), ((3, 3), 1, 6, 6, 1), 16),
    ((1, 3, 40, 32, 32), ((4, 4), 4, 1, 0, 1), 32),
    # Padding that is left out: of large dilations, along one dimension, of unequal sides, of groups, several stripes, filters of f16.
    ((1, 40, 40, 33, 29), ((3, 3), 1, 12, 12, 1), 32),
    ((2, 33, 17, 10, 45), ((3, 1), 1, 4, (4, 0, 4, 0), 1), 32),
    ((1, 20, 36, 13, 31), ((2, 5), 1, 5, (3, 11, 7, 9), 1), 16),
    ((1, 48, 66, 20, 17), ((3, 3), 2, 6, 6, 3), 32),
    ((1, 24, 40, 14, 14), ((5, 5), 1, 9, 18, 1), 32),
    ((1, 300, 40, 61, 61), ((3, 3), 1, 24, 24, 1), 32),
    # One element of the window alone ever lies on the image, and not at all places.
    ((1, 20, 24, 14, 14), ((2, 3), 1, 20, (40, 20, 0, 20), 1), 32),
    ((1, 20, 24, 14, 30), ((3, 2), 1, 20, (20, 0, 20, 40), 1), 32),
]
# Sizes before the columns; steps, columns; whether a residual is added; the bits of the matrix.
PRODUCTS = [
    ((2, 14, 14), 384, 130, True, 32),
    # Rows that would compete for lines of the cache, and are copied.
    ((1, 7, 7), 1536, 200, True, 32),
    ((3, 9, 11), 2048, 33, False, 32),
    ((13, 29), 300, 257, False, 32),
    ((50,), 777, 97, False, 32),
    # Long rows, which are divided: among them a prime number of pieces, and one that no piece divides.
    ((2, 784), 96, 64, True, 32),
    ((768,), 200, 196, True, 32),
    ((938,), 100, 17, False, 32),
    ((394,), 300, 400, True, 32),
    ((1, 6, 5), 515, 160, True, 16),
]
TARGETS = ("cpu", "cpu:x86-64-v3", "cpu:x86-64-v2")


def save(path, nodes, inputs, weights, result, images):
    """Writes a model; the number of images has a name if it is to be open."""
    shape = lambda a: ["n", *a.shape[1:]] if images else a.shape
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape(a)) for name, a in inputs.items()],
        [helper.make_tensor_value_info("o", TensorProto.FLOAT, shape(result))],
        [numpy_helper.from_array(a, name) for name, a in weights.items()],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def widened(weights, name, bits):
    """Weights of so many bits and the nodes that make them f32."""
    if bits == 32:
        return weights, [], name
    cast = helper.make_node("Cast", [name], [f"{name}.wide"], to=TensorProto.FLOAT)
    return weights.astype(np.float16), [cast], f"{name}.wide"


def convolution(path, rng, case, images):
    (n, c, k, rows, columns), (window, stride, dilation, pad, groups), bits = case
    x = rng.standard_normal((n, c, rows, columns)).astype(np.float32)
    w, nodes, name = widened(rng.standard_normal((k, c // groups, *window)).astype(np.float32), "w", bits)
    pads = pad if isinstance(pad, tuple) else (pad,) * 4
    before, after = pads[:2], pads[2:]
    attributes = {"pads": pads, "strides": [stride] * 2, "dilations": [dilation] * 2, "group": groups}
    nodes += [helper.make_node("Conv", ["x", name], ["t"], **attributes), helper.make_node("Relu", ["t"], ["o"])]
    high, wide = (
        (size + low + high - dilation * (taps - 1) - 1) // stride + 1
        for size, taps, low, high in zip((rows, columns), window, before, after, strict=True)
    )
    padded = np.pad(x.astype(np.float64), [(0, 0), (0, 0), *zip(before, after, strict=True)])
    padded = padded.reshape(n, groups, c // groups, *padded.shape[2:])
    filters = w.astype(np.float64).reshape(groups, k // groups, c // groups, *window)
    total = np.zeros((n, groups, k // groups, high, wide))
    for i in range(window[0]):
        for j in range(window[1]):
            seen = padded[..., i * dilation :: stride, j * dilation :: stride][..., :high, :wide]
            total += np.einsum("ngchw,gkc->ngkhw", seen, filters[..., i, j])
    result = np.maximum(total.reshape(n, k, high, wide), 0)
    save(path, nodes, {"x": x}, {"w": w}, result, images)
    return {"x": x}, result


def product(path, rng, case, images):
    leading, steps, columns, residual, bits = case
    x = rng.standard_normal((*leading, steps)).astype(np.float32)
    w, nodes, name = widened(rng.standard_normal((steps, columns)).astype(np.float32), "w", bits)
    # The columns come after the images, if there are any.
    at = 1 if len(leading) == 3 else 0
    order = [*range(at), len(leading), *range(at, len(leading))]
    bias = rng.standard_normal(columns).astype(np.float32)
    nodes += [
        helper.make_node("MatMul", ["x", name], ["p"]),
        helper.make_node("Add", ["p", "b"], ["q"]),
        helper.make_node("Transpose", ["q"], ["t"], perm=order),
    ]
    result = (x.astype(np.float64) @ w.astype(np.float64) + bias).transpose(order)
    inputs = {"x": x}
    if residual:
        inputs["r"] = rng.standard_normal(result.shape).astype(np.float32)
        nodes.append(helper.make_node("Add", ["t", "r"], ["o"]))
        result = result + inputs["r"]
    else:
        nodes.append(helper.make_node("Identity", ["t"], ["o"]))
    save(path, nodes, inputs, {"w": w, "b": bias}, result, images and len(leading) == 3)
    return inputs, result


def compare(folder, make, number, case):
    path, program = os.path.join(folder, "m.onnx"), os.path.join(folder, "m.so")
    inputs, expected = make(path, np.random.default_rng(number), case, number % 3 == 1)
    given = []
    for name, value in inputs.items():
        np.save(os.path.join(folder, f"{name}.npy"), value)
        given.append(f"--input=@{folder}/{name}.npy")
    for target in TARGETS:
        for command in (
            ["hal-compile", path, "-o", program, f"--target={target}"],
            ["hal-run", program, *given, f"--output=@{folder}/o.npy"],
        ):
            done = subprocess.run(command, capture_output=True, text=True)
            assert done.returncode == 0, f"{number}, {case}, {target}: {' '.join(command)}\n{done.stderr}"
        got = np.load(os.path.join(folder, "o.npy"))
        assert got.shape == expected.shape, f"{number}, {case}, {target}: {got.shape}"
        apart = np.abs(got - expected).max() / np.abs(expected).max()
        assert apart < 1e-5, f"{number}, {case}, {target}: {apart}"


def random_cases(rng):
    """A convolution or a product of any sizes, without end."""
    pick = lambda *choices: choices[rng.integers(len(choices))]
    while True:
        bits = int(pick(32, 32, 16))
        if rng.random() < 0.4:
            leading = tuple(int(n) for n in rng.integers(1, 20, rng.integers(1, 4)))
            if len(leading) < 3 and rng.random() < 0.5:
                leading = (*leading[:-1], int(rng.integers(65, 800)))
            yield product, (leading, int(rng.integers(100, 1600)), int(rng.integers(20, 300)), rng.random() < 0.5, bits)
            continue
        groups, window = int(pick(1, 1, 1, 2, 3)), tuple(int(n) for n in rng.integers(1, 6, 2))
        channels, filters = (int(n) * groups for n in (rng.integers(1, 400), rng.integers(9, 80)))
        stride, dilation = int(pick(1, 1, 2, 3)), int(pick(1, 1, 2, 3, 6, 12))
        pad = tuple(int(n) for n in rng.integers(0, pick(3, 2 * dilation + 1), 4))
        least = [max(1, dilation * (taps - 1) + 1 - pad[at] - pad[at + 2]) for at, taps in enumerate(window)]
        rows, columns = (int(n + rng.integers(0, 40)) for n in least)
        yield convolution, ((1, channels, filters, rows, columns), (window, stride, dilation, pad, groups), bits)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=6)
    a = parser.parse_args()
    os.makedirs(a.folder, exist_ok=True)
    cases = [(convolution, case) for case in CONVOLUTIONS] + [(product, case) for case in PRODUCTS]
    more = random_cases(np.random.default_rng(a.seed))
    cases += [next(more) for _ in range(a.count)]
    for number, (make, case) in enumerate(cases):
        compare(a.folder, make, number, case)
    print(f"{len(cases)} cases agree")


if __name__ == "__main__":
    main()
