"""Convolutions and windows whose sizes, or whose padding, are not known."""

from jaxlib.mlir.dialects import stablehlo

from .build import (
    DYNAMIC,
    Unsupported,
    array,
    at_end,
    before,
    dim,
    element,
    index,
    index_at,
    index_type,
    integer,
    ints,
    ir,
    make,
    one,
    replace,
    shape,
    shaped,
    signless,
    splat,
    tensor,
)
from .elements import evaluate, number_of
from .loops import Array, Cell, Number, constant, empty, loop, nest, select, when
from .windows import padding_of, transposed


def arith(name, a, b):
    return one("arith." + name, index_type(), [a, b])


def generic(inputs, out, maps, iterators, body):
    """A `linalg.generic` of one result; `body` gets an element of each operand."""
    kinds = [ir.Attribute.parse(f"#linalg.iterator_type<{i}>") for i in iterators]
    attrs = {
        "indexing_maps": ir.ArrayAttr.get([ir.AffineMapAttr.get(m) for m in maps]),
        "iterator_types": ir.ArrayAttr.get(kinds),
        "operandSegmentSizes": ir.DenseI32ArrayAttr.get([len(inputs), 1]),
    }
    op = make("linalg.generic", [out.type], [*inputs, out], attrs, regions=1)
    block = ir.Block.create_at_start(
        op.regions[0], [element(v) for v in [*inputs, out]], [op.location] * (len(inputs) + 1)
    )
    with at_end(block, op.location):
        make("linalg.yield", [], [body(*block.arguments)])
    return op.results[0]


def filled(sizes, t, value=0):
    """A tensor of given sizes, numbers or `index`, with one number everywhere."""
    known = [s if isinstance(s, int) else DYNAMIC for s in sizes]
    out = one("tensor.empty", tensor(known, t), [s for s in sizes if not isinstance(s, int)])
    v = constant(t, value)
    rank = len(sizes)
    return generic([], out, [ir.AffineMap.get_identity(rank)], ["parallel"] * rank, lambda _: v)


def reshaped(v, sizes):
    """A tensor with other sizes, numbers or `index`."""
    known = [s if isinstance(s, int) else DYNAMIC for s in sizes]
    wanted = one(
        "tensor.from_elements",
        tensor([len(sizes)], index_type()),
        [index(s) if isinstance(s, int) else s for s in sizes],
    )
    return one("tensor.reshape", tensor(known, element(v)), [v, wanted])


def padded(v, low, high, interior, value):
    """A tensor with more elements around it and between them; amounts are numbers or `index`, negative ones cut."""
    every = [*low, *high, *interior]
    if all(n == 0 for n in every if isinstance(n, int)) and all(isinstance(n, int) for n in every):
        return v
    if all(isinstance(n, int) for n in every):
        sizes = [
            DYNAMIC if n == DYNAMIC else n + a + b + max(0, n - 1) * c
            for n, a, b, c in zip(shape(v), low, high, interior)
        ]
        attrs = {"edge_padding_low": array(low), "edge_padding_high": array(high), "interior_padding": array(interior)}
        return one("stablehlo.pad", tensor(sizes, element(v)), [v, value], attrs)
    if any(n != 0 for n in interior):
        raise Unsupported(v.owner, "dilation together with padding that is not known")
    # Negative amounts cut: the part that stays, then what is around it.
    rank = shaped(v).rank
    zero = index(0)
    low, high = ([index(n) if isinstance(n, int) else n for n in side] for side in (low, high))
    cut = [[arith("maxsi", arith("subi", zero, n), zero) for n in side] for side in (low, high)]
    grow = [[arith("maxsi", n, zero) for n in side] for side in (low, high)]
    sizes = [arith("subi", arith("subi", dim(v, d), cut[0][d]), cut[1][d]) for d in range(rank)]
    kind = tensor([DYNAMIC] * rank, element(v))
    attrs = {
        "static_offsets": array([DYNAMIC] * rank),
        "static_sizes": array([DYNAMIC] * rank),
        "static_strides": array([1] * rank),
        "operandSegmentSizes": ir.DenseI32ArrayAttr.get([1, rank, rank, 0]),
    }
    inner = one("tensor.extract_slice", kind, [v, *cut[0], *sizes], attrs)
    attrs = {
        "static_low": array([DYNAMIC] * rank),
        "static_high": array([DYNAMIC] * rank),
        "operandSegmentSizes": ir.DenseI32ArrayAttr.get([1, rank, rank]),
    }
    scalar = one("tensor.extract", element(value), [value])
    pad = make("tensor.pad", [kind], [inner, *grow[0], *grow[1]], attrs, regions=1)
    block = ir.Block.create_at_start(pad.regions[0], [index_type()] * rank, [pad.location] * rank)
    with at_end(block, pad.location):
        make("tensor.yield", [], [scalar])
    return pad.results[0]


