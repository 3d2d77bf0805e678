"""Between numpy and tensors of programs."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from ._native import Tensor, empty
from .errors import InputError

#: numpy's names of element types; bf16 has no type of numpy.
NUMPY = {"f32": "f4", "f64": "f8", "f16": "f2", "i1": "?", "i8": "i1", "u8": "u1", "i16": "i2", "u16": "u2"}
NUMPY |= {"i32": "i4", "u32": "u4", "i64": "i8", "u64": "u8"}
#: Types of single bytes that ml_dtypes knows.
NARROW = {"f8E4M3FN": "float8_e4m3fn", "f8E4M3FNUZ": "float8_e4m3fnuz", "f8E5M2": "float8_e5m2"}
NARROW |= {"f8E5M2FNUZ": "float8_e5m2fnuz", "f8E8M0FNU": "float8_e8m0fnu"}


@functools.cache
def ml_dtype(name: str) -> np.dtype[Any] | None:
    """A type of the package ml_dtypes, if that is installed."""
    try:
        import ml_dtypes
    except ImportError:
        return None
    found = getattr(ml_dtypes, name, None)
    return None if found is None else np.dtype(found)


def array(tensor: Tensor) -> np.ndarray[Any, Any]:
    """The memory of a tensor as an array. bf16 and 8-bit floats are types of ml_dtypes, else their bits."""
    seen = np.asarray(tensor)
    if tensor.dtype == "bf16":
        name: str | None = "bfloat16"
    elif tensor.element is None:
        return seen
    else:
        name = NARROW.get(tensor.element)
    dtype = ml_dtype(name) if name else None
    return seen if dtype is None else seen.view(dtype)


def arrays(tensors: list[Tensor]) -> tuple[np.ndarray[Any, Any], ...]:
    """The arguments of a host function."""
    return tuple(array(t) for t in tensors)


def results(returned: Any, count: int) -> tuple[Any, ...]:
    """What a host function returned, one for each result."""
    if count == 1 and not (isinstance(returned, tuple) and len(returned) == 1):
        return (returned,)
    if count == 0 and returned is None:
        return ()
    if isinstance(returned, (tuple, list)) and len(returned) == count:
        return tuple(returned)
    got = len(returned) if isinstance(returned, (tuple, list)) else 1
    raise InputError(f"the function returned {got} results, the program expects {count}")


def plain(value: Any, dtype: str, what: str) -> np.ndarray[Any, Any]:
    """Numbers and lists of numbers in the type of the program, if that can hold them."""
    found = np.asarray(value)
    wanted = ml_dtype("bfloat16") if dtype == "bf16" else np.dtype(NUMPY[dtype])
    if wanted is None:
        raise InputError(f"{what}: bf16 takes an array\nhint: install ml_dtypes, or pass the bits as uint16")
    if found.dtype.kind not in "biuf":
        raise InputError(f"{what}: `{type(value).__name__}` is no tensor of numbers")
    if found.size == 0 or found.dtype == wanted:
        return found.astype(wanted)
    with np.errstate(all="ignore"):
        made = found.astype(wanted)
    is_float = wanted.kind == "f" or dtype == "bf16"
    # Floats are rounded; an integer or a truth value must be the same number.
    if not (is_float or (found.dtype.kind != "f" or np.isfinite(found).all()) and bool((made == found).all())):
        raise InputError(f"{what}: the program takes `{dtype}`, which cannot hold all of these numbers")
    return made


def split(strings: Any) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """A tensor of strings as programs take it: the end of each, and the bytes of all."""
    found = np.asarray(strings, dtype=object)
    encoded = [s if isinstance(s, bytes) else str(s).encode() for s in found.ravel()]
    ends = np.cumsum([len(s) for s in encoded], dtype=np.int64).reshape(found.shape)
    return ends, np.frombuffer(b"".join(encoded), np.uint8)


def joined(ends: np.ndarray[Any, Any], data: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """A tensor of strings that a program returned."""
    raw, start, found = data.tobytes(), 0, []
    for end in ends.ravel().tolist():
        found.append(raw[start:end].decode())
        start = end
    made: np.ndarray[Any, Any] = np.empty(len(found), dtype=object)
    made[:] = found
    shaped: np.ndarray[Any, Any] = made.reshape(ends.shape)
    return shaped


def aligned(shape: tuple[int, ...] | list[int], dtype: str) -> np.ndarray[Any, Any]:
    """An array of zeros that programs read without a copy."""
    return array(empty(list(shape), dtype))
