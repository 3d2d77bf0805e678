// Two executables, the first with a variant.
module @two attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @first attributes {hal.executable} {
    func.func @first_add(%x: tensor<4xf32>) -> tensor<4xf32> attributes {hal.export} {
      %y = arith.addf %x, %x : tensor<4xf32>
      return %y : tensor<4xf32>
    }
    module @cpu attributes {hal.target = #llvm.target<triple = "x86_64-unknown-linux-gnu", chip = "x86-64">, hal.variant} {
    }
  }
  module @second attributes {hal.executable} {
    func.func @second_mul(%x: tensor<4xf32>) -> tensor<4xf32> attributes {hal.export} {
      %y = arith.mulf %x, %x : tensor<4xf32>
      return %y : tensor<4xf32>
    }
  }
  func.func private @first_add(tensor<4xf32>) -> tensor<4xf32> attributes {hal.entry = @first::@first_add}
  func.func private @second_mul(tensor<4xf32>) -> tensor<4xf32> attributes {hal.entry = @second::@second_mul}
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %y = call @first_add(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %z = call @second_mul(%y) : (tensor<4xf32>) -> tensor<4xf32>
    return %z : tensor<4xf32>
  }
}
