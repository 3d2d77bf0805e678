// An executable that has objects for a target keeps them, byte for byte; another target is added.
// RUN: hal-translate %s --target=cpu:x86-64@x86_64-unknown-linux-gnu,cpu:x86-64-v2@x86_64-linux-gnu --explain 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=EXPLAIN < %t
// CHECK: module @cpu attributes {hal.objects = [{data = dense_resource<obj> : tensor<8xi8>, format = "elf"}]
// CHECK: module @cpu_x86_64_v2 attributes
// CHECK: obj: "0x080000006162636465666768"
// EXPLAIN-NOT: cpu:x86-64:
// EXPLAIN: @k::@k for cpu:x86-64-v2:
// EXPLAIN-NOT: cpu:x86-64:
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @k attributes {hal.executable} {
    func.func @k(%a: tensor<4xf32>) -> tensor<4xf32> attributes {hal.export} {
      %r = arith.addf %a, %a : tensor<4xf32>
      return %r : tensor<4xf32>
    }
    module @cpu attributes {hal.variant, hal.target = #llvm.target<triple = "x86_64-unknown-linux-gnu", chip = "x86-64">, hal.objects = [{format = "elf", data = dense_resource<obj> : tensor<8xi8>}]} {
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
