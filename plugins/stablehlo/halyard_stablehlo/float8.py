"""Floats of 8 bits as f32 that hold only their values. On functions they are their bits, `ui8`."""

import ml_dtypes
import numpy as np
from jaxlib.mlir.dialects import stablehlo as hlo

from .build import Unsupported, array, before, element, ir, is_tensor, one, shape, shaped, tensor, terminator
from .complex_math import compare
from .constants import SMALL, dense, like, read
from .moves import MOVES

# Operations whose results are elements of their operands, or made in their regions: nothing has to be rounded.
EXACT = MOVES | {
    "maximum",
    "minimum",
    "clamp",
    "negate",
    "abs",
    "sign",
    "while",
    "if",
    "case",
    "sort",
    "scatter",
    "reduce",
    "reduce_window",
    "map",
    "return",
}


def is_small(t):
    """Whether a type is a tensor of such floats."""
    return isinstance(t, ir.RankedTensorType) and str(t.element_type) in SMALL


def of(t, new):
    """A tensor type with other elements, where the elements are such floats."""
    return tensor(ir.RankedTensorType(t).shape, new) if is_small(t) else t


def byte():
    return ir.IntegerType.get_unsigned(8)


def widen(module):
    """Rewrites all functions."""
    for f in module.body.operations:
        if f.operation.name == "func.func" and len(f.operation.regions[0].blocks):
            function(f.operation)


def function(f):
    """Gives all values their new types, then rounds what is computed."""
    types = ir.FunctionType(ir.TypeAttr(f.attributes["function_type"]).value)
    block = f.regions[0].blocks[0]
    operations, values = [], list(block.arguments)

    def visit(op):
        op = op.operation
        inner = [a for r in op.regions for b in r.blocks for a in b.arguments] if op != f else []
        values.extend([*op.results, *inner])
        if any(is_small(v.type) for v in [*op.operands, *op.results]):
            operations.append((op, [small_name(v) for v in op.operands], [small_name(v) for v in op.results]))
        return ir.WalkResult.ADVANCE

    f.walk(visit, ir.WalkOrder.PRE_ORDER)
    arguments = [(a, small_name(a)) for a in block.arguments if is_small(a.type)]
    if not operations and not arguments:
        return
    end = terminator(block)
    returned = [small_name(v) for v in end.operands]
    constants = {k: read(op) for k, (op, _, _) in enumerate(operations) if op.name == "stablehlo.constant"}
    for v in values:
        if is_small(v.type):
            v.set_type(of(v.type, ir.F32Type.get()))
    for k, (op, sources, results) in enumerate(operations):
        if op != end:
            rewrite(op, sources, results, constants.get(k))
    with before(end):
        for k, name in enumerate(returned):
            if name:
                end.operands[k] = encode(end.operands[k], name)
    with before(block.operations[0].operation):
        for a, name in arguments:
            a.set_type(tensor(shape(a), byte()))
            new, first = decode(a, name)
            a.replace_all_uses_except(new, first)
    both = [[of(t, byte()) for t in side] for side in (types.inputs, types.results)]
    f.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(*both))


def small_name(v):
    return str(element(v)) if is_tensor(v) and is_small(v.type) else None


def rewrite(op, sources, results, constant):
    """Rounds what an operation computes, where it is not one of its operands."""
    name = op.name.split(".", 1)[1]
    if name in EXACT or (not any(results) and name not in ("convert", "bitcast_convert")):
        return
    f32 = ir.F32Type.get()
    with before(op):
        if constant is not None:
            new = [dense(constant.astype(np.float32), f32)]
        elif name == "bitcast_convert":
            v = encode(op.operands[0], sources[0]) if sources[0] else op.operands[0]
            if results[0]:
                v = v if element(v) == byte() else one(op.name, tensor(shape(op.results[0]), byte()), [v])
                new = [decode(v, results[0])[0]]
            else:
                new = [one(op.name, op.results[0].type, [v])]
        elif name == "convert" and element(op.operands[0]) == f32:
            v = op.operands[0]
            new = [rounded(v, results[0])] if results[0] else [v] if element(op.results[0]) == f32 else None
            if new is None:
                return
        else:
            copy = op.clone()
            new = [rounded(v, r) if r else v for v, r in zip(copy.results, results)]
        for old, v in zip(op.results, new):
            old.replace_all_uses_with(v)
    op.erase()


