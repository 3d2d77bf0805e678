// CPUs: windowed product. GPUs: product over several loops.
#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d1)>
module {
  func.func @kernel(%arg0: tensor<1x8x128x128xf32>, %arg1: tensor<16x8x3x3xf32>, %arg2: tensor<16xf32>) -> tensor<1x16x64x64xf32> attributes {hal.export} {
    %cst = arith.constant 0.000000e+00 : f32
    %padded = tensor.pad %arg0 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg3: index, %arg4: index, %arg5: index, %arg6: index):
      tensor.yield %cst : f32
    } : tensor<1x8x128x128xf32> to tensor<1x8x130x130xf32>
    %0 = tensor.empty() : tensor<1x16x64x64xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<1x16x64x64xf32>) -> tensor<1x16x64x64xf32>
    %2 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%padded, %arg1 : tensor<1x8x130x130xf32>, tensor<16x8x3x3xf32>) outs(%1 : tensor<1x16x64x64xf32>) -> tensor<1x16x64x64xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%2, %arg2 : tensor<1x16x64x64xf32>, tensor<16xf32>) outs(%0 : tensor<1x16x64x64xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %5 = arith.addf %in, %in_0 : f32
      linalg.yield %5 : f32
    } -> tensor<1x16x64x64xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%3 : tensor<1x16x64x64xf32>) outs(%0 : tensor<1x16x64x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %5 = arith.cmpf ugt, %in, %cst : f32
      %6 = arith.select %5, %in, %cst : f32
      linalg.yield %6 : f32
    } -> tensor<1x16x64x64xf32>
    return %4 : tensor<1x16x64x64xf32>
  }
}
