// A sum over calls, kept in place.
ml_program.global private mutable @sum(dense<0.0> : tensor<4xf32>) : tensor<4xf32>
func.func @main(%x: tensor<4xf32>) {
  %a = ml_program.global_load @sum : tensor<4xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%a : tensor<4xf32>) {
  ^bb0(%u: f32, %o: f32):
    %m = arith.addf %u, %o : f32
    linalg.yield %m : f32
  } -> tensor<4xf32>
  ml_program.global_store @sum = %s : tensor<4xf32>
  return
}
