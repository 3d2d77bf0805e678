# RUN: %python %s --count 60
"""Random shapes, axes, strides, element types for the generators of the other families: `--seed=N --count=N` tries others."""

import argparse
import math
import random
import sys

import conv
import elementwise
import matmul
import movement
import normalisation
import pooling
import reduction
from harness import main

# Sizes around vector lengths and tiles, and 1.
SIZES = [1, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 47, 48, 63, 64, 65, 100, 127, 129]


class Random(random.Random):
    def sizes(self, rank, limit):
        """`rank` sizes whose product is at most `limit`."""
        while True:
            found = [self.choice(SIZES) for _ in range(rank)]
            if math.prod(found) <= limit:
                return found

    def flag(self, chance=0.25):
        return self.random() < chance


def one_matmul(r):
    mnk = tuple(r.sizes(3, 200_000))
    dtype, acc = r.choice(
        [("f32", None)] * 6 + [("f64", None), ("i8", "i32"), ("f16", "f32"), ("bf16", "f32"), ("i32", None)]
    )
    batch = r.choice([None, None, 1, 2, 3])
    how = r.choice(["", "", "_ta", "_tb", "_tab"])
    return matmul.product(mnk, how, dtype, acc, batch, dynamic=r.flag())


def one_fused(r):
    m, n, k = r.sizes(3, 100_000)
    return matmul.fused(f"fused_{m}x{n}x{k}", m, n, k)


def one_conv(r):
    op = r.choice([o for o in conv.OPS if len(conv.OPS[o][0]) > 2 and o not in ("conv_3d",)])
    layout = conv.OPS[op][0]
    space = [c for c in layout if c in "dhw"]
    sizes = {
        "n": r.choice([1, 1, 2]),
        "c": r.choice([1, 2, 3, 4, 8, 16, 17, 32]),
        "f": r.choice([1, 3, 8, 16, 24, 33]),
        "g": r.choice([1, 2, 3]),
        "m": r.choice([1, 2]),
    }
    stride, dilation = [r.choice([1, 1, 2, 3]) for _ in space], [r.choice([1, 1, 1, 2]) for _ in space]
    for c, d in zip(space, dilation):
        sizes[c.upper()] = r.choice([1, 2, 3, 3, 5])
        sizes[c] = d * (sizes[c.upper()] - 1) + r.choice([1, 2, 5, 8, 14] if len(space) < 3 else [1, 2, 4])
    used = set(layout) | set(conv.OPS[op][1]) | {c.upper() for c in space}
    pad = r.choice([0, 0, 1, 2])
    dynamic = "".join(c for c in "nhw" if c in layout) if r.flag(0.2) and "g" not in layout else ""
    plain = "g" not in layout and not op.startswith("depthwise")
    tag = f"_s{''.join(map(str, stride))}_d{''.join(map(str, dilation))}_p{pad}_{dynamic or 'static'}"
    bias = plain and r.flag(0.3)
    dtype, acc = r.choice([("f32", None)] * 5 + [("i8", "i32"), ("f16", "f32")]) if not bias else ("f32", None)
    return conv.conv(op, {k: v for k, v in sizes.items() if k in used}, stride=stride, dilation=dilation, pad=pad, dtype=dtype, acc=acc,
                     dynamic=dynamic, tag=tag + ("_bias" if bias else ""), bias=bias)  # fmt: skip


def one_pool(r):
    layout, spaces = r.choice([("nchw", 2), ("nhwc", 2), ("ncw", 1), ("nwc", 1), ("ndhwc", 3)])
    kind = r.choice(["max", "sum"])
    window, stride = [r.choice([1, 2, 3]) for _ in range(spaces)], [r.choice([1, 2]) for _ in range(spaces)]
    space = iter(range(spaces))
    shape = [
        r.choice([1, 2])
        if c == "n"
        else r.choice([1, 3, 8, 17, 64])
        if c == "c"
        else window[next(space)] + r.choice([0, 1, 6, 11])
        for c in layout
    ]
    return pooling.pool(
        f"{layout}_{kind}", shape, window, stride=stride, pad=r.choice([0, 1]), tag=f"_s{''.join(map(str, stride))}"
    )


