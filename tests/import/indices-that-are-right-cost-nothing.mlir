// What can be told to be right at import is not checked: indices of loops, clamped ones, constants, divisors that are not zero.
// RUN: hal-import %s | FileCheck %s
// RUN: hal-import %s --bounds=trust | FileCheck %s
// CHECK-NOT: hal.check
// CHECK-NOT: arith.minui
// CHECK-NOT: reduce_max
// CHECK: func.func @main

#id = affine_map<(d0) -> (d0)>
#both = affine_map<(d0, d1) -> (d0, d1)>

// The size of the source is that of the loop, by way of the tensor that the result starts from.
func.func @loops(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%n, %m) : tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [#both], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<?x?xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %v = tensor.extract %x[%j, %i] : tensor<?x?xf32>
    linalg.yield %v : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// Moved into the tensor; chosen by a comparison; a remainder.
func.func @clamped(%i: tensor<8xi32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0 : i32
  %five = arith.constant 5 : i32
  %e = tensor.empty() : tensor<8xf32>
  %f = arith.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0]> : tensor<5xf32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%i : tensor<8xi32>) outs(%e : tensor<8xf32>) {
  ^bb0(%in: i32, %o: f32):
    %at = arith.index_cast %in : i32 to index
    %low = arith.maxsi %at, %c0 : index
    %inside = arith.minsi %low, %c4 : index
    %v = tensor.extract %f[%inside] : tensor<5xf32>
    linalg.yield %v : f32
  } -> tensor<8xf32>
  %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%i : tensor<8xi32>) outs(%e : tensor<8xf32>) {
  ^bb0(%in: i32, %o: f32):
    %rest = arith.remui %in, %five : i32
    %at = arith.index_cast %rest : i32 to index
    %v = tensor.extract %f[%at] : tensor<5xf32>
    linalg.yield %v : f32
  } -> tensor<8xf32>
  %c = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%i : tensor<8xi32>) outs(%e : tensor<8xf32>) {
  ^bb0(%in: i32, %o: f32):
    %from = arith.cmpi sge, %in, %zero : i32
    %to = arith.cmpi slt, %in, %five : i32
    %both = arith.andi %from, %to : i1
    %place = arith.select %both, %in, %zero : i32
    %at = arith.index_cast %place : i32 to index
    %v = tensor.extract %f[%at] : tensor<5xf32>
    linalg.yield %v : f32
  } -> tensor<8xf32>
  return %a, %b, %c : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// Constants: each index by itself, also where it counts from the end.
func.func @main(%x: tensor<4xf32>, %n: tensor<3xi32>) -> (tensor<3xf32>, tensor<3xi32>, tensor<3xi32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %seven = arith.constant 7 : i32
  %e = tensor.empty() : tensor<3xf32>
  %k = tensor.empty() : tensor<3xi32>
  %i = arith.constant dense<[-4, 3, -1]> : tensor<3xi64>
  %by = arith.constant dense<[3, -2, 5]> : tensor<3xi32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%i : tensor<3xi64>) outs(%e : tensor<3xf32>) {
  ^bb0(%in: i64, %o: f32):
    %at = arith.index_cast %in : i64 to index
    %negative = arith.cmpi slt, %at, %c0 : index
    %more = arith.addi %at, %c4 : index
    %from = arith.select %negative, %more, %at : index
    %v = tensor.extract %x[%from] : tensor<4xf32>
    linalg.yield %v : f32
  } -> tensor<3xf32>
  %b = arith.divsi %n, %by : tensor<3xi32>
  %c = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%n : tensor<3xi32>) outs(%k : tensor<3xi32>) {
  ^bb0(%in: i32, %o: i32):
    %s = arith.shrsi %in, %seven : i32
    %d = arith.divsi %s, %seven : i32
    linalg.yield %d : i32
  } -> tensor<3xi32>
  return %a, %b, %c : tensor<3xf32>, tensor<3xi32>, tensor<3xi32>
}
