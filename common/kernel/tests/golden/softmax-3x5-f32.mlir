// CPUs: row kernel. GPUs: rows, 64 at a time by 1 lanes each.
#map = affine_map<(d0, d1) -> (d0, d1)>
module {
  func.func @kernel(%arg0: tensor<3x5xf32>) -> (tensor<3x5xf32>, tensor<3x5xf32>) attributes {hal.export} {
    %0 = tensor.empty() : tensor<3x5xf32>
    %1 = linalg.softmax dimension(0) ins(%arg0 : tensor<3x5xf32>) outs(%0 : tensor<3x5xf32>) -> tensor<3x5xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%1, %arg0 : tensor<3x5xf32>, tensor<3x5xf32>) outs(%0 : tensor<3x5xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %4 = arith.minimumf %in, %in_0 : f32
      linalg.yield %4 : f32
    } -> tensor<3x5xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%2, %arg0 : tensor<3x5xf32>, tensor<3x5xf32>) outs(%0 : tensor<3x5xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %4 = arith.subf %in, %in_0 : f32
      linalg.yield %4 : f32
    } -> tensor<3x5xf32>
    return %1, %3 : tensor<3x5xf32>, tensor<3x5xf32>
  }
}
