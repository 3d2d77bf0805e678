// A convolution of a family, a pooling, a softmax, dynamic sizes, and an operation that becomes plain loops.
func.func @main(%x: tensor<1x3x34x34xf32>, %w: tensor<8x3x3x3xf32>, %n: tensor<?xf32>, %s: tensor<4x9xf32>)
    -> (tensor<1x8x30x30xf32>, tensor<?xf32>, tensor<4x9xf32>, tensor<9xf32>) {
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<1x8x32x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x8x32x32xf32>) -> tensor<1x8x32x32xf32>
  %p = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x3x34x34xf32>, tensor<8x3x3x3xf32>) outs(%f : tensor<1x8x32x32xf32>) -> tensor<1x8x32x32xf32>
  %window = tensor.empty() : tensor<3x3xf32>
  %pe = tensor.empty() : tensor<1x8x30x30xf32>
  %pf = linalg.fill ins(%least : f32) outs(%pe : tensor<1x8x30x30xf32>) -> tensor<1x8x30x30xf32>
  %pool = linalg.pooling_nchw_max ins(%p, %window : tensor<1x8x32x32xf32>, tensor<3x3xf32>) outs(%pf : tensor<1x8x30x30xf32>) -> tensor<1x8x30x30xf32>
  %c0 = arith.constant 0 : index
  %d = tensor.dim %n, %c0 : tensor<?xf32>
  %en = tensor.empty(%d) : tensor<?xf32>
  %t = linalg.tanh ins(%n : tensor<?xf32>) outs(%en : tensor<?xf32>) -> tensor<?xf32>
  %es = tensor.empty() : tensor<4x9xf32>
  %soft = linalg.softmax dimension(1) ins(%s : tensor<4x9xf32>) outs(%es : tensor<4x9xf32>) -> tensor<4x9xf32>
  %er = tensor.empty() : tensor<9xf32>
  %rf = linalg.fill ins(%zero : f32) outs(%er : tensor<9xf32>) -> tensor<9xf32>
  %sum = linalg.reduce ins(%s : tensor<4x9xf32>) outs(%rf : tensor<9xf32>) dimensions = [0]
    (%a: f32, %b: f32) {
      %add = arith.addf %a, %b : f32
      linalg.yield %add : f32
    }
  return %pool, %t, %soft, %sum : tensor<1x8x30x30xf32>, tensor<?xf32>, tensor<4x9xf32>, tensor<9xf32>
}
