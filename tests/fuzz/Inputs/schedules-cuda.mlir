// Kernels that GPUs compute by tensor cores, by warps that share a sum, and in rows, of sizes that tiles do not divide.
func.func @half(%a: tensor<40x330xf16>, %b: tensor<330x72xf16>) -> tensor<40x72xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<40x72xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<40x72xf32>) -> tensor<40x72xf32>
  %r = linalg.matmul ins(%a, %b : tensor<40x330xf16>, tensor<330x72xf16>) outs(%f : tensor<40x72xf32>) -> tensor<40x72xf32>
  return %r : tensor<40x72xf32>
}
func.func @long(%a: tensor<33x2048xf16>, %b: tensor<40x2048xf16>) -> tensor<33x40xf16> {
  %z = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<33x40xf16>
  %f = linalg.fill ins(%z : f16) outs(%e : tensor<33x40xf16>) -> tensor<33x40xf16>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<33x2048xf16>, tensor<40x2048xf16>) outs(%f : tensor<33x40xf16>) {
  ^bb0(%x: f16, %y: f16, %s: f16):
    %p = arith.mulf %x, %y : f16
    %q = arith.addf %p, %s : f16
    linalg.yield %q : f16
  } -> tensor<33x40xf16>
  return %r : tensor<33x40xf16>
}
func.func @bytes(%a: tensor<20x515xi8>, %b: tensor<515x48xi8>) -> tensor<20x48xi32> {
  %z = arith.constant 0 : i32
  %e = tensor.empty() : tensor<20x48xi32>
  %f = linalg.fill ins(%z : i32) outs(%e : tensor<20x48xi32>) -> tensor<20x48xi32>
  %r = linalg.matmul ins(%a, %b : tensor<20x515xi8>, tensor<515x48xi8>) outs(%f : tensor<20x48xi32>) -> tensor<20x48xi32>
  return %r : tensor<20x48xi32>
}
func.func @single(%a: tensor<65x130xf32>, %b: tensor<130x96xf32>) -> tensor<65x96xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<65x96xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<65x96xf32>) -> tensor<65x96xf32>
  %r = linalg.matmul ins(%a, %b : tensor<65x130xf32>, tensor<130x96xf32>) outs(%f : tensor<65x96xf32>) -> tensor<65x96xf32>
  return %r : tensor<65x96xf32>
}
func.func @rows(%a: tensor<5x1030xf32>) -> tensor<5x1030xf32> {
  %e = tensor.empty() : tensor<5x1030xf32>
  %r = linalg.softmax dimension(1) ins(%a : tensor<5x1030xf32>) outs(%e : tensor<5x1030xf32>) -> tensor<5x1030xf32>
  return %r : tensor<5x1030xf32>
}
func.func @sums(%a: tensor<7x2064xf32>) -> tensor<7xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<7xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<7xf32>) -> tensor<7xf32>
  %s = linalg.reduce ins(%a : tensor<7x2064xf32>) outs(%f : tensor<7xf32>) dimensions = [1] (%x: f32, %y: f32) {
    %t = arith.addf %x, %y : f32
    linalg.yield %t : f32
  }
  return %s : tensor<7xf32>
}
func.func @elements(%a: tensor<64x4096xf32>, %b: tensor<64x4096xf32>) -> tensor<64x4096xf32> {
  %r = arith.addf %a, %b : tensor<64x4096xf32>
  return %r : tensor<64x4096xf32>
}
