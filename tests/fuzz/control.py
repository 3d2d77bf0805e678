"""Control flow over tensors: loops that carry one, and choices between two."""

import generics
import numpy as np
import scalars
import values
from bodies import Body, Writer
from moves import source
from program import Impossible, Node, Value


class Loop(Node):
    """`scf.for` with a tensor that a chain of nodes makes anew in each step."""

    def __init__(self, start, trips, carried, nodes, result):
        self.start, self.trips, self.carried, self.nodes, self.results = start, trips, carried, nodes, [result]
        made = {v for n in nodes for v in n.results} | {carried}
        self.operands = [start] + [v for n in nodes for v in n.operands if v not in made]

    def emit(self, text):
        low, high, step = text.constant(0), text.constant(self.trips), text.constant(1)
        i, result = text.fresh("i"), self.results[0]
        text.line(
            f"{text.name(result)} = scf.for {i} = {low} to {high} step {step} iter_args({text.name(self.carried)} = {text.name(self.start)}) -> ({result.type()}) {{"
        )
        for node in self.nodes:
            node.emit(text)
        last = self.nodes[-1].results[0]
        text.line(f"scf.yield {text.name(last)} : {last.type()}")
        text.line("}")

    def evaluate(self, arrays):
        at, inner = arrays[self.start], dict(arrays)
        for _ in range(self.trips):
            inner[self.carried] = at
            for node in self.nodes:
                inner.update(zip(node.results, node.evaluate(inner)))
            at = inner[self.nodes[-1].results[0]]
        return [at]


class Choice(Node):
    """`scf.if` on an element of a tensor."""

    def __init__(self, flag, index, yes, no, result):
        self.flag, self.index, self.branches, self.results = flag, index, (yes, no), [result]
        self.operands = [flag] + [
            v for b in self.branches for n in b for v in n.operands if v not in {x for m in b for x in m.results}
        ]

    def emit(self, text):
        c, result = text.fresh("c"), self.results[0]
        at = ", ".join(text.constant(i) for i in self.index)
        text.line(f"{c} = tensor.extract {text.name(self.flag)}[{at}] : {self.flag.type()}")
        text.line(f"{text.name(result)} = scf.if {c} -> ({result.type()}) {{")
        for k, branch in enumerate(self.branches):
            for node in branch:
                node.emit(text)
            last = branch[-1].results[0]
            text.line(f"scf.yield {text.name(last)} : {last.type()}")
            text.line("} else {" if k == 0 else "}")

    def evaluate(self, arrays):
        flag, made = arrays[self.flag], []
        for branch in self.branches:
            inner = dict(arrays)
            for node in branch:
                inner.update(zip(node.results, node.evaluate(inner)))
            made.append(inner[branch[-1].results[0]])
        if flag.error()[self.index] > 0:
            return [values.unknown_if(made[0].copy(), np.ones(made[0].shape, bool))]
        return [made[0 if flag.v[self.index] else 1]]


def like(r, pool, x):
    """A generic operation that makes a tensor of the type of `x` of it and another one."""
    sizes = list(x.shape)
    ins = [(x, [("d", d) for d in range(x.rank)])]
    if r.flag(0.7):
        ins.append(generics.draw_input(r, pool, sizes))
    body = Body([v.dtype for v, _ in ins], [x.dtype])
    writer = Writer(r, body, x.rank)
    name = r.choice(list(scalars.I2 if x.dtype not in values.FLOATS else scalars.F2))
    f = scalars.I2.get(name) or scalars.F2[name]
    body.yields = [body.add(name, f, [("in", 0), writer.expression(x.dtype, 1)], x.dtype)]
    result = Value(x.dtype, x.shape, x.dyn)
    return generics.Generic(
        sizes, ["parallel"] * x.rank, ins, [(None, [("d", d) for d in range(x.rank)])], body, [result]
    )


def loop(r, pool):
    start = source(r, pool)
    if start.rank == 0 and r.flag():
        raise Impossible("one number")
    carried = Value(start.dtype, start.shape, start.dyn)
    nodes = [like(r, pool, carried)]
    if r.flag(0.4):
        nodes.append(like(r, pool, nodes[-1].results[0]))
    return [Loop(start, r.choice([0, 1, 2, 3, 5]), carried, nodes, Value(start.dtype, start.shape, start.dyn))]


def choice(r, pool):
    x = source(r, pool)
    flags = [v for v in pool if v.dtype == "i1" and v.rank < 3 and 0 not in v.shape]
    flag = r.choice(flags) if flags and r.flag() else r.argument("i1", [3])
    index = tuple(r.randrange(n) for n in flag.shape)
    branches = [[like(r, pool, x)] for _ in range(2)]
    return [Choice(flag, index, *branches, Value(x.dtype, x.shape, x.dyn))]
