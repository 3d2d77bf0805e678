# RUN: %python %s
"""TOSA programs, float and quantised: what TFLite and PyTorch front ends hand over."""

import math

import numpy as np
from conv import reference as conv_reference
from harness import main
from pooling import reference as pool_reference
from text import DTYPES, case, rand, ty, wide

ints = lambda v: f"array<i64: {', '.join(map(str, v))}>"
tc = lambda x: ty(x.shape, {v.name: k for k, v in DTYPES.items()}[x.dtype.name])


def const(name, value, dtype="f32", shape=(1,)):
    return f'%{name} = "tosa.const"() <{{values = dense<{value}> : {ty(shape, dtype)}}}> : () -> {ty(shape, dtype)}\n'


def shape(name, values):
    values = list(values)
    return f"%{name} = tosa.const_shape {{values = dense<{values}> : tensor<{len(values)}xindex>}} : () -> !tosa.shape<{len(values)}>\n"


def op(name, call, inputs, want, *, before="", extra=(), **more):
    """One op on the arguments %a0, … and then `extra` = [(value, type)]; `call` may hold attributes after a `{`."""
    mnemonic, _, attrs = call.partition(" ")
    values = ", ".join([f"%a{i}" for i in range(len(inputs))] + [v for v, _ in extra])
    types = ", ".join([tc(x) for x in inputs] + [t for _, t in extra])
    want = np.asarray(want)
    body = f"{before}%r = tosa.{mnemonic} {values} {attrs} : ({types}) -> {tc(want)}\nreturn %r : {tc(want)}"
    return case(name, body, inputs, want, **more)


def simple(call, reference, shapes, dtype="f32", low=-3.0, high=3.0, tag="", rtol=1e-5):
    """An elementwise op; shapes of size-1 dimensions broadcast."""
    name = f"tosa_{call.split()[0]}_{'_'.join('x'.join(map(str, s)) for s in shapes)}_{dtype}{tag}"
    arrays = [rand(f"{name}{i}", s, dtype, low, high) for i, s in enumerate(shapes)]
    want = np.asarray(reference(*map(wide, arrays)))
    return op(name, call, arrays, want.astype(bool if want.dtype == bool else DTYPES[dtype]), dtype=dtype, rtol=rtol)


def mul(shapes, dtype):
    name = f"tosa_mul_{'_'.join('x'.join(map(str, s)) for s in shapes)}_{dtype}"
    a, b = (rand(f"{name}{i}", s, dtype) for i, s in enumerate(shapes))
    return op(
        name,
        "mul",
        [a, b],
        (wide(a) * wide(b)).astype(DTYPES[dtype]),
        before=const("s", 0, "i8"),
        extra=[("%s", "tensor<1xi8>")],
    )


def conv(x, w, *, stride=(1, 1), dilation=(1, 1), pad=(0, 0, 0, 0), kind="conv2d", quantised=False, tag=""):
    """conv2d (OHWI), depthwise_conv2d (HWCM), conv3d (ODHWI) with bias; `quantised`: i8 with zero points, i32 out."""
    name = f"tosa_{kind}_{'x'.join(map(str, x))}_{'x'.join(map(str, w))}{tag}"
    dtype, out = ("i8", "i32") if quantised else ("f32", "f32")
    channels = w[2] * w[3] if kind.startswith("depthwise") else w[0]
    a, k, b = rand(name + "x", x, dtype), rand(name + "w", w, dtype), rand(name + "b", [channels], out)
    zx, zw = (5, 0) if quantised else (0, 0)
    wx = np.pad(wide(a) - zx, [(0, 0), *[(pad[2 * i], pad[2 * i + 1]) for i in range(len(x) - 2)], (0, 0)])
    layout = {
        "conv2d": "conv_2d_nhwc_fhwc",
        "depthwise_conv2d": "depthwise_conv_2d_nhwc_hwcm",
        "conv3d": "conv_3d_ndhwc_dhwcf",
    }[kind]
    filters = (wide(k) - zw).transpose(1, 2, 3, 4, 0) if kind == "conv3d" else wide(k) - zw
    want = conv_reference(layout, wx, filters, stride, dilation)
    want = (want.reshape([*want.shape[:3], channels] if kind.startswith("depthwise") else want.shape) + b).astype(
        DTYPES[out]
    )
    attrs = f"{{acc_type = {out}, dilation = {ints(dilation)}, pad = {ints(pad)}, stride = {ints(stride)}}}"
    zeros = const("zx", zx if quantised else "0.0", dtype) + const("zw", zw if quantised else "0.0", dtype)
    z = f"tensor<1x{dtype}>"
    return op(
        name, f"{kind} {attrs}", [a, k, b], want, before=zeros, extra=[("%zx", z), ("%zw", z)], rtol=1e-4, atol=1e-4
    )


