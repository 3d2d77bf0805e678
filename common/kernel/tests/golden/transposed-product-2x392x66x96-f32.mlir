// A product with a packed matrix whose result is stored with its columns before its rows: its long rows are divided.
// MACHINES: avx2 avx512 neon
#x = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
#matrix = affine_map<(d0, d1, d2, d3) -> (d2 floordiv 32, d3, d2 mod 32)>
#y = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#transposed = affine_map<(d0, d1, d2) -> (d0, d2, d1)>
#bias = affine_map<(d0, d1, d2) -> (d1)>
#same = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
module {
  func.func @kernel(%x: tensor<2x392x96xf32>, %matrix: tensor<3x96x32xf32>, %bias: tensor<66xf32>) -> tensor<2x66x392xf32> attributes {hal.export} {
    %zero = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<2x392x66xf32>
    %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<2x392x66xf32>) -> tensor<2x392x66xf32>
    %2 = linalg.generic {indexing_maps = [#x, #matrix, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%x, %matrix : tensor<2x392x96xf32>, tensor<3x96x32xf32>) outs(%1 : tensor<2x392x66xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %5 = arith.mulf %in, %in_0 : f32
      %6 = arith.addf %out, %5 : f32
      linalg.yield %6 : f32
    } -> tensor<2x392x66xf32>
    %3 = tensor.empty() : tensor<2x66x392xf32>
    %4 = linalg.generic {indexing_maps = [#transposed, #bias, #same], iterator_types = ["parallel", "parallel", "parallel"]} ins(%2, %bias : tensor<2x392x66xf32>, tensor<66xf32>) outs(%3 : tensor<2x66x392xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %5 = arith.addf %in, %in_0 : f32
      linalg.yield %5 : f32
    } -> tensor<2x66x392xf32>
    return %4 : tensor<2x66x392xf32>
  }
}