def amounts(op, rank):
    """What is padded before and after each dimension: numbers, or `index` for an operand."""
    if len(op.operands) > 2:
        at = op.operands[2]
        every = [[index_at(at, [index(d), index(k)]) for k in (0, 1)] for d in range(rank)]
    else:
        flat = padding_of(op, rank)
        every = [flat[2 * d : 2 * d + 2] for d in range(rank)]
    return [e[0] for e in every], [e[1] for e in every]


def convolution(op):
    """A convolution of which a size or the padding is not known, as one product over all windows."""
    x, w = op.operands[0], op.operands[1]
    if op.name == "stablehlo.convolution" and all(shaped(v).has_static_shape for v in (x, w)):
        return
    numbers = stablehlo.ConvDimensionNumbers(op.attributes["dimension_numbers"])
    space = len(list(numbers.input_spatial_dimensions))

    def of(name):
        return ints(op.attributes[name]) if name in op.attributes else [1] * space

    strides, between, dilation = of("window_strides"), of("lhs_dilation"), of("rhs_dilation")
    groups, batches = (integer(op.attributes[n]) for n in ("feature_group_count", "batch_group_count"))
    if batches != 1:
        raise Unsupported(op, "a convolution with groups of images, of sizes that are not known")
    if any("true" in str(op.attributes[n]) for n in ("window_reversal",) if n in op.attributes):
        raise Unsupported(op, "a convolution with reversed windows, of sizes that are not known")
    orders = (
        [numbers.input_batch_dimension, *numbers.input_spatial_dimensions, numbers.input_feature_dimension],
        [
            *numbers.kernel_spatial_dimensions,
            numbers.kernel_input_feature_dimension,
            numbers.kernel_output_feature_dimension,
        ],
        [numbers.output_batch_dimension, *numbers.output_spatial_dimensions, numbers.output_feature_dimension],
    )
    t = shaped(op.results[0])
    e = signless(t.element_type)
    with before(op):
        x, w = (transposed(v, order) if order != sorted(order) else v for v, order in ((x, orders[0]), (w, orders[1])))
        low, high = amounts(op, space)
        zero = splat(tensor([], element(x)), 0)
        x = padded(x, [0, *low, 0], [0, *high, 0], [0, *[n - 1 for n in between], 0], zero)
        out = [shape(op.results[0])[d] for d in orders[2]]
        sizes = [n if n != DYNAMIC else size for n, size in zip(out, output_sizes(x, w, strides, dilation))]
        found = product(x, w, sizes, e, strides, dilation, groups)
        found = reshaped(found, sizes) if groups > 1 else found
        kind = tensor(out, e)
        if found.type != kind:
            found = one("tensor.cast", kind, [found])
        back = [orders[2].index(d) for d in range(space + 2)]
        replace(op, [transposed(found, back) if back != sorted(back) else found])


def output_sizes(x, w, strides, dilation):
    """The sizes of the result, as `index`."""
    sizes = [dim(x, 0)]
    for k, (stride, wide) in enumerate(zip(strides, dilation)):
        window = arith("addi", arith("muli", arith("subi", dim(w, k), index(1)), index(wide)), index(1))
        rest = arith("subi", dim(x, 1 + k), window)
        sizes.append(arith("maxsi", arith("addi", arith("floordivsi", rest, index(stride)), index(1)), index(0)))
    return [*sizes, dim(w, len(strides) + 1)]


