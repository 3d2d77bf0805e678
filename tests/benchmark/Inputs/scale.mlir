func.func @main(%x: tensor<1000x100xf32>) -> tensor<1000x100xf32> {
  %c = arith.constant dense<2.0> : tensor<1000x100xf32>
  %r = arith.mulf %x, %c : tensor<1000x100xf32>
  return %r : tensor<1000x100xf32>
}
