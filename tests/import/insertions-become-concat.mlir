// Insertions that fill an empty tensor piece after piece are one concatenation.
// RUN: hal-import %s | FileCheck %s

// CHECK: func.func @main_dispatch_0_concat_8x6_f32(%[[A:.*]]: tensor<8x2xf32>, %[[B:.*]]: tensor<8x4xf32>) -> tensor<8x6xf32>
// CHECK-NEXT: tensor.concat dim(1) %[[A]], %[[B]]
// CHECK-NOT: {hal.executable}
func.func @main(%a: tensor<8x2xf32>, %b: tensor<8x4xf32>) -> tensor<8x6xf32> {
  %e = tensor.empty() : tensor<8x6xf32>
  %0 = tensor.insert_slice %a into %e[0, 0] [8, 2] [1, 1] : tensor<8x2xf32> into tensor<8x6xf32>
  %1 = tensor.insert_slice %b into %0[0, 2] [8, 4] [1, 1] : tensor<8x4xf32> into tensor<8x6xf32>
  return %1 : tensor<8x6xf32>
}
