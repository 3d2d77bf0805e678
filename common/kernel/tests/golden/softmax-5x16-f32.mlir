// CPUs: row kernel. GPUs: rows, 32 at a time by 4 lanes each.
module {
  func.func @kernel(%arg0: tensor<5x16xf32>) -> tensor<5x16xf32> attributes {hal.export} {
    %0 = tensor.empty() : tensor<5x16xf32>
    %1 = linalg.softmax dimension(1) ins(%arg0 : tensor<5x16xf32>) outs(%0 : tensor<5x16xf32>) -> tensor<5x16xf32>
    return %1 : tensor<5x16xf32>
  }
}
