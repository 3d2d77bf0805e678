// `scf.if`, `scf.index_switch` and `arith.select` give tensors and scalars.
// RUN: hal-link %s -o %t.so
// RUN: hal-run %t.so --function=if --input=i1=1 --input=2xf32=1,2 | FileCheck %s --check-prefix=THEN
// RUN: hal-run %t.so --function=if --input=i1=0 --input=2xf32=1,2 | FileCheck %s --check-prefix=ELSE
// RUN: hal-run %t.so --function=switch --input=i64=2 | FileCheck %s --check-prefix=TWO
// RUN: hal-run %t.so --function=switch --input=i64=5 | FileCheck %s --check-prefix=FIVE
// RUN: hal-run %t.so --function=switch --input=i64=9 | FileCheck %s --check-prefix=OTHER
// RUN: hal-run %t.so --function=select --input=i1=1 --input=2xf32=1,2 --input=1xf32=9 | FileCheck %s --check-prefix=FIRST
// RUN: hal-run %t.so --function=select --input=i1=0 --input=2xf32=1,2 --input=1xf32=9 | FileCheck %s --check-prefix=SECOND
// THEN: [5., 5.]
// THEN: output 1: 2xf32
// THEN-NEXT: [1., 2.]
// THEN: output 2: i32
// THEN-NEXT: 3
// ELSE: [1., 2.]
// ELSE: output 1: 3xf32
// ELSE-NEXT: [4., 4., 4.]
// ELSE: -3
// TWO: [2, 2]
// FIVE: [5, 5]
// OTHER: [0, 0]
// FIRST: output 0: 2xf32
// FIRST-NEXT: [1., 2.]
// SECOND: output 0: 1xf32
// SECOND-NEXT: [9.]
module attributes {hal.phase = "objects", hal.version = 1 : i32} {
  func.func @if(%c: i1, %x: tensor<2xf32>) -> (tensor<2xf32>, tensor<?xf32>, i32) {
    %r:3 = scf.if %c -> (tensor<2xf32>, tensor<?xf32>, i32) {
      %v = arith.constant 5.0 : f32
      %n = arith.constant 3 : i32
      %s = tensor.splat %v : tensor<2xf32>
      %d = tensor.cast %x : tensor<2xf32> to tensor<?xf32>
      scf.yield %s, %d, %n : tensor<2xf32>, tensor<?xf32>, i32
    } else {
      %v = arith.constant 4.0 : f32
      %n = arith.constant -3 : i32
      %k = arith.constant 3 : index
      %d = tensor.splat %v[%k] : tensor<?xf32>
      scf.yield %x, %d, %n : tensor<2xf32>, tensor<?xf32>, i32
    }
    return %r#0, %r#1, %r#2 : tensor<2xf32>, tensor<?xf32>, i32
  }
  func.func @switch(%i: index) -> tensor<2xi64> {
    %r = scf.index_switch %i -> tensor<2xi64>
    case 2 {
      %v = arith.constant 2 : i64
      %s = tensor.splat %v : tensor<2xi64>
      scf.yield %s : tensor<2xi64>
    }
    case 5 {
      %v = arith.constant 5 : i64
      %s = tensor.from_elements %v, %v : tensor<2xi64>
      scf.yield %s : tensor<2xi64>
    }
    default {
      %s = arith.constant dense<0> : tensor<2xi64>
      scf.yield %s : tensor<2xi64>
    }
    return %r : tensor<2xi64>
  }
  func.func @select(%c: i1, %x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
    %r = arith.select %c, %x, %y : tensor<?xf32>
    return %r : tensor<?xf32>
  }
}
