"""Prints a program of N executables: `many.py N`."""

import sys

count = int(sys.argv[1])
print('module @many attributes {hal.phase = "executables", hal.version = 1 : i32} {')
for i in range(count):
    print(f"""  module @e{i} attributes {{hal.executable}} {{
    func.func @k{i}(%x: tensor<4xf32>) -> tensor<4xf32> attributes {{hal.export}} {{
      %c = arith.constant dense<{i}.0> : tensor<4xf32>
      %y = arith.addf %x, %c : tensor<4xf32>
      return %y : tensor<4xf32>
    }}
  }}""")
for i in range(count):
    print(f"  func.func private @k{i}(tensor<4xf32>) -> tensor<4xf32> attributes {{hal.entry = @e{i}::@k{i}}}")
print("  func.func @main(%v0: tensor<4xf32>) -> tensor<4xf32> {")
for i in range(count):
    print(f"    %v{i + 1} = call @k{i}(%v{i}) : (tensor<4xf32>) -> tensor<4xf32>")
print(f"    return %v{count} : tensor<4xf32>\n  }}\n}}")
