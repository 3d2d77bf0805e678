// A short sum, and more operations after it than a bias and bounds: with 16 registers it stays a loop.
// MACHINES: avx2 avx512
#rows = affine_map<(d0, d1) -> (d0, d1)>
func.func @kernel(%a: tensor<24x16xf32>, %b: tensor<16x96xf32>) -> tensor<24x96xf32> attributes {hal.export} {
  %zero = arith.constant 0.0 : f32
  %three = arith.constant 3.0 : f32
  %six = arith.constant 6.0 : f32
  %sixth = arith.constant 0.166666672 : f32
  %e = tensor.empty() : tensor<24x96xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<24x96xf32>) -> tensor<24x96xf32>
  %c = linalg.matmul ins(%a, %b : tensor<24x16xf32>, tensor<16x96xf32>) outs(%f : tensor<24x96xf32>) -> tensor<24x96xf32>
  %y = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]} ins(%c : tensor<24x96xf32>) outs(%e : tensor<24x96xf32>) {
  ^bb0(%x: f32, %out: f32):
    %0 = arith.addf %x, %three : f32
    %1 = arith.maximumf %0, %zero : f32
    %2 = arith.minimumf %1, %six : f32
    %3 = arith.mulf %x, %2 : f32
    %4 = arith.mulf %3, %sixth : f32
    %5 = arith.addf %4, %zero : f32
    linalg.yield %5 : f32
  } -> tensor<24x96xf32>
  return %y : tensor<24x96xf32>
}
