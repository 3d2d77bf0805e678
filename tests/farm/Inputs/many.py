#!/usr/bin/env python3
"""Writes a program with N different executables: many.py N > n.mlir"""

import sys

count = int(sys.argv[1])
print("func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {\n  %z = arith.constant 0.0 : f32")
last, width = "%x", 8
for i in range(count):
    # Widths differ, so no two products are the same executable.
    to = 8 if i == count - 1 else 9 + i
    print(f"""  %w{i} = arith.constant dense<{1 / (8 + i):.6f}> : tensor<{width}x{to}xf32>
  %e{i} = tensor.empty() : tensor<4x{to}xf32>
  %f{i} = linalg.fill ins(%z : f32) outs(%e{i} : tensor<4x{to}xf32>) -> tensor<4x{to}xf32>
  %a{i} = linalg.matmul ins({last}, %w{i} : tensor<4x{width}xf32>, tensor<{width}x{to}xf32>) outs(%f{i} : tensor<4x{to}xf32>) -> tensor<4x{to}xf32>""")
    last, width = f"%a{i}", to
print(f"  return {last} : tensor<4x8xf32>\n}}")
