"""The tables of `run.py`, a function each."""

import argparse
import math
import os
import re
import statistics
import sys
import tempfile

import memory as peak
import numpy as np
import onnx
from candidates import IREE, Halyard, candidates, iree_import

import common
from common import WORK, by_turns, peers, print_table, save, seconds, tool

TOLERANCE = 1e-4
# Where activations are rounded to 8 or 16 bits, peers round elsewhere, and a number on the border between two goes either way: the mean
# difference is what counts.
ROUNDED = 3e-2
COARSE = ("int8", "qdq", "qoperator", "dynamic-quantized", "f16", "float16")


def inputs(path, folder):
    """Seeded inputs of a model with fixed sizes as files, by name."""
    graph = onnx.load(path, load_external_data=False).graph
    stored, rng, files = {t.name for t in graph.initializer}, np.random.default_rng(0), {}
    for value in graph.input:
        if value.name not in stored:
            shape = [d.dim_value for d in value.type.tensor_type.shape.dim]
            files[value.name] = os.path.join(folder, f"{len(files)}.npy")
            whole = value.type.tensor_type.elem_type == onnx.TensorProto.INT64
            # A mask counts what is there: models look up positions by its sums.
            below = 2 if "mask" in value.name else 100
            np.save(
                files[value.name],
                rng.integers(0, below, shape) if whole else rng.standard_normal(shape).astype(np.float32),
            )
    return files


def is_coarse(name):
    """Whether a model rounds its activations."""
    return any(kind in name for kind in COARSE)


def difference(ours, theirs, coarse):
    """The largest difference of two files, or the mean one of numbers that were rounded, relative to the largest number."""
    a, b = np.load(ours), np.load(theirs)
    apart = np.abs(a - b)
    return float((apart.mean() if coarse else apart.max()) / np.abs(b).max())


def measure(name, path, threads, a, fixed=None):
    """Medians by candidate, samples by candidate and round, and how far Halyard's output is from a peer's. `fixed`: name and
    path of the same model with the sizes to run it at, a candidate of its own."""
    with tempfile.TemporaryDirectory(dir=WORK) as folder:
        files, made = inputs(fixed[1] if fixed else path, folder), candidates(name, path, threads, a.peers)
        if fixed:
            made["fixed"] = Halyard(*fixed, threads)
        try:
            other = next((made[p] for p in ("onnxruntime", "openvino") if p in made), None)
            far = math.nan
            if other:
                ours, theirs = made["halyard"].outputs(files, folder), other.outputs(files, folder)
                far = difference(ours, theirs, is_coarse(name))
            turns = {label: (lambda c=c: c.measure(files)) for label, c in made.items()}
            rounds = by_turns(turns, a.rounds, warmup=0)
        finally:
            for c in made.values():
                c.end()
    return {label: statistics.median(map(statistics.median, r)) for label, r in rounds.items()}, rounds, far


def best_iree(medians):
    return min((medians[label] for label in IREE if label in medians), default=None)


def columns(medians, a):
    """Halyard's median, then each peer's with its ratio."""
    theirs = {**medians, "iree": best_iree(medians)}
    ratios = {p: theirs[p] / medians["halyard"] for p in a.peers}
    return [
        f"{medians['halyard'] * 1e3:.2f}",
        *(f"{theirs[p] * 1e3:.2f}" for p in a.peers),
        *(f"{ratios[p]:.2f}" for p in a.peers),
    ], ratios


def mean(values):
    return math.exp(statistics.fmean(map(math.log, values)))


