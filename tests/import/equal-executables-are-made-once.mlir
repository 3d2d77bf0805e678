// Functions share executables that do the same; the name is that of the first use.
// RUN: hal-import %s | FileCheck %s

// CHECK-COUNT-1: {hal.executable}
// CHECK-NOT: {hal.executable}
// CHECK: func.func @first(
// CHECK: call @first_dispatch_0_elementwise_exp_4_f32
// CHECK: call @first_dispatch_0_elementwise_exp_4_f32
// CHECK: func.func @second(
// CHECK: call @first_dispatch_0_elementwise_exp_4_f32
func.func @first(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %a = math.exp %x : tensor<4xf32>
  %b = math.exp %y : tensor<4xf32>
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}
func.func @second(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = math.exp %x : tensor<4xf32>
  return %a : tensor<4xf32>
}
