// A product of few steps with long rows: stretches of columns stay in the first-level cache while all filters read them.
// MACHINES: avx2 avx512
#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d1)>
module {
  func.func @kernel(%arg0: tensor<1x12x96x100xf32>, %arg1: tensor<24x12x1x1xf32>, %arg2: tensor<24xf32>) -> tensor<1x24x96x100xf32> attributes {hal.export} {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<1x24x96x100xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<1x24x96x100xf32>) -> tensor<1x24x96x100xf32>
    %2 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%arg0, %arg1 : tensor<1x12x96x100xf32>, tensor<24x12x1x1xf32>) outs(%1 : tensor<1x24x96x100xf32>) -> tensor<1x24x96x100xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%2, %arg2 : tensor<1x24x96x100xf32>, tensor<24xf32>) outs(%0 : tensor<1x24x96x100xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %4 = arith.addf %in, %in_0 : f32
      linalg.yield %4 : f32
    } -> tensor<1x24x96x100xf32>
    return %3 : tensor<1x24x96x100xf32>
  }
}
