// Functions on tensors, and an executable alone, are translated too; private functions are inlined.
// RUN: hal-translate %s --emit=asm | FileCheck %s --check-prefix=ASM
// RUN: hal-translate %s -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: hal-translate %t.mlir | cmp - %t.mlir
// ASM-NOT: .globl
// ASM: .globl double
// ASM-NOT: .globl
// CHECK: module @double attributes {hal.executable} {
// CHECK: func.func @double(%{{.*}}: tensor<?xf32>) -> {{.*}} attributes {hal.export}
// CHECK: module @cpu_
func.func @double(%a: tensor<?xf32>) -> (tensor<?xf32> {hal.tied = 0 : i32}) {
  %r = call @twice(%a) : (tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func private @twice(%a: tensor<?xf32>) -> tensor<?xf32> {
  %r = arith.addf %a, %a : tensor<?xf32>
  return %r : tensor<?xf32>
}
