// A schedule on an export takes the place of the compiler's choices; keys that it leaves out are chosen as ever. The kernels are right.
// RUN: hal-translate %s --target=cpu:x86-64-v3 --verify --explain=schedule -o %t.tiled 2>&1 | FileCheck %s
// RUN: sed 's/hal.schedule = {cpu = {[^}]*}}, //' %s > %t.plain.mlir
// RUN: hal-translate %t.plain.mlir --target=cpu:x86-64-v3 --explain=schedule -o %t.plain 2>&1 | FileCheck %s --check-prefix=PLAIN
// RUN: not cmp %t.tiled %t.plain
// CHECK-DAG: note[verified]: kernel `@f` of executable `@k`
// CHECK-DAG: hal.schedule = {family = "nest", vector_loop = 1, lanes = 4, loop_order = [1, 0], tile = [8, 3], {{.*}}workgroups = 2}
// PLAIN: @k::@f for cpu:x86-64-v3:
// PLAIN-NEXT: hal.schedule = {family = "nest", vector_loop = 1, lanes = 8, loop_order = [0, 1], tile =
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @k attributes {hal.executable} {
    func.func @f(%a: tensor<37x50xf32>, %b: tensor<50x83xf32>) -> tensor<37x83xf32> attributes {hal.schedule = {cpu = {lanes = 4, loop_order = [1, 0], tile = [8, 3], workgroups = 2}}, hal.export} {
      %c = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<37x83xf32>
      %z = linalg.fill ins(%c : f32) outs(%e : tensor<37x83xf32>) -> tensor<37x83xf32>
      %r = linalg.matmul ins(%a, %b : tensor<37x50xf32>, tensor<50x83xf32>) outs(%z : tensor<37x83xf32>) -> tensor<37x83xf32>
      return %r : tensor<37x83xf32>
    }
  }
}
