// Checks run as soon as what they need is there, before dispatches; those of what a dispatch has computed come last. Checks
// that say the same, or always hold, go.
// RUN: hal-import %s -o %t.mlir && FileCheck %s < %t.mlir && FileCheck %s --check-prefix=DECLARED < %t.mlir
// RUN: hal-translate %t.mlir | hal-link -o %t.so
// RUN: hal-run %t.so --function=sizes --input=3xf32=1 --input=3xf32=2 | FileCheck %s --check-prefix=SIZES
// RUN: exits 1 hal-run %t.so --function=sizes --input=3xf32=1 --input=4xf32=2 2>&1 | FileCheck %s --check-prefix=DIFFER
// RUN: hal-run %t.so --function=data --input=2xi32=0,3 | FileCheck %s --check-prefix=DATA
// RUN: exits 1 hal-run %t.so --function=data --input=2xi32=0,9 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: hal-run %t.so --function=count --input=1xi64=1 --input=4xf32=1 | FileCheck %s --check-prefix=COUNT
// RUN: exits 1 hal-run %t.so --function=count --input=1xi64=5 --input=4xf32=1 2>&1 | FileCheck %s --check-prefix=MANY

// DECLARED-NOT: func private @sizes_differ_too
// DECLARED-NOT: func private @nobody
// SIZES: [5., 5., 5.]
// DIFFER: error[assertion-failed]: sizes 3 and 4
// DATA: [0, 6]
// RANGE: error[assertion-failed]: index 9 of 5
// COUNT: [2., 2.]
// MANY: error[assertion-failed]: 10 of 4 elements
func.func private @sizes_differ(i1, index, index) attributes {hal.check = "sizes {0} and {1}"}
func.func private @sizes_differ_too(i1, index, index) attributes {hal.check = "sizes {0} and {1}"}
func.func private @in_range(i1, i32, index) attributes {hal.check = "index {0} of {1}"}
func.func private @fits(i1, index, index) attributes {hal.check = "{0} of {1} elements"}
func.func private @nobody(i1) attributes {hal.check = "no"}

#id = affine_map<(d0) -> (d0)>
#none = affine_map<(d0) -> ()>
// CHECK-LABEL: func.func @sizes(
// CHECK: cmpi eq
// CHECK: call @sizes_differ(
// CHECK-NOT: call @sizes_differ
// CHECK: call @sizes_dispatch_0
func.func @sizes(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %true = arith.constant true
  %m = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%m) : tensor<?xf32>
  %d = linalg.exp ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %n = tensor.dim %y, %c0 : tensor<?xf32>
  %same = arith.cmpi eq, %m, %n : index
  func.call @sizes_differ(%same, %m, %n) : (i1, index, index) -> ()
  func.call @sizes_differ_too(%same, %m, %n) : (i1, index, index) -> ()
  %z = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%d : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    %t = arith.addf %s, %b : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  func.call @nobody(%true) : (i1) -> ()
  return %z : tensor<?xf32>
}

// CHECK-LABEL: func.func @data(
// CHECK: %[[MAX:.*]] = call @data_dispatch_0
// CHECK-NOT: tensor.extract
// CHECK: call @data_dispatch_1
// CHECK: tensor.extract
// CHECK: call @in_range
// CHECK-NEXT: return
func.func @data(%i: tensor<2xi32>) -> tensor<2xi32> {
  %c5 = arith.constant 5 : index
  %c5_i32 = arith.constant 5 : i32
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<i32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<i32>) -> tensor<i32>
  %max = linalg.generic {indexing_maps = [#id, #none], iterator_types = ["reduction"]} ins(%i : tensor<2xi32>) outs(%f : tensor<i32>) {
  ^bb0(%a: i32, %o: i32):
    %s = arith.maxsi %a, %o : i32
    linalg.yield %s : i32
  } -> tensor<i32>
  %m = tensor.extract %max[] : tensor<i32>
  %ok = arith.cmpi slt, %m, %c5_i32 : i32
  func.call @in_range(%ok, %m, %c5) : (i1, i32, index) -> ()
  %e2 = tensor.empty() : tensor<2xi32>
  %r = linalg.add ins(%i, %i : tensor<2xi32>, tensor<2xi32>) outs(%e2 : tensor<2xi32>) -> tensor<2xi32>
  return %r : tensor<2xi32>
}

// A count that is data and decides about sizes is waited for in any case.
// CHECK-LABEL: func.func @count(
// CHECK: call @count_dispatch_0
// CHECK: tensor.extract
// CHECK: call @fits
// CHECK: call @count_dispatch_1
func.func @count(%k: tensor<1xi64>, %x: tensor<4xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %e = tensor.empty() : tensor<1xi64>
  %twice = linalg.add ins(%k, %k : tensor<1xi64>, tensor<1xi64>) outs(%e : tensor<1xi64>) -> tensor<1xi64>
  %v = tensor.extract %twice[%c0] : tensor<1xi64>
  %n = arith.index_cast %v : i64 to index
  %ok = arith.cmpi sle, %n, %c4 : index
  func.call @fits(%ok, %n, %c4) : (i1, index, index) -> ()
  %s = tensor.extract_slice %x[0] [%n] [1] : tensor<4xf32> to tensor<?xf32>
  %e2 = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.add ins(%s, %s : tensor<?xf32>, tensor<?xf32>) outs(%e2 : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
