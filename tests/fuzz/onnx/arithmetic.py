"""The operators that graphs grow by: each function adds one or a few nodes to a graph, or raises Reject."""

import numpy as np
from grow import BOOL, F16, F32, FLOATS, I8, I32, I64, INTS, KINDS, U8, Reject, elem, static

FUNCTIONS = {  # of one number: the range that they are good for
    "Abs": (None, None), "Neg": (None, None), "Relu": (None, None), "Tanh": (None, None), "Sigmoid": (None, None), "Exp": (None, 5),
    "Log": (0.05, None), "Sqrt": (0.01, None), "Sin": (None, None), "Cos": (None, None), "Tan": (-1, 1), "Asin": (-0.9, 0.9),
    "Acos": (-0.9, 0.9), "Atan": (None, None), "Sinh": (-4, 4), "Cosh": (-4, 4), "Asinh": (None, None), "Acosh": (1.1, None),
    "Atanh": (-0.9, 0.9), "Erf": (None, None), "Gelu": (None, None), "Softplus": (None, 20), "Softsign": (None, None), "Elu": (None, None),
    "Selu": (None, None), "Celu": (None, None), "LeakyRelu": (None, None), "HardSigmoid": (None, None), "HardSwish": (None, None),
    "Mish": (None, 20), "ThresholdedRelu": (None, None), "Shrink": (None, None), "Reciprocal": (0.1, None), "Ceil": (None, None),
    "Floor": (None, None), "Round": (None, None), "Sign": (None, None), "Identity": (None, None), "Dropout": (None, None),
    "Swish": (None, None),
}  # fmt: skip
EXACT = {"Abs", "Neg", "Relu", "Ceil", "Floor", "Round", "Sign", "Identity", "Dropout"}
ALPHAS = {
    "Elu": (0.5, 1.5),
    "Celu": (0.5, 1.5),
    "LeakyRelu": (0.01, 0.5),
    "ThresholdedRelu": (0.5, 1.5),
    "Selu": (1.5, 2.0),
    "Swish": (0.5, 2.0),
}
# The reference evaluator has these in f32 only, whatever their operand is.
SINGLE = {"Erf", "Gelu", "HardSwish"}
SINCE = {"Gelu": 20, "Mish": 18, "HardSwish": 14, "Celu": 12, "Swish": 24}


def unary(g):
    op = g.r.choice(list(FUNCTIONS))
    low, high = FUNCTIONS[op]
    if g.opset < SINCE.get(op, 0):
        raise Reject
    x = g.pick_float(
        fits=lambda v: (
            (v.dtype != np.float64 or op not in SINGLE)
            and (low is None or v.least() >= low)
            and (high is None or v.largest() <= high)
        )
    )
    words = {}
    if op in ALPHAS and g.r.random() < 0.5:
        words["alpha"] = round(g.r.uniform(*ALPHAS[op]), 2)
    if op == "Gelu" and g.r.random() < 0.5:
        words["approximate"] = "tanh"
    if op == "HardSigmoid" and g.r.random() < 0.5:
        words |= {"alpha": 0.3, "beta": 0.4}
    if op == "Shrink":
        words |= {"lambd": 0.7, "bias": g.r.choice([0.0, 0.3])}
    if op == "Dropout" and g.opset < 12:
        words["ratio"] = 0.3
    return g.node(op, [x], exact=op in EXACT, **words)


def unary_integer(g):
    op = g.r.choice(["Abs", "Neg", "Sign", "Identity", "BitwiseNot", "Relu"])
    if op == "BitwiseNot" and g.opset < 18 or op == "Relu" and g.opset < 14:
        raise Reject
    return g.node(
        op,
        [
            g.pick(
                lambda v: v.dtype in INTS and (v.dtype.kind == "i" or op in ("Sign", "Identity", "Abs", "BitwiseNot"))
            )
        ],
    )


