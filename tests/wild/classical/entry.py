"""A trained model in the making."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass
class Entry:
    """A model that is trained when it is asked for."""

    name: str
    build: Callable[[], Any]
    """Gives an estimator that is not trained."""
    data: Callable[[], tuple]
    """Gives the rows and their targets."""
    inputs: dict | None = None
    """Inputs by name, each with the columns it holds and its element type; one matrix of f32 if there are none."""
    options: dict = field(default_factory=dict)
    """Options of the converter, for the estimator."""
    convert: Callable | None = None
    """Writes the model; by `skl2onnx` if there is none."""


ROWS = 240


def numbers(columns=6, seed=0, low=None):
    """Random rows; not below `low`."""
    rows = np.random.default_rng(seed).standard_normal((ROWS, columns)).astype(np.float32)
    return rows if low is None else np.maximum(rows, low)


def classes(count, names=None, low=None, seed=0):
    """Rows of some classes that overlap."""

    def make():
        r = np.random.default_rng(seed + count)
        y = np.arange(ROWS) % count
        x = numbers(seed=seed)
        x[:, 0] += y
        x[:, 1] -= 0.5 * (y % 2)
        x = x if low is None else np.maximum(x, low)
        y = np.where(r.random(ROWS) < 0.05, (y + 1) % count, y)
        return x, y if names is None else np.array(names)[y]

    return make


def labels(count=3):
    """Rows that have several labels each."""
    x = numbers()
    return x, np.stack([(x[:, k] + x[:, k + 1] > 0.3).astype(np.int64) for k in range(count)], 1)


def target(outputs=1, positive=False):
    """Rows with numbers to be predicted."""

    def make():
        x = numbers()
        y = x @ np.random.default_rng(5).standard_normal((x.shape[1], outputs)) + np.sin(2 * x[:, :1])
        y = np.exp(y / 4) if positive else y
        return x, y[:, 0] if outputs == 1 else y

    return make
