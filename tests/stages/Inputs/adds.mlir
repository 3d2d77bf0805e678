func.func @main() -> f32 {
  %a = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %b = arith.constant dense<[[2.0, 3.0], [4.0, 5.0]]> : tensor<2x2xf32>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<2x2xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x2xf32>) -> tensor<2x2xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<2x2xf32>, tensor<2x2xf32>) outs(%init : tensor<2x2xf32>) -> tensor<2x2xf32>
  %i = arith.constant 0 : index
  %j = arith.constant 1 : index
  // 1 * 3 + 2 * 5 = 13; 1 * 2 + 2 * 4 = 10.
  %1 = tensor.extract %0[%i, %j] : tensor<2x2xf32>
  %2 = tensor.extract %0[%i, %i] : tensor<2x2xf32>
  %3 = arith.addf %1, %2 : f32
  return %3 : f32
}
