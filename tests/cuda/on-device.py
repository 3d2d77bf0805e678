#!/usr/bin/env python3
"""Everything that needs a GPU, in two steps, because a machine that lends its GPU may have no MLIR.

`on-device.py prepare FOLDER` compiles the programs, here; `on-device.py run FOLDER` runs them where the GPU is, which takes
hal-run, hal-benchmark, Python with numpy and this folder of tests: a table of speed, products beside cuBLAS (the system's, or
that of the package `nvidia-cublas-cu12`), kernels that memory bounds beside the bandwidth of a copy; then all numerics against
numpy, until --minutes are over. What is left is run by another call with --from. Exit code 1 if a result is wrong or missing;
never because of a time.
"""

import argparse
import glob
import importlib
import json
import os
import pickle
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "numerics"))
import harness  # noqa: E402
from driver import copy_bandwidth, cublas_seconds  # noqa: E402

# What are no families of cases.
OTHERS = {"harness", "text", "random_graphs", "random_shapes"}
GROUP = 24


def families():
    for path in sorted(glob.glob(os.path.join(HERE, "..", "numerics", "*.py"))):
        name = os.path.splitext(os.path.basename(path))[0]
        cases = None if name in OTHERS else getattr(importlib.import_module(name), "CASES", None)
        if cases:
            yield name, list(cases)


def compile_group(cases, stem, target, index):
    """Compiles cases together, or apart where that fails; adds them to the index."""
    try:
        harness.compile_text(harness.module(cases), stem + ".so", target=target)
        index.append({"program": os.path.basename(stem) + ".so", "cases": cases})
    except harness.ToolError as e:
        if len(cases) == 1:
            index.append({"program": None, "cases": cases, "error": str(e)})
            return
        half = len(cases) // 2
        compile_group(cases[:half], stem + "a", target, index)
        compile_group(cases[half:], stem + "b", target, index)


def ty(*shape, dtype="f32"):
    return f"tensor<{'x'.join(map(str, shape))}x{dtype}>"


def product(m, n, k, dtype):
    total, zero = ("i32", "0") if dtype == "i8" else ("f32", "0.0")
    a, b, c = ty(m, k, dtype=dtype), ty(k, n, dtype=dtype), ty(m, n, dtype=total)
    return (
        f"""func.func @main(%a: {a}, %b: {b}) -> {c} {{
  %z = arith.constant {zero} : {total}
  %e = tensor.empty() : {c}
  %f = linalg.fill ins(%z : {total}) outs(%e : {c}) -> {c}
  %r = linalg.matmul ins(%a, %b : {a}, {b}) outs(%f : {c}) -> {c}
  return %r : {c}
}}""",
        [f"{m}x{k}x{dtype}=random:1", f"{k}x{n}x{dtype}=random:2"],
    )


def unary(op, m, n):
    t = ty(m, n)
    return f"func.func @main(%a: {t}) -> {t} {{\n  %r = {op} %a : {t}\n  return %r : {t}\n}}", [f"{m}x{n}xf32=random:1"]


def softmax(m, n):
    t = ty(m, n)
    return (
        f"""func.func @main(%a: {t}) -> {t} {{
  %e = tensor.empty() : {t}
  %r = linalg.softmax dimension(1) ins(%a : {t}) outs(%e : {t}) -> {t}
  return %r : {t}
}}""",
        [f"{m}x{n}xf32=random:1"],
    )


def row_sum(m, n):
    t, r = ty(m, n), ty(m)
    return (
        f"""func.func @main(%a: {t}) -> {r} {{
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : {r}
  %f = linalg.fill ins(%z : f32) outs(%e : {r}) -> {r}
  %s = linalg.reduce ins(%a : {t}) outs(%f : {r}) dimensions = [1] (%x: f32, %y: f32) {{
    %t = arith.addf %x, %y : f32
    linalg.yield %t : f32
  }}
  return %s : {r}
}}""",
        [f"{m}x{n}xf32=random:1"],
    )


