"""The models: entries by library."""

from . import diffusion, language, modules, shipped, textbooks, vision, volumes
from .entry import Entry  # noqa: F401

ENTRIES = [
    *modules.ENTRIES,
    *vision.ENTRIES,
    *language.ENTRIES,
    *diffusion.ENTRIES,
    *shipped.ENTRIES,
    *textbooks.ENTRIES,
    *volumes.ENTRIES,
]
