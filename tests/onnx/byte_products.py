#!/usr/bin/env python3
"""Products with known matrices of bytes take them in panels, and are exact: any size, sign and zero point, both orders of the matrix. So are
products of two dequantised factors that the model computes, as attention has them.

usage: byte_products.py FOLDER
"""

import os
import re
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from together import Together

# Rows, steps, columns; the zero point of the activations; whether they are signed.
PACKED = [
    ((1, 1280, 1000), None, False),
    ((1, 1000, 333), 100, False),
    ((2, 257, 130), 255, False),
    ((5, 64, 512), 0, False),
    ((3, 130, 129), -128, True),
    ((17, 96, 200), 5, True),
    ((64, 768, 100), 127, True),
    ((33, 1023, 65), 7, False),
    ((1, 16385, 1), 3, False),
]
# Small matrices are packed as they are used.
SMALL = [((7, 100, 100), 9, False)]


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stderr}"
    return done.stdout + done.stderr


def bytes_of(rng, signed, *shape):
    least, kind = (-128, np.int8) if signed else (0, np.uint8)
    numbers = rng.integers(least, least + 256, shape).astype(kind)
    numbers.flat[0] = least
    return numbers


def save(path, nodes, x, weights, result):
    elem = helper.np_dtype_to_tensor_dtype(x.dtype)
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", elem, x.shape)],
        [helper.make_tensor_value_info("o", result, None)],
        [numpy_helper.from_array(np.asarray(value), name) for name, value in weights.items()],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


# Both factors are computed: batches, rows, steps, columns; whether the second one is stored transposed; the signs of both; zero points. The
# last has a scale for each column.
COMPUTED = [
    ((6, 49, 64, 50), False, (False, False), (121, 117)),
    ((6, 49, 64, 50), True, (False, False), (0, 255)),
    ((2, 197, 197, 64), False, (True, True), (-128, 127)),
    ((3, 1, 65, 130), True, (False, True), (255, -128)),
    ((1, 33, 17, 1), False, (True, False), (3, 0)),
    ((4, 16, 4, 16), True, (False, False), (128, 128)),
    ((1, 70, 300, 9), False, (False, True), (100, 0)),
    ((1, 40, 96, 33), False, (False, True), (7, 0)),
]


