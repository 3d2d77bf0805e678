// An executable alone keeps the same rules as in a program: version, interfaces of variants and of lowered exports.
// RUN: split-file %s %t
// RUN: hal-translate %t/good.mlir | FileCheck %s --check-prefix=GOOD
// RUN: exits 1 hal-translate %t/version.mlir 2>&1 | FileCheck %s --check-prefix=VERSION
// RUN: exits 1 hal-translate %t/variant.mlir 2>&1 | FileCheck %s --check-prefix=VARIANT
// RUN: exits 1 hal-translate %t/lowered.mlir 2>&1 | FileCheck %s --check-prefix=LOWERED
// RUN: exits 1 hal-translate %t/two.mlir 2>&1 | FileCheck %s --check-prefix=TWO
// GOOD: module @e attributes {hal.executable, hal.version = 1 : i32}
// GOOD: hal.objects
// VERSION: error[wrong-version]: the input has version 2 of the exchange form
// VARIANT: error[bad-form]: export `@k` of variant `@e::@v` was made for another interface
// LOWERED: error[bad-form]: export `@k` has type `(memref<4xf32>, memref<4xf32>) -> ()`: `hal.interface` must say what that is on tensors
// TWO: error[not-a-program]: the input holds executables and more, but no `hal.phase`
//--- good.mlir
module @e attributes {hal.executable, hal.version = 1 : i32} {
  func.func @k(%x: tensor<4xf32>) -> tensor<4xf32> attributes {hal.export} { return %x : tensor<4xf32> }
}
//--- version.mlir
module @e attributes {hal.executable, hal.version = 2 : i32} {
  func.func @k(%x: tensor<4xf32>) -> tensor<4xf32> attributes {hal.export} { return %x : tensor<4xf32> }
}
//--- variant.mlir
module @e attributes {hal.executable} {
  func.func @k(%x: tensor<4xf32>) -> tensor<4xf32> attributes {hal.export} { return %x : tensor<4xf32> }
  module @v attributes {hal.variant, hal.target = #llvm.target<triple = "x86_64-unknown-linux-gnu", chip = "x86-64">, hal.objects = [{format = "elf", path = "k.o"}]} {
    func.func private @k(tensor<2xf32>) -> tensor<4xf32> attributes {hal.export}
  }
}
//--- lowered.mlir
module {
  module @e attributes {hal.executable} {
    func.func @k(%x: memref<4xf32>, %y: memref<4xf32>) attributes {hal.export} { return }
  }
}
//--- two.mlir
module @e attributes {hal.executable} {
  func.func @k(%x: tensor<4xf32>) -> tensor<4xf32> attributes {hal.export} { return %x : tensor<4xf32> }
}
module @f attributes {hal.executable} {
  func.func @l(%x: tensor<4xf32>) -> tensor<4xf32> attributes {hal.export} { return %x : tensor<4xf32> }
}
