# RUN: %python %s
"""Reductions are summed in an order of the compiler's choice, which does not depend on the number of threads."""

import os
import subprocess
import tempfile

PROGRAM = """
func.func @main(%x: tensor<1000x700xf32>, %v: tensor<1x3000xf32>, %w: tensor<3000x40xf32>) -> (tensor<f32>, tensor<1000xf32>, tensor<700xf32>, tensor<1x40xf32>) {
  %zero = arith.constant 0.0 : f32
  %s0 = tensor.empty() : tensor<f32>
  %s = linalg.fill ins(%zero : f32) outs(%s0 : tensor<f32>) -> tensor<f32>
  %all = linalg.reduce { arith.addf } ins(%x : tensor<1000x700xf32>) outs(%s : tensor<f32>) dimensions = [0, 1]
  %r0 = tensor.empty() : tensor<1000xf32>
  %r = linalg.fill ins(%zero : f32) outs(%r0 : tensor<1000xf32>) -> tensor<1000xf32>
  %rows = linalg.reduce { arith.addf } ins(%x : tensor<1000x700xf32>) outs(%r : tensor<1000xf32>) dimensions = [1]
  %c0 = tensor.empty() : tensor<700xf32>
  %c = linalg.fill ins(%zero : f32) outs(%c0 : tensor<700xf32>) -> tensor<700xf32>
  %columns = linalg.reduce { arith.addf } ins(%x : tensor<1000x700xf32>) outs(%c : tensor<700xf32>) dimensions = [0]
  %p0 = tensor.empty() : tensor<1x40xf32>
  %p = linalg.fill ins(%zero : f32) outs(%p0 : tensor<1x40xf32>) -> tensor<1x40xf32>
  %product = linalg.matmul ins(%v, %w : tensor<1x3000xf32>, tensor<3000x40xf32>) outs(%p : tensor<1x40xf32>) -> tensor<1x40xf32>
  return %all, %rows, %columns, %product : tensor<f32>, tensor<1000xf32>, tensor<700xf32>, tensor<1x40xf32>
}
"""

with tempfile.TemporaryDirectory() as folder:
    path = lambda name: os.path.join(folder, name)
    with open(path("m.mlir"), "w", encoding="utf-8") as f:
        f.write(PROGRAM)
    subprocess.run(["hal-compile", path("m.mlir"), "-o", path("m.so")], check=True)
    results = {}
    for threads in [1, 2, 3, 7]:
        inputs = [f"--input={shape}xf32=random:{i}" for i, shape in enumerate(["1000x700", "1x3000", "3000x40"])]
        outputs = [f"--output={path(f'{threads}-{i}.npy')}" for i in range(4)]
        subprocess.run(["hal-run", path("m.so"), *inputs, *outputs, f"--threads={threads}"], check=True)
        results[threads] = [open(path(f"{threads}-{i}.npy"), "rb").read() for i in range(4)]
    for threads, files in results.items():
        assert files == results[1], (
            f"{threads} threads give other results than one: {[a == b for a, b in zip(files, results[1])]}"
        )
