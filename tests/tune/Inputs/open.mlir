func.func @main(%a: tensor<?x64xf32> {hal.name = "a", hal.dim_names = ["rows", ""]}, %b: tensor<64x32xf32>) -> (tensor<?x32xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %n = tensor.dim %a, %c0 : tensor<?x64xf32>
  %e = tensor.empty(%n) : tensor<?x32xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x32xf32>) -> tensor<?x32xf32>
  %m = linalg.matmul ins(%a, %b : tensor<?x64xf32>, tensor<64x32xf32>) outs(%f : tensor<?x32xf32>) -> tensor<?x32xf32>
  %half = tensor.extract_slice %m[0, 0] [%n, 1] [1, 1] : tensor<?x32xf32> to tensor<?xf32>
  %g = tensor.empty(%n) : tensor<?xf32>
  %x = linalg.exp ins(%half : tensor<?xf32>) outs(%g : tensor<?xf32>) -> tensor<?xf32>
  return %m, %x : tensor<?x32xf32>, tensor<?xf32>
}
