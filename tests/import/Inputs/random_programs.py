"""Random programs of matmuls, reductions, elementwise chains, transposes, reshapes, slices, paddings and concatenations, whose
values are used in several places: whatever import makes of them must compute what numpy computes. With --dynamic no size is
in the types.

usage: random_programs.py [--count N] [--seed N] [--ops N] [--dynamic] [--keep DIR]
"""

import argparse
import os
import subprocess
import sys
import tempfile

import numpy as np

SIZES = [1, 2, 3, 8, 16, 17]


def static(shape):
    return "tensor<" + "".join(f"{d}x" for d in shape) + "f32>"


def dims(n):
    return ", ".join(f"d{i}" for i in range(n))


class Program:
    """A function under construction: text and, for each value, what it is."""

    def __init__(self, rng, inputs, dynamic):
        self.dynamic = dynamic
        self.rng, self.lines, self.values, self.n = rng, [], [], 0
        self.inputs = []
        for i in range(inputs):
            shape = [int(rng.choice(SIZES)) for _ in range(int(rng.integers(1, 4)))]
            array = rng.uniform(-1, 1, shape).astype(np.float32)
            self.inputs.append(array)
            self.values.append((f"%a{i}", array))

    def ty(self, shape):
        return static("?" * len(shape)) if self.dynamic else static(shape)

    def dim(self, value, d):
        """The size of a value as an index value."""
        k, name = f"%k{len(self.lines)}", f"%d{len(self.lines)}"
        self.lines.append(
            f"{k} = arith.constant {d} : index\n{name} = tensor.dim {value[0]}, {k} : {self.ty(value[1].shape)}"
        )
        return name

    def forget(self, text, array, known):
        """As emit, for an op whose result type shows sizes: those are cast away."""
        if not self.dynamic:
            return self.emit(text, array)
        self.n += 1
        raw = f"%s{self.n}"
        self.lines.append(text.replace("$R", raw))
        self.emit(f"$R = tensor.cast {raw} : {known} to {self.ty(array.shape)}", array)

    def emit(self, text, array):
        name = f"%v{self.n}"
        self.n += 1
        self.lines.append(text.replace("$R", name))
        self.values.append((name, array))

    def pick(self, want=lambda a: True):
        """A value, more likely a late one."""
        fit = [v for v in self.values if want(v[1])]
        if not fit:
            return None
        weights = np.arange(1, len(fit) + 1, dtype=float)
        return fit[int(self.rng.choice(len(fit), p=weights / weights.sum()))]

    def empty(self, shape, sizes):
        """`sizes`: for each dimension, a value and the dimension of it that has that size."""
        name = f"%e{self.n}"
        known = ", ".join(self.dim(v, d) for v, d in sizes) if self.dynamic else ""
        self.lines.append(f"{name} = tensor.empty({known}) : {self.ty(shape)}")
        return name

    def filled(self, shape, sizes, value):
        into = self.empty(shape, sizes)
        c, f = f"%c{self.n}", f"%f{self.n}"
        self.lines.append(f"{c} = arith.constant {value} : f32")
        self.lines.append(f"{f} = linalg.fill ins({c} : f32) outs({into} : {self.ty(shape)}) -> {self.ty(shape)}")
        return f

    def generic(self, operands, maps, out, out_map, loops, kinds, body, array):
        """`body` uses %x0, %x1, … and %o and yields %y."""
        maps = ", ".join(f"affine_map<({dims(loops)}) -> ({m})>" for m in [*maps, out_map])
        args = "".join(f"%x{i}: f32, " for i in range(len(operands))) + "%o: f32"
        ins = ", ".join(n for n, _ in operands)
        types = ", ".join(self.ty(a.shape) for _, a in operands)
        self.emit(
            f"$R = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{', '.join(kinds)}]}} "
            f"ins({ins} : {types}) outs({out} : {self.ty(array.shape)}) {{\n^bb0({args}):\n{body}\nlinalg.yield %y : f32\n}} -> {self.ty(array.shape)}",
            array,
        )

    def unary(self):
        name, a = self.pick()
        op, f = [("math.tanh", np.tanh), ("arith.negf", np.negative), ("math.absf", np.abs)][int(self.rng.integers(3))]
        self.emit(f"$R = {op} {name} : {self.ty(a.shape)}", f(a))

    def binary(self):
        """Second operand: the same shape, or a shorter one that is broadcast."""
        x = self.pick()
        shape = x[1].shape
        subsets = [s for k in range(len(shape) + 1) for s in self.subsets(len(shape), k)]

        def matching(a):
            return [s for s in subsets if a.shape == tuple(shape[d] for d in s)]

        y = self.pick(lambda a: bool(matching(a)))
        if y is None:
            return
        fit = matching(y[1])
        sub = fit[int(self.rng.integers(len(fit)))]
        wide = y[1].reshape([shape[d] if d in sub else 1 for d in range(len(shape))])
        op, f = [("arith.addf", np.add), ("arith.subf", np.subtract), ("arith.mulf", np.multiply)][
            int(self.rng.integers(3))
        ]
        n = len(shape)
        self.generic(
            [x, y],
            [dims(n), ", ".join(f"d{d}" for d in sub)],
            self.empty(shape, [(x, d) for d in range(n)]),
            dims(n),
            n,
            ['"parallel"'] * n,
            f"%y = {op} %x0, %x1 : f32",
            f(x[1], wide).astype(np.float32),
        )

    @staticmethod
    def subsets(n, k):
        import itertools

        return list(itertools.combinations(range(n), k))

    def reduce(self):
        x = self.pick(lambda a: a.ndim > 0)
        n = x[1].ndim
        trailing = self.rng.random() < 0.7
        axis = n - 1 if trailing else int(self.rng.integers(n))
        mean = self.rng.random() < 0.5
        array = x[1].max(axis=axis) if not mean else x[1].sum(axis=axis, dtype=np.float32) / np.float32(1)
        kinds = ['"reduction"' if d == axis else '"parallel"' for d in range(n)]
        kept = [(x, d) for d in range(n) if d != axis]
        out = self.filled(array.shape, kept, "0.0" if mean else "0xFF800000")
        body = "%y = arith.addf %o, %x0 : f32" if mean else "%y = arith.maximumf %o, %x0 : f32"
        self.generic(
            [x],
            [dims(n)],
            out,
            ", ".join(f"d{d}" for d in range(n) if d != axis),
            n,
            kinds,
            body,
            array.astype(np.float32),
        )

    def matmul(self):
        x = self.pick(lambda a: a.ndim == 2)
        if x is None:
            return
        y = self.pick(lambda a: a.ndim == 2 and a.shape[0] == x[1].shape[1])
        if y is None:
            return
        # Sums of products grow; scale them down afterwards.
        array = x[1] @ y[1]
        out = self.filled(array.shape, [(x, 0), (y, 1)], "0.0")
        self.emit(
            f"$R = linalg.matmul ins({x[0]}, {y[0]} : {self.ty(x[1].shape)}, {self.ty(y[1].shape)}) outs({out} : {self.ty(array.shape)}) -> {self.ty(array.shape)}",
            array,
        )

    def transpose(self):
        x = self.pick(lambda a: a.ndim > 1)
        if x is None:
            return
        perm = [int(p) for p in self.rng.permutation(x[1].ndim)]
        array = np.ascontiguousarray(x[1].transpose(perm))
        out = self.empty(array.shape, [(x, p) for p in perm])
        self.emit(
            f"$R = linalg.transpose ins({x[0]} : {self.ty(x[1].shape)}) outs({out} : {self.ty(array.shape)}) permutation = {perm}",
            array,
        )

    def collapse(self):
        x = self.pick(lambda a: a.ndim > 1)
        if x is None:
            return
        n = x[1].ndim
        at = int(self.rng.integers(n - 1))
        groups = [[d] for d in range(at)] + [[at, at + 1]] + [[d] for d in range(at + 2, n)]
        shape = [int(np.prod([x[1].shape[d] for d in g])) for g in groups]
        self.emit(
            f"$R = tensor.collapse_shape {x[0]} {groups} : {self.ty(x[1].shape)} into {self.ty(shape)}",
            x[1].reshape(shape),
        )

    def expand(self):
        x = self.pick(lambda a: 0 < a.ndim < 4)
        if x is None:
            return
        n, at = x[1].ndim, int(self.rng.integers(x[1].ndim))
        size = x[1].shape[at]
        first = int(self.rng.choice([d for d in range(1, size + 1) if size % d == 0]))
        groups = [[d] for d in range(at)] + [[at, at + 1]] + [[d + 1] for d in range(at + 1, n)]
        shape = [*x[1].shape[:at], first, size // first, *x[1].shape[at + 1 :]]
        known, sizes = shape, shape
        if self.dynamic:
            known = [first if d == at else "?" for d in range(n + 1)]
            sizes = [self.dim(x, d if d < at else d - 1) for d in range(n + 1)]
            sizes[at] = first
            f, q = f"%k{len(self.lines)}", f"%q{len(self.lines)}"
            self.lines.append(f"{f} = arith.constant {first} : index\n{q} = arith.divui {sizes[at + 1]}, {f} : index")
            sizes[at + 1] = q
        sizes = ", ".join(map(str, sizes))
        self.forget(
            f"$R = tensor.expand_shape {x[0]} {groups} output_shape [{sizes}] : {self.ty(x[1].shape)} into {static(known)}",
            x[1].reshape(shape),
            static(known),
        )

    def slice(self):
        x = self.pick(lambda a: a.ndim > 0)
        n, at = x[1].ndim, int(self.rng.integers(x[1].ndim))
        size = int(self.rng.integers(1, x[1].shape[at] + 1))
        offset = int(self.rng.integers(0, x[1].shape[at] - size + 1))
        offsets, sizes = [0] * n, list(x[1].shape)
        offsets[at], sizes[at] = offset, size
        array = np.ascontiguousarray(np.take(x[1], range(offset, offset + size), axis=at))
        known = sizes
        if self.dynamic:
            known = [sizes[d] if d == at else "?" for d in range(n)]
            sizes = [sizes[d] if d == at else self.dim(x, d) for d in range(n)]
        sizes = ", ".join(map(str, sizes))
        self.forget(
            f"$R = tensor.extract_slice {x[0]}{offsets} [{sizes}] {[1] * n} : {self.ty(x[1].shape)} to {static(known)}",
            array,
            static(known),
        )

    def pad(self):
        x = self.pick(lambda a: a.ndim > 0 and a.size < 3000)
        if x is None:
            return
        n = x[1].ndim
        low, high = ([int(v) for v in self.rng.integers(0, 2, n)] for _ in range(2))
        array = np.pad(x[1], list(zip(low, high)), constant_values=0.5)
        args = ", ".join(f"%i{self.n}_{d}: index" for d in range(n))
        self.lines.append(f"%p{self.n} = arith.constant 0.5 : f32")
        self.emit(
            f"$R = tensor.pad {x[0]} low{low} high{high} {{\n^bb0({args}):\ntensor.yield %p{self.n} : f32\n}} : {self.ty(x[1].shape)} to {self.ty(array.shape)}",
            array,
        )

    def concat(self):
        x = self.pick(lambda a: a.ndim > 0)
        at = int(self.rng.integers(x[1].ndim))
        rest = lambda a: a.ndim == x[1].ndim and all(a.shape[d] == x[1].shape[d] for d in range(a.ndim) if d != at)
        y = self.pick(rest)
        array = np.concatenate([x[1], y[1]], axis=at)
        if array.size > 5000:
            return
        self.emit(
            f"$R = tensor.concat dim({at}) {x[0]}, {y[0]} : ({self.ty(x[1].shape)}, {self.ty(y[1].shape)}) -> {self.ty(array.shape)}",
            array,
        )

    def tame(self):
        """Keeps numbers near 1, so that float errors stay small."""
        name, a = self.values[-1]
        if not np.isfinite(a).all() or np.abs(a).max(initial=0) > 4:
            self.emit(f"$R = math.tanh {name} : {self.ty(a.shape)}", np.tanh(a))

    def grow(self, ops):
        makers = [
            self.unary,
            self.binary,
            self.binary,
            self.binary,
            self.reduce,
            self.reduce,
            self.matmul,
            self.matmul,
            self.transpose,
            self.collapse,
            self.expand,
            self.slice,
            self.pad,
            self.concat,
        ]
        for _ in range(ops):
            makers[int(self.rng.integers(len(makers)))]()
            self.tame()

    def text(self, results):
        args = ", ".join(f"%a{i}: {self.ty(a.shape)}" for i, a in enumerate(self.inputs))
        types = ", ".join(self.ty(a.shape) for _, a in results)
        body = "\n".join(self.lines)
        return f"func.func @main({args}) -> ({types}) {{\n{body}\nreturn {', '.join(n for n, _ in results)} : {types}\n}}\n"


def check(seed, ops, dynamic, folder):
    """What is wrong with the program of a seed, or None."""
    rng = np.random.default_rng(seed)
    program = Program(rng, int(rng.integers(2, 5)), dynamic)
    program.grow(ops)
    made = [v for v in program.values if v[0].startswith("%v")]
    results = [made[-1], *(made[int(i)] for i in sorted({int(i) for i in rng.integers(0, len(made), 3)}))]
    text = program.text(results)
    os.makedirs(folder, exist_ok=True)
    path = lambda name: os.path.join(folder, name)
    with open(path("program.mlir"), "w", encoding="utf-8") as f:
        f.write(text)
    command = f"hal-import {path('program.mlir')} --emit=bytecode | hal-translate --emit=bytecode | hal-link -o {path('program.so')}"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return f"does not compile: {done.stderr.strip()[:600]}"
    run = ["hal-run", path("program.so"), "--threads=2"]
    for i, array in enumerate(program.inputs):
        np.save(path(f"in{i}.npy"), array)
        run.append(f"--input=@{path(f'in{i}.npy')}")
    run += [f"--output=@{path(f'out{i}.npy')}" for i in range(len(results))]
    done = subprocess.run(run, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return f"does not run: {done.stderr.strip()[:600]}"
    for i, (name, want) in enumerate(results):
        got = np.load(path(f"out{i}.npy"))
        if got.shape != want.shape or not np.allclose(got, want, rtol=1e-3, atol=1e-4, equal_nan=True):
            worst = np.abs(got - want).max() if got.shape == want.shape else got.shape
            return f"result {i} ({name}) is wrong: {worst}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--ops", type=int, default=25)
    parser.add_argument("--dynamic", action="store_true")
    parser.add_argument("--keep", help="leave programs in DIR/SEED")
    args = parser.parse_args()
    bad = 0
    with tempfile.TemporaryDirectory() as scratch:
        for seed in range(args.seed, args.seed + args.count):
            wrong = check(seed, args.ops, args.dynamic, os.path.join(args.keep or scratch, str(seed)))
            if wrong:
                bad += 1
                print(f"seed {seed}: {wrong}", flush=True)
    print(f"{args.count - bad} of {args.count} right")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
