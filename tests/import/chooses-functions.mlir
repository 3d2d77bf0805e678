// `--function` keeps some public functions; what they call is inlined, the rest is gone.
// RUN: hal-import %s --function=b | FileCheck %s
// RUN: hal-import %s --function=a --function=b | FileCheck %s --check-prefix=BOTH
// RUN: not hal-import %s --function=c 2>&1 | FileCheck %s --check-prefix=MISSING

// CHECK-NOT: @a
// CHECK: func.func @b_dispatch_0_elementwise_exp_neg_4_f32
// CHECK: func.func @b(
// BOTH: func.func @a(
// BOTH: func.func @b(
// MISSING: error: there is no public function `c`
// MISSING: note: the module has `a`, `b`
func.func @a(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = math.exp %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
func.func @b(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = call @a(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %z = arith.negf %y : tensor<4xf32>
  return %z : tensor<4xf32>
}
