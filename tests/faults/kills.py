#!/usr/bin/env python3
"""Kills tools at random moments, and checks what they leave.

    PATH=$PWD/target/debug:$PATH tests/faults/kills.py --count=1000 --seed=1

Each round starts a tool, kills its first process, or one process below it, with SIGKILL at a random moment, and checks: the
output is absent or whole; after a second no process of it is left, and after the next run no scratch folder; the next run
gives the right bytes. Prints a line for each kind of run; the exit code is 0 if nothing was wrong.
"""

import argparse
import collections
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

from harness import contents, kill_one, processes, record

HERE = os.path.dirname(os.path.abspath(__file__))
MANY = os.path.join(HERE, "..", "farm", "Inputs", "many.py")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--record", action="store_true", help="write the result to tests/faults/runs")
    args = parser.parse_args()
    rng = random.Random(args.seed)
    folder = tempfile.mkdtemp(prefix="halyard-faults")
    os.chdir(folder)
    scratch = os.path.join(folder, "scratch")
    os.mkdir(scratch)
    with open("m.mlir", "w") as f:
        subprocess.run([sys.executable, MANY, "8"], stdout=f, check=True)
    base = dict(os.environ, TMPDIR=scratch, HALYARD_CACHE=os.path.join(folder, "cache"))
    # A worker that is killed leaves a reproducer, which is told and stays.
    runs = {
        "hal-import": (["hal-import", "m.mlir", "-o", "p"], "p"),
        "hal-translate": (["hal-translate", "p.kept", "--cache=off", "-j2", "--reproducers-to=kept", "-o", "t"], "t"),
        "hal-translate, launcher": (
            [
                "hal-translate",
                "p.kept",
                "--cache=off",
                "--launcher=env",
                "--launcher-jobs=2",
                "--reproducers-to=kept",
                "-o",
                "l",
            ],
            "l",
        ),
        "hal-compile, cache": (["hal-compile", "m.mlir", "-q", "--reproducers-to=kept", "-o", "m.so"], "m.so"),
        "hal-link": (["hal-link", "t.kept", "-o", "n.so"], "n.so"),
    }
    right, took = {}, {}
    for name, (command, out) in runs.items():
        start = time.monotonic()
        subprocess.run(command, env=base, check=True)
        took[name] = time.monotonic() - start
        right[name] = contents(out)
        os.rename(out, f"{out}.kept")
    counts, wrong = collections.Counter(), []
    for i in range(args.count):
        name = rng.choice(list(runs))
        command, out = runs[name]
        mark = f"HALYARD_FAULT_ROUND={os.getpid()}-{i}-"
        key, value = mark.split("=")
        if os.path.exists(out):
            os.remove(out)
        child = subprocess.Popen(command, env=dict(base, **{key: value}), stderr=subprocess.DEVNULL)
        time.sleep(rng.random() * took[name])
        first = kill_one(child, mark, rng, 0.5)
        try:
            code = child.wait(timeout=120)
        except subprocess.TimeoutExpired:
            wrong.append(f"round {i}, {name}: it hangs after a kill of {'itself' if first else 'a process below it'}")
            child.kill()
            continue
        what = "itself" if first else "below"
        counts[name, what, "wrote" if os.path.exists(out) else "wrote nothing"] += 1
        is_there = contents(out)
        if is_there not in (None, right[name]):
            wrong.append(f"round {i}, {name}: the output is neither absent nor right")
        if code == 0 and is_there is None:
            wrong.append(f"round {i}, {name}: success without output")
        for _ in range(100):
            left = processes(mark)
            if not left:
                break
            time.sleep(0.02)
        if left:
            wrong.append(f"round {i}, {name}: {len(left)} processes are left")
        again = subprocess.run(command, env=base, stderr=subprocess.PIPE, text=True)
        if again.returncode or contents(out) != right[name]:
            wrong.append(f"round {i}, {name}: the next run is wrong: {again.stderr}")
        # Files that were to become outputs, and scratch folders of the dead: the next run sweeps them.
        rest = os.listdir(scratch) + [f for f in os.listdir(".") if f.startswith(".") or ".tmp" in f]
        if rest:
            counts["left after the next run", "", ""] += 1
            wrong.append(f"round {i}, {name}: left behind: {rest}")
            for f in os.listdir(scratch):
                shutil.rmtree(os.path.join(scratch, f), ignore_errors=True)
            for f in rest:
                if os.path.isfile(f):
                    os.remove(f)
    lines = [f"{count:5} {name}: killed {what}, {result}" for (name, what, result), count in sorted(counts.items())]
    lines += [f"{args.count} kills, seed {args.seed}: {len(wrong)} wrong", *(f"  {line}" for line in wrong)]
    print("\n".join(lines))
    if args.record:
        record("kills", lines)
    os.chdir("/")
    shutil.rmtree(folder, ignore_errors=True)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
