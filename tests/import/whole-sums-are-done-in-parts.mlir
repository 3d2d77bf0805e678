// The sum of a whole tensor is two executables: parts for all threads, then their sum; small ones and what is summed on the
// way are one.
// RUN: hal-import %s | FileCheck %s
// CHECK: func.func @{{.*}}(%{{.*}}: tensor<64x8192xf32>) -> tensor<64xf32>
// CHECK: func.func @{{.*}}(%{{.*}}: tensor<64xf32>) -> tensor<f32>
// CHECK: func.func @{{.*}}(%{{.*}}: tensor<1000xf32>) -> tensor<f32>
// CHECK: func.func @{{.*}}(%{{.*}}: tensor<524288xf32>) -> tensor<f32>
// CHECK-NOT: hal.executable
#all = affine_map<(d0) -> (d0)>
#one = affine_map<(d0) -> ()>
func.func @main(%a: tensor<524288xf32>, %b: tensor<1000xf32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %c = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %z = linalg.fill ins(%c : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %r = linalg.generic {indexing_maps = [#all, #one], iterator_types = ["reduction"]}
      ins(%a : tensor<524288xf32>) outs(%z : tensor<f32>) {
  ^bb0(%x: f32, %y: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  %t = linalg.generic {indexing_maps = [#all, #one], iterator_types = ["reduction"]}
      ins(%b : tensor<1000xf32>) outs(%z : tensor<f32>) {
  ^bb0(%x: f32, %y: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  %q = arith.mulf %a, %a : tensor<524288xf32>
  %u = linalg.generic {indexing_maps = [#all, #one], iterator_types = ["reduction"]}
      ins(%q : tensor<524288xf32>) outs(%z : tensor<f32>) {
  ^bb0(%x: f32, %y: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %r, %t, %u : tensor<f32>, tensor<f32>, tensor<f32>
}
