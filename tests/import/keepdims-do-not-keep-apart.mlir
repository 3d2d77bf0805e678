// Work on the kept dimension of size 1 of a reduction does not come between the reduction and what reads it: the layer norm
// of older ONNX models is one executable.
// RUN: hal-import %s | FileCheck %s
#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#rows = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-COUNT-1: {hal.executable}
// CHECK-NOT: {hal.executable}
func.func @norm(%x: tensor<1x128x256xf32>) -> tensor<1x128x256xf32> {
  %zero = arith.constant 0.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %e1 = tensor.empty() : tensor<1x128xf32>
  %e2 = tensor.empty() : tensor<1x128x1xf32>
  %e3 = tensor.empty() : tensor<1x128x256xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e1 : tensor<1x128xf32>) -> tensor<1x128xf32>
  %n = linalg.reduce ins(%x : tensor<1x128x256xf32>) outs(%f : tensor<1x128xf32>) dimensions = [2]
    (%i: f32, %a: f32) { %s = arith.mulf %i, %i : f32 %r = arith.addf %s, %a : f32 linalg.yield %r : f32 }
  %kept = tensor.expand_shape %n [[0], [1, 2]] output_shape [1, 128, 1] : tensor<1x128xf32> into tensor<1x128x1xf32>
  %moved = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%kept : tensor<1x128x1xf32>) outs(%e2 : tensor<1x128x1xf32>) {
  ^bb0(%i: f32, %o: f32):
    %p = arith.addf %i, %eps : f32
    %q = math.sqrt %p : f32
    linalg.yield %q : f32
  } -> tensor<1x128x1xf32>
  %dropped = tensor.collapse_shape %moved [[0], [1, 2]] : tensor<1x128x1xf32> into tensor<1x128xf32>
  %y = linalg.generic {indexing_maps = [#id, #rows, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %dropped : tensor<1x128x256xf32>, tensor<1x128xf32>) outs(%e3 : tensor<1x128x256xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %q = arith.divf %i, %j : f32
    linalg.yield %q : f32
  } -> tensor<1x128x256xf32>
  return %y : tensor<1x128x256xf32>
}
