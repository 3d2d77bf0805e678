module @scale attributes {hal.executable} {
  func.func @triple(%x: tensor<8xf32>) -> tensor<8xf32> attributes {hal.export} {
    %c = arith.constant dense<4.0> : tensor<8xf32>
    %r = arith.mulf %x, %c : tensor<8xf32>
    return %r : tensor<8xf32>
  }
}
