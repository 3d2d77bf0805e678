// A slice that one operation reads is an address computation inside its executable.
// RUN: hal-import %s | FileCheck %s

// CHECK: func.func @main_dispatch_0_elementwise_add_8x4_f32(%[[X:.*]]: tensor<8x16xf32>) -> tensor<8x4xf32>
// CHECK: tensor.extract_slice %[[X]][0, 4]
// CHECK: tensor.extract_slice %[[X]][0, 8]
// CHECK-NOT: {hal.executable}
func.func @main(%x: tensor<8x16xf32>) -> tensor<8x4xf32> {
  %a = tensor.extract_slice %x[0, 4] [8, 4] [1, 1] : tensor<8x16xf32> to tensor<8x4xf32>
  %b = tensor.extract_slice %x[0, 8] [8, 4] [1, 1] : tensor<8x16xf32> to tensor<8x4xf32>
  %c = arith.addf %a, %b : tensor<8x4xf32>
  return %c : tensor<8x4xf32>
}
