// A `while` passes tensors on and back: as they are, changed before and after the condition, of dynamic shape.
// RUN: hal-link %s -o %t.so
// RUN: hal-run %t.so --function=static --input=3xi64=0,5,9 | FileCheck %s --check-prefix=STATIC
// RUN: hal-run %t.so --function=dynamic --input=3xi64=1,2,3 | FileCheck %s --check-prefix=DYNAMIC
// RUN: hal-run %t.so --function=dynamic --input=9xi64=0 | FileCheck %s --check-prefix=LONG
// STATIC: [4, 5, 9]
// STATIC: [3, 5, 9]
// DYNAMIC: output 0: 6xi64
// DYNAMIC-NEXT: [1, 2, 3, 1, 2, 3]
// LONG: output 0: 9xi64
// LONG-NEXT: [0, 0, 0, 0, 0, 0, 0, 0, 0]
module attributes {hal.phase = "objects", hal.version = 1 : i32} {
  // Counts in element 0 until it is 4; the other tensor is one step behind.
  func.func @static(%x: tensor<3xi64>) -> (tensor<3xi64>, tensor<3xi64>) {
    %0 = arith.constant 0 : index
    %1 = arith.constant 1 : i64
    %4 = arith.constant 4 : i64
    %r:2 = scf.while (%a = %x, %b = %x) : (tensor<3xi64>, tensor<3xi64>) -> (tensor<3xi64>, tensor<3xi64>) {
      %v = tensor.extract %a[%0] : tensor<3xi64>
      %more = arith.cmpi slt, %v, %4 : i64
      scf.condition(%more) %a, %b : tensor<3xi64>, tensor<3xi64>
    } do {
    ^bb0(%a: tensor<3xi64>, %b: tensor<3xi64>):
      %v = tensor.extract %a[%0] : tensor<3xi64>
      %w = arith.addi %v, %1 : i64
      %c = tensor.insert %w into %a[%0] : tensor<3xi64>
      scf.yield %c, %a : tensor<3xi64>, tensor<3xi64>
    }
    return %r#0, %r#1 : tensor<3xi64>, tensor<3xi64>
  }
  // Doubles the tensor until it has more than four elements.
  func.func @dynamic(%x: tensor<?xi64>) -> tensor<?xi64> {
    %0 = arith.constant 0 : index
    %2 = arith.constant 2 : index
    %4 = arith.constant 4 : index
    %z = arith.constant 0 : i64
    %r = scf.while (%a = %x) : (tensor<?xi64>) -> tensor<?xi64> {
      %d = tensor.dim %a, %0 : tensor<?xi64>
      %more = arith.cmpi ule, %d, %4 : index
      scf.condition(%more) %a : tensor<?xi64>
    } do {
    ^bb0(%a: tensor<?xi64>):
      %d = tensor.dim %a, %0 : tensor<?xi64>
      %n = arith.muli %d, %2 : index
      %e = tensor.empty(%n) : tensor<?xi64>
      %f = tensor.insert_slice %a into %e[0] [%d] [1] : tensor<?xi64> into tensor<?xi64>
      %g = tensor.insert_slice %a into %f[%d] [%d] [1] : tensor<?xi64> into tensor<?xi64>
      scf.yield %g : tensor<?xi64>
    }
    return %r : tensor<?xi64>
  }
}
