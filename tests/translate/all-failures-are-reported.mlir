// Every executable that cannot be translated is named, at its place, and nothing is written.
// RUN: rm -f %t && exits 1 hal-translate %s -o %t 2>&1 | FileCheck %s
// RUN: not ls %t
// CHECK: error[unsupported-type]: executable `@second` for `cpu:{{.*}}`: type `tensor<4xcomplex<f32>>` cannot be passed to a kernel
// CHECK: all-failures-are-reported.mlir:[[@LINE+11]]
// CHECK: error[unsupported-op]: executable `@third` for `cpu:{{.*}}`: function `@elsewhere` is called, but has no body in the executable
// CHECK: all-failures-are-reported.mlir:[[@LINE+17]]
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @first attributes {hal.executable} {
    func.func @good(%a: tensor<4xf32>) -> tensor<4xf32> attributes {hal.export} {
      %r = arith.addf %a, %a : tensor<4xf32>
      return %r : tensor<4xf32>
    }
  }
  module @second attributes {hal.executable} {
    func.func @complex(%a: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> attributes {hal.export} {
      return %a : tensor<4xcomplex<f32>>
    }
  }
  module @third attributes {hal.executable} {
    func.func private @elsewhere(tensor<4xf32>) -> tensor<4xf32>
    func.func @calls(%a: tensor<4xf32>) -> tensor<4xf32> attributes {hal.export} {
      // The callee has no body.
      %r = call @elsewhere(%a) : (tensor<4xf32>) -> tensor<4xf32>
      return %r : tensor<4xf32>
    }
  }
}
