"""Finds tile sizes for the matrix products of a model: measure.py MODEL.mlir TABLE.json [FLAGS OF hal-benchmark]

Each candidate is built for one shape at a time and compared with what hal-translate makes by itself; one that is wrong, or not
faster, is not taken. The table has `null` where nothing was faster.
"""

import itertools
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
CANDIDATES = list(itertools.product([4, 8, 12], [16, 32], [4, 16]))


def shapes(model):
    program = subprocess.run(["hal-import", model], check=True, capture_output=True, text=True).stdout
    found = re.findall(r"linalg\.matmul ins\(.*? : tensor<(\d+)x(\d+)xf32>, tensor<\d+x(\d+)xf32>", program)
    return sorted({(int(rows), int(columns), int(depth)) for rows, depth, columns in found})


def build(model, output, table=None):
    schedule = [f"--preprocess-executables-with={HERE}/tuned.py{{table={table}}}"] if table else []
    subprocess.run(["hal-compile", "-q", model, "-o", output, *schedule], check=True)


def speedup(plain, other, flags, report):
    """How many times as fast the other program is; nothing if it is wrong."""
    command = ["hal-benchmark", plain, other, f"--json={report}", "--rtol=1e-4", "-q", *flags]
    if subprocess.run(command, stdout=subprocess.DEVNULL).returncode:
        return None
    with open(report) as file:
        return json.load(file)["comparisons"][0]["speedup"]


def main(model, output, *flags):
    best = {}
    with tempfile.TemporaryDirectory() as folder:
        path = lambda name: os.path.join(folder, name)  # noqa: E731
        build(model, path("plain.so"))
        for shape in shapes(model):
            name, fastest = "x".join(map(str, shape)), 1.0
            best[name] = None
            for tile in CANDIDATES:
                if any(size % step for size, step in zip(shape, tile)):
                    continue
                with open(path("one.json"), "w") as file:
                    json.dump({name: tile}, file)
                build(model, path("tiled.so"), path("one.json"))
                times = speedup(path("plain.so"), path("tiled.so"), flags, path("report.json"))
                print(f"{name} in tiles of {tile}: {'wrong' if times is None else f'{times:.2f} times as fast'}")
                if times is not None and times > fastest:
                    best[name], fastest = tile, times
    with open(output, "w") as file:
        json.dump(best, file, indent=2)
        file.write("\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
