// Programs that are linked together have states of their own; no two may have one name.
// RUN: sed 's/@a/@b/; s/state_a/state_b/' %s > %t.b.mlir && hal-link %s %t.b.mlir -o %t.so
// RUN: hal-run %t.so --function=b --input=2xf32=3 --calls=2 --state-out=- | FileCheck %s
// CHECK: # state 0 `state_a`: 2xf32
// CHECK-NEXT: array([0., 0.], dtype=float32)
// CHECK: # state 1 `state_b`: 2xf32
// CHECK-NEXT: array([3., 3.], dtype=float32)
// RUN: sed 's/@a/@b/' %s > %t.c.mlir && exits 1 hal-link %s %t.c.mlir -o %t.so 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: two states are called `state_a`
module attributes {hal.phase = "objects", hal.version = 1 : i32} {
  ml_program.global private mutable @s : tensor<2xf32> {hal.name = "state_a"}
  func.func @a(%x: tensor<2xf32>) {
    ml_program.global_store @s = %x : tensor<2xf32>
    return
  }
}
