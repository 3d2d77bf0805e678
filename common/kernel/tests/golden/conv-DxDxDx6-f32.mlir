// CPUs: windowed product. GPUs: rows, 8 at a time by 16 lanes each.
module {
  func.func @kernel(%arg0: tensor<?x?x?x4xf32>, %arg1: tensor<3x3x4x6xf32>, %arg2: index, %arg3: index, %arg4: index) -> (tensor<?x?x?x6xf32> {hal.dims = array<i64: 2, 3, 4>}) attributes {hal.export} {
    %cst = arith.constant 0.000000e+00 : f32
    %padded = tensor.pad %arg0 low[0, 1, 1, 0] high[0, 1, 1, 0] {
    ^bb0(%arg5: index, %arg6: index, %arg7: index, %arg8: index):
      tensor.yield %cst : f32
    } : tensor<?x?x?x4xf32> to tensor<?x?x?x4xf32>
    %0 = tensor.empty(%arg2, %arg3, %arg4) : tensor<?x?x?x6xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<?x?x?x6xf32>) -> tensor<?x?x?x6xf32>
    %2 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%padded, %arg1 : tensor<?x?x?x4xf32>, tensor<3x3x4x6xf32>) outs(%1 : tensor<?x?x?x6xf32>) -> tensor<?x?x?x6xf32>
    return %2 : tensor<?x?x?x6xf32>
  }
}
