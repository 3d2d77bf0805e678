"""Halyard: compiled machine-learning programs.

>>> import halyard, numpy
>>> program = halyard.compile('''
... func.func @main(%x: tensor<?xf32> {hal.name = "x"}) -> tensor<?xf32> {
...   %y = math.absf %x : tensor<?xf32>
...   return %y : tensor<?xf32>
... }
... ''')
>>> program(numpy.float32([-1, 2, -3]))
array([1., 2., 3.], dtype=float32)
"""

from ._convert import aligned as empty
from ._native import Tensor, report_crashes
from ._native import devices as _devices
from .compiler import compile
from .errors import ArgumentError, Error, HalyardWarning, InputError, ResourceError, ToolError, UsageError
from .program import Dispatch, Function, Program, Session, TensorInfo, load


def devices() -> dict[str, str]:
    """The devices of this machine that programs can run on, with their titles."""
    return {name: title for name, title, _ in _devices()}


__all__ = ["ArgumentError", "Dispatch", "Error", "Function", "HalyardWarning", "InputError", "Program"]
__all__ += ["ResourceError", "Session", "Tensor", "TensorInfo", "ToolError", "UsageError"]
__all__ += ["compile", "devices", "empty", "load", "report_crashes"]
