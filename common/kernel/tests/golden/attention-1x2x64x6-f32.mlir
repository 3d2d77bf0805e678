// CPUs: attention with fewer columns than lanes, which go along the sum; the columns are turned once for all rows.
// MACHINES: avx2 avx512
module {
  func.func @kernel(%arg0: tensor<1x2x64x6xf32>, %arg1: tensor<1x2x6x64xf32>, %arg2: tensor<1x2x64x6xf32>) -> tensor<1x2x64x6xf32> attributes {hal.export} {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<1x2x64x64xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<1x2x64x64xf32>) -> tensor<1x2x64x64xf32>
    %2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%arg0, %arg1 : tensor<1x2x64x6xf32>, tensor<1x2x6x64xf32>) outs(%1 : tensor<1x2x64x64xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %13 = arith.mulf %in, %in_1 : f32
      %14 = arith.addf %out, %13 : f32
      linalg.yield %14 : f32
    } -> tensor<1x2x64x64xf32>
    %cst_0 = arith.constant 0xFF800000 : f32
    %3 = tensor.empty() : tensor<1x2x64xf32>
    %4 = linalg.fill ins(%cst_0 : f32) outs(%3 : tensor<1x2x64xf32>) -> tensor<1x2x64xf32>
    %5 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%2 : tensor<1x2x64x64xf32>) outs(%4 : tensor<1x2x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %13 = arith.maximumf %out, %in : f32
      linalg.yield %13 : f32
    } -> tensor<1x2x64xf32>
    %6 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%2, %5 : tensor<1x2x64x64xf32>, tensor<1x2x64xf32>) outs(%0 : tensor<1x2x64x64xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %13 = arith.subf %in, %in_1 : f32
      %14 = math.exp %13 : f32
      linalg.yield %14 : f32
    } -> tensor<1x2x64x64xf32>
    %7 = linalg.fill ins(%cst : f32) outs(%3 : tensor<1x2x64xf32>) -> tensor<1x2x64xf32>
    %8 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%6 : tensor<1x2x64x64xf32>) outs(%7 : tensor<1x2x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %13 = arith.addf %out, %in : f32
      linalg.yield %13 : f32
    } -> tensor<1x2x64xf32>
    %9 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%6, %8 : tensor<1x2x64x64xf32>, tensor<1x2x64xf32>) outs(%0 : tensor<1x2x64x64xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %13 = arith.divf %in, %in_1 : f32
      linalg.yield %13 : f32
    } -> tensor<1x2x64x64xf32>
    %10 = tensor.empty() : tensor<1x2x64x6xf32>
    %11 = linalg.fill ins(%cst : f32) outs(%10 : tensor<1x2x64x6xf32>) -> tensor<1x2x64x6xf32>
    %12 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%9, %arg2 : tensor<1x2x64x64xf32>, tensor<1x2x64x6xf32>) outs(%11 : tensor<1x2x64x6xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %13 = arith.mulf %in, %in_1 : f32
      %14 = arith.addf %out, %13 : f32
      linalg.yield %14 : f32
    } -> tensor<1x2x64x6xf32>
    return %12 : tensor<1x2x64x6xf32>
  }
}
