// An executable has one root: two matmuls are two executables, and so is what a matmul would have to compute again for
// each of its tiles. A reduction of the result of a matmul has other loops and stays apart too.
// RUN: hal-import %s | FileCheck %s

// CHECK: func.func @main_dispatch_0_elementwise_exp_64x64_f32
// CHECK: func.func @main_dispatch_1_matmul_64x64x64_f32
// CHECK: func.func @main_dispatch_2_reduce_sum_64x64_f32
// CHECK: func.func @main(
// CHECK: %[[A:.*]] = call @main_dispatch_0_elementwise_exp_64x64_f32
// CHECK: %[[B:.*]] = call @main_dispatch_1_matmul_64x64x64_f32(%[[A]],
// CHECK: %[[C:.*]] = call @main_dispatch_1_matmul_64x64x64_f32(%[[B]],
// CHECK: %[[D:.*]] = call @main_dispatch_2_reduce_sum_64x64_f32(%[[C]])
// CHECK: return %[[D]]
!t = tensor<64x64xf32>
func.func @main(%x: !t, %w: !t) -> tensor<64xf32> {
  %z = arith.constant dense<0.0> : !t
  %a = math.exp %x : !t
  %b = linalg.matmul ins(%a, %w : !t, !t) outs(%z : !t) -> !t
  %c = linalg.matmul ins(%b, %w : !t, !t) outs(%z : !t) -> !t
  %z1 = arith.constant dense<0.0> : tensor<64xf32>
  %d = linalg.reduce ins(%c : !t) outs(%z1 : tensor<64xf32>) dimensions = [1]
    (%i: f32, %o: f32) { %r = arith.addf %i, %o : f32 linalg.yield %r : f32 }
  return %d : tensor<64xf32>
}
