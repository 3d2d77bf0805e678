module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @e attributes {hal.executable} {
    func.func @f(%x: tensor<8192xf32>, %n: index) -> tensor<8192xf32> attributes {hal.export} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      // It runs as often as an argument says.
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %x) -> tensor<8192xf32> {
        %u = arith.mulf %t, %t : tensor<8192xf32>
        scf.yield %u : tensor<8192xf32>
      }
      return %r : tensor<8192xf32>
    }
  }
}
