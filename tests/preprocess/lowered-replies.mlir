// A tool may lower an executable as far as it likes: the compiler goes on from there, and results are the same.
// DEFINE: %{buffers} = one-shot-bufferize{bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map},buffer-results-to-out-params{modify-public-functions hoist-static-allocs},buffer-deallocation-pipeline,convert-bufferization-to-memref,convert-linalg-to-loops
// DEFINE: %{llvm} = ,expand-strided-metadata,lower-affine,convert-scf-to-cf,finalize-memref-to-llvm,convert-arith-to-llvm,convert-index-to-llvm,convert-func-to-llvm,convert-cf-to-llvm,reconcile-unrealized-casts
// RUN: hal-compile %s -o %t.buffers.so "--preprocess-executables-with=mlir-opt --pass-pipeline='builtin.module(%{buffers})'"
// RUN: hal-run %t.buffers.so --input=4x8xf32=1 --input=8x16xf32=2 | FileCheck %s
// RUN: hal-compile %s -o %t.llvm.so "--preprocess-executables-with=cmd[bytecode]:mlir-opt --emit-bytecode --pass-pipeline='builtin.module(%{buffers}%{llvm})'"
// RUN: hal-run %t.llvm.so --input=4x8xf32=1 --input=8x16xf32=2 | FileCheck %s
// RUN: hal-import %s | hal-opt "--preprocess-executables-with=mlir-opt --pass-pipeline='builtin.module(%{buffers}%{llvm})'" | FileCheck %s --check-prefix=IR
// IR: llvm.func @main_dispatch_0
// IR-SAME: hal.export
// IR-SAME: hal.interface = (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
// CHECK-COUNT-4: 16., 16., 16.

// One whose type is no lowering of the interface is refused.
// RUN: exits 4 hal-compile %s -o %t.no.so "--preprocess-executables-with=mlir-opt --pass-pipeline='builtin.module(%{buffers})' | sed s/4x16xf32/4x17xf32/g" 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: error[{{.*}}]: export `@main_dispatch_0
// WRONG: stdout.mlir
func.func @main(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>) -> tensor<4x16xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x16xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x16xf32>) -> tensor<4x16xf32>
  %product = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x16xf32>) outs(%start : tensor<4x16xf32>) -> tensor<4x16xf32>
  return %product : tensor<4x16xf32>
}
