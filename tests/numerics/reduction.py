# RUN: %python %s
"""Reductions over any axes: sum, product, max, min, mean, norms, argmax, and, or, cumulative results."""

import itertools

import numpy as np
from harness import main
from text import DTYPES, case, elementwise, filled, generic, rand, ty, wide

INF = {"f32": "0x7F800000", "f64": "0x7FF0000000000000", "f16": "0x7C00", "bf16": "0x7F80"}
NEG = {"f32": "0xFF800000", "f64": "0xFFF0000000000000", "f16": "0xFC00", "bf16": "0xFF80"}
LOW = {"i8": -128, "i32": -(2**31), "i64": -(2**63)}


def start(kind, dtype):
    """The neutral element as text."""
    if kind == "sum":
        return "0.0" if dtype[0] != "i" else "0"
    if kind == "prod":
        return "1.0" if dtype[0] != "i" else "1"
    if kind == "max":
        return NEG.get(dtype) or str(LOW[dtype])
    return INF.get(dtype) or str(-LOW[dtype] - 1)


def combine(kind, dtype):
    """The arith op."""
    if dtype[0] == "i":
        return {"sum": "addi", "prod": "muli", "max": "maxsi", "min": "minsi"}[kind]
    return {"sum": "addf", "prod": "mulf", "max": "maximumf", "min": "minimumf"}[kind]


def reduce(kind, shape, axes, dtype="f32", form="generic", dynamic=False):
    """One reduction; `form` is `generic` (linalg.generic) or `reduce` (linalg.reduce)."""
    name = f"{kind}_{form}_{'x'.join(map(str, shape))}_over_{'_'.join(map(str, axes)) or 'none'}_{dtype}{'_dynamic' if dynamic else ''}"
    x = rand(name, shape, dtype, 0.8, 1.25) if kind == "prod" else rand(name, shape, dtype)
    if kind == "prod" and dtype[0] == "i":
        x = np.where(x % 3 == 0, -1, 1).astype(x.dtype)
    function = {"sum": np.sum, "prod": np.prod, "max": np.max, "min": np.min}[kind]
    empty = {"initial": {"max": -np.inf, "min": np.inf}[kind]} if kind in ("max", "min") and x.size == 0 else {}
    want = np.asarray(function(wide(x), axis=tuple(axes), **empty)).astype(DTYPES[dtype])
    keep = [i for i in range(x.ndim) if i not in axes]
    tx, to = ty(shape, dtype, dynamic), ty(want.shape, dtype, dynamic)
    body, dims = "", []
    if dynamic:
        for i in keep:
            body += f"%k{i} = arith.constant {i} : index\n%n{i} = tensor.dim %a0, %k{i} : {tx}\n"
            dims.append(f"%n{i}")
    body += filled("z", want.shape, dtype, start(kind, dtype), dims, dynamic)
    op = f"arith.{combine(kind, dtype)}"
    if form == "reduce":
        body += f"%r = linalg.reduce {{ {op} }} ins(%a0 : {tx}) outs(%z : {to}) dimensions = {list(axes)}\n"
    else:
        words = "".join("r" if i in axes else "p" for i in range(x.ndim))
        body += generic("r", x.ndim, [list(range(x.ndim)), keep], words, [("%a0", tx)], [("%z", to)],
                        f"%s = {op} %x1, %x0 : {dtype}\nlinalg.yield %s : {dtype}", [dtype] * 2)  # fmt: skip
    loose = {"rtol": 2e-2, "atol": 0.1} if dtype == "f16" else {"rtol": 0.2, "atol": 1.0} if dtype == "bf16" else {}
    loose = loose or ({"rtol": 1e-4, "atol": 1e-4} if dtype == "f32" else {})
    return case(name, body + f"return %r : {to}", [x], want, dtype=dtype, types=[tx], results=[to], **loose)


