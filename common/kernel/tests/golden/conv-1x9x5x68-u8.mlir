// CPUs: product of short numbers by pmaddwd. GPUs: product over several loops.
#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map1 = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d4, d2 + d5, d3 + d6)>
#map2 = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d4, d5, d6)>
#map3 = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>
module {
  func.func @kernel(%arg0: tensor<1x4x7x70xi8>, %arg1: tensor<9x4x3x3xi8>) -> tensor<1x9x5x68xi32> attributes {hal.export} {
    %0 = tensor.empty() : tensor<1x4x7x70xi32>
    %c7_i32 = arith.constant 7 : i32
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0 : tensor<1x4x7x70xi8>) outs(%0 : tensor<1x4x7x70xi32>) {
    ^bb0(%in: i8, %out: i32):
      %5 = arith.extui %in : i8 to i32
      %6 = arith.subi %5, %c7_i32 : i32
      linalg.yield %6 : i32
    } -> tensor<1x4x7x70xi32>
    %c0_i32 = arith.constant 0 : i32
    %2 = tensor.empty() : tensor<1x9x5x68xi32>
    %3 = linalg.fill ins(%c0_i32 : i32) outs(%2 : tensor<1x9x5x68xi32>) -> tensor<1x9x5x68xi32>
    %4 = linalg.generic {indexing_maps = [#map1, #map2, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%1, %arg1 : tensor<1x4x7x70xi32>, tensor<9x4x3x3xi8>) outs(%3 : tensor<1x9x5x68xi32>) {
    ^bb0(%in: i32, %in_0: i8, %out: i32):
      %5 = arith.extsi %in_0 : i8 to i32
      %6 = arith.muli %in, %5 : i32
      %7 = arith.addi %out, %6 : i32
      linalg.yield %7 : i32
    } -> tensor<1x9x5x68xi32>
    return %4 : tensor<1x9x5x68xi32>
  }
}
