"""Results of tools on inputs, kept from run to run: a tool with the same bytes gives the same bytes."""

import hashlib
import json
import os
import shutil
import tempfile

# To be raised when results have another form.
FORM = 1
# Results of as many tools are kept: each build of the tree is another one.
KEPT = 12


class Cache:
    """Files in WORK/results-FORM/TOOL/KEY, where TOOL is the hash of a tool and KEY that of what it was given."""

    def __init__(self, work):
        self.top = os.path.join(work, f"results-{FORM}")
        # Removed at exit.
        self.kept = tempfile.TemporaryDirectory(dir=work, prefix="scratch-")
        self.scratch = self.kept.name
        os.makedirs(self.top, exist_ok=True)
        folders = sorted((os.path.join(self.top, n) for n in os.listdir(self.top)), key=os.path.getmtime, reverse=True)
        for old in folders[KEPT:]:
            shutil.rmtree(old)

    def folder(self):
        """An empty folder that lasts as long as the run."""
        return tempfile.mkdtemp(dir=self.scratch)

    def get(self, tool, words, data, make):
        """What `make()` gives, a value for JSON, for a tool, command line and input (bytes); from the cache if it is there."""
        key = hashlib.sha256("\0".join(words).encode() + b"\0\0" + data).hexdigest()[:32]
        folder = os.path.join(self.top, tool)
        path = os.path.join(folder, key)
        try:
            with open(path, encoding="utf-8") as f:
                return json.load(f)
        except (OSError, ValueError):
            value = make()
        os.makedirs(folder, exist_ok=True)
        os.utime(folder)
        handle, new = tempfile.mkstemp(dir=self.scratch)
        with os.fdopen(handle, "w", encoding="utf-8") as f:
            json.dump(value, f)
        os.replace(new, path)
        return value
