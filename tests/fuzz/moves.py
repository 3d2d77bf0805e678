"""Operations that move elements: padding, slices, reshapes, and what `linalg` has for it."""

import numpy as np
import scalars
import values
from program import Impossible, Node, Value
from values import is_float


class Move(Node):
    """`write(text)` writes it; `compute(*arrays)` gives the result."""

    def __init__(self, operands, result, write, compute):
        self.operands, self.results, self.write, self.compute = operands, [result], write, compute

    def emit(self, text):
        self.write(text, text.name(self.results[0]), *(text.name(o) for o in self.operands))

    def evaluate(self, arrays):
        return [self.compute(*(arrays[o] for o in self.operands))]


def source(r, pool, least=0, chance=0.65):
    found = [v for v in pool if least <= v.rank <= 4 and np.prod(v.shape, dtype=np.int64) <= 4000]
    if found and r.flag(chance):
        return r.choice(found)
    return r.argument(r.dtype(), r.shape(r.randint(max(least, 1), 3), 1500))


def numbers(values_):
    return "[" + ", ".join(str(v) for v in values_) + "]"


def pad(r, pool):
    x = source(r, pool, 1)
    low, high = ([r.choice([0, 0, 1, 2, 5]) for _ in x.shape] for _ in range(2))
    fill = r.number(x.dtype)
    result = Value(x.dtype, [a + n + b for a, n, b in zip(low, x.shape, high)], x.dyn)
    if np.prod(result.shape, dtype=np.int64) > 5000:
        raise Impossible("too large")

    def write(text, name, a):
        args = ", ".join(f"{text.fresh('i')}: index" for _ in x.shape)
        scalar = text.number(x.dtype, fill)
        text.line(f"{name} = tensor.pad {a} low{numbers(low)} high{numbers(high)} {{")
        text.line(f"^bb0({args}):")
        text.line(f"tensor.yield {scalar} : {x.dtype}")
        text.line(f"}} : {x.type()} to {result.type()}")

    def compute(a):
        whole = values.of(x.dtype, np.full(result.shape, fill))
        whole.put(tuple(slice(b, b + n) for b, n in zip(low, x.shape)), a)
        return whole

    return [Move([x], result, write, compute)]