def one_reduction(r):
    rank = r.randint(1, 5)
    shape = r.sizes(rank, 20_000)
    axes = sorted(r.sample(range(rank), r.randint(1, rank)))
    kind = r.choice(["sum", "max", "min"])
    return reduction.reduce(kind, shape, axes, r.choice(["f32"] * 4 + ["f64", "i32", "i8"] if kind != "sum" else ["f32", "f64", "i32"]),
                            r.choice(["generic", "reduce"]), r.flag())  # fmt: skip


def one_argmax(r):
    shape = r.sizes(r.randint(1, 4), 10_000)
    return reduction.argmax(shape, r.randrange(len(shape)))


def one_normalisation(r):
    shape = r.sizes(r.randint(1, 4), 20_000)
    axis = r.randrange(len(shape))
    named = r.flag(0.5)
    if named:
        return normalisation.softmax_named(shape, axis, dynamic=r.flag())
    return r.choice(
        [
            normalisation.softmax_written,
            normalisation.log_softmax,
            lambda s, a: normalisation.layer_norm(s, list(range(a, len(s)))),
        ]
    )(shape, axis)


def one_attention(r):
    return normalisation.attention(
        r.choice([1, 2, 5]), r.choice(SIZES[:16]), r.choice(SIZES[:16]), r.choice(SIZES[2:16]), r.flag(0)
    )


def one_transpose(r):
    rank = r.randint(1, 5)
    perm = list(range(rank))
    r.shuffle(perm)
    return movement.transpose(
        r.sizes(rank, 30_000), tuple(perm), r.choice(["f32", "f32", "f16", "i8", "i64"]), r.flag()
    )


def one_movement(r):
    rank = r.randint(1, 4)
    shape = r.sizes(rank, 10_000)
    what = r.choice(["pad", "slice", "concat", "gather"])
    if what == "pad":
        return movement.pad(shape, [r.randint(0, 3) for _ in shape], [r.randint(0, 3) for _ in shape], dynamic=r.flag())
    if what == "slice":
        strides = [r.choice([1, 1, 2, 3]) for _ in shape]
        offsets = [r.randrange(n) for n in shape]
        counts = [r.randint(1, (n - o - 1) // s + 1) for n, o, s in zip(shape, offsets, strides)]
        return movement.slice_(shape, offsets, counts, strides)
    if what == "concat":
        axis = r.randrange(rank)
        return movement.concat(
            [
                [r.choice([1, 2, 5, 16]) if i == axis else n for i, n in enumerate(shape)]
                for _ in range(r.randint(2, 4))
            ],
            axis,
        )
    return movement.gather(r.choice([3, 50]), r.choice(SIZES), r.choice(SIZES), dynamic=r.flag())


def one_elementwise(r):
    rank = r.randint(1, 4)
    shape = r.sizes(rank, 30_000)
    if r.flag(0.5):
        dims = [sorted(r.sample(range(rank), r.randint(0, rank))) for _ in range(3)]
        return elementwise.broadcast(
            f"random_broadcast_{r.randrange(10**6)}", [[shape[i] for i in d] for d in dims], dims, shape
        )
    return elementwise.chain(
        f"random_gelu_{'x'.join(map(str, shape))}", shape, elementwise.GELU, elementwise.gelu, dynamic=r.flag()
    )


KINDS = [one_matmul, one_matmul, one_fused, one_conv, one_conv, one_conv, one_pool, one_reduction, one_reduction, one_argmax, one_normalisation,
         one_attention, one_transpose, one_movement, one_movement, one_elementwise]  # fmt: skip

if __name__ == "__main__":
    p = argparse.ArgumentParser(add_help=False)
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--count", type=int, default=60)
    p.add_argument("--kind", default="", help="only generators whose name contains this")
    known, rest = p.parse_known_args()
    sys.argv[1:] = rest
    source, cases = Random(known.seed), {}
    kinds = [k for k in KINDS if known.kind in k.__name__]
    for _ in range(known.count):
        made = source.choice(kinds)(source)
        cases[made.name] = made
    main(list(cases.values()))
