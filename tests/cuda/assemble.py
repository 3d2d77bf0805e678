#!/usr/bin/env python3
"""Translates programs for CUDA and lets ptxas assemble every kernel: `assemble.py --ptxas=FILE PROGRAM…`.

A program is what `hal-import` reads or made (phase `executables`), or a family of `tests/numerics` (FAMILY.py), whose cases are
taken together. For each chip it says how many kernels there are, the most registers and shared memory that one takes, and
which ones spill; --table tells all of that of each kernel. Exit code 1 if ptxas refuses one, or, with --no-spills, if one
spills. All that there is: `assemble.py --no-spills ../numerics/*.py MODEL.onnx…`, some minutes.
"""

import argparse
import glob
import importlib
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

# What are no families of cases.
OTHERS = {"harness", "text", "random_graphs", "random_shapes"}
GROUP = 24


def family(path):
    """The texts of a family's cases, some at a time."""
    folder, name = os.path.split(os.path.abspath(path))
    sys.path.insert(0, folder)
    harness = importlib.import_module("harness")
    name = os.path.splitext(name)[0]
    cases = [] if name in OTHERS else list(getattr(importlib.import_module(name), "CASES", None) or [])
    return [harness.module(cases[i : i + GROUP]).encode() for i in range(0, len(cases), GROUP)]


def translate(program, data, chip, folder, flags):
    """The PTX files of all executables, and the bytes of shared memory that launches give to kernels."""
    if program.endswith((".mlirbc", ".ex.mlir")):
        with open(program, "rb") as f:
            data = f.read()
    else:
        command = ["hal-import", "--emit=bytecode", f"--weights-to={folder}/weights.safetensors"]
        data = subprocess.run(
            command + ([] if data else [program]), input=data, stdout=subprocess.PIPE, check=True
        ).stdout
    command = ["hal-translate", f"--target=cuda:{chip}", f"--save-code={folder}", "--emit=text", *flags]
    text = subprocess.run(command, input=data, stdout=subprocess.PIPE, check=True).stdout.decode(errors="replace")
    given = re.findall(r"func\.func private @([\w$]+)\(.*hal\.shared_memory = (\d+)", text)
    return sorted(glob.glob(os.path.join(folder, "*.ptx"))), {name: int(n) for name, n in given}


def assemble(ptxas, chip, path):
    """What ptxas says of a file: (path, exit code, its messages)."""
    command = [ptxas, "-v", f"-arch={chip}", path, "-o", os.devnull]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return path, done.returncode, done.stderr + done.stdout


def kernels_of(said, given):
    """Name, registers, bytes that spill, bytes of shared memory of each kernel that ptxas talks about."""
    for part in said.split("Compiling entry function '")[1:]:
        name = part[: part.index("'")]
        number = lambda pattern: sum(map(int, re.findall(pattern, part)))  # noqa: B023, E731
        spilled = number(r"(\d+) bytes spill")
        yield name, number(r"Used (\d+) registers"), spilled, number(r"(\d+) bytes smem") + given.get(name, 0)


def check(a, program, data, chip):
    """Assembles the kernels of a program; (what is wrong, kernels)."""
    with tempfile.TemporaryDirectory(prefix="hal-ptxas-") as folder:
        files, given = translate(program, data, chip, folder, a.flag)
        with ThreadPoolExecutor(a.jobs) as pool:
            results = list(pool.map(lambda f: assemble(a.ptxas, chip, f), files))
    refused, kernels = [], []
    for path, code, said in results:
        if code:
            refused.append(f"REFUSED {os.path.basename(path)}: {said.strip()[:400]}")
        kernels.extend(kernels_of(said, given))
    return refused, kernels


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    p.add_argument("programs", nargs="+")
    p.add_argument("--ptxas", default="ptxas")
    p.add_argument("--chips", default="sm_80,sm_90")
    p.add_argument("--no-spills", action="store_true")
    p.add_argument("--table", action="store_true", help="a line for each kernel")
    p.add_argument(
        "--flag", action="append", default=[], help="for hal-translate, repeatable, as in --flag=--fast-math=tf32"
    )
    p.add_argument("-j", "--jobs", type=int, default=2)
    a = p.parse_args()
    failed = False
    for program in a.programs:
        texts = family(program) if program.endswith(".py") else [None]
        for chip in a.chips.split(",") if texts else []:
            refused, kernels = [], []
            for text in texts:
                more = check(a, program, text, chip)
                refused, kernels = refused + more[0], kernels + more[1]
            registers, shared = (max([0, *(k[n] for k in kernels)]) for n in (1, 3))
            spilled = [k for k in kernels if k[2]]
            failed |= not kernels or bool(refused) or (a.no_spills and bool(spilled))
            print(
                f"{os.path.basename(program)} {chip}: {len(kernels)} kernels, up to {registers} registers, {shared} bytes shared"
            )
            for line in refused:
                print(line)
            for name, uses, spills, bytes_ in kernels if a.table else spilled:
                print(
                    f"  {name}: {uses} registers, {bytes_} bytes shared, "
                    + (f"spills: {spills} bytes" if spills else "no spills"),
                    flush=True,
                )
    sys.exit(failed)


if __name__ == "__main__":
    main()
