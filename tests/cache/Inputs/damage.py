"""Changes the content of each entry of a cache: `damage.py FILE bytes`."""

import sqlite3
import sys

file = sqlite3.connect(sys.argv[1])
for key, content in file.execute("SELECT key, content FROM entry").fetchall():
    changed = bytearray(content)
    changed[len(changed) // 2] ^= 1
    file.execute("UPDATE entry SET content = ? WHERE key = ?", (bytes(changed), key))
file.commit()
