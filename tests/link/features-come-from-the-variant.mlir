// hal-translate writes which features of the CPU its code may use, and hal-link goes by that, not by the name of the chip.
// RUN: hal-translate %s --target=cpu:x86-64@x86_64-unknown-linux-gnu -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: hal-link %t.mlir -o %t.so && hal-run %t.so --input=1,2,3,4 --expect=2,4,6,8
// No CPU has both of these; the chip, which has neither, would run.
// RUN: sed 's/hal.features = \[\]/hal.features = ["avx512fp16", "sse4a"]/' %t.mlir > %t-more.mlir
// RUN: hal-link %t-more.mlir -o %t-more.so && exits 3 hal-run %t-more.so --input=1,2,3,4 2>&1 | FileCheck %s --check-prefix=MORE
// And the other way round: a chip that no CPU is, whose code needs nothing.
// RUN: sed 's/chip = "x86-64"/chip = "x86-64", features = <["+avx512fp16", "+sse4a"]>/' %t.mlir > %t-less.mlir
// RUN: hal-link %t-less.mlir -o %t-less.so && hal-run %t-less.so --input=1,2,3,4 --expect=2,4,6,8
// Without the list, the name counts.
// RUN: sed 's/hal.features = \[\], //' %t-less.mlir > %t-none.mlir
// RUN: hal-link %t-none.mlir -o %t-none.so && exits 3 hal-run %t-none.so --input=1,2,3,4 2>&1 | FileCheck %s --check-prefix=MORE
// REQUIRES: x86
// CHECK: hal.features = []
// MORE: error[missing-features]: this CPU cannot run executable `e`
// MORE: note: variant `cpu_x86_64` needs `{{avx512fp16|sse4a}}`
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @e attributes {hal.executable} {
    func.func @k(%x: tensor<4xf32>) -> tensor<4xf32> attributes {hal.export} {
      %r = arith.addf %x, %x : tensor<4xf32>
      return %r : tensor<4xf32>
    }
  }
  func.func private @k(tensor<4xf32>) -> tensor<4xf32> attributes {hal.entry = @e::@k}
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %r = call @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
    return %r : tensor<4xf32>
  }
}
