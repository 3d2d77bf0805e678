module @fill attributes {hal.executable} {
  func.func @fill(%r: memref<8xf32>) attributes {hal.export, hal.interface = () -> tensor<8xf32>} {
    %z = arith.constant 1.0 : f32
    linalg.fill ins(%z : f32) outs(%r : memref<8xf32>)
    return
  }
}
