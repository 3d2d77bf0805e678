// CPUs: reduction. GPUs: rows, 64 at a time by 2 lanes each.
#map = affine_map<(d0) -> (d0)>
module {
  func.func @kernel(%arg0: tensor<8xf32>) -> tensor<8xf32> attributes {hal.export} {
    %0 = tensor.empty() : tensor<8xf32>
    %1 = linalg.softmax dimension(0) ins(%arg0 : tensor<8xf32>) outs(%0 : tensor<8xf32>) -> tensor<8xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]} ins(%1, %1 : tensor<8xf32>, tensor<8xf32>) outs(%0 : tensor<8xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %3 = arith.addf %in, %in_0 : f32
      linalg.yield %3 : f32
    } -> tensor<8xf32>
    return %2 : tensor<8xf32>
  }
}
