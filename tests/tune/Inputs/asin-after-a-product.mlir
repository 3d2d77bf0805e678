func.func @main(%x: tensor<128x64xf64>, %w: tensor<64x512xf64>, %y: tensor<128x512xf64>) -> (tensor<128x512xf64>, tensor<128x512xf64>) {
  %z = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<128x512xf64>
  %f = linalg.fill ins(%z : f64) outs(%e : tensor<128x512xf64>) -> tensor<128x512xf64>
  %a = linalg.matmul ins(%x, %w : tensor<128x64xf64>, tensor<64x512xf64>) outs(%f : tensor<128x512xf64>) -> tensor<128x512xf64>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%y : tensor<128x512xf64>) outs(%e : tensor<128x512xf64>) {
  ^bb0(%v: f64, %c: f64):
    %s = math.asin %v : f64
    linalg.yield %s : f64
  } -> tensor<128x512xf64>
  return %a, %r : tensor<128x512xf64>, tensor<128x512xf64>
}
