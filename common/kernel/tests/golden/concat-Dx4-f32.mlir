// CPUs: elementwise. GPUs: elements, one per thread.
module {
  func.func @kernel(%arg0: tensor<?x4xf32>, %arg1: tensor<1x4xf32>, %arg2: index) -> (tensor<?x4xf32> {hal.dims = array<i64: 2>}) attributes {hal.export} {
    %concat = tensor.concat dim(0) %arg0, %arg1 : (tensor<?x4xf32>, tensor<1x4xf32>) -> tensor<?x4xf32>
    return %concat : tensor<?x4xf32>
  }
}