def run_models(title, key, names, a, find=common.model):
    """A table of models for each number of threads; then how Halyard scales."""
    ours = {}
    for threads in a.threads:
        rows, all_ratios = [], {p: [] for p in a.peers}
        for name in names:
            medians, rounds, far = measure(name, find(name), threads, a)
            ours[name, threads] = medians["halyard"]
            cells, ratios = columns(medians, a)
            for p, ratio in ratios.items():
                all_ratios[p].append(ratio)
            allowed = ROUNDED if is_coarse(name) else TOLERANCE
            rows.append([name, *cells, f"{far:.1e}{' WRONG' if far > allowed else ''}"])
            flat = {label: [s for r in turns for s in r] for label, turns in rounds.items()}
            save(f"{key}-{name}-{threads}t", flat, threads=threads, rounds=a.rounds, difference=far)
        if len(names) > 1:
            rows.append(
                ["geometric mean", "", *("" for _ in a.peers), *(f"{mean(all_ratios[p]):.2f}" for p in a.peers), ""]
            )
        head = ["model", "Halyard ms", *(f"{p} ms" for p in a.peers), *(f"/ {p}" for p in a.peers), "difference"]
        print_table(f"{title}, {threads} thread{'s' if threads > 1 else ''}", head, rows)
    for threads in a.threads:
        if threads > 1 and 1 in a.threads:
            rows = [
                [n, f"{ours[n, 1] * 1e3:.2f}", f"{ours[n, threads] * 1e3:.2f}", f"{ours[n, 1] / ours[n, threads]:.2f}"]
                for n in names
            ]
            print_table(
                f"Halyard on {threads} threads", ["model", "1 thread ms", f"{threads} threads ms", "speed-up"], rows
            )


def models(a):
    run_models("Light models, batch 1, f32", "model", a.model, a)


def transformer(a):
    run_models("Transformer encoder, 12 layers, 768 wide, sequence 128, f32", "model", ["transformer"], a)


def others(a):
    chosen = [n for n in common.zoo() if a.model == common.LIGHT or n in a.model]
    run_models("Models of other kinds, batch 1, f32", "other", chosen, a)


def llm(a):
    """The peers that have such operators."""
    a = argparse.Namespace(**{**vars(a), "peers": [p for p in a.peers if p == "onnxruntime"]})
    title = (
        "Decoder, 4 layers of half a billion weights, 4 bits (f16: 16), one token or 128 (int8: activations of 8 bits)"
    )
    run_models(title, "llm", list(common.DECODERS), a)


def without_iree(a):
    """The peers that read ONNX as it is."""
    return argparse.Namespace(**{**vars(a), "peers": [p for p in a.peers if p != "iree"]})


def int8(a):
    title = "Quantised by onnxruntime (QDQ: per channel, calibrated; dynamic: activations at run time), batch 1"
    run_models(title, "int8", chosen(common.QUANTIZED, a), without_iree(a))


def half(a):
    """OpenVINO computes them in f32, as the others accumulate in it."""
    run_models("Half precision, f32 inputs and outputs, batch 1", "half", chosen(common.HALVES, a), without_iree(a))


def chosen(names, a):
    """Those of a table that `--model` names, by the model that they were made of; all where it names none."""
    return [n for n in names if a.model == common.LIGHT or common.CONVERTED[n][0] in a.model]


def dynamic(a):
    """Programs for any size beside the same model with fixed sizes, at these."""
    a = without_iree(a)
    for threads in a.threads:
        rows, shares, all_ratios = [], [], {p: [] for p in a.peers}
        for name in chosen(common.SYMBOLIC, a):
            source = common.CONVERTED[name][0]
            medians, rounds, far = measure(name, common.model(name), threads, a, fixed=(source, common.model(source)))
            cells, ratios = columns(medians, a)
            shares.append(medians["fixed"] / medians["halyard"])
            for p, ratio in ratios.items():
                all_ratios[p].append(ratio)
            wrong = " WRONG" if far > TOLERANCE else ""
            rows.append([name, f"{medians['fixed'] * 1e3:.2f}", f"{shares[-1]:.2f}", *cells, f"{far:.1e}{wrong}"])
            flat = {label: [s for r in turns for s in r] for label, turns in rounds.items()}
            save(f"dynamic-{name}-{threads}t", flat, threads=threads, rounds=a.rounds, difference=far)
        blank = ["" for _ in range(len(a.peers) + 1)]
        means = [f"{mean(all_ratios[p]):.2f}" for p in a.peers]
        rows.append(["geometric mean", "", f"{mean(shares):.2f}", *blank, *means, ""])
        theirs = [*(f"{p} ms" for p in a.peers), *(f"/ {p}" for p in a.peers)]
        head = ["model", "fixed ms", "share", "Halyard ms", *theirs, "difference"]
        print_table(f"Symbolic sizes, {threads} thread{'s' if threads > 1 else ''}", head, rows)


