module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @e_one attributes {hal.executable} {
    func.func @one(%x: tensor<8xf32>) -> tensor<8xf32> attributes {hal.export} {
      %r = arith.addf %x, %x : tensor<8xf32>
      return %r : tensor<8xf32>
    }
  }
  func.func private @one(tensor<8xf32>) -> tensor<8xf32> attributes {hal.entry = @e_one::@one}
  module @e_two attributes {hal.executable} {
    func.func @two(%x: tensor<8xf32>) -> tensor<8xf32> attributes {hal.export} {
      %r = arith.mulf %x, %x : tensor<8xf32>
      return %r : tensor<8xf32>
    }
  }
  func.func private @two(tensor<8xf32>) -> tensor<8xf32> attributes {hal.entry = @e_two::@two}
  module @e_three attributes {hal.executable} {
    func.func @three(%x: tensor<8xf32>) -> tensor<8xf32> attributes {hal.export} {
      %r = arith.subf %x, %x : tensor<8xf32>
      return %r : tensor<8xf32>
    }
  }
  func.func private @three(tensor<8xf32>) -> tensor<8xf32> attributes {hal.entry = @e_three::@three}
  module @e_four attributes {hal.executable} {
    func.func @four(%x: tensor<8xf32>) -> tensor<8xf32> attributes {hal.export} {
      %r = arith.maximumf %x, %x : tensor<8xf32>
      return %r : tensor<8xf32>
    }
  }
  func.func private @four(tensor<8xf32>) -> tensor<8xf32> attributes {hal.entry = @e_four::@four}
  func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
    %a = call @one(%x) : (tensor<8xf32>) -> tensor<8xf32>
    %b = call @two(%a) : (tensor<8xf32>) -> tensor<8xf32>
    %c = call @three(%b) : (tensor<8xf32>) -> tensor<8xf32>
    %d = call @four(%c) : (tensor<8xf32>) -> tensor<8xf32>
    return %d : tensor<8xf32>
  }
}
