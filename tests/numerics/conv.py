# RUN: %python %s
"""Convolutions in all layouts: strides, dilations, groups, padding, depthwise, transposed; element types and dynamic sizes."""

import itertools

import numpy as np
from harness import main
from text import DTYPES, case, filled, generic, rand, ty, wide

# linalg op: (input layout, filter layout). n batch, c channel in, f channel out, g group, m multiplier; space in between.
OPS = {
    "conv_1d": ("w", "w"), "conv_2d": ("hw", "hw"), "conv_3d": ("dhw", "dhw"),
    "conv_1d_nwc_wcf": ("nwc", "wcf"), "conv_1d_ncw_fcw": ("ncw", "fcw"),
    "conv_2d_nchw_fchw": ("nchw", "fchw"), "conv_2d_nhwc_hwcf": ("nhwc", "hwcf"), "conv_2d_nhwc_fhwc": ("nhwc", "fhwc"),
    "conv_2d_ngchw_fgchw": ("ngchw", "fgchw"), "conv_2d_ngchw_gfchw": ("ngchw", "gfchw"), "conv_2d_nhwgc_gfhwc": ("nhwgc", "gfhwc"),
    "conv_3d_ndhwc_dhwcf": ("ndhwc", "dhwcf"), "conv_3d_ncdhw_fcdhw": ("ncdhw", "fcdhw"),
    "depthwise_conv_1d_nwc_wc": ("nwc", "wc"), "depthwise_conv_1d_nwc_wcm": ("nwc", "wcm"), "depthwise_conv_1d_ncw_cw": ("ncw", "cw"),
    "depthwise_conv_2d_nhwc_hwc": ("nhwc", "hwc"), "depthwise_conv_2d_nhwc_hwcm": ("nhwc", "hwcm"),
    "depthwise_conv_2d_nchw_chw": ("nchw", "chw"),
    "depthwise_conv_3d_ndhwc_dhwc": ("ndhwc", "dhwc"), "depthwise_conv_3d_ncdhw_cdhw": ("ncdhw", "cdhw"),
}  # fmt: skip


def output_layout(op):
    """The letters of the result: the input's with the channel replaced."""
    x, w = OPS[op]
    if op.startswith("depthwise"):
        return x + "m" if "m" in w else x
    if "g" in x:
        return {"ngchw": "ngfhw", "nhwgc": "nhwgf"}[x]
    return x.replace("c", "f")


def reference(op, x, w, stride, dilation):
    """Sums over filter taps with einsum; `x` is padded already."""
    lx, lw = OPS[op]
    out, space = output_layout(op), [c for c in lx if c in "dhw"]
    sizes = [
        (x.shape[lx.index(c)] - d * (w.shape[lw.index(c)] - 1) - 1) // s + 1 for c, s, d in zip(space, stride, dilation)
    ]
    total = 0
    taps = [range(w.shape[lw.index(c)]) for c in space]
    rest = "".join(c for c in lw if c not in space)
    for tap in itertools.product(*taps):
        ix, iw = [slice(None)] * x.ndim, [slice(None)] * w.ndim
        for c, t, s, d, n in zip(space, tap, stride, dilation, sizes):
            ix[lx.index(c)] = slice(t * d, t * d + s * (n - 1) + 1, s)
            iw[lw.index(c)] = t
        total = total + np.einsum(f"{lx},{rest}->{out}", x[tuple(ix)], w[tuple(iw)])
    return total


