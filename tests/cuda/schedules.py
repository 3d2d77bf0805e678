#!/usr/bin/env python3
"""The programs of the table of speed with other schedules, to see on a GPU which are fast.

`schedules.py prepare FOLDER` compiles them, here; `schedules.py run FOLDER` times their kernels where the GPU is, each several
times in turn, and needs hal-benchmark alone. `hal-tune` does the same where the compiler is on the machine.
"""

import argparse
import itertools
import json
import os
import subprocess
import sys

from speed import kernel_seconds, speed_programs


def spaces():
    """The schedules of each program, by its name without sizes; `None` is our choice."""
    products = [
        {"tile": tile, "thread_tile": thread, "stages": stages, "k_block": depth}
        for tile, thread in ([[128, 256], [8, 16]], [[256, 128], [8, 16]], [[128, 128], [8, 8]], [[128, 128], [8, 16]])
        for stages in (3, 4)
        for depth in (64, 128)
    ]
    made = {
        "matmul f16": [{**p, "k_block": p["k_block"] // 2} for p in products],
        "matmul tf32": [{**p, "k_block": p["k_block"] // 4} for p in products if p["stages"] == 4],
    }
    made["matmul f32"] = [
        {"tile": tile, "thread_tile": thread, "k_block": depth}
        for tile, thread in ([[128, 128], [8, 8]], [[64, 128], [8, 8]], [[128, 64], [8, 8]])
        for depth in (8, 16, 32)
    ]
    for name in ("softmax", "layernorm", "row sums"):
        made[name] = [{"lanes": lanes} for lanes in (64, 128, 256, 512, 1024)]
    made["tanh"] = [
        {"per_thread": run, "threads": threads} for run, threads in itertools.product((4, 8, 16), (128, 256))
    ]
    return {name: [None, *schedules] for name, schedules in made.items()}


def compiled(text, schedule, flags, target, output):
    """Whether the program compiles with that schedule."""
    imported = subprocess.run(["hal-import"], input=text.encode(), stdout=subprocess.PIPE, check=True).stdout.decode()
    if schedule:
        words = ", ".join(f"{key} = {value}" for key, value in schedule.items())
        imported = imported.replace("attributes {hal.export}", f"attributes {{hal.export, hal.schedule = {{{words}}}}}")
    command = ["hal-translate", f"--target={target}", *flags]
    done = subprocess.run(command, input=imported.encode(), capture_output=True, check=False)
    if done.returncode:
        return False
    return subprocess.run(["hal-link", "-o", output], input=done.stdout, check=False).returncode == 0


def prepare(folder, size, target, only_ours):
    os.makedirs(folder, exist_ok=True)
    rows = []
    for name, (text, inputs, *_, flags) in speed_programs(size).items():
        for schedule in [None] if only_ours else spaces().get(" ".join(name.split()[:-1]), [None]):
            program = f"{len(rows)}.so"
            if compiled(text, schedule, flags, target, os.path.join(folder, program)):
                rows.append([name, schedule, program, inputs])
    with open(os.path.join(folder, "schedules.json"), "w", encoding="utf-8") as f:
        json.dump(rows, f)
    print(f"{len(rows)} programs")


def run(folder, device, rounds):
    with open(os.path.join(folder, "schedules.json"), encoding="utf-8") as f:
        rows = json.load(f)
    best = {}
    for _ in range(rounds):
        for name, schedule, program, inputs in rows:
            try:
                took = kernel_seconds(folder, program, inputs, device, 0.1)
            except (subprocess.CalledProcessError, KeyError):
                continue
            key = name, json.dumps(schedule)
            best[key] = min(took, best.get(key, took))
    for name in dict.fromkeys(name for name, _ in best):
        print(name)
        for took, schedule in sorted((took, schedule) for (of, schedule), took in best.items() if of == name):
            print(f"  {took * 1e6:8.1f} us  {schedule}", flush=True)


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    p.add_argument("step", choices=["prepare", "run"])
    p.add_argument("folder")
    p.add_argument("--target", default="cuda:sm_90", help="for prepare (default %(default)s)")
    p.add_argument("--size", type=int, default=4096, help="for prepare (default %(default)s)")
    p.add_argument("--ours", action="store_true", help="for prepare: our own choices alone, to compare builds")
    p.add_argument("--device", default="cuda", help="for run (default %(default)s)")
    p.add_argument("--rounds", type=int, default=2, help="for run (default %(default)s)")
    a = p.parse_args()
    if a.step == "prepare":
        return prepare(a.folder, a.size, a.target, a.ours)
    return run(a.folder, a.device, a.rounds)


if __name__ == "__main__":
    sys.exit(main())
