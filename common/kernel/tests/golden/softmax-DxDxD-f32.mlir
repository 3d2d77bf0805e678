// CPUs: row kernel. GPUs: rows, 64 at a time by 1 lanes each.
module {
  func.func @kernel(%arg0: tensor<?x?x?xf32>, %arg1: index, %arg2: index, %arg3: index) -> (tensor<?x?x?xf32> {hal.dims = array<i64: 1, 2, 3>}) attributes {hal.export} {
    %0 = tensor.empty(%arg1, %arg2, %arg3) : tensor<?x?x?xf32>
    %1 = linalg.softmax dimension(0) ins(%arg0 : tensor<?x?x?xf32>) outs(%0 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
    return %1 : tensor<?x?x?xf32>
  }
}
