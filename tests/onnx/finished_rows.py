#!/usr/bin/env python3
"""Convolutions with much to compute after their sums agree with numpy, where rows of the result are finished at once: of f32 with an activation
and a residual, and of bytes that are made bytes again, on images of any width, with any window, step, groups and number of filters.

usage: finished_rows.py FOLDER [--seed=N] [--count=N]       # that many random cases beside the fixed ones
"""

import argparse
from dataclasses import dataclass

import numpy as np
from onnx import TensorProto, helper, numpy_helper
from together import Together

# Of the largest number of a result of f32; of bytes, one more or less may come out where a rounding is close.
CLOSE, ROUNDED = 1e-5, 0.01
TARGETS = ("cpu", "cpu:x86-64-v3", "cpu:x86-64-v2")
TOGETHER = 12


@dataclass
class Case:
    rows: int
    columns: int
    channels: int = 40
    filters: int = 40
    window: tuple = (1, 3)
    stride: int = 1
    groups: int = 1
    images: int = 1
    bytes: bool = False
    residual: bool = True


# Rows that fill vectors of eight and that do not, of one and of many; filters that do not fill a block; several stripes and images.
WIDTHS = [(5, 56), (28, 28), (15, 14), (7, 7), (9, 12), (3, 5), (13, 13), (6, 30), (4, 112), (2, 69), (9, 1)]
FIXED = [Case(*size, bytes=of_bytes) for size in WIDTHS for of_bytes in (False, True)]
FIXED += [Case(13, 28, 24, 45, (3, 3), bytes=of_bytes, images=2, residual=not of_bytes) for of_bytes in (False, True)]
FIXED += [Case(14, 14, 300, 9, (3, 3)), Case(28, 28, 256, 64, (1, 1), bytes=True), Case(9, 20, 48, 66, (3, 3), 2, 3)]
FIXED += [Case(11, 151, 48, 40, (3, 3), 2, bytes=of_bytes) for of_bytes in (False, True)]


