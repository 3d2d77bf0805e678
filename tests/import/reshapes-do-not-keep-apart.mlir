// A grouped convolution reads its padded input through a reshape, and its bias and activation come after one: all of it
// is one executable, the reshapes stay outside.
// RUN: hal-import %s | FileCheck %s

// CHECK: func.func @main_dispatch_0_conv_1x2x4x6x6_f32(%[[X:.*]]: tensor<1x2x3x6x6xf32>, %{{.*}}: tensor<2x4x3x3x3xf32>, %{{.*}}: tensor<2x4xf32>) -> tensor<1x2x4x6x6xf32>
// CHECK: tensor.pad %[[X]] low[0, 0, 0, 1, 1] high[0, 0, 0, 1, 1]
// CHECK: linalg.conv_2d_ngchw_gfchw
// CHECK: arith.addf
// CHECK: arith.maximumf
// CHECK-NOT: {hal.executable}
// CHECK: func.func @main(
// CHECK-DAG: tensor.expand_shape %{{.*}} : tensor<1x6x6x6xf32> into tensor<1x2x3x6x6xf32>
// CHECK-DAG: tensor.expand_shape %{{.*}} : tensor<8xf32> into tensor<2x4xf32>
// CHECK: %[[R:.*]] = call @main_dispatch_0_conv_1x2x4x6x6_f32
// CHECK: tensor.collapse_shape %[[R]] {{.*}} : tensor<1x2x4x6x6xf32> into tensor<1x8x6x6xf32>
#id = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#channel = affine_map<(d0, d1, d2, d3) -> (d1)>
func.func @main(%x: tensor<1x6x6x6xf32>, %w: tensor<2x4x3x3x3xf32>, %b: tensor<8xf32>) -> tensor<1x8x6x6xf32> {
  %z = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %z : f32
  } : tensor<1x6x6x6xf32> to tensor<1x6x8x8xf32>
  %g = tensor.expand_shape %p [[0], [1, 2], [3], [4]] output_shape [1, 2, 3, 8, 8] : tensor<1x6x8x8xf32> into tensor<1x2x3x8x8xf32>
  %e = tensor.empty() : tensor<1x2x4x6x6xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x2x4x6x6xf32>) -> tensor<1x2x4x6x6xf32>
  %c = linalg.conv_2d_ngchw_gfchw ins(%g, %w : tensor<1x2x3x8x8xf32>, tensor<2x4x3x3x3xf32>) outs(%f : tensor<1x2x4x6x6xf32>) -> tensor<1x2x4x6x6xf32>
  %h = tensor.collapse_shape %c [[0], [1, 2], [3], [4]] : tensor<1x2x4x6x6xf32> into tensor<1x8x6x6xf32>
  %o = tensor.empty() : tensor<1x8x6x6xf32>
  %s = linalg.generic {indexing_maps = [#id, #channel, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%h, %b : tensor<1x8x6x6xf32>, tensor<8xf32>) outs(%o : tensor<1x8x6x6xf32>) {
  ^bb0(%i: f32, %j: f32, %k: f32):
    %q = arith.addf %i, %j : f32
    linalg.yield %q : f32
  } -> tensor<1x8x6x6xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%s : tensor<1x8x6x6xf32>) outs(%o : tensor<1x8x6x6xf32>) {
  ^bb0(%i: f32, %k: f32):
    %q = arith.maximumf %i, %z : f32
    linalg.yield %q : f32
  } -> tensor<1x8x6x6xf32>
  return %r : tensor<1x8x6x6xf32>
}
