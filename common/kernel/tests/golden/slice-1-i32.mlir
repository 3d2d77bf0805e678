// CPUs: elementwise. GPUs: elements, one per thread.
module {
  func.func @kernel(%arg0: tensor<2xi32>) -> tensor<1xi32> attributes {hal.export} {
    %extracted_slice = tensor.extract_slice %arg0[1] [1] [1] : tensor<2xi32> to tensor<1xi32>
    return %extracted_slice : tensor<1xi32>
  }
}
