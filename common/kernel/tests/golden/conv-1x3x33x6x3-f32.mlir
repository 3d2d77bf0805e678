// CPUs: windowed product. GPUs: product over several loops.
module {
  func.func @kernel(%arg0: tensor<1x3x4x6x3xf32>, %arg1: tensor<3x33x4x5x2xf32>) -> tensor<1x3x33x6x3xf32> attributes {hal.export} {
    %cst = arith.constant 0.000000e+00 : f32
    %padded = tensor.pad %arg0 low[0, 0, 0, 2, 2] high[0, 0, 0, 2, 2] {
    ^bb0(%arg2: index, %arg3: index, %arg4: index, %arg5: index, %arg6: index):
      tensor.yield %cst : f32
    } : tensor<1x3x4x6x3xf32> to tensor<1x3x4x10x7xf32>
    %0 = tensor.empty() : tensor<1x3x33x6x3xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<1x3x33x6x3xf32>) -> tensor<1x3x33x6x3xf32>
    %2 = linalg.conv_2d_ngchw_gfchw {dilations = dense<1> : tensor<2xi64>, strides = dense<[1, 2]> : tensor<2xi64>} ins(%padded, %arg1 : tensor<1x3x4x10x7xf32>, tensor<3x33x4x5x2xf32>) outs(%1 : tensor<1x3x33x6x3xf32>) -> tensor<1x3x33x6x3xf32>
    return %2 : tensor<1x3x33x6x3xf32>
  }
}
