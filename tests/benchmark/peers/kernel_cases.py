"""The kernel table: each case as linalg text for Halyard and IREE, as an ONNX graph for onnxruntime, as a numpy expression."""

from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class Case:
    """One kernel. `flops` and `bytes` are what it must at least do and move; either may be 0 for what does not matter."""

    name: str
    inputs: list
    output: list
    body: str
    flops: int = 0
    bytes: int = 0
    nodes: list = field(default_factory=list)  # (operator, inputs, attributes, constants) for ONNX; the last one yields
    numpy: Callable | None = None
    dtype: str = "f32"
    acc: str = ""


def ty(shape, dtype="f32"):
    return "tensor<" + "".join(f"{d}x" for d in shape) + f"{dtype}>"


def text(case):
    """`@main` of a case."""
    args = ", ".join(f"%a{i}: {ty(s, case.dtype)}" for i, s in enumerate(case.inputs))
    out = ty(case.output, case.acc or case.dtype)
    return (f"func.func @main({args}) -> {out} {{\n%zero = arith.constant 0.0 : f32\n"
            f"%init = tensor.empty() : {out}\n{case.body}\nreturn %r : {out}\n}}\n")  # fmt: skip


def generic(name, rank, maps, kinds, ins, outs, body, block):
    """A linalg.generic; `maps` are lists of dimensions, `kinds` a string of p and r."""
    dims = ", ".join(f"d{i}" for i in range(rank))
    shown = ", ".join(f"affine_map<({dims}) -> ({', '.join(f'd{d}' for d in m)})>" for m in maps)
    kinds = ", ".join('"parallel"' if k == "p" else '"reduction"' for k in kinds)
    values = lambda pairs: f"{', '.join(v for v, _ in pairs)} : {', '.join(t for _, t in pairs)}"  # noqa: E731
    head = f"%{name} = linalg.generic {{indexing_maps = [{shown}], iterator_types = [{kinds}]}}"
    args = ", ".join(f"%x{i}: {t}" for i, t in enumerate(block))
    return f"{head} ins({values(ins)}) outs({values(outs)}) {{\n^bb0({args}):\n{body}}} -> {outs[0][1]}\n"


def fill(name, shape, value="%zero", dtype="f32"):
    t = ty(shape, dtype)
    return (
        f"%{name}_e = tensor.empty() : {t}\n%{name} = linalg.fill ins({value} : {dtype}) outs(%{name}_e : {t}) -> {t}\n"
    )


SUM = "%s = arith.addf %x0, %x1 : f32\nlinalg.yield %s : f32\n"


def matmul(m, n, k, how="", batch=0):
    """`how`: t for a transposed right operand, a for a transposed left one."""
    b = [batch] if batch else []
    left, right = (b + [k, m] if how == "a" else b + [m, k]), (b + [n, k] if how == "t" else b + [k, n])
    rank, o = len(b) + 3, len(b)
    lead = list(range(o))
    maps = [lead + ([o + 2, o] if how == "a" else [o, o + 2]), lead + ([o + 1, o + 2] if how == "t" else [o + 2, o + 1]),
            lead + [o, o + 1]]  # fmt: skip
    out = b + [m, n]
    body = fill("z", out) + generic(
        "r", rank, maps, "p" * (rank - 1) + "r", [("%a0", ty(left)), ("%a1", ty(right))], [("%z", ty(out))],
        "%p = arith.mulf %x0, %x1 : f32\n%s = arith.addf %x2, %p : f32\nlinalg.yield %s : f32\n", ["f32"] * 3)  # fmt: skip
    name = f"mm{how}_" + "x".join(map(str, b + [m, n, k]))
    swap = {"perm": lead + [o + 1, o]}
    nodes = {"": [("MatMul", ["a0", "a1"], {}, [])],
             "t": [("Transpose", ["a1"], swap, []), ("MatMul", ["a0", "t0"], {}, [])],
             "a": [("Transpose", ["a0"], swap, []), ("MatMul", ["t0", "a1"], {}, [])]}[how]  # fmt: skip
    view = lambda x, yes: x.swapaxes(-1, -2) if yes else x  # noqa: E731
    size = (batch or 1) * 4 * (m * k + k * n + m * n)
    return Case(name, [left, right], out, body, 2 * (batch or 1) * m * n * k, size, nodes,
                lambda np, a, b, out: np.matmul(view(a, how == "a"), view(b, how == "t"), out=out))  # fmt: skip


