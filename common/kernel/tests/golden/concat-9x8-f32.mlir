// CPUs: elementwise. GPUs: elements, one per thread.
module {
  func.func @kernel(%arg0: tensor<6x8xf32>, %arg1: tensor<3x8xf32>) -> tensor<9x8xf32> attributes {hal.export} {
    %concat = tensor.concat dim(0) %arg0, %arg1 : (tensor<6x8xf32>, tensor<3x8xf32>) -> tensor<9x8xf32>
    return %concat : tensor<9x8xf32>
  }
}
