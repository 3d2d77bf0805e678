# RUN: %python %s
"""Softmax, log-softmax, layer, RMS, batch and group normalisation, attention: reductions with elementwise work around them."""

import numpy as np
from harness import main
from text import case, filled, generic, rand, ty, wide

NEG = "0xFF800000"


class Builder:
    """Writes a body; values are (name, shape)."""

    def __init__(self, dtype="f32"):
        self.text, self.dtype, self.count = "", dtype, 0

    def name(self):
        self.count += 1
        return f"v{self.count}"

    def reduce(self, value, shape, axes, op, start):
        """Reduces and drops `axes`."""
        r, f = self.name(), self.name()
        keep = [i for i in range(len(shape)) if i not in axes]
        out = [shape[i] for i in keep]
        self.text += filled(f, out, self.dtype, start)
        self.text += generic(r, len(shape), [list(range(len(shape))), keep], "".join("r" if i in axes else "p" for i in range(len(shape))),
                             [(value, ty(shape, self.dtype))], [(f"%{f}", ty(out, self.dtype))],
                             f"%s = arith.{op} %x1, %x0 : {self.dtype}\nlinalg.yield %s : {self.dtype}", [self.dtype] * 2)  # fmt: skip
        return f"%{r}"

    def map(self, shape, values, body):
        """Elementwise over values; each is (name, dims of the result that it has)."""
        r, e = self.name(), self.name()
        t = ty(shape, self.dtype)
        self.text += f"%{e} = tensor.empty() : {t}\n"
        ins = [(v, ty([shape[i] for i in dims], self.dtype)) for v, dims in values]
        self.text += generic(r, len(shape), [*(d for _, d in values), list(range(len(shape)))], "p" * len(shape), ins, [(f"%{e}", t)],
                             f"{body}\nlinalg.yield %o : {self.dtype}", [self.dtype] * (len(values) + 1))  # fmt: skip
        return f"%{r}"

    def softmax(self, value, shape, axis):
        """exp(x - max) / sum, written out."""
        every, d = list(range(len(shape))), self.dtype
        keep = [i for i in every if i != axis]
        most = self.reduce(value, shape, [axis], "maximumf", NEG)
        exp = self.map(shape, [(value, every), (most, keep)], f"%d = arith.subf %x0, %x1 : {d}\n%o = math.exp %d : {d}")
        total = self.reduce(exp, shape, [axis], "addf", "0.0")
        return self.map(shape, [(exp, every), (total, keep)], f"%o = arith.divf %x0, %x1 : {d}")

    def matmul(self, a, b, sizes, transpose_b=False):
        """batch_matmul of b x m x k and b x k x n (n x k if transposed)."""
        batch, m, n, k = sizes
        f, r = self.name(), self.name()
        self.text += filled(f, [batch, m, n], self.dtype)
        maps = [[0, 1, 3], [0, 2, 3] if transpose_b else [0, 3, 2], [0, 1, 2]]
        ta, tb, tc = (
            ty([batch, m, k], self.dtype),
            ty([batch, n, k] if transpose_b else [batch, k, n], self.dtype),
            ty([batch, m, n], self.dtype),
        )
        d = self.dtype
        self.text += generic(r, 4, maps, "pppr", [(a, ta), (b, tb)], [(f"%{f}", tc)],
                             f"%p = arith.mulf %x0, %x1 : {d}\n%s = arith.addf %x2, %p : {d}\nlinalg.yield %s : {d}", [d] * 3)  # fmt: skip
        return f"%{r}"

    def done(self, value, shape):
        """The whole body."""
        return self.text + f"return {value} : {ty(shape, self.dtype)}"


def softmax(x, axis):
    x = wide(x)
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def softmax_named(shape, axis, dtype="f32", dynamic=False):
    """linalg.softmax."""
    name = f"softmax_named_{'x'.join(map(str, shape))}_{axis}_{dtype}{'_dynamic' if dynamic else ''}"
    x = rand(name, shape, dtype, -9, 9)
    t, dims, body = ty(shape, dtype, dynamic), [], ""
    for i in range(len(shape)) if dynamic else []:
        body += f"%k{i} = arith.constant {i} : index\n%n{i} = tensor.dim %a0, %k{i} : {t}\n"
        dims.append(f"%n{i}")
    body += f"%e = tensor.empty({', '.join(dims)}) : {t}\n%r = linalg.softmax dimension({axis}) ins(%a0 : {t}) outs(%e : {t}) -> {t}\n"
    want = softmax(x, axis).astype(x.dtype)
    return case(
        name,
        body + f"return %r : {t}",
        [x],
        want,
        dtype=dtype,
        types=[t],
        results=[t],
        atol=1e-2 if "16" in dtype else 1e-6,
    )


