// What is said of the work of an executable must be readable.
// RUN: exits 1 hal-opt %s 2>&1 | FileCheck %s
// CHECK: error[bad-form]: `hal.work` of executable `@e` is no list of work, such as `[{operations = "128 * c0", kind = "f32", bytes = "4 * c0"}]`
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @e attributes {hal.executable, hal.work = [{operations = "many"}]} {
    func.func @k(%x: tensor<4xf32>) -> tensor<4xf32> attributes {hal.export} {
      %r = arith.addf %x, %x : tensor<4xf32>
      return %r : tensor<4xf32>
    }
  }
}
