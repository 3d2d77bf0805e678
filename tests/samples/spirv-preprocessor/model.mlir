// The SPIR-V of each executable goes through spirv-opt before the program is linked; the results are the same.
// RUN: hal-compile %s --target=vulkan --preprocess-objects-with='%S/optimize' -o %t.so -q
// RUN: hal-run %t.so --device=vulkan --input=4x8xf32=1 --input=8x16xf32=2 | FileCheck %s --check-prefix=RESULT
// RESULT: 16., 16., 16.
// RUN: hal-compile %s --target=vulkan --to=objects -o %t.before.mlir -q
// RUN: hal-opt %t.before.mlir --preprocess-objects-with='%S/optimize' -o %t.after.mlir
// RUN: hal-extract %t.before.mlir --to=%t.before --as=obj && hal-extract %t.after.mlir --to=%t.after --as=obj
// RUN: spirv-val --target-env vulkan1.1 %t.after/main_dispatch_0.vulkan.spv
// RUN: not cmp %t.before/main_dispatch_0.vulkan.spv %t.after/main_dispatch_0.vulkan.spv
// REQUIRES: vulkan, spirv-tools
func.func @main(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>) -> tensor<4x16xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x16xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x16xf32>) -> tensor<4x16xf32>
  %product = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x16xf32>) outs(%start : tensor<4x16xf32>) -> tensor<4x16xf32>
  return %product : tensor<4x16xf32>
}
