"""Gathers that upstream does not lower: with batching dimensions, or slices of unknown size."""

from jaxlib.mlir.dialects import stablehlo

from .build import before, dim, index, index_at, index_type, ir, make, one, region, replace, shaped


def gather(op):
    """A `stablehlo.gather` as one computation of elements, where it has batching dimensions or unknown sizes."""
    numbers = stablehlo.GatherDimensionNumbers(op.attributes["dimension_numbers"])
    static = all(shaped(v).has_static_shape for v in [*op.operands, op.results[0]])
    if static and not list(numbers.operand_batching_dims):
        return
    with before(op):
        sizes = [index(n) for n in ir.DenseI64ArrayAttr(op.attributes["slice_sizes"])]
        replace(op, [elements(op.operands[0], op.operands[1], sizes, numbers, op.results[0].type)])


def dynamic_gather(op):
    """The same for `stablehlo.dynamic_gather`, whose sizes are an operand."""
    operand, indices, sizes = op.operands
    numbers = stablehlo.GatherDimensionNumbers(op.attributes["dimension_numbers"])
    with before(op):
        each = [index_at(sizes, [index(d)]) for d in range(shaped(operand).rank)]
        replace(op, [elements(operand, indices, each, numbers, op.results[0].type)])


def elements(x, at, sizes, numbers, result):
    """A tensor of which each element says where it comes from; slices are moved inside of the operand."""
    t = ir.RankedTensorType(result)
    offset, collapsed = list(numbers.offset_dims), list(numbers.collapsed_slice_dims)
    batching, batching_at = list(numbers.operand_batching_dims), list(numbers.start_indices_batching_dims)
    starts, vector = list(numbers.start_index_map), numbers.index_vector_dim
    rank = shaped(x).rank
    kept = [d for d in range(rank) if d not in collapsed and d not in batching]
    tops = [one("arith.subi", index_type(), [dim(x, d), sizes[d]]) for d in range(rank)]
    batch = [d for d in range(shaped(at).rank) if d != vector]
    unknown, from_window, from_batch = [], iter(kept), iter(batch)
    for d in range(t.rank):
        source = next(from_window) if d in offset else next(from_batch)
        if t.is_dynamic_dim(d):
            unknown.append(sizes[source] if d in offset else dim(at, source))
    generated = make("tensor.generate", [t], unknown, regions=1)

    def body(*where):
        ids = [i for d, i in enumerate(where) if d not in offset]
        inner = iter([i for d, i in enumerate(where) if d in offset])
        full = [next(inner) if d in kept else index(0) for d in range(rank)]
        for d, a in zip(batching, batching_at):
            full[d] = ids[a if a < vector else a - 1]
        for j, d in enumerate(starts):
            place = list(ids)
            if vector < shaped(at).rank:
                place.insert(vector, index(j))
            start = index_at(at, place)
            full[d] = one("arith.addi", index_type(), [full[d], clamp(start, tops[d])])
        make("tensor.yield", [], [one("tensor.extract", t.element_type, [x, *full])])

    region(generated, 0, [index_type()] * t.rank, body)
    return generated.results[0]


def clamp(v, top):
    """An index within 0 and `top`."""
    at_least = one("arith.maxsi", index_type(), [v, index(0)])
    return one("arith.minsi", index_type(), [at_least, top])


def clamped_start(v, top):
    """A start index, a tensor of rank 0, within 0 and `top`."""
    return clamp(index_at(v), top)