def argmax(shape, axis, dtype="f32", index="i64", order="ogt"):
    """Two results of one generic: the extreme value and where it is first."""
    name = (
        f"{'argmax' if order in ('ogt', 'sgt') else 'argmin'}_{'x'.join(map(str, shape))}_over_{axis}_{dtype}_{index}"
    )
    x = rand(name, shape, dtype)
    biggest = "max" in name
    keep = [i for i in range(x.ndim) if i != axis]
    out = [shape[i] for i in keep]
    tx, tv, ti = ty(shape, dtype), ty(out, dtype), ty(out, index)
    kind, cmp = ("max" if biggest else "min"), ("cmpi" if dtype[0] == "i" else "cmpf")
    body = filled("v", out, dtype, start(kind, dtype)) + filled("i", out, index)
    words = "".join("r" if i == axis else "p" for i in range(x.ndim))
    inner = f"""%at = linalg.index {axis} : index
%as = arith.index_cast %at : index to {index}
%c = arith.{cmp} {order}, %x0, %x1 : {dtype}
%nv = arith.select %c, %x0, %x1 : {dtype}
%ni = arith.select %c, %as, %x2 : {index}
linalg.yield %nv, %ni : {dtype}, {index}"""
    body += generic("r:2", x.ndim, [list(range(x.ndim)), keep, keep], words, [("%a0", tx)], [("%v", tv), ("%i", ti)], inner,
                    [dtype, dtype, index])  # fmt: skip
    body += f"return %r#0, %r#1 : {tv}, {ti}"
    at = (np.argmax if biggest else np.argmin)(x, axis=axis).astype(DTYPES[index])
    return case(name, body, [x], [np.asarray((np.max if biggest else np.min)(x, axis=axis)), at], dtype=dtype)


def mean_and_variance(shape, axes):
    """Three dependent reductions and elementwise work between them."""
    name = f"mean_variance_{'x'.join(map(str, shape))}_over_{'_'.join(map(str, axes))}"
    x = rand(name, shape, low=-2, high=5)
    keep = [i for i in range(x.ndim) if i not in axes]
    out, every = [shape[i] for i in keep], list(range(x.ndim))
    words = "".join("r" if i in axes else "p" for i in every)
    n, tx, to = int(np.prod([shape[i] for i in axes])), ty(shape), ty(out)
    body = filled("z", out, "f32") + f"%n = arith.constant {float(n)} : f32\n"
    body += generic("s", x.ndim, [every, keep], words, [("%a0", tx)], [("%z", to)],
                    "%q = arith.addf %x1, %x0 : f32\nlinalg.yield %q : f32", ["f32"] * 2)  # fmt: skip
    body += elementwise("mean", out, "f32", ["%s"], "%q = arith.divf %x0, %n : f32\nlinalg.yield %q : f32")
    body += generic("t", x.ndim, [every, keep, keep], words, [("%a0", tx), ("%mean", to)], [("%z", to)],
                    "%d = arith.subf %x0, %x1 : f32\n%e = arith.mulf %d, %d : f32\n%q = arith.addf %x2, %e : f32\nlinalg.yield %q : f32",
                    ["f32"] * 3)  # fmt: skip
    body += elementwise("var", out, "f32", ["%t"], "%q = arith.divf %x0, %n : f32\nlinalg.yield %q : f32")
    want = [np.asarray(f(wide(x), axis=tuple(axes))).astype(np.float32) for f in (np.mean, np.var)]
    return case(name, body + f"return %mean, %var : {to}, {to}", [x], want, rtol=1e-4, atol=1e-5)


def truth(kind, shape, axes):
    """all, any."""
    name = f"{kind}_{'x'.join(map(str, shape))}_over_{'_'.join(map(str, axes))}"
    x = rand(name, shape, "i1")
    x[0] = kind == "all"  # or every result is the same
    keep = [i for i in range(x.ndim) if i not in axes]
    want = np.asarray({"all": np.all, "any": np.any}[kind](x, axis=tuple(axes)))
    body = filled("z", want.shape, "i1", "true" if kind == "all" else "false")
    body += f"%r = linalg.reduce {{ arith.{'andi' if kind == 'all' else 'ori'} }} ins(%a0 : {ty(shape, 'i1')}) "
    body += f"outs(%z : {ty(want.shape, 'i1')}) dimensions = {list(axes)}\nreturn %r : {ty(want.shape, 'i1')}"
    assert keep or not want.shape
    return case(name, body, [x], want)


