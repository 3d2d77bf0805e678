"""Windows: running sums, and gradients of pooling."""

import numpy as np

from .build import array, before, element, ints, one, replace, shape, shaped, tensor
from .elements import evaluate, number_of
from .loops import Array, Cell, loop, nest, select
from .sort import copy


def running(op):
    """A `reduce_window` that holds all elements before, or after, each one: one pass over them."""
    x = op.operands[0]
    d = running_dimension(op)
    if d is None:
        return
    backwards = padding_of(op, shaped(x).rank)[2 * d + 1] > 0
    count = len(op.results)
    body = op.regions[0].blocks[0]
    with before(op):
        values = [Array(v) for v in list(op.operands)[:count]]
        out = [Array(copy(v)) for v in list(op.operands)[:count]]
        start = [number_of(v) for v in list(op.operands)[count:]]
        rank = shaped(x).rank
        n = values[0].size(d)
        others = [values[0].size(k) for k in range(rank) if k != d]

        def line(at):
            sums = [Cell(v) for v in start]

            def step(i):
                i = n - 1 - i if backwards else i
                place = [*at[:d], i, *at[d:]]
                found = evaluate(body, [*[c.value for c in sums], *[v[place] for v in values]])
                for cell, o, v in zip(sums, out, found):
                    cell.value = v
                    o.put(place, v)

            loop(0, n, [*sums, *out], step)

        nest(others, out, line)
        replace(op, [o.tensor for o in out])


def padding_of(op, rank):
    """What is added before and after each dimension, in a row."""
    if "padding" not in op.attributes:
        return [0] * (2 * rank)
    return np.array(op.attributes["padding"]).ravel().tolist()


def running_dimension(op):
    """The dimension that such a window runs along; none if it is another kind of window."""
    x = op.operands[0]
    size = ints(op.attributes["window_dimensions"])
    for name in ("window_strides", "base_dilations", "window_dilations"):
        if name in op.attributes and any(n != 1 for n in ints(op.attributes[name])):
            return None
    along = [d for d, n in enumerate(size) if n != 1]
    if len(along) != 1 or size[along[0]] != shape(x)[along[0]]:
        return None
    d = along[0]
    padding = padding_of(op, shaped(x).rank)
    if any(padding[2 * k : 2 * k + 2] != [0, 0] for k in range(len(size)) if k != d):
        return None
    return d if padding[2 * d : 2 * d + 2] in ([size[d] - 1, 0], [0, size[d] - 1]) else None


def select_and_scatter(op):
    """The gradient of a pooling: each value goes to the element that its window selects."""
    x, source, start = op.operands
    rank = shaped(x).rank
    size, stride = (
        ints(op.attributes[name]) if name in op.attributes else [1] * rank
        for name in ("window_dimensions", "window_strides")
    )
    padding = padding_of(op, shaped(x).rank)
    choose, add = (r.blocks[0] for r in op.regions)
    with before(op):
        values, given, out = Array(x), Array(source), Array(x)
        first = number_of(start)
        every = [values.size(d) for d in range(rank)]
        nest(every, [out], lambda at: out.put(at, first))

        def window(at):
            best = [Cell(i - i) for i in at]
            found = Cell(at[0] < 0)
            largest = Cell(values[[i - i for i in at]])

            def look(offset):
                place = [i * s + o - p for i, s, o, p in zip(at, stride, offset, padding[0::2])]
                inside = found.value | True
                for p, n in zip(place, every):
                    inside = inside & (p >= 0) & (p < n)
                safe = [select(inside, p, p - p) for p in place]
                new = values[safe]
                keeps = found.value & evaluate(choose, [largest.value, new])[0]
                takes = inside & (keeps ^ 1)
                largest.value = select(takes, new, largest.value)
                for b, p in zip(best, safe):
                    b.value = select(takes, p, b.value)
                found.value = found.value | inside

            nest(size, [found, largest, *best], look)
            place = [b.value for b in best]
            old = out[place]
            out.put(place, select(found.value, evaluate(add, [old, given[at]])[0], old))

        nest([given.size(d) for d in range(rank)], [out], window)
        replace(op, [out.tensor])


def transposed(v, order):
    kind = tensor([shape(v)[k] for k in order], element(v))
    return one("stablehlo.transpose", kind, [v], {"permutation": array(order)})
