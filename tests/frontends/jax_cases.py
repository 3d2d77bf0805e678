"""Programs in JAX: (name, function, arguments), and the symbolic shapes of arguments where sizes are not known."""

import jax
import jax.numpy as jnp
import numpy as np
import scipy.linalg  # noqa: F401  jax.scipy wants it
from jax import lax

rng = np.random.default_rng(7)
CASES = {}


def f(*shape, dtype=np.float32, scale=1.0):
    """Random floats."""
    return (scale * rng.standard_normal(shape)).astype(dtype)


def pos(*shape, dtype=np.float32):
    return (np.abs(rng.standard_normal(shape)) + 0.1).astype(dtype)


def unit(*shape, dtype=np.float32):
    return rng.uniform(-0.95, 0.95, shape).astype(dtype)


def i(*shape, low=-20, high=20, dtype=np.int32):
    """Random integers."""
    return rng.integers(low, high, shape).astype(dtype)


def b(*shape):
    return rng.integers(0, 2, shape).astype(bool)


def c(*shape, dtype=np.complex64):
    return (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype(dtype)


def spd(n, *batch):
    a = rng.standard_normal((*batch, n, n))
    return (a @ np.swapaxes(a, -1, -2) + n * np.eye(n)).astype(np.float32)


def add(name, function, *args, symbolic=None, x64=False):
    assert name not in CASES, name
    CASES[name] = (function, args, symbolic, x64)


def each(prefix, names, args, where=jnp, **more):
    for n in names.split():
        add(f"{prefix}_{n}", getattr(where, n), *args, **more)


# Elementwise, by kind of number.
each("unary", "abs ceil floor exp expm1 negative sin cos tan tanh sinh cosh sign round rint square arctan arcsinh cbrt isnan isfinite degrees sinc", [f(3, 17)])
each("positive", "log log1p log2 log10 sqrt reciprocal arccosh", [pos(3, 17) + 1])
each("unit", "arcsin arccos arctanh i0", [unit(33)])
each("binary", "add subtract multiply divide maximum minimum power arctan2 hypot logaddexp fmod remainder floor_divide copysign nextafter", [pos(4, 9), pos(4, 9)])
each("integer", "add subtract multiply floor_divide remainder bitwise_and bitwise_or bitwise_xor maximum minimum gcd lcm", [i(40, low=-50, high=50), i(40, low=1, high=9)])
each("unsigned", "floor_divide remainder maximum minimum greater less right_shift left_shift", [i(40, low=0, high=250, dtype=np.uint8), i(40, low=1, high=7, dtype=np.uint8)])
each("compare", "equal not_equal less greater_equal logical_and logical_xor", [i(30, low=0, high=3), i(30, low=0, high=3)])
each("special", "erf erfc lgamma digamma", [pos(20)], where=lax)
add("erf_inv", lax.erf_inv, unit(21))
add("bessel", lambda x: lax.bessel_i1e(x), f(20))
add("igamma", lambda a, x: lax.igamma(a, x), pos(9), pos(9))
add("betainc", lambda a, x: jax.scipy.special.betainc(a, a + 1, x), pos(5), np.abs(unit(5)))
add("zeta", lambda x: lax.zeta(x, jnp.float32(1.5)), pos(6) + 1.5)
add("polygamma", lambda x: lax.polygamma(jnp.float32(1), x), pos(6))
add("population_count", lax.population_count, i(20, low=0, high=1000))
add("clz", lax.clz, i(20, low=0, high=1000))
add("shifts", lambda x, y: (lax.shift_left(x, y), lax.shift_right_logical(x, y), lax.shift_right_arithmetic(x, y)), i(20), i(20, low=0, high=31))
add("integer_pow", lambda x: lax.integer_pow(x, 5) + x ** -2, pos(12))
add("rsqrt", lax.rsqrt, pos(12))
add("logistic", jax.nn.sigmoid, f(12))
add("clamp", lambda x: lax.clamp(-0.5, x, 0.5), f(20))
add("where", lambda p, x, y: jnp.where(p, x, y), b(9), f(9), f(9))
add("nan_to_num", lambda x: jnp.nan_to_num(jnp.log(x)), f(12))
add("bitcast", lambda x: lax.bitcast_convert_type(x, jnp.int32) >> 3, f(12))
add("bitcast_narrow", lambda x: lax.bitcast_convert_type(x, jnp.uint8), f(5))
add("reduce_precision", lambda x: lax.reduce_precision(x, 5, 10), f(12))
add("casts", lambda x: (x.astype(jnp.int8), x.astype(jnp.uint16), x.astype(jnp.bfloat16).astype(jnp.float32), x.astype(bool)), f(16, scale=20.0).clip(0, 100))

# Types.
for kind in ("bfloat16", "float16"):
    add(f"{kind}_math", lambda x, y: jnp.tanh(x) * y + jnp.exp(-x * x), f(6, 5, dtype=jnp.dtype(kind)), f(6, 5, dtype=jnp.dtype(kind)))
    add(f"{kind}_matmul", lambda x, y: x @ y, f(16, 24, dtype=jnp.dtype(kind)), f(24, 8, dtype=jnp.dtype(kind)))
    add(f"{kind}_conv", lambda x, w: lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")), f(1, 6, 7, 3, dtype=jnp.dtype(kind)), f(3, 3, 3, 4, dtype=jnp.dtype(kind)))
    add(f"{kind}_softmax", lambda x: jax.nn.softmax(x), f(4, 33, dtype=jnp.dtype(kind)))
    add(f"{kind}_sort", lambda x: jnp.sort(x), f(4, 33, dtype=jnp.dtype(kind)))
for kind in ("int8", "uint8", "int16", "uint16", "uint32"):
    add(f"{kind}_sum", lambda x, y: (jnp.sum(x), jnp.max(x), jnp.min(x, axis=0), x * y - x // (y + 1)), i(5, 6, low=0, high=100, dtype=kind), i(5, 6, low=0, high=5, dtype=kind))
add("float64", lambda x: jnp.linalg.norm(jnp.sin(x) @ x.T) + jnp.cumsum(x, 0), f(7, 5, dtype=np.float64), x64=True)
add("int64", lambda x: jnp.cumsum(x) * 3_000_000_000, i(9, dtype=np.int64), x64=True)
add("int4", lambda x: (x.astype(jnp.int4) * jnp.int4(2)).astype(jnp.int32), i(12, low=-3, high=3))
for kind in ("float8_e4m3fn", "float8_e5m2"):
    add(f"{kind}_round", lambda x, kind=kind: x.astype(kind).astype(jnp.float32), f(400, scale=20.0) * np.exp(f(400, scale=4.0)).clip(1e-6, 15))
    add(f"{kind}_dot", lambda x, y, kind=kind: lax.dot(x.astype(kind), y.astype(kind), preferred_element_type=jnp.float32), f(8, 16), f(16, 4))
    add(f"{kind}_sum", lambda x, kind=kind: (x.astype(kind) + x.astype(kind)).astype(jnp.float32), f(64))
add("float8_io", lambda x: x * 2, f(24).astype(jnp.float8_e4m3fn))

odd = np.array([np.nan, np.inf, -np.inf, 1e20, -1e20, 300.7, -300.7, 2147483648.0, -2147483648.0, 4294967296.0, 255.5, 0.99, -0.99], np.float32)
add("casts_saturate", lambda x: [x.astype(t) for t in (jnp.int8, jnp.uint8, jnp.int16, jnp.uint16, jnp.int32, jnp.uint32)], odd)
add("casts_saturate_wide", lambda x: [x.astype(t) for t in (jnp.int64, jnp.uint64, jnp.int32)], odd.astype(np.float64) * 1e9, x64=True)
add("casts_from_bfloat16", lambda x: [x.astype(t) for t in (jnp.int8, jnp.int32, jnp.uint8)], odd.astype(jnp.bfloat16))
add("float_corners", lambda x: (jnp.maximum(x, 1), jnp.minimum(x, 1), jnp.max(x), x.sum(), jnp.sign(x), jnp.sqrt(x), jnp.round(x), jnp.isinf(x), x == x, jnp.argmax(x), jnp.clip(x, -1, 1)), odd)
add("powers", lambda x, y: (x ** y, jnp.float_power(x, 2), x ** 3, jnp.sqrt(x) ** 0), f(8), np.array([0, 1, 2, 3, -1, -2, 0, 2], np.float32))
add("integer_powers", lambda x, y: (x ** y, x ** 3), i(8, low=-5, high=5), i(8, low=0, high=6))
add("integer_division", lambda x, y: (lax.div(x, y), lax.rem(x, y)), np.array([7, -7, -2147483648, 5, 0], np.int32), np.array([0, 2, -1, -3, 0], np.int32))
add("unsigned_division", lambda x, y: (lax.div(x, y), lax.rem(x, y), x // y, x % y), np.array([7, 4000000000, 5, 0], np.uint32), np.array([0, 3, 7, 0], np.uint32))
add("shifts_far", lambda x, y: (lax.shift_left(x, y), lax.shift_right_logical(x, y), lax.shift_right_arithmetic(x, y)), np.array([5, -5, -1, 9], np.int32), np.array([32, 33, 31, -1], np.int32))
add("unsigned_compare", lambda x, y: (x < y, x > y, jnp.minimum(x, y), jnp.abs(x), -x, x.astype(jnp.float32), jnp.max(x), jnp.argmax(x), jnp.sort(x)), np.array([4000000000, 1, 7, 9], np.uint32), np.array([1, 4000000000, 7, 8], np.uint32))
add("unsigned_loops", lambda x: (jnp.cumsum(x), lax.cummax(x), jnp.argsort(x), lax.top_k(x, 2)[0], x.at[1].max(jnp.uint8(200)), lax.scan(lambda a, y: (jnp.maximum(a, y), a), jnp.uint8(0), x)[1]), np.array([4, 250, 7, 130], np.uint8))
add("bools", lambda x, y: (x & y, x | y, ~x, x ^ y, x.sum(), jnp.cumsum(x), jnp.sort(x), x.astype(jnp.float32), jnp.where(x, 1, 2), x < y, jnp.argmax(x), x.at[1].set(True), lax.cummax(x.astype(jnp.int32))), b(9), b(9))
add("cond_bools", lambda x: lax.while_loop(lambda s: ~s[1], lambda s: (s[0] + 1, s[0] > 5), (x, jnp.bool_(False))), np.int32(0))
add("half_loops", lambda x: (jnp.cumsum(x), jnp.argsort(x), lax.top_k(x, 3), x.at[2].add(1)), f(20, dtype=np.float16))
add("bfloat16_loops", lambda x: (jnp.argsort(x), lax.top_k(x, 3)[1], x.at[2].set(1), lax.scan(lambda a, y: (a + y, a), jnp.bfloat16(0), x)[1]), f(20, dtype=jnp.bfloat16))
add("float64_everything", lambda x: (jnp.linalg.inv(x), jnp.linalg.eigvalsh(x), jnp.sort(x), jnp.linalg.cholesky(x), jnp.fft.rfft(x), jnp.linalg.qr(x)[1]), spd(6).astype(np.float64), x64=True)
add("rbg", lambda k: jax.random.normal(jax.random.wrap_key_data(k, impl="rbg"), (8,)), np.arange(4, dtype=np.uint32))

# Shapes.
add("reshape", lambda x: x.reshape(4, -1).T.ravel(), f(2, 6, 4))
add("broadcast", lambda x, y: x[:, None] + y[None, :], f(5), f(7))
add("concatenate", lambda x, y: jnp.concatenate([x, y, x], axis=1), f(3, 4), f(3, 5))
add("stack", lambda x, y: jnp.stack([x, y], axis=-1), f(3, 4), f(3, 4))
add("split", lambda x: jnp.split(x, [2, 5], axis=1), f(3, 9))
add("pad", lambda x: jnp.pad(x, ((1, 2), (0, 3)), constant_values=1.5), f(3, 4))
add("pad_reflect", lambda x: jnp.pad(x, ((1, 2), (2, 3)), mode="reflect"), f(5, 6))
add("pad_wrap", lambda x: jnp.pad(x, 3, mode="wrap"), f(5, 6))
add("pad_interior", lambda x: lax.pad(x, 0.0, ((1, -1, 2), (-1, 2, 0))), f(5, 6))
add("flip", lambda x: (jnp.flip(x, 0), jnp.fliplr(x), jnp.rot90(x)), f(3, 4))
add("roll", lambda x: jnp.roll(x, (2, -1), (0, 1)), f(5, 4))
add("tile", lambda x: jnp.tile(x, (2, 3)), f(3, 4))
add("repeat", lambda x: jnp.repeat(x, 3, axis=1), f(3, 4))
add("slice_strided", lambda x: x[1:9:3, ::-2], f(10, 7))
add("tril", lambda x: (jnp.tril(x), jnp.triu(x, 1), jnp.diag(x), jnp.trace(x)), f(5, 5))
add("eye", lambda x: jnp.eye(4) * x + jnp.arange(4.0) + jnp.linspace(0, 1, 4), f(4, 4))
add("meshgrid", lambda x, y: jnp.meshgrid(x, y, indexing="ij"), f(3), f(4))
add("dynamic_slice", lambda x, k: lax.dynamic_slice(x, (k, k + 1), (3, 2)), f(7, 6), np.int32(5))
add("dynamic_update_slice", lambda x, y, k: lax.dynamic_update_slice(x, y, (k, 0)), f(7, 6), f(2, 3), np.int32(6))
add("empty", lambda x: jnp.concatenate([x[:0], x * 2, x[3:3]]), f(5, 2))

# Reductions.
each("reduce", "sum prod max min mean std var any all argmax argmin median ptp count_nonzero nansum nanmean", [f(5, 7)])
add("reduce_axes", lambda x: (x.sum((0, 2)), x.max(1, keepdims=True), x.argmin(2), jnp.all(x > -1, axis=0)), f(3, 4, 5))
add("logsumexp", lambda x: jax.nn.logsumexp(x, axis=1), f(5, 9))
add("quantile", lambda x: jnp.quantile(x, jnp.array([0.1, 0.5, 0.77]), axis=0), f(21, 3))
add("percentile", lambda x: jnp.percentile(x, 30.0), f(57))
each("running", "cumsum cumprod cummax cummin cumlogsumexp", [unit(6, 40)], where=lax)
add("cumsum_reverse", lambda x: lax.cumsum(x, axis=1, reverse=True), f(3, 20))
add("associative_scan", lambda x: lax.associative_scan(jnp.maximum, x), f(37))
add("reduce_window", lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 2), (1, 2, 1), "SAME"), f(2, 9, 8))
add("avg_pool", lambda x: lax.reduce_window(x, 0.0, lax.add, (1, 2, 2, 1), (1, 2, 2, 1), "VALID") / 4, f(1, 8, 8, 3))
add("reduce_custom", lambda x: lax.reduce(x, np.float32(0), lambda p, q: p + q * 0.5, (1,)) * 0 + x.sum(1), f(3, 4))
add("histogram", lambda x: jnp.histogram(x, bins=8, range=(-2.0, 2.0))[0], f(60))
add("bincount", lambda x: jnp.bincount(x, length=9), i(50, low=0, high=9))
add("convolve", lambda x, y: jnp.convolve(x, y, mode="same"), f(20), f(5))
add("interp", lambda x, xp, fp: jnp.interp(x, xp, fp), f(9), np.sort(f(6)), f(6))
add("digitize", lambda x, y: jnp.digitize(x, y), f(20), np.sort(f(5)))
add("searchsorted", lambda x, y: jnp.searchsorted(x, y), np.sort(f(30)), f(9))
add("diff", lambda x: (jnp.diff(x), jnp.gradient(x), jnp.trapezoid(x)), f(12))
add("polyval", lambda p, x: jnp.polyval(p, x), f(4), f(9))
add("cov", lambda x: (jnp.cov(x), jnp.corrcoef(x)), f(3, 12))

# Sorting.
add("sort", jnp.sort, f(4, 100))
add("sort_axis", lambda x: jnp.sort(x, axis=0), f(33, 4))
add("sort_descending", lambda x: jnp.sort(x, descending=True), f(50))
add("sort_unsigned", jnp.sort, i(90, low=0, high=255, dtype=np.uint8))
add("sort_nan", lambda x: jnp.sort(jnp.log(x)), f(40))
add("argsort", lambda x: jnp.argsort(x, axis=-1), f(3, 70))
add("argsort_ties", lambda x: jnp.argsort(x), i(80, low=0, high=5))
add("lexsort", lambda x, y: jnp.lexsort((x, y)), i(60, low=0, high=4), i(60, low=0, high=4))
add("sort_pairs", lambda x, y: lax.sort((x, y), num_keys=2), i(60, low=0, high=4), f(60))
add("top_k", lambda x: lax.top_k(x, 5), f(6, 80))
add("top_k_integers", lambda x: lax.top_k(x, 7), i(90, low=0, high=9))
add("top_k_all", lambda x: lax.top_k(x, 12), f(2, 12))
add("unique", lambda x: jnp.unique(x, size=10, fill_value=-1), i(50, low=0, high=9))
add("rank", lambda x: jax.scipy.stats.rankdata(x), f(20))
add("partition", lambda x: jnp.sort(jnp.partition(x, 4)[:5]), f(20))

# Gathers and scatters.
add("take", lambda x, k: jnp.take(x, k, axis=1), f(4, 9), i(3, 2, low=0, high=9))
add("take_along", lambda x, k: jnp.take_along_axis(x, k, axis=1), f(4, 9), i(4, 3, low=0, high=9))
add("index_pairs", lambda x, p, q: x[p, q], f(6, 7), i(5, low=-6, high=6), i(5, low=0, high=7))
add("index_mixed", lambda x, k: x[:, k, 1:3], f(3, 6, 5), i(4, low=0, high=6))
add("index_clip", lambda x, k: x.at[k].get(mode="clip"), f(6), i(9, low=-9, high=12))
add("index_fill", lambda x, k: x.at[k].get(mode="fill", fill_value=7.0), f(6), i(9, low=0, high=12))
add("index_mask", lambda x: jnp.where(x > 0, size=5, fill_value=0)[0], f(12))
add("gather_vmapped", jax.vmap(lambda x, k: x[k]), f(4, 9), i(4, 3, low=0, high=9))
add("gather_vmapped_slices", jax.vmap(lambda x, k: lax.dynamic_slice(x, (k, 0), (2, 3))), f(4, 9, 5), i(4, low=0, high=8))
add("embedding", lambda w, k: w[k].sum(1), f(20, 8), i(4, 6, low=0, high=20))
add("one_hot", lambda k: jax.nn.one_hot(k, 7), i(9, low=0, high=7))
add("scatter_set", lambda x, k, v: x.at[k].set(v), f(12), np.array([3, 5, 11, 0], np.int32), f(4))
add("scatter_add", lambda x, k, v: x.at[k].add(v), f(6, 4), i(9, low=0, high=6), f(9, 4))
add("scatter_mul", lambda x, k, v: x.at[k].multiply(v), f(6), i(9, low=0, high=6), f(9))
add("scatter_max", lambda x, k, v: x.at[k].max(v), f(6), i(9, low=-2, high=9), f(9))
add("scatter_min_integers", lambda x, k, v: x.at[k].min(v), i(6), i(9, low=0, high=6), i(9))
add("scatter_pairs", lambda x, p, q, v: x.at[p, q].add(v), f(6, 5), i(9, low=0, high=6), i(9, low=0, high=5), f(9))
add("scatter_window", lambda x, k, v: x.at[k, 1:3].set(v), f(6, 5), np.array([4, 1], np.int32), f(2, 2))
add("scatter_apply", lambda x, k: x.at[k].apply(jnp.sin), f(9), np.array([1, 7], np.int32))
add("scatter_power", lambda x, k: x.at[k].power(2.0), pos(9), np.array([1, 7], np.int32))
add("scatter_vmapped", jax.vmap(lambda x, k, v: x.at[k].add(v)), f(4, 9), i(4, 3, low=0, high=9), f(4, 3))
add("scatter_drop", lambda x, k, v: x.at[k].set(v, mode="drop"), f(6), np.array([2, 9, -40, 5], np.int32), f(4))
add("scatter_bool", lambda x, k: x.at[k].set(True), b(12), np.array([3, 5], np.int32))
add("scatter_unsigned", lambda x, k, v: x.at[k].add(v), i(12, low=0, high=9, dtype=np.uint8), np.array([3, 5, 3], np.uint8), i(3, low=0, high=9, dtype=np.uint8))
add("segment_sum", lambda x, k: jax.ops.segment_sum(x, k, num_segments=4), f(12, 3), i(12, low=0, high=4))
add("segment_max", lambda x, k: jax.ops.segment_max(x, k, num_segments=4), f(12), i(12, low=0, high=4))

# Products.
add("matmul", jnp.matmul, f(16, 24), f(24, 8))
add("matmul_batch", jnp.matmul, f(2, 3, 5, 7), f(3, 7, 4))
add("dot", jnp.dot, f(9), f(9))
add("outer", lambda x, y: (jnp.outer(x, y), jnp.kron(x, y), jnp.cross(x[:3], y[:3])), f(5), f(4))
add("einsum", lambda x, y: jnp.einsum("bij,bkj->bik", x, y), f(2, 3, 4), f(2, 5, 4))
add("einsum_trace", lambda x, y: jnp.einsum("abc,cbd->ad", x, y), f(3, 4, 5), f(5, 4, 6))
add("tensordot", lambda x, y: jnp.tensordot(x, y, 2), f(2, 3, 4), f(3, 4, 5))
add("matmul_integers", lambda x, y: lax.dot(x, y, preferred_element_type=jnp.int32), i(8, 16, dtype=np.int8), i(16, 4, dtype=np.int8))
add("vdot", lambda x, y: jnp.vdot(x, y) + jnp.inner(x, y), f(9), f(9))


def conv(name, x, w, **more):
    dims = more.pop("dims", ("NHWC", "HWIO", "NHWC"))
    strides, padding = more.pop("strides", (1, 1)), more.pop("padding", "SAME")
    add(name, lambda x, w: lax.conv_general_dilated(x, w, strides, padding, dimension_numbers=dims, **more), x, w)


conv("conv", f(1, 9, 8, 3), f(3, 3, 3, 5))
conv("conv_nchw", f(2, 3, 9, 8), f(5, 3, 3, 3), dims=("NCHW", "OIHW", "NCHW"), strides=(2, 1), padding="VALID")
conv("conv_dilated", f(1, 12, 11, 3), f(3, 3, 3, 4), rhs_dilation=(2, 3))
conv("conv_transposed", f(1, 5, 6, 3), f(3, 3, 3, 4), lhs_dilation=(2, 2), padding=((1, 2), (2, 1)))
conv("conv_depthwise", f(1, 9, 8, 6), f(3, 3, 1, 6), feature_group_count=6)
conv("conv_grouped", f(1, 9, 8, 6), f(3, 3, 3, 4), feature_group_count=2)
conv("conv_batch_groups", f(4, 7, 6, 3), f(3, 3, 3, 6), batch_group_count=2)
conv("conv_1d", f(2, 17, 4), f(5, 4, 6), dims=("NWC", "WIO", "NWC"), strides=(2,), padding=((3, 1),))
conv("conv_3d", f(1, 5, 6, 7, 2), f(2, 3, 2, 2, 3), dims=("NDHWC", "DHWIO", "NDHWC"), strides=(1, 2, 1))
add("conv_transpose", lambda x, w: lax.conv_transpose(x, w, (2, 2), "SAME"), f(1, 5, 6, 3), f(3, 3, 3, 4))
add("conv_gradient", jax.grad(lambda w, x: lax.conv_general_dilated(x, w, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")).var()), f(3, 3, 3, 4), f(2, 9, 8, 3))
add("max_pool_gradient", jax.grad(lambda x: (lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME") ** 2).sum()), f(1, 7, 8, 2))

# Control flow.
add("fori", lambda x: lax.fori_loop(0, 7, lambda k, y: y * 0.9 + k, x), f(5))
add("fori_bounds", lambda x, n: lax.fori_loop(2, n, lambda k, y: y + k, x), f(5), np.int32(9))
add("while", lambda x: lax.while_loop(lambda s: s[0].sum() < 100, lambda s: (s[0] * 1.5, s[1] + 1), (x, 0)), pos(5))
add("while_collatz", lambda n: lax.while_loop(lambda s: s[0] != 1, lambda s: (jnp.where(s[0] % 2 == 0, s[0] // 2, 3 * s[0] + 1), s[1] + 1), (n, 0))[1], np.int32(27))
add("scan", lambda x: lax.scan(lambda a, y: (a * 0.5 + y, a), jnp.zeros(3), x), f(11, 3))
add("scan_reverse", lambda x: lax.scan(lambda a, y: (a + y, a * y), 0.0, x, reverse=True), f(11))
add("scan_nested", lambda x: lax.scan(lambda a, y: (a + lax.scan(lambda p, q: (p * q, p), 1.0, y)[0], a), 0.0, x), unit(4, 5))
add("cond", lambda p, x: lax.cond(p, jnp.sin, lambda y: y * 2, x), np.bool_(True), f(4))
add("cond_else", lambda p, x: lax.cond(p > 3, jnp.sin, lambda y: y * 2, x), np.int32(1), f(4))
add("switch", lambda k, x: lax.switch(k, [jnp.sin, jnp.cos, lambda y: y ** 2, lambda y: -y], x), np.int32(2), f(4))
add("switch_far", lambda k, x: lax.switch(k, [jnp.sin, jnp.cos, lambda y: y ** 2], x), np.int32(17), f(4))
add("map", lambda x: lax.map(lambda y: jnp.sort(y)[::2], x), f(5, 8))
add("while_vmapped", jax.vmap(lambda n: lax.while_loop(lambda s: s[0] > 1, lambda s: (s[0] // 2, s[1] + 1), (n, 0))[1]), np.array([3, 17, 64, 1], np.int32))
add("custom_root", lambda x: lax.custom_root(lambda y: y * y - x, x, lambda g, y0: lax.fori_loop(0, 20, lambda _, y: y - g(y) / (2 * y), y0), lambda g, y: y / g(1.0)), np.float32(2.0))
add("checkpoint", jax.grad(jax.checkpoint(lambda x: jnp.sin(jnp.sin(x)).sum())), f(6))

# Random numbers.
key = jax.random.key_data(jax.random.key(3))
for name, draw in {
    "bits": lambda k: jax.random.bits(k, (9,)), "uniform": lambda k: jax.random.uniform(k, (33,)),
    "normal": lambda k: jax.random.normal(k, (5, 7)), "randint": lambda k: jax.random.randint(k, (40,), -5, 17),
    "bernoulli": lambda k: jax.random.bernoulli(k, 0.3, (40,)), "permutation": lambda k: jax.random.permutation(k, 20),
    "categorical": lambda k: jax.random.categorical(k, jnp.arange(5.0), shape=(20,)), "gumbel": lambda k: jax.random.gumbel(k, (9,)),
    "split": lambda k: jax.random.split(k, 3), "choice": lambda k: jax.random.choice(k, 10, (4,), replace=False),
    "gamma": lambda k: jax.random.gamma(k, 2.0, (5,)), "exponential": lambda k: jax.random.exponential(k, (9,)),
    "truncated": lambda k: jax.random.truncated_normal(k, -1.0, 1.0, (9,)), "dirichlet": lambda k: jax.random.dirichlet(k, jnp.ones(3)),
    "poisson": lambda k: jax.random.poisson(k, 3.0, (9,)), "laplace": lambda k: jax.random.laplace(k, (9,)),
}.items():
    add(f"random_{name}", draw, key)

# Linear algebra.
add("cholesky", jnp.linalg.cholesky, spd(7))
add("cholesky_batch", lambda x: jnp.linalg.cholesky(x, upper=True), spd(4, 3))
add("triangular_solve", lambda a, y: jax.scipy.linalg.solve_triangular(a, y, lower=True), spd(5), f(5, 3))
for flags in range(8):
    left, lower, turned = bool(flags & 1), bool(flags & 2), bool(flags & 4)
    add(f"triangular_{flags}", lambda a, y, left=left, lower=lower, turned=turned: lax.linalg.triangular_solve(a, y, left_side=left, lower=lower, transpose_a=turned, unit_diagonal=left != lower), spd(4, 2) / 4, f(2, 4, 4))
add("cho_solve", lambda a, y: jax.scipy.linalg.cho_solve(jax.scipy.linalg.cho_factor(a), y), spd(6), f(6))
add("lu", lambda a: jax.scipy.linalg.lu(a), f(6, 6))
add("lu_wide", lambda a: lax.linalg.lu(a), f(2, 4, 7))
add("solve", jnp.linalg.solve, f(6, 6), f(6, 2))
add("inv", jnp.linalg.inv, f(3, 5, 5))
add("det", lambda a: (jnp.linalg.det(a), *jnp.linalg.slogdet(a)), f(5, 5))
add("qr", lambda a: jnp.linalg.qr(a), f(7, 4))
add("qr_complete", lambda a: jnp.linalg.qr(a, mode="complete"), f(6, 4))
add("qr_wide", lambda a: jnp.linalg.qr(a), f(2, 4, 7))
add("lstsq", lambda a, y: jnp.linalg.lstsq(a, y)[0], f(9, 4), f(9))
add("eigvalsh", jnp.linalg.eigvalsh, spd(8))
add("eigh", lambda a: (lambda w, v: (w, (v * w) @ v.T, v.T @ v))(*jnp.linalg.eigh(a)), spd(9))
add("eigh_batch", lambda a: jnp.linalg.eigh(a)[0], spd(5, 3))
add("svd_values", lambda a: jnp.linalg.svd(a, compute_uv=False), f(6, 4))
add("svd", lambda a: (lambda u, s, v: (u * s) @ v)(*jnp.linalg.svd(a, full_matrices=False)), f(6, 4))
add("pinv", jnp.linalg.pinv, f(6, 4))
add("matrix_rank", jnp.linalg.matrix_rank, f(6, 4))
add("matrix_power", lambda a: jnp.linalg.matrix_power(a, 5), f(4, 4))
add("expm", lambda a: jax.scipy.linalg.expm(a), f(4, 4, scale=0.3))
add("norms", lambda a: (jnp.linalg.norm(a), jnp.linalg.norm(a, 1), jnp.linalg.norm(a, jnp.inf), jnp.linalg.norm(a, axis=1), jnp.linalg.cond(a)), f(4, 4))
add("tridiagonal_solve", lambda x: lax.linalg.tridiagonal_solve(x[0] * 0.1, x[1] + 4, x[2] * 0.1, x[3][:, None]), f(4, 6))
add("cg", lambda a, y: jax.scipy.sparse.linalg.cg(lambda v: a @ v, y)[0], spd(6), f(6))

# Complex numbers and Fourier transforms.
each("complex", "abs angle real imag conj exp sin cos sqrt square negative sinh tanh log", [c(3, 5)])
each("complex2", "add subtract multiply divide power equal", [c(9), c(9)])
add("complex_matmul", lambda x, y: x @ y, c(4, 5), c(5, 3))
add("complex_mixed", lambda x, y: (x * y).sum(0) + lax.complex(y.sum(0), y.max(0)), c(4, 5), f(4, 5))
add("complex_shapes", lambda x: jnp.concatenate([x.T.reshape(4, 3)[::-1], jnp.pad(x, ((1, 0), (0, 0)))[:, :3]], 0), c(3, 4))
add("complex_where", lambda x: jnp.where(x.real > 0, x, 1j * x).at[1].add(2 + 1j).prod(), c(6))
add("complex_scan", lambda x: lax.scan(lambda a, y: (a * y, a), 1 + 0j, x), c(6))
add("complex_roll", lambda x: jnp.cumsum(jnp.roll(x, 2)), c(6))
add("complex_constant", lambda x: x * jnp.array([1 + 2j, 3 - 1j, 0.5j], jnp.complex64), c(2, 3))
add("complex_norm", lambda x: (jnp.linalg.norm(x), jnp.vdot(x, x)), c(6))
add("complex128", lambda x: jnp.exp(x) / x, c(5, dtype=np.complex128), x64=True)
each("fft", "fft ifft fft2 ifft2 fftn", [c(6, 8)], where=jnp.fft)
each("rfft", "rfft rfft2 rfftn", [f(6, 10)], where=jnp.fft)
add("irfft", jnp.fft.irfft, c(3, 9))
add("irfft_odd", lambda x: jnp.fft.irfft(x, n=15), c(3, 8))
add("irfft2", jnp.fft.irfft2, c(4, 5))
add("fft_long", jnp.fft.fft, c(2, 1024))
add("fft_composite", jnp.fft.fft, c(2, 360))
add("fft_prime", jnp.fft.fft, c(2, 131))
add("rfft_long", lambda x: jnp.abs(jnp.fft.rfft(x)), f(2, 512))
add("fft_convolve", lambda x, y: jnp.fft.irfft(jnp.fft.rfft(x, 64) * jnp.fft.rfft(y, 64), 64), f(40), f(20))
add("fft_round", lambda x: jnp.fft.ifft(jnp.fft.fft(x)).real, f(100))
add("fftshift", lambda x: jnp.fft.fftshift(jnp.fft.fft(x)), f(9))
add("dct", lambda x: jax.scipy.fft.dct(x), f(3, 16))
add("spectrogram", lambda x: jnp.abs(jax.scipy.signal.stft(x, nperseg=32)[2]), f(256))

add("complex_dot", lambda x, y: jnp.einsum("ij,jk->ik", x, y.conj()), c(3, 4), f(4, 2).astype(np.float32))
add("complex_conv", lambda x, w: lax.conv_general_dilated(x, w, (1,), "SAME", dimension_numbers=("NWC", "WIO", "NWC")), c(1, 9, 2), c(3, 2, 4))
add("complex_sort", lambda x: jnp.sort(x), c(40))
add("complex_take", lambda x, k: x[k].sum(1), c(6, 3), i(4, low=0, high=6))
add("complex_reduce", lambda x: (x.mean(0), x.prod(1), jnp.isfinite(x), x.var()), c(3, 4))
add("complex_while", lambda x: lax.while_loop(lambda z: jnp.abs(z).max() < 50, lambda z: z * z + x, x), c(4))
add("complex_cond", lambda p, x: lax.cond(p, lambda y: y * 1j, lambda y: y + 1, x), np.bool_(True), c(4))
add("complex_polar", lambda r, t: r * jnp.exp(1j * t), pos(5), f(5))
add("mandelbrot", lambda x: lax.fori_loop(0, 12, lambda _, s: (jnp.where(jnp.abs(s[0]) < 4, s[0] ** 2 + x, s[0]), s[1] + (jnp.abs(s[0]) < 4)), (jnp.zeros_like(x), jnp.zeros(x.shape, jnp.int32)))[1], c(5, 6))
each("hfft", "hfft ihfft", [f(9)], where=jnp.fft)
add("fft3", lambda x: jnp.fft.fftn(x), c(3, 4, 5))
add("fft_ortho", lambda x: jnp.fft.fft(x, norm="ortho"), f(12))
add("roots", lambda x: jnp.fft.fftfreq(8) * x, f(8))

# More of everything.
add("while_two", lambda x: lax.fori_loop(0, 3, lambda k, y: lax.fori_loop(0, k + 1, lambda j, z: z * 0.5 + j, y), x), f(4))
add("fori_down", lambda x: lax.fori_loop(-3, 4, lambda k, y: y + k * x, jnp.zeros(3)), f(3))
add("scan_carry_tuple", lambda x: lax.scan(lambda s, y: ((s[0] + y, s[1] * y), (s[0], s[1])), (jnp.zeros(2), jnp.ones(2)), x), unit(6, 2))
add("scan_length", lambda x: lax.scan(lambda a, _: (a * 1.1, None), x, None, length=9)[0], f(3))
add("scan_unroll", lambda x: lax.scan(lambda a, y: (a + y, a), jnp.float32(0), x, unroll=4), f(10))
add("scan_integers", lambda x: lax.scan(lambda a, y: (a * 31 + y, a % 7), jnp.uint32(1), x), i(9, low=0, high=99).astype(np.uint32))
add("associative_pairs", lambda x, y: lax.associative_scan(lambda p, q: (p[0] * q[0], p[1] * q[0] + q[1]), (x, y)), unit(16), f(16))
add("vmap_matmul", jax.vmap(lambda x, w: x @ w, (0, None)), f(3, 4, 5), f(5, 2))
add("vmap_cond", jax.vmap(lambda p, x: lax.cond(p > 0, jnp.sin, jnp.cos, x)), f(6), f(6))
add("vmap_sort", jax.vmap(jnp.argsort), f(3, 20))
add("vmap_solve", jax.vmap(jnp.linalg.solve), spd(4, 3), f(3, 4, 2))
add("vmap_update", jax.vmap(lambda x, k, v: lax.dynamic_update_slice(x, v, (k,))), f(4, 9), i(4, low=0, high=8), f(4, 2))
add("vmap_scan", jax.vmap(lambda x: lax.scan(lambda a, y: (a + y, a), 0.0, x)), f(3, 7))
add("scatter_nd", lambda x, k, v: lax.scatter_add(x, k, v, lax.ScatterDimensionNumbers((1,), (0,), (0,))), f(6, 4), i(5, 1, low=0, high=6), f(5, 4))
add("scatter_sub", lambda x, k, v: x.at[k].subtract(v), f(6), i(9, low=0, high=6), f(9))
add("scatter_divide", lambda x, k, v: x.at[k].divide(v), f(6), np.array([1, 4], np.int32), pos(2))
add("scatter_columns", lambda x, k, v: x.at[:, k].set(v), f(4, 6), np.array([1, 4], np.int32), f(4, 2))
add("scatter_slices", lambda x: x.at[1:4, ::2].set(0.0).at[-1].add(1.0), f(5, 6))
add("scatter_bfloat16", lambda x, k, v: x.at[k].add(v), f(6, dtype=jnp.bfloat16), i(4, low=0, high=6), f(4, dtype=jnp.bfloat16))
add("gather_grad", jax.grad(lambda x, k: jnp.sin(jnp.take_along_axis(x, k, 1)).sum()), f(4, 9), i(4, 3, low=0, high=9))
add("cumsum_grad", jax.grad(lambda x: (jnp.cumsum(x) ** 2).sum()), f(9))
add("cumprod_integers", lambda x: jnp.cumprod(x, axis=1), i(3, 6, low=1, high=4))
add("cummax_integers", lambda x: lax.cummax(x, axis=0, reverse=True), i(9, 3))
add("max_pool_3d", lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 2, 1), (1, 2, 2, 2, 1), "VALID"), f(1, 4, 6, 4, 2))
add("min_pool_dilated", lambda x: lax.reduce_window(x, jnp.inf, lax.min, (2, 3), (1, 2), "VALID", window_dilation=(2, 1)), f(7, 9))
add("sum_pool_base", lambda x: lax.reduce_window(x, 0.0, lax.add, (2, 2), (1, 1), "VALID", base_dilation=(2, 2)), f(4, 5))
add("conv_gradients", jax.grad(lambda x, w: (lax.conv_general_dilated(x, w, (2, 1), ((1, 1), (0, 2)), rhs_dilation=(1, 2), feature_group_count=2, dimension_numbers=("NHWC", "HWIO", "NHWC")) ** 2).sum(), (0, 1)), f(2, 7, 8, 4), f(3, 2, 2, 6))
add("conv_integers", lambda x, w: lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"), preferred_element_type=jnp.int32), i(1, 6, 7, 3, dtype=np.int8), i(3, 3, 3, 4, dtype=np.int8))
add("batch_norm", lambda x, g, h: (x - x.mean((0, 1, 2))) / jnp.sqrt(x.var((0, 1, 2)) + 1e-5) * g + h, f(2, 5, 6, 3), f(3), f(3))
add("group_norm", lambda x: (lambda y: ((y - y.mean((1, 2, 4), keepdims=True)) * lax.rsqrt(y.var((1, 2, 4), keepdims=True) + 1e-5)).reshape(x.shape))(x.reshape(2, 5, 6, 2, 4)), f(2, 5, 6, 8))
add("cross_entropy", lambda x, k: -jnp.take_along_axis(jax.nn.log_softmax(x), k[:, None], 1).mean(), f(6, 9), i(6, low=0, high=9))
add("dropout", lambda k, x: jnp.where(jax.random.bernoulli(k, 0.7, x.shape), x / 0.7, 0), key, f(6, 9))
add("gru", lambda x, w, u: lax.scan(lambda h, t: (lambda z, r, n: ((1 - z) * jnp.tanh(n[0] + r * n[1]) + z * h,) * 2)(jax.nn.sigmoid(t @ w[0] + h @ u[0]), jax.nn.sigmoid(t @ w[1] + h @ u[1]), (t @ w[2], h @ u[2])), jnp.zeros(6), x), f(7, 5), f(3, 5, 6, scale=0.3), f(3, 6, 6, scale=0.3))
add("adam", lambda p, g, m, v: (lambda m, v: (p - 0.01 * (m / 0.1) / (jnp.sqrt(v / 0.001) + 1e-8), m, v))(0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g), f(9), f(9), f(9), pos(9))
add("rope", lambda x: (lambda a, p, q: jnp.concatenate([p * jnp.cos(a) - q * jnp.sin(a), p * jnp.sin(a) + q * jnp.cos(a)], -1))(jnp.arange(9.0)[:, None] / 10000 ** (jnp.arange(4.0) / 4), *jnp.split(x, 2, -1)), f(2, 9, 8))
add("kv_cache", lambda c, k, p, q: (lambda c: (jax.nn.softmax(jnp.where(jnp.arange(12) <= p, q @ c.T, -jnp.inf)) @ c, c))(lax.dynamic_update_slice(c, k, (p, 0))), f(12, 4), f(1, 4), np.int32(5), f(4))
add("beam", lambda x: (lambda v, k: (v, k // 7, k % 7))(*lax.top_k(x.reshape(-1), 4)), f(3, 7))
add("nms", lambda x: lax.fori_loop(0, 8, lambda k, s: jnp.where((jnp.arange(8) > k) & (jnp.abs(x - x[k]) < 0.3) & (s[k] > 0), 0.0, s), jnp.ones(8)), f(8))
add("viterbi", lambda e, t: lax.scan(lambda s, y: ((s[:, None] + t).max(0) + y, (s[:, None] + t).argmax(0)), e[0], e[1:]), f(6, 4), f(4, 4))
add("newton", lambda x: lax.while_loop(lambda s: jnp.abs(s ** 3 - x).max() > 1e-4, lambda s: s - (s ** 3 - x) / (3 * s * s), jnp.ones_like(x) * 2), pos(4) * 5)
add("ode", lambda x: lax.fori_loop(0, 50, lambda _, y: y + 0.01 * jnp.stack([y[1], -jnp.sin(y[0])]), x), f(2))
add("power_iteration", lambda a: lax.fori_loop(0, 30, lambda _, v: a @ v / jnp.linalg.norm(a @ v), jnp.ones(5)), spd(5))
add("kmeans", lambda x, m: lax.fori_loop(0, 4, lambda _, m: (lambda h: (h.T @ x) / (h.sum(0)[:, None] + 1e-6))(jax.nn.one_hot(jnp.argmin(((x[:, None] - m) ** 2).sum(-1), 1), 3)), m), f(20, 2), f(3, 2))
add("gaussian_process", lambda x, y: (lambda k: jax.scipy.linalg.cho_solve(jax.scipy.linalg.cho_factor(k), y))(jnp.exp(-((x[:, None] - x) ** 2)) + 0.1 * jnp.eye(8)), f(8), f(8))
add("polar", lambda a: jax.scipy.linalg.polar(a)[0], f(4, 4))
add("sqrtm_newton", lambda a: lax.fori_loop(0, 12, lambda _, s: (0.5 * (s[0] + jnp.linalg.inv(s[1])), 0.5 * (s[1] + jnp.linalg.inv(s[0]))), (a, jnp.eye(4)))[0], spd(4))
add("multi_dot", lambda x, y, z: jnp.linalg.multi_dot([x, y, z]), f(3, 4), f(4, 5), f(5, 2))
add("vander", lambda x: jnp.vander(x, 4), f(5))
add("block_diag", lambda x, y: jax.scipy.linalg.block_diag(x, y), f(2, 2), f(3, 3))
add("toeplitz", lambda x: jax.scipy.linalg.toeplitz(x), f(5))
add("norm_pdf", lambda x: (jax.scipy.stats.norm.cdf(x), jax.scipy.stats.norm.logpdf(x), jax.scipy.special.ndtri(jax.nn.sigmoid(x))), f(9))
add("special_more", lambda x: (jax.scipy.special.expit(x), jax.scipy.special.logit(x / 9 + 0.4), jax.scipy.special.entr(x), jax.scipy.special.gammaln(x), jax.scipy.special.xlogy(x, x)), pos(9))
add("select_and_gather", jax.grad(lambda x: jax.grad(lambda z: (lax.reduce_window(z, -jnp.inf, lax.max, (2,), (2,), "VALID") ** 2).sum())(x).sum()), f(8))
add("argminmax_axes", lambda x: (jnp.argmax(x, 0), jnp.argmin(x, 1), jnp.nanargmax(x)), f(5, 6))
add("setdiff", lambda x, y: jnp.isin(x, y), i(9, low=0, high=6), i(4, low=0, high=6))
add("nonzero", lambda x: jnp.nonzero(x > 0, size=6, fill_value=-1)[0], f(12))
add("compress", lambda x: jnp.where(x > 0, x, 0).cumsum() / jnp.maximum((x > 0).cumsum(), 1), f(12))
add("bits", lambda x: (jnp.unpackbits(x), jnp.packbits(jnp.unpackbits(x))), i(5, low=0, high=255, dtype=np.uint8))
add("uint64", lambda x: (x >> np.uint64(3)) ^ (x * np.uint64(0x9E3779B97F4A7C15)), i(9, low=0, high=1 << 60, dtype=np.int64).astype(np.uint64), x64=True)
add("float_classes", lambda x: (jnp.signbit(x), jnp.frexp(x)[0], jnp.ldexp(x, 3), jnp.modf(x)[0], jnp.trunc(x)), f(9))
add("divmod", lambda x, y: jnp.divmod(x, y), i(20, low=-30, high=30), np.array([-7, -3, 2, 5] * 5, np.int32))
add("clip", lambda x: jnp.clip(x, -1, 1), i(9))
add("flatten_mixed", lambda x, y: jnp.concatenate([x.ravel(), y.ravel()]), f(2, 3), f(4))
add("triangular_mask", lambda x: jnp.where(jnp.tri(5, dtype=bool), x, -jnp.inf), f(5, 5))
add("ix", lambda x: x[jnp.ix_(jnp.array([0, 2]), jnp.array([1, 3]))], f(4, 5))
add("swapaxes", lambda x: (jnp.moveaxis(x, 0, 2), jnp.expand_dims(x, 1).squeeze(1), jnp.rollaxis(x, 2)), f(2, 3, 4))
add("fill_diagonal", lambda x: jnp.fill_diagonal(x, 5.0, inplace=False), f(4, 4))
add("apply_along", lambda x: jnp.apply_along_axis(jnp.sort, 0, x), f(6, 3))
add("vectorize", lambda x, y: jnp.vectorize(lambda p, q: p @ q, signature="(n),(n)->()")(x, y), f(4, 5), f(4, 5))
add("piecewise", lambda x: jnp.piecewise(x, [x < 0, x > 1], [lambda y: -y, lambda y: y * y, 0.5]), f(12))
add("approx_min", lambda x: lax.approx_min_k(x, 3), f(4, 30))
add("approx_max", lambda x: lax.approx_max_k(x, 3), f(4, 30))
add("optimization_barrier", lambda x: lax.optimization_barrier((x * 2, x + 1)), f(4))
add("remat_scan", jax.grad(lambda x: lax.scan(jax.checkpoint(lambda a, y: (jnp.sin(a + y), a)), 0.0, x)[0]), f(6))
add("custom_vjp", jax.grad((lambda f: (f.defvjp(lambda x: (jnp.sin(x), x), lambda x, g: (g * 2 * x,)), lambda x: f(x).sum())[1])(jax.custom_vjp(jnp.sin))), f(6))

# Derivatives, networks.
add("grad", jax.grad(lambda x: jnp.sum(jnp.tanh(x) ** 2 / (1 + jnp.exp(x)))), f(9))
add("hessian", jax.hessian(lambda x: jnp.sum(jnp.sin(x) * x[::-1])), f(4))
add("jacobian", jax.jacfwd(lambda x: jnp.cumsum(x ** 2)), f(5))
add("vjp_sort", jax.grad(lambda x: (jnp.sort(x) * jnp.arange(9.0)).sum()), f(9))
add("vjp_cholesky", jax.grad(lambda x: jnp.linalg.cholesky(x).sum()), spd(4))
add("vjp_gather", jax.grad(lambda w, k: (w[k] ** 2).sum()), f(8, 3), i(6, low=0, high=8))
each("nn", "relu gelu silu softplus elu selu leaky_relu softmax log_softmax standardize mish hard_swish glu", [f(4, 10)], where=jax.nn)
add("layer_norm", lambda x, g: (x - x.mean(-1, keepdims=True)) * lax.rsqrt(x.var(-1, keepdims=True) + 1e-5) * g, f(4, 16), f(16))
add("attention", lambda q, k, v: jax.nn.dot_product_attention(q, k, v, is_causal=True), f(2, 9, 2, 8), f(2, 9, 2, 8), f(2, 9, 2, 8))


def mlp(x, w, v):
    return jax.nn.softmax(jax.nn.gelu(x @ w) @ v)


add("mlp", mlp, f(4, 16), f(16, 32), f(32, 10))
add("mlp_training", lambda x, w, v: jax.tree.map(lambda p, g: p - 0.1 * g, (w, v), jax.grad(lambda w, v: -jnp.log(mlp(x, w, v)[:, 0]).mean(), (0, 1))(w, v)), f(4, 16), f(16, 32), f(32, 10))
add("lstm", lambda x, w, u: lax.scan(lambda s, t: (lambda z: (lambda c: ((jnp.tanh(c) * jax.nn.sigmoid(z[2]), c),) * 2)(s[1] * jax.nn.sigmoid(z[0]) + jnp.tanh(z[1]) * jax.nn.sigmoid(z[3])))(jnp.split(t @ w + s[0] @ u, 4)), (jnp.zeros(6), jnp.zeros(6)), x)[0], f(7, 5), f(5, 24, scale=0.3), f(6, 24, scale=0.3))
add("resize", lambda x: jax.image.resize(x, (1, 9, 11, 2), "bilinear"), f(1, 5, 6, 2))
add("resize_nearest", lambda x: jax.image.resize(x, (8, 9), "nearest"), f(5, 6))
add("map_coordinates", lambda x, y: jax.scipy.ndimage.map_coordinates(x, [y, y], order=1), f(6, 6), pos(9))
add("pytree", lambda d: {"sum": d["a"] + d["b"], "all": [d["a"].sum(), d["b"].max()]}, {"a": f(4), "b": f(4)})
add("unused", lambda x, y: x * 2, f(4), f(5))
add("constant_only", lambda x: (x, jnp.arange(6).reshape(2, 3)), f(2))

# Sizes that are not known.
sym = {
    "elementwise": (lambda x: jnp.tanh(x) + 1, [f(5, 16)], ["b, 16"]),
    "matmul": (lambda x, w: jax.nn.relu(x @ w), [f(5, 16), f(16, 4)], ["b, 16", "16, 4"]),
    "softmax": (lambda x: jax.nn.softmax(x), [f(5, 7)], ["b, n"]),
    "mean": (lambda x: x.mean(0), [f(5, 7)], ["b, 7"]),
    "reshape": (lambda x: x.reshape(-1, 4), [f(3, 8)], ["b, 8"]),
    "flatten": (lambda x: x.reshape(x.shape[0], -1).sum(1), [f(3, 4, 5)], ["b, 4, n"]),
    "concatenate": (lambda x, y: jnp.concatenate([x, y], 0), [f(3, 4), f(2, 4)], ["b, 4", "c, 4"]),
    "slice": (lambda x: x[1:] - x[:-1], [f(9)], ["n"]),
    "arange": (lambda x: jnp.arange(x.shape[0]) + x, [f(9)], ["n"]),
    "attention": (lambda x: jax.nn.softmax(x @ jnp.swapaxes(x, 1, 2)) @ x, [f(2, 5, 8)], ["b, n, 8"]),
    "sort": (lambda x: jnp.sort(x), [f(3, 71)], ["b, n"]),
    "argsort": (lambda x: jnp.argsort(x, axis=0), [f(71, 3)], ["n, 3"]),
    "top_k": (lambda x: lax.top_k(x, 3), [f(4, 20)], ["b, 20"]),
    "cumsum": (lambda x: jnp.cumsum(x, axis=0), [f(9, 3)], ["n, 3"]),
    "gather": (lambda x, k: x[k], [f(9, 4), i(5, low=0, high=9)], ["n, 4", "m"]),
    "scatter": (lambda x, k, v: x.at[k].add(v), [f(9, 4), i(5, low=0, high=9), f(5, 4)], ["n, 4", "m", "m, 4"]),
    "one_hot": (lambda k: jax.nn.one_hot(k, 5), [i(6, low=0, high=5)], ["n"]),
    "conv": (lambda x, w: lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NCHW", "OIHW", "NCHW")), [f(2, 3, 8, 9), f(4, 3, 3, 3)], ["b, 3, h, w", "4, 3, 3, 3"]),
    "conv_strided": (lambda x, w: lax.conv_general_dilated(x, w, (2, 2), "VALID", rhs_dilation=(1, 2), dimension_numbers=("NHWC", "HWIO", "NHWC")), [f(2, 8, 9, 3), f(3, 3, 3, 4)], ["b, h, w, 3", "3, 3, 3, 4"]),
    "conv_same": (lambda x, w: lax.conv_general_dilated(x, w, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")), [f(2, 8, 9, 3), f(3, 3, 3, 4)], ["b, h, w, 3", "3, 3, 3, 4"]),
    "conv_depthwise": (lambda x, w: lax.conv_general_dilated(x, w, (1, 1), "VALID", feature_group_count=4, dimension_numbers=("NHWC", "HWIO", "NHWC")), [f(2, 8, 9, 4), f(3, 3, 1, 8)], ["b, h, 9, 4", "3, 3, 1, 8"]),
    "max_pool_same": (lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "SAME"), [f(2, 7, 8, 3)], ["b, h, w, 3"]),
    "max_pool": (lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID"), [f(2, 8, 8, 3)], ["b, 8, 8, 3"]),
    "scan": (lambda x: lax.scan(lambda a, y: (a + y, a), jnp.zeros(3), x), [f(6, 3)], ["n, 3"]),
    "while": (lambda x: lax.fori_loop(0, x.shape[0], lambda k, y: y + x[k], 0.0), [f(6)], ["n"]),
    "vmap": (jax.vmap(lambda x, k: lax.dynamic_slice(x, (k,), (3,))), [f(4, 9), i(4, low=0, high=6)], ["b, 9", "b"]),
    "vmap_gather": (jax.vmap(lambda x, k: x[k]), [f(4, 9), i(4, 2, low=0, high=9)], ["b, n", "b, 2"]),
    "pad": (lambda x: jnp.pad(x, ((1, 2), (0, 0))), [f(4, 3)], ["n, 3"]),
    "broadcast": (lambda x, y: x[:, None] + y[None], [f(4), f(3)], ["n", "m"]),
    "division": (lambda x: x.reshape(x.shape[0] // 2, 2, -1).sum(1), [f(6, 3)], ["2*n, 3"]),
    "complex": (lambda x: jnp.abs(x * x.conj() + 1), [c(5, 4)], ["n, 4"]),
    "fft": (lambda x: jnp.fft.fft(x), [f(5, 12)], ["n, 12"]),
    "random": (lambda k, x: x.sum() + jax.random.uniform(k, (7,)), [key, f(7)], ["2", "n"]),
    "cholesky": (lambda x: jnp.linalg.cholesky(x), [spd(4, 3)], ["b, 4, 4"]),
    "where": (lambda x: jnp.where(x > 0, x, x.sum()), [f(5)], ["n"]),
    "update": (lambda x, y: lax.dynamic_update_slice(x, y, (1, 0)), [f(5, 4), f(2, 4)], ["n + m, 4", "m, 4"]),
    "qr": (lambda x: jnp.linalg.qr(x)[1], [f(3, 6, 4)], ["b, 6, 4"]),
    "argmax": (lambda x: jnp.argmax(x, axis=1), [f(5, 7)], ["n, m"]),
}
for name, (function, args, shapes) in sym.items():
    add(f"symbolic_{name}", function, *args, symbolic=shapes)
