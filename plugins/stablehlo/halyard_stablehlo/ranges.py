"""What StableHLO defines at the ends of ranges, and upstream's lowering does not: casts of floats to integers, far shifts."""

from jaxlib.mlir.dialects import stablehlo as hlo

from .build import before, element, integer, ir, is_complex, is_integer, is_unsigned, one, replace, shaped, tensor
from .complex_math import compare
from .constants import like


def cast(op):
    """A float that is too large becomes the largest integer, no number becomes 0."""
    x = op.operands[0]
    source, t = element(x), shaped(op.results[0])
    target = t.element_type
    if is_integer(source) or not is_integer(target) or target.width == 1 or is_complex(source):
        return
    bits = target.width
    least, beyond = (0, 1 << bits) if is_unsigned(target) else (-(1 << (bits - 1)), 1 << (bits - 1))
    with before(op):
        low, high = like(x, least), like(x, beyond)
        below, above = compare(x, low, "LT"), compare(x, high, "GE")
        inside = hlo.and_(compare(x, low, "GE"), compare(x, high, "LT"))
        safe = one(op.name, t, [hlo.select(inside, x, like(x, 0.0))])
        value = hlo.select(above, like(safe, beyond - 1), safe)
        replace(op, [hlo.select(below, like(safe, least), value)])


def shift(op):
    """A shift by more than there are bits leaves nothing, or the sign."""
    x, by = op.operands
    t = shaped(x)
    bits = t.element_type.width
    amount = known(by)
    if amount is not None and 0 <= amount < bits:
        return
    with before(op):
        width = tensor(t.shape, ir.IntegerType.get_unsigned(bits))
        unsigned = by if by.type == width else one("stablehlo.bitcast_convert", width, [by])
        near = compare(unsigned, like(unsigned, bits), "LT")
        within = hlo.and_(by, like(by, bits - 1))
        if op.name == "stablehlo.shift_right_arithmetic":
            value = one(op.name, t, [x, hlo.select(near, within, like(by, bits - 1))])
        else:
            value = hlo.select(near, one(op.name, t, [x, within]), like(x, 0))
        replace(op, [value])


def known(v):
    """The number that a tensor of integers holds everywhere, if that is known."""
    while not isinstance(v.owner, ir.Block):
        op = v.owner.operation
        if op.name == "stablehlo.constant":
            value = ir.DenseElementsAttr(op.attributes["value"])
            return integer(value.get_splat_value()) if value.is_splat else None
        if op.name not in ("stablehlo.broadcast_in_dim", "stablehlo.reshape", "stablehlo.convert"):
            return None
        v = op.operands[0]
    return None
