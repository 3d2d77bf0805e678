#!/usr/bin/env python3
"""Programs whose own numbers (strides, dilations, offsets, factors of maps, paddings) go up to the limits of 64 bits: each one computes
what numpy computes, or is refused when it is compiled or run (with `--guard`). No tool crashes.

usage: attributes.py FOLDER SEED COUNT
"""

import os
import random
import subprocess
import sys

import numpy as np
from guarded import is_right_or_refused

NUMBERS = [
    0,
    1,
    2,
    3,
    -1,
    -2,
    2**31,
    2**40,
    2**40 + 1,
    2**61,
    2**62,
    3 * 2**61 + 1,
    2**63 - 2,
    2**63 - 1,
    -(2**62),
    -(2**63),
]
X = np.arange(10, dtype=np.float32).reshape(1, 2, 5) + 1
ROW = np.arange(5, dtype=np.float32) + 1
TENSOR = "tensor<?xf32>"


def sums(places, taps, stride, dilation):
    """The places and elements of windows: their indices, `None` if one leaves the row."""
    at = [[i * stride + k * dilation for k in range(taps)] for i in range(places)]
    return at if all(0 <= n < 5 for line in at for n in line) else None


def window(rng, op):
    """A convolution or a pooling over a row whose length only a run knows."""
    places, taps = rng.choice([0, 1, 1, 2, 3]), rng.choice([1, 1, 2, 3])
    stride, dilation = rng.choice(NUMBERS), rng.choice(NUMBERS)
    attributes = f"{{strides = dense<{stride}> : tensor<1xi64>, dilations = dense<{dilation}> : tensor<1xi64>}}"
    at = sums(places, taps, stride, dilation)
    if op == "conv":
        ty, kernel, zero = f"tensor<1x3x{places}xf32>", f"tensor<3x2x{taps}xf32>", "0.0"
        head = f"%w = arith.constant dense<1.0> : {kernel}\n  "
        name = "linalg.conv_1d_ncw_fcw"
        want = None if at is None else np.array([[[X[0][:, line].sum() for line in at]] * 3], np.float32)
    else:
        ty, kernel, zero = f"tensor<1x2x{places}xf32>", f"tensor<{taps}xf32>", "-1.0"
        head = f"%w = tensor.empty() : {kernel}\n  "
        name = "linalg.pooling_ncw_max"
        want = None if at is None else np.array([[[c[line].max() for line in at] for c in X[0]]], np.float32)
    body = f"""{head}%z = arith.constant {zero} : f32
  %e = tensor.empty() : {ty}
  %f = linalg.fill ins(%z : f32) outs(%e : {ty}) -> {ty}
  %r = {name} {attributes} ins(%x, %w : tensor<1x2x?xf32>, {kernel}) outs(%f : {ty}) -> {ty}"""
    shape = (1, 3 if op == "conv" else 2, places)
    # Upstream's verifier wants steps forward.
    forward = stride > 0 and dilation > 0
    return "tensor<1x2x?xf32>", ty, body, None if want is None else want.reshape(shape), X, forward


def factors(rng):
    """A map with a factor and an offset of its own."""
    places, factor, offset = rng.choice([0, 1, 2, 3]), rng.choice(NUMBERS), rng.choice(NUMBERS)
    at = [i * factor + offset for i in range(places)]
    ty = f"tensor<{places}xf32>"
    body = f"""%e = tensor.empty() : {ty}
  %r = linalg.generic {{indexing_maps = [affine_map<(i) -> (i * {factor} + {offset})>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]}} ins(%x : {TENSOR}) outs(%e : {ty}) {{
  ^bb0(%a: f32, %o: f32):
    %n = arith.negf %a : f32
    linalg.yield %n : f32
  }} -> {ty}"""
    fits = all(0 <= n < 5 for n in at)
    return (
        TENSOR,
        ty,
        body,
        -ROW[at] if fits and at else ROW[:0] if fits else None,
        ROW,
        -(2**63) not in (factor, offset),
    )


def part(rng):
    """A slice whose offset and stride the program says."""
    count, offset, stride = rng.choice([0, 1, 2, 3]), rng.choice(NUMBERS), rng.choice(NUMBERS)
    at = [offset + i * stride for i in range(count)]
    ty = f"tensor<{count}xf32>"
    body = f"%s = tensor.extract_slice %x[{offset}] [{count}] [{stride}] : {TENSOR} to {ty}\n  %r = math.absf %s : {ty}"
    fits = all(0 <= n < 5 for n in at)
    return TENSOR, ty, body, (ROW[at] if at else ROW[:0]) if fits else None, ROW, stride > 0


def padding(rng):
    """A padding whose amounts the program says."""
    # Not by gigabytes, which machines have.
    amounts = [n for n in NUMBERS if n != 2**31]
    low, high = rng.choice(amounts), rng.choice(amounts)
    body = f"""%one = arith.constant 1.0 : f32
  %r = tensor.pad %x low[{low}] high[{high}] {{
  ^bb0(%i: index):
    tensor.yield %one : f32
  }} : {TENSOR} to {TENSOR}"""
    n = 5 + low + high
    fits = 0 <= n < 1 << 20
    want = np.array([ROW[i - low] if 0 <= i - low < 5 else 1 for i in range(n)], np.float32) if fits else None
    return TENSOR, TENSOR, body, want, ROW, low >= 0 and high >= 0


KINDS = {
    "convolution": lambda rng: window(rng, "conv"),
    "pooling": lambda rng: window(rng, "pool"),
    "map": factors,
    "slice": part,
    "padding": padding,
}


def main(folder, seed, count):
    os.makedirs(folder, exist_ok=True)
    file = lambda name: os.path.join(folder, name)
    right = early = late = 0
    for name, draw in KINDS.items():
        rng = random.Random(f"{seed} {name}")
        for _ in range(count):
            given, ty, body, want, x, valid = draw(rng)
            text = f"func.func @main(%x: {given}) -> {ty} {{\n  {body}\n  return %r : {ty}\n}}\n"
            with open(file("p.mlir"), "w", encoding="utf-8") as f:
                f.write(text)
            np.save(file("x.npy"), x)
            # Plain loops, too: they are lowered by upstream.
            level = rng.choice(["-O0", "-O3"])
            compile_it = ["hal-compile", "-q", level, file("p.mlir"), "-o", file("p.so")]
            made = subprocess.run(compile_it, capture_output=True, text=True)
            about = f"{name} {level}\n{text}{made.stderr}"
            assert made.returncode in (0, 1), f"crashed: {about}"
            if made.returncode:
                assert want is None or want.size == 0 or not valid, f"refused: {about}"
                early += 1
                continue
            inputs = [f"@{file('x.npy')}"]
            if is_right_or_refused(file("p.so"), inputs, file("r.npy"), want, about, may_be_refused=not valid):
                right += 1
            else:
                late += 1
    print(f"{len(KINDS) * count} programs: {right} are right, {early} are refused when compiled, {late} when run")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
