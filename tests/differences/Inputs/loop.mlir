// Twenty steps; each is a dispatch that gets the number of the step.
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c20 = arith.constant 20 : index
  %r = scf.for %k = %c0 to %c20 step %c1 iter_args(%a = %x) -> (tensor<8xf32>) {
    %n = arith.index_cast %k : index to i64
    %e = tensor.empty() : tensor<8xf32>
    %s = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
        ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) {
    ^bb0(%v: f32, %o: f32):
      %f = arith.sitofp %n : i64 to f32
      %h = arith.constant 0.5 : f32
      %m = arith.mulf %v, %h : f32
      %y = arith.addf %m, %f : f32
      linalg.yield %y : f32
    } -> tensor<8xf32>
    scf.yield %s : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}
