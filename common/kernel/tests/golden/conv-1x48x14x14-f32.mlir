// All: product; of 400 channels, whose planes of 784 bytes lie side by side.
// MACHINES: avx512 neon
module {
  func.func @kernel(%arg0: tensor<1x400x14x14xf32>, %arg1: tensor<48x400x1x1xf32>) -> tensor<1x48x14x14xf32> attributes {hal.export} {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<1x48x14x14xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<1x48x14x14xf32>) -> tensor<1x48x14x14xf32>
    %2 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%arg0, %arg1 : tensor<1x400x14x14xf32>, tensor<48x400x1x1xf32>) outs(%1 : tensor<1x48x14x14xf32>) -> tensor<1x48x14x14xf32>
    return %2 : tensor<1x48x14x14xf32>
  }
}
