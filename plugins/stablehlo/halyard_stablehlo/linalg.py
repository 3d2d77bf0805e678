"""Cholesky decompositions and triangular systems, on matrices in batches."""

from .build import before, ir, replace
from .loops import Array, Cell, loop, nest, real, select


def matrices(x):
    """The sizes of the batch of an array, of its rows and its columns."""
    rank = x.type.rank
    return [x.size(d) for d in range(rank - 2)], x.size(rank - 2), x.size(rank - 1)


def flag(op, name, otherwise=False):
    """A boolean attribute."""
    return ir.BoolAttr(op.attributes[name]).value if name in op.attributes else otherwise


def cholesky(op):
    """The lower factor L of L L', or its transpose; the other triangle is zero."""
    lower = flag(op, "lower", True)
    with before(op):
        a = Array(op.operands[0])
        out = Array(op.operands[0])
        factor(a, out, lower)
        replace(op, [out.tensor])


def factor(a, out, lower):
    """Writes the factor of `a` to `out`."""
    batch, n, _ = matrices(a)
    t = a.type.element_type

    def one_matrix(at):
        def place(i, j):
            return [*at, i, j] if lower else [*at, j, i]

        def column(j):
            def row(i):
                total = Cell(a[place(i, j)])

                def inner(k):
                    total.value = total.value - out[place(i, k)] * out[place(j, k)]

                loop(0, j, [total], inner)
                diagonal = out[place(j, j)]
                out.put(place(i, j), select(i.eq(j), total.value.sqrt(), total.value / diagonal))
                # Above the diagonal; on it this is written anew below.
                out.put(place(j, i), select(i.eq(j), out[place(j, j)], real(t, 0.0)))

            loop(j, n, [out], row)

        loop(0, n, [out], column)

    nest(batch, [out], one_matrix)


def triangular_solve(op):
    """X of op(A) X = B or X op(A) = B, where A is a triangle."""
    left, lower, unit = flag(op, "left_side"), flag(op, "lower"), flag(op, "unit_diagonal")
    turned = "NO_TRANSPOSE" not in str(op.attributes["transpose_a"])
    with before(op):
        a, x = Array(op.operands[0]), Array(op.operands[1])
        solve(a, x, left, lower != turned, turned, unit)
        replace(op, [x.tensor])


def solve(a, x, left, lower, turned, unit):
    """Solves in place; `lower` says it of the matrix as it is used, turned if it is."""
    batch, rows, columns = matrices(x)
    n, others = (rows, columns) if left else (columns, rows)
    # X A = B is A' X' = B'.
    forward, turned = lower == left, turned == left

    def one_matrix(at):
        def coefficient(i, k):
            return a[[*at, k, i]] if turned else a[[*at, i, k]]

        def place(i, c):
            return [*at, i, c] if left else [*at, c, i]

        def step(g):
            i = g if forward else n - 1 - g

            def eliminate(h):
                k = h if forward else n - 1 - h
                c = coefficient(i, k)
                loop(0, others, [x], lambda o: x.put(place(i, o), x[place(i, o)] - c * x[place(k, o)]))

            loop(0, g, [x], eliminate)
            if not unit:
                d = coefficient(i, i)
                loop(0, others, [x], lambda o: x.put(place(i, o), x[place(i, o)] / d))

        loop(0, n, [x], step)

    nest(batch, [x], one_matrix)
