// A kernel that updates what a loop carries, by writing a part of it or element by element, shares its buffer; not where somebody still
// needs the old value, or where the next iteration takes it in another's place.
// RUN: hal-import %s | FileCheck %s
// CHECK: func.func @rows_dispatch_{{.*}}insert{{.*}} -> (tensor<5x4xf32> {hal.tied = 1 : i32})
// CHECK: func.func @open_dispatch_{{.*}}insert{{.*}} -> (tensor<?x4xf32> {hal.dims = array<i64: {{[0-9]+}}>, hal.tied = 1 : i32})
// CHECK: func.func @until_dispatch_{{.*}}insert{{.*}} -> (tensor<6x4xf32> {hal.tied = 1 : i32})
// CHECK: func.func @needed_dispatch_{{.*}}insert{{.*}} -> tensor<7x4xf32>
// CHECK: func.func @swapped_dispatch_{{.*}}insert{{.*}} -> tensor<8x4xf32>

// RUN: hal-compile %s -o %t.so -q
// RUN: hal-run %t.so --function=rows --input=4xf32=1 | FileCheck %s --check-prefix=ROWS
// ROWS: array({{\[\[}}1., 1., 1., 1.],
// ROWS-NEXT: [2., 2., 2., 2.],
// ROWS-NEXT: [3., 3., 3., 3.],
// ROWS-NEXT: [4., 4., 4., 4.],
// ROWS-NEXT: [5., 5., 5., 5.]]
// The argument, which the loop starts from, is as it was.
// RUN: hal-run %t.so --function=open --input=3x4xf32=9 --input=4xf32=1 | FileCheck %s --check-prefix=OPEN
// OPEN: array({{\[\[}}1., 1., 1., 1.],
// OPEN-NEXT: [2., 2., 2., 2.],
// OPEN-NEXT: [9., 9., 9., 9.]]
// OPEN: array({{\[\[}}9., 9., 9., 9.],
// RUN: hal-run %t.so --function=until --input=4xf32=1 | FileCheck %s --check-prefix=UNTIL
// UNTIL: array({{\[\[}}1., 1., 1., 1.],
// UNTIL-NEXT: [2., 2., 2., 2.],
// UNTIL-NEXT: [4., 4., 4., 4.],
// UNTIL-NEXT: [0., 0., 0., 0.],
// RUN: hal-run %t.so --function=needed --input=4xf32=1 | FileCheck %s --check-prefix=NEEDED
// NEEDED: array({{\[\[}}2., 2., 2., 2.],
// NEEDED-NEXT: [2., 2., 2., 2.],
// NEEDED-NEXT: [2., 2., 2., 2.],
// NEEDED: array({{\[\[}}2., 2., 2., 2.],
// NEEDED-NEXT: [2., 2., 2., 2.],
// NEEDED-NEXT: [0., 0., 0., 0.],
// RUN: hal-run %t.so --function=swapped --input=4xf32=1 | FileCheck %s --check-prefix=SWAPPED
// SWAPPED: array({{\[\[}}0., 0., 0., 0.],
// SWAPPED-NEXT: [2., 2., 2., 2.],
// SWAPPED-NEXT: [0., 0., 0., 0.],
// SWAPPED: array({{\[\[}}2., 2., 2., 2.],
// SWAPPED-NEXT: [0., 0., 0., 0.],
// SWAPPED-NEXT: [2., 2., 2., 2.],

func.func private @next(%x: tensor<4xf32>) -> tensor<4xf32> {
  %one = arith.constant dense<1.0> : tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %n = linalg.add ins(%x, %one : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %n : tensor<4xf32>
}
func.func @rows(%x: tensor<4xf32>) -> tensor<5x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %zero = arith.constant dense<0.0> : tensor<5x4xf32>
  %r:2 = scf.for %i = %c0 to %c5 step %c1 iter_args(%all = %zero, %row = %x) -> (tensor<5x4xf32>, tensor<4xf32>) {
    %n = tensor.insert_slice %row into %all[%i, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<5x4xf32>
    %next = func.call @next(%row) : (tensor<4xf32>) -> tensor<4xf32>
    scf.yield %n, %next : tensor<5x4xf32>, tensor<4xf32>
  }
  return %r#0 : tensor<5x4xf32>
}
func.func @open(%start: tensor<?x4xf32>, %x: tensor<4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r:2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%all = %start, %row = %x) -> (tensor<?x4xf32>, tensor<4xf32>) {
    %n = tensor.insert_slice %row into %all[%i, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<?x4xf32>
    %next = func.call @next(%row) : (tensor<4xf32>) -> tensor<4xf32>
    scf.yield %n, %next : tensor<?x4xf32>, tensor<4xf32>
  }
  return %r#0, %start : tensor<?x4xf32>, tensor<?x4xf32>
}
func.func @until(%x: tensor<4xf32>) -> tensor<6x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant dense<0.0> : tensor<6x4xf32>
  %r:3 = scf.while (%i = %c0, %all = %zero, %row = %x) : (index, tensor<6x4xf32>, tensor<4xf32>) -> (index, tensor<6x4xf32>, tensor<4xf32>) {
    %more = arith.cmpi ult, %i, %c3 : index
    scf.condition(%more) %i, %all, %row : index, tensor<6x4xf32>, tensor<4xf32>
  } do {
  ^bb0(%i: index, %all: tensor<6x4xf32>, %row: tensor<4xf32>):
    %n = tensor.insert_slice %row into %all[%i, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<6x4xf32>
    %e = tensor.empty() : tensor<4xf32>
    %twice = linalg.add ins(%row, %row : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    %j = arith.addi %i, %c1 : index
    scf.yield %j, %n, %twice : index, tensor<6x4xf32>, tensor<4xf32>
  }
  return %r#1 : tensor<6x4xf32>
}
func.func @needed(%x: tensor<4xf32>) -> (tensor<7x4xf32>, tensor<7x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant dense<0.0> : tensor<7x4xf32>
  %r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%all = %zero, %before = %zero) -> (tensor<7x4xf32>, tensor<7x4xf32>) {
    %next = func.call @next(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %n = tensor.insert_slice %next into %all[%i, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<7x4xf32>
    scf.yield %n, %all : tensor<7x4xf32>, tensor<7x4xf32>
  }
  return %r#0, %r#1 : tensor<7x4xf32>, tensor<7x4xf32>
}
func.func @swapped(%x: tensor<4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant dense<0.0> : tensor<8x4xf32>
  %r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %zero, %b = %zero) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
    %next = func.call @next(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %n = tensor.insert_slice %next into %a[%i, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<8x4xf32>
    scf.yield %b, %n : tensor<8x4xf32>, tensor<8x4xf32>
  }
  return %r#0, %r#1 : tensor<8x4xf32>, tensor<8x4xf32>
}
