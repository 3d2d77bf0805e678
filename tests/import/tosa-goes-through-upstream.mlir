// TOSA is lowered by MLIR's own passes: a convolution takes its padding, bias and clamp, the pooled result is classified,
// keep-dims reductions do not keep a softmax apart.
// RUN: hal-import %s | FileCheck %s

// CHECK: func.func @main_dispatch_0_conv_1x8x8x4_f32(%{{.*}}: tensor<1x8x8x3xf32>, %{{.*}}: tensor<4x3x3x3xf32>, %{{.*}}: tensor<4xf32>) -> tensor<1x8x8x4xf32>
// CHECK: tensor.pad
// CHECK: linalg.conv_2d_nhwc_fhwc
// CHECK: arith.minimumf
// CHECK: func.func @main_dispatch_1_pool_max_1x4x4x4_f32
// CHECK: func.func @main_dispatch_2_softmax_1x4x16_f32(%{{.*}}: tensor<1x4x16xf32>) -> tensor<1x4x16xf32>
// CHECK-NOT: {hal.executable}
func.func @main(%x: tensor<1x8x8x3xf32>, %w: tensor<4x3x3x3xf32>, %b: tensor<4xf32>) -> tensor<1x4x16xf32> {
  %z = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %0 = tosa.conv2d %x, %w, %b, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>}
      : (tensor<1x8x8x3xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x8x8x4xf32>
  %1 = tosa.clamp %0 {min_val = 0.0 : f32, max_val = 6.0 : f32} : (tensor<1x8x8x4xf32>) -> tensor<1x8x8x4xf32>
  %2 = tosa.max_pool2d %1 {kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>} : (tensor<1x8x8x4xf32>) -> tensor<1x4x4x4xf32>
  %s = tosa.const_shape {values = dense<[1, 4, 16]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %3 = tosa.reshape %2, %s : (tensor<1x4x4x4xf32>, !tosa.shape<3>) -> tensor<1x4x16xf32>
  %4 = tosa.reduce_max %3 {axis = 2 : i32} : (tensor<1x4x16xf32>) -> tensor<1x4x1xf32>
  %5 = tosa.sub %3, %4 : (tensor<1x4x16xf32>, tensor<1x4x1xf32>) -> tensor<1x4x16xf32>
  %6 = tosa.exp %5 : (tensor<1x4x16xf32>) -> tensor<1x4x16xf32>
  %7 = tosa.reduce_sum %6 {axis = 2 : i32} : (tensor<1x4x16xf32>) -> tensor<1x4x1xf32>
  %8 = tosa.reciprocal %7 : (tensor<1x4x1xf32>) -> tensor<1x4x1xf32>
  %shift = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %9 = tosa.mul %6, %8, %shift : (tensor<1x4x16xf32>, tensor<1x4x1xf32>, tensor<1xi8>) -> tensor<1x4x16xf32>
  return %9 : tensor<1x4x16xf32>
}
