"""Prints a model of N small executables, all different: `many.py N`."""

import sys

operations = ["exp", "tanh", "sin", "cos", "absf", "sqrt"]
count = int(sys.argv[1])
sizes = [8 + i // len(operations) for i in range(count)]
arguments = ", ".join(f"%x{i}: tensor<{n}xf32>" for i, n in enumerate(sizes))
results = ", ".join(f"tensor<{n}xf32>" for n in sizes)
print(f"func.func @main({arguments}) -> ({results}) {{")
for i, n in enumerate(sizes):
    print(f"  %y{i} = math.{operations[i % len(operations)]} %x{i} : tensor<{n}xf32>")
print(f"  return {', '.join(f'%y{i}' for i in range(count))} : {results}\n}}")
