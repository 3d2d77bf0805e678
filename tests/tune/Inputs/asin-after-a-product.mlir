func.func @main(%x: tensor<128x64xf32>, %w: tensor<64x512xf32>, %y: tensor<128x512xf32>) -> (tensor<128x512xf32>, tensor<128x512xf32>) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<128x512xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<128x512xf32>) -> tensor<128x512xf32>
  %a = linalg.matmul ins(%x, %w : tensor<128x64xf32>, tensor<64x512xf32>) outs(%f : tensor<128x512xf32>) -> tensor<128x512xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%y : tensor<128x512xf32>) outs(%e : tensor<128x512xf32>) {
  ^bb0(%v: f32, %c: f32):
    %s = math.asin %v : f32
    linalg.yield %s : f32
  } -> tensor<128x512xf32>
  return %a, %r : tensor<128x512xf32>, tensor<128x512xf32>
}
