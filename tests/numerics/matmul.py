# RUN: %python %s
"""Matrix products: shapes that are no multiple of anything, transposed operands, batches, element types, fused neighbours."""

import numpy as np
from harness import main
from text import DTYPES, case, elementwise, filled, generic, maps, rand, ty, wide

SHAPES = [(1, 1, 1), (127, 255, 513), (5, 40, 30), (13, 17, 19), (1, 64, 128), (64, 1, 128), (64, 128, 1), (1, 1, 257),
          (1, 1000, 1), (3, 3, 3), (16, 16, 16), (33, 65, 31), (100, 7, 200), (2, 300, 3), (48, 96, 64), (129, 5, 97), (64, 2, 33),
          (3, 1000, 700), (8, 900, 650), (1, 1100, 640)]  # fmt: skip
# Matrix A is m x k unless transposed, B is k x n; (m, n, k) in SHAPES.
MAPS = {"": ([0, 2], [2, 1]), "ta": ([2, 0], [2, 1]), "tb": ([0, 2], [1, 2]), "tab": ([2, 0], [1, 2])}


def transposed(x):
    return np.ascontiguousarray(np.swapaxes(x, -1, -2))


def extend(dtype, acc):
    """Text that brings %x0, %x1 to the accumulator's type as %l, %r."""
    if dtype == acc:
        return "", "%x0", "%x1"
    op = "arith.extsi" if dtype.startswith("i") else "arith.extf"
    return f"%l = {op} %x0 : {dtype} to {acc}\n%r = {op} %x1 : {dtype} to {acc}\n", "%l", "%r"


def product(mnk, how="", dtype="f32", acc=None, batch=None, dynamic=False):
    """A named op (`linalg.matmul`, `linalg.batch_matmul`) on a zero-filled result."""
    acc, (m, n, k) = acc or dtype, mnk
    b = [] if batch is None else [batch]
    name = (
        f"{'batch_' if b else ''}matmul{how}_{'x'.join(map(str, b + [m, n, k]))}_{dtype}{'_dynamic' if dynamic else ''}"
    )
    name += f"_{acc}" if acc != dtype else ""
    # Products of small integers stay exact; floats sum to about 1.
    lhs, rhs = rand(name + "a", [*b, m, k], dtype), rand(name + "b", [*b, k, n], dtype)
    x = transposed(lhs) if "a" in how[1:] else lhs
    y = transposed(rhs) if "b" in how[1:] else rhs
    want = (wide(lhs) @ wide(rhs)).astype(DTYPES[acc])
    tx, ty_, tz = ty(x.shape, dtype, dynamic), ty(y.shape, dtype, dynamic), ty(want.shape, acc, dynamic)
    dims, body = [], ""
    if dynamic:
        for d in range(want.ndim):
            source, at = ("%a1", d) if d == want.ndim - 1 else ("%a0", d)
            at = {"%a0": x.ndim - 1 if "a" in how[1:] and d == want.ndim - 2 else at,
                  "%a1": y.ndim - 2 if "b" in how[1:] else y.ndim - 1}[source]  # fmt: skip
            body += f"%i{d} = arith.constant {at} : index\n%s{d} = tensor.dim {source}, %i{d} : {tx if source == '%a0' else ty_}\n"
            dims.append(f"%s{d}")
    body += filled("z", want.shape, acc, dims=dims, dynamic=dynamic)
    op = f"linalg.{'batch_' if b else ''}matmul"
    if how:
        maps_ = [[0] + [d + 1 for d in map_] if b else map_ for map_ in (*MAPS[how[1:]], [0, 1])]
        op += f" indexing_maps = {maps(4 if b else 3, *maps_)}"
    body += f"%r = {op} ins(%a0, %a1 : {tx}, {ty_}) outs(%z : {tz}) -> {tz}\nreturn %r : {tz}"
    loose = {"rtol": 1e-4, "atol": 1e-4} if acc == "f32" else {}
    # With an accumulator of half a word every product rounds once more.
    if acc in ("f16", "bf16"):
        loose = {"rtol": 0.02, "atol": 0.02 * k**0.5} if acc == "f16" else {"rtol": 0.1, "atol": 0.1 * k**0.5}
    return case(name, body, [x, y], want, dtype=acc, types=[tx, ty_], results=[tz], **loose)


