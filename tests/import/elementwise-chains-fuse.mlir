// Elementwise operations with the same loops are one executable; what is used elsewhere is one more result. Tensors of
// arithmetic become linalg first.
// RUN: hal-import %s | FileCheck %s

// CHECK: func.func @chain_dispatch_0_elementwise_add_exp_mul_4x8_f32(%{{.*}}: tensor<4x8xf32>, %{{.*}}: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>)
// CHECK-NOT: {hal.executable}
// CHECK: func.func @chain(
// CHECK: %[[R:.*]]:2 = call @chain_dispatch_0
// CHECK: return %[[R]]#0, %[[R]]#1
func.func @chain(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %a = arith.addf %x, %y : tensor<4x8xf32>
  %b = math.exp %a : tensor<4x8xf32>
  %c = arith.mulf %b, %a : tensor<4x8xf32>
  return %a, %c : tensor<4x8xf32>, tensor<4x8xf32>
}
