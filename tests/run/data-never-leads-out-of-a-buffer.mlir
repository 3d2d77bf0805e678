// An index, divisor or shift that is data and out of range fails the call and is named; nothing is read or written outside.
// RUN: hal-compile -q %s -o %t.so
// RUN: hal-run %t.so --function=gather -i 3x4xf32=iota -i 2xi64=0,2 | FileCheck %s --check-prefix=GATHERED
// RUN: exits 1 hal-run %t.so --function=gather -i 3x4xf32=iota -i 2xi64=0,3 2>&1 | FileCheck %s --check-prefix=THREE
// RUN: exits 1 hal-run %t.so --function=gather -i 3x4xf32=iota -i 2xi64=0,-1 2>&1 | FileCheck %s --check-prefix=BELOW
// RUN: exits 1 hal-run %t.so --function=gather -i 3x4xf32=iota -i 2xi64=1000000000,-1000000000000000000 2>&1 | FileCheck %s --check-prefix=FAR
// GATHERED: [ 8.,  9., 10., 11.]
// THREE: error[assertion-failed]: `linalg.generic` of `@{{[a-z_]+}}`, line {{[0-9]+}}: index 3 is out of range for dimension 0 of size 3
// BELOW: error[assertion-failed]: {{.*}}: index -1 is out of range for dimension 0 of size 3
// FAR: error[assertion-failed]: {{.*}}: index -1000000000000000000 is out of range for dimension 0 of size 3

// Nothing is wrong where nothing is read, and no index is right where there is nothing to read.
// RUN: hal-run %t.so --function=gather -i 0x4xf32= -i 0xi64= | FileCheck %s --check-prefix=NOTHING
// RUN: hal-run %t.so --function=gather -i 3x4xf32=iota -i 0xi64= | FileCheck %s --check-prefix=NOTHING
// RUN: exits 1 hal-run %t.so --function=gather -i 0x4xf32= -i 2xi64=0,0 2>&1 | FileCheck %s --check-prefix=EMPTY
// NOTHING: shape=(0, 4)
// EMPTY: error[assertion-failed]: {{.*}}: dimension 0 has size 0, so that no index is in range

// RUN: hal-run %t.so --function=from_end -i 3xf32=iota -i 3xi32=-1,-3,2 | FileCheck %s --check-prefix=COUNTED
// RUN: exits 1 hal-run %t.so --function=from_end -i 3xf32=iota -i 3xi32=0,-4,2 2>&1 | FileCheck %s --check-prefix=FOUR
// COUNTED: [2., 0., 2.]
// FOUR: error[assertion-failed]: {{.*}}: index -4 is out of range for dimension 0 of size 3

// RUN: hal-run %t.so --function=tensor_gather -i iota -i 3x1xi32=6,0,5 | FileCheck %s --check-prefix=WHOLE
// RUN: exits 1 hal-run %t.so --function=tensor_gather -i iota -i 3x1xi32=6,-1000000000,5 2>&1 | FileCheck %s --check-prefix=GONE
// WHOLE: {{\[}}10., 11.]
// GONE: error[assertion-failed]: `tensor.gather` of `@{{[a-z_]+}}`, line {{[0-9]+}}: index -1000000000 is out of range for dimension 0 of size 7

// RUN: hal-run %t.so --function=generate -i iota -i 3xi32=6,0,5 | FileCheck %s --check-prefix=MADE
// RUN: exits 1 hal-run %t.so --function=generate -i iota -i 3xi32=6,7,5 2>&1 | FileCheck %s --check-prefix=SEVEN
// MADE: [6., 0., 5.]
// SEVEN: error[assertion-failed]: `tensor.generate` of `@{{[a-z_]+}}`, line {{[0-9]+}}: index 7 is out of range for dimension 0 of size 7

