// The best element and its position, chosen by many lanes or threads, each from its part of the row, where the start is no extreme: the first of `n`
// elements that is allowed replaces it. What a part without such elements starts with must not win.
// RUN: hal-compile -q %s -o %t.so && hal-run %t.so --function=main --input=2x100xi32=-2 | FileCheck %s
// RUN: hal-compile -q %s -O0 -o %t.so && hal-run %t.so --function=main --input=2x100xi32=-2 | FileCheck %s
// RUN: hal-compile -q %s --target=vulkan -o %t.so && hal-run %t.so --function=main --device=vulkan --input=2x100xi32=-2 | FileCheck %s
// CHECK: array([-2, -2], dtype=int32)
// CHECK: array([0, 0])
//
// Where the position decides how elements are compared, the row is gone through in order.
// RUN: hal-compile -q %s -o %t.so && hal-run %t.so --function=turn --input=2x100xf32=-2 | FileCheck %s --check-prefix=TURN
// RUN: hal-compile -q %s --target=vulkan -o %t.so && hal-run %t.so --function=turn --device=vulkan --input=2x100xf32=-2 | FileCheck %s --check-prefix=TURN
// TURN: array([-2., -2.], dtype=float32)
// TURN: array([8, 8])
#rows = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @main(%x: tensor<2x100xi32>) -> (tensor<2xi32>, tensor<2xi64>) {
  %zero = arith.constant 0 : i32
  %none = arith.constant -1 : i64
  %first = arith.constant 0 : i64
  %n = arith.constant 50 : i64
  %e = tensor.empty() : tensor<2xi32>
  %v = linalg.fill ins(%zero : i32) outs(%e : tensor<2xi32>) -> tensor<2xi32>
  %f = tensor.empty() : tensor<2xi64>
  %p = linalg.fill ins(%none : i64) outs(%f : tensor<2xi64>) -> tensor<2xi64>
  %r:2 = linalg.generic {indexing_maps = [#rows, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<2x100xi32>) outs(%v, %p : tensor<2xi32>, tensor<2xi64>) {
  ^bb0(%in: i32, %best: i32, %place: i64):
    %i = linalg.index 1 : index
    %here = arith.index_cast %i : index to i64
    %allowed = arith.cmpi slt, %here, %n : i64
    %empty = arith.cmpi slt, %place, %first : i64
    %greater = arith.cmpi sgt, %in, %best : i32
    %better = arith.ori %empty, %greater : i1
    %take = arith.andi %allowed, %better : i1
    %a = arith.select %take, %in, %best : i32
    %b = arith.select %take, %here, %place : i64
    linalg.yield %a, %b : i32, i64
  } -> (tensor<2xi32>, tensor<2xi64>)
  return %r#0, %r#1 : tensor<2xi32>, tensor<2xi64>
}
func.func @turn(%x: tensor<2x100xf32>) -> (tensor<2xf32>, tensor<2xi64>) {
  %zero = arith.constant 0.0 : f32
  %none = arith.constant -1 : i64
  %n = arith.constant 8 : i64
  %e = tensor.empty() : tensor<2xf32>
  %v = linalg.fill ins(%zero : f32) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  %f = tensor.empty() : tensor<2xi64>
  %p = linalg.fill ins(%none : i64) outs(%f : tensor<2xi64>) -> tensor<2xi64>
  %r:2 = linalg.generic {indexing_maps = [#rows, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<2x100xf32>) outs(%v, %p : tensor<2xf32>, tensor<2xi64>) {
  ^bb0(%in: f32, %best: f32, %place: i64):
    %i = linalg.index 1 : index
    %here = arith.index_cast %i : index to i64
    %late = arith.cmpi sge, %here, %n : i64
    %greater = arith.cmpf ogt, %in, %best : f32
    %less = arith.cmpf olt, %in, %best : f32
    %take = arith.select %late, %less, %greater : i1
    %a = arith.select %take, %in, %best : f32
    %b = arith.select %take, %here, %place : i64
    linalg.yield %a, %b : f32, i64
  } -> (tensor<2xf32>, tensor<2xi64>)
  return %r#0, %r#1 : tensor<2xf32>, tensor<2xi64>
}
