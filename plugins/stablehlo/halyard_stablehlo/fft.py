"""Fourier transforms as products with matrices; long ones in two steps, by Cooley and Tukey."""

import math

import numpy as np
from jaxlib.mlir.dialects import stablehlo as hlo

from .build import DYNAMIC, Unsupported, array, dim, element, ints, ir, one, shape, shaped, slice_of, tensor
from .constants import dense, like

# Up to this length one product is cheaper than two and the turning between them.
DIRECT = 64


def fft(op, read):
    """The pair, or the tensor of real numbers, that a `stablehlo.fft` gives; `read` gives the parts of its operand."""
    kind = str(op.attributes["fft_type"]).split()[-1].rstrip(">").replace("#stablehlo<fft_type", "").strip()
    lengths = ints(op.attributes["fft_length"])
    pair = (op.operands[0], None) if kind == "RFFT" else read(op.operands[0])
    rank = shaped(pair[0]).rank
    axes = list(range(rank - len(lengths), rank))
    if any(shape(pair[0])[d] == DYNAMIC for d in axes):
        raise Unsupported(op, "a Fourier transform of unknown length")
    if kind == "RFFT":
        n = lengths[-1]
        pair = tuple(cut(v, n // 2 + 1) for v in along(pair, axes[-1], n, False))
        for axis, n in zip(axes[:-1], lengths[:-1]):
            pair = along(pair, axis, n, False)
        return pair
    inverse = kind in ("IFFT", "IRFFT")
    whole = axes if kind != "IRFFT" else axes[:-1]
    for axis, n in zip(whole, lengths):
        pair = along(pair, axis, n, inverse)
    total = math.prod(lengths)
    if kind == "IRFFT":
        pair = (along(mirror(pair, lengths[-1]), axes[-1], lengths[-1], True)[0],)
    if inverse:
        pair = tuple(hlo.multiply(v, like(v, 1.0 / total)) for v in pair)
    return pair if kind != "IRFFT" else pair[0]


def mirror(pair, n):
    """All of a spectrum, from its first half: the rest is its conjugate, backwards. The parts that have to be zero are."""
    half = n // 2 + 1
    rest = [n - k for k in range(half, n)]
    out = []
    for sign, v in zip((1, -1), pair):
        if sign < 0:
            keep = np.ones(half)
            keep[0] = 0.0
            if n % 2 == 0:
                keep[-1] = 0.0
            v = hlo.multiply(v, spread(dense(keep, element(v)), v))
        if rest:
            last = shaped(v).rank - 1
            back = hlo.reverse(piece(v, rest[-1], rest[0] + 1), array([last]))
            back = hlo.negate(back) if sign < 0 else back
            v = hlo.concatenate([v, back], last)
        out.append(v)
    return tuple(out)


def spread(row, v):
    """A row along the last dimension of a tensor."""
    return broadcast(row, v, [shaped(v).rank - 1])


def broadcast(x, v, dims):
    """A tensor along some dimensions of another one."""
    t = shaped(v)
    if t.has_static_shape:
        return hlo.broadcast_in_dim(t, x, array(dims))
    sizes = one("tensor.from_elements", tensor([t.rank], ir.IndexType.get()), [dim(v, d) for d in range(t.rank)])
    every = array(list(range(len(dims))))
    attrs = {
        "broadcast_dimensions": array(dims),
        "known_expanding_dimensions": array([]),
        "known_nonexpanding_dimensions": every,
    }
    return one("stablehlo.dynamic_broadcast_in_dim", t, [x, sizes], attrs)


def piece(v, low, high):
    """A part of the last dimension."""
    return slice_of(v, shaped(v).rank - 1, low, high)


def cut(v, n):
    return piece(v, 0, n) if shape(v)[-1] != n else v


def along(pair, axis, n, inverse):
    """The transform along one dimension."""
    rank = shaped(pair[0]).rank
    turn = [d for d in range(rank) if d != axis] + [axis]
    if axis != rank - 1:
        pair = tuple(None if v is None else turned(v, turn) for v in pair)
    pair = last(pair, n, inverse)
    if axis != rank - 1:
        back = [turn.index(d) for d in range(rank)]
        pair = tuple(turned(v, back) for v in pair)
    return pair


def turned(v, order):
    return one(
        "stablehlo.transpose", tensor([shape(v)[d] for d in order], element(v)), [v], {"permutation": array(order)}
    )


def last(pair, n, inverse):
    """The transform along the last dimension."""
    static = shaped(pair[0]).has_static_shape
    a = next((d for d in range(int(math.sqrt(n)), 1, -1) if n % d == 0), 1)
    if n <= DIRECT or a == 1 or not static:
        return product(pair, *matrix(n, inverse, element(pair[0])))
    # The element at j b + i is in column i, row j.
    b = n // a
    outer = shape(pair[0])[:-1]
    rank = len(outer)
    e = element(pair[0])
    pair = tuple(None if v is None else hlo.reshape(tensor([*outer, a, b], e), v) for v in pair)
    pair = along(pair, rank, a, inverse)
    angle = 2 * np.pi * np.outer(np.arange(a), np.arange(b)) / n * (1 if inverse else -1)
    c, s = (broadcast(dense(m, e), pair[0], [rank, rank + 1]) for m in (np.cos(angle), np.sin(angle)))
    re, im = pair
    pair = (
        hlo.subtract(hlo.multiply(re, c), hlo.multiply(im, s)),
        hlo.add(hlo.multiply(re, s), hlo.multiply(im, c)),
    )
    pair = last(pair, b, inverse)
    order = [*range(rank), rank + 1, rank]
    return tuple(hlo.reshape(tensor([*outer, n], e), turned(v, order)) for v in pair)


def matrix(n, inverse, e):
    """Cosines and sines; the products of indices are taken modulo `n`, so that angles stay exact."""
    angle = 2 * np.pi * (np.outer(np.arange(n), np.arange(n)) % n) / n * (1 if inverse else -1)
    return dense(np.cos(angle), e), dense(np.sin(angle), e)


def product(pair, c, s):
    """A pair times a matrix of pairs; the imaginary part of the operand may be missing."""
    re, im = pair
    if im is None:
        return times(re, c), times(re, s)
    return hlo.subtract(times(re, c), times(im, s)), hlo.add(times(re, s), times(im, c))


def times(x, m):
    rank = shaped(x).rank
    numbers = hlo.DotDimensionNumbers.get([], [], [rank - 1], [0])
    kind = tensor([*shape(x)[:-1], shape(m)[1]], element(x))
    return one("stablehlo.dot_general", kind, [x, m], {"dot_dimension_numbers": numbers})
