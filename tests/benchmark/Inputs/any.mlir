#map = affine_map<(i, j) -> (i, j)>
func.func @main(%x: tensor<?x100xf32>) -> tensor<?x100xf32> {
  %zero = arith.constant 0 : index
  %n = tensor.dim %x, %zero : tensor<?x100xf32>
  %e = tensor.empty(%n) : tensor<?x100xf32>
  %c = arith.constant 2.0 : f32
  %r = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?x100xf32>) outs(%e : tensor<?x100xf32>) {
  ^bb0(%a: f32, %o: f32):
    %b = arith.mulf %a, %c : f32
    linalg.yield %b : f32
  } -> tensor<?x100xf32>
  return %r : tensor<?x100xf32>
}
