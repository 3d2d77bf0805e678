// A remainder.
func.func @remainder(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  %r = arith.remf %a, %b : tensor<8xf32>
  return %r : tensor<8xf32>
}
