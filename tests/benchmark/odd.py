#!/usr/bin/env python3
"""Odd convolutions and products beside OpenVINO (oneDNN) and onnxruntime: where does speed fall off a cliff?

Draws small models, each a convolution or a product with sizes, types and neighbours that no known model has: channels that fill no
vectors, dilation, groups, even and long filters, small images, one row, many images, sound, volumes, transposed convolutions, windows that do
not overlap, steps on large images of few channels, transposed operands and results, residuals, two results, f16 and quantised operands. Prints each ratio of the faster peer's time to ours (above 1: Halyard is faster), then the distribution, and keeps all samples
in tests/benchmark/runs. Candidates take turns on one thread. HALYARD_TOOLS and HALYARD_PEERS as for peers/run.py.

usage: odd.py [--count 300] [--seed 1] [--only REGEX] [--rounds 3] [--list]
"""

import argparse
import os
import random
import re
import shutil
import statistics
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "peers"))

import common  # noqa: E402

common.enter_peers()

import candidates  # noqa: E402
import numpy as np  # noqa: E402
import onnx  # noqa: E402
from onnx import TensorProto, helper, numpy_helper  # noqa: E402

candidates.MOMENT = 0.1
TYPES = {
    "f32": (TensorProto.FLOAT, np.float32),
    "f16": (TensorProto.FLOAT16, np.float16),
    "i8": (TensorProto.FLOAT, np.float32),
}
CHANNELS = [3, 8, 12, 20, 24, 32, 40, 48, 64, 72, 80, 96, 112, 128, 144, 160, 192, 200, 256, 320, 384]
IMAGES = [7, 8, 10, 13, 14, 16, 17, 20, 26, 28, 33, 40, 56, 65]
FILTERS = [(1, 1)] * 3 + [(3, 3)] * 5 + [(2, 2), (4, 4), (5, 5), (7, 7), (1, 3), (3, 1), (1, 7), (7, 1)]
AFTER = ["none", "none", "relu", "silu", "hswish", "gelu", "add", "add-relu", "both", "transpose", "scale"]
MOST = 4e8  # multiplications and additions


class Model:
    """A graph that grows node by node."""

    def __init__(self, kind, seed):
        self.kind, self.nodes, self.weights, self.inputs = kind, [], [], []
        self.numbers = np.random.default_rng(seed)
        self.onnx, self.numpy = TYPES[kind]

    def op(self, op, *operands, **attributes):
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, list(operands), [name], **attributes))
        return name

    def constant(self, array):
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(array, name))
        return name

    def number(self, value):
        return self.constant(np.array(value, self.numpy))

    def input(self, *shape):
        name = f"x{len(self.inputs)}"
        self.inputs.append((name, shape))
        return self.quantised(name)

    def quantised(self, x):
        """Through bytes, as quantisers write it."""
        if self.kind != "i8":
            return x
        scale, zero = self.constant(np.array(0.03, np.float32)), self.constant(np.array(128, np.uint8))
        return self.op("DequantizeLinear", self.op("QuantizeLinear", x, scale, zero), scale, zero)

    def weight(self, *shape, axis=0):
        if self.kind != "i8":
            return self.constant(self.numbers.normal(0, 0.05, shape).astype(self.numpy))
        bytes_ = self.constant(self.numbers.integers(-127, 128, shape).astype(np.int8))
        scales = self.constant(self.numbers.uniform(1e-3, 2e-3, shape[axis]).astype(np.float32))
        return self.op("DequantizeLinear", bytes_, scales, self.constant(np.zeros(shape[axis], np.int8)), axis=axis)

    def after(self, what, y, shape):
        """What follows; the results."""
        if what in ("add", "add-relu"):
            y = self.op("Add", y, self.input(*shape))
        if what in ("relu", "add-relu"):
            y = self.op("Relu", y)
        if what == "silu":
            y = self.op("Mul", y, self.op("Sigmoid", y))
        if what == "hswish":
            y = self.op("HardSwish", y)
        if what == "gelu":
            y = self.op("Gelu", y)
        if what == "scale":
            y = self.op(
                "Mul",
                y,
                self.constant(
                    self.numbers.normal(
                        1, 0.1, (shape[1] if len(shape) == 4 else shape[-1], *([1, 1] if len(shape) == 4 else []))
                    ).astype(self.numpy)
                ),
            )
        y = self.quantised(y)
        if what == "both":
            return [y, self.op("Relu", y)]
        if what == "transpose":
            return [self.op("Transpose", y, perm=[0, *range(2, len(shape)), 1])]
        return [y]

    def save(self, path, results):
        graph = helper.make_graph(
            self.nodes,
            "odd",
            [helper.make_tensor_value_info(name, self.onnx, shape) for name, shape in self.inputs],
            [helper.make_tensor_value_info(name, self.onnx, None) for name in results],
            self.weights,
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 22)], ir_version=10)
        onnx.save(onnx.shape_inference.infer_shapes(model), path)


