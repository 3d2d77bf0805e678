// A program of two executables, `scale` (one export) and `pair` (two): 3 * x, then + 1 and * 2 by element.
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @scale attributes {hal.executable} {
    func.func @triple(%x: tensor<8xf32>) -> tensor<8xf32> attributes {hal.export} {
      %c = arith.constant dense<3.0> : tensor<8xf32>
      %r = arith.mulf %x, %c : tensor<8xf32>
      return %r : tensor<8xf32>
    }
  }
  module @pair attributes {hal.executable} {
    func.func @inc(%x: tensor<8xf32>) -> tensor<8xf32> attributes {hal.export} {
      %c = arith.constant dense<1.0> : tensor<8xf32>
      %r = arith.addf %x, %c : tensor<8xf32>
      return %r : tensor<8xf32>
    }
    func.func @twice(%x: tensor<8xf32>) -> tensor<8xf32> attributes {hal.export} {
      %r = arith.addf %x, %x : tensor<8xf32>
      return %r : tensor<8xf32>
    }
  }
  func.func private @triple(tensor<8xf32>) -> tensor<8xf32> attributes {hal.entry = @scale::@triple}
  func.func private @inc(tensor<8xf32>) -> tensor<8xf32> attributes {hal.entry = @pair::@inc}
  func.func private @twice(tensor<8xf32>) -> tensor<8xf32> attributes {hal.entry = @pair::@twice}
  func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
    %0 = call @triple(%x) : (tensor<8xf32>) -> tensor<8xf32>
    %1 = call @inc(%0) : (tensor<8xf32>) -> tensor<8xf32>
    %2 = call @twice(%1) : (tensor<8xf32>) -> tensor<8xf32>
    return %2 : tensor<8xf32>
  }
}
