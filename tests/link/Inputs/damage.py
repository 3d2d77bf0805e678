"""damage.py PROGRAM ARGUMENTS...: runs copies of a linked program with bytes changed or missing; all must be refused."""

import subprocess
import sys

program, arguments = sys.argv[1], sys.argv[2:]
data = open(program, "rb").read()
damaged = program + ".damaged.so"
step = max(1, len(data) // 150)
copies = [(f"cut at {n}", data[:n]) for n in range(0, len(data), step * 3)]
for at in range(0, len(data), step):
    copies.append((f"byte {at}", data[:at] + bytes([data[at] ^ 0x41]) + data[at + 1 :]))
failed = 0
for what, content in copies:
    with open(damaged, "wb") as file:
        file.write(content)
    run = subprocess.run(["hal-run", damaged, *arguments], capture_output=True, text=True)
    if run.returncode != 1 or "error" not in run.stderr:
        print(f"{what}: exit status {run.returncode}\n{run.stderr}")
        failed += 1
sys.exit(1 if failed else 0)
