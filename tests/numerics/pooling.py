# RUN: %python %s
"""Pooling: max, min, sum and average, in all layouts, with strides, dilations, padding and dynamic sizes."""

import itertools

import numpy as np
from harness import main
from text import DTYPES, case, elementwise, filled, rand, ty, wide

NINF, PINF = "0xFF800000", "0x7F800000"
START = {"max": {"f32": NINF, "f64": "0xFFF0000000000000", "f16": "0xFC00", "bf16": "0xFF80", "i32": "-2147483648", "i8": "-128"},
         "min": {"f32": PINF, "f64": "0x7FF0000000000000", "f16": "0x7C00", "bf16": "0x7F80", "i32": "2147483647", "i8": "127"},
         "sum": {"f32": "0.0", "f64": "0.0", "f16": "0.0", "i32": "0", "i8": "0"}}  # fmt: skip


def reference(kind, layout, x, window, stride, dilation):
    """Combines shifted views."""
    space = [i for i, c in enumerate(layout) if c in "dhw"]
    sizes = [(x.shape[i] - d * (k - 1) - 1) // s + 1 for i, k, s, d in zip(space, window, stride, dilation)]
    views = []
    for tap in itertools.product(*map(range, window)):
        index = [slice(None)] * x.ndim
        for i, t, s, d, n in zip(space, tap, stride, dilation, sizes):
            index[i] = slice(t * d, t * d + s * (n - 1) + 1, s)
        views.append(x[tuple(index)])
    return {"max": np.max, "min": np.min, "sum": np.sum}[kind](np.stack(views), axis=0)


def pool(op, shape, window, *, stride=None, dilation=None, pad=0, dtype="f32", dynamic=(), average=False, tag=""):
    """`op`: the name after `linalg.pooling_`. `average` divides a sum by the number of taps."""
    layout, kind = op.split("_")[0], op.split("_")[1]
    space = [i for i, c in enumerate(layout) if c in "dhw"]
    stride, dilation = stride or [1] * len(window), dilation or [1] * len(window)
    name = f"pooling_{op}_{'x'.join(map(str, shape))}_{'x'.join(map(str, window))}_{dtype}{tag}{'_average' if average else ''}"
    x = rand(name, shape, dtype, -3, 3)
    filler = np.array(int(START[kind][dtype]) if dtype[0] == "i" else {"sum": 0.0, "max": -np.inf, "min": np.inf}[kind])
    padded = np.pad(
        x, [(pad, pad) if i in space else (0, 0) for i in range(x.ndim)], constant_values=filler.astype(DTYPES[dtype])
    )
    want = reference(kind, layout, wide(padded), window, stride, dilation)
    want = (want / np.prod(window) if average else want).astype(DTYPES[dtype])
    tx, to, body, source, tin = (
        ty(shape, dtype, dynamic),
        ty(want.shape, dtype, dynamic),
        "",
        "%a0",
        ty(shape, dtype, dynamic),
    )
    if pad:
        tin = ty(padded.shape, dtype, dynamic)
        amount = ", ".join(str(pad if i in space else 0) for i in range(x.ndim))
        body += f"%pv = arith.constant {START[kind][dtype]} : {dtype}\n%p = tensor.pad %a0 low[{amount}] high[{amount}] {{\n"
        body += f"^bb0({', '.join(f'%i{i}: index' for i in range(x.ndim))}):\ntensor.yield %pv : {dtype}\n}} : {tx} to {tin}\n"
        source = "%p"
    dims = []
    for i in sorted(dynamic):
        body += f"%k{i} = arith.constant {i} : index\n%n{i} = tensor.dim {source}, %k{i} : {tin}\n"
        if i in space:
            j = space.index(i)
            body += f"%r{i} = arith.constant {dilation[j] * (window[j] - 1) + 1} : index\n%s{i} = arith.constant {stride[j]} : index\n"
            body += f"%one{i} = arith.constant 1 : index\n%d{i} = arith.subi %n{i}, %r{i} : index\n"
            body += f"%q{i} = arith.divsi %d{i}, %s{i} : index\n%o{i} = arith.addi %q{i}, %one{i} : index\n"
        dims.append(f"%o{i}" if i in space else f"%n{i}")
    body += filled("z", want.shape, dtype, START[kind][dtype], dims, dynamic)
    tw = ty(window, dtype)
    vector = lambda v: f"dense<{list(v)}> : tensor<{len(v)}xi64>"
    body += f"%w = tensor.empty() : {tw}\n"
    body += f"%r = linalg.pooling_{op} {{dilations = {vector(dilation)}, strides = {vector(stride)}}} "
    body += f"ins({source}, %w : {tin}, {tw}) outs(%z : {to}) -> {to}\n"
    result = "%r"
    if average:
        body += f"%count = arith.constant {float(np.prod(window))} : {dtype}\n"
        body += elementwise("avg", want.shape, dtype, ["%r"], f"%q = arith.divf %x0, %count : {dtype}\nlinalg.yield %q : {dtype}",
                            dims=dims, dynamic=dynamic)  # fmt: skip
        result = "%avg"
    loose = {"rtol": 1e-2, "atol": 2e-2} if dtype == "f16" and kind == "sum" else {}
    return case(name, body + f"return {result} : {to}", [x], want, dtype=dtype, types=[tx], results=[to], **loose)


NCHW, NHWC = [2, 3, 13, 15], [2, 13, 15, 3]
CASES = []
for kind in ("max", "sum"):
    CASES += [pool(f"nchw_{kind}", NCHW, [3, 3]), pool(f"nhwc_{kind}", NHWC, [3, 3]), pool(f"ncw_{kind}", [2, 3, 19], [4]),
              pool(f"nwc_{kind}", [2, 19, 3], [4]), pool(f"ndhwc_{kind}", [1, 6, 7, 8, 3], [2, 3, 2]),
              pool(f"nchw_{kind}", NCHW, [3, 2], stride=[2, 3], dilation=[2, 1], tag="_strided"),
              pool(f"nhwc_{kind}", NHWC, [3, 2], stride=[2, 3], dilation=[2, 1], tag="_strided"),
              pool(f"nchw_{kind}", [1, 17, 28, 28], [3, 3], stride=[2, 2], pad=1, tag="_padded"),
              pool(f"nhwc_{kind}", [1, 28, 28, 17], [3, 3], stride=[2, 2], pad=1, tag="_padded"),
              pool(f"nchw_{kind}", [1, 3, 40, 150], [5, 3], stride=[3, 2], pad=2, tag="_large"),
              pool(f"nchw_{kind}", [1, 2, 9, 300], [3, 3], pad=1, tag="_wide"), pool(f"nchw_{kind}", [1, 2, 31, 90], [2, 5], stride=[1, 5], tag="_far"),
              pool(f"nchw_{kind}", [2, 2, 6, 6], [2, 2], pad=3, tag="_mostly_padding"),
              pool(f"nchw_{kind}", [1, 33, 7, 7], [7, 7], tag="_global"), pool(f"nhwc_{kind}", [1, 7, 7, 33], [7, 7], tag="_global"),
              pool(f"nchw_{kind}", [1, 1, 1, 1], [1, 1]), pool(f"nchw_{kind}", [0, 3, 8, 8], [2, 2], tag="_empty"),
              pool(f"nchw_{kind}", [2, 5, 9, 10], [3, 3], dynamic=(0, 2, 3), tag="_dynamic"),
              pool(f"nhwc_{kind}", [2, 9, 10, 5], [3, 3], stride=[2, 2], pad=1, dynamic=(0, 1, 2), tag="_dynamic_padded")]  # fmt: skip
    CASES += [pool(f"nhwc_{kind}", [1, 9, 9, 4], [2, 2], stride=[2, 2], dtype=d) for d in ("f64", "f16", "i32")]
CASES += [pool("nhwc_max", [1, 9, 9, 4], [2, 2], dtype=d) for d in ("i8", "bf16")]
CASES += [
    pool("nhwc_min", NHWC, [3, 3]),
    pool("nwc_min", [1, 20, 3], [5]),
    pool("ndhwc_min", [1, 4, 4, 4, 2], [2, 2, 2]),
]
CASES += [pool("nchw_sum", NCHW, [2, 2], stride=[2, 2], average=True), pool("nhwc_sum", NHWC, [3, 3], average=True),
          pool("nchw_sum", [1, 64, 7, 7], [7, 7], average=True, tag="_global"),
          pool("nchw_sum", [2, 3, 9, 9], [3, 3], average=True, dynamic=(0, 2, 3), tag="_dynamic")]  # fmt: skip

if __name__ == "__main__":
    main(CASES)
