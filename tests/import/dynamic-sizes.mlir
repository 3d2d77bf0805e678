// Sizes of results are computed by the host and passed; `hal.dims` says which argument holds which.
// RUN: hal-import %s | FileCheck %s

// CHECK: func.func @main_dispatch_0_matmul_DxDx16_f32(%{{.*}}: tensor<?x16xf32>, %{{.*}}: tensor<16x?xf32>, %[[M:.*]]: index, %[[N:.*]]: index) -> (tensor<?x?xf32> {hal.dims = array<i64: 2, 3>})
// CHECK: tensor.empty(%[[M]], %[[N]])
// CHECK: func.func private @main_dispatch_0_matmul_DxDx16_f32(tensor<?x16xf32>, tensor<16x?xf32>, index, index) -> (tensor<?x?xf32> {hal.dims = array<i64: 2, 3>})
// CHECK: func.func @main_dispatch_1_concat_DxD_f32(%{{.*}}: tensor<?x?xf32>, %{{.*}}: index, %{{.*}}: index) -> (tensor<?x?xf32> {hal.dims = array<i64: 1, 2>})
// CHECK: func.func @main(%[[A:.*]]: tensor<?x16xf32>, %[[B:.*]]: tensor<16x?xf32>)
// CHECK-DAG: %[[DM:.*]] = tensor.dim %[[A]], %c0
// CHECK-DAG: %[[DN:.*]] = tensor.dim %[[B]], %c1
// CHECK: %[[R:.*]] = call @main_dispatch_0_matmul_DxDx16_f32(%[[A]], %[[B]], %[[DM]], %[[DN]])
// CHECK: %[[S:.*]] = arith.addi %[[DM]], %[[DM]]
// CHECK: call @main_dispatch_1_concat_DxD_f32(%[[R]], %[[S]], %[[DN]])
func.func @main(%a: tensor<?x16xf32>, %b: tensor<16x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x16xf32>
  %n = tensor.dim %b, %c1 : tensor<16x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.matmul ins(%a, %b : tensor<?x16xf32>, tensor<16x?xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  // The size of what comes next is known from the result before, which is known from the arguments.
  %p = tensor.dim %r, %c0 : tensor<?x?xf32>
  %q = tensor.dim %r, %c1 : tensor<?x?xf32>
  %g = tensor.empty(%p, %q) : tensor<?x?xf32>
  %s = linalg.exp ins(%r : tensor<?x?xf32>) outs(%g : tensor<?x?xf32>) -> tensor<?x?xf32>
  %t = tensor.concat dim(0) %s, %s : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %t : tensor<?x?xf32>
}
