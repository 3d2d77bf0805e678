"""Affine maps: expressions as tuples, their text, their values, and drawing them so that they stay within sizes."""

import numpy as np
from program import Impossible


def text(e):
    """("d", loop), ("c", n), ("+", a, b), and ("*" | "mod" | "floordiv" | "ceildiv", a, n)."""
    if e[0] == "d":
        return f"d{e[1]}"
    if e[0] == "c":
        return str(e[1])
    if e[0] == "+":
        return f"{text(e[1])} + {text(e[2])}"
    return f"({text(e[1])}) {e[0]} {e[2]}"


def number(e, loops):
    """Its value where the loops have these indices (numbers or arrays)."""
    if e[0] == "d":
        return loops[e[1]]
    if e[0] == "c":
        return np.int64(e[1])
    a = number(e[1], loops)
    if e[0] == "+":
        return a + number(e[2], loops)
    n = e[2]
    return {"*": lambda: a * n, "mod": lambda: a % n, "floordiv": lambda: a // n, "ceildiv": lambda: -(-a // n)}[e[0]]()


def map_text(exprs, count):
    return f"affine_map<({', '.join(f'd{i}' for i in range(count))}) -> ({', '.join(text(e) for e in exprs)})>"


def grid(sizes):
    return np.ogrid[tuple(slice(0, n) for n in sizes)] if sizes else []


def bounds(e, sizes):
    """The least and the largest value; None where there are no iterations."""
    if 0 in sizes:
        return None
    v = np.asarray(number(e, grid(sizes)))
    return int(v.min()), int(v.max())


def plain(exprs):
    """The loops that stand for themselves."""
    return [e[1] for e in exprs if e[0] == "d"]


def draw(r, sizes, choices=None):
    """An expression over the loops, of any kind."""
    loops = list(range(len(sizes))) if choices is None else choices
    if not loops or r.flag(0.05):
        return ("c", r.randint(0, 3))
    d = ("d", r.choice(loops))
    n = max(sizes[d[1]], 1)
    kind = r.randrange(14)
    other = ("d", r.choice(loops))
    small = r.randint(1, 6)
    shifted = ("+", d, ("c", r.randint(-7, 7)))
    return [
        d,
        d,
        ("+", d, ("c", r.randint(0, 3))),
        ("+", ("*", d, r.randint(1, 3)), ("c", r.randint(0, 2))),
        ("+", d, other),
        ("+", ("*", d, r.randint(1, 3)), ("*", other, r.randint(1, 2))),
        ("+", ("*", d, -1), ("c", n - 1)),
        ("mod", shifted, small),
        ("mod", ("+", ("*", d, r.choice([-3, -2, -1, 2, 3])), ("c", r.randint(-5, 5))), small),
        ("floordiv", shifted, small),
        ("ceildiv", shifted, small),
        ("mod", d, small),
        ("mod", ("+", d, ("*", other, r.choice([-1, 1, 2]))), small),
        ("+", ("*", ("floordiv", d, small), small), ("mod", shifted, small)),
    ][kind]


def plainer(e, count):
    """A loop, where an expression always is that: MLIR sees it, and then sizes have to be the same."""
    points = np.random.default_rng(0).integers(0, 1000, (max(count, 1), 64))
    v = number(e, points)
    return next((("d", d) for d in range(count) if np.array_equal(v, points[d])), e)


def natural(r, e, sizes):
    """An expression that is never negative, by an offset where it needs one; and what a dimension must have for it."""
    found = bounds(e, sizes)
    if found is None:
        if e[0] != "d":
            raise Impossible("an index of no loop")
        return e, sizes[e[1]]
    low, high = found
    if low < 0:
        e, high = ("+", e, ("c", -low)), high - low
    e = plainer(e, len(sizes))
    if e[0] == "d":
        return e, sizes[e[1]]
    return e, high + 1 + r.choice([0, 0, 0, 1, 2])


def fitting(r, sizes, wanted):
    """An expression whose values are within a dimension of this size."""
    same = [d for d, n in enumerate(sizes) if n == wanted]
    if same and r.flag(0.75):
        return ("d", r.choice(same))
    for _ in range(20):
        e = plainer(draw(r, sizes), len(sizes))
        if e[0] == "d" and sizes[e[1]] != wanted:
            continue
        found = bounds(e, sizes)
        if found is not None and 0 <= found[0] and found[1] < wanted:
            return e
        if (
            e[0] != "d"
            and found is not None
            and wanted > 0
            and plainer(("mod", e, wanted), len(sizes))[0] != "d"
            and r.flag()
        ):
            return ("mod", e, wanted)
    if same:
        return ("d", r.choice(same))
    if wanted == 0 or 0 in sizes:
        raise Impossible("nothing has this size")
    return ("c", r.randrange(wanted))
