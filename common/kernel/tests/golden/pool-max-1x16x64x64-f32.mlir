// CPUs: pooling. GPUs: elements, 2 neighbours per thread.
module {
  func.func @kernel(%arg0: tensor<1x16x128x128xf32>) -> tensor<1x16x64x64xf32> attributes {hal.export} {
    %cst = arith.constant 0xFF800000 : f32
    %0 = tensor.empty() : tensor<1x16x64x64xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<1x16x64x64xf32>) -> tensor<1x16x64x64xf32>
    %2 = tensor.empty() : tensor<2x2xf32>
    %3 = linalg.pooling_nchw_max {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%arg0, %2 : tensor<1x16x128x128xf32>, tensor<2x2xf32>) outs(%1 : tensor<1x16x64x64xf32>) -> tensor<1x16x64x64xf32>
    return %3 : tensor<1x16x64x64xf32>
  }
}
