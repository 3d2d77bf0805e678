func.func @main(%x: tensor<128x512xf32>) -> tensor<128x512xf32> {
  %e = tensor.empty() : tensor<128x512xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<128x512xf32>) outs(%e : tensor<128x512xf32>) {
  ^bb0(%a: f32, %c: f32):
    %s = math.asin %a : f32
    linalg.yield %s : f32
  } -> tensor<128x512xf32>
  return %r : tensor<128x512xf32>
}
