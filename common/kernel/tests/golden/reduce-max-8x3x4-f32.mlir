// CPUs: reduction, then elementwise. GPUs: elements, one per thread.
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d0)>
module {
  func.func @kernel(%arg0: tensor<8x3x4xf32>) -> (tensor<8xf32>, tensor<3x8x4xf32>) attributes {hal.export} {
    %0 = tensor.empty() : tensor<8x3x4xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<8x3x4xf32>) outs(%0 : tensor<8x3x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %6 = math.tanh %in : f32
      linalg.yield %6 : f32
    } -> tensor<8x3x4xf32>
    %cst = arith.constant 0xFF800000 : f32
    %2 = tensor.empty() : tensor<8xf32>
    %3 = linalg.fill ins(%cst : f32) outs(%2 : tensor<8xf32>) -> tensor<8xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction", "reduction"]} ins(%1 : tensor<8x3x4xf32>) outs(%3 : tensor<8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %6 = arith.maximumf %out, %in : f32
      linalg.yield %6 : f32
    } -> tensor<8xf32>
    %5 = tensor.empty() : tensor<3x8x4xf32>
    %transposed = linalg.transpose ins(%1 : tensor<8x3x4xf32>) outs(%5 : tensor<3x8x4xf32>) permutation = [1, 0, 2] 
    return %4, %transposed : tensor<8xf32>, tensor<3x8x4xf32>
  }
}
