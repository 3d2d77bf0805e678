"""The models: entries by library."""

from . import diffusion, language, modules, shipped, vision
from .entry import Entry  # noqa: F401

ENTRIES = [*modules.ENTRIES, *vision.ENTRIES, *language.ENTRIES, *diffusion.ENTRIES, *shipped.ENTRIES]
