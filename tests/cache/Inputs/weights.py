"""Prints a model with a matrix of weights: `weights.py SEED`."""

import random
import sys

rng = random.Random(int(sys.argv[1]))
rows = ", ".join("[" + ", ".join(f"{rng.random():.6e}" for _ in range(64)) + "]" for _ in range(64))
print(f"""
func.func @main(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {{
  %w = arith.constant dense<[{rows}]> : tensor<64x64xf32>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x64xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x64xf32>) -> tensor<8x64xf32>
  %y = linalg.matmul ins(%x, %w : tensor<8x64xf32>, tensor<64x64xf32>) outs(%fill : tensor<8x64xf32>) -> tensor<8x64xf32>
  return %y : tensor<8x64xf32>
}}
""")
