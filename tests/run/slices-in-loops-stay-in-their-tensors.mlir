// A slice in a loop lies in its tensor, whatever its offset is made of: a parameter, the counter, data; or the call fails, before or after the
// loop, and nothing outside is read or written.
// RUN: hal-compile -q %s -o %t.so 2>/dev/null
// RUN: hal-run %t.so --function=parameter -i 3xf32=0 -i 2xf32=5 -i 1 -i 1 | FileCheck %s --check-prefix=ONE
// RUN: exits 1 hal-run %t.so --function=parameter -i 3xf32=0 -i 2xf32=5 -i 2 -i 1 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: exits 1 hal-run %t.so --function=parameter -i 3xf32=0 -i 2xf32=5 -i -1 -i 1 2>&1 | FileCheck %s --check-prefix=BELOW
// RUN: hal-run %t.so --function=parameter -i 1xf32=7 -i 2xf32=5 -i 9 -i 0 | FileCheck %s --check-prefix=IDLE
// ONE: [0., 5., 5.]
// TWO: error[assertion-failed]: `scf.for` of `@parameter`, line {{[0-9]+}}: offset 2 of 2 elements is out of range for dimension 0 of size 3
// BELOW: error[assertion-failed]: {{.*}}: offset -1 of 2 elements is out of range for dimension 0 of size 3
// IDLE: [7.]

// RUN: hal-run %t.so --function=counter -i 3xf32=0 -i 2xf32=5 -i 2 | FileCheck %s --check-prefix=COUNTED
// RUN: exits 1 hal-run %t.so --function=counter -i 3xf32=0 -i 2xf32=5 -i 3 2>&1 | FileCheck %s --check-prefix=TWO-OF-COUNTER
// COUNTED: [5., 5., 5.]
// TWO-OF-COUNTER: error[assertion-failed]: `scf.for` of `@counter`, line {{[0-9]+}}: offset 2 of 2 elements is out of range

// RUN: hal-run %t.so --function=read -i 3xf32=1 -i 3 | FileCheck %s --check-prefix=READ
// RUN: exits 1 hal-run %t.so --function=read -i 3xf32=1 -i 5 2>&1 | FileCheck %s --check-prefix=FOUR
// READ: [1., 1., 1.]
// FOUR: error[assertion-failed]: {{.*}}: index 4 is out of range for dimension 0 of size 3

// Of a size that only a run knows, and more than one element of a tensor of which as much is not known: the host runs the loop, and checks.
// RUN: hal-run %t.so --function=sized -i 3xf32=0 -i 2xf32=5 -i 2xi64=1,0 | FileCheck %s --check-prefix=SIZED
// RUN: exits 1 hal-run %t.so --function=sized -i 3xf32=0 -i 2xf32=5 -i 2xi64=1,2 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: exits 1 hal-run %t.so --function=sized -i 3xf32=0 -i 2xf32=5 -i 1xi64=-1 2>&1 | FileCheck %s --check-prefix=LOW
// RUN: hal-run %t.so --function=cut -i 3xf32=1,2,3 -i 2xi64=1,0 | FileCheck %s --check-prefix=CUT
// RUN: exits 1 hal-run %t.so --function=cut -i 3xf32=1,2,3 -i 2xi64=1,2 2>&1 | FileCheck %s --check-prefix=OUT
// RUN: exits 1 hal-run %t.so --function=cut -i 1xf32=1 -i 1xi64=0 2>&1 | FileCheck %s --check-prefix=SMALL
// SIZED: [5., 5., 5.]
// LARGE: error[assertion-failed]: `tensor.insert_slice` of `@sized`, line {{[0-9]+}}: dimension 0: 2 elements from 2 do not lie in a size of 3
// LOW: error[assertion-failed]: {{.*}}: dimension 0: 2 elements from -1 do not lie in a size of 3
// CUT: [1., 2., 2., 3.]
// OUT: error[assertion-failed]: `tensor.extract_slice` of `@cut`, line {{[0-9]+}}: dimension 0: 2 elements from 2 do not lie in a size of 3
// SMALL: error[assertion-failed]: {{.*}}: dimension 0: 2 elements from 0 do not lie in a size of 1

// A constant that is written does not hide the loop from the checks.
// RUN: hal-run %t.so --function=constant -i 3xf32=0 -i 1xi64=1 | FileCheck %s --check-prefix=CONSTANT
// RUN: exits 1 hal-run %t.so --function=constant -i 3xf32=0 -i 1xi64=2 2>&1 | FileCheck %s --check-prefix=BEYOND
// CONSTANT: [0., 1., 1.]
// BEYOND: error[assertion-failed]: {{.*}}: offset 2 of 2 elements is out of range for dimension 0 of size 3

