#!/usr/bin/env python3
"""Random loops that were distributed (`scf.forall`): each run is what numpy computes, or is refused where a slice leaves its tensor; with
`--guard`. Tiles as upstream's tiling makes them stay parallel.

usage: distributed.py FOLDER SEED COUNT
"""

import os
import random
import subprocess
import sys

import numpy as np
from guarded import NEVER, is_right

RUNS = 4
# Tiles that always fit: cut off at the end; in steps; as many as there are workers.
SOUND = ("tiles", "steps", "workers", "inner")
# Tiles that fit for some sizes and parameters only.
OTHERS = ("whole", "moved", "strided", "parameter", "data", "turned", "branch")


def ceil_div(a, b):
    return -(-a // b)


class Tile:
    """One dimension: which part of it an iteration takes."""

    def __init__(self, d, kind):
        self.d, self.kind = d, kind
        self.size = random.randint(1, 12)
        self.is_open = random.random() < 0.6
        self.tile = random.randint(1, 5)
        self.factor = random.choice([1, 2, 3])
        self.count = random.randint(0, 4)

    def loop(self):
        """From, to, step; what comes before the loop."""
        d, n = self.d, self.extent()
        if self.kind == "steps":
            return ("0", n, str(self.tile)), []
        if self.kind == "workers":
            return ("0", "3", "1"), [f"%t{d} = affine.apply affine_map<()[n] -> (n ceildiv 3)>()[%n{d}]"]
        if self.kind in ("strided", "parameter", "data", "branch"):
            return ("0", str(self.count), "1"), []
        if self.kind == "inner":
            return ("0", "1", "1"), []
        rounding = "floordiv" if self.kind == "moved" else "ceildiv"
        return ("0", f"%q{d}", "1"), [f"%q{d} = affine.apply affine_map<()[n] -> (n {rounding} {self.tile})>()[%n{d}]"]

    def extent(self):
        return f"%n{self.d}" if self.is_open else str(self.size)

    def place(self):
        """Lines in the body, the offset and the size of the tile."""
        d, t = self.d, self.tile
        k, at, size = f"%k{d}", f"%o{d}", f"%s{d}"
        if self.kind == "steps":
            return [f"{size} = affine.min affine_map<(k)[n] -> ({t}, n - k)>({k})[%n{d}]"], k, size
        if self.kind == "workers":
            return (
                [
                    f"{at} = arith.muli {k}, %t{d} : index",
                    f"%l{d} = arith.subi %n{d}, {at} : index",
                    f"%m{d} = arith.minsi %t{d}, %l{d} : index",
                    f"{size} = arith.maxsi %m{d}, %c0 : index",
                ],
                at,
                size,
            )
        scaled = f"{at} = affine.apply affine_map<(k) -> (k * {t})>({k})"
        if self.kind == "tiles":
            return [scaled, f"{size} = affine.min affine_map<(k)[n] -> ({t}, n - k * {t})>({k})[%n{d}]"], at, size
        if self.kind == "whole":
            return [scaled], at, str(t)
        if self.kind == "moved":
            return [f"{at} = affine.apply affine_map<(k)[p] -> (k * {t} + p)>({k})[%p]"], at, str(t)
        if self.kind == "strided":
            return [f"{at} = affine.apply affine_map<(k) -> (k * {self.factor})>({k})"], at, str(t)
        if self.kind == "parameter":
            return [f"{at} = arith.muli {k}, %p : index"], at, str(t)
        if self.kind == "turned":
            return (
                [f"{at} = affine.apply affine_map<(k)[n] -> (n - k * {t} - {t})>({k})[%n{d}]"],
                at,
                str(t),
            )
        # Data.
        return (
            [f"%e{d} = tensor.extract %i[{k}] : tensor<?xi64>", f"{at} = arith.index_cast %e{d} : i64 to index"],
            at,
            str(t),
        )

    def parts(self, size, parameter, data):
        """The parts that its iterations take, as (offset, size)."""
        t = self.tile
        if self.kind == "inner":
            return [(at, min(t, size - at)) for at in range(0, size, t)]
        if self.kind in ("tiles", "steps"):
            return [(at, min(t, size - at)) for at in range(0, size, t)]
        if self.kind == "workers":
            share = ceil_div(size, 3)
            return [(k * share, max(0, min(share, size - k * share))) for k in range(3)]
        if self.kind in ("whole", "turned", "moved"):
            count = size // t if self.kind == "moved" else ceil_div(size, t)
            at = lambda k: {"whole": k * t, "moved": k * t + parameter, "turned": size - k * t - t}[self.kind]
            return [(at(k), t) for k in range(count)]
        offsets = {"strided": lambda k: k * self.factor, "parameter": lambda k: k * parameter}
        return [(offsets.get(self.kind, lambda k: data[k])(k), t) for k in range(self.count)]


class Case:
    """A loop that adds 1 to the elements of its tiles."""

    def __init__(self):
        rank = random.choice([1, 2, 2])
        self.is_sound = random.random() < 0.5
        kinds = SOUND if self.is_sound else SOUND + OTHERS + OTHERS
        self.tiles = [Tile(d, random.choice(kinds)) for d in range(rank)]
        # Where only the first loop runs, only its own tiles count.
        if any(tile.kind == "branch" for tile in self.tiles) or all(tile.kind in SOUND for tile in self.tiles):
            self.is_sound = all(tile.kind in SOUND for tile in self.tiles)
        self.starts_from_input = random.random() < 0.5

    def text(self):
        """The program: `@f(x, data, parameter)`."""
        tiles = self.tiles
        whole = f"tensor<{'x'.join('?' if t.is_open else str(t.size) for t in tiles)}xf32>"
        lines = [f"func.func @f(%x: {whole}, %i: tensor<?xi64>, %p: index) -> {whole} {{"]
        lines += [f"%c{n} = arith.constant {n} : index" for n in range(max(2, len(tiles)))]
        lines.append("%one = arith.constant 1.0 : f32")
        for tile in tiles:
            known = f"arith.constant {tile.size} : index"
            lines.append(f"%n{tile.d} = {f'tensor.dim %x, %c{tile.d} : {whole}' if tile.is_open else known}")
        loops = [tile.loop() for tile in tiles]
        lines += [line for _, before in loops for line in before]
        sides = [", ".join(loop[i] for loop, _ in loops) for i in range(3)]
        counters = ", ".join(f"%k{tile.d}" for tile in tiles)
        lines.append(f"%r = scf.forall ({counters}) = ({sides[0]}) to ({sides[1]}) step ({sides[2]})")
        lines.append(f"    shared_outs(%a = %x) -> ({whole}) {{")
        inner = [tile for tile in tiles if tile.kind == "inner"]
        places = [tile.place() for tile in tiles if tile.kind != "inner"]
        lines += [line for before, _, _ in places for line in before]
        given = iter(places)
        at, size = [], []
        for tile in tiles:
            if tile.kind == "inner":
                at.append("0")
                size.append(tile.extent())
            else:
                _, offset, length = next(given)
                at.append(offset)
                size.append(length)
        shape = lambda sizes: f"tensor<{'x'.join('?' if s.startswith('%') else s for s in sizes)}xf32>"
        ones = f"[{', '.join('1' for _ in tiles)}]"
        where = lambda at, size: f"[{', '.join(at)}] [{', '.join(size)}] {ones}"
        part = shape(size)
        branch = any(tile.kind == "branch" for tile in tiles)
        if branch:
            # Data is looked at in one iteration of two.
            first = next(tile for tile in tiles if tile.kind == "branch")
            lines.append(f"%odd = arith.cmpi sge, %o{first.d}, %c0 : index")
        lines.append(f"%s = tensor.extract_slice %x{where(at, size)} : {whole} to {part}")
        value = "%s"
        if inner:
            lines += self.inner(inner[0], value, size, part)
            value = "%y"
        else:
            lines += add_one("%y", value, part, len(tiles))
        lines += [
            "scf.forall.in_parallel {",
            f"tensor.parallel_insert_slice %y into %a{where(at, size)} : {part} into {whole}",
            "}",
            "}",
            f"return %r : {whole}",
            "}",
        ]
        return "\n".join(lines) + "\n"

    def inner(self, tile, value, size, part):
        """A loop inside, over one dimension of a tile."""
        d, t, rank = tile.d, tile.tile, len(self.tiles)
        at = ["%j" if e == d else "0" for e in range(rank)]
        sizes = ["%w" if e == d else s for e, s in enumerate(size)]
        shape = f"tensor<{'x'.join('?' if s.startswith('%') else s for s in sizes)}xf32>"
        ones = f"[{', '.join('1' for _ in at)}]"
        where = f"[{', '.join(at)}] [{', '.join(sizes)}] {ones}"
        return [
            f"%ct = arith.constant {t} : index",
            f"%y = scf.for %j = %c0 to %n{d} step %ct iter_args(%b = {value}) -> ({part}) {{",
            f"%w = affine.min affine_map<(j)[n] -> ({t}, n - j)>(%j)[%n{d}]",
            f"%u = tensor.extract_slice %b{where} : {part} to {shape}",
            *add_one("%v", "%u", shape, rank),
            f"%z = tensor.insert_slice %v into %b{where} : {shape} into {part}",
            f"scf.yield %z : {part}",
            "}",
        ]

    def draw(self):
        """Arguments, and the result: `None` where a slice leaves its tensor."""
        parameter = random.choice([-1, 0, 0, 1, 2, 4, 2**63 - 1, 2**62])
        data = [random.choice([-1, 0, 0, 1, 2, 3]) for _ in range(5)]
        sizes = [random.choice([0, 1, *range(13)]) if t.is_open else t.size for t in self.tiles]
        x = np.arange(np.prod(sizes), dtype=np.float32).reshape(sizes)
        result = x.copy()
        parts = [[]]
        for tile, size in zip(self.tiles, sizes):
            mine = tile.parts(size, parameter, data)
            # A loop inside of an iteration runs whatever it finds.
            parts = [[*p, one] for p in parts for one in mine]
        for part in parts:
            if any(n == 0 for _, n in part):
                continue
            if any(at < 0 or at + n > size for (at, n), size in zip(part, sizes)):
                return (x, data, parameter), None
            place = tuple(slice(at, at + n) for at, n in part)
            result[place] = x[place] + 1
        return (x, data, parameter), result


def add_one(name, value, ty, rank):
    """An operation of linalg."""
    loops = ", ".join(f"d{d}" for d in range(rank))
    kinds = ", ".join('"parallel"' for _ in range(rank))
    id = f"affine_map<({loops}) -> ({loops})>"
    return [
        f"{name} = linalg.generic {{indexing_maps = [{id}, {id}], iterator_types = [{kinds}]}}",
        f"    ins({value} : {ty}) outs({value} : {ty}) {{",
        "^bb0(%e: f32, %f: f32):",
        "%g = arith.addf %e, %one : f32",
        "linalg.yield %g : f32",
        f"}} -> {ty}",
    ]


def main(folder, seed, count):
    os.makedirs(folder, exist_ok=True)
    random.seed(seed)
    file = lambda name: os.path.join(folder, name)
    right = refused = in_turn = 0
    for number in range(count):
        case = Case()
        with open(file("p.mlir"), "w", encoding="utf-8") as f:
            f.write(case.text())
        command = ["hal-compile", file("p.mlir"), "-o", file("p.so")]
        made = subprocess.run(command, capture_output=True, text=True)
        about = f"{seed}, {number}: {made.stderr}\n{case.text()}"
        is_in_turn = "checked-in-turn" in made.stderr
        assert not (case.is_sound and (is_in_turn or made.returncode)), f"not parallel: {about}"
        in_turn += is_in_turn
        draws = [case.draw() for _ in range(RUNS)]
        if made.returncode:
            assert any(word in made.stderr for word in NEVER), about
            assert all(expected is None for _, expected in draws), f"refused: {about}"
            refused += 1
            continue
        for (x, data, parameter), expected in draws:
            np.save(file("x.npy"), x)
            numbers = [f"{len(data)}xi64={','.join(map(str, data))}", str(parameter)]
            inputs = (f"@{file('x.npy')}", *numbers)
            about = f"{seed}, {number}:\n{case.text()}"
            if is_right(file("p.so"), inputs, file("o.npy"), expected, about):
                right += 1
            else:
                refused += 1
    print(
        f"{count} programs, {in_turn} of them one iteration after another: {right} runs are right, {refused} are refused"
    )


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
