// A variant that has a target but no objects is an error at the executable, not a second variant.
// RUN: exits 1 hal-translate %s 2>&1 | FileCheck %s
// CHECK: error[no-objects]: variant `@k::@cpu` has no objects
// CHECK: variants-without-objects.mlir:[[@LINE+7]]
// CHECK: hint: give it objects or code, or leave it out
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @k attributes {hal.executable} {
    func.func @k(%a: tensor<4xf32>) -> tensor<4xf32> attributes {hal.export} {
      return %a : tensor<4xf32>
    }
    module @cpu attributes {hal.variant, hal.target = #llvm.target<triple = "x86_64-unknown-linux-gnu", chip = "x86-64">} {
    }
  }
}
