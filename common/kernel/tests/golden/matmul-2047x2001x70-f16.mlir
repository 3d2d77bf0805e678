// GPUs: product on tensor cores with large tiles.
// MACHINES: cuda
func.func @kernel(%a: tensor<2047x70xf16>, %b: tensor<70x2001xf16>) -> tensor<2047x2001xf32> attributes {hal.export} {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2047x2001xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2047x2001xf32>) -> tensor<2047x2001xf32>
  %r = linalg.matmul ins(%a, %b : tensor<2047x70xf16>, tensor<70x2001xf16>) outs(%f : tensor<2047x2001xf32>) -> tensor<2047x2001xf32>
  return %r : tensor<2047x2001xf32>
}
