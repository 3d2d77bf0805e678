# RUN: %python %s
"""Elementwise work: every function over wide ranges with NaN, infinities, zeros and denormals; broadcasts; conversions; chains."""

import math

import numpy as np
from harness import main
from text import DTYPES, case, elementwise, generic, rand, ty, wide

EDGES = [
    np.nan,
    np.inf,
    -np.inf,
    0.0,
    -0.0,
    1.0,
    -1.0,
    1e-40,
    -1e-40,
    1e-45,
    1.17549435e-38,
    3.4028235e38,
    -3.4028235e38,
    0.5,
    -0.5,
    2.0,
    -2.0,
]
erf = np.vectorize(math.erf)


def spread(low, high, dtype="f32"):
    """Edge values, then a dense range, then magnitudes from 1e-30 to 1e30; 257 numbers, so that a tail is left."""
    dense = np.linspace(low, high, 160)
    magnitudes = np.concatenate([10.0 ** np.linspace(-30, 30, 40), -(10.0 ** np.linspace(-30, 30, 40))])
    magnitudes = np.clip(magnitudes, low, high) if abs(high) < 1e3 else magnitudes
    with np.errstate(over="ignore"):
        return np.concatenate([EDGES, dense, magnitudes])[:257].astype(DTYPES[dtype])


def unary(op, reference, low=-20.0, high=20.0, dtype="f32", rtol=2e-6, atol=0.0, x=None, tag=""):
    """`math.op` or `arith.op` on a spread of values."""
    x = spread(low, high, dtype) if x is None else x
    with np.errstate(all="ignore"):
        want = np.asarray(reference(wide(x) if dtype[0] == "i" else x.astype(np.float64))).astype(x.dtype)
    rtol, atol = {"f16": (2e-3, 1e-6), "bf16": (2e-2, 1e-6), "f64": (1e-13, 1e-300)}.get(dtype, (rtol, atol))
    body = elementwise("r", x.shape, dtype, ["%a0"], f"%y = {op} %x0 : {dtype}\nlinalg.yield %y : {dtype}")
    name = f"{op.replace('.', '_')}_{dtype}{tag}"
    # Denormal results may be flushed in a sum of terms: below the smallest normal number everything is as good as zero.
    return case(
        name,
        body + f"return %r : {ty(x.shape, dtype)}",
        [x],
        want,
        rtol=rtol,
        atol=max(atol, 1e-37 if dtype == "f32" else 0),
    )


def binary(op, reference, dtype="f32", a=None, b=None, tag="", out=None):
    """An arith or math op on pairs: all edge values against each other, then random ones."""
    if a is None:
        with np.errstate(over="ignore"):
            edge = (
                np.array(EDGES, DTYPES[dtype])
                if dtype[0] != "i"
                else np.array([0, 1, -1, 5, -7, 100, np.iinfo(DTYPES[dtype]).max])
            )
        left, right = (g.ravel().astype(DTYPES[dtype]) for g in np.meshgrid(edge, edge))
        a = np.concatenate([left, rand(op + "l", [53], dtype, -9, 9)])
        b = np.concatenate([right, rand(op + "r", [53], dtype, -9, 9)])
    with np.errstate(all="ignore"):
        want = np.asarray(reference(a, b)).astype(DTYPES[out or dtype])
    result = out or dtype
    body = elementwise(
        "r", a.shape, dtype, ["%a0", "%a1"], f"%y = {op} %x0, %x1 : {dtype}\nlinalg.yield %y : {result}", result
    )
    name = f"{op.replace('.', '_').replace(' ', '_').replace(',', '')}_{dtype}{tag}"
    return case(
        name,
        body + f"return %r : {ty(a.shape, result)}",
        [a, b],
        want,
        rtol=1e-6,
        atol=1e-37 if dtype == "f32" else 1e-7,
    )


def cast(op, source, target, x):
    """A conversion."""
    with np.errstate(all="ignore"):
        want = (
            x.astype(DTYPES[target])
            if "ui" not in op
            else x.astype(x.dtype.str.replace("i", "u")).astype(DTYPES[target])
        )
    body = elementwise(
        "r", x.shape, source, ["%a0"], f"%y = {op} %x0 : {source} to {target}\nlinalg.yield %y : {target}", target
    )
    return case(
        f"{op.replace('.', '_')}_{source}_{target}",
        body + f"return %r : {ty(x.shape, target)}",
        [x],
        want,
        rtol=0,
        atol=0,
    )


