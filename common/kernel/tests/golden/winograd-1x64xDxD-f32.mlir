// CPUs: minimal filtering F(2×2, 3×3) of an image whose rows and columns only a run knows.
// MACHINES: avx512 avx2 neon
#map = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d2, d3, d4 * 2 + d6, d5 * 2 + d7)>
#map1 = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d6)>
#map2 = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d1, d7)>
#map3 = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d1, d2, d3, d4, d5)>
#map4 = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d1, d3, d7, d4)>
#map5 = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d1, d2, d7, d5, d6)>
#map6 = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d1, d2, d3, d4, d5, d6)>
#map7 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d4, d5, d0, d1 floordiv 32, d1 mod 32, d2 floordiv 2, d3 floordiv 2)>
#map8 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d2 mod 2, d4)>
#map9 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d3 mod 2, d5)>
#map10 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3)>
#map11 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map12 = affine_map<(d0, d1, d2, d3) -> (d1)>
module {
  func.func @kernel(%arg0: tensor<1x64x?x?xf32>, %arg1: tensor<4x4x2x64x32xf32>, %arg2: tensor<64xf32>, %arg3: tensor<64xf32>, %rows: index, %columns: index) -> (tensor<1x64x?x?xf32> {hal.dims = array<i64: 4, 5>}) attributes {hal.export} {
    %cst = arith.constant 0.000000e+00 : f32
    %padded = tensor.pad %arg0 low[0, 0, 1, 1] high[0, 0, 2, 2] {
    ^bb0(%arg4: index, %arg5: index, %arg6: index, %arg7: index):
      tensor.yield %cst : f32
    } : tensor<1x64x?x?xf32> to tensor<1x64x?x?xf32>
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %more_rows = arith.addi %rows, %c1 : index
    %more_columns = arith.addi %columns, %c1 : index
    %down = arith.divui %more_rows, %c2 : index
    %across = arith.divui %more_columns, %c2 : index
    %0 = tensor.empty(%down, %across) : tensor<4x4x1x64x?x?xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<4x4x1x64x?x?xf32>) -> tensor<4x4x1x64x?x?xf32>
    %cst_0 = arith.constant dense<[[1.000000e+00, 0.000000e+00, -1.000000e+00, 0.000000e+00], [0.000000e+00, 1.000000e+00, 1.000000e+00, 0.000000e+00], [0.000000e+00, -1.000000e+00, 1.000000e+00, 0.000000e+00], [0.000000e+00, 1.000000e+00, 0.000000e+00, -1.000000e+00]]> : tensor<4x4xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map1, #map2, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%padded, %cst_0, %cst_0 : tensor<1x64x?x?xf32>, tensor<4x4xf32>, tensor<4x4xf32>) outs(%1 : tensor<4x4x1x64x?x?xf32>) {
    ^bb0(%in: f32, %in_2: f32, %in_3: f32, %out: f32):
      %10 = arith.mulf %in, %in_2 : f32
      %11 = arith.mulf %10, %in_3 : f32
      %12 = arith.addf %out, %11 : f32
      linalg.yield %12 : f32
    } -> tensor<4x4x1x64x?x?xf32>
    %3 = tensor.empty(%down, %across) : tensor<4x4x1x2x32x?x?xf32>
    %4 = linalg.fill ins(%cst : f32) outs(%3 : tensor<4x4x1x2x32x?x?xf32>) -> tensor<4x4x1x2x32x?x?xf32>
    %5 = linalg.generic {indexing_maps = [#map4, #map5, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%arg1, %2 : tensor<4x4x2x64x32xf32>, tensor<4x4x1x64x?x?xf32>) outs(%4 : tensor<4x4x1x2x32x?x?xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %10 = arith.mulf %in, %in_2 : f32
      %11 = arith.addf %out, %10 : f32
      linalg.yield %11 : f32
    } -> tensor<4x4x1x2x32x?x?xf32>
    %6 = tensor.empty(%rows, %columns) : tensor<1x64x?x?xf32>
    %7 = linalg.fill ins(%cst : f32) outs(%6 : tensor<1x64x?x?xf32>) -> tensor<1x64x?x?xf32>
    %cst_1 = arith.constant dense<[[1.000000e+00, 1.000000e+00, 1.000000e+00, 0.000000e+00], [0.000000e+00, 1.000000e+00, -1.000000e+00, -1.000000e+00]]> : tensor<2x4xf32>
    %8 = linalg.generic {indexing_maps = [#map7, #map8, #map9, #map10], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%5, %cst_1, %cst_1 : tensor<4x4x1x2x32x?x?xf32>, tensor<2x4xf32>, tensor<2x4xf32>) outs(%7 : tensor<1x64x?x?xf32>) {
    ^bb0(%in: f32, %in_2: f32, %in_3: f32, %out: f32):
      %10 = arith.mulf %in, %in_2 : f32
      %11 = arith.mulf %10, %in_3 : f32
      %12 = arith.addf %out, %11 : f32
      linalg.yield %12 : f32
    } -> tensor<1x64x?x?xf32>
    %9 = linalg.generic {indexing_maps = [#map11, #map12, #map12, #map11], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%8, %arg2, %arg3 : tensor<1x64x?x?xf32>, tensor<64xf32>, tensor<64xf32>) outs(%6 : tensor<1x64x?x?xf32>) {
    ^bb0(%in: f32, %in_2: f32, %in_3: f32, %out: f32):
      %10 = arith.mulf %in, %in_2 : f32
      %11 = arith.addf %10, %in_3 : f32
      linalg.yield %11 : f32
    } -> tensor<1x64x?x?xf32>
    return %9 : tensor<1x64x?x?xf32>
  }
}
