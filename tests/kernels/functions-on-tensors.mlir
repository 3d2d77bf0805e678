// A function may be declared on tensors: those that no result is tied to are read, tied ones are worked on in a copy, other
// results are memory of their own. Here a tiled product calls one for each tile.
// RUN: rm -rf %t && mkdir %t && cd %t && clang -O2 -fPIC -c %S/Inputs/tensors.c -o tensors.o
// RUN: hal-translate %s -o o.mlir && hal-link o.mlir -o p.so
// RUN: hal-run p.so --input=8x16xf32=2 --input=16x8xf32=0.5 --input=8x8xf32=1 --expect=8x8xf32=17 --expect=8x8xf32=1 --expect=4xf32=3
// RUN: exits 1 hal-translate %S/Inputs/dynamic-result.mlir 2>&1 | FileCheck %s
// CHECK: the size of result 0 of `@triple` is not known; tie it to an argument (`hal.tied`)
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @mm attributes {hal.executable} {
    func.func private @tile(tensor<4x16xf32>, tensor<16x4xf32>, tensor<4x4xf32>) -> (tensor<4x4xf32> {hal.tied = 2 : i32})
      attributes {hal.objects = [{path = "tensors.o"}]}
    func.func private @triple(tensor<4xf32>) -> tensor<4xf32> attributes {hal.objects = [{path = "tensors.o"}]}
    func.func @matmul(%a: tensor<8x16xf32>, %b: tensor<16x8xf32>, %c: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<4xf32>) attributes {hal.export} {
      %c0 = arith.constant 0 : index
      %c4 = arith.constant 4 : index
      %c8 = arith.constant 8 : index
      %r = scf.for %i = %c0 to %c8 step %c4 iter_args(%x = %c) -> tensor<8x8xf32> {
        %y = scf.for %j = %c0 to %c8 step %c4 iter_args(%z = %x) -> tensor<8x8xf32> {
          %ta = tensor.extract_slice %a[%i, 0] [4, 16] [1, 1] : tensor<8x16xf32> to tensor<4x16xf32>
          %tb = tensor.extract_slice %b[0, %j] [16, 4] [1, 1] : tensor<16x8xf32> to tensor<16x4xf32>
          %tc = tensor.extract_slice %z[%i, %j] [4, 4] [1, 1] : tensor<8x8xf32> to tensor<4x4xf32>
          %td = func.call @tile(%ta, %tb, %tc) : (tensor<4x16xf32>, tensor<16x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
          %w = tensor.insert_slice %td into %z[%i, %j] [4, 4] [1, 1] : tensor<4x4xf32> into tensor<8x8xf32>
          scf.yield %w : tensor<8x8xf32>
        }
        scf.yield %y : tensor<8x8xf32>
      }
      %v = tensor.extract_slice %c[0, 0] [1, 4] [1, 1] : tensor<8x8xf32> to tensor<4xf32>
      %t = func.call @triple(%v) : (tensor<4xf32>) -> tensor<4xf32>
      return %r, %t : tensor<8x8xf32>, tensor<4xf32>
    }
  }
  func.func private @matmul(tensor<8x16xf32>, tensor<16x8xf32>, tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<4xf32>) attributes {hal.entry = @mm::@matmul}
  func.func @main(%a: tensor<8x16xf32>, %b: tensor<16x8xf32>, %c: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<4xf32>) {
    %r:2 = call @matmul(%a, %b, %c) : (tensor<8x16xf32>, tensor<16x8xf32>, tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<4xf32>)
    return %r#0, %c, %r#1 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<4xf32>
  }
}