def broadcast(name, shapes, dims, out):
    """a + b * c where each has some of the result's dimensions."""
    arrays = [rand(f"{name}{i}", s) for i, s in enumerate(shapes)]
    t, every = ty(out), list(range(len(out)))
    body = f"%e = tensor.empty() : {t}\n"
    body += generic("r", len(out), [*dims, every], "p" * len(out), [(f"%a{i}", ty(s)) for i, s in enumerate(shapes)], [("%e", t)],
                    "%p = arith.mulf %x1, %x2 : f32\n%y = arith.addf %x0, %p : f32\nlinalg.yield %y : f32", ["f32"] * 4)  # fmt: skip
    grow = [wide(a).reshape([out[i] if i in d else 1 for i in every]) if sorted(d) == list(d)
            else wide(a).transpose(np.argsort(d)).reshape([out[i] if i in d else 1 for i in every])
            for a, d in zip(arrays, dims)]  # fmt: skip
    want = np.broadcast_to(grow[0] + grow[1] * grow[2], out).astype(np.float32)
    return case(name, body + f"return %r : {t}", arrays, want)


def chain(
    name, shape, body, reference, *, inputs=1, dtype="f32", low=-5.0, high=5.0, dynamic=False, rtol=1e-5, atol=1e-6
):
    """A longer body on equal shapes."""
    arrays = [rand(f"{name}{i}", shape, dtype, low, high) for i in range(inputs)]
    t, dims, text = ty(shape, dtype, dynamic), [], ""
    for i in range(len(shape)) if dynamic else []:
        text += f"%k{i} = arith.constant {i} : index\n%n{i} = tensor.dim %a0, %k{i} : {t}\n"
        dims.append(f"%n{i}")
    text += elementwise(
        "r",
        shape,
        dtype,
        [f"%a{i}" for i in range(inputs)],
        f"{body}\nlinalg.yield %y : {dtype}",
        dims=dims,
        dynamic=dynamic,
    )
    want = np.asarray(reference(*map(wide, arrays))).astype(DTYPES[dtype])
    return case(
        name,
        text + f"return %r : {t}",
        arrays,
        want,
        dtype=dtype,
        types=[t] * inputs,
        results=[t],
        rtol=rtol,
        atol=atol,
    )


def rounded(value):
    """Clipped to signed bytes and rounded; no value may lie so near to the border between two that kernels may disagree."""
    clipped = np.clip(wide(value), -128, 127)
    assert (np.abs(clipped - np.floor(clipped) - 0.5) > 1e-4).all()
    return np.rint(clipped).astype(np.int8)


# A quantised SiLU: a byte becomes a number, goes through the function, and becomes a byte.
QUANTISED_SILU = """%scale = arith.constant 0.0431 : f32
%f = arith.sitofp %x0 : i8 to f32
%v = arith.mulf %f, %scale : f32
%one = arith.constant 1.0 : f32
%n = arith.negf %v : f32
%e = math.exp %n : f32
%d = arith.addf %e, %one : f32
%s = arith.divf %v, %d : f32
%back = arith.constant 0.0317 : f32
%q = arith.divf %s, %back : f32
%w = math.roundeven %q : f32
%low = arith.constant -128.0 : f32
%high = arith.constant 127.0 : f32
%g = arith.cmpf ogt, %w, %low : f32
%t = arith.select %g, %w, %low : f32
%b = arith.cmpf olt, %t, %high : f32
%u = arith.select %b, %t, %high : f32
%i = arith.fptosi %u : f32 to i32
%y = arith.trunci %i : i32 to i8
linalg.yield %y : i8"""
quantised_silu = lambda q: rounded(wide(q) * 0.0431 / (1 + np.exp(-wide(q) * 0.0431)) / 0.0317)


def byte_function(shape, dynamic=False):
    """A function of one byte on all bytes, over and over."""
    count = math.prod(shape)
    x = (np.arange(count) * 37 % 256 - 128).astype(np.int8).reshape(shape)
    t, dims, text = ty(shape, "i8", dynamic), [], ""
    for i in range(len(shape)) if dynamic else []:
        text += f"%k{i} = arith.constant {i} : index\n%n{i} = tensor.dim %a0, %k{i} : {t}\n"
        dims.append(f"%n{i}")
    text += elementwise("r", shape, "i8", ["%a0"], QUANTISED_SILU, dims=dims, dynamic=dynamic)
    name = f"byte_function_{'x'.join(map(str, shape)) or 'rank0'}{'_dynamic' if dynamic else ''}"
    return case(
        name, text + f"return %r : {t}", [x], quantised_silu(x), dtype="i8", types=[t], results=[t], rtol=0, atol=0
    )


