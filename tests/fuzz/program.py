"""Programs as graphs: values with types, nodes that make values, their text and what a reference gives for them."""

import random

import numpy as np
import values
from values import NUMPY, is_float


class Impossible(Exception):
    """What was drawn does not fit; another one is drawn."""


class Value:
    """A tensor: `dyn` says which of its sizes the program does not know."""

    def __init__(self, dtype, shape, dyn=None):
        self.dtype, self.shape = dtype, tuple(int(n) for n in shape)
        self.dyn = tuple(dyn) if dyn is not None else (False,) * len(self.shape)

    @property
    def rank(self):
        return len(self.shape)

    def type(self):
        return (
            "tensor<" + "".join(("?" if d else str(n)) + "x" for n, d in zip(self.shape, self.dyn)) + self.dtype + ">"
        )


class Argument(Value):
    """An argument with the numbers that it is given."""

    def __init__(self, dtype, shape, dyn, data):
        super().__init__(dtype, shape, dyn)
        self.data = np.asarray(data)


class Node:
    """Makes `results` of `operands`. What is made has `emit(text)`, which writes lines, and `evaluate(arrays)`."""

    operands: list
    results: list

    def simpler(self):
        """Smaller nodes with the same results, by which a shrinker may replace it; and how each changes the program."""
        return []


class Text:
    """A function that is written."""

    def __init__(self):
        self.lines, self.names, self.count = [], {}, 0

    def fresh(self, stem="t"):
        self.count += 1
        return f"%{stem}{self.count}"

    def line(self, text):
        self.lines.append("  " + text)

    def name(self, value):
        if value not in self.names:
            self.names[value] = self.fresh("v")
        return self.names[value]

    def constant(self, n, ty="index"):
        name = self.fresh("c")
        self.line(f"{name} = arith.constant {n} : {ty}")
        return name

    def number(self, dtype, n):
        """A constant of a number's type."""
        if dtype == "i1":
            name = self.fresh("c")
            self.line(f"{name} = arith.constant {'true' if n else 'false'}")
            return name
        return self.constant(repr(float(n)) if is_float(dtype) else int(n), dtype)

    def size(self, value, dim):
        """The size of a dimension as an index value."""
        if not value.dyn[dim]:
            return self.constant(value.shape[dim])
        at, name = self.constant(dim), self.fresh("n")
        self.line(f"{name} = tensor.dim {self.name(value)}, {at} : {value.type()}")
        return name

    def sizes(self, value, sources):
        """The operands that say the unknown sizes of a new tensor: of values that have them, else constants."""
        return [
            self.size(*sources[d]) if sources.get(d) else self.constant(value.shape[d])
            for d in range(value.rank)
            if value.dyn[d]
        ]

    def empty(self, value, sources):
        name = self.fresh("e")
        self.line(f"{name} = tensor.empty({', '.join(self.sizes(value, sources))}) : {value.type()}")
        return name

    def filled(self, value, sources, number):
        empty, scalar, name = self.empty(value, sources), self.number(value.dtype, number), self.fresh("f")
        self.line(
            f"{name} = linalg.fill ins({scalar} : {value.dtype}) outs({empty} : {value.type()}) -> {value.type()}"
        )
        return name


def dense(argument):
    """The numbers of an argument as MLIR writes constants."""
    if argument.data.size == 0:
        return "dense<>"
    if argument.dtype == "i1":
        return "dense<" + str(argument.data.tolist()).lower() + ">"
    return f'dense<"0x{np.ascontiguousarray(argument.data).tobytes().hex().upper()}">'