def fused(name, m, n, k, dtype="f32"):
    """relu(a @ b + bias) with a bias row that is broadcast."""
    a, b, bias = rand(name + "a", [m, k], dtype), rand(name + "b", [k, n], dtype), rand(name + "c", [n], dtype)
    t = ty([m, n], dtype)
    body = filled("z", [m, n], dtype)
    body += f"%m = linalg.matmul ins(%a0, %a1 : {ty(a.shape)}, {ty(b.shape)}) outs(%z : {t}) -> {t}\n"
    body += generic("r", 2, [[0, 1], [1], [0, 1]], "pp", [("%m", t), ("%a2", ty([n]))], [("%z", t)],
                    "%s = arith.addf %x0, %x1 : f32\n%c = arith.constant 0.0 : f32\n%t = arith.maximumf %s, %c : f32\n"
                    "linalg.yield %t : f32", [dtype] * 3)  # fmt: skip
    want = np.maximum(wide(a) @ wide(b) + bias, 0).astype(np.float32)
    return case(name, body + f"return %r : {t}", [a, b, bias], want, rtol=1e-4, atol=1e-4)


def accumulate(name, m, n, k):
    """The result starts from an argument instead of zero; the argument must stay as it was."""
    a, b, c = rand(name + "a", [m, k]), rand(name + "b", [k, n]), rand(name + "c", [m, n])
    t = ty([m, n])
    body = (f"%r = linalg.matmul ins(%a0, %a1 : {ty(a.shape)}, {ty(b.shape)}) outs(%a2 : {t}) -> {t}\n"
            f"return %r, %a2 : {t}, {t}")  # fmt: skip
    return case(name, body, [a, b, c], [(wide(a) @ wide(b) + c).astype(np.float32), c], rtol=1e-4, atol=1e-4)


def einsum(name, spec, sizes, dtype="f32", acc=None):
    """A contraction as linalg.generic, e.g. `bhid,bhjd->bhij`."""
    acc = acc or dtype
    left, out = spec.split("->")
    letters = list(dict.fromkeys(out + left.replace(",", "")))
    ins = left.split(",")
    arrays = [rand(f"{name}{i}", [sizes[c] for c in s], dtype) for i, s in enumerate(ins)]
    index = [[letters.index(c) for c in s] for s in [*ins, out]]
    shape = [sizes[c] for c in out]
    text, x, y = extend(dtype, acc)
    kind = "i" if acc.startswith("i") else "f"
    body = filled("z", shape, acc) + generic(
        "r", len(letters), index, "".join("p" if c in out else "r" for c in letters),
        [(f"%a{i}", ty(a.shape, dtype)) for i, a in enumerate(arrays)], [("%z", ty(shape, acc))],
        f"{text}%p = arith.mul{kind} {x}, {y} : {acc}\n%s = arith.add{kind} %x2, %p : {acc}\nlinalg.yield %s : {acc}",
        [dtype, dtype, acc])  # fmt: skip
    want = np.einsum(spec, *map(wide, arrays)).astype(DTYPES[acc])
    return case(name, body + f"return %r : {ty(shape, acc)}", arrays, want, dtype=acc, rtol=1e-4, atol=1e-4)


def vector(name, op, shapes, want_shape, dtype="f32"):
    """matvec, vecmat, dot and their batches."""
    a, b = (rand(f"{name}{i}", s, dtype) for i, s in enumerate(shapes))
    spec = {
        "matvec": "ij,j->i",
        "vecmat": "i,ij->j",
        "dot": "i,i->",
        "batch_matvec": "bij,bj->bi",
        "batch_vecmat": "bi,bij->bj",
    }
    t = ty(want_shape, dtype)
    body = filled("z", want_shape, dtype)
    body += f"%r = linalg.{op} ins(%a0, %a1 : {ty(a.shape, dtype)}, {ty(b.shape, dtype)}) outs(%z : {t}) -> {t}\nreturn %r : {t}"
    want = np.einsum(spec[op], wide(a), wide(b)).astype(DTYPES[dtype])
    return case(name, body, [a, b], want, rtol=1e-4, atol=1e-4)


