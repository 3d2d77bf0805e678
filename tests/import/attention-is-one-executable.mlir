// A product, the softmax of its rows and a second product are one executable, so that the scores are never stored.
// RUN: hal-import %s | FileCheck %s

// CHECK: func.func @main_dispatch_0_attention_2x32x48x16_f32(
// CHECK: linalg.batch_matmul
// CHECK: linalg.softmax
// CHECK: linalg.batch_matmul
// CHECK-NOT: hal.executable
func.func @main(%q: tensor<2x32x16xf32>, %k: tensor<2x16x48xf32>, %v: tensor<2x48x8xf32>) -> tensor<2x32x8xf32> {
  %c = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x32x48xf32>
  %f = linalg.fill ins(%c : f32) outs(%e : tensor<2x32x48xf32>) -> tensor<2x32x48xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<2x32x16xf32>, tensor<2x16x48xf32>) outs(%f : tensor<2x32x48xf32>) -> tensor<2x32x48xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<2x32x48xf32>) outs(%e : tensor<2x32x48xf32>) -> tensor<2x32x48xf32>
  %o = tensor.empty() : tensor<2x32x8xf32>
  %z = linalg.fill ins(%c : f32) outs(%o : tensor<2x32x8xf32>) -> tensor<2x32x8xf32>
  %r = linalg.batch_matmul ins(%p, %v : tensor<2x32x48xf32>, tensor<2x48x8xf32>) outs(%z : tensor<2x32x8xf32>) -> tensor<2x32x8xf32>
  return %r : tensor<2x32x8xf32>
}
