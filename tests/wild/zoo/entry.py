"""An entry of the table."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass
class Entry:
    """`build` gives the module, its inputs with the dimensions that have symbols ({name: {dimension: symbol}}), a function from the
    sizes of symbols to the inputs, and for each symbol the three sizes to try."""

    name: str
    build: Callable


def simple(name, module, inputs, axes):
    """`inputs`: {name: function from sizes to a tensor, or (that, {dimension: symbol})}."""

    def build():
        names = {k: v[1] for k, v in inputs.items()}
        return module(), names, lambda sizes: [v[0](sizes) for v in inputs.values()], axes

    return Entry(name, build)
