#!/usr/bin/env python3
"""Prints a model with 64 KiB of weights, which a linked program keeps in an archive."""

values = ", ".join(
    "[" + ", ".join(str((row * 7 + column) % 5 + 0.5) for column in range(128)) + "]" for row in range(128)
)
print(
    f"""func.func @main(%x: tensor<4x128xf32>) -> tensor<4x128xf32> {{
  %w = arith.constant dense<[{values}]> : tensor<128x128xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x128xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x128xf32>) -> tensor<4x128xf32>
  %m = linalg.matmul ins(%x, %w : tensor<4x128xf32>, tensor<128x128xf32>) outs(%f : tensor<4x128xf32>) -> tensor<4x128xf32>
  %r = arith.addf %m, %x : tensor<4x128xf32>
  return %r : tensor<4x128xf32>
}}"""
)
