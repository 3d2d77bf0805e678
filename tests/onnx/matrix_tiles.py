#!/usr/bin/env python3
"""Matrix tiles (AMX) multiply the bytes of convolutions and products, exactly: any size, window, step, dilation, group, sign and zero point; and
what follows the sums is what it is on CPUs without them. Runs where the CPU has them, and compiles elsewhere.

usage: matrix_tiles.py FOLDER [--seed=N] [--count=N]       # so many random convolutions beside the fixed ones
"""

import numpy as np
import onnxruntime
from byte_convolutions import Convolutions, model
from onnx import TensorProto, helper, numpy_helper
from together import Together, arguments

TILES = "cpu:sapphirerapids"
WITHOUT = "cpu:native,-amx-int8,-amx-tile,-amx-bf16"
# Random cases in one program.
TOGETHER = 20
# Images, channels, filters, rows, columns; window (rows, columns), stride, dilation, padding, groups.
CONVOLUTIONS = [
    # Whole steps, a rest, less than a step; rows of many points, of few, of some of several rows; filters that fill no vector, no block.
    ((1, 64, 64, 12, 20), ((1, 1), 1, 1, 0, 1)),
    ((2, 150, 40, 7, 7), ((1, 1), 1, 1, 0, 1)),
    ((1, 33, 17, 5, 300), ((1, 1), 1, 1, 0, 1)),
    ((1, 128, 288, 9, 14), ((1, 1), 1, 1, 0, 1)),
    ((1, 128, 288, 14, 9), ((1, 1), 2, 1, 0, 1)),
    ((2, 64, 48, 16, 18), ((3, 3), 1, 1, 1, 1)),
    ((1, 70, 33, 9, 40), ((3, 3), 2, 1, 1, 1)),
    ((1, 64, 32, 20, 19), ((3, 3), 1, 2, 2, 1)),
    ((1, 20, 64, 20, 19), ((3, 3), 1, 2, 2, 1)),
    # Groups of channels that are interleaved, transposed, or neither; taps in one row or column.
    ((1, 3, 64, 37, 30), ((7, 7), 2, 1, 3, 1)),
    ((2, 7, 20, 21, 23), ((3, 3), 1, 1, 1, 1)),
    ((1, 16, 32, 30, 21), ((3, 3), 1, 1, 1, 1)),
    ((1, 9, 32, 30, 21), ((3, 3), 1, 1, 1, 1)),
    ((1, 80, 50, 11, 12), ((3, 3), 1, 1, [1, 0, 2, 1], 1)),
    ((1, 18, 33, 6, 17), ((5, 1), 1, 1, 0, 1)),
    ((1, 18, 33, 6, 17), ((1, 5), 1, 1, 2, 1)),
    ((2, 40, 96, 9, 7), ((3, 3), 1, 1, 1, 2)),
    ((1, 90, 160, 11, 5), ((3, 2), 2, 1, 1, 5)),
    # One row; rows that end within a run, or do not fit a cache.
    ((1, 64, 32, 1, 3000), ((1, 5), 1, 1, [0, 2, 0, 2], 1)),
    ((1, 20, 40, 1, 700), ((1, 3), 2, 1, [0, 1, 0, 1], 1)),
    ((1, 64, 48, 3, 260), ((3, 3), 1, 1, 1, 1)),
    ((1, 256, 36, 4, 2500), ((3, 3), 1, 1, [0, 1, 0, 1], 1)),
]
# Points of one row, or of rows that do not fit a cache, are taken tile by tile, without matrix tiles.
WIDE = [((1, 64, 64, 1, 260), ((1, 1), 1, 1, 0, 1)), ((1, 512, 40, 2, 3000), ((1, 1), 1, 1, 0, 1))]
# Rows, steps, columns of products.
PRODUCTS = [(64, 128, 160), (5, 200, 96), (49, 70, 257), (33, 768, 64), (16, 1024, 48), (200, 67, 300)]


def has_tiles():
    with open("/proc/cpuinfo") as file:
        return " amx_int8" in file.read()


