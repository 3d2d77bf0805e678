"""Loops over numbers, written like Python: each becomes one nest of `scf.for`, and one kernel.

out = Array(x)                                     # a tensor that a loop changes
loop(0, out.size(0), [out], lambda i: out.put([i], out[i] + 1))
"""

from .build import (
    dim,
    element,
    i1,
    index,
    index_type,
    ir,
    is_integer,
    is_unsigned,
    make,
    number,
    one,
    recast,
    shaped,
    signless,
    tensor,
    unsigned_less,
)

CMPI = {"eq": 0, "ne": 1, "slt": 2, "sle": 3, "sgt": 4, "sge": 5, "ult": 6, "ule": 7, "ugt": 8, "uge": 9}
CMPF = {"eq": 1, "gt": 2, "ge": 3, "lt": 4, "le": 5, "ne": 13}
# The operation for floats, for signed and for unsigned integers.
ARITH = {
    "add": ("addf", "addi", "addi"),
    "sub": ("subf", "subi", "subi"),
    "mul": ("mulf", "muli", "muli"),
    "div": ("divf", "divsi", "divui"),
    "rem": ("remf", "remsi", "remui"),
    "max": ("maximumf", "maxsi", "maxui"),
    "min": ("minimumf", "minsi", "minui"),
}


class Number:
    """A number in a loop: `index`, a float, or an integer without a sign that may count as unsigned."""

    def __init__(self, value, unsigned=False):
        self.v, self.unsigned = value, unsigned
        self.type = value.type

    @property
    def real(self):
        return not is_integer(self.type) and not isinstance(self.type, ir.IndexType)

    def like(self, other):
        """Another number, or one of Python's, with this number's type."""
        return other if isinstance(other, Number) else Number(constant(self.type, other), self.unsigned)

    def of(self, v):
        return Number(v, self.unsigned)

    def arith(self, name, other):
        names = ARITH[name]
        kind = 0 if self.real else 2 if self.unsigned else 1
        return self.of(one("arith." + names[kind], self.type, [self.v, self.like(other).v]))

    def bits(self, name, other):
        return self.of(one("arith." + name, self.type, [self.v, self.like(other).v]))

    def compare(self, how, other):
        """A comparison: `eq`, `ne`, `lt`, `le`, `gt`, `ge`; false if a float is no number, but for `ne`."""
        i64 = ir.IntegerType.get_signless(64)
        if self.real:
            name, predicate = "arith.cmpf", CMPF[how]
        else:
            sign = "" if how in ("eq", "ne") else "u" if self.unsigned or self.type == i1() else "s"
            name, predicate = "arith.cmpi", CMPI[sign + how]
        return Number(one(name, i1(), [self.v, self.like(other).v], {"predicate": ir.IntegerAttr.get(i64, predicate)}))

    def __add__(self, o):
        return self.arith("add", o)

    def __radd__(self, o):
        return self.like(o) + self

    def __sub__(self, o):
        return self.arith("sub", o)

    def __rsub__(self, o):
        return self.like(o) - self

    def __mul__(self, o):
        return self.arith("mul", o)

    def __rmul__(self, o):
        return self.like(o) * self

    def __truediv__(self, o):
        return self.arith("div", o)

    def __rtruediv__(self, o):
        return self.like(o) / self

    def __floordiv__(self, o):
        return self.arith("div", o)

    def __mod__(self, o):
        return self.arith("rem", o)

    def __lt__(self, o):
        return self.compare("lt", o)

    def __le__(self, o):
        return self.compare("le", o)

    def __gt__(self, o):
        return self.compare("gt", o)

    def __ge__(self, o):
        return self.compare("ge", o)

    def __and__(self, o):
        return self.bits("andi", o)

    def __or__(self, o):
        return self.bits("ori", o)

    def __xor__(self, o):
        return self.bits("xori", o)

    def __lshift__(self, o):
        return self.bits("shli", o)

    def __invert__(self):
        return self ^ -1

    def __neg__(self):
        return self.math("negf", "arith") if self.real else self.like(0) - self

    def eq(self, o):
        return self.compare("eq", o)

    def ne(self, o):
        return self.compare("ne", o)

    def max(self, o):
        return self.arith("max", o)

    def min(self, o):
        return self.arith("min", o)

    def sqrt(self):
        return self.math("sqrt")

    def abs(self):
        return self.math("absf") if self.real else self.math("absi")

    def math(self, name, dialect="math"):
        """An operation on one number."""
        return self.of(one(f"{dialect}.{name}", self.type, [self.v]))

    def index(self):
        """As `index`."""
        if isinstance(self.type, ir.IndexType):
            return self
        return Number(one("arith.index_castui" if self.unsigned else "arith.index_cast", index_type(), [self.v]))

    def integer(self, t):
        """An `index` as an integer."""
        return Number(one("arith.index_cast", signless(t), [self.v]), is_unsigned(t))


