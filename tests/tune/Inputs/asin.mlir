func.func @main(%x: tensor<128x512xf64>) -> tensor<128x512xf64> {
  %e = tensor.empty() : tensor<128x512xf64>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<128x512xf64>) outs(%e : tensor<128x512xf64>) {
  ^bb0(%a: f64, %c: f64):
    %s = math.asin %a : f64
    linalg.yield %s : f64
  } -> tensor<128x512xf64>
  return %r : tensor<128x512xf64>
}
