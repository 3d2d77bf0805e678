"""Compiles every C file of a folder without warnings and puts all of them into a program: replace_all.py PROGRAM FOLDER OUT [COMPILER]"""

import pathlib
import subprocess
import sys

program, folder, out = sys.argv[1:4]
compilers = sys.argv[4:] or ["clang-22"]
pairs = []
for source in sorted(pathlib.Path(folder).glob("*.c")):
    made = source.with_suffix(".o")
    for compiler in reversed(compilers):
        flags = ["-O1", "-march=native", "-fPIC", "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter", f"-I{folder}"]
        subprocess.run([compiler, *flags, "-c", str(source), "-o", str(made)], check=True)
    pairs.append(f"{source.stem}={made}")
subprocess.run(["hal-substitute", "-qq", program, *pairs, "-o", out], check=True)
