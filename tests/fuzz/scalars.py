"""Operations on numbers: their text in MLIR, and what they give, with bounds. Each takes and gives arrays of one shape."""

import math

import numpy as np
import values
from values import FLOATS, WIDE, Array, is_float, joined, limited, rounded, signed, unknown_if, unsigned, wrap


def _errors(a, b):
    return None if a.e is None and b.e is None else a.error() + b.error()


def addf(a, b, sign=1):
    g = min(a.g, b.g)
    return rounded(a.dtype, a.v + sign * b.v, _errors(a, b), a.m + b.m, g)


def subf(a, b):
    return addf(a, b, -1)


def mulf(a, b):
    v = a.v * b.v
    e = (
        None
        if a.e is None and b.e is None
        else np.abs(a.v) * b.error() + np.abs(b.v) * a.error() + a.error() * b.error()
    )
    with np.errstate(invalid="ignore"):
        e = None if e is None else np.where(np.isnan(e), np.inf, e)
    return rounded(a.dtype, v, e, np.abs(v) + (0 if e is None else e), a.g * b.g)


def productf(a, b):
    """A product of many: `m` is the largest of its parts, in any order, which nobody knows where that leaves the range."""
    result = mulf(a, b)
    result.m = np.maximum(a.m, 1) * np.maximum(b.m, 1)
    return limited(result, FLOATS[a.dtype][2])


def divf(a, b):
    with np.errstate(all="ignore"):
        room = np.abs(b.v) - b.error()
        v = np.where(room > 0, a.v / b.v, 0)
        e = np.where(room > 0, (a.error() + np.abs(v) * b.error()) / room, np.inf)
    return rounded(a.dtype, v, e, np.abs(v), 0.0, values.laxity)


def _chosen(a, b, v):
    e = None if a.e is None and b.e is None else np.maximum(a.error(), b.error())
    return Array(a.dtype, v, e, None, min(a.g, b.g))


def maxf(a, b):
    return _chosen(a, b, np.maximum(a.v, b.v))


def minf(a, b):
    return _chosen(a, b, np.minimum(a.v, b.v))


def negf(a):
    return Array(a.dtype, -a.v, a.e, a.m, a.g)


def absf(a):
    return Array(a.dtype, np.abs(a.v), a.e, None, a.g)


def copysign(a, b):
    exact = Array(a.dtype, np.copysign(np.abs(a.v), b.v), a.e, None, a.g)
    # Nobody knows the sign of a zero that was computed.
    return unknown_if(exact, np.abs(b.v) <= b.error())


def _whole(f):
    def run(a):
        v = f(a.v)
        result = Array(a.dtype, v, None, None, 1.0)
        if a.e is None:
            return result
        with np.errstate(invalid="ignore"):
            return unknown_if(result, (f(a.v - a.e) != v) | (f(a.v + a.e) != v))

    return run


def _away(v):
    return np.copysign(np.floor(np.abs(v) + WIDE(0.5)), v)


def _function(f, low=-np.inf, high=np.inf, exact_at=()):
    """A function that is monotonic, or as steep as 1 at most, where it is defined: between `low` and `high`."""

    def run(a):
        with np.errstate(all="ignore"):
            v = f(a.v)
            # What nobody knows may be no number.
            far = ~((a.v - a.error() >= low) & (a.v + a.error() <= high)) | ~np.isfinite(a.error())
            spread = (
                np.maximum(np.abs(f(a.v - a.error()) - v), np.abs(f(a.v + a.error()) - v)) if a.e is not None else 0
            )
            spread = np.maximum(spread, a.error()) if f in (np.sin, np.cos) else spread
            v = np.where(far | ~np.isfinite(v), 0, v)
            spread = np.where(np.isfinite(spread), spread, np.inf)
            # Sine and the like cancel: an absolute error, too.
            size = np.maximum(np.abs(v), 0.25) if f in (np.sin, np.cos) else np.abs(v)
            return unknown_if(rounded(a.dtype, v, spread, size, 0.0, 2 * values.laxity), far)

    return run


def _erf(v):
    return np.vectorize(lambda x: WIDE(math.erf(float(x))), otypes=[WIDE])(v) if v.size else v


def fma(a, b, c):
    return addf(mulf(a, b), c)


