#!/usr/bin/env python3
"""Convolutions of bytes whose filters are known take them packed, and are exact: any size, window, step, dilation, group, sign and zero point.

usage: byte_convolutions.py FOLDER
"""

import os
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

# Images, channels, filters, rows, columns; window (rows, columns), stride, dilation, padding, groups; the layout of the filters.
PACKED = [
    ((1, 32, 40, 7, 7), ((3, 3), 1, 1, 1, 1)),
    ((2, 33, 64, 9, 13), ((3, 3), 2, 1, 1, 1)),
    # One vector of filters beside whole vectors of pixels: rows of 16, two rows of 8.
    ((1, 64, 64, 5, 16), ((3, 3), 1, 1, 1, 1)),
    ((1, 64, 48, 9, 8), ((3, 3), 1, 1, 1, 1)),
    # Channels that fill no groups, windows of one row or column, padding that windows never leave.
    ((1, 3, 24, 33, 30), ((7, 7), 2, 1, 3, 1)),
    ((1, 5, 96, 17, 4), ((1, 5), 1, 1, 2, 1)),
    ((3, 18, 33, 6, 17), ((5, 1), 1, 1, 0, 1)),
    ((1, 20, 64, 10, 9), ((3, 3), 1, 6, 6, 1)),
    ((1, 512, 64, 3, 3), ((1, 1), 1, 1, 0, 1)),
    ((2, 40, 96, 9, 7), ((3, 3), 1, 1, 1, 2)),
    ((1, 30, 160, 11, 5), ((3, 2), 2, 1, 1, 5)),
    ((1, 6, 66, 64, 64), ((16, 16), 16, 1, 0, 1)),
]
# Few steps of the sums on whole vectors of an image; few filters; one pixel.
PLAIN = [
    ((1, 8, 64, 32, 32), ((1, 1), 1, 1, 0, 1)),
    ((1, 64, 4, 16, 16), ((3, 3), 1, 1, 1, 1)),
    ((1, 64, 64, 3, 3), ((3, 3), 1, 1, 0, 1)),
]


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stderr}"
    return done.stdout + done.stderr


