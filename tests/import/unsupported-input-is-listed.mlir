// Everything that cannot be imported is named, with its place, in one go.
// RUN: not hal-import --message-format=short %s -o %t.mlir 2>&1 | FileCheck %s --match-full-lines
// RUN: not ls %t.mlir

// CHECK: {{.*}}unsupported-input-is-listed.mlir:[[@LINE+2]]:1: error: argument 0 of function `@memory` has type `memref<4xf32>`: functions take and return tensors, not memory
// CHECK: {{.*}}.mlir:[[@LINE+4]]:1: error: argument 0 of function `@unranked` has type `tensor<*xf32>`: the rank must be known
func.func @memory(%x: memref<4xf32>) {
  return
}
func.func @unranked(%x: tensor<*xf32>) {
  return
}
// CHECK: {{.*}}.mlir:[[@LINE+3]]:8: error: operation `other.thing` is not supported
// CHECK: {{.*}}.mlir:[[@LINE+3]]:8: error: operation `arith.constant` gives type `tensor<2xcomplex<f32>>`: element type `complex<f32>` is not supported
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "other.thing"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = arith.constant dense<(1.0, 2.0)> : tensor<2xcomplex<f32>>
  return %0 : tensor<4xf32>
}
// CHECK: {{.*}}.mlir:[[@LINE+1]]:{{.*}}: error: function `@declared` is declared but not defined
func.func private @declared(tensor<4xf32>) -> tensor<4xf32>
// CHECK: {{.*}}.mlir:[[@LINE+2]]:8: error: operation `linalg.pack` is not supported with tiles whose size is not a number
func.func @packs(%x: tensor<?xf32>, %to: tensor<?x?xf32>, %tile: index) -> tensor<?x?xf32> {
  %0 = linalg.pack %x inner_dims_pos = [0] inner_tiles = [%tile] into %to : tensor<?xf32> -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
