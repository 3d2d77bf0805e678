"""An entry of the table."""

from collections.abc import Callable
from dataclasses import dataclass, field

# The sizes to try of each symbol.
SIZES = {"batch": (2, 1, 3), "length": (7, 1, 12), "height": (8, 5, 16), "width": (6, 9, 16), "other": (5, 3, 9)}
BIG = {**SIZES, "height": (96, 80, 128), "width": (96, 112, 80)}


@dataclass
class Input:
    """A tensor that a function takes: a dimension is a number or a symbol."""

    shape: tuple
    dtype: str = "float32"
    low: int = 0
    high: int = 8

    def sized(self, sizes):
        return [sizes[d] if isinstance(d, str) else d for d in self.shape]


@dataclass
class Entry:
    """`build` gives a function of tensors, or a model of Keras, when it is asked for."""

    name: str
    build: Callable
    inputs: tuple
    sizes: dict = field(default_factory=lambda: SIZES)


def function(name, f, *inputs):
    """A function whose inputs are shapes of floats, or say more."""
    return Entry(name, lambda: f, tuple(i if isinstance(i, Input) else Input(i) for i in inputs))


def indices(*shape, high=8, low=0, dtype="int32"):
    return Input(shape, dtype, low, high)
