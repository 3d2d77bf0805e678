// Winograd's algorithm on bytes, in words: two channels of each filter side by side, filters four times as large as by definition.
// MACHINES: avx2
#forth = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d2, d3, d4 * 2 + d6, d5 * 2 + d7)>
#forth1 = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d6)>
#forth2 = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d1, d7)>
#forth3 = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d1, d2, d3, d4, d5)>
#product = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d1, d3, d7 floordiv 2, d4, d7 mod 2)>
#product1 = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d1, d2, d7, d5, d6)>
#product2 = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d1, d2, d3, d4, d5, d6)>
#back = affine_map<(d0, d1, d2, d3, d4, d5) -> (d4, d5, d0, d1 floordiv 32, d1 mod 32, d2 floordiv 2, d3 floordiv 2)>
#back1 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d2 mod 2, d4)>
#back2 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d3 mod 2, d5)>
#back3 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3)>
#image = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#filters = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4, d5)>
module {
  func.func @kernel(%arg0: tensor<1x35x9x14xi8>, %arg1: tensor<4x4x2x18x32x2xi16>) -> tensor<1x40x9x14xi32> attributes {hal.export} {
    %c0 = arith.constant 0 : i32
    %c2 = arith.constant 2 : i32
    %c100 = arith.constant 100 : i32
    %b = arith.constant dense<[[1, 0, -1, 0], [0, 1, 1, 0], [0, -1, 1, 0], [0, 1, 0, -1]]> : tensor<4x4xi32>
    %a = arith.constant dense<[[1, 1, 1, 0], [0, 1, -1, -1]]> : tensor<2x4xi32>
    %0 = tensor.empty() : tensor<1x35x9x14xi32>
    %1 = linalg.generic {indexing_maps = [#image, #image], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0 : tensor<1x35x9x14xi8>) outs(%0 : tensor<1x35x9x14xi32>) {
    ^bb0(%in: i8, %out: i32):
      %14 = arith.extui %in : i8 to i32
      %15 = arith.subi %14, %c100 : i32
      linalg.yield %15 : i32
    } -> tensor<1x35x9x14xi32>
    %padded = tensor.pad %1 low[0, 0, 1, 1] high[0, 0, 2, 1] {
    ^bb0(%i: index, %j: index, %k: index, %l: index):
      tensor.yield %c0 : i32
    } : tensor<1x35x9x14xi32> to tensor<1x35x12x16xi32>
    %2 = tensor.empty() : tensor<4x4x1x35x5x7xi32>
    %3 = linalg.fill ins(%c0 : i32) outs(%2 : tensor<4x4x1x35x5x7xi32>) -> tensor<4x4x1x35x5x7xi32>
    %4 = linalg.generic {indexing_maps = [#forth, #forth1, #forth2, #forth3], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%padded, %b, %b : tensor<1x35x12x16xi32>, tensor<4x4xi32>, tensor<4x4xi32>) outs(%3 : tensor<4x4x1x35x5x7xi32>) {
    ^bb0(%in: i32, %in_0: i32, %in_1: i32, %out: i32):
      %14 = arith.muli %in, %in_0 : i32
      %15 = arith.muli %14, %in_1 : i32
      %16 = arith.addi %out, %15 : i32
      linalg.yield %16 : i32
    } -> tensor<4x4x1x35x5x7xi32>
    %5 = tensor.empty() : tensor<4x4x2x18x32x2xi32>
    %6 = linalg.generic {indexing_maps = [#filters, #filters], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%arg1 : tensor<4x4x2x18x32x2xi16>) outs(%5 : tensor<4x4x2x18x32x2xi32>) {
    ^bb0(%in: i16, %out: i32):
      %14 = arith.extsi %in : i16 to i32
      linalg.yield %14 : i32
    } -> tensor<4x4x2x18x32x2xi32>
    %7 = tensor.empty() : tensor<4x4x1x2x32x5x7xi32>
    %8 = linalg.fill ins(%c0 : i32) outs(%7 : tensor<4x4x1x2x32x5x7xi32>) -> tensor<4x4x1x2x32x5x7xi32>
    %9 = linalg.generic {indexing_maps = [#product, #product1, #product2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%6, %4 : tensor<4x4x2x18x32x2xi32>, tensor<4x4x1x35x5x7xi32>) outs(%8 : tensor<4x4x1x2x32x5x7xi32>) {
    ^bb0(%in: i32, %in_0: i32, %out: i32):
      %14 = arith.muli %in, %in_0 : i32
      %15 = arith.addi %out, %14 : i32
      linalg.yield %15 : i32
    } -> tensor<4x4x1x2x32x5x7xi32>
    %10 = tensor.empty() : tensor<1x40x9x14xi32>
    %11 = linalg.fill ins(%c0 : i32) outs(%10 : tensor<1x40x9x14xi32>) -> tensor<1x40x9x14xi32>
    %12 = linalg.generic {indexing_maps = [#back, #back1, #back2, #back3], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%9, %a, %a : tensor<4x4x1x2x32x5x7xi32>, tensor<2x4xi32>, tensor<2x4xi32>) outs(%11 : tensor<1x40x9x14xi32>) {
    ^bb0(%in: i32, %in_0: i32, %in_1: i32, %out: i32):
      %14 = arith.muli %in, %in_0 : i32
      %15 = arith.muli %14, %in_1 : i32
      %16 = arith.addi %out, %15 : i32
      linalg.yield %16 : i32
    } -> tensor<1x40x9x14xi32>
    %13 = linalg.generic {indexing_maps = [#image, #image], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%12 : tensor<1x40x9x14xi32>) outs(%10 : tensor<1x40x9x14xi32>) {
    ^bb0(%in: i32, %out: i32):
      %14 = arith.shrsi %in, %c2 : i32
      linalg.yield %14 : i32
    } -> tensor<1x40x9x14xi32>
    return %13 : tensor<1x40x9x14xi32>
  }
}
