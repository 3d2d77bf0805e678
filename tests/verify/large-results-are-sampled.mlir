// What would take long is compared at some places: the first and the last ones, and others that differ from run to run.
// RUN: hal-import %s | hal-translate --verify -o /dev/null 2>&1 | FileCheck %s
// CHECK: note[verified]: {{.*}}: 3 runs, {{[0-9]+}} of {{[0-9]+}} elements, largest error

func.func @main(%a: tensor<1x32x60x61xf32>, %w: tensor<40x32x3x3xf32>) -> tensor<1x40x58x59xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x40x58x59xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x40x58x59xf32>) -> tensor<1x40x58x59xf32>
  %c = linalg.conv_2d_nchw_fchw ins(%a, %w : tensor<1x32x60x61xf32>, tensor<40x32x3x3xf32>) outs(%f : tensor<1x40x58x59xf32>) -> tensor<1x40x58x59xf32>
  %r = linalg.abs ins(%c : tensor<1x40x58x59xf32>) outs(%e : tensor<1x40x58x59xf32>) -> tensor<1x40x58x59xf32>
  return %r : tensor<1x40x58x59xf32>
}
