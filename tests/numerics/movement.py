# RUN: %python %s
"""Data movement: transposes, slices, pads, concatenation, reshapes, gathers, scatters, broadcasts, reversals, packing."""

import numpy as np
from harness import main
from text import DTYPES, case, filled, generic, permutations, rand, ty


def transpose(shape, perm, dtype="f32", dynamic=False):
    x = rand("t", shape, dtype)
    want = np.ascontiguousarray(x.transpose(perm))
    name = f"transpose_{'x'.join(map(str, shape))}_to_{''.join(map(str, perm))}_{dtype}{'_dynamic' if dynamic else ''}"
    t, to, body, dims = ty(shape, dtype, dynamic), ty(want.shape, dtype, dynamic), "", []
    for p in perm if dynamic else []:
        body += f"%k{p} = arith.constant {p} : index\n%n{p} = tensor.dim %a0, %k{p} : {t}\n"
        dims.append(f"%n{p}")
    body += f"%e = tensor.empty({', '.join(dims)}) : {to}\n%r = linalg.transpose ins(%a0 : {t}) outs(%e : {to}) permutation = {list(perm)}\n"
    return case(name, body + f"return %r : {to}", [x], want, types=[t], results=[to])


def slice_(shape, offsets, sizes, strides, dtype="f32"):
    x = rand("s", shape, dtype)
    want = x[tuple(slice(o, o + s * (n - 1) + 1 if n else o, s) for o, n, s in zip(offsets, sizes, strides))]
    text = lambda v: "_".join(map(str, v))
    body = f"%r = tensor.extract_slice %a0{offsets} {sizes} {strides} : {ty(shape, dtype)} to {ty(sizes, dtype)}\nreturn %r : {ty(sizes, dtype)}"
    return case(
        f"slice_{text(shape)}_at_{text(offsets)}_of_{text(sizes)}_by_{text(strides)}_{dtype}",
        body,
        [x],
        np.ascontiguousarray(want),
    )


def slice_dynamic():
    """Offset and size come from index arguments made of tensors; a rank-reducing slice."""
    x, at = rand("sd", [9, 11]), np.array([2, 5], np.int64)
    body = """%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%a = tensor.extract %a1[%c0] : tensor<2xi64>
%b = tensor.extract %a1[%c1] : tensor<2xi64>
%i = arith.index_cast %a : i64 to index
%n = arith.index_cast %b : i64 to index
%s = tensor.extract_slice %a0[%i, 1] [%n, 10] [1, 1] : tensor<9x11xf32> to tensor<?x10xf32>
%row = tensor.extract_slice %a0[%i, 0] [1, 11] [1, 1] : tensor<9x11xf32> to tensor<11xf32>
return %s, %row : tensor<?x10xf32>, tensor<11xf32>"""
    return case(
        "slice_dynamic",
        body,
        [x, at],
        [np.ascontiguousarray(x[2:7, 1:11]), x[2].copy()],
        results=["tensor<?x10xf32>", "tensor<11xf32>"],
    )


def insert(shape, into, offsets, strides, tag=""):
    a, b = rand("i0", shape), rand("i1", into)
    want = b.copy()
    want[tuple(slice(o, o + s * (n - 1) + 1 if n else o, s) for o, n, s in zip(offsets, shape, strides))] = a
    body = f"%r = tensor.insert_slice %a0 into %a1{offsets} {list(shape)} {strides} : {ty(shape)} into {ty(into)}\nreturn %r, %a1 : {ty(into)}, {ty(into)}"
    return case(f"insert_{'x'.join(map(str, shape))}{tag}", body, [a, b], [want, b])


