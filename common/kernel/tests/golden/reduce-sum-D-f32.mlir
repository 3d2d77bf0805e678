// All: refused, an output that is not a permutation.
#map = affine_map<(d0) -> ()>
#map1 = affine_map<(d0) -> (d0)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d0)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d1)>
#map4 = affine_map<(d0, d1, d2, d3) -> (d0, d2, 1)>
#map5 = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
module {
  func.func @kernel(%arg0: tensor<i32>, %arg1: tensor<?xf32>, %arg2: tensor<?xf32>, %arg3: tensor<?xi8>, %arg4: index) -> (tensor<?x5x4xf32> {hal.dims = array<i64: 4>}) attributes {hal.export} {
    %0 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel"]} ins(%arg0 : tensor<i32>) outs(%arg1 : tensor<?xf32>) {
    ^bb0(%in: i32, %out: f32):
      %6 = arith.sitofp %in : i32 to f32
      %7 = arith.addf %6, %out : f32
      linalg.yield %7 : f32
    } -> tensor<?xf32>
    %cst = arith.constant -3.000000e+00 : f32
    %1 = tensor.empty(%arg4) : tensor<?x5x4xf32>
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<?x5x4xf32>) -> tensor<?x5x4xf32>
    %cst_0 = arith.constant -3.000000e+00 : bf16
    %3 = tensor.empty(%arg4) : tensor<?x5x5xbf16>
    %4 = linalg.fill ins(%cst_0 : bf16) outs(%3 : tensor<?x5x5xbf16>) -> tensor<?x5x5xbf16>
    %5:2 = linalg.generic {indexing_maps = [#map2, #map2, #map2, #map3, #map4, #map5], iterator_types = ["parallel", "reduction", "parallel", "parallel"]} ins(%arg2, %arg2, %0, %arg3 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xi8>) outs(%2, %4 : tensor<?x5x4xf32>, tensor<?x5x5xbf16>) {
    ^bb0(%in: f32, %in_1: f32, %in_2: f32, %in_3: i8, %out: f32, %out_4: bf16):
      %6 = arith.sitofp %in_3 : i8 to f32
      %7 = arith.addf %6, %in_2 : f32
      %8 = arith.addf %out, %7 : f32
      linalg.yield %8, %out_4 : f32, bf16
    } -> (tensor<?x5x4xf32>, tensor<?x5x5xbf16>)
    return %5#0 : tensor<?x5x4xf32>
  }
}
