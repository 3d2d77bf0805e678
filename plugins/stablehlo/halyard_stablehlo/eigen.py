"""Eigenvalues and eigenvectors of symmetric matrices, by Jacobi's rotations."""

from .build import before, i1, replace
from .decompositions import exchange
from .linalg import matrices
from .loops import Array, Cell, Number, constant, loop, nest, real, select, when
from .topk import empty_of

SWEEPS = 30
TINY = {"f32": 1e-7, "f64": 1e-15}


def eigh(op):
    """`@Eigh`: vectors in columns, and values in ascending order; one triangle is read."""
    lower = "backend_config" not in op.attributes or str(op.attributes["backend_config"]).strip('"').startswith("1")
    with before(op):
        a, v = Array(op.operands[0]), Array(op.operands[0])
        batch, n, _ = matrices(a)
        w = Array(empty_of(op.results[1].type, batch))
        nest(batch, [a, v, w], lambda at: decompose(a, v, w, at, n, lower))
        replace(op, [v.tensor, w.tensor])


def decompose(a, v, w, at, n, lower):
    """One matrix: `a` becomes diagonal, `v` the product of the rotations."""
    t = a.type.element_type
    zero = real(t, 0.0)

    def prepare(i, j):
        read = [*at, i.max(j), i.min(j)] if lower else [*at, i.min(j), i.max(j)]
        a.put([*at, i, j], a[read])
        v.put([*at, i, j], select(i.eq(j), real(t, 1.0), zero))

    nest([n, n], [a, v], lambda place: prepare(*place))
    total = Cell(zero)

    def add(place):
        x = a[[*at, *place]]
        total.value = total.value + x * x

    nest([n, n], [total], add)
    enough = total.value * (TINY[str(t)] ** 2)
    going = Cell(Number(constant(i1(), 1)))

    def sweep(_):
        def all_pairs():
            loop(0, n, [a, v], lambda p: loop(p + 1, n, [a, v], lambda q: rotate(a, v, at, n, p, q)))
            off = Cell(zero)

            def beside(p):
                def element(q):
                    x = a[[*at, p, q]]
                    off.value = off.value + x * x

                loop(p + 1, n, [off], element)

            loop(0, n, [off], beside)
            going.value = off.value > enough

        when(going.value, [a, v, going], all_pairs)

    loop(0, SWEEPS, [a, v, going], sweep)
    loop(0, n, [w], lambda i: w.put([*at, i], a[[*at, i, i]]))

    def order(i):
        least = Cell(i)

        def look(j):
            least.value = select(w[[*at, j]] < w[[*at, least.value]], j, least.value)

        loop(i + 1, n, [least], look)
        exchange(w, [*at, i], [*at, least.value])
        loop(0, n, [v], lambda k: exchange(v, [*at, k, i], [*at, k, least.value]))

    loop(0, n, [w, v], order)


def rotate(a, v, at, n, p, q):
    """Makes one element beside the diagonal, and its mirror image, zero."""
    t = a.type.element_type
    x = a[[*at, p, q]]
    is_zero = x.eq(0.0)
    half = (a[[*at, q, q]] - a[[*at, p, p]]) / select(is_zero, real(t, 1.0), x * 2.0)
    # An angle so small that its square would overflow turns nothing.
    large = half.abs() > 1e15
    root = (select(large, real(t, 0.0), half * half) + 1.0).sqrt()
    tangent = select(large, 0.5 / half, select(half < 0.0, real(t, -1.0), real(t, 1.0)) / (half.abs() + root))
    tangent = select(is_zero, real(t, 0.0), tangent)
    cosine = 1.0 / (tangent * tangent + 1.0).sqrt()
    sine = tangent * cosine

    def turn(array, one, other):
        y, z = array[one], array[other]
        array.put(one, cosine * y - sine * z)
        array.put(other, sine * y + cosine * z)

    loop(0, n, [a], lambda k: turn(a, [*at, k, p], [*at, k, q]))
    loop(0, n, [a], lambda k: turn(a, [*at, p, k], [*at, q, k]))
    loop(0, n, [v], lambda k: turn(v, [*at, k, p], [*at, k, q]))
    a.put([*at, p, q], real(t, 0.0))
    a.put([*at, q, p], real(t, 0.0))