def special(g):
    """NaN and infinities are looked for where there are none, and where there are."""
    x = g.pick_float(fits=lambda v: v.dtype != KINDS)
    return g.node(g.r.choice(["IsNaN", "IsInf"] if x.dtype in (F32, np.float64) else ["IsNaN"]), [x])


def partner(g, x, constant=0.4):
    """A second operand that is broadcast with x: a value, or a new constant or input of some of its dimensions."""

    def fits(v):
        if v.dtype != x.dtype:
            return False
        pairs = zip(reversed(v.dims), reversed(x.dims))
        return all(a == b or static(a) == 1 or static(b) == 1 for a, b in pairs)

    if g.r.random() > constant:
        return g.pick(fits)
    dims = list(x.dims[g.r.randint(0, x.rank) :]) if x.rank else []
    dims = [d if g.r.random() < 0.75 else g.fixed(1) for d in dims]
    if g.r.random() < 0.1 and len(dims) < 5:
        dims = [g.fixed(g.r.choice([1, 2, 3])), *([g.fixed(1)] * (x.rank - len(dims))), *dims]
    if all(static(d) is not None for d in dims):
        return g.weight(x.dtype, [d[0] for d in dims])
    return g.input(x.dtype, dims)


def ordered(g, a, b):
    return (a, b) if g.r.random() < 0.5 else (b, a)


def binary(g):
    x = g.pick_float()
    op = g.r.choice(["Add", "Add", "Sub", "Mul", "Mul", "Div", "Max", "Min", "Mean", "Sum", "Pow", "PRelu", "Mod"])
    if op == "Div":
        y = partner(g, x)
        if np.min([np.abs(a.astype(np.float64)).min(initial=9) for a in y.arrays]) < 0.2:
            # A divisor that is not nearly 0.
            y = g.node("Add", [g.node("Abs", [y]), g.constant(np.asarray(0.5, x.dtype))])
        return g.node("Div", [x, y])
    if op == "Pow":
        y = g.constant(np.asarray(g.r.choice([2, 3, 1, 0.5, -1, 2.0]), x.dtype))
        if y.constant < 1 and x.least() < 0.1:
            x = g.node("Add", [g.node("Abs", [x]), g.constant(np.asarray(0.5, x.dtype))])
        return g.node("Pow", [x, y])
    if op == "Mod":
        y = g.constant(np.asarray(g.r.choice([0.75, 1.5, -2.0]), x.dtype))
        return g.node("Mod", [x, y], fmod=1, exact=True)
    if op == "PRelu":
        return g.node(
            "PRelu", [x, g.weight(x.dtype, [n if n is not None else 1 for n in x.shape][g.r.randint(0, x.rank) :])]
        )
    y = partner(g, x)
    if op in ("Max", "Min", "Mean", "Sum"):
        more = [partner(g, x, 0.2)] if g.r.random() < 0.3 else []
        return g.node(op, [*ordered(g, x, y), *more], exact=op in ("Max", "Min"))
    return g.node(op, ordered(g, x, y), exact=op in ("Add", "Sub") and x.dtype != F16)


def binary_integer(g):
    x = g.pick(lambda v: v.dtype in INTS)
    op = g.r.choice(
        ["Add", "Sub", "Mul", "Div", "Mod", "Max", "Min", "BitShift", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "Pow"]
    )
    if (
        op.startswith("Bitwise")
        and g.opset < 18
        or x.dtype.itemsize < 4
        and op in ("Add", "Sub", "Mul", "Div")
        and g.opset < 14
    ):
        raise Reject
    if op in ("Div", "Mod"):
        shape = [n if n is not None else 1 for n in x.shape][g.r.randint(0, x.rank) :]
        array = g.random(x.dtype, shape, 1, 7)
        if x.dtype.kind == "i":
            array = (array * np.where(g.random(BOOL, shape), -1, 1)).astype(x.dtype)
        # What division of integers does with remainders is said for Mod, and onnxruntime truncates.
        if op == "Div" and min(x.least(), array.min(initial=0)) < 0:
            raise Reject
        words = {"fmod": g.r.choice([0, 1])} if op == "Mod" else {}
        return g.node(op, [x, g.constant(array)], **words)
    if op == "BitShift":
        if x.dtype.kind != "u":
            raise Reject
        y = g.constant(g.random(x.dtype, [], 0, 8 * x.dtype.itemsize - 1))
        return g.node(op, [x, y], direction=g.r.choice(["LEFT", "RIGHT"]))
    if op == "Pow":
        if x.dtype not in (I32, I64) or x.largest() > 30 or g.opset < 12:
            raise Reject
        return g.node(
            op,
            [
                x,
                g.constant(np.asarray(g.r.choice([0, 1, 2, 3, 70, 71] if x.largest() <= 1 else [0, 1, 2, 3]), x.dtype)),
            ],
        )
    return g.node(op, ordered(g, x, partner(g, x)))


