// CPUs: product with a matrix of f16 in panels, made wide in registers; the last panel is not full. GPUs: product.
// MACHINES: avx512 neon
#x = affine_map<(d0, d1, d2) -> (d0, d2)>
#w = affine_map<(d0, d1, d2) -> (d1 floordiv 32, d2, d1 mod 32)>
#y = affine_map<(d0, d1, d2) -> (d0, d1)>
module @k attributes {hal.executable} {
  func.func @kernel(%x: tensor<3x75xf32>, %w: tensor<2x75x32xf16>) -> tensor<3x40xf32> attributes {hal.export} {
    %zero = arith.constant 0.0 : f32
    %empty = tensor.empty() : tensor<3x40xf32>
    %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<3x40xf32>) -> tensor<3x40xf32>
    %y = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<3x75xf32>, tensor<2x75x32xf16>) outs(%start : tensor<3x40xf32>) {
    ^bb0(%a: f32, %b: f16, %sum: f32):
      %wide = arith.extf %b : f16 to f32
      %product = arith.mulf %a, %wide : f32
      %next = arith.addf %sum, %product : f32
      linalg.yield %next : f32
    } -> tensor<3x40xf32>
    return %y : tensor<3x40xf32>
  }
}
