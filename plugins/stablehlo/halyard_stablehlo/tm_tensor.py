"""Operations of torch-mlir's dialect `tm_tensor`, which its linalg output has: sorting, scattering, running sums. No bindings
know the dialect, so this works on the text, which torch-mlir writes in one way."""

import re

OPERATION = re.compile(
    r"^(?P<space> *)(?P<result>%[\w.$-]+)(?::\d+)? = tm_tensor\.(?P<name>sort|scatter|scan)\b(?P<attributes>.*?)"
    r"(?: ins\((?P<ins>[^)]*)\))? outs\((?P<outs>[^)]*)\) \{\n *\^bb0\((?P<arguments>.*)\):\n(?P<body>(?:.*\n)*?)"
    r" *tm_tensor\.yield (?P<yielded>%[\w.$#-]+) : \w+\n *\} -> (?P<types>.*)$",
    re.M,
)


def lower(text):
    """The text with those operations as loops over elements."""
    count = 0
    while found := OPERATION.search(text):
        lines = Lowering(found, f"%tm{count}_").lines()
        text = text[: found.start()] + "\n".join(found["space"] + line for line in lines) + text[found.end() :]
        # `%4`, and `%4#1` of several.
        text = re.sub(re.escape(found["result"]) + r"(?![\w.$-])", f"%tm{count}_all", text)
        count += 1
    return text


def values(listed):
    """`%a, %b : T, U` as pairs."""
    names, types = listed.split(" : ")
    return list(zip(names.split(", "), types.split(", ")))


def sizes(t):
    """The sizes in a tensor type, `?` where one is not known, and the element type."""
    *shape, element = t.removeprefix("tensor<").removesuffix(">").split("x")
    return shape, element


