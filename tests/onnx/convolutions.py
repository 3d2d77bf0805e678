#!/usr/bin/env python3
"""Convolutions whose weights are known take them packed on CPUs, with every size, stride, padding and epilogue right.

usage: convolutions.py FOLDER [vulkan | mixed]
"""

import os
import re
import sys

import numpy as np
import safetensors
from onnx import helper, numpy_helper
from together import Together, run

# Images, channels, filters, rows, columns; window, stride, dilation, padding; what follows.
FILTERED = [
    ((1, 32, 32, 13, 13), (3, 1, 1, 1), "relu"),
    ((2, 40, 44, 14, 15), (3, 1, 1, 1), "residual"),
    ((1, 33, 100, 17, 30), (3, 1, 1, 1), "relu"),
    ((1, 32, 40, 16, 16), (3, 1, 1, 0), "relu"),
    ((1, 32, 32, 20, 150), (3, 1, 1, 2), "relu"),
    ((3, 32, 64, 12, 12), (3, 1, 1, 1), "relu"),
    ((1, 16, 32, 12, 12), (3, 1, 1, 1), "nothing"),
    # Small images, few channels, few filters.
    ((1, 16, 60, 5, 5), (3, 1, 1, 1), "residual"),
    ((2, 8, 20, 6, 9), (3, 1, 1, 1), "relu"),
    ((1, 300, 64, 7, 7), (3, 1, 1, 1), "residual"),
]
PACKED = [
    ((1, 128, 64, 7, 7), (1, 1, 1, 0), "residual"),
    ((1, 3, 64, 40, 20), (7, 2, 1, 3), "relu"),
    ((2, 17, 96, 9, 13), (3, 2, 1, 1), "residual"),
    ((1, 20, 64, 12, 11), (5, 1, 1, 2), "residual"),
    ((1, 20, 32, 20, 20), (3, 1, 2, 2), "residual"),
    ((1, 64, 128, 14, 14), (1, 2, 1, 0), "nothing"),
    ((1, 16, 60, 4, 5), (3, 1, 1, 1), "residual"),
    ((1, 133, 124, 6, 6), (1, 1, 1, 0), "residual"),
    ((1, 16, 32, 3, 2), (1, 1, 1, 0), "residual"),
    ((1, 8, 32, 1, 2), (1, 1, 1, 0), "relu"),
    ((1, 7, 64, 10, 17), (3, 1, 1, 1), "relu"),
    # Elements of windows lie in the padding for whole tiles: all but one, some, for outermost results all.
    ((1, 24, 64, 17, 17), (3, 1, 12, 12), "residual"),
    ((2, 16, 64, 14, 9), (3, 1, 6, 6), "relu"),
    ((1, 16, 64, 10, 32), (3, 1, 36, 36), "nothing"),
    ((1, 12, 64, 21, 8), (5, 1, 4, 8), "relu"),
    ((1, 16, 64, 15, 15), (3, 2, 5, 5), "relu"),
    ((1, 16, 64, 15, 40), (3, 2, 7, 11), "residual"),
    ((1, 16, 64, 9, 9), (3, 1, 3, 12), "relu"),
]
# Large enough for tiles of 4x4 outputs.
LARGE = [((1, 32, 64, 28, 28), (3, 1, 1, 1), "residual"), ((1, 33, 48, 27, 46), (3, 1, 1, 1), "relu")]
# Too few filters; images wide enough for the lanes.
PLAIN = [((1, 32, 8, 14, 14), (3, 1, 1, 1), "relu"), ((1, 64, 64, 4, 16), (3, 1, 1, 1), "relu")]
# With groups, of which each has the filters' channels; the last ones too few filters for each.
GROUPED = [
    ((1, 24, 64, 17, 17), (3, 1, 1, 1), "residual", 2),
    ((2, 80, 96, 9, 17), (3, 2, 1, 1), "relu", 4),
    ((3, 96, 93, 17, 1), (1, 1, 1, 0), "nothing", 3),
    ((1, 32, 80, 17, 20), (5, 1, 12, 24), "residual", 2),
    ((1, 32, 48, 17, 17), (3, 1, 1, 1), "transposed", 4),
]
PLAIN_GROUPS = [((1, 32, 32, 17, 17), (3, 1, 1, 1), "relu", 4)]
# For vectors of eight lanes: tiles of four to six points, of which two or three elements of a window are multiplied in one step of a loop.
NARROW = [
    ((1, 64, 64, 4, 7), (3, 1, 1, 1), "residual"),
    ((1, 512, 512, 7, 7), (1, 1, 1, 0), "residual"),
    ((2, 37, 44, 11, 13), (5, 2, 1, 2), "relu"),
    ((1, 20, 64, 12, 11), (5, 1, 1, 2), "residual"),
    ((1, 3, 40, 64, 48), (16, 16, 1, 0), "nothing"),
    ((1, 24, 64, 17, 17), (3, 1, 12, 12), "residual"),
    # 58 GFLOP/s, with lanes along the rows 35 (AVX2, 2026-11-27).
    ((1, 5, 10, 60, 61), (5, 3, 1, 0), "residual"),
]
# Lanes along rows of the image, of which every second or third element is read.
STEPS = [((1, 3, 18, 65, 64), (7, 2, 1, 3), "relu"), ((1, 5, 6, 60, 61), (5, 3, 1, 0), "residual")]
# Windows of one element: tiles of pixels whose channels lie far apart are copied together. Planes of whole pages and others; whole tiles and
# not; several images.
COPIED = [
    ((1, 64, 40, 64, 64), (1, 1, 1, 0), "residual"),
    ((1, 400, 48, 14, 14), (1, 1, 1, 0), "relu"),
    ((1, 201, 61, 31, 33), (1, 1, 1, 0), "residual"),
    ((2, 160, 36, 32, 32), (1, 1, 1, 0), "relu"),
]
# The same of every second or third pixel.
COPIED_STEPS = [
    ((1, 130, 64, 28, 28), (1, 2, 1, 0), "residual"),
    ((1, 64, 61, 33, 47), (1, 2, 1, 0), "relu"),
    ((2, 24, 40, 40, 25), (1, 3, 1, 0), "nothing"),
]
# Results whose filters lie side by side.
TRANSPOSED = [
    ((1, 16, 60, 4, 5), (3, 1, 1, 1), "transposed", 1),
    ((2, 15, 40, 9, 17), (3, 2, 1, 1), "transposed", 1),
    ((1, 20, 36, 30, 19), (2, 1, 1, 0), "transposed", 1),
]
# Of f16: as of f32, and where lanes along the image would each become f32.
HALVES = {
    "winograd2": [((1, 32, 40, 14, 17), (3, 1, 1, 1), "residual", 1), ((2, 20, 64, 14, 14), (3, 1, 1, 0), "relu", 1)],
    "filter_blocks": [
        ((1, 20, 72, 17, 33), (3, 2, 1, 1), "residual", 1),
        ((2, 7, 24, 30, 40), (3, 1, 1, 1), "relu", 1),
        ((1, 24, 64, 17, 17), (3, 1, 12, 12), "nothing", 1),
        ((1, 160, 64, 5, 5), (1, 1, 1, 0), "transposed", 1),
        ((2, 24, 40, 17, 11), (3, 1, 1, 1), "residual", 2),
    ],
    None: [((1, 16, 8, 32, 32), (3, 1, 1, 1), "relu", 1)],
}

