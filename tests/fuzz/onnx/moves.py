"""Operators that move elements: shapes, slices, pieces, indices; and those that make tensors of sizes."""

import math

import numpy as np
from grow import F32, I32, I64, KINDS, Reject, static
from onnx import numpy_helper


def ints(g, *numbers):
    return g.constant(np.array(numbers, np.int64))


def index_type(g):
    return g.r.choice([np.int64, np.int64, np.int32])


def transpose(g):
    x = g.pick(lambda v: v.rank > 1)
    perm = list(range(x.rank))
    g.r.shuffle(perm)
    return g.node("Transpose", [x], exact=True, **({"perm": perm} if g.r.random() < 0.85 else {}))


def factors(g, n):
    return g.r.choice([(a, n // a) for a in range(1, n + 1) if n % a == 0]) if n else (n, 1)


def reshape(g):
    """To sizes that are written down, copied by 0, or left to -1."""
    x = g.pick(lambda v: v.rank > 0)
    open_ = [i for i, n in enumerate(x.shape) if n is None]
    way = g.r.choice(["merge", "split", "free", "computed", "flatten"])
    if way == "flatten":
        return g.node("Flatten", [x], axis=g.r.randint(0, x.rank), exact=True)
    if way == "free":
        total = math.prod(x.shape) if not open_ else 0
        if not total:
            raise Reject
        sizes = []
        while total > 1 and len(sizes) < 4:
            a, total = factors(g, total)
            sizes.append(a)
        sizes.append(total)
        if g.r.random() < 0.5:
            sizes[g.r.randrange(len(sizes))] = -1
        return g.node("Reshape", [x, ints(g, *sizes)], exact=True)
    if way == "merge":
        if x.rank < 2:
            raise Reject
        at = g.r.randrange(x.rank - 1)
        before, after = x.dims[:at], x.dims[at + 2 :]
        # A 0 copies the size at its own place, so behind what is merged sizes are known.
        if any(static(d) is None for d in after) or any(0 in d for d in x.dims):
            raise Reject
        return g.node("Reshape", [x, ints(g, *([0] * len(before)), -1, *(d[0] for d in after))], exact=True)
    if way == "split":
        at = g.r.choice([i for i, n in enumerate(x.shape) if n] or [None])
        if at is None or open_ and max(open_) > at and len(open_) > 1:
            raise Reject
        a, b = factors(g, x.shape[at])
        sizes = [0 if i < at else n if n is not None else -1 for i, n in enumerate(x.shape)]
        if any(0 in d for d in x.dims) and -1 in sizes:
            raise Reject
        return g.node("Reshape", [x, ints(g, *sizes[:at], a, b, *sizes[at + 1 :])], exact=True)
    # The target is computed from the shape of the operand. A size that is 0 in a run is 0 to the program, the place of another one to others.
    if any(0 in d for d in x.dims):
        raise Reject
    shape = g.node("Shape", [x])
    order = list(range(x.rank))
    g.r.shuffle(order)
    target = g.node("Gather", [shape, ints(g, *order)], axis=0)
    return g.node("Reshape", [x, target], exact=True)


def axes_words(g, op, x, axes, since):
    """A node whose axes are an input or an attribute, as the version has it."""
    if g.opset >= since:
        return g.node(op, [x, ints(g, *axes)], exact=True)
    return g.node(op, [x], axes=axes, exact=True)


def squeeze(g):
    x = g.pick(lambda v: 1 in v.shape)
    ones = [i for i, n in enumerate(x.shape) if n == 1]
    axes = sorted(g.r.sample(ones, g.r.randint(1, len(ones))))
    return axes_words(g, "Squeeze", x, [a - x.rank if g.r.random() < 0.2 else a for a in axes], 13)


def unsqueeze(g):
    x = g.pick(lambda v: v.rank < 5)
    return axes_words(g, "Unsqueeze", x, sorted(g.r.sample(range(x.rank + 1), 1)), 13)


def concat(g):
    x = g.pick(lambda v: v.rank > 0)
    axis = g.r.randrange(x.rank)
    fits = lambda v: (
        v.dtype == x.dtype
        and v.rank == x.rank
        and all(a == b for i, (a, b) in enumerate(zip(v.dims, x.dims)) if i != axis)
    )
    pieces = [x, *(g.pick(fits) for _ in range(g.r.randint(0, 2)))]
    if g.r.random() < 0.4:
        pieces.append(g.input(x.dtype, [g.dim() if i == axis else d for i, d in enumerate(x.dims)]))
    g.r.shuffle(pieces)
    return g.node("Concat", pieces, axis=axis - x.rank if g.r.random() < 0.3 else axis, exact=True)


def split(g):
    x = g.pick(lambda v: any(v.shape))
    axis = g.r.choice([i for i, n in enumerate(x.shape) if n])
    n, count = x.shape[axis], g.r.randint(1, min(3, x.shape[axis]))
    cuts = sorted(g.r.randint(0, n) for _ in range(count - 1))
    sizes = [b - a for a, b in zip([0, *cuts], [*cuts, n])]
    even = n % count == 0 and g.r.random() < 0.5
    if g.opset < 13:
        return g.node("Split", [x], outputs=count, axis=axis, exact=True, **({} if even else {"split": sizes}))
    if even or g.opset >= 18 and g.r.random() < 0.2 and (count - 1) * -(-n // count) < n:
        return g.node(
            "Split", [x], outputs=count, axis=axis, exact=True, **({"num_outputs": count} if g.opset >= 18 else {})
        )
    return g.node("Split", [x, ints(g, *sizes)], outputs=count, axis=axis, exact=True)


def slice_(g):
    x = g.pick(lambda v: v.rank > 0)
    axes = sorted(g.r.sample(range(x.rank), g.r.randint(1, min(2, x.rank))))
    starts, ends, steps = [], [], []
    for a in axes:
        n = max(x.dims[a])
        step = g.r.choice([1, 1, 1, 2, 3, -1, -2])
        first, last = (
            sorted([g.r.randint(-n, n), g.r.randint(-n, n)])
            if g.r.random() < 0.5
            else (g.r.choice([0, 1, 2]), g.r.choice([2**31 - 1, 2**63 - 1, n, n + 3, -1]))
        )
        if step < 0:
            first, last = g.r.choice(
                [(-1, -(2**63) + 1), (last if abs(last) < 1000 else -1, first), (n, 0), (-2, -100)]
            )
            # A start before the first element is moved to it by the specification and onnxruntime, not by numpy.
            first = max(first, -min(x.dims[a]))
        starts.append(first)
        ends.append(last)
        steps.append(step)
    words = [ints(g, *starts), ints(g, *ends)]
    if axes != list(range(len(axes))) or any(s != 1 for s in steps) or g.r.random() < 0.7:
        words.append(ints(g, *[a - x.rank if g.r.random() < 0.2 else a for a in axes]))
        if any(s != 1 for s in steps) or g.r.random() < 0.3:
            words.append(ints(g, *steps))
    return g.node("Slice", [x, *words], exact=True)


def pad(g):
    x = g.pick(lambda v: v.rank > 0 and (v.dtype in KINDS or v.dtype in (I32, I64)))
    mode = g.r.choice(["constant", "constant", "reflect", "edge"] + ["wrap"] * (g.opset >= 19))
    least = [min(d) for d in x.dims]
    most = [2 if mode == "constant" else 0 if n == 0 else min(2, n - (mode == "reflect")) for n in least]
    low, high = ([g.r.randint(0, m) for m in most] for _ in range(2))
    if mode == "constant" and g.r.random() < 0.2:
        # Negative pads take elements away.
        low = [-g.r.randint(0, min(1, n)) if n > 2 else p for n, p in zip(least, low)]
    value = (
        g.constant(np.asarray(g.r.choice([0, 1, -3]), x.dtype)) if mode == "constant" and g.r.random() < 0.6 else None
    )
    return g.node("Pad", [x, ints(g, *low, *high), value], mode=mode, exact=True)


def tile(g):
    x = g.pick(lambda v: v.rank > 0 and max(a.size for a in v.arrays) < g.largest / 4)
    return g.node("Tile", [x, ints(g, *[g.r.choice([1, 1, 2, 3]) for _ in x.dims])], exact=True)


def expand(g):
    x = g.pick(lambda v: 1 in v.shape or v.rank < 3)
    if g.r.random() < 0.4:
        # To the shape of another value.
        fits = lambda v: (
            v.rank >= x.rank and all(a == b or static(a) == 1 for a, b in zip(reversed(x.dims), reversed(v.dims)))
        )
        return g.node("Expand", [x, g.node("Shape", [g.pick(fits)])], exact=True)
    sizes = [n if n not in (None, 1) else 1 if n is None else g.r.choice([1, 2, 3, 5]) for n in x.shape]
    if g.r.random() < 0.3:
        sizes = [g.r.choice([1, 2, 3]), *sizes]
    return g.node("Expand", [x, ints(g, *sizes)], exact=True)


def indices(g, shape, size, dtype=None, distinct=False):
    """Indices into a dimension of `size` elements at least, some from its end."""
    if not size:
        raise Reject
    array = g.np.permutation(size)[: math.prod(shape)].reshape(shape) if distinct else g.np.integers(0, size, shape)
    if g.r.random() < 0.5:
        array = np.where(g.np.integers(0, 2, array.shape).astype(bool), array, array)
    return np.asarray(array, dtype or index_type(g))


def index_operand(g, array):
    """Indices as a constant or as an input of the model."""
    if g.r.random() < 0.5:
        return g.constant(array)
    value = g.input(array.dtype, [g.fixed(n) for n in array.shape])
    value.arrays = value.shadows = [array] * g.bindings
    return value


def gather(g):
    x = g.pick(lambda v: v.rank > 0)
    way = g.r.choice(["Gather", "Gather", "Gather", "GatherElements", "GatherND"])
    axis = g.r.randrange(x.rank)
    size = min(x.dims[axis])
    if way == "Gather":
        shape = g.r.choice([[], [1], [3], [2, 2], [0], [5]])
        array = indices(g, shape, size)
        if g.r.random() < 0.4 and static(x.dims[axis]) is not None:
            array = np.where(g.np.integers(0, 2, array.shape).astype(bool), array - size, array).astype(array.dtype)
        return g.node(
            "Gather",
            [x, index_operand(g, np.asarray(array))],
            axis=axis - x.rank if g.r.random() < 0.2 else axis,
            exact=True,
        )
    if way == "GatherElements":
        shape = [g.r.randint(1, min(max(min(d), 1), 4)) if min(d) else 0 for d in x.dims]
        return g.node("GatherElements", [x, index_operand(g, indices(g, shape, size))], axis=axis, exact=True)
    depth = g.r.randint(1, min(2, x.rank))
    array = np.stack([indices(g, [3], min(x.dims[i]), np.int64) for i in range(depth)], -1)
    return g.node("GatherND", [x, index_operand(g, array)], exact=True)


def scatter(g):
    x = g.pick(lambda v: v.rank > 0 and (v.dtype in KINDS or v.dtype in (I32, I64)))
    reduction = (
        g.r.choice(["none", "none", "none", "add", "mul", *(["min", "max"] if g.opset >= 18 else [])])
        if g.opset >= 16
        else "none"
    )
    words = {"reduction": reduction} if reduction != "none" or g.opset >= 16 and g.r.random() < 0.3 else {}
    if g.r.random() < 0.5:
        axis = g.r.randrange(x.rank)
        size = min(x.dims[axis])
        shape = [g.r.randint(1, min(max(min(d), 1), 3)) for d in x.dims]
        shape[axis] = g.r.randint(1, min(max(size, 1), 3))
        if reduction == "none":
            # Where two write to one place, who wins is not said.
            line = indices(g, [shape[axis]], size, np.int64, distinct=True)
            if len(line) < shape[axis]:
                raise Reject
            array = np.broadcast_to(line.reshape([-1 if i == axis else 1 for i in range(x.rank)]), shape).copy()
        else:
            array = indices(g, shape, size, np.int64)
        return g.node(
            "ScatterElements",
            [x, index_operand(g, array), g.weight(x.dtype, shape)],
            axis=axis,
            exact=reduction != "mul",
            **words,
        )
    depth = g.r.randint(1, min(2, x.rank))
    rest = x.shape[depth:]
    if None in rest or any(min(d) == 0 for d in x.dims):
        raise Reject
    places = list(np.ndindex(*[min(d) for d in x.dims[:depth]]))
    rows = (
        g.r.sample(places, min(len(places), g.r.choice([1, 2, 3])))
        if reduction == "none"
        else [g.r.choice(places) for _ in range(3)]
    )
    array = np.array(rows, np.int64)
    return g.node(
        "ScatterND",
        [x, index_operand(g, array), g.weight(x.dtype, [len(rows), *rest])],
        exact=reduction != "mul",
        **words,
    )


def depth_space(g):
    if g.r.random() < 0.5:
        x = g.pick(lambda v: v.rank == 4 and v.shape[1] and v.shape[1] % 4 == 0)
        return g.node("DepthToSpace", [x], blocksize=2, mode=g.r.choice(["DCR", "CRD"]), exact=True)
    x = g.pick(lambda v: v.rank == 4 and all(n and n % 2 == 0 for n in v.shape[2:]))
    return g.node("SpaceToDepth", [x], blocksize=2, exact=True)


def trilu(g):
    if g.opset < 14:
        raise Reject
    x = g.pick(lambda v: v.rank > 1)
    k = g.constant(np.asarray(g.r.choice([-2, -1, 0, 1, 2]), np.int64)) if g.r.random() < 0.6 else None
    return g.node("Trilu", [x, k], upper=g.r.choice([0, 1]), exact=True)


def eye(g):
    x = g.pick(lambda v: v.rank == 2)
    return g.node("EyeLike", [x], k=g.r.choice([-1, 0, 1]), exact=True)


def one_hot(g):
    x = g.pick(lambda v: v.rank < 4 and v.dtype in (I32, I64) and v.largest() < 20)
    depth = g.constant(np.asarray(g.r.choice([3, 5, 10]), np.int64))
    values = g.constant(g.random(g.float, [2]))
    if x.least() < -depth.constant or x.largest() >= depth.constant:
        raise Reject
    return g.node("OneHot", [x, depth, values], axis=g.r.choice([-1, 0]), exact=True)


def sizes(g):
    """Tensors made of the sizes of others."""
    x = g.pick(lambda v: v.rank > 0)
    way = g.r.choice(["Shape", "Size", "Range", "ConstantOfShape", "arithmetic"])
    if way == "Shape":
        words = (
            {"start": g.r.choice([0, 1, -1])} | ({"end": g.r.choice([1, 2, -1])} if g.r.random() < 0.5 else {})
            if g.opset >= 15
            else {}
        )
        return g.node("Shape", [x], **words)
    if way == "Size":
        return g.node("Size", [x])
    shape = g.node("Shape", [x])
    if way == "ConstantOfShape":
        value = numpy_helper.from_array(g.random(g.r.choice([np.float32, np.int64, np.int32]), [1]))
        return g.node("ConstantOfShape", [shape], value=value, exact=True)
    one = g.node("Gather", [shape, g.constant(np.asarray(g.r.randrange(x.rank), np.int64))], axis=0)
    if way == "Range":
        if g.opset < 11:
            raise Reject
        return g.node(
            "Range", [g.constant(np.asarray(0, np.int64)), one, g.constant(np.asarray(g.r.choice([1, 2]), np.int64))]
        )
    # The mean of something by its size.
    number = g.node("Cast", [one], to=1, exact=True)
    x = g.pick(lambda v: v.dtype == F32)
    return g.node(
        "Mul",
        [
            x,
            g.node(
                "Div",
                [g.constant(np.asarray(1, np.float32)), g.node("Add", [number, g.constant(np.asarray(1, np.float32))])],
            ),
        ],
    )


def resize(g):
    x = g.pick(lambda v: v.dtype == F32 and v.rank in (3, 4) and all(min(d) for d in v.dims))
    mode = g.r.choice(["nearest", "linear", "cubic"] if x.rank == 4 else ["nearest", "linear"])
    words = {
        "mode": mode,
        "coordinate_transformation_mode": g.r.choice(
            ["half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"]
        ),
    }
    if mode == "nearest":
        words["nearest_mode"] = g.r.choice(["floor", "ceil", "round_prefer_floor", "round_prefer_ceil"])
    lead = x.rank - 2
    if g.r.random() < 0.5:
        scales = [g.r.choice([0.5, 1, 2, 1.5]) for _ in range(2)]
        whole = all(n * s == int(n * s) for d, s in zip(x.dims[lead:], scales) for n in d)
        # onnxruntime aligns corners of the rounded size, the tests of ONNX those of the size before it is rounded.
        if words["coordinate_transformation_mode"] == "align_corners" and not whole:
            raise Reject
        scales = g.constant(np.array([1] * lead + scales, np.float32))
        return g.node("Resize", [x, None, scales], engine="ort", exact=mode == "nearest", **words)
    if None in x.shape:
        raise Reject
    target = ints(g, *x.shape[:lead], *[g.r.choice([1, 3, 5, 8]) for _ in range(2)])
    return g.node("Resize", [x, None, None, target], engine="ort", exact=mode == "nearest", **words)


MOVES = [
    *[transpose] * 3, *[reshape] * 4, squeeze, *[unsqueeze] * 2, *[concat] * 3, *[split] * 2, *[slice_] * 4, *[pad] * 2, tile, *[expand] * 2, *[gather] * 3,
    *[scatter] * 2, depth_space, trilu, eye, one_hot, *[sizes] * 2, resize,
]  # fmt: skip
