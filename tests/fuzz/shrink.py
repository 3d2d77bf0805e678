"""Makes a failing program smaller as long as it fails the same way, and writes it as a test."""

import os

import maps
import numpy as np
import values
from generics import Generic
from program import Argument, Impossible, Program, Value


def shrink(program, fails, tries=200):
    """`fails(program)` says whether it still does."""
    left = [tries]

    def attempt(candidate):
        if left[0] <= 0:
            return False
        left[0] -= 1
        try:
            return fails(candidate)
        except (AssertionError, Impossible, KeyError, IndexError, ValueError):
            return False

    changed = True
    while changed and left[0] > 0:
        changed = False
        for candidate in candidates(program):
            if attempt(candidate):
                program, changed = candidate, True
                break
    return program


def candidates(program):
    """Programs that are a step smaller: the largest steps first."""
    if len(program.results) > 1:
        for r in program.results:
            yield Program(program.name, program.nodes, [r])
    nodes, _ = program.needed()
    if not program.results:
        return
    known = None
    for node in nodes:
        for value in node.results:
            users = [n for n in nodes if value in n.operands]
            if users:
                known = known or program.evaluate(keep=True)
                yield cut(program, nodes, value, known[value])
    for at, node in enumerate(nodes):
        for other in node.simpler():
            results = [r for r in program.results if r not in node.results or r in other.results]
            yield Program(program.name, nodes[:at] + [other] + nodes[at + 1 :], results or list(other.results))
    if len(nodes) == 1 and isinstance(nodes[0], Generic):
        yield from smaller(program, nodes[0])


class Renamed:
    """A node that reads another value in the place of one."""

    def __init__(self, node, old, new):
        self.node, self.old, self.new = node, old, new
        self.operands, self.results = [new if o is old else o for o in node.operands], node.results

    def emit(self, text):
        text.names[self.old] = text.name(self.new)
        self.node.emit(text)

    def evaluate(self, arrays):
        return self.node.evaluate({**arrays, self.old: arrays[self.new]})

    def simpler(self):
        for other in self.node.simpler():
            yield Renamed(other, self.old, self.new)


def cut(program, nodes, value, array):
    """The program with a value as an argument of the numbers that it has."""
    numbers = np.where(np.isfinite(array.error()), array.v, 0) if values.is_float(array.dtype) else array.v
    argument = Argument(
        value.dtype, value.shape, value.dyn, np.broadcast_to(numbers, value.shape).astype(values.NUMPY[value.dtype])
    )
    kept = [
        Renamed(n, value, argument) if value in n.operands else n
        for n in nodes
        if value not in n.results or len(n.results) > 1
    ]
    return Program(program.name, kept, [r for r in program.results if r is not value])


def smaller(program, node):
    """A generic operation over arguments with a loop of fewer iterations."""
    if not all(isinstance(v, Argument) for v in node.operands):
        return
    for loop, n in enumerate(node.sizes):
        for less in sorted({1, 2, n // 2, n - 1}):
            if not 0 < less < n:
                continue
            sizes = list(node.sizes)
            sizes[loop] = less

            def part(value, exprs):
                shape = []
                for e, old in zip(exprs, value.shape):
                    found = maps.bounds(e, sizes)
                    shape.append(sizes[e[1]] if e[0] == "d" else old if found is None else min(old, found[1] + 1))
                data = value.data[tuple(slice(0, s) for s in shape)] if isinstance(value, Argument) else None
                return (
                    Argument(value.dtype, shape, value.dyn, data)
                    if data is not None
                    else Value(value.dtype, shape, value.dyn)
                )

            made = {}
            ins = [(made.setdefault(v, part(v, e)), e) for v, e in node.ins]
            outs = [(made.setdefault(s, part(s, e)) if isinstance(s, Value) else s, e) for s, e in node.outs]
            results = [part(r, e) for r, (_, e) in zip(node.results, node.outs)]
            if any(s.shape != r.shape for (s, _), r in zip(outs, results) if isinstance(s, Value)):
                continue
            at = [node.results.index(r) for r in program.results]
            yield Program(
                program.name, [Generic(sizes, node.iterators, ins, outs, node.body, results)], [results[k] for k in at]
            )


def literal(array, dtype, shape):
    """An array as `hal-run` reads it."""
    flat = np.broadcast_to(array, shape).ravel()
    if values.is_float(dtype):
        words = [repr(float(x)) for x in flat]
    else:
        words = [str(int(x)) for x in flat]
    return "x".join([*map(str, shape), dtype]) + "=" + ",".join(words)


def test(program, seed, target, level):
    """The text of a lit test that checks the results that are known to the last digit or by a tolerance."""
    want = program.evaluate()
    device = target.split(":")[0]
    inputs = [f"--input={literal(a.data, a.dtype, a.shape)}" for a in program.needed()[1]]
    expect = [f"--expect={literal(np.where(np.isfinite(w.error()), w.v, 0), w.dtype, w.shape)}" for w in want]
    bound = max(
        [float(np.max(w.error()[np.isfinite(w.error())], initial=0)) for w in want if values.is_float(w.dtype)] or [0]
    )
    lines = [f"// Found by `tests/fuzz/mlir.py --seed={seed} --count=1 --levels={level} --target={target}`."]
    if device != "cpu":
        lines.append(f"// REQUIRES: {device}")
    lines.append(f"// RUN: hal-import %s | hal-translate -O{level} --target={target} | hal-link -o %t.so")
    lines.append(
        f"// RUN: hal-run %t.so --device={device} {' '.join(inputs)} {' '.join(expect)} --rtol=0 --atol={2 * bound:.3g}"
    )
    return "\n".join(lines) + "\n" + program.text()


def write(program, folder, seed, target, level):
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, f"seed-{seed}-{target.split(':')[0]}-O{level}.mlir")
    with open(path, "w", encoding="utf-8") as f:
        f.write(test(program, seed, target, level))
    return path
