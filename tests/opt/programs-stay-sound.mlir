// Where the module is a Halyard program, the exchange form is verified before and after the stages.
// RUN: hal-opt %s --canonicalize --cse | hal-opt | FileCheck %s
// RUN: sed 's/hal.version = 1/hal.version = 9/' %s | exits 1 hal-opt 2>&1 | FileCheck %s --check-prefix=VERSION
// RUN: sed 's/@e::@k}/@e::@missing}/' %s | exits 1 hal-opt 2>&1 | FileCheck %s --check-prefix=EXPORT
// RUN: exits 1 hal-opt %s --stage='builtin.module(builtin.module(symbol-dce))' 2>&1 | FileCheck %s --check-prefix=AFTER

// VERSION: error[wrong-version]: the program has version 9 of the exchange form
// EXPORT: error[bad-form]: entry `@k` names export `@missing`
// AFTER: the program was sound before the stages ran
// CHECK: module @m attributes {hal.phase = "executables"
// CHECK: hal.export
module @m attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @e attributes {hal.executable} {
    func.func private @k(%x: tensor<4xf32>) -> tensor<4xf32> attributes {hal.export} {
      %y = arith.addf %x, %x : tensor<4xf32>
      return %y : tensor<4xf32>
    }
  }
  func.func private @k(tensor<4xf32>) -> tensor<4xf32> attributes {hal.entry = @e::@k}
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %y = call @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
    return %y : tensor<4xf32>
  }
}
