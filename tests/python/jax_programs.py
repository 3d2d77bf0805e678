#!/usr/bin/env python3
"""Compiles functions by `halyard.jax.compile`, and compares with JAX.

    jax_programs.py [--filter REGEX]

The Python is one with jax, and finds the package `halyard`. Exit code 1 if a result is wrong or a function is refused."""

import argparse
import re
import sys

import halyard.jax
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax


def r(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def mlp(params, x):
    for w, b in params[:-1]:
        x = jax.nn.gelu(x @ w + b)
    w, b = params[-1]
    return jax.nn.softmax(x @ w + b)


def attention(q, k, v):
    scores = jnp.einsum("bthd,bshd->bhts", q, k) / jnp.sqrt(q.shape[-1])
    mask = jnp.tril(jnp.ones(scores.shape[-2:], bool))
    return jnp.einsum("bhts,bshd->bthd", jax.nn.softmax(jnp.where(mask, scores, -1e9)), v)


def scan(w, xs):
    def step(h, x):
        h = jnp.tanh(w @ h + x)
        return h, h.sum()

    return lax.scan(step, jnp.zeros(w.shape[0]), xs)


def newton(x):
    return lax.while_loop(lambda s: jnp.any(jnp.abs(s * s - x) > 1e-4), lambda s: 0.5 * (s + x / s), x)


def loss(params, x, y):
    return jnp.mean((mlp(params, x) - y) ** 2)


PARAMS = [(r(4, 8), r(8)), (r(8, 3, seed=1), r(3))]

CASES = {
    "mlp": (mlp, PARAMS, r(5, 4)),
    "gradients": (jax.grad(loss), PARAMS, r(5, 4), r(5, 3)),
    "attention": (attention, r(2, 6, 2, 8), r(2, 6, 2, 8, seed=1), r(2, 6, 2, 8, seed=2)),
    "convolution": (lambda x, w: jax.nn.relu(lax.conv(x, w, (2, 2), "SAME")), r(2, 3, 12, 12), r(5, 3, 3, 3)),
    "scan": (scan, r(4, 4) / 4, r(7, 4)),
    "while": (newton, np.abs(r(6)) + 1),
    "cond": (lambda x: lax.cond(x.sum() > 0, lambda v: v * 2, lambda v: v - 1, x), r(5)),
    "tree": (lambda d: {"a": d["x"] + 1, "b": (d["y"].sum(), d["x"].T)}, {"x": r(2, 3), "y": r(4)}),
    "sort": (lambda x: (jnp.sort(x), jnp.argsort(x), lax.top_k(x, 3)), r(4, 9)),
    "scatter": (lambda x, i: jnp.asarray(x).at[i].add(1.0).at[0].set(7.0), r(6, 2), np.int32([1, 1, 4])),
    "solve": (lambda a, b: jnp.linalg.solve(a @ a.T + jnp.eye(4), b), r(4, 4), r(4, 2)),
    "fourier": (lambda x: jnp.abs(jnp.fft.rfft(x)), r(3, 16)),
    "complex": (lambda x: jnp.fft.fft(x) * 2, (r(8) + 1j * r(8, seed=1)).astype(np.complex64)),
    "integers": (lambda x: (x // 3, x % 4, jnp.bitwise_xor(x, 5)), np.arange(-6, 6, dtype=np.int32)),
    "bfloat16": (lambda x: x.astype(jnp.bfloat16) * 2, r(4, 4)),
    "numbers": (lambda x, s: x * s, r(3), 2.5),
    "vmap": (jax.vmap(lambda a, b: jnp.dot(a, b)), r(5, 4), r(5, 4, seed=1)),
    "random": (lambda k: jax.random.normal(k, (8,)), np.uint32([0, 42])),
    "cumulative": (lambda x: (jnp.cumsum(x, 1), jnp.cumprod(x, 0)), r(4, 5)),
    "layer-norm": (lambda x: (x - x.mean(-1, keepdims=True)) / jnp.sqrt(x.var(-1, keepdims=True) + 1e-5), r(6, 10)),
}


def run(f, args):
    expected, tree = jax.tree_util.tree_flatten(f(*args))
    got, other = jax.tree_util.tree_flatten(halyard.jax.compile(f, *args)(*args))
    if tree != other:
        return f"the tree {other} instead of {tree}"
    for i, (a, b) in enumerate(zip(got, expected)):
        if np.shape(a) != b.shape or np.asarray(a).dtype != b.dtype:
            return f"result {i}: {np.asarray(a).dtype}{np.shape(a)} instead of {b.dtype}{b.shape}"
        kind = np.complex128 if b.dtype.kind == "c" else np.float64
        if not np.allclose(np.asarray(a).astype(kind), np.asarray(b).astype(kind), rtol=1e-3, atol=2e-4):
            return f"result {i} differs"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--filter", default="", help="only functions whose names match")
    options = parser.parse_args()
    right = bad = 0
    for name, (f, *args) in CASES.items():
        if not re.search(options.filter, name):
            continue
        try:
            why = run(f, args)
        except Exception as e:
            why = f"{type(e).__name__}: {str(e)[:600]}"
        right, bad = right + (why is None), bad + (why is not None)
        print(f"{name}: {why or 'right'}", flush=True)
    batch = jax.ShapeDtypeStruct(jax.export.symbolic_shape("b, 4"), np.float32)
    dynamic = halyard.jax.compile(mlp, PARAMS, batch)
    for rows in [1, 2, 17]:
        np.testing.assert_allclose(dynamic(PARAMS, r(rows, 4)), mlp(PARAMS, r(rows, 4)), rtol=1e-4, atol=1e-5)
    print(f"{right} right, {bad} not, symbolic sizes right, jax {jax.__version__}")
    return 1 if bad else 0


sys.exit(main())
