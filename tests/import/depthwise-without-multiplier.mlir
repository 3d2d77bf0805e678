// A depthwise convolution with a multiplier of 1 takes the shape of what follows it, and takes that along.
// RUN: hal-import %s | FileCheck %s

// CHECK: func.func @main_dispatch_0_depthwise_conv_1x6x6x4_f32(
// CHECK: linalg.depthwise_conv_2d_nhwc_hwc {
// CHECK: linalg.generic
// CHECK-NOT: {hal.executable}
#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#channel = affine_map<(d0, d1, d2, d3) -> (d3)>
func.func @main(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x1xf32>, %b: tensor<4xf32>) -> tensor<1x6x6x4xf32> {
  %z = arith.constant dense<0.0> : tensor<1x6x6x4x1xf32>
  %c = linalg.depthwise_conv_2d_nhwc_hwcm {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%x, %w : tensor<1x8x8x4xf32>, tensor<3x3x4x1xf32>) outs(%z : tensor<1x6x6x4x1xf32>) -> tensor<1x6x6x4x1xf32>
  %f = tensor.collapse_shape %c [[0], [1], [2], [3, 4]] : tensor<1x6x6x4x1xf32> into tensor<1x6x6x4xf32>
  %e = tensor.empty() : tensor<1x6x6x4xf32>
  %r = linalg.generic {indexing_maps = [#map, #channel, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%f, %b : tensor<1x6x6x4xf32>, tensor<4xf32>) outs(%e : tensor<1x6x6x4xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %s = arith.addf %i, %j : f32
    linalg.yield %s : f32
  } -> tensor<1x6x6x4xf32>
  return %r : tensor<1x6x6x4xf32>
}
