// Results that are far larger than the caches are stored around them; others are not.
// RUN: hal-translate %s --target=cpu:x86-64-v4 --emit=asm --executable=large -o - | FileCheck %s --check-prefix=LARGE
// RUN: hal-translate %s --target=cpu:x86-64-v4 --emit=asm --executable=small -o - | FileCheck %s --check-prefix=SMALL
// RUN: hal-translate %s --target=cpu:x86-64-v4 --emit=asm --executable=ragged -o - | FileCheck %s --check-prefix=SMALL
// LARGE: vmovntp
// The stores come before what follows: an instruction with a lock, or a fence.
// LARGE: {{lock|mfence}}
// SMALL-NOT: vmovntp
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @large attributes {hal.executable} {
    func.func @large(%a: tensor<4194304xf32>) -> tensor<4194304xf32> attributes {hal.export} {
      %r = arith.addf %a, %a : tensor<4194304xf32>
      return %r : tensor<4194304xf32>
    }
  }
  module @small attributes {hal.executable} {
    func.func @small(%a: tensor<65536xf32>) -> tensor<65536xf32> attributes {hal.export} {
      %r = arith.addf %a, %a : tensor<65536xf32>
      return %r : tensor<65536xf32>
    }
  }
  // Its last vector is not aligned.
  module @ragged attributes {hal.executable} {
    func.func @ragged(%a: tensor<4194305xf32>) -> tensor<4194305xf32> attributes {hal.export} {
      %r = arith.addf %a, %a : tensor<4194305xf32>
      return %r : tensor<4194305xf32>
    }
  }
}
