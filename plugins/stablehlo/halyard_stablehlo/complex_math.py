"""Arithmetic on complex numbers, as pairs of tensors of real ones."""

from jaxlib.mlir.dialects import stablehlo as hlo

from .build import i1, one, shape, tensor
from .constants import like


def compare(a, b, how):
    """`LT`, `GE`, …"""
    direction = hlo.ComparisonDirectionAttr.get(how)
    return one("stablehlo.compare", tensor(shape(a), i1()), [a, b], {"comparison_direction": direction})


def add(x, y):
    return hlo.add(x[0], y[0]), hlo.add(x[1], y[1])


def subtract(x, y):
    return hlo.subtract(x[0], y[0]), hlo.subtract(x[1], y[1])


def multiply(x, y):
    (a, b), (c, d) = x, y
    return hlo.subtract(hlo.multiply(a, c), hlo.multiply(b, d)), hlo.add(hlo.multiply(a, d), hlo.multiply(b, c))


def divide(x, y):
    """By the larger part of the divisor first, so that squares stay in range."""
    (a, b), (c, d) = x, y
    largest = hlo.maximum(hlo.abs(c), hlo.abs(d))
    c, d = hlo.divide(c, largest), hlo.divide(d, largest)
    down = hlo.multiply(hlo.add(hlo.multiply(c, c), hlo.multiply(d, d)), largest)
    real = hlo.add(hlo.multiply(a, c), hlo.multiply(b, d))
    imaginary = hlo.subtract(hlo.multiply(b, c), hlo.multiply(a, d))
    return hlo.divide(real, down), hlo.divide(imaginary, down)


def negate(x):
    return hlo.negate(x[0]), hlo.negate(x[1])


def magnitude(x):
    """The absolute value, by the larger part, so that squares stay in range."""
    a, b = hlo.abs(x[0]), hlo.abs(x[1])
    large, small = hlo.maximum(a, b), hlo.minimum(a, b)
    ratio = hlo.divide(small, large)
    found = hlo.multiply(large, hlo.sqrt(hlo.add(like(a, 1.0), hlo.multiply(ratio, ratio))))
    # Where parts are equal, as 0 or infinite, there is no ratio.
    plain = hlo.or_(compare(large, like(a, 0.0), "EQ"), compare(large, like(a, float("inf")), "EQ"))
    return hlo.select(plain, large, found)


def log(x):
    """The logarithm of the magnitude, exact also near 1, and the angle."""
    a, b = hlo.abs(x[0]), hlo.abs(x[1])
    large, small = hlo.maximum(a, b), hlo.minimum(a, b)
    near = hlo.and_(compare(large, like(a, 0.5), "GE"), compare(large, like(a, 3.0), "LE"))
    one_more, one_less = hlo.add(large, like(a, 1.0)), hlo.subtract(large, like(a, 1.0))
    exact = hlo.log_plus_one(hlo.add(hlo.multiply(one_less, one_more), hlo.multiply(small, small)))
    real = hlo.select(near, hlo.multiply(like(a, 0.5), exact), hlo.log(magnitude(x)))
    return real, hlo.atan2(x[1], x[0])


def exponential(x):
    size = hlo.exponential(x[0])
    sine = hlo.multiply(size, hlo.sine(x[1]))
    # Real numbers stay real, also where the exponential is infinite.
    return hlo.multiply(size, hlo.cosine(x[1])), hlo.select(compare(x[1], like(x[1], 0.0), "EQ"), x[1], sine)


def exponential_minus_one(x):
    a, b = x
    half = hlo.sine(hlo.multiply(b, like(b, 0.5)))
    less = hlo.multiply(like(b, 2.0), hlo.multiply(half, half))
    real = hlo.subtract(hlo.multiply(hlo.exponential_minus_one(a), hlo.cosine(b)), less)
    return real, hlo.multiply(hlo.exponential(a), hlo.sine(b))


def log_plus_one(x):
    return log((hlo.add(x[0], like(x[0], 1.0)), x[1]))


