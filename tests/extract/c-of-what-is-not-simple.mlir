// What has no reference in C is told with why; the file compiles, says what to compute, and does not pretend to.
// RUN: rm -rf %t && mkdir %t && cd %t && hal-extract %s --to=c --as=c -o /dev/null 2>&1 | FileCheck %s --check-prefix=SAID
// SAID: warning: `k` has no reference in C, its body is left empty: `scf.for` is not written in C
// SAID: wrote 2 files of 1 executable
// RUN: clang-22 -O2 -Wall -Wextra -Werror -Wno-unused-parameter -Ic -c c/e.c -o e.o && FileCheck %s < c/e.c
// CHECK: * It computes:
// CHECK: scf.for
// CHECK: void k(const float *restrict in0, float *restrict out0, const hal_workgroup_t *wg) {
// CHECK-NEXT: /* Write the kernel here, then remove the next line. There is no reference for it: `scf.for` is not written in C. */
// CHECK-NEXT: abort();
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @e attributes {hal.executable} {
    func.func @k(%x: tensor<4xf32>) -> tensor<4xf32> attributes {hal.export, note = "ends */ the comment"} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%t = %x) -> (tensor<4xf32>) {
        %v = tensor.extract %t[%i] : tensor<4xf32>
        %w = arith.addf %v, %v : f32
        %u = tensor.insert %w into %t[%i] : tensor<4xf32>
        scf.yield %u : tensor<4xf32>
      }
      return %r : tensor<4xf32>
    }
  }
}
