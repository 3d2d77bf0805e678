#!/usr/bin/env python3
"""Convolutions of bytes whose filters are known take them packed, and are exact: any size, window, step, dilation, group, sign and zero point.

usage: byte_convolutions.py FOLDER [--seed=N] [--count=N]       # so many random ones beside the fixed ones: of 3x3, and of few channels
"""

import numpy as np
from onnx import TensorProto, helper, numpy_helper
from together import Together, arguments

# Random cases in one program.
TOGETHER = 12
# Images, channels, filters, rows, columns; window (rows, columns), stride, dilation, padding, groups; the layout of the filters.
PACKED = [
    ((1, 32, 40, 7, 7), ((3, 3), 1, 1, 1, 1)),
    ((2, 33, 64, 9, 13), ((3, 3), 2, 1, 1, 1)),
    # Channels that fill no groups, windows of one row or column, padding that windows never leave, images that fill few lanes.
    ((1, 3, 24, 33, 30), ((7, 2), 2, 1, 3, 1)),
    ((1, 5, 96, 17, 4), ((1, 5), 1, 1, 2, 1)),
    ((3, 18, 33, 6, 17), ((5, 1), 1, 1, 0, 1)),
    ((1, 20, 64, 10, 9), ((3, 3), 1, 6, 6, 1)),
    ((1, 512, 64, 3, 3), ((1, 1), 1, 1, 0, 1)),
    ((2, 40, 96, 9, 7), ((3, 3), 1, 1, 1, 2)),
    ((1, 30, 160, 11, 5), ((3, 2), 2, 1, 1, 5)),
    ((1, 6, 66, 64, 64), ((16, 16), 16, 1, 0, 1)),
]
# Few channels: where registers load any number of bytes, lines of taps are packed by one load each. Lanes whose taps come from one load, from two
# and more; a last group that is not whole, lines that end with the image, padding, several images.
TAPS = [
    ((1, 3, 32, 33, 31), ((3, 3), 2, 1, 1, 1)),
    ((1, 3, 64, 37, 30), ((7, 7), 2, 1, 3, 1)),
    ((2, 3, 48, 16, 64), ((4, 4), 4, 1, 0, 1)),
    ((1, 1, 24, 20, 35), ((5, 5), 2, 1, 2, 1)),
    ((1, 6, 64, 64, 256), ((16, 16), 16, 1, 0, 1)),
    ((1, 2, 64, 35, 150), ((9, 9), 9, 1, 1, 1)),
    ((1, 5, 64, 12, 44), ((3, 7), 2, 1, [0, 5, 1, 2], 1)),
]
# The same on CPUs that multiply bytes; on those that multiply words in pairs they are computed by Winograd's algorithm. Odd numbers of channels,
# rows and columns, filters that do not fill a block, more than one image, no padding, more padding than windows need, a long row.
WORDS = [
    # One vector of filters beside whole vectors of pixels: rows of 16, two rows of 8.
    ((1, 64, 64, 5, 16), ((3, 3), 1, 1, 1, 1)),
    ((1, 64, 48, 9, 8), ((3, 3), 1, 1, 1, 1)),
    ((2, 33, 60, 15, 18), ((3, 3), 1, 1, 0, 1)),
    ((3, 40, 96, 14, 14), ((3, 3), 1, 1, 1, 1)),
    ((1, 35, 64, 12, 11), ((3, 3), 1, 1, 2, 1)),
    ((1, 32, 32, 6, 150), ((3, 3), 1, 1, 1, 1)),
]
# Few steps of the sums on whole vectors of an image; few filters; one pixel.
PLAIN = [
    ((1, 8, 64, 32, 32), ((1, 1), 1, 1, 0, 1)),
    ((1, 64, 4, 16, 16), ((3, 3), 1, 1, 1, 1)),
    ((1, 64, 64, 3, 3), ((3, 3), 1, 1, 0, 1)),
]