def _slice(r, shape):
    if 0 in shape:
        raise Impossible("slices of nothing, which upstream refuses")
    offsets, sizes, strides = [], [], []
    for n in shape:
        stride = r.choice([1, 1, 1, 2, 3])
        size = r.randint(1, max(1, (n + stride - 1) // stride)) if n else 0
        room = n - ((size - 1) * stride + 1) if size else 0
        offsets.append(r.randint(0, max(room, 0)))
        sizes.append(size)
        strides.append(stride if size else 1)
    return offsets, sizes, strides


def _mixed(r, text, numbers_):
    """Static numbers, some of them as values."""
    return numbers([text.constant(n) if dynamic else n for n, dynamic in numbers_])


def extract_slice(r, pool):
    x = source(r, pool, 1)
    offsets, sizes, strides = _slice(r, x.shape)
    dynamic = [[r.flag(r.dynamic) for _ in sizes] for _ in range(3)]
    result = Value(x.dtype, sizes, dynamic[1])

    def write(text, name, a):
        parts = [_mixed(r, text, list(zip(ns, ds))) for ns, ds in zip((offsets, sizes, strides), dynamic)]
        text.line(f"{name} = tensor.extract_slice {a}{''.join(parts)} : {x.type()} to {result.type()}")

    index = tuple(slice(o, o + s * n if n else o, s) for o, n, s in zip(offsets, sizes, strides))
    return [Move([x], result, write, lambda a: a.at(index).copy())]


def insert_slice(r, pool):
    x = source(r, pool, 1)
    offsets, sizes, strides = _slice(r, x.shape)
    part = [v for v in pool if v.dtype == x.dtype and list(v.shape) == sizes]
    y = r.choice(part) if part and r.flag() else r.argument(x.dtype, sizes)
    result = Value(x.dtype, x.shape, x.dyn)

    def write(text, name, a, b):
        parts = (
            numbers(offsets),
            numbers([text.size(y, d) if u else n for d, (n, u) in enumerate(zip(sizes, y.dyn))]),
            numbers(strides),
        )
        text.line(f"{name} = tensor.insert_slice {b} into {a}{''.join(parts)} : {y.type()} into {x.type()}")

    index = tuple(slice(o, o + s * n if n else o, s) for o, n, s in zip(offsets, sizes, strides))

    def compute(a, b):
        whole = a.copy()
        whole.put(index, b)
        return whole

    return [Move([x, y], result, write, compute)]


def concat(r, pool):
    x = source(r, pool, 1)
    axis = r.randrange(x.rank)
    parts = [x]
    for _ in range(r.randint(1, 3)):
        same = [
            v
            for v in pool
            if v.dtype == x.dtype
            and v.rank == x.rank
            and all(d == axis or (v.shape[d], v.dyn[d]) == (x.shape[d], x.dyn[d]) for d in range(x.rank))
        ]
        shape, dyn = list(x.shape), list(x.dyn)
        shape[axis], dyn[axis] = r.choice([1, 2, 3, 8]), r.flag(r.dynamic)
        parts.append(r.choice(same) if same and r.flag(0.6) else r.argument(x.dtype, shape, dyn))
    shape, dyn = list(x.shape), list(x.dyn)
    shape[axis], dyn[axis] = sum(p.shape[axis] for p in parts), any(p.dyn[axis] for p in parts)
    result = Value(x.dtype, shape, dyn)
    if np.prod(shape, dtype=np.int64) > 8000:
        raise Impossible("too large")

    def write(text, name, *names):
        types = ", ".join(p.type() for p in parts)
        text.line(f"{name} = tensor.concat dim({axis}) {', '.join(names)} : ({types}) -> {result.type()}")

    def compute(*arrays):
        whole, at = values.of(x.dtype, np.zeros(shape)), 0
        whole.g = min(a.g for a in arrays)
        for a in arrays:
            whole.put((slice(None),) * axis + (slice(at, at + a.shape[axis]),), a)
            at += a.shape[axis]
        return whole

    return [Move(parts, result, write, compute)]


def _groups(text):
    return "[" + ", ".join("[" + ", ".join(map(str, g)) + "]" for g in text) + "]"


def collapse(r, pool):
    x = source(r, pool, 2)
    groups = [[0]]
    for d in range(1, x.rank):
        if r.flag(0.6):
            groups[-1].append(d)
        else:
            groups.append([d])
    shape = [int(np.prod([x.shape[d] for d in g], dtype=np.int64)) for g in groups]
    result = Value(x.dtype, shape, [any(x.dyn[d] for d in g) for g in groups])

    def write(text, name, a):
        text.line(f"{name} = tensor.collapse_shape {a} {_groups(groups)} : {x.type()} into {result.type()}")

    return [Move([x], result, write, lambda a: a.map(lambda p: np.broadcast_to(p, a.shape).reshape(shape)))]


def expand(r, pool):
    x = source(r, pool, 1)
    groups, shape, dyn, at = [], [], [], 0
    for n, u in zip(x.shape, x.dyn):
        parts = [n]
        if not u and n > 0:
            for f in (2, 3, 4, 1):
                if parts[0] % f == 0 and r.flag(0.35) and len(shape) + len(parts) < 5:
                    parts = [parts[0] // f, f, *parts[1:]]
                    r.shuffle(parts)
        groups.append(list(range(at, at + len(parts))))
        shape += parts
        dyn += [u] * len(parts)
        at += len(parts)
    result = Value(x.dtype, shape, dyn)

    def write(text, name, a):
        sizes = [
            text.size(x, g) if u else n for g, (k, u) in enumerate(zip(groups, x.dyn)) for n in [shape[d] for d in k]
        ]
        text.line(
            f"{name} = tensor.expand_shape {a} {_groups(groups)} output_shape {numbers(sizes)} : {x.type()} into {result.type()}"
        )

    return [Move([x], result, write, lambda a: a.map(lambda p: np.broadcast_to(p, a.shape).reshape(shape)))]


def transpose(r, pool):
    x = source(r, pool, 1)
    order = list(range(x.rank))
    r.shuffle(order)
    result = Value(x.dtype, [x.shape[d] for d in order], [x.dyn[d] for d in order])

    def write(text, name, a):
        empty = text.empty(result, {k: (x, d) for k, d in enumerate(order)})
        text.line(
            f"{name} = linalg.transpose ins({a} : {x.type()}) outs({empty} : {result.type()}) permutation = {numbers(order)}"
        )

    return [Move([x], result, write, lambda a: a.map(lambda p: np.broadcast_to(p, a.shape).transpose(order).copy()))]


def broadcast(r, pool):
    x = source(r, pool, 1)
    rank = x.rank + r.randint(1, 2)
    added = sorted(r.sample(range(rank), rank - x.rank))
    shape, dyn, left = [], [], iter(range(x.rank))
    sources = {}
    for d in range(rank):
        at = None if d in added else next(left)
        shape.append(r.choice([1, 2, 3, 5, 8]) if at is None else x.shape[at])
        dyn.append(r.flag(r.dynamic) if at is None else x.dyn[at])
        if at is not None:
            sources[d] = (x, at)
    result = Value(x.dtype, shape, dyn)
    if rank > 5 or np.prod(shape, dtype=np.int64) > 5000:
        raise Impossible("too large")

    def write(text, name, a):
        empty = text.empty(result, sources)
        text.line(
            f"{name} = linalg.broadcast ins({a} : {x.type()}) outs({empty} : {result.type()}) dimensions = {numbers(added)}"
        )

    index = tuple(None if d in added else slice(None) for d in range(rank))
    return [
        Move(
            [x],
            result,
            write,
            lambda a: a.map(lambda p: np.broadcast_to(np.broadcast_to(p, a.shape)[index], shape).copy()),
        )
    ]


def gather(r, pool):
    """Rows by indices that are data, as `tensor.extract` in a body."""
    x = source(r, pool, 1)
    if 0 in x.shape:
        raise Impossible("nothing to choose from")
    axis, count = r.randrange(x.rank), r.choice([1, 2, 5, 9, 33])
    dtype = r.choice(["i32", "i64"])
    rows = r.argument(dtype, [count])
    rows.data = np.abs(rows.data.astype(np.int64) % x.shape[axis]).astype(rows.data.dtype)
    shape, dyn = list(x.shape), list(x.dyn)
    shape[axis], dyn[axis] = count, rows.dyn[0]
    result = Value(x.dtype, shape, dyn)
    if np.prod(shape, dtype=np.int64) > 6000:
        raise Impossible("too large")

    def write(text, name, a, b):
        empty = text.empty(result, {d: (rows, 0) if d == axis else (x, d) for d in range(x.rank)})
        loops = ", ".join(f"d{d}" for d in range(x.rank))
        kinds = ", ".join(['"parallel"'] * x.rank)
        p, q, k, e = (text.fresh() for _ in range(4))
        text.line(f"{name} = linalg.generic {{indexing_maps = [affine_map<({loops}) -> (d{axis})>, affine_map<({loops}) -> ({loops})>], iterator_types = [{kinds}]}} "
                  f"ins({b} : {rows.type()}) outs({empty} : {result.type()}) {{")  # fmt: skip
        text.line(f"^bb0({p}: {dtype}, {q}: {x.dtype}):")
        text.line(f"{k} = arith.index_cast {p} : {dtype} to index")
        index = []
        for d in range(x.rank):
            index.append(k if d == axis else text.fresh("i"))
            if d != axis:
                text.line(f"{index[-1]} = linalg.index {d} : index")
        text.line(f"{e} = tensor.extract {a}{numbers(index)} : {x.type()}")
        text.line(f"linalg.yield {e} : {x.dtype}")
        text.line(f"}} -> {result.type()}")

    return [
        Move([x, rows], result, write, lambda a, b: a.map(lambda p: np.take(np.broadcast_to(p, a.shape), b.v, axis)))
    ]


def elementwise(r, pool):
    """Operations of `arith` on whole tensors."""
    x = source(r, pool)
    table = scalars.F2 if is_float(x.dtype) else scalars.I2
    name = r.choice(list(table))
    same = [v for v in pool if (v.dtype, v.shape, v.dyn) == (x.dtype, x.shape, x.dyn)]
    y = r.choice(same) if same and r.flag() else r.argument(x.dtype, x.shape, x.dyn)
    result = Value(x.dtype, x.shape, x.dyn)

    def write(text, n, a, b):
        text.line(f"{n} = {name} {a}, {b} : {x.type()}")

    return [Move([x, y], result, write, table[name])]
