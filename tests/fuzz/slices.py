#!/usr/bin/env python3
"""Random loops that read and write slices: each run is what numpy computes, or is refused where a slice leaves its tensor; with `--guard`.

usage: slices.py FOLDER SEED COUNT
"""

import os
import random
import subprocess
import sys

import numpy as np
from guarded import NEVER, is_right

OFFSETS = ("constant", "parameter", "counter", "twice", "data", "sum")
RUNS = 4


class Case:
    """A loop, with an offset of some kind and a size that is known or not for each dimension."""

    def __init__(self):
        self.rank = random.choice([1, 1, 2])
        each = range(self.rank)
        self.lengths = [random.randint(1, 3) for _ in each]
        self.open_lengths = [random.random() < 0.3 for _ in each]
        self.sizes = [random.randint(1, 6) for _ in each]
        self.open_sizes = [random.random() < 0.7 for _ in each]
        self.offsets = [random.choice(OFFSETS) for _ in each]
        self.constants = [random.randint(0, 3) for _ in each]
        self.reads = random.random() < 0.4

    def text(self):
        """The program: `@f(whole, part, data, parameter, count)`."""
        shape = lambda sizes, is_open: "x".join("?" if o else str(s) for s, o in zip(sizes, is_open))
        whole = f"tensor<{shape(self.sizes, self.open_sizes)}xf32>"
        part = f"tensor<{shape(self.lengths, self.open_lengths)}xf32>"
        before, inside, offsets, sizes = [], [], [], []
        for d, kind in enumerate(self.offsets):
            if kind == "data":
                inside += [
                    f"%e{d} = tensor.extract %i[%k] : tensor<?xi64>",
                    f"%o{d} = arith.index_cast %e{d} : i64 to index",
                ]
            elif kind in ("twice", "sum"):
                inside.append(f"%o{d} = arith.{'muli %k, %c2' if kind == 'twice' else 'addi %k, %p'} : index")
            named = {"constant": str(self.constants[d]), "parameter": "%p", "counter": "%k"}
            offsets.append(named.get(kind, f"%o{d}"))
            if self.open_lengths[d]:
                before += [f"%d{d} = arith.constant {d} : index", f"%m{d} = tensor.dim %u, %d{d} : {part}"]
            sizes.append(f"%m{d}" if self.open_lengths[d] else str(self.lengths[d]))
        place = f"[{', '.join(offsets)}] [{', '.join(sizes)}] [{', '.join('1' * self.rank)}]"
        if self.reads:
            start = f"[{', '.join('0' * self.rank)}] [{', '.join(sizes)}] [{', '.join('1' * self.rank)}]"
            inside.append(f"%s = tensor.extract_slice %x{place} : {whole} to {part}")
            inside.append(f"%next = tensor.insert_slice %s into %a{start} : {part} into {part}")
        else:
            inside.append(f"%next = tensor.insert_slice %u into %a{place} : {part} into {whole}")
        result, first = (part, "%u") if self.reads else (whole, "%x")
        lines = [
            f"func.func @f(%x: {whole}, %u: {part}, %i: tensor<?xi64>, %p: index, %n: index) -> {result} {{",
            *(f"%c{n} = arith.constant {n} : index" for n in range(3)),
            *before,
            f"%r = scf.for %k = %c0 to %n step %c1 iter_args(%a = {first}) -> ({result}) {{",
            *inside,
            f"scf.yield %next : {result}",
            "}",
            f"return %r : {result}",
            "}",
        ]
        return "\n".join(lines) + "\n"

    def draw(self):
        """Arguments, and the result: `None` where a slice leaves its tensor."""
        count, parameter = random.randint(0, 3), random.choice([-1, 0, 1, 2, 4])
        data = [random.choice([-1, 0, 0, 1, 2, 3]) for _ in range(max(count, 1))]
        sizes = [random.randint(0, 6) if o else s for s, o in zip(self.sizes, self.open_sizes)]
        lengths = [random.randint(0, 3) if o else n for n, o in zip(self.lengths, self.open_lengths)]
        whole = np.arange(np.prod(sizes), dtype=np.float32).reshape(sizes) + 1
        part = -np.arange(np.prod(lengths), dtype=np.float32).reshape(lengths) - 1
        result = (part if self.reads else whole).copy()
        for k in range(count):
            values = {"parameter": parameter, "counter": k, "twice": 2 * k, "data": data[k], "sum": k + parameter}
            at = [values.get(kind, constant) for kind, constant in zip(self.offsets, self.constants)]
            if 0 in lengths:
                continue
            if any(o < 0 or o + n > s for o, n, s in zip(at, lengths, sizes)):
                return (whole, part, data, parameter, count), None
            place = tuple(slice(o, o + n) for o, n in zip(at, lengths))
            if self.reads:
                result[...] = whole[place]
            else:
                result[place] = part
        return (whole, part, data, parameter, count), result


def main(folder, seed, count):
    os.makedirs(folder, exist_ok=True)
    random.seed(seed)
    file = lambda name: os.path.join(folder, name)
    right = refused = 0
    for number in range(count):
        case = Case()
        with open(file("p.mlir"), "w", encoding="utf-8") as f:
            f.write(case.text())
        command = ["hal-compile", "-q", file("p.mlir"), "-o", file("p.so")]
        made = subprocess.run(command, capture_output=True, text=True)
        if made.returncode:
            assert any(word in made.stderr for word in NEVER), f"{seed}, {number}: {made.stderr}\n{case.text()}"
            refused += 1
            continue
        for _ in range(RUNS):
            (whole, part, data, parameter, steps), expected = case.draw()
            np.save(file("x.npy"), whole)
            np.save(file("u.npy"), part)
            numbers = [f"{len(data)}xi64={','.join(map(str, data))}", str(parameter), str(steps)]
            inputs = (f"@{file('x.npy')}", f"@{file('u.npy')}", *numbers)
            about = f"{seed}, {number}:\n{case.text()}"
            if is_right(file("p.so"), inputs, file("o.npy"), expected, about):
                right += 1
            else:
                refused += 1
    print(f"{count} programs: {right} runs are right, {refused} are refused")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
