# RUN: %python %s
"""Sums of products of short numbers: bytes of either sign, zero points of every kind, words, padding, windows, what follows."""

import itertools

import numpy as np
from harness import main
from text import case, filled, generic, rand, ty

# Row, column, sum; the least that is packed, whole tiles, and what no tile divides.
SHAPES = [(4, 4, 8), (64, 96, 128), (37, 41, 129), (129, 33, 66), (5, 200, 31), (70, 17, 300)]
MAPS = {"": ([0, 2], [2, 1]), "ta": ([2, 0], [2, 1]), "tb": ([0, 2], [1, 2]), "tab": ([2, 0], [1, 2])}


def extended(at, signed, dtype="i8"):
    return f"%w{at} = arith.ext{'s' if signed else 'u'}i %x{at} : {dtype} to i32\n"


def seen(array, signed):
    """The numbers that the bits stand for."""
    return (array if signed else array.view(f"u{array.dtype.name}")).astype(np.int64)


def product(mnk, how="", signs=(True, True), zeros=("", ""), dtype="i8", bias=False, batch=0):
    """`zeros`: none, a number, `s` for a scalar argument, `b` for a byte in a tensor, `v` for one byte for each row or column."""
    m, n, k = mnk
    b = [batch] if batch else []
    name = f"short_{how or 'n'}_{'x'.join(map(str, b + [m, n, k]))}_{dtype}_{''.join('us'[s] for s in signs)}"
    name += "".join(f"_{z or 'none'}".replace("-", "m") for z in zeros) + ("_bias" if bias else "")
    shapes = [b + ([k, m] if "a" in how else [m, k]), b + ([n, k] if "b" in how else [k, n])]
    o = len(b)
    index = [list(range(o)) + [d + o for d in map_] for map_ in MAPS[how]]
    lead = list(range(o))
    arrays = [rand(f"{name}{i}", s, dtype) for i, s in enumerate(shapes)]
    # The ends of the range meet.
    for array, signed in zip(arrays, signs):
        low, high = (np.iinfo(array.dtype).min, np.iinfo(array.dtype).max) if signed else (-1, 0)
        array.reshape(-1)[:: max(array.size // 7, 1)] = low
        array.reshape(-1)[1 :: max(array.size // 5, 1)] = high
    text, ins, inputs, maps_, args, factors = "", [], list(arrays), [], [], []
    for i, array in enumerate(arrays):
        ins.append((f"%a{i}", ty(array.shape, dtype)))
        maps_.append(index[i])
        args.append(dtype)
    for i, (array, signed, zero) in enumerate(zip(arrays, signs, zeros)):
        text += extended(i, signed, dtype)
        values = seen(array, signed)
        if zero in ("b", "v"):
            at = len(ins)
            size = [[m], [n]][i] if zero == "v" else []
            z = rand(f"{name}z{i}", size, "i8")
            ins.append((f"%a{len(inputs)}", ty(size, "i8") if size else "tensor<i8>"))
            inputs.append(z)
            maps_.append([o + i] if size else [])
            args.append("i8")
            text += extended(at, signed) + f"%c{i} = arith.subi %w{i}, %w{at} : i32\n"
            z = seen(z, signed)
            if size:
                z = np.expand_dims(z, tuple(d for d in range(2) if index[i][o + d] != o + i))
        elif zero == "s":
            # A tensor of one number that is read before the product.
            z = np.array(70000 + i, np.int32)
            inputs.append(z)
            text += f"%c{i} = arith.subi %w{i}, %zero{i} : i32\n"
        elif zero:
            z = int(zero)
            text += f"%k{i} = arith.constant {z} : i32\n%c{i} = arith.subi %w{i}, %k{i} : i32\n"
        else:
            z = 0
            text += f"%n{i} = arith.constant 0 : i32\n%c{i} = arith.addi %w{i}, %n{i} : i32\n"
        axis = [-2, -1] if index[i][o] != 2 + o else [-1, -2]
        centred = values - z
        if (i == 0) == (axis == [-1, -2]):
            centred = np.swapaxes(centred, -1, -2)
        factors.append(centred)
    want = factors[0] @ factors[1]
    acc = len(ins)
    before = ""
    for i, zero in enumerate(zeros):
        if zero == "s":
            number = [at for at, x in enumerate(inputs) if x.shape == () and x.dtype == np.int32 and x == 70000 + i][0]
            before += f"%zero{i} = tensor.extract %a{number}[] : tensor<i32>\n"
    out = ty(want.shape, "i32")
    text += f"%p = arith.muli %c0, %c1 : i32\n%s = arith.addi %x{acc}, %p : i32\nlinalg.yield %s : i32"
    body = before + filled("z", want.shape, "i32")
    body += generic(
        "r", o + 3, [*maps_, [*lead, o, o + 1]], "p" * (o + 2) + "r", ins, [("%z", out)], text, [*args, "i32"]
    )
    result, to = "%r", out
    if bias:
        # Scaled, rounded, moved, kept within bytes.
        to, row = ty(want.shape, "i8"), len(inputs)
        offsets = rand(f"{name}bias", [n], "i32")
        inputs.append(offsets)
        body += (
            f"%e = tensor.empty() : {to}\n%scale = arith.constant 0.0078125 : f32\n%low = arith.constant -128.0 : f32\n"
        )
        body += "%high = arith.constant 127.0 : f32\n"
        every = list(range(o + 2))
        body += generic("q", o + 2, [every, [o + 1], every], "p" * (o + 2), [("%r", out), (f"%a{row}", ty([n], "i32"))], [("%e", to)],
                        "%s = arith.addi %x0, %x1 : i32\n%f = arith.sitofp %s : i32 to f32\n%g = arith.mulf %f, %scale : f32\n"
                        "%h = math.roundeven %g : f32\n%l = arith.maximumf %h, %low : f32\n%m = arith.minimumf %l, %high : f32\n"
                        "%y = arith.fptosi %m : f32 to i8\nlinalg.yield %y : i8", ["i32", "i32", "i8"])  # fmt: skip
        want = np.clip(np.round((want + offsets).astype(np.float32) * np.float32(0.0078125)), -128, 127).astype(np.int8)
        result = "%q"
    else:
        want = want.astype(np.uint64).astype(np.uint32).view(np.int32)
    return case(name, body + f"return {result} : {to}", inputs, want, results=[to])


def window(name, layout, sizes, signs, zero, pad, stride=1):
    """A convolution of bytes less a zero point; what is padded stands for zero."""
    n, c, h, w, f, k = sizes
    x = rand(name + "x", [n, c, h, w] if layout == "nchw" else [n, h, w, c], "i8")
    y = rand(name + "w", [f, c, k, k] if layout == "nchw" else [k, k, c, f], "i8")
    at = 2 if layout == "nchw" else 1
    wider = [s + (2 * pad if at <= d < at + 2 else 0) for d, s in enumerate(x.shape)]
    tx, ti, tp = ty(x.shape, "i8"), ty(x.shape, "i32"), ty(wider, "i32")
    every = [0, 1, 2, 3]
    body = f"%xe = tensor.empty() : {ti}\n%zp = arith.constant {zero} : i32\n%none = arith.constant 0 : i32\n"
    body += generic("xw", 4, [every, every], "pppp", [("%a0", tx)], [("%xe", ti)],
                    extended(0, signs[0]) + "%c = arith.subi %w0, %zp : i32\nlinalg.yield %c : i32", ["i8", "i32"])  # fmt: skip
    amount = ", ".join(str(pad if at <= d < at + 2 else 0) for d in range(4))
    body += f"%xp = tensor.pad %xw low[{amount}] high[{amount}] {{\n^bb0(%i: index, %j: index, %l: index, %q: index):\n"
    body += f"tensor.yield %none : i32\n}} : {ti} to {tp}\n"
    high, wide_ = ((s - k) // stride + 1 for s in wider[at : at + 2])
    shape = [n, f, high, wide_] if layout == "nchw" else [n, high, wide_, f]
    to = ty(shape, "i32")
    by = lambda d, r: f"d{d} * {stride} + d{r}" if stride > 1 else f"d{d} + d{r}"  # noqa: E731
    if layout == "nchw":
        indexing = [f"d0, d4, {by(2, 5)}, {by(3, 6)}", [1, 4, 5, 6], every]
    else:
        indexing = [f"d0, {by(1, 4)}, {by(2, 5)}, d6", [4, 5, 6, 3], every]
    body += filled("z", shape, "i32") + generic(
        "r", 7, indexing, "pppprrr", [("%xp", tp), ("%a1", ty(y.shape, "i8"))], [("%z", to)],
        extended(1, signs[1]) + "%p = arith.muli %x0, %w1 : i32\n%s = arith.addi %x2, %p : i32\nlinalg.yield %s : i32",
        ["i32", "i8", "i32"])  # fmt: skip
    centred = np.pad(seen(x, signs[0]) - zero, [(pad if at <= d < at + 2 else 0,) * 2 for d in range(4)])
    filters = seen(y, signs[1])
    want = np.zeros(shape, np.int64)
    for i, j in itertools.product(range(k), range(k)):
        part = [slice(None)] * 4
        part[at] = slice(i, i + (high - 1) * stride + 1, stride)
        part[at + 1] = slice(j, j + (wide_ - 1) * stride + 1, stride)
        if layout == "nchw":
            want += np.einsum("nchw,fc->nfhw", centred[tuple(part)], filters[:, :, i, j])
        else:
            want += np.einsum("nhwc,cf->nhwf", centred[tuple(part)], filters[i, j])
    return case(name, body + f"return %r : {to}", [x, y], want.astype(np.int32), results=[to])


SIGNS = list(itertools.product((True, False), repeat=2))
CASES = [product(s, signs=signs) for s in SHAPES for signs in SIGNS]
CASES += [product((37, 41, 129), how, signs) for how in ("ta", "tb", "tab") for signs in SIGNS]
CASES += [product((64, 96, 128), how) for how in ("ta", "tb", "tab")]
CASES += [product((37, 41, 129), how, (False, True), zeros) for how in ("", "tb")
          for zeros in itertools.product(("", "5", "b", "v"), repeat=2) if any(zeros)]  # fmt: skip
CASES += [product((37, 41, 129), "", signs, ("s", "b")) for signs in SIGNS]
CASES += [product((37, 41, 129), dtype="i16"), product((64, 96, 128), "tb", dtype="i16")]
CASES += [product((33, 40, 65), "", (False, True), ("7", ""), bias=True), product((64, 96, 128), "tb", bias=True)]
CASES += [product((20, 24, 40), how, batch=3) for how in ("", "ta", "tb")]
CASES += [window(f"window_{layout}_{''.join('us'[s] for s in signs)}_{sizes[3]}", layout, sizes, signs, zero, pad, stride)
          for layout in ("nchw", "nhwc") for signs, zero in (((False, True), 7), ((True, True), -3))
          for sizes, pad, stride in (((2, 5, 9, 11, 6, 3), 1, 1), ((1, 16, 28, 28, 12, 3), 1, 2), ((1, 40, 6, 6, 21, 1), 0, 1))]  # fmt: skip
# One image, of whole groups of channels: read at each tap.
CASES += [window(f"image_{''.join('us'[s] for s in signs)}_{'x'.join(map(str, sizes))}", "nchw", sizes, signs, zero, pad, 1)
          for signs, zero in (((False, True), 7), ((True, False), -3))
          for sizes, pad in (((1, 16, 9, 11, 6, 3), 1), ((1, 8, 20, 37, 12, 5), 2), ((1, 4, 7, 70, 9, 3), 0), ((1, 64, 28, 28, 40, 3), 1))]  # fmt: skip

if __name__ == "__main__":
    main(CASES)
