#!/usr/bin/env python3
"""Writes a convolution with a known weight to FOLDER/p.mlir, and an input and what comes out of it to x.npy and y.npy.

usage: convolution.py FOLDER [OUTPUTS ALONG A DIMENSION]
"""

import sys

import numpy as np

PROGRAM = """
ml_program.global private @w(dense_resource<w> : tensor<32x16x3x3xf32>) : tensor<32x16x3x3xf32>
func.func @main(%x: tensor<1x16x{input}x{input}xf32>) -> tensor<1x32x{output}x{output}xf32> {{
  %w = ml_program.global_load_const @w : tensor<32x16x3x3xf32>
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x32x{output}x{output}xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x32x{output}x{output}xf32>) -> tensor<1x32x{output}x{output}xf32>
  %r = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x16x{input}x{input}xf32>, tensor<32x16x3x3xf32>) outs(%f : tensor<1x32x{output}x{output}xf32>) -> tensor<1x32x{output}x{output}xf32>
  return %r : tensor<1x32x{output}x{output}xf32>
}}
{{-# dialect_resources: {{ builtin: {{ w: "0x04000000{data}" }} }} #-}}
"""

folder = sys.argv[1]
size = int(sys.argv[2]) if len(sys.argv) > 2 else 12
rng = np.random.default_rng(7)
x, w = rng.standard_normal((1, 16, size + 2, size + 2)).astype("f4"), rng.standard_normal((32, 16, 3, 3)).astype("f4")
windows = [(i, j, x[:, :, i : i + size, j : j + size]) for i in range(3) for j in range(3)]
y = sum(np.einsum("nchw,kc->nkhw", window, w[:, :, i, j]) for i, j, window in windows)
np.save(f"{folder}/x.npy", x)
np.save(f"{folder}/y.npy", y)
with open(f"{folder}/p.mlir", "w") as file:
    file.write(PROGRAM.format(data=w.tobytes().hex(), input=size + 2, output=size))