def integers(f, at=signed):
    def run(*arrays):
        with np.errstate(all="ignore"):
            parts = np.broadcast_arrays(*(at(a.dtype, a.v) for a in arrays))
            return Array(arrays[0].dtype, wrap(arrays[0].dtype, f(*parts)), joined(arrays))

    return run


def _divide(a, b, how):
    """Of Python's integers: nothing overflows."""

    def one(x, y):
        x, y = int(x), int(y)
        if y == 0:
            return 0
        q = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
        if how == "floor":
            q = x // y
        elif how == "ceil":
            q = -(-x // y)
        return x - y * q if how == "rem" else q

    flat = [one(x, y) & 0xFFFFFFFFFFFFFFFF for x, y in zip(a.ravel().tolist(), b.ravel().tolist())]
    return np.array(flat, np.uint64).reshape(a.shape).astype(np.int64)


def division(how, at):
    def run(a, b):
        result = integers(lambda x, y: _divide(x, y, how), at)(a, b)
        return unknown_if(result, np.broadcast_to(b.v == 0, result.shape))

    return run


def shift(f, at):
    def run(a, b):
        bits = values.BITS[a.dtype]
        amount = np.clip(unsigned(b.dtype, b.v), 0, np.uint64(bits - 1))
        result = Array(
            a.dtype, wrap(a.dtype, f(at(a.dtype, a.v), amount.astype(at(a.dtype, a.v).dtype))), joined([a, b])
        )
        return unknown_if(result, unsigned(b.dtype, b.v) >= bits)

    return run


def _counted(f):
    def run(a):
        bits = values.BITS[a.dtype]
        words = [f(format(int(x), f"0{bits}b")) for x in unsigned(a.dtype, a.v).ravel()]
        return Array(a.dtype, wrap(a.dtype, np.array(words, np.int64).reshape(a.shape)), a.e)

    return run


COMPARE = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}


def cmpi(predicate):
    at = unsigned if predicate[0] == "u" else signed
    f = COMPARE[predicate[-2:]]
    return lambda a, b: Array("i1", f(at(a.dtype, a.v), at(b.dtype, b.v)).astype(np.int64), joined([a, b]))


def cmpf(predicate):
    f = COMPARE[predicate[-2:]]

    def run(a, b):
        result = Array("i1", f(a.v, b.v).astype(np.int64))
        if a.e is None and b.e is None:
            return result
        return unknown_if(result, ~(np.abs(a.v - b.v) > a.error() + b.error()))

    return run


def select(c, a, b):
    shape = np.broadcast_shapes(c.shape, a.shape, b.shape)
    take = np.broadcast_to(c.v != 0, shape)
    pick = lambda x, y: np.where(take, x, y)
    e = None if a.e is None and b.e is None else pick(a.error(), b.error())
    m = pick(a.m, b.m) if a.m is not None else None
    result = Array(a.dtype, pick(a.v, b.v), e, m, min(a.g, b.g))
    return result if c.e is None else unknown_if(result, np.broadcast_to(c.e > 0, shape))


def to_float(dtype, at):
    def run(a):
        v = at(a.dtype, a.v).astype(WIDE)
        result = rounded(dtype, v, None, np.abs(v), 1.0)
        return result if a.e is None else unknown_if(result, a.e > 0)

    return run


def to_integer(dtype, lowest):
    def run(a):
        v = np.trunc(a.v)
        bits = values.BITS[dtype]
        high = WIDE(2) ** (bits if lowest == 0 else bits - 1)
        low = WIDE(0) if lowest == 0 else -high
        with np.errstate(all="ignore"):
            bad = ~((v >= low) & (v < high) & np.isfinite(a.error()))
            moved = a.error() > 0
            bad |= moved & ((np.trunc(a.v - a.error()) != v) | (np.trunc(a.v + a.error()) != v))
        whole = np.array([int(x) & 0xFFFFFFFFFFFFFFFF for x in np.where(bad, 0, v).ravel()], np.uint64).astype(np.int64)
        return unknown_if(Array(dtype, wrap(dtype, whole.reshape(v.shape))), bad)

    return run


def between_floats(dtype):
    def run(a):
        if FLOATS[dtype][0] >= FLOATS[a.dtype][0] and dtype != "f16":
            return Array(dtype, a.v, a.e, a.m, a.g)
        return rounded(dtype, a.v, a.e, np.abs(a.v) + (0 if a.e is None else a.e), a.g)

    return run


