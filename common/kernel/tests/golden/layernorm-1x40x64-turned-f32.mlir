// CPUs: columns are open around the channels, and blocks of both results are transposed before they are stored.
module {
  func.func @kernel(%arg0: tensor<1x40x64xf32>, %arg1: tensor<40xf32>, %arg2: tensor<40xf32>) -> (tensor<1x64x40xf32>, tensor<1x64x40xf32>) attributes {hal.export} {
    %0 = tensor.empty() : tensor<1x64x40xf32>
    %transposed = linalg.transpose ins(%arg0 : tensor<1x40x64xf32>) outs(%0 : tensor<1x64x40xf32>) permutation = [0, 2, 1] 
    %cst = arith.constant 0.000000e+00 : f32
    %1 = tensor.empty() : tensor<1x64xf32>
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<1x64xf32>) -> tensor<1x64xf32>
    %3 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%transposed : tensor<1x64x40xf32>) outs(%2 : tensor<1x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %10 = arith.addf %out, %in : f32
      linalg.yield %10 : f32
    } -> tensor<1x64xf32>
    %cst_0 = arith.constant 4.000000e+01 : f32
    %4 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%3 : tensor<1x64xf32>) outs(%1 : tensor<1x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %10 = arith.divf %in, %cst_0 : f32
      linalg.yield %10 : f32
    } -> tensor<1x64xf32>
    %5 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%transposed, %4 : tensor<1x64x40xf32>, tensor<1x64xf32>) outs(%0 : tensor<1x64x40xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %10 = arith.subf %in, %in_3 : f32
      linalg.yield %10 : f32
    } -> tensor<1x64x40xf32>
    %6 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%5 : tensor<1x64x40xf32>) outs(%2 : tensor<1x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %10 = arith.mulf %in, %in : f32
      %11 = arith.addf %out, %10 : f32
      linalg.yield %11 : f32
    } -> tensor<1x64xf32>
    %cst_1 = arith.constant 9.99999974E-6 : f32
    %cst_2 = arith.constant 1.000000e+00 : f32
    %7 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%6 : tensor<1x64xf32>) outs(%1 : tensor<1x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %10 = arith.divf %in, %cst_0 : f32
      %11 = arith.addf %10, %cst_1 : f32
      %12 = math.sqrt %11 : f32
      %13 = arith.divf %cst_2, %12 : f32
      linalg.yield %13 : f32
    } -> tensor<1x64xf32>
    %8 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%transposed, %7, %4, %arg1, %arg2 : tensor<1x64x40xf32>, tensor<1x64xf32>, tensor<1x64xf32>, tensor<40xf32>, tensor<40xf32>) outs(%0 : tensor<1x64x40xf32>) {
    ^bb0(%in: f32, %in_3: f32, %in_4: f32, %in_5: f32, %in_6: f32, %out: f32):
      %10 = arith.subf %in, %in_4 : f32
      %11 = arith.mulf %10, %in_3 : f32
      %12 = arith.mulf %11, %in_5 : f32
      %13 = arith.addf %12, %in_6 : f32
      linalg.yield %13 : f32
    } -> tensor<1x64x40xf32>
    %9 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%transposed : tensor<1x64x40xf32>) outs(%0 : tensor<1x64x40xf32>) {
    ^bb0(%in: f32, %out: f32):
      %10 = arith.cmpf ugt, %in, %cst : f32
      %11 = arith.select %10, %in, %cst : f32
      linalg.yield %11 : f32
    } -> tensor<1x64x40xf32>
    return %8, %9 : tensor<1x64x40xf32>, tensor<1x64x40xf32>
  }
}
