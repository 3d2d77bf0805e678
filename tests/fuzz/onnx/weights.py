"""Products with weights that a model stores in fewer bits, and caches of which a node writes a part."""

import math

import numpy as np
from grow import BF16, F16, F32, I8, I64, U8, Reject
from ml_dtypes import int4, uint4

HALF = [F16, F16, BF16]
NIBBLES = [np.dtype(int4), np.dtype(uint4)]
# Sizes beside those that fill panels, vectors and blocks: 16, 32, 64, 128.
STEPS = [1, 5, 16, 31, 32, 33, 64, 96, 128, 130]
COLUMNS = [1, 3, 8, 16, 17, 32, 40, 64]


def sizes(g):
    while True:
        k, n = g.r.choice(STEPS), g.r.choice(COLUMNS)
        if k * n <= 5000:
            return k, n


def activations(g, k):
    """A value with so many columns, or a new input."""
    try:
        if g.r.random() < 0.5:
            return g.pick(lambda v: v.dtype == F32 and v.rank in (1, 2, 3) and v.shape[-1] == k)
    except Reject:
        pass
    lead = g.r.choice([[], [g.dim()], [g.dim()], [g.fixed(1)], [g.fixed(2), g.dim()]])
    return g.input(F32, [*lead, g.fixed(k)], -1, 1)


def product(g, w, k, columns, turned):
    """`w` is `[k, columns]`, or turned; the ways in which models multiply by it, and what often follows."""
    x = activations(g, k)
    if x.rank == 2 and g.r.random() < 0.3:
        words = {"alpha": g.r.choice([1.0, 0.5]), "beta": g.r.choice([1.0, 0.25]), "transB": int(turned)}
        bias = g.weight(F32, [columns], -1, 1) if g.r.random() < 0.7 else None
        y = g.node("Gemm", [x, w, bias], **words)
    else:
        if turned:
            w = g.node("Transpose", [w], perm=[1, 0], keep=None if g.r.random() < 0.1 else [])
            w = w or g.nodes[-1].makes[0]
        y = g.node("MatMul", [x, w])
    after = g.r.random()
    if after < 0.3:
        y = g.node("Add", [y, g.weight(F32, [columns], -1, 1)])
    elif after < 0.5:
        like = [v for v in g.values if v.dtype == F32 and v.dims == y.dims and v is not y]
        if like:
            g.node("Add", [y, g.r.choice(like)])
    elif after < 0.6:
        y = g.node(g.r.choice(["Relu", "Sigmoid", "Tanh"]), [y])
    return y


def hidden(g, made):
    """Nine in ten times, nobody but the product reads the weight."""
    if g.r.random() < 0.9 and made in g.values:
        g.values.remove(made)
    return made


def product_with_half(g):
    (k, n), turned = sizes(g), g.r.random() < 0.4
    w = g.constant(g.random(g.r.choice(HALF), [n, k] if turned else [k, n], -1, 1), plain=True)
    return product(g, hidden(g, g.node("Cast", [w], to=1, exact=True)), k, n, turned)


