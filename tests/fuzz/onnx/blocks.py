"""Larger things that graphs grow by: quantised operators, recurrent ones, attention, sequences, branches."""

import numpy as np
from grow import BF16, BOOL, F32, I8, U8, Reject, Value, elem, static
from onnx import helper


def quantize(g):
    x = g.pick(lambda v: v.dtype == F32 and v.rank > 0)
    to, per_axis = g.r.choice([I8, U8, U8]), g.r.random() < 0.4 and g.opset >= 13
    axis = g.r.choice([i for i, n in enumerate(x.shape) if n] or [None])
    if axis is None:
        per_axis = False
    shape = [x.shape[axis]] if per_axis else []
    scale = g.constant(g.random(np.float32, shape, 0.05, 0.5) + np.float32(1 / 64))
    zero = g.constant(g.random(to, shape, 0, 9))
    words = {"axis": axis} if per_axis else {}
    q = g.node("QuantizeLinear", [x, scale, zero], **words)
    return g.node("DequantizeLinear", [q, scale, zero], **words) if g.r.random() < 0.6 else q


def bytes_of(g, shape_fits, dims):
    """A tensor of bytes: one that is there, or a new input."""
    try:
        return g.pick(lambda v: v.dtype in (I8, U8) and shape_fits(v))
    except Reject:
        return g.input(g.r.choice([I8, U8]), dims, low=None, high=100)


def dequantize(g):
    x = bytes_of(g, lambda v: v.rank > 0, [g.dim(), g.fixed(g.r.choice([1, 3, 8]))])
    zero = g.constant(g.random(x.dtype, [], 0, 9)) if g.r.random() < 0.7 else None
    return g.node("DequantizeLinear", [x, g.constant(np.asarray(0.25, np.float32) * g.r.choice([1, 3])), zero])


def dynamic_quantize(g):
    x = g.pick(lambda v: v.dtype == F32 and v.rank > 0)
    return g.node("DynamicQuantizeLinear", [x], outputs=3)


def product_of_bytes(g):
    k, n = g.r.choice([1, 3, 8, 17]), g.r.choice([1, 4, 9])
    x = bytes_of(g, lambda v: v.rank in (2, 3) and v.shape[-1], [g.dim(), g.fixed(k)])
    k, to = x.shape[-1], g.r.choice([I8, U8])
    w = g.weight(to, [k, n], None, 100)
    zx, zw = g.constant(g.random(x.dtype, [], 0, 9)), g.constant(g.random(to, g.r.choice([[], [n]]), 0, 9))
    if g.r.random() < 0.6:
        words = [zx if g.r.random() < 0.8 else None, zw if g.r.random() < 0.6 else None]
        return g.node("MatMulInteger", [x, w, *words], engine="ort" if x.dtype == U8 else "reference")
    s = [g.constant(np.asarray(v, np.float32)) for v in (0.05, 0.11, g.r.choice([0.7, 3.1]))]
    zw = g.constant(g.random(to, [], 0, 9))
    return g.node("QLinearMatMul", [x, s[0], zx, w, s[1], zw, s[2], g.constant(g.random(x.dtype, [], 0, 9))])


def convolution_of_bytes(g):
    c, f, k = g.r.choice([1, 3, 8]), g.r.choice([1, 4, 8]), g.r.choice([1, 2, 3])
    x = bytes_of(g, lambda v: v.rank == 4 and v.shape[1] and all(min(d) >= 3 for d in v.dims[2:]),
                 [g.fixed(1), g.fixed(c), g.fixed(g.r.choice([3, 5, 8])), g.fixed(7)])  # fmt: skip
    w = g.weight(g.r.choice([I8, U8]), [f, x.shape[1], k, k], None, 100)
    zx, zw = g.constant(g.random(x.dtype, [], 0, 9)), g.constant(g.random(w.dtype, [], 0, 9))
    words = {"pads": [1, 1, 1, 1]} if g.r.random() < 0.5 else {}
    if g.r.random() < 0.5:
        return g.node("ConvInteger", [x, w, zx, zw], **words)
    s = [g.constant(np.asarray(v, np.float32)) for v in (0.05, 0.11, g.r.choice([0.7, 3.1]))]
    bias = g.constant(g.random(np.int32, [f], -99, 99)) if g.r.random() < 0.5 else None
    return g.node(
        "QLinearConv",
        [x, s[0], zx, w, s[1], zw, s[2], g.constant(g.random(x.dtype, [], 0, 9)), bias],
        engine="ort",
        **words,
    )


