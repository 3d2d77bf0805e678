// CPUs: columns: the result is transposed, but lanes go along what the reductions read. GPUs: elements, one per thread.
module @kernel attributes {hal.executable} {
  func.func @main_dispatch_33_softmax_1x8x785x16_f32(%arg0: tensor<1x8x785x16xf32>) -> tensor<1x8x16x785xf32> attributes {hal.export} {
    %cst = arith.constant 0xFF800000 : f32
    %0 = tensor.empty() : tensor<1x8x16xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<1x8x16xf32>) -> tensor<1x8x16xf32>
    %2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]} ins(%arg0 : tensor<1x8x785x16xf32>) outs(%1 : tensor<1x8x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %9 = arith.maximumf %out, %in : f32
      linalg.yield %9 : f32
    } -> tensor<1x8x16xf32>
    %3 = tensor.empty() : tensor<1x8x785x16xf32>
    %4 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0, %2 : tensor<1x8x785x16xf32>, tensor<1x8x16xf32>) outs(%3 : tensor<1x8x785x16xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %9 = arith.subf %in, %in_1 : f32
      %10 = math.exp %9 : f32
      linalg.yield %10 : f32
    } -> tensor<1x8x785x16xf32>
    %cst_0 = arith.constant 0.000000e+00 : f32
    %5 = linalg.fill ins(%cst_0 : f32) outs(%0 : tensor<1x8x16xf32>) -> tensor<1x8x16xf32>
    %6 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]} ins(%4 : tensor<1x8x785x16xf32>) outs(%5 : tensor<1x8x16xf32>) {
    ^bb0(%in: f32, %out: f32):
      %9 = arith.addf %out, %in : f32
      linalg.yield %9 : f32
    } -> tensor<1x8x16xf32>
    %7 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%4, %6 : tensor<1x8x785x16xf32>, tensor<1x8x16xf32>) outs(%3 : tensor<1x8x785x16xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %9 = arith.divf %in, %in_1 : f32
      linalg.yield %9 : f32
    } -> tensor<1x8x785x16xf32>
    %8 = tensor.empty() : tensor<1x8x16x785xf32>
    %transposed = linalg.transpose ins(%7 : tensor<1x8x785x16xf32>) outs(%8 : tensor<1x8x16x785xf32>) permutation = [0, 1, 3, 2] 
    return %transposed : tensor<1x8x16x785xf32>
  }
}