def anything(rng):
    """A convolution that networks could have."""
    window = (1, 1) if rng.random() < 0.3 else tuple(int(n) for n in rng.integers(1, 8, 2))
    dilation = int(rng.choice([1, 1, 1, 2, 3]))
    reach = [(size - 1) * dilation + 1 for size in window]
    most = [40, 40] if rng.random() < 0.8 else [3, 2500]
    sizes = [int(size + n) for size, n in zip(reach, rng.integers(1, most), strict=True)]
    groups = int(rng.choice([1, 1, 1, 2, 3]))
    channels = int(rng.choice([rng.integers(12, 150), rng.integers(1, 40), 64, 96]))
    pad = [int(n) for n in rng.integers(0, 3, 4)]
    step = int(rng.choice([1, 1, 2, 3]))
    shape = (int(rng.integers(1, 3)), channels * groups, int(rng.integers(4, 100)) * groups, *sizes)
    return shape, (window, step, dilation, pad, groups)


def exact(folder, cases, runs, only_points=False):
    program = Convolutions(folder, cases)
    explained, objects = program.translated(f"--target={TILES}")
    for case, why, text in zip(cases, explained, objects, strict=True):
        (_, channels, _, _, columns), (window, *_, groups) = case[1]
        if window == (1, 1) and columns > 100 and not only_points:
            # Long rows of points are of either kind, by their bytes and the filters.
            continue
        group = (channels // groups + 3) // 4
        # Few channels of one point take as long otherwise.
        tiles = not only_points and (group >= 8 if window == (1, 1) else group * window[1] >= 3)
        assert ("by matrix tiles" in why) == tiles, f"{case}: {why}"
        assert ('layout = "byte_tap_blocks"' in text) == (tiles and window != (1, 1)), f"{case}: {why}"
    if runs:
        program.check("cpu")


def products(folder, runs):
    models, inputs, expected = [], [], []
    for number, (rows, steps, columns) in enumerate(PRODUCTS):
        rng = np.random.default_rng(number)
        x = rng.integers(0, 256, (rows, steps)).astype(np.uint8)
        w = rng.integers(-128, 128, (steps, columns)).astype(np.int8)
        zero = [0, 255, 100][number % 3]
        weights = [numpy_helper.from_array(w, "w"), numpy_helper.from_array(np.array(zero, np.uint8), "z")]
        graph = helper.make_graph(
            [helper.make_node("MatMulInteger", ["x", "w", "z"], ["o"])],
            "g",
            [helper.make_tensor_value_info("x", TensorProto.UINT8, x.shape)],
            [helper.make_tensor_value_info("o", TensorProto.INT32, None)],
            weights,
        )
        models.append(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8))
        inputs.append({"x": x})
        expected.append(((x.astype(np.int64) - zero) @ w.astype(np.int64)).astype(np.int32))
    program = Together(folder, models)
    for shape, why in zip(PRODUCTS, program.translated(f"--target={TILES}")[0], strict=True):
        assert ("by matrix tiles" in why) == (shape[0] >= 4), f"{shape}: {why}"
    if runs:
        program.compiled("--target=cpu")
        for shape, (got,), wanted in zip(PRODUCTS, program.run(inputs), expected, strict=True):
            assert np.array_equal(got, wanted), shape
        # Rows that only the run knows: none, one, a part of a tile, several.
        for made in models:
            made.graph.input[0].type.tensor_type.shape.dim[0].dim_param = "rows"
        program = Together(folder, models)
        program.compiled("--target=cpu")
        for rows in (0, 1, 15, 17, 33):
            some = [{"x": given["x"][:rows]} for given in inputs]
            for shape, (got,), wanted in zip(PRODUCTS, program.run(some), expected, strict=True):
                assert np.array_equal(got, wanted[:rows]), f"{rows} rows of {shape}"


def batches(folder):
    """Numbers of images that only the run knows."""
    models, inputs, expected = zip(
        *(model(at, case) for at, case in enumerate(CONVOLUTIONS) if case[0][0] == 2), strict=True
    )
    for made in models:
        made.graph.input[0].type.tensor_type.shape.dim[0].dim_param = "images"
    program = Together(folder, models)
    program.compiled("--target=cpu")
    for repeated in (0, 1, 3):
        several = [{"x": np.concatenate([given["x"]] * repeated + [given["x"][:1]])} for given in inputs]
        for at, ((got,), wanted) in enumerate(zip(program.run(several), expected, strict=True)):
            wanted = np.concatenate([wanted] * repeated + [wanted[:1]])
            assert np.array_equal(got, wanted), f"{repeated} times model {at}"


