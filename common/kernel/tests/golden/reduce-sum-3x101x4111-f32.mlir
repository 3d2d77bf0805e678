// CPUs: reduction. GPUs: rows, 32 at a time by 8 lanes each.
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d2)>
module {
  func.func @kernel(%arg0: tensor<3x101x4111xf32>) -> tensor<4111xf32> attributes {hal.export} {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<4111xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<4111xf32>) -> tensor<4111xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction", "reduction", "parallel"]} ins(%arg0 : tensor<3x101x4111xf32>) outs(%1 : tensor<4111xf32>) {
    ^bb0(%in: f32, %out: f32):
      %3 = arith.addf %out, %in : f32
      linalg.yield %3 : f32
    } -> tensor<4111xf32>
    return %2 : tensor<4111xf32>
  }
}
