"""What programs in JAX are made of: random inputs, and the list that programs are added to."""

import jax.numpy as jnp
import numpy as np

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
