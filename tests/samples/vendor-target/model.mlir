// A plugin adds a target by calling a C compiler; its kernels and ours give the same results.
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: hal-compile %s -o cpu.so -q && hal-run cpu.so --input=8x32xf32=random:1 --input=32x16xf32=random:2 -o y.npy
// RUN: hal-compile %s -o own.so -q --plugin-path=%S --plugin=openc --target=openc
// RUN: hal-run own.so --input=8x32xf32=random:1 --input=32x16xf32=random:2 --expect=@y.npy
// RUN: hal-run own.so --list | FileCheck %s
// CHECK-NOT: cpu_
// CHECK: (openc): {{.*}} bindings
//
// It is the same in single tools, and with another compiler.
// RUN: hal-import %s | hal-translate --plugin-path=%S --plugin='openc{flags=["-O1"]}' --target=openc | hal-link -o piped.so
// RUN: hal-run piped.so --input=8x32xf32=random:1 --input=32x16xf32=random:2 --expect=@y.npy
func.func @main(%x: tensor<8x32xf32>, %w: tensor<32x16xf32>) -> (tensor<8x16xf32>, tensor<8xf32>) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x16xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x16xf32>) -> tensor<8x16xf32>
  %product = linalg.matmul ins(%x, %w : tensor<8x32xf32>, tensor<32x16xf32>) outs(%fill : tensor<8x16xf32>) -> tensor<8x16xf32>
  %rows = tensor.empty() : tensor<8xf32>
  %start = linalg.fill ins(%zero : f32) outs(%rows : tensor<8xf32>) -> tensor<8xf32>
  %sums = linalg.reduce ins(%product : tensor<8x16xf32>) outs(%start : tensor<8xf32>) dimensions = [1]
    (%a: f32, %b: f32) { %s = arith.addf %a, %b : f32 linalg.yield %s : f32 }
  return %product, %sums : tensor<8x16xf32>, tensor<8xf32>
}