def softmax(name, shape, axis):
    body = f"%r = linalg.softmax dimension({axis}) ins(%a0 : {ty(shape)}) outs(%init : {ty(shape)}) -> {ty(shape)}"
    size = 8
    for d in shape:
        size *= d
    return Case(name, [shape], shape, body, 0, size, [("Softmax", ["a0"], {"axis": axis}, [])])


def layernorm(rows, n):
    r, t, v = ty([rows]), ty([rows, n]), ty([n])
    body = f"%n = arith.constant {float(n)} : f32\n%eps = arith.constant 1.0e-5 : f32\n" + fill("f", [rows])
    body += generic("sum", 2, [[0, 1], [0]], "pr", [("%a0", t)], [("%f", r)], SUM, ["f32"] * 2)
    body += generic("var", 2, [[0, 1], [0], [0]], "pr", [("%a0", t), ("%sum", r)], [("%f", r)],
                    "%mu = arith.divf %x1, %n : f32\n%d = arith.subf %x0, %mu : f32\n%q = arith.mulf %d, %d : f32\n"
                    "%s = arith.addf %q, %x2 : f32\nlinalg.yield %s : f32\n", ["f32"] * 3)  # fmt: skip
    body += generic("r", 2, [[0, 1], [0], [0], [1], [1], [0, 1]], "pp",
                    [("%a0", t), ("%sum", r), ("%var", r), ("%a1", v), ("%a2", v)], [("%init", t)],
                    "%mu = arith.divf %x1, %n : f32\n%vv = arith.divf %x2, %n : f32\n%ve = arith.addf %vv, %eps : f32\n"
                    "%rs = math.rsqrt %ve : f32\n%d = arith.subf %x0, %mu : f32\n%q = arith.mulf %d, %rs : f32\n"
                    "%g = arith.mulf %q, %x3 : f32\n%s = arith.addf %g, %x4 : f32\nlinalg.yield %s : f32\n", ["f32"] * 6)  # fmt: skip
    return Case(f"layernorm_{rows}x{n}", [[rows, n], [n], [n]], [rows, n], body, 0, 8 * rows * n,
                [("LayerNormalization", ["a0", "a1", "a2"], {"axis": -1}, [])])  # fmt: skip


def gelu(how, m, n):
    t = ty([m, n])
    inner = {"erf": "%c = arith.constant 0.70710678118 : f32\n%v = arith.mulf %x0, %c : f32\n%t = math.erf %v : f32\n",
             "tanh": "%c0 = arith.constant 0.044715 : f32\n%c1 = arith.constant 0.7978845608 : f32\n"
                     "%x2 = arith.mulf %x0, %x0 : f32\n%x3 = arith.mulf %x2, %x0 : f32\n%k = arith.mulf %x3, %c0 : f32\n"
                     "%u = arith.addf %x0, %k : f32\n%v = arith.mulf %u, %c1 : f32\n%t = math.tanh %v : f32\n"}[how]  # fmt: skip
    body = generic("r", 2, [[0, 1], [0, 1]], "pp", [("%a0", t)], [("%init", t)],
                   "%h = arith.constant 0.5 : f32\n%one = arith.constant 1.0 : f32\n" + inner +
                   "%p = arith.addf %t, %one : f32\n%hx = arith.mulf %h, %x0 : f32\n%y = arith.mulf %hx, %p : f32\n"
                   "linalg.yield %y : f32\n", ["f32", "f32"])  # fmt: skip
    return Case(f"gelu_{how}_{m}x{n}", [[m, n]], [m, n], body, 0, 8 * m * n,
                [("Gelu", ["a0"], {"approximate": "none" if how == "erf" else "tanh"}, [])])  # fmt: skip


def unary(name, op, node, shape):
    t, size, rank = ty(shape), 8, list(range(len(shape)))
    for d in shape:
        size *= d
    body = generic("r", len(shape), [rank, rank], "p" * len(shape), [("%a0", t)], [("%init", t)],
                   f"%y = {op} %x0 : f32\nlinalg.yield %y : f32\n", ["f32", "f32"])  # fmt: skip
    return Case(name, [shape], shape, body, 0, size, [(node, ["a0"], {}, [])])


