// An elementwise operation takes constants that are equal everywhere into its body. The weight of a matmul stays a
// tensor, whatever its values are: the executable is that of the real model.
// RUN: hal-import %s | FileCheck %s

// CHECK: func.func @main_dispatch_0_matmul_4x4x4_f32(%{{.*}}: tensor<4x4xf32>, %{{.*}}: tensor<4x4xf32>) -> tensor<4x4xf32>
// CHECK: %[[TWO:.*]] = arith.constant 2.000000e+00 : f32
// CHECK: linalg.generic {{.*}} ins(%{{[0-9]+}} : tensor<4x4xf32>)
// CHECK: arith.mulf %{{.*}}, %[[TWO]]
// CHECK: func.func @main(
// CHECK: %[[W:.*]] = arith.constant dense<5.000000e-01> : tensor<4x4xf32>
// CHECK: call @main_dispatch_0_matmul_4x4x4_f32(%{{.*}}, %[[W]])
func.func @main(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %w = arith.constant dense<0.5> : tensor<4x4xf32>
  %z = arith.constant dense<0.0> : tensor<4x4xf32>
  %two = arith.constant dense<2.0> : tensor<4x4xf32>
  %m = linalg.matmul ins(%x, %w : tensor<4x4xf32>, tensor<4x4xf32>) outs(%z : tensor<4x4xf32>) -> tensor<4x4xf32>
  %r = arith.mulf %m, %two : tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}
