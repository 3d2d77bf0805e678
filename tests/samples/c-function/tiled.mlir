// The executable of `model.mlir` with its body on buffers: 4 workgroups, each one call of a function in C for its tile.
module @main_dispatch_0 attributes {hal.executable} {
  func.func private @squash_tile(memref<16x128xf32, strided<[128, 1], offset: ?>> {bufferization.access = "read"},
                                 memref<16x128xf32, strided<[128, 1], offset: ?>> {bufferization.access = "read"},
                                 memref<16x128xf32, strided<[128, 1], offset: ?>>)
    attributes {hal.objects = [{path = "tile.o"}]}

  func.func @main_dispatch_0_elementwise_mul_64x128_f32_workgroups() -> (index, index, index) {
    %four = arith.constant 4 : index
    %one = arith.constant 1 : index
    return %four, %one, %one : index, index, index
  }

  func.func @main_dispatch_0_elementwise_mul_64x128_f32(%x: memref<64x128xf32>, %y: memref<64x128xf32>, %out: memref<64x128xf32>)
      attributes {hal.export, hal.interface = (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>} {
    %block = gpu.block_id x
    %c16 = arith.constant 16 : index
    %row = arith.muli %block, %c16 : index
    %a = memref.subview %x[%row, 0] [16, 128] [1, 1] : memref<64x128xf32> to memref<16x128xf32, strided<[128, 1], offset: ?>>
    %b = memref.subview %y[%row, 0] [16, 128] [1, 1] : memref<64x128xf32> to memref<16x128xf32, strided<[128, 1], offset: ?>>
    %c = memref.subview %out[%row, 0] [16, 128] [1, 1] : memref<64x128xf32> to memref<16x128xf32, strided<[128, 1], offset: ?>>
    func.call @squash_tile(%a, %b, %c)
      : (memref<16x128xf32, strided<[128, 1], offset: ?>>, memref<16x128xf32, strided<[128, 1], offset: ?>>,
         memref<16x128xf32, strided<[128, 1], offset: ?>>) -> ()
    return
  }
}