def convolved(case, x, w):
    """The sums, with padding that keeps the size where steps do not change it."""
    high, wide = case.window
    x = np.pad(x, [(0, 0), (0, 0), (high // 2,) * 2, (wide // 2,) * 2])
    x = x.reshape(case.images, case.groups, -1, *x.shape[2:])
    w = w.reshape(case.groups, -1, *w.shape[1:])
    places = [(size - taps) // case.stride + 1 for size, taps in zip(x.shape[3:], case.window, strict=True)]
    total = 0
    for i in range(high):
        for j in range(wide):
            seen = x[..., i :: case.stride, j :: case.stride][..., : places[0], : places[1]]
            total = total + np.einsum("ngchw,gkc->ngkhw", seen, w[..., i, j])
    return total.reshape(case.images, -1, *places)


def build(case, rng):
    """The model of a case, its inputs and its result."""
    shape = (case.filters, case.channels // case.groups, *case.window)
    image = (case.images, case.channels, case.rows, case.columns)
    kind = TensorProto.UINT8 if case.bytes else TensorProto.FLOAT
    attributes = {
        "pads": [case.window[0] // 2, case.window[1] // 2] * 2,
        "strides": [case.stride] * 2,
        "group": case.groups,
    }
    bias = rng.standard_normal(case.filters).astype(np.float32)
    held, nodes = {"b": bias}, []
    if case.bytes:
        x, w = rng.integers(0, 256, image, np.uint8), rng.integers(-127, 128, shape, np.int8)
        scales = rng.uniform(0.001, 0.01, case.filters).astype(np.float32)
        held |= {
            "w": w,
            "sx": np.float32(0.02),
            "zx": np.uint8(117),
            "sw": scales,
            "zw": np.zeros_like(scales, np.int8),
        }
        nodes = [
            helper.make_node("DequantizeLinear", ["x", "sx", "zx"], ["xf"]),
            helper.make_node("DequantizeLinear", ["w", "sw", "zw"], ["wf"], axis=0),
        ]
        sums = convolved(case, x.astype(np.int64) - 117, w.astype(np.int64))
        y = sums * np.float64(np.float32(0.02)) * scales.astype(np.float64)[:, None, None]
    else:
        x, w = rng.standard_normal(image).astype(np.float32), rng.standard_normal(shape).astype(np.float32)
        held |= {"wf": w}
        y = convolved(case, x.astype(np.float64), w.astype(np.float64))
    y = y + bias.astype(np.float64)[:, None, None]
    nodes.append(helper.make_node("Conv", ["xf" if case.bytes else "x", "wf", "b"], ["c"], **attributes))
    nodes += [helper.make_node("Sigmoid", ["c"], ["g"]), helper.make_node("Mul", ["c", "g"], ["a"])]
    with np.errstate(over="ignore"):
        y = y / (1 + np.exp(-y))
    inputs, last = {"x": x}, "a"
    if case.residual:
        r = rng.integers(0, 256, y.shape, np.uint8) if case.bytes else rng.standard_normal(y.shape).astype(np.float32)
        inputs["r"] = r
        if case.bytes:
            held |= {"sr": np.float32(0.05), "zr": np.uint8(90)}
            nodes.append(helper.make_node("DequantizeLinear", ["r", "sr", "zr"], ["rf"]))
            r = (r.astype(np.float64) - 90) * np.float64(np.float32(0.05))
        nodes.append(helper.make_node("Add", [last, "rf" if case.bytes else "r"], ["s"]))
        y, last = y + r, "s"
    if case.bytes:
        scale = np.float32(max(np.abs(y).max() / 140, 1e-3))
        held |= {"sy": scale, "zy": np.uint8(128)}
        nodes.append(helper.make_node("QuantizeLinear", [last, "sy", "zy"], ["o"]))
        y = np.clip(np.rint(y / np.float64(scale)) + 128, 0, 255)
    else:
        nodes.append(helper.make_node("Identity", [last], ["o"]))
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info(name, kind, a.shape) for name, a in inputs.items()],
        [helper.make_tensor_value_info("o", kind, y.shape)],
        [numpy_helper.from_array(np.asarray(a), name) for name, a in held.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), inputs, y


def compare(case, got, want, target):
    assert got.shape == want.shape, f"{case} for {target}: {got.shape}, not {want.shape}"
    apart = np.abs(got.astype(np.float64) - want)
    if case.bytes:
        assert apart.max() <= 1 and (apart > 0).mean() <= ROUNDED, f"{case} for {target}: {apart.max()}, {apart.mean()}"
    else:
        assert apart.max() <= CLOSE * np.abs(want).max(), f"{case} for {target}: {apart.max()}"


def random_cases(rng):
    pick = lambda *choices: choices[rng.integers(len(choices))]
    while True:
        groups, window = int(pick(1, 1, 1, 2, 3)), tuple(int(n) for n in pick((1, 1), (3, 3), rng.integers(1, 6, 2)))
        rows, columns = (int(n) for n in (rng.integers(1, 30), rng.integers(1, pick(20, 70, 130))))
        channels, filters = (int(n) * groups for n in (rng.integers(1, 100), rng.integers(1, 70)))
        stride, images = int(pick(1, 1, 2)), int(pick(1, 1, 2))
        window = tuple(taps | 1 for taps in window)
        of_bytes, residual = bool(rng.random() < 0.5), bool(rng.random() < 0.6)
        yield Case(rows, columns, channels, filters, window, stride, groups, images, of_bytes, residual)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=8)
    a = parser.parse_args()
    more, finished = random_cases(np.random.default_rng(a.seed)), 0
    cases = FIXED + [next(more) for _ in range(a.count)]
    for at in range(0, len(cases), TOGETHER):
        some = cases[at : at + TOGETHER]
        models, inputs, wanted = zip(
            *(build(case, np.random.default_rng(a.seed + at + n)) for n, case in enumerate(some)), strict=True
        )
        program = Together(a.folder, models)
        for target in TARGETS:
            explained = program.compiled(f"--target={target}", "--explain")
            if target.endswith("v3"):
                finished += explained.count("finished")
            for case, (got,), want in zip(some, program.run(inputs), wanted, strict=True):
                compare(case, got, want, target)
    # Most of the fixed ones, whatever our numbers of cycles.
    assert finished >= len(FIXED) // 2, f"rows of {finished} are finished at once"
    print(f"{len(cases)} cases agree, rows of {finished} are finished at once")


if __name__ == "__main__":
    main()
