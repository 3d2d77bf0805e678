# RUN: %python %s
# RUN: %if x86 %{ %python %s --target=cpu:x86-64 %}
"""Functions of one number over all exponents, signs and edges of f32, and powers, in units in the last place (ulp) of the
exact result; on a CPU without fused multiply-adds, too. They have been measured over every 11th of all floats."""

import math

import numpy as np
from harness import Case, main
from text import case, elementwise, ty


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def one_and_tanh(x):
    """Zero where e^-2x is beyond the largest float."""
    return np.where(x < -44.36142, 0, 2 / (1 + np.exp(-2 * x)))


# Bounds in ulp, and the exact function in double precision.
FUNCTIONS = {
    "exp": (1.2, np.exp), "exp2": (1.2, np.exp2), "expm1": (1.6, np.expm1), "log": (0.9, np.log), "log2": (2, np.log2),
    "log10": (2, np.log10), "log1p": (1.4, np.log1p), "tanh": (1.4, np.tanh), "erf": (2, np.vectorize(math.erf)),
    "sin": (1.6, np.sin), "cos": (1.6, np.cos), "tan": (2.6, np.tan), "asin": (1.7, np.arcsin), "acos": (1.2, np.arccos),
    "atan": (1.9, np.arctan), "sinh": (1.6, np.sinh), "cosh": (1.5, np.cosh), "asinh": (1.7, np.arcsinh), "acosh": (1.7, np.arccosh),
    "atanh": (1.9, np.arctanh), "cbrt": (1, np.cbrt), "sigmoid": (2, sigmoid), "one_and_tanh": (2, one_and_tanh),
}  # fmt: skip

SIGMOID = """%one = arith.constant 1.0 : f32
%n = arith.negf %x0 : f32
%p = math.exp %n : f32
%s = arith.addf %p, %one : f32
%y = arith.divf %one, %s : f32"""


ONE_AND_TANH = """%one = arith.constant 1.0 : f32
%t = math.tanh %x0 : f32
%y = arith.addf %t, %one : f32"""
IN_FULL = {"sigmoid": SIGMOID, "one_and_tanh": ONE_AND_TANH}


def everything():
    """Every exponent and sign with hundreds of mantissas, and the edges."""
    bits = np.arange(0, 1 << 32, 19_997, dtype=np.uint64).astype(np.uint32)
    edges = [0, -0.0, 1, -1, np.inf, -np.inf, np.nan, 88.72283, 88.72284, -88.72284, -87.33655, -103.97, -104, 127.99999, 128,
             -149, -150, np.pi, np.pi / 2, 1e5, 1.00001e5, 3e38, 1e-38, 1e-45, -1e-45, 8.5, 9.1, 3.99, 4.01, 0.625, 0.927734375,
             -0.99999994, -1.0000001, -17.4, -18.1]  # fmt: skip
    with np.errstate(all="ignore"):
        return np.concatenate([bits.view(np.float32), np.array(edges, np.float32)])


def near(name, body, inputs, exact, ulp, dtype="f32"):
    """A function whose result is within `ulp` of the exact one."""
    with np.errstate(all="ignore"):
        want = exact.astype(inputs[0].dtype)
    made = case(name, body + f"return %r : {ty(want.shape, dtype)}", inputs, want)
    return Case(made.name, made.text, made.inputs, made.expected, ulp=ulp, exact=exact)


def one(name):
    ulp, exact = FUNCTIONS[name]
    x = everything()
    with np.errstate(all="ignore"):
        exact = exact(x.astype(np.float64))
    compute = IN_FULL.get(name, f"%y = math.{name} %x0 : f32")
    return near(
        f"all_{name}", elementwise("r", [x.size], "f32", ["%a0"], f"{compute}\nlinalg.yield %y : f32"), [x], exact, ulp
    )


def double(name, exact):
    """Small numbers in double precision, of which nothing may be lost."""
    x = np.random.default_rng(3).uniform(-1, 1, 3000) * 2.0 ** np.random.default_rng(4).integers(-80, 5, 3000)
    if name == "log1p":
        x = np.maximum(x, -0.999)
    x = np.concatenate([x, [0, -0.0, -1, np.inf, np.nan, 1e-320]])
    with np.errstate(all="ignore"):
        exact = exact(x.astype(np.longdouble))
    body = elementwise("r", [x.size], "f64", ["%a0"], f"%y = math.{name} %x0 : f64\nlinalg.yield %y : f64")
    return near(f"double_{name}", body, [x], exact, 5, "f64")


def powers():
    """All pairs of interesting numbers, and pairs whose power is in range."""
    edges = np.array([0, -0.0, 1, -1, 2, -2, 0.5, -0.5, 3, -3, 1.5, -1.5, 2.5, -7, 1e30, -1e30, 1e-30, 1e-45, 16777215, 3e38,
                      np.inf, -np.inf, np.nan], np.float32)  # fmt: skip
    x, y = (a.ravel() for a in np.meshgrid(edges, edges))
    rng = np.random.default_rng(5)
    base = np.exp(rng.uniform(-80, 80, 200_000)).astype(np.float32)
    most = 85 / np.maximum(np.abs(np.log(base)), 1e-3)
    exponent = (rng.uniform(-1, 1, base.size) * np.minimum(most, 1e4)).astype(np.float32)
    x, y = np.concatenate([x, base]), np.concatenate([y, exponent])
    with np.errstate(all="ignore"):
        exact = np.power(x.astype(np.float64), y.astype(np.float64))
    body = elementwise("r", [x.size], "f32", ["%a0", "%a1"], "%z = math.powf %x0, %x1 : f32\nlinalg.yield %z : f32")
    return near("powers", body, [x, y], exact, 1.2)


