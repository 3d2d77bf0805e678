// An assertion of the host program is honoured, before what relies on it; one inside of a kernel after it.
// RUN: hal-import %s >%t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: hal-translate %t.mlir | hal-link -o %t.so
// RUN: hal-run %t.so --input=3xf32=1 --input=3xf32=2 | FileCheck %s --check-prefix=RUNS
// RUN: exits 1 hal-run %t.so --input=3xf32=1 --input=4xf32=2 2>&1 | FileCheck %s --check-prefix=FAILS

// CHECK-LABEL: func.func @main(
// CHECK: cf.assert %{{.*}}, "sizes differ: {x} and y"
// CHECK-NOT: cf.assert
// CHECK-NOT: call @check
// CHECK: call @main_dispatch_0
// CHECK: call @check_0
// RUNS: [4., 4., 4.]
// RUN: exits 1 hal-run %t.so --input=3xf32=1 --input=3xf32=0 2>&1 | FileCheck %s --check-prefix=ZERO
// FAILS: error[assertion-failed]: sizes differ: {x} and y
// ZERO: error[assertion-failed]: zero
#id = affine_map<(d0) -> (d0)>
func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%m) : tensor<?xf32>
  %d = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  %n = tensor.dim %y, %c0 : tensor<?xf32>
  %same = arith.cmpi eq, %m, %n : index
  cf.assert %same, "sizes differ: {x} and y"
  cf.assert %same, "sizes differ: {x} and y"
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%d, %y : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %zero = arith.constant 0.0 : f32
    %fine = arith.cmpf une, %b, %zero : f32
    cf.assert %fine, "zero"
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
