"""Pieces of MLIR text and inputs: one name for each numpy dtype, seeded random arrays, functions, linalg.generic."""

import itertools
import zlib

import numpy as np
from harness import Case, bfloat16

NAMES = {"float32": "f32", "float64": "f64", "float16": "f16", "bfloat16": "bf16", "bool": "i1",
         "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64"}  # fmt: skip
DTYPES = {v: np.dtype(bfloat16 if k == "bfloat16" and bfloat16 else k) for k, v in NAMES.items()}


def ty(shape, dtype="f32", dynamic=()):
    """`tensor<2x?xf32>`; `dynamic` lists the dimensions to write as `?`, or is True for all."""
    listed = range(len(shape)) if dynamic is True else dynamic or ()
    dims = ["?" if i in listed else str(d) for i, d in enumerate(shape)]
    return f"tensor<{'x'.join([*dims, dtype])}>"


def rand(name, shape, dtype="f32", low=-1.0, high=1.0):
    """Random numbers that depend on the name only. Integers are uniform over the type's small values."""
    rng = np.random.default_rng(zlib.crc32(repr((name, tuple(shape), dtype)).encode()))
    dt = DTYPES[dtype]
    if dt.kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    if dt.kind == "i":
        edge = 127 if dtype == "i8" else 100
        return rng.integers(-edge - 1, edge + 1, shape).astype(dt)
    return rng.uniform(low, high, shape).astype(dt)


def wide(array):
    """For computing a reference in more bits than the kernel has."""
    return array.astype(np.int64 if array.dtype.kind in "ib" else np.float64)


TOLERANCE = {"f64": (1e-12, 1e-12), "f32": (1e-5, 1e-5), "f16": (4e-3, 4e-3), "bf16": (3e-2, 3e-2)}


def case(name, body, inputs, expected, *, dtype="f32", types=None, results=None, beside="", rtol=None, atol=None):
    """A function `@name(%a0, %a1, …)` with that body (which returns). Types default to those of the arrays; results are
    `types of expected`."""
    expected = [np.asarray(e) for e in (expected if isinstance(expected, list) else [expected])]
    types = types or [ty(x.shape, NAMES[x.dtype.name]) for x in inputs]
    results = results or [ty(x.shape, NAMES[x.dtype.name]) for x in expected]
    args = ", ".join(f"%a{i}: {t}" for i, t in enumerate(types))
    text = f"func.func @{name}({args}) -> ({', '.join(results)}) {{\n{body.strip()}\n}}"
    tr, ta = TOLERANCE.get(dtype, (1e-5, 1e-5))
    return Case(name, text, inputs, expected, tr if rtol is None else rtol, ta if atol is None else atol, beside)


def zero(dtype):
    """The literal 0 of a type."""
    return "0.0" if dtype.startswith(("f", "b")) else "false" if dtype == "i1" else "0"


def filled(result, shape, dtype, value=None, dims=(), dynamic=()):
    """`%result` := a filled tensor, through `%result_e` (empty) and `%result_c` (the value). `dims` names the sizes of the
    dynamic dimensions."""
    t = ty(shape, dtype, dynamic)
    value = zero(dtype) if value is None else value
    typed = value if value in ("true", "false") else f"{value} : {dtype}"
    return (f"%{result}_c = arith.constant {typed}\n%{result}_e = tensor.empty({', '.join(dims)}) : {t}\n"
            f"%{result} = linalg.fill ins(%{result}_c : {dtype}) outs(%{result}_e : {t}) -> {t}\n")  # fmt: skip


def ident(rank):
    """`d0, d1, …`"""
    return ", ".join(f"d{i}" for i in range(rank))


def maps(rank, *results):
    """`[affine_map<(d0, d1) -> (d1)>, …]`, each result given as text or as a list of dimensions."""
    texts = [r if isinstance(r, str) else ", ".join(f"d{i}" for i in r) for r in results]
    return "[" + ", ".join(f"affine_map<({ident(rank)}) -> ({t})>" for t in texts) + "]"


def generic(result, rank, indexing, iterators, ins, outs, body, args):
    """`%result = linalg.generic`. `ins`, `outs`: [(value, type)]; `iterators`: 'ppr'; `args`: element types; the block's
    arguments are %x0, %x1, …"""
    words = ", ".join({"p": '"parallel"', "r": '"reduction"'}[c] for c in iterators)
    left = f"ins({', '.join(v for v, _ in ins)} : {', '.join(t for _, t in ins)}) " if ins else ""
    right = f"outs({', '.join(v for v, _ in outs)} : {', '.join(t for _, t in outs)})"
    block = ", ".join(f"%x{i}: {t}" for i, t in enumerate(args))
    types = ", ".join(t for _, t in outs)
    arrow = f"({types})" if len(outs) > 1 else types
    return (f"%{result} = linalg.generic {{indexing_maps = {maps(rank, *indexing)}, iterator_types = [{words}]}} {left}{right} "
            f"{{\n^bb0({block}):\n{body.strip()}\n}} -> {arrow}\n")  # fmt: skip


def elementwise(result, shape, dtype, values, body, out=None, dims=(), dynamic=()):
    """`%result` := body over equal-shaped values; the body reads %x0, … and yields."""
    out = out or dtype
    t, to = ty(shape, dtype, dynamic), ty(shape, out, dynamic)
    every = list(range(len(shape)))
    empty = f"%{result}_e = tensor.empty({', '.join(dims)}) : {to}\n"
    return empty + generic(result, len(shape), [every] * (len(values) + 1), "p" * len(shape), [(v, t) for v in values],
                           [(f"%{result}_e", to)], body, [dtype] * len(values) + [out])  # fmt: skip


def permutations(rank):
    """All orders of the dimensions."""
    return itertools.permutations(range(rank))
