// Three executables, one behind the other: two products, then a sum of squares.
func.func @main(%x: tensor<8x16xf32>, %w: tensor<16x4xf32>, %v: tensor<4x4xf32>) -> (tensor<8x4xf32>, tensor<8xf32>) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  %m = linalg.matmul ins(%x, %w : tensor<8x16xf32>, tensor<16x4xf32>) outs(%f : tensor<8x4xf32>) -> tensor<8x4xf32>
  %n = linalg.matmul ins(%m, %v : tensor<8x4xf32>, tensor<4x4xf32>) outs(%f : tensor<8x4xf32>) -> tensor<8x4xf32>
  %s = tensor.empty() : tensor<8xf32>
  %g = linalg.fill ins(%z : f32) outs(%s : tensor<8xf32>) -> tensor<8xf32>
  %r = linalg.reduce ins(%n : tensor<8x4xf32>) outs(%g : tensor<8xf32>) dimensions = [1]
    (%in: f32, %acc: f32) { %q = arith.mulf %in, %in : f32 %a = arith.addf %q, %acc : f32 linalg.yield %a : f32 }
  return %n, %r : tensor<8x4xf32>, tensor<8xf32>
}
