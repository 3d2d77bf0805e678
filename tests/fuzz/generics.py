"""`linalg.generic`: any maps, several results, any body; a reference that goes through the loops in order."""

import itertools

import maps
import numpy as np
import scalars
import values
from bodies import Body, Writer
from program import Impossible, Node, Value
from values import is_float


class Generic(Node):
    """`ins`: values with maps. `outs`: for each result its map, and a value, a number that fills it, or None: it may be anything."""

    def __init__(self, sizes, iterators, ins, outs, body, results):
        self.sizes, self.iterators, self.ins, self.outs, self.body = (
            list(sizes),
            list(iterators),
            list(ins),
            list(outs),
            body,
        )
        self.results = results
        self.operands = [v for v, _ in self.ins] + [o for o, _ in self.outs if isinstance(o, Value)]

    def sources(self):
        """A value and its dimension that has the size of a loop."""
        found = {}
        for value, exprs in self.ins + [o for o in self.outs if isinstance(o[0], Value)]:
            for at, e in enumerate(exprs):
                if e[0] == "d" and (e[1] not in found or value.dyn[at]):
                    found[e[1]] = (value, at)
        return found

    def emit(self, text):
        sources, names = self.sources(), []
        for (start, exprs), result in zip(self.outs, self.results):
            own = {at: sources.get(e[1]) for at, e in enumerate(exprs) if e[0] == "d"}
            if isinstance(start, Value):
                names.append(text.name(start))
            elif start is None:
                names.append(text.empty(result, own))
            else:
                names.append(text.filled(result, own, start))
        ins = [text.name(v) for v, _ in self.ins]
        count = len(self.sizes)
        all_maps = ", ".join(maps.map_text(e, count) for _, e in self.ins + self.outs)
        kinds = ", ".join(f'"{k}"' for k in self.iterators)
        types = ", ".join(r.type() for r in self.results)
        head = f"linalg.generic {{indexing_maps = [{all_maps}], iterator_types = [{kinds}]}}"
        given = f" ins({', '.join(ins)} : {', '.join(v.type() for v, _ in self.ins)})" if ins else ""
        made = (
            [text.name(r) for r in self.results]
            if len(self.results) == 1
            else [text.fresh("r") + f":{len(self.results)}"]
        )
        text.line(f"{made[0]} = {head}{given} outs({', '.join(names)} : {types}) {{")
        a, b = [text.fresh("a") for _ in self.ins], [text.fresh("b") for _ in self.outs]
        args = [f"{n}: {v.dtype}" for n, (v, _) in zip(a, self.ins)] + [
            f"{n}: {v.dtype}" for n, v in zip(b, self.results)
        ]
        text.line(f"^bb0({', '.join(args)}):")
        yields = self.body.emit(text, a, b)
        text.line(f"linalg.yield {', '.join(yields)} : {', '.join(r.dtype for r in self.results)}")
        text.line(f"}} -> ({types})" if len(self.results) > 1 else f"}} -> {types}")
        if len(self.results) > 1:
            for k, r in enumerate(self.results):
                text.names[r] = f"{made[0].split(':')[0]}#{k}"

    def evaluate(self, arrays):
        results = []
        for (start, _), value in zip(self.outs, self.results):
            if isinstance(start, Value):
                results.append(arrays[start].copy())
            else:
                results.append(values.of(value.dtype, np.full(value.shape, 0 if start is None else start)))
                if start is None:
                    values.unknown_if(results[-1], np.ones(value.shape, bool))
        count = len(self.sizes)
        side = set(range(count))
        for _, exprs in self.outs:
            side &= set(maps.plain(exprs))
        steps = [[0] if d in side else range(self.sizes[d]) for d in range(count)]
        if 0 in self.sizes:
            return results
        grids = maps.grid([n if d in side else 1 for d, n in enumerate(self.sizes)])
        shape = tuple(n if d in side else 1 for d, n in enumerate(self.sizes))
        for step in itertools.product(*steps):
            index = [grids[d] if d in side else np.int64(step[d]) for d in range(count)]
            at = lambda exprs: tuple(np.broadcast_to(maps.number(e, index), shape) for e in exprs)  # noqa: E731, B023
            ins = [take(arrays[v], at(exprs), shape) for v, exprs in self.ins]
            outs = [take(r, at(exprs), shape) for r, (_, exprs) in zip(results, self.outs)]
            full = [np.broadcast_to(i, shape) for i in index]
            for result, (_, exprs), made in zip(results, self.outs, self.body.evaluate(ins, outs, full)):
                put(result, at(exprs), made, shape)
        return results

    def simpler(self):
        """One result less, an operation less, an input less."""
        if len(self.results) > 1:
            for k in range(len(self.results)):
                yield self.with_results([i for i in range(len(self.results)) if i != k])
        for k in self.body.needed():
            body = self.body.without(k)
            if body:
                yield Generic(self.sizes, self.iterators, self.ins, self.outs, body, self.results)

    def with_results(self, kept):
        outs = [self.body.outs[k] for k in kept]
        body = Body(self.body.ins, outs)
        move = lambda r: (
            r if r[0] != "out" else ("out", kept.index(r[1])) if r[1] in kept else ("const", self.body.outs[r[1]], 1)
        )  # noqa: E731
        body.ops = [(n, f, [move(r) for r in refs], d, x) for n, f, refs, d, x in self.body.ops]
        body.yields = [move(self.body.yields[k]) for k in kept]
        return Generic(
            self.sizes, self.iterators, self.ins, [self.outs[k] for k in kept], body, [self.results[k] for k in kept]
        )


