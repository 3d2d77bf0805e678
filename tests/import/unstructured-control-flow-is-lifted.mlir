// Branches become structured control flow.
// RUN: hal-import %s | FileCheck %s

// CHECK: func.func @main(
// CHECK: scf.if
// CHECK-NOT: cf.br
func.func @main(%x: tensor<8xf32>, %c: i1) -> tensor<8xf32> {
  cf.cond_br %c, ^a, ^b
^a:
  %s = arith.addf %x, %x : tensor<8xf32>
  cf.br ^c(%s : tensor<8xf32>)
^b:
  %m = arith.mulf %x, %x : tensor<8xf32>
  cf.br ^c(%m : tensor<8xf32>)
^c(%r: tensor<8xf32>):
  return %r : tensor<8xf32>
}