def concat(shapes, axis, dtype="f32"):
    arrays = [rand(f"c{i}", s, dtype) for i, s in enumerate(shapes)]
    want = np.concatenate(arrays, axis)
    names, types = ", ".join(f"%a{i}" for i in range(len(arrays))), ", ".join(ty(s, dtype) for s in shapes)
    t = ty(want.shape, dtype)
    body = f"%r = tensor.concat dim({axis}) {names} : ({types}) -> {t}\nreturn %r : {t}"
    return case(f"concat_{axis}_{'_'.join('x'.join(map(str, s)) for s in shapes)}_{dtype}", body, arrays, want)


def concat_in_place(rows):
    """Computed pieces are written to their places in concatenations of concatenations; one is wanted twice, some not aligned."""
    x = rand("cp", [rows, 8])
    t, t2, t3 = (ty([n * rows, 8]) for n in (1, 2, 3))
    named = lambda r, op, a, b, n: (
        f"%{r}_e = tensor.empty() : {n}\n%{r} = linalg.{op} ins(%{a}, %{b} : {n}, {n}) outs(%{r}_e : {n}) -> {n}\n"
    )
    body = named("p", "add", "a0", "a0", t) + named("q", "mul", "a0", "a0", t)
    body += f"%c = tensor.concat dim(0) %p, %q : ({t}, {t}) -> {t2}\n" + named("r", "add", "c", "c", t2)
    body += f"%d = tensor.concat dim(0) %c, %p : ({t2}, {t}) -> {t3}\n" + named("u", "mul", "d", "d", t3)
    body += f"%f = tensor.concat dim(0) %p, %r : ({t}, {t2}) -> {t3}\n" + named("v", "sub", "u", "f", t3)
    c = np.concatenate([x + x, x * x])
    d = np.concatenate([c, x + x])
    f = np.concatenate([x + x, c + c])
    return case(f"concat_in_place_{rows}", body + f"return %v, %f, %d : {t3}, {t3}, {t3}", [x], [d * d - f, f, d])


def pad(shape, low, high, value="0.0", dtype="f32", dynamic=False):
    x = rand("p", shape, dtype)
    want = np.pad(
        x, list(zip(low, high)), constant_values=DTYPES[dtype].type(float(value)) if dtype[0] == "f" else int(value)
    )
    t, to = ty(shape, dtype, dynamic), ty(want.shape, dtype, dynamic)
    index = ", ".join(f"%i{i}: index" for i in range(len(shape)))
    body = f"%v = arith.constant {value} : {dtype}\n%r = tensor.pad %a0 low{low} high{high} {{\n^bb0({index}):\ntensor.yield %v : {dtype}\n}} : {t} to {to}\nreturn %r : {to}"
    name = f"pad_{'x'.join(map(str, shape))}_{''.join(map(str, low))}_{''.join(map(str, high))}_{dtype}{'_dynamic' if dynamic else ''}"
    return case(name, body, [x], want, types=[t], results=[to])


def pad_reflect():
    """Not a constant: the padded value is read from the source by index."""
    x = rand("pr", [6])
    body = """%e = tensor.empty() : tensor<10xf32>
%r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%e : tensor<10xf32>) {
^bb0(%o: f32):
%i = linalg.index 0 : index
%two = arith.constant 2 : index
%five = arith.constant 5 : index
%j = arith.subi %i, %two : index
%a = math.absi %j : index
%c = arith.cmpi sgt, %a, %five : index
%ten = arith.constant 10 : index
%m = arith.subi %ten, %a : index
%k = arith.select %c, %m, %a : index
%v = tensor.extract %a0[%k] : tensor<6xf32>
linalg.yield %v : f32
} -> tensor<10xf32>
return %r : tensor<10xf32>"""
    return case("pad_reflect", body, [x], np.pad(x, 2, mode="reflect"))


def reshape(source, target, groups, kind):
    x = rand("r", source)
    group = "[" + ", ".join(str(g) for g in groups) + "]"
    shape = f" output_shape {target}" if kind == "expand" else ""
    body = f"%r = tensor.{kind}_shape %a0 {group}{shape} : {ty(source)} into {ty(target)}\nreturn %r : {ty(target)}"
    return case(
        f"{kind}_{'x'.join(map(str, source))}_to_{'x'.join(map(str, target)) or 'rank0'}", body, [x], x.reshape(target)
    )


