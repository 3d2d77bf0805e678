// A schedule tiles each executable with a matrix product; the result is what it would be without.
// RUN: rm -rf %t && mkdir %t && cd %t && %python %S/reference.py
// RUN: hal-compile %s --to=executables -o program.mlir --preprocess-executables-with='%S/schedule.mlir[seq=tile]' && FileCheck %s < program.mlir
// RUN: hal-compile program.mlir -o model.so -q && hal-run model.so --input=@a.npy --input=@b.npy --expect=@c.npy --rtol=1e-4
// CHECK: module @main_dispatch_0
// CHECK-COUNT-3: scf.for
// CHECK: linalg.matmul {{.*}} -> tensor<16x32xf32>
// Another one calls a function in C for each tile; its object is in a folder of its own.
// RUN: mkdir lib && clang -O3 -fPIC -c %S/tile.c -o lib/tile.o
// RUN: hal-compile %s -o micro.so -q --preprocess-executables-with=%S/micro-kernel.mlir --executable-object-search-path=lib
// RUN: hal-run micro.so --input=@a.npy --input=@b.npy --expect=@c.npy --rtol=1e-4
// REQUIRES: numpy
func.func @main(%a: tensor<64x48xf32>, %b: tensor<48x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x64xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
  %c = linalg.matmul ins(%a, %b : tensor<64x48xf32>, tensor<48x64xf32>) outs(%zeros : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %c : tensor<64x64xf32>
}
