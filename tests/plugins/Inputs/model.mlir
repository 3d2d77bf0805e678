func.func @main(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>) -> (tensor<4x4xf32>, tensor<4x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x4xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x4xf32>) -> tensor<4x4xf32>
  %product = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x4xf32>) outs(%fill : tensor<4x4xf32>) -> tensor<4x4xf32>
  %other = tensor.empty() : tensor<4x8xf32>
  %exp = linalg.exp ins(%x : tensor<4x8xf32>) outs(%other : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %product, %exp : tensor<4x4xf32>, tensor<4x8xf32>
}
