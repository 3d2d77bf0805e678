// Windows whose elements lie 2^62 apart are no crash of the compiler: a run says that they leave the tensor.
// RUN: hal-import %s | hal-translate 2>%t.said | hal-link -o %t.so
// RUN: FileCheck %s --input-file=%t.said
// CHECK: warning[plain-loops]{{.*}}: the kernel compiler does not support numbers beyond 2^40 in offsets, steps and maps
// RUN: not hal-run %t.so --input=1x16x9x9xf32=1 2>&1 | FileCheck %s --check-prefix=RAN
// RUN: not hal-run %t.so --input=1x16x1x1xf32=1 2>&1 | FileCheck %s --check-prefix=RAN
// RAN: error[assertion-failed]: `linalg.conv_2d_nchw_fchw` of `@main`, line 17: indices of dimension 2 of operand 0 reach 9223372036854775807, beyond its size
// A single element of a window is where it is, whatever the dilation.
// RUN: sed 's/32x16x3x3/32x16x1x1/g' %s > %t.mlir
// RUN: hal-import %t.mlir | hal-translate 2>/dev/null | hal-link -o %t.one.so
// RUN: hal-run %t.one.so --input=1x16x1x1xf32=1 --expect=1x32x1x1xf32=16
func.func @main(%x: tensor<1x16x?x?xf32>) -> tensor<1x32x1x1xf32> {
  %w = arith.constant dense<1.0> : tensor<32x16x3x3xf32>
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x32x1x1xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x32x1x1xf32>) -> tensor<1x32x1x1xf32>
  %r = linalg.conv_2d_nchw_fchw {strides = dense<4611686018427387904> : tensor<2xi64>, dilations = dense<4611686018427387904> : tensor<2xi64>} ins(%x, %w : tensor<1x16x?x?xf32>, tensor<32x16x3x3xf32>) outs(%f : tensor<1x32x1x1xf32>) -> tensor<1x32x1x1xf32>
  return %r : tensor<1x32x1x1xf32>
}
