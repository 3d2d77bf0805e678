#!/usr/bin/env python3
"""How models speed up on several threads, beside what the machine gives several threads at the same time.

Virtual cores come and go, and threads share caches and memory: a model cannot speed up by more than the machine does. So each
round measures, one after the other, on one thread and on all of them: `compute`, products of small matrices that threads
do independently; `memory`, reading that no cache holds; then each model. A speed-up is the median over the rounds of the time
on one thread by that on all of them. `quiet` has only the rounds in which the machine gave `compute` 95 % of all threads.
Samples are kept in tests/benchmark/runs.

usage: scaling.py [--model resnet50,vgg19] [--threads 2] [--rounds 40] [--program FILE.so,…]
"""

import argparse
import os
import statistics
import sys
import threading
import time

# One thread computes each product.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import common

common.enter_peers()

import numpy as np  # noqa: E402
from candidates import Halyard  # noqa: E402
from program import Library, Program  # noqa: E402

# Seconds that a measurement takes at least.
MOMENT = 0.02
# Rounds in which the machine gave less than this share of all threads do not count as quiet.
QUIET = 0.95


class Workers:
    """Threads that do the same thing at the same time, and sleep in between."""

    def __init__(self, threads, work):
        self.start, self.end = threading.Barrier(threads), threading.Barrier(threads)
        self.work = work
        for number in range(1, threads):
            threading.Thread(target=self.serve, args=(number,), daemon=True).start()

    def serve(self, number):
        while True:
            self.start.wait()
            self.work(number)
            self.end.wait()

    def call(self):
        self.start.wait()
        self.work(0)
        self.end.wait()


def compute(threads):
    """A fixed number of products of matrices that fit a second-level cache, in equal shares."""
    a = [np.ones((256, 256), np.float32) for _ in range(threads)]
    out = [np.empty_like(x) for x in a]
    share = 96 // threads

    def work(number):
        for _ in range(share):
            np.matmul(a[number], a[number], out=out[number])

    return Workers(threads, work)


def memory(threads):
    """Reads 256 MiB, in equal shares."""
    x = np.ones(1 << 25, np.float32)
    y = np.ones(1 << 25, np.float32)
    share = len(x) // threads

    def work(number):
        part = slice(number * share, (number + 1) * share)
        np.dot(x[part], y[part])

    return Workers(threads, work)


def sample(candidate):
    """Seconds of a call, over as many as a moment takes."""
    begun, calls = time.perf_counter(), 0
    while True:
        candidate.call()
        calls += 1
        taken = time.perf_counter() - begun
        if taken >= MOMENT:
            return taken / calls


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=lambda text: text.split(","), default=["resnet50", "vgg19"], metavar="NAME,…")
    parser.add_argument(
        "--program",
        type=lambda text: text.split(","),
        default=[],
        metavar="FILE.so,…",
        help="linked programs instead of models",
    )
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=40)
    a = parser.parse_args()
    os.makedirs(common.WORK, exist_ok=True)
    if a.threads < 2 or a.rounds < 1:
        sys.exit("a speed-up needs two threads and a round at least")
    programs = {os.path.basename(p).removesuffix(".so"): p for p in a.program}
    programs = programs or {name: Halyard(name, common.model(name), 1).program for name in a.model}
    library, counts = Library(), [1, a.threads]
    candidates = {"compute": [compute(n) for n in counts], "memory": [memory(n) for n in counts]}
    candidates |= {name: [Program(library, path, n) for n in counts] for name, path in programs.items()}
    samples = {f"{name} {n}": [] for name in candidates for n in counts}
    for turn in range(1 + a.rounds):
        for name, both in candidates.items():
            for n, candidate in zip(counts, both):
                taken = sample(candidate)
                if turn > 0:
                    samples[f"{name} {n}"].append(taken)
    ratios = {name: [x / y for x, y in zip(*(samples[f"{name} {n}"] for n in counts))] for name in candidates}
    quiet = [i for i, r in enumerate(ratios["compute"]) if r >= QUIET * a.threads]
    rows = []
    for name, all_ratios in ratios.items():
        times = [f"{statistics.median(samples[f'{name} {n}']) * 1e3:.2f}" for n in counts]
        calm = f"{statistics.median(all_ratios[i] for i in quiet):.2f}" if quiet else ""
        rows.append([name, *times, f"{statistics.median(all_ratios):.2f}", calm])
    common.save(f"scaling-{a.threads}t", samples, threads=a.threads, rounds=a.rounds, quiet=len(quiet))
    head = ["", "1 thread ms", f"{a.threads} threads ms", "speed-up", f"in {len(quiet)} of {a.rounds} quiet rounds"]
    common.print_table(f"{common.cpu()}: {a.threads} threads beside one", head, rows)


if __name__ == "__main__":
    main()