def layernorm(m, n):
    t, r = ty(m, n), ty(m)
    rows, wide = "affine_map<(d0, d1) -> (d0)>", "affine_map<(d0, d1) -> (d0, d1)>"
    total = f"""%s{{0}} = linalg.generic {{{{indexing_maps = [{wide}, {rows}], iterator_types = ["parallel", "reduction"]}}}} ins({{1}} : {t}) outs(%f : {r}) {{{{
  ^bb0(%x: f32, %o: f32):
    {{2}}
    %q = arith.addf %v, %o : f32
    linalg.yield %q : f32
  }}}} -> {r}"""
    centred = f"""%d = linalg.generic {{indexing_maps = [{wide}, {rows}, {wide}], iterator_types = ["parallel", "parallel"]}} ins(%a, %s0 : {t}, {r}) outs(%e : {t}) {{
  ^bb0(%x: f32, %m: f32, %o: f32):
    %k = arith.mulf %m, %inv : f32
    %q = arith.subf %x, %k : f32
    linalg.yield %q : f32
  }} -> {t}"""
    scaled = f"""%n = linalg.generic {{indexing_maps = [{wide}, {rows}, {wide}], iterator_types = ["parallel", "parallel"]}} ins(%d, %s1 : {t}, {r}) outs(%e : {t}) {{
  ^bb0(%x: f32, %m: f32, %o: f32):
    %k = arith.mulf %m, %inv : f32
    %g = arith.addf %k, %eps : f32
    %h = math.rsqrt %g : f32
    %q = arith.mulf %x, %h : f32
    linalg.yield %q : f32
  }} -> {t}"""
    return (
        f"""func.func @main(%a: {t}) -> {t} {{
  %z = arith.constant 0.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %inv = arith.constant {1 / n!r} : f32
  %e = tensor.empty() : {t}
  %er = tensor.empty() : {r}
  %f = linalg.fill ins(%z : f32) outs(%er : {r}) -> {r}
  {total.format(0, "%a", "%v = arith.addf %x, %z : f32")}
  {centred}
  {total.format(1, "%d", "%v = arith.mulf %x, %x : f32")}
  {scaled}
  return %n : {t}
}}""",
        [f"{m}x{n}xf32=random:1"],
    )


def speed_programs(n):
    """Name: text, inputs, bytes that have to move (0 for products), operations, cuBLAS's name of a product, flags; 4096 is for the table."""
    products = {
        f"matmul {name} {n}": (
            *product(n, n, n, "f32" if name == "tf32" else name),
            0,
            2 * n**3,
            name,
            ["--fast-math=tf32"] * (name == "tf32"),
        )
        for name in ("f16", "bf16", "f32", "tf32", "i8")
    }
    rows = {
        f"softmax {2 * n}x{n}": (*softmax(2 * n, n), 16 * n * n, 0, None, []),
        f"layernorm {2 * n}x{n}": (*layernorm(2 * n, n), 16 * n * n, 0, None, []),
        f"tanh {2 * n}x{2 * n}": (*unary("math.tanh", 2 * n, 2 * n), 32 * n * n, 0, None, []),
        f"row sums {2 * n}x{2 * n}": (*row_sum(2 * n, 2 * n), 16 * n * n, 0, None, []),
    }
    return products | rows


def prepare(folder, target, only, size):
    os.makedirs(folder, exist_ok=True)
    index = []
    for name, cases in families():
        if only and only not in name:
            continue
        for i in range(0, len(cases), GROUP):
            compile_group(cases[i : i + GROUP], os.path.join(folder, f"{name}{i // GROUP}"), target, index)
        print(f"{name}: {len(cases)} cases", flush=True)
    speed = []
    for number, (name, (text, inputs, *rest, flags)) in enumerate(speed_programs(size).items()):
        program = f"speed{number}.so"
        try:
            harness.compile_text(text, os.path.join(folder, program), target=target, flags=flags)
            speed.append((name, program, inputs, *rest))
        except harness.ToolError as e:
            print(f"{name}: {e}")
    with open(os.path.join(folder, "index.pickle"), "wb") as f:
        pickle.dump({"groups": index, "speed": speed, "size": size}, f)