def compare(g):
    op = g.r.choice(["Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual"])
    x = g.pick(lambda v: v.dtype != BOOL or op == "Equal")
    if g.opset < 12 and op.endswith("OrEqual"):
        raise Reject
    return g.node(op, ordered(g, x, partner(g, x)))


def logic(g):
    try:
        x = g.pick(lambda v: v.dtype == BOOL)
    except Reject:
        x = g.input(BOOL, g.pick().dims)
    if g.r.random() < 0.3:
        return g.node("Not", [x])
    return g.node(g.r.choice(["And", "Or", "Xor"]), ordered(g, x, partner(g, x)))


def where(g):
    x = g.pick()
    conditions = [v for v in g.values if v.dtype == BOOL and v.rank <= x.rank
                  and all(a == b or static(a) == 1 for a, b in zip(reversed(v.dims), reversed(x.dims)))]  # fmt: skip
    c = g.r.choice(conditions) if conditions and g.r.random() < 0.7 else g.input(BOOL, x.dims[g.r.randint(0, x.rank) :])
    return g.node("Where", [c, *ordered(g, x, partner(g, x))], exact=True)


def cast(g):
    x = g.pick()
    to = g.r.choice([*FLOATS, *INTS, BOOL, I32, I64, F32])
    if x.dtype in KINDS and to in INTS:
        if x.least() < 0 and to.kind == "u" or x.largest() > 100:
            raise Reject
    if x.dtype in INTS and to in INTS and (x.largest() > np.iinfo(to).max or x.least() < np.iinfo(to).min):
        raise Reject
    if to == x.dtype:
        raise Reject
    # An integer of many digits is rounded.
    exact = to not in KINDS or x.dtype in INTS and x.largest() < 128 or x.dtype == BOOL
    if g.opset >= 15 and g.r.random() < 0.15:
        like = g.constant(np.zeros([1], to))
        return g.node("CastLike", [x, like], exact=exact)
    return g.node("Cast", [x], to=elem(to), exact=exact)


def clip(g):
    x = g.pick(lambda v: v.dtype in KINDS or v.dtype in INTS and g.opset >= 12)
    low = np.asarray(-1 if x.dtype.kind not in "u" else 2, x.dtype)
    high = np.asarray(g.r.choice([1, 6]) if x.dtype.kind != "u" else 7, x.dtype)
    which = g.r.choice([(1, 1), (1, 1), (1, 0), (0, 1), (0, 0)])
    return g.node(
        "Clip", [x, g.constant(low) if which[0] else None, g.constant(high) if which[1] else None], exact=True
    )


# Reductions.

AXES_ARE_INPUT = {"ReduceSum": 13}


def axes_of(g, x, most=3):
    return sorted(g.r.sample(range(x.rank), g.r.randint(1, min(most, x.rank))))


def signed(g, axes, rank):
    return [a - rank if g.r.random() < 0.3 else a for a in axes]


