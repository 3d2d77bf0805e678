#!/usr/bin/env python3
"""Writes models of many kinds as exporters do, with seeded, realistic weights: images, segmentation, detection, language, sound.

usage: zoo.py NAME OUT.onnx [--size N] [--width PERCENT]
       zoo.py --list
"""

import argparse

import numpy as np
import onnx
from layers import Graph
from onnx import TensorProto

MODELS = {}


def model(size):
    """Registers a model with its usual size: of an image's side, or of a sequence."""

    def register(build):
        MODELS[build.__name__] = (build, size)
        return build

    return register


class Scale:
    """Numbers of channels at a percentage of the usual ones, in eights."""

    def __init__(self, percent):
        self.percent = percent

    def __call__(self, channels):
        return max(8, channels * self.percent // 800 * 8)


@model(224)
def mobilenet_v2(g, size, s):
    """Inverted residuals: 1x1, depthwise 3x3, 1x1."""
    x = g.conv(g.input("x", [1, 3, size, size]), s(32), 3, 2, act="relu6")
    for expand, channels, repeat, stride in [
        (1, 16, 1, 1),
        (6, 24, 2, 2),
        (6, 32, 3, 2),
        (6, 64, 4, 2),
        (6, 96, 3, 1),
        (6, 160, 3, 2),
        (6, 320, 1, 1),
    ]:
        for i in range(repeat):
            inner, start = x[1][1] * expand, x
            y = g.conv(x, inner, 1, act="relu6") if expand > 1 else x
            y = g.conv(y, inner, 3, stride if i == 0 else 1, group=inner, act="relu6")
            x = g.conv(y, s(channels), 1, act=None)
            if i:
                x = g.binary("Add", x, start)
    return g.finish(g.classify(g.conv(x, s(1280), 1, act="relu6"), 1000))


@model(224)
def mobilenet_v3(g, size, s):
    """Squeeze and excitation, hard swish, 5x5 depthwise filters."""
    x = g.conv(g.input("x", [1, 3, size, size]), s(16), 3, 2, act="hardswish")
    for kernel, inner, channels, se, act, stride in [
        (3, 16, 16, True, "Relu", 2),
        (3, 72, 24, False, "Relu", 2),
        (3, 88, 24, False, "Relu", 1),
        (5, 96, 40, True, "hardswish", 2),
        (5, 240, 40, True, "hardswish", 1),
        (5, 120, 48, True, "hardswish", 1),
        (5, 288, 96, True, "hardswish", 2),
        (5, 576, 96, True, "hardswish", 1),
    ]:
        start, inner = x, s(inner)
        y = g.conv(g.conv(x, inner, 1, act=act), inner, kernel, stride, group=inner, act=act)
        y = g.squeeze_excite(y, s(inner // 4), gate="HardSigmoid") if se else y
        x = g.conv(y, s(channels), 1, act=None)
        if x[1] == start[1]:
            x = g.binary("Add", x, start)
    return g.finish(g.classify(g.conv(x, s(576), 1, act="hardswish"), 1000))


@model(224)
def efficientnet(g, size, s):
    """Swish, squeeze and excitation."""
    x = g.conv(g.input("x", [1, 3, size, size]), s(32), 3, 2, act="swish")
    for expand, channels, repeat, stride, kernel in [
        (1, 16, 1, 1, 3),
        (6, 24, 2, 2, 3),
        (6, 40, 2, 2, 5),
        (6, 80, 3, 2, 3),
        (6, 112, 3, 1, 5),
        (6, 192, 4, 2, 5),
        (6, 320, 1, 1, 3),
    ]:
        for i in range(repeat):
            start, before = x, x[1][1]
            inner = before * expand
            y = g.conv(x, inner, 1, act="swish") if expand > 1 else x
            y = g.conv(y, inner, kernel, stride if i == 0 else 1, group=inner, act="swish")
            x = g.conv(g.squeeze_excite(y, max(1, before // 4), act="swish"), s(channels), 1, act=None)
            if i:
                x = g.binary("Add", x, start)
    return g.finish(g.classify(g.conv(x, s(1280), 1, act="swish"), 1000))


def basic(g, x, channels, stride):
    y = g.conv(g.conv(x, channels, 3, stride, norm=True), channels, 3, norm=True, act=None)
    skip = x if stride == 1 and x[1][1] == channels else g.conv(x, channels, 1, stride, norm=True, act=None)
    return g.activate(g.binary("Add", y, skip), "Relu")


@model(224)
def resnet18(g, size, s):
    """Basic blocks, batch normalisation left in."""
    x = g.pool(g.conv(g.input("x", [1, 3, size, size]), s(64), 7, 2, norm=True), 3, 2, 1)
    for channels, stride in [(64, 1), (128, 2), (256, 2), (512, 2)]:
        x = basic(g, basic(g, x, s(channels), stride), s(channels), 1)
    return g.finish(g.classify(x, 1000))


@model(224)
def resnext(g, size, s):
    """Grouped 3x3 convolutions, 32 groups."""
    x = g.pool(g.conv(g.input("x", [1, 3, size, size]), s(64), 7, 2), 3, 2, 1)
    for channels, repeat, stride in [(128, 3, 1), (256, 4, 2), (512, 6, 2), (1024, 3, 2)]:
        for i in range(repeat):
            inner, start, step = max(32, s(channels) // 32 * 32), x, stride if i == 0 else 1
            y = g.conv(g.conv(x, inner, 1), inner, 3, step, group=32)
            y = g.conv(y, 2 * inner, 1, act=None)
            skip = start if start[1] == y[1] else g.conv(start, 2 * inner, 1, step, act=None)
            x = g.activate(g.binary("Add", y, skip), "Relu")
    return g.finish(g.classify(x, 1000))


@model(299)
def inception_v3(g, size, s):
    """Branches over one input; 1x7 and 7x1 filters."""
    x = g.conv(g.conv(g.conv(g.input("x", [1, 3, size, size]), s(32), 3, 2, pad=0), s(32), 3, pad=0), s(64), 3)
    x = g.pool(g.conv(g.conv(g.pool(x, 3, 2), s(80), 1), s(192), 3, pad=0), 3, 2)
    for pooled in [32, 64, 64]:
        five = g.conv(g.conv(x, s(48), 1), s(64), 5)
        three = g.conv(g.conv(g.conv(x, s(64), 1), s(96), 3), s(96), 3)
        x = g.concat([g.conv(x, s(64), 1), five, three, g.conv(g.pool(x, 3, 1, 1, "AveragePool"), s(pooled), 1)])
    double = g.conv(g.conv(g.conv(x, s(64), 1), s(96), 3), s(96), 3, 2, pad=0)
    x = g.concat([g.conv(x, s(384), 3, 2, pad=0), double, g.pool(x, 3, 2)])
    for c in [128, 160, 160, 192]:
        seven = g.conv(g.conv(g.conv(x, s(c), 1), s(c), (1, 7)), s(192), (7, 1))
        double = g.conv(x, s(c), 1)
        for filters, kernel in [(c, (7, 1)), (c, (1, 7)), (c, (7, 1)), (192, (1, 7))]:
            double = g.conv(double, s(filters), kernel)
        x = g.concat([g.conv(x, s(192), 1), seven, double, g.conv(g.pool(x, 3, 1, 1, "AveragePool"), s(192), 1)])
    return g.finish(g.classify(x, 1000))


@model(224)
def vgg11(g, size, s):
    """Plain 3x3 convolutions."""
    x = g.input("x", [1, 3, size, size])
    for stage in [[64], [128], [256, 256], [512, 512], [512, 512]]:
        for channels in stage:
            x = g.conv(x, s(channels), 3)
        x = g.pool(x, 2, 2)
    return g.finish(g.classify(x, 1000))


@model(256)
def unet(g, size, s):
    """Segmentation: transposed convolutions, concatenations with earlier results."""
    x, skips = g.input("x", [1, 3, size, size]), []
    for channels in [32, 64, 128, 256]:
        x = g.conv(g.conv(x, s(channels), 3), s(channels), 3)
        skips.append(x)
        x = g.pool(x, 2, 2)
    x = g.conv(g.conv(x, s(512), 3), s(512), 3)
    for channels, skip in zip([256, 128, 64, 32], reversed(skips)):
        x = g.concat([g.deconv(x, s(channels), 2, 2, act=None), skip])
        x = g.conv(g.conv(x, s(channels), 3), s(channels), 3)
    return g.finish(g.unary("Sigmoid", g.conv(x, 2, 1, act=None)))


@model(256)
def deeplab(g, size, s):
    """Dilated convolutions, bilinear resizing, a softmax over channels."""
    x = g.conv(g.conv(g.input("x", [1, 3, size, size]), s(32), 3, 2), s(64), 3, 2)
    for channels, stride in [(128, 2), (256, 1)]:
        x = basic(g, x, s(channels), stride)
    branches = [g.conv(x, s(128), 1)] + [g.conv(x, s(128), 3, pad=d, dilation=d) for d in (6, 12, 18)]
    pooled = g.conv(g.global_pool(x), s(128), 1)
    branches.append(g.resize(pooled, x[1][2], "linear"))
    x = g.conv(g.concat(branches), s(128), 1)
    x = g.resize(g.conv(x, 21, 1, act=None), 8, "linear")
    return g.finish(g.unary("Softmax", x, axis=1))


@model(416)
def yolo_tiny(g, size, s):
    """Detection: leaky activations, nearest resizing, two heads turned to rows."""
    x = g.conv(g.input("x", [1, 3, size, size]), s(16), 3, act="leaky", norm=True)
    for channels in [32, 64, 128, 256]:
        x = g.conv(g.pool(x, 2, 2), s(channels), 3, act="leaky", norm=True)
    early = x
    x = g.conv(g.pool(x, 2, 2), s(512), 3, act="leaky", norm=True)
    x = g.conv(g.conv(x, s(1024), 3, act="leaky", norm=True), s(256), 1, act="leaky", norm=True)
    coarse = g.conv(g.conv(x, s(512), 3, act="leaky"), 255, 1, act=None)
    x = g.concat([g.resize(g.conv(x, s(128), 1, act="leaky"), 2), early])
    fine = g.conv(g.conv(x, s(256), 3, act="leaky"), 255, 1, act=None)
    rows = []
    for head in (coarse, fine):
        n, _, h, w = head[1]
        boxes = g.transpose(g.reshape(head, [n, 3, 85, h, w]), [0, 1, 3, 4, 2])
        rows.append(g.reshape(g.unary("Sigmoid", boxes), [n, 3 * h * w, 85]))
    return g.finish(g.concat(rows))


@model(224)
def super_resolution(g, size, s):
    """Few channels on large images, then depth to space."""
    x = g.conv(g.input("x", [1, 1, size, size]), s(64), 5)
    x = g.conv(g.conv(g.conv(x, s(64), 3), s(32), 3), 9, 3, act=None)
    return g.finish(g.op("DepthToSpace", x, shape=[1, 1, 3 * size, 3 * size], blocksize=3, mode="CRD"))


@model(224)
def style_transfer(g, size, s):
    """Reflected borders, instance normalisation, 9x9 filters."""

    def layer(x, channels, kernel, stride, norm=True):
        n, c, h, w = x[1]
        p = kernel // 2
        pads = g.constant(np.array([0, 0, p, p, 0, 0, p, p], np.int64))
        x = g.op("Pad", x, pads, shape=[n, c, h + 2 * p, w + 2 * p], mode="reflect")
        x = g.conv(x, channels, kernel, stride, pad=0, act=None)
        return g.instance_norm(x) if norm else x

    x = g.input("x", [1, 3, size, size])
    for channels, kernel, stride in [(32, 9, 1), (64, 3, 2), (128, 3, 2)]:
        x = g.activate(layer(x, s(channels), kernel, stride), "Relu")
    for _ in range(3):
        y = g.activate(layer(x, s(128), 3, 1), "Relu")
        x = g.binary("Add", layer(y, s(128), 3, 1), x)
    for channels in [64, 32]:
        x = g.activate(layer(g.resize(x, 2), s(channels), 3, 1), "Relu")
    return g.finish(layer(x, 3, 9, 1, norm=False))


@model(32)
def diffusion(g, size, s):
    """A step of a denoiser: group normalisation, swish, attention over pixels, a time embedding."""
    x, time = g.input("x", [1, 4, size, size]), g.input("time", [1, 128])
    embedding = g.linear(g.linear(time, s(256), act="swish"), s(256))

    def block(x, channels):
        y = g.conv(g.activate(g.group_norm(x, 8), "swish"), channels, 3, act=None)
        shift = g.reshape(g.linear(g.activate(embedding, "swish"), channels), [1, channels, 1, 1])
        y = g.conv(g.activate(g.group_norm(g.binary("Add", y, shift), 8), "swish"), channels, 3, act=None)
        return g.binary("Add", y, x if x[1][1] == channels else g.conv(x, channels, 1, act=None))

    x = g.conv(x, s(128), 3, act=None)
    x = first = block(x, s(128))
    x = block(g.conv(x, s(128), 3, 2, act=None), s(256))
    n, c, h, w = x[1]
    pixels = g.transpose(g.reshape(x, [n, c, h * w]), [0, 2, 1])
    pixels = g.binary("Add", pixels, g.attention(g.norm(pixels), 8))
    x = g.reshape(g.transpose(pixels, [0, 2, 1]), [n, c, h, w])
    x = block(g.concat([g.resize(x, 2), first]), s(128))
    return g.finish(g.conv(g.activate(g.group_norm(x, 8), "swish"), 4, 3, act=None))


@model(224)
def vision_transformer(g, size, s):
    """Patches by a strided convolution, a class token, normalisation in front."""
    width, side = max(64, s(384) // 64 * 64), size // 16
    x = g.conv(g.input("x", [1, 3, size, size]), width, 16, 16, pad=0, act=None)
    x = g.transpose(g.reshape(x, [1, width, side * side]), [0, 2, 1])
    token = g.constant(g.rng.standard_normal([1, 1, width]).astype(np.float32)), [1, 1, width]
    x = g.concat([token, x])
    x = g.op("Add", x, g.constant(g.rng.standard_normal(x[1]).astype(np.float32) * np.float32(0.3)), shape=x[1])
    for _ in range(6):
        x = g.binary("Add", x, g.attention(g.norm(x), width // 64))
        x = g.binary("Add", x, g.linear(g.linear(g.norm(x), 4 * width, act="gelu", gain=2.0), width))
    return g.finish(g.linear(g.take(g.norm(x), 1, 0), 1000))


@model(224)
def convnext(g, size, s):
    """Depthwise 7x7 and layer normalisation over channels."""
    x = g.conv(g.input("x", [1, 3, size, size]), s(96), 4, 4, pad=0, act=None)
    for stage, (channels, repeat) in enumerate([(96, 2), (192, 2), (384, 3)]):
        if stage:
            y = g.transpose(g.norm(g.transpose(x, [0, 2, 3, 1])), [0, 3, 1, 2])
            x = g.conv(y, s(channels), 2, 2, pad=0, act=None)
        for _ in range(repeat):
            c = s(channels)
            y = g.norm(g.transpose(g.conv(x, c, 7, group=c, act=None), [0, 2, 3, 1]))
            y = g.linear(g.linear(y, 4 * c, act="gelu", gain=2.0), c)
            x = g.binary("Add", x, g.transpose(y, [0, 3, 1, 2]))
    return g.finish(g.classify(x, 1000))


def embed(g, ids, words, width):
    table = g.constant(g.rng.standard_normal([words, width]).astype(np.float32))
    return g.op("Gather", table, ids, shape=[*ids[1], width])


@model(128)
def bert(g, size, s):
    """Token ids and a mask in, classes out; normalisation behind."""
    width = max(64, s(384) // 64 * 64)
    ids, mask = g.input("ids", [1, size], TensorProto.INT64), g.input("mask", [1, 1, 1, size])
    away = g.op("Sub", g.constant(np.float32(1)), mask, shape=mask[1])
    bias = g.binary("Mul", away, g.constant(np.float32(-10000)))
    positions = (
        g.constant(g.rng.standard_normal([1, size, width]).astype(np.float32) * np.float32(0.3)),
        [1, size, width],
    )
    x = g.norm(g.binary("Add", embed(g, ids, 3000, width), positions))
    for _ in range(6):
        x = g.norm(g.binary("Add", x, g.attention(x, width // 64, bias, fused=False)))
        x = g.norm(g.binary("Add", x, g.linear(g.linear(x, 4 * width, act="gelu", gain=2.0), width)))
    first = g.unary("Tanh", g.linear(g.take(x, 1, 0), width))
    return g.finish(x, g.linear(first, 2))


@model(64)
def gpt(g, size, s):
    """Causal attention, tanh GELU, logits over words."""
    width, words = max(64, s(384) // 64 * 64), 5000
    ids = g.input("ids", [1, size], TensorProto.INT64)
    mask = np.triu(np.full([1, 1, size, size], -np.inf, np.float32), 1)
    mask = g.constant(mask), [1, 1, size, size]
    x = embed(g, ids, words, width)
    for _ in range(4):
        x = g.binary("Add", x, g.attention(g.norm(x), width // 64, mask))
        x = g.binary("Add", x, g.linear(g.linear(g.norm(x), 4 * width, act="gelu_tanh", gain=2.0), width))
    return g.finish(g.linear(g.norm(x), words))


@model(1)
def llama_step(g, size, s):
    """One token after 127 others: products of one row, a cache, rotary positions, RMS normalisation, gated swish."""
    width, past, head = max(64, s(512) // 64 * 64), 127, 64
    heads = width // head
    ids, x = g.input("ids", [1, size], TensorProto.INT64), None
    x = embed(g, ids, 5000, width)
    angle = np.outer(np.arange(past, past + size), 10000.0 ** (-np.arange(0, head, 2) / head))
    angle = np.concatenate([angle, angle], -1).astype(np.float32)[None, None]
    cos, sin = (g.constant(f(angle)) for f in (np.cos, np.sin))
    outputs = []

    def turn(v):
        cut = lambda a, b: g.op(
            "Slice", v, *(g.constant(np.array([n], np.int64)) for n in (a, b, 3)), shape=[*v[1][:3], head // 2]
        )
        half = g.concat([g.unary("Neg", cut(head // 2, head)), cut(0, head // 2)], 3)
        return g.binary("Add", g.op("Mul", v, cos, shape=v[1]), g.op("Mul", half, sin, shape=v[1]))

    for i in range(4):
        split = lambda y: g.transpose(g.reshape(y, [1, size, heads, head]), [0, 2, 1, 3])
        y = g.rms_norm(x)
        q, k, v = turn(split(g.linear(y, width))), turn(split(g.linear(y, width))), split(g.linear(y, width))
        keys, values = (g.input(f"{n}{i}", [1, heads, past, head]) for n in ("keys", "values"))
        k, v = g.concat([keys, k], 2), g.concat([values, v], 2)
        outputs += [k, v]
        scores = g.op("MatMul", q, g.transpose(k, [0, 1, 3, 2]), shape=[1, heads, size, past + size])
        weights = g.unary("Softmax", g.binary("Mul", scores, g.constant(np.float32(head**-0.5))), axis=-1)
        mixed = g.op("MatMul", weights, v, shape=[1, heads, size, head])
        x = g.binary("Add", x, g.linear(g.reshape(g.transpose(mixed, [0, 2, 1, 3]), [1, size, width]), width))
        y = g.rms_norm(x)
        x = g.binary(
            "Add", x, g.linear(g.binary("Mul", g.linear(y, 3 * width, act="swish"), g.linear(y, 3 * width)), width)
        )
    return g.finish(g.linear(g.rms_norm(x), 5000), *outputs)


@model(100)
def speech(g, size, s):
    """Convolutions over time, two bidirectional recurrent layers, log softmax."""
    x = g.input("x", [1, 1, size, 80])
    x = g.conv(g.conv(x, s(32), 3, 2), s(32), 3, 2)
    n, c, h, w = x[1]
    x, hidden = g.reshape(g.transpose(x, [2, 0, 1, 3]), [h, n, c * w]), s(128)
    for kind, gates in (("LSTM", 4), ("GRU", 3)):
        length, _, width = x[1]
        weights = [g.weight([2, gates * hidden, d], d, 1.0) for d in (width, hidden)]
        bias = g.constant(g.rng.uniform(-0.1, 0.1, [2, 2 * gates * hidden]).astype(np.float32))
        y = g.op(kind, x, *weights, bias, shape=[length, 2, n, hidden], hidden_size=hidden, direction="bidirectional")
        x = g.reshape(g.transpose(y, [0, 2, 1, 3]), [length, n, 2 * hidden])
    return g.finish(g.unary("LogSoftmax", g.linear(x, 64), axis=-1))


@model(196)
def mixer(g, size, s):
    """Products over tokens and over channels, by turns."""
    width = s(256)
    x = g.input("x", [1, size, width])
    for _ in range(4):
        y = g.transpose(g.norm(x), [0, 2, 1])
        y = g.linear(g.linear(y, s(256), act="gelu", gain=2.0), size)
        x = g.binary("Add", x, g.transpose(y, [0, 2, 1]))
        x = g.binary("Add", x, g.linear(g.linear(g.norm(x), 4 * width, act="gelu", gain=2.0), width))
    return g.finish(x)


def build(name, size=None, percent=100, seed=0):
    """The model NAME; an image's side or a sequence's length; channels at a percentage of the usual ones."""
    function, usual = MODELS[name]
    return function(Graph(seed), size or usual, Scale(percent))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", nargs="?", choices=MODELS, metavar="NAME")
    parser.add_argument("output", nargs="?")
    parser.add_argument("--size", type=int)
    parser.add_argument("--width", type=int, default=100, metavar="PERCENT")
    parser.add_argument("--list", action="store_true")
    a = parser.parse_args()
    if a.list:
        for name, (function, size) in MODELS.items():
            print(f"{name:20} {size:4}  {function.__doc__ or ''}")
        return
    if not a.output:
        parser.error("a name and an output are needed")
    made = build(a.name, a.size, a.width)
    onnx.checker.check_model(made, full_check=True)
    onnx.save(made, a.output)


if __name__ == "__main__":
    main()
