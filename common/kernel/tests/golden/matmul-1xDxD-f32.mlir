// CPUs: product. GPUs: elements, one per thread.
module {
  func.func @kernel(%arg0: tensor<1x?xf32>, %arg1: tensor<?x?xf32>, %arg2: index) -> (tensor<1x?xf32> {hal.dims = array<i64: 2>}) attributes {hal.export} {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty(%arg2) : tensor<1x?xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<1x?xf32>) -> tensor<1x?xf32>
    %2 = linalg.matmul ins(%arg0, %arg1 : tensor<1x?xf32>, tensor<?x?xf32>) outs(%1 : tensor<1x?xf32>) -> tensor<1x?xf32>
    return %2 : tensor<1x?xf32>
  }
}
