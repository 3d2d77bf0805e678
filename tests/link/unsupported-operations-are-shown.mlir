// What the host program cannot execute is an error at the operation.
// RUN: not hal-link %s -o %t.so 2>&1 | FileCheck %s
// CHECK: error[unsupported]: the host program cannot execute `linalg.matmul`
// CHECK: unsupported-operations-are-shown.mlir:10
// CHECK: hint: it belongs into an executable: run `hal-import` on the program first
module attributes {hal.phase = "objects", hal.version = 1 : i32} {
  func.func @main(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
    // An executable should have been made of it.
    %e = tensor.empty() : tensor<2x2xf32>
    %r = linalg.matmul ins(%x, %x : tensor<2x2xf32>, tensor<2x2xf32>) outs(%e : tensor<2x2xf32>) -> tensor<2x2xf32>
    return %r : tensor<2x2xf32>
  }
}
