// What the spec looks for.
#in = affine_map<(d0, d1) -> (d0, d1)>
#out = affine_map<(d0, d1) -> (d0)>
func.func @fits(%x: tensor<1x128xf32>, %i: tensor<1xi64>, %m: tensor<1xf32>) -> tensor<1xi64> {
  %r:2 = linalg.generic {indexing_maps = [#in, #out, #out], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<1x128xf32>) outs(%m, %i : tensor<1xf32>, tensor<1xi64>) {
  ^bb0(%a: f32, %o: f32, %p: i64):
    %6 = linalg.index 1 : index
    %7 = arith.index_cast %6 : index to i64
    %8 = arith.maximumf %a, %o : f32
    %9 = arith.cmpf ogt, %a, %o : f32
    %10 = arith.select %9, %7, %p : i64
    linalg.yield %8, %10 : f32, i64
  } -> (tensor<1xf32>, tensor<1xi64>)
  return %r#1 : tensor<1xi64>
}
