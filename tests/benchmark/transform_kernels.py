#!/usr/bin/env python3
"""The kernels of `tests/samples/transform-kernels`, made by transform scripts, compared with the compiler's own.

Writes the raw samples of `hal-benchmark` for each kernel and number of threads. Needs the tools on PATH, and a quiet machine.
"""

import argparse
import json
import os
import pathlib
import subprocess
import tempfile

SAMPLES = pathlib.Path(__file__).resolve().parents[1] / "samples" / "transform-kernels"
INPUTS = {"matmul": 2, "convolution": 2, "attention": 3}


def compare(kernel, threads, folder, min_time):
    """The report of `hal-benchmark` on the compiler's kernel and on the script's, in this order."""
    model, script = SAMPLES / f"{kernel}.mlir", SAMPLES / f"{kernel}-schedule.mlir"
    own, scripted, report = "own.so", "script.so", "report.json"
    subprocess.run(["hal-compile", "-q", model, "-o", own], cwd=folder, check=True)
    subprocess.run(
        ["hal-compile", "-q", model, "-o", scripted, f"--preprocess-executables-with={script}"], cwd=folder, check=True
    )
    inputs = [f"--input=random:{i + 1}" for i in range(INPUTS[kernel])]
    options = ["--rtol=1e-4", "--atol=1e-3", f"--threads={threads}", f"--min-time={min_time}", f"--json={report}"]
    subprocess.run(["hal-benchmark", own, scripted, *inputs, *options], cwd=folder, check=True)
    return json.loads((folder / report).read_text())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", required=True, type=pathlib.Path, help="the file for all samples")
    parser.add_argument("--note", default="", help="what else ran on the machine")
    parser.add_argument("--min-time", default="5", help="how many seconds to measure each pair")
    args = parser.parse_args()
    runs = []
    with tempfile.TemporaryDirectory() as folder:
        for kernel in INPUTS:
            for threads in (1, 2):
                load = os.getloadavg()[0]
                report = compare(kernel, threads, pathlib.Path(folder), args.min_time)
                runs.append({"kernel": kernel, "threads": threads, "load": load, "report": report})
    args.output.write_text(json.dumps({"note": args.note, "runs": runs}) + "\n")


if __name__ == "__main__":
    main()
