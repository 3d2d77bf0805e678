// Transform scripts make whole kernels: the workgroups of a matrix product and its vectors are those of the script.
// RUN: rm -rf %t && mkdir %t && cd %t && %python %S/reference.py
// RUN: hal-compile %s -o model.so --preprocess-executables-with=%S/matmul-schedule.mlir --explain 2>&1 | FileCheck %s
// RUN: hal-run model.so --input=@a.npy --input=@b.npy --expect=@product.npy --rtol=1e-4 --atol=1e-4
// RUN: hal-compile %s -o small.so --target=cpu:x86-64-v3 -q --preprocess-executables-with='%S/matmul-schedule.mlir{rows=4 columns=16}'
// RUN: hal-run small.so --input=@a.npy --input=@b.npy --expect=@product.npy --rtol=1e-4 --atol=1e-4
// CHECK-NOT: warning
// CHECK: 8 x 4 workgroups of `scf.forall`, with its vectors
// CHECK-NOT: warning
// REQUIRES: numpy, x86-avx2
func.func @main(%a: tensor<512x512xf32>, %b: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<512x512xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<512x512xf32>) -> tensor<512x512xf32>
  %c = linalg.matmul ins(%a, %b : tensor<512x512xf32>, tensor<512x512xf32>) outs(%zeros : tensor<512x512xf32>) -> tensor<512x512xf32>
  return %c : tensor<512x512xf32>
}