def convolution(draw, kind):
    """A convolution as (name, operations, build)."""
    n, image, (r, s) = draw.choice([1, 1, 1, 2, 3, 16]), draw.choice(IMAGES), draw.choice(FILTERS)
    c, k, groups = draw.choice(CHANNELS), draw.choice(CHANNELS), 1
    form = draw.choice(["dense"] * 6 + ["grouped"] * 2 + ["depthwise"] * 2)
    if form == "depthwise":
        k = groups = c
    elif form == "grouped":
        groups = draw.choice([2, 4, 8])
        c, k = -(-c // groups) * groups, -(-k // groups) * groups
    dilation = draw.choice([1] * 6 + [2, 3, 6, 12]) if max(r, s) > 1 else 1
    stride = draw.choice([1, 1, 1, 2]) if dilation == 1 else 1
    pads = [dilation * ((size - 1) // 2) for size in (r, s)] + [dilation * (size // 2) for size in (r, s)]
    after = draw.choice(AFTER)
    name = (
        f"conv_{kind}_{n}x{c}x{image}_{k}_{r}x{s}"
        + (f"_d{dilation}" if dilation > 1 else "")
        + (f"_s{stride}" if stride > 1 else "")
    )
    name += (f"_g{groups}" if groups > 1 else "") + (f"_{after}" if after != "none" else "")

    return name, *convolved(kind, (n, c, image), (k, r, s), (pads, stride, dilation, groups), after)


def convolved(kind, image, filters, steps, after):
    """The operations of a convolution of square images, and what builds it."""
    (n, c, size), (k, r, s), (pads, stride, dilation, groups) = image, filters, steps
    high, wide = (
        (size + pads[i] + pads[i + 2] - dilation * (taps - 1) - 1) // stride + 1 for i, taps in enumerate((r, s))
    )

    def build(m):
        x, bias = m.input(n, c, size, size), None
        w = m.weight(k, c // groups, r, s)
        if kind != "i8":
            bias = m.constant(m.numbers.normal(0, 0.05, k).astype(m.numpy))
        y = m.op(
            "Conv",
            x,
            w,
            *([bias] if bias else []),
            kernel_shape=[r, s],
            pads=pads,
            strides=[stride] * 2,
            dilations=[dilation] * 2,
            group=groups,
        )
        return m.after(after, y, (n, k, high, wide))

    return 2 * n * k * high * wide * c // groups * r * s, build


def patches(draw, kind):
    """A convolution whose windows do not overlap, as vision transformers begin, and as they merge tokens."""
    size, places, after = (
        draw.choice([2, 2, 4, 4, 7, 8, 14, 16, 16, 32]),
        draw.choice([7, 8, 12, 14, 16, 28, 56]),
        draw.choice(AFTER),
    )
    c = 3 if size > 4 else draw.choice([3, *CHANNELS])
    k, rest = draw.choice([*CHANNELS, 512, 768]), draw.choice([0, 0, 0, 1])
    image = size * places + min(rest, size - 1)
    name = f"patches_{kind}_1x{c}x{image}_{k}_{size}x{size}" + (f"_{after}" if after != "none" else "")
    return name, *convolved(kind, (1, c, image), (k, size, size), ([0] * 4, size, 1, 1), after)


def stem(draw, kind):
    """The first convolution of a network: few channels, a large image, steps."""
    n, c, image = (
        draw.choice([1, 1, 2]),
        draw.choice([1, 3, 3, 3, 4]),
        draw.choice([64, 96, 112, 160, 192, 224, 225, 256]),
    )
    size, stride, after = draw.choice([3, 3, 5, 6, 7]), draw.choice([2, 2, 2, 3, 4]), draw.choice(AFTER)
    k = draw.choice([8, 12, 16, 20, 24, 32, 40, 48, 64, 80, 96])
    pads = draw.choice([[0] * 4, [(size - 1) // 2] * 4, [0, 0, 1, 1]])
    name = f"stem_{kind}_{n}x{c}x{image}_{k}_{size}x{size}_s{stride}_p{pads[0]}{pads[2]}"
    name += f"_{after}" if after != "none" else ""
    return name, *convolved(kind, (n, c, image), (k, size, size), (pads, stride, 1, 1), after)


def elsewhere(draw, kind):
    """A convolution along one dimension, or of volumes; or a transposed one."""
    rank, turned, n = draw.choice([1, 1, 2, 2, 3, 3]), draw.choice([False, True]), draw.choice([1, 1, 2, 8])
    turned |= rank == 2
    c, k = draw.choice(CHANNELS), draw.choice(CHANNELS)
    image = [draw.choice([[50, 200, 777, 2000], [7, 16, 31, 64], [4, 8, 15, 24]][rank - 1]) for _ in range(rank)]
    if turned:
        size, stride = draw.choice([(2, 2), (3, 2), (3, 2), (4, 2), (4, 2), (5, 2), (3, 1), (8, 4)])
        pads, dilation = draw.choice([0, (size - stride) // 2, (size - 1) // 2]), 1
    else:
        size, stride, dilation = draw.choice(
            [(1, 1, 1), (3, 1, 1), (3, 1, 1), (3, 2, 1), (5, 1, 1), (3, 1, 2), (2, 2, 1)]
        )
        pads = dilation * (size // 2)
    extra = draw.choice([0, stride - 1]) if turned else 0
    span = dilation * (size - 1) + 1
    if turned:
        result = [(at - 1) * stride + size - 2 * pads + extra for at in image]
    else:
        result = [(at + 2 * pads - span) // stride + 1 for at in image]
    after = draw.choice(["none", "relu", "add", "both", "transpose"])
    name = f"{'turned' if turned else 'conv'}{rank}d_{kind}_{n}x{c}x{'x'.join(map(str, image))}_{k}_{size}"
    name += f"_s{stride}_d{dilation}_p{pads}_e{extra}" + (f"_{after}" if after != "none" else "")

    def build(m):
        x = m.input(n, c, *image)
        w = m.weight(*((c, k) if turned else (k, c)), *[size] * rank, axis=1 if turned else 0)
        words = {"kernel_shape": [size] * rank, "strides": [stride] * rank, "pads": [pads] * 2 * rank}
        words |= {"output_padding": [extra] * rank} if turned else {"dilations": [dilation] * rank}
        return m.after(after, m.op("ConvTranspose" if turned else "Conv", x, w, **words), (n, k, *result))

    return name, 2 * n * c * k * size**rank * int(np.prod(image if turned else result)), build


def product(draw, kind):
    """A matrix product likewise."""
    b, m_, after = (
        draw.choice([1, 1, 1, 1, 2, 6]),
        draw.choice([1, 2, 5, 16, 17, 49, 64, 100, 196, 197, 257]),
        draw.choice(AFTER),
    )
    k, n = (
        draw.choice([16, 30, 48, 64, 96, 100, 128, 192, 256, 320, 384, 500, 512, 768, 1000, 1024]) for _ in range(2)
    )
    how = draw.choice(
        ["weight", "weight", "weight", "gemm", "computed", "computed-transposed"] if kind != "i8" else ["weight"]
    )
    after = "add" if how.startswith("computed") and after == "scale" else after
    name = f"mm_{kind}_{b}x{m_}x{k}_{n}_{how}" + (f"_{after}" if after != "none" else "")

    def build(m):
        x = m.input(b, m_, k)
        if how == "weight":
            y = m.op("MatMul", x, m.weight(k, n, axis=1))
        elif how == "gemm":
            flat = m.op("Reshape", x, m.constant(np.array([b * m_, k])))
            y = m.op("Gemm", flat, m.weight(n, k), m.weight(n), transB=1)
            y = m.op("Reshape", y, m.constant(np.array([b, m_, n])))
        elif how == "computed":
            y = m.op("MatMul", x, m.input(b, k, n))
        else:
            y = m.op("MatMul", x, m.op("Transpose", m.input(b, n, k), perm=[0, 2, 1]))
        return m.after(after, y, (b, m_, n))

    return name, 2 * b * m_ * k * n, build


def draw(count, seed):
    """`count` different cases."""
    dice, cases = random.Random(seed), {}
    while len(cases) < count:
        kind = dice.choice(["f32"] * 3 + ["i8", "i8", "f16"])
        name, operations, build = dice.choice([convolution] * 4 + [product] * 2 + [elsewhere] * 2 + [patches, stem])(
            dice, kind
        )
        if 1e6 < operations < MOST:
            cases.setdefault(name, (kind, operations, build))
    return cases


def compare(name, kind, build, rounds):
    """Medians of a case by candidate, and all samples."""
    path = os.path.join(common.WORK, f"odd-{name}.onnx")
    model = Model(kind, 1)
    model.save(path, build(model))
    folder = os.path.join(common.WORK, "odd")
    os.makedirs(folder, exist_ok=True)
    files = {}
    for i, (label, shape) in enumerate(model.inputs):
        files[label] = os.path.join(folder, f"{i}.npy")
        np.save(files[label], np.random.default_rng(i).normal(0, 1, shape).astype(model.numpy))
    made = candidates.candidates(f"odd-{name}", path, 1, ["openvino", "onnxruntime"])
    try:
        samples = common.by_turns(
            {n: (lambda c=c: statistics.median(c.measure(files))) for n, c in made.items()}, rounds, warmup=0
        )
    finally:
        for candidate in made.values():
            candidate.end()
        for ending in (".onnx", ".so"):
            if os.path.exists(made["halyard"].program.removesuffix(".so") + ending):
                os.remove(made["halyard"].program.removesuffix(".so") + ending)
        shutil.rmtree(folder)
    return samples


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--list", action="store_true")
    a = parser.parse_args()
    os.makedirs(common.WORK, exist_ok=True)
    ratios, all_samples = {}, {}
    for name, (kind, operations, build) in draw(a.count, a.seed).items():
        if not re.search(a.only, name):
            continue
        if a.list:
            print(f"{operations / 1e6:8.1f} M  {name}")
            continue
        samples = compare(name, kind, build, a.rounds)
        medians = {who: statistics.median(values) for who, values in samples.items()}
        ours, peer = medians.pop("halyard"), min(medians, key=medians.get)
        ratios[name] = medians[peer] / ours
        all_samples |= {f"{name}: {who}": values for who, values in samples.items()}
        print(
            f"{ratios[name]:6.2f}  {ours * 1e6:9.1f} µs  {operations / ours / 1e9:6.1f} G/s  {peer:11}  {name}",
            flush=True,
        )
    if ratios:
        ordered = sorted(ratios.values())
        at = lambda share: ordered[min(int(share * len(ordered)), len(ordered) - 1)]  # noqa: E731
        print(
            f"\n{len(ordered)} cases: geometric mean {statistics.geometric_mean(ordered):.2f}, lowest {ordered[0]:.2f}, lowest tenth {at(0.1):.2f}, median {at(0.5):.2f}"
        )
        print(common.save("odd", all_samples, seed=a.seed, count=a.count))


if __name__ == "__main__":
    main()
