// Tensors carried by loops keep their values: swapped, kept, changed in place, of static and dynamic shape.
// RUN: hal-link %s -o %t.so
// RUN: hal-run %t.so --function=swap --input=i64=3 --input=2xf32=1,2 --input=2xf32=3,4 | FileCheck %s --check-prefix=ODD
// RUN: hal-run %t.so --function=swap --input=i64=4 --input=2xf32=1,2 --input=2xf32=3,4 | FileCheck %s --check-prefix=EVEN
// RUN: hal-run %t.so --function=swap --input=i64=0 --input=2xf32=1,2 --input=2xf32=3,4 | FileCheck %s --check-prefix=EVEN
// RUN: hal-run %t.so --function=swap_dynamic --input=i64=3 --input=2xf32=1,2 --input=3xf32=3,4,5 | FileCheck %s --check-prefix=DYNAMIC
// RUN: hal-run %t.so --function=history --input=i64=3 | FileCheck %s --check-prefix=HISTORY
// RUN: hal-run %t.so --function=grow --input=i64=4 | FileCheck %s --check-prefix=GROW
// RUN: hal-run %t.so --function=halve --input=i64=100 | FileCheck %s --check-prefix=HALVE
// RUN: hal-run %t.so --function=fibonacci --input=i32=10 | FileCheck %s --check-prefix=FIBONACCI
// ODD: [3., 4.]
// ODD: [1., 2.]
// EVEN: [1., 2.]
// EVEN: [3., 4.]
// DYNAMIC: output 0: 3xf32
// DYNAMIC-NEXT: [3., 4., 5.]
// DYNAMIC: output 1: 2xf32
// DYNAMIC-NEXT: [1., 2.]
// HISTORY: [0, 1, 4, 0]
// HISTORY: [0, 1, 0, 0]
// GROW: output 0: 5xi64
// GROW-NEXT: [0, 0, 1, 2, 3]
// HALVE: output 0: i64
// HALVE-NEXT: 1
// HALVE: output 1: i64
// HALVE-NEXT: 6
// FIBONACCI: 55
module attributes {hal.phase = "objects", hal.version = 1 : i32} {
  func.func @swap(%n: index, %a: tensor<2xf32>, %b: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
    %0 = arith.constant 0 : index
    %1 = arith.constant 1 : index
    %r:2 = scf.for %i = %0 to %n step %1 iter_args(%x = %a, %y = %b) -> (tensor<2xf32>, tensor<2xf32>) {
      scf.yield %y, %x : tensor<2xf32>, tensor<2xf32>
    }
    return %r#0, %r#1 : tensor<2xf32>, tensor<2xf32>
  }
  func.func @swap_dynamic(%n: index, %a: tensor<?xf32>, %b: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
    %0 = arith.constant 0 : index
    %1 = arith.constant 1 : index
    %r:2 = scf.for %i = %0 to %n step %1 iter_args(%x = %a, %y = %b) -> (tensor<?xf32>, tensor<?xf32>) {
      scf.yield %y, %x : tensor<?xf32>, tensor<?xf32>
    }
    return %r#0, %r#1 : tensor<?xf32>, tensor<?xf32>
  }
  // The second result lags one iteration behind the first.
  func.func @history(%n: index) -> (tensor<4xi64>, tensor<4xi64>) {
    %0 = arith.constant 0 : index
    %1 = arith.constant 1 : index
    %z = arith.constant dense<0> : tensor<4xi64>
    %r:2 = scf.for %i = %0 to %n step %1 iter_args(%x = %z, %old = %z) -> (tensor<4xi64>, tensor<4xi64>) {
      %v = arith.index_cast %i : index to i64
      %s = arith.muli %v, %v : i64
      %new = tensor.insert %s into %x[%i] : tensor<4xi64>
      scf.yield %new, %x : tensor<4xi64>, tensor<4xi64>
    }
    return %r#0, %r#1 : tensor<4xi64>, tensor<4xi64>
  }
  // A tensor that gets longer.
  func.func @grow(%n: index) -> tensor<?xi64> {
    %0 = arith.constant 0 : index
    %1 = arith.constant 1 : index
    %z = arith.constant dense<0> : tensor<1xi64>
    %s = tensor.cast %z : tensor<1xi64> to tensor<?xi64>
    %r = scf.for %i = %0 to %n step %1 iter_args(%x = %s) -> tensor<?xi64> {
      %d = tensor.dim %x, %0 : tensor<?xi64>
      %e = arith.addi %d, %1 : index
      %v = arith.index_cast %i : index to i64
      %new = tensor.splat %v[%e] : tensor<?xi64>
      %both = tensor.insert_slice %x into %new[0] [%d] [1] : tensor<?xi64> into tensor<?xi64>
      scf.yield %both : tensor<?xi64>
    }
    return %r : tensor<?xi64>
  }
  func.func @halve(%n: i64) -> (i64, i64) {
    %0 = arith.constant 0 : i64
    %1 = arith.constant 1 : i64
    %2 = arith.constant 2 : i64
    %r:2 = scf.while (%x = %n, %count = %0) : (i64, i64) -> (i64, i64) {
      %more = arith.cmpi sgt, %x, %1 : i64
      scf.condition(%more) %x, %count : i64, i64
    } do {
    ^bb0(%x: i64, %count: i64):
      %h = arith.divsi %x, %2 : i64
      %c = arith.addi %count, %1 : i64
      scf.yield %h, %c : i64, i64
    }
    return %r#0, %r#1 : i64, i64
  }
  func.func @fibonacci(%n: i32) -> i32 {
    %0 = arith.constant 0 : i32
    %1 = arith.constant 1 : i32
    %r:2 = scf.for %i = %0 to %n step %1 iter_args(%a = %0, %b = %1) -> (i32, i32) : i32 {
      %c = arith.addi %a, %b : i32
      scf.yield %b, %c : i32, i32
    }
    return %r#0 : i32
  }
}