def add(name, left, right):
    t, size = ty(left), 4
    for d in left:
        size *= d
    rank = len(left)
    over = list(range(rank - len(right), rank))
    body = generic("r", rank, [list(range(rank)), over, list(range(rank))], "p" * rank, [("%a0", t), ("%a1", ty(right))],
                   [("%init", t)], SUM, ["f32"] * 3)  # fmt: skip
    return Case(name, [left, right], left, body, 0, size * (3 if left == right else 2), [("Add", ["a0", "a1"], {}, [])],
                lambda np, a, b, out: np.add(a, b, out=out))  # fmt: skip


def transpose(name, shape, perm):
    out, size = [shape[p] for p in perm], 8
    for d in shape:
        size *= d
    body = f"%r = linalg.transpose ins(%a0 : {ty(shape)}) outs(%init : {ty(out)}) permutation = {perm}"
    return Case(name, [shape], out, body, 0, size, [("Transpose", ["a0"], {"perm": perm}, [])],
                lambda np, a, out: np.copyto(out, a.transpose(perm)))  # fmt: skip


def reduce(name, shape, axes):
    kept = [d for d in range(len(shape)) if d not in axes]
    out, size = [shape[d] for d in kept], 4
    for d in shape:
        size *= d
    body = fill("z", out) + generic(
        "r", len(shape), [list(range(len(shape))), kept], "".join("r" if d in axes else "p" for d in range(len(shape))),
        [("%a0", ty(shape))], [("%z", ty(out))], SUM, ["f32"] * 2)  # fmt: skip
    return Case(name, [shape], out, body, 0, size, [("ReduceSum", ["a0", "axes"], {"keepdims": 0}, [("axes", axes)])],
                lambda np, a, out: np.sum(a, axis=tuple(axes), out=out))  # fmt: skip


def mlp(m, n, k, layers):
    """Products with a bias and relu; all weights are inputs."""
    body, x, inputs, nodes = "", "%a0", [[m, k]], []
    for i in range(layers):
        w, c, out = f"%a{1 + 2 * i}", f"%a{2 + 2 * i}", ty([m, n])
        inputs += [[k, n], [n]]
        body += fill(f"z{i}", [m, n])
        body += f"%m{i} = linalg.matmul ins({x}, {w} : {ty([m, k])}, {ty([k, n])}) outs(%z{i} : {out}) -> {out}\n"
        last = "r" if i == layers - 1 else f"r{i}"
        body += generic(last, 2, [[0, 1], [1], [0, 1]], "pp", [(f"%m{i}", out), (c, ty([n]))], [("%init", out)],
                        "%s = arith.addf %x0, %x1 : f32\n%q = arith.maximumf %s, %zero : f32\nlinalg.yield %q : f32\n",
                        ["f32"] * 3)  # fmt: skip
        source = f"t{3 * i - 1}" if i else "a0"
        nodes += [
            ("MatMul", [source, w[1:]], {}, []),
            ("Add", [f"t{3 * i}", c[1:]], {}, []),
            ("Relu", [f"t{3 * i + 1}"], {}, []),
        ]
        x = f"%{last}"
    return Case(f"mlp{layers}_{m}x{n}x{k}", inputs, [m, n], body, 2 * m * n * k * layers, 0, nodes)


def attention(b, s, d):
    q, p = ty([b, s, d]), ty([b, s, s])
    body = "%scale = arith.constant 0.125 : f32\n" + fill("fs", [b, s, s]) + fill("fo", [b, s, d])
    body += generic("qk", 4, [[0, 1, 3], [0, 2, 3], [0, 1, 2]], "pppr", [("%a0", q), ("%a1", q)], [("%fs", p)],
                    "%p = arith.mulf %x0, %x1 : f32\n%s = arith.addf %p, %x2 : f32\nlinalg.yield %s : f32\n", ["f32"] * 3)  # fmt: skip
    body += generic("sc", 3, [[0, 1, 2], [0, 1, 2]], "ppp", [("%qk", p)], [("%fs_e", p)],
                    "%p = arith.mulf %x0, %scale : f32\nlinalg.yield %p : f32\n", ["f32"] * 2)  # fmt: skip
    body += f"%sm = linalg.softmax dimension(2) ins(%sc : {p}) outs(%fs_e : {p}) -> {p}\n"
    body += f"%r = linalg.batch_matmul ins(%sm, %a2 : {p}, {q}) outs(%fo : {q}) -> {q}"
    nodes = [("Transpose", ["a1"], {"perm": [0, 2, 1]}, []), ("MatMul", ["a0", "t0"], {}, []),
             ("Mul", ["t1", "scale"], {}, [("scale", 0.125)]), ("Softmax", ["t2"], {"axis": -1}, []),
             ("MatMul", ["t3", "a2"], {}, [])]  # fmt: skip
    return Case(f"attention_{b}x{s}x{d}", [[b, s, d]] * 3, [b, s, d], body, 4 * b * s * s * d, 0, nodes)


