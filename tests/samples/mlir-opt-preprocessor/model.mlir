// A matrix product, and its test: see README.md.
// RUN: hal-import %s | hal-opt --preprocess-executables-with='cmd[bytecode]:mlir-opt --emit-bytecode --linalg-generalize-named-ops --linalg-fuse-elementwise-ops' -o %t.tool.mlir
// RUN: hal-import %s | hal-opt --preprocess-executables-with='builtin.module(func.func(linalg-generalize-named-ops),linalg-fuse-elementwise-ops)' -o %t.pipeline.mlir
// RUN: cmp %t.tool.mlir %t.pipeline.mlir
// RUN: FileCheck %s < %t.tool.mlir
// CHECK: module @main_dispatch_0 attributes {hal.executable}
// CHECK-NOT: linalg.matmul
// CHECK: iterator_types = ["parallel", "parallel", "reduction"]
// RUN: hal-compile %t.tool.mlir -o %t.so && hal-run %t.so --input=4x8xf32=1 --input=8x16xf32=2 | FileCheck %s --check-prefix=RESULT
// RESULT: 16., 16., 16.
func.func @main(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>) -> tensor<4x16xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x16xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x16xf32>) -> tensor<4x16xf32>
  %product = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x16xf32>) outs(%start : tensor<4x16xf32>) -> tensor<4x16xf32>
  return %product : tensor<4x16xf32>
}