def angles():
    """All pairs of interesting numbers, and points in all directions at all distances."""
    edges = np.array([0, -0.0, 1, -1, 2, 0.5, -3, 1e30, -1e30, 1e-30, 1e-45, 3e38, np.inf, -np.inf, np.nan], np.float32)
    y, x = (a.ravel() for a in np.meshgrid(edges, edges))
    rng = np.random.default_rng(6)
    far = np.exp(rng.uniform(-80, 80, (2, 100_000))) * rng.choice([-1, 1], (2, 100_000))
    close = rng.uniform(-1, 1, (2, 100_000))
    y, x = (np.concatenate([a, b, c]).astype(np.float32) for a, b, c in zip((y, x), far, close))
    exact = np.arctan2(y.astype(np.float64), x.astype(np.float64))
    body = elementwise("r", [x.size], "f32", ["%a0", "%a1"], "%z = math.atan2 %x0, %x1 : f32\nlinalg.yield %z : f32")
    return near("angles", body, [y, x], exact, 2.5)


def quotients():
    """Numbers of all sizes divided by each other, of which many quotients are in range."""
    rng = np.random.default_rng(8)
    x, y = rng.integers(0, 1 << 32, (2, 20_000), dtype=np.uint32).view(np.float32)
    with np.errstate(all="ignore"):
        near_x = (y.astype(np.float64) * rng.uniform(0.01, 100, y.size)).astype(np.float32)
    edges = np.array([0, -0.0, 1, -1, 3, 1e-45, 1e-40, 1e38, 2e38, 3.4e38, np.inf, -np.inf, np.nan], np.float32)
    above, below = (a.ravel() for a in np.meshgrid(edges, edges))
    x, y = np.concatenate([x, near_x, above]), np.concatenate([y, y, below])
    with np.errstate(all="ignore"):
        exact = x.astype(np.float64) / y.astype(np.float64)
    body = elementwise("r", [x.size], "f32", ["%a0", "%a1"], "%z = arith.divf %x0, %x1 : f32\nlinalg.yield %z : f32")
    return near("quotients", body, [x, y], exact, 2.6)


# Functions of f64, in `long double`: those of the C library, and what GPUs get instead.
DOUBLES = {
    "exp": np.exp, "exp2": np.exp2, "log": np.log, "log2": np.log2, "log10": np.log10, "tanh": np.tanh, "sin": np.sin, "cos": np.cos,
    "tan": np.tan, "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "sinh": np.sinh, "cosh": np.cosh, "asinh": np.arcsinh,
    "acosh": np.arccosh, "atanh": np.arctanh, "cbrt": np.cbrt, "sqrt": np.sqrt, "rsqrt": lambda x: 1 / np.sqrt(x),
}  # fmt: skip


def double_range(name):
    """A function of f64 on numbers of all sizes, and of those around one."""
    rng = np.random.default_rng(7)
    bits = rng.integers(0, 1 << 64, 1500, dtype=np.uint64).view(np.float64)
    edges = [
        0,
        -0.0,
        1,
        -1,
        np.inf,
        -np.inf,
        np.nan,
        709.78,
        -745.1,
        1024,
        -1074,
        np.pi,
        np.pi / 2,
        1e22,
        2.0**53,
        0.5,
        10,
        1000,
        8,
    ]
    x = np.concatenate(
        [
            bits,
            rng.uniform(-1, 1, 500),
            rng.uniform(-30, 30, 500),
            rng.uniform(-700, 700, 500),
            1 + rng.uniform(-1e-3, 1e-3, 200),
            edges,
        ]
    )
    with np.errstate(all="ignore"):
        exact = DOUBLES[name](x.astype(np.longdouble))
    body = elementwise("r", [x.size], "f64", ["%a0"], f"%y = math.{name} %x0 : f64\nlinalg.yield %y : f64")
    return near(f"double_range_{name}", body, [x], exact, 4, "f64")


def double_pairs(name, op, exact):
    """A function of two f64."""
    rng = np.random.default_rng(8)
    edges = np.array([0, -0.0, 1, -1, 2, -2, 0.5, 3, -3, 1.5, 1e300, -1e300, 1e-300, np.inf, -np.inf, np.nan])
    x, y = (a.ravel() for a in np.meshgrid(edges, edges))
    x = np.concatenate([x, np.exp(rng.uniform(-40, 40, 2000)), rng.uniform(-9, 9, 1000)])
    y = np.concatenate([y, rng.uniform(-16, 16, 2000), rng.integers(-20, 20, 1000)])
    with np.errstate(all="ignore"):
        exact = exact(x.astype(np.longdouble), y.astype(np.longdouble))
    body = elementwise("r", [x.size], "f64", ["%a0", "%a1"], f"%z = {op} %x0, %x1 : f64\nlinalg.yield %z : f64")
    return near(f"double_{name}", body, [x, y], exact, 4, "f64")


CASES = [
    *(one(name) for name in FUNCTIONS),
    powers(),
    angles(),
    quotients(),
    double("expm1", np.expm1),
    double("log1p", np.log1p),
]
CASES += [double_range(name) for name in DOUBLES]
CASES += [
    double_pairs("pow", "math.powf", np.power),
    double_pairs("atan2", "math.atan2", np.arctan2),
    double_pairs("fmod", "arith.remf", np.fmod),
]

if __name__ == "__main__":
    main(CASES)
