// A matmul, its zero, its bias and its activation are one executable, named after the matmul's M, N and K.
// RUN: hal-import %s | FileCheck %s
// RUN: hal-import %s | %roundtrip | FileCheck %s

// CHECK: module attributes {hal.phase = "executables", hal.version = 1 : i32}
// CHECK: module @main_dispatch_0 attributes {hal.executable}
// CHECK: func.func @main_dispatch_0_matmul_16x128x784_f32(%[[X:.*]]: tensor<16x784xf32>, %[[W:.*]]: tensor<784x128xf32>, %[[B:.*]]: tensor<128xf32>) -> tensor<16x128xf32> attributes {hal.export}
// CHECK: %[[F:.*]] = linalg.fill
// CHECK: linalg.matmul ins(%[[X]], %[[W]] : {{.*}}) outs(%[[F]] :
// CHECK: linalg.broadcast ins(%[[B]] :
// CHECK: linalg.add
// CHECK: linalg.generic
// CHECK: func.func private @main_dispatch_0_matmul_16x128x784_f32(tensor<16x784xf32>, tensor<784x128xf32>, tensor<128xf32>) -> tensor<16x128xf32> attributes {hal.entry = @main_dispatch_0::@main_dispatch_0_matmul_16x128x784_f32}
// CHECK-NOT: hal.executable
// CHECK: func.func @main(%[[A0:.*]]: tensor<16x784xf32> {hal.name = "x"}, %[[A1:.*]]: tensor<784x128xf32>, %[[A2:.*]]: tensor<128xf32>) -> (tensor<16x128xf32> {hal.name = "y"})
// CHECK-NEXT: %[[R:.*]] = call @main_dispatch_0_matmul_16x128x784_f32(%[[A0]], %[[A1]], %[[A2]])
// CHECK-NEXT: return %[[R]]
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x: tensor<16x784xf32> {hal.name = "x"}, %w: tensor<784x128xf32>, %b: tensor<128xf32>) -> (tensor<16x128xf32> {hal.name = "y"}) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x128xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<16x128xf32>) -> tensor<16x128xf32>
  %m = linalg.matmul ins(%x, %w : tensor<16x784xf32>, tensor<784x128xf32>) outs(%f : tensor<16x128xf32>) -> tensor<16x128xf32>
  %bb = linalg.broadcast ins(%b : tensor<128xf32>) outs(%e : tensor<16x128xf32>) dimensions = [0]
  %s = linalg.add ins(%m, %bb : tensor<16x128xf32>, tensor<16x128xf32>) outs(%e : tensor<16x128xf32>) -> tensor<16x128xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<16x128xf32>) outs(%e : tensor<16x128xf32>) {
  ^bb0(%i: f32, %o: f32):
    %q = arith.maximumf %i, %z : f32
    linalg.yield %q : f32
  } -> tensor<16x128xf32>
  return %r : tensor<16x128xf32>
}
