// What upstream folds to a constant, which has no size, is written as linear algebra before anything is folded.
// RUN: hal-compile %s -o %t.so
// RUN: hal-run %t.so --function=main --input=3xi32=5 | FileCheck %s
// RUN: hal-run %t.so --function=called --input=3xi32=5 | FileCheck %s
// RUN: hal-run %t.so --function=compares --input=2x3xi32=5 | FileCheck %s --check-prefix=COMPARES
// CHECK: [0, 0, 0]
// COMPARES: True, True, True
func.func @main(%a: tensor<?xi32>) -> tensor<?xi32> {
  %r = arith.xori %a, %a : tensor<?xi32>
  %s = arith.subi %r, %r : tensor<?xi32>
  return %s : tensor<?xi32>
}
func.func private @inner(%a: tensor<?xi32>) -> tensor<?xi32> {
  %r = arith.xori %a, %a : tensor<?xi32>
  return %r : tensor<?xi32>
}
func.func @called(%a: tensor<?xi32>) -> tensor<?xi32> {
  %r = func.call @inner(%a) : (tensor<?xi32>) -> tensor<?xi32>
  return %r : tensor<?xi32>
}
func.func @compares(%a: tensor<?x?xi32>) -> tensor<?x?xi1> {
  %r = arith.cmpi sle, %a, %a : tensor<?x?xi32>
  return %r : tensor<?x?xi1>
}