def between_integers(dtype, at):
    return lambda a: Array(dtype, wrap(dtype, at(a.dtype, a.v).astype(np.int64)), a.e)


F2 = {"arith.addf": addf, "arith.subf": subf, "arith.mulf": mulf, "arith.divf": divf, "arith.maximumf": maxf, "arith.minimumf": minf,
      "arith.maxnumf": maxf, "arith.minnumf": minf, "math.copysign": copysign}  # fmt: skip
F1 = {"arith.negf": negf, "math.absf": absf, "math.floor": _whole(np.floor), "math.ceil": _whole(np.ceil), "math.trunc": _whole(np.trunc),
      "math.roundeven": _whole(np.rint), "math.round": _whole(_away), "math.exp": _function(np.exp, -20, 8),
      "math.tanh": _function(np.tanh), "math.sqrt": _function(np.sqrt, 0), "math.sin": _function(np.sin, -50, 50),
      "math.cos": _function(np.cos, -50, 50), "math.log": _function(np.log, 2.0**-6), "math.erf": _function(_erf),
      "math.exp2": _function(np.exp2, -12, 10), "math.log2": _function(np.log2, 2.0**-6), "math.atan": _function(np.arctan),
      "math.rsqrt": _function(lambda x: 1 / np.sqrt(x), 2.0**-6), "math.expm1": _function(np.expm1, -10, 6),
      "math.log1p": _function(np.log1p, -0.75)}  # fmt: skip
I2 = {"arith.addi": integers(np.add), "arith.subi": integers(np.subtract), "arith.muli": integers(np.multiply),
      "arith.andi": integers(np.bitwise_and), "arith.ori": integers(np.bitwise_or), "arith.xori": integers(np.bitwise_xor),
      "arith.maxsi": integers(np.maximum), "arith.minsi": integers(np.minimum), "arith.maxui": integers(np.maximum, unsigned),
      "arith.minui": integers(np.minimum, unsigned)}  # fmt: skip
# Their second operand is made safe by what generates them.
DIVIDE = {"arith.divsi": division("", signed), "arith.remsi": division("rem", signed), "arith.floordivsi": division("floor", signed),
          "arith.ceildivsi": division("ceil", signed), "arith.divui": division("", unsigned), "arith.remui": division("rem", unsigned),
          "arith.ceildivui": division("ceil", unsigned)}  # fmt: skip
SHIFT = {"arith.shli": shift(np.left_shift, unsigned), "arith.shrsi": shift(np.right_shift, signed),
         "arith.shrui": shift(np.right_shift, unsigned)}  # fmt: skip
I1 = {"math.absi": integers(np.abs), "math.ctpop": _counted(lambda s: s.count("1")),
      "math.ctlz": _counted(lambda s: len(s) - len(s.lstrip("0"))), "math.cttz": _counted(lambda s: len(s) - len(s.rstrip("0")))}  # fmt: skip
IPREDICATES = ["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"]
FPREDICATES = ["oeq", "ogt", "oge", "olt", "ole", "one", "ueq", "ugt", "uge", "ult", "ule", "une"]


def is_wider(a, b):
    return values.BITS[a] > values.BITS[b]


def conversions(source, target):
    """The operations that lead from one type to another in one step, with what they do."""
    if source == target:
        return []
    if is_float(source) and is_float(target):
        wide, narrow = FLOATS[target], FLOATS[source]
        if {source, target} == {"f16", "bf16"}:
            return []
        return [("arith.extf" if wide[0] > narrow[0] else "arith.truncf", between_floats(target))]
    if is_float(target):
        found = [("arith.sitofp", to_float(target, signed)), ("arith.uitofp", to_float(target, unsigned))]
        return [] if source == "index" else found
    if is_float(source):
        return (
            []
            if target in ("index", "i1")
            else [("arith.fptosi", to_integer(target, -1)), ("arith.fptoui", to_integer(target, 0))]
        )
    if "index" in (source, target):
        return [("arith.index_cast", between_integers(target, signed))] if source != "i64" else []
    if is_wider(target, source):
        return [("arith.extsi", between_integers(target, signed)), ("arith.extui", between_integers(target, unsigned))]
    return [("arith.trunci", between_integers(target, signed))]
