func.func @matmul(%a: tensor<4x3xf16>, %b: tensor<3x5xf16>) -> tensor<4x5xf32> {
  %e = tensor.empty() : tensor<4x5xf32>
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x5xf32>) -> tensor<4x5xf32>
  %r = linalg.matmul ins(%a, %b : tensor<4x3xf16>, tensor<3x5xf16>) outs(%f : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}