class Lowering:
    """One operation."""

    def __init__(self, found, prefix):
        self.found, self.p = found, prefix
        self.out, self.depth, self.used = [], 0, 0
        self.ins = values(found["ins"]) if found["ins"] else []
        self.outs = values(found["outs"])

    def lines(self):
        self.index = {n: self.let(f"arith.constant {n} : index") for n in (0, 1)}
        getattr(self, self.found["name"])()
        return self.out

    def say(self, line):
        self.out.append("  " * self.depth + line)

    def let(self, what):
        self.used += 1
        name = f"{self.p}{self.used}"
        self.say(f"{name} = {what}")
        return name

    def size(self, v, t, d):
        n = sizes(t)[0][d]
        at = self.let(f"arith.constant {d if n == '?' else n} : index")
        return self.let(f"tensor.dim {v}, {at} : {t}") if n == "?" else at

    def loop(self, low, high, step, carried, body, name=None):
        """`scf.for` that carries pairs of value and type; `body` gets the index and the values, and gives new ones."""
        self.used += 1
        name = name or f"{self.p}{self.used}"
        i = f"{self.p}i{self.used}"
        inside = [f"{self.p}a{self.used}_{k}" for k in range(len(carried))]
        pairs = ", ".join(f"{a} = {v}" for a, (v, _) in zip(inside, carried))
        types = ", ".join(t for _, t in carried)
        many = f":{len(carried)}" if len(carried) > 1 else ""
        self.say(f"{name}{many} = scf.for {i} = {low} to {high} step {step} iter_args({pairs}) -> ({types}) {{")
        self.depth += 1
        new = body(i, inside)
        self.say(f"scf.yield {', '.join(new)} : {types}")
        self.depth -= 1
        self.say("}")
        return [f"{name}#{k}" for k in range(len(carried))] if many else [name]

    def nest(self, bounds, carried, body, name=None, at=()):
        """Loops within loops."""
        if not bounds:
            return body(list(at), [v for v, _ in carried])

        def inner(i, inside):
            return self.nest(bounds[1:], [(v, t) for v, (_, t) in zip(inside, carried)], body, None, [*at, i])

        return self.loop(self.index[0], bounds[0], self.index[1], carried, inner, name)

    def region(self, arguments):
        """The operation's own arithmetic on numbers."""
        names = [a.split(":")[0] for a in self.found["arguments"].split(", ")]
        body = self.found["body"] + self.found["yielded"]
        defined = re.findall(r"^ *(%[\w.$-]+)(?::\d+)? =", body, re.M)
        self.used += 1
        env = dict(zip(names, arguments)) | {d: f"{self.p}r{self.used}_{d[1:]}" for d in defined}
        body = re.sub(r"%[\w.$-]+", lambda m: env.get(m[0], m[0]), body)
        *lines, result = body.split("\n")
        for line in lines:
            self.say(line.strip())
        return result.strip()

    def read(self, v, t, at):
        return self.let(f"tensor.extract {v}[{', '.join(at)}] : {t}")

    def write(self, x, v, t, at):
        return self.let(f"tensor.insert {x} into {v}[{', '.join(at)}] : {t}")

    def dimension(self):
        return int(re.search(r"dimension\((\d+)\)", self.found["attributes"])[1])

    def scan(self):
        """Running sums: `inclusive` or without the element itself."""
        ((x, t),) = self.ins
        (out, _), (last, u) = self.outs
        d, rank = self.dimension(), len(sizes(t)[0])
        inclusive = "inclusive(true)" in self.found["attributes"]
        n, zero, one = self.size(x, t, d), self.index[0], self.index[1]
        others = [self.size(x, t, k) for k in range(rank) if k != d]

        def line(at, carried):
            def place(k):
                return [*at[:d], k, *at[d:]]

            def step(i, state):
                out, last, total = state
                first = self.let(f"arith.cmpi eq, {i}, {zero} : index")
                before = self.let(f"arith.subi {i}, {one} : index")
                at = i if inclusive else self.let(f"arith.maxsi {before}, {zero} : index")
                number = self.read(x, t, place(at))
                start = number if inclusive else total
                new = self.let(f"arith.select {first}, {start}, {self.region([total, number])} : {sizes(t)[1]}")
                kept = self.read(last, u, line_at)
                final = self.let(f"arith.select {first}, {kept}, {new} : {sizes(t)[1]}")
                return [self.write(new, out, t, place(i)), self.write(final, last, u, line_at), new]

            line_at = at
            start = self.read(carried[1], u, at)
            state = [(carried[0], t), (carried[1], u), (start, sizes(t)[1])]
            return self.loop(zero, n, one, state, step, None if others else self.p + "all")[:2]

        self.nest(others, [(out, t), (last, u)], line, self.p + "all")

    def scatter(self):
        """Updates, slice by slice; what is out of range is found when the program runs."""
        (updates, t), (indices, it) = self.ins
        ((original, ot),) = self.outs
        dims = [int(n) for n in re.search(r"array<i64: ([\d, ]*)>", self.found["attributes"])[1].split(",")]
        rank, own = len(sizes(ot)[0]), len(sizes(t)[0]) - 1
        bounds = [self.size(updates, t, d) for d in range(own + 1)]
        numbers = {j: self.let(f"arith.constant {j} : index") for j in range(len(dims))}

        def update(at, carried):
            place = [None] * (rank - own) + at[1:]
            for j, d in enumerate(dims):
                k = self.let(
                    f"arith.index_cast {self.read(indices, it, [at[0], numbers[j]])} : {sizes(it)[1]} to index"
                )
                place[d] = self.let(f"arith.addi {k}, {place[d]} : index") if place[d] else k
            new = self.region([self.read(updates, t, at), self.read(carried[0], ot, place)])
            return [self.write(new, carried[0], ot, place)]

        self.nest(bounds, [(original, ot)], update, self.p + "all")

    def sort(self):
        """Merging, from runs of one element on; there and back again in each round."""
        d = self.dimension()
        first, t = self.outs[0]
        rank = len(sizes(t)[0])
        zero, one = self.index[0], self.index[1]
        n = self.size(first, t, d)
        others = [self.size(first, t, k) for k in range(rank) if k != d]
        types = [u for _, u in self.outs]
        count = len(types)
        top = self.let(f"arith.subi {n}, {one} : index")

        def round_(source, target, width):
            twice = self.let(f"arith.addi {width}, {width} : index")

            def line(at, carried):
                def place(k):
                    return [*at[:d], k, *at[d:]]

                def run(low, carried):
                    ends = [self.let(f"arith.addi {low}, {w} : index") for w in (width, twice)]
                    middle, high = (self.let(f"arith.minsi {end}, {n} : index") for end in ends)

                    def step(o, state):
                        left, right, *target = state
                        i, k = (self.let(f"arith.minsi {v}, {top} : index") for v in (left, right))
                        a = [self.read(v, u, place(i)) for v, u in zip(source, types)]
                        b = [self.read(v, u, place(k)) for v, u in zip(source, types)]
                        fits = self.region([v for pair in zip(a, b) for v in pair])
                        some = self.let(f"arith.cmpi slt, {left}, {middle} : index")
                        none = self.let(f"arith.cmpi sge, {right}, {high} : index")
                        takes = self.let(f"arith.andi {some}, {self.let(f'arith.ori {none}, {fits} : i1')} : i1")
                        new = []
                        for x, y, v, u in zip(a, b, target, types):
                            new.append(
                                self.write(self.let(f"arith.select {takes}, {x}, {y} : {sizes(u)[1]}"), v, u, place(o))
                            )
                        moved = (
                            self.let(f"arith.addi {left}, {one} : index"),
                            self.let(f"arith.addi {right}, {one} : index"),
                        )
                        left = self.let(f"arith.select {takes}, {moved[0]}, {left} : index")
                        right = self.let(f"arith.select {takes}, {right}, {moved[1]} : index")
                        return [left, right, *new]

                    state = [(low, "index"), (middle, "index"), *zip(carried, types)]
                    return self.loop(low, high, one, state, step)[2:]

                return self.loop(zero, n, twice, list(zip(carried, types)), run)

            return self.nest(others, list(zip(target, types)), line)

        def rounds(_, state):
            now, spare, width = state[:count], state[count : 2 * count], state[2 * count]
            spare = round_(now, spare, width)
            width = self.let(f"arith.addi {width}, {width} : index")
            now = round_(spare, now, width)
            return [*now, *spare, self.let(f"arith.addi {width}, {width} : index")]

        # Half as often as 1 has to be doubled to reach n.
        wide = self.let(f"arith.index_cast {top} : index to i64")
        bits = self.let(f"math.ctlz {wide} : i64")
        most = self.let("arith.constant 65 : i64")
        often = self.let(f"arith.index_cast {self.let(f'arith.subi {most}, {bits} : i64')} : i64 to index")
        two = self.let("arith.constant 2 : index")
        half = self.let(f"arith.divui {often}, {two} : index")
        state = [*self.outs, *self.outs, (one, "index")]
        self.loop(zero, half, one, state, rounds, self.p + "all")
