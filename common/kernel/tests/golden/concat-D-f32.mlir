// CPUs: elementwise. GPUs: elements, one per thread.
module {
  func.func @kernel(%arg0: tensor<?xf32>, %arg1: index) -> (tensor<?xf32> {hal.dims = array<i64: 1>}) attributes {hal.export} {
    %concat = tensor.concat dim(0) %arg0, %arg0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    return %concat : tensor<?xf32>
  }
}
