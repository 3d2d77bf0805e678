"""JAX: `halyard.jax.compile(f, *args)`, by StableHLO."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import jax
import numpy as np
from jax import export

from . import tools
from ._folder import Folder
from .errors import InputError
from .program import Program, load


class Function:
    """A compiled function of JAX: takes the same arguments, returns the same tree, of numpy arrays."""

    def __init__(self, program: Program, exported: Any):
        self.program = program
        self._kept, self._in, self._out = exported.module_kept_var_idx, exported.in_tree, exported.out_tree
        self._types = [np.dtype(a.dtype) for a in exported.in_avals]
        self._results = [np.dtype(a.dtype) for a in exported.out_avals]

    def __call__(self, *args: Any, **named: Any) -> Any:
        leaves, tree = jax.tree_util.tree_flatten((args, named))
        if tree != self._in:
            raise InputError(
                f"the function was compiled for arguments of another structure\nnote: {self._in}\nnote: {tree}"
            )
        given = [bits(leaves[i], self._types[i]) for i in self._kept]
        main = self.program._main()
        found = [result(a, dtype) for a, dtype in zip(main._call(tuple(given), {}), self._results)]
        return jax.tree_util.tree_unflatten(self._out, found)


def bits(value: Any, dtype: np.dtype[Any]) -> Any:
    """An argument in the type that the function was compiled for; numbers of Python take it as in JAX."""
    if isinstance(value, (bool, int, float, complex)):
        value = np.asarray(value, dtype)
    if isinstance(value, jax.Array) and jax.dtypes.issubdtype(value.dtype, jax.dtypes.prng_key):
        raise InputError("the key of a random number generator is no tensor\nhint: pass `jax.random.key_data(key)`")
    return np.asarray(value).view(np.uint8) if dtype.name.startswith("float8") else value


def result(value: np.ndarray[Any, Any], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    if dtype.kind == "c":
        # A pair of floats.
        pairs: np.ndarray[Any, Any] = np.ascontiguousarray(value).view(dtype)
        shaped: np.ndarray[Any, Any] = pairs.reshape(value.shape[:-1])
        return shaped
    if value.dtype != dtype and value.dtype.itemsize == dtype.itemsize:
        return value.view(dtype)
    return value


def compile(
    f: Any, *args: Any, target: str | None = None, options: Sequence[str] = (), device: str = "cpu", **loading: Any
) -> Function:
    """Compiles a function of JAX for arguments of these shapes and types.

    args     arrays, or `jax.ShapeDtypeStruct`, whose sizes may be symbols of `jax.export.symbolic_shape`
    options  further arguments of `hal-compile`; `device`, `threads`, … are those of `halyard.load`
    """
    jitted = f if hasattr(f, "lower") else jax.jit(f)
    try:
        # Exported for TPUs, none of which is needed, the module has no calls of libraries of CPUs.
        exported = export.export(jitted, platforms=["tpu"])(*args)
    except Exception as e:
        raise InputError(f"jax.export refuses the function: {e}") from e
    keep = Folder()
    source, to = keep.path / "model.mlir", keep.path / "program.so"
    source.write_text(exported.mlir_module())
    words = [str(source), f"--output={to}", f'--plugin=stablehlo{{python="{sys.executable}"}}']
    words += [f"--target={target}"] if target else []
    tools.run("hal-compile", [*words, *options])
    program = load(to, device, **loading)
    program._keep = keep
    return Function(program, exported)
