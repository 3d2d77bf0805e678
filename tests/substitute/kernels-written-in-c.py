# RUN: rm -rf %t && mkdir -p %t && %python %s %S %t
# REQUIRES: numpy, x86
"""Kernels that a person writes in C compute what numpy does: many workgroups, dynamic sizes, scalars, two exports."""

import os
import subprocess
import sys

import numpy as np

HERE, FOLDER = sys.argv[1:]
HEADERS = os.path.join(HERE, "../../common/runtime/include")

PROGRAM = """
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @mm attributes {hal.executable} {
    func.func @matmul(%a: tensor<?x24xf32>, %b: tensor<24x16xf32>, %m: index) -> (tensor<?x16xf32> {hal.dims = array<i64: 2>}) attributes {hal.export} {
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty(%m) : tensor<?x16xf32>
      %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x16xf32>) -> tensor<?x16xf32>
      %r = linalg.matmul ins(%a, %b : tensor<?x24xf32>, tensor<24x16xf32>) outs(%f : tensor<?x16xf32>) -> tensor<?x16xf32>
      return %r : tensor<?x16xf32>
    }
  }
  func.func private @matmul(tensor<?x24xf32>, tensor<24x16xf32>, index) -> (tensor<?x16xf32> {hal.dims = array<i64: 2>}) attributes {hal.entry = @mm::@matmul}
  func.func @main(%a: tensor<?x24xf32>, %b: tensor<24x16xf32>) -> tensor<?x16xf32> {
    %c0 = arith.constant 0 : index
    %m = tensor.dim %a, %c0 : tensor<?x24xf32>
    %r = call @matmul(%a, %b, %m) : (tensor<?x24xf32>, tensor<24x16xf32>, index) -> tensor<?x16xf32>
    return %r : tensor<?x16xf32>
  }
}
"""

# The constants: the size of the argument, that of the result, and the index.
KERNEL = """
#include <halyard/kernel.h>
#include <math.h>

void matmul(const float *restrict a, const float *restrict b, float *restrict out, int64_t rows, int64_t rows_out,
            int64_t m, const hal_workgroup_t *wg) {
  if (rows != m || rows_out != m) return;
  uint32_t number = wg->id[0] + wg->count[0] * (wg->id[1] + wg->count[1] * wg->id[2]);
  uint32_t all = wg->count[0] * wg->count[1] * wg->count[2];
  for (int64_t i = number; i < m; i += all)
    for (int j = 0; j < 16; ++j) {
      float sum = 0;
      for (int k = 0; k < 24; ++k) sum = fmaf(a[i * 24 + k], b[k * 16 + j], sum);
      out[i * 16 + j] = sum + 1000.0f * (number + 1);
    }
}
"""


def run(*command, stdin=None):
    done = subprocess.run(command, input=stdin, capture_output=True, cwd=FOLDER, check=False)
    assert done.returncode == 0, (command, done.stderr.decode())
    return done.stdout


def write(name, text):
    with open(os.path.join(FOLDER, name), "w", encoding="utf-8") as f:
        f.write(text)


def main():
    write("p.mlir", PROGRAM)
    write("k.c", KERNEL)
    run("clang", "-O3", "-march=x86-64-v3", "-fPIC", "-I", HEADERS, "-c", "k.c", "-o", "k.o")
    run("clang", "-shared", "k.o", "-o", "k.so", "-lm")
    run("hal-translate", "p.mlir", "-o", "o.mlir")
    rng = np.random.default_rng(1)
    b = rng.standard_normal((24, 16), dtype=np.float32)
    np.save(os.path.join(FOLDER, "b.npy"), b)
    cases = [
        ("o.mlir", "k.o", "1", [], []),
        ("o.mlir", "k.o", "3,2,2", [], []),
        ("p.mlir", "k.o", "4", ["--target=cpu:x86-64-v3@x86_64-linux-gnu"], []),
        ("p.mlir", "k.so", "2,3", [], ["--executable-plugin=k.so"]),
    ]
    for program, kernel, count, flags, plugin in cases:
        out = run("hal-substitute", program, f"mm={kernel}", f"--workgroups=mm={count}", *flags)
        if program == "p.mlir":
            out = run("hal-translate", stdin=out)
        run("hal-link", "-o", "m.so", stdin=out)
        workgroups = np.prod([int(n) for n in count.split(",")])
        for m in [1, 5, 33]:
            a = rng.standard_normal((m, 24), dtype=np.float32)
            np.save(os.path.join(FOLDER, "a.npy"), a)
            run("hal-run", "m.so", "--input=@a.npy", "--input=@b.npy", "--output=@y.npy", *plugin)
            want = a @ b + 1000 * (np.arange(m)[:, None] % workgroups + 1)
            np.testing.assert_allclose(np.load(os.path.join(FOLDER, "y.npy")), want, rtol=1e-5, atol=1e-3)


main()
