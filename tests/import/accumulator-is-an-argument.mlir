// A result that starts from an argument instead of a fill reads it.
// RUN: hal-import %s | FileCheck %s

// CHECK: func.func @main_dispatch_0_matmul_4x8x16_f32(%{{.*}}: tensor<4x16xf32>, %{{.*}}: tensor<16x8xf32>, %[[C:.*]]: tensor<4x8xf32>) -> tensor<4x8xf32>
// CHECK: linalg.matmul {{.*}} outs(%[[C]] : tensor<4x8xf32>)
func.func @main(%a: tensor<4x16xf32>, %b: tensor<16x8xf32>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %m = linalg.matmul ins(%a, %b : tensor<4x16xf32>, tensor<16x8xf32>) outs(%c : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %m : tensor<4x8xf32>
}
