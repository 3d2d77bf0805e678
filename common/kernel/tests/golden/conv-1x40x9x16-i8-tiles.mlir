// CPUs with matrix tiles: filters packed tap by tap, the taps of a row added up together, results of 8 bits transposed as bytes.
// MACHINES: amx
#map = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d4, d2 + d5, d3 + d6)>
#map1 = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1 floordiv 32, d5, d6, d4 floordiv 4, d1 mod 32, d4 mod 4)>
#map2 = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>
#image = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#filters = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4, d5)>
module {
  func.func @kernel(%arg0: tensor<1x22x9x16xi8>, %arg1: tensor<2x3x3x6x32x4xi8>) -> tensor<1x40x9x16xi8> attributes {hal.export} {
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
    %2 = tensor.empty() : tensor<2x3x3x6x32x4xi32>
    %3 = linalg.generic {indexing_maps = [#filters, #filters], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%arg1 : tensor<2x3x3x6x32x4xi8>) outs(%2 : tensor<2x3x3x6x32x4xi32>) {
    ^bb0(%in: i8, %out: i32):
      %8 = arith.extsi %in : i8 to i32
      linalg.yield %8 : i32
    } -> tensor<2x3x3x6x32x4xi32>
    %4 = tensor.empty() : tensor<1x40x9x16xi32>
    %5 = linalg.fill ins(%c0 : i32) outs(%4 : tensor<1x40x9x16xi32>) -> tensor<1x40x9x16xi32>
    %6 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%padded, %3 : tensor<1x22x11x18xi32>, tensor<2x3x3x6x32x4xi32>) outs(%5 : tensor<1x40x9x16xi32>) {
    ^bb0(%in: i32, %in_0: i32, %out: i32):
      %8 = arith.muli %in, %in_0 : i32
      %9 = arith.addi %out, %8 : i32
      linalg.yield %9 : i32
    } -> tensor<1x40x9x16xi32>
    %half = arith.constant 0.5 : f32
    %7 = tensor.empty() : tensor<1x40x9x16xi8>
    %result = linalg.generic {indexing_maps = [#image, #image], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%6 : tensor<1x40x9x16xi32>) outs(%7 : tensor<1x40x9x16xi8>) {
    ^bb0(%in: i32, %out: i8):
      %8 = arith.sitofp %in : i32 to f32
      %9 = arith.mulf %8, %half : f32
      %10 = arith.fptosi %9 : f32 to i32
      %11 = arith.trunci %10 : i32 to i8
      linalg.yield %11 : i8
    } -> tensor<1x40x9x16xi8>
    return %result : tensor<1x40x9x16xi8>
  }
}
