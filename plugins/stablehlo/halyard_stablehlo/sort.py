"""`stablehlo.sort`, by merging: stable, for sizes that are not known, too."""

from .build import before, integer, ir, one, recast, replace, shaped, signless
from .elements import evaluate
from .loops import Array, Cell, Number, constant, empty, loop, nest, select


def sort(op):
    """One nest of loops: runs of 1, 2, 4, … elements are merged, in place of recursion."""
    d = integer(op.attributes["dimension"]) % max(1, shaped(op.operands[0]).rank)
    with before(op):
        replace(op, merge_sort(list(op.operands), d, op.regions[0].blocks[0]))


def merge_sort(values, d, comparator):
    """Sorts tensors together along a dimension; the comparator is a block that compares two elements of each."""
    first = Array(values[0])
    rank = first.type.rank
    others = [first.size(k) for k in range(rank) if k != d]
    n = first.size(d)
    now, spare = [Array(v) for v in values], [Array(copy(v)) for v in values]

    def line(at, k):
        return [*at[:d], k, *at[d:]]

    def merge(source, target, at, width, low):
        """Merges two runs that lie side by side."""
        middle, high = (low + width).min(n), (low + width + width).min(n)
        left, right = Cell(low), Cell(middle)

        def step(place):
            a = [x[line(at, left.value.min(n - 1))] for x in source]
            b = [x[line(at, right.value.min(n - 1))] for x in source]
            right_first = evaluate(comparator, [v for pair in zip(b, a) for v in pair])[0]
            takes_left = (left.value < middle) & ((right.value >= high) | (right_first ^ 1))
            for x, mine, other in zip(target, a, b):
                x.put(line(at, place), select(takes_left, mine, other))
            left.value = select(takes_left, left.value + 1, left.value)
            right.value = select(takes_left, right.value, right.value + 1)

        loop(low, high, [left, right, *target], step)

    def merge_all(source, target, width):
        nest(
            others,
            target,
            lambda at: loop(0, n, target, lambda low: merge(source, target, at, width, low), step=width + width),
        )

    # There and back again: a tensor that is only written into keeps its sizes, where they are not known. A last merge of runs
    # that are long enough copies.
    def twice(_):
        w = width.value
        merge_all(now, spare, w)
        merge_all(spare, now, w + w)
        width.value = w * 4

    width = Cell(Number(constant(ir.IndexType.get(), 1)))
    loop(0, (rounds(n) + 1) // 2, [*now, *spare, width], twice)
    return [x.tensor for x in now]


def rounds(n):
    """How often 1 has to be doubled to reach `n`."""
    t = ir.IntegerType.get_signless(64)
    top = Number(one("arith.index_cast", t, [(n.max(1) - 1).v]))
    zeros = Number(one("math.ctlz", t, [top.v]))
    return (64 - zeros).index()


def copy(v):
    """A tensor of the same type, for what is written before it is read."""
    t = shaped(v)
    sizes = [Array(v).size(k) if t.is_dynamic_dim(k) else t.shape[k] for k in range(t.rank)]
    return recast(empty(sizes, signless(t.element_type)), t)
