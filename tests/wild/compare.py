#!/usr/bin/env python3
"""Compiles exported models and runs them beside onnxruntime, each at its shapes: `compare.py FOLDER`. The tools are those on PATH.

Right: every output within rtol 1e-3 of the largest number of that output. Refused: a tool says with exit code 1 what it does not
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


def message(done):
    lines = [line for line in done.stderr.splitlines() if line.strip()]
    return " | ".join(lines[:6])[:700]


def compare(path, folder, flags):
    program = os.path.join(folder, "model.so")
    done = subprocess.run(["hal-compile", path, "-o", program, *flags], capture_output=True, text=True, check=False)
    if done.returncode:
        return ("refused" if done.returncode == 1 else "WRONG"), message(done)
    with open(path.removesuffix(".onnx") + ".json", encoding="utf-8") as f:
        spec = json.load(f)
    session = ort.InferenceSession(path)
    names = [i.name for i in session.get_inputs()]
    worst = 0.0
    for k, shapes in enumerate(spec["inputs"]):
        feeds = dict(zip(names, tensors(shapes, k)))
        if len(names) != len(shapes):
            return "WRONG", f"the model has {len(names)} inputs, not {len(shapes)}"
        try:
            want = session.run(None, feeds)
        except Exception as e:  # noqa: BLE001
            print(f"  onnxruntime does not run shape {k}: {str(e)[:200]}")
            continue
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
            if w.dtype.kind != "f":
                if not np.array_equal(got.astype(w.dtype), w):
                    return "WRONG", f"shape {k}, output {i} of {w.dtype}: {int((got != w).sum())} of {w.size} differ"
                continue
            a, b = got.astype(np.float64), w.astype(np.float64)
            size = np.abs(b[np.isfinite(b)]).max(initial=1e-6)
            off = np.abs(a - b)
            off = np.where((a == b) | (np.isnan(a) & np.isnan(b)), 0, off)
            worst = max(worst, float(off.max(initial=0) / size))
            if not worst <= (1e-3 if w.dtype != np.float16 else 2e-2):
                return "WRONG", f"shape {k}, output {i}: off by {worst:.2e} of the largest number"
    return "right", f"off by {worst:.1e}"


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
    counts = {o: sum(r[0] == o for r in results.values()) for o in ("right", "refused", "WRONG")}
    print(", ".join(f"{n} {o}" for o, n in counts.items()), f"of {len(results)}; onnxruntime {ort.__version__}, onnx {onnx.__version__}")
    if a.record:
        with open(a.record, "w", encoding="utf-8") as f:
            json.dump(results, f, indent=1)
    sys.exit(counts["WRONG"] > 0)


if __name__ == "__main__":
    main()
