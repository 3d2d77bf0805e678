#!/usr/bin/env python3
"""Writes the programs of scripts/replay that other scripts make: FOLDER/GROUP/NAME.onnx or .mlir."""

import argparse
import glob
import os
import re
import shutil
import subprocess
import sys
import warnings

TESTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
# Percent of the usual channels, and sides of images: the kernels of a model, with weights that are written in a second.
WIDTH = {False: 25, True: 100}
# Cases of tests/numerics in a module.
GROUP = 8


def run(*command):
    subprocess.run([sys.executable, *command], check=True, stdout=subprocess.DEVNULL)


def write_models(folder, full):
    """Models of tests/models: all of the zoo, and a layer of a transformer."""
    os.makedirs(folder)
    sys.path.insert(0, os.path.join(TESTS, "models"))
    import onnx
    import zoo

    for name in zoo.MODELS:
        onnx.save(zoo.build(name, percent=WIDTH[full]), os.path.join(folder, f"{name}.onnx"))
    script = os.path.join(TESTS, "models", "transformer.py")
    run(
        script,
        os.path.join(folder, "transformer.onnx"),
        "--layers=1",
        f"--width={768 * WIDTH[full] // 100 // 12 * 12}",
        "--mask",
    )


def write_operators(folder, full):
    """The models of ONNX's node tests: the first one of each operator, or all."""
    os.makedirs(folder)
    warnings.simplefilter("ignore")
    import onnx
    from onnx.backend.test.case.node import collect_testcases

    seen = set()
    for case in collect_testcases(None):
        nodes = case.model.graph.node
        operator = (nodes[0].domain, nodes[0].op_type) if len(nodes) == 1 else case.name
        if not full and (operator in seen or len(nodes) != 1):
            continue
        seen.add(operator)
        onnx.save(case.model, os.path.join(folder, f"{case.name.removeprefix('test_')}.onnx"))


def write_cases(folder):
    """The cases of tests/numerics, a few to a module."""
    os.makedirs(folder)
    for path in sorted(glob.glob(os.path.join(TESTS, "numerics", "*.py"))):
        with open(path, encoding="utf-8") as f:
            if re.search(r"^from harness import .*\bmain\b", f.read(), re.M):
                run(path, f"--write={folder}", f"--group={GROUP}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", metavar="FOLDER")
    parser.add_argument("--full", action="store_true", help="models as wide as usual, and all node tests")
    a = parser.parse_args()
    shutil.rmtree(a.folder, ignore_errors=True)
    write_models(os.path.join(a.folder, "zoo"), a.full)
    write_operators(os.path.join(a.folder, "operators"), a.full)
    write_cases(os.path.join(a.folder, "numerics"))


if __name__ == "__main__":
    main()
