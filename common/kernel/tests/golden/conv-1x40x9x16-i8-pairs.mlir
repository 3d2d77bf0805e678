// AVX2: packed filters, two channels of each side by side, of bytes that become words.
// MACHINES: avx2
// MACHINES: avx512 neon
#map = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d4, d2 + d5, d3 + d6)>
#map1 = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1 floordiv 32, d4 floordiv 2, d5, d6, d1 mod 32, d4 mod 2)>
#map2 = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>
#image = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#filters = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4, d5)>
module {
  func.func @kernel(%arg0: tensor<1x22x9x16xi8>, %arg1: tensor<2x11x3x3x32x2xi8>) -> tensor<1x40x9x16xi32> attributes {hal.export} {
    %c0 = arith.constant 0 : i32
    %c100 = arith.constant 100 : i32
    %0 = tensor.empty() : tensor<1x22x9x16xi32>
    %1 = linalg.generic {indexing_maps = [#image, #image], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0 : tensor<1x22x9x16xi8>) outs(%0 : tensor<1x22x9x16xi32>) {
    ^bb0(%in: i8, %out: i32):
      %8 = arith.extui %in : i8 to i32
      %9 = arith.subi %8, %c100 : i32
      linalg.yield %9 : i32
    } -> tensor<1x22x9x16xi32>
    %padded = tensor.pad %1 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%a: index, %b: index, %c: index, %d: index):
      tensor.yield %c0 : i32
    } : tensor<1x22x9x16xi32> to tensor<1x22x11x18xi32>
    %2 = tensor.empty() : tensor<2x11x3x3x32x2xi32>
    %3 = linalg.generic {indexing_maps = [#filters, #filters], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%arg1 : tensor<2x11x3x3x32x2xi8>) outs(%2 : tensor<2x11x3x3x32x2xi32>) {
    ^bb0(%in: i8, %out: i32):
      %8 = arith.extsi %in : i8 to i32
      linalg.yield %8 : i32
    } -> tensor<2x11x3x3x32x2xi32>
    %4 = tensor.empty() : tensor<1x40x9x16xi32>
    %5 = linalg.fill ins(%c0 : i32) outs(%4 : tensor<1x40x9x16xi32>) -> tensor<1x40x9x16xi32>
    %6 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%padded, %3 : tensor<1x22x11x18xi32>, tensor<2x11x3x3x32x2xi32>) outs(%5 : tensor<1x40x9x16xi32>) {
    ^bb0(%in: i32, %in_0: i32, %out: i32):
      %8 = arith.muli %in, %in_0 : i32
      %9 = arith.addi %out, %8 : i32
      linalg.yield %9 : i32
    } -> tensor<1x40x9x16xi32>
    return %6 : tensor<1x40x9x16xi32>
  }
}
