// The largest number of a tensor, which the first workgroup stores, and all numbers divided by it, which all share: each thread finds it once.
// MACHINES: avx512 neon
module {
  func.func @kernel(%arg0: tensor<64x512xf32>) -> (tensor<64x512xf32>, tensor<f32>) attributes {hal.export} {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<f32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<f32>) -> tensor<f32>
    %2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>], iterator_types = ["reduction", "reduction"]} ins(%arg0 : tensor<64x512xf32>) outs(%1 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %5 = arith.maximumf %out, %in : f32
      linalg.yield %5 : f32
    } -> tensor<f32>
    %3 = tensor.empty() : tensor<64x512xf32>
    %4 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%arg0, %2 : tensor<64x512xf32>, tensor<f32>) outs(%3 : tensor<64x512xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %5 = arith.divf %in, %in_0 : f32
      %6 = math.roundeven %5 : f32
      linalg.yield %6 : f32
    } -> tensor<64x512xf32>
    return %4, %2 : tensor<64x512xf32>, tensor<f32>
  }
}