def reshape_any(source, target):
    x = rand("ra", source)
    body = f"%s = arith.constant dense<{target}> : tensor<{len(target)}xi64>\n%r = tensor.reshape %a0(%s) : ({ty(source)}, tensor<{len(target)}xi64>) -> {ty(target)}\nreturn %r : {ty(target)}"
    return case(f"reshape_{'x'.join(map(str, source))}_to_{'x'.join(map(str, target))}", body, [x], x.reshape(target))


def gather(rows, width, count, dtype="f32", index="i64", dynamic=False):
    """result[i, :] = table[ids[i], :] through tensor.extract."""
    table = rand("g", [rows, width], dtype)
    ids = (np.arange(count) * 7919 % rows).astype(DTYPES[index])
    tt, ti, to = ty(table.shape, dtype, dynamic), ty([count], index, dynamic), ty([count, width], dtype, dynamic)
    body = ""
    if dynamic:
        body += f"%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n%n = tensor.dim %a1, %c0 : {ti}\n%w = tensor.dim %a0, %c1 : {tt}\n"
    body += f"%e = tensor.empty({'%n, %w' if dynamic else ''}) : {to}\n"
    body += generic("r", 2, [[0], [0, 1]], "pp", [("%a1", ti)], [("%e", to)],
                    f"%i = arith.index_cast %x0 : {index} to index\n%j = linalg.index 1 : index\n%v = tensor.extract %a0[%i, %j] : {tt}\nlinalg.yield %v : {dtype}",
                    [index, dtype])  # fmt: skip
    return case(f"gather_{rows}x{width}_{count}_{dtype}_{index}{'_dynamic' if dynamic else ''}", body + f"return %r : {to}", [table, ids], table[ids],
                types=[tt, ti], results=[to])  # fmt: skip


def scatter():
    """A loop on the host that writes rows at places read from a tensor."""
    x, rows, ids = rand("sc", [8, 5]), rand("sr", [3, 5]), np.array([6, 0, 3], np.int32)
    body = """%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%c3 = arith.constant 3 : index
%r = scf.for %k = %c0 to %c3 step %c1 iter_args(%t = %a0) -> (tensor<8x5xf32>) {
%v = tensor.extract %a2[%k] : tensor<3xi32>
%i = arith.index_cast %v : i32 to index
%row = tensor.extract_slice %a1[%k, 0] [1, 5] [1, 1] : tensor<3x5xf32> to tensor<1x5xf32>
%u = tensor.insert_slice %row into %t[%i, 0] [1, 5] [1, 1] : tensor<1x5xf32> into tensor<8x5xf32>
scf.yield %u : tensor<8x5xf32>
}
return %r : tensor<8x5xf32>"""
    want = x.copy()
    want[ids] = rows
    return case("scatter_rows", body, [x, rows, ids], want)


def reverse():
    x = rand("rev", [4, 9])
    body = "%e = tensor.empty() : tensor<4x9xf32>\n" + generic(
        "r", 2, [[0, 1]], "pp", [], [("%e", "tensor<4x9xf32>")],
        "%i = linalg.index 0 : index\n%j = linalg.index 1 : index\n%l = arith.constant 8 : index\n%k = arith.subi %l, %j : index\n"
        "%v = tensor.extract %a0[%i, %k] : tensor<4x9xf32>\nlinalg.yield %v : f32", ["f32"])  # fmt: skip
    return case("reverse", body + "return %r : tensor<4x9xf32>", [x], np.ascontiguousarray(x[:, ::-1]))


