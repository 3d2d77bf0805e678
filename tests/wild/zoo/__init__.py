"""The models: entries by library."""

from .entry import Entry  # noqa: F401
from . import diffusion, language, modules, shipped, vision

ENTRIES = [*modules.ENTRIES, *vision.ENTRIES, *language.ENTRIES, *diffusion.ENTRIES, *shipped.ENTRIES]
