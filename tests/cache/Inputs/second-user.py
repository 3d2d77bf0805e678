"""Translates a program as two users who share the store in HALYARD_CACHE_REMOTE: `second-user.py PROGRAM REFERENCE`.

The second one has an empty folder, takes everything from the store, and has the bytes of REFERENCE, which was made without a cache.
"""

import json
import pathlib
import shutil
import subprocess
import sys

program, reference = sys.argv[1:]
made = []
for user in ["first", "second"]:
    shutil.rmtree(user, ignore_errors=True)
    command = ["hal-translate", program, f"--cache={user}", "-o", f"{user}.out", "--time-json=times.json"]
    said = subprocess.run(command, check=True, capture_output=True, text=True)
    assert said.stderr == "", said.stderr
    assert pathlib.Path(f"{user}.out").read_bytes() == pathlib.Path(reference).read_bytes()
    made.append([e["cached"] for e in json.loads(pathlib.Path("times.json").read_text())["executables"]])
assert not any(made[0]), made
assert all(made[1]), made
# What came from the store is now in the folder, too.
subprocess.run([*command, "--cache-remote=off"], check=True)
assert all(e["cached"] for e in json.loads(pathlib.Path("times.json").read_text())["executables"])
print(f"{len(made[1])} of {len(made[1])} executables from the store")