def transpose_conv():
    x, w, b = rand("tcx", [1, 4, 5, 3]), rand("tcw", [6, 3, 3, 3]), rand("tcb", [6])
    want = np.zeros([1, 9, 11, 6]) + b
    for i in range(4):
        for j in range(5):
            want[:, 2 * i : 2 * i + 3, 2 * j : 2 * j + 3] += np.einsum("nc,fhwc->nhwf", wide(x)[:, i, j], wide(w))
    call = "transpose_conv2d {acc_type = f32, out_pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>}"
    z = [("%z", "tensor<1xf32>")] * 2
    return op(
        "tosa_transpose_conv2d",
        call,
        [x, w, b],
        want.astype(np.float32),
        before=const("z", "0.0"),
        extra=z,
        rtol=1e-4,
        atol=1e-4,
    )


def pool(kind, x, kernel, stride, pad, tag=""):
    """max_pool2d, and avg_pool2d that does not count the padding."""
    name = f"tosa_{kind}_pool2d_{'x'.join(map(str, x))}{tag}"
    a = rand(name, x)
    widths = [(0, 0), (pad[0], pad[1]), (pad[2], pad[3]), (0, 0)]
    fill = lambda v, array: pool_reference(
        "max" if kind == "max" else "sum", "nhwc", np.pad(array, widths, constant_values=v), kernel, stride, [1, 1]
    )
    want = fill(-np.inf, wide(a)) if kind == "max" else fill(0, wide(a)) / fill(0, np.ones(x))
    attrs = f"kernel = {ints(kernel)}, pad = {ints(pad)}, stride = {ints(stride)}"
    if kind == "max":
        return op(name, f"max_pool2d {{{attrs}}}", [a], want.astype(np.float32))
    z = [("%z", "tensor<1xf32>")] * 2
    return op(
        name, f"avg_pool2d {{acc_type = f32, {attrs}}}", [a], want.astype(np.float32), before=const("z", "0.0"), extra=z
    )


def matmul(b, m, k, n, quantised=False):
    name, dtype, out = (
        f"tosa_matmul_{b}x{m}x{k}x{n}{'_i8' if quantised else ''}",
        "i8" if quantised else "f32",
        "i32" if quantised else "f32",
    )
    x, y, (zx, zy) = (
        rand(name + "x", [b, m, k], dtype),
        rand(name + "y", [b, k, n], dtype),
        (3, -4) if quantised else (0, 0),
    )
    before = const("zx", zx if quantised else "0.0", dtype) + const("zy", zy if quantised else "0.0", dtype)
    want = ((wide(x) - zx) @ (wide(y) - zy)).astype(DTYPES[out])
    return op(
        name,
        "matmul",
        [x, y],
        want,
        before=before,
        extra=[("%zx", f"tensor<1x{dtype}>"), ("%zy", f"tensor<1x{dtype}>")],
        rtol=1e-4,
        atol=1e-4,
    )


def reduce(kind, function, dims, axis, dtype="f32"):
    name = f"tosa_reduce_{kind}_{'x'.join(map(str, dims))}_{axis}_{dtype}"
    x = rand(name, dims, dtype, 0.7, 1.4)
    want = np.asarray(function(wide(x), axis=axis, keepdims=True)).astype(DTYPES[dtype])
    return op(name, f"reduce_{kind} {{axis = {axis} : i32}}", [x], want, rtol=1e-4, atol=1e-4)


