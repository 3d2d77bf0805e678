# RUN: rm -rf %t && mkdir -p %t && %python %s %S %t
# REQUIRES: numpy, x86
"""Files of each kind with bytes flipped, cut out, repeated or missing at the end: refused in words, or what they are.

Whatever is accepted can be linked, or the linker says why not.
"""

import os
import random
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

HERE, FOLDER = sys.argv[1:]
CASES = 10
SOURCE = "void triple(const float *x, float *o, const void *w) { for (int i = 0; i < 8; ++i) o[i] = 5 * x[i]; }\n"


def run(*command):
    return subprocess.run(command, capture_output=True, cwd=FOLDER, timeout=120, check=False)


def damaged(data, numbers):
    data = bytearray(data)
    at = numbers.randrange(len(data))
    how = numbers.randrange(4)
    if how == 0:
        for _ in range(numbers.randint(1, 8)):
            data[numbers.randrange(len(data))] = numbers.randrange(256)
    elif how == 1:
        del data[at:]
    elif how == 2:
        del data[at : at + numbers.randint(1, 60)]
    else:
        data[at:at] = data[numbers.randrange(len(data)) :][: numbers.randint(1, 40)]
    return bytes(data)


def case(numbered):
    number, (name, program) = numbered
    numbers = random.Random(number)
    with open(os.path.join(FOLDER, name), "rb") as f:
        data = damaged(f.read(), numbers)
    file = f"{number}.bin"
    with open(os.path.join(FOLDER, file), "wb") as f:
        f.write(data)
    done = run("hal-substitute", program, f"scale={file}", "-o", f"{number}.mlir")
    said = done.stderr.decode(errors="replace")
    if done.returncode not in (0, 1) or "this is a bug" in said or (done.returncode and "error" not in said):
        return name, f"{file}: exit code {done.returncode}: {said[:500]}"
    if done.returncode == 0 and program == "o.mlir":
        linked = run("hal-link", f"{number}.mlir", "-o", f"{number}.so")
        if linked.returncode not in (0, 1, 4):
            return (
                name,
                f"{file}: hal-link: exit code {linked.returncode}: {linked.stderr.decode(errors='replace')[:500]}",
            )
    os.remove(os.path.join(FOLDER, file))
    return name, "accepted" if done.returncode == 0 else "refused"


def main():
    with open(os.path.join(FOLDER, "k.c"), "w", encoding="utf-8") as f:
        f.write(SOURCE)
    clang = ["clang", "-O2", "-fPIC", "k.c"]
    for command in [
        [
            "hal-translate",
            os.path.join(HERE, "Inputs/program.mlir"),
            "--target=cpu:x86-64@x86_64-linux-gnu",
            "-o",
            "o.mlir",
        ],
        [*clang, "-g", "-c", "-o", "k.o"],
        [*clang, "-S", "-o", "k.s"],
        [*clang, "-S", "-emit-llvm", "-o", "k.ll"],
        [*clang, "-c", "-emit-llvm", "-o", "k.bc"],
        [*clang, "-g", "-shared", "-o", "k.so"],
        ["llvm-ar", "rc", "k.a", "k.o"],
        ["hal-opt", os.path.join(HERE, "Inputs/program.mlir"), "-o", "p.mlir"],
        ["hal-opt", os.path.join(HERE, "Inputs/triple.mlir"), "-o", "k.mlir"],
        ["hal-opt", "k.mlir", "--emit=bytecode", "-o", "k.mlirbc"],
    ]:
        done = run(*command)
        assert done.returncode == 0, (command, done.stderr.decode())
    files = [(f"k.{kind}", "o.mlir") for kind in ["o", "s", "ll", "bc", "so", "a"]]
    files += [("k.mlir", "p.mlir"), ("k.mlirbc", "p.mlir")]
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(case, enumerate(files * CASES)))
    counts = Counter(results)
    for name, _ in files:
        print(f"{name:10}{counts[name, 'accepted']:4} accepted{counts[name, 'refused']:4} refused")
    wrong = [what for _, what in results if what not in ("accepted", "refused")]
    print("\n".join(wrong))
    sys.exit(bool(wrong))


main()
