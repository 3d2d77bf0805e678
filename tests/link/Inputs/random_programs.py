"""random_programs.py SEED COUNT [MODULE [import]]: random host programs against a Python interpretation of the same.

Each program takes a tensor and a few numbers, and computes with inserts, slices, splats, branches, loops and calls on
tensors of static and dynamic shape. What the linked program returns must be what Python computes. With a MODULE they also call
a host function of it, which remembers how it was called: tests/host-functions/Inputs/random.c. With `import` they are models, of which
executables are formed first.
"""

import os
import random
import subprocess
import sys
import tempfile

N = 4  # elements of a static tensor


class Generator:
    """Writes MLIR and, in step, Python."""

    def __init__(self, rng, hosts=False):
        self.rng = rng
        self.hosts = hosts
        self.count = 0

    def name(self):
        self.count += 1
        return f"v{self.count}"

    def pick(self, env, kind):
        choices = [v for v, k in env if k == kind]
        return self.rng.choice(choices)

    def op(self, env, depth, indent):
        """One operation: lists of MLIR and Python lines; extends env."""
        r = self.rng
        pad = "  " * indent
        kinds = [
            "insert",
            "insert",
            "splat",
            "elements",
            "slice",
            "insert_slice",
            "arith",
            "extract",
            "select",
            "cast",
            "dslice",
            "reshape",
            "call",
        ]
        kinds += ["call"] * (4 if self.hosts else 0)
        if depth < 3:
            kinds += ["if", "for", "while", "for", "if"]
        kind = r.choice(kinds)
        v = self.name()
        if kind == "insert":
            k = r.choice("sd")
            t, x, i = self.pick(env, k), self.pick(env, "i"), r.randrange(N)
            c = self.name()
            ty = "tensor<4xi64>" if k == "s" else "tensor<?xi64>"
            env.append((v, k))
            return [
                f"{pad}%{c} = arith.constant {i} : index",
                f"{pad}%{v} = tensor.insert %{x} into %{t}[%{c}] : {ty}",
            ], [f"{pad}{v} = list({t}); {v}[{i}] = {x}"]
        if kind == "splat":
            x = self.pick(env, "i")
            env.append((v, "s"))
            return [f"{pad}%{v} = tensor.splat %{x} : tensor<4xi64>"], [f"{pad}{v} = [{x}] * 4"]
        if kind == "elements":
            xs = [self.pick(env, "i") for _ in range(N)]
            env.append((v, "s"))
            return [f"{pad}%{v} = tensor.from_elements {', '.join('%' + x for x in xs)} : tensor<4xi64>"], [
                f"{pad}{v} = [{', '.join(xs)}]"
            ]
        if kind == "slice":
            t, at = self.pick(env, "s"), r.randrange(3)
            w = self.name()
            s = self.pick(env, "s")
            env.append((v, "s"))
            return [
                f"{pad}%{w} = tensor.extract_slice %{t}[{at}] [2] [1] : tensor<4xi64> to tensor<2xi64>",
                f"{pad}%{v} = tensor.insert_slice %{w} into %{s}[0] [2] [2] : tensor<2xi64> into tensor<4xi64>",
            ], [f"{pad}{v} = list({s}); {v}[0], {v}[2] = {t}[{at}], {t}[{at + 1}]"]
        if kind == "insert_slice":
            t, s = self.pick(env, "s"), self.pick(env, "s")
            w = self.name()
            at = r.randrange(3)
            env.append((v, "s"))
            return [
                f"{pad}%{w} = tensor.extract_slice %{t}[0] [2] [1] : tensor<4xi64> to tensor<2xi64>",
                f"{pad}%{v} = tensor.insert_slice %{w} into %{s}[{at}] [2] [1] : tensor<2xi64> into tensor<4xi64>",
            ], [f"{pad}{v} = list({s}); {v}[{at}:{at + 2}] = {t}[0:2]"]
        if kind == "arith":
            a, b = self.pick(env, "i"), self.pick(env, "i")
            o, p = r.choice([("addi", "+"), ("subi", "-"), ("xori", "^")])
            env.append((v, "i"))
            return [f"{pad}%{v} = arith.{o} %{a}, %{b} : i64"], [f"{pad}{v} = wrap({a} {p} {b})"]
        if kind == "extract":
            k = r.choice("sd")
            t, i = self.pick(env, k), r.randrange(N)
            c = self.name()
            ty = "tensor<4xi64>" if k == "s" else "tensor<?xi64>"
            env.append((v, "i"))
            return [f"{pad}%{c} = arith.constant {i} : index", f"{pad}%{v} = tensor.extract %{t}[%{c}] : {ty}"], [
                f"{pad}{v} = {t}[{i}]"
            ]
        if kind == "select":
            k = r.choice("sd")
            a, b, x, y = self.pick(env, k), self.pick(env, k), self.pick(env, "i"), self.pick(env, "i")
            c = self.name()
            ty = "tensor<4xi64>" if k == "s" else "tensor<?xi64>"
            env.append((v, k))
            return [
                f"{pad}%{c} = arith.cmpi slt, %{x}, %{y} : i64",
                f"{pad}%{v} = arith.select %{c}, %{a}, %{b} : {ty}",
            ], [f"{pad}{v} = {a} if {x} < {y} else {b}"]
        if kind == "cast":
            t = self.pick(env, "s")
            env.append((v, "d"))
            return [f"{pad}%{v} = tensor.cast %{t} : tensor<4xi64> to tensor<?xi64>"], [f"{pad}{v} = {t}"]
        if kind == "reshape":
            t = self.pick(env, "s")
            w = self.name()
            env.append((v, "s"))
            return [
                f"{pad}%{w} = tensor.expand_shape %{t} [[0, 1]] output_shape [2, 2] : tensor<4xi64> into tensor<2x2xi64>",
                f"{pad}%{v} = tensor.collapse_shape %{w} [[0, 1]] : tensor<2x2xi64> into tensor<4xi64>",
            ], [f"{pad}{v} = {t}"]
        if kind == "dslice":
            # A longer tensor: two put together (cut to eight).
            a, b = self.pick(env, "d"), self.pick(env, "d")
            z, f, da, db, n, e, g = (self.name() for _ in range(7))
            env.append((v, "d"))
            h = self.name()
            return [
                f"{pad}%{z} = arith.constant 0 : index",
                f"{pad}%{f} = arith.constant 4 : index",
                f"{pad}%{da} = tensor.dim %{a}, %{z} : tensor<?xi64>",
                f"{pad}%{n} = arith.addi %{da}, %{f} : index",
                f"{pad}%{e} = tensor.empty(%{n}) : tensor<?xi64>",
                f"{pad}%{g} = tensor.insert_slice %{a} into %{e}[0] [%{da}] [1] : tensor<?xi64> into tensor<?xi64>",
                f"{pad}%{db} = tensor.extract_slice %{b}[0] [4] [1] : tensor<?xi64> to tensor<4xi64>",
                f"{pad}%{h} = tensor.insert_slice %{db} into %{g}[%{da}] [4] [1] : tensor<4xi64> into tensor<?xi64>",
                f"{pad}%{v} = tensor.extract_slice %{h}[%{f}] [%{da}] [1] : tensor<?xi64> to tensor<?xi64>",
            ], [f"{pad}{v} = ({a} + {b}[0:4])[4:]"]
        if kind == "call":
            a, d, x = self.pick(env, "s"), self.pick(env, "d"), self.pick(env, "i")
            callee = r.choice(self.callees) if self.callees else None
            if callee is None:
                env.append((v, "s"))
                return [f"{pad}%{v} = tensor.splat %{x} : tensor<4xi64>"], [f"{pad}{v} = [{x}] * 4"]
            w = self.name()
            u = self.name()
            env += [(v, "s"), (w, "d"), (u, "i")]
            q = self.name()
            # MLIR names the results of one operation together.
            lines = [
                f"{pad}%{q}:3 = func.call @{callee}(%{a}, %{d}, %{x}) : (tensor<4xi64>, tensor<?xi64>, i64) -> (tensor<4xi64>, tensor<?xi64>, i64)"
            ]
            lines += self.unpack(pad, [(v, "s"), (w, "d"), (u, "i")], q)
            return lines, [f"{pad}{v}, {w}, {u} = {callee}({a}, {d}, {x})"]
        types = {"s": "tensor<4xi64>", "d": "tensor<?xi64>", "i": "i64"}
        ks = [r.choice("ssdi") for _ in range(r.randrange(1, 5))]
        names = [self.name() for _ in ks]
        q = self.name()
        ty = ", ".join(types[k] for k in ks)
        inits = [self.pick(env, k) for k in ks]
        if kind == "if":
            x, y, c = self.pick(env, "i"), self.pick(env, "i"), self.name()
            mlir = [f"{pad}%{c} = arith.cmpi sle, %{x}, %{y} : i64", f"{pad}%{q}:{len(ks)} = scf.if %{c} -> ({ty}) {{"]
            py = [f"{pad}if {x} <= {y}:"]
            for arm in range(2):
                inner = list(env)
                m, p = self.block(inner, depth + 1, indent + 1)
                out = [self.pick(inner, k) for k in ks]
                mlir += m + [
                    f"{pad}  scf.yield {', '.join('%' + o for o in out)} : {ty}",
                    f"{pad}}} else {{" if arm == 0 else f"{pad}}}",
                ]
                py += p + [f"{pad}  {', '.join(names)}, = {', '.join(out)},"]
                if arm == 0:
                    py.append(f"{pad}else:")
        elif kind == "for":
            times = r.randrange(4)
            lo, hi, st, iv = (self.name() for _ in range(4))
            args = [self.name() for _ in ks]
            mlir = [
                f"{pad}%{lo} = arith.constant 0 : index",
                f"{pad}%{hi} = arith.constant {times} : index",
                f"{pad}%{st} = arith.constant 1 : index",
                f"{pad}%{q}:{len(ks)} = scf.for %{iv} = %{lo} to %{hi} step %{st} iter_args({', '.join(f'%{a} = %{i}' for a, i in zip(args, inits))}) -> ({ty}) {{",
            ]
            w = self.name()
            mlir.append(f"{pad}  %{w} = arith.index_cast %{iv} : index to i64")
            py = [f"{pad}{', '.join(args)}, = {', '.join(inits)},", f"{pad}for {w} in range({times}):"]
            inner = list(env) + list(zip(args, ks)) + [(w, "i")]
            m, p = self.block(inner, depth + 1, indent + 1)
            recent = inner[len(env) :]
            out = [self.pick(recent, k) if any(kk == k for _, kk in recent) else self.pick(inner, k) for k in ks]
            mlir += m + [f"{pad}  scf.yield {', '.join('%' + o for o in out)} : {ty}", f"{pad}}}"]
            py += p + [
                f"{pad}  {', '.join(args)}, = {', '.join(out)},",
                f"{pad}{', '.join(names)}, = {', '.join(args)},",
            ]
        else:
            times = r.randrange(4)
            cnt, bargs, aargs = self.name(), [self.name() for _ in ks], [self.name() for _ in ks]
            z, lim, c, nxt, one, ac = (self.name() for _ in range(6))
            mlir = [
                f"{pad}%{z} = arith.constant 0 : i64",
                f"{pad}%{lim} = arith.constant {times} : i64",
                f"{pad}%{one} = arith.constant 1 : i64",
                f"{pad}%{q}x:{len(ks) + 1} = scf.while (%{cnt} = %{z}, {', '.join(f'%{a} = %{i}' for a, i in zip(bargs, inits))}) : (i64, {ty}) -> (i64, {ty}) {{",
            ]
            py = [f"{pad}{cnt} = 0", f"{pad}{', '.join(bargs)}, = {', '.join(inits)},", f"{pad}while True:"]
            inner = list(env) + list(zip(bargs, ks)) + [(cnt, "i")]
            m, p = self.block(inner, depth + 1, indent + 1)
            recent = inner[len(env) :]
            if r.random() < 0.5:
                fwd = bargs if r.random() < 0.5 else [self.pick([(b, k2) for b, k2 in zip(bargs, ks)], k) for k in ks]
            else:
                fwd = [self.pick(recent, k) for k in ks]
            mlir += m + [
                f"{pad}  %{c} = arith.cmpi slt, %{cnt}, %{lim} : i64",
                f"{pad}  scf.condition(%{c}) %{cnt}, {', '.join('%' + o for o in fwd)} : i64, {ty}",
                f"{pad}}} do {{",
                f"{pad}^bb0(%{ac}: i64, {', '.join(f'%{a}: {types[k]}' for a, k in zip(aargs, ks))}):",
            ]
            py += p + [f"{pad}  {', '.join(aargs)}, = {', '.join(fwd)},", f"{pad}  if not {cnt} < {times}: break"]
            inner = list(env) + list(zip(aargs, ks)) + [(ac, "i")]
            py.append(f"{pad}  {ac} = {cnt}")
            m, p = self.block(inner, depth + 1, indent + 1)
            recent = inner[len(env) :]
            out = [self.pick(recent, k) for k in ks]
            mlir += m + [
                f"{pad}  %{nxt} = arith.addi %{ac}, %{one} : i64",
                f"{pad}  scf.yield %{nxt}, {', '.join('%' + o for o in out)} : i64, {ty}",
                f"{pad}}}",
            ]
            py += p + [
                f"{pad}  {', '.join(bargs)}, = {', '.join(out)},",
                f"{pad}  {cnt} = {ac} + 1",
                f"{pad}{', '.join(names)}, = {', '.join(aargs)},",
            ]
            env += list(zip(names, ks))
            return mlir + self.unpack(pad, list(zip(names, ks)), q + "x", 1), py
        env += list(zip(names, ks))
        return mlir + self.unpack(pad, list(zip(names, ks)), q), py

    def unpack(self, pad, names, group, first=0):
        lines = []
        for i, (n, k) in enumerate(names):
            if k == "i":
                c = self.name()
                lines += [
                    f"{pad}%{c} = arith.constant 0 : i64",
                    f"{pad}%{n} = arith.addi %{group}#{i + first}, %{c} : i64",
                ]
            else:
                ty = "tensor<4xi64>" if k == "s" else "tensor<?xi64>"
                lines += [f"{pad}%{n} = tensor.cast %{group}#{i + first} : {ty} to {ty}"]
        return lines

    def block(self, env, depth, indent):
        mlir, py = [], []
        for _ in range(self.rng.randrange(1, 5 if depth else 9)):
            m, p = self.op(env, depth, indent)
            mlir += m
            py += p
        return mlir, py or ["  " * indent + "pass"]

    def function(self, name, public):
        env = [("s0", "s"), ("d0", "d"), ("i0", "i")]
        mlir, py = self.block(env, 0 if public else 2, 2)
        rest = env[3:] or env
        out = []
        for k in "sdi":
            out.append(self.pick(rest, k) if any(kk == k for _, kk in rest) else self.pick(env, k))
        vis = "" if public else "private "
        head = f"  func.func {vis}@{name}(%s0: tensor<4xi64>, %d0: tensor<?xi64>, %i0: i64) -> (tensor<4xi64>, tensor<?xi64>, i64) {{"
        mlir = (
            [head] + mlir + [f"    return {', '.join('%' + o for o in out)} : tensor<4xi64>, tensor<?xi64>, i64", "  }"]
        )
        py = [f"def {name}(s0, d0, i0):"] + py + [f"    return {', '.join(out)}"]
        return mlir, py

    def program(self):
        self.callees = ["mix"] if self.hosts else []
        mlir, py = ['module attributes {hal.phase = "objects", hal.version = 1 : i32} {'], []
        if self.hosts:
            ty = "(tensor<4xi64>, tensor<?xi64>, i64) -> (tensor<4xi64>, tensor<?xi64>, i64)"
            mlir.append(f'  func.func private @mix{ty} attributes {{hal.host_function = "random.mix"}}')
        for i in range(2):
            m, p = self.function(f"f{i}", False)
            mlir += m
            py += p
            self.callees.append(f"f{i}")
        m, p = self.function("main", True)
        return "\n".join(mlir + m + ["}"]), "\n".join(py + p)


