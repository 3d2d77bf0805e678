// A reshape of a product goes below the elementwise operations that read it, so that they share its executable: also where sizes are
// unknown, and where something else reads the product. So does one that follows a transpose.
// RUN: split-file %s %t
// RUN: hal-import %t/dynamic.mlir | FileCheck %t/dynamic.mlir
// RUN: hal-import %t/transposed.mlir | FileCheck %t/transposed.mlir
// RUN: hal-import %t/turned.mlir | FileCheck %t/turned.mlir
// RUN: hal-compile %t/transposed.mlir -o %t/transposed.so && %python %t/transposed.py %t && hal-run %t/transposed.so --input=@%t/x.npy --input=@%t/w.npy --expect=@%t/y.npy

//--- dynamic.mlir
#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#column = affine_map<(d0, d1, d2) -> (d2)>
// CHECK: func.func @main_dispatch_0_matmul_Dx64x32_f32(
// CHECK: linalg.matmul
// CHECK: arith.addf
// CHECK: arith.mulf
// CHECK-NOT: {hal.executable}
// CHECK: func.func @main(
func.func @main(%x: tensor<?x32xf32>, %w: tensor<32x64xf32>, %b: tensor<64xf32>, %r: tensor<?x8x64xf32>, %n: index) -> (tensor<?x8x64xf32>, tensor<?x64xf32>) {
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %x, %c0 : tensor<?x32xf32>
  %e = tensor.empty(%rows) : tensor<?x64xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>
  %m = linalg.matmul ins(%x, %w : tensor<?x32xf32>, tensor<32x64xf32>) outs(%f : tensor<?x64xf32>) -> tensor<?x64xf32>
  %s = tensor.expand_shape %m [[0, 1], [2]] output_shape [%n, 8, 64] : tensor<?x64xf32> into tensor<?x8x64xf32>
  %o = tensor.empty(%n) : tensor<?x8x64xf32>
  %a = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %b : tensor<?x8x64xf32>, tensor<64xf32>) outs(%o : tensor<?x8x64xf32>) {
  ^bb0(%i: f32, %j: f32, %k: f32):
    %q = arith.addf %i, %j : f32
    linalg.yield %q : f32
  } -> tensor<?x8x64xf32>
  %y = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a, %r : tensor<?x8x64xf32>, tensor<?x8x64xf32>) outs(%o : tensor<?x8x64xf32>) {
  ^bb0(%i: f32, %j: f32, %k: f32):
    %q = arith.mulf %i, %j : f32
    linalg.yield %q : f32
  } -> tensor<?x8x64xf32>
  return %y, %m : tensor<?x8x64xf32>, tensor<?x64xf32>
}

//--- transposed.mlir
// The operation reads the same reshape once more, with its dimensions in another order, which groups others of them.
#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#turned = affine_map<(d0, d1, d2) -> (d2, d0, d1)>
// CHECK: tensor.expand_shape %{{.*}} : tensor<16x4xf32> into tensor<4x4x4xf32>
func.func @main(%x: tensor<16x8xf32>, %w: tensor<8x4xf32>) -> tensor<4x4x4xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<16x4xf32>) -> tensor<16x4xf32>
  %m = linalg.matmul ins(%x, %w : tensor<16x8xf32>, tensor<8x4xf32>) outs(%f : tensor<16x4xf32>) -> tensor<16x4xf32>
  %s = tensor.expand_shape %m [[0, 1], [2]] output_shape [4, 4, 4] : tensor<16x4xf32> into tensor<4x4x4xf32>
  %o = tensor.empty() : tensor<4x4x4xf32>
  %y = linalg.generic {indexing_maps = [#id, #turned, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %s : tensor<4x4x4xf32>, tensor<4x4x4xf32>) outs(%o : tensor<4x4x4xf32>) {
  ^bb0(%i: f32, %j: f32, %k: f32):
    %q = arith.subf %i, %j : f32
    linalg.yield %q : f32
  } -> tensor<4x4x4xf32>
  return %y : tensor<4x4x4xf32>
}

//--- transposed.py
import sys

import numpy

folder = sys.argv[1]
rng = numpy.random.default_rng(3)
x = rng.integers(-4, 5, (16, 8)).astype("f4")
w = rng.integers(-4, 5, (8, 4)).astype("f4")
m = (x @ w).reshape(4, 4, 4)
numpy.save(f"{folder}/x.npy", x)
numpy.save(f"{folder}/w.npy", w)
# y[a, b, c] = m[a, b, c] - m[c, a, b]
numpy.save(f"{folder}/y.npy", m - m.transpose(1, 2, 0))

//--- turned.mlir
// What follows a transpose and a reshape shares the kernel of the transpose, unless a reduction reads it.
#id = affine_map<(d0, d1) -> (d0, d1)>
// CHECK: func.func @main_dispatch_0_{{.*}}4x3x8
// CHECK: linalg.transpose
// CHECK: arith.maximumf
// CHECK-NOT: {hal.executable}
// CHECK: func.func @main(
func.func @main(%x: tensor<3x4x8xf32>) -> tensor<4x24xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x3x8xf32>
  %t = linalg.transpose ins(%x : tensor<3x4x8xf32>) outs(%e : tensor<4x3x8xf32>) permutation = [1, 0, 2]
  %s = tensor.collapse_shape %t [[0], [1, 2]] : tensor<4x3x8xf32> into tensor<4x24xf32>
  %o = tensor.empty() : tensor<4x24xf32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<4x24xf32>) outs(%o : tensor<4x24xf32>) {
  ^bb0(%i: f32, %k: f32):
    %m = arith.maximumf %i, %z : f32
    linalg.yield %m : f32
  } -> tensor<4x24xf32>
  return %a : tensor<4x24xf32>
}
