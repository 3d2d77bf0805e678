// All: product.
module {
  func.func @kernel(%arg0: tensor<8x16xf32>, %arg1: tensor<16x12xf32>) -> tensor<8x12xf32> attributes {hal.export} {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<8x12xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<8x12xf32>) -> tensor<8x12xf32>
    %2 = linalg.matmul ins(%arg0, %arg1 : tensor<8x16xf32>, tensor<16x12xf32>) outs(%1 : tensor<8x12xf32>) -> tensor<8x12xf32>
    return %2 : tensor<8x12xf32>
  }
}
