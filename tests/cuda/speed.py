"""The table of speed: products beside cuBLAS, and kernels that memory bounds beside the bandwidth of a copy."""

import json
import os
import subprocess

from driver import copy_bandwidth, cublas_seconds


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
        f"softmax {n // 2}x{4 * n}": (*softmax(n // 2, 4 * n), 16 * n * n, 0, None, []),
        f"layernorm {2 * n}x{n}": (*layernorm(2 * n, n), 16 * n * n, 0, None, []),
        f"exp2 {2 * n}x{2 * n}": (*unary("math.exp2", 2 * n, 2 * n), 32 * n * n, 0, None, []),
        f"negate {2 * n}x{2 * n}": (*unary("arith.negf", 2 * n, 2 * n), 32 * n * n, 0, None, []),
        f"tanh {2 * n}x{2 * n}": (*unary("math.tanh", 2 * n, 2 * n), 32 * n * n, 0, None, []),
        f"row sums {2 * n}x{2 * n}": (*row_sum(2 * n, 2 * n), 16 * n * n, 0, None, []),
    }
    return products | rows


def kernel_seconds(folder, program, inputs, device, least=0.5):
    """The sum over the dispatches of a run, by events of the device."""
    command = [
        "hal-benchmark",
        f"--device={device}",
        "--per-executable",
        f"--min-time={least}",
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