def rescale():
    """i32 accumulators to i8: (x * multiplier) >> shift, rounded, with an output zero point, saturated."""
    x = (rand("rs", [4, 33], "i32") * 37).astype(np.int32)
    before = const("m", 1431655765, "i32") + const("s", 36, "i8") + const("iz", 0, "i32") + const("oz", 3, "i8")
    want = np.clip(((wide(x) * 1431655765 + (1 << 35)) >> 36) + 3, -128, 127).astype(np.int8)
    call = "rescale {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true}"
    extra = [("%m", "tensor<1xi32>"), ("%s", "tensor<1xi8>"), ("%iz", "tensor<1xi32>"), ("%oz", "tensor<1xi8>")]
    return op("tosa_rescale_i32_i8", call, [x], want, before=before, extra=extra)


def resize(mode):
    """Twice as large, aligned as image libraries do (half-pixel centres)."""
    x = rand("rz", [1, 4, 5, 2])
    before = shape("s", [4, 2, 4, 2]) + shape("o", [-1, -1]) + shape("b", [1, 1])
    want = np.zeros([1, 8, 10, 2])
    for i in range(8):
        for j in range(10):
            y, z = (i * 2 - 1) / 4, (j * 2 - 1) / 4
            y0, z0 = math.floor(y), math.floor(z)
            fy, fz = y - y0, z - z0
            at = lambda p, q: wide(x)[:, min(max(p, 0), 3), min(max(q, 0), 4)]
            if mode == "NEAREST_NEIGHBOR":
                want[:, i, j] = at(y0 + (fy >= 0.5), z0 + (fz >= 0.5))
            else:
                want[:, i, j] = ((at(y0, z0) * (1 - fz) + at(y0, z0 + 1) * fz) * (1 - fy)
                                 + (at(y0 + 1, z0) * (1 - fz) + at(y0 + 1, z0 + 1) * fz) * fy)  # fmt: skip
    extra = [("%s", "!tosa.shape<4>"), ("%o", "!tosa.shape<2>"), ("%b", "!tosa.shape<2>")]
    return op(
        f"tosa_resize_{mode.lower()}",
        f"resize {{mode = {mode}}}",
        [x],
        want.astype(np.float32),
        before=before,
        extra=extra,
    )


def shaped():
    """reshape, slice, pad, tile, concat, transpose, reverse, gather, scatter."""
    x, y, ids = rand("shx", [4, 6]), rand("shy", [3, 6]), np.array([[0, 3, 2], [1, 1, 0]], np.int32)
    table = rand("sht", [2, 4, 3])
    scattered = table.copy()
    rows = rand("shr", [2, 2, 3])
    scattered[[0, 0, 1, 1], [3, 1, 0, 2]] = rows.reshape(4, 3)
    s2 = "!tosa.shape<2>"
    return [
        op("tosa_reshape", "reshape", [x], x.reshape(3, 8), before=shape("s", [3, 8]), extra=[("%s", s2)]),
        op("tosa_slice", "slice", [x], x[1:3, 2:6].copy(), before=shape("b", [1, 2]) + shape("n", [2, 4]), extra=[("%b", s2), ("%n", s2)]),
        op("tosa_pad", "pad", [x], np.pad(x, [(1, 0), (2, 3)], constant_values=0.5), before=shape("p", [1, 0, 2, 3]) + const("v", 0.5),
           extra=[("%p", "!tosa.shape<4>"), ("%v", "tensor<1xf32>")]),
        op("tosa_tile", "tile", [x], np.tile(x, (2, 3)), before=shape("m", [2, 3]), extra=[("%m", s2)]),
        op("tosa_concat", "concat {axis = 0 : i32}", [x, y], np.concatenate([x, y])),
        op("tosa_transpose", "transpose {perms = array<i32: 1, 2, 0>}", [table], np.ascontiguousarray(table.transpose(1, 2, 0))),
        op("tosa_reverse", "reverse {axis = 1 : i32}", [x], x[:, ::-1].copy()),
        op("tosa_gather", "gather", [table, ids], np.stack([table[i][ids[i]] for i in range(2)])),
        op("tosa_scatter", "scatter", [table, np.array([[3, 1], [0, 2]], np.int32), rows], scattered),
    ]  # fmt: skip


