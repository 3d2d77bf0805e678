ml_program.global private @g(#ml_program.extern : tensor<64x128xf32>) : tensor<64x128xf32> {hal.name = "lin.w"}
func.func @main(%x: tensor<?x64xf32>, %b: tensor<?xf32> {hal.name = "lin.b"}) -> tensor<?x128xf32> {
  %w = ml_program.global_load_const @g : tensor<64x128xf32>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x64xf32>
  %e = tensor.empty(%n) : tensor<?x128xf32>
  %bias = tensor.cast %b : tensor<?xf32> to tensor<128xf32>
  %i = linalg.broadcast ins(%bias : tensor<128xf32>) outs(%e : tensor<?x128xf32>) dimensions = [0]
  %r = linalg.matmul ins(%x, %w : tensor<?x64xf32>, tensor<64x128xf32>) outs(%i : tensor<?x128xf32>) -> tensor<?x128xf32>
  return %r : tensor<?x128xf32>
}
