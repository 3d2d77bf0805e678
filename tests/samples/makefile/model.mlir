// Three kernels: a product, a sum of rows of exponentials, and one of columns.
func.func @main(%x: tensor<8x16xf32>, %w: tensor<16x12xf32>) -> (tensor<8x12xf32>, tensor<8xf32>, tensor<12xf32>) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x12xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<8x12xf32>) -> tensor<8x12xf32>
  %m = linalg.matmul ins(%x, %w : tensor<8x16xf32>, tensor<16x12xf32>) outs(%f : tensor<8x12xf32>) -> tensor<8x12xf32>
  %s = tensor.empty() : tensor<8xf32>
  %g = linalg.fill ins(%z : f32) outs(%s : tensor<8xf32>) -> tensor<8xf32>
  %r = linalg.reduce ins(%m : tensor<8x12xf32>) outs(%g : tensor<8xf32>) dimensions = [1]
    (%in: f32, %acc: f32) { %q = math.exp %in : f32 %a = arith.addf %q, %acc : f32 linalg.yield %a : f32 }
  %t = tensor.empty() : tensor<12xf32>
  %h = linalg.fill ins(%z : f32) outs(%t : tensor<12xf32>) -> tensor<12xf32>
  %u = linalg.reduce ins(%m : tensor<8x12xf32>) outs(%h : tensor<12xf32>) dimensions = [0]
    (%in: f32, %acc: f32) { %a = arith.maximumf %in, %acc : f32 linalg.yield %a : f32 }
  return %m, %r, %u : tensor<8x12xf32>, tensor<8xf32>, tensor<12xf32>
}