def quantised(number, case):
    """A convolution whose result is quantised, after which an image may be added, as in networks with residuals."""
    (n, c, k, rows, columns), (window, stride, dilation, pad, groups) = case
    rng = np.random.default_rng(number)
    pads = [pad] * 4 if isinstance(pad, int) else pad
    high, wide = (
        (size + pads[at] + pads[at + 2] - dilation * (taps - 1) - 1) // stride + 1
        for at, (size, taps) in enumerate(zip((rows, columns), window, strict=True))
    )
    x = rng.integers(0, 256, (n, c, rows, columns)).astype(np.uint8)
    r = rng.integers(0, 256, (n, k, high, wide)).astype(np.uint8)
    w = rng.integers(-128, 128, (k, c // groups, *window)).astype(np.int8)
    scale = np.float32(0.02)
    # Results fill the range of a byte, and leave it at times.
    step = np.float32(np.sqrt(w[0].size) * 74 * 74 * 1e-4 * scale / 50)
    stored = {
        "xs": scale,
        "xz": np.uint8([0, 128, 7][number % 3]),
        "w": w,
        "ws": (rng.random(k) + 0.5).astype(np.float32) * np.float32(1e-4),
        "wz": np.zeros(k, np.int8),
        "ys": step,
        "yz": np.uint8(121),
        "b": rng.integers(-5000, 5000, k).astype(np.int32),
    }
    names = ["x", "xs", "xz", "w", "ws", "wz", "ys", "yz", "b"]
    conv = helper.make_node("QLinearConv", names, ["y"], pads=pads, strides=[stride] * 2, dilations=[dilation] * 2, group=groups)  # fmt: skip
    nodes, inputs = [conv], {"x": x}
    if number % 2:
        inputs["r"] = r
        stored |= {"rs": np.float32(step * 0.7), "rz": np.uint8(3), "os": np.float32(step * 1.3), "oz": np.uint8(90)}
        nodes += [
            helper.make_node("DequantizeLinear", ["y", "ys", "yz"], ["a"]),
            helper.make_node("DequantizeLinear", ["r", "rs", "rz"], ["c"]),
            helper.make_node("Add", ["a", "c"], ["d"]),
            helper.make_node("Relu", ["d"], ["e"]),
            helper.make_node("QuantizeLinear", ["e", "os", "oz"], ["o"]),
        ]
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info(name, TensorProto.UINT8, array.shape) for name, array in inputs.items()],
        [helper.make_tensor_value_info("o" if number % 2 else "y", TensorProto.UINT8, None)],
        [numpy_helper.from_array(np.asarray(value), name) for name, value in stored.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8), inputs


def finished(folder, cases):
    """The results are those without tiles, and within a step of onnxruntime's."""
    models, inputs = zip(*(quantised(*case) for case in cases), strict=True)
    program = Together(folder, models)
    results = []
    for target in ("cpu", WITHOUT):
        program.compiled(f"--target={target}")
        results.append(program.run(inputs))
    for case, made, feeds, (tiles,), (plain,) in zip(cases, models, inputs, *results, strict=True):
        assert np.array_equal(tiles, plain), f"{case}: {(tiles != plain).mean():.3f} of it is wrong"
        session = onnxruntime.InferenceSession(made.SerializeToString(), providers=["CPUExecutionProvider"])
        (wanted,) = session.run(None, feeds)
        apart = np.abs(tiles.astype(int) - wanted).max()
        assert apart <= 2 and 0 < np.mean((wanted > 0) & (wanted < 255)), f"{case}: {apart} steps"


def main(folder, seed, count):
    runs = has_tiles()
    exact(folder, list(enumerate(CONVOLUTIONS)), runs)
    exact(folder, list(enumerate(WIDE)), runs, only_points=True)
    products(folder, runs)
    if runs:
        # Each with all zero points and signs, and with both ends.
        exact(folder, [(at + 7, case) for at, case in enumerate(CONVOLUTIONS)], runs)
        batches(folder)
        finished(folder, [(at + n, case) for at, case in enumerate(CONVOLUTIONS) for n in range(2)])
    else:
        print("not run: this CPU has no matrix tiles")
    rng = np.random.default_rng(seed)
    for first in range(0, count, TOGETHER):
        cases = [(int(rng.integers(1 << 16)), anything(rng)) for _ in range(first, min(first + TOGETHER, count))]
        exact(folder, cases, runs)
        if runs:
            finished(folder, cases)


if __name__ == "__main__":
    main(*arguments())
