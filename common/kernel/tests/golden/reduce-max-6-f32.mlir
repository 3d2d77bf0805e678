// CPUs: reduction. GPUs: elements, one per thread, then rows, 64 at a time by 2 lanes each.
#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0) -> ()>
#map2 = affine_map<() -> ()>
module {
  func.func @kernel(%arg0: tensor<6xf32>) -> (tensor<f32>, tensor<i8>, tensor<6xi8>) attributes {hal.export} {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<f32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<f32>) -> tensor<f32>
    %2 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction"]} ins(%arg0 : tensor<6xf32>) outs(%1 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %9 = arith.maximumf %out, %in : f32
      linalg.yield %9 : f32
    } -> tensor<f32>
    %3 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction"]} ins(%arg0 : tensor<6xf32>) outs(%1 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %9 = arith.minimumf %out, %in : f32
      linalg.yield %9 : f32
    } -> tensor<f32>
    %cst_0 = arith.constant 2.550000e+02 : f32
    %cst_1 = arith.constant 1.000000e+00 : f32
    %4 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = []} ins(%2, %3 : tensor<f32>, tensor<f32>) outs(%0 : tensor<f32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %9 = arith.subf %in, %in_2 : f32
      %10 = arith.divf %9, %cst_0 : f32
      %11 = arith.cmpf oeq, %9, %cst : f32
      %12 = arith.select %11, %cst_1, %10 : f32
      linalg.yield %12 : f32
    } -> tensor<f32>
    %5 = tensor.empty() : tensor<i8>
    %6 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = []} ins(%3, %4 : tensor<f32>, tensor<f32>) outs(%5 : tensor<i8>) {
    ^bb0(%in: f32, %in_2: f32, %out: i8):
      %9 = arith.divf %in, %in_2 : f32
      %10 = arith.negf %9 : f32
      %11 = math.roundeven %10 : f32
      %12 = arith.maximumf %11, %cst : f32
      %13 = arith.minimumf %12, %cst_0 : f32
      %14 = arith.fptosi %13 : f32 to i32
      %15 = arith.trunci %14 : i32 to i8
      linalg.yield %15 : i8
    } -> tensor<i8>
    %7 = tensor.empty() : tensor<6xi8>
    %8 = linalg.generic {indexing_maps = [#map, #map1, #map1, #map], iterator_types = ["parallel"]} ins(%arg0, %4, %6 : tensor<6xf32>, tensor<f32>, tensor<i8>) outs(%7 : tensor<6xi8>) {
    ^bb0(%in: f32, %in_2: f32, %in_3: i8, %out: i8):
      %9 = arith.divf %in, %in_2 : f32
      %10 = math.roundeven %9 : f32
      %11 = arith.uitofp %in_3 : i8 to f32
      %12 = arith.addf %10, %11 : f32
      %13 = arith.maximumf %12, %cst : f32
      %14 = arith.minimumf %13, %cst_0 : f32
      %15 = arith.fptosi %14 : f32 to i32
      %16 = arith.trunci %15 : i32 to i8
      linalg.yield %16 : i8
    } -> tensor<6xi8>
    return %4, %6, %8 : tensor<f32>, tensor<i8>, tensor<6xi8>
  }
}
