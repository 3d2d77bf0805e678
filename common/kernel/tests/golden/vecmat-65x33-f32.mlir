// CPUs: product. GPUs: rows, 32 at a time by 8 lanes each.
module {
  func.func @kernel(%arg0: tensor<33xf32>, %arg1: tensor<33x65xf32>) -> tensor<65xf32> attributes {hal.export} {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<65xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<65xf32>) -> tensor<65xf32>
    %2 = linalg.vecmat ins(%arg0, %arg1 : tensor<33xf32>, tensor<33x65xf32>) outs(%1 : tensor<65xf32>) -> tensor<65xf32>
    return %2 : tensor<65xf32>
  }
}