def numerics(folder, groups, device, jobs, first, until):
    """The cases from one on, until a time; the number that failed or was left."""
    cases = [(group, case) for group in groups for case in group["cases"]]

    def check(number):
        group, case = cases[number]
        if time.monotonic() > until:
            return None
        if not group["program"]:
            return group["error"]
        return (
            harness.check(
                case,
                os.path.join(folder, group["program"]),
                os.path.join(folder, f"run{number}"),
                [f"--device={device}"],
            )
            or ""
        )

    with ThreadPoolExecutor(jobs) as pool:
        results = list(pool.map(check, range(first, len(cases))))
    for (_, case), wrong in zip(cases[first:], results):
        if wrong:
            print(f"FAIL {case.name}: {wrong}")
    passed, left = results.count(""), results.count(None)
    print(f"numerics: {passed} of {len(results) - left} passed", flush=True)
    if left:
        print(
            f"{left} cases are left, there was no time for them: go on with --from={first + results.index(None)}",
            flush=True,
        )
    return len(results) - passed


def kernel_seconds(folder, program, inputs, device):
    """The sum over the dispatches of a run, by events of the device."""
    command = [
        "hal-benchmark",
        f"--device={device}",
        "--per-executable",
        "--min-time=0.5",
        os.path.join(folder, program),
        "--json=-",
    ]
    out = subprocess.run(command + [f"--input={i}" for i in inputs], stdout=subprocess.PIPE, check=True).stdout
    results = [r for r in json.loads(out)["results"] if "dispatch" in r]
    return sum(r["min"] * r["dispatch"]["calls"] for r in results)


def table(folder, speed, size, device):
    bandwidth = copy_bandwidth()
    print(f"copy: {bandwidth / 1e9:.0f} GB/s" if bandwidth else "copy: unknown")
    for name, program, inputs, bytes_, operations, dtype in speed:
        took = kernel_seconds(folder, program, inputs, device)
        if took <= 0:
            print(f"{name}: no time")
        elif operations:
            other = cublas_seconds(size, dtype)
            beside = f", {100 * other / took:.0f} % of cuBLAS ({other * 1e6:.0f} us)" if other else ", no cuBLAS here"
            print(f"{name}: {took * 1e6:.0f} us, {operations / took / 1e12:.1f} TFLOP/s{beside}", flush=True)
        else:
            share = f", {100 * bytes_ / took / bandwidth:.0f} % of a copy" if bandwidth else ""
            print(f"{name}: {took * 1e6:.0f} us, {bytes_ / took / 1e9:.0f} GB/s{share}", flush=True)


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    p.add_argument("step", choices=["prepare", "run"])
    p.add_argument("folder")
    p.add_argument("--target", default="cuda:sm_90", help="for prepare (default %(default)s)")
    p.add_argument("--device", default="cuda", help="for run (default %(default)s)")
    p.add_argument("--family", default="", help="for prepare: only families whose name contains this")
    p.add_argument(
        "--size",
        type=int,
        default=4096,
        help="for prepare: the size of the products of the table (default %(default)s)",
    )
    p.add_argument("--no-speed", action="store_true", help="for run: numerics alone")
    p.add_argument(
        "--minutes", type=float, default=8, help="for run: begin no more cases after that (default %(default)s)"
    )
    p.add_argument(
        "--from", type=int, default=0, dest="first", metavar="N", help="for run: the first case of the numerics"
    )
    p.add_argument("-j", "--jobs", type=int, default=8, help="for run: cases at a time (default %(default)s)")
    a = p.parse_args()
    if a.step == "prepare":
        return prepare(a.folder, a.target, a.family, a.size)
    until = time.monotonic() + 60 * a.minutes
    with open(os.path.join(a.folder, "index.pickle"), "rb") as f:
        index = pickle.load(f)
    if not a.no_speed:
        table(a.folder, index["speed"], index["size"], a.device)
    return numerics(a.folder, index["groups"], a.device, a.jobs, a.first, until) > 0


if __name__ == "__main__":
    sys.exit(main())
