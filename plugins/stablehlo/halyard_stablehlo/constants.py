"""Constants whose elements the bindings do not read: complex numbers and small floats."""

import re

import ml_dtypes
import numpy as np

from .build import array, dim, ir, one, shaped, splat, tensor

SMALL = {
    "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E4M3": ml_dtypes.float8_e4m3,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
    "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz,
    "f8E4M3B11FNUZ": ml_dtypes.float8_e4m3b11fnuz,
    "f8E3M4": ml_dtypes.float8_e3m4,
    "f8E8M0FNU": ml_dtypes.float8_e8m0fnu,
}
TYPES = {"complex<f32>": np.complex64, "complex<f64>": np.complex128, **SMALL}
PAIR = re.compile(r"\(([^,()]+),([^,()]+)\)")
WORD = re.compile(r"0x[0-9A-Fa-f]+|[-+]?[0-9][-+.0-9eE]*")


def read(op):
    """The elements of a `stablehlo.constant` as an array of numpy."""
    t = shaped(op.results[0])
    dtype = np.dtype(TYPES[str(t.element_type)])
    asm = op.get_asm(enable_debug_info=False)
    start = asm.index("dense<") + len("dense<")
    literal = asm[start : asm.rindex("> : tensor")]
    if literal.startswith('"'):
        found = np.frombuffer(bytes.fromhex(literal.strip('"')[2:]), dtype)
    elif dtype.kind == "c":
        parts = np.dtype(f"f{dtype.itemsize // 2}")
        found = np.array([complex(number(a, parts), number(b, parts)) for a, b in PAIR.findall(literal)], dtype)
    else:
        found = np.array([number(w, dtype) for w in WORD.findall(literal)], np.float64).astype(dtype)
    sizes = list(t.shape)
    return np.broadcast_to(found if found.size == int(np.prod(sizes)) else found[:1], [int(np.prod(sizes))]).reshape(
        sizes
    )


def number(word, dtype):
    """A number as MLIR writes it: digits, or the bits of it."""
    word = word.strip()
    if not word.startswith("0x"):
        return float(word)
    unsigned = np.array([int(word, 16)], np.dtype(f"u{dtype.itemsize}"))
    return float(unsigned.view(dtype)[0])


def dense(values, t):
    """A constant with the elements of an array, of an element type that numpy knows."""
    values = np.array(values, {"f32": np.float32, "f64": np.float64}.get(str(t)), order="C")
    kind = tensor(values.shape, t)
    if values.size and (values == values.flat[0]).all() and not np.signbit(values).any():
        return splat(kind, float(values.flat[0]))
    attr = ir.DenseElementsAttr.get(values, type=t, shape=list(values.shape))
    return one("stablehlo.constant", kind, attrs={"value": attr})


def like(x, value):
    """A constant with one number everywhere, of the type and the sizes of a tensor."""
    t = shaped(x)
    if t.has_static_shape:
        return splat(t, value)
    sizes = one("tensor.from_elements", tensor([t.rank], ir.IndexType.get()), [dim(x, d) for d in range(t.rank)])
    attrs = {
        "broadcast_dimensions": array([]),
        "known_expanding_dimensions": array([]),
        "known_nonexpanding_dimensions": array([]),
    }
    return one("stablehlo.dynamic_broadcast_in_dim", t, [splat(tensor([], t.element_type), value), sizes], attrs)
