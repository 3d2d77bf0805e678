#!/usr/bin/env python3
"""Sizes, offsets and bounds as large and as small as 64 bits are: each run is what numpy computes, or is refused; with `--guard`.

usage: extremes.py FOLDER SEED COUNT
"""

import itertools
import os
import random
import subprocess
import sys

import numpy as np
from guarded import is_right_or_refused

NUMBERS = [0, 1, 2, 3, 5, -1, 2**47, 2**62, 2**63 - 1, -(2**63)]
# Results with more elements are too large for this test, whatever the memory.
MOST = 1 << 20
X = np.arange(5, dtype=np.float32) + 1

TENSOR = "tensor<?xf32>"


def filled(dims, ty):
    """A tensor of ones of some sizes."""
    return f"""%one = arith.constant 1.0 : f32
  %empty = tensor.empty({dims}) : {ty}
  %r = linalg.fill ins(%one : f32) outs(%empty : {ty}) -> {ty}"""


def a_loop(head, body):
    return f"%r = {head} -> ({TENSOR}) {{\n  {body}\n  }}"


def ones(*sizes):
    if any(n < 0 for n in sizes):
        return None
    return np.ones(sizes, np.float32) if max(sizes) < MOST else None


def padded(low, high):
    n = 5 + low + high
    return np.array([X[i - low] if 0 <= i - low < 5 else 1 for i in range(n)], np.float32) if 0 <= n < MOST else None


def reshaped(p, q):
    return X.reshape(p, q) if p >= 0 and q >= 0 and p * q == 5 else None


def part(at, n, by):
    if n < 0 or by < 1:
        return None
    if n == 0:
        return X[:0]
    return X[at : at + (n - 1) * by + 1 : by] if at >= 0 and at + (n - 1) * by < 5 else None


def written(at, by):
    if by < 1 or at < 0 or at + by >= 5:
        return None
    r = X.copy()
    r[[at, at + by]] = [7, 8]
    return r


def counted(first, end, by, value):
    if by < 1:
        return None
    r = X.copy()
    if first >= end:
        return r
    # Beyond 64 bits, a counter would start again from below.
    if by > 1 and end + by > 2**63 - 1:
        return None
    last = first + (end - first - 1) // by * by
    if first < 0 or last >= 5:
        return None
    r[first:end:by] = value(X[first:end:by])
    return r


def windowed(taps, places):
    if taps < 0 or places < 0:
        return None
    if places == 0 or taps == 0:
        return np.zeros(places, np.float32) if places < MOST else None
    if (places - 1) * 2 + taps > 5:
        return None
    return np.array([X[2 * i : 2 * i + taps].sum() for i in range(places)], np.float32)


def is_long(first, end, by):
    return by > 0 and (end - first) // by > MOST


