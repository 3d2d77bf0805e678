#!/usr/bin/env python3
"""Translates programs for CUDA and lets ptxas assemble every kernel: `assemble.py --ptxas=FILE PROGRAM…`.

A program is what `hal-import` reads or made (phase `executables`). For each chip it says how many kernels there are, the most
registers and shared memory that one takes, and which ones spill; exit code 1 if ptxas refuses one, or, with --no-spills, if
one spills.
"""

import argparse
import glob
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor


def translate(program, chip, folder):
    """The PTX files of all executables."""
    data = None
    if not program.endswith((".mlirbc", ".ex.mlir")):
        data = subprocess.run(["hal-import", "--emit=bytecode", program], stdout=subprocess.PIPE, check=True).stdout
    command = ["hal-translate", f"--target=cuda:{chip}", f"--save-code={folder}", "--emit=bytecode", "-o", os.devnull]
    subprocess.run(command + ([program] if data is None else []), input=data, check=True)
    return sorted(glob.glob(os.path.join(folder, "*.ptx")))


def assemble(ptxas, chip, path):
    """What ptxas says of a file: (path, exit code, its messages)."""
    command = [ptxas, "-v", f"-arch={chip}", path, "-o", os.devnull]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return path, done.returncode, done.stderr + done.stdout


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    p.add_argument("programs", nargs="+")
    p.add_argument("--ptxas", default="ptxas")
    p.add_argument("--chips", default="sm_80,sm_90")
    p.add_argument("--no-spills", action="store_true")
    p.add_argument("-j", "--jobs", type=int, default=2)
    a = p.parse_args()
    failed = False
    for program in a.programs:
        for chip in a.chips.split(","):
            with tempfile.TemporaryDirectory(prefix="hal-ptxas-") as folder:
                files = translate(program, chip, folder)
                with ThreadPoolExecutor(a.jobs) as pool:
                    results = list(pool.map(lambda f: assemble(a.ptxas, chip, f), files))
            kernels = registers = shared = 0
            spills = []
            for path, code, said in results:
                name = os.path.basename(path)
                if code:
                    failed = True
                    print(f"REFUSED {name}: {said.strip()[:400]}")
                kernels += said.count("Compiling entry function")
                registers = max([registers, *map(int, re.findall(r"Used (\d+) registers", said))])
                shared = max([shared, *map(int, re.findall(r"(\d+) bytes smem", said))])
                if any(int(n) for n in re.findall(r"(\d+) bytes spill", said)):
                    spills.append(name)
            failed |= not kernels or (a.no_spills and bool(spills))
            print(f"{os.path.basename(program)} {chip}: {kernels} kernels, up to {registers} registers, {shared} bytes shared")
            for name in spills:
                print(f"  spills: {name}")
    sys.exit(failed)


if __name__ == "__main__":
    main()
