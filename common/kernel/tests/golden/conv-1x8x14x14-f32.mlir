// CPUs: windowed product. GPUs: product over several loops.
module {
  func.func @kernel(%arg0: tensor<1x4x16x16xf32>, %arg1: tensor<8x4x3x3xf32>) -> tensor<1x8x14x14xf32> attributes {hal.export} {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<1x8x14x14xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<1x8x14x14xf32>) -> tensor<1x8x14x14xf32>
    %2 = linalg.conv_2d_nchw_fchw ins(%arg0, %arg1 : tensor<1x4x16x16xf32>, tensor<8x4x3x3xf32>) outs(%1 : tensor<1x8x14x14xf32>) -> tensor<1x8x14x14xf32>
    return %2 : tensor<1x8x14x14xf32>
  }
}
