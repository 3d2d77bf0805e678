// CPUs: reduction. GPUs: rows, 1 at a time by 256 lanes each.
module {
  func.func @kernel(%arg0: tensor<?xf32>, %arg1: index) -> (tensor<?xf32> {hal.dims = array<i64: 1>}) attributes {hal.export} {
    %0 = tensor.empty(%arg1) : tensor<?xf32>
    %1 = linalg.softmax dimension(0) ins(%arg0 : tensor<?xf32>) outs(%0 : tensor<?xf32>) -> tensor<?xf32>
    return %1 : tensor<?xf32>
  }
}
