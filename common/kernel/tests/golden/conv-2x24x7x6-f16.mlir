// CPUs: windowed product. GPUs: product over several loops, on tensor cores.
func.func @kernel(%x: tensor<2x16x13x11xf16>, %w: tensor<24x16x3x3xf16>) -> tensor<2x24x7x6xf32> attributes {hal.export} {
  %zero = arith.constant 0.0 : f16
  %z = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f16
  } : tensor<2x16x13x11xf16> to tensor<2x16x15x13xf16>
  %e = tensor.empty() : tensor<2x24x7x6xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2x24x7x6xf32>) -> tensor<2x24x7x6xf32>
  %r = linalg.conv_2d_nchw_fchw {strides = dense<2> : vector<2xi64>} ins(%p, %w : tensor<2x16x15x13xf16>, tensor<24x16x3x3xf16>)
       outs(%f : tensor<2x24x7x6xf32>) -> tensor<2x24x7x6xf32>
  return %r : tensor<2x24x7x6xf32>
}