def reduce(g):
    op = "Reduce" + g.r.choice(
        ["Sum", "Sum", "Mean", "Mean", "Max", "Min", "Prod", "L1", "L2", "LogSum", "LogSumExp", "SumSquare"]
    )
    x = g.pick(lambda v: v.rank > 0 and (v.dtype in KINDS or v.dtype in (I32, I64) and "Log" not in op and op not in ("ReduceMean", "ReduceL2")
                                         or op in ("ReduceMax", "ReduceMin") and v.dtype in (I8, U8) and g.opset >= 12))  # fmt: skip
    if op == "ReduceLogSum":
        x = g.node("Abs", [x])
    # The reference evaluator sums squares of i32 in i64.
    if op == "ReduceSumSquare" and x.dtype == I32:
        raise Reject
    axes = signed(g, axes_of(g, x), x.rank)
    words = {} if g.r.random() < 0.3 else {"keepdims": g.r.choice([0, 1])}
    if g.r.random() < 0.08:
        return g.node(op, [x], exact=op in ("ReduceMax", "ReduceMin"), **words)
    if g.opset >= AXES_ARE_INPUT.get(op, 18):
        return g.node(op, [x, g.constant(np.array(axes, np.int64))], exact=op in ("ReduceMax", "ReduceMin"), **words)
    return g.node(op, [x], axes=axes, exact=op in ("ReduceMax", "ReduceMin"), **words)


def arg(g):
    x = g.pick(lambda v: v.rank > 0 and (v.dtype in KINDS or v.dtype in (I32, I8, U8)))
    words = {"select_last_index": 1} if g.opset >= 12 and g.r.random() < 0.3 else {}
    return g.node(
        g.r.choice(["ArgMax", "ArgMin"]),
        [x],
        axis=signed(g, [g.r.randrange(x.rank)], x.rank)[0],
        keepdims=g.r.choice([0, 1]),
        **words,
    )


def softmax(g):
    x = g.pick_float(range(1, 7))
    op = g.r.choice(["Softmax", "Softmax", "LogSoftmax", "Hardmax"])
    # Before opset 13 all dimensions from the axis on are one, which the reference evaluator does not know.
    axis = g.r.randrange(x.rank) if g.opset >= 13 else x.rank - 1
    return g.node(op, [x], axis=signed(g, [axis], x.rank)[0])


def normalise(g):
    kind = g.r.choice(["layer", "layer", "batch", "instance", "group", "rms", "lp", "mvn", "lrn"])
    if kind in ("layer", "rms"):
        if g.opset < (17 if kind == "layer" else 23):
            raise Reject
        x = g.pick_float(range(1, 6), lambda v: v.shape[-1] is not None)
        least = max(i for i in range(x.rank + 1) if i == 0 or x.shape[i - 1] is None)
        axis = g.r.randint(least, x.rank - 1)
        shape = x.shape[axis:]
        words = {"axis": signed(g, [axis], x.rank)[0]} | ({"epsilon": 1e-3} if g.r.random() < 0.5 else {})
        scale = g.weight(x.dtype, shape)
        bias = [g.weight(x.dtype, shape)] if kind == "layer" and g.r.random() < 0.7 else []
        return g.node("LayerNormalization" if kind == "layer" else "RMSNormalization", [x, scale, *bias], **words)
    if kind in ("batch", "instance", "group"):
        x = g.pick_float(range(2 if kind == "batch" else 3, 6), lambda v: v.shape[1] is not None)
        c = x.shape[1]
        if kind == "batch":
            positive = g.constant(g.random(x.dtype, [c], 0.5, 2))
            words = {"epsilon": 1e-3} if g.r.random() < 0.5 else {}
            # Before opset 14 the reference evaluator trains: it mixes in what the batch itself has for mean and variance.
            engine = "ort" if g.opset < 14 else "reference"
            return g.node(
                "BatchNormalization",
                [x, g.weight(x.dtype, [c]), g.weight(x.dtype, [c]), g.weight(x.dtype, [c]), positive],
                engine=engine,
                **words,
            )
        if kind == "instance":
            return g.node("InstanceNormalization", [x, g.weight(x.dtype, [c]), g.weight(x.dtype, [c])], epsilon=1e-2)
        if g.opset < 18:
            raise Reject
        if c < 1:
            raise Reject
        groups = g.r.choice([n for n in range(1, c + 1) if c % n == 0])
        size = c if g.opset >= 21 else groups
        return g.node(
            "GroupNormalization",
            [x, g.weight(x.dtype, [size]), g.weight(x.dtype, [size])],
            num_groups=groups,
            epsilon=1e-2,
        )
    if kind == "lp":
        x = g.pick_float(range(1, 5))
        # The reference evaluator adds what has a sign for p = 1.
        if x.dtype == F32 and g.r.random() < 0.5:
            return g.node("LpNormalization", [x], engine="ort", axis=g.r.randrange(x.rank), p=1)
        return g.node("LpNormalization", [x], axis=g.r.randrange(x.rank), p=2)
    x = g.pick_float([4])
    if kind == "mvn":
        if g.opset < 13:
            raise Reject
        return g.node("MeanVarianceNormalization", [x], axes=g.r.choice([[0, 2, 3], [2, 3], [1]]))
    if x.dtype != F32:
        # The reference evaluator stops at the wrong channel.
        raise Reject
    return g.node("LRN", [x], engine="ort", size=g.r.choice([1, 3, 5]), alpha=0.1, beta=0.75, bias=1.5)


