"""Bodies of operations: small graphs of scalar operations."""

import numpy as np
import scalars
import values
from values import Array, is_float


class Body:
    """Operations on numbers; a reference is ("in", k), ("out", k), ("index", loop), ("const", dtype, n) or ("op", k)."""

    def __init__(self, ins, outs):
        self.ins, self.outs, self.ops, self.yields = list(ins), list(outs), [], []

    def dtype(self, ref):
        kind, at = ref[0], ref[1]
        if kind in ("in", "out"):
            return (self.ins if kind == "in" else self.outs)[at]
        return {"index": "index", "const": at}[kind] if kind != "op" else self.ops[at][3]

    def add(self, name, f, refs, dtype, extra=""):
        """An operation: `extra` stands before its operands (predicates)."""
        self.ops.append((name, f, list(refs), dtype, extra))
        return ("op", len(self.ops) - 1)

    def needed(self, yields=None):
        """The operations that count."""
        wanted, found = [r for r in (self.yields if yields is None else yields)], set()
        while wanted:
            ref = wanted.pop()
            if ref[0] == "op" and ref[1] not in found:
                found.add(ref[1])
                wanted.extend(self.ops[ref[1]][2])
        return sorted(found)

    def refs(self, yields=None):
        """All that is read."""
        chosen = self.yields if yields is None else yields
        return set(chosen) | {r for k in self.needed(chosen) for r in self.ops[k][2]}

    def emit(self, text, ins, outs):
        """Writes the operations; gives the names of what is yielded. `ins` and `outs` are names."""
        made, consts = {}, {}

        def name(ref):
            if ref[0] == "in":
                return ins[ref[1]]
            if ref[0] == "out":
                return outs[ref[1]]
            if ref not in consts and ref[0] == "const":
                consts[ref] = text.number(ref[1], ref[2])
            if ref not in consts and ref[0] == "index":
                consts[ref] = text.fresh("i")
                text.line(f"{consts[ref]} = linalg.index {ref[1]} : index")
            return made[ref] if ref[0] == "op" else consts[ref]

        for k in self.needed():
            op, _, refs, dtype, extra = self.ops[k]
            names = ", ".join(name(r) for r in refs)
            source = self.dtype(refs[-1] if op == "arith.select" else refs[0])
            cast = op in CASTS
            made["op", k] = text.fresh("x")
            text.line(f"{made['op', k]} = {op} {extra}{names} : {source}" + (f" to {dtype}" if cast else ""))
        return [name(r) for r in self.yields]

    def evaluate(self, ins, outs, index):
        """What is yielded: arrays of whatever shape, `index` the numbers of the loops."""
        made = {}

        def get(ref):
            if ref[0] == "in":
                return ins[ref[1]]
            if ref[0] == "out":
                return outs[ref[1]]
            if ref[0] == "index":
                return Array("index", np.asarray(index[ref[1]]).astype(np.int64))
            if ref[0] == "const":
                return values.of(ref[1], np.asarray(ref[2]))
            return made[ref]

        for k in self.needed():
            made["op", k] = self.ops[k][1](*(get(r) for r in self.ops[k][2]))
        return [get(r) for r in self.yields]

    def without(self, k):
        """The body with an operation replaced by an operand of its type, or None."""
        for ref in self.ops[k][2]:
            if self.dtype(ref) == self.ops[k][3]:
                body = Body(self.ins, self.outs)
                change = lambda r: ref if r == ("op", k) else r  # noqa: E731
                body.ops = [(n, f, [change(r) for r in refs], d, x) for n, f, refs, d, x in self.ops]
                body.yields = [change(r) for r in self.yields]
                return body
        return None


CASTS = {"arith.extf", "arith.truncf", "arith.sitofp", "arith.uitofp", "arith.fptosi", "arith.fptoui", "arith.extsi", "arith.extui",
         "arith.trunci", "arith.index_cast", "arith.index_castui", "arith.bitcast"}  # fmt: skip
# Orders and groupings do not matter.
COMBINE = {True: ["arith.addf"] * 4 + ["arith.mulf", "arith.maximumf", "arith.minimumf", "arith.maxnumf", "arith.minnumf"],
           False: ["arith.addi"] * 3 + ["arith.muli", "arith.maxsi", "arith.minsi", "arith.maxui", "arith.minui", "arith.andi", "arith.ori", "arith.xori"]}  # fmt: skip


