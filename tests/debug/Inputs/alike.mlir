module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @one attributes {hal.executable} {
    func.func @a(%x: tensor<16xf32>) -> tensor<16xf32> attributes {hal.export} {
      %r = arith.addf %x, %x : tensor<16xf32>
      return %r : tensor<16xf32>
    }
  }
  module @two attributes {hal.executable} {
    func.func @b(%x: tensor<16xf32>) -> tensor<16xf32> attributes {hal.export} {
      %r = arith.addf %x, %x : tensor<16xf32>
      return %r : tensor<16xf32>
    }
  }
}
