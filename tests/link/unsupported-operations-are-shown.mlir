// What the host program cannot execute is an error at the operation.
// RUN: not hal-link %s -o %t.so 2>&1 | FileCheck %s
// CHECK: error[unsupported]: the host program cannot execute `math.exp`
// CHECK: unsupported-operations-are-shown.mlir:[[#@LINE+5]]
// CHECK: hint: the host program orders dispatches
module attributes {hal.phase = "objects", hal.version = 1 : i32} {
  func.func @main(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
    // An executable should have been made of it.
    %r = math.exp %x : tensor<2x2xf32>
    return %r : tensor<2x2xf32>
  }
}
