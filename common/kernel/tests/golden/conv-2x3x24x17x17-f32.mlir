// CPUs: packed filters of three groups, 12 of each, one vector on AVX-512. GPUs: product.
// MACHINES: avx512 neon
#map = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d1, d5, d3 + d6, d4 + d7)>
#map1 = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d1, d2 floordiv 32, d5, d6, d7, d2 mod 32)>
#map2 = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d1, d2, d3, d4)>
module {
  func.func @kernel(%arg0: tensor<2x3x24x19x19xf32>, %arg1: tensor<3x1x24x3x3x32xf32>) -> tensor<2x3x12x17x17xf32> attributes {hal.export} {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<2x3x12x17x17xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<2x3x12x17x17xf32>) -> tensor<2x3x12x17x17xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%arg0, %arg1 : tensor<2x3x24x19x19xf32>, tensor<3x1x24x3x3x32xf32>) outs(%1 : tensor<2x3x12x17x17xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %4 = arith.mulf %in, %in_0 : f32
      %5 = arith.addf %out, %4 : f32
      linalg.yield %5 : f32
    } -> tensor<2x3x12x17x17xf32>
    return %2 : tensor<2x3x12x17x17xf32>
  }
}