def product_with_scales(g):
    """DequantizeLinear of a constant: one scale, one per column or per step, or blocks."""
    (k, n), turned = sizes(g), g.r.random() < 0.4
    kind = g.r.choice([I8, I8, U8, U8, *NIBBLES])
    shape = [n, k] if turned else [k, n]
    low, high = {"int4": (-8, 8), "uint4": (0, 16), "int8": (-99, 100), "uint8": (0, 200)}[kind.name]
    array = g.np.integers(low, high, shape)
    axis, words = g.r.choice([None, 0, 1]), {}
    scales = [] if axis is None else [shape[axis]]
    if axis is not None and g.opset >= 13:
        words["axis"] = axis
    elif axis is not None:
        raise Reject
    if axis is not None and g.opset >= 21 and g.r.random() < 0.6:
        fits = [b for b in (16, 32, 64, 128) if shape[axis] % b == 0 and shape[axis] > b]
        if fits:
            words["block_size"] = g.r.choice(fits)
            scales = list(shape)
            scales[axis] //= words["block_size"]
    equal = bool(scales) and g.r.random() < 0.15
    scale = g.random(F32, scales, 0.05, 0.5) + np.float32(1 / 64)
    zero = g.np.integers(max(low, 0), high // 2, scales) if g.r.random() < 0.6 else None
    if equal:
        scale = np.full_like(scale, scale.flat[0])
        zero = zero if zero is None else np.full_like(zero, zero.flat[0])
    reads = [g.constant(array.astype(kind), plain=True), g.constant(scale, plain=True)]
    reads.append(None if zero is None else g.constant(zero.astype(kind), plain=True))
    return product(g, hidden(g, g.node("DequantizeLinear", reads, exact=True, **words)), k, n, turned)


def cache(g):
    """A cache as a whole, large enough that only its new part is written."""
    batch, length, width = g.r.choice([1, 2]), g.r.choice([64, 96, 130]), g.r.choice([64, 80])
    return batch, length, width, g.fixed(batch), g.fixed(length), g.fixed(width)


def scattered_rows(g):
    """ScatterND of a few rows into a cache; indices are data."""
    batch, length, width, *dims = cache(g)
    if batch * length * width > g.largest:
        raise Reject
    rows = g.r.choice([1, 1, 2, 5])
    x = g.input(F32, dims, -1, 1, exact=True)
    starts = g.np.choice(length, rows, replace=False)
    at = np.asarray([[g.r.randrange(batch), s] for s in starts], np.int64)
    indices = g.constant(at) if g.r.random() < 0.5 else g.given(at)
    new = g.input(F32, [g.fixed(rows), g.fixed(width)], -1, 1)
    y = g.node("ScatterND", [x, indices, new], exact=True)
    return follow(g, x, y)


def tensor_scatter(g):
    batch, length, width, *dims = cache(g)
    if g.opset < 24 or batch * length * width > g.largest:
        raise Reject
    rows = g.r.choice([1, 1, 3])
    x, new = g.input(F32, dims, -1, 1), g.input(F32, [dims[0], g.fixed(rows), dims[2]], -1, 1)
    at = np.asarray([g.r.randrange(length - rows) for _ in range(batch)], np.int64)
    return follow(g, x, g.node("TensorScatter", [x, new, g.given(at)], axis=1))


def follow(g, x, y):
    """Somebody reads the cache before it was written, or after."""
    if g.r.random() < 0.3:
        g.node("Add", [x, y])
    if g.r.random() < 0.5:
        g.node("ReduceSum", [y, g.constant(np.asarray([1], I64), plain=True)], keepdims=0)
    return y


def bytes_and_zero(g, dims):
    """Bytes with the ends of their range, and a zero point: any, the ends among them, or none."""
    x = g.input(g.r.choice([I8, U8, U8]), dims, None, 256)
    low = -128 if x.dtype == I8 else 0
    zero = g.r.choice([None, low, low + 255, g.r.randrange(low, low + 256)])
    return x, None if zero is None else g.constant(np.asarray(zero, x.dtype))


def signed_bytes(g, shape):
    return g.constant(g.np.integers(-128, 128, shape).astype(I8), plain=True)


def convolution_with_bytes(g):
    """Filters that fill vectors and groups of four channels, and others; images of all widths."""
    groups, taps = g.r.choice([1, 1, 1, 2, 3]), [g.r.choice([1, 2, 3, 3, 5]) for _ in range(2)]
    c, f = g.r.choice([1, 3, 4, 6, 16, 21]), g.r.choice([5, 9, 16, 17, 32, 33, 40, 64])
    image = [g.r.choice([3, 5, 7, 8, 13, 16, 17, 20]) for _ in range(2)]
    stride, dilation, pad = g.r.choice([1, 1, 1, 2, 3]), g.r.choice([1, 1, 1, 2, 4]), g.r.choice([0, 1, 2])
    sizes = [(n + 2 * pad - dilation * (k - 1) - 1) // stride + 1 for n, k in zip(image, taps, strict=True)]
    if min(sizes) < 1 or groups * f * c * math.prod(taps) * math.prod(sizes) > 1_500_000:
        raise Reject
    x, zero = bytes_and_zero(g, [g.fixed(g.r.choice([1, 1, 2])), g.fixed(groups * c), *map(g.fixed, image)])
    w = signed_bytes(g, [groups * f, c, *taps])
    words = {"pads": [pad] * 4, "strides": [stride] * 2, "dilations": [dilation] * 2, "group": groups}
    return g.node("ConvInteger", [x, w, zero], **words)


def product_with_bytes(g):
    """Matrices that are large enough to be packed when the program is linked, and smaller ones."""
    k, n = g.r.choice([(130, 128), (512, 33), (1000, 17), (64, 257), (63, 64), (4097, 4)])
    lead = g.r.choice([[g.fixed(1)], [g.fixed(g.r.choice([2, 5, 14, 33]))], [g.fixed(2), g.fixed(3)], [g.dim()]])
    x, zero = bytes_and_zero(g, [*lead, g.fixed(k)])
    w = signed_bytes(g, [k, n])
    # onnxruntime takes no signed activations; the evaluator of the standard takes all.
    return g.node("MatMulInteger", [x, w, zero], engine="ort" if x.dtype == U8 else "reference")


WEIGHTS = [product_with_half, product_with_half, product_with_scales, product_with_scales, scattered_rows, tensor_scatter, convolution_with_bytes, product_with_bytes]  # fmt: skip