def sqrt(x):
    """The root in the right half plane; the other part by division, which loses nothing."""
    a, b = x
    root = hlo.sqrt(hlo.multiply(hlo.add(magnitude(x), hlo.abs(a)), like(a, 0.5)))
    other = hlo.divide(hlo.abs(b), hlo.add(root, root))
    zero = like(a, 0.0)
    other = hlo.select(compare(root, zero, "EQ"), zero, other)
    right = compare(a, zero, "GE")
    real, size = hlo.select(right, root, other), hlo.select(right, other, root)
    return real, hlo.select(compare(b, zero, "LT"), hlo.negate(size), size)


def rsqrt(x):
    return divide((like(x[0], 1.0), like(x[0], 0.0)), sqrt(x))


def hyperbolic(x):
    """The hyperbolic cosine and sine of a real tensor."""
    half = like(x, 0.5)
    up, down = hlo.exponential_minus_one(x), hlo.exponential_minus_one(hlo.negate(x))
    sine = hlo.multiply(half, hlo.subtract(up, down))
    cosine = hlo.add(hlo.multiply(half, hlo.add(up, down)), like(x, 1.0))
    return cosine, sine


def sine(x):
    cosh, sinh = hyperbolic(x[1])
    return hlo.multiply(hlo.sine(x[0]), cosh), hlo.multiply(hlo.cosine(x[0]), sinh)


def cosine(x):
    cosh, sinh = hyperbolic(x[1])
    return hlo.multiply(hlo.cosine(x[0]), cosh), hlo.negate(hlo.multiply(hlo.sine(x[0]), sinh))


def tanh(x):
    a, b = hlo.tanh(x[0]), hlo.tan(x[1])
    square = hlo.multiply(b, b)
    unit = like(a, 1.0)
    down = hlo.add(unit, hlo.multiply(hlo.multiply(a, a), square))
    real = hlo.divide(hlo.multiply(a, hlo.add(unit, square)), down)
    return real, hlo.divide(hlo.multiply(b, hlo.subtract(unit, hlo.multiply(a, a))), down)


def tan(x):
    """-i tanh(ix)."""
    real, imaginary = tanh((hlo.negate(x[1]), x[0]))
    return imaginary, hlo.negate(real)


def logistic(x):
    e = exponential(negate(x))
    unit = like(x[0], 1.0)
    return divide((unit, like(x[0], 0.0)), (hlo.add(e[0], unit), e[1]))


def power(x, y):
    """exp(y log x); zero to a power is zero, to the power of zero one."""
    found = exponential(multiply(y, log(x)))
    zero = like(x[0], 0.0)
    none = hlo.and_(compare(x[0], zero, "EQ"), compare(x[1], zero, "EQ"))
    flat = hlo.and_(compare(y[0], zero, "EQ"), compare(y[1], zero, "EQ"))
    real = hlo.select(flat, like(zero, 1.0), hlo.select(none, zero, found[0]))
    return real, hlo.select(hlo.or_(none, flat), zero, found[1])


def cbrt(x):
    return power(x, (like(x[0], 1.0 / 3.0), like(x[0], 0.0)))


def sign(x):
    size = magnitude(x)
    zero = like(size, 0.0)
    none = compare(size, zero, "EQ")
    safe = hlo.select(none, like(size, 1.0), size)
    return hlo.select(none, zero, hlo.divide(x[0], safe)), hlo.select(none, zero, hlo.divide(x[1], safe))


ELEMENTWISE = {
    "add": add,
    "subtract": subtract,
    "multiply": multiply,
    "divide": divide,
    "negate": negate,
    "log": log,
    "exponential": exponential,
    "exponential_minus_one": exponential_minus_one,
    "log_plus_one": log_plus_one,
    "sqrt": sqrt,
    "rsqrt": rsqrt,
    "sine": sine,
    "cosine": cosine,
    "tanh": tanh,
    "tan": tan,
    "logistic": logistic,
    "power": power,
    "cbrt": cbrt,
    "sign": sign,
}
