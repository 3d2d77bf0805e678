module @two attributes {hal.phase = "executables", hal.version = 1 : i32} {
  func.func private @add(tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32> attributes {hal.entry = @first::@add}
  func.func private @scale(tensor<?xf32>, f32, index) -> (tensor<?xf32> {hal.dims = array<i64: 2>}) attributes {hal.entry = @second::@scale}
  module @first attributes {hal.executable} {
    func.func @add(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>) -> tensor<4x8xf32> attributes {hal.export} {
      %r = arith.addf %a, %b : tensor<4x8xf32>
      return %r : tensor<4x8xf32>
    }
  }
  module @second attributes {hal.executable} {
    func.func @scale(%a: tensor<?xf32>, %s: f32, %n: index) -> (tensor<?xf32> {hal.dims = array<i64: 2>}) attributes {hal.export} {
      %e = tensor.empty(%n) : tensor<?xf32>
      %r = linalg.map ins(%a : tensor<?xf32>) outs(%e : tensor<?xf32>) (%x: f32, %o: f32) {
        %p = arith.mulf %x, %s : f32
        linalg.yield %p : f32
      }
      return %r : tensor<?xf32>
    }
  }
  func.func @main(%a: tensor<4x8xf32>, %v: tensor<?xf32>) -> (tensor<4x8xf32>, tensor<?xf32>) {
    %zero = arith.constant 0 : index
    %s = arith.constant 3.0 : f32
    %n = tensor.dim %v, %zero : tensor<?xf32>
    %x = call @add(%a, %a) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    %y = call @scale(%v, %s, %n) : (tensor<?xf32>, f32, index) -> tensor<?xf32>
    return %x, %y : tensor<4x8xf32>, tensor<?xf32>
  }
}
