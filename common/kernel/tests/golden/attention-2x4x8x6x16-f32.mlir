// CPUs: attention. GPUs: rows, 8 at a time.
#map = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>
#map1 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>
#map2 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
module {
  func.func @kernel(%arg0: tensor<2x4x8x16xf32>, %arg1: tensor<2x4x16x6xf32>, %arg2: tensor<2x4x6x16xf32>) -> tensor<2x4x8x16xf32> attributes {hal.export} {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<2x4x8x6xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<2x4x8x6xf32>) -> tensor<2x4x8x6xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%arg0, %arg1 : tensor<2x4x8x16xf32>, tensor<2x4x16x6xf32>) outs(%1 : tensor<2x4x8x6xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %13 = arith.mulf %in, %in_1 : f32
      %14 = arith.addf %out, %13 : f32
      linalg.yield %14 : f32
    } -> tensor<2x4x8x6xf32>
    %cst_0 = arith.constant 0xFF800000 : f32
    %3 = tensor.empty() : tensor<2x4x8xf32>
    %4 = linalg.fill ins(%cst_0 : f32) outs(%3 : tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
    %5 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%2 : tensor<2x4x8x6xf32>) outs(%4 : tensor<2x4x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %13 = arith.maximumf %out, %in : f32
      linalg.yield %13 : f32
    } -> tensor<2x4x8xf32>
    %6 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%2, %5 : tensor<2x4x8x6xf32>, tensor<2x4x8xf32>) outs(%0 : tensor<2x4x8x6xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %13 = arith.subf %in, %in_1 : f32
      %14 = math.exp %13 : f32
      linalg.yield %14 : f32
    } -> tensor<2x4x8x6xf32>
    %7 = linalg.fill ins(%cst : f32) outs(%3 : tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
    %8 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%6 : tensor<2x4x8x6xf32>) outs(%7 : tensor<2x4x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %13 = arith.addf %out, %in : f32
      linalg.yield %13 : f32
    } -> tensor<2x4x8xf32>
    %9 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%6, %8 : tensor<2x4x8x6xf32>, tensor<2x4x8xf32>) outs(%0 : tensor<2x4x8x6xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %13 = arith.divf %in, %in_1 : f32
      linalg.yield %13 : f32
    } -> tensor<2x4x8x6xf32>
    %10 = tensor.empty() : tensor<2x4x8x16xf32>
    %11 = linalg.fill ins(%cst : f32) outs(%10 : tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
    %12 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%9, %arg2 : tensor<2x4x8x6xf32>, tensor<2x4x6x16xf32>) outs(%11 : tensor<2x4x8x16xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %13 = arith.mulf %in, %in_1 : f32
      %14 = arith.addf %out, %13 : f32
      linalg.yield %14 : f32
    } -> tensor<2x4x8x16xf32>
    return %12 : tensor<2x4x8x16xf32>
  }
}
