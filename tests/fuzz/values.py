"""Arrays as a reference computes them: floats in a wider type, each with a bound of how far a right answer may be from it.

The bound grows with every rounding, with what is summed (in any order), and with what functions of a few units in the last place add.
What nobody can know - a comparison of two floats closer than their bounds - is `inf`, and not compared. Sums and products of small
dyadic numbers are exact in any order: their bound is zero.
"""

import numpy as np

try:
    from ml_dtypes import bfloat16
except ImportError:
    bfloat16 = None

WIDE = np.longdouble
# Digits of the significand, least and largest exponent.
FLOATS = {"f64": (53, -1022, 1023), "f32": (24, -126, 127), "f16": (11, -14, 15), "bf16": (8, -126, 127)}
BITS = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "index": 64}
NUMPY = {"f64": np.float64, "f32": np.float32, "f16": np.float16, "bf16": bfloat16, "i1": np.bool_, "i8": np.int8, "i16": np.int16,
         "i32": np.int32, "i64": np.int64, "index": np.int64}  # fmt: skip
# Devices may be less exact: quotients, roots and functions, in units in the last place.
LAXITY = {"cpu": 4.0, "vulkan": 16.0}
laxity = 4.0
# Devices need not keep numbers below the least normal one.
flushes = False


def is_float(dtype):
    return dtype in FLOATS


class Array:
    """`v`: the numbers; `e`: for floats the bound, for integers inf where nobody knows, None for zeros; `m`: the size of what was summed;
    `g`: a power of two that all numbers are multiples of, 0 if there is none."""

    __slots__ = ("dtype", "v", "e", "m", "g")

    def __init__(self, dtype, v, e=None, m=None, g=0.0):
        self.dtype, self.v, self.e, self.g = dtype, np.asarray(v), None if e is None else np.asarray(e), g
        self.m = np.asarray(np.abs(v) if m is None else m) if is_float(dtype) else None

    @property
    def shape(self):
        return self.v.shape

    def error(self):
        return np.zeros(self.v.shape, WIDE) if self.e is None else self.e

    def at(self, index):
        """Elements by numpy's indexing."""
        part = lambda a: None if a is None else a[index]
        return Array(self.dtype, self.v[index], part(self.e), part(self.m), self.g)

    def map(self, f):
        """Moved elements: f works on each of the parts."""
        part = lambda a: None if a is None else f(a)
        return Array(self.dtype, f(self.v), part(self.e), part(self.m), self.g)

    def copy(self):
        return self.map(np.copy)

    def put(self, index, other):
        """Writes elements."""
        if other.e is not None and self.e is None:
            self.e = np.zeros(self.v.shape, WIDE)
        self.v[index] = other.v
        if self.e is not None:
            self.e[index] = other.error()
        if self.m is not None:
            self.m[index] = other.m
            self.g = min(self.g, other.g)


def of(dtype, data):
    """Given numbers, which are exact."""
    if not is_float(dtype):
        return Array(dtype, np.asarray(data).astype(np.int64))
    v = np.asarray(data).astype(np.float64).astype(WIDE)
    return Array(dtype, v, g=granule(v))


def granule(v):
    """The largest power of two that all numbers are multiples of; 0 if it is small."""
    g = WIDE(1)
    while g > WIDE(2) ** -12:
        if np.all(v / g == np.floor(v / g)):
            return float(g)
        g /= 2
    return 0.0


def wrap(dtype, v):
    """Integers in their width, sign-extended; `v` may have any integers that numpy holds."""
    bits = BITS[dtype]
    if bits == 1:
        return v.astype(np.int64) & 1
    if bits == 64:
        return v.astype(np.int64)
    half = np.int64(1) << np.int64(bits - 1)
    mask = (np.int64(1) << np.int64(bits)) - np.int64(1)
    return ((v.astype(np.int64) + half) & mask) - half


def unsigned(dtype, v):
    bits = BITS[dtype]
    return v.astype(np.uint64) if bits == 64 else (v & ((1 << bits) - 1)).astype(np.uint64)


def signed(dtype, v):
    return -v if BITS[dtype] == 1 else v


def unknown_if(array, where):
    """Marks elements that nobody can know."""
    if np.any(where):
        array.e = array.error().copy() if array.e is not None else np.zeros(array.v.shape, WIDE)
        array.e = np.broadcast_to(array.e, np.broadcast_shapes(array.e.shape, np.shape(where))).copy()
        array.e[np.broadcast_to(where, array.e.shape)] = np.inf
    return array


def joined(arrays):
    """Where an integer result of these is unknown."""
    found = [a.e for a in arrays if a.e is not None]
    if not found:
        return None
    bad = np.zeros(np.broadcast_shapes(*(a.shape for a in arrays)), WIDE)
    for e in found:
        bad = np.where(e > 0, np.inf, bad)
    return bad if np.any(bad > 0) else None


def rounded(dtype, v, e, m, g, ulps=1.0):
    """A float result: its own rounding on top of the bound `e` (None: exact so far)."""
    digits, low, high = FLOATS[dtype]
    with np.errstate(all="ignore"):
        if e is None and g and np.all(m <= WIDE(2) ** digits * g):
            return limited(Array(dtype, v, None, m, g), high)
        tiny = WIDE(2) ** (low + 1 if flushes else low - digits + 2)
        e = (0 if e is None else e) + ulps * m * WIDE(2) ** -digits * WIDE(1.01) + tiny
        return limited(Array(dtype, v, np.broadcast_to(e, v.shape), m, 0.0), high)


def limited(array, high):
    """Beyond the largest number nobody knows, nor where parts of a sum may be there."""
    with np.errstate(all="ignore"):
        far = ~(np.maximum(np.abs(array.v), array.m) + array.error() < WIDE(2) ** high * WIDE(1.9))
    return unknown_if(array, far)


def compare(got, want):
    """What is wrong with numbers that came out, or None; and how many of them were compared."""
    if got.shape != want.shape:
        return f"shape {list(got.shape)}, expected {list(want.shape)}", 0
    if got.dtype != np.dtype(NUMPY[want.dtype]):
        return f"dtype {got.dtype}, expected {want.dtype}", 0
    known = np.isfinite(want.error())
    if is_float(want.dtype):
        with np.errstate(all="ignore"):
            number = got.astype(np.float64).astype(WIDE)
            bad = known & ~(np.abs(number - want.v) <= 2 * want.error())
    else:
        bad = known & (wrap(want.dtype, got.astype(np.int64)) != want.v)
    if not bad.any():
        return None, int(known.sum())
    at = tuple(int(i) for i in np.argwhere(bad)[0])
    text = f"{int(bad.sum())} of {bad.size} differ, first at {list(at)}: {got[at]}, expected {want.v[at]}"
    return text + (f" ± {float(want.error()[at]):.3g}" if is_float(want.dtype) else ""), int(known.sum())
