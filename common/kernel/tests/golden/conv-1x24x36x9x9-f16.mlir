// CPUs: packed filters of f16, which become f32 in registers, as the padded input does in its copy; two results, one with filters side by side.
// MACHINES: avx512 neon
#map = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d4, d2 * 2 + d5, d3 * 2 + d6)>
#map1 = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1 floordiv 32, d4, d5, d6, d1 mod 32)>
#map2 = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map4 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
#map5 = affine_map<(d0, d1, d2, d3) -> (d0, d3, d1, d2)>
module {
  func.func @kernel(%arg0: tensor<1x24x17x17xf16>, %arg1: tensor<2x24x3x3x32xf16>) -> (tensor<1x9x9x36xf16>, tensor<1x36x9x9xf16>) attributes {hal.export} {
    %cst = arith.constant 0.000000e+00 : f32
    %wide = tensor.empty() : tensor<1x24x17x17xf32>
    %x = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0 : tensor<1x24x17x17xf16>) outs(%wide : tensor<1x24x17x17xf32>) {
    ^bb0(%in: f16, %out: f32):
      %6 = arith.extf %in : f16 to f32
      linalg.yield %6 : f32
    } -> tensor<1x24x17x17xf32>
    %padded = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%a: index, %b: index, %c: index, %d: index):
      tensor.yield %cst : f32
    } : tensor<1x24x17x17xf32> to tensor<1x24x19x19xf32>
    %wider = tensor.empty() : tensor<2x24x3x3x32xf32>
    %w = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%arg1 : tensor<2x24x3x3x32xf16>) outs(%wider : tensor<2x24x3x3x32xf32>) {
    ^bb0(%in: f16, %out: f32):
      %6 = arith.extf %in : f16 to f32
      linalg.yield %6 : f32
    } -> tensor<2x24x3x3x32xf32>
    %0 = tensor.empty() : tensor<1x36x9x9xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<1x36x9x9xf32>) -> tensor<1x36x9x9xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%padded, %w : tensor<1x24x19x19xf32>, tensor<2x24x3x3x32xf32>) outs(%1 : tensor<1x36x9x9xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %6 = arith.mulf %in, %in_0 : f32
      %7 = arith.addf %out, %6 : f32
      linalg.yield %7 : f32
    } -> tensor<1x36x9x9xf32>
    %3 = tensor.empty() : tensor<1x36x9x9xf16>
    %4 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%2 : tensor<1x36x9x9xf32>) outs(%3 : tensor<1x36x9x9xf16>) {
    ^bb0(%in: f32, %out: f16):
      %6 = arith.truncf %in : f32 to f16
      linalg.yield %6 : f16
    } -> tensor<1x36x9x9xf16>
    %last = tensor.empty() : tensor<1x9x9x36xf16>
    %5 = linalg.generic {indexing_maps = [#map5, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%4 : tensor<1x36x9x9xf16>) outs(%last : tensor<1x9x9x36xf16>) {
    ^bb0(%in: f16, %out: f16):
      linalg.yield %in : f16
    } -> tensor<1x9x9x36xf16>
    return %5, %4 : tensor<1x9x9x36xf16>, tensor<1x36x9x9xf16>
  }
}
