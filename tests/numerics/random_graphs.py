# RUN: %python %s --count 40
"""Random programs of many operations: what fuses, what is shared, what is reused. `--seed=N --count=N` tries others.

Every second program has sizes that are not known when it is compiled.
"""

import argparse
import contextlib
import random
import sys

import numpy as np
from harness import main
from text import case, filled, generic, rand, ty

UNARY = {"negf": ("arith.negf", np.negative), "tanh": ("math.tanh", np.tanh), "absf": ("math.absf", np.abs), "exp": ("math.exp", np.exp),
         "sin": ("math.sin", np.sin), "floor": ("math.floor", np.floor)}  # fmt: skip
BINARY = {"addf": np.add, "subf": np.subtract, "mulf": np.multiply, "maximumf": np.maximum, "minimumf": np.minimum}


class NothingFits(Exception):
    """No value suits an operation; another one is tried."""


class Graph:
    """A function that grows; a value is (name, array of float64)."""

    def __init__(self, seed):
        self.dynamic = seed % 2 == 1
        self.r, self.name, self.text, self.inputs, self.count = random.Random(seed), f"graph_{seed}", "", [], 0
        self.values = []
        for _ in range(self.r.randint(1, 3)):
            self.add_input([self.r.choice([1, 2, 3, 4, 5, 7, 8, 12, 16, 17, 33]) for _ in range(self.r.randint(1, 4))])

    def add_input(self, shape):
        array = rand(f"{self.name}_{len(self.inputs)}", shape)
        self.inputs.append(array)
        return self.keep(f"%a{len(self.inputs) - 1}", array)

    def type(self, shape):
        return ty(shape, "f32", self.dynamic)

    def sizes(self, sources):
        """The operands of tensor.empty: for each dimension of the result, the (name, array, dimension) that has its size."""
        found = []
        for name, x, i in sources if self.dynamic else []:
            n = self.new()
            self.text += (
                f"%{n}_i = arith.constant {i} : index\n%{n} = tensor.dim {name}, %{n}_i : {self.type(x.shape)}\n"
            )
            found.append(f"%{n}")
        return found

    def empty(self, out, shape, sources):
        sizes = self.sizes(sources)
        self.text += f"%{out} = tensor.empty({', '.join(sizes)}) : {self.type(shape)}\n"

    def forget(self, out, shape):
        """A value of known sizes, `%{out}_k`, as one of unknown sizes."""
        self.text += f"%{out} = tensor.cast %{out}_k : {ty(shape)} to {self.type(shape)}\n"

    def new(self):
        self.count += 1
        return f"v{self.count}"

    def keep(self, name, array):
        """Values stay small, so that errors do too."""
        array = np.asarray(array, np.float64)
        self.values.append((name, array))
        return self.values[-1]

    def pick(self, fits=lambda x: True):
        found = [v for v in self.values if fits(v[1])]
        # Later ones more often: chains rather than bushes.
        if not found:
            raise NothingFits
        return found[max(self.r.randrange(len(found)), self.r.randrange(len(found)))]

    def generic(self, shape, maps, words, ins, body, sources, start=None):
        """linalg.generic over named values; the last map is the result's."""
        out = self.new()
        if start is None:
            self.empty(out + "_e", shape, sources)
            destination = f"%{out}_e"
        else:
            sizes = self.sizes(sources)
            self.text += filled(out + "_z", shape, "f32", start, sizes, self.dynamic)
            destination = f"%{out}_z"
        self.text += generic(out, len(words), maps, words, [(n, self.type(x.shape)) for n, x in ins],
                             [(destination, self.type(shape))],
                             body + "\nlinalg.yield %y : f32", ["f32"] * (len(ins) + 1))  # fmt: skip
        return f"%{out}"

    def unary(self):
        name, x = self.pick()
        op, f = UNARY[
            self.r.choice(
                [
                    k
                    for k in UNARY
                    if (k != "exp" or x.max(initial=0) < 3) and (k not in ("floor", "sin") or len(self.values) < 4)
                ]
            )
        ]
        every = list(range(x.ndim))
        self.keep(self.generic(x.shape, [every, every], "p" * x.ndim, [(name, x)], f"%y = {op} %x0 : f32",
                               [(name, x, i) for i in every]), f(x))  # fmt: skip

    def binary(self):
        """The second operand has some of the first one's dimensions."""
        a, x = self.pick()
        every = list(range(x.ndim))
        options = []
        for b, y in self.values:
            dims, at = [], 0
            for n in y.shape:
                while at < x.ndim and x.shape[at] != n:
                    at += 1
                dims.append(at)
                at += 1
            if at <= x.ndim:
                options.append((b, y, dims))
        b, y, dims = self.r.choice(options)
        op = self.r.choice(
            [k for k in BINARY if k != "mulf" or max(np.abs(x).max(initial=0), np.abs(y).max(initial=0)) < 30]
        )
        wide = y.reshape([x.shape[i] if i in dims else 1 for i in every])
        self.keep(self.generic(x.shape, [every, dims, every], "p" * x.ndim, [(a, x), (b, y)], f"%y = arith.{op} %x0, %x1 : f32",
                               [(a, x, i) for i in every]), BINARY[op](x, wide))  # fmt: skip

    def reduce(self):
        name, x = self.pick(lambda x: x.ndim > 0)
        axes = sorted(self.r.sample(range(x.ndim), self.r.randint(1, min(2, x.ndim))))
        keep = [i for i in range(x.ndim) if i not in axes]
        kind = self.r.choice(["sum", "max"])
        n = int(np.prod([x.shape[i] for i in axes]))
        body = (
            "%y = arith.maximumf %x1, %x0 : f32"
            if kind == "max"
            else f"%n = arith.constant {1 / n:.9e} : f32\n%p = arith.mulf %x0, %n : f32\n%y = arith.addf %x1, %p : f32"
        )
        words = "".join("r" if i in axes else "p" for i in range(x.ndim))
        out = self.generic([x.shape[i] for i in keep], [list(range(x.ndim)), keep], words, [(name, x)], body,
                           [(name, x, i) for i in keep], "0xFF800000" if kind == "max" else "0.0")  # fmt: skip
        self.keep(out, x.max(tuple(axes)) if kind == "max" else x.mean(tuple(axes)))

    def softmax(self):
        name, x = self.pick(lambda x: x.ndim > 0)
        axis, out = self.r.randrange(x.ndim), self.new()
        t = self.type(x.shape)
        self.empty(out + "_e", x.shape, [(name, x, i) for i in range(x.ndim)])
        self.text += f"%{out} = linalg.softmax dimension({axis}) ins({name} : {t}) outs(%{out}_e : {t}) -> {t}\n"
        e = np.exp(x - x.max(axis, keepdims=True))
        self.keep(f"%{out}", e / e.sum(axis, keepdims=True))

    def matmul(self):
        a, x = self.pick(lambda x: x.ndim == 2)
        fits = lambda y: y.ndim == 2 and y.shape[0] == x.shape[1]
        b, y = (
            self.pick(fits)
            if any(fits(v[1]) for v in self.values)
            else self.add_input([x.shape[1], self.r.choice([1, 5, 8, 17])])
        )
        out, shape = self.new(), [x.shape[0], y.shape[1]]
        sizes = self.sizes([(a, x, 0), (b, y, 1)])
        self.text += filled(out + "_z", shape, "f32", "0.0", sizes, self.dynamic)
        t = self.type(shape)
        self.text += f"%{out} = linalg.matmul ins({a}, {b} : {self.type(x.shape)}, {self.type(y.shape)}) outs(%{out}_z : {t}) -> {t}\n"
        self.keep(f"%{out}", x @ y)

    def transpose(self):
        name, x = self.pick(lambda x: x.ndim > 1)
        perm = list(range(x.ndim))
        self.r.shuffle(perm)
        out, y = self.new(), x.transpose(perm)
        self.empty(out + "_e", y.shape, [(name, x, p) for p in perm])
        self.text += f"%{out} = linalg.transpose ins({name} : {self.type(x.shape)}) outs(%{out}_e : {self.type(y.shape)}) permutation = {perm}\n"
        self.keep(f"%{out}", y)

    def reshape(self):
        """Two neighbouring dimensions become one, or a leading 1 appears."""
        name, x = self.pick()
        out = self.new()
        if x.ndim > 1:
            at = self.r.randrange(x.ndim - 1)
            groups = [[i] for i in range(at)] + [[at, at + 1]] + [[i] for i in range(at + 2, x.ndim)]
            shape = [*x.shape[:at], x.shape[at] * x.shape[at + 1], *x.shape[at + 2 :]]
            self.text += (
                f"%{out} = tensor.collapse_shape {name} {groups} : {self.type(x.shape)} into {self.type(shape)}\n"
            )
        else:
            shape = [1, *x.shape]
            groups = [[0, 1]] if x.ndim else []
            known = [1, *(self.sizes([(name, x, i) for i in range(x.ndim)]) or x.shape)]
            t = f"tensor<1x{self.type(x.shape)[7:]}" if self.dynamic else ty(shape)
            self.text += f"%{out}_k = tensor.expand_shape {name} {groups} output_shape [{', '.join(map(str, known))}] : {self.type(x.shape)} into {t}\n"
            self.text += f"%{out} = tensor.cast %{out}_k : {t} to {self.type(shape)}\n"
        self.keep(f"%{out}", x.reshape(shape))

    def slice(self):
        name, x = self.pick()
        offsets = [self.r.randrange(n) for n in x.shape]
        sizes = [self.r.randint(1, n - o) for n, o in zip(x.shape, offsets)]
        out = self.new()
        self.text += f"%{out}_k = tensor.extract_slice {name}{offsets} {sizes} {[1] * x.ndim} : {self.type(x.shape)} to {ty(sizes)}\n"
        self.forget(out, sizes)
        self.keep(f"%{out}", x[tuple(slice(o, o + n) for o, n in zip(offsets, sizes))])

    def pad(self):
        name, x = self.pick(lambda x: x.ndim > 0)
        low, high = ([self.r.randint(0, 2) for _ in x.shape] for _ in range(2))
        out, y = self.new(), np.pad(x, list(zip(low, high)))
        index = ", ".join(f"%i{i}: index" for i in range(x.ndim))
        self.text += f"%{out}_v = arith.constant 0.0 : f32\n%{out} = tensor.pad {name} low{low} high{high} {{\n^bb0({index}):\ntensor.yield %{out}_v : f32\n}} : {self.type(x.shape)} to {self.type(y.shape)}\n"
        self.keep(f"%{out}", y)

    def concat(self):
        a, x = self.pick(lambda x: x.ndim > 0)
        b, y = self.pick(lambda y: y.shape[1:] == x.shape[1:] and y.ndim == x.ndim)
        out, z = self.new(), np.concatenate([x, y])
        self.text += f"%{out} = tensor.concat dim(0) {a}, {b} : ({self.type(x.shape)}, {self.type(y.shape)}) -> {self.type(z.shape)}\n"
        self.keep(f"%{out}", z)

    def insert(self):
        """Into an argument or an intermediate value that is used again later."""
        a, x = self.pick()
        b, y = self.pick(lambda y: y.ndim == x.ndim and all(m <= n for m, n in zip(y.shape, x.shape)))
        offsets = [self.r.randint(0, n - m) for n, m in zip(x.shape, y.shape)]
        out, z = self.new(), x.copy()
        z[tuple(slice(o, o + m) for o, m in zip(offsets, y.shape))] = y
        sizes = ", ".join(map(str, self.sizes([(b, y, i) for i in range(y.ndim)]) or y.shape))
        self.text += f"%{out} = tensor.insert_slice {b} into {a}{offsets} [{sizes}] {[1] * x.ndim} : {self.type(y.shape)} into {self.type(x.shape)}\n"
        self.keep(f"%{out}", z)

    def case(self):
        kinds = [self.unary, self.unary, self.binary, self.binary, self.binary, self.reduce, self.reduce, self.softmax, self.matmul, self.matmul,
                 self.transpose, self.reshape, self.slice, self.pad, self.concat, self.insert]  # fmt: skip
        for _ in range(self.r.randint(2, 14)):
            if self.values[-1][1].size < 60_000:
                with contextlib.suppress(NothingFits):
                    self.r.choice(kinds)()
        computed = [v for v in self.values if not v[0].startswith("%a")]
        results = (
            list(dict.fromkeys([self.r.choice(computed)[0] for _ in range(2)] + [computed[-1][0]]))
            if computed
            else ["%a0"]
        )
        arrays = [dict(self.values)[n].astype(np.float32) for n in results]
        types = [self.type(x.shape) for x in arrays]
        body = self.text + f"return {', '.join(results)} : {', '.join(types)}"
        return case(
            self.name,
            body,
            self.inputs,
            arrays,
            types=[self.type(x.shape) for x in self.inputs],
            results=types,
            rtol=2e-4,
            atol=2e-4,
        )


if __name__ == "__main__":
    p = argparse.ArgumentParser(add_help=False)
    p.add_argument("--seed", type=int, default=0, help="the first seed")
    p.add_argument("--count", type=int, default=40)
    known, rest = p.parse_known_args()
    sys.argv[1:] = rest
    main([Graph(seed).case() for seed in range(known.seed, known.seed + known.count)])