def conv(op, sizes, *, stride=None, dilation=None, pad=0, dtype="f32", acc=None, dynamic=(), tag="", bias=False):
    """`sizes`: letter → size; taps are in capitals (H, W, D). `pad` zeros on each side by tensor.pad. `dynamic`: letters."""
    acc = acc or dtype
    lx, lw = OPS[op]
    lo = output_layout(op)
    space = [c for c in lx if c in "dhw"]
    stride, dilation = stride or [1] * len(space), dilation or [1] * len(space)
    name = f"{op}_{''.join(f'{k}{v}' for k, v in sizes.items())}_{dtype}{tag}" + (f"_{acc}" if acc != dtype else "")
    x = rand(name + "x", [sizes[c] for c in lx], dtype)
    w = rand(name + "w", [sizes[c.upper() if c in space else c] for c in lw], dtype)
    padded = np.pad(x, [(pad, pad) if c in space else (0, 0) for c in lx])
    want = reference(op, wide(padded), wide(w), stride, dilation).astype(DTYPES[acc])
    dyn = lambda letters: [i for i, c in enumerate(letters) if c in dynamic]
    tx, tw = ty(x.shape, dtype, dyn(lx)), ty(w.shape, dtype)
    to = ty(want.shape, acc, dyn(lo))
    body, source = "", "%a0"
    if pad:
        tp = ty(padded.shape, dtype, dyn(lx))
        amount = ", ".join(str(pad if c in space else 0) for c in lx)
        body += f"%pv = arith.constant {'0.0' if dtype[0] != 'i' else 0} : {dtype}\n%p = tensor.pad %a0 low[{amount}] high[{amount}] {{\n"
        body += f"^bb0({', '.join(f'%i{i}: index' for i in range(x.ndim))}):\ntensor.yield %pv : {dtype}\n}} : {tx} to {tp}\n"
        source, tx_in = "%p", tp
    else:
        tx_in = tx
    dims = []
    for i, c in enumerate(lo):
        if c not in dynamic:
            continue
        at = lx.index(c)
        body += f"%k{i} = arith.constant {at} : index\n%n{i} = tensor.dim {source}, %k{i} : {tx_in}\n"
        if c in space:
            j = space.index(c)
            reach = dilation[j] * (w.shape[lw.index(c)] - 1) + 1
            body += f"%r{i} = arith.constant {reach} : index\n%s{i} = arith.constant {stride[j]} : index\n%one{i} = arith.constant 1 : index\n"
            body += f"%d{i} = arith.subi %n{i}, %r{i} : index\n%q{i} = arith.divsi %d{i}, %s{i} : index\n"
            body += f"%o{i} = arith.addi %q{i}, %one{i} : index\n"
            dims.append(f"%o{i}")
        else:
            dims.append(f"%n{i}")
    inputs, types = [x, w], [tx, tw]
    if bias:
        # The result starts from a bias that is broadcast over everything but the channel.
        channel = lo.index("f") if "f" in lo else lo.index("c")
        b = rand(name + "b", [want.shape[channel]], acc)
        inputs, types = [x, w, b], [tx, tw, ty(b.shape, acc)]
        others = [i for i in range(want.ndim) if i != channel]
        body += f"%ze = tensor.empty({', '.join(dims)}) : {to}\n"
        body += f"%z = linalg.broadcast ins(%a2 : {types[2]}) outs(%ze : {to}) dimensions = {others}\n"
        want = (want + b.reshape([-1 if i == channel else 1 for i in range(want.ndim)])).astype(DTYPES[acc])
    else:
        body += filled("z", want.shape, acc, dims=dims, dynamic=dyn(lo))
    attrs = ""
    if len(lx) > len(space):
        vector = lambda v: f"dense<{v}> : tensor<{len(v)}xi64>"
        attrs = f" {{dilations = {vector(list(dilation))}, strides = {vector(list(stride))}}}"
    body += f"%r = linalg.{op}{attrs} ins({source}, %a1 : {tx_in}, {tw}) outs(%z : {to}) -> {to}\n"
    if bias:
        every = list(range(want.ndim))
        body += generic("relu", want.ndim, [every, every], "p" * want.ndim, [("%r", to)], [("%ze", to)],
                        f"%c = arith.constant 0.0 : {acc}\n%t = arith.maximumf %x0, %c : {acc}\nlinalg.yield %t : {acc}", [acc, acc])  # fmt: skip
        want = np.maximum(want, 0)
    body += f"return {'%relu' if bias else '%r'} : {to}"
    taps = int(np.prod(w.shape))
    tolerance = {"f16": 0.02 * taps**0.5, "bf16": 0.1 * taps**0.5}.get(acc, 1e-4)
    return case(
        name, body, inputs, want, dtype=acc, types=types, results=[to], rtol=min(tolerance, 0.1), atol=tolerance
    )


def sizes(text):
    """`n1 c3 h9 w9 f4 H3 W3` as a dictionary."""
    return {part[0]: int(part[1:]) for part in text.split()}


