#!/usr/bin/env python3
"""Random transposed convolutions of one to three dimensions, with sizes known and not, agree with onnxruntime.

usage: transposed_convolutions.py FOLDER [SEED]
"""

import os
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper

CASES = 60
EACH = 4


def draw(rng):
    """Attributes, the shape of the input, and that of the weights."""
    rank = int(rng.choice([1, 2, 2, 2, 3]))
    groups = int(rng.choice([1, 1, 2, 3]))
    pick = lambda low, high: [int(n) for n in rng.integers(low, high, rank)]
    kernel, strides = pick(1, 6), pick(1, 5)
    dilations = pick(1, 3) if rng.random() < 0.2 else [1] * rank
    reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilations)]
    size = pick(1, 9 if rank < 3 else 5)
    attributes = {"kernel_shape": kernel, "strides": strides, "dilations": dilations, "group": groups}
    kind = rng.choice(["pads", "pads", "shape", "same"])
    # By the standard the result is as many times as large as the input; onnxruntime cuts it where kernels do not meet.
    if kind == "same" and any(r < s for r, s in zip(reach, strides)):
        kind = "shape"
    if kind == "pads":
        # Something is left of each dimension.
        span = [(n - 1) * s + r for n, s, r in zip(size, strides, reach)]
        begin = [int(rng.integers(0, min(r, (n + 1) // 2))) for r, n in zip(reach, span)]
        end = [int(rng.integers(0, min(r, n - b))) for r, n, b in zip(reach, span, begin)]
        attributes |= {"pads": begin + end, "output_padding": [int(rng.integers(0, s)) for s in strides]}
    elif kind == "same":
        attributes["auto_pad"] = str(rng.choice(["SAME_UPPER", "SAME_LOWER"]))
    else:
        span = [(n - 1) * s + r for n, s, r in zip(size, strides, reach)]
        attributes["output_shape"] = [int(rng.integers(max(1, n - r + 1), n + 1)) for n, r in zip(span, reach)]
    channels, filters = (groups * int(n) for n in rng.integers(1, 6, 2))
    # With so many, each step may have a convolution of its own.
    if groups == 1 and rng.random() < 0.4:
        filters += 16
    return attributes, (int(rng.integers(1, 4)), channels, *size), (channels, filters // groups, *kernel)


def dequantised(rng, at, inputs, w, nodes, weights):
    """Makes the input and the weights of bytes: a scale and a zero point for all, or for each filter of a group."""
    inputs[f"x{at}"] = rng.integers(0, 256, inputs[f"x{at}"].shape).astype(np.uint8)
    count = [] if rng.random() < 0.3 else [w.shape[1]]
    kind = [np.int8, np.uint8][int(rng.random() < 0.2)]
    ends = np.iinfo(kind)
    constants = {
        "w": rng.integers(ends.min, ends.max + 1, w.shape).astype(kind),
        "s": np.float32(0.07),
        "z": np.uint8(rng.integers(0, 256)),
        "t": np.asarray(rng.uniform(0.01, 0.1, count), np.float32),
        "q": np.asarray(rng.integers(ends.min, ends.max + 1, count)).astype(kind),
    }
    weights += [numpy_helper.from_array(np.asarray(value), f"{name}{at}") for name, value in constants.items()]
    for name, scale, zero in (("x", "s", "z"), ("w", "t", "q")):
        operands = [f"{n}{at}" for n in (name, scale, zero)]
        nodes.append(helper.make_node("DequantizeLinear", operands, [f"d{name}{at}"], axis=1))
    return [f"dx{at}", f"dw{at}"]


def main(folder, seed):
    os.makedirs(folder, exist_ok=True)
    rng = np.random.default_rng(seed)
    for number in range(CASES // EACH):
        nodes, inputs, weights, abouts = [], {}, [], []
        is_open, is_quantised = number % 3 == 2, number % 4 == 3
        for at in range(EACH):
            attributes, shape, window = draw(rng)
            w = rng.standard_normal(window).astype(np.float32)
            b = rng.standard_normal(window[1] * attributes["group"]).astype(np.float32)
            inputs[f"x{at}"] = rng.standard_normal(shape).astype(np.float32)
            weights += [numpy_helper.from_array(w, f"w{at}"), numpy_helper.from_array(b, f"b{at}")]
            factors = [f"x{at}", f"w{at}"]
            if is_quantised:
                weights.pop(-2)
                factors = dequantised(rng, at, inputs, w, nodes, weights)
            nodes.append(helper.make_node("ConvTranspose", [*factors, f"b{at}"], [f"y{at}"], **attributes))
            abouts.append(f"{shape} {window} {attributes}")
        # The size of an output of a given shape depends on no input.
        names = lambda n, a: [f"{n}{d}" if is_open and d != 1 else s for d, s in enumerate(a.shape)]  # noqa: B023
        graph = helper.make_graph(
            nodes,
            "g",
            [
                helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(a.dtype), names(n, a))
                for n, a in inputs.items()
            ],
            [helper.ValueInfoProto(name=f"y{at}") for at in range(EACH)],
            weights,
        )
        path = os.path.join(folder, "m.onnx")
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        onnx.save(onnx.shape_inference.infer_shapes(model), path)
        expected = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"]).run(None, inputs)
        program = os.path.join(folder, "m.so")
        subprocess.run(["hal-compile", "-q", path, "-o", program], check=True)
        for name, value in inputs.items():
            np.save(os.path.join(folder, f"{name}.npy"), value)
        given = [f"--input={name}=@{folder}/{name}.npy" for name in inputs]
        results = [os.path.join(folder, f"y{at}.npy") for at in range(EACH)]
        subprocess.run(["hal-run", program, *given, *(f"--output=@{r}" for r in results)], check=True)
        for about, want, result in zip(abouts, expected, results):
            got = np.load(result)
            assert got.shape == want.shape, f"{about}: {got.shape}, not {want.shape}"
            error = np.abs(got - want).max(initial=0) / max(np.abs(want).max(initial=0), 1)
            assert error < 1e-5, f"{about}: {error}"


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if sys.argv[2:] else 5)
