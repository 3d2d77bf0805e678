// CPUs: reduction. GPUs: elements, one per thread.
module {
  func.func @kernel(%arg0: tensor<2x13x15x3xf32>) -> tensor<2x11x13x3xf32> attributes {hal.export} {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<2x11x13x3xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<2x11x13x3xf32>) -> tensor<2x11x13x3xf32>
    %2 = tensor.empty() : tensor<3x3xf32>
    %3 = linalg.pooling_nhwc_sum {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%arg0, %2 : tensor<2x13x15x3xf32>, tensor<3x3xf32>) outs(%1 : tensor<2x11x13x3xf32>) -> tensor<2x11x13x3xf32>
    return %3 : tensor<2x11x13x3xf32>
  }
}
