#!/usr/bin/env python3
"""Everything that needs a GPU, in two steps, because a machine that lends its GPU may have no MLIR.

`on-device.py prepare FOLDER` compiles the programs, here; `on-device.py run FOLDER` runs them where the GPU is, which takes
hal-run, hal-benchmark, Python with numpy and this folder of tests: a table of speed, products beside cuBLAS (the system's, or
that of the package `nvidia-cublas-cu12`), kernels that memory bounds beside the bandwidth of a copy; then all numerics against
numpy, until --minutes are over. The cases of a program share a process (`cases.py`), which --under runs under a sanitizer; what
fails is run again on its own. What is left is run by another call with --from. Exit code 1 if a result is wrong or missing;
never because of a time.
"""

import argparse
import glob
import importlib
import json
import os
import shlex
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "numerics"))
import harness  # noqa: E402
from package import python_package  # noqa: E402
from speed import speed_programs, table  # noqa: E402

# What are no families of cases.
OTHERS = {"harness", "text", "random_graphs", "random_shapes"}
GROUP = 24


def families():
    for path in sorted(glob.glob(os.path.join(HERE, "..", "numerics", "*.py"))):
        name = os.path.splitext(os.path.basename(path))[0]
        cases = None if name in OTHERS else getattr(importlib.import_module(name), "CASES", None)
        if cases:
            yield name, list(cases)


def compile_group(family, cases, stem, target, index):
    """Compiles cases together, or apart where that fails; adds them to the index, by name: the data is made where it is used."""
    group = {"family": family, "cases": [case.name for case in cases]}
    try:
        harness.compile_text(harness.module(cases), stem + ".so", target=target)
        index.append({**group, "program": os.path.basename(stem) + ".so"})
    except harness.ToolError as e:
        if len(cases) == 1 and isinstance(e, harness.Refused):
            print(f"{cases[0].name}: refused: {e}", flush=True)
        elif len(cases) == 1:
            index.append({**group, "program": None, "error": str(e)})
        else:
            half = len(cases) // 2
            compile_group(family, cases[:half], stem + "a", target, index)
            compile_group(family, cases[half:], stem + "b", target, index)


def prepare(folder, target, only, size):
    os.makedirs(folder, exist_ok=True)
    index = []
    for name, cases in families():
        if only and only not in name:
            continue
        for i in range(0, len(cases), GROUP):
            compile_group(name, cases[i : i + GROUP], os.path.join(folder, f"{name}{i // GROUP}"), target, index)
        print(f"{name}: {len(cases)} cases", flush=True)
    speed = []
    for number, (name, (text, inputs, *rest, flags)) in enumerate(speed_programs(size).items()):
        program = f"speed{number}.so"
        try:
            harness.compile_text(text, os.path.join(folder, program), target=target, flags=flags)
            speed.append((name, program, inputs, *rest))
        except harness.ToolError as e:
            print(f"{name}: {e}")
    python_package(folder)
    with open(os.path.join(folder, "index.json"), "w", encoding="utf-8") as f:
        json.dump({"groups": index, "speed": speed, "size": size}, f)


def in_one_process(folder, number, group, device, under):
    """What is wrong with the cases of a group, by name; those after a crash are missing. And what the process said else."""
    command = [*under, sys.executable, os.path.join(HERE, "cases.py"), folder, str(number), f"--device={device}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    said = [line for line in (done.stdout + done.stderr).splitlines() if not line.startswith("{")]
    if under:
        shown = said if done.returncode else [line for line in said if "SUMMARY" in line]
        print(f"{group['program']}: " + "\n  ".join(shown[:40]), flush=True)
    return {row["case"]: row["wrong"] or "" for row in map(json.loads, lines)}, said if done.returncode else []


def check_group(folder, number, group, device, under):
    """What is wrong with each case of a group. What failed in one process with others is run by hal-run, on its own."""
    if not group["program"]:
        return [group["error"] for _ in group["cases"]]
    known = {case.name: case for case in importlib.import_module(group["family"]).CASES}
    results, said = in_one_process(folder, number, group, device, under)

    def alone(name):
        if results.get(name) == "":
            return ""
        run = os.path.join(folder, f"run-{name}")
        wrong = harness.check(known[name], os.path.join(folder, group["program"]), run, [f"--device={device}"])
        together = results.get(name, "\n".join(said[-5:]))
        return wrong if wrong else f"right on its own, but with others in a process: {together}"

    return [alone(name) for name in group["cases"]]


def numerics(folder, groups, device, jobs, first, until, under):
    """The groups from one on, until a time; the number of cases that failed or were left."""

    def check(number):
        if time.monotonic() > until:
            return None
        wrongs = check_group(folder, number, groups[number], device, under)
        for case, wrong in zip(groups[number]["cases"], wrongs):
            if wrong:
                print(f"FAIL {case}: {wrong}", flush=True)
        return wrongs

    with ThreadPoolExecutor(jobs) as pool:
        results = list(pool.map(check, range(first, len(groups))))
    done = [wrong for wrongs in results for wrong in wrongs or []]
    failed = sum(map(bool, done))
    print(f"numerics: {len(done) - failed} of {len(done)} passed", flush=True)
    if None in results:
        left = sum(len(group["cases"]) for group, wrongs in zip(groups[first:], results) if wrongs is None)
        on = first + results.index(None)
        print(f"{left} cases are left, there was no time for them: go on with --from={on}", flush=True)
        failed += left
    return failed


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    p.add_argument("step", choices=["prepare", "run"])
    p.add_argument("folder")
    p.add_argument("--target", default="cuda:sm_90", help="for prepare (default %(default)s)")
    p.add_argument("--device", default="cuda", help="for run (default %(default)s)")
    p.add_argument("--family", default="", help="for prepare: only families whose name contains this")
    p.add_argument(
        "--size",
        type=int,
        default=4096,
        help="for prepare: the size of the products of the table (default %(default)s)",
    )
    p.add_argument("--no-speed", action="store_true", help="for run: numerics alone")
    p.add_argument(
        "--minutes", type=float, default=8, help="for run: begin no more cases after that (default %(default)s)"
    )
    p.add_argument("--from", type=int, default=0, dest="first", metavar="N", help="for run: the first group of cases")
    p.add_argument("-j", "--jobs", type=int, default=8, help="for run: groups at a time (default %(default)s)")
    p.add_argument(
        "--under",
        default="",
        help="for run: a command that runs each group, such as `compute-sanitizer --tool racecheck`",
    )
    a = p.parse_args()
    if a.step == "prepare":
        return prepare(a.folder, a.target, a.family, a.size)
    under = shlex.split(a.under)
    until = time.monotonic() + 60 * a.minutes
    with open(os.path.join(a.folder, "index.json"), encoding="utf-8") as f:
        index = json.load(f)
    if not a.no_speed:
        table(a.folder, index["speed"], index["size"], a.device)
    return numerics(a.folder, index["groups"], a.device, a.jobs, a.first, until, under) > 0


if __name__ == "__main__":
    sys.exit(main())
