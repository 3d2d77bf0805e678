// Where no index is read, in a branch, a loop or a gather of nothing, none is out of range, also if the tensor is empty.
// RUN: hal-compile -q %s -o %t.so
// RUN: hal-run %t.so --function=branch -i 0xf32= -i 3xi64=-1 | FileCheck %s --check-prefix=SPARED
// RUN: exits 1 hal-run %t.so --function=branch -i 0xf32= -i 3xi64=-1,0,-1 2>&1 | FileCheck %s --check-prefix=FIRST
// RUN: exits 1 hal-run %t.so --function=branch -i 2xf32=5,6 -i 3xi64=1,2,-1 2>&1 | FileCheck %s --check-prefix=SECOND
// RUN: hal-run %t.so --function=branch -i 2xf32=5,6 -i 3xi64=1,0,-1 | FileCheck %s --check-prefix=CHOSEN
// SPARED: [0., 0., 0.]
// FIRST: error[assertion-failed]: `linalg.generic` of `@{{[a-z_]+}}`, line {{[0-9]+}}: index 0 is out of range for dimension 0 of size 0
// SECOND: error[assertion-failed]: {{.*}}: index 2 is out of range for dimension 0 of size 2
// CHOSEN: [6., 5., 0.]

// RUN: hal-run %t.so --function=loop -i 0xf32= -i 0xi64= | FileCheck %s --check-prefix=NOTHING
// RUN: exits 1 hal-run %t.so --function=loop -i 0xf32= -i 2xi64=0 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: exits 1 hal-run %t.so --function=loop -i 3xf32=0 -i 2xi64=0,3 2>&1 | FileCheck %s --check-prefix=THREE
// RUN: exits 1 hal-run %t.so --function=loop -i 3xf32=0 -i 2xi64=-1,2 2>&1 | FileCheck %s --check-prefix=BELOW
// RUN: exits 1 hal-run %t.so --function=loop -i 3xf32=0 -i 1xi64=9223372036854775807 2>&1 | FileCheck %s --check-prefix=FAR
// RUN: exits 1 hal-run %t.so --function=loop -i 3xf32=0 -i 1xi64=-9223372036854775808 2>&1 | FileCheck %s --check-prefix=LEAST
// RUN: hal-run %t.so --function=loop -i 3xf32=0 -i 2xi64=0,2 | FileCheck %s --check-prefix=PUT
// NOTHING: array([], dtype=float32)
// EMPTY: error[assertion-failed]: `scf.for` of `@{{[a-z_]+}}`, line {{[0-9]+}}: dimension 0 has size 0, so that no index is in range
// THREE: error[assertion-failed]: {{.*}}: index 3 is out of range for dimension 0 of size 3
// BELOW: error[assertion-failed]: {{.*}}: index -1 is out of range for dimension 0 of size 3
// FAR: error[assertion-failed]: {{.*}}: index 9223372036854775807 is out of range for dimension 0 of size 3
// LEAST: error[assertion-failed]: {{.*}}: index {{-9223372036854775808|9223372036854775807}} is out of range for dimension 0 of size 3
// PUT: [1., 0., 1.]

// Two elements are written, where there may be fewer.
// RUN: hal-run %t.so --function=pairs -i 1xf32=7 -i 0xi64= | FileCheck %s --check-prefix=ALONE
// RUN: exits 1 hal-run %t.so --function=pairs -i 3xf32=0 -i 1xi64=2 2>&1 | FileCheck %s --check-prefix=PAIR
// RUN: hal-run %t.so --function=pairs -i 3xf32=0 -i 1xi64=1 | FileCheck %s --check-prefix=WRITTEN
// ALONE: [7.]
// PAIR: error[assertion-failed]: {{.*}}: offset 2 of 2 elements is out of range for dimension 0 of size 3
// WRITTEN: [0., 1., 1.]

// RUN: hal-run %t.so --function=gather -i 0x2xf32= -i 0x1xi32= | FileCheck %s --check-prefix=GATHERED
// RUN: exits 1 hal-run %t.so --function=gather -i 0x2xf32= -i 2x1xi32=0 2>&1 | FileCheck %s --check-prefix=FIRST-ROW
// RUN: exits 1 hal-run %t.so --function=gather -i 4x2xf32=iota -i 2x1xi32=0,-1 2>&1 | FileCheck %s --check-prefix=LAST-ROW
// GATHERED: shape=(0, 1, 2)
// FIRST-ROW: error[assertion-failed]: `tensor.gather` of {{.*}}: index 0 is out of range for dimension 0 of size 0
// LAST-ROW: error[assertion-failed]: `tensor.gather` of {{.*}}: index -1 is out of range for dimension 0 of size 4

// RUN: hal-run %t.so --function=reduced -i 1x3x2xf32=iota -i 2x1x1xi64=2,0 | FileCheck %s --check-prefix=REDUCED
// RUN: hal-run %t.so --function=reduced -i 2x0x2xf32= -i 0x3x1xi64= | FileCheck %s --check-prefix=NONE
// REDUCED: 2x1x1x2xf32
// REDUCED: 4., 5.
// REDUCED: 0., 1.
// NONE: shape=(0, 3, 2, 2)

#id = affine_map<(d0) -> (d0)>

func.func @branch(%x: tensor<?xf32>, %i: tensor<3xi64>) -> tensor<3xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%i : tensor<3xi64>) outs(%e : tensor<3xf32>) {
  ^bb0(%in: i64, %out: f32):
    %at = arith.index_cast %in : i64 to index
    %there = arith.cmpi sge, %at, %c0 : index
    %v = scf.if %there -> (f32) {
      %element = tensor.extract %x[%at] : tensor<?xf32>
      scf.yield %element : f32
    } else {
      scf.yield %zero : f32
    }
    linalg.yield %v : f32
  } -> tensor<3xf32>
  return %r : tensor<3xf32>
}

func.func @loop(%x: tensor<?xf32>, %i: tensor<?xi64>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %n = tensor.dim %i, %c0 : tensor<?xi64>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<?xf32>) {
    %j = tensor.extract %i[%k] : tensor<?xi64>
    %at = arith.index_cast %j : i64 to index
    %next = tensor.insert %one into %a[%at] : tensor<?xf32>
    scf.yield %next : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

func.func @pairs(%x: tensor<?xf32>, %i: tensor<?xi64>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant dense<1.0> : tensor<2xf32>
  %n = tensor.dim %i, %c0 : tensor<?xi64>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<?xf32>) {
    %j = tensor.extract %i[%k] : tensor<?xi64>
    %at = arith.index_cast %j : i64 to index
    %next = tensor.insert_slice %two into %a[%at] [2] [1] : tensor<2xf32> into tensor<?xf32>
    scf.yield %next : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

func.func @gather(%x: tensor<?x2xf32>, %i: tensor<?x1xi32>) -> tensor<?x1x2xf32> {
  %r = tensor.gather %x[%i] gather_dims([0]) : (tensor<?x2xf32>, tensor<?x1xi32>) -> tensor<?x1x2xf32>
  return %r : tensor<?x1x2xf32>
}

// Without the dimension that is gathered, from a tensor of which all sizes are open.
func.func @reduced(%x: tensor<?x?x?xf32>, %i: tensor<?x?x1xi64>) -> tensor<?x?x?x?xf32> {
  %r = tensor.gather %x[%i] gather_dims([1]) : (tensor<?x?x?xf32>, tensor<?x?x1xi64>) -> tensor<?x?x?x?xf32>
  return %r : tensor<?x?x?x?xf32>
}
