"""Temporary folders."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from pathlib import Path


class Folder:
    """A folder that is removed with this object. Programs keep the one that they were compiled to."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="halyard-"))
        weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)