def byte_function_of_floats(shape):
    """The byte is computed in the same kernel, from floats."""
    x = rand("byte_function", shape, low=-140, high=140)
    byte = (
        "%low = arith.constant -128.0 : f32\n%high = arith.constant 127.0 : f32\n%g = arith.maximumf %x0, %low : f32\n"
    )
    byte += "%h = arith.minimumf %g, %high : f32\n%y = arith.fptosi %h : f32 to i8\nlinalg.yield %y : i8"
    text = elementwise("byte", shape, "f32", ["%a0"], byte, "i8") + elementwise(
        "r", shape, "i8", ["%byte"], QUANTISED_SILU
    )
    want = quantised_silu(np.clip(x, -128, 127).astype(np.int8))
    results = [ty(shape, "i8")]
    name = f"byte_function_of_floats_{'x'.join(map(str, shape))}"
    return case(
        name,
        text + f"return %r : {results[0]}",
        [x],
        want,
        dtype="i8",
        types=[ty(shape)],
        results=results,
        rtol=0,
        atol=0,
    )


def named(op, reference, inputs=2, low=-4.0, dtype="f32"):
    """A named linalg op."""
    arrays = [rand(f"{op}{i}", [7, 19], dtype, low, 4) for i in range(inputs)]
    t = ty([7, 19], dtype)
    names, types = ", ".join(f"%a{i}" for i in range(inputs)), ", ".join([t] * inputs)
    body = f"%e = tensor.empty() : {t}\n%r = linalg.{op} ins({names} : {types}) outs(%e : {t}) -> {t}\nreturn %r : {t}"
    return case(f"linalg_{op}_{dtype}", body, arrays, np.asarray(reference(*map(wide, arrays))).astype(DTYPES[dtype]))


# Two roundings to nearest that numpy lacks: halves away from zero.
away = lambda v: np.copysign(np.floor(np.abs(v) + 0.5), v)
U = [("exp", np.exp, -104, 90), ("exp2", np.exp2, -140, 129), ("expm1", np.expm1, -20, 88), ("log", np.log, 0, 100), ("log2", np.log2, 0, 100),
     ("log10", np.log10, 0, 100), ("log1p", np.log1p, -1, 100), ("sqrt", np.sqrt, 0, 1e4), ("rsqrt", lambda v: 1 / np.sqrt(v), 0, 1e4),
     ("cbrt", np.cbrt, -100, 100), ("tanh", np.tanh, -12, 12), ("erf", erf, -5, 5), ("absf", np.abs, -20, 20),
     ("floor", np.floor, -20, 20), ("ceil", np.ceil, -20, 20), ("trunc", np.trunc, -20, 20), ("round", away, -20, 20),
     ("roundeven", np.rint, -20, 20)]  # fmt: skip
TRIG = [("sin", np.sin), ("cos", np.cos), ("tan", np.tan), ("atan", np.arctan), ("sinh", np.sinh), ("cosh", np.cosh), ("asin", np.arcsin),
        ("acos", np.arccos), ("asinh", np.arcsinh), ("acosh", np.arccosh), ("atanh", np.arctanh)]  # fmt: skip
CASES = [unary(f"math.{n}", f, lo, hi, rtol=1e-5 if n in ("cbrt", "tanh", "erf", "log1p", "expm1") else 2e-6, atol=1e-6 if "log" in n else 2e-7 if n == "expm1" else 0)
         for n, f, lo, hi in U]  # fmt: skip
CASES += [unary(f"math.{n}", f, x=np.linspace(-0.99 if n != "acosh" else 1, 0.99 if n in ("asin", "acos", "atanh") else 9, 131).astype(np.float32),
                rtol=1e-5, atol=2e-6) for n, f in TRIG]  # fmt: skip
