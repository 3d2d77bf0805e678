"""`chlo.top_k` without sorting all: insertion into a short sorted row."""

from .build import before, i1, integer, ir, recast, replace, signless
from .elements import total_order
from .loops import Array, Cell, Number, constant, empty, loop, nest, select, when


def top_k(op):
    """`chlo.top_k`: the first elements of each row, largest first, by insertion into a short sorted row."""
    x = op.operands[0]
    k = integer(op.attributes["k"])
    with before(op):
        values, indices = largest(x, k, op.results[0].type, op.results[1].type)
        replace(op, [values, indices])


def largest(x, k, value_type, index_type, smallest=False):
    """The `k` largest (or smallest) elements along the last dimension and where they are; of equal ones, those that come first."""
    source = Array(x)
    rank = source.type.rank
    rows = [source.size(d) for d in range(rank - 1)]
    n = source.size(rank - 1)
    values = Array(empty_of(value_type, rows))
    indices = Array(empty_of(index_type, rows))
    if k == 0:
        return values.tensor, indices.tensor

    def key(v):
        return total_order(v) if v.real else v

    def ahead(a, b):
        return key(a) < key(b) if smallest else key(a) > key(b)

    def row(at):
        def insert(i):
            new = source[[*at, i]]
            last = values[[*at, k - 1]]
            fits = (i < k) | ahead(new, last)
            have = i.min(k - 1)  # as many stand before the new one at most

            def shift():
                # From the front: once the new one has found its place, it pushes all others on.
                value, where = Cell(new), Cell(i.integer(indices.type.element_type))
                moved = Cell(Number(constant(i1(), 0)))

                def push(j):
                    here, at_here = values[[*at, j]], indices[[*at, j]]
                    free = j >= i
                    goes = free | ahead(value.value, here)
                    pushed = moved.value | goes
                    values.put([*at, j], select(pushed, value.value, here))
                    indices.put([*at, j], select(pushed, where.value, at_here))
                    value.value = select(pushed, here, value.value)
                    where.value = select(pushed, at_here, where.value)
                    moved.value = pushed

                loop(0, have + 1, [values, indices, value, where, moved], push)

            when(fits, [values, indices], shift)

        loop(0, n, [values, indices], insert)

    nest(rows, [values, indices], row)
    return values.tensor, indices.tensor


def empty_of(t, rows):
    """A tensor without values of a type whose sizes, but the last, are those given."""
    t = ir.RankedTensorType(t)
    sizes = [t.shape[d] if not t.is_dynamic_dim(d) else rows[d] for d in range(t.rank)]
    return recast(empty(sizes, signless(t.element_type)), t)