def scan(g):
    x = g.pick(lambda v: v.rank > 0 and (v.dtype in KINDS or v.dtype in (I32, I64)))
    op = "CumProd" if g.opset >= 26 and g.r.random() < 0.3 else "CumSum"
    axis = g.constant(np.asarray(signed(g, [g.r.randrange(x.rank)], x.rank)[0], g.r.choice([np.int64, np.int32])))
    return g.node(op, [x, axis], exclusive=g.r.choice([0, 1]), reverse=g.r.choice([0, 1]))


def topk(g):
    x = g.pick(lambda v: v.rank > 0 and (v.dtype in KINDS or v.dtype in (I32, I64)))
    axis = g.r.randrange(x.rank)
    least = min(x.dims[axis])
    k = g.constant(np.array([g.r.randint(0 if g.r.random() < 0.1 else min(1, least), least)], np.int64))
    return g.node(
        "TopK", [x, k], outputs=2, axis=signed(g, [axis], x.rank)[0], largest=g.r.choice([0, 1]), sorted=1, exact=True
    )


# Products.


def matmul(g):
    x = g.pick_float(range(1, 5), lambda v: v.shape[-1] is not None)
    k, n = x.shape[-1], g.r.choice([1, 2, 3, 5, 8, 16, 17])
    if g.r.random() < 0.4:
        found = [v for v in g.values if v.dtype == x.dtype and v.rank and static(v.dims[max(v.rank - 2, 0)]) == k
                 and all(a == b or static(a) == 1 or static(b) == 1 for a, b in zip(reversed(v.dims[:-2]), reversed(x.dims[:-2])))]  # fmt: skip
        if found:
            return g.node("MatMul", [x, g.r.choice(found)])
    if g.r.random() < 0.25:
        return g.node("MatMul", [x, g.weight(x.dtype, [k], -1, 1)])
    batch = [d[0] for d in x.dims[:-2] if static(d) is not None][-1:] if g.r.random() < 0.3 and x.rank == 3 else []
    y = g.weight(x.dtype, [*batch, k, n], -1, 1)
    z = g.node("MatMul", [x, y])
    if g.r.random() < 0.4:
        return g.node("Add", ordered(g, z, g.weight(x.dtype, [n])))
    return z