def computed(number, case):
    """A product of dequantised factors, both inputs of the model; its inputs, and what it gives."""
    (batch, m, k, n), flip, signs, zeros = case
    rng = np.random.default_rng(number)
    a, b = bytes_of(rng, signs[0], batch, m, k), bytes_of(rng, signs[1], batch, *((n, k) if flip else (k, n)))
    scales = [np.float32(0.021), np.float32(0.013)]
    if number == len(COMPUTED) - 1:
        scales[1] = rng.uniform(1e-3, 2e-3, n).astype(np.float32)
    nodes, constants = [], []
    for name, factor, scale, zero in zip("ab", (a, b), scales, zeros, strict=True):
        zero = np.full(scale.shape, zero, factor.dtype)
        constants += [numpy_helper.from_array(np.asarray(scale), f"{name}s"), numpy_helper.from_array(zero, f"{name}z")]
        nodes.append(helper.make_node("DequantizeLinear", [name, f"{name}s", f"{name}z"], [f"{name}f"], axis=2))
    if flip:
        nodes.append(helper.make_node("Transpose", ["bf"], ["bt"], perm=[0, 2, 1]))
    nodes.append(helper.make_node("MatMul", ["af", "bt" if flip else "bf"], ["o"]))
    types = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)
        for name, x in zip("ab", (a, b), strict=True)
    ]
    result = helper.make_tensor_value_info("o", TensorProto.FLOAT, [batch, m, n])
    graph = helper.make_graph(nodes, "g", types, [result], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    wide = [x.astype(np.int64) - zero for x, zero in zip((a, b), zeros, strict=True)]
    sums = wide[0] @ (wide[1].transpose(0, 2, 1) if flip else wide[1])
    return model, {"a": a, "b": b}, sums * (scales[0] * scales[1].astype(np.float64))


def compare_computed(folder):
    """Products of computed factors: exact sums, on each kind of CPU."""
    models, inputs, expected = zip(*(computed(*case) for case in enumerate(COMPUTED)), strict=True)
    program = Together(folder, models)
    for case, why in zip(COMPUTED, program.translated("--target=cpu:znver4")[0], strict=True):
        assert "vpdpbusd" in why or case[0][1] == 1 or case[0][2] < 64, f"{case}: {why}"
    for target in ("cpu", "cpu:x86-64-v3", "cpu:x86-64-v2"):
        program.compiled(f"--target={target}")
        for case, (got,), wanted in zip(COMPUTED, program.run(inputs), expected, strict=True):
            apart = np.abs(got - wanted).max() / np.abs(wanted).max()
            assert apart < 3e-7, f"{case}, {target}: {apart}"


def layout(path, target="znver4"):
    """The layout of the matrix on a CPU that multiplies bytes."""
    mlir = path[:-5] + ".mlir"
    run("hal-import", path, "--weights-to=embed", "-o", mlir)
    run("hal-translate", mlir, "-o", mlir + ".objects", f"--target=cpu:{target}")
    with open(mlir + ".objects") as file:
        return re.findall(r'layout = "(\w+)"', file.read())


def result(path, x):
    """What the program gives, on the machine at hand, with shorter vectors, and without products of bytes."""
    folder = os.path.dirname(path)
    np.save(os.path.join(folder, "x.npy"), x)
    for target in ("cpu", "cpu:x86-64-v3", "cpu:x86-64-v2"):
        run("hal-compile", path, "-o", path[:-5] + ".so", f"--target={target}")
        run("hal-run", path[:-5] + ".so", f"--input=@{folder}/x.npy", f"--output=@{folder}/o.npy")
        yield target, np.load(os.path.join(folder, "o.npy"))


def main(folder):
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "m.onnx")
    # Matrices of any numbers, and some that are alike everywhere.
    cases = [(*case, None) for case in PACKED + SMALL] + [(*PACKED[1], 0), (*PACKED[6], -128)]
    for number, (sizes, zero, signed, alike) in enumerate(cases):
        m, k, n = sizes
        rng = np.random.default_rng(number)
        x, w = bytes_of(rng, signed, m, k), bytes_of(rng, True, k, n)
        if alike is not None:
            w[...] = alike
        weights = {"w": w} | ({} if zero is None else {"z": np.array(zero, x.dtype)})
        product = helper.make_node("MatMulInteger", ["x", *weights], ["o"])
        save(path, [product], x, weights, TensorProto.INT32)
        small = (sizes, zero, signed) in SMALL
        # CPUs that multiply bytes, and those that multiply 16-bit numbers in pairs.
        bytes_of_columns, pairs = "byte_column_panels", "byte_pair_column_panels"
        targets = {"znver4": bytes_of_columns, "neoverse-n1@aarch64-linux-gnu": bytes_of_columns}
        targets |= {"x86-64-v3": pairs, "x86-64-v2": pairs, "skylake-avx512": pairs}
        for target, wanted in targets.items():
            assert layout(path, target) == ([] if small else [wanted]), f"{sizes}, {target}"
        expected = (x.astype(np.int64) - (zero or 0)) @ w.astype(np.int64)
        for target, got in result(path, x):
            assert np.array_equal(got, expected), f"{sizes}, {target}: {(got != expected).mean():.3f} of it is wrong"
    # As quantisers write a layer: the matrix has a row for each result, results have scales of their own and a bias.
    for number, (m, k, n) in enumerate([(1, 512, 100), (4, 100, 300), (40, 300, 75), (4, 100, 300)]):
        rng = np.random.default_rng(number)
        x, w = rng.normal(0, 1, (m, k)).astype(np.float32), bytes_of(rng, True, n, k)
        if number == 3:
            w[...] = 1
        scales, bias = rng.uniform(1e-3, 2e-3, n).astype(np.float32), rng.normal(0, 1, n).astype(np.float32)
        weights = {"s": np.float32(0.03), "z": np.uint8(120), "w": w, "t": scales, "b": bias}
        nodes = [
            helper.make_node("QuantizeLinear", ["x", "s", "z"], ["q"]),
            helper.make_node("DequantizeLinear", ["q", "s", "z"], ["d"]),
            helper.make_node("DequantizeLinear", ["w", "t"], ["f"], axis=0),
            helper.make_node("Gemm", ["d", "f", "b"], ["o"], transB=1),
        ]
        save(path, nodes, x, weights, TensorProto.FLOAT)
        assert layout(path) == ["byte_row_panels"], f"{m}x{k}x{n}"
        seen = np.clip(np.rint(x / np.float32(0.03)) + 120, 0, 255) - 120
        expected = seen @ w.T.astype(np.float64) * np.float32(0.03) * scales + bias
        for target, got in result(path, x):
            apart = np.abs(got - expected).max() / np.abs(expected).max()
            assert apart < 1e-6, f"{m}x{k}x{n}, {target}: {apart}"
    compare_computed(folder)


if __name__ == "__main__":
    main(sys.argv[1])
