#!/usr/bin/env python3
"""Whole ONNX models on a GPU: results beside onnxruntime's, times beside PyTorch's.

`models.py prepare FOLDER MODEL.onnx…` compiles the models, here, and has onnxruntime compute what they give for random inputs.
`models.py run FOLDER` needs the GPU, hal-benchmark and numpy. For a model that is named
after one of torchvision's, it also reports PyTorch's times: eager, and as a CUDA graph. Exit code 1 if a result is wrong.
"""

import argparse
import json
import os
import subprocess
import sys
import time

import numpy as np
from package import python_package

# Beside the largest magnitude of a result. f16 models round each result of a kernel once, onnxruntime after each operator.
TOLERANCE = {"float32": 1e-4, "float16": 2e-2}


def inputs_of(session, rng):
    """Random inputs: images and activations around zero, tokens below 1000, masks of ones. Open sizes are 1."""
    made = {}
    for i in session.get_inputs():
        shape = [d if isinstance(d, int) else 1 for d in i.shape]
        if "float" in i.type:
            made[i.name] = rng.standard_normal(shape).astype(np.float16 if "16" in i.type else np.float32)
        elif "mask" in i.name:
            made[i.name] = np.ones(shape, np.int64)
        else:
            made[i.name] = rng.integers(0, 2 if "type" in i.name else 1000, shape)
    return made


def prepare(folder, models, target, flags):
    import onnxruntime

    os.makedirs(folder, exist_ok=True)
    python_package(folder)
    for path in models:
        name = os.path.splitext(os.path.basename(path))[0]
        program = os.path.join(folder, f"{name}.so")
        subprocess.run(["hal-compile", f"--target={target}", *flags, path, "-o", program], check=True)
        session = onnxruntime.InferenceSession(path)
        inputs = inputs_of(session, np.random.default_rng(0))
        results = session.run(None, inputs)
        np.savez(
            os.path.join(folder, f"{name}.npz"),
            **{f"in{i}": v for i, v in enumerate(inputs.values())},
            **{f"out{i}": v for i, v in enumerate(results)},
        )
        print(f"{name}: {os.path.getsize(program)} bytes", flush=True)


def median(work, times=30, warm=5):
    """The middle of the times of some work, in seconds."""
    took = []
    for _ in range(times + warm):
        start = time.perf_counter()
        work()
        took.append(time.perf_counter() - start)
    return sorted(took[warm:])[times // 2]


def of_torch(name, inputs):
    """PyTorch's times of an image model: eager, and of a CUDA graph; the same copies as ours. Nothing without them."""
    try:
        import torch
        import torchvision
    except ImportError:
        return []
    base, _, half = name.partition("-")
    if not torch.cuda.is_available() or not hasattr(torchvision.models, base):
        return []
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    dtype = torch.float16 if half == "f16" else torch.float32
    with torch.inference_mode():
        model = getattr(torchvision.models, base)(weights=None).eval().to("cuda", dtype)
        host = torch.from_numpy(inputs[0]).to(dtype)
        eager = median(lambda: model(host.to("cuda")).cpu())
        device, stream = host.to("cuda"), torch.cuda.Stream()
        with torch.cuda.stream(stream):
            for _ in range(3):
                model(device)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            result = model(device)

        def replay():
            device.copy_(host)
            graph.replay()
            result.cpu()

        return [("torch", eager), ("torch, graph", median(replay))]


def kernels(program, inputs, folder, device):
    """The seconds of all kernels of a run, and the slowest: (seconds, calls, name)."""
    words = []
    for i, value in enumerate(inputs):
        path = os.path.join(folder, f"in{i}.npy")
        np.save(path, value)
        words.append(f"--input=@{path}")
    command = ["hal-benchmark", f"--device={device}", "--per-executable", "--min-time=0.05", program, "--json=-"]
    out = subprocess.run(command + words, stdout=subprocess.PIPE, check=True).stdout
    found = [r for r in json.loads(out)["results"] if "dispatch" in r]
    rows = sorted(((r["min"] * r["dispatch"]["calls"], r["dispatch"]["calls"], r["name"]) for r in found), reverse=True)
    return sum(r[0] for r in rows), rows


def run(folder, device):
    sys.path.insert(0, os.path.join(folder, "python"))
    import halyard

    failed = 0
    for path in sorted(f for f in os.listdir(folder) if f.endswith(".npz")):
        name, data = path[:-4], np.load(os.path.join(folder, path))
        inputs = [data[f"in{i}"] for i in range(sum(k.startswith("in") for k in data))]
        wanted = [data[f"out{i}"] for i in range(sum(k.startswith("out") for k in data))]
        program = os.path.join(folder, f"{name}.so")
        try:
            start = time.perf_counter()
            loaded = halyard.load(program, device)
            got = loaded(*inputs)
            first = time.perf_counter() - start
            again = loaded(*inputs)
        except halyard.Error as e:
            print(f"FAIL {name}: {e}", flush=True)
            failed += 1
            continue
        results = [np.asarray(g) for g in (got if isinstance(got, tuple) else (got,))]
        second = [np.asarray(g) for g in (again if isinstance(again, tuple) else (again,))]
        far = max(
            float(np.abs(g.astype(np.float64) - w).max() / max(np.abs(w.astype(np.float64)).max(), 1e-30))
            for g, w in zip(results, wanted)
        )
        same = all(np.array_equal(a, b, equal_nan=True) for a, b in zip(results, second))
        wrong = not far <= TOLERANCE[str(wanted[0].dtype)] or not same
        failed += wrong
        took = median(lambda: loaded(*inputs))
        total, rows = kernels(program, inputs, folder, device)
        beside = "".join(f", {who} {t * 1e3:.2f} ms" for who, t in of_torch(name, inputs))
        state = ("FAIL " if wrong else "") + ("" if same else "(two runs differ) ")
        print(
            f"{state}{name}: difference {far:.1e}; start and first run {first:.1f} s, a run {took * 1e3:.2f} ms, its kernels {total * 1e3:.2f} ms{beside}",
            flush=True,
        )
        for seconds, calls, kernel in rows[:12]:
            print(f"    {seconds * 1e6:8.0f} us {calls:4} x {kernel}", flush=True)
    return failed


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    p.add_argument("step", choices=["prepare", "run"])
    p.add_argument("folder")
    p.add_argument("models", nargs="*", help="for prepare")
    p.add_argument("--target", default="cuda:sm_90", help="for prepare (default %(default)s)")
    p.add_argument("--device", default="cuda", help="for run (default %(default)s)")
    p.add_argument("--flag", action="append", default=[], help="for prepare: a further flag of hal-compile")
    a = p.parse_args()
    if a.step == "prepare":
        return prepare(a.folder, a.models, a.target, a.flag)
    return run(a.folder, a.device) > 0


if __name__ == "__main__":
    sys.exit(main())
