"""Random functions that share states beside numpy: `random_programs.py LIBRARY_FOLDER SEED COUNT [TARGET]`.

Loads and stores stand in any order, also in branches; values are used after what they were made of was replaced.
"""

import random
import subprocess
import sys
import tempfile

import numpy as np
from libhalyard import Library

ROWS = 3
TYPE, GROWN = f"tensor<{ROWS}x4xf32>", "tensor<?x4xf32>"
STATES = {"a": TYPE, "b": TYPE, "c": GROWN, "d": GROWN}


class Function:
    """Text, and the same as a Python function of an input, a flag and the states."""

    def __init__(self, r, name):
        self.r, self.name, self.text, self.steps, self.count = r, name, [], [], 0
        self.values = {TYPE: ["x"], GROWN: []}

    def new(self, ty, text, step):
        name = f"v{self.count}"
        self.count += 1
        self.text.append(f"%{name} = {text}")
        self.steps.append(lambda env, s, step=step, name=name: env.__setitem__(name, step(env, s)))
        self.values[ty].append(name)

    def do(self, text, step):
        self.text.append(text)
        self.steps.append(step)

    def pick(self, ty):
        return self.r.choice(self.values[ty])

    def step(self, depth=0):
        kind = self.r.choice(
            [
                "load",
                "load",
                "store",
                "store",
                "update",
                "update",
                "add",
                "insert",
                "fill",
                "concat",
                "double",
                "element",
                "turn",
            ]
            + ["branch"] * (depth == 0)
        )
        state = self.r.choice(list(STATES))
        ty = STATES[state]
        if kind == "load":
            self.new(ty, f"ml_program.global_load @{state} : {ty}", lambda e, s: s[state])
        elif kind == "store" and self.values[ty]:
            v = self.pick(ty)
            self.do(f"ml_program.global_store @{state} = %{v} : {ty}", lambda e, s: s.__setitem__(state, e[v]))
        elif kind == "add":
            a, b = self.pick(TYPE), self.pick(TYPE)
            self.new(
                TYPE,
                f"linalg.add ins(%{a}, %{b} : {TYPE}, {TYPE}) outs(%e : {TYPE}) -> {TYPE}",
                lambda e, s: e[a] + e[b],
            )
        elif kind == "turn":
            a = self.pick(TYPE)
            text = f'linalg.generic {{indexing_maps = [affine_map<(d0, d1) -> ({ROWS - 1} - d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}} ins(%{a} : {TYPE}) outs(%e : {TYPE}) {{\n^bb0(%in: f32, %out: f32):\nlinalg.yield %in : f32\n}} -> {TYPE}'
            self.new(TYPE, text, lambda e, s: e[a][::-1])
        elif kind in ("insert", "element"):
            a, b, at = self.pick(TYPE), self.pick(TYPE), self.r.randrange(ROWS)

            def insert(e, s):
                made = e[a].copy()
                made[at] = e[b][0]
                return made

            def element(e, s):
                made = e[a].copy()
                made[at, 2] = e[b][0, 1]
                return made

            if kind == "insert":
                self.text.append(
                    f"%s{self.count} = tensor.extract_slice %{b}[0, 0] [1, 4] [1, 1] : {TYPE} to tensor<1x4xf32>"
                )
                self.new(
                    TYPE,
                    f"tensor.insert_slice %s{self.count} into %{a}[{at}, 0] [1, 4] [1, 1] : tensor<1x4xf32> into {TYPE}",
                    insert,
                )
            else:
                self.text.append(f"%s{self.count} = tensor.extract %{b}[%c0, %c1] : {TYPE}")
                self.new(TYPE, f"tensor.insert %s{self.count} into %{a}[%c{at}, %c2] : {TYPE}", element)
        elif kind == "fill":
            self.new(
                TYPE, f"linalg.fill ins(%k : f32) outs(%e : {TYPE}) -> {TYPE}", lambda e, s: np.full((ROWS, 4), 2, "f4")
            )
        elif kind == "concat" and self.values[GROWN]:
            a, b = self.pick(GROWN), self.pick(TYPE)
            self.new(
                GROWN,
                f"tensor.concat dim(0) %{a}, %{b} : ({GROWN}, {TYPE}) -> {GROWN}",
                lambda e, s: np.concatenate([e[a], e[b]]),
            )
        elif kind == "double" and self.values[GROWN]:
            a = self.pick(GROWN)
            n = self.count
            self.text.append(f"%n{n} = tensor.dim %{a}, %c0 : {GROWN}\n%t{n} = tensor.empty(%n{n}) : {GROWN}")
            self.new(
                GROWN,
                f"linalg.add ins(%{a}, %{a} : {GROWN}, {GROWN}) outs(%t{n} : {GROWN}) -> {GROWN}",
                lambda e, s: e[a] + e[a],
            )
        elif kind == "update" and ty == TYPE:
            # What may be done in place: element by element, or a part. The old and the new value may be used by others.
            n, b, at, known = (
                self.count,
                self.pick(TYPE),
                self.r.randrange(ROWS),
                [list(v) for v in self.values.values()],
            )
            self.new(TYPE, f"ml_program.global_load @{state} : {TYPE}", lambda e, s: s[state])
            old = f"v{n}"
            if self.r.random() < 0.5:
                text = f"linalg.sub ins(%{old}, %{b} : {TYPE}, {TYPE}) outs(%e : {TYPE}) -> {TYPE}"
                self.new(TYPE, text, lambda e, s: e[old] - e[b])
            else:
                self.text.append(f"%s{n} = tensor.extract_slice %{b}[0, 0] [1, 4] [1, 1] : {TYPE} to tensor<1x4xf32>")
                text = f"tensor.insert_slice %s{n} into %{old}[{at}, 0] [1, 4] [1, 1] : tensor<1x4xf32> into {TYPE}"
                self.new(TYPE, text, lambda e, s: np.concatenate([e[old][:at], e[b][:1], e[old][at + 1 :]]))
            new = f"v{self.count - 1}"
            self.do(f"ml_program.global_store @{state} = %{new} : {TYPE}", lambda e, s: s.__setitem__(state, e[new]))
            if self.r.random() < 0.7:
                self.values = dict(zip(self.values, known))
        elif kind == "branch":
            outer = {ty: list(v) for ty, v in self.values.items()}
            text, steps, arms = self.text, self.steps, []
            for _ in range(2):
                self.text, self.steps = [], []
                for _ in range(self.r.randrange(1, 5)):
                    self.step(1)
                arms.append((self.text, self.steps))
                self.values = {ty: list(v) for ty, v in outer.items()}
            self.text, self.steps = text, steps
            (yes, yes_steps), (no, no_steps) = arms
            self.do(
                "scf.if %flag {\n" + "\n".join(yes) + "\n} else {\n" + "\n".join(no) + "\n}",
                lambda e, s: [f(e, s) for f in (yes_steps if e["flag"] else no_steps)],
            )

    def build(self):
        for _ in range(self.r.randrange(4, 16)):
            self.step()
        self.results = [(self.pick(TYPE), TYPE)] + [(self.pick(t), t) for t in (GROWN,) if self.values[t]]
        names, types = ", ".join(f"%{v}" for v, _ in self.results), ", ".join(t for _, t in self.results)
        constants = (
            "".join(f"%c{i} = arith.constant {i} : index\n" for i in range(4))
            + f"%k = arith.constant 2.0 : f32\n%e = tensor.empty() : {TYPE}\n"
        )
        return (
            f"func.func @{self.name}(%x: {TYPE}, %flag: i1) -> ({types}) {{\n{constants}"
            + "\n".join(self.text)
            + f"\nreturn {names} : {types}\n}}\n"
        )

    def run(self, x, flag, states):
        env = {"x": x, "flag": flag}
        for step in self.steps:
            step(env, states)
        return [env[v] for v, _ in self.results]