def control(flag, count):
    t = "tensor<2x3xf32>"
    x, c, n = rand("ctl", [2, 3]), np.array(flag), np.int32(count)
    body = f"""%i = tosa.cond_if %a1 : tensor<i1> -> {t} {{
%e = tosa.exp %a0 : ({t}) -> {t}
tosa.yield %e : {t}
}} else {{
tosa.yield %a0 : {t}
}}
{const("z", 0, "i32", ())}%r:2 = tosa.while_loop (%k = %z, %y = %i) : (tensor<i32>, {t}) -> (tensor<i32>, {t}) {{
%g = tosa.greater %a2, %k : (tensor<i32>, tensor<i32>) -> tensor<i1>
tosa.yield %g : tensor<i1>
}} do {{
^bb0(%k: tensor<i32>, %y: {t}):
{const("o", 1, "i32", ())}%j = tosa.add %k, %o : (tensor<i32>, tensor<i32>) -> tensor<i32>
%d = tosa.add %y, %y : ({t}, {t}) -> {t}
tosa.yield %j, %d : tensor<i32>, {t}
}}
return %r#1 : {t}"""
    return case(
        f"tosa_control_{flag}_{count}".lower(),
        body,
        [x, c, n],
        ((np.exp(x) if flag else x) * 2**count).astype(np.float32),
    )


def classifier():
    """A small network: conv, clamp, pool, reshape, matmul, softmax by parts."""
    x, w, b, fc = rand("nx", [1, 8, 8, 3]), rand("nw", [4, 3, 3, 3]), rand("nb", [4]), rand("nf", [1, 64, 10])
    body = (
        const("z", "0.0")
        + shape("flat", [1, 1, 64])
        + """
%c = tosa.conv2d %a0, %a1, %a2, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<1x8x8x3xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x8x8x4xf32>
%l = tosa.clamp %c {min_val = 0.0 : f32, max_val = 6.0 : f32} : (tensor<1x8x8x4xf32>) -> tensor<1x8x8x4xf32>
%p = tosa.max_pool2d %l {kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>} : (tensor<1x8x8x4xf32>) -> tensor<1x4x4x4xf32>
%f = tosa.reshape %p, %flat : (tensor<1x4x4x4xf32>, !tosa.shape<3>) -> tensor<1x1x64xf32>
%m = tosa.matmul %f, %a3, %z, %z : (tensor<1x1x64xf32>, tensor<1x64x10xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x10xf32>
%h = tosa.reduce_max %m {axis = 2 : i32} : (tensor<1x1x10xf32>) -> tensor<1x1x1xf32>
%d = tosa.sub %m, %h : (tensor<1x1x10xf32>, tensor<1x1x1xf32>) -> tensor<1x1x10xf32>
%e = tosa.exp %d : (tensor<1x1x10xf32>) -> tensor<1x1x10xf32>
%s = tosa.reduce_sum %e {axis = 2 : i32} : (tensor<1x1x10xf32>) -> tensor<1x1x1xf32>
%i = tosa.reciprocal %s : (tensor<1x1x1xf32>) -> tensor<1x1x1xf32>
"""
        + const("sh", 0, "i8")
        + """%r = tosa.mul %e, %i, %sh : (tensor<1x1x10xf32>, tensor<1x1x1xf32>, tensor<1xi8>) -> tensor<1x1x10xf32>
return %r : tensor<1x1x10xf32>"""
    )
    y = (
        conv_reference("conv_2d_nhwc_fhwc", np.pad(wide(x), [(0, 0), (1, 1), (1, 1), (0, 0)]), wide(w), [1, 1], [1, 1])
        + b
    )
    y = np.clip(y, 0, 6).reshape(1, 4, 2, 4, 2, 4).max((2, 4)).reshape(1, 1, 64) @ wide(fc)
    e = np.exp(y - y.max())
    return case("tosa_classifier", body, [x, w, b, fc], (e / e.sum()).astype(np.float32), rtol=1e-4)


