// CPUs: transposition. GPUs: transposition of 3001 x 1552 through shared memory.
module {
  func.func @kernel(%arg0: tensor<1552x3001xf32>) -> tensor<3001x1552xf32> attributes {hal.export} {
    %0 = tensor.empty() : tensor<3001x1552xf32>
    %transposed = linalg.transpose ins(%arg0 : tensor<1552x3001xf32>) outs(%0 : tensor<3001x1552xf32>) permutation = [1, 0] 
    return %transposed : tensor<3001x1552xf32>
  }
}
