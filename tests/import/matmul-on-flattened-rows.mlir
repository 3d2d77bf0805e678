// A matmul on flattened rows takes the bias that is added after the rows are restored.
// RUN: hal-import %s | FileCheck %s

// CHECK: func.func @main_dispatch_0_matmul_8x32x16_f32(%{{.*}}: tensor<8x16xf32>, %{{.*}}: tensor<16x32xf32>, %{{.*}}: tensor<32xf32>, %{{.*}}: tensor<8x32xf32>) -> tensor<8x32xf32>
// CHECK-NOT: {hal.executable}
#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#last = affine_map<(d0, d1, d2) -> (d2)>
func.func @main(%x: tensor<2x4x16xf32>, %w: tensor<16x32xf32>, %b: tensor<32xf32>, %res: tensor<2x4x32xf32>) -> tensor<2x4x32xf32> {
  %z = arith.constant dense<0.0> : tensor<8x32xf32>
  %f = tensor.collapse_shape %x [[0, 1], [2]] : tensor<2x4x16xf32> into tensor<8x16xf32>
  %m = linalg.matmul ins(%f, %w : tensor<8x16xf32>, tensor<16x32xf32>) outs(%z : tensor<8x32xf32>) -> tensor<8x32xf32>
  %r = tensor.expand_shape %m [[0, 1], [2]] output_shape [2, 4, 32] : tensor<8x32xf32> into tensor<2x4x32xf32>
  %e = tensor.empty() : tensor<2x4x32xf32>
  %s = linalg.generic {indexing_maps = [#id, #last, #id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%r, %b, %res : tensor<2x4x32xf32>, tensor<32xf32>, tensor<2x4x32xf32>) outs(%e : tensor<2x4x32xf32>) {
  ^bb0(%i: f32, %j: f32, %k: f32, %o: f32):
    %q = arith.addf %i, %j : f32
    %t = arith.addf %q, %k : f32
    linalg.yield %t : f32
  } -> tensor<2x4x32xf32>
  return %s : tensor<2x4x32xf32>
}
