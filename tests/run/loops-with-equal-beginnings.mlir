// Two tensors that a loop carries begin as one empty tensor, and are exchanged in each step: each keeps a buffer of its own.
// RUN: hal-compile %s -o %t.so && hal-run %t.so --input=4xi32=3,1,4,1 --input=4xi32=10,20,30,40 | FileCheck %s
// CHECK: array([3, 1, 4, 1]
// CHECK: array([10, 20, 30, 40]
func.func @main(%x: tensor<4xi32>, %y: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %e = tensor.empty() : tensor<4xi32>
  %r:4 = scf.for %k = %c0 to %c3 step %c1 iter_args(%a = %x, %b = %y, %p = %e, %q = %e)
      -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) {
    %s:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%m = %p, %n = %q) -> (tensor<4xi32>, tensor<4xi32>) {
      %u = tensor.extract %a[%i] : tensor<4xi32>
      %v = tensor.extract %b[%i] : tensor<4xi32>
      %m1 = tensor.insert %u into %m[%i] : tensor<4xi32>
      %n1 = tensor.insert %v into %n[%i] : tensor<4xi32>
      scf.yield %m1, %n1 : tensor<4xi32>, tensor<4xi32>
    }
    scf.yield %s#0, %s#1, %a, %b : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>
  }
  return %r#0, %r#1 : tensor<4xi32>, tensor<4xi32>
}
