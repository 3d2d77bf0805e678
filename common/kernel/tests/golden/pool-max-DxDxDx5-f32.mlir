// CPUs: row kernel. GPUs: elements, one per thread.
module {
  func.func @kernel(%arg0: tensor<?x?x?x5xf32>, %arg1: index, %arg2: index, %arg3: index) -> (tensor<?x?x?x5xf32> {hal.dims = array<i64: 1, 2, 3>}) attributes {hal.export} {
    %cst = arith.constant 0xFF800000 : f32
    %padded = tensor.pad %arg0 low[0, 1, 1, 0] high[0, 1, 1, 0] {
    ^bb0(%arg4: index, %arg5: index, %arg6: index, %arg7: index):
      tensor.yield %cst : f32
    } : tensor<?x?x?x5xf32> to tensor<?x?x?x5xf32>
    %0 = tensor.empty(%arg1, %arg2, %arg3) : tensor<?x?x?x5xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<?x?x?x5xf32>) -> tensor<?x?x?x5xf32>
    %2 = tensor.empty() : tensor<3x3xf32>
    %3 = linalg.pooling_nhwc_max {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%padded, %2 : tensor<?x?x?x5xf32>, tensor<3x3xf32>) outs(%1 : tensor<?x?x?x5xf32>) -> tensor<?x?x?x5xf32>
    return %3 : tensor<?x?x?x5xf32>
  }
}
