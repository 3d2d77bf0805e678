"""Programs in JAX: elements, types, shapes, reductions, sorting, gathers and scatters."""

import jax
import jax.numpy as jnp
import numpy as np
import scipy.linalg  # noqa: F401  jax.scipy wants it
from jax import lax
from jax_inputs import add, b, c, each, f, i, pos, spd, unit  # noqa: F401

# Elementwise, by kind of number.
each(
    "unary",
    "abs ceil floor exp expm1 negative sin cos tan tanh sinh cosh sign round rint square arctan arcsinh cbrt isnan isfinite degrees sinc",
    [f(3, 17)],
)
each("positive", "log log1p log2 log10 sqrt reciprocal arccosh", [pos(3, 17) + 1])
each("unit", "arcsin arccos arctanh i0", [unit(33)])
each(
    "binary",
    "add subtract multiply divide maximum minimum power arctan2 hypot logaddexp fmod remainder floor_divide copysign nextafter",
    [pos(4, 9), pos(4, 9)],
)
each(
    "integer",
    "add subtract multiply floor_divide remainder bitwise_and bitwise_or bitwise_xor maximum minimum gcd lcm",
    [i(40, low=-50, high=50), i(40, low=1, high=9)],
)
each(
    "unsigned",
    "floor_divide remainder maximum minimum greater less right_shift left_shift",
    [i(40, low=0, high=250, dtype=np.uint8), i(40, low=1, high=7, dtype=np.uint8)],
)
each(
    "compare",
    "equal not_equal less greater_equal logical_and logical_xor",
    [i(30, low=0, high=3), i(30, low=0, high=3)],
)
each("special", "erf erfc lgamma digamma", [pos(20)], where=lax)
add("erf_inv", lax.erf_inv, unit(21))
add("bessel", lambda x: lax.bessel_i1e(x), f(20))
add("igamma", lambda a, x: lax.igamma(a, x), pos(9), pos(9))
add("betainc", lambda a, x: jax.scipy.special.betainc(a, a + 1, x), pos(5), np.abs(unit(5)))
add("zeta", lambda x: lax.zeta(x, jnp.float32(1.5)), pos(6) + 1.5)
add("polygamma", lambda x: lax.polygamma(jnp.float32(1), x), pos(6))
add("population_count", lax.population_count, i(20, low=0, high=1000))
add("clz", lax.clz, i(20, low=0, high=1000))
add(
    "shifts",
    lambda x, y: (lax.shift_left(x, y), lax.shift_right_logical(x, y), lax.shift_right_arithmetic(x, y)),
    i(20),
    i(20, low=0, high=31),
)
add("integer_pow", lambda x: lax.integer_pow(x, 5) + x**-2, pos(12))
add("rsqrt", lax.rsqrt, pos(12))
add("logistic", jax.nn.sigmoid, f(12))
add("clamp", lambda x: lax.clamp(-0.5, x, 0.5), f(20))
add("where", lambda p, x, y: jnp.where(p, x, y), b(9), f(9), f(9))
add("nan_to_num", lambda x: jnp.nan_to_num(jnp.log(x)), f(12))
add("bitcast", lambda x: lax.bitcast_convert_type(x, jnp.int32) >> 3, f(12))
add("bitcast_narrow", lambda x: lax.bitcast_convert_type(x, jnp.uint8), f(5))
add("reduce_precision", lambda x: lax.reduce_precision(x, 5, 10), f(12))
add(
    "casts",
    lambda x: (x.astype(jnp.int8), x.astype(jnp.uint16), x.astype(jnp.bfloat16).astype(jnp.float32), x.astype(bool)),
    f(16, scale=20.0).clip(0, 100),
)

