"""Operators of `com.microsoft` that graphs grow by, as onnxruntime's optimisers and quantisers write them; it is the only judge."""

import numpy as np
from grow import F32, I8, U8, Reject

DOMAIN = "com.microsoft"


def add(g, op, reads, **words):
    return g.node(op, reads, engine="ort", domain=DOMAIN, **words)


def wide(g, least=1):
    """A value of f32 whose last dimension is known."""
    return g.pick(lambda v: v.dtype == F32 and v.rank >= least and v.shape[-1])


def gelus(g):
    x = wide(g)
    op = g.r.choice(["Gelu", "FastGelu", "BiasGelu", "QuickGelu", "FastGelu"])
    bias = [g.weight(F32, [x.shape[-1]])] if op == "BiasGelu" or (op == "FastGelu" and g.r.random() < 0.5) else []
    return add(g, op, [x, *bias], **({"alpha": 1.5} if op == "QuickGelu" else {}))


def skip_normalization(g):
    x = g.pick(lambda v: v.dtype == F32 and v.rank == 3 and v.shape[-1])
    like = g.pick(lambda v: v.dtype == F32 and v.dims == x.dims)
    n = x.shape[-1]
    if g.r.random() < 0.5:
        bias = [g.weight(F32, [n]) if g.r.random() < 0.5 else None]
        return add(g, "SkipSimplifiedLayerNormalization", [x, like, g.weight(F32, [n]), *bias], epsilon=1e-3)
    more = [g.weight(F32, [n]) if g.r.random() < 0.7 else None, g.weight(F32, [n]) if g.r.random() < 0.5 else None]
    return add(g, "SkipLayerNormalization", [x, like, g.weight(F32, [n]), *more], epsilon=1e-3)


def fused_product(g):
    x = wide(g, 2)
    n, k, ta, tb = g.r.choice([1, 3, 8]), x.shape[-1], g.r.choice([0, 0, 1]), g.r.choice([0, 1])
    if ta:
        k = x.shape[-2]
        if not k:
            raise Reject
    w = g.weight(F32, [n, k] if tb else [k, n], -1, 1)
    return add(g, "FusedMatMul", [x, w], transA=ta, transB=tb, alpha=g.r.choice([1.0, 0.5, -0.25]))


