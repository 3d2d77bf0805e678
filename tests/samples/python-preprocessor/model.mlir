// Sums of squares in rows, and its test: see README.md.
// RUN: hal-opt "--check-preprocessor=%python %S/fast_sums.py '*'" 2>&1 | FileCheck %s --check-prefix=CHECKED
// CHECKED: 10 of 10 checks pass
// RUN: hal-compile %s --to=executables "--preprocess-executables-with=%python %S/fast_sums.py main_dispatch_0" -o %t.mlir 2>&1 | FileCheck %s --check-prefix=SAID
// SAID: ` on executable `@main_dispatch_0`:
// SAID-NEXT: {{[1-9]}} operations may be reordered
// RUN: FileCheck %s < %t.mlir
// CHECK: arith.addf {{.*}} fastmath<fast> : f32
// RUN: hal-compile %t.mlir -o %t.so && hal-run %t.so --input=4x1024xf32=1 | FileCheck %s --check-prefix=RESULT
// RESULT: 1024., 1024., 1024., 1024.
func.func @main(%x: tensor<4x1024xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x1024xf32>) outs(%start : tensor<4xf32>) {
  ^bb0(%value: f32, %so_far: f32):
    %square = arith.mulf %value, %value : f32
    %more = arith.addf %so_far, %square : f32
    linalg.yield %more : f32
  } -> tensor<4xf32>
  return %sum : tensor<4xf32>
}
