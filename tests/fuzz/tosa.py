"""Operations of TOSA: those whose results are defined to the bit, and some functions of floats."""

import numpy as np
import scalars
import values
from moves import Move, numbers
from program import Impossible, Value
from values import Array, is_float

FLOAT2 = {"add": scalars.addf, "sub": scalars.subf, "maximum": scalars.maxf, "minimum": scalars.minf}
INT2 = {"add": scalars.I2["arith.addi"], "sub": scalars.I2["arith.subi"], "maximum": scalars.I2["arith.maxsi"], "minimum": scalars.I2["arith.minsi"],
        "bitwise_and": scalars.I2["arith.andi"], "bitwise_or": scalars.I2["arith.ori"], "bitwise_xor": scalars.I2["arith.xori"]}  # fmt: skip
FLOAT1 = {"abs": scalars.absf, "exp": scalars.F1["math.exp"], "tanh": scalars.F1["math.tanh"], "floor": scalars.F1["math.floor"],
          "ceil": scalars.F1["math.ceil"], "rsqrt": scalars.F1["math.rsqrt"], "sin": scalars.F1["math.sin"], "erf": scalars.F1["math.erf"]}  # fmt: skip
INT1 = {"bitwise_not": lambda a: Array(a.dtype, values.wrap(a.dtype, ~a.v), a.e), "clz": scalars.I1["math.ctlz"]}
COMPARE = {"equal": "eq", "greater": "gt", "greater_equal": "ge"}


def known(r, pool, dtypes, least=1):
    """A tensor of one of these types."""
    found = [
        v
        for v in pool
        if v.dtype in dtypes and least <= v.rank <= 4 and 0 not in v.shape and np.prod(v.shape, dtype=np.int64) < 3000
    ]
    if found and r.flag(0.6):
        return r.choice(found)
    shape = [max(n, 1) for n in r.shape(r.randint(least, 3), 1500)]
    return r.argument(r.choice([d for d in dtypes if d in r.dtypes]), shape)


def binary(r, pool):
    """Two tensors of one rank, of which one may be repeated along dimensions of size 1."""
    x = known(r, pool, ["f32", "f16", "i32", "i8", "i16"])
    shape = [1 if r.flag(0.3) else n for n in x.shape]
    y = r.argument(x.dtype, shape, [u and n == m for u, n, m in zip(x.dyn, shape, x.shape)])
    table = FLOAT2 if is_float(x.dtype) else INT2
    if x.dtype in ("i8", "i16"):
        table = {k: f for k, f in INT2.items() if k.startswith("bitwise")}
    name = r.choice(list(table))
    if r.flag(0.25) and x.dtype in ("f32", "f16", "i32"):
        name = r.choice(list(COMPARE))
        how = (
            scalars.cmpf("o" + COMPARE[name])
            if is_float(x.dtype)
            else scalars.cmpi(COMPARE[name] if name == "equal" else "s" + COMPARE[name])
        )
        return [simple("tosa." + name, [x, y], Value("i1", x.shape, x.dyn), how)]
    return [simple("tosa." + name, [x, y], Value(x.dtype, x.shape, x.dyn), table[name])]


def simple(name, operands, result, compute, attributes=""):
    def write(text, n, *names):
        types = ", ".join(o.type() for o in operands)
        text.line(f"{n} = {name} {', '.join(names)} {attributes}: ({types}) -> {result.type()}")

    return Move(operands, result, write, compute)


def unary(r, pool):
    x = known(r, pool, ["f32", "f16", "i32"])
    table = FLOAT1 if is_float(x.dtype) else INT1
    name = r.choice(list(table))
    return [simple("tosa." + name, [x], Value(x.dtype, x.shape, x.dyn), table[name])]


def select(r, pool):
    x = known(r, pool, ["f32", "f16", "i32", "i8"])
    y, c = r.argument(x.dtype, x.shape, x.dyn), r.argument("i1", x.shape, x.dyn)
    return [simple("tosa.select", [c, x, y], Value(x.dtype, x.shape, x.dyn), scalars.select)]