CASES += [unary("arith.negf", np.negative)]
CASES += [
    unary(f"math.{n}", f, lo, hi, d)
    for d in ("f16", "bf16", "f64")
    for n, f, lo, hi in (U[0], U[3], U[7], U[10], U[11])
    if d != "f64" or n != "erf"
]
CASES += [unary("math.absi", np.abs, dtype=d, x=rand("absi", [77], d)) for d in ("i8", "i32", "i64")]

CASES += [binary(f"arith.{n}", f) for n, f in (("addf", np.add), ("subf", np.subtract), ("mulf", np.multiply), ("divf", np.divide),
          ("maximumf", np.maximum), ("minimumf", np.minimum), ("maxnumf", np.fmax), ("minnumf", np.fmin), ("remf", np.fmod))]  # fmt: skip
CASES += [
    binary(f"arith.{n}", f, d)
    for n, f in (("addf", np.add), ("mulf", np.multiply), ("maximumf", np.maximum))
    for d in ("f16", "bf16", "f64")
]
positive = np.abs(rand("pow", [97], low=0.1, high=6))
CASES += [binary("math.powf", lambda a, b: np.power(a.astype(float), b), a=positive, b=rand("powb", [97], low=-5, high=5)),
          binary("math.atan2", lambda a, b: np.arctan2(a.astype(float), b), a=rand("at", [97]), b=rand("atb", [97]))]  # fmt: skip
CASES += [binary(f"arith.{n}", f, d) for d in ("i8", "i32", "i64") for n, f in (("addi", np.add), ("subi", np.subtract), ("muli", np.multiply),
          ("maxsi", np.maximum), ("minsi", np.minimum), ("andi", np.bitwise_and), ("ori", np.bitwise_or), ("xori", np.bitwise_xor))]  # fmt: skip
ints = lambda d: (
    rand("q" + d, [91], d),
    np.where(rand("r" + d, [91], d) == 0, 3, rand("r" + d, [91], d)).astype(DTYPES[d]),
)
CASES += [binary(f"arith.{n}", f, d, *ints(d)) for d in ("i8", "i32", "i64") for n, f in (
          ("divsi", lambda a, b: np.trunc(a.astype(float) / b)), ("remsi", np.fmod), ("floordivsi", np.floor_divide))]  # fmt: skip
CMP = {
    "oeq": np.equal,
    "une": np.not_equal,
    "olt": np.less,
    "ole": np.less_equal,
    "ogt": np.greater,
    "oge": np.greater_equal,
}
CASES += [binary(f"arith.cmpf {p},", f, out="i1") for p, f in CMP.items()]
CASES += [
    binary(f"arith.cmpi {p},", f, "i32", out="i1")
    for p, f in (("eq", np.equal), ("slt", np.less), ("sge", np.greater_equal))
]
CASES += [
    binary(f"arith.{n}", f, "i1", rand("p", [67], "i1"), rand("q", [67], "i1"))
    for n, f in (("andi", np.logical_and), ("xori", np.logical_xor))
]

reals, whole = rand("reals", [129], low=-100, high=100), rand("whole", [129], "i32")
CASES += [cast("arith.extf", "f16", "f32", reals.astype(np.float16)), cast("arith.truncf", "f32", "f16", reals), cast("arith.truncf", "f64", "f32", wide(reals)),
          cast("arith.extf", "bf16", "f32", reals.astype(DTYPES["bf16"])), cast("arith.truncf", "f32", "bf16", reals), cast("arith.extf", "f32", "f64", reals),
          cast("arith.fptosi", "f32", "i32", reals), cast("arith.fptosi", "f32", "i8", reals), cast("arith.fptosi", "f32", "i64", reals),
          cast("arith.sitofp", "i32", "f32", whole), cast("arith.sitofp", "i8", "f32", rand("w8", [129], "i8")), cast("arith.uitofp", "i8", "f32", rand("w8", [129], "i8")),
          cast("arith.sitofp", "i64", "f64", rand("w64", [129], "i64")), cast("arith.extsi", "i8", "i32", rand("w8", [129], "i8")),
          cast("arith.extui", "i8", "i32", rand("w8", [129], "i8")), cast("arith.trunci", "i32", "i8", whole * 5), cast("arith.trunci", "i64", "i32", rand("w64", [129], "i64")),
          cast("arith.extui", "i1", "i32", rand("bits", [129], "i1")), cast("arith.uitofp", "i1", "f32", rand("bits", [129], "i1"))]  # fmt: skip