def softmax_written(shape, axis, low=-9.0, high=9.0, tag=""):
    name = f"softmax_{'x'.join(map(str, shape))}_{axis}{tag}"
    x, b = rand(name, shape, low=low, high=high), Builder()
    return case(name, b.done(b.softmax("%a0", shape, axis), shape), [x], softmax(x, axis).astype(np.float32))


def log_softmax(shape, axis):
    name = f"log_softmax_{'x'.join(map(str, shape))}_{axis}"
    x, b, every = rand(name, shape, low=-9, high=9), Builder(), list(range(len(shape)))
    keep = [i for i in every if i != axis]
    most = b.reduce("%a0", shape, [axis], "maximumf", NEG)
    shifted = b.map(shape, [("%a0", every), (most, keep)], "%o = arith.subf %x0, %x1 : f32")
    exp = b.map(shape, [(shifted, every)], "%o = math.exp %x0 : f32")
    total = b.reduce(exp, shape, [axis], "addf", "0.0")
    r = b.map(shape, [(shifted, every), (total, keep)], "%l = math.log %x1 : f32\n%o = arith.subf %x0, %l : f32")
    return case(name, b.done(r, shape), [x], np.log(softmax(x, axis)).astype(np.float32), rtol=1e-4, atol=1e-5)


def layer_norm(shape, axes):
    """(x - mean) / sqrt(var + eps) * scale + bias over `axes`."""
    name = f"layer_norm_{'x'.join(map(str, shape))}_{'_'.join(map(str, axes))}"
    x, every = rand(name, shape, low=-3, high=4), list(range(len(shape)))
    inner = [shape[i] for i in axes]
    scale, bias = rand(name + "s", inner), rand(name + "b", inner)
    keep, n, b = [i for i in every if i not in axes], float(np.prod(inner)), Builder()
    total = b.reduce("%a0", shape, axes, "addf", "0.0")
    centred = b.map(shape, [("%a0", every), (total, keep)],
                    f"%n = arith.constant {n} : f32\n%m = arith.divf %x1, %n : f32\n%o = arith.subf %x0, %m : f32")  # fmt: skip
    square = b.map(shape, [(centred, every)], "%o = arith.mulf %x0, %x0 : f32")
    power = b.reduce(square, shape, axes, "addf", "0.0")
    r = b.map(shape, [(centred, every), (power, keep), ("%a1", axes), ("%a2", axes)],
              f"%n = arith.constant {n} : f32\n%eps = arith.constant 1.0e-5 : f32\n%v = arith.divf %x1, %n : f32\n"
              "%w = arith.addf %v, %eps : f32\n%i = math.rsqrt %w : f32\n%p = arith.mulf %x0, %i : f32\n"
              "%q = arith.mulf %p, %x2 : f32\n%o = arith.addf %q, %x3 : f32")  # fmt: skip
    along = [s if i in axes else 1 for i, s in enumerate(shape)]
    centre = wide(x) - wide(x).mean(tuple(axes), keepdims=True)
    want = centre / np.sqrt((centre**2).mean(tuple(axes), keepdims=True) + 1e-5) * scale.reshape(along) + bias.reshape(
        along
    )
    return case(name, b.done(r, shape), [x, scale, bias], want.astype(np.float32), rtol=1e-4, atol=1e-5)


def rms_norm(rows, n):
    name = f"rms_norm_{rows}x{n}"
    x, scale, b = rand(name, [rows, n], low=-3, high=3), rand(name + "s", [n]), Builder()
    square = b.map([rows, n], [("%a0", [0, 1])], "%o = arith.mulf %x0, %x0 : f32")
    power = b.reduce(square, [rows, n], [1], "addf", "0.0")
    r = b.map([rows, n], [("%a0", [0, 1]), (power, [0]), ("%a1", [1])],
              f"%n = arith.constant {float(n)} : f32\n%eps = arith.constant 1.0e-6 : f32\n%v = arith.divf %x1, %n : f32\n"
              "%w = arith.addf %v, %eps : f32\n%i = math.rsqrt %w : f32\n%p = arith.mulf %x0, %i : f32\n%o = arith.mulf %p, %x2 : f32")  # fmt: skip
    want = wide(x) / np.sqrt((wide(x) ** 2).mean(1, keepdims=True) + 1e-6) * scale
    return case(name, b.done(r, [rows, n]), [x, scale], want.astype(np.float32), rtol=1e-4, atol=1e-5)


