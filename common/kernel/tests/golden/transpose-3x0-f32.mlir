// All: nothing is computed.
module {
  func.func @kernel(%arg0: tensor<0x3xf32>) -> tensor<3x0xf32> attributes {hal.export} {
    %0 = tensor.empty() : tensor<3x0xf32>
    %transposed = linalg.transpose ins(%arg0 : tensor<0x3xf32>) outs(%0 : tensor<3x0xf32>) permutation = [1, 0] 
    return %transposed : tensor<3x0xf32>
  }
}