def chain():
    """Two products and an elementwise tail: transient buffers are reused."""
    a, b, c = rand("chain_a", [9, 33]), rand("chain_b", [33, 21]), rand("chain_c", [21, 9])
    t1, t2 = ty([9, 21]), ty([9, 9])
    body = filled("z", [9, 21], "f32") + filled("y", [9, 9], "f32")
    body += f"%m = linalg.matmul ins(%a0, %a1 : {ty(a.shape)}, {ty(b.shape)}) outs(%z : {t1}) -> {t1}\n"
    body += f"%n = linalg.matmul ins(%m, %a2 : {t1}, {ty(c.shape)}) outs(%y : {t2}) -> {t2}\n"
    body += elementwise("r", [9, 9], "f32", ["%n", "%n"], "%s = arith.mulf %x0, %x1 : f32\nlinalg.yield %s : f32")
    want = ((wide(a) @ wide(b) @ wide(c)) ** 2).astype(np.float32)
    return case("matmul_chain", body + f"return %r : {t2}", [a, b, c], want, rtol=1e-4, atol=1e-4)


ODD, MEDIUM = (13, 17, 19), (37, 41, 129)
CASES = [product(s) for s in SHAPES]
CASES += [
    product(s, how)
    for how in ("_ta", "_tb", "_tab")
    for s in ((1, 1, 1), ODD, (64, 1, 128), (65, 66, 67), (50, 33, 16), (30, 100, 7))
]
CASES += [product(s, dtype=d) for d in ("f64", "f16", "bf16", "i32", "i64") for s in (ODD, MEDIUM)]
CASES += [product(s, dtype=d, acc=a) for d, a in (("i8", "i32"), ("f16", "f32"), ("bf16", "f32"), ("i16", "i64"))
          for s in (ODD, MEDIUM, (1, 1, 7))]  # fmt: skip
# Few results of long sums: on GPUs warps share them.
CASES += [product(s, how, dtype=d, acc=a) for d, a in (("f16", "f32"), ("bf16", "f32"), ("i8", "i32")) for how in ("", "_ta", "_tb")
          for s in ((40, 50, 1024), (9, 33, 640), (33, 17, 1001), (40, 48, 1000))]  # fmt: skip
CASES += [product(s, batch=b) for b in (1, 3) for s in (ODD, (1, 5, 1), (32, 48, 64), (40, 6, 24))]
CASES += [product(ODD, how, batch=2) for how in ("_ta", "_tb")] + [
    product((40, 48, 24), "_tb", batch=2, dtype=d) for d in ("f32", "f64", "i32")
]
CASES += [product(ODD, dtype="i8", acc="i32", batch=2)]
CASES += [product(s, how, dynamic=True) for how in ("", "_tb") for s in ((1, 1, 1), ODD, MEDIUM)]
CASES += [product(ODD, batch=4, dynamic=True), product(ODD, dtype="i8", acc="i32", dynamic=True)]
CASES += [
    product((0, 5, 3)),
    product((4, 5, 0)),
    product((4, 0, 3)),
    product((0, 5, 3), dynamic=True),
    product((4, 5, 0), dynamic=True),
]
CASES += [
    fused("matmul_bias_relu_16x64x48", 16, 64, 48),
    fused("matmul_bias_relu_7x31x33", 7, 31, 33),
    fused("matmul_bias_relu_1x4099x301", 1, 4099, 301),
]
CASES += [accumulate("matmul_accumulate_8x16x4", 8, 16, 4), accumulate("matmul_accumulate_5x7x9", 5, 7, 9), chain()]
SIZES = {"b": 2, "h": 3, "i": 11, "j": 13, "d": 8, "k": 5}
CASES += [einsum("einsum_scores", "bhid,bhjd->bhij", SIZES), einsum("einsum_values", "bhij,bhjd->bhid", SIZES),
          einsum("einsum_outer", "i,j->ij", SIZES), einsum("einsum_two_sums", "ijk,ijk->i", SIZES),
          einsum("einsum_permuted", "kbi,jk->jib", SIZES), einsum("einsum_i8", "bid,bjd->bij", SIZES, "i8", "i32")]  # fmt: skip
CASES += [vector("matvec", "matvec", [[33, 65], [65]], [33]), vector("vecmat", "vecmat", [[33], [33, 65]], [65]),
          vector("vecmat_wide", "vecmat", [[302], [302, 4200]], [4200]),
          vector("dot", "dot", [[1001], [1001]], []), vector("dot_i32", "dot", [[77], [77]], [], "i32"),
          vector("batch_matvec", "batch_matvec", [[3, 9, 17], [3, 17]], [3, 9]),
          vector("batch_vecmat", "batch_vecmat", [[3, 9], [3, 9, 17]], [3, 17])]  # fmt: skip

if __name__ == "__main__":
    main(CASES)
