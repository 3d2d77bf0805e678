// Steps of two: stripes are copied with channels side by side where registers are few, and the planes of the next channels are asked for.
// MACHINES: avx2 avx512
#map = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d4, d2 * 2 + d5, d3 * 2 + d6)>
#map1 = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1 floordiv 32, d4, d5, d6, d1 mod 32)>
#map2 = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>
module {
  func.func @kernel(%arg0: tensor<1x24x28x112xf32>, %arg1: tensor<1x24x3x3x32xf32>) -> tensor<1x32x14x56xf32> attributes {hal.export} {
    %cst = arith.constant 0.000000e+00 : f32
    %padded = tensor.pad %arg0 low[0, 0, 1, 1] high[0, 0, 0, 0] {
    ^bb0(%a: index, %b: index, %c: index, %d: index):
      tensor.yield %cst : f32
    } : tensor<1x24x28x112xf32> to tensor<1x24x29x113xf32>
    %0 = tensor.empty() : tensor<1x32x14x56xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<1x32x14x56xf32>) -> tensor<1x32x14x56xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%padded, %arg1 : tensor<1x24x29x113xf32>, tensor<1x24x3x3x32xf32>) outs(%1 : tensor<1x32x14x56xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %3 = arith.mulf %in, %in_0 : f32
      %4 = arith.addf %out, %3 : f32
      linalg.yield %4 : f32
    } -> tensor<1x32x14x56xf32>
    return %2 : tensor<1x32x14x56xf32>
  }
}
