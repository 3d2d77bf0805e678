// CPUs: reduction. GPUs: elements, one per thread.
module {
  func.func @kernel(%arg0: tensor<?x5x?x?xf32>, %arg1: index, %arg2: index, %arg3: index) -> (tensor<?x5x?x?xf32> {hal.dims = array<i64: 1, 2, 3>}) attributes {hal.export} {
    %cst = arith.constant 0xFF800000 : f32
    %0 = tensor.empty(%arg1, %arg2, %arg3) : tensor<?x5x?x?xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<?x5x?x?xf32>) -> tensor<?x5x?x?xf32>
    %2 = tensor.empty() : tensor<3x3xf32>
    %3 = linalg.pooling_nchw_max {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%arg0, %2 : tensor<?x5x?x?xf32>, tensor<3x3xf32>) outs(%1 : tensor<?x5x?x?xf32>) -> tensor<?x5x?x?xf32>
    return %3 : tensor<?x5x?x?xf32>
  }
}