def batch_norm(shape):
    """Inference: scale and shift by channel (dimension 1) from stored statistics, then relu."""
    name, c = f"batch_norm_relu_{'x'.join(map(str, shape))}", shape[1]
    x, every, b = rand(name, shape, low=-3, high=3), list(range(len(shape))), Builder()
    scale, bias, mean, var = (rand(name + k, [c], low=0.2, high=2) for k in "sbmv")
    r = b.map(shape, [("%a0", every)] + [(f"%a{i}", [1]) for i in (1, 2, 3, 4)],
              "%eps = arith.constant 1.0e-5 : f32\n%z = arith.constant 0.0 : f32\n%d = arith.subf %x0, %x3 : f32\n%w = arith.addf %x4, %eps : f32\n"
              "%s = math.sqrt %w : f32\n%q = arith.divf %d, %s : f32\n%p = arith.mulf %q, %x1 : f32\n%t = arith.addf %p, %x2 : f32\n"
              "%o = arith.maximumf %t, %z : f32")  # fmt: skip
    col = lambda v: wide(v).reshape([-1 if i == 1 else 1 for i in every])
    want = np.maximum((wide(x) - col(mean)) / np.sqrt(col(var) + 1e-5) * col(scale) + col(bias), 0)
    return case(name, b.done(r, shape), [x, scale, bias, mean, var], want.astype(np.float32), rtol=1e-4, atol=1e-5)


def attention(batch, query, keys, depth, masked=False):
    """softmax(q @ kᵀ / sqrt(depth) [+ mask]) @ v."""
    name = f"attention_{batch}x{query}x{keys}x{depth}{'_masked' if masked else ''}"
    q, k, v = (
        rand(name + "q", [batch, query, depth]),
        rand(name + "k", [batch, keys, depth]),
        rand(name + "v", [batch, keys, depth]),
    )
    b, shape, factor = Builder(), [batch, query, keys], 1 / depth**0.5
    scores = b.matmul("%a0", "%a1", (batch, query, keys, depth), transpose_b=True)
    values, add = [(scores, [0, 1, 2])], "%o = arith.mulf %x0, %f : f32"
    inputs, reference = [q, k, v], wide(q) @ wide(k).transpose(0, 2, 1) * factor
    if masked:
        mask = np.where(np.tril(np.ones([query, keys])) > 0, 0, -np.inf).astype(np.float32)
        values, add = [*values, ("%a3", [1, 2])], "%s = arith.mulf %x0, %f : f32\n%o = arith.addf %s, %x1 : f32"
        inputs, reference = [*inputs, mask], reference + mask
    scaled = b.map(shape, values, f"%f = arith.constant {factor:.9e} : f32\n{add}")
    r = b.matmul(b.softmax(scaled, shape, 2), "%a2", (batch, query, depth, keys))
    want = softmax(reference, 2) @ wide(v)
    return case(name, b.done(r, [batch, query, depth]), inputs, want.astype(np.float32), rtol=1e-4, atol=1e-5)


CASES = [
    softmax_named(s, a)
    for s, a in (([5, 33], 1), ([5, 33], 0), ([2, 3, 17], 2), ([2, 3, 17], 1), ([1, 1000], 1), ([4, 1], 1))
]
CASES += [softmax_named([6, 20], 1, d) for d in ("f64", "f16")] + [
    softmax_named([6, 20], a, dynamic=True) for a in (0, 1)
]
CASES += [
    softmax_written(s, a)
    for s, a in (([7], 0), ([5, 33], 1), ([5, 33], 0), ([2, 3, 4, 17], 3), ([1, 1], 1), ([3, 257], 1), ([0, 4], 1))
]
CASES += [softmax_written([3, 40], 1, 80.0, 120.0, "_large"), softmax_written([3, 40], 1, -500.0, 0.0, "_wide")]
CASES += [log_softmax([5, 33], 1), log_softmax([2, 7, 5], 1)]
CASES += [
    layer_norm([6, 64], [1]),
    layer_norm([2, 7, 33], [2]),
    layer_norm([2, 5, 6], [1, 2]),
    layer_norm([1, 1000], [1]),
]
# Reductions over other than the last dimensions: columns, also where vectors do not divide them and workgroups share them.
CASES += [
    softmax_written(s, 1) for s in ([2, 21, 7, 9], [1, 5, 33, 35], [3, 64, 14, 14], [1, 19, 120, 130], [4, 30, 3])
]
CASES += [
    softmax_written([40, 6, 48], 0),
    softmax_named([2, 21, 1000], 1),
    softmax_named([20, 9, 300], 1, "f16"),
    softmax_named([6, 20, 40], 1, "f64"),
]
CASES += [
    softmax_named([6, 20, 50], 1, dynamic=True),
    softmax_written([2, 40, 200], 1, -500.0, 0.0, "_wide"),
    log_softmax([2, 70, 50], 1),
]
CASES += [layer_norm([2, 32, 10, 10], [1]), layer_norm([1, 7, 131], [1]), layer_norm([6, 5, 64], [0, 1])]
CASES += [rms_norm(5, 64), rms_norm(1, 37), batch_norm([2, 5, 7, 9]), batch_norm([1, 1, 1, 1]), batch_norm([4, 17])]
CASES += [
    attention(2, 16, 16, 32),
    attention(3, 13, 29, 8),
    attention(1, 1, 40, 64),
    attention(2, 19, 19, 16, masked=True),
]

if __name__ == "__main__":
    main(CASES)
