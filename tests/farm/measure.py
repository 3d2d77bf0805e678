#!/usr/bin/env python3
"""Measures what `simulate.py` starts from, and prints it as JSON: seconds of CPU of the executables of the onnx wheel's light
models, and what the one machine that sends them spends.

usage: measure.py [--tools target/release] [--executables 2000] > measured.json
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, "tests", "benchmark"))
import programs  # noqa: E402


def run(*command):
    """Runs a command. Returns its seconds of CPU, with those of its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def load(path):
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def executables(models):
    """For each executable: milliseconds to translate it, bytes of its source as bytecode, bytes of its object."""
    rows = []
    for model in models:
        run("hal-import", model, "--emit=bytecode", "-o", "program")
        run("hal-extract", "program", "--to", "sources", "--as=bytecode", "--overwrite", "-o", "passed")
        run("hal-translate", "program", "-j1", "--emit=bytecode", "-o", "objects", "--time-json=times")
        for e in load("times")["executables"]:
            seconds = sum(e[step] for step in ("generate", "lower", "optimize", "codegen"))
            source = os.path.getsize(f"sources/{e['executable']}.mlirbc")
            rows.append([round(seconds * 1e3, 1), source, e["bytes"]])
    return sorted(rows)


def coordinator(count):
    """Milliseconds of CPU of the machine that sends executables; `launch` is a shell and `env`, the least launcher."""
    with open("many.mlir", "w", encoding="utf-8") as f:
        f.write("\n".join(programs.products(count)) + "\n")
    compile = ["hal-compile", "-q", "many.mlir", "-o", "many.so", "--time-json=times"]
    run(*compile, "--cache=cache", "--launcher=env", "--launcher-jobs=2")
    step = lambda: {s["step"]: s["cpu"] for s in load("times")["steps"]}
    cold = step()
    run(*compile, "--cache=cache")
    hits = step()["translating executables"]
    each = lambda seconds: round(seconds / count * 1e3, 3)
    return {
        "import": each(cold["forming executables"]),
        "send": each(cold["translating executables"]),
        "link": each(cold["linking"]),
        "hit": each(hits),
        "launch": round(sum(run("sh", "-c", 'env "$@"', "launcher", "true") for _ in range(50)) / 50 * 1e3, 2),
        "worker": round(sum(run("hal-translate", "--version") for _ in range(20)) / 20 * 1e3, 1),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", default=os.path.join(TOP, "target", "release"))
    parser.add_argument("--executables", type=int, default=2000)
    args = parser.parse_args()
    os.environ.update(HALYARD_CACHE="off", PATH=f"{os.path.abspath(args.tools)}:{os.environ['PATH']}")
    import onnx

    light = os.path.join(os.path.dirname(onnx.__file__), "backend", "test", "data", "light")
    models = sorted(os.path.join(light, name) for name in os.listdir(light) if name.endswith(".onnx"))
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        rows, own = executables(models), coordinator(args.executables)
    lines = ",\n  ".join(json.dumps(rows[i : i + 6])[1:-1] for i in range(0, len(rows), 6))
    print(f'{{\n "unit": "milliseconds of CPU, bytes of source, bytes of object",\n "coordinator": {json.dumps(own)},')
    print(f' "executables": [\n  {lines}\n ]\n}}')


main()