def wrap(x):
    return (x + 2**63) % 2**64 - 2**63


def host():
    """The function of random.c: its results depend on all calls so far."""
    memory = 0

    def mix(s, d, x):
        nonlocal memory
        memory = wrap(memory * 31 + x + s[0] + d[-1])
        return [wrap(v + memory) for v in reversed(s)], [wrap(v ^ memory) for v in d[1:] + d[:1]], memory

    return mix


def main():
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    module, is_model = sys.argv[3:4], sys.argv[4:] == ["import"]
    folder = tempfile.mkdtemp()
    failed = 0
    for number in range(seed, seed + count):
        rng = random.Random(number)
        mlir, py = Generator(rng, bool(module)).program()
        scope = {"wrap": wrap, "mix": host()}
        exec(py, scope)
        s, d, i = (
            [rng.randrange(-9, 9) for _ in range(4)],
            [rng.randrange(-9, 9) for _ in range(rng.randrange(4, 9))],
            rng.randrange(-5, 5),
        )
        es, ed, ei = scope["main"](s, d, i)
        src, so = os.path.join(folder, "p.mlir"), os.path.join(folder, "p.so")
        if is_model:
            mlir = mlir.replace('attributes {hal.phase = "objects", hal.version = 1 : i32} ', "")
        open(src, "w").write(mlir)
        command = (
            f"hal-import '{src}' | hal-translate | hal-link -o '{so}'" if is_model else f"hal-link '{src}' -o '{so}'"
        )
        link = subprocess.run(command, shell=True, capture_output=True, text=True)
        text = lambda values: ",".join(map(str, values))
        run = link
        if link.returncode == 0:
            run = subprocess.run(
                [
                    "hal-run",
                    so,
                    "--function=main",
                    f"--input=4xi64={text(s)}",
                    f"--input={len(d)}xi64={text(d)}",
                    f"--input=i64={i}",
                    f"--expect=4xi64={text(es)}",
                    f"--expect={len(ed)}xi64={text(ed)}",
                    f"--expect=i64={ei}",
                    *[f"--module={m}" for m in module],
                ],
                capture_output=True,
                text=True,
            )
        if run.returncode != 0:
            failed += 1
            print(mlir, py, sep="\n")
            print(f"seed {number}: expected {es} {ed} {ei}\n{run.stdout}{run.stderr[:600]}")
    print(f"{count - failed} of {count} programs agree")
    sys.exit(1 if failed else 0)


main()