# Types.
for kind in ("bfloat16", "float16"):
    add(
        f"{kind}_math",
        lambda x, y: jnp.tanh(x) * y + jnp.exp(-x * x),
        f(6, 5, dtype=jnp.dtype(kind)),
        f(6, 5, dtype=jnp.dtype(kind)),
    )
    add(f"{kind}_matmul", lambda x, y: x @ y, f(16, 24, dtype=jnp.dtype(kind)), f(24, 8, dtype=jnp.dtype(kind)))
    add(
        f"{kind}_conv",
        lambda x, w: lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")),
        f(1, 6, 7, 3, dtype=jnp.dtype(kind)),
        f(3, 3, 3, 4, dtype=jnp.dtype(kind)),
    )
    add(f"{kind}_softmax", lambda x: jax.nn.softmax(x), f(4, 33, dtype=jnp.dtype(kind)))
    add(f"{kind}_sort", lambda x: jnp.sort(x), f(4, 33, dtype=jnp.dtype(kind)))
for kind in ("int8", "uint8", "int16", "uint16", "uint32"):
    add(
        f"{kind}_sum",
        lambda x, y: (jnp.sum(x), jnp.max(x), jnp.min(x, axis=0), x * y - x // (y + 1)),
        i(5, 6, low=0, high=100, dtype=kind),
        i(5, 6, low=0, high=5, dtype=kind),
    )
add("float64", lambda x: jnp.linalg.norm(jnp.sin(x) @ x.T) + jnp.cumsum(x, 0), f(7, 5, dtype=np.float64), x64=True)
add("int64", lambda x: jnp.cumsum(x) * 3_000_000_000, i(9, dtype=np.int64), x64=True)
add("int4", lambda x: (x.astype(jnp.int4) * jnp.int4(2)).astype(jnp.int32), i(12, low=-3, high=3))
for kind in ("float8_e4m3fn", "float8_e5m2"):
    add(
        f"{kind}_round",
        lambda x, kind=kind: x.astype(kind).astype(jnp.float32),
        f(400, scale=20.0) * np.exp(f(400, scale=4.0)).clip(1e-6, 15),
    )
    add(
        f"{kind}_dot",
        lambda x, y, kind=kind: lax.dot(x.astype(kind), y.astype(kind), preferred_element_type=jnp.float32),
        f(8, 16),
        f(16, 4),
    )
    add(f"{kind}_sum", lambda x, kind=kind: (x.astype(kind) + x.astype(kind)).astype(jnp.float32), f(64))
add("float8_io", lambda x: x * 2, f(24).astype(jnp.float8_e4m3fn))

odd = np.array(
    [
        np.nan,
        np.inf,
        -np.inf,
        1e20,
        -1e20,
        300.7,
        -300.7,
        2147483648.0,
        -2147483648.0,
        4294967296.0,
        255.5,
        0.99,
        -0.99,
    ],
    np.float32,
)
add(
    "casts_saturate",
    lambda x: [x.astype(t) for t in (jnp.int8, jnp.uint8, jnp.int16, jnp.uint16, jnp.int32, jnp.uint32)],
    odd,
)
add(
    "casts_saturate_wide",
    lambda x: [x.astype(t) for t in (jnp.int64, jnp.uint64, jnp.int32)],
    odd.astype(np.float64) * 1e9,
    x64=True,
)
add("casts_from_bfloat16", lambda x: [x.astype(t) for t in (jnp.int8, jnp.int32, jnp.uint8)], odd.astype(jnp.bfloat16))
add(
    "float_corners",
    lambda x: (
        jnp.maximum(x, 1),
        jnp.minimum(x, 1),
        jnp.max(x),
        x.sum(),
        jnp.sign(x),
        jnp.sqrt(x),
        jnp.round(x),
        jnp.isinf(x),
        x == x,
        jnp.argmax(x),
        jnp.clip(x, -1, 1),
    ),
    odd,
)
add(
    "powers",
    lambda x, y: (x**y, jnp.float_power(x, 2), x**3, jnp.sqrt(x) ** 0),
    f(8),
    np.array([0, 1, 2, 3, -1, -2, 0, 2], np.float32),
)
add("integer_powers", lambda x, y: (x**y, x**3), i(8, low=-5, high=5), i(8, low=0, high=6))
add(
    "integer_division",
    lambda x, y: (lax.div(x, y), lax.rem(x, y)),
    np.array([7, -7, -2147483648, 5, 0], np.int32),
    np.array([0, 2, -1, -3, 0], np.int32),
)
add(
    "unsigned_division",
    lambda x, y: (lax.div(x, y), lax.rem(x, y), x // y, x % y),
    np.array([7, 4000000000, 5, 0], np.uint32),
    np.array([0, 3, 7, 0], np.uint32),
)
add(
    "shifts_far",
    lambda x, y: (lax.shift_left(x, y), lax.shift_right_logical(x, y), lax.shift_right_arithmetic(x, y)),
    np.array([5, -5, -1, 9], np.int32),
    np.array([32, 33, 31, -1], np.int32),
)
add(
    "unsigned_compare",
    lambda x, y: (
        x < y,
        x > y,
        jnp.minimum(x, y),
        jnp.abs(x),
        -x,
        x.astype(jnp.float32),
        jnp.max(x),
        jnp.argmax(x),
        jnp.sort(x),
    ),
    np.array([4000000000, 1, 7, 9], np.uint32),
    np.array([1, 4000000000, 7, 8], np.uint32),
)
add(
    "unsigned_loops",
    lambda x: (
        jnp.cumsum(x),
        lax.cummax(x),
        jnp.argsort(x),
        lax.top_k(x, 2)[0],
        x.at[1].max(jnp.uint8(200)),
        lax.scan(lambda a, y: (jnp.maximum(a, y), a), jnp.uint8(0), x)[1],
    ),
    np.array([4, 250, 7, 130], np.uint8),
)
add(
    "bools",
    lambda x, y: (
        x & y,
        x | y,
        ~x,
        x ^ y,
        x.sum(),
        jnp.cumsum(x),
        jnp.sort(x),
        x.astype(jnp.float32),
        jnp.where(x, 1, 2),
        x < y,
        jnp.argmax(x),
        x.at[1].set(True),
        lax.cummax(x.astype(jnp.int32)),
    ),
    b(9),
    b(9),
)
add(
    "cond_bools",
    lambda x: lax.while_loop(lambda s: ~s[1], lambda s: (s[0] + 1, s[0] > 5), (x, jnp.bool_(False))),
    np.int32(0),
)
add("half_loops", lambda x: (jnp.cumsum(x), jnp.argsort(x), lax.top_k(x, 3), x.at[2].add(1)), f(20, dtype=np.float16))
add(
    "bfloat16_loops",
    lambda x: (
        jnp.argsort(x),
        lax.top_k(x, 3)[1],
        x.at[2].set(1),
        lax.scan(lambda a, y: (a + y, a), jnp.bfloat16(0), x)[1],
    ),
    f(20, dtype=jnp.bfloat16),
)
add(
    "float64_everything",
    lambda x: (
        jnp.linalg.inv(x),
        jnp.linalg.eigvalsh(x),
        jnp.sort(x),
        jnp.linalg.cholesky(x),
        jnp.fft.rfft(x),
        jnp.linalg.qr(x)[1],
    ),
    spd(6).astype(np.float64),
    x64=True,
)
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
add(
    "gather_vmapped_slices",
    jax.vmap(lambda x, k: lax.dynamic_slice(x, (k, 0), (2, 3))),
    f(4, 9, 5),
    i(4, low=0, high=8),
)
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
add(
    "scatter_unsigned",
    lambda x, k, v: x.at[k].add(v),
    i(12, low=0, high=9, dtype=np.uint8),
    np.array([3, 5, 3], np.uint8),
    i(3, low=0, high=9, dtype=np.uint8),
)
add("segment_sum", lambda x, k: jax.ops.segment_sum(x, k, num_segments=4), f(12, 3), i(12, low=0, high=4))
add("segment_max", lambda x, k: jax.ops.segment_max(x, k, num_segments=4), f(12), i(12, low=0, high=4))