def folder(a):
    """Models of one's own, with fixed sizes."""
    if not a.folder:
        sys.exit("--table folder needs --folder DIR, with models")
    a = without_iree(a)
    names = sorted(f[:-5] for f in os.listdir(a.folder) if f.endswith(".onnx"))
    wanted = [n for n in names if not a.only or re.search(a.only, n)]
    if not wanted:
        sys.exit(f"no model in {a.folder}" + (f" matches `{a.only}`" if a.only else ""))
    # Paths of this machine have no place in committed runs.
    run_models(
        f"Models of {os.path.basename(os.path.normpath(a.folder))}",
        "folder",
        wanted,
        a,
        lambda n: os.path.join(a.folder, f"{n}.onnx"),
    )


def compile_time(a):
    """Cold: from the ONNX file to the linked program; IREE from what its importer made, without its time."""
    rows = []
    names = [*a.model, *(["transformer"] if a.model == common.LIGHT else [])]
    for name in names:
        path = common.model(name)
        out = os.path.join(WORK, f"{name}-cold")
        commands = {"halyard": [tool("hal-compile"), "-q", path, "-o", f"{out}.so"]}
        if "iree" in a.peers:
            commands["iree-compile"] = [
                os.path.join(peers(), "iree-compile"),
                "--iree-hal-target-backends=llvm-cpu",
                "--iree-llvmcpu-target-cpu=host",
                iree_import(name, path),
                "-o",
                f"{out}.vmfb",
            ]
        fresh = lambda c: (os.path.exists(f"{out}.safetensors") and os.unlink(f"{out}.safetensors"), seconds(c))[1]  # noqa: E731
        samples = by_turns({label: (lambda c=c: fresh(c)) for label, c in commands.items()}, min(a.rounds, 3), warmup=0)
        save(f"compile-{name}", samples)
        wall = {label: statistics.median(s) for label, s in samples.items()}
        cpu = {label: statistics.median(v.cpu for v in s) for label, s in samples.items()}
        theirs = wall.get("iree-compile")
        ratio = [f"{theirs:.2f}", f"{cpu['iree-compile']:.2f}", f"{wall['halyard'] / theirs:.2f}"] if theirs else []
        rows.append([name, f"{wall['halyard']:.2f}", f"{cpu['halyard']:.2f}", *ratio])
    head = ["model", "hal-compile s", "CPU s", *(["iree-compile s", "CPU s", "share"] if "iree" in a.peers else [])]
    print_table("Compile time, cold", head, rows)


MANY = """func.func @main(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {{
  %z = arith.constant 0.0 : f32
{body}  return {last} : tensor<8x64xf32>
}}
"""
STEP = """  %w{i} = arith.constant dense<0.01> : tensor<64x{m}xf32>
  %v{i} = arith.constant dense<0.01> : tensor<{m}x64xf32>
  %e{i} = tensor.empty() : tensor<8x{m}xf32>
  %f{i} = linalg.fill ins(%z : f32) outs(%e{i} : tensor<8x{m}xf32>) -> tensor<8x{m}xf32>
  %a{i} = linalg.matmul ins({last}, %w{i} : tensor<8x64xf32>, tensor<64x{m}xf32>) outs(%f{i} : tensor<8x{m}xf32>) -> tensor<8x{m}xf32>
  %g{i} = tensor.empty() : tensor<8x64xf32>
  %h{i} = linalg.fill ins(%z : f32) outs(%g{i} : tensor<8x64xf32>) -> tensor<8x64xf32>
  %b{i} = linalg.matmul ins(%a{i}, %v{i} : tensor<8x{m}xf32>, tensor<{m}x64xf32>) outs(%h{i} : tensor<8x64xf32>) -> tensor<8x64xf32>
"""