def gemm(g):
    x = g.pick_float([2])
    ta, tb = g.r.choice([0, 1]), g.r.choice([0, 1])
    k, m = (x.shape[0], x.dims[1]) if ta else (x.shape[1], x.dims[0])
    if k is None:
        raise Reject
    n = g.r.choice([1, 3, 8, 17])
    y = g.weight(x.dtype, [n, k] if tb else [k, n], -1, 1)
    c = g.r.choice([None, [n], [1, n], [1], [], "full", "column"])
    words = {"transA": ta, "transB": tb} | (
        {"alpha": 0.5, "beta": g.r.choice([0.25, 2.0])} if g.r.random() < 0.4 else {}
    )
    if c == "full":
        c = g.input(x.dtype, [m, g.fixed(n)])
    elif c == "column":
        c = g.input(x.dtype, [m, g.fixed(1)])
    elif c is not None:
        c = g.weight(x.dtype, c)
    return g.node("Gemm", [x, y, c], **words)


def einsum(g):
    if g.opset < 12:
        raise Reject
    x = g.pick_float(range(1, 5))
    letters = "abcdefgh"[: x.rank]
    ones = {c: n for c, n in zip(letters, x.shape)}
    shared = [c for c in letters if ones[c] is not None]
    second = g.r.sample(shared, g.r.randint(0, min(2, len(shared)))) + ["z"] * g.r.choice([0, 1])
    g.r.shuffle(second)
    ones["z"] = g.r.choice([1, 2, 5])
    both = [*letters, *("z" if "z" in second else "")]
    result = [c for c in both if g.r.random() < 0.6]
    g.r.shuffle(result)
    y = [g.weight(x.dtype, [ones[c] for c in second], -1, 1)] if second else []
    text = letters + ("," + "".join(second) if second else "") + "->" + "".join(result)
    return g.node("Einsum", [x, *y], equation=text)


def image(g, ranks=(3, 4, 5)):
    """Something of N, C and space, of known channels."""
    try:
        return g.pick_float(ranks, lambda v: v.shape[1] not in (None, 0) and all(min(d) > 0 for d in v.dims[2:]))
    except Reject:
        space = [
            g.dim() if g.r.random() < 0.3 else g.fixed(g.r.choice([1, 3, 5, 6, 8, 11]))
            for _ in range(g.r.choice([1, 2, 2]))
        ]
        return g.input(
            g.float,
            [
                g.dim() if g.r.random() < 0.3 else g.fixed(g.r.choice([1, 2])),
                g.fixed(g.r.choice([1, 2, 3, 4, 6, 8, 16])),
                *space,
            ],
        )


