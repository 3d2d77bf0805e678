// CPUs: elementwise, then reduction. GPUs: elements, one per thread.
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d1, d2)>
module {
  func.func @kernel(%arg0: tensor<2x8x12xf32>) -> (tensor<2x8x12xf32>, tensor<2x8x12xf32>, tensor<8x12xf32>) attributes {hal.export} {
    %0 = tensor.empty() : tensor<2x8x12xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %arg0 : tensor<2x8x12xf32>, tensor<2x8x12xf32>) outs(%0 : tensor<2x8x12xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %6 = arith.minimumf %in, %in_0 : f32
      linalg.yield %6 : f32
    } -> tensor<2x8x12xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1 : tensor<2x8x12xf32>) outs(%0 : tensor<2x8x12xf32>) {
    ^bb0(%in: f32, %out: f32):
      %6 = math.absf %in : f32
      linalg.yield %6 : f32
    } -> tensor<2x8x12xf32>
    %cst = arith.constant 0xFF800000 : f32
    %3 = tensor.empty() : tensor<8x12xf32>
    %4 = linalg.fill ins(%cst : f32) outs(%3 : tensor<8x12xf32>) -> tensor<8x12xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction", "parallel", "parallel"]} ins(%1 : tensor<2x8x12xf32>) outs(%4 : tensor<8x12xf32>) {
    ^bb0(%in: f32, %out: f32):
      %6 = arith.maximumf %out, %in : f32
      linalg.yield %6 : f32
    } -> tensor<8x12xf32>
    return %1, %2, %5 : tensor<2x8x12xf32>, tensor<2x8x12xf32>, tensor<8x12xf32>
  }
}