S1 = "n2 c3 w19 f5 W3"
S2 = "n2 c5 h11 w13 f7 H3 W3"
S3 = "n1 c3 d6 h7 w8 f4 D2 H3 W3"
SG = "n2 g3 c4 h9 w10 f5 H3 W3"
ALL = {"conv_1d": "w33 W4", "conv_2d": "h12 w17 H3 W5", "conv_3d": "d5 h6 w7 D2 H2 W3", "conv_1d_nwc_wcf": S1, "conv_1d_ncw_fcw": S1,
       "conv_2d_nchw_fchw": S2, "conv_2d_nhwc_hwcf": S2, "conv_2d_nhwc_fhwc": S2, "conv_2d_ngchw_fgchw": SG,
       "conv_2d_ngchw_gfchw": SG, "conv_2d_nhwgc_gfhwc": SG, "conv_3d_ndhwc_dhwcf": S3, "conv_3d_ncdhw_fcdhw": S3,
       "depthwise_conv_1d_nwc_wc": "n2 w19 c5 W3", "depthwise_conv_1d_nwc_wcm": "n2 w19 c5 W3 m3", "depthwise_conv_1d_ncw_cw": "n2 w19 c5 W3",
       "depthwise_conv_2d_nhwc_hwc": "n2 h9 w11 c7 H3 W3", "depthwise_conv_2d_nhwc_hwcm": "n2 h9 w11 c7 H3 W3 m2",
       "depthwise_conv_2d_nchw_chw": "n2 h9 w11 c7 H3 W3", "depthwise_conv_3d_ndhwc_dhwc": "n1 d5 h6 w7 c3 D2 H3 W2",
       "depthwise_conv_3d_ncdhw_cdhw": "n1 d5 h6 w7 c3 D2 H3 W2"}  # fmt: skip

CASES = [conv(op, sizes(s)) for op, s in ALL.items()]
# Strides and dilations that differ by dimension.
CASES += [conv(op, sizes(s), stride=[2, 3, 1][:n], dilation=[2, 1, 2][:n], tag="_strided") for op, s in ALL.items()
          if (n := sum(c in "dhw" for c in OPS[op][0])) < len(OPS[op][0])]  # fmt: skip
for layout in ("conv_2d_nchw_fchw", "conv_2d_nhwc_hwcf"):
    CASES += [
        conv(layout, sizes("n1 c3 h32 w32 f16 H7 W7"), stride=[2, 2], pad=3, tag="_stem"),
        conv(layout, sizes("n1 c16 h14 w14 f32 H3 W3"), pad=1, tag="_same"),
        conv(layout, sizes("n1 c16 h14 w14 f32 H3 W3"), pad=1, tag="_bias_relu", bias=True),
        conv(layout, sizes("n1 c33 h7 w7 f65 H1 W1"), tag="_pointwise"),
        conv(layout, sizes("n1 c8 h15 w15 f8 H1 W1"), stride=[2, 2], tag="_pointwise_strided"),
        conv(layout, sizes("n1 c1 h1 w1 f1 H1 W1"), tag="_one"),
        conv(layout, sizes("n1 c2 h5 w6 f3 H5 W6"), tag="_whole"),
        conv(layout, sizes("n0 c2 h5 w6 f3 H3 W3"), tag="_empty_batch"),
        conv(layout, sizes("n1 c4 h12 w10 f6 H3 W3"), dynamic="nhw", tag="_dynamic"),
        conv(layout, sizes("n2 c4 h12 w10 f6 H3 W3"), dynamic="n", tag="_dynamic_batch"),
        conv(
            layout, sizes("n1 c4 h12 w11 f6 H3 W3"), dynamic="nhw", stride=[2, 2], pad=1, tag="_dynamic_strided_padded"
        ),
    ]
    CASES += [conv(layout, sizes("n1 c5 h8 w9 f6 H3 W3"), dtype=d, acc=a) for d, a in
              (("f64", None), ("f16", "f32"), ("bf16", "f32"), ("f16", None), ("i8", "i32"), ("i32", None))]  # fmt: skip
CASES += [conv("depthwise_conv_2d_nhwc_hwc", sizes("n1 h14 w14 c33 H3 W3"), stride=[2, 2], pad=1, tag="_strided_padded"),
          conv("depthwise_conv_2d_nchw_chw", sizes("n1 h14 w14 c33 H3 W3"), stride=[2, 2], pad=1, tag="_strided_padded"),
          conv("depthwise_conv_2d_nhwc_hwc", sizes("n1 h8 w8 c4 H3 W3"), dtype="i8", acc="i32"),
          conv("depthwise_conv_2d_nhwc_hwc", sizes("n1 h8 w8 c4 H3 W3"), dynamic="nhw", tag="_dynamic"),
          conv("conv_2d_ngchw_gfchw", sizes("n1 g4 c8 h7 w7 f8 H1 W1"), tag="_pointwise"),
          conv("conv_2d_ngchw_gfchw", sizes("n1 g2 c4 h9 w9 f6 H3 W3"), dtype="i8", acc="i32")]  # fmt: skip

if __name__ == "__main__":
    main(CASES)
