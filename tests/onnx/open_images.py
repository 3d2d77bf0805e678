#!/usr/bin/env python3
"""Convolutions and poolings of images whose rows and columns only a run knows agree with numpy: one program for each runs on images of several
sizes, also smaller than a vector, and larger than what a kernel has scratch memory for.

usage: open_images.py FOLDER [--seed=N] [--count=N] [--targets=T,…]       # that many random cases beside the fixed ones
"""

import argparse
import os
import subprocess
from dataclasses import dataclass

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

POOLINGS = {"max": "MaxPool", "mean": "AveragePool"}
TARGETS = "cpu,cpu:x86-64-v3,cpu:x86-64-v2"


@dataclass
class Case:
    """A convolution or pooling, what follows it, and the rows and columns of the images that it runs on."""

    channels: int
    filters: int
    window: tuple
    sizes: list
    stride: int = 1
    dilation: int = 1
    # Before rows and columns, and behind them.
    pads: tuple = (0, 0, 0, 0)
    groups: int = 1
    images: int = 1
    # "none", "relu", "residual", "scale" (a number for each image and filter), "last" (stored with the filters last), "two" (two results).
    then: str = "relu"
    # f32, f16 (filters that are made wider) or i8 (bytes, less a zero point); of poolings "max" or "mean" (of what is no padding).
    kind: str = "f32"
    # Which dimensions are open: rows, columns, and the number of images.
    open: str = "hw"


FIXED = [
    # Winograd's algorithm: odd and even sizes, fewer rows than a tile has, several tiles of scratch memory.
    Case(16, 32, (3, 3), [(14, 14), (1, 1), (2, 7), (31, 33), (5, 130)], pads=(1, 1, 1, 1)),
    Case(40, 70, (3, 3), [(3, 3), (57, 60), (8, 9)], then="residual", images=2, open="nhw"),
    Case(64, 33, (3, 3), [(9, 121), (120, 9)], pads=(1, 0, 2, 1), then="scale"),
    Case(32, 48, (3, 3), [(17, 23), (6, 6)], pads=(1, 1, 1, 1), then="last"),
    # Packed filters.
    Case(3, 24, (7, 7), [(7, 7), (30, 61), (224, 9)], stride=2, pads=(3, 3, 3, 3)),
    Case(20, 64, (3, 3), [(5, 5), (33, 64), (115, 120)], stride=2, pads=(0, 0, 1, 1), then="two"),
    Case(24, 40, (3, 5), [(40, 41)], dilation=2, pads=(2, 4, 2, 4), images=3, open="h"),
    Case(48, 66, (3, 3), [(11, 12), (20, 5)], stride=2, groups=3, pads=(1, 1, 1, 1), then="residual"),
    Case(400, 40, (1, 1), [(7, 7), (1, 1), (13, 29)], then="relu"),
    Case(384, 96, (1, 1), [(8, 9), (8, 3)], images=2, then="last", open="nw"),
    Case(64, 40, (1, 1), [(9, 9), (31, 14)], stride=2),
    Case(300, 33, (3, 3), [(6, 7), (20, 21)], stride=3, kind="f16", then="scale"),
    Case(700, 96, (3, 3), [(7, 8), (30, 31)], stride=2, pads=(1, 1, 1, 1)),
    # Lanes along all of the image.
    Case(10, 12, (1, 1), [(7, 7), (1, 1), (40, 3)], then="scale", images=2, open="nhw"),
    Case(12, 8, (1, 1), [(5, 9)], then="residual", open="w"),
    # Depthwise.
    Case(32, 32, (3, 3), [(7, 7), (1, 1), (56, 57), (113, 20), (3, 200)], groups=32, pads=(1, 1, 1, 1)),
    Case(
        21, 21, (5, 5), [(14, 15), (60, 8)], groups=21, stride=2, pads=(2, 2, 2, 2), then="scale", images=2, open="nhw"
    ),
    Case(24, 24, (3, 3), [(14, 15), (57, 30)], groups=24, pads=(1, 1, 1, 1), then="none", open="nhw"),
    Case(32, 32, (1, 1), [(8, 9), (33, 40)], groups=32, stride=2, then="none"),
    Case(48, 48, (3, 3), [(9, 10), (30, 70)], groups=48, dilation=3, pads=(3, 3, 3, 3), then="last"),
    Case(16, 16, (7, 7), [(40, 8), (40, 65)], groups=16, pads=(3, 3, 3, 3), then="two", open="w"),
    Case(40, 40, (3, 3), [(12, 13), (31, 64)], groups=40, stride=2, pads=(0, 0, 1, 1), kind="i8"),
    # Poolings.
    Case(5, 5, (3, 3), [(7, 7), (1, 1), (30, 61), (224, 113)], groups=5, stride=2, pads=(1, 1, 1, 1), kind="max"),
    Case(
        18, 18, (2, 3), [(5, 5), (57, 64), (115, 18)], groups=18, pads=(0, 2, 1, 0), kind="mean", images=2, open="nhw"
    ),
    # Bytes.
    Case(24, 40, (3, 3), [(12, 13), (31, 64)], pads=(1, 1, 1, 1), kind="i8"),
]