def product_of_nibbles(g):
    x, bits = wide(g, 2), 4
    n, k, block = g.r.choice([1, 5, 8, 16]), x.shape[-1], g.r.choice([16, 32])
    blocks = -(-k // block)
    w = g.constant(g.random(U8, [n, blocks, block * bits // 8], 0, 256), plain=True)
    scales = g.constant(g.random(F32, [n * blocks], 0.05, 0.5), plain=True)
    zero = g.constant(g.random(U8, [n * (-(-blocks // 2))], 0, 256), plain=True) if g.r.random() < 0.5 else None
    return add(g, "MatMulNBits", [x, w, scales, zero], K=k, N=n, bits=bits, block_size=block)


def bytes_and_scale(g, dims):
    """Bytes, their scale and zero point. Scales have no simple ratio: a result right between two steps may go to either."""
    x = g.input(g.r.choice([I8, U8]), dims, None, 100)
    return x, g.constant(np.asarray(g.r.choice([0.05, 0.11]), np.float32)), g.constant(g.random(x.dtype, [], 0, 9))


def quantised_arithmetic(g):
    dims = [g.dim(), g.fixed(g.r.choice([1, 3, 8]))]
    a = bytes_and_scale(g, dims)
    b = g.input(a[0].dtype, dims if g.r.random() < 0.6 else dims[1:], None, 100)
    zero = g.constant(g.random(a[0].dtype, [], 0, 9))
    out = [g.constant(np.asarray(0.1913, np.float32)), g.constant(g.random(a[0].dtype, [], 0, 9))]
    return add(
        g, g.r.choice(["QLinearAdd", "QLinearMul"]), [*a, b, g.constant(np.asarray(0.0717, np.float32)), zero, *out]
    )


def quantised_functions(g):
    a = bytes_and_scale(g, [g.dim(), g.fixed(g.r.choice([1, 3, 8]))])
    out = [g.constant(np.asarray(0.0313, np.float32)), g.constant(g.random(a[0].dtype, [], 0, 9))]
    op = g.r.choice(["QLinearSigmoid", "QLinearLeakyRelu"])
    return add(g, op, [*a, *out], **({"alpha": 0.25} if op == "QLinearLeakyRelu" else {}))


def quantised_pool(g):
    a = bytes_and_scale(g, [g.fixed(2), g.fixed(g.r.choice([1, 3])), g.fixed(5), g.fixed(g.r.choice([4, 6]))])
    out = [g.constant(np.asarray(0.0931, np.float32)), g.constant(g.random(a[0].dtype, [], 0, 9))]
    if g.r.random() < 0.5:
        return add(g, "QLinearGlobalAveragePool", [*a, *out], channels_last=0)
    return add(g, "QLinearAveragePool", [*a, *out], kernel_shape=[2, 2], strides=g.r.choice([[1, 1], [2, 2]]), pads=g.r.choice([[0] * 4, [1] * 4]),
               count_include_pad=g.r.choice([0, 1]))  # fmt: skip


def product_to_floats(g):
    k, n = g.r.choice([3, 8, 17]), g.r.choice([1, 4, 9])
    if g.r.random() < 0.5:
        x = wide(g, 2)
        w, k = g.random(g.r.choice([I8, U8]), [x.shape[-1], n], None, 100), x.shape[-1]
        # Where the CPU has no VNNI, onnxruntime adds pairs of products with signed weights in 16 bits, which saturate.
        w = g.constant(w // 2 if w.dtype == I8 else w)
        return add(
            g,
            "DynamicQuantizeMatMul",
            [x, w, g.constant(np.asarray(0.01, np.float32)), g.constant(g.random(w.dtype, [], 0, 9))],
        )
    x = g.input(U8, [g.dim(), g.fixed(k)], 0, 100)
    w = g.constant(g.random(g.r.choice([I8, U8]), [k, n], None, 100))
    zeros = [g.constant(g.random(U8, [], 0, 9)), g.constant(g.random(w.dtype, [], 0, 9))]
    bias = g.weight(F32, [n]) if g.r.random() < 0.5 else None
    return add(
        g,
        "MatMulIntegerToFloat",
        [x, w, g.constant(np.asarray(0.05, np.float32)), g.constant(np.asarray(0.02, np.float32)), *zeros, bias],
    )


def heads(g):
    """Attention in three of its forms."""
    batch, s, heads_, e = g.fixed(g.r.choice([1, 2])), g.dim(), g.r.choice([1, 2, 4]), g.r.choice([2, 4, 8])
    if min(s) == 0:
        raise Reject
    n = heads_ * e
    q = g.input(F32, [batch, s, g.fixed(n)], -1, 1)
    kind = g.r.choice(["Attention", "MultiHeadAttention"])
    if kind == "Attention":
        words = {"unidirectional": 1} if g.r.random() < 0.5 else {}
        return add(
            g,
            "Attention",
            [q, g.weight(F32, [n, 3 * n], -1, 1), g.weight(F32, [3 * n], -1, 1)],
            num_heads=heads_,
            **words,
        )
    t = g.dim()
    if min(t) == 0:
        raise Reject
    k, v = g.input(F32, [batch, t, g.fixed(n)], -1, 1), g.input(F32, [batch, t, g.fixed(n)], -1, 1)
    bias = g.weight(F32, [3 * n], -1, 1) if g.r.random() < 0.4 else None
    return add(g, "MultiHeadAttention", [q, k, v, bias], num_heads=heads_)


def grouped_query(g):
    """A step of a decoder: caches that have room, and one or several new tokens."""
    b, kv, group, e = g.r.choice([1, 2]), g.r.choice([1, 2]), g.r.choice([1, 2]), g.r.choice([8, 16])
    new, past = g.r.choice([1, 1, 3]), g.r.choice([0, 2, 5])
    if new > 1 and past:
        past = 0
    h = kv * group
    q = g.input(F32, [g.fixed(b), g.fixed(new), g.fixed(h * e)], -1, 1)
    k, v = (g.input(F32, [g.fixed(b), g.fixed(new), g.fixed(kv * e)], -1, 1) for _ in range(2))
    caches = (
        [g.input(F32, [g.fixed(b), g.fixed(kv), g.fixed(past), g.fixed(e)], -1, 1) for _ in range(2)]
        if past
        else [None, None]
    )
    lens = g.constant(np.full([b], past + new - 1, np.int32), plain=True)
    total = g.constant(np.asarray(past + new, np.int32), plain=True)
    words = {"num_heads": h, "kv_num_heads": kv}
    more = []
    if g.r.random() < 0.5:
        angles = g.np.uniform(0, 3, [past + new + 4, e // 2]).astype(np.float32)
        more = [g.constant(np.cos(angles), plain=True), g.constant(np.sin(angles), plain=True)]
        words |= {"do_rotary": 1, "rotary_interleaved": g.r.choice([0, 1])}
    if g.r.random() < 0.3:
        words["local_window_size"] = g.r.choice([1, 2, 4])
    if g.r.random() < 0.3:
        words["softcap"] = 2.0
    return g.node(
        "GroupQueryAttention", [q, k, v, *caches, lens, total, *more], outputs=3, engine="ort", domain=DOMAIN, **words
    )


def embed(g):
    b, s, n = g.fixed(2), g.dim(), g.r.choice([4, 8])
    if min(s) == 0:
        raise Reject
    ids, kinds = g.input(np.int32, [b, s], 0, 10), g.input(np.int32, [b, s], 0, 2)
    tables = [g.weight(F32, [rows, n]) for rows in (10, 40, 2)]
    return g.node("EmbedLayerNormalization", [ids, kinds, *tables, g.weight(F32, [n]), g.weight(F32, [n])], outputs=2, keep=[0], engine="ort", domain=DOMAIN,
                  epsilon=1e-3)  # fmt: skip


MICROSOFT = [gelus, gelus, skip_normalization, fused_product, product_of_nibbles, quantised_arithmetic, quantised_functions, quantised_pool, product_to_floats,
             heads, heads, grouped_query, embed]  # fmt: skip