# For each: how many numbers, the result's type, what makes `%r` of `%x` and them, and the result, `None` where it has none.
PROGRAMS = {
    "empty": (1, TENSOR, filled("%p", TENSOR), ones),
    "empty of two": (2, "tensor<?x?xf32>", filled("%p, %q", "tensor<?x?xf32>"), ones),
    "splat": (
        1,
        "tensor<?x2xf32>",
        "%one = arith.constant 1.0 : f32\n  %r = tensor.splat %one[%p] : tensor<?x2xf32>",
        lambda p: ones(p, 2),
    ),
    "generate": (
        1,
        TENSOR,
        f"%one = arith.constant 1.0 : f32\n  %r = tensor.generate %p {{\n  ^bb0(%i: index):\n  tensor.yield %one : f32\n  }} : {TENSOR}",
        ones,
    ),
    "pad": (
        2,
        TENSOR,
        "%one = arith.constant 1.0 : f32\n  %r = tensor.pad %x low[%p] high[%q] {\n  ^bb0(%i: index):\n  tensor.yield %one : f32\n"
        f"  }} : {TENSOR} to {TENSOR}",
        padded,
    ),
    "expand": (
        2,
        "tensor<?x?xf32>",
        f"%s = tensor.expand_shape %x [[0, 1]] output_shape [%p, %q] : {TENSOR} into tensor<?x?xf32>\n  %r = math.absf %s : tensor<?x?xf32>",
        reshaped,
    ),
    "reshape": (
        2,
        "tensor<?x?xf32>",
        f"%n = tensor.from_elements %p, %q : tensor<2xindex>\n  %s = tensor.reshape %x(%n) : ({TENSOR}, tensor<2xindex>) -> tensor<?x?xf32>\n"
        "  %r = math.absf %s : tensor<?x?xf32>",
        reshaped,
    ),
    "extract": (
        1,
        "tensor<1xf32>",
        f"%e = tensor.extract %x[%p] : {TENSOR}\n  %r = tensor.from_elements %e : tensor<1xf32>",
        lambda p: X[p : p + 1] if 0 <= p < 5 else None,
    ),
    "slice": (
        3,
        TENSOR,
        f"%s = tensor.extract_slice %x[%p] [%q] [%s0] : {TENSOR} to {TENSOR}\n  %r = math.absf %s : {TENSOR}",
        part,
    ),
    "insert": (
        2,
        TENSOR,
        f"%u = arith.constant dense<[7.0, 8.0]> : tensor<2xf32>\n  %r = tensor.insert_slice %u into %x[%p] [2] [%q] : tensor<2xf32> into {TENSOR}",
        written,
    ),
    "for": (
        3,
        TENSOR,
        "%nine = arith.constant 9.0 : f32\n  "
        + a_loop(
            "scf.for %i = %p to %q step %s0 iter_args(%a = %x)",
            f"%n = tensor.insert %nine into %a[%i] : {TENSOR}\n  scf.yield %n : {TENSOR}",
        ),
        lambda p, q, by: counted(p, q, by, lambda part: 9),
    ),
    "forall": (
        3,
        TENSOR,
        a_loop(
            "scf.forall (%i) = (%p) to (%q) step (%s0) shared_outs(%a = %x)",
            f"%s = tensor.extract_slice %x[%i] [1] [1] : {TENSOR} to tensor<1xf32>\n  %t = math.absf %s : tensor<1xf32>\n"
            f"  scf.forall.in_parallel {{\n  tensor.parallel_insert_slice %t into %a[%i] [1] [1] : tensor<1xf32> into {TENSOR}\n  }}",
        ),
        lambda p, q, by: counted(p, q, by, np.abs),
    ),
    "window": (
        2,
        TENSOR,
        f"""%zero = arith.constant 0.0 : f32
  %w = tensor.empty(%p) : {TENSOR}
  %e = tensor.empty(%q) : {TENSOR}
  %z = linalg.fill ins(%zero : f32) outs(%e : {TENSOR}) -> {TENSOR}
  %r = linalg.generic {{
      indexing_maps = [affine_map<(i, j) -> (i * 2 + j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}} ins(%x, %w : {TENSOR}, {TENSOR}) outs(%z : {TENSOR}) {{
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %o : f32
    linalg.yield %s : f32
  }} -> {TENSOR}""",
        windowed,
    ),
    "concat": (
        1,
        TENSOR,
        filled("%p", TENSOR).replace("%r", "%f")
        + f"\n  %r = tensor.concat dim(0) %x, %f : ({TENSOR}, {TENSOR}) -> {TENSOR}",
        lambda p: np.concatenate([X, np.ones(p, np.float32)]) if 0 <= p < MOST else None,
    ),
    "switch": (
        1,
        TENSOR,
        f"""%r = scf.index_switch %p -> {TENSOR}
  case 1 {{
    %a = math.absf %x : {TENSOR}
    scf.yield %a : {TENSOR}
  }}
  default {{
    %b = arith.negf %x : {TENSOR}
    scf.yield %b : {TENSOR}
  }}""",
        lambda p: X if p == 1 else -X,
    ),
}


def main(folder, seed, count):
    os.makedirs(folder, exist_ok=True)
    random.seed(seed)
    file = lambda name: os.path.join(folder, name)
    np.save(file("x.npy"), X)
    right = refused = 0
    for name, (numbers, ty, body, reference) in PROGRAMS.items():
        arguments = ", ".join(f"%{n}: index" for n in ("p", "q", "s0")[:numbers])
        with open(file("p.mlir"), "w", encoding="utf-8") as f:
            f.write(f"func.func @main(%x: {TENSOR}, {arguments}) -> {ty} {{\n  {body}\n  return %r : {ty}\n}}\n")
        subprocess.run(["hal-compile", "-q", file("p.mlir"), "-o", file("p.so")], check=True)
        draws = list(itertools.product(NUMBERS, repeat=numbers))
        for drawn in random.sample(draws, min(count, len(draws))):
            # Loops that go on for hours, and empty tensors of more rows than files describe.
            if (
                name in ("for", "forall")
                and is_long(*drawn)
                or name == "empty of two"
                and 0 in drawn
                and max(drawn) > MOST
            ):
                continue
            inputs = [f"@{file('x.npy')}", *drawn]
            if is_right_or_refused(file("p.so"), inputs, file("r.npy"), reference(*drawn), f"{name} of {drawn}: "):
                right += 1
            else:
                refused += 1
    print(f"{len(PROGRAMS)} programs: {right} runs are right, {refused} are refused")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
