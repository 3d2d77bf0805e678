module @e attributes {hal.executable} {
  func.func private @f(memref<4xvector<4xf32>>) attributes {hal.objects = [{path = "f.o"}]}
  func.func @k(%x: memref<16xf32>, %y: memref<16xf32>) attributes {hal.export, hal.interface = (tensor<16xf32>) -> tensor<16xf32>} {
    %v = vector.type_cast %x : memref<16xf32> to memref<vector<16xf32>>
    %a = memref.alloc() : memref<4xvector<4xf32>>
    func.call @f(%a) : (memref<4xvector<4xf32>>) -> ()
    memref.dealloc %a : memref<4xvector<4xf32>>
    return
  }
}
