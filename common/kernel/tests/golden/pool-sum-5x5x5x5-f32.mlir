// CPUs: row kernel. GPUs: elements, one per thread.
#map = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1 + d4, d2, d3)>
#map1 = affine_map<(d0, d1, d2, d3, d4) -> (d4)>
#map2 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
module {
  func.func @kernel(%arg0: tensor<5x5x5x5xf32>) -> tensor<5x5x5x5xf32> attributes {hal.export} {
    %cst = arith.constant 0.000000e+00 : f32
    %padded = tensor.pad %arg0 low[0, 1, 0, 0] high[0, 1, 0, 0] {
    ^bb0(%arg1: index, %arg2: index, %arg3: index, %arg4: index):
      tensor.yield %cst : f32
    } : tensor<5x5x5x5xf32> to tensor<5x7x5x5xf32>
    %0 = tensor.empty() : tensor<5x5x5x5xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<5x5x5x5xf32>) -> tensor<5x5x5x5xf32>
    %2 = tensor.empty() : tensor<3xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%padded, %2 : tensor<5x7x5x5xf32>, tensor<3xf32>) outs(%1 : tensor<5x5x5x5xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %5 = arith.mulf %in, %in : f32
      %6 = arith.addf %out, %5 : f32
      linalg.yield %6 : f32
    } -> tensor<5x5x5x5xf32>
    %cst_0 = arith.constant 6.66666674E-5 : f32
    %cst_1 = arith.constant 2.000000e+00 : f32
    %4 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0, %3 : tensor<5x5x5x5xf32>, tensor<5x5x5x5xf32>) outs(%0 : tensor<5x5x5x5xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %5 = arith.mulf %in_2, %cst_0 : f32
      %6 = arith.addf %5, %cst_1 : f32
      %7 = math.sqrt %6 : f32
      %8 = arith.divf %in, %7 : f32
      linalg.yield %8 : f32
    } -> tensor<5x5x5x5xf32>
    return %4 : tensor<5x5x5x5xf32>
  }
}
