// Widened numbers compare with constants as narrow ones do, where some drivers get the wide comparison wrong.
// REQUIRES: vulkan
// RUN: hal-compile %s --target=vulkan -o %t.so
// RUN: hal-run %t.so --device=vulkan --input="6xi32=-9 -1 0 1 4 9" | FileCheck %s
// RUN: hal-compile %s --target=vulkan -O0 -o %t.so
// RUN: hal-run %t.so --device=vulkan --input="6xi32=-9 -1 0 1 4 9" | FileCheck %s
// CHECK: array([-3, 5, 0, 1, 4, 9])
// CHECK: array([1, 1, 0, 0, 0, 2])
// CHECK: array([7, 7, 7, 7, 7, 7])
#map = affine_map<(d0) -> (d0)>
func.func @main(%x: tensor<6xi32>) -> (tensor<6xi64>, tensor<6xi64>, tensor<6xi64>) {
  %e = tensor.empty() : tensor<6xi64>
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %five = arith.constant 5 : i64
  %six = arith.constant 6 : i64
  %seven = arith.constant 7 : i64
  %far = arith.constant 5000000000 : i64
  %r:3 = linalg.generic {indexing_maps = [#map, #map, #map, #map], iterator_types = ["parallel"]}
    ins(%x : tensor<6xi32>) outs(%e, %e, %e : tensor<6xi64>, tensor<6xi64>, tensor<6xi64>) {
  ^bb0(%in: i32, %o0: i64, %o1: i64, %o2: i64):
    %wide = arith.extsi %in : i32 to i64
    %below = arith.cmpi slt, %wide, %zero : i64
    %turned = arith.addi %wide, %six : i64
    %index = arith.select %below, %turned, %wide : i64
    %above = arith.cmpi sle, %five, %wide : i64
    %half = arith.select %above, %two, %zero : i64
    %kind = arith.select %below, %one, %half : i64
    %near = arith.cmpi sgt, %far, %wide : i64
    %always = arith.select %near, %seven, %zero : i64
    linalg.yield %index, %kind, %always : i64, i64, i64
  } -> (tensor<6xi64>, tensor<6xi64>, tensor<6xi64>)
  return %r#0, %r#1, %r#2 : tensor<6xi64>, tensor<6xi64>, tensor<6xi64>
}
