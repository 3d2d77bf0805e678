// A residual block: each convolution takes its padding and activation, the second one the addition of what was before.
// Both convolutions of the block are the same executable where they compute the same.
// RUN: hal-import %s | FileCheck %s
// RUN: hal-import %s | FileCheck %s --check-prefix=ROOTS

// CHECK: func.func @block_dispatch_0_conv_1x8x14x14_f32(%{{.*}}: tensor<1x8x14x14xf32>, %{{.*}}: tensor<8x8x3x3xf32>) -> tensor<1x8x14x14xf32>
// CHECK: tensor.pad
// CHECK: linalg.conv_2d_nchw_fchw
// CHECK: linalg.generic
// CHECK: func.func @block_dispatch_1_conv_1x8x14x14_f32(%{{.*}}: tensor<1x8x14x14xf32>, %{{.*}}: tensor<8x8x3x3xf32>, %{{.*}}: tensor<1x8x14x14xf32>) -> tensor<1x8x14x14xf32>
// CHECK: tensor.pad
// CHECK: linalg.conv_2d_nchw_fchw
// CHECK: linalg.add
// CHECK: linalg.generic
// CHECK: func.func @block(
// CHECK: %[[A:.*]] = call @block_dispatch_0_conv_1x8x14x14_f32(%[[X:.*]], %
// CHECK: %[[B:.*]] = call @block_dispatch_0_conv_1x8x14x14_f32(%[[A]], %
// CHECK: %[[C:.*]] = call @block_dispatch_1_conv_1x8x14x14_f32(%[[B]], %{{.*}}, %[[X]])
// CHECK: return %[[C]]
// ROOTS-COUNT-2: {hal.executable}
// ROOTS-NOT: {hal.executable}
#id = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
!t = tensor<1x8x14x14xf32>
!w = tensor<8x8x3x3xf32>
func.func private @relu(%x: !t) -> !t {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : !t
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%x : !t) outs(%e : !t) {
  ^bb0(%i: f32, %o: f32):
    %q = arith.maximumf %i, %z : f32
    linalg.yield %q : f32
  } -> !t
  return %r : !t
}
func.func private @conv(%x: !t, %w: !w) -> !t {
  %z = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %z : f32
  } : !t to tensor<1x8x16x16xf32>
  %e = tensor.empty() : !t
  %f = linalg.fill ins(%z : f32) outs(%e : !t) -> !t
  %r = linalg.conv_2d_nchw_fchw ins(%p, %w : tensor<1x8x16x16xf32>, !w) outs(%f : !t) -> !t
  return %r : !t
}
func.func @block(%x: !t, %w0: !w, %w1: !w, %w2: !w) -> !t {
  %a = call @conv(%x, %w0) : (!t, !w) -> !t
  %b = call @relu(%a) : (!t) -> !t
  %c = call @conv(%b, %w1) : (!t, !w) -> !t
  %d = call @relu(%c) : (!t) -> !t
  %g = call @conv(%d, %w2) : (!t, !w) -> !t
  %e = tensor.empty() : !t
  %s = linalg.add ins(%g, %x : !t, !t) outs(%e : !t) -> !t
  %r = call @relu(%s) : (!t) -> !t
  return %r : !t
}
