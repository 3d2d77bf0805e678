// Outputs go to memory of the caller: where they are, their sizes, and what is refused; in C and C++.
// REQUIRES: libhalyard
// RUN: hal-compile %s -o %t.so -q
// RUN: clang -Wall -Wextra -Werror -I%include %S/Inputs/outputs.c -L%libhalyard -lhalyard -Wl,-rpath,%libhalyard -o %t.c.exe && %t.c.exe %t.so | FileCheck %s
// RUN: clang++ -std=c++17 -Wall -Wextra -Werror -I%include %S/Inputs/outputs.cpp -L%libhalyard -lhalyard -Wl,-rpath,%libhalyard -o %t.cpp.exe && %t.cpp.exe %t.so | FileCheck %s
// CHECK: all is well
#map = affine_map<(d0) -> (d0)>
// A sum of static size, the dynamic input times two, and an input as it is.
func.func @main(%x: tensor<16xf32> {hal.name = "x"}, %y: tensor<?xf32> {hal.name = "y"})
    -> (tensor<16xf32>, tensor<?xf32>, tensor<16xf32>) {
  %e = tensor.empty() : tensor<16xf32>
  %rev = linalg.generic {indexing_maps = [affine_map<(d0) -> (15 - d0)>, #map], iterator_types = ["parallel"]}
      ins(%x : tensor<16xf32>) outs(%e : tensor<16xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<16xf32>
  %c0 = arith.constant 0 : index
  %d = tensor.dim %y, %c0 : tensor<?xf32>
  %ed = tensor.empty(%d) : tensor<?xf32>
  %two = linalg.add ins(%y, %y : tensor<?xf32>, tensor<?xf32>) outs(%ed : tensor<?xf32>) -> tensor<?xf32>
  return %rev, %two, %x : tensor<16xf32>, tensor<?xf32>, tensor<16xf32>
}
