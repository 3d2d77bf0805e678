# RUN: %python %s
"""Executables that upstream's pipelines have lowered, to any depth, are carried on from there: results agree with numpy."""

import os
import re
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import numpy as np

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "..", "numerics"))
from harness import difference, run_program, tool  # noqa: E402

rng = np.random.default_rng(7)


def rand(*shape):
    return rng.integers(-8, 8, shape).astype(np.float32)


X, W, B = rand(4, 8), rand(8, 16), rand(16)
P, Q = rand(5, 7), rand(7, 3)
Y, A, T = rand(8, 4), rand(4, 4), rand(2, 3)
CASES = {
    "bias": ([X, W, B], [X @ W + B]),
    "dynamic": ([P, Q], [P @ Q]),
    "accumulate": ([X, Y, A], [X @ Y + A, -A]),
    "table": ([T], [T * np.array([[1, 2, 3], [4, 5, 6.5]], np.float32)]),
}

IDENTITY = "one-shot-bufferize{bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map}"
INFERRED = "one-shot-bufferize{bufferize-function-boundaries function-boundary-type-conversion=infer-layout-map}"
DYNAMIC = "one-shot-bufferize{bufferize-function-boundaries function-boundary-type-conversion=fully-dynamic-layout-map}"
OUT = ",buffer-results-to-out-params{modify-public-functions hoist-static-allocs}"
FREE = ",buffer-deallocation-pipeline,convert-bufferization-to-memref"
LOOPS = ",convert-linalg-to-loops"
LLVM = (
    ",expand-strided-metadata,lower-affine,convert-scf-to-cf,finalize-memref-to-llvm,convert-arith-to-llvm,"
    "convert-index-to-llvm,%s,convert-cf-to-llvm,reconcile-unrealized-casts"
)
DESCRIPTORS = LLVM % "convert-func-to-llvm"
PIPELINES = {
    # Name: pipeline, what --explain says.
    "tensors": ("canonicalize", "vectorised"),
    "generalized": ("func.func(linalg-generalize-named-ops)", ""),
    "results": (IDENTITY, "given on buffers"),
    "results-inferred": (INFERRED, "given on buffers"),
    "results-dynamic-layout": (DYNAMIC, "given on buffers"),
    "results-freed": (IDENTITY + FREE, "given on buffers"),
    "out": (IDENTITY + OUT, "given on buffers"),
    "out-freed": (IDENTITY + OUT + FREE, "given on buffers"),
    "out-inferred": (INFERRED + OUT, "given on buffers"),
    "loops": (IDENTITY + OUT + LOOPS, "given on buffers"),
    "affine": (IDENTITY + OUT + FREE + ",func.func(convert-linalg-to-affine-loops)", "given on buffers"),
    "parallel": (IDENTITY + OUT + ",func.func(convert-linalg-to-parallel-loops)", "given on buffers"),
    "branches": (IDENTITY + OUT + FREE + LOOPS + ",convert-scf-to-cf", "given on buffers"),
    "llvm": (IDENTITY + OUT + FREE + LOOPS + DESCRIPTORS, "given in the LLVM dialect with memref descriptors"),
}
# Not for all cases: bare pointers carry no sizes, and a copy between layouts calls MLIR's runtime library.
PARTS = [
    ("bare", "dynamic", (IDENTITY + OUT + FREE + LOOPS + LLVM % "convert-func-to-llvm{use-bare-ptr-memref-call-conv=true}", "bare pointers")),
    ("llvm-inferred", "accumulate", (INFERRED + OUT + FREE + LOOPS + DESCRIPTORS, "memref descriptors")),
]  # fmt: skip


def try_pipeline(name, program, pipeline, says, cases, folder):
    """Lowers the executables of a program; gives what is wrong."""
    lowered = tool(["mlir-opt", f"--pass-pipeline=builtin.module(builtin.module({pipeline}))"], program)
    if name not in ("tensors", "generalized") and re.search(rb"hal.export\S*.*-> tensor", lowered):
        return [f"{name}: nothing was lowered"]
    linked, objects = os.path.join(folder, name + ".so"), os.path.join(folder, name + ".mlirbc")
    explain = os.path.join(folder, name + ".txt")
    tool(["sh", "-c", f"hal-translate --explain -o {objects} 2>{explain} || (cat {explain} >&2; exit 1)"], lowered)
    tool(["hal-link", objects, "-o", linked])
    with open(explain, encoding="utf-8") as f:
        ways = [line for line in f if ": needs " not in line]
    wrong = [f"{name}: {way.strip()}" for way in ways if says not in way]
    for case in cases:
        inputs, expected = CASES[case]
        got = run_program(linked, case, inputs, [e.dtype for e in expected], folder)
        for i, (g, w) in enumerate(zip(got, expected)):
            if d := difference(g, np.asarray(w), 1e-5, 1e-5):
                wrong.append(f"{name}: {case}: result {i}: {d}")
    return wrong


def main():
    with open(os.path.join(here, "Inputs", "products.mlir"), "rb") as f:
        text = f.read()
    program = tool(["hal-import"], text)
    jobs = [(n, program, p, s, list(CASES)) for n, (p, s) in PIPELINES.items()]
    for name, without, (pipeline, says) in PARTS:
        cases = [c for c in CASES if c != without]
        part = tool(["hal-import", *("--function=" + c for c in cases)], text)
        jobs.append((name, part, pipeline, says, cases))
    with tempfile.TemporaryDirectory() as top, ThreadPoolExecutor(4) as pool:

        def run(job):
            folder = os.path.join(top, job[0])
            os.mkdir(folder)
            try:
                return try_pipeline(*job, folder)
            except Exception as e:  # every pipeline is reported
                return [f"{job[0]}: {e}"]

        wrong = [w for result in pool.map(run, jobs) for w in result]
    print("\n".join(wrong) or f"{len(jobs)} pipelines agree with numpy")
    sys.exit(bool(wrong))


main()
