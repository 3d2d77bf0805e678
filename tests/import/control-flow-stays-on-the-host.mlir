// Conditions and loops are the host's; executables are formed inside them, from what is defined outside too.
// RUN: hal-import %s | FileCheck %s

// CHECK: func.func @main_dispatch_0_elementwise_add_8_f32
// CHECK: func.func @main_dispatch_1_elementwise_mul_8_f32
// CHECK: func.func @main(
// CHECK: scf.if
// CHECK-NEXT: scf.for
// CHECK-NEXT: func.call @main_dispatch_0_elementwise_add_8_f32
// CHECK: } else {
// CHECK-NEXT: func.call @main_dispatch_1_elementwise_mul_8_f32
func.func @main(%x: tensor<8xf32>, %c: i1, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.if %c -> tensor<8xf32> {
    %s = scf.for %i = %c0 to %n step %c1 iter_args(%y = %x) -> tensor<8xf32> {
      %a = arith.addf %y, %x : tensor<8xf32>
      scf.yield %a : tensor<8xf32>
    }
    scf.yield %s : tensor<8xf32>
  } else {
    %m = arith.mulf %x, %x : tensor<8xf32>
    scf.yield %m : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}
