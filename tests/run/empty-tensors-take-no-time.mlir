// An empty tensor is computed at once, however many rows without an element it has.
// RUN: hal-compile -q %s -o %t.so
// RUN: hal-run --timeout=20 --threads=1 %t.so -i 140737488355328x0xf32= -o %t.npy
// RUN: hal-run --timeout=20 --threads=2 %t.so -i 140737488355328x0xf32= -o %t.npy
// RUN: hal-run --timeout=20 %t.so -i 2x1xf32=4 | FileCheck %s
// CHECK: {{\[\[}}2.],
func.func @main(%a: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %y = math.sqrt %a : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
