"""Runs translations at once that share a folder and the store in HALYARD_CACHE_REMOTE: `crowd.py PROGRAM REFERENCE N [KILLED]`.

All of them give the bytes of REFERENCE, but for KILLED of them, which are killed at random moments. What the store has then is
sound: a translation with an empty folder takes from it without a complaint, and its bytes are the same.
"""

import pathlib
import random
import shutil
import subprocess
import sys
import time

program, reference, count, killed = (
    sys.argv[1],
    pathlib.Path(sys.argv[2]).read_bytes(),
    int(sys.argv[3]),
    [*sys.argv[4:], 0][0],
)
rng = random.Random(11)
# Folders of an earlier store.
for kept in ["killed*", "alone*", "together", "last"]:
    for folder in pathlib.Path().glob(kept):
        shutil.rmtree(folder, ignore_errors=True)
command = ["hal-translate", program, "-j1"]
start = time.monotonic()
subprocess.run([*command, "--cache=off", "-o", "alone"], check=True)
most = time.monotonic() - start
for i in range(int(killed)):
    # Each with a folder of its own, so that it adds to the store.
    process = subprocess.Popen([*command, f"--cache=killed{i}", "-o", "killed"], stderr=subprocess.DEVNULL)
    time.sleep(most * (0.3 + 1.5 * rng.random()))
    process.kill()
    process.wait()
own = [["--cache=together"], ["--cache=alone{}"]]
crowd = [
    subprocess.Popen([*command, own[i % 2][0].format(i), "-o", f"out{i}"], stderr=subprocess.PIPE) for i in range(count)
]
for i, process in enumerate(crowd):
    _, said = process.communicate()
    assert process.returncode == 0 and not said, said
    assert pathlib.Path(f"out{i}").read_bytes() == reference, i
done = subprocess.run([*command, "--cache=last", "-o", "out", "--time"], check=True, capture_output=True, text=True)
assert "warning" not in done.stderr, done.stderr
assert pathlib.Path("out").read_bytes() == reference
print(f"{count} at once, {killed} killed; then {done.stderr.count('from the cache')} executables from the store")
