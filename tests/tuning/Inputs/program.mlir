module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @first attributes {hal.executable} {
    func.func @first_sum(%a: tensor<64x96xf32>, %b: tensor<64x96xf32>) -> tensor<64x96xf32> attributes {hal.export} {
      %e = tensor.empty() : tensor<64x96xf32>
      %r = linalg.add ins(%a, %b : tensor<64x96xf32>, tensor<64x96xf32>) outs(%e : tensor<64x96xf32>) -> tensor<64x96xf32>
      return %r : tensor<64x96xf32>
    }
  }
  module @second attributes {hal.executable} {
    func.func @second_product(%a: tensor<64x96xf32>, %b: tensor<64x96xf32>) -> tensor<64x96xf32> attributes {hal.export} {
      %e = tensor.empty() : tensor<64x96xf32>
      %r = linalg.mul ins(%a, %b : tensor<64x96xf32>, tensor<64x96xf32>) outs(%e : tensor<64x96xf32>) -> tensor<64x96xf32>
      return %r : tensor<64x96xf32>
    }
  }
  func.func private @first_sum(tensor<64x96xf32>, tensor<64x96xf32>) -> tensor<64x96xf32> attributes {hal.entry = @first::@first_sum}
  func.func private @second_product(tensor<64x96xf32>, tensor<64x96xf32>) -> tensor<64x96xf32> attributes {hal.entry = @second::@second_product}
  func.func @main(%x: tensor<64x96xf32>, %y: tensor<64x96xf32>) -> tensor<64x96xf32> {
    %0 = call @first_sum(%x, %y) : (tensor<64x96xf32>, tensor<64x96xf32>) -> tensor<64x96xf32>
    %1 = call @second_product(%0, %y) : (tensor<64x96xf32>, tensor<64x96xf32>) -> tensor<64x96xf32>
    return %1 : tensor<64x96xf32>
  }
}