def broadcast(shape, dims, out):
    x = rand("b", shape)
    keep = [i for i in range(len(out)) if i not in dims]
    want = np.broadcast_to(x.reshape([out[i] if i in keep else 1 for i in range(len(out))]), out).copy()
    body = f"%e = tensor.empty() : {ty(out)}\n%r = linalg.broadcast ins(%a0 : {ty(shape)}) outs(%e : {ty(out)}) dimensions = {dims}\nreturn %r : {ty(out)}"
    return case(f"broadcast_{'x'.join(map(str, shape)) or 'rank0'}_to_{'x'.join(map(str, out))}", body, [x], want)


def iota_splat():
    """No inputs at all: an iota, a splat, a dense constant, and their sum."""
    body = """%e = tensor.empty() : tensor<3x4xf32>
%s = arith.constant dense<2.5> : tensor<3x4xf32>
%d = arith.constant dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [9.0, 10.0, 11.0, 12.0]]> : tensor<3x4xf32>
""" + generic("r", 2, [[0, 1], [0, 1], [0, 1]], "pp", [("%s", "tensor<3x4xf32>"), ("%d", "tensor<3x4xf32>")], [("%e", "tensor<3x4xf32>")],
              "%i = linalg.index 1 : index\n%v = arith.index_cast %i : index to i32\n%f = arith.sitofp %v : i32 to f32\n"
              "%p = arith.addf %x0, %x1 : f32\n%q = arith.addf %p, %f : f32\nlinalg.yield %q : f32", ["f32"] * 3)  # fmt: skip
    want = (2.5 + np.arange(1, 13).reshape(3, 4) + np.arange(4)).astype(np.float32)
    return case(
        "no_inputs",
        body + "return %r, %d : tensor<3x4xf32>, tensor<3x4xf32>",
        [],
        [want, np.arange(1, 13).reshape(3, 4).astype(np.float32)],
    )


