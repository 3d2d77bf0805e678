// CPUs: attention whose shares, rounded to f16, are kept as f32. GPUs: rows, 64 at a time.
// MACHINES: avx2 avx512 vulkan
module {
  func.func @kernel(%arg0: tensor<1x2x40x16xf16>, %arg1: tensor<1x2x16x40xf16>, %arg2: tensor<1x2x40x16xf16>) -> tensor<1x2x40x16xf32> attributes {hal.export} {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<1x2x40x40xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<1x2x40x40xf32>) -> tensor<1x2x40x40xf32>
    %2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%arg0, %arg1 : tensor<1x2x40x16xf16>, tensor<1x2x16x40xf16>) outs(%1 : tensor<1x2x40x40xf32>) {
    ^bb0(%in: f16, %in_4: f16, %out: f32):
      %18 = arith.extf %in : f16 to f32
      %19 = arith.extf %in_4 : f16 to f32
      %20 = arith.mulf %18, %19 : f32
      %21 = arith.addf %out, %20 : f32
      linalg.yield %21 : f32
    } -> tensor<1x2x40x40xf32>
    %3 = tensor.empty() : tensor<1x2x40x40xf16>
    %4 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%2 : tensor<1x2x40x40xf32>) outs(%3 : tensor<1x2x40x40xf16>) {
    ^bb0(%in: f32, %out: f16):
      %18 = arith.truncf %in : f32 to f16
      linalg.yield %18 : f16
    } -> tensor<1x2x40x40xf16>
    %cst_0 = arith.constant 1.767580e-01 : f16
    %5 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%4 : tensor<1x2x40x40xf16>) outs(%3 : tensor<1x2x40x40xf16>) {
    ^bb0(%in: f16, %out: f16):
      %18 = arith.mulf %in, %cst_0 : f16
      linalg.yield %18 : f16
    } -> tensor<1x2x40x40xf16>
    %cst_1 = arith.constant 0.000000e+00 : f16
    %6 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%5 : tensor<1x2x40x40xf16>) outs(%3 : tensor<1x2x40x40xf16>) {
    ^bb0(%in: f16, %out: f16):
      %18 = arith.addf %in, %cst_1 : f16
      linalg.yield %18 : f16
    } -> tensor<1x2x40x40xf16>
    %cst_2 = arith.constant 0xFC00 : f16
    %7 = tensor.empty() : tensor<1x2x40xf16>
    %8 = linalg.fill ins(%cst_2 : f16) outs(%7 : tensor<1x2x40xf16>) -> tensor<1x2x40xf16>
    %9 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%6 : tensor<1x2x40x40xf16>) outs(%8 : tensor<1x2x40xf16>) {
    ^bb0(%in: f16, %out: f16):
      %18 = arith.maximumf %out, %in : f16
      linalg.yield %18 : f16
    } -> tensor<1x2x40xf16>
    %10 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%6, %9 : tensor<1x2x40x40xf16>, tensor<1x2x40xf16>) outs(%3 : tensor<1x2x40x40xf16>) {
    ^bb0(%in: f16, %in_4: f16, %out: f16):
      %18 = arith.subf %in, %in_4 : f16
      %19 = arith.extf %18 : f16 to f32
      %20 = math.exp %19 : f32
      %21 = arith.truncf %20 : f32 to f16
      linalg.yield %21 : f16
    } -> tensor<1x2x40x40xf16>
    %11 = tensor.empty() : tensor<1x2x40xf32>
    %12 = linalg.fill ins(%cst : f32) outs(%11 : tensor<1x2x40xf32>) -> tensor<1x2x40xf32>
    %13 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%10 : tensor<1x2x40x40xf16>) outs(%12 : tensor<1x2x40xf32>) {
    ^bb0(%in: f16, %out: f32):
      %18 = arith.extf %in : f16 to f32
      %19 = arith.addf %out, %18 : f32
      linalg.yield %19 : f32
    } -> tensor<1x2x40xf32>
    %cst_3 = arith.constant 6.550400e+04 : f32
    %14 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%10, %13 : tensor<1x2x40x40xf16>, tensor<1x2x40xf32>) outs(%3 : tensor<1x2x40x40xf16>) {
    ^bb0(%in: f16, %in_4: f32, %out: f16):
      %18 = arith.extf %in : f16 to f32
      %19 = arith.truncf %in_4 : f32 to f16
      %20 = arith.extf %19 : f16 to f32
      %21 = arith.cmpf ole, %in_4, %cst_3 : f32
      %22 = arith.select %21, %20, %in_4 : f32
      %23 = arith.divf %18, %22 : f32
      %24 = arith.truncf %23 : f32 to f16
      linalg.yield %24 : f16
    } -> tensor<1x2x40x40xf16>
    %15 = tensor.empty() : tensor<1x2x40x16xf32>
    %16 = linalg.fill ins(%cst : f32) outs(%15 : tensor<1x2x40x16xf32>) -> tensor<1x2x40x16xf32>
    %17 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%14, %arg2 : tensor<1x2x40x40xf16>, tensor<1x2x40x16xf16>) outs(%16 : tensor<1x2x40x16xf32>) {
    ^bb0(%in: f16, %in_4: f16, %out: f32):
      %18 = arith.extf %in : f16 to f32
      %19 = arith.extf %in_4 : f16 to f32
      %20 = arith.mulf %18, %19 : f32
      %21 = arith.addf %out, %20 : f32
      linalg.yield %21 : f32
    } -> tensor<1x2x40x16xf32>
    return %17 : tensor<1x2x40x16xf32>
  }
}
