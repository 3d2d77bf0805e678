module @m {
  module @e {
    func.func @f(%x: f32) -> f32 {
      %c = arith.constant 1.0 : f32
      %d = arith.constant 1.0 : f32
      %y = arith.addf %x, %c : f32
      %z = arith.addf %y, %d : f32
      return %z : f32
    }
  }
}
