// CPUs: vectors of two rows are interleaved before they are stored.
module {
  func.func @kernel(%arg0: tensor<4x2x35xf32>) -> tensor<4x35x2xf32> attributes {hal.export} {
    %0 = tensor.empty() : tensor<4x35x2xf32>
    %transposed = linalg.transpose ins(%arg0 : tensor<4x2x35xf32>) outs(%0 : tensor<4x35x2xf32>) permutation = [0, 2, 1]
    return %transposed : tensor<4x35x2xf32>
  }
}
