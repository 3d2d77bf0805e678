// Two products with weights and what normalises rows between them are three executables: each product takes its matrix packed, and divides its
// columns among workgroups. Small weights, and matrices that are computed, stay in one with the rows (attention-is-one-executable.mlir).
// RUN: hal-import %s | FileCheck %s
// CHECK: func.func @large_dispatch_0_matmul_16x256x128_f32({{.*}}hal.weight
// CHECK: func.func @large_dispatch_1_softmax_16x256_f32(
// CHECK: func.func @large_dispatch_2_matmul_16x128x256_f32({{.*}}hal.weight
// CHECK: func.func @small_dispatch_0_attention_16x64x128_f32(
// CHECK-NOT: hal.executable

// Where others have put them together, one kernel takes the rows through both, and wants the matrices as they are.
// RUN: hal-translate --target=cpu:znver4 --explain %S/Inputs/chain-of-products.mlir -o %t.mlir 2>&1 | FileCheck %s --check-prefix=CHAIN
// CHAIN: attention (rows go from one product to the next)
// RUN: FileCheck %s --check-prefix=PACKED --allow-empty <%t.mlir
// PACKED-NOT: hal.packed
ml_program.global private @w(dense<0.5> : tensor<128x256xf32>) : tensor<128x256xf32>
ml_program.global private @v(dense<0.25> : tensor<256x128xf32>) : tensor<256x128xf32>
ml_program.global private @w_small(dense<0.5> : tensor<128x64xf32>) : tensor<128x64xf32>
ml_program.global private @v_small(dense<0.25> : tensor<64x128xf32>) : tensor<64x128xf32>
func.func @large(%x: tensor<16x128xf32>) -> tensor<16x128xf32> {
  %w = ml_program.global_load_const @w : tensor<128x256xf32>
  %v = ml_program.global_load_const @v : tensor<256x128xf32>
  %c = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x256xf32>
  %f = linalg.fill ins(%c : f32) outs(%e : tensor<16x256xf32>) -> tensor<16x256xf32>
  %s = linalg.matmul ins(%x, %w : tensor<16x128xf32>, tensor<128x256xf32>) outs(%f : tensor<16x256xf32>) -> tensor<16x256xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<16x256xf32>) outs(%e : tensor<16x256xf32>) -> tensor<16x256xf32>
  %o = tensor.empty() : tensor<16x128xf32>
  %z = linalg.fill ins(%c : f32) outs(%o : tensor<16x128xf32>) -> tensor<16x128xf32>
  %r = linalg.matmul ins(%p, %v : tensor<16x256xf32>, tensor<256x128xf32>) outs(%z : tensor<16x128xf32>) -> tensor<16x128xf32>
  return %r : tensor<16x128xf32>
}
func.func @small(%x: tensor<16x128xf32>) -> tensor<16x128xf32> {
  %w = ml_program.global_load_const @w_small : tensor<128x64xf32>
  %v = ml_program.global_load_const @v_small : tensor<64x128xf32>
  %c = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x64xf32>
  %f = linalg.fill ins(%c : f32) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %s = linalg.matmul ins(%x, %w : tensor<16x128xf32>, tensor<128x64xf32>) outs(%f : tensor<16x64xf32>) -> tensor<16x64xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<16x64xf32>) outs(%e : tensor<16x64xf32>) -> tensor<16x64xf32>
  %o = tensor.empty() : tensor<16x128xf32>
  %z = linalg.fill ins(%c : f32) outs(%o : tensor<16x128xf32>) -> tensor<16x128xf32>
  %r = linalg.matmul ins(%p, %v : tensor<16x64xf32>, tensor<64x128xf32>) outs(%z : tensor<16x128xf32>) -> tensor<16x128xf32>
  return %r : tensor<16x128xf32>
}
