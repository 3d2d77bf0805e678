#!/usr/bin/env python3
"""Compiles exported models and runs them beside onnxruntime, each at its shapes: `compare.py FOLDER`. The tools are those on PATH.

Right: every output within 1e-3 (or what the model's .json says) of the largest number of that output. Refused: a tool says with exit code 1 what it does not
take. Everything else is wrong, and the exit code is 1.
"""

import argparse
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime as ort

ort.set_default_logger_severity(4)


def tensors(spec, seed):
    r = np.random.default_rng(seed)
    for s in spec:
        dtype = np.dtype({"bool": "bool"}.get(s["dtype"], s["dtype"]))
        if dtype.kind == "f":
            yield r.standard_normal(s["shape"]).astype(dtype)
        elif dtype.kind == "b":
            yield np.full(s["shape"], bool(s["high"] > 1 or s["low"]))
        else:
            yield r.integers(s["low"], max(s["high"], s["low"] + 1), s["shape"]).astype(dtype)


def given(path, spec, names):
    """The inputs of each run: stored ones, or random ones of the shapes that are listed."""
    if "stored" in spec:
        with np.load(path.removesuffix(".onnx") + ".npz") as arrays:
            for run in spec["stored"]:
                yield {name: arrays[run[name]] for name in names}
        return
    for k, shapes in enumerate(spec["inputs"]):
        yield dict(zip(names, tensors(shapes, k))) if len(names) == len(shapes) else shapes


def parts(output):
    """What a program gives for an output: each tensor of a sequence, and scores instead of the maps that `ZipMap` makes of them."""
    if isinstance(output, list) and output and isinstance(output[0], dict):
        return [np.array([list(row.values()) for row in output], np.float32)]
    return [np.asarray(part) for part in (output if isinstance(output, list) else [output])]


def message(done):
    lines = [line for line in done.stderr.splitlines() if line.strip()]
    return " | ".join(lines[:6])[:700]


def compare(path, folder, flags):
    program = os.path.join(folder, "model.so")
    done = subprocess.run(["hal-compile", path, "-o", program, *flags], capture_output=True, text=True, check=False)
    with open(path.removesuffix(".onnx") + ".json", encoding="utf-8") as f:
        spec = json.load(f)
    options = ort.SessionOptions()
    if "tolerance" in spec:
        # Its optimiser fuses what dequantises with what follows, by kernels that round more than the model says.
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    try:
        session = ort.InferenceSession(path, options)
    except Exception as e:  # noqa: BLE001
        return "no model", f"onnxruntime does not load it: {' '.join(str(e).split())[:300]}"
    if done.returncode:
        return ("refused" if done.returncode == 1 else "WRONG"), message(done)
    names = [i.name for i in session.get_inputs()]
    worst, ran = 0.0, 0
    fine = spec.get("tolerance", 1e-3)
    for k, feeds in enumerate(given(path, spec, names)):
        if len(names) != len(feeds):
            return "WRONG", f"the model has {len(names)} inputs, not {len(feeds)}"
        try:
            want = [part for output in session.run(None, feeds) for part in parts(output)]
        except Exception as e:  # noqa: BLE001
            print(f"  onnxruntime does not run shape {k}: {str(e)[:200]}")
            continue
        ran += 1
        command = ["hal-run", program]
        for i, (name, array) in enumerate(feeds.items()):
            np.save(os.path.join(folder, f"in{i}.npy"), array)
            command.append(f"--input={name}=@{folder}/in{i}.npy")
        command += [f"--output={folder}/out{i}.npy" for i in range(len(want))]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            return "WRONG", f"shape {k} {[list(v.shape) for v in feeds.values()]}: {message(done)}"
        for i, w in enumerate(want):
            got = np.load(os.path.join(folder, f"out{i}.npy"))
            if got.shape != w.shape:
                return "WRONG", f"shape {k}, output {i}: {got.shape}, expected {w.shape}"
            if w.dtype.kind in "OU":
                if not np.array_equal(got.astype(str), w.astype(str)):
                    return (
                        "WRONG",
                        f"shape {k}, output {i} of strings: {int((got.astype(str) != w.astype(str)).sum())} of {w.size} differ",
                    )
                continue
            if w.dtype.kind != "f":
                if not np.array_equal(got.astype(w.dtype), w):
                    return "WRONG", f"shape {k}, output {i} of {w.dtype}: {int((got != w).sum())} of {w.size} differ"
                continue
            a, b = got.astype(np.float64), w.astype(np.float64)
            size = np.abs(b[np.isfinite(b)]).max(initial=1e-6)
            off = np.abs(a - b)
            off = np.where((a == b) | (np.isnan(a) & np.isnan(b)), 0, off)
            worst = max(worst, float(off.max(initial=0) / size))
            if not worst <= (fine if w.dtype != np.float16 else max(fine, 2e-2)):
                return "WRONG", f"shape {k}, output {i}: off by {worst:.2e} of the largest number"
    return ("right", f"off by {worst:.1e}") if ran else ("no model", "onnxruntime does not run it at any shape")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("folder")
    p.add_argument("--filter", default="", metavar="REGEX")
    p.add_argument("--record", metavar="FILE", help="write results as JSON")
    p.add_argument("flags", nargs="*", help="further flags of hal-compile, after --")
    a = p.parse_args()
    results = {}
    for path in sorted(glob.glob(os.path.join(a.folder, "*.onnx"))):
        name = os.path.basename(path).removesuffix(".onnx")
        if re.search(a.filter, name):
            with tempfile.TemporaryDirectory(prefix="hal-wild-") as folder:
                outcome, text = compare(path, folder, a.flags)
            results[name] = (outcome, text)
            print(f"{outcome:8} {name}: {text}", flush=True)
    counts = {o: sum(r[0] == o for r in results.values()) for o in ("right", "refused", "WRONG", "no model")}
    print(
        ", ".join(f"{n} {o}" for o, n in counts.items()),
        f"of {len(results)}; onnxruntime {ort.__version__}, onnx {onnx.__version__}",
    )
    if a.record:
        with open(a.record, "w", encoding="utf-8") as f:
            json.dump(results, f, indent=1)
    sys.exit(counts["WRONG"] > 0)


if __name__ == "__main__":
    main()
