# RUN: %python %s %S/Inputs/mlp.mlir
"""Bytecode that ends early or has flipped bytes: an error or a correct reading, never a crash."""

import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor


def run(command, data):
    return subprocess.run(command, input=data, capture_output=True, check=False)


def varint(data, at):
    """A number of MLIR's bytecode, whose trailing zeros say how many bytes follow, and the place behind it."""
    if data[at] == 0:
        return int.from_bytes(data[at + 1 : at + 9], "little"), at + 9
    more = (data[at] & -data[at]).bit_length() - 1
    return int.from_bytes(data[at : at + more + 1], "little") >> (more + 1), at + more + 1


def section(data, wanted):
    """The place of a section (https://mlir.llvm.org/docs/BytecodeFormat)."""
    at = data.index(b"\0", varint(data, 4)[1]) + 1
    while True:
        kind, (length, at) = data[at], varint(data, at + 1)
        if kind & 0x80:
            alignment, at = varint(data, at)
            at += -at % alignment
        if kind & 0x7F == wanted:
            return range(at, at + length)
        at += length


RESOURCE_OFFSETS = 6

with open(sys.argv[1], "rb") as f:
    program = run(["hal-import", "--emit=bytecode"], f.read()).stdout
objects = run(["hal-translate", "--emit=bytecode"], program).stdout
assert program and objects
jobs = []
for tool, data in (("hal-translate", program), ("hal-link", objects), ("hal-opt", program), ("hal-import", program)):
    command = [tool, "-o", "/dev/null"]
    for cut in [1, 3, 4, 5, 8, 16, 64, *(len(data) * k // 12 for k in range(1, 12)), len(data) - 1]:
        jobs.append((command, f"cut at {cut} of {len(data)}", data[:cut], True))
rng = random.Random(3)
for tool, data in (("hal-opt", program), ("hal-link", objects)):
    for _ in range(24):
        at = rng.randrange(len(data))
        flipped = bytearray(data)
        flipped[at] ^= 1 << rng.randrange(8)
        jobs.append(([tool, "-o", "/dev/null"], f"bit flipped at {at}", bytes(flipped), False))
# MLIR throws an exception at a kind of resource that it does not know.
kinds = section(objects, RESOURCE_OFFSETS)
assert kinds, "the objects are resources"
for at in kinds:
    for bit in range(8):
        flipped = bytearray(objects)
        flipped[at] ^= 1 << bit
        jobs.append((["hal-link", "-o", "/dev/null"], f"bit {bit} flipped at {at}", bytes(flipped), False))


def check(job):
    command, what, data, must_fail = job
    done = run(command, data)
    # A flipped bit in a weight or a name is none of a reader's business; a crash is. In an object it is ld.lld that notices (4).
    refused = done.returncode == 1 or done.returncode == 4 and command[0] == "hal-link" and not must_fail
    fine = refused and b"error" in done.stderr or done.returncode == 0 and not must_fail
    return (
        None
        if fine
        else f"{command[0]}, {what}: exit code {done.returncode}: {done.stderr.decode(errors='replace')[:300]}"
    )


with ThreadPoolExecutor(2) as pool:
    wrong = [w for w in pool.map(check, jobs) if w]
print("\n".join(wrong) or f"{len(jobs)} refused or read")
sys.exit(bool(wrong))