def reduce(r, pool):
    """Along one dimension, which stays with size 1."""
    x = known(r, pool, ["f32", "f16", "i32", "i1"])
    axis = r.randrange(x.rank)
    if x.shape[axis] > 120:
        raise Impossible("too many steps")
    if x.dtype == "i1":
        name, f = r.choice([("reduce_all", scalars.I2["arith.andi"]), ("reduce_any", scalars.I2["arith.ori"])])
    else:
        table = FLOAT2 if is_float(x.dtype) else INT2
        name, f = r.choice(
            [("reduce_sum", table["add"]), ("reduce_max", table["maximum"]), ("reduce_min", table["minimum"])]
        )
    shape, dyn = list(x.shape), list(x.dyn)
    shape[axis], dyn[axis] = 1, False

    def compute(a):
        at = lambda k: a.at((slice(None),) * axis + (slice(k, k + 1),))  # noqa: E731
        total = at(0)
        for k in range(1, x.shape[axis]):
            total = f(total, at(k))
        return total

    return [simple("tosa." + name, [x], Value(x.dtype, shape, dyn), compute, f"{{axis = {axis} : i32}} ")]


def turn(r, pool):
    """Transpositions, mirrors and repetitions."""
    x = known(r, pool, ["f32", "f16", "i32", "i8", "i1"])
    full = lambda p: np.broadcast_to(p, x.shape)  # noqa: E731
    if r.flag(0.4):
        axis = r.randrange(x.rank)
        return [
            simple(
                "tosa.reverse",
                [x],
                Value(x.dtype, x.shape, x.dyn),
                lambda a: a.map(lambda p: np.flip(full(p), axis)),
                f"{{axis = {axis} : i32}} ",
            )
        ]
    order = list(range(x.rank))
    r.shuffle(order)
    result = Value(x.dtype, [x.shape[d] for d in order], [x.dyn[d] for d in order])
    perms = f"{{perms = array<i32: {', '.join(map(str, order))}>}} "
    return [simple("tosa.transpose", [x], result, lambda a: a.map(lambda p: full(p).transpose(order).copy()), perms)]


def reshape(r, pool):
    x = known(r, pool, ["f32", "f16", "i32", "i8", "i1"])
    if any(x.dyn):
        raise Impossible("an unknown size")
    count = int(np.prod(x.shape, dtype=np.int64))
    shape = []
    while len(shape) < 3 and r.flag(0.7):
        f = r.choice([n for n in range(1, 9) if count % n == 0])
        shape.append(f)
        count //= f
    shape.insert(r.randrange(len(shape) + 1), count)
    result = Value(x.dtype, shape)

    def write(text, n, a):
        s = text.fresh("s")
        text.line(
            f"{s} = tosa.const_shape {{values = dense<{numbers(shape)}> : tensor<{len(shape)}xindex>}} : () -> !tosa.shape<{len(shape)}>"
        )
        text.line(f"{n} = tosa.reshape {a}, {s} : ({x.type()}, !tosa.shape<{len(shape)}>) -> {result.type()}")

    return [Move([x], result, write, lambda a: a.map(lambda p: np.broadcast_to(p, x.shape).reshape(shape)))]


def concat(r, pool):
    x = known(r, pool, ["f32", "f16", "i32", "i8"])
    axis = r.randrange(x.rank)
    shape, dyn = list(x.shape), list(x.dyn)
    shape[axis] = r.choice([1, 2, 5])
    y = r.argument(x.dtype, shape, dyn)
    total = list(x.shape)
    total[axis] += shape[axis]
    result = Value(x.dtype, total, dyn)

    def compute(a, b):
        whole = values.of(x.dtype, np.zeros(total))
        whole.g = min(a.g, b.g)
        at = lambda part: (slice(None),) * axis + (part,)  # noqa: E731
        whole.put(at(slice(0, x.shape[axis])), a)
        whole.put(at(slice(x.shape[axis], None)), b)
        return whole

    return [simple("tosa.concat", [x, y], result, compute, f"{{axis = {axis} : i32}} ")]


def argmax(r, pool):
    x = known(r, pool, ["f32", "f16"])
    axis = r.randrange(x.rank)
    keep = [d for d in range(x.rank) if d != axis]
    result = Value("i32", [x.shape[d] for d in keep], [x.dyn[d] for d in keep])

    def compute(a):
        found = values.of("i32", np.argmax(np.broadcast_to(a.v, x.shape), axis))
        if a.e is None:
            return found
        top = np.sort(np.broadcast_to(a.v, x.shape), axis)
        gap = np.take(top, -1, axis) - np.take(top, -2, axis) if x.shape[axis] > 1 else np.inf
        return values.unknown_if(found, ~(gap > 2 * np.max(np.broadcast_to(a.error(), x.shape), axis)))

    return [simple("tosa.argmax", [x], result, compute, f"{{axis = {axis} : i32}} ")]


def any_of(r, pool):
    return r.choice([binary, binary, binary, unary, select, reduce, reduce, turn, reshape, concat, argmax])(r, pool)
