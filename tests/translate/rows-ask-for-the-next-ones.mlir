// A softmax over long rows asks for the next row while it computes one, and its largest exponent does not watch for NaN.
// RUN: hal-translate %s --target=cpu:x86-64-v4 --emit=asm -o - | FileCheck %s
// CHECK-NOT: vcmpunordps
// CHECK: prefetcht1 4096(
// CHECK-NOT: vcmpunordps
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @k attributes {hal.executable} {
    func.func @rows(%a: tensor<512x1024xf32>) -> tensor<512x1024xf32> attributes {hal.export} {
      %e = tensor.empty() : tensor<512x1024xf32>
      %r = linalg.softmax dimension(1) ins(%a : tensor<512x1024xf32>) outs(%e : tensor<512x1024xf32>) -> tensor<512x1024xf32>
      return %r : tensor<512x1024xf32>
    }
  }
}
