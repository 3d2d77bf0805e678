// Three layers, x * w + b, with max(_, 0) between them.
// RUN: rm -rf %t && mkdir %t && cd %t && clang -O3 -fPIC -I%include -c %S/layer.c -o layer.o && %python %S/reference.py
// RUN: hal-compile %s -o schedule.so --stage=input:%S/schedule.mlir --require-match 2>&1 | FileCheck %s
// RUN: hal-run schedule.so --input=@x.npy --input=@w0.npy --input=@b0.npy --input=@w1.npy --input=@b1.npy --input=@w2.npy --input=@b2.npy --expect=@y.npy --rtol=1e-4
// RUN: hal-run schedule.so --list | FileCheck %s --check-prefix=LIST
// RUN: hal-compile %s -o patterns.so --stage=input:%S/patterns.mlir --require-match 2>&1 | FileCheck %s
// RUN: hal-run patterns.so --input=@x.npy --input=@w0.npy --input=@b0.npy --input=@w1.npy --input=@b1.npy --input=@w2.npy --input=@b2.npy --expect=@y.npy --rtol=1e-4
// RUN: hal-run patterns.so --list | FileCheck %s --check-prefix=LIST
// CHECK: matched 3 operations (`@{{.*}}layer` 3)
// LIST: layer (cpu_
// LIST-NOT: matmul
// REQUIRES: numpy
func.func @main(%x: tensor<8x64xf32>, %w0: tensor<64x32xf32>, %b0: tensor<32xf32>, %w1: tensor<32x32xf32>, %b1: tensor<32xf32>,
                %w2: tensor<32x10xf32>, %b2: tensor<10xf32>) -> tensor<8x10xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x32xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<8x32xf32>) -> tensor<8x32xf32>
  %p0 = linalg.matmul ins(%x, %w0 : tensor<8x64xf32>, tensor<64x32xf32>) outs(%zeros : tensor<8x32xf32>) -> tensor<8x32xf32>
  %r0 = linalg.broadcast ins(%b0 : tensor<32xf32>) outs(%e : tensor<8x32xf32>) dimensions = [0]
  %s0 = linalg.add ins(%p0, %r0 : tensor<8x32xf32>, tensor<8x32xf32>) outs(%e : tensor<8x32xf32>) -> tensor<8x32xf32>
  %h0 = linalg.max ins(%s0, %zeros : tensor<8x32xf32>, tensor<8x32xf32>) outs(%e : tensor<8x32xf32>) -> tensor<8x32xf32>

  %p1 = linalg.matmul ins(%h0, %w1 : tensor<8x32xf32>, tensor<32x32xf32>) outs(%zeros : tensor<8x32xf32>) -> tensor<8x32xf32>
  %r1 = linalg.broadcast ins(%b1 : tensor<32xf32>) outs(%e : tensor<8x32xf32>) dimensions = [0]
  %s1 = linalg.add ins(%p1, %r1 : tensor<8x32xf32>, tensor<8x32xf32>) outs(%e : tensor<8x32xf32>) -> tensor<8x32xf32>
  %h1 = linalg.max ins(%s1, %zeros : tensor<8x32xf32>, tensor<8x32xf32>) outs(%e : tensor<8x32xf32>) -> tensor<8x32xf32>

  %e2 = tensor.empty() : tensor<8x10xf32>
  %zeros2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<8x10xf32>) -> tensor<8x10xf32>
  %p2 = linalg.matmul ins(%h1, %w2 : tensor<8x32xf32>, tensor<32x10xf32>) outs(%zeros2 : tensor<8x10xf32>) -> tensor<8x10xf32>
  %r2 = linalg.broadcast ins(%b2 : tensor<10xf32>) outs(%e2 : tensor<8x10xf32>) dimensions = [0]
  %s2 = linalg.add ins(%p2, %r2 : tensor<8x10xf32>, tensor<8x10xf32>) outs(%e2 : tensor<8x10xf32>) -> tensor<8x10xf32>
  return %s2 : tensor<8x10xf32>
}