def product(x, w, sizes, e, strides, dilation, groups):
    """Loops: batch, space, (group,) output feature; window, input feature."""
    space = len(strides)
    if groups > 1:
        inner, outer = shape(w)[space], shape(w)[space + 1]
        x = reshaped(x, [n if n != DYNAMIC else dim(x, d) for d, n in enumerate(shape(x)[:-1])] + [groups, inner])
        w = reshaped(
            w,
            [
                *[dim(w, d) if n == DYNAMIC else n for d, n in enumerate(shape(w)[:space])],
                inner,
                groups,
                outer // groups,
            ],
        )
        sizes = [*sizes[:-1], groups, outer // groups]
    many = len(sizes)
    count = many + space + 1
    d = [ir.AffineExpr.get_dim(k) for k in range(count)]
    window, feature = d[many : many + space], d[count - 1]
    rows = [o * s + k * wide for o, k, s, wide in zip(d[1 : 1 + space], window, strides, dilation)]
    group = [d[1 + space]] if groups > 1 else []
    maps = [[d[0], *rows, *group, feature], [*window, feature, *d[1 + space : many]], d[:many]]
    out = filled(sizes, e)
    real = not isinstance(e, ir.IntegerType)

    def step(a, b, total):
        a, b = (widened(v, e) for v in (a, b))
        term = one("arith.mulf" if real else "arith.muli", e, [a, b])
        return one("arith.addf" if real else "arith.addi", e, [total, term])

    iterators = ["parallel"] * many + ["reduction"] * (space + 1)
    return generic([x, w], out, [ir.AffineMap.get(count, 0, m) for m in maps], iterators, step)


def widened(v, e):
    if v.type == e:
        return v
    return one("arith.extf" if not isinstance(e, ir.IntegerType) else "arith.extsi", e, [v])


def reduce_window(op, body):
    """`@stablehlo.dynamic_reduce_window`: loops over elements; all sizes are operands."""
    count = len(op.results)
    operands, starts = list(op.operands)[:count], list(op.operands)[count : 2 * count]
    window, strides, base, dilation, padding = list(op.operands)[2 * count :]
    rank = shaped(operands[0]).rank
    with before(op):
        values = [Array(v) for v in operands]
        first = [number_of(v) for v in starts]
        w, s, b, g = ([Number(index_at(v, [index(d)])) for d in range(rank)] for v in (window, strides, base, dilation))
        low, high = ([Number(index_at(padding, [index(d), index(k)])) for d in range(rank)] for k in (0, 1))
        n = [values[0].size(d) for d in range(rank)]
        t = shaped(op.results[0])
        sizes = []
        for d in range(rank):
            have = (n[d] - 1) * b[d] + 1 + low[d] + high[d] - ((w[d] - 1) * g[d] + 1)
            sizes.append(t.shape[d] if not t.is_dynamic_dim(d) else Number(arith("floordivsi", have.v, s[d].v)) + 1)
        out = [Array(empty(sizes, signless(element(v)))) for v in operands]

        def position(at):
            sums = [Cell(v) for v in first]

            def look(offset):
                far = [a * q + o * wide - p for a, q, o, wide, p in zip(at, s, offset, g, low)]
                inside = far[0] >= 0
                for f, m, q in zip(far, n, b):
                    inside = inside & (f >= 0) & (f < (m - 1) * q + 1) & (f % q).eq(0)
                place = [select(inside, f // q, f - f) for f, q in zip(far, b)]
                new = evaluate(body, [*[c.value for c in sums], *[v[place] for v in values]])
                for cell, v in zip(sums, new):
                    cell.value = select(inside, v, cell.value)

            nest(w, sums, look)
            for o, cell in zip(out, sums):
                o.put(at, cell.value)

        def general():
            nest(sizes, out, position)

        one_long = [d for d in range(rank) if t.is_dynamic_dim(d)]
        if len(one_long) != 1:
            general()
        else:
            run_or(one_long[0], w, s, b, g, low, high, n, first, values, out, body, general)
        replace(op, [o.tensor for o in out])


def run_or(d, w, s, b, g, low, high, n, first, values, out, body, general):
    """A running sum along a dimension where the window holds all elements before, which only a run knows."""
    runs = w[d].eq(n[d]) & low[d].eq(n[d] - 1) & high[d].eq(0)
    for k in range(len(n)):
        runs = runs & s[k].eq(1) & b[k].eq(1) & g[k].eq(1)
        if k != d:
            runs = runs & w[k].eq(1) & low[k].eq(0) & high[k].eq(0)

    def running():
        def line(at):
            sums = [Cell(v) for v in first]

            def step(i):
                place = [*at[:d], i, *at[d:]]
                for cell, o, v in zip(
                    sums, out, evaluate(body, [*[c.value for c in sums], *[x[place] for x in values]])
                ):
                    cell.value = v
                    o.put(place, v)

            loop(0, n[d], [*sums, *out], step)

        nest([m for k, m in enumerate(n) if k != d], out, line)

    when(runs, out, running, general)