def depthwise(h, w, c):
    x, k, out = ty([1, h + 2, w + 2, c]), ty([3, 3, c]), ty([1, h, w, c])
    body = (
        fill("z", [1, h, w, c])
        + f"%r = linalg.depthwise_conv_2d_nhwc_hwc ins(%a0, %a1 : {x}, {k}) outs(%z : {out}) -> {out}"
    )
    return Case(
        f"depthwise_{h}x{w}x{c}",
        [[1, h + 2, w + 2, c], [3, 3, c]],
        [1, h, w, c],
        body,
        18 * h * w * c,
        4 * ((h + 2) * (w + 2) + h * w) * c,
    )  # no node: ONNX has channels first


CASES = [matmul(n, n, n) for n in (64, 128, 256, 512, 1024, 2048)]
CASES += [matmul(*s) for s in ((1000, 1000, 1000), (255, 255, 255), (127, 255, 513), (1023, 1025, 1027), (77, 99, 131),
                               (33, 65, 1000), (384, 768, 3072), (128, 3072, 768), (128, 768, 768), (1000, 48, 64),
                               (13, 17, 19))]  # fmt: skip
CASES += [matmul(m, 1024, 1024) for m in (2, 4, 8, 16, 32)] + [
    matmul(8, 4096, 1024),
    matmul(1024, 8, 1024),
    matmul(512, 3, 512),
    matmul(4096, 1, 4096),
]
CASES += [matmul(1, 4096, 4096), matmul(1, 4096, 4096, "t"), matmul(1, 1000, 2048, "t")]
CASES += [matmul(512, 512, 512, h) for h in ("t", "a")] + [matmul(255, 257, 513, h) for h in ("t", "a")]
CASES += [
    matmul(16, 1024, 1024, "t"),
    matmul(128, 128, 64, "t", 12),
    matmul(128, 64, 128, "", 12),
    matmul(32, 32, 32, "", 64),
]
CASES += [softmax("softmax_512x1024", [512, 1024], 1), softmax("softmax_axis1_1x1000x14x14", [1, 1000, 14, 14], 1),
          softmax("softmax_1536x128", [1536, 128], 1), layernorm(512, 1024), layernorm(128, 768),
          gelu("erf", 1024, 1024), gelu("tanh", 1024, 1024), gelu("erf", 128, 3072)]  # fmt: skip
CASES += [unary(f"{n}_1M", op, node, [1 << 20]) for n, op, node in (
    ("exp", "math.exp", "Exp"), ("log", "math.log", "Log"), ("tanh", "math.tanh", "Tanh"), ("erf", "math.erf", "Erf"),
    ("sin", "math.sin", "Sin"), ("cos", "math.cos", "Cos"), ("sqrt", "math.sqrt", "Sqrt"))]  # fmt: skip
CASES += [
    add("add_4M", [1 << 22], [1 << 22]),
    add("add_64K", [1 << 16], [1 << 16]),
    add("bias_1024x1024", [1024, 1024], [1024]),
]
CASES += [transpose("transpose_2048x2048", [2048, 2048], [1, 0]), transpose("transpose_1000x1000", [1000, 1000], [1, 0]),
          transpose("transpose_heads_128x12x64", [128, 12, 64], [1, 0, 2]), transpose("nchw_nhwc_64x56x56", [1, 64, 56, 56], [0, 2, 3, 1])]  # fmt: skip
CASES += [reduce("sum_4M", [1 << 22], [0]), reduce("rowsum_1024x4096", [1024, 4096], [1]), reduce("colsum_4096x1024", [4096, 1024], [0]),
          reduce("midsum_64x256x196", [64, 256, 196], [1]), reduce("avgpool_512x7x7", [1, 512, 7, 7], [2, 3])]  # fmt: skip
CASES += [mlp(256, 1024, 1024, 3), attention(8, 512, 64), attention(12, 128, 64), depthwise(56, 56, 128)]
