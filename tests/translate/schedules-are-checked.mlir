// What of a schedule cannot be is an error with its place, all at once, that says what is legal. Nothing is ignored.
// RUN: not hal-translate %s --target=cpu:x86-64-v4 -o %t 2>&1 | FileCheck %s
// RUN: sed 's/lanes = 5, tile = .7, 9., stages = 2/lanes = 8/' %s > %t.right.mlir
// RUN: hal-translate %t.right.mlir --target=cpu:x86-64-v4 -o %t
// RUN: not hal-translate %t.right.mlir --target=cpu:x86-64-v4 -O0 -o %t 2>&1 | FileCheck %s --check-prefix=PLAIN
// RUN: not hal-translate %t.right.mlir --target=vulkan -o %t 2>&1 | FileCheck %s --check-prefix=VULKAN
// RUN: sed 's/lanes = 5, tile = .7, 9., stages = 2/tile = [48, 40]/' %s > %t.tile.mlir
// RUN: not hal-translate %t.tile.mlir --target=vulkan -o %t 2>&1 | FileCheck %s --check-prefix=TILE
// RUN: sed 's/{lanes = 5, tile = .7, 9., stages = 2}/[{}, {}]/' %s > %t.nests.mlir
// RUN: not hal-translate %t.nests.mlir --target=cpu:x86-64-v4 -o %t 2>&1 | FileCheck %s --check-prefix=NESTS
// CHECK: error[bad-schedule]: executable `@k` for `cpu:x86-64-v4`: `hal.schedule` of export `@f`: nest 0 cannot have `lanes = 5`: legal are `2`, `4`, `8`, `16`
// CHECK-NEXT: schedules-are-checked.mlir:[[@LINE+11]]:5
// CHECK: nest 0 cannot have `tile = [7, 9]`: it is an array of 2 numbers, one out of each of
// CHECK: nest 0 has no use for `stages`; it has `family`, `vector_loop`, `lanes`
// CHECK: hint: `hal-translate --explain=schedule-space` lists what is legal
// PLAIN: error[bad-schedule]: {{.*}}`hal.schedule` of export `@f` has no effect: plain loops in one workgroup: not optimised
// PLAIN: hint: leave it out, or name the targets that it is for
// VULKAN: nest 0 has no use for `lanes`; it has `family`, `tile`, `thread_tile`, `k_block`
// TILE: nest 0 cannot have `tile = [48, 40]`:
// NESTS: there are choices for 2 nests, and the kernel has 1
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @k attributes {hal.executable} {
    func.func @f(%a: tensor<37x50xf32>, %b: tensor<50x83xf32>) -> tensor<37x83xf32> attributes {hal.schedule = {lanes = 5, tile = [7, 9], stages = 2}, hal.export} {
      %c = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<37x83xf32>
      %z = linalg.fill ins(%c : f32) outs(%e : tensor<37x83xf32>) -> tensor<37x83xf32>
      %r = linalg.matmul ins(%a, %b : tensor<37x50xf32>, tensor<50x83xf32>) outs(%z : tensor<37x83xf32>) -> tensor<37x83xf32>
      return %r : tensor<37x83xf32>
    }
  }
}
