// CPUs: elementwise. GPUs: elements, one per thread.
module {
  func.func @kernel(%arg0: tensor<?x?xf32>) -> tensor<4x2xf32> attributes {hal.export} {
    %extracted_slice = tensor.extract_slice %arg0[3, 12] [4, 2] [1, 1] : tensor<?x?xf32> to tensor<4x2xf32>
    return %extracted_slice : tensor<4x2xf32>
  }
}
