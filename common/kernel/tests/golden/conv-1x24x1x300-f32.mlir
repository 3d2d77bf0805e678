// CPUs: packed filters; a row is divided among threads, since there is one block of filters.
// MACHINES: avx2 avx512
#map = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d4, d2 + d5, d3 * 2 + d6)>
#map1 = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1 floordiv 32, d4, d5, d6, d1 mod 32)>
#map2 = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map4 = affine_map<(d0, d1, d2, d3) -> (d1)>
module {
  func.func @kernel(%arg0: tensor<1x9x1x600xf32>, %arg1: tensor<1x9x1x4x32xf32>, %arg2: tensor<24xf32>) -> tensor<1x24x1x300xf32> attributes {hal.export} {
    %cst = arith.constant 0.000000e+00 : f32
    %x = tensor.pad %arg0 low[0, 0, 0, 1] high[0, 0, 0, 1] {
    ^bb0(%a: index, %b: index, %c: index, %d: index):
      tensor.yield %cst : f32
    } : tensor<1x9x1x600xf32> to tensor<1x9x1x602xf32>
    %0 = tensor.empty() : tensor<1x24x1x300xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<1x24x1x300xf32>) -> tensor<1x24x1x300xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%x, %arg1 : tensor<1x9x1x602xf32>, tensor<1x9x1x4x32xf32>) outs(%1 : tensor<1x24x1x300xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %4 = arith.mulf %in, %in_0 : f32
      %5 = arith.addf %out, %4 : f32
      linalg.yield %5 : f32
    } -> tensor<1x24x1x300xf32>
    %3 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%2, %arg2 : tensor<1x24x1x300xf32>, tensor<24xf32>) outs(%0 : tensor<1x24x1x300xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %4 = arith.addf %in, %in_0 : f32
      linalg.yield %4 : f32
    } -> tensor<1x24x1x300xf32>
    return %3 : tensor<1x24x1x300xf32>
  }
}
