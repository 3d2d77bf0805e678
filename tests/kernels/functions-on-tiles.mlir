// A function on memrefs is passed pointers, sizes and strides; what it promises only to read is not copied.
// RUN: rm -rf %t && mkdir %t && cd %t && clang -O2 -fPIC -c %S/Inputs/tile.c -o tile.o
// RUN: hal-translate %s --explain -o o.mlir 2>&1 | FileCheck %s
// CHECK: given on buffers
// CHECK-NOT: copied
// RUN: hal-link o.mlir -o p.so && hal-run p.so --input=4x8xf32=2 --input=8x16xf32=0.5 --expect=4x16xf32=8
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @mm attributes {hal.executable} {
    func.func private @tile(memref<4x8xf32> {bufferization.access = "read"}, memref<8x16xf32> {bufferization.access = "read"},
                            memref<4x4xf32, strided<[16, 1], offset: ?>>, index) attributes {hal.objects = [{path = "tile.o"}]}
    func.func @matmul(%a: memref<4x8xf32>, %b: memref<8x16xf32>, %c: memref<4x16xf32>)
        attributes {hal.export, hal.interface = (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>} {
      %c0 = arith.constant 0 : index
      %c4 = arith.constant 4 : index
      %c16 = arith.constant 16 : index
      scf.for %j = %c0 to %c16 step %c4 {
        %s = memref.subview %c[0, %j] [4, 4] [1, 1] : memref<4x16xf32> to memref<4x4xf32, strided<[16, 1], offset: ?>>
        func.call @tile(%a, %b, %s, %j) : (memref<4x8xf32>, memref<8x16xf32>, memref<4x4xf32, strided<[16, 1], offset: ?>>, index) -> ()
      }
      return
    }
  }
  func.func private @matmul(tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32> attributes {hal.entry = @mm::@matmul}
  func.func @main(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>) -> tensor<4x16xf32> {
    %r = call @matmul(%a, %b) : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
    return %r : tensor<4x16xf32>
  }
}