def pack(shape, tiles):
    """linalg.pack with padding, and back."""
    x = rand("pk", shape)
    outer = [-(-s // t) for s, t in zip(shape, tiles)]
    grown = np.pad(x, [(0, o * t - s) for o, t, s in zip(outer, tiles, shape)])
    want = np.ascontiguousarray(grown.reshape(outer[0], tiles[0], outer[1], tiles[1]).transpose(0, 2, 1, 3))
    t = ty([*outer, *tiles])
    body = filled("z", shape, "f32") + f"%v = arith.constant 0.0 : f32\n%e = tensor.empty() : {t}\n"
    body += f"%p = linalg.pack %a0 padding_value(%v : f32) inner_dims_pos = [0, 1] inner_tiles = {tiles} into %e : {ty(shape)} -> {t}\n"
    body += f"%u = linalg.unpack %p inner_dims_pos = [0, 1] inner_tiles = {tiles} into %z : {t} -> {ty(shape)}\nreturn %p, %u : {t}, {ty(shape)}"
    return case(f"pack_{'x'.join(map(str, shape))}_{'x'.join(map(str, tiles))}", body, [x], [want, x])


def shuffle():
    """Channel shuffle: expand, transpose, collapse."""
    x = rand("sh", [1, 6, 4, 5])
    body = """%x = tensor.expand_shape %a0 [[0], [1, 2], [3], [4]] output_shape [1, 2, 3, 4, 5] : tensor<1x6x4x5xf32> into tensor<1x2x3x4x5xf32>
%e = tensor.empty() : tensor<1x3x2x4x5xf32>
%t = linalg.transpose ins(%x : tensor<1x2x3x4x5xf32>) outs(%e : tensor<1x3x2x4x5xf32>) permutation = [0, 2, 1, 3, 4]
%r = tensor.collapse_shape %t [[0], [1, 2], [3], [4]] : tensor<1x3x2x4x5xf32> into tensor<1x6x4x5xf32>
return %r : tensor<1x6x4x5xf32>"""
    return case("channel_shuffle", body, [x], x.reshape(1, 2, 3, 4, 5).swapaxes(1, 2).reshape(1, 6, 4, 5).copy())


CASES = [transpose(s, p) for s in ([5, 7], [3, 4, 5], [2, 3, 4, 5]) for p in permutations(len(s))]
CASES += [
    transpose([129, 65], (1, 0)),
    transpose([1, 33], (1, 0)),
    transpose([0, 3], (1, 0)),
    transpose([2, 3, 4, 5, 6], (4, 2, 0, 3, 1)),
    transpose([3, 3], (0, 1)),
    transpose([1552, 3001], (1, 0)),
]
CASES += [transpose([9, 17], (1, 0), d) for d in ("f64", "f16", "bf16", "i8", "i1", "i64")]
CASES += [
    transpose([9, 17], (1, 0), dynamic=True),
    transpose([3, 1, 5], (2, 0, 1), dynamic=True),
    transpose([0, 3], (1, 0), dynamic=True),
]
CASES += [slice_([9, 11], [2, 3], [4, 5], [1, 1]), slice_([9, 11], [0, 1], [5, 4], [2, 3]), slice_([9, 11], [0, 0], [9, 11], [1, 1]), slice_([9, 11], [8, 10], [1, 1], [1, 1]),
          slice_([5], [2], [0], [1]), slice_([4, 5, 6], [1, 0, 2], [2, 5, 3], [1, 1, 1]), slice_([9, 11], [2, 3], [4, 5], [1, 1], "i8"), slice_dynamic()]  # fmt: skip
CASES += [
    insert([2, 3], [6, 7], [1, 2], [1, 1]),
    insert([3, 2], [6, 7], [0, 1], [2, 3], "_strided"),
    insert([6, 7], [6, 7], [0, 0], [1, 1], "_all"),
    insert([0, 7], [6, 7], [0, 0], [1, 1], "_none"),
]
CASES += [
    concat([[2, 3], [4, 3]], 0),
    concat([[3, 2], [3, 4], [3, 1]], 1),
    concat([[1, 3, 4, 5], [1, 7, 4, 5]], 1),
    concat([[2, 3], [0, 3]], 0),
    concat([[5], [6]], 0, "i64"),
    concat([[2, 2]], 0),
    concat_in_place(4),
    concat_in_place(3),
]
CASES += [pad([3, 4], [1, 0], [2, 3]), pad([3, 4], [0, 0], [0, 0]), pad([2, 3, 4, 5], [0, 0, 1, 1], [0, 0, 2, 2], "-1.5"), pad([7], [3], [0], "5", "i32"),
          pad([3, 4], [1, 2], [3, 4], dynamic=True), pad([1], [2], [2], "-7", "i8"), pad([0, 3], [1, 1], [1, 1], "2.0"), pad_reflect()]  # fmt: skip
CASES += [reshape([4, 3, 5], [12, 5], [[0, 1], [2]], "collapse"), reshape([12, 5], [4, 3, 5], [[0, 1], [2]], "expand"), reshape([1, 1], [], [], "collapse"),
          reshape([], [1, 1], [], "expand"), reshape_any([4, 6], [3, 8]), reshape_any([2, 3, 4], [24])]  # fmt: skip
CASES += [
    gather(10, 5, 7),
    gather(100, 33, 64),
    gather(10, 1, 1),
    gather(10, 5, 0),
    gather(10, 5, 7, "i8", "i32"),
    gather(10, 5, 7, dynamic=True),
]
CASES += [
    scatter(),
    reverse(),
    iota_splat(),
    pack([13, 17], [4, 8]),
    pack([8, 16], [8, 16]),
    pack([100, 70], [16, 16]),
    shuffle(),
]
CASES += [
    broadcast([5], [0], [3, 5]),
    broadcast([5], [1], [5, 3]),
    broadcast([], [0, 1], [2, 3]),
    broadcast([2, 4], [1], [2, 3, 4]),
]

if __name__ == "__main__":
    main(CASES)
