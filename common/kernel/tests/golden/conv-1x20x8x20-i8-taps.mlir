// CPUs that multiply bytes: three channels, whose taps are packed line by line; every other point.
// MACHINES: vnni
module @k attributes {hal.executable} {
  func.func @kernel(%arg0: tensor<1x3x15x40xi8>, %arg1: tensor<20x3x3x3xi8>) -> tensor<1x20x8x20xi32> attributes {hal.export} {
    %0 = tensor.empty() : tensor<1x3x15x40xi32>
    %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0 : tensor<1x3x15x40xi8>) outs(%0 : tensor<1x3x15x40xi32>) {
    ^bb0(%in: i8, %out: i32):
      %7 = arith.extui %in : i8 to i32
      linalg.yield %7 : i32
    } -> tensor<1x3x15x40xi32>
    %2 = tensor.empty() : tensor<20x3x3x3xi32>
    %3 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg1 : tensor<20x3x3x3xi8>) outs(%2 : tensor<20x3x3x3xi32>) {
    ^bb0(%in: i8, %out: i32):
      %7 = arith.extsi %in : i8 to i32
      linalg.yield %7 : i32
    } -> tensor<20x3x3x3xi32>
    %c0_i32 = arith.constant 0 : i32
    %padded = tensor.pad %1 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg2: index, %arg3: index, %arg4: index, %arg5: index):
      tensor.yield %c0_i32 : i32
    } : tensor<1x3x15x40xi32> to tensor<1x3x17x42xi32>
    %4 = tensor.empty() : tensor<1x20x8x20xi32>
    %5 = linalg.fill ins(%c0_i32 : i32) outs(%4 : tensor<1x20x8x20xi32>) -> tensor<1x20x8x20xi32>
    %6 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%padded, %3 : tensor<1x3x17x42xi32>, tensor<20x3x3x3xi32>) outs(%5 : tensor<1x20x8x20xi32>) -> tensor<1x20x8x20xi32>
    return %6 : tensor<1x20x8x20xi32>
  }
}
