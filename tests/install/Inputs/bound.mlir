func.func @f(%a: memref<8xf32>, %b: memref<8xf32>) {
  linalg.exp ins(%a : memref<8xf32>) outs(%b : memref<8xf32>)
  return
}
