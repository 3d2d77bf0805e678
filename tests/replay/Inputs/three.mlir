// A sum, a product and a remainder, each a kernel.
func.func @sum(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  %r = arith.addf %a, %b : tensor<8xf32>
  return %r : tensor<8xf32>
}
func.func @product(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  %r = arith.mulf %a, %b : tensor<8xf32>
  return %r : tensor<8xf32>
}
func.func @remainder(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  %r = arith.remf %a, %b : tensor<8xf32>
  return %r : tensor<8xf32>
}
