"""Makes the smallest failing part of a graph, and writes it as a test."""

import os
import shutil
import tempfile

import numpy as np
import onnx
from check import Refused, Wrong, check
from grow import BF16

# Programs that are compiled to make one smaller.
MOST = 80

TEMPLATE = '''# RUN: %python %s
"""{what}

Found by `graphs.py --seed={seed}`, made smaller since.
"""

import os
import sys

import ml_dtypes  # noqa: F401
import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from replay import main  # noqa: E402

MODEL = """
{model}
"""

# What it is given, and what {source} makes of it.
RUNS = {runs}

if __name__ == "__main__":
    main(MODEL, RUNS, rtol={rtol}, atol={atol})
'''


class Shrinker:
    """Tries parts of a graph, as long as they fail in the same way."""

    def __init__(self, graph, target, spoil=None):
        self.graph, self.target, self.spoil, self.tried, self.words = graph, target, spoil, 0, ""

    def fails(self, nodes, output, levels, bindings):
        if not nodes or self.tried >= MOST:
            return False
        self.tried += 1
        folder = tempfile.mkdtemp(prefix="hal-fuzz-")
        try:
            check(self.graph, folder, levels, self.target, nodes, [output], bindings, self.spoil)
            return False
        except Wrong as e:
            self.words = str(e)
            return True
        except Refused:
            return False
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def needed(self, nodes, output, cut=()):
        """The nodes that an output needs; what stands in `cut` becomes an input."""
        wanted, found = {output.name}, []
        for n in reversed(nodes):
            if any(v.name in wanted and v.name not in cut for v in n.makes):
                found.append(n)
                wanted |= {v.name for v in n.reads}
        return found[::-1]

    def shrink(self, levels):
        """(nodes, output, levels, bindings) of the smallest part that fails, or None if no part with one output does."""
        bindings = list(range(self.graph.bindings))
        for output in self.graph.outputs():
            nodes = self.needed(self.graph.nodes, output)
            if self.fails(nodes, output, levels, bindings):
                break
        else:
            return None
        # An earlier value that is wrong already.
        for n in nodes[:-1]:
            done = False
            for v in n.makes:
                part = self.needed(nodes, v)
                if n.proto.op_type != "Constant" and n.engine != "known" and self.fails(part, v, levels, bindings):
                    nodes, output, done = part, v, True
                    break
            if done:
                break
        # Values that may as well be inputs.
        for v in [v for n in nodes for v in n.makes if v is not output]:
            part = self.needed(nodes, output, {v.name})
            if len(part) < len(nodes) and v.node.proto.op_type != "Constant" and v.node.proto.op_type != "SequenceConstruct" \
                    and self.fails(part, output, levels, bindings):  # fmt: skip
                nodes = part
        levels = next(([x] for x in levels if self.fails(nodes, output, [x], bindings)), levels)
        bindings = next(([k] for k in bindings if self.fails(nodes, output, levels, [k])), bindings)
        return nodes, output, levels, bindings


def literal(array):
    """An array as Python text."""
    kind = (
        "np.bool_" if array.dtype == bool else "ml_dtypes.bfloat16" if array.dtype == BF16 else f"np.{array.dtype.name}"
    )
    words = (
        repr(array.astype(np.float32).tolist() if array.dtype == BF16 else array.tolist())
        .replace("inf", "np.inf")
        .replace("nan", "np.nan")
    )
    shape = f".reshape({list(array.shape)})" if 0 in array.shape else ""
    return f"np.array({words}, {kind}){shape}"


def write(graph, part, words, folder, source="the reference evaluator"):
    """Writes a part of a graph as a test; gives its path."""
    nodes, output, _, bindings = part
    model, inputs, _ = graph.model(nodes, [output])
    model.graph.name = f"graph_{graph.seed}"
    runs = [({v.name: v.arrays[k] for v in inputs}, [output.arrays[k]]) for k in bindings]
    text = ", ".join(
        "({"
        + ", ".join(f'"{n}": {literal(a)}' for n, a in feeds.items())
        + "}, ["
        + ", ".join(map(literal, made))
        + "])"
        for feeds, made in runs
    )
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, f"seed-{graph.seed}.py")
    loose = output.dtype.itemsize == 2
    with open(path, "w", encoding="utf-8") as f:
        f.write(TEMPLATE.format(what=" ".join(words.split())[:300].replace("\\", "/"), seed=graph.seed, source=source, runs=f"[{text}]",
                                model=onnx.printer.to_text(model).strip(), rtol=2e-2 if loose else 1e-4, atol=2e-2 if loose else 1e-5))  # fmt: skip
    return path
