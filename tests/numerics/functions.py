# RUN: %python %s
"""Functions of one number over all exponents, signs and edges of f32, and powers: relative errors in steps of 2^-23."""

import math

import numpy as np

from harness import main
from text import case, elementwise, ty

# Bounds in steps of 2^-23 (and of the smallest number), and the exact function in double precision.
FUNCTIONS = {
    "exp": (1, np.exp), "exp2": (1, np.exp2), "log": (1, np.log), "log2": (2, np.log2), "log10": (2, np.log10),
    "log1p": (3, np.log1p), "tanh": (3, np.tanh), "erf": (3, np.vectorize(math.erf)), "sin": (2, np.sin), "cos": (2, np.cos),
}  # fmt: skip


def everything():
    """Every exponent and sign with several mantissas, and the edges."""
    bits = np.arange(0, 1 << 32, 1_000_003, dtype=np.uint64).astype(np.uint32)
    edges = [0, -0.0, 1, -1, np.inf, -np.inf, np.nan, 88.72283, 88.72284, -87.33655, -103.97, -104, 127.99999, 128, -149, -150,
             np.pi, np.pi / 2, 1e5, 1.00001e5, 3e38, 1e-38, 1e-45, 8.5, 9.1, 3.99, 4.01]  # fmt: skip
    with np.errstate(all="ignore"):
        return np.concatenate([bits.view(np.float32), np.array(edges, np.float32)])


def bounds(exact, steps):
    """The nearest float and the tolerances of the harness."""
    with np.errstate(all="ignore"):
        near = exact.astype(np.float32)
    return near, steps * 2.0**-23, steps * 2.0**-149


def one(name):
    steps, exact = FUNCTIONS[name]
    x = everything()
    with np.errstate(all="ignore"):
        want, rtol, atol = bounds(exact(x.astype(np.float64)), steps)
    body = elementwise("r", [x.size], "f32", ["%a0"], f"%y = math.{name} %x0 : f32\nlinalg.yield %y : f32")
    return case(f"all_{name}", body + f"return %r : {ty([x.size])}", [x], want, rtol=rtol, atol=atol)


def powers():
    """All pairs of interesting numbers, and pairs whose power is in range."""
    edges = np.array([0, -0.0, 1, -1, 2, -2, 0.5, -0.5, 3, -3, 1.5, -1.5, 2.5, -7, 1e30, -1e30, 1e-30, 1e-45, 16777215, 3e38,
                      np.inf, -np.inf, np.nan], np.float32)  # fmt: skip
    x, y = (a.ravel() for a in np.meshgrid(edges, edges))
    rng = np.random.default_rng(5)
    base = np.exp(rng.uniform(-80, 80, 4000)).astype(np.float32)
    most = 85 / np.maximum(np.abs(np.log(base)), 1e-3)
    exponent = (rng.uniform(-1, 1, 4000) * np.minimum(most, 1e4)).astype(np.float32)
    x, y = np.concatenate([x, base]), np.concatenate([y, exponent])
    with np.errstate(all="ignore"):
        want, rtol, atol = bounds(np.power(x.astype(np.float64), y.astype(np.float64)), 2)
    body = elementwise("r", [x.size], "f32", ["%a0", "%a1"], "%z = math.powf %x0, %x1 : f32\nlinalg.yield %z : f32")
    return case("powers", body + f"return %r : {ty([x.size])}", [x, y], want, rtol=rtol, atol=atol)


CASES = [one(name) for name in FUNCTIONS] + [powers()]

if __name__ == "__main__":
    main(CASES)