// In a loop in a loop, in a branch of a loop, in a loop without a count.
// RUN: hal-run --guard %t.so --function=nested -i 4xf32=0 -i 2xf32=5 -i 2 -i 2 | FileCheck %s --check-prefix=FILLED
// RUN: exits 1 hal-run --guard %t.so --function=nested -i 4xf32=0 -i 2xf32=5 -i 2 -i 3 2>&1 | FileCheck %s --check-prefix=NESTED
// RUN: hal-run --guard %t.so --function=branch -i 4xf32=0 -i 2xf32=5 -i 9 -i 3 | FileCheck %s --check-prefix=FILLED
// RUN: exits 1 hal-run --guard %t.so --function=branch -i 4xf32=0 -i 2xf32=5 -i 9 -i 4 2>&1 | FileCheck %s --check-prefix=BRANCH
// RUN: hal-run --guard %t.so --function=while -i 4xf32=0 -i 2xf32=5 -i 3 | FileCheck %s --check-prefix=FILLED
// RUN: exits 1 hal-run --guard %t.so --function=while -i 4xf32=0 -i 2xf32=5 -i 4 2>&1 | FileCheck %s --check-prefix=WHILE
// FILLED: [5., 5., 5., 5.]
// NESTED: error[assertion-failed]: `scf.for` of `@nested`, line {{[0-9]+}}: offset 3 of 2 elements is out of range for dimension 0 of size 4
// BRANCH: error[assertion-failed]: `tensor.insert_slice` of `@branch`, line {{[0-9]+}}: dimension 0: 2 elements from 3 do not lie in a size of 4
// WHILE: error[assertion-failed]: `tensor.insert_slice` of `@while`, line {{[0-9]+}}: dimension 0: 2 elements from 3 do not lie in a size of 4

func.func @parameter(%x: tensor<?xf32>, %u: tensor<2xf32>, %j: index, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<?xf32>) {
    %next = tensor.insert_slice %u into %a[%j] [2] [1] : tensor<2xf32> into tensor<?xf32>
    scf.yield %next : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

func.func @counter(%x: tensor<?xf32>, %u: tensor<2xf32>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<?xf32>) {
    %next = tensor.insert_slice %u into %a[%k] [2] [1] : tensor<2xf32> into tensor<?xf32>
    scf.yield %next : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

func.func @read(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty(%n) : tensor<?xf32>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%a = %e) -> (tensor<?xf32>) {
    %s = tensor.extract_slice %x[%k] [1] [1] : tensor<?xf32> to tensor<1xf32>
    %next = tensor.insert_slice %s into %a[%k] [1] [1] : tensor<1xf32> into tensor<?xf32>
    scf.yield %next : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

func.func @sized(%x: tensor<?xf32>, %u: tensor<?xf32>, %i: tensor<?xi64>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %i, %c0 : tensor<?xi64>
  %m = tensor.dim %u, %c0 : tensor<?xf32>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<?xf32>) {
    %j = tensor.extract %i[%k] : tensor<?xi64>
    %at = arith.index_cast %j : i64 to index
    %next = tensor.insert_slice %u into %a[%at] [%m] [1] : tensor<?xf32> into tensor<?xf32>
    scf.yield %next : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

func.func @cut(%x: tensor<?xf32>, %i: tensor<?xi64>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant dense<0.0> : tensor<4xf32>
  %n = tensor.dim %i, %c0 : tensor<?xi64>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%a = %z) -> (tensor<4xf32>) {
    %j = tensor.extract %i[%k] : tensor<?xi64>
    %at = arith.index_cast %j : i64 to index
    %s = tensor.extract_slice %x[%at] [2] [1] : tensor<?xf32> to tensor<2xf32>
    %back = arith.subi %c1, %k : index
    %to = arith.muli %back, %c2 : index
    %next = tensor.insert_slice %s into %a[%to] [2] [1] : tensor<2xf32> into tensor<4xf32>
    scf.yield %next : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

func.func @constant(%x: tensor<?xf32>, %i: tensor<?xi64>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ones = arith.constant dense<1.0> : tensor<2xf32>
  %n = tensor.dim %i, %c0 : tensor<?xi64>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<?xf32>) {
    %j = tensor.extract %i[%k] : tensor<?xi64>
    %at = arith.index_cast %j : i64 to index
    %next = tensor.insert_slice %ones into %a[%at] [2] [1] : tensor<2xf32> into tensor<?xf32>
    scf.yield %next : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

func.func @nested(%x: tensor<?xf32>, %u: tensor<2xf32>, %n: index, %m: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<?xf32>) {
    %q = scf.for %l = %c0 to %m step %c1 iter_args(%b = %a) -> (tensor<?xf32>) {
      %o = arith.addi %k, %l : index
      %next = tensor.insert_slice %u into %b[%o] [2] [1] : tensor<2xf32> into tensor<?xf32>
      scf.yield %next : tensor<?xf32>
    }
    scf.yield %q : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

func.func @branch(%x: tensor<?xf32>, %u: tensor<?xf32>, %n: index, %p: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = tensor.dim %u, %c0 : tensor<?xf32>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<?xf32>) {
    %yes = arith.cmpi slt, %k, %p : index
    %q = scf.if %yes -> (tensor<?xf32>) {
      %next = tensor.insert_slice %u into %a[%k] [%s] [1] : tensor<?xf32> into tensor<?xf32>
      scf.yield %next : tensor<?xf32>
    } else {
      scf.yield %a : tensor<?xf32>
    }
    scf.yield %q : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

func.func @while(%x: tensor<?xf32>, %u: tensor<2xf32>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r, %e = scf.while (%a = %x, %k = %c0) : (tensor<?xf32>, index) -> (tensor<?xf32>, index) {
    %go = arith.cmpi slt, %k, %n : index
    scf.condition(%go) %a, %k : tensor<?xf32>, index
  } do {
  ^bb0(%b: tensor<?xf32>, %k: index):
    %next = tensor.insert_slice %u into %b[%k] [2] [1] : tensor<2xf32> into tensor<?xf32>
    %k2 = arith.addi %k, %c1 : index
    scf.yield %next, %k2 : tensor<?xf32>, index
  }
  return %r : tensor<?xf32>
}