// RUN: hal-run %t.so --function=scatter -i 1x5x3xf32=0 -i 1x2xi32=4,0 -i 1x2x3xf32=iota | FileCheck %s --check-prefix=WRITTEN
// RUN: exits 1 hal-run %t.so --function=scatter -i 1x5x3xf32=0 -i 1x2xi32=4,5 -i 1x2x3xf32=iota 2>&1 | FileCheck %s --check-prefix=FIVE
// RUN: hal-run %t.so --function=elements -i 4xf32=0 -i 2xi64=3,0 -i 2xf32=7,8 | FileCheck %s --check-prefix=PUT
// RUN: exits 1 hal-run %t.so --function=elements -i 4xf32=0 -i 2xi64=3,1000000000000 -i 2xf32=7,8 2>&1 | FileCheck %s --check-prefix=FURTHER
// WRITTEN: {{\[}}[3., 4., 5.]
// FIVE: error[assertion-failed]: `scf.for` of `@{{[a-z_]+}}`, line {{[0-9]+}}: index 5 is out of range for dimension 1 of size 5
// PUT: [8., 0., 0., 7.]
// FURTHER: error[assertion-failed]: `scf.for` of `@{{[a-z_]+}}`, line {{[0-9]+}}: index 1000000000000 is out of range for dimension 0 of size 4

// The least integer over -1 wraps around; a division by zero is an error, also by a number that the host knows.
// RUN: hal-run %t.so --function=divide -i 7,-7,9,-2147483648 -i 2,2,-4,-1 | FileCheck %s --check-prefix=QUOTIENT
// RUN: exits 1 hal-run %t.so --function=divide -i 7,-7,9,0 -i 2,0,-4,-1 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: hal-run %t.so --function=remainder -i 7,-7,9,-2147483648 -i 4 | FileCheck %s --check-prefix=REST
// RUN: hal-run %t.so --function=remainder -i 7,-7,9,-2147483648 -i -1 | FileCheck %s --check-prefix=NOREST
// RUN: exits 1 hal-run %t.so --function=remainder -i 7,-7,9,0 -i 0 2>&1 | FileCheck %s --check-prefix=ZERO
// QUOTIENT: 3, {{ *}}-3, {{ *}}-2, -2147483648]
// ZERO: error[assertion-failed]: `linalg.generic` of `@{{[a-z_]+}}`, line {{[0-9]+}}: division by zero
// REST: [ 3, -3,  1,  0]
// NOREST: [0, 0, 0, 0]

// RUN: hal-run %t.so --function=shift -i 1,1,1,1 -i 0,31,2,3 | FileCheck %s --check-prefix=SHIFTED
// RUN: exits 1 hal-run %t.so --function=shift -i 1,1,1,1 -i 0,32,2,3 2>&1 | FileCheck %s --check-prefix=TOOFAR
// RUN: exits 1 hal-run %t.so --function=shift -i 1,1,1,1 -i 0,-1,2,3 2>&1 | FileCheck %s --check-prefix=TOOFAR
// SHIFTED: 1, -2147483648, {{ *}}4, {{ *}}8]
// TOOFAR: error[assertion-failed]: {{.*}}: an integer of 32 bits is shifted by {{32|4294967295}}

// A promise of the body itself, which may hold only where it is made.
// RUN: hal-run %t.so --function=promise -i 1,2,3,-6 | FileCheck %s --check-prefix=KEPT
// RUN: exits 1 hal-run %t.so --function=promise -i 1,2,3,7 2>&1 | FileCheck %s --check-prefix=BROKEN
// KEPT: [ 1,  2,  3, -6]
// BROKEN: error[assertion-failed]: too {large}

#id = affine_map<(d0) -> (d0)>
#rows = affine_map<(d0, d1) -> (d0)>
#both = affine_map<(d0, d1) -> (d0, d1)>