class Program:
    """A function of nodes in order; `results` are values that it returns."""

    # How often an argument of known size is a constant of the program instead; for half of the programs, all are.
    constants = 0.0

    def __init__(self, name, nodes, results):
        self.name, self.nodes, self.results, self.known = name, nodes, results, None

    def needed(self):
        """The nodes that the results need, and the arguments."""
        wanted, nodes = set(self.results), []
        for node in reversed(self.nodes):
            if any(r in wanted for r in node.results):
                nodes.append(node)
                wanted.update(node.operands)
        made = {r for n in nodes for r in n.results}
        arguments = [v for n in reversed(nodes) for v in n.operands if v not in made] + [
            v for v in self.results if v not in made
        ]
        return nodes[::-1], list(dict.fromkeys(arguments))

    def split(self):
        """The nodes, the arguments, and those that are constants instead."""
        nodes, arguments = self.needed()
        rng = random.Random(self.name)
        share = 1.0 if self.constants and rng.random() < 0.5 else self.constants
        constant = {a: rng.random() < share and not any(a.dyn) for a in arguments}
        return nodes, [a for a in arguments if not constant[a]], [a for a in arguments if constant[a]]

    def text(self):
        nodes, arguments, constants = self.split()
        text = Text()
        parameters = ", ".join(f"{text.name(a)}: {a.type()}" for a in arguments)
        for a in constants:
            text.line(f"{text.name(a)} = arith.constant {dense(a)} : {a.type()}")
        for node in nodes:
            node.emit(text)
        types = ", ".join(r.type() for r in self.results)
        text.line(f"return {', '.join(text.name(r) for r in self.results)} : {types}")
        return f"func.func @{self.name}({parameters}) -> ({types}) {{\n" + "\n".join(text.lines) + "\n}\n"

    def inputs(self):
        return [a.data for a in self.split()[1]]

    def evaluate(self, keep=False):
        """What the results are; with `keep`, all values."""
        nodes, arguments = self.needed()
        arrays = {a: values.of(a.dtype, a.data) for a in arguments}
        with np.errstate(all="ignore"):
            for node in nodes:
                for value, array in zip(node.results, node.evaluate(arrays)):
                    assert array.shape == value.shape, f"{type(node).__name__}: {array.shape} is no {value.type()}"
                    arrays[value] = array
        return arrays if keep else [arrays[r] for r in self.results]

    def expected(self):
        """What the results are, computed once."""
        self.known = self.known or self.evaluate()
        return self.known


class Random(random.Random):
    """Draws; `dynamic` is how often a size is not known."""

    dynamic = 0.0
    dtypes = (
        ["f32"] * 7
        + ["f64"] * 2
        + ["f16"] * 2
        + ["bf16"]
        + ["i1"] * 2
        + ["i8"] * 2
        + ["i16"]
        + ["i32"] * 3
        + ["i64"] * 2
    )

    def flag(self, chance=0.5):
        return self.random() < chance

    def dtype(self):
        return self.choice(self.dtypes)

    def size(self):
        return self.choice([1, 2, 3, 4, 5, 7, 8, 9, 13, 16, 17, 33, 70] if self.flag(0.97) else [0])

    def shape(self, rank, limit=3000):
        while True:
            shape = [self.size() for _ in range(rank)]
            if np.prod(shape, dtype=np.int64) <= limit:
                return shape

    def unknown(self, rank):
        return [self.flag(self.dynamic) for _ in range(rank)]

    def data(self, dtype, shape):
        """Small dyadic numbers, whose sums are exact, or any; integers of all sizes."""
        generator = np.random.default_rng(self.getrandbits(32))
        if dtype == "i1":
            return generator.integers(0, 2, shape).astype(np.bool_)
        if is_float(dtype):
            if self.flag(0.7):
                few, parts = (4, 1) if dtype == "bf16" else (8, 2) if dtype == "f16" else (40, 8)
                return (generator.integers(-few, few + 1, shape) / parts).astype(NUMPY[dtype])
            return (
                generator.uniform(-4, 4, shape)
                .astype(np.float32 if dtype != "f64" else np.float64)
                .astype(NUMPY[dtype])
            )
        info = np.iinfo(NUMPY[dtype])
        if self.flag(0.3):
            wild = generator.integers(info.min, info.max, shape, dtype=np.int64, endpoint=True)
            edges = generator.choice([info.min, info.max, -1, 0, 1, info.min + 1], shape)
            return np.where(generator.random(shape) < 0.3, edges, wild).astype(NUMPY[dtype])
        return generator.integers(-9, 10, shape).astype(NUMPY[dtype])

    def argument(self, dtype, shape, dyn=None):
        dyn = self.unknown(len(shape)) if dyn is None else dyn
        return Argument(dtype, shape, dyn, self.data(dtype, tuple(shape)))

    def number(self, dtype):
        if dtype == "i1":
            return self.randint(0, 1)
        if is_float(dtype):
            return self.choice([0.0, 1.0, -1.0, 0.5, 2.0, -3.0, 1.5])
        return self.choice([0, 1, -1, 2, -3, 5, 7, 100])
