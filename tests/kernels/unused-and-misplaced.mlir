// A declaration that nothing calls is an error, as is a function for kernels that the host calls.
// RUN: rm -rf %t && mkdir %t && cd %t && clang -O2 -fPIC -c %S/Inputs/squash.c -o squash.o
// RUN: exits 1 hal-import %s 2>&1 | FileCheck %s
// CHECK: error[unused-declaration]: function `@squash` is declared, but nothing calls it
// CHECK-NEXT: --> {{.*}}unused-and-misplaced.mlir:[[@LINE+19]]:1
// CHECK: hint: call it, or find what it replaces by a schedule or patterns
// In the phase `input` a stage may still use it.
// RUN: hal-import --to=input %s | FileCheck %s --check-prefix=INPUT
// INPUT: func.func private @squash(f32) -> f32
// RUN: sed 's/math.absf/func.call @squash/; s/%x : f32/(%x) : (f32) -> f32/' %s | exits 1 hal-import 2>&1 | FileCheck %s --check-prefix=HOST
// HOST: error[unsupported]: the host cannot call `@squash`: it is a function for kernels
// HOST: hint: call it in the body of a `linalg.generic`
// A function that nobody implements.
// RUN: sed 's/ attributes {hal.objects.*//' %s | exits 1 hal-import 2>&1 | FileCheck %s --check-prefix=NOBODY
// NOBODY: function `@squash` is declared but not defined
// NOBODY: hint: {{.*}}hal.objects
// RUN: sed 's/hal.objects/hal.object/' %s | exits 1 hal-import 2>&1 | FileCheck %s --check-prefix=MISSPELT
// MISSPELT: function `@squash` is declared but not defined
// MISSPELT: note: `hal.object` does not say it
// Objects of a function that has a body would be ignored.
// RUN: sed 's/@main(%%x: f32) -> f32/& attributes {hal.import}/; /func private/d' %s | exits 1 hal-import 2>&1 | FileCheck %s --check-prefix=BODY
// BODY: error[bad-form]: function `@main` has a body and `hal.import`, which is for declarations

func.func private @squash(f32) -> f32 attributes {hal.objects = [{path = "squash.o"}]}
func.func @main(%x: f32) -> f32 {
  %r = math.absf %x : f32
  return %r : f32
}
