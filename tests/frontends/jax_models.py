"""Programs in JAX: derivatives, networks, algorithms, sizes that are not known."""

import jax
import jax.numpy as jnp
import numpy as np
import scipy.linalg  # noqa: F401  jax.scipy wants it
from jax import lax
from jax_inputs import add, b, c, each, f, i, pos, spd, unit  # noqa: F401

key = jax.random.key_data(jax.random.key(3))

# More of everything.
add(
    "while_two",
    lambda x: lax.fori_loop(0, 3, lambda k, y: lax.fori_loop(0, k + 1, lambda j, z: z * 0.5 + j, y), x),
    f(4),
)
add("fori_down", lambda x: lax.fori_loop(-3, 4, lambda k, y: y + k * x, jnp.zeros(3)), f(3))
add(
    "scan_carry_tuple",
    lambda x: lax.scan(lambda s, y: ((s[0] + y, s[1] * y), (s[0], s[1])), (jnp.zeros(2), jnp.ones(2)), x),
    unit(6, 2),
)
add("scan_length", lambda x: lax.scan(lambda a, _: (a * 1.1, None), x, None, length=9)[0], f(3))
add("scan_unroll", lambda x: lax.scan(lambda a, y: (a + y, a), jnp.float32(0), x, unroll=4), f(10))
add(
    "scan_integers",
    lambda x: lax.scan(lambda a, y: (a * 31 + y, a % 7), jnp.uint32(1), x),
    i(9, low=0, high=99).astype(np.uint32),
)
add(
    "associative_pairs",
    lambda x, y: lax.associative_scan(lambda p, q: (p[0] * q[0], p[1] * q[0] + q[1]), (x, y)),
    unit(16),
    f(16),
)
add("vmap_matmul", jax.vmap(lambda x, w: x @ w, (0, None)), f(3, 4, 5), f(5, 2))
add("vmap_cond", jax.vmap(lambda p, x: lax.cond(p > 0, jnp.sin, jnp.cos, x)), f(6), f(6))
add("vmap_sort", jax.vmap(jnp.argsort), f(3, 20))
add("vmap_solve", jax.vmap(jnp.linalg.solve), spd(4, 3), f(3, 4, 2))
add(
    "vmap_update", jax.vmap(lambda x, k, v: lax.dynamic_update_slice(x, v, (k,))), f(4, 9), i(4, low=0, high=8), f(4, 2)
)
add("vmap_scan", jax.vmap(lambda x: lax.scan(lambda a, y: (a + y, a), 0.0, x)), f(3, 7))
add(
    "scatter_nd",
    lambda x, k, v: lax.scatter_add(x, k, v, lax.ScatterDimensionNumbers((1,), (0,), (0,))),
    f(6, 4),
    i(5, 1, low=0, high=6),
    f(5, 4),
)
add("scatter_sub", lambda x, k, v: x.at[k].subtract(v), f(6), i(9, low=0, high=6), f(9))
add("scatter_divide", lambda x, k, v: x.at[k].divide(v), f(6), np.array([1, 4], np.int32), pos(2))
add("scatter_columns", lambda x, k, v: x.at[:, k].set(v), f(4, 6), np.array([1, 4], np.int32), f(4, 2))
add("scatter_slices", lambda x: x.at[1:4, ::2].set(0.0).at[-1].add(1.0), f(5, 6))
add(
    "scatter_bfloat16",
    lambda x, k, v: x.at[k].add(v),
    f(6, dtype=jnp.bfloat16),
    i(4, low=0, high=6),
    f(4, dtype=jnp.bfloat16),
)
add("gather_grad", jax.grad(lambda x, k: jnp.sin(jnp.take_along_axis(x, k, 1)).sum()), f(4, 9), i(4, 3, low=0, high=9))
add("cumsum_grad", jax.grad(lambda x: (jnp.cumsum(x) ** 2).sum()), f(9))
add("cumprod_integers", lambda x: jnp.cumprod(x, axis=1), i(3, 6, low=1, high=4))
add("cummax_integers", lambda x: lax.cummax(x, axis=0, reverse=True), i(9, 3))
add(
    "max_pool_3d",
    lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 2, 1), (1, 2, 2, 2, 1), "VALID"),
    f(1, 4, 6, 4, 2),
)
add(
    "min_pool_dilated",
    lambda x: lax.reduce_window(x, jnp.inf, lax.min, (2, 3), (1, 2), "VALID", window_dilation=(2, 1)),
    f(7, 9),
)
add(
    "sum_pool_base",
    lambda x: lax.reduce_window(x, 0.0, lax.add, (2, 2), (1, 1), "VALID", base_dilation=(2, 2)),
    f(4, 5),
)
add(
    "conv_gradients",
    jax.grad(
        lambda x, w: (
            lax.conv_general_dilated(
                x,
                w,
                (2, 1),
                ((1, 1), (0, 2)),
                rhs_dilation=(1, 2),
                feature_group_count=2,
                dimension_numbers=("NHWC", "HWIO", "NHWC"),
            )
            ** 2
        ).sum(),
        (0, 1),
    ),
    f(2, 7, 8, 4),
    f(3, 2, 2, 6),
)
add(
    "conv_integers",
    lambda x, w: lax.conv_general_dilated(
        x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"), preferred_element_type=jnp.int32
    ),
    i(1, 6, 7, 3, dtype=np.int8),
    i(3, 3, 3, 4, dtype=np.int8),
)
add(
    "batch_norm",
    lambda x, g, h: (x - x.mean((0, 1, 2))) / jnp.sqrt(x.var((0, 1, 2)) + 1e-5) * g + h,
    f(2, 5, 6, 3),
    f(3),
    f(3),
)
add(
    "group_norm",
    lambda x: (
        lambda y: ((y - y.mean((1, 2, 4), keepdims=True)) * lax.rsqrt(y.var((1, 2, 4), keepdims=True) + 1e-5)).reshape(
            x.shape
        )
    )(x.reshape(2, 5, 6, 2, 4)),
    f(2, 5, 6, 8),
)
add(
    "cross_entropy",
    lambda x, k: -jnp.take_along_axis(jax.nn.log_softmax(x), k[:, None], 1).mean(),
    f(6, 9),
    i(6, low=0, high=9),
)
add("dropout", lambda k, x: jnp.where(jax.random.bernoulli(k, 0.7, x.shape), x / 0.7, 0), key, f(6, 9))
add(
    "gru",
    lambda x, w, u: lax.scan(
        lambda h, t: (lambda z, r, n: ((1 - z) * jnp.tanh(n[0] + r * n[1]) + z * h,) * 2)(
            jax.nn.sigmoid(t @ w[0] + h @ u[0]), jax.nn.sigmoid(t @ w[1] + h @ u[1]), (t @ w[2], h @ u[2])
        ),
        jnp.zeros(6),
        x,
    ),
    f(7, 5),
    f(3, 5, 6, scale=0.3),
    f(3, 6, 6, scale=0.3),
)
add(
    "adam",
    lambda p, g, m, v: (lambda m, v: (p - 0.01 * (m / 0.1) / (jnp.sqrt(v / 0.001) + 1e-8), m, v))(
        0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
    ),
    f(9),
    f(9),
    f(9),
    pos(9),
)
add(
    "rope",
    lambda x: (lambda a, p, q: jnp.concatenate([p * jnp.cos(a) - q * jnp.sin(a), p * jnp.sin(a) + q * jnp.cos(a)], -1))(
        jnp.arange(9.0)[:, None] / 10000 ** (jnp.arange(4.0) / 4), *jnp.split(x, 2, -1)
    ),
    f(2, 9, 8),
)
add(
    "kv_cache",
    lambda c, k, p, q: (lambda c: (jax.nn.softmax(jnp.where(jnp.arange(12) <= p, q @ c.T, -jnp.inf)) @ c, c))(
        lax.dynamic_update_slice(c, k, (p, 0))
    ),
    f(12, 4),
    f(1, 4),
    np.int32(5),
    f(4),
)
add("beam", lambda x: (lambda v, k: (v, k // 7, k % 7))(*lax.top_k(x.reshape(-1), 4)), f(3, 7))
add(
    "nms",
    lambda x: lax.fori_loop(
        0, 8, lambda k, s: jnp.where((jnp.arange(8) > k) & (jnp.abs(x - x[k]) < 0.3) & (s[k] > 0), 0.0, s), jnp.ones(8)
    ),
    f(8),
)
add(
    "viterbi",
    lambda e, t: lax.scan(lambda s, y: ((s[:, None] + t).max(0) + y, (s[:, None] + t).argmax(0)), e[0], e[1:]),
    f(6, 4),
    f(4, 4),
)
add(
    "newton",
    lambda x: lax.while_loop(
        lambda s: jnp.abs(s**3 - x).max() > 1e-4, lambda s: s - (s**3 - x) / (3 * s * s), jnp.ones_like(x) * 2
    ),
    pos(4) * 5,
)
add("ode", lambda x: lax.fori_loop(0, 50, lambda _, y: y + 0.01 * jnp.stack([y[1], -jnp.sin(y[0])]), x), f(2))
add("power_iteration", lambda a: lax.fori_loop(0, 30, lambda _, v: a @ v / jnp.linalg.norm(a @ v), jnp.ones(5)), spd(5))
add(
    "kmeans",
    lambda x, m: lax.fori_loop(
        0,
        4,
        lambda _, m: (lambda h: (h.T @ x) / (h.sum(0)[:, None] + 1e-6))(
            jax.nn.one_hot(jnp.argmin(((x[:, None] - m) ** 2).sum(-1), 1), 3)
        ),
        m,
    ),
    f(20, 2),
    f(3, 2),
)
add(
    "gaussian_process",
    lambda x, y: (lambda k: jax.scipy.linalg.cho_solve(jax.scipy.linalg.cho_factor(k), y))(
        jnp.exp(-((x[:, None] - x) ** 2)) + 0.1 * jnp.eye(8)
    ),
    f(8),
    f(8),
)
add("polar", lambda a: jax.scipy.linalg.polar(a)[0], f(4, 4))
add(
    "sqrtm_newton",
    lambda a: lax.fori_loop(
        0, 12, lambda _, s: (0.5 * (s[0] + jnp.linalg.inv(s[1])), 0.5 * (s[1] + jnp.linalg.inv(s[0]))), (a, jnp.eye(4))
    )[0],
    spd(4),
)
add("multi_dot", lambda x, y, z: jnp.linalg.multi_dot([x, y, z]), f(3, 4), f(4, 5), f(5, 2))
add("vander", lambda x: jnp.vander(x, 4), f(5))
add("block_diag", lambda x, y: jax.scipy.linalg.block_diag(x, y), f(2, 2), f(3, 3))
add("toeplitz", lambda x: jax.scipy.linalg.toeplitz(x), f(5))
add(
    "norm_pdf",
    lambda x: (jax.scipy.stats.norm.cdf(x), jax.scipy.stats.norm.logpdf(x), jax.scipy.special.ndtri(jax.nn.sigmoid(x))),
    f(9),
)
add(
    "special_more",
    lambda x: (
        jax.scipy.special.expit(x),
        jax.scipy.special.logit(x / 9 + 0.4),
        jax.scipy.special.entr(x),
        jax.scipy.special.gammaln(x),
        jax.scipy.special.xlogy(x, x),
    ),
    pos(9),
)
add(
    "select_and_gather",
    jax.grad(
        lambda x: jax.grad(lambda z: (lax.reduce_window(z, -jnp.inf, lax.max, (2,), (2,), "VALID") ** 2).sum())(x).sum()
    ),
    f(8),
)
add("argminmax_axes", lambda x: (jnp.argmax(x, 0), jnp.argmin(x, 1), jnp.nanargmax(x)), f(5, 6))
add("setdiff", lambda x, y: jnp.isin(x, y), i(9, low=0, high=6), i(4, low=0, high=6))
add("nonzero", lambda x: jnp.nonzero(x > 0, size=6, fill_value=-1)[0], f(12))
add("compress", lambda x: jnp.where(x > 0, x, 0).cumsum() / jnp.maximum((x > 0).cumsum(), 1), f(12))
add("bits", lambda x: (jnp.unpackbits(x), jnp.packbits(jnp.unpackbits(x))), i(5, low=0, high=255, dtype=np.uint8))
add(
    "uint64",
    lambda x: (x >> np.uint64(3)) ^ (x * np.uint64(0x9E3779B97F4A7C15)),
    i(9, low=0, high=1 << 60, dtype=np.int64).astype(np.uint64),
    x64=True,
)
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
add(
    "custom_vjp",
    jax.grad(
        (lambda f: (f.defvjp(lambda x: (jnp.sin(x), x), lambda x, g: (g * 2 * x,)), lambda x: f(x).sum())[1])(
            jax.custom_vjp(jnp.sin)
        )
    ),
    f(6),
)

# Derivatives, networks.
add("grad", jax.grad(lambda x: jnp.sum(jnp.tanh(x) ** 2 / (1 + jnp.exp(x)))), f(9))
add("hessian", jax.hessian(lambda x: jnp.sum(jnp.sin(x) * x[::-1])), f(4))
add("jacobian", jax.jacfwd(lambda x: jnp.cumsum(x**2)), f(5))
add("vjp_sort", jax.grad(lambda x: (jnp.sort(x) * jnp.arange(9.0)).sum()), f(9))
add("vjp_cholesky", jax.grad(lambda x: jnp.linalg.cholesky(x).sum()), spd(4))
add("vjp_gather", jax.grad(lambda w, k: (w[k] ** 2).sum()), f(8, 3), i(6, low=0, high=8))
each(
    "nn",
    "relu gelu silu softplus elu selu leaky_relu softmax log_softmax standardize mish hard_swish glu",
    [f(4, 10)],
    where=jax.nn,
)
add(
    "layer_norm",
    lambda x, g: (x - x.mean(-1, keepdims=True)) * lax.rsqrt(x.var(-1, keepdims=True) + 1e-5) * g,
    f(4, 16),
    f(16),
)
add(
    "attention",
    lambda q, k, v: jax.nn.dot_product_attention(q, k, v, is_causal=True),
    f(2, 9, 2, 8),
    f(2, 9, 2, 8),
    f(2, 9, 2, 8),
)


def mlp(x, w, v):
    return jax.nn.softmax(jax.nn.gelu(x @ w) @ v)


add("mlp", mlp, f(4, 16), f(16, 32), f(32, 10))
add(
    "mlp_training",
    lambda x, w, v: jax.tree.map(
        lambda p, g: p - 0.1 * g, (w, v), jax.grad(lambda w, v: -jnp.log(mlp(x, w, v)[:, 0]).mean(), (0, 1))(w, v)
    ),
    f(4, 16),
    f(16, 32),
    f(32, 10),
)
add(
    "lstm",
    lambda x, w, u: lax.scan(
        lambda s, t: (
            lambda z: (lambda c: ((jnp.tanh(c) * jax.nn.sigmoid(z[2]), c),) * 2)(
                s[1] * jax.nn.sigmoid(z[0]) + jnp.tanh(z[1]) * jax.nn.sigmoid(z[3])
            )
        )(jnp.split(t @ w + s[0] @ u, 4)),
        (jnp.zeros(6), jnp.zeros(6)),
        x,
    )[0],
    f(7, 5),
    f(5, 24, scale=0.3),
    f(6, 24, scale=0.3),
)
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
    "conv": (
        lambda x, w: lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NCHW", "OIHW", "NCHW")),
        [f(2, 3, 8, 9), f(4, 3, 3, 3)],
        ["b, 3, h, w", "4, 3, 3, 3"],
    ),
    "conv_strided": (
        lambda x, w: lax.conv_general_dilated(
            x, w, (2, 2), "VALID", rhs_dilation=(1, 2), dimension_numbers=("NHWC", "HWIO", "NHWC")
        ),
        [f(2, 8, 9, 3), f(3, 3, 3, 4)],
        ["b, h, w, 3", "3, 3, 3, 4"],
    ),
    "conv_same": (
        lambda x, w: lax.conv_general_dilated(x, w, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")),
        [f(2, 8, 9, 3), f(3, 3, 3, 4)],
        ["b, h, w, 3", "3, 3, 3, 4"],
    ),
    "conv_depthwise": (
        lambda x, w: lax.conv_general_dilated(
            x, w, (1, 1), "VALID", feature_group_count=4, dimension_numbers=("NHWC", "HWIO", "NHWC")
        ),
        [f(2, 8, 9, 4), f(3, 3, 1, 8)],
        ["b, h, 9, 4", "3, 3, 1, 8"],
    ),
    "max_pool_same": (
        lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "SAME"),
        [f(2, 7, 8, 3)],
        ["b, h, w, 3"],
    ),
    "max_pool": (
        lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID"),
        [f(2, 8, 8, 3)],
        ["b, 8, 8, 3"],
    ),
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
