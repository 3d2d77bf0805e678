// CPUs: reduction. GPUs: elements, one per thread.
#map = affine_map<(d0, d1, d2) -> (d2)>
#map1 = affine_map<(d0, d1, d2) -> (d1)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1)>
module {
  func.func @kernel(%arg0: tensor<12xi32>, %arg1: tensor<3xi64>, %arg2: tensor<3xi64>, %arg3: tensor<1x12xi32>) -> tensor<1x3xf32> attributes {hal.export} {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<1x3xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<1x3xf32>) -> tensor<1x3xf32>
    %c1 = arith.constant 1 : index
    %c12 = arith.constant 12 : index
    %c11 = arith.constant 11 : index
    %c0 = arith.constant 0 : index
    %cst_0 = arith.constant 1.000000e+00 : f32
    %2 = linalg.generic {indexing_maps = [#map, #map1, #map1, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0, %arg1, %arg2 : tensor<12xi32>, tensor<3xi64>, tensor<3xi64>) outs(%1 : tensor<1x3xf32>) {
    ^bb0(%in: i32, %in_1: i64, %in_2: i64, %out: f32):
      %3 = linalg.index 2 : index
      %4 = arith.extsi %in : i32 to i64
      %5 = arith.cmpi eq, %4, %in_1 : i64
      %6 = arith.addi %3, %c1 : index
      %7 = arith.cmpi slt, %6, %c12 : index
      %8 = arith.minsi %6, %c11 : index
      %extracted = tensor.extract %arg3[%c0, %8] : tensor<1x12xi32>
      %9 = arith.extsi %extracted : i32 to i64
      %10 = arith.cmpi eq, %9, %in_2 : i64
      %11 = arith.andi %7, %10 : i1
      %12 = arith.andi %5, %11 : i1
      %13 = arith.select %12, %cst_0, %cst : f32
      %14 = arith.addf %out, %13 : f32
      linalg.yield %14 : f32
    } -> tensor<1x3xf32>
    return %2 : tensor<1x3xf32>
  }
}
