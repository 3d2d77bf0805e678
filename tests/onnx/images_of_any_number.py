#!/usr/bin/env python3
"""Convolutions and poolings of any number of images take the kernels that they take of a known number, and agree with onnxruntime.

usage: images_of_any_number.py FOLDER
"""

import os
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper

# Channels, rows, columns; filters, window, stride, dilation, padding, groups; what the kernel is on CPUs with AVX-512.
CONVOLUTIONS = [
    ((32, 20, 18), (40, 3, 1, 1, 1, 1), "minimal filtering F(2×2, 3×3)"),
    ((20, 30, 26), (36, 3, 1, 1, 1, 1), "minimal filtering F(4×4, 3×3)"),
    ((17, 9, 13), (96, 3, 2, 1, 1, 1), "packed filters"),
    ((64, 14, 14), (60, 1, 2, 1, 0, 1), "packed filters"),
    ((24, 17, 17), (64, 3, 1, 12, 12, 1), "packed filters"),
    ((80, 9, 17), (96, 3, 2, 1, 1, 4), "packed filters"),
    ((35, 13, 14), (35, 3, 2, 1, 1, 35), "depthwise convolution"),
    ((12, 6, 40), (5, 3, 1, 1, 1, 1), "loops"),
]
POOLINGS = [("MaxPool", 3, 2, 1), ("AveragePool", 2, 2, 0), ("MaxPool", 2, 1, 0)]
COUNTS = (1, 0, 2, 5)


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stderr}"
    return done.stdout + done.stderr


def save(path, nodes, kind, shape, weights):
    """Writes a model of images of that shape."""
    elem = helper.np_dtype_to_tensor_dtype(np.dtype(kind))
    x = helper.make_tensor_value_info("x", elem, ["N", *shape])
    constants = [numpy_helper.from_array(a, name) for name, a in weights.items()]
    result = helper.ValueInfoProto(name="o")
    graph = helper.make_graph(nodes, "g", [x], [result], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(onnx.shape_inference.infer_shapes(model), path)


def compare(folder, about, kind, shape, flags, said):
    """Compiles the model, for this machine and for narrow vectors, and runs it on so many images."""
    path, program, mlir = (os.path.join(folder, f"m.{end}") for end in ("onnx", "so", "mlir"))
    run("hal-import", path, "--weights-to=embed", "-o", mlir)
    explained = run(
        "hal-translate", mlir, "--explain", "--target=cpu:znver4", "-o", os.path.join(folder, "o.mlir"), *flags
    )
    assert said in explained, f"{about}: {explained}"
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    rng = np.random.default_rng(len(about))
    for target in ("cpu", "cpu:x86-64-v3"):
        run("hal-compile", path, "-o", program, f"--target={target}", *flags)
        for count in COUNTS:
            if kind is np.uint8:
                x = rng.integers(0, 256, (count, *shape)).astype(kind)
            else:
                x = rng.standard_normal((count, *shape)).astype(kind)
            np.save(os.path.join(folder, "x.npy"), x)
            run("hal-run", program, "--input", f"@{folder}/x.npy", "--output", f"@{folder}/o.npy")
            got = np.load(os.path.join(folder, "o.npy"))
            if not count:
                assert got.shape[0] == 0, f"{about}: {got.shape} of no images"
                continue
            expected = session.run(None, {"x": x})[0]
            assert got.shape == expected.shape and got.dtype == expected.dtype, f"{about}: {got.shape} {expected.shape}"
            if kind is np.uint8:
                assert np.array_equal(got, expected), f"{about}, {count} images, {target}"
                continue
            error = np.abs(got.astype(np.float64) - expected).max() / np.abs(expected.astype(np.float64)).max()
            assert error < (1e-5 if kind is np.float32 else 2e-3), f"{about}, {count} images, {target}: {error}"


def main(folder):
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "m.onnx")
    rng = np.random.default_rng(7)
    for number, (shape, (filters, window, stride, dilation, pad, groups), said) in enumerate(CONVOLUTIONS):
        attributes = {"pads": [pad] * 4, "strides": [stride] * 2, "dilations": [dilation] * 2, "group": groups}
        size = (filters, shape[0] // groups, window, window)
        flags = ["--fast-math=winograd"] if "4×4" in said else []
        about = f"{shape} {attributes}"
        for kind in (np.float32, np.float16):
            if kind is np.float16 and said in ("loops", "depthwise convolution"):
                continue
            w = {"w": rng.standard_normal(size).astype(kind), "b": rng.standard_normal(filters).astype(kind)}
            nodes = [helper.make_node("Conv", ["x", "w", "b"], ["y"], **attributes)]
            # Results as they are and with the filters side by side.
            if number % 2:
                nodes += [
                    helper.make_node("Relu", ["y"], ["t"]),
                    helper.make_node("Transpose", ["t"], ["o"], perm=[0, 2, 3, 1]),
                ]
            else:
                nodes += [helper.make_node("Relu", ["y"], ["o"])]
            save(path, nodes, kind, shape, w)
            half = kind is np.float16
            compare(folder, f"{about} {kind.__name__}", kind, shape, flags, "" if half or said == "loops" else said)
        # Signed weights of seven bits: onnxruntime adds products in 16 bits on CPUs without VNNI.
        w = rng.integers(-64, 64, size).astype(np.int8)
        nodes = [helper.make_node("ConvInteger", ["x", "w", "z"], ["o"], **attributes)]
        save(path, nodes, np.uint8, shape, {"w": w, "z": np.array(113, np.uint8)})
        compare(folder, f"{about} of bytes", np.uint8, shape, [], "")
    for operator, window, stride, pad in POOLINGS:
        attributes = {"kernel_shape": [window] * 2, "strides": [stride] * 2, "pads": [pad] * 4}
        save(path, [helper.make_node(operator, ["x"], ["o"], **attributes)], np.float32, (5, 19, 34), {})
        compare(folder, f"{operator} {attributes}", np.float32, (5, 19, 34), [], "pooling")


if __name__ == "__main__":
    main(sys.argv[1])