def main(library, first, count, target="cpu"):
    library = Library(library)
    for seed in range(int(first), int(first) + int(count)):
        r = random.Random(seed)
        functions = [Function(r, f"f{i}") for i in range(6)]
        text = "".join(f"ml_program.global private mutable @{n} : {t}\n" for n, t in STATES.items()) + "".join(
            f.build() for f in functions
        )
        with tempfile.TemporaryDirectory() as folder:
            with open(f"{folder}/p.mlir", "w", encoding="utf-8") as f:
                f.write(text)
            subprocess.run(
                ["hal-compile", f"{folder}/p.mlir", "-o", f"{folder}/p.so", "-q", f"--target={target}"], check=True
            )
            program = library.load(f"{folder}/p.so", target)
        instance = program.instance()
        states = {n: np.zeros((ROWS, 4) if t == TYPE else (0, 4), "f4") for n, t in STATES.items()}
        numbers = np.random.default_rng(seed)
        for call in range(24):
            f = r.choice(functions)
            x, flag = numbers.integers(-4, 5, (ROWS, 4)).astype("f4"), r.random() < 0.5
            # What doubles and grows has an end.
            if any(len(s) > 200 or np.abs(s).max(initial=0) > 1e5 for s in states.values()):
                instance.reset()
                states = {n: np.zeros((ROWS, 4) if t == TYPE else (0, 4), "f4") for n, t in STATES.items()}
            want, got = f.run(x, flag, states), instance.call([x, np.array(flag)], f.name)
            held = {n: instance.state(n) for n in program.states()}
            right = all(np.array_equal(a, b) for a, b in zip(want, got, strict=True)) and all(
                np.array_equal(held[n], states[n]) for n in held
            )
            assert right, f"seed {seed}, call {call} of @{f.name}\n{text}\n{want}\n{got}\n{states}\n{held}"
    print(f"{count} programs are right")


if __name__ == "__main__":
    main(*sys.argv[1:])
