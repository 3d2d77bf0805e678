// The mean and the variance of a channel are computed once for it, also where a padded image reads what they make.
// RUN: hal-translate --target=cpu:znver4 --emit=llvm %s -o - | FileCheck %s
// CHECK-LABEL: define {{.*}}@normalised
// CHECK-COUNT-2: call {{.*}}@llvm.vector.reduce.fadd
// CHECK-NOT: call {{.*}}@llvm.vector.reduce.fadd
#image = affine_map<(c, h, w) -> (c, h, w)>
#channel = affine_map<(c, h, w) -> (c)>
func.func @normalised(%x: tensor<8x32x64xf32>) -> tensor<8x34x66xf32> {
  %zero = arith.constant 0.0 : f32
  %count = arith.constant 2048.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %start = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %sum = linalg.generic {indexing_maps = [#image, #channel], iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%x : tensor<8x32x64xf32>) outs(%start : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %add = arith.addf %out, %in : f32
    linalg.yield %add : f32
  } -> tensor<8xf32>
  %squares = linalg.generic {indexing_maps = [#image, #channel, #channel], iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%x, %sum : tensor<8x32x64xf32>, tensor<8xf32>) outs(%start : tensor<8xf32>) {
  ^bb0(%in: f32, %total: f32, %out: f32):
    %mean = arith.divf %total, %count : f32
    %off = arith.subf %in, %mean : f32
    %square = arith.mulf %off, %off : f32
    %add = arith.addf %out, %square : f32
    linalg.yield %add : f32
  } -> tensor<8xf32>
  %empty = tensor.empty() : tensor<8x32x64xf32>
  %norm = linalg.generic {indexing_maps = [#image, #channel, #channel, #image], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %sum, %squares : tensor<8x32x64xf32>, tensor<8xf32>, tensor<8xf32>) outs(%empty : tensor<8x32x64xf32>) {
  ^bb0(%in: f32, %total: f32, %square: f32, %out: f32):
    %mean = arith.divf %total, %count : f32
    %off = arith.subf %in, %mean : f32
    %deviation = math.sqrt %square : f32
    %scaled = arith.divf %off, %deviation : f32
    linalg.yield %scaled : f32
  } -> tensor<8x32x64xf32>
  %padded = tensor.pad %norm low[0, 1, 1] high[0, 1, 1] {
  ^bb0(%c: index, %h: index, %w: index):
    tensor.yield %zero : f32
  } : tensor<8x32x64xf32> to tensor<8x34x66xf32>
  return %padded : tensor<8x34x66xf32>
}
