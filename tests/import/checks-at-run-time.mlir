// Checks at run time are left out, with a warning; -qq is silent.
// RUN: hal-import %s 2>&1 >%t.mlir | FileCheck %s
// RUN: FileCheck %s --check-prefix=PROGRAM < %t.mlir
// RUN: hal-import %s -qq 2>&1 >/dev/null | count 0

// CHECK: warning[checks-dropped]: 2 checks at run time (`cf.assert`) left out
// CHECK: checks-at-run-time.mlir:[[@LINE+9]]:3
// CHECK: note: the program does not stop where the model would
// PROGRAM-NOT: cf.assert
// PROGRAM: call @main_dispatch_0_elementwise_add_D_f32
func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?xf32>
  %n = tensor.dim %y, %c0 : tensor<?xf32>
  %same = arith.cmpi eq, %m, %n : index
  cf.assert %same, "sizes differ"
  cf.assert %same, "sizes differ"
  %r = arith.addf %x, %y : tensor<?xf32>
  return %r : tensor<?xf32>
}
