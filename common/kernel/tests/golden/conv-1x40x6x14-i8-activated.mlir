// AVX2: packed filters of bytes; an activation and a residual after the sums, for rows of 14 pixels at once.
// MACHINES: avx2
#map = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d4, d2 + d5, d3 + d6)>
#map1 = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1 floordiv 32, d4 floordiv 2, d5, d6, d1 mod 32, d4 mod 2)>
#map2 = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>
#image = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#filters = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4, d5)>
module {
  func.func @kernel(%arg0: tensor<1x22x6x14xi8>, %arg1: tensor<2x11x3x3x32x2xi8>, %arg2: tensor<1x40x6x14xi8>) -> tensor<1x40x6x14xi8> attributes {hal.export} {
    %c0 = arith.constant 0 : i32
    %c100 = arith.constant 100 : i32
    %0 = tensor.empty() : tensor<1x22x6x14xi32>
    %1 = linalg.generic {indexing_maps = [#image, #image], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0 : tensor<1x22x6x14xi8>) outs(%0 : tensor<1x22x6x14xi32>) {
    ^bb0(%in: i8, %out: i32):
      %8 = arith.extui %in : i8 to i32
      %9 = arith.subi %8, %c100 : i32
      linalg.yield %9 : i32
    } -> tensor<1x22x6x14xi32>
    %padded = tensor.pad %1 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%a: index, %b: index, %c: index, %d: index):
      tensor.yield %c0 : i32
    } : tensor<1x22x6x14xi32> to tensor<1x22x8x16xi32>
    %2 = tensor.empty() : tensor<2x11x3x3x32x2xi32>
    %3 = linalg.generic {indexing_maps = [#filters, #filters], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%arg1 : tensor<2x11x3x3x32x2xi8>) outs(%2 : tensor<2x11x3x3x32x2xi32>) {
    ^bb0(%in: i8, %out: i32):
      %8 = arith.extsi %in : i8 to i32
      linalg.yield %8 : i32
    } -> tensor<2x11x3x3x32x2xi32>
    %4 = tensor.empty() : tensor<1x40x6x14xi32>
    %5 = linalg.fill ins(%c0 : i32) outs(%4 : tensor<1x40x6x14xi32>) -> tensor<1x40x6x14xi32>
    %6 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%padded, %3 : tensor<1x22x8x16xi32>, tensor<2x11x3x3x32x2xi32>) outs(%5 : tensor<1x40x6x14xi32>) {
    ^bb0(%in: i32, %in_0: i32, %out: i32):
      %8 = arith.muli %in, %in_0 : i32
      %9 = arith.addi %out, %8 : i32
      linalg.yield %9 : i32
    } -> tensor<1x40x6x14xi32>
    %one = arith.constant 1.0 : f32
    %scale = arith.constant 1.0e-3 : f32
    %step = arith.constant 0.05 : f32
    %7 = tensor.empty() : tensor<1x40x6x14xi8>
    %out = linalg.generic {indexing_maps = [#image, #image, #image], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%6, %arg2 : tensor<1x40x6x14xi32>, tensor<1x40x6x14xi8>) outs(%7 : tensor<1x40x6x14xi8>) {
    ^bb0(%sum: i32, %residual: i8, %out: i8):
      %8 = arith.sitofp %sum : i32 to f32
      %9 = arith.mulf %8, %scale : f32
      %10 = arith.negf %9 : f32
      %11 = math.exp %10 : f32
      %12 = arith.addf %11, %one : f32
      %13 = arith.divf %9, %12 : f32
      %14 = arith.extsi %residual : i8 to i32
      %15 = arith.sitofp %14 : i32 to f32
      %16 = arith.mulf %15, %step : f32
      %17 = arith.addf %13, %16 : f32
      %18 = arith.divf %17, %step : f32
      %19 = math.roundeven %18 : f32
      %20 = arith.fptosi %19 : f32 to i32
      %21 = arith.trunci %20 : i32 to i8
      linalg.yield %21 : i8
    } -> tensor<1x40x6x14xi8>
    return %out : tensor<1x40x6x14xi8>
  }
}
