// CPUs: product. GPUs: rows, 64 at a time.
#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map4 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map5 = affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>
module {
  func.func @kernel(%arg0: tensor<1x1x47xf32>, %arg1: tensor<1x8x47xf32>, %arg2: tensor<1x8x47xf32>) -> tensor<1x1x47xf32> attributes {hal.export} {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<1x1x8xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<1x1x8xf32>) -> tensor<1x1x8xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%arg0, %arg1 : tensor<1x1x47xf32>, tensor<1x8x47xf32>) outs(%1 : tensor<1x1x8xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %14 = arith.mulf %in, %in_2 : f32
      %15 = arith.addf %out, %14 : f32
      linalg.yield %15 : f32
    } -> tensor<1x1x8xf32>
    %cst_0 = arith.constant 1.458650e-01 : f32
    %3 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%2 : tensor<1x1x8xf32>) outs(%0 : tensor<1x1x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %14 = arith.mulf %in, %cst_0 : f32
      linalg.yield %14 : f32
    } -> tensor<1x1x8xf32>
    %cst_1 = arith.constant 0xFF800000 : f32
    %4 = tensor.empty() : tensor<1x1xf32>
    %5 = linalg.fill ins(%cst_1 : f32) outs(%4 : tensor<1x1xf32>) -> tensor<1x1xf32>
    %6 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel", "reduction"]} ins(%3 : tensor<1x1x8xf32>) outs(%5 : tensor<1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %14 = arith.maximumf %out, %in : f32
      linalg.yield %14 : f32
    } -> tensor<1x1xf32>
    %7 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%3, %6 : tensor<1x1x8xf32>, tensor<1x1xf32>) outs(%0 : tensor<1x1x8xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %14 = arith.subf %in, %in_2 : f32
      %15 = math.exp %14 : f32
      linalg.yield %15 : f32
    } -> tensor<1x1x8xf32>
    %8 = linalg.fill ins(%cst : f32) outs(%4 : tensor<1x1xf32>) -> tensor<1x1xf32>
    %9 = linalg.generic {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel", "reduction"]} ins(%7 : tensor<1x1x8xf32>) outs(%8 : tensor<1x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %14 = arith.addf %out, %in : f32
      linalg.yield %14 : f32
    } -> tensor<1x1xf32>
    %10 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%7, %9 : tensor<1x1x8xf32>, tensor<1x1xf32>) outs(%0 : tensor<1x1x8xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %14 = arith.divf %in, %in_2 : f32
      linalg.yield %14 : f32
    } -> tensor<1x1x8xf32>
    %11 = tensor.empty() : tensor<1x1x47xf32>
    %12 = linalg.fill ins(%cst : f32) outs(%11 : tensor<1x1x47xf32>) -> tensor<1x1x47xf32>
    %13 = linalg.generic {indexing_maps = [#map, #map5, #map2], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%10, %arg2 : tensor<1x1x8xf32>, tensor<1x8x47xf32>) outs(%12 : tensor<1x1x47xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %14 = arith.mulf %in, %in_2 : f32
      %15 = arith.addf %out, %14 : f32
      linalg.yield %15 : f32
    } -> tensor<1x1x47xf32>
    return %13 : tensor<1x1x47xf32>
  }
}
