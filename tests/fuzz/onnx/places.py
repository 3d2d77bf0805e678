"""Operators that graphs grow by: samples at computed places, selections whose size is data, losses, signals."""

import numpy as np
from grow import BOOL, F32, F64, I32, I64, Reject, static


def images(g, least=2):
    """A value of f32 that is a batch of images: whose sizes are known but for the batch, and not tiny."""
    return g.pick(
        lambda v: (
            v.dtype == F32
            and v.rank == 4
            and min(v.dims[0])
            and all(n and n >= least for n in v.shape[2:])
            and v.shape[1]
        )
    )


def grid_sample(g):
    if g.opset < 16:
        raise Reject
    x = images(g)
    h, w = g.dim(), g.dim()
    if min(h + w) == 0:
        raise Reject
    grid = g.input(x.dtype, [x.dims[0], h, w, g.fixed(2)], -1.25, 1.25, exact=True)
    mode = (
        g.r.choice(["bilinear", "nearest", "bicubic"]) if g.opset < 20 else g.r.choice(["linear", "nearest", "cubic"])
    )
    # The references disagree on what cubes see beyond a border.
    padding = g.r.choice(["zeros", "reflection", *(["border"] if "cubic" not in mode else [])])
    return g.node("GridSample", [x, grid], mode=mode, padding_mode=padding, align_corners=g.r.choice([0, 1]),
                  engine="ort", exact=mode == "nearest")  # fmt: skip


def affine_grid(g):
    if g.opset < 20:
        raise Reject
    n = g.r.choice([2, 3])
    theta = g.input(F32, [g.fixed(2), g.fixed(n), g.fixed(n + 1)], -1, 1)
    size = g.constant(np.array([2, 3, *[g.r.choice([2, 3, 5]) for _ in range(n)]], np.int64))
    return g.node("AffineGrid", [theta, size], align_corners=g.r.choice([0, 1]))


def roi_align(g):
    if g.opset < 16:
        raise Reject
    x = images(g)
    rois = g.dim()
    if min(rois) == 0 or min(x.dims[0]) == 0:
        raise Reject
    low, high = g.random(F32, [max(rois), 2], 0, 2), g.random(F32, [max(rois), 2], 2, 6)
    boxes = g.input(F32, [rois, g.fixed(4)], 0, 6, exact=True)
    boxes.arrays[:] = [np.concatenate([low, high], 1)[:n] for n in rois]
    batch = g.input(I64, [rois], 0, min(x.dims[0]))
    # onnxruntime takes the largest of weighted corners, which it calls a fault itself.
    return g.node("RoiAlign", [x, boxes, batch], mode="avg", output_height=g.r.choice([1, 2, 3]), output_width=g.r.choice([1, 2]),
                  sampling_ratio=g.r.choice([0, 1, 2]), spatial_scale=g.r.choice([1.0, 0.5]),
                  coordinate_transformation_mode=g.r.choice(["half_pixel", "output_half_pixel"]), engine="ort")  # fmt: skip


