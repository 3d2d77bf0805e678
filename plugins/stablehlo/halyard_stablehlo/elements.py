"""Regions of StableHLO on tensors of rank 0 (comparators, updates) as arithmetic on numbers."""

from .build import box, element, ir, is_integer, is_unsigned, one, recast, remap, scalar, shaped, signless
from .loops import Number, constant, select

BINARY = {
    "add": "add",
    "subtract": "sub",
    "multiply": "mul",
    "maximum": "max",
    "minimum": "min",
}
BITS = {"and": "andi", "or": "ori", "xor": "xori"}
MATH = {
    "sqrt": "sqrt",
    "rsqrt": "rsqrt",
    "exponential": "exp",
    "log": "log",
    "tanh": "tanh",
    "sine": "sin",
    "cosine": "cos",
    "floor": "floor",
    "ceil": "ceil",
}


def evaluate(block, arguments):
    """What a block returns for arguments that are numbers, as numbers."""
    env = dict(zip(block.arguments, arguments))

    def read(v):
        if v not in env:  # a value from outside
            env[v] = number_of(v)
        return env[v]

    for op in block.operations:
        op = op.operation
        name = op.name.split(".", 1)[1]
        if op.name in ("stablehlo.return", "func.return"):
            return [read(v) for v in op.operands]
        values = [read(v) for v in op.operands] if all(scalars(op)) else None
        found = arithmetic(op, name, values) if values is not None else None
        for r, v in zip(op.results, found if found is not None else on_tensors(op, env)):
            env[r] = v
    raise AssertionError("a block without a terminator")


def scalars(op):
    return [isinstance(v.type, ir.RankedTensorType) and shaped(v).rank == 0 for v in [*op.operands, *op.results]] + [
        not len(op.regions)
    ]


def number_of(v):
    """The element of a tensor of rank 0."""
    return Number(recast(scalar(v), signless(element(v))), is_unsigned(element(v)))


def boxed(n, t):
    """A tensor of rank 0, of a type, around a number."""
    return recast(box(n.v), t)


def arithmetic(op, name, x):
    """The results of an operation; none if there is no arithmetic for it here."""
    t = element(op.results[0]) if len(op.results) == 1 else None
    if t is None:
        return None
    of = lambda v: [Number(v, is_unsigned(t))]
    if name == "constant":
        value = ir.DenseElementsAttr(op.attributes["value"])
        if is_unsigned(t):
            return of(recast(scalar(op_clone(op)), signless(t)))
        return of(one("arith.constant", t, attrs={"value": value.get_splat_value()}))
    a = x[0] if x else None
    if name in BINARY:
        if t == ir.IntegerType.get_signless(1):
            name = {"add": "or", "maximum": "or", "multiply": "and", "minimum": "and"}.get(name)
            return name and [a.bits(BITS[name], x[1])]
        return [a.arith(BINARY[name], x[1])]
    if name in BITS:
        return [a.bits(BITS[name], x[1])]
    if name in MATH and a.real:
        return [a.math(MATH[name])]
    if name == "divide" and a.real:
        return [a / x[1]]
    if name == "negate":
        return [-a]
    if name == "not":
        return [~a]
    if name == "abs":
        return [a if a.unsigned else a.abs()]
    if name == "select":
        return [select(x[0], x[1], x[2])]
    if name == "compare":
        total = "compare_type" in op.attributes and "TOTALORDER" in str(op.attributes["compare_type"])
        how = str(op.attributes["comparison_direction"]).split()[-1].rstrip(">").lower()
        how = how.replace("#stablehlo<comparison_direction", "").strip()
        if total and a.real:
            a, b = total_order(a), total_order(x[1])
            return [a.compare(how, b)]
        return [a.compare(how, x[1])]
    if name == "convert":
        return convert(a, t)
    return None


def op_clone(op):
    return op.clone().results[0]


def convert(a, t):
    """A number as another type, where that is one operation."""
    source, target = a.type, signless(t)
    of = lambda v: [Number(v, is_unsigned(t))]
    if source == target:
        return of(a.v)
    if is_integer(source) and is_integer(target) and target.width > 1:
        if target.width < source.width:
            return of(one("arith.trunci", target, [a.v]))
        return of(one("arith.extui" if a.unsigned or source.width == 1 else "arith.extsi", target, [a.v]))
    if is_integer(source) and not is_integer(target):
        return of(one("arith.uitofp" if a.unsigned or source.width == 1 else "arith.sitofp", target, [a.v]))
    if not is_integer(source) and not is_integer(target):
        wide = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}
        have, want = wide.get(str(source)), wide.get(str(target))
        if have and want and have != want:
            return of(one("arith.extf" if have < want else "arith.truncf", target, [a.v]))
    return None


def total_order(a):
    """An integer that is ordered as floats are, -NaN first, -0 before 0, NaN last."""
    width = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}[str(a.type)]
    t = ir.IntegerType.get_signless(width)
    bits = Number(one("arith.bitcast", t, [a.v]))
    sign = Number(one("arith.shrsi", t, [bits.v, constant(t, width - 1)]))
    return bits ^ (sign & ((1 << (width - 1)) - 1))


def on_tensors(op, env):
    """The results of a copy of an operation on tensors of rank 0."""
    new = op.clone()
    inside = {}
    with ir.InsertionPoint(new):
        for v in list(op.operands):
            if v in env and v not in inside:
                inside[v] = boxed(env[v], v.type)
    remap(new, inside)
    return [number_of(r) if shaped(r).rank == 0 else r for r in new.results]