def recurrent(g):
    op = g.r.choice(["LSTM", "GRU", "RNN"])
    x = g.pick(
        lambda v: v.dtype == F32 and v.rank == 3 and v.shape[2] and all(min(d) for d in v.dims) and max(v.dims[0]) <= 17
    )
    gates, n, hidden = {"LSTM": 4, "GRU": 3, "RNN": 1}[op], x.shape[2], g.r.choice([1, 2, 4, 5])
    direction = g.r.choice(["forward", "reverse", "bidirectional"])
    d = 2 if direction == "bidirectional" else 1
    w, r = g.weight(F32, [d, gates * hidden, n], -1, 1), g.weight(F32, [d, gates * hidden, hidden], -1, 1)
    b = g.weight(F32, [d, 2 * gates * hidden], -1, 1) if g.r.random() < 0.6 else None
    lens = None
    if g.r.random() < 0.3 and static(x.dims[1]) is not None:
        low, high = g.r.choice([(1, min(x.dims[0])), (min(x.dims[0]), min(x.dims[0]))])
        lens = g.constant(g.np.integers(low, high + 1, [x.shape[1]]).astype(np.int32))
    state = g.input(F32, [g.fixed(d), x.dims[1], g.fixed(hidden)]) if g.r.random() < 0.4 else None
    words = {"hidden_size": hidden, "direction": direction}
    reads, outputs = [x, w, r, b, lens, state], 3 if op == "LSTM" else 2
    if op == "LSTM":
        cell = g.input(F32, [g.fixed(d), x.dims[1], g.fixed(hidden)]) if state and g.r.random() < 0.7 else None
        reads += [cell, g.weight(F32, [d, 3 * hidden], -1, 1) if g.r.random() < 0.2 else None]
        if g.opset < 14 and g.r.random() < 0.2:
            words["input_forget"] = 0
    if op == "GRU" and g.r.random() < 0.5:
        words["linear_before_reset"] = 1
    if g.r.random() < 0.15:
        words["clip"] = 0.75
    if op == "RNN" and g.r.random() < 0.3:
        words["activations"] = [g.r.choice(["Relu", "Tanh", "Sigmoid"])] * d
    return g.node(op, reads, outputs=outputs, engine="ort", **words)


def attention_by_hand(g):
    """Softmax of scores, with a mask, as exporters write it."""
    q = g.pick_float((3, 4), lambda v: v.shape[-1] and v.dtype == F32 and all(min(d) for d in v.dims))
    perm = list(range(q.rank))
    perm[-1], perm[-2] = perm[-2], perm[-1]
    k = g.node("Add", [q, g.weight(q.dtype, [q.shape[-1]], -1, 1)])
    scores = g.node("MatMul", [q, g.node("Transpose", [k], perm=perm)])
    scores = g.node("Div", [scores, g.constant(np.asarray(np.sqrt(q.shape[-1]), q.dtype))])
    if g.r.random() < 0.5:
        mask = g.input(BOOL, [*q.dims[:-2], g.fixed(1), q.dims[-2]])
        scores = g.node("Where", [mask, scores, g.constant(np.asarray(-20, q.dtype))])
    return g.node(
        "MatMul", [g.node("Softmax", [scores], axis=-1), g.pick(lambda v: v.dtype == q.dtype and v.dims == q.dims)]
    )


def attention(g):
    if g.opset < 23:
        raise Reject
    b, h, s, t, e, f = (
        g.fixed(g.r.choice([1, 2])),
        g.r.choice([1, 2, 4]),
        g.dim(),
        g.dim(),
        g.r.choice([2, 4, 8]),
        g.r.choice([2, 4, 5]),
    )
    kv = g.r.choice([n for n in (1, 2, 4) if h % n == 0])
    if min(s) == 0 or min(t) == 0:
        raise Reject
    q, k, v = g.input(g.float, [b, g.fixed(h), s, g.fixed(e)], -1, 1), g.input(g.float, [b, g.fixed(kv), t, g.fixed(e)], -1, 1), \
        g.input(g.float, [b, g.fixed(kv), t, g.fixed(f)], -1, 1)  # fmt: skip
    words, mask = {"is_causal": 1} if g.r.random() < 0.3 else {}, None
    if g.r.random() < 0.4:
        mask = g.input(g.float, [s, t])
    if g.r.random() < 0.3:
        words["softcap"] = 2.0
    return g.node("Attention", [q, k, v, mask], **words)