def window(g, x, dilation=True):
    """Attributes of a convolution or a pool over the space of x."""
    least = [min(d) for d in x.dims[2:]]
    kernel = [g.r.choice([k for k in (1, 1, 2, 3, 3, 4, 5) if k <= n + 2]) for n in least]
    words = {"kernel_shape": kernel}
    if g.r.random() < 0.5:
        words["strides"] = [g.r.choice([1, 2, 2, 3]) for _ in kernel]
    if dilation and g.r.random() < 0.25:
        words["dilations"] = [g.r.choice([1, 2]) for _ in kernel]
    reach = [(k - 1) * d + 1 for k, d in zip(kernel, words.get("dilations", [1] * len(kernel)))]
    style = g.r.choice(["none", "explicit", "explicit", "SAME_UPPER", "SAME_LOWER", "VALID"])
    if style == "explicit":
        words["pads"] = [g.r.randint(0, max(r // 2, 0)) for r in reach] + [
            g.r.randint(0, max(r // 2, 0)) for r in reach
        ]
        padded = [n + words["pads"][i] + words["pads"][i + len(least)] for i, n in enumerate(least)]
    elif style == "none":
        padded = least
    else:
        words["auto_pad"] = style
        if style != "VALID" and "dilations" in words:
            raise Reject
        padded = least if style == "VALID" else [max(n, r) for n, r in zip(least, reach)]
    if any(p < r for p, r in zip(padded, reach)):
        raise Reject
    return words


def conv(g):
    x = image(g)
    c, words = x.shape[1], window(g, x)
    groups = g.r.choice([1, 1, 1, *[n for n in range(1, c + 1) if c % n == 0]])
    filters = groups * g.r.choice([1, 1, 2, 3, 4])
    if max(len(words["kernel_shape"]), 2) * 2 < len(words["kernel_shape"]):
        raise Reject
    w = g.weight(x.dtype, [filters, c // groups, *words["kernel_shape"]], -1, 1)
    b = g.weight(x.dtype, [filters]) if g.r.random() < 0.5 else None
    if g.r.random() < 0.3:
        del words["kernel_shape"]
    y = g.node("Conv", [x, w, b], engine=conv_engine(x), group=groups, **words)
    return g.node("Relu", [y], exact=True) if g.r.random() < 0.3 else y


def conv_engine(x):
    """onnxruntime is right with images of every rank, quicker, and has it in f32 only."""
    return "ort" if x.dtype == F32 else "reference"


def conv_transpose(g):
    x = image(g, (3, 4))
    # What nothing is spread to is not defined.
    if x.dtype != F32 or min(x.dims[0]) == 0 or any(min(d) == 0 for d in x.dims[2:]):
        raise Reject
    c = x.shape[1]
    groups = g.r.choice([1, 1, *[n for n in range(1, c + 1) if c % n == 0]])
    kernel = [g.r.choice([1, 2, 3, 4]) for _ in x.dims[2:]]
    words = {"strides": [g.r.choice([1, 2, 3]) for _ in kernel]}
    if g.r.random() < 0.3:
        words["dilations"] = [g.r.choice([1, 2]) for _ in kernel]
    kind = g.r.choice(["none", "pads", "output_padding", "SAME_UPPER", "SAME_LOWER"])
    if kind == "pads":
        words["pads"] = [g.r.randint(0, 1) for _ in kernel * 2]
    elif kind == "output_padding":
        words["output_padding"] = [g.r.randrange(s) for s in words["strides"]]
    elif kind != "none":
        # Windows that leave gaps cannot be padded to so large a result; who does what is not said.
        if any((k - 1) * d + 1 < s for k, d, s in zip(kernel, words.get("dilations", [1] * 3), words["strides"])):
            raise Reject
        words["auto_pad"] = kind
    w = g.weight(x.dtype, [c, g.r.choice([1, 2, 3]), *kernel], -1, 1)
    b = g.weight(x.dtype, [w.shape[1] * groups]) if g.r.random() < 0.4 else None
    return g.node("ConvTranspose", [x, w, b], engine="ort", group=groups, **words)


def pool(g):
    x = image(g)
    kind = g.r.choice(["MaxPool", "MaxPool", "AveragePool", "AveragePool", "LpPool", "global"])
    if kind == "global":
        op = g.r.choice(["GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool"])
        return g.node(op, [x], exact=op == "GlobalMaxPool", engine=conv_engine(x))
    words = window(g, x, dilation=kind == "MaxPool" or kind == "AveragePool" and g.opset >= 19)
    if x.dtype != F32:
        raise Reject
    if g.r.random() < 0.25 and kind != "LpPool" and "auto_pad" not in words:
        words["ceil_mode"] = 1
    if kind == "AveragePool" and g.r.random() < 0.4:
        words["count_include_pad"] = 1
    if kind == "LpPool":
        words["p"] = g.r.choice([1, 2, 3])
    return g.node(kind, [x], engine="ort", exact=kind == "MaxPool", **words)


ARITHMETIC = [
    *[unary] * 6, unary_integer, special, *[binary] * 7, *[binary_integer] * 3, *[compare] * 2, *[logic] * 2, *[where] * 2, *[cast] * 3, *[clip] * 2,
    *[reduce] * 4, arg, *[softmax] * 2, *[normalise] * 4, scan, topk, *[matmul] * 4, *[gemm] * 2, einsum, *[conv] * 4, conv_transpose, *[pool] * 3,
]  # fmt: skip
