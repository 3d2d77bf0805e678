"""Sizes that are not known: what StableHLO and the shape dialect compute with them."""

import re

from .build import (
    DYNAMIC,
    array,
    before,
    box,
    dim,
    element,
    index,
    index_at,
    index_type,
    integer,
    ir,
    make,
    one,
    paste,
    recast,
    replace,
    shape,
    shaped,
    signless,
)
from .gather import clamped_start


def dimension_size(op):
    """`get_dimension_size`."""
    with before(op):
        size = dim(op.operands[0], integer(op.attributes["dimension"]))
        t = element(op.results[0])
        replace(op, [recast(box(one("arith.index_cast", signless(t), [size])), op.results[0].type)])


def shape_of(op):
    """`shape.shape_of`: all sizes."""
    with before(op):
        x = op.operands[0]
        replace(op, [one("tensor.from_elements", op.results[0].type, [dim(x, k) for k in range(shaped(x).rank)])])


def dynamic_reshape(op):
    """`dynamic_reshape`, to sizes that are computed."""
    with before(op):
        x, sizes = op.operands
        e = element(sizes)
        if not isinstance(e, ir.IndexType) and e != signless(e):
            sizes = recast(sizes, ir.RankedTensorType.get(shape(sizes), signless(e)))
        replace(op, [one("tensor.reshape", op.results[0].type, [x, sizes])])


def assuming(op):
    """`shape.assuming`: its body, as what it assumes is checked where it is used."""
    with before(op):
        values = paste(op.regions[0].blocks[0], [])
    replace(op, values)


def broadcastable(op):
    """`shape.cstr_broadcastable`: each size that the other operand also has is equal, or one of both is 1."""
    with before(op):
        equal = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), 0)
        yes = ir.IntegerType.get_signless(1)
        shapes = list(op.operands)
        message = ir.StringAttr.get("sizes do not fit for broadcasting")

        def same(a, b):
            return one("arith.cmpi", yes, [a, b], {"predicate": equal})

        for other in shapes[1:]:
            a, b = shapes[0], other
            for k in range(1, min(shape(a)[0], shape(b)[0]) + 1):
                x, y = index_at(a, [index(shape(a)[0] - k)]), index_at(b, [index(shape(b)[0] - k)])
                fits = one(
                    "arith.ori", yes, [same(x, y), one("arith.ori", yes, [same(x, index(1)), same(y, index(1))])]
                )
                make("cf.assert", [], [fits], {"msg": message})
    op.erase()


def shape_broadcast(op):
    """`shape.broadcast`: sizes are counted from the end; one that is 1 gives way."""
    operands = list(op.operands)
    rank = shape(op.results[0])[0]
    with before(op):
        equal = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), 0)
        sizes = []
        for k in range(rank):
            have = [index_at(v, [index(k - rank + shape(v)[0])]) for v in operands if k - rank + shape(v)[0] >= 0]
            size = have[0]
            for other in have[1:]:
                is_one = one("arith.cmpi", ir.IntegerType.get_signless(1), [size, index(1)], {"predicate": equal})
                size = one("arith.select", index_type(), [is_one, other, size])
            sizes.append(size)
        replace(op, [one("tensor.from_elements", op.results[0].type, sizes)])


def const_shape(op):
    """`shape.const_shape`."""
    sizes = [int(n) for n in re.findall(r"-?[0-9]+", str(op.attributes["shape"]).split(":")[0])]
    count = shape(op.results[0])[0]
    sizes = sizes * count if len(sizes) == 1 else sizes
    with before(op):
        replace(op, [one("tensor.from_elements", op.results[0].type, [index(n) for n in sizes])])


def num_elements(op):
    """`shape.num_elements`: the product of sizes."""
    with before(op):
        total = index(1)
        for k in range(shape(op.operands[0])[0]):
            total = one("arith.muli", index_type(), [total, index_at(op.operands[0], [index(k)])])
        replace(op, [total])


def dynamic_update_slice(op):
    """`dynamic_update_slice` of sizes that are not known; upstream takes the others."""
    x, update, *starts = op.operands
    if shaped(x).has_static_shape and shaped(update).has_static_shape:
        return
    rank = shaped(x).rank
    with before(op):
        offsets = [
            clamped_start(s, one("arith.subi", index_type(), [dim(x, d), dim(update, d)])) for d, s in enumerate(starts)
        ]
        sizes = [dim(update, d) for d in range(rank) if shaped(update).is_dynamic_dim(d)]
        attrs = {
            "static_offsets": array([DYNAMIC] * rank),
            "static_sizes": array(shape(update)),
            "static_strides": array([1] * rank),
            "operandSegmentSizes": ir.DenseI32ArrayAttr.get([1, 1, rank, len(sizes), 0]),
        }
        replace(op, [one("tensor.insert_slice", x.type, [update, x, *offsets, *sizes], attrs)])


def dynamic_broadcast(op):
    """Says which dimensions grow: those that are 1. A size that is not known is taken to be the result's."""
    t = shaped(op.operands[0])
    grow = [k for k in range(t.rank) if not t.is_dynamic_dim(k) and t.shape[k] == 1]
    stay = [k for k in range(t.rank) if k not in grow]
    for name, have in (("known_expanding_dimensions", grow), ("known_nonexpanding_dimensions", stay)):
        op.attributes[name] = array(have)
