# RUN: rm -rf %t && mkdir -p %t && %python %s %S/Inputs/mlp.mlir %t
"""A linked program that is cut short or has flipped bytes is refused with exit code 1; nothing crashes, nothing wrong is printed."""

import os
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

source, folder = sys.argv[1:]
program = os.path.join(folder, "mlp.so")
subprocess.run(["hal-compile", source, "-o", program], check=True)
with open(program, "rb") as f:
    data = f.read()
beside = [n for n in os.listdir(folder) if n != "mlp.so"]
INPUTS = ["--function=main", "--input=random:1", "--input=random:2"]
right = subprocess.run(["hal-run", program, *INPUTS], capture_output=True, check=True).stdout

rng, variants = random.Random(5), [(f"cut at {n}", data[:n]) for n in (0, 1, 16, 63, 64, len(data) // 2, len(data) - 1)]
for at in [*range(0, 64, 3), *(rng.randrange(len(data)) for _ in range(60))]:
    damaged = bytearray(data)
    damaged[at] ^= 1 << rng.randrange(8)
    variants.append((f"bit flipped at {at}", bytes(damaged)))
for at in range(0, len(data), max(1, len(data) // 20)):
    variants.append((f"64 bytes of noise at {at}", data[:at] + rng.randbytes(64) + data[at + 64 :]))


def check(numbered):
    i, (what, content) = numbered
    place = os.path.join(folder, str(i))
    os.makedirs(place)
    for name in beside:
        os.symlink(os.path.join(folder, name), os.path.join(place, name))
    path = os.path.join(place, "mlp.so")
    with open(path, "wb") as f:
        f.write(content)
    done = subprocess.run(["hal-run", path, *INPUTS], capture_output=True, check=False)
    # A flip that touches nothing that is read, such as padding, may go unnoticed if the answer is right.
    fine = done.returncode == 1 and b"error" in done.stderr or done.returncode == 0 and done.stdout == right
    return None if fine else f"{what}: exit code {done.returncode}: {done.stderr.decode(errors='replace')[:200]}"


with ThreadPoolExecutor(2) as pool:
    wrong = [w for w in pool.map(check, enumerate(variants)) if w]
print("\n".join(wrong) or f"{len(variants)} damaged programs refused")
sys.exit(bool(wrong))
