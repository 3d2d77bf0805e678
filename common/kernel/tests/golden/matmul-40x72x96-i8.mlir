// CPUs: product of short numbers. GPUs: product on tensor cores, of bytes.
func.func @kernel(%a: tensor<40x96xi8>, %b: tensor<96x72xi8>) -> tensor<40x72xi32> attributes {hal.export} {
  %z = arith.constant 0 : i32
  %e = tensor.empty() : tensor<40x72xi32>
  %f = linalg.fill ins(%z : i32) outs(%e : tensor<40x72xi32>) -> tensor<40x72xi32>
  %r = linalg.matmul indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>]
       ins(%a, %b : tensor<40x96xi8>, tensor<96x72xi8>) outs(%f : tensor<40x72xi32>) -> tensor<40x72xi32>
  return %r : tensor<40x72xi32>
}
