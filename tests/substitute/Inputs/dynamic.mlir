// A program whose kernel has constants: 3 * x, for any number of elements, plus a scalar.
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @e attributes {hal.executable} {
    func.func @k(%x: tensor<?xf32>, %n: index, %s: f32) -> (tensor<?xf32> {hal.dims = array<i64: 1>}) attributes {hal.export} {
      %e = tensor.empty(%n) : tensor<?xf32>
      %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
          ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
        ^bb0(%a: f32, %b: f32):
          %c = arith.constant 3.0 : f32
          %m = arith.mulf %a, %c : f32
          %p = arith.addf %m, %s : f32
          linalg.yield %p : f32
      } -> tensor<?xf32>
      return %r : tensor<?xf32>
    }
  }
  func.func private @k(tensor<?xf32>, index, f32) -> (tensor<?xf32> {hal.dims = array<i64: 1>}) attributes {hal.entry = @e::@k}
  func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
    %c0 = arith.constant 0 : index
    %s = arith.constant 0.5 : f32
    %n = tensor.dim %x, %c0 : tensor<?xf32>
    %r = call @k(%x, %n, %s) : (tensor<?xf32>, index, f32) -> tensor<?xf32>
    return %r : tensor<?xf32>
  }
}