def convolve(case, x, w):
    """The convolution in f64, or exactly in integers."""
    n, c, rows, columns = x.shape
    top, left, bottom, right = case.pads
    padded = np.pad(x, [(0, 0), (0, 0), (top, bottom), (left, right)])
    high, wide = (
        (size - case.dilation * (taps - 1) - 1) // case.stride + 1
        for size, taps in zip(padded.shape[2:], case.window, strict=True)
    )
    padded = padded.reshape(n, case.groups, c // case.groups, *padded.shape[2:])
    filters = w.reshape(case.groups, -1, c // case.groups, *case.window)
    total = np.zeros((n, case.groups, filters.shape[1], high, wide), x.dtype)
    for i in range(case.window[0]):
        for j in range(case.window[1]):
            seen = padded[..., i * case.dilation :: case.stride, j * case.dilation :: case.stride][..., :high, :wide]
            total += np.einsum("ngchw,gkc->ngkhw", seen, filters[..., i, j])
    return total.reshape(n, -1, high, wide)


def pool(case, x):
    """The pooling in f64."""
    top, left, bottom, right = case.pads
    outside = -np.inf if case.kind == "max" else np.nan
    padded = np.pad(x, [(0, 0), (0, 0), (top, bottom), (left, right)], constant_values=outside)
    seen = np.lib.stride_tricks.sliding_window_view(padded, case.window, (2, 3))[
        ..., :: case.stride, :: case.stride, :, :
    ]
    return seen.max((-2, -1)) if case.kind == "max" else np.nanmean(seen, (-2, -1))


def build(path, case, rng):
    """Writes the model; gives its filters, and what computes inputs and results for images of some size."""
    shape = (case.filters, case.channels // case.groups, *case.window)
    integers = case.kind == "i8"
    dims = lambda channels, rows: [
        "n" if "n" in case.open else case.images,
        channels,
        f"h{rows}" if "h" in case.open else None,
        f"w{rows}" if "w" in case.open else None,
    ]
    fixed = convolve(case, np.zeros((1, case.channels, *case.sizes[0])), np.zeros(shape)).shape[2:]
    close = lambda sizes, places: [n if n is not None else places[d - 2] for d, n in enumerate(sizes)]
    given = close(dims(case.channels, ""), case.sizes[0])
    made = close(dims(case.filters, "o"), fixed)
    attributes = {
        "pads": list(case.pads),
        "strides": [case.stride] * 2,
        "dilations": [case.dilation] * 2,
        "group": case.groups,
    }
    weights, inputs, nodes = {}, {}, []
    if integers:
        w = rng.integers(-127, 128, shape).astype(np.int8)
        weights |= {"w": w, "zero": np.array(113, np.uint8)}
        nodes.append(helper.make_node("ConvInteger", ["x", "w", "zero"], ["o"], **attributes))
        results = {"o": (TensorProto.INT32, made)}
        inputs["x"] = (TensorProto.UINT8, given)
    else:
        w = rng.standard_normal(shape).astype(np.float16 if case.kind == "f16" else np.float32)
        if case.kind in POOLINGS:
            del attributes["group"], attributes["dilations"]
            nodes.append(
                helper.make_node(POOLINGS[case.kind], ["x"], ["c"], kernel_shape=list(case.window), **attributes)
            )
        else:
            weights["w"], name = w, "w"
            if case.kind == "f16":
                nodes.append(helper.make_node("Cast", ["w"], ["wide"], to=TensorProto.FLOAT))
                name = "wide"
            nodes.append(helper.make_node("Conv", ["x", name], ["c"], **attributes))
        inputs["x"] = (TensorProto.FLOAT, given)
        results = {"o": (TensorProto.FLOAT, made)}
        if case.then == "none":
            nodes[-1].output[0] = "o"
        elif case.then == "residual":
            inputs["r"] = (TensorProto.FLOAT, made)
            nodes.append(helper.make_node("Add", ["c", "r"], ["o"]))
        elif case.then == "scale":
            inputs["s"] = (TensorProto.FLOAT, [made[0], case.filters, 1, 1])
            nodes.append(helper.make_node("Mul", ["c", "s"], ["o"]))
        elif case.then == "last":
            nodes.append(helper.make_node("Transpose", ["c"], ["o"], perm=[0, 2, 3, 1]))
            results["o"] = (TensorProto.FLOAT, [made[0], made[2], made[3], made[1]])
        elif case.then == "two":
            nodes += [helper.make_node("Relu", ["c"], ["o"]), helper.make_node("Neg", ["c"], ["p"])]
            results["p"] = (TensorProto.FLOAT, made)
        else:
            nodes.append(helper.make_node("Relu", ["c"], ["o"]))
    describe = lambda all: [helper.make_tensor_value_info(name, *what) for name, what in all.items()]
    graph = helper.make_graph(
        nodes,
        "g",
        describe(inputs),
        describe(results),
        [numpy_helper.from_array(a, name) for name, a in weights.items()],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return w, list(results)


def expected(case, x, w, others):
    if case.kind == "i8":
        return [convolve(case, x.astype(np.int64) - 113, w.astype(np.int64))]
    x = x.astype(np.float64)
    c = pool(case, x) if case.kind in POOLINGS else convolve(case, x, w.astype(np.float64))
    if case.then == "none":
        return [c]
    if case.then == "residual":
        return [c + others["r"]]
    if case.then == "scale":
        return [c * others["s"]]
    if case.then == "last":
        return [c.transpose(0, 2, 3, 1)]
    if case.then == "two":
        return [np.maximum(c, 0), -c]
    return [np.maximum(c, 0)]


def sample(case, rng, size, places):
    """Random inputs for images of some size."""
    shape = (case.images, case.channels, *size)
    if case.kind == "i8":
        return {"x": rng.integers(0, 256, shape).astype(np.uint8)}
    inputs = {"x": rng.standard_normal(shape).astype(np.float32)}
    if case.then == "residual":
        inputs["r"] = rng.standard_normal((case.images, case.filters, *places)).astype(np.float32)
    if case.then == "scale":
        inputs["s"] = rng.standard_normal((case.images, case.filters, 1, 1)).astype(np.float32)
    return inputs


def run(command, case):
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, f"{case}: {' '.join(command)}\n{done.stderr}"


def compare(folder, number, case, targets):
    """Compares all sizes on all targets."""
    path, rng = os.path.join(folder, "m.onnx"), np.random.default_rng(number)
    w, results = build(path, case, rng)
    runs = []
    for at, size in enumerate(case.sizes):
        places = convolve(case, np.zeros((1, case.channels, *size)), np.zeros(w.shape)).shape[2:]
        inputs = sample(case, rng, size, places)
        given = []
        for name, value in inputs.items():
            file = os.path.join(folder, f"{name}{at}.npy")
            np.save(file, value)
            given.append(f"--input={name}=@{file}")
        runs.append((size, given, expected(case, inputs["x"], w, inputs)))
    program = os.path.join(folder, "m.so")
    for target in targets:
        run(["hal-compile", path, "-o", program, f"--target={target}"], case)
        for size, given, wanted in runs:
            files = {name: os.path.join(folder, f"{name}.out.npy") for name in results}
            run(
                ["hal-run", program, *given, *(f"--output={name}=@{file}" for name, file in files.items())],
                (case, size),
            )
            for want, file in zip(wanted, files.values(), strict=True):
                got = np.load(file)
                assert got.shape == want.shape, f"{number}, {case}, {size}, {target}: {got.shape}, not {want.shape}"
                apart = np.abs(got - want).max() / max(np.abs(want).max(), 1)
                assert apart < 2e-5, f"{number}, {case}, {size}, {target}: {apart}"


def random_cases(rng):
    """Convolutions and poolings of any kind, without end."""
    pick = lambda *choices: choices[rng.integers(len(choices))]
    while True:
        window = tuple(int(n) for n in pick((1, 1), (3, 3), (3, 3), rng.integers(1, 6, 2)))
        stride, dilation = int(pick(1, 1, 2, 3)), int(pick(1, 1, 1, 2))
        pads = tuple(int(n) for n in rng.integers(0, 3, 4))
        kind = str(pick("f32", "f32", "f32", "f16", "i8", "max", "mean"))
        then = str(pick("none", "relu", "residual", "scale", "last", "two"))
        if kind in POOLINGS:
            # No window lies on padding alone.
            dilation, pads = 1, tuple(int(rng.integers(0, window[at % 2])) for at in range(4))
        least = [max(1, dilation * (taps - 1) + 1 - pads[at] - pads[at + 2]) for at, taps in enumerate(window)]
        sizes = [tuple(int(low + rng.integers(0, pick(4, 20, 70))) for low in least) for _ in range(4)]
        opened = str(pick("hw", "hw", "nhw", "h", "w"))
        if "h" not in opened:
            sizes = [(sizes[0][0], wide) for _, wide in sizes]
        if "w" not in opened:
            sizes = [(high, sizes[0][1]) for high, _ in sizes]
        if kind in POOLINGS or rng.random() < 0.3:
            channels = int(rng.integers(8, 70))
            filters, groups = channels, channels
        else:
            groups = int(pick(1, 1, 1, 2, 3))
            channels, filters = (int(n) * groups for n in (rng.integers(1, pick(40, 400)), rng.integers(1, 80)))
        images = int(rng.integers(1, 3))
        yield Case(channels, filters, window, sizes, stride, dilation, pads, groups, images, then, kind, opened)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=6)
    parser.add_argument("--targets", default=TARGETS)
    a = parser.parse_args()
    os.makedirs(a.folder, exist_ok=True)
    more = random_cases(np.random.default_rng(a.seed))
    cases = FIXED + [next(more) for _ in range(a.count)]
    for number, case in enumerate(cases):
        compare(a.folder, number, case, a.targets.split(","))
    print(f"{len(cases)} cases agree")


if __name__ == "__main__":
    main()
