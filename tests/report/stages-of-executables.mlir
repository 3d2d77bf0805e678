// A report of a compilation lists the stages that each executable went through, and what each changed.
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: hal-compile %s -o p.so -q --report=r.html --preprocess-executables-with='mlir-opt --cse' --stage=executables:linalg-generalize-named-ops
// RUN: %python %S/Inputs/look.py r.html stages:main_dispatch_0 lowered:main_dispatch_0 | FileCheck %s
// CHECK: text stages:main_dispatch_0
// CHECK: === hal-import
// CHECK-NEXT: module @main_dispatch_0
// CHECK: === `--preprocess-executables-with`: mlir-opt --cse: no change
// CHECK-NEXT: === --stage=linalg-generalize-named-ops
// CHECK-NEXT: @@ -
// CHECK: {{^}}-{{.*}}linalg.matmul
// CHECK: {{^}}+{{.*}}linalg.generic
// CHECK: text lowered:main_dispatch_0
// CHECK: === export @main_dispatch_0_matmul_64x32x48_f32: tiled and vectorised: product
// CHECK-NEXT: === before
// CHECK: === hal-tile-and-vectorize
// CHECK: {{^}}-{{.*}}linalg.generic
// CHECK: === hal-kernel-signature: no change
// CHECK: === convert-func-to-llvm
// CHECK: {{^}}-  func.func @main_dispatch_0_matmul_64x32x48_f32
// CHECK-NEXT: {{^}}+  llvm.func @main_dispatch_0_matmul_64x32x48_f32

// The program has the same bytes, whether its code comes from the cache or not; the list is there in both cases.
// RUN: hal-compile %s -o plain.so -q --cache=off --preprocess-executables-with='mlir-opt --cse' --stage=executables:linalg-generalize-named-ops && cmp p.so plain.so
// RUN: hal-compile %s -o again.so -q --report=again.html --cache=%t/cache && hal-compile %s -o again.so -q --report=again.html --cache=%t/cache
// RUN: %python %S/Inputs/look.py again.html lowered:main_dispatch_0 | FileCheck %s --check-prefix=AGAIN
// AGAIN: === export @main_dispatch_0_matmul_64x32x48_f32: tiled and vectorised
// AGAIN: === reconcile-unrealized-casts
func.func @main(%x: tensor<64x48xf32>, %w: tensor<48x32xf32>) -> tensor<64x32xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x32xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<64x32xf32>) -> tensor<64x32xf32>
  %y = linalg.matmul ins(%x, %w : tensor<64x48xf32>, tensor<48x32xf32>) outs(%f : tensor<64x32xf32>) -> tensor<64x32xf32>
  return %y : tensor<64x32xf32>
}
