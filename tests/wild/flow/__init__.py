"""What TensorFlow's users convert: entries by kind."""

from . import applications, arrays, control, images, layers, recurrent
from .entry import Entry, Input  # noqa: F401

ENTRIES = [
    *applications.ENTRIES,
    *layers.ENTRIES,
    *recurrent.ENTRIES,
    *arrays.ENTRIES,
    *images.ENTRIES,
    *control.ENTRIES,
]
