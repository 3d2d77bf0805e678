"""Compiles a program by the plugin, runs it, and compares what it returns."""

import os
import pathlib
import subprocess

import numpy as np

RTOL, ATOL = 1e-3, 2e-4
PLUGIN = pathlib.Path(__file__).resolve().parents[2] / "plugins" / "stablehlo"


def plain(x):
    """An array as files and programs have it: complex numbers as pairs, small floats as bits."""
    x = np.asarray(x)
    if x.dtype.kind == "c":
        return np.stack([x.real, x.imag], -1)
    if x.dtype.name == "bfloat16":
        return x.view(np.uint16)
    if x.dtype.name.startswith("float8"):
        return x.view(np.uint8)
    return x


def number(x, expected):
    """What was returned, as numbers that can be compared."""
    if expected.dtype.name == "bfloat16":
        return x.view(np.uint16).view(expected.dtype).astype(np.float32), expected.astype(np.float32)
    if expected.dtype.name.startswith("float8"):
        return x.view(expected.dtype).astype(np.float32), expected.astype(np.float32)
    if expected.dtype.kind == "c":
        return x, plain(expected)
    return x, expected


def tool(*words, **more):
    return subprocess.run([str(w) for w in words], capture_output=True, text=True, timeout=300, **more)


def check(folder, program, inputs, expected, python, flags=()):
    """`right`, or what went wrong: which step, and what it said."""
    folder = pathlib.Path(folder)
    so = folder / "m.so"
    done = tool("hal-compile", program, "-o", so, f"--plugin={PLUGIN}/{{python={python}}}", *flags)
    if done.returncode:
        return f"refused: {done.stderr.strip()[:1500]}"
    words = []
    for k, x in enumerate(inputs):
        np.save(folder / f"in{k}.npy", plain(x))
        words.append(f"--input=@{folder}/in{k}.npy")
    words += [f"--output={folder}/out{k}.npy" for k in range(len(expected))]
    device = [f"--device={os.environ['HALYARD_TEST_DEVICE']}"] if os.environ.get("HALYARD_TEST_DEVICE") else []
    done = tool("hal-run", so, *words, *device)
    if done.returncode:
        return f"run: {done.stderr.strip()[:1500]}"
    return compare([np.load(folder / f"out{k}.npy") for k in range(len(expected))], expected)


def compare(got, expected):
    """`right`, or how the results differ."""
    for k, (x, y) in enumerate(zip(got, expected)):
        x, y = number(x, np.asarray(y))
        if x.shape != y.shape:
            return f"wrong: result {k} has shape {x.shape}, not {y.shape}"
        narrow = np.asarray(expected[k]).dtype.name
        rtol, atol = {"bfloat16": (3e-2, 3e-2), "float16": (5e-3, 5e-3)}.get(narrow, (RTOL, ATOL))
        if y.dtype.kind in "iub":
            good = (x.astype(y.dtype) == y).all()
        else:
            good = np.allclose(x, y, rtol=rtol, atol=atol, equal_nan=True)
        if not good:
            far = np.abs(x.astype(np.float64) - y.astype(np.float64))
            return f"wrong: result {k} by {np.nanmax(far)}: {x.ravel()[:5]} {y.ravel()[:5]}"
    return "right"


def tally(results, floor):
    """Prints what is not right of (name, outcome) as it comes, and the counts; gives the exit code."""
    counts = {}
    for name, said in results:
        kind = said.split(":")[0]
        counts[kind] = counts.get(kind, 0) + 1
        if said != "right":
            print(f"{name}: {said}", flush=True)
    print(", ".join(f"{n} {kind}" for kind, n in sorted(counts.items())))
    return 1 if counts.get("wrong") or counts.get("right", 0) < floor else 0
