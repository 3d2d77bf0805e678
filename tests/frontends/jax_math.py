"""Programs in JAX: products, convolutions, control flow, random numbers, linear algebra, complex numbers."""

import jax
import jax.numpy as jnp
import numpy as np
import scipy.linalg  # noqa: F401  jax.scipy wants it
from jax import lax
from jax_inputs import add, b, c, each, f, i, pos, spd, unit  # noqa: F401

# Products.
add("matmul", jnp.matmul, f(16, 24), f(24, 8))
add("matmul_batch", jnp.matmul, f(2, 3, 5, 7), f(3, 7, 4))
add("dot", jnp.dot, f(9), f(9))
add("outer", lambda x, y: (jnp.outer(x, y), jnp.kron(x, y), jnp.cross(x[:3], y[:3])), f(5), f(4))
add("einsum", lambda x, y: jnp.einsum("bij,bkj->bik", x, y), f(2, 3, 4), f(2, 5, 4))
add("einsum_trace", lambda x, y: jnp.einsum("abc,cbd->ad", x, y), f(3, 4, 5), f(5, 4, 6))
add("tensordot", lambda x, y: jnp.tensordot(x, y, 2), f(2, 3, 4), f(3, 4, 5))
add(
    "matmul_integers",
    lambda x, y: lax.dot(x, y, preferred_element_type=jnp.int32),
    i(8, 16, dtype=np.int8),
    i(16, 4, dtype=np.int8),
)
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
add(
    "conv_gradient",
    jax.grad(
        lambda w, x: lax.conv_general_dilated(x, w, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")).var()
    ),
    f(3, 3, 3, 4),
    f(2, 9, 8, 3),
)
add(
    "max_pool_gradient",
    jax.grad(lambda x: (lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME") ** 2).sum()),
    f(1, 7, 8, 2),
)

# Control flow.
add("fori", lambda x: lax.fori_loop(0, 7, lambda k, y: y * 0.9 + k, x), f(5))
add("fori_bounds", lambda x, n: lax.fori_loop(2, n, lambda k, y: y + k, x), f(5), np.int32(9))
add("while", lambda x: lax.while_loop(lambda s: s[0].sum() < 100, lambda s: (s[0] * 1.5, s[1] + 1), (x, 0)), pos(5))
add(
    "while_collatz",
    lambda n: lax.while_loop(
        lambda s: s[0] != 1, lambda s: (jnp.where(s[0] % 2 == 0, s[0] // 2, 3 * s[0] + 1), s[1] + 1), (n, 0)
    )[1],
    np.int32(27),
)
add("scan", lambda x: lax.scan(lambda a, y: (a * 0.5 + y, a), jnp.zeros(3), x), f(11, 3))
add("scan_reverse", lambda x: lax.scan(lambda a, y: (a + y, a * y), 0.0, x, reverse=True), f(11))
add(
    "scan_nested",
    lambda x: lax.scan(lambda a, y: (a + lax.scan(lambda p, q: (p * q, p), 1.0, y)[0], a), 0.0, x),
    unit(4, 5),
)
add("cond", lambda p, x: lax.cond(p, jnp.sin, lambda y: y * 2, x), np.bool_(True), f(4))
add("cond_else", lambda p, x: lax.cond(p > 3, jnp.sin, lambda y: y * 2, x), np.int32(1), f(4))
add("switch", lambda k, x: lax.switch(k, [jnp.sin, jnp.cos, lambda y: y**2, lambda y: -y], x), np.int32(2), f(4))
add("switch_far", lambda k, x: lax.switch(k, [jnp.sin, jnp.cos, lambda y: y**2], x), np.int32(17), f(4))
add("map", lambda x: lax.map(lambda y: jnp.sort(y)[::2], x), f(5, 8))
add(
    "while_vmapped",
    jax.vmap(lambda n: lax.while_loop(lambda s: s[0] > 1, lambda s: (s[0] // 2, s[1] + 1), (n, 0))[1]),
    np.array([3, 17, 64, 1], np.int32),
)
add(
    "custom_root",
    lambda x: lax.custom_root(
        lambda y: y * y - x,
        x,
        lambda g, y0: lax.fori_loop(0, 20, lambda _, y: y - g(y) / (2 * y), y0),
        lambda g, y: y / g(1.0),
    ),
    np.float32(2.0),
)
add("checkpoint", jax.grad(jax.checkpoint(lambda x: jnp.sin(jnp.sin(x)).sum())), f(6))

# Random numbers.
key = jax.random.key_data(jax.random.key(3))
for name, draw in {
    "bits": lambda k: jax.random.bits(k, (9,)),
    "uniform": lambda k: jax.random.uniform(k, (33,)),
    "normal": lambda k: jax.random.normal(k, (5, 7)),
    "randint": lambda k: jax.random.randint(k, (40,), -5, 17),
    "bernoulli": lambda k: jax.random.bernoulli(k, 0.3, (40,)),
    "permutation": lambda k: jax.random.permutation(k, 20),
    "categorical": lambda k: jax.random.categorical(k, jnp.arange(5.0), shape=(20,)),
    "gumbel": lambda k: jax.random.gumbel(k, (9,)),
    "split": lambda k: jax.random.split(k, 3),
    "choice": lambda k: jax.random.choice(k, 10, (4,), replace=False),
    "gamma": lambda k: jax.random.gamma(k, 2.0, (5,)),
    "exponential": lambda k: jax.random.exponential(k, (9,)),
    "truncated": lambda k: jax.random.truncated_normal(k, -1.0, 1.0, (9,)),
    "dirichlet": lambda k: jax.random.dirichlet(k, jnp.ones(3)),
    "poisson": lambda k: jax.random.poisson(k, 3.0, (9,)),
    "laplace": lambda k: jax.random.laplace(k, (9,)),
}.items():
    add(f"random_{name}", draw, key)

# Linear algebra.
add("cholesky", jnp.linalg.cholesky, spd(7))
add("cholesky_batch", lambda x: jnp.linalg.cholesky(x, upper=True), spd(4, 3))
add("triangular_solve", lambda a, y: jax.scipy.linalg.solve_triangular(a, y, lower=True), spd(5), f(5, 3))
for flags in range(8):
    left, lower, turned = bool(flags & 1), bool(flags & 2), bool(flags & 4)
    add(
        f"triangular_{flags}",
        lambda a, y, left=left, lower=lower, turned=turned: lax.linalg.triangular_solve(
            a, y, left_side=left, lower=lower, transpose_a=turned, unit_diagonal=left != lower
        ),
        spd(4, 2) / 4,
        f(2, 4, 4),
    )
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
add(
    "norms",
    lambda a: (
        jnp.linalg.norm(a),
        jnp.linalg.norm(a, 1),
        jnp.linalg.norm(a, jnp.inf),
        jnp.linalg.norm(a, axis=1),
        jnp.linalg.cond(a),
    ),
    f(4, 4),
)
add(
    "tridiagonal_solve",
    lambda x: lax.linalg.tridiagonal_solve(x[0] * 0.1, x[1] + 4, x[2] * 0.1, x[3][:, None]),
    f(4, 6),
)
add("cg", lambda a, y: jax.scipy.sparse.linalg.cg(lambda v: a @ v, y)[0], spd(6), f(6))

# Complex numbers and Fourier transforms.
each("complex", "abs angle real imag conj exp sin cos sqrt square negative sinh tanh log", [c(3, 5)])
each("complex2", "add subtract multiply divide power equal", [c(9), c(9)])
add("complex_matmul", lambda x, y: x @ y, c(4, 5), c(5, 3))
add("complex_mixed", lambda x, y: (x * y).sum(0) + lax.complex(y.sum(0), y.max(0)), c(4, 5), f(4, 5))
add(
    "complex_shapes",
    lambda x: jnp.concatenate([x.T.reshape(4, 3)[::-1], jnp.pad(x, ((1, 0), (0, 0)))[:, :3]], 0),
    c(3, 4),
)
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
add(
    "complex_conv",
    lambda x, w: lax.conv_general_dilated(x, w, (1,), "SAME", dimension_numbers=("NWC", "WIO", "NWC")),
    c(1, 9, 2),
    c(3, 2, 4),
)
add("complex_sort", lambda x: jnp.sort(x), c(40))
add("complex_take", lambda x, k: x[k].sum(1), c(6, 3), i(4, low=0, high=6))
add("complex_reduce", lambda x: (x.mean(0), x.prod(1), jnp.isfinite(x), x.var()), c(3, 4))
add("complex_while", lambda x: lax.while_loop(lambda z: jnp.abs(z).max() < 50, lambda z: z * z + x, x), c(4))
add("complex_cond", lambda p, x: lax.cond(p, lambda y: y * 1j, lambda y: y + 1, x), np.bool_(True), c(4))
add("complex_polar", lambda r, t: r * jnp.exp(1j * t), pos(5), f(5))
add(
    "mandelbrot",
    lambda x: lax.fori_loop(
        0,
        12,
        lambda _, s: (jnp.where(jnp.abs(s[0]) < 4, s[0] ** 2 + x, s[0]), s[1] + (jnp.abs(s[0]) < 4)),
        (jnp.zeros_like(x), jnp.zeros(x.shape, jnp.int32)),
    )[1],
    c(5, 6),
)
each("hfft", "hfft ihfft", [f(9)], where=jnp.fft)
add("fft3", lambda x: jnp.fft.fftn(x), c(3, 4, 5))
add("fft_ortho", lambda x: jnp.fft.fft(x, norm="ortho"), f(12))
add("roots", lambda x: jnp.fft.fftfreq(8) * x, f(8))
