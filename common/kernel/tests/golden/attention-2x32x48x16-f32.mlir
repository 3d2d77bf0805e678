// CPUs: attention. GPUs: rows, 8 at a time.
module {
  func.func @kernel(%arg0: tensor<2x32x16xf32>, %arg1: tensor<2x16x48xf32>, %arg2: tensor<2x48x8xf32>) -> tensor<2x32x8xf32> attributes {hal.export} {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<2x32x48xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<2x32x48xf32>) -> tensor<2x32x48xf32>
    %2 = linalg.batch_matmul ins(%arg0, %arg1 : tensor<2x32x16xf32>, tensor<2x16x48xf32>) outs(%1 : tensor<2x32x48xf32>) -> tensor<2x32x48xf32>
    %3 = linalg.softmax dimension(2) ins(%2 : tensor<2x32x48xf32>) outs(%0 : tensor<2x32x48xf32>) -> tensor<2x32x48xf32>
    %4 = tensor.empty() : tensor<2x32x8xf32>
    %5 = linalg.fill ins(%cst : f32) outs(%4 : tensor<2x32x8xf32>) -> tensor<2x32x8xf32>
    %6 = linalg.batch_matmul ins(%3, %arg2 : tensor<2x32x48xf32>, tensor<2x48x8xf32>) outs(%5 : tensor<2x32x8xf32>) -> tensor<2x32x8xf32>
    return %6 : tensor<2x32x8xf32>
  }
}
