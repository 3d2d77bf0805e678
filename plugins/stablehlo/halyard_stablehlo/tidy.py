"""Small rewrites before and after upstream's lowering."""

from .build import DYNAMIC, attributes, before, ints, ir, is_tensor, one, replace, shape, shaped, tensor, walk


def reduce_nothing(op):
    """A reduction over no dimension gives its operands."""
    if not ints(op.attributes["dimensions"]):
        replace(op, list(op.operands)[: len(op.results)])


def drop(op):
    """What is there for other compilers, and has no results."""
    op.erase()


def no_barrier(op):
    """What is there for other compilers, and gives its operands."""
    replace(op, list(op.operands))


def wide_sums(op):
    """Products of 16-bit floats are summed in f32, as other compilers do."""
    t = shaped(op.results[0])
    if str(t.element_type) not in ("f16", "bf16"):
        return
    with before(op):
        wide = one(op.name, tensor(t.shape, ir.F32Type.get()), list(op.operands), attributes(op))
        replace(op, [one("stablehlo.convert", t, [wide])])


def no_elements(v):
    return is_tensor(v) and 0 in shape(v)


# Operations of which a result without elements needs nothing of their operands.
EMPTY = (
    "slice",
    "add",
    "multiply",
    "subtract",
    "divide",
    "maximum",
    "minimum",
    "pad",
    "reshape",
    "dynamic_slice",
    "transpose",
    "broadcast_in_dim",
    "gather",
    "convert",
    "reverse",
    "select",
    "compare",
)


def empties(module):
    """Tensors without elements: upstream's lowering of slices makes offsets that are out of bounds."""
    for op in walk(module, "stablehlo.concatenate"):
        kept = [v for v in op.operands if not no_elements(v)]
        if 0 < len(kept) < len(op.operands):
            with before(op):
                values = (
                    [one(op.name, op.results[0].type, kept, {"dimension": op.attributes["dimension"]})]
                    if len(kept) > 1
                    else kept
                )
            replace(op, values)
    for name in EMPTY:
        for op in walk(module, "stablehlo." + name):
            if no_elements(op.results[0]) and DYNAMIC not in shape(op.results[0]):
                with before(op):
                    value = one("tensor.empty", op.results[0].type)
                replace(op, [value])


def casts(module):
    """Casts between integers with a sign and without one, once all are without."""
    for op in walk(module, "builtin.unrealized_conversion_cast"):
        if [v.type for v in op.operands] == [r.type for r in op.results]:
            replace(op, list(op.operands))
    # A cast there and back.
    for op in walk(module, "builtin.unrealized_conversion_cast"):
        source = op.operands[0].owner
        if getattr(source, "name", "") == op.name and source.operands[0].type == op.results[0].type:
            replace(op, [source.operands[0]])
    for op in reversed(walk(module, "builtin.unrealized_conversion_cast")):
        if not any(True for r in op.results for _ in r.uses):
            op.erase()
