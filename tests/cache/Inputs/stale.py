"""Changes the files of a folder store as a network file system shows them while others write: `stale.py FOLDER`.

One file each: empty, cut, that of another entry, one that leads nowhere, a folder in its place; the others stay.
"""

import pathlib
import sys

files = sorted(f for f in pathlib.Path(sys.argv[1]).glob("??/*") if f.is_file())
empty, cut, other, gone, folder, *rest = files
assert rest, "some must stay"
empty.write_bytes(b"")
cut.write_bytes(cut.read_bytes()[:4096][:-100])
other.write_bytes(rest[0].read_bytes())
gone.unlink()
gone.symlink_to("nowhere")
folder.unlink()
folder.mkdir()
