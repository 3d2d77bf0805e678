// Reductions along rows and the elementwise work on these rows are one executable: softmax and layer normalisation.
// RUN: hal-import %s | FileCheck %s
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#col = affine_map<(d0, d1) -> (d1)>

// CHECK: func.func @softmax_dispatch_0_softmax_32x100_f32(%{{.*}}: tensor<32x100xf32>) -> tensor<32x100xf32>
// CHECK: module @layernorm_dispatch_0
// CHECK: func.func @layernorm_dispatch_0_layernorm_32x100_f32(%{{.*}}: tensor<32x100xf32>, %{{.*}}: tensor<100xf32>) -> tensor<32x100xf32>
// CHECK-NOT: {hal.executable}
func.func @softmax(%x: tensor<32x100xf32>) -> tensor<32x100xf32> {
  %ninf = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<32xf32>
  %e2 = tensor.empty() : tensor<32x100xf32>
  %f1 = linalg.fill ins(%ninf : f32) outs(%e1 : tensor<32xf32>) -> tensor<32xf32>
  %m = linalg.reduce ins(%x : tensor<32x100xf32>) outs(%f1 : tensor<32xf32>) dimensions = [1]
    (%i: f32, %a: f32) { %r = arith.maximumf %i, %a : f32 linalg.yield %r : f32 }
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<32x100xf32>, tensor<32xf32>) outs(%e2 : tensor<32x100xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %s = arith.subf %i, %j : f32
    %q = math.exp %s : f32
    linalg.yield %q : f32
  } -> tensor<32x100xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<32xf32>) -> tensor<32xf32>
  %n = linalg.reduce ins(%p : tensor<32x100xf32>) outs(%f2 : tensor<32xf32>) dimensions = [1]
    (%i: f32, %a: f32) { %r = arith.addf %i, %a : f32 linalg.yield %r : f32 }
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p, %n : tensor<32x100xf32>, tensor<32xf32>) outs(%e2 : tensor<32x100xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %q = arith.divf %i, %j : f32
    linalg.yield %q : f32
  } -> tensor<32x100xf32>
  return %y : tensor<32x100xf32>
}
func.func @layernorm(%x: tensor<32x100xf32>, %g: tensor<100xf32>) -> tensor<32x100xf32> {
  %zero = arith.constant 0.0 : f32
  %k = arith.constant 100.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %e1 = tensor.empty() : tensor<32xf32>
  %e2 = tensor.empty() : tensor<32x100xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e1 : tensor<32xf32>) -> tensor<32xf32>
  %m = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<32x100xf32>) outs(%f : tensor<32xf32>) {
  ^bb0(%i: f32, %o: f32):
    %q = arith.addf %o, %i : f32
    linalg.yield %q : f32
  } -> tensor<32xf32>
  %d = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<32x100xf32>, tensor<32xf32>) outs(%e2 : tensor<32x100xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %n = arith.divf %j, %k : f32
    %q = arith.subf %i, %n : f32
    linalg.yield %q : f32
  } -> tensor<32x100xf32>
  %v = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%d : tensor<32x100xf32>) outs(%f : tensor<32xf32>) {
  ^bb0(%i: f32, %o: f32):
    %s = arith.mulf %i, %i : f32
    %q = arith.addf %o, %s : f32
    linalg.yield %q : f32
  } -> tensor<32xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #col, #id], iterator_types = ["parallel", "parallel"]}
      ins(%d, %v, %g : tensor<32x100xf32>, tensor<32xf32>, tensor<100xf32>) outs(%e2 : tensor<32x100xf32>) {
  ^bb0(%i: f32, %j: f32, %l: f32, %o: f32):
    %n = arith.divf %j, %k : f32
    %a = arith.addf %n, %eps : f32
    %s = math.rsqrt %a : f32
    %b = arith.mulf %i, %s : f32
    %q = arith.mulf %b, %l : f32
    linalg.yield %q : f32
  } -> tensor<32x100xf32>
  return %y : tensor<32x100xf32>
}
