# RUN: rm -rf %t && mkdir -p %t && %python %s %S/../pipelines/Inputs/mlp.mlir %t
# REQUIRES: numpy
"""Every tool, fed with what every other tool writes, and with programs whose stamp is missing or false.

Each cell of the table is either `right` (the result, carried on to a linked program, computes what the model computes) or
`refused` (exit code 1, a clear error, no output). Nothing else is allowed, a wrong answer least of all.
"""

import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np

SOURCE, FOLDER = sys.argv[1:]
INPUTS = ["--function=main", "--input=random:1", "--input=random:2"]


def run(command, data=None, folder=FOLDER):
    return subprocess.run(command, input=data, capture_output=True, cwd=folder, check=False)


def good(command, data=None):
    done = run(command, data)
    assert done.returncode == 0, (command, done.stderr.decode())
    return done.stdout


def read(name):
    with open(os.path.join(FOLDER, name), "rb") as f:
        return f.read()


def stamped(program, phase):
    """The program with another stamp, or none."""
    new = b'hal.phase = "%s"' % phase.encode() if phase else b"hal.was = 0 : i32"
    out, count = re.subn(rb'hal\.phase = "[a-z]+"', new, program, count=1)
    assert count == 1
    return out


def inputs():
    """What the tools are fed with, by name."""
    with open(SOURCE, "rb") as f:
        model = f.read()
    found = {"model": model}
    found["input"] = good(["hal-import", "--to=input", "--weights-to=embed"], model)
    found["executables"] = good(["hal-import", "--weights-to=embed"], model)
    found["objects"] = good(["hal-translate"], found["executables"])
    good(["hal-link", "-o", "p.so"], found["objects"])
    found["linked"] = read("p.so")
    good(["hal-extract", "--to=files", "--as=mlir,c,obj"], found["objects"])
    names = sorted(n for n in os.listdir(os.path.join(FOLDER, "files")) if not n.startswith("."))
    for what, suffix in [("executable", ".mlir"), ("c", ".c"), ("object", ".o")]:
        found[what] = read(os.path.join("files", next(n for n in names if n.endswith(suffix))))
    found["llvm"] = good(["hal-translate", "--emit=llvm"], found["executable"])
    good(["hal-run", "p.so", *INPUTS, "--output=@y.npy"])
    found["array"] = read("y.npy")
    for phase in ["input", "executables", "objects"]:
        found[f"{phase} unstamped"] = stamped(found[phase], None)
        for other in {"input", "executables", "objects", "linked"} - {phase}:
            found[f"{phase} stamped {other}"] = stamped(found[phase], other)
        found[f"{phase} version 2"] = found[phase].replace(b"hal.version = 1 :", b"hal.version = 2 :")
    found["nothing"] = b""
    found["blank"] = b" \n"
    found["text"] = b"this is no MLIR\n"
    found["zeros"] = bytes(4096)
    found["half"] = found["executables"][: len(found["executables"]) // 2]
    found["twice"] = found["executables"] + found["executables"]
    return found


TOOLS = {
    "hal-import": ["hal-import", "--weights-to=embed", "IN", "-o", "OUT"],
    "hal-opt": ["hal-opt", "IN", "-o", "OUT"],
    "hal-translate": ["hal-translate", "IN", "-o", "OUT"],
    "hal-substitute": ["hal-substitute", "IN", "--from=nothing-here", "--allow-unmatched", "-o", "OUT"],
    "hal-extract": ["hal-extract", "IN", "--to=extracted", "-o", "OUT"],
    "hal-link": ["hal-link", "IN", "-o", "OUT"],
    "hal-compile": ["hal-compile", "IN", "-o", "OUT"],
    "hal-run": ["hal-run", "IN", *INPUTS],
    "hal-benchmark": ["hal-benchmark", "IN", *INPUTS, "--min-time=0", "--runs=1", "--warmup=0"],
}
# Where the right order of the tools is. Elsewhere a tool may take what it is given only if the result is right.
RIGHT = {
    "hal-import": {"model", "input"},
    "hal-opt": {"model", "input", "executables", "objects", "executable"},
    "hal-translate": {"executables", "executable"},
    "hal-substitute": {"executables", "objects"},
    "hal-extract": {"executables", "objects"},
    "hal-link": {"objects"},
    "hal-compile": {"model", "input", "executables", "objects"},
    "hal-run": {"linked"},
    "hal-benchmark": {"linked"},
}
# A refusal of these says which tool has to come before, or has been run already.
NAMES_THE_TOOL = {"model", "input", "executables", "objects"}
# What cannot be carried on to the program that it is of: a single executable. What becomes of it is still well-formed.
ALONE = {"executable"}


def cell(place, tool, name, data, want):
    """`right`, `refused`, or what is wrong."""
    os.makedirs(os.path.join(place, "nothing-here"))
    for archive in [n for n in os.listdir(FOLDER) if n.endswith(".safetensors")]:
        os.symlink(os.path.join(FOLDER, archive), os.path.join(place, archive))
    with open(os.path.join(place, "in"), "wb") as f:
        f.write(data)
    output = "out.so" if tool in ("hal-link", "hal-compile") else "out.mlir"
    done = run([{"IN": "in", "OUT": output}.get(word, word) for word in TOOLS[tool]], None, place)
    error = done.stderr.decode(errors="replace")
    left = os.path.exists(os.path.join(place, output))
    if done.returncode == 1:
        if name in RIGHT[tool]:
            return f"refused, but it is right: {error}"
        if not re.search(r"(?m)^error", error) or "panic" in error:
            return f"unclear: {error}"
        if name in NAMES_THE_TOOL and "hal-" not in error:
            return f"does not say which tool is missing or superfluous: {error}"
        return "left an output" if left or done.stdout else "refused"
    if done.returncode:
        return f"exit code {done.returncode}: {error}"
    if tool == "hal-benchmark":
        return "right" if name == "linked" else "measured what is no program"
    if tool == "hal-run":
        return "right" if done.stdout == want else "another answer"
    if name in ALONE:
        again = ["hal-run", output, "--list"] if tool == "hal-compile" else ["hal-opt", output]
        again = run(again, None, place)
        return (
            "right"
            if again.returncode == 0 and b"_dispatch_0" in again.stdout
            else f"accepted, then: {again.stderr.decode()}"
        )
    # Whatever was accepted has to compute what the model computes.
    if output == "out.mlir":
        carried = run(["hal-compile", "out.mlir", "-o", "out.so"], None, place)
        if carried.returncode:
            # hal-opt changes nothing, so that the next tool refuses what it passed on.
            refused = carried.returncode == 1 and re.search(r"(?m)^error", carried.stderr.decode(errors="replace"))
            return (
                "right"
                if tool == "hal-opt" and refused and name not in RIGHT[tool]
                else f"accepted, then: {carried.stderr.decode(errors='replace')}"
            )
    answer = run(["hal-run", "out.so", *INPUTS], None, place)
    if answer.returncode:
        return f"a program that does not run: {answer.stderr.decode(errors='replace')}"
    return "right" if answer.stdout == want else "another answer"


def main():
    given = inputs()
    want = good(["hal-run", "p.so", *INPUTS])
    y = np.load(os.path.join(FOLDER, "y.npy"))
    assert np.allclose(y.sum(1), 1, atol=1e-5), "softmax rows add up to one"
    jobs = [(tool, name) for name in given for tool in TOOLS]

    def work(numbered):
        i, (tool, name) = numbered
        place = os.path.join(FOLDER, "cells", str(i))
        os.makedirs(place)
        return cell(place, tool, name, given[name], want)

    with ThreadPoolExecutor(2) as pool:
        results = dict(zip(jobs, pool.map(work, enumerate(jobs))))
    width = max(map(len, given))
    print(" " * width, *(t.removeprefix("hal-").rjust(10) for t in TOOLS))
    for name in given:
        short = [results[tool, name] if results[tool, name] in ("right", "refused") else "WRONG" for tool in TOOLS]
        print(name.ljust(width), *(s.rjust(10) for s in short))
    wrong = {k: v for k, v in results.items() if v not in ("right", "refused")}
    for (tool, name), what in wrong.items():
        print(f"\n{tool} on `{name}`: {what[:600]}")
    sys.exit(bool(wrong))


main()