def model(number, case, alike=None, given=False):
    """A convolution of bytes, its inputs and its result. Filters may be `alike` everywhere, and the zero point an input; padding is a number, or
    one for each side, as in `pads`."""
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
    pads = [pad] * 4 if isinstance(pad, int) else pad
    attributes = {"pads": pads, "strides": [stride] * 2, "dilations": [dilation] * 2, "group": groups}
    weights = [numpy_helper.from_array(w, "w")]
    elem = TensorProto.INT8 if signed else TensorProto.UINT8
    inputs, types = {"x": x}, [helper.make_tensor_value_info("x", elem, x.shape)]
    if zero is not None and given:
        inputs["z"] = np.array(zero, kind)
        types.append(helper.make_tensor_value_info("z", elem, []))
    elif zero is not None:
        weights.append(numpy_helper.from_array(np.array(zero, kind), "z"))
    graph = helper.make_graph(
        [helper.make_node("ConvInteger", operands, ["o"], **attributes)],
        "g",
        types,
        [helper.make_tensor_value_info("o", TensorProto.INT32, None)],
        weights,
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8)
    padded = np.pad(x.astype(np.int64) - (zero or 0), [(0, 0), (0, 0), (pads[0], pads[2]), (pads[1], pads[3])])
    high, wide = (
        (size - dilation * (taps - 1) - 1) // stride + 1 for size, taps in zip(padded.shape[2:], window, strict=True)
    )
    padded = padded.reshape(n, groups, c // groups, *padded.shape[2:])
    w = w.astype(np.int64).reshape(groups, k // groups, *w.shape[1:])
    total = np.zeros((n, groups, k // groups, high, wide), np.int64)
    for i in range(window[0]):
        for j in range(window[1]):
            seen = padded[..., i * dilation :: stride, j * dilation :: stride][..., :high, :wide]
            total += np.einsum("ngchw,gkc->ngkhw", seen, w[..., i, j])
    return made, inputs, total.reshape(n, k, high, wide).astype(np.int32)


class Convolutions(Together):
    """Numbered convolutions in one program, with what each must give."""

    def __init__(self, folder, cases):
        self.described = cases
        models, self.inputs, self.expected = zip(*(model(*case) for case in cases), strict=True)
        super().__init__(folder, models)

    def check(self, *targets):
        """Compiles them for some CPUs, and runs them."""
        for target in targets:
            self.compiled(f"--target={target}")
            for case, (got,), expected in zip(self.described, self.run(self.inputs), self.expected, strict=True):
                assert np.array_equal(got, expected), f"{case}, {target}: {(got != expected).mean():.3f} of it is wrong"


def compare(folder, cases, layout, words=False, taps=False):
    """Compiles and runs convolutions; where bytes are multiplied, their filters are in blocks, or in any other layout, or packed by lines of
    `taps`. Where words are, they are transformed if `words` says so."""
    pairs = (
        ("winograd2_words", "minimal filtering F(2×2, 3×3) of words")
        if words
        else ("byte_pair_blocks", "packed filters")
    )
    program = Convolutions(folder, cases)
    # Vectors of eight lanes, of four, and CPUs that multiply signed bytes alone, or words in pairs.
    for target in ("znver4", "alderlake", "neoverse-n1@aarch64-linux-gnu", "znver3"):
        explained, objects = program.translated(f"--target=cpu:{target}")
        for case, why, text in zip(cases, explained, objects, strict=True):
            if target == "znver4":
                assert ("lines of taps" in why) == taps, f"{case}: {why}"
                assert ('layout = "byte_blocks"' in text) == layout, f"{case}: {why}"
                assert ("packed filters" in why) == layout, f"{case}: {why}"
            if target == "znver3" and layout:
                assert f'layout = "{pairs[0]}"' in text, f"{case}: {why}"
                assert pairs[1] in why, f"{case}: {why}"
    program.check("cpu", "cpu:x86-64-v3", "cpu:x86-64-v2")


def randomly(rng):
    """A 3x3 convolution with steps of one, as networks have many."""
    small = rng.random() < 0.5
    sizes = [int(n) for n in rng.integers((4, 4), (20, 20) if small else (60, 60))]
    channels, filters = (int(rng.choice([rng.integers(1, 150), 32, 64, 128])) for _ in range(2))
    pad = int(rng.integers(3)) if rng.random() < 0.6 else [int(n) for n in rng.integers(0, 10, 4)]
    return (int(rng.integers(1, 3)), channels, filters, *sizes), ((3, 3), 1, 1, pad, 1)


def few_channels(rng):
    """A convolution of few channels, as networks begin with."""
    step, pad = int(rng.choice([1, 2, 2, 3, 4, 5, 7, 8, 14, 16])), int(rng.integers(4))
    window = tuple(int(n) for n in rng.integers(1, 9, 2)) if rng.random() < 0.7 else (step, max(step, 3))
    sizes = [int(n) for n in rng.integers(window, (40, 20 * step + 20))]
    return (int(rng.integers(1, 3)), int(rng.integers(1, 8)), int(rng.integers(4, 70)), *sizes), (
        window,
        step,
        1,
        pad,
        1,
    )


def main(folder, seed, count):
    compare(folder, list(enumerate(WORDS)), True, words=True)
    compare(folder, list(enumerate(PACKED)), True)
    compare(folder, list(enumerate(TAPS)), False, taps=True)
    # Each with all signs and zero points.
    more = range(1, 4)
    Convolutions(folder, [(at + 17 * n, case) for at, case in enumerate(PACKED) for n in more]).check("cpu")
    Convolutions(folder, [(at + n, case) for at, case in enumerate(WORDS) for n in more]).check("cpu:x86-64-v3")
    compare(folder, list(enumerate(PLAIN)), False)
    # Models that were never trained have layers of zeros.
    alike = [(0, 0), (4, -128), (8, 0), (9, 127)]
    compare(folder, [(number, PACKED[at], value) for number, (at, value) in enumerate(alike)], True)
    # Few of them and those of single channels are no tensors that each run fills.
    few = [((1, 64, 64, 12, 12), ((3, 3), 1, 1, 1, 64)), ((1, 16, 32, 12, 12), ((1, 1), 1, 1, 0, 1))]
    program = Convolutions(folder, [(1, case, 5) for case in few])
    text = program.imported()
    assert "iota" not in text and text.count("(dense<5> : tensor<") == len(few), text
    program.check("cpu")
    rng = np.random.default_rng(seed)
    for first in range(0, count, TOGETHER):
        numbers = range(first, min(first + TOGETHER, count))
        cases = [(int(rng.integers(1 << 16)), randomly(rng), None, rng.random() < 0.3) for _ in numbers]
        Convolutions(folder, cases).check("cpu:x86-64-v3", "cpu:x86-64-v2")
        cases = [(int(rng.integers(1 << 16)), few_channels(rng), None, rng.random() < 0.3) for _ in numbers]
        Convolutions(folder, cases).check("cpu", "cpu:icelake-client", "cpu:cascadelake")


if __name__ == "__main__":
    main(*arguments())
