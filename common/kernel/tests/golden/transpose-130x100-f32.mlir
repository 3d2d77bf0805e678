// CPUs: transposition. GPUs: transposition of 130 x 100 through shared memory.
module {
  func.func @kernel(%arg0: tensor<100x130xf32>) -> tensor<130x100xf32> attributes {hal.export} {
    %0 = tensor.empty() : tensor<130x100xf32>
    %transposed = linalg.transpose ins(%arg0 : tensor<100x130xf32>) outs(%0 : tensor<130x100xf32>) permutation = [1, 0] 
    return %transposed : tensor<130x100xf32>
  }
}
