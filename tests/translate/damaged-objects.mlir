// Objects in a program carry their hash: one that was damaged on the way is refused by whoever reads it.
// RUN: exits 1 hal-translate %s 2>&1 | FileCheck %s
// RUN: sed 's/phase = "executables"/phase = "objects"/' %s > %t.mlir
// RUN: exits 1 hal-link %t.mlir -o %t.so 2>&1 | FileCheck %s
// RUN: exits 1 hal-opt %t.mlir 2>&1 | FileCheck %s
// RUN: sed 's/, hash = "[^"]*"//' %s | hal-translate | FileCheck %s --check-prefix=NONE
// CHECK: variant `@k::@cpu`: an object in `hal.objects` is damaged: its data have another hash than `hash` says
// NONE: obj: "0x0800000061
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @k attributes {hal.executable} {
    module @cpu attributes {hal.variant, hal.target = #llvm.target<triple = "x86_64-unknown-linux-gnu", chip = "x86-64">, hal.objects = [{format = "elf", data = dense_resource<obj> : tensor<8xi8>, hash = "0000"}]} {
      func.func private @k(tensor<4xf32>) -> tensor<4xf32> attributes {hal.export, hal.workgroups = @one}
      func.func private @one() -> (index, index, index) {
        %c1 = arith.constant 1 : index
        return %c1, %c1, %c1 : index, index, index
      }
    }
  }
}
{-#
  dialect_resources: { builtin: { obj: "0x080000006162636465666768" } }
#-}
