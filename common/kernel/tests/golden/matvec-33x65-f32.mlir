// CPUs: product. GPUs: rows, 4 at a time by 32 lanes each.
module {
  func.func @kernel(%arg0: tensor<33x65xf32>, %arg1: tensor<65xf32>) -> tensor<33xf32> attributes {hal.export} {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<33xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<33xf32>) -> tensor<33xf32>
    %2 = linalg.matvec ins(%arg0, %arg1 : tensor<33x65xf32>, tensor<65xf32>) outs(%1 : tensor<33xf32>) -> tensor<33xf32>
    return %2 : tensor<33xf32>
  }
}