def prefix_sum():
    """A running sum as a loop over rows: scf.for with slices in and out."""
    x = rand("prefix", [7, 5])
    body = """%e = tensor.empty() : tensor<7x5xf32>
%s0 = tensor.extract_slice %a0[0, 0] [1, 5] [1, 1] : tensor<7x5xf32> to tensor<1x5xf32>
%r0 = tensor.insert_slice %s0 into %e[0, 0] [1, 5] [1, 1] : tensor<1x5xf32> into tensor<7x5xf32>
%one = arith.constant 1 : index
%n = arith.constant 7 : index
%r = scf.for %i = %one to %n step %one iter_args(%t = %r0) -> (tensor<7x5xf32>) {
%before = arith.subi %i, %one : index
%p = tensor.extract_slice %t[%before, 0] [1, 5] [1, 1] : tensor<7x5xf32> to tensor<1x5xf32>
%q = tensor.extract_slice %a0[%i, 0] [1, 5] [1, 1] : tensor<7x5xf32> to tensor<1x5xf32>
%se = tensor.empty() : tensor<1x5xf32>
%s = linalg.add ins(%p, %q : tensor<1x5xf32>, tensor<1x5xf32>) outs(%se : tensor<1x5xf32>) -> tensor<1x5xf32>
%u = tensor.insert_slice %s into %t[%i, 0] [1, 5] [1, 1] : tensor<1x5xf32> into tensor<7x5xf32>
scf.yield %u : tensor<7x5xf32>
}
return %r : tensor<7x5xf32>"""
    return case("prefix_sum", body, [x], np.cumsum(wide(x), axis=0).astype(np.float32))


SHAPE = [5, 7, 11]
SUBSETS = [list(s) for n in (1, 2, 3) for s in itertools.combinations(range(3), n)]
CASES = [reduce(k, SHAPE, s) for k in ("sum", "max") for s in SUBSETS]
CASES += [reduce(k, SHAPE, s, form="reduce") for k in ("sum", "min", "prod") for s in SUBSETS]
CASES += [reduce(k, [3, 5, 2, 9], [1, 3]) for k in ("sum", "prod", "max", "min")]
CASES += [reduce("sum", s, a) for s, a in (([1], [0]), ([1000], [0]), ([10007], [0]), ([1, 1, 1], [1]), ([300, 1], [1]),
          ([1, 300], [1]), ([257, 129], [0]), ([257, 129], [1]), ([2, 1, 3, 1], [1, 3]), ([4, 5], []))]  # fmt: skip
# Whole tensors, in parts.
CASES += [reduce(k, [2, 65, 2048], [1, 2]) for k in ("sum", "max")] + [
    reduce("sum", [1 << 19], [0], form=f) for f in ("generic", "reduce")
]
CASES += [reduce("min", [270000], [0], "i32"), reduce("sum", [72, 4001], [0, 1])]
# Wide rows of large operands.
CASES += [reduce("sum", [301, 4099], [0]), reduce("sum", [3, 101, 4111], [0, 1]), reduce("max", [2, 302, 4352], [1])]
CASES += [reduce("sum", s, a) for s, a in (([0, 4], [0]), ([0, 4], [1]), ([4, 0], [1]), ([0], [0]))] + [
    reduce("max", [3, 0], [1])
]
CASES += [reduce(k, [9, 33], [1], d) for k in ("sum", "max") for d in ("f64", "f16", "bf16", "i32", "i64", "i8")]
CASES += [reduce("prod", [9, 33], [1], d) for d in ("f64", "i32", "i64")] + [
    reduce("min", [9, 33], [0], d) for d in ("f64", "i8", "i64")
]
CASES += [reduce(k, [6, 9, 5], a, dynamic=True) for k in ("sum", "max") for a in ([0], [1], [2], [0, 2], [0, 1, 2])]
CASES += [reduce("sum", [0, 4], [0], dynamic=True), reduce("sum", [1, 1], [1], dynamic=True)]
CASES += [argmax([17], 0), argmax([5, 33], 1), argmax([5, 33], 0), argmax([3, 4, 5], 1, index="i32"), argmax([6, 50], 1, "i32", order="sgt"),
          argmax([6, 50], 1, "i8", "i32", "sgt"), argmax([6, 1003], 1, "i8", "i64", "sgt"), argmax([3, 2, 700], 2, "i8", "i32", "slt"), argmax([6, 20], 1, order="olt"), argmax([2, 1000], 1), argmax([4, 1], 1)]  # fmt: skip
CASES += [mean_and_variance([6, 40], [1]), mean_and_variance([6, 40], [0]), mean_and_variance([2, 3, 8, 9], [2, 3]),
          mean_and_variance([4, 3, 5], [0, 2])]  # fmt: skip
CASES += [truth(k, [4, 5, 3], a) for k in ("all", "any") for a in ([0], [1], [2], [0, 1, 2])] + [prefix_sum()]

if __name__ == "__main__":
    main(CASES)
