// Loops that start from one value, which none of them reads alone, have a result each, also where it is computed in its place.
// RUN: hal-translate %s -O0 | hal-link -o %t.so
// RUN: hal-run %t.so --input="3x2xf32=-3 -1 1 -3 0.5 -2" | FileCheck %s
// RUN: hal-translate %s | hal-link -o %t.so
// RUN: hal-run %t.so --input="3x2xf32=-3 -1 1 -3 0.5 -2" | FileCheck %s
// CHECK: array([0, 1])
// CHECK: array([1, 0])
// CHECK: array([7, 7])
#map = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @both attributes {hal.executable} {
    func.func @places(%x: tensor<3x2xf32>) -> (tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) attributes {hal.export} {
      %most = arith.constant 0x7F800000 : f32
      %least = arith.constant 0xFF800000 : f32
      %seven = arith.constant 7 : i64
      %f = tensor.empty() : tensor<2xf32>
      %i = tensor.empty() : tensor<2xi64>
      %none = linalg.fill ins(%seven : i64) outs(%i : tensor<2xi64>) -> tensor<2xi64>
      %high = linalg.fill ins(%most : f32) outs(%f : tensor<2xf32>) -> tensor<2xf32>
      %a:2 = linalg.generic {indexing_maps = [#map, #column, #column], iterator_types = ["reduction", "parallel"]}
        ins(%x : tensor<3x2xf32>) outs(%high, %none : tensor<2xf32>, tensor<2xi64>) {
      ^bb0(%in: f32, %value: f32, %place: i64):
        %here = linalg.index 0 : index
        %number = arith.index_cast %here : index to i64
        %less = arith.cmpf olt, %in, %value : f32
        %0 = arith.select %less, %in, %value : f32
        %1 = arith.select %less, %number, %place : i64
        linalg.yield %0, %1 : f32, i64
      } -> (tensor<2xf32>, tensor<2xi64>)
      %low = linalg.fill ins(%least : f32) outs(%f : tensor<2xf32>) -> tensor<2xf32>
      %b:2 = linalg.generic {indexing_maps = [#map, #column, #column], iterator_types = ["reduction", "parallel"]}
        ins(%x : tensor<3x2xf32>) outs(%low, %none : tensor<2xf32>, tensor<2xi64>) {
      ^bb0(%in: f32, %value: f32, %place: i64):
        %here = linalg.index 0 : index
        %number = arith.index_cast %here : index to i64
        %more = arith.cmpf ogt, %in, %value : f32
        %0 = arith.select %more, %in, %value : f32
        %1 = arith.select %more, %number, %place : i64
        linalg.yield %0, %1 : f32, i64
      } -> (tensor<2xf32>, tensor<2xi64>)
      return %a#1, %b#1, %none : tensor<2xi64>, tensor<2xi64>, tensor<2xi64>
    }
  }
  func.func private @places(tensor<3x2xf32>) -> (tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) attributes {hal.entry = @both::@places}
  func.func @main(%x: tensor<3x2xf32>) -> (tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) {
    %r:3 = call @places(%x) : (tensor<3x2xf32>) -> (tensor<2xi64>, tensor<2xi64>, tensor<2xi64>)
    return %r#0, %r#1, %r#2 : tensor<2xi64>, tensor<2xi64>, tensor<2xi64>
  }
}
