#!/usr/bin/env python3
"""Runs ONNX's own backend tests (the test data inside the `onnx` wheel) through the tools.

A test has passed, failed, or is not supported: the tools said clearly what they do not know. The three are printed by name,
with totals; the exit code is 1 if a suite is below its floor. `--constants` and `--symbolic` run variants of the same tests,
which have no floor unless `--floor` gives one.
"""

import argparse
import json
import multiprocessing
import os
import re
import shutil
import sys
import tempfile
import time
import unittest
import warnings

# What must pass, in percent. The three folders count together: `simple` is about strings, sequences and gradients, of which only the last are refused.
FLOORS = {("light",): 100, ("simple", "pytorch-operator", "pytorch-converted"): 98, ("node",): 99}
CLASSES = {"Real": "light", "Simple": "simple", "PyTorchOperator": "pytorch-operator", "PyTorchConverted": "pytorch-converted",
           "Node": "node"}  # fmt: skip
SUITES = list(dict.fromkeys(CLASSES.values()))
WORDS = {"passed": "passed", "failed": "FAILED", "unsupported": "not supported"}
TESTS = {}


def collect():
    """suite → [(name, unittest case)], from onnx's runner."""
    # The runner computes references of the node tests as it is loaded, on purpose with overflows.
    warnings.simplefilter("ignore", RuntimeWarning)
    import onnx.backend.test
    from backend import Halyard

    class Suite(onnx.backend.test.BackendTest):
        """Compares the elements of sequences one by one: onnx's own runner takes them apart further, which fails for scalars."""

        @classmethod
        def assert_similar_outputs(cls, ref_outputs, outputs, rtol, atol, model_dir=None):
            assert len(ref_outputs) == len(outputs), f"{len(outputs)} outputs or elements instead of {len(ref_outputs)}"
            for ref, out in zip(ref_outputs, outputs):
                assert isinstance(ref, list) == isinstance(out, list), f"{type(out)} instead of {type(ref)}"
                compare = cls.assert_similar_outputs if isinstance(ref, list) else super().assert_similar_outputs
                compare(*((ref, out) if isinstance(ref, list) else ([ref], [out])), rtol, atol, model_dir=model_dir)

    found = {suite: [] for suite in SUITES}
    for name, cls in Suite(Halyard, __name__).test_cases.items():
        suite = CLASSES[re.fullmatch(r"OnnxBackend(\w+)ModelTest", name)[1]]
        for method in unittest.TestLoader().getTestCaseNames(cls):
            if method.endswith("_cpu"):
                found[suite].append((method.removeprefix("test_").removesuffix("_cpu"), cls(method)))
    return found


def run(key):
    """Runs one test; returns (key, status, reason, seconds)."""
    start, result = time.monotonic(), unittest.TestResult()
    TESTS[key].run(result)
    seconds = time.monotonic() - start
    if result.skipped:
        return key, "unsupported", result.skipped[0][1], seconds
    if result.failures or result.errors:
        trace = (result.failures or result.errors)[0][1].strip().splitlines()
        # The message stands behind the stack, whose lines begin with `  File` and four blanks; arrays are left out.
        last = max((i for i, line in enumerate(trace) if line.startswith("  File ")), default=-1)
        lines = [line.strip() for line in trace[last + 2 :] if line.strip() and not line.startswith("       ")]
        return key, "failed", " ".join(line for line in lines if set(line) != {"^"}) or trace[-1], seconds
    return key, "passed", "", seconds


def report(results, suites, a):
    """Prints the totals; returns whether something is below its floor."""
    print(f"\n{'suite':18} {'passed':>7} {'failed':>7} {'not supported':>14} {'total':>6} {'passed':>8}")
    counts = {
        suite: [sum(r["suite"] == suite and r["status"] == s for r in results) for s in WORDS] for suite in suites
    }
    for suite, (passed, failed, unsupported) in counts.items():
        total = passed + failed + unsupported
        print(f"{suite:18} {passed:7} {failed:7} {unsupported:14} {total:6} {100 * passed / max(total, 1):7.1f}%")
    below = False
    for group, floor in FLOORS.items():
        chosen = [counts[s] for s in group if s in counts]
        total = sum(map(sum, chosen))
        percent = 100 * sum(c[0] for c in chosen) / max(total, 1)
        floor = a.floor if a.floor is not None else 0 if a.constants or a.symbolic else floor
        if total:
            print(
                f"{', '.join(s for s in group if s in counts)}: {percent:.1f}% of {total} passed, the floor is {floor}%"
            )
            below |= percent < floor
    return below


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--suite", action="append", choices=[*SUITES, "all"], help="repeatable; default: all but node")
    p.add_argument("--filter", metavar="REGEX", default="", help="only tests whose name matches")
    p.add_argument(
        "--floor",
        type=float,
        metavar="PERCENT",
        help="exit 1 below this [default: light 100, the three folders together 85]",
    )
    p.add_argument("--json", metavar="FILE", help="write results to FILE")
    p.add_argument("-j", "--jobs", type=int, default=os.cpu_count(), help="tests at once (default: one per CPU)")
    p.add_argument("--target", default="cpu", help="as for hal-compile; it must run here (default %(default)s)")
    p.add_argument("--constants", action="store_true", help="make inputs that are sizes, axes or counts constants of the model; "
                   "without --symbolic, only tests with such an input are run")  # fmt: skip
    p.add_argument(
        "--symbolic",
        choices=["all", "first"],
        help="name the sizes of inputs instead of fixing them: all, or the first of each input",
    )
    p.add_argument("-q", "--quiet", action="store_true", help="do not name what passed")
    p.add_argument("--slowest", type=int, default=0, metavar="N", help="print the N slowest")
    a = p.parse_args()
    suites = [s for s in SUITES if (s in a.suite or "all" in a.suite if a.suite else s != "node")]

    os.environ["HALYARD_TEST_TARGET"] = a.target
    os.environ["HALYARD_TEST_CONSTANTS"] = "1" if a.constants else ""
    os.environ["HALYARD_TEST_SYMBOLIC"] = a.symbolic or ""
    # The runner writes the inputs and outputs of the light models there.
    models = tempfile.mkdtemp(prefix="hal-onnx-models-")
    os.environ["ONNX_MODELS"] = models
    from variants import DRAWN, SAME  # It reads what was just set.

    results = []
    try:
        for suite, tests in collect().items():
            TESTS.update({(suite, name): test for name, test in tests if suite in suites and re.search(a.filter, name)})
        with multiprocessing.get_context("fork").Pool(a.jobs) as pool:
            for (suite, name), status, reason, seconds in pool.imap(run, list(TESTS)):
                if reason in (SAME, DRAWN):
                    continue
                results.append(
                    {"suite": suite, "name": name, "status": status, "reason": reason, "seconds": round(seconds, 3)}
                )
                if status != "passed" or not a.quiet:
                    print(f"{WORDS[status]:13} {suite}/{name}{': ' + reason[:600] if reason else ''}", flush=True)
    finally:
        shutil.rmtree(models, ignore_errors=True)
    for r in sorted(results, key=lambda r: -r["seconds"])[: a.slowest]:
        print(f"{r['seconds']:8.2f} s  {r['suite']}/{r['name']}")
    below = report(results, suites, a)
    if a.json:
        with open(a.json, "w", encoding="utf-8") as f:
            json.dump({"schema": 1, "results": results}, f, indent=1)
    if not results:
        print("no test has that name", file=sys.stderr)
    sys.exit(below or not results)


if __name__ == "__main__":
    main()
