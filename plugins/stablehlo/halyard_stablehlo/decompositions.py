"""LU and QR decompositions, as the calls that JAX exports for them mean them."""

from .build import before, i32, replace
from .linalg import matrices
from .loops import Array, Cell, loop, nest, real, select
from .topk import empty_of


def lu(op):
    """`@LuDecomposition`: both factors in one matrix, the row that each was exchanged with, the order of rows."""
    with before(op):
        a = Array(op.operands[0])
        batch, rows, columns = matrices(a)
        pivots = Array(empty_of(op.results[1].type, batch))
        order = Array(empty_of(op.results[2].type, batch))
        nest(batch, [a, pivots, order], lambda at: lu_of(a, pivots, order, at, rows, columns))
        replace(op, [a.tensor, pivots.tensor, order.tensor])


def lu_of(a, pivots, order, at, rows, columns):
    """One matrix, with partial pivoting."""
    loop(0, rows, [order], lambda i: order.put([*at, i], i.integer(i32())))

    def step(k):
        best, where = Cell(a[[*at, k, k]].abs()), Cell(k)

        def look(i):
            size = a[[*at, i, k]].abs()
            larger = size > best.value
            best.value, where.value = select(larger, size, best.value), select(larger, i, where.value)

        loop(k + 1, rows, [best, where], look)
        p = where.value
        pivots.put([*at, k], p.integer(i32()))
        exchange(order, [*at, k], [*at, p])
        loop(0, columns, [a], lambda c: exchange(a, [*at, k, c], [*at, p, c]))
        pivot = a[[*at, k, k]]

        def eliminate(i):
            # A column of zeros has no pivot, and needs none.
            f = select(pivot.eq(0.0), a[[*at, i, k]], a[[*at, i, k]] / pivot)
            a.put([*at, i, k], f)
            loop(k + 1, columns, [a], lambda c: a.put([*at, i, c], a[[*at, i, c]] - f * a[[*at, k, c]]))

        loop(k + 1, rows, [a], eliminate)

    loop(0, rows.min(columns), [a, pivots, order], step)


def exchange(x, one, other):
    """Swaps two elements."""
    a, b = x[one], x[other]
    x.put(one, b)
    x.put(other, a)


def qr(op):
    """`@Qr`: R, below it the reflections of Householder, and their factors, as LAPACK has them."""
    with before(op):
        a = Array(op.operands[0])
        batch, rows, columns = matrices(a)
        factors = Array(empty_of(op.results[1].type, batch))
        nest(batch, [a, factors], lambda at: qr_of(a, factors, at, rows, columns))
        replace(op, [a.tensor, factors.tensor])


def qr_of(a, factors, at, rows, columns):
    """One matrix."""
    t = a.type.element_type

    def step(j):
        # Scaled, so that squares neither overflow nor vanish.
        top, below = Cell(a[[*at, j, j]].abs()), Cell(real(t, 0.0))

        def largest(i):
            size = a[[*at, i, j]].abs()
            top.value, below.value = top.value.max(size), below.value.max(size)

        loop(j + 1, rows, [top, below], largest)
        scale = select(top.value > 0.0, top.value, real(t, 1.0))
        squares = Cell(square(a[[*at, j, j]] / scale))

        def add(i):
            squares.value = squares.value + square(a[[*at, i, j]] / scale)

        loop(j + 1, rows, [squares], add)
        alpha = a[[*at, j, j]]
        norm = squares.value.sqrt() * scale
        nothing = below.value.eq(0.0)
        beta = select(nothing, alpha, select(alpha < 0.0, norm, -norm))
        factor = select(nothing, real(t, 0.0), (beta - alpha) / beta)
        shrink = select(nothing, real(t, 1.0), alpha - beta)
        loop(j + 1, rows, [a], lambda i: a.put([*at, i, j], a[[*at, i, j]] / shrink))
        a.put([*at, j, j], beta)
        factors.put([*at, j], factor)
        loop(j + 1, columns, [a], lambda c: reflect(a, a, factor, at, j, c, rows))

    loop(0, rows.min(columns), [a, factors], step)


def square(x):
    return x * x


def reflect(out, vectors, factor, at, j, c, rows):
    """Applies the reflection that stands in column `j` of `vectors` to column `c` of `out`."""
    total = Cell(out[[*at, j, c]])

    def add(i):
        total.value = total.value + vectors[[*at, i, j]] * out[[*at, i, c]]

    loop(j + 1, rows, [total], add)
    w = total.value * factor
    out.put([*at, j, c], out[[*at, j, c]] - w)
    loop(j + 1, rows, [out], lambda i: out.put([*at, i, c], out[[*at, i, c]] - vectors[[*at, i, j]] * w))


def householder(op):
    """`@ProductOfElementaryHouseholderReflectors`: Q, or its first columns."""
    with before(op):
        vectors, factors = Array(op.operands[0]), Array(op.operands[1])
        batch, rows, columns = matrices(vectors)
        t = vectors.type.element_type
        out = Array(vectors.tensor)
        count = factors.size(factors.type.rank - 1)

        def one_matrix(at):
            def unit(i, c):
                out.put([*at, i, c], select(i.eq(c), real(t, 1.0), real(t, 0.0)))

            nest([rows, columns], [out], lambda place: unit(*place))

            def back(g):
                j = count - 1 - g
                factor = factors[[*at, j]]
                loop(0, columns, [out], lambda c: reflect(out, vectors, factor, at, j, c, rows))

            loop(0, count, [out], back)

        nest(batch, [out], one_matrix)
        replace(op, [out.tensor])
