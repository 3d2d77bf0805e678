// A transform script makes the kernel of a 3 x 3 convolution.
// RUN: rm -rf %t && mkdir %t && cd %t && %python %S/reference.py
// RUN: hal-compile %s -o model.so --preprocess-executables-with=%S/convolution-schedule.mlir --explain 2>&1 | FileCheck %s
// RUN: hal-run model.so --input=@image.npy --input=@filters.npy --expect=@convolution.npy --rtol=1e-4 --atol=1e-4
// CHECK-NOT: warning
// CHECK: 56 workgroups of `scf.forall`, with its vectors
// CHECK-NOT: warning
// REQUIRES: numpy
func.func @main(%image: tensor<1x58x58x64xf32>, %filters: tensor<3x3x64x64xf32>) -> tensor<1x56x56x64xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1x56x56x64xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x56x56x64xf32>) -> tensor<1x56x56x64xf32>
  %r = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
    ins(%image, %filters : tensor<1x58x58x64xf32>, tensor<3x3x64x64xf32>) outs(%zeros : tensor<1x56x56x64xf32>) -> tensor<1x56x56x64xf32>
  return %r : tensor<1x56x56x64xf32>
}
