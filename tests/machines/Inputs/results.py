"""Prints what results.c prints of the functions of results.mlir, as numpy computes them."""

import numpy as np


def floats(number, *shape):
    """The input of that number."""
    return ((np.arange(np.prod(shape)) * 7 + 3 + 5 * number) % 13 - 6).reshape(shape).astype(np.float32) / 4


def softmax(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


a, b, c, d, e, f, g, h, i, j, k, m = (floats(number, 8) for number in range(12))
integers = np.arange(1000) % 5
results = {
    "layer": np.maximum(floats(0, 5, 37) @ floats(1, 37, 19) + floats(2, 19), 0),
    "softmax": softmax(floats(0, 5, 10)),
    "many": ((a - b) * 2 + c - d + e - f + g) * h + i - j + k - m,
    "squares": (integers * integers).sum(),
    "halves": floats(0, 33) ** 2,
    "add": floats(0, 4),
}
for name, result in results.items():
    for turn in [1, 2]:
        # Only `add` remembers its first call.
        values = np.ravel(result * turn if name == "add" else result)
        print(name, *(f"{float(x) + 0.0:.3f}" for x in values))
