// CPUs: row kernel. GPUs: rows, 32 at a time by 8 lanes each.
#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d3)>
module {
  func.func @kernel(%arg0: tensor<1x56x56x24xf32>, %arg1: tensor<24xf32>, %arg2: tensor<24xf32>) -> tensor<1x24x56x56xf32> attributes {hal.export} {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<1x56x56xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<1x56x56xf32>) -> tensor<1x56x56xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%arg0 : tensor<1x56x56x24xf32>) outs(%1 : tensor<1x56x56xf32>) {
    ^bb0(%in: f32, %out: f32):
      %10 = arith.addf %out, %in : f32
      linalg.yield %10 : f32
    } -> tensor<1x56x56xf32>
    %cst_0 = arith.constant 2.400000e+01 : f32
    %3 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%2 : tensor<1x56x56xf32>) outs(%0 : tensor<1x56x56xf32>) {
    ^bb0(%in: f32, %out: f32):
      %10 = arith.divf %in, %cst_0 : f32
      linalg.yield %10 : f32
    } -> tensor<1x56x56xf32>
    %4 = tensor.empty() : tensor<1x56x56x24xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0, %3 : tensor<1x56x56x24xf32>, tensor<1x56x56xf32>) outs(%4 : tensor<1x56x56x24xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %10 = arith.subf %in, %in_3 : f32
      linalg.yield %10 : f32
    } -> tensor<1x56x56x24xf32>
    %6 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%5 : tensor<1x56x56x24xf32>) outs(%1 : tensor<1x56x56xf32>) {
    ^bb0(%in: f32, %out: f32):
      %10 = arith.mulf %in, %in : f32
      %11 = arith.addf %out, %10 : f32
      linalg.yield %11 : f32
    } -> tensor<1x56x56xf32>
    %cst_1 = arith.constant 9.99999974E-6 : f32
    %cst_2 = arith.constant 1.000000e+00 : f32
    %7 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%6 : tensor<1x56x56xf32>) outs(%0 : tensor<1x56x56xf32>) {
    ^bb0(%in: f32, %out: f32):
      %10 = arith.divf %in, %cst_0 : f32
      %11 = arith.addf %10, %cst_1 : f32
      %12 = math.sqrt %11 : f32
      %13 = arith.divf %cst_2, %12 : f32
      linalg.yield %13 : f32
    } -> tensor<1x56x56xf32>
    %8 = linalg.generic {indexing_maps = [#map, #map1, #map1, #map3, #map3, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0, %7, %3, %arg1, %arg2 : tensor<1x56x56x24xf32>, tensor<1x56x56xf32>, tensor<1x56x56xf32>, tensor<24xf32>, tensor<24xf32>) outs(%4 : tensor<1x56x56x24xf32>) {
    ^bb0(%in: f32, %in_3: f32, %in_4: f32, %in_5: f32, %in_6: f32, %out: f32):
      %10 = arith.subf %in, %in_4 : f32
      %11 = arith.mulf %10, %in_3 : f32
      %12 = arith.mulf %11, %in_5 : f32
      %13 = arith.addf %12, %in_6 : f32
      linalg.yield %13 : f32
    } -> tensor<1x56x56x24xf32>
    %9 = tensor.empty() : tensor<1x24x56x56xf32>
    %transposed = linalg.transpose ins(%8 : tensor<1x56x56x24xf32>) outs(%9 : tensor<1x24x56x56xf32>) permutation = [0, 3, 1, 2] 
    return %transposed : tensor<1x24x56x56xf32>
  }
}
