// CPUs: product of short numbers by multiply-adds of f32. GPUs: product on tensor cores.
module {
  func.func @kernel(%arg0: tensor<40x64xf16>, %arg1: tensor<64x48xf16>) -> tensor<40x48xf32> attributes {hal.export} {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<40x48xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<40x48xf32>) -> tensor<40x48xf32>
    %2 = linalg.matmul ins(%arg0, %arg1 : tensor<40x64xf16>, tensor<64x48xf16>) outs(%1 : tensor<40x48xf32>) -> tensor<40x48xf32>
    return %2 : tensor<40x48xf32>
  }
}
