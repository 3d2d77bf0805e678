#!/usr/bin/env python3
"""The nine `light_*` models of the `onnx` wheel with realistic weights, on random inputs, against onnxruntime."""

import argparse
import glob
import os
import shutil
import subprocess
import sys
import tempfile
import time

import numpy as np
import onnx
import onnxruntime

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "models"))
from randomize import randomize  # noqa: E402

DATA = os.path.join(os.path.dirname(onnx.__file__), "backend", "test", "data", "light")
# A result is right if it is this near, relative to the largest reference and relative to itself (small ones: to 1 % of the largest).
LIMIT = 1e-3


def reference(path, feeds):
    """What onnxruntime says, without its graph optimisations, which reorder sums."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"]).run(None, feeds)


def errors(got, want):
    """(largest difference relative to the largest reference, largest elementwise relative difference)."""
    got, want = got.astype(np.float64), want.astype(np.float64)
    if got.shape != want.shape or not np.isfinite(got).all():
        return np.inf, np.inf
    scale = np.abs(want).max() or 1.0
    difference = np.abs(got - want)
    return difference.max() / scale, (difference / (np.abs(want) + 0.01 * scale)).max()


def expose_logits(model):
    """Makes what goes into a final Softmax an output as well: a saturated or flat softmax hides every error."""
    outputs = {o.name for o in model.graph.output}
    for node in model.graph.node:
        if node.op_type == "Softmax" and node.output[0] in outputs:
            model.graph.output.append(onnx.helper.make_tensor_value_info(node.input[0], onnx.TensorProto.FLOAT, None))


def tool(command, folder):
    start = time.monotonic()
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    if done.returncode:
        raise RuntimeError(
            f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr.decode(errors='replace').strip()}"
        )
    return time.monotonic() - start


def realistic(source, seed):
    """A model of the wheel with weights that hide nothing."""
    model = onnx.load(source)
    randomize(model, seed)
    expose_logits(model)
    return model


def check(model, seed, folder, target, extra):
    """Compiles and runs a model; returns (compile s, run s, error, elementwise error)."""
    onnx.save(model, os.path.join(folder, "model.onnx"))
    rng, feeds, command = (
        np.random.default_rng(seed + 1),
        {},
        ["hal-run", "model.so", f"--device={target.split(':')[0].split(',')[0]}"],
    )
    fixed = {t.name for t in model.graph.initializer}
    for i, value in enumerate(v for v in model.graph.input if v.name not in fixed):
        shape, whole = (
            [d.dim_value or 1 for d in value.type.tensor_type.shape.dim],
            value.type.tensor_type.elem_type == onnx.TensorProto.INT64,
        )
        feeds[value.name] = rng.integers(0, 100, shape) if whole else rng.standard_normal(shape, np.float32)
        np.save(os.path.join(folder, f"in{i}.npy"), feeds[value.name])
        command.append(f"--input=@in{i}.npy")
    compiling = tool(["hal-compile", "model.onnx", "-o", "model.so", f"--target={target}", *extra], folder)
    want = reference(os.path.join(folder, "model.onnx"), feeds)
    running = tool(command + [f"--output=out{i}.npy" for i in range(len(want))], folder)
    found = [errors(np.load(os.path.join(folder, f"out{i}.npy")), w) for i, w in enumerate(want)]
    return compiling, running, max(e[0] for e in found), max(e[1] for e in found)


def main():
    p = argparse.ArgumentParser(description=__doc__, epilog="What follows -- is given to hal-compile.")
    p.add_argument("--model", action="append", default=[], help="part of a name, repeatable (default: all)")
    p.add_argument("--target", default="cpu", help="as for hal-compile; it must run here (default %(default)s)")
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--keep", metavar="DIR", help="leave models, programs and arrays in DIR/NAME")
    argv, extra = sys.argv[1:], []
    if "--" in argv:
        argv, extra = argv[: argv.index("--")], argv[argv.index("--") + 1 :]
    a = p.parse_args(argv)
    sources = [
        s for s in sorted(glob.glob(os.path.join(DATA, "light_*.onnx"))) if not a.model or any(m in s for m in a.model)
    ]
    print(f"{'model':16} {'compile s':>10} {'run s':>8} {'error':>10} {'elementwise':>12}")
    failed = 0
    for source in sources:
        name = os.path.basename(source).removeprefix("light_").removesuffix(".onnx")
        folder = os.path.join(a.keep, name) if a.keep else tempfile.mkdtemp(prefix="hal-model-")
        os.makedirs(folder, exist_ok=True)
        try:
            compiling, running, error, elementwise = check(realistic(source, a.seed), a.seed, folder, a.target, extra)
            bad = not (error <= LIMIT and elementwise <= LIMIT)
            print(
                f"{name:16} {compiling:10.2f} {running:8.2f} {error:10.1e} {elementwise:12.1e}{'  TOO LARGE' if bad else ''}",
                flush=True,
            )
        except RuntimeError as e:
            bad = True
            print(f"{name:16} FAILED: {e}", flush=True)
        finally:
            if not a.keep:
                shutil.rmtree(folder, ignore_errors=True)
        failed += bad
    print(f"{len(sources) - failed} of {len(sources)} agree with onnxruntime {onnxruntime.__version__} to {LIMIT:g}")
    sys.exit(failed > 0 or not sources)


if __name__ == "__main__":
    main()