class Format:
    """What a float of 8 bits can hold."""

    def __init__(self, name):
        self.dtype = np.dtype(SMALL[name])
        info = ml_dtypes.finfo(self.dtype)
        if name == "f8E8M0FNU":
            raise Unsupported(None, "floats of type `f8E8M0FNU`, which have no zero")
        self.mantissa, self.least, self.largest = info.nmant, info.minexp, float(info.max)
        every = np.arange(256, dtype=np.uint8).view(self.dtype).astype(np.float32)
        self.values = every
        self.infinite = bool(np.isinf(every).any())
        self.unsigned_zero = not np.signbit(every[every == 0]).any()
        self.codes = {
            kind: int(np.array(v, np.float32).astype(self.dtype).view(np.uint8))
            for kind, v in (("nan", np.nan), ("inf", np.inf))
        }


def rounded(x, name):
    """The nearest values, to even; what is too large is infinite, or no number."""
    form = Format(name)
    t = shaped(x)
    whole = tensor(t.shape, ir.IntegerType.get_signless(32))
    drop = 23 - form.mantissa
    u = one("stablehlo.bitcast_convert", whole, [x])
    odd = hlo.and_(hlo.shift_right_logical(u, like(u, drop)), like(u, 1))
    up = hlo.add(u, hlo.add(odd, like(u, (1 << (drop - 1)) - 1)))
    normal = one("stablehlo.bitcast_convert", t, [hlo.and_(up, like(u, -(1 << drop)))])
    quantum = 2.0 ** (form.least - form.mantissa)
    steps = hlo.round_nearest_even(hlo.multiply(x, like(x, 1.0 / quantum)))
    tiny = hlo.multiply(steps, like(x, quantum))
    value = hlo.select(compare(hlo.abs(x), like(x, 2.0**form.least), "LT"), tiny, normal)
    over = compare(hlo.abs(value), like(x, form.largest), "GT")
    beyond = hlo.multiply(hlo.sign(x), like(x, float("inf"))) if form.infinite else like(x, float("nan"))
    value = hlo.select(over, beyond, value)
    value = hlo.select(compare(x, x, "NE"), x, value)
    if form.unsigned_zero:
        zero = like(x, 0.0)
        value = hlo.select(compare(value, zero, "EQ"), zero, value)
    return value


def encode(x, name):
    """The bits of values that such a float can hold."""
    form = Format(name)
    t = shaped(x)
    whole = tensor(t.shape, ir.IntegerType.get_signless(32))
    u = one("stablehlo.bitcast_convert", whole, [x])
    size = hlo.and_(u, like(u, 0x7FFFFFFF))
    bias = 127 - (1 - form.least)
    normal = hlo.subtract(hlo.shift_right_logical(size, like(u, 23 - form.mantissa)), like(u, bias << form.mantissa))
    steps = hlo.multiply(hlo.abs(x), like(x, 2.0 ** (form.mantissa - form.least)))
    tiny = one("stablehlo.convert", whole, [steps])
    low = compare(hlo.abs(x), like(x, 2.0**form.least), "LT")
    code = hlo.select(low, tiny, normal)
    code = hlo.select(compare(hlo.abs(x), like(x, float("inf")), "EQ"), like(u, form.codes["inf"] & 0x7F), code)
    sign = hlo.shift_left(hlo.shift_right_logical(u, like(u, 31)), like(u, 7))
    code = hlo.or_(code, sign)
    code = hlo.select(compare(x, x, "NE"), like(u, form.codes["nan"]), code)
    return one("stablehlo.convert", tensor(t.shape, byte()), [code])


def decode(v, name):
    """The values of bits, by a table; and the operation that reads the bits."""
    form = Format(name)
    table = dense(form.values, ir.F32Type.get())
    wide = one("stablehlo.convert", tensor(shape(v), ir.IntegerType.get_signless(32)), [v])
    numbers = hlo.GatherDimensionNumbers.get([], [0], [], [], [0], shaped(v).rank)
    attrs = {"dimension_numbers": numbers, "slice_sizes": array([1]), "indices_are_sorted": ir.BoolAttr.get(False)}
    kind = tensor(shape(v), ir.F32Type.get())
    return one("stablehlo.gather", kind, [table, wide], attrs), wide.owner.operation
