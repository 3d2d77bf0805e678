"""Draws programs: a few operations over arguments and each other's results."""

import control
import generics
import moves
import named
import tosa
from program import Impossible, Program, Random

# What makes nodes, and how often: each takes a Random and the values there are, and gives nodes.
KINDS = [(lambda r, pool: [generics.draw(r, pool)], 12), (lambda r, pool: [generics.positions(r, pool)], 1),
         (named.product, 2), (named.window, 2), (moves.pad, 1), (moves.extract_slice, 1), (moves.insert_slice, 1), (moves.concat, 1),
         (moves.collapse, 1), (moves.expand, 1), (moves.transpose, 1), (moves.broadcast, 1), (moves.gather, 1), (moves.elementwise, 1), (control.loop, 1), (control.choice, 1), (tosa.any_of, 3)]  # fmt: skip


def program(seed, kinds=None, dtypes=None):
    """The program of a seed."""
    r = Random(seed)
    r.dynamic = r.choice([0, 0, 0.3, 1])
    if dtypes:
        r.dtypes = dtypes
    kinds = kinds or KINDS
    nodes, pool = [], []
    wanted = r.choice([1, 1, 1, 2, 2, 3, 4, 5])
    tries = 0
    while len(nodes) < wanted and tries < 60:
        tries += 1
        try:
            made = r.choices([k for k, _ in kinds], [w for _, w in kinds])[0](r, pool)
        except Impossible:
            continue
        nodes += made
        pool += [v for n in made for v in n.operands + n.results if v not in pool]
    used = {v for n in nodes for v in n.operands}
    made = [v for n in nodes for v in n.results]
    results = [v for v in made if v not in used] + [v for v in made if v in used and r.flag(0.2)]
    r.shuffle(results)
    return Program(f"p{seed}", nodes, results[:6] or made[-1:])