class Writer:
    """Draws bodies."""

    def __init__(self, r, body, loops):
        self.r, self.body = r, body
        self.pool = [("in", k) for k in range(len(body.ins))]
        if loops and r.flag(0.2):
            self.pool.append(("index", r.randrange(loops)))

    def convert(self, ref, dtype):
        """A reference in another type, by one or two steps."""
        source = self.body.dtype(ref)
        if source == dtype:
            return ref
        ways = scalars.conversions(source, dtype)
        if not ways:
            middle = "f32" if is_float(source) and is_float(dtype) else "i32" if not is_float(source) else "i64"
            if middle == source:
                middle = "i16"
            return self.convert(self.convert(ref, middle), dtype)
        name, f = self.r.choice(ways)
        return self.body.add(name, f, [ref], dtype)

    def leaf(self, dtype):
        same = [p for p in self.pool if self.body.dtype(p) == dtype]
        if same and self.r.flag(0.8):
            return self.r.choice(same)
        if self.pool and self.r.flag(0.7):
            return self.convert(self.r.choice(self.pool), dtype)
        return (
            ("const", dtype, self.r.number(dtype))
            if dtype != "index"
            else self.convert(("const", "i32", self.r.number("i32")), dtype)
        )

    def expression(self, dtype, depth):
        r = self.r
        # Devices differ in the width of an index: no arithmetic that could overflow.
        if depth <= 0 or dtype == "index" or r.flag(0.15):
            return self.leaf(dtype)
        sub = lambda: self.expression(dtype, depth - 1)  # noqa: E731
        body = self.body
        if r.flag(0.15):
            return body.add("arith.select", scalars.select, [self.condition(depth - 1), sub(), sub()], dtype)
        if is_float(dtype):
            if r.flag(0.25):
                name = r.choice(list(scalars.F1) if r.flag() else list(scalars.F1)[:7])
                return body.add(name, scalars.F1[name], [sub()], dtype)
            if r.flag(0.05):
                return body.add("math.fma", scalars.fma, [sub(), sub(), sub()], dtype)
            name = r.choice(list(scalars.F2) + ["arith.addf", "arith.mulf", "arith.subf"] * 2)
            return body.add(name, scalars.F2[name], [sub(), sub()], dtype)
        if dtype == "i1":
            if r.flag():
                return self.condition(depth - 1)
            name = r.choice(["arith.andi", "arith.ori", "arith.xori", "arith.addi"])
            return body.add(name, scalars.I2[name], [sub(), sub()], dtype)
        if r.flag(0.25):
            name = r.choice(list(scalars.DIVIDE))
            one = ("const", dtype, 1)
            divisor = (
                body.add("arith.ori", scalars.I2["arith.ori"], [sub(), one], dtype)
                if r.flag(0.7)
                else ("const", dtype, r.choice([1, -1, 2, 3, -5, 7]))
            )
            return body.add(name, scalars.DIVIDE[name], [sub(), divisor], dtype)
        if r.flag(0.15):
            name = r.choice(list(scalars.SHIFT))
            mask = ("const", dtype, values.BITS[dtype] - 1)
            amount = body.add("arith.andi", scalars.I2["arith.andi"], [sub(), mask], dtype)
            return body.add(name, scalars.SHIFT[name], [sub(), amount], dtype)
        if r.flag(0.1):
            name = r.choice(list(scalars.I1))
            return body.add(name, scalars.I1[name], [sub()], dtype)
        name = r.choice(list(scalars.I2))
        return body.add(name, scalars.I2[name], [sub(), sub()], dtype)

    def condition(self, depth):
        r = self.r
        of = r.choice([self.body.dtype(p) for p in self.pool] or ["f32"])
        sub = [self.expression(of, depth - 1) for _ in range(2)]
        if is_float(of):
            predicate = r.choice(scalars.FPREDICATES)
            return self.body.add("arith.cmpf", scalars.cmpf(predicate), sub, "i1", predicate + ", ")
        predicate = r.choice(scalars.IPREDICATES)
        return self.body.add("arith.cmpi", scalars.cmpi(predicate), sub, "i1", predicate + ", ")

    def combine(self, out, value):
        """The out combined with a value, in a way that does not mind the order."""
        dtype = self.body.outs[out]
        name = self.r.choice(COMBINE[is_float(dtype)])
        f = scalars.productf if name == "arith.mulf" else (scalars.F2 if is_float(dtype) else scalars.I2)[name]
        refs = [("out", out), value]
        return self.body.add(name, f, refs if self.r.flag() else refs[::-1], dtype)