def take(array, index, shape):
    """Elements; a tensor without dimensions has one everywhere."""
    if index:
        return array.at(index)
    return array.map(lambda a: np.broadcast_to(a, shape).copy())


def put(array, index, made, shape):
    made = made.map(lambda a: np.broadcast_to(a, shape))
    if index:
        array.put(index, made)
    else:
        array.put((), made.map(lambda a: a.reshape(-1)[0]))


# Iterations that the reference goes through one by one.
STEPS = 120


def draw(r, pool):
    """A generic operation over values of the pool and new arguments; gives the node."""
    base = r.choice(pool) if pool and r.flag(0.55) else None
    if base is not None and base.rank <= 4 and np.prod(base.shape, dtype=np.int64) <= 4000:
        sizes = list(base.shape)
        order = list(range(base.rank))
        r.shuffle(order)
        sizes = [base.shape[d] for d in order]
        first = [None] * base.rank
        for loop, d in enumerate(order):
            first[d] = ("d", loop)
        ins = [(base, first)]
        while len(sizes) < 4 and r.flag(0.25) and np.prod(sizes, dtype=np.int64) < 500:
            sizes.append(r.choice([1, 2, 3, 5, 8, 17]))
    else:
        rank = r.choice([0, 1, 1, 2, 2, 2, 3, 3, 4])
        sizes, ins = r.shape(rank, 2500), []
    count = len(sizes)
    for _ in range(r.choice([0, 1, 1, 2, 2, 3]) if ins else r.choice([1, 1, 2, 2, 3])):
        ins.append(draw_input(r, pool, sizes))
    results = r.choice([1, 1, 1, 2, 2, 3, 4])
    reduced = [r.flag(0.3) for _ in sizes]
    outs = [draw_output(r, sizes, reduced, k) for k in range(results)]
    shown = {d for exprs in outs for d in maps.plain(exprs)}
    side = set(range(count)).intersection(*(maps.plain(exprs) for exprs in outs))
    if np.prod([sizes[d] for d in range(count) if d not in side], dtype=np.int64) > (
        STEPS if r.flag(0.95) else 10 * STEPS
    ):
        raise Impossible("too many steps")
    iterators = ["parallel" if d in shown or r.flag(0.1) else "reduction" for d in range(count)]
    missing = set(range(count)) - shown - {d for _, e in ins for d in maps.plain(e)}
    if missing:
        e = [("d", d) for d in sorted(missing)]
        r.shuffle(e)
        ins.append((r.argument(r.dtype(), [sizes[d[1]] for d in e]), e))
    if not ins and not outs:
        raise Impossible("nothing to do")
    return finish(r, pool, sizes, iterators, ins, outs)


def draw_input(r, pool, sizes):
    if pool and r.flag(0.4):
        value = r.choice(pool)
        return value, [maps.fitting(r, sizes, n) for n in value.shape]
    rank = r.choice([0, 1, 1, 2, 2, 3])
    kind = r.random()
    if kind < 0.4:
        exprs = [("d", d) for d in r.sample(range(len(sizes)), min(rank, len(sizes)))]
        found = [(e, sizes[e[1]]) for e in exprs]
    else:
        found = [maps.natural(r, maps.draw(r, sizes), sizes) for _ in range(rank)]
    shape = [n for _, n in found]
    if np.prod(shape, dtype=np.int64) > 5000:
        raise Impossible("an input that is too large")
    return r.argument(r.dtype(), shape), [e for e, _ in found]