def constant(t, value):
    """A constant of a type without a sign."""
    return one("arith.constant", t, attrs={"value": number(t, value)})


def real(t, value):
    """A constant float."""
    return Number(constant(t, value))


def select(condition, a, b):
    """One of two numbers."""
    a = a if isinstance(a, Number) else b.like(a)
    b = a.like(b)
    return a.of(one("arith.select", a.type, [condition.v, a.v, b.v]))


class Array:
    """A tensor whose elements a loop reads and changes."""

    def __init__(self, value):
        self.type = shaped(value)
        self.unsigned = is_unsigned(self.type.element_type)
        self.v = unsigned_less(value)

    def size(self, k):
        return Number(dim(self.v, k))

    def __getitem__(self, where):
        where = where if isinstance(where, (tuple, list)) else (where,)
        v = one("tensor.extract", element(self.v), [self.v, *map(place, where)])
        return Number(v, self.unsigned)

    def put(self, where, number):
        number = number if isinstance(number, Number) else real(element(self.v), number)
        self.v = one("tensor.insert", self.v.type, [number.v, self.v, *map(place, where)])

    @property
    def tensor(self):
        """The tensor as it is now, with the sign that it had."""
        return recast(self.v, self.type)


class Cell:
    """A number that a loop changes."""

    def __init__(self, value):
        self.value = value

    @property
    def v(self):
        return self.value.v

    @v.setter
    def v(self, v):
        self.value = self.value.of(v)


def place(k):
    """An index, from a number of Python or of a loop."""
    return index(k) if isinstance(k, int) else k.index().v


def empty(sizes, t):
    """A tensor without values; sizes are numbers of Python or of loops."""
    known = [s if isinstance(s, int) else ir.ShapedType.get_dynamic_size() for s in sizes]
    return one("tensor.empty", tensor(known, t), [s.v for s in sizes if not isinstance(s, int)])


def loop(low, high, cells, body, step=1):
    """`for i in range(low, high, step)`: `body` gets `i`; `cells` are what it changes."""
    init = [c.v for c in cells]
    op = make("scf.for", [v.type for v in init], [place(low), place(high), place(step), *init], regions=1)
    block = ir.Block.create_at_start(
        op.regions[0], [index_type(), *[v.type for v in init]], [op.location] * (1 + len(init))
    )
    with ir.InsertionPoint(block):
        for cell, v in zip(cells, list(block.arguments)[1:]):
            cell.v = v
        body(Number(block.arguments[0]))
        make("scf.yield", [], [c.v for c in cells])
    for cell, v in zip(cells, op.results):
        cell.v = v


def when(condition, cells, then, otherwise=None):
    """`if condition: then() else: otherwise()`; `cells` are what they change."""
    init = [c.v for c in cells]
    op = make("scf.if", [v.type for v in init], [condition.v], regions=2)
    for k, body in enumerate([then, otherwise]):
        block = ir.Block.create_at_start(op.regions[k], [])
        with ir.InsertionPoint(block):
            if body:
                body()
            make("scf.yield", [], [c.v for c in cells])
        for cell, v in zip(cells, init):
            cell.v = v
    for cell, v in zip(cells, op.results):
        cell.v = v


def nest(sizes, cells, body):
    """Loops within loops: `body` gets a list of indices."""

    def level(at):
        if len(at) == len(sizes):
            return body(at)
        loop(0, sizes[len(at)], cells, lambda i: level([*at, i]))

    level([])