func.func @gather(%x: tensor<?x4xf32>, %i: tensor<?xi64>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %i, %c0 : tensor<?xi64>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %r = linalg.generic {indexing_maps = [#rows, #both], iterator_types = ["parallel", "parallel"]} ins(%i : tensor<?xi64>) outs(%e : tensor<?x4xf32>) {
  ^bb0(%in: i64, %out: f32):
    %at = arith.index_cast %in : i64 to index
    %d = linalg.index 1 : index
    %v = tensor.extract %x[%at, %d] : tensor<?x4xf32>
    linalg.yield %v : f32
  } -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

func.func @from_end(%x: tensor<?xf32>, %i: tensor<3xi32>) -> tensor<3xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%i : tensor<3xi32>) outs(%e : tensor<3xf32>) {
  ^bb0(%in: i32, %out: f32):
    %at = arith.index_cast %in : i32 to index
    %negative = arith.cmpi slt, %at, %c0 : index
    %more = arith.addi %at, %n : index
    %from = arith.select %negative, %more, %at : index
    %v = tensor.extract %x[%from] : tensor<?xf32>
    linalg.yield %v : f32
  } -> tensor<3xf32>
  return %r : tensor<3xf32>
}

func.func @tensor_gather(%x: tensor<7x2xf32>, %i: tensor<3x1xi32>) -> tensor<3x1x2xf32> {
  %r = tensor.gather %x[%i] gather_dims([0]) : (tensor<7x2xf32>, tensor<3x1xi32>) -> tensor<3x1x2xf32>
  return %r : tensor<3x1x2xf32>
}

func.func @generate(%x: tensor<7xf32>, %i: tensor<3xi32>) -> tensor<3xf32> {
  %r = tensor.generate {
  ^bb0(%k: index):
    %j = tensor.extract %i[%k] : tensor<3xi32>
    %at = arith.index_cast %j : i32 to index
    %v = tensor.extract %x[%at] : tensor<7xf32>
    tensor.yield %v : f32
  } : tensor<3xf32>
  return %r : tensor<3xf32>
}

func.func @scatter(%v: tensor<1x5x3xf32>, %i: tensor<1x2xi32>, %in: tensor<1x2x3xf32>) -> tensor<1x5x3xf32> {
  %0 = tosa.scatter %v, %i, %in : (tensor<1x5x3xf32>, tensor<1x2xi32>, tensor<1x2x3xf32>) -> tensor<1x5x3xf32>
  return %0 : tensor<1x5x3xf32>
}

func.func @elements(%x: tensor<4xf32>, %i: tensor<2xi64>, %u: tensor<2xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r = scf.for %k = %c0 to %c2 step %c1 iter_args(%a = %x) -> (tensor<4xf32>) {
    %j = tensor.extract %i[%k] : tensor<2xi64>
    %v = tensor.extract %u[%k] : tensor<2xf32>
    %at = arith.index_cast %j : i64 to index
    %n = tensor.insert %v into %a[%at] : tensor<4xf32>
    scf.yield %n : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

func.func @divide(%a: tensor<4xi32>, %b: tensor<4xi32>) -> tensor<4xi32> {
  %0 = arith.divsi %a, %b : tensor<4xi32>
  return %0 : tensor<4xi32>
}

func.func @remainder(%a: tensor<4xi32>, %b: i32) -> tensor<4xi32> {
  %e = tensor.empty() : tensor<4xi32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : tensor<4xi32>) outs(%e : tensor<4xi32>) {
  ^bb0(%in: i32, %out: i32):
    %s = arith.remsi %in, %b : i32
    linalg.yield %s : i32
  } -> tensor<4xi32>
  return %r : tensor<4xi32>
}

func.func @shift(%a: tensor<4xi32>, %b: tensor<4xi32>) -> tensor<4xi32> {
  %0 = arith.shli %a, %b : tensor<4xi32>
  return %0 : tensor<4xi32>
}

func.func @promise(%a: tensor<4xi32>) -> tensor<4xi32> {
  %e = tensor.empty() : tensor<4xi32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : tensor<4xi32>) outs(%e : tensor<4xi32>) {
  ^bb0(%in: i32, %out: i32):
    %c7 = arith.constant 7 : i32
    %c0 = arith.constant 0 : i32
    %positive = arith.cmpi sgt, %in, %c0 : i32
    %s = scf.if %positive -> (i32) {
      %ok = arith.cmpi slt, %in, %c7 : i32
      cf.assert %ok, "too {large}"
      scf.yield %in : i32
    } else {
      scf.yield %in : i32
    }
    linalg.yield %s : i32
  } -> tensor<4xi32>
  return %r : tensor<4xi32>
}
