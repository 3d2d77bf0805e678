"""Shrinks programs by a predicate instead of tools: what is left has the guilty operation, one generic, small loops."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import draw  # noqa: E402
import shrink  # noqa: E402

for op in ["math.exp", "arith.floordivsi", "arith.select"]:
    seed = next(s for s in range(1000) if len(draw.program(s).needed()[0]) > 2 and op in draw.program(s).text())
    program = draw.program(seed)
    small = shrink.shrink(program, lambda p, op=op: op in p.text())
    nodes = small.needed()[0]
    text = shrink.test(small, seed, "cpu", "3")
    assert op in text and "--expect=" in text, text
    print(op, "nodes:", len(nodes), "shorter:", len(small.text()) * 2 < len(program.text()))
