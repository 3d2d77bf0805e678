#!/usr/bin/env python3
"""Random ONNX graphs, compiled at -O0 and -O3 and run, against the reference evaluator and onnxruntime.

    graphs.py --seed=0 --count=100                 on the CPU
    graphs.py --count=100 --target=vulkan          on lavapipe
    graphs.py --seed=1234 --count=1 --print        the graph of a seed, as text

A result that agrees with neither reference, a crash, and a run that is refused are failures; the smallest failing part of the
graph is written to --found as a test. What the tools refuse to compile is counted by its reason. Where a driver ends the
loops of an executable (LongLoops), that executable runs on the CPU, and the graph counts as `fallback`. The exit code is 1 if a
graph failed.
"""

import argparse
import collections
import json
import multiprocessing
import os
import re
import shutil
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import onnx  # noqa: E402
from arithmetic import ARITHMETIC  # noqa: E402
from blocks import BLOCKS  # noqa: E402
from check import Refused, Wrong, check, reason  # noqa: E402
from grow import Graph  # noqa: E402
from loops import LOOPS  # noqa: E402
from microsoft import MICROSOFT  # noqa: E402
from moves import MOVES  # noqa: E402
from places import PLACES  # noqa: E402
from shrink import Shrinker, write  # noqa: E402
from weights import WEIGHTS  # noqa: E402

OPERATORS = ARITHMETIC + MOVES + BLOCKS + PLACES + LOOPS + MICROSOFT + WEIGHTS


def one(job):
    """Grows and checks the graph of a seed: (seed, outcome, words, operators)."""
    seed, a = job
    if a.deadline and time.monotonic() > a.deadline:
        return seed, "left", "", collections.Counter()
    folder = tempfile.mkdtemp(prefix="hal-fuzz-")
    graph = Graph(seed).grow(a.operators)
    operators = collections.Counter(n.proto.op_type for n in graph.nodes)
    try:
        if not graph.nodes:
            return seed, "empty", "", operators
        try:
            onnx.checker.check_model(graph.model()[0], full_check=True)
        except Exception as e:
            return seed, "invalid", str(e)[:300], operators
        return seed, check(graph, folder, a.levels, a.target, spoil=a.spoil), "", operators
    except Refused as e:
        return seed, "refused", str(e), operators
    except Wrong as e:
        words = str(e)
        if a.found:
            shrinker = Shrinker(graph, a.target, a.spoil)
            part = shrinker.shrink(a.levels)
            words += (
                f"\n  {write(graph, part, shrinker.words, a.found)}" if part else "\n  no part with one result fails"
            )
        return seed, "failed", words, operators
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--seed", type=int, default=0, help="the first seed")
    p.add_argument("--count", type=int, default=100)
    p.add_argument("--minutes", type=float, default=0, help="start no graph after this time")
    p.add_argument("--target", default="cpu", help="as for hal-compile; it must run here (default %(default)s)")
    p.add_argument("--levels", default="03", help="optimisation levels, one digit each (default %(default)s)")
    p.add_argument(
        "--spoil", metavar="OPERATOR", help="make results of graphs with this operator wrong, to see what becomes of it"
    )
    p.add_argument("-j", "--jobs", type=int, default=1)
    p.add_argument("--record", metavar="FILE", help="write counts to FILE")
    p.add_argument(
        "--found",
        metavar="FOLDER",
        help="write the smallest failing part of each graph that failed to FOLDER, as a test",
    )
    p.add_argument("--only", default="", metavar="REGEX", help="grow by the functions whose names match, of files here")
    p.add_argument("--print", action="store_true", help="print the graphs, run nothing")
    p.add_argument("-v", "--verbose", action="store_true", help="say what was refused, seed by seed")
    a = p.parse_args()
    a.levels = [int(c) for c in a.levels]
    a.operators = [f for f in OPERATORS if re.search(a.only, f.__name__)]
    if not a.operators:
        p.error(f"no function matches `{a.only}`: {', '.join(sorted({f.__name__ for f in OPERATORS}))}")
    if a.print:
        for seed in range(a.seed, a.seed + a.count):
            print(onnx.printer.to_text(Graph(seed).grow(a.operators).model()[0]))
        return
    start, counts, reasons, operators = (
        time.monotonic(),
        collections.Counter(),
        collections.Counter(),
        collections.Counter(),
    )

    a.deadline = start + 60 * a.minutes if a.minutes else None
    with multiprocessing.get_context("fork").Pool(a.jobs) as pool:
        for seed, outcome, words, used in pool.imap(one, [(seed, a) for seed in range(a.seed, a.seed + a.count)]):
            if outcome == "left":
                continue
            counts[outcome] += 1
            operators += used
            if outcome == "failed":
                print(f"FAIL {seed}: {words}", flush=True)
            if outcome in ("second", "fallback") and a.verbose:
                print(f"{outcome} {seed}", flush=True)
            if outcome in ("refused", "invalid"):
                reasons[reason(words)] += 1
                if a.verbose:
                    print(f"{outcome} {seed}: {words}", flush=True)
    total, seconds = sum(counts.values()), time.monotonic() - start
    print(
        f"{total} graphs, {sum(operators.values())} nodes of {len(operators)} operators in {seconds:.0f} s: "
        + ", ".join(f"{counts[k]} {k}" for k in sorted(counts))
    )
    for words, n in reasons.most_common(None if a.verbose else 5):
        print(f"  {n:4} refused: {words}")
    if a.record:
        with open(a.record, "w", encoding="utf-8") as f:
            json.dump({"seed": a.seed, "count": total, "target": a.target, "levels": a.levels, "outcomes": dict(counts),
                       "refused": dict(reasons), "operators": dict(sorted(operators.items()))}, f, indent=1)  # fmt: skip
            f.write("\n")
    sys.exit(counts["failed"] > 0 or not total)


if __name__ == "__main__":
    main()