def rotary(g):
    if g.opset < 23:
        raise Reject
    b, h, s, e = g.fixed(2), g.fixed(g.r.choice([1, 3])), g.dim(), g.r.choice([2, 4, 8])
    x = g.input(g.float, [b, h, s, g.fixed(e)])
    cos, sin = g.input(g.float, [b, s, g.fixed(e // 2)], -1, 1), g.input(g.float, [b, s, g.fixed(e // 2)], -1, 1)
    return g.node("RotaryEmbedding", [x, cos, sin], interleaved=g.r.choice([0, 1]))


def sequence(g):
    """A sequence of values, of which one comes back, or all in one."""
    x = g.pick(lambda v: v.rank > 0 and v.dtype != BF16)
    like = [v for v in g.values if v.dtype == x.dtype and v.dims == x.dims]
    items = [x, *g.r.sample(like, min(len(like), g.r.choice([1, 2])))]
    name = g.fresh("q")
    proto = helper.make_node("SequenceConstruct", [v.name for v in items], [name])
    if g.r.random() < 0.5:
        at = g.r.randrange(-len(items), len(items))
        index = g.constant(np.asarray(at, np.int64), plain=True)
        made = Value(g.fresh(), items[at].arrays, None if items[at].exact else items[at].shadows)
        second = helper.make_node("SequenceAt", [name, index.name], [made.name])
        items.append(index)
    else:
        axis, new = g.r.randrange(x.rank), g.r.choice([0, 1])
        join = (lambda a: np.stack(a, axis)) if new else (lambda a: np.concatenate(a, axis))
        arrays = [join([v.arrays[k] for v in items]) for k in range(g.bindings)]
        exact = all(v.exact for v in items)
        shadows = None if exact else [join([v.shadows[k] for v in items]) for k in range(g.bindings)]
        made = Value(g.fresh(), arrays, shadows)
        second = helper.make_node("ConcatFromSequence", [name], [made.name], axis=axis, new_axis=new)
    hidden = Value(name, made.arrays)
    g.add(proto, items, [hidden], "known")
    g.add(second, [hidden, *items[-1:]], [made], "known")
    g.values.append(made)
    return made


BRANCHES = [
    ("Relu", {}),
    ("Neg", {}),
    ("Abs", {}),
    ("Tanh", {}),
    ("Sigmoid", {}),
    ("Softsign", {}),
    ("Add", None),
    ("Mul", None),
    ("Sub", None),
]


def branch(g):
    """An If whose branches compute the same type and shape from values around it."""
    x = g.pick(lambda v: v.dtype == F32)
    others = [v for v in g.values if v.dtype == F32 and v.dims == x.dims]
    condition = g.input(BOOL, [] if g.r.random() < 0.7 else [g.fixed(1)])
    graphs, results, reads = [], [], [condition, x]
    mark = len(g.nodes), len(g.values)
    for _ in range(2):
        at, value = len(g.nodes), x
        for _ in range(g.r.randint(1, 3)):
            op, words = g.r.choice(BRANCHES)
            if words is None:
                value = g.node(op, [value, g.r.choice(others)])
            else:
                value = g.node(op, [value])
        inner = g.nodes[at:]
        reads += [v for n in inner for v in n.reads]
        graphs.append(helper.make_graph([n.proto for n in inner], f"branch_{value.name}", [],
                                        [helper.make_tensor_value_info(value.name, elem(value.dtype), [None] * value.rank)]))  # fmt: skip
        results.append(value)
        del g.nodes[at:]
    del g.values[mark[1] :]
    which = [0 if a.reshape(-1)[0] else 1 for a in condition.arrays]
    made = Value(
        g.fresh(),
        [results[w].arrays[k] for k, w in enumerate(which)],
        [results[w].shadows[k] for k, w in enumerate(which)],
    )
    proto = helper.make_node("If", [condition.name], [made.name], then_branch=graphs[0], else_branch=graphs[1])
    own = {n for graph in graphs for node in graph.node for n in node.output}
    there = {v.name: v for v in reads if v.name not in own}
    g.add(proto, list(there.values()), [made], "known")
    g.values.append(made)
    return made


BLOCKS = [quantize, quantize, dequantize, dynamic_quantize, product_of_bytes, product_of_bytes, convolution_of_bytes, recurrent, recurrent, attention_by_hand,
          attention, rotary, sequence, branch, branch]  # fmt: skip