def many(a):
    """Programs of 2N different matrix products."""
    rows = []
    for count in a.count:
        last, body = "%x", ""
        for i in range(count):
            body += STEP.format(i=i, m=65 + i, last=last)
            last = f"%b{i}"
        source = os.path.join(WORK, f"many{count}.mlir")
        with open(source, "w", encoding="utf-8") as f:
            f.write(MANY.format(body=body, last=last))
        commands = {"halyard": [tool("hal-compile"), "-q", source, "-o", source[:-5] + ".so"]}
        if "iree" in a.peers and count <= 128:
            commands["iree-compile"] = [
                os.path.join(peers(), "iree-compile"),
                "--iree-hal-target-backends=llvm-cpu",
                "--iree-llvmcpu-target-cpu=host",
                source,
                "-o",
                source[:-5] + ".vmfb",
            ]
        samples = by_turns(
            {label: (lambda c=c: seconds(c)) for label, c in commands.items()}, min(a.rounds, 3), warmup=0
        )
        save(f"many-{count}", samples)
        cells = []
        for label in ("halyard", "iree-compile"):
            s = samples.get(label)
            each = lambda: f"{statistics.median(s) / (2 * count) * 1e3:.1f}"  # noqa: B023, E731
            cells += (
                [f"{statistics.median(s):.2f}", each(), f"{statistics.median(v.peak for v in s) / 2**20:.0f}"]
                if s
                else ["", "", ""]
            )
        rows.append([str(2 * count), *cells])
    print_table(
        "Many executables",
        ["executables", "hal-compile s", "ms each", "peak MiB", "iree-compile s", "ms each", "peak MiB"],
        rows,
    )


def memory(a):
    """The most memory while compiling vgg19: of the largest process, and of all together with shared pages once."""
    path, out = common.model("vgg19"), os.path.join(WORK, "vgg19-memory")
    weights = sum(np.prod(t.dims) * 4 for t in onnx.load(path).graph.initializer)
    rows, samples = [], {}
    commands = {"hal-compile": [tool("hal-compile"), "-q", path, "-o", f"{out}.so"]}
    if "iree" in a.peers:
        commands["iree-compile"] = [
            os.path.join(peers(), "iree-compile"),
            "--iree-hal-target-backends=llvm-cpu",
            iree_import("vgg19", path),
            "-o",
            f"{out}.vmfb",
        ]
    for label, command in commands.items():
        largest, together, samples[label] = peak.of(command)
        rows.append(
            [
                label,
                f"{weights / 2**20:.0f}",
                f"{largest / 2**20:.0f}",
                f"{together / 2**20:.0f}",
                f"{largest / weights:.2f}",
                f"{together / weights:.2f}",
            ]
        )
    save("memory-vgg19", samples, unit="bytes", weights=int(weights))
    print_table(
        "Memory while compiling vgg19",
        ["", "weights MiB", "largest process MiB", "all MiB", "largest / weights", "all / weights"],
        rows,
    )


def startup(a):
    """A process that loads squeezenet and runs it once, against a run in the steady state."""
    path = common.model("squeezenet")
    with tempfile.TemporaryDirectory(dir=WORK) as folder:
        files, rows = inputs(path, folder), []
        for threads in a.threads:
            ours = Halyard("squeezenet", path, threads)
            once = [
                tool("hal-run"),
                ours.program,
                f"--threads={threads}",
                *ours.inputs(files),
                "-o",
                os.path.join(folder, "out.npy"),
            ]
            samples = by_turns(
                {"load and run": lambda c=once: seconds(c), "run": lambda o=ours: statistics.median(o.measure(files))},
                a.rounds,
            )
            save(f"startup-squeezenet-{threads}t", samples, threads=threads)
            first, steady = (statistics.median(samples[k]) * 1e3 for k in ("load and run", "run"))
            rows.append([str(threads), f"{first:.1f}", f"{steady:.1f}", f"{first - steady:.1f}"])
    print_table(
        "Start-up of squeezenet (the whole process)",
        ["threads", "load and first run ms", "steady run ms", "difference ms"],
        rows,
    )
