// Checks are made for a model that has no operation of the dialects that they are written in.
// RUN: hal-import %s | FileCheck %s
// CHECK: hal.check = "`arith.addf` of `@main`, line 8: dimension 0 of operand 0 is {0}, of operand 1 {1}; they must be equal"
// CHECK: tensor.dim
// CHECK: arith.cmpi eq
// CHECK: call @check_0
func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %r = arith.addf %x, %y : tensor<?xf32>
  return %r : tensor<?xf32>
}
