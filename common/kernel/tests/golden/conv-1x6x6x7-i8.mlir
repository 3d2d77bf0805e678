// CPUs: product of short numbers by pmaddwd. GPUs: rows, 32 at a time by 8 lanes each.
module {
  func.func @kernel(%arg0: tensor<1x5x8x9xi8>, %arg1: tensor<6x5x3x3xi8>) -> tensor<1x6x6x7xi32> attributes {hal.export} {
    %c0_i32 = arith.constant 0 : i32
    %0 = tensor.empty() : tensor<1x6x6x7xi32>
    %1 = linalg.fill ins(%c0_i32 : i32) outs(%0 : tensor<1x6x6x7xi32>) -> tensor<1x6x6x7xi32>
    %2 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%arg0, %arg1 : tensor<1x5x8x9xi8>, tensor<6x5x3x3xi8>) outs(%1 : tensor<1x6x6x7xi32>) -> tensor<1x6x6x7xi32>
    return %2 : tensor<1x6x6x7xi32>
  }
}
