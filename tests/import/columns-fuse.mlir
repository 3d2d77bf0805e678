// Reductions over channels and what runs along the channels again are one executable; not if the columns are too long for a
// cache, or if few elements lie side by side.
// RUN: hal-import %s | FileCheck %s
#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#columns = affine_map<(d0, d1, d2) -> (d0, d2)>

// CHECK: func.func @channels_dispatch_0_rmsnorm_4x21x300_f32(%{{.*}}: tensor<4x21x300xf32>) -> tensor<4x21x300xf32>
// CHECK: module @long_dispatch_0
// CHECK: module @long_dispatch_1
// CHECK: module @narrow_dispatch_0
// CHECK: module @narrow_dispatch_1
func.func @channels(%x: tensor<4x21x300xf32>) -> tensor<4x21x300xf32> {
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<4x300xf32>
  %e2 = tensor.empty() : tensor<4x21x300xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4x300xf32>) -> tensor<4x300xf32>
  %n = linalg.reduce ins(%x : tensor<4x21x300xf32>) outs(%f : tensor<4x300xf32>) dimensions = [1]
    (%i: f32, %a: f32) { %s = arith.mulf %i, %i : f32 %r = arith.addf %s, %a : f32 linalg.yield %r : f32 }
  %y = linalg.generic {indexing_maps = [#id, #columns, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %n : tensor<4x21x300xf32>, tensor<4x300xf32>) outs(%e2 : tensor<4x21x300xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %s = math.sqrt %j : f32
    %q = arith.divf %i, %s : f32
    linalg.yield %q : f32
  } -> tensor<4x21x300xf32>
  return %y : tensor<4x21x300xf32>
}
func.func @long(%x: tensor<1x10000x300xf32>) -> tensor<1x10000x300xf32> {
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<1x300xf32>
  %e2 = tensor.empty() : tensor<1x10000x300xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e1 : tensor<1x300xf32>) -> tensor<1x300xf32>
  %n = linalg.reduce ins(%x : tensor<1x10000x300xf32>) outs(%f : tensor<1x300xf32>) dimensions = [1]
    (%i: f32, %a: f32) { %r = arith.addf %i, %a : f32 linalg.yield %r : f32 }
  %y = linalg.generic {indexing_maps = [#id, #columns, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %n : tensor<1x10000x300xf32>, tensor<1x300xf32>) outs(%e2 : tensor<1x10000x300xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %q = arith.divf %i, %j : f32
    linalg.yield %q : f32
  } -> tensor<1x10000x300xf32>
  return %y : tensor<1x10000x300xf32>
}
func.func @narrow(%x: tensor<64x100x2xf32>) -> tensor<64x100x2xf32> {
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<64x2xf32>
  %e2 = tensor.empty() : tensor<64x100x2xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e1 : tensor<64x2xf32>) -> tensor<64x2xf32>
  %n = linalg.reduce ins(%x : tensor<64x100x2xf32>) outs(%f : tensor<64x2xf32>) dimensions = [1]
    (%i: f32, %a: f32) { %r = arith.addf %i, %a : f32 linalg.yield %r : f32 }
  %y = linalg.generic {indexing_maps = [#id, #columns, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %n : tensor<64x100x2xf32>, tensor<64x2xf32>) outs(%e2 : tensor<64x100x2xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %q = arith.divf %i, %j : f32
    linalg.yield %q : f32
  } -> tensor<64x100x2xf32>
  return %y : tensor<64x100x2xf32>
}