def columns_to_image(g):
    if g.opset < 18:
        raise Reject
    c, kernel, size = (
        g.r.choice([1, 3]),
        [g.r.choice([1, 2]), g.r.choice([1, 3])],
        [g.r.choice([4, 5]), g.r.choice([4, 6])],
    )
    stride, pads = [g.r.choice([1, 2]), 1], g.r.choice([[0] * 4, [1, 0, 1, 0]])
    blocks = [(n + pads[i] + pads[i + 2] - k) // s + 1 for i, (n, k, s) in enumerate(zip(size, kernel, stride))]
    x = g.input(
        g.float if g.float in (F32, F64) else F32,
        [g.dim(), g.fixed(c * kernel[0] * kernel[1]), g.fixed(blocks[0] * blocks[1])],
    )
    return g.node(
        "Col2Im",
        [x, g.constant(np.array(size, np.int64)), g.constant(np.array(kernel, np.int64))],
        strides=stride,
        pads=pads,
    )


def center_crop_pad(g):
    if g.opset < 18:
        raise Reject
    x = g.pick(lambda v: v.rank > 0)
    axes = sorted(g.r.sample(range(x.rank), g.r.randint(1, x.rank)))
    shape = g.constant(np.array([g.r.choice([1, 2, 3, 4, 7]) for _ in axes], np.int64))
    return g.node("CenterCropPad", [x, shape], axes=axes, exact=True)


def reverse_sequence(g):
    x = g.pick(lambda v: v.rank >= 2 and static(v.dims[1]) is not None and static(v.dims[0]) is not None)
    time = g.r.choice([0, 1])
    batch = 1 - time
    lens = g.constant(g.np.integers(1, x.shape[time] + 1, [x.shape[batch]]).astype(np.int64)) if x.shape[time] else None
    if lens is None:
        raise Reject
    return g.node("ReverseSequence", [x, lens], time_axis=time, batch_axis=batch, exact=True)


def non_zero(g):
    x = g.pick(lambda v: v.rank > 0 and v.exact and v.dtype in (BOOL, I32, I64, F32))
    return g.node("NonZero", [x])


def compress(g):
    x = g.pick(lambda v: v.rank > 0)
    axis = g.r.choice([None, *range(x.rank)])
    size = tuple(int(a.size) for a in x.arrays) if axis is None else x.dims[axis]
    condition = g.input(BOOL, [size])
    return g.node(
        "Compress",
        [x, condition],
        exact=True,
        **({} if axis is None else {"axis": axis - x.rank if g.r.random() < 0.5 else axis}),
    )


def unique(g):
    x = g.pick(lambda v: v.rank > 0 and v.exact and v.dtype in (I64, F32) and all(a.size for a in v.arrays))
    axis = g.r.choice([None, *range(x.rank)])
    return g.node(
        "Unique",
        [x],
        outputs=g.r.choice([1, 4]),
        sorted=g.r.choice([0, 1]),
        exact=True,
        engine="ort",
        **({} if axis is None else {"axis": axis}),
    )


def suppress(g):
    boxes, classes, batch = g.dim(), g.r.choice([1, 2]), g.r.choice([1, 2])
    if min(boxes) == 0:
        raise Reject
    x = g.input(F32, [g.fixed(batch), boxes, g.fixed(4)], 0, 4, exact=True)
    scores = g.input(F32, [g.fixed(batch), g.fixed(classes), boxes], 0, 2, exact=True)
    # No two scores are equal, as their order would not be defined.
    for k, a in enumerate(scores.arrays):
        scores.arrays[k] = g.np.permutation(a.size).reshape(a.shape).astype(np.float32) / 64
    words = [g.constant(np.array([g.r.choice([0, 1, 2, 5])], np.int64)), g.constant(np.array([g.r.choice([0.0, 0.3, 0.7])], np.float32)),
             g.constant(np.array([g.r.choice([0.0, 0.25])], np.float32))]  # fmt: skip
    return g.node(
        "NonMaxSuppression",
        [x, scores, *words[: g.r.choice([1, 2, 3])]],
        center_point_box=g.r.choice([0, 1]),
        engine="ort",
    )


def loss(g):
    if g.opset < 12:
        raise Reject
    n, c = g.dim(), g.r.choice([2, 3, 5])
    if min(n) == 0:
        raise Reject
    tail = [g.dim()] if g.r.random() < 0.5 else []
    if tail and min(tail[0]) == 0:
        raise Reject
    x = g.input(F32, [n, g.fixed(c), *tail])
    labels = g.input(g.r.choice([I32, I64]), [n, *tail], 0, c)
    weights = g.input(F32, [g.fixed(c)], 0.25, 2) if g.r.random() < 0.5 else None
    words = {"reduction": g.r.choice(["none", "sum", "mean"])} | (
        {"ignore_index": g.r.choice([0, c - 1])} if g.r.random() < 0.3 else {}
    )
    if g.r.random() < 0.5:
        return g.node("SoftmaxCrossEntropyLoss", [x, labels, weights], outputs=g.r.choice([1, 2]), **words)
    return g.node("NegativeLogLikelihoodLoss", [x, labels, weights], **words)


def fourier(g):
    if g.opset < 17:
        raise Reject
    n = g.r.choice([4, 5, 8, 12, 16, 17])
    x = g.input(F32, [g.dim(), g.fixed(n), g.fixed(g.r.choice([1, 2]))])
    complex_ = x.shape[-1] == 2
    one_sided = 0 if complex_ else g.r.choice([0, 1])
    words = {"onesided": one_sided, "inverse": 0 if one_sided else g.r.choice([0, 1])}
    if g.opset < 20:
        return g.node("DFT", [x], axis=1, engine="ort", **words)
    return g.node("DFT", [x, None, g.constant(np.asarray(g.r.choice([1, -2]), np.int64))], engine="ort", **words)


def window(g):
    if g.opset < 17:
        raise Reject
    return g.node(g.r.choice(["HannWindow", "HammingWindow", "BlackmanWindow"]), [g.constant(np.asarray(g.r.choice([2, 5, 8]), np.int64), plain=True)],
                  periodic=g.r.choice([0, 1]), engine="ort")  # fmt: skip


def determinant(g):
    n = g.r.choice([1, 2, 3, 4])
    return g.node("Det", [g.input(F32, [g.dim(), g.fixed(n), g.fixed(n)])], engine="ort")


def group_normalization(g):
    if g.opset < 21:
        raise Reject
    x = g.pick_float((3, 4), lambda v: v.dtype == F32 and v.shape[1] and all(min(d) for d in v.dims))
    groups = g.r.choice([n for n in (1, 2, 3, 4) if x.shape[1] % n == 0])
    return g.node(
        "GroupNormalization",
        [x, g.weight(F32, [x.shape[1]]), g.weight(F32, [x.shape[1]])],
        num_groups=groups,
        epsilon=1e-2,
    )


def pool_and_back(g):
    x = images(g)
    if None in x.shape:
        raise Reject
    kernel = [g.r.choice([1, 2]), g.r.choice([1, 2])]
    pooled, at = g.node("MaxPool", [x], outputs=2, kernel_shape=kernel, strides=kernel, engine="ort", exact=True)
    return g.node("MaxUnpool", [pooled, at], kernel_shape=kernel, strides=kernel, engine="ort", exact=True)


def deform(g):
    if g.opset < 19:
        raise Reject
    c, f, k = g.r.choice([1, 2, 4]), g.r.choice([1, 3]), g.r.choice([1, 2, 3])
    h, w = g.r.choice([3, 5, 6]), g.r.choice([3, 4])
    pads = g.r.choice([[0] * 4, [1] * 4])
    out = [h + 2 * pads[0] - k + 1, w + 2 * pads[0] - k + 1]
    if min(out) < 1:
        raise Reject
    n = g.dim()
    if min(n) == 0:
        raise Reject
    groups = g.r.choice([1, c]) if g.r.random() < 0.4 else 1
    x = g.input(F32, [n, g.fixed(c), g.fixed(h), g.fixed(w)])
    offset = g.input(F32, [n, g.fixed(groups * 2 * k * k), *map(g.fixed, out)], -1, 1, exact=True)
    mask = g.input(F32, [n, g.fixed(groups * k * k), *map(g.fixed, out)], 0, 1) if g.r.random() < 0.5 else None
    bias = g.weight(F32, [f]) if g.r.random() < 0.5 else None
    return g.node(
        "DeformConv",
        [x, g.weight(F32, [f, c, k, k], -1, 1), offset, bias, mask],
        pads=pads,
        offset_group=groups,
        kernel_shape=[k, k],
        engine="ort",
    )


PLACES = [*[grid_sample] * 2, affine_grid, roi_align, columns_to_image, center_crop_pad, reverse_sequence, non_zero, *[compress] * 2, unique, suppress, loss, fourier,
          window, determinant, group_normalization, pool_and_back, deform]  # fmt: skip