def model(path, number, case, alike=None):
    """Writes a convolution of bytes, whose filters may be `alike` everywhere; gives its input and its result."""
    (n, c, k, rows, columns), (window, stride, dilation, pad, groups) = case
    rng = np.random.default_rng(number)
    signed = number % 3 == 2
    least, kind = (-128, np.int8) if signed else (0, np.uint8)
    # The ends of the range among the numbers, and among the zero points.
    x = rng.integers(least, least + 256, (n, c, rows, columns)).astype(kind)
    x.flat[:2] = least, least + 255
    w = rng.integers(-128, 128, (k, c // groups, *window)).astype(np.int8)
    w.flat[:2] = -128, 127
    if alike is not None:
        w[...] = alike
    zero = [None, least, least + 255, least + 100][number % 4]
    operands = ["x", "w"] + (["z"] if zero is not None else [])
    attributes = {"pads": [pad] * 4, "strides": [stride] * 2, "dilations": [dilation] * 2, "group": groups}
    weights = [numpy_helper.from_array(w, "w")]
    weights += [numpy_helper.from_array(np.array(zero, kind), "z")] if zero is not None else []
    elem = TensorProto.INT8 if signed else TensorProto.UINT8
    graph = helper.make_graph(
        [helper.make_node("ConvInteger", operands, ["o"], **attributes)],
        "g",
        [helper.make_tensor_value_info("x", elem, x.shape)],
        [helper.make_tensor_value_info("o", TensorProto.INT32, None)],
        weights,
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8), path)
    high, wide = (
        (size + 2 * pad - dilation * (taps - 1) - 1) // stride + 1
        for size, taps in zip((rows, columns), window, strict=True)
    )
    padded = np.pad(x.astype(np.int64) - (zero or 0), [(0, 0), (0, 0), (pad, pad), (pad, pad)])
    padded = padded.reshape(n, groups, c // groups, *padded.shape[2:])
    w = w.astype(np.int64).reshape(groups, k // groups, *w.shape[1:])
    total = np.zeros((n, groups, k // groups, high, wide), np.int64)
    for i in range(window[0]):
        for j in range(window[1]):
            seen = padded[..., i * dilation :: stride, j * dilation :: stride][..., :high, :wide]
            total += np.einsum("ngchw,gkc->ngkhw", seen, w[..., i, j])
    return x, total.reshape(n, k, high, wide).astype(np.int32)


def compare(folder, number, case, layout, alike=None):
    """Compiles and runs one convolution; where bytes are multiplied, its filters are in that layout, or in any other."""
    path, program, mlir = (os.path.join(folder, f"m.{end}") for end in ("onnx", "so", "mlir"))
    x, expected = model(path, number, case, alike)
    run("hal-import", path, "--weights-to=embed", "-o", mlir)
    # Vectors of eight lanes, of four, and CPUs that multiply signed bytes alone, or words in pairs.
    for target in ("znver4", "alderlake", "neoverse-n1@aarch64-linux-gnu", "znver3"):
        objects = os.path.join(folder, "m.objects.mlir")
        explained = run("hal-translate", mlir, "--explain", "-o", objects, f"--target=cpu:{target}")
        if target == "znver4":
            with open(objects) as file:
                packed = 'layout = "byte_blocks"' in file.read()
            assert packed == layout, f"{case}: {explained}"
            assert packed == ("packed filters" in explained), f"{case}: {explained}"
        if target == "znver3" and layout:
            with open(objects) as file:
                assert 'layout = "byte_pair_blocks"' in file.read(), f"{case}: {explained}"
            assert "packed filters" in explained, f"{case}: {explained}"
    for target in ("cpu", "cpu:x86-64-v3", "cpu:x86-64-v2"):
        run("hal-compile", path, "-o", program, f"--target={target}")
        np.save(os.path.join(folder, "x.npy"), x)
        result = os.path.join(folder, "o.npy")
        run("hal-run", program, "--input", f"@{folder}/x.npy", "--output", f"@{result}")
        got = np.load(result)
        assert np.array_equal(got, expected), (
            f"{number}, {case}, {target}: {(got != expected).mean():.3f} of it is wrong"
        )


def main(folder):
    os.makedirs(folder, exist_ok=True)
    for number, case in enumerate(PACKED):
        compare(folder, number, case, True)
        # Each with all signs and zero points.
        for more in range(1, 4):
            x, expected = model(os.path.join(folder, "m.onnx"), number + 12 * more + 5 * more, case)
            run("hal-compile", os.path.join(folder, "m.onnx"), "-o", os.path.join(folder, "m.so"))
            np.save(os.path.join(folder, "x.npy"), x)
            run("hal-run", f"{folder}/m.so", "--input", f"@{folder}/x.npy", "--output", f"@{folder}/o.npy")
            assert np.array_equal(np.load(os.path.join(folder, "o.npy")), expected), f"{number}, {case}, {more}"
    for number, case in enumerate(PLAIN):
        compare(folder, number, case, False)
    # Models that were never trained have layers of zeros.
    for number, (at, alike) in enumerate([(0, 0), (4, -128), (8, 0), (9, 127)]):
        compare(folder, number, PACKED[at], True, alike)
    # Few of them and those of single channels are no tensors that each run fills.
    path, program, mlir = (os.path.join(folder, f"m.{end}") for end in ("onnx", "so", "mlir"))
    for case in [((1, 64, 64, 12, 12), ((3, 3), 1, 1, 1, 64)), ((1, 16, 32, 12, 12), ((1, 1), 1, 1, 0, 1))]:
        x, expected = model(path, 1, case, 5)
        run("hal-import", path, "--weights-to=embed", "-o", mlir)
        with open(mlir) as file:
            text = file.read()
        assert "iota" not in text and "@w0(dense<5> : tensor<" in text, f"{case}: {text}"
        run("hal-compile", path, "-o", program)
        np.save(os.path.join(folder, "x.npy"), x)
        run("hal-run", program, f"--input=@{folder}/x.npy", f"--output=@{folder}/o.npy")
        assert np.array_equal(np.load(os.path.join(folder, "o.npy")), expected), f"{case}"


if __name__ == "__main__":
    main(sys.argv[1])