CASES += [broadcast("broadcast_row_column", [[5, 7], [7], [5]], [[0, 1], [1], [0]], [5, 7]),
          broadcast("broadcast_scalar", [[], [6, 33], []], [[], [0, 1], []], [6, 33]), broadcast("broadcast_outer", [[9], [1], [17]], [[0], [2], [1]], [9, 17, 1]),
          broadcast("broadcast_channel", [[2, 3, 5, 7], [3], [3]], [[0, 1, 2, 3], [1], [1]], [2, 3, 5, 7]),
          broadcast("broadcast_transposed", [[7, 5], [5, 7], [5]], [[1, 0], [0, 1], [0]], [5, 7]),
          broadcast("broadcast_rank0", [[], [], []], [[], [], []], []), broadcast("broadcast_empty", [[0, 4], [4], [0]], [[0, 1], [1], [0]], [0, 4])]  # fmt: skip

gelu = lambda v: 0.5 * v * (1 + erf(v / math.sqrt(2)))
GELU = """%h = arith.constant 0.5 : f32
%q = arith.constant 0.707106769 : f32
%one = arith.constant 1.0 : f32
%s = arith.mulf %x0, %q : f32
%e = math.erf %s : f32
%t = arith.addf %e, %one : f32
%u = arith.mulf %x0, %h : f32
%y = arith.mulf %u, %t : f32"""
SIGMOID = """%one = arith.constant 1.0 : f32
%n = arith.negf %x0 : f32
%e = math.exp %n : f32
%d = arith.addf %e, %one : f32
%s = arith.divf %one, %d : f32
%y = arith.mulf %x0, %s : f32"""
SELECT = "%c = arith.cmpf ogt, %x0, %x1 : f32\n%s = arith.subf %x0, %x1 : f32\n%y = arith.select %c, %s, %x2 : f32"
SHAPES = [[], [1], [7], [64], [1, 1, 1], [3, 5, 7], [1000], [2, 0, 3], [129, 65]]
for shape in SHAPES:
    tag = "x".join(map(str, shape)) or "rank0"
    CASES += [chain(f"gelu_{tag}", shape, GELU, gelu if shape != [2, 0, 3] else lambda v: v), chain(f"silu_{tag}", shape, SIGMOID, lambda v: v / (1 + np.exp(-v))),
              chain(f"select_{tag}", shape, SELECT, lambda a, b, c: np.where(a > b, a - b, c), inputs=3)]  # fmt: skip
CASES += [
    chain(f"gelu_dynamic_{'x'.join(map(str, s))}", s, GELU, gelu if 0 not in s else lambda v: v, dynamic=True)
    for s in ([1], [33], [5, 66], [0], [3, 1, 7])
]
CASES += [chain("fma_f64", [77], "%y = math.fma %x0, %x1, %x2 : f64", lambda a, b, c: a * b + c, inputs=3, dtype="f64"),
          chain("mixed_i64", [77], "%p = arith.muli %x0, %x1 : i64\n%y = arith.subi %p, %x0 : i64", lambda a, b: a * b - a, inputs=2, dtype="i64")]  # fmt: skip

CASES += [byte_function(shape) for shape in ([], [1], [3], [16], [33], [64], [257], [1000], [5, 131])]
CASES += [byte_function(shape, dynamic=True) for shape in ([7], [64], [6, 93], [0])]
CASES += [byte_function_of_floats(shape) for shape in ([300], [7, 45])]

CASES += [
    named(o, f)
    for o, f in (
        ("add", np.add),
        ("sub", np.subtract),
        ("mul", np.multiply),
        ("div", np.divide),
        ("max", np.maximum),
        ("min", np.minimum),
    )
]
CASES += [named(o, f, 1) for o, f in (("exp", np.exp), ("abs", np.abs), ("negf", np.negative), ("floor", np.floor), ("ceil", np.ceil), ("tanh", np.tanh),
          ("square", np.square), ("erf", erf))] + [named(o, f, 1, 0.1) for o, f in (("log", np.log), ("sqrt", np.sqrt), ("rsqrt", lambda v: v**-0.5), ("reciprocal", lambda v: 1 / v))]  # fmt: skip
CASES += [named("add", np.add, dtype="i32"), named("powf", np.power, low=0.1), named("copy", lambda v: v, 1)]

if __name__ == "__main__":
    main(CASES)