def draw_output(r, sizes, reduced, k):
    """The map of a result: mostly a permutation of the loops that are not reductions; some have fewer, constants, or other indices."""
    loops = [d for d in range(len(sizes)) if not reduced[d]]
    if r.flag(0.6):
        r.shuffle(loops)
    if k > 0 and loops and r.flag(0.3):
        loops = loops[: r.randrange(len(loops) + 1)]
    exprs = [("d", d) for d in loops]
    if r.flag(0.08):
        exprs.insert(r.randrange(len(exprs) + 1), ("c", r.choice([0, 0, 1])))
    if exprs and r.flag(0.1):
        at = r.randrange(len(exprs))
        if exprs[at][0] == "d":
            d, n = exprs[at], sizes[exprs[at][1]]
            exprs[at] = r.choice([("+", ("*", d, -1), ("c", max(n - 1, 0))), ("+", d, ("c", 1)), ("*", d, 2), ("mod", ("+", d, ("c", -2)), max(n, 1)),
                                  ("floordiv", d, 2)])  # fmt: skip
    return exprs


def finish(r, pool, sizes, iterators, ins, outs):
    """Outs and body."""
    dtypes, shapes = [], []
    for exprs in outs:
        found = [maps.natural(r, e, sizes) for e in exprs]
        shapes.append([n for _, n in found])
        exprs[:] = [e for e, _ in found]
        dtypes.append(r.dtype())
    # Where every iteration of a result's elements comes once, it may use what stood there in any way.
    body = Body([v.dtype for v, _ in ins], dtypes)
    writer = Writer(r, body, len(sizes))
    starts, results = [], []
    for k, exprs in enumerate(outs):
        once = sorted(maps.plain(exprs)) == list(range(len(sizes))) and len(exprs) == len(sizes)
        value = writer.expression(dtypes[k], r.choice([0, 1, 2, 2, 3]))
        apart = all(kind == "reduction" or d in maps.plain(exprs) for d, kind in enumerate(iterators))
        reads = r.flag(0.25) if once else not apart or r.flag(0.9)
        if reads and once and r.flag():
            writer.pool.append(("out", k))
            value = writer.expression(dtypes[k], 2)
        elif reads:
            value = writer.combine(k, value) if r.flag(0.85) or not once else value
        body.yields.append(value)
    read = body.refs()
    for k, exprs in enumerate(outs):
        once = sorted(maps.plain(exprs)) == list(range(len(sizes))) and len(exprs) == len(sizes)
        result = Value(dtypes[k], shapes[k], [r.flag(r.dynamic) for _ in exprs])
        same = [v for v in pool if (v.dtype, list(v.shape), list(v.dyn)) == (result.dtype, shapes[k], list(result.dyn))]
        start = r.number(dtypes[k])
        if same and r.flag(0.4):
            start = r.choice(same)
        elif r.flag(0.15):
            start = r.argument(dtypes[k], shapes[k], result.dyn)
        elif once and ("out", k) not in read:
            start = None
        starts.append((start, exprs))
        results.append(result)
    return Generic(sizes, iterators, ins, starts, body, results)


def positions(r, pool):
    """An element and where it is: the reduction of two results that is an arg max."""
    rank = r.choice([1, 2, 2, 3])
    sizes = r.shape(rank, 2000)
    order = list(range(rank))
    r.shuffle(order)
    along = r.randrange(rank)
    kept = [d for d in range(rank) if d != along]
    r.shuffle(kept)
    other = list(kept)
    if r.flag(0.3):
        r.shuffle(other)
    dtype, place = r.choice(["f32", "f32", "f64", "f16", "i32", "i8"]), r.choice(["i32", "i64", "i64"])
    ins = [(r.argument(dtype, [sizes[d] for d in order]), [("d", d) for d in order])]
    body = Body([dtype], [dtype, place])
    writer = Writer(r, body, 0)
    here = writer.convert(("index", along), place)
    predicate = r.choice(["ogt", "oge", "olt", "ole"] if is_float(dtype) else ["sgt", "sge", "slt", "sle"])
    how, compare = ("arith.cmpf", scalars.cmpf) if is_float(dtype) else ("arith.cmpi", scalars.cmpi)
    better = body.add(how, compare(predicate), [("in", 0), ("out", 0)], "i1", predicate + ", ")
    body.yields = [body.add("arith.select", scalars.select, [better, ("in", 0), ("out", 0)], dtype),
                   body.add("arith.select", scalars.select, [better, here, ("out", 1)], place)]  # fmt: skip
    results = [Value(dtype, [sizes[d] for d in kept], [r.flag(r.dynamic) for _ in kept]),
               Value(place, [sizes[d] for d in other], [r.flag(r.dynamic) for _ in other])]  # fmt: skip
    extreme = -5 if predicate[1] == "g" else 5
    outs = [(extreme, [("d", d) for d in kept]), (0, [("d", d) for d in other])]
    return Generic(sizes, ["reduction" if d == along else "parallel" for d in range(rank)], ins, outs, body, results)
