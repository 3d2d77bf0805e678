"""Calls of LAPACK, as JAX exports linear algebra for CPUs."""

from .build import Unsupported, before, i32, integer, ir, replace, text
from .decompositions import householder, lu_of, qr
from .eigen import decompose
from .linalg import factor, matrices, solve
from .loops import Array, Number, constant, empty, loop, nest, select
from .topk import empty_of


def letter(op, name, otherwise):
    """An option, which is a letter."""
    if "mhlo.backend_config" not in op.attributes:
        return otherwise
    options = ir.DictAttr(op.attributes["mhlo.backend_config"])
    return chr(integer(options[name])) if name in options else otherwise


def done(t, batch):
    """What says that all went well: zeros."""
    out = Array(empty_of(t, batch))
    nest(batch, [out], lambda at: out.put(at, Number(constant(i32(), 0))))
    return out


def potrf(op):
    """The factor of Cholesky, and where it does not exist."""
    with before(op):
        a, out = Array(op.operands[0]), Array(op.operands[0])
        batch, n, _ = matrices(a)
        factor(a, out, letter(op, "uplo", "L") == "L")
        info = done(op.results[1].type, batch)

        def look(at):
            def diagonal(i):
                d = out[[*at, i, i]]
                fails = d.ne(d) & info[at].eq(0)
                info.put(at, select(fails, (i + 1).integer(i32()), info[at]))

            loop(0, n, [info], diagonal)

        nest(batch, [info], look)
        replace(op, [out.tensor, info.tensor])


def trsm(op):
    """A triangular system."""
    with before(op):
        a, x = Array(op.operands[0]), Array(op.operands[1])
        turned = letter(op, "trans_x", "N") != "N"
        lower = letter(op, "uplo", "L") == "L"
        solve(a, x, letter(op, "side", "L") == "L", lower != turned, turned, letter(op, "diag", "N") == "U")
        replace(op, [x.tensor])


def getrf(op):
    """Both factors, and the rows that were exchanged, from 1 on."""
    with before(op):
        a = Array(op.operands[0])
        batch, rows, columns = matrices(a)
        pivots = Array(empty_of(op.results[1].type, batch))
        order = Array(empty([*batch, rows], i32()))
        nest(batch, [a, pivots, order], lambda at: lu_of(a, pivots, order, at, rows, columns))
        nest([*batch, rows.min(columns)], [pivots], lambda at: pivots.put(at, pivots[at] + 1))
        replace(op, [a.tensor, pivots.tensor, done(op.results[2].type, batch).tensor])


def syevd(op):
    """Eigenvectors, eigenvalues."""
    with before(op):
        a, v = Array(op.operands[0]), Array(op.operands[0])
        batch, n, _ = matrices(a)
        w = Array(empty_of(op.results[1].type, batch))
        lower = letter(op, "uplo", "L") == "L"
        nest(batch, [a, v, w], lambda at: decompose(a, v, w, at, n, lower))
        replace(op, [v.tensor, w.tensor, done(op.results[2].type, batch).tensor])


ROUTINES = {"potrf": potrf, "trsm": trsm, "getrf": getrf, "geqrf": qr, "orgqr": householder, "syevd": syevd}
FOR_TPU = 'export it for a platform that has no LAPACK: `jax.export.export(f, platforms=["tpu"])`'


def call(op):
    """A `@lapack_…`: real numbers, and what is not too rare."""
    name = text(op.attributes["call_target_name"]).removeprefix("lapack_").removesuffix("_ffi")
    kind, routine = name[:1], ROUTINES.get(name[1:])
    if kind not in ("s", "d") or routine is None:
        raise Unsupported(op, f"`{name}` of LAPACK", FOR_TPU)
    routine(op)
