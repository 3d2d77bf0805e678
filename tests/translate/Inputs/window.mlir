#x = affine_map<(n, k, h, w, c, i, j) -> (n, c, h + i, w + j)>
#f = affine_map<(n, k, h, w, c, i, j) -> (k floordiv 32, c, i, j, k mod 32)>
#y = affine_map<(n, k, h, w, c, i, j) -> (n, k, h, w)>
func.func @window(%x: tensor<1x16x32x32xf32>, %f: tensor<2x16x3x3x32xf32>) -> tensor<1x64x32x32xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<1x16x32x32xf32> to tensor<1x16x34x34xf32>
  %e = tensor.empty() : tensor<1x64x32x32xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1x64x32x32xf32>) -> tensor<1x64x32x32xf32>
  %r = linalg.generic {indexing_maps = [#x, #f, #y], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%p, %f : tensor<1x16x34x34xf32>, tensor<2x16x3x3x32xf32>) outs(%z : tensor<1x64x32x32xf32>) {
  ^bb0(%v: f32, %w: f32, %s: f32):
    %m = arith.mulf %v, %w : f32
    %n = arith.addf %s, %m : f32
    linalg.yield %n : f32
  } -> tensor<1x64x32x32xf32>
  return %r : tensor<1x64x32x32xf32>
}