SAID = {
    "winograd2": "minimal filtering F(2×2, 3×3)",
    "winograd4": "minimal filtering F(4×4, 3×3)",
    "filter_blocks": "packed filters",
}


def model(case, kind=np.float32):
    """A convolution and what follows, its inputs and its result."""
    (n, c, k, rows, columns), (window, stride, dilation, pad), follows, *groups = case
    groups = groups[0] if groups else 1
    rng = np.random.default_rng(sum(case[0]) + sum(case[1]))
    numbers = lambda *size: rng.standard_normal(size).astype(kind)
    x, w, bias = numbers(n, c, rows, columns), numbers(k, c // groups, window, window), numbers(k)
    high, wide = ((size + 2 * pad - dilation * (window - 1) - 1) // stride + 1 for size in (rows, columns))
    r = numbers(n, k, high, wide)
    inputs = {"x": x} | ({"r": r} if follows == "residual" else {})
    attributes = {"pads": [pad] * 4, "strides": [stride] * 2, "dilations": [dilation] * 2, "group": groups}
    if follows == "nothing":
        nodes = [helper.make_node("Conv", ["x", "w"], ["o"], **attributes)]
    else:
        last = "t" if follows == "transposed" else "o"
        nodes = [helper.make_node("Conv", ["x", "w", "b"], ["y"], **attributes)]
        nodes += [helper.make_node("Add", ["y", "r"], ["s"])] if follows == "residual" else []
        nodes += [helper.make_node("Relu", ["s" if follows == "residual" else "y"], [last])]
        nodes += [helper.make_node("Transpose", ["t"], ["o"], perm=[0, 2, 3, 1])] if last == "t" else []
    info = lambda name, size: helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(np.dtype(kind)), size)
    weights = [numpy_helper.from_array(w, "w"), numpy_helper.from_array(bias, "b")]
    result = info("o", None) if follows == "transposed" else info("o", r.shape)
    graph = helper.make_graph(nodes, "g", [info(i, v.shape) for i, v in inputs.items()], [result], weights)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8)
    padded = np.pad(x.astype(np.float64), [(0, 0), (0, 0), (pad, pad), (pad, pad)])
    padded = padded.reshape(n, groups, c // groups, *padded.shape[2:])
    w = w.astype(np.float64).reshape(groups, k // groups, *w.shape[1:])
    total = np.zeros((n, groups, k // groups, high, wide))
    for i in range(window):
        for j in range(window):
            seen = padded[..., i * dilation :: stride, j * dilation :: stride][..., :high, :wide]
            total += np.einsum("ngchw,gkc->ngkhw", seen, w[..., i, j])
    total = total.reshape(r.shape)
    if follows != "nothing":
        total = np.maximum(total + bias[:, None, None] + (r if follows == "residual" else 0), 0)
    if follows == "transposed":
        total = total.transpose(0, 2, 3, 1)
    return made, inputs, total.astype(kind)


class Convolutions(Together):
    """Convolutions in one program, with what each must give."""

    def __init__(self, folder, cases, kind=np.float32):
        models, self.inputs, self.expected = zip(*(model(case, kind) for case in cases), strict=True)
        super().__init__(folder, models)
        self.described, self.kind = cases, kind

    def check(self, device, most):
        """Runs the program on a device; the largest error of a result, relative to its largest number, must be below `most`."""
        for case, (got,), expected in zip(
            self.described, self.run(self.inputs, f"--device={device}"), self.expected, strict=True
        ):
            expected = expected.astype(np.float64)
            error = np.abs(got - expected).max() / np.abs(expected).max()
            assert error < most, f"{case} on {device}: {error}"


def compare(folder, cases, layout, *flags, kind=np.float32, also=""):
    """Compiles and runs convolutions whose kernels must take their weights in a layout, `None` is that of the model; `also` is said of each."""
    program = Convolutions(folder, cases, kind)
    assert program.imported().count("hal.weight") >= len(cases), f"{cases} {flags}"
    # Layouts depend on the width of vectors: they are those of AVX-512, whatever the machine.
    target = [] if any(flag.startswith("--target") for flag in flags) else ["--target=cpu:x86-64-v4"]
    explained, objects = program.translated(*flags, *target)
    gpu = "--target=vulkan" in flags
    said = "product over several loops" if gpu else SAID.get(layout, "")
    for case, why, text in zip(cases, explained, objects, strict=True):
        operation = "conv_2d_nchw_fchw" if case[3:] in ((), (1,)) else "conv_2d_ngchw_gfchw"
        assert operation in text, f"{case} {flags}"
        packed = re.findall(r"hal.packed = \[(.*?)\]", text)
        assert packed == ([f'{{argument = 1 : i32, layout = "{layout}"}}'] if layout else []), (
            f"{case} {flags}: {packed}"
        )
        assert said in why and also in why, f"{case} {flags}: {why}"
    program.compiled(*flags) if target else program.linked()
    most = {"winograd4": 1e-5}.get(layout, 3e-6) if kind is np.float32 else 1e-3
    program.check("vulkan" if gpu else "cpu", most)
    return program


def on_gpu(folder):
    """Kernels for GPUs take the model's weights."""
    compare(folder, [*FILTERED[:3], PACKED[1]], None, "--target=vulkan")
    compare(folder, LARGE[1:], None, "--target=vulkan", "--fast-math=winograd")


def mixed(folder):
    """Programs for CPUs and GPUs: right on both, and each form of the weight that a variant takes is in the archive once."""
    cpus = "--target=cpu:x86-64,cpu:x86-64-v3"
    cases = {FILTERED[1]: "w.winograd2", PACKED[2]: "w.filter_blocks", PLAIN[1]: None}
    program = Convolutions(folder, list(cases))
    for gpu in [False, True]:
        program.compiled(*([cpus, "--target=vulkan"] if gpu else [cpus]))
        with safetensors.safe_open(os.path.join(folder, "m.safetensors"), "numpy") as file:
            keys = set(file.keys())
        wanted = {f"c{at}_{packed or 'w'}" for at, packed in enumerate(cases.values())}
        wanted |= {f"c{at}_w" for at in range(len(cases))} if gpu else set()
        assert keys == wanted, f"{gpu}: {keys}"
        for device in ["cpu", "vulkan"] if gpu else ["cpu"]:
            program.check(device, 3e-6)


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    if sys.argv[2:]:
        return {"vulkan": on_gpu, "mixed": mixed}[sys.argv[2]](folder)
    for layout, cases in (("winograd2", FILTERED), ("filter_blocks", PACKED), (None, PLAIN)):
        compare(folder, cases, layout)
    narrow = "--target=cpu:x86-64-v3"
    program = compare(folder, NARROW, "filter_blocks", narrow)
    for name, (at,) in program.cases.items():
        # One element leaves no loop, nor do three in steps of two.
        if NARROW[at][1][0] > 3:
            text = run("hal-translate", program.mlir, narrow, "--emit=llvm", f"--executable={name}")
            assert "llvm.loop.unroll.disable" in text, f"{NARROW[at]}: LLVM may unroll"
    compare(folder, STEPS, None, narrow, also="with 8 lanes along loop")
    for target in ("x86-64-v3", "x86-64"):
        compare(folder, COPIED, None, f"--target=cpu:{target}", also="operand packed into panels")
        compare(folder, COPIED_STEPS, None, f"--target=cpu:{target}")
    compare(folder, GROUPED + TRANSPOSED, "filter_blocks")
    compare(folder, PLAIN_GROUPS, None)
    for layout, cases in HALVES.items():
        compare(folder, cases, layout, kind=np.float16)
    # Narrow vectors, with and without conversions of f16.
    for target in ("x86-64", "x86-64-v3"):
        compare(folder, [GROUPED[1], TRANSPOSED[1]], "filter_blocks", f"--target=cpu:{target}")
        for layout in ("winograd2", "filter_blocks"):
            compare(folder, HALVES[layout][:1], layout, f"--target=cpu:{target}", kind=np.float16)
    # Narrow vectors and no fused multiply-add.
    for layout, case in (("winograd2", FILTERED[1]), ("filter_blocks", PACKED[2])):
        compare(folder, [case], layout, "--target=cpu:x86-64")
    # Plain loops, which take the model's weights.
    compare(folder, [FILTERED[1], PACKED[2], GROUPED[0]], None, "-O0")
    compare(folder, HALVES["winograd2"][:1], None, "-O0", kind=np.float16)
    # Larger tiles, of which the last ones stand over.
    compare(folder, LARGE, "winograd4", "--fast-math=winograd")
    compare(folder, LARGE[1:], "winograd4", "--fast-math=winograd", "--target=cpu:x86-64-v3")


main()