S, B = [[4, 9]], [[4, 1, 9], [1, 5, 9]]
sigmoid, erf = (lambda v: 1 / (1 + np.exp(-v))), np.vectorize(math.erf)
CASES = [simple(f, r, S) for f, r in (("abs", np.abs), ("ceil", np.ceil), ("floor", np.floor), ("exp", np.exp), ("tanh", np.tanh),
         ("sigmoid", sigmoid), ("erf", erf), ("sin", np.sin), ("cos", np.cos), ("clamp {min_val = -1.0 : f32, max_val = 2.0 : f32}", lambda v: v.clip(-1, 2)))]  # fmt: skip
CASES += [
    simple(f, r, S, low=0.1)
    for f, r in (("log", np.log), ("rsqrt", lambda v: v**-0.5), ("reciprocal", lambda v: 1 / v))
]
CASES += [simple(f, r, s) for s in (S * 2, B) for f, r in (("add", np.add), ("sub", np.subtract), ("maximum", np.maximum), ("minimum", np.minimum),
          ("greater", np.greater), ("greater_equal", np.greater_equal), ("equal", np.equal))]  # fmt: skip
CASES += [
    simple("pow", np.power, B, low=0.2),
    simple("add", np.add, B, "i32"),
    simple("bitwise_and", np.bitwise_and, B, "i32"),
    simple("maximum", np.maximum, B, "i32"),
]
CASES += [mul(S * 2, "f32"), mul(B, "f32"), mul(B, "i32")]
CASES += [conv([1, 9, 10, 3], [5, 3, 3, 3], pad=(1, 1, 1, 1)), conv([2, 11, 9, 4], [6, 3, 2, 4], stride=(2, 1), dilation=(1, 2), pad=(1, 1, 1, 0), tag="_strided"),
          conv([1, 8, 8, 3], [4, 3, 3, 3], pad=(1, 1, 1, 1), quantised=True, tag="_i8"), conv([1, 7, 7, 16], [8, 1, 1, 16], tag="_pointwise"),
          conv([1, 9, 9, 5], [3, 3, 5, 2], kind="depthwise_conv2d", pad=(1, 1, 1, 1)), conv([1, 8, 8, 4], [3, 3, 4, 1], kind="depthwise_conv2d", quantised=True, tag="_i8"),
          conv([1, 5, 6, 7, 2], [3, 2, 3, 2, 2], kind="conv3d", stride=(1, 1, 1), dilation=(1, 1, 1), pad=(0,) * 6), transpose_conv()]  # fmt: skip
CASES += [pool(k, [1, 9, 9, 3], [3, 3], [2, 2], (1, 1, 1, 1), "_padded") for k in ("max", "avg")] + [
    pool(k, [2, 8, 8, 5], [2, 2], [2, 2], (0, 0, 0, 0)) for k in ("max", "avg")
]
CASES += [matmul(1, 5, 7, 9), matmul(3, 16, 33, 8), matmul(2, 4, 9, 5, quantised=True)]
CASES += [
    reduce(k, f, [3, 5, 7], a)
    for k, f in (("sum", np.sum), ("max", np.max), ("min", np.min), ("product", np.prod))
    for a in (0, 1, 2)
]
X = rand("am", [5, 17])
CASES += [op("tosa_argmax", "argmax {axis = 1 : i32}", [X], X.argmax(1).astype(np.int32)), op("tosa_cast_f32_i32", "cast", [X * 20], np.rint(X * 20).astype(np.int32)),
          op("tosa_cast_i8_f32", "cast", [rand("ci", [33], "i8")], rand("ci", [33], "i8").astype(np.float32)),
          op("tosa_select", "select", [X > 0, X, X + 1], np.where(X > 0, X, X + 1)), op("tosa_logical_not", "logical_not", [X > 0], X <= 0)]  # fmt: skip
CASES += [
    rescale(),
    resize("BILINEAR"),
    resize("NEAREST_NEIGHBOR"),
    *shaped(),
    control(True, 3),
    control(False, 0),
    classifier(),
]

if __name__ == "__main__":
    main(CASES)
