"""Kills translations that share a cache at random moments; whatever is in it afterwards is sound: `kills.py PROGRAM CACHE`."""

import random
import subprocess
import sys
import time

program, cache = sys.argv[1:]
command = ["hal-translate", program, f"--cache={cache}", "-o", "out"]
start = time.monotonic()
subprocess.run(command, check=True)
most = time.monotonic() - start
rng = random.Random(7)
for _ in range(12):
    subprocess.run(["hal-cache", "prune", "--all", f"--cache={cache}"], check=True, stdout=subprocess.DEVNULL)
    both = [subprocess.Popen(command, stderr=subprocess.DEVNULL) for _ in range(2)]
    # Late, for the most part: then entries are written.
    time.sleep(most * (0.3 + rng.random()))
    for process in both:
        process.kill()
        process.wait()
    subprocess.run(["hal-cache", "verify", f"--cache={cache}"], check=True, stdout=subprocess.DEVNULL)
