"""Runs programs through the tools, many to a module, and compares with the reference."""

import os
import re
import subprocess
import sys
import traceback
from dataclasses import dataclass

import numpy as np
import values

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "numerics"))
from harness import load, save  # noqa: E402


@dataclass
class Outcome:
    """`kind` is pass, refused, wrong, crash, hang, internal or reference."""

    kind: str
    text: str = ""
    compared: int = 0


def command(words, data=None, timeout=120):
    """Exit code (or None: it hung), stdout, stderr."""
    try:
        done = subprocess.run(words, input=data, capture_output=True, timeout=timeout, check=False)
    except subprocess.TimeoutExpired:
        return None, b"", f"{words[0]} ran longer than {timeout} s"
    return done.returncode, done.stdout, done.stderr.decode(errors="replace").strip()


def failed(tool, code, message):
    """What a tool that ended with an error means: one with code 1 or 3 and a clear message refuses."""
    if code is None:
        return Outcome("hang", message)
    if code not in (1, 3) or re.search(r"panicked|internal|LLVM ERROR|does not verify|damaged|not valid", message):
        return Outcome("crash" if code not in (1, 3) else "internal", f"{tool} exit code {code}: {message}")
    return Outcome("refused", message)


def build(text, folder, target, level):
    """Compiles a module; gives the path of the program, or an outcome."""
    program, data = os.path.join(folder, "p.so"), text.encode()
    for words in (
        ["hal-import", "--emit=bytecode"],
        ["hal-translate", "--emit=bytecode", "-j1", f"--target={target}", f"-O{level}"],
        ["hal-link", "-o", program],
    ):
        code, data, message = command(words, data)
        if code != 0:
            return failed(words[0], code, message)
    return program


def check(program, path, folder, device):
    """Runs a function of a linked program."""
    try:
        want = program.expected()
    except Exception:  # noqa: BLE001
        return Outcome("reference", traceback.format_exc())
    words = ["hal-run", "-q", path, f"--function={program.name}", f"--device={device}", "--threads=1"]
    for k, array in enumerate(program.inputs()):
        save(os.path.join(folder, f"in{k}.npy"), array)
        words.append(f"--input=@{folder}/in{k}.npy")
    for k in range(len(want)):
        words.append(f"--output={folder}/out{k}.npy")
    code, _, message = command(words, timeout=60)
    if code != 0:
        outcome = failed("hal-run", code, message)
        return outcome if outcome.kind != "refused" or code == 3 else Outcome("wrong", message)
    compared = 0
    for k, array in enumerate(want):
        got = load(os.path.join(folder, f"out{k}.npy"), np.dtype(values.NUMPY[array.dtype]))
        wrong, count = values.compare(got, array)
        compared += count
        if wrong:
            return Outcome("wrong", f"result {k}: {wrong}")
    return Outcome("pass", "", compared)


def group(programs, folder, target, level):
    """Outcomes of programs that share a module, by name; where it does not compile it is halved."""
    os.makedirs(folder, exist_ok=True)
    path = build("".join(p.text() for p in programs), folder, target, level)
    if isinstance(path, Outcome):
        if len(programs) == 1:
            return {programs[0].name: path}
        half = len(programs) // 2
        found = group(programs[:half], folder, target, level)
        return {**found, **group(programs[half:], folder, target, level)}
    return {p.name: check(p, path, folder, target.split(":")[0]) for p in programs}
