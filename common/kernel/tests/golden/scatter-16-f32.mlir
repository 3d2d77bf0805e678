// All: refused, `tensor.scatter`.
module {
  func.func @kernel(%arg0: tensor<4xf32>, %arg1: tensor<4x1xi64>) -> tensor<16xf32> attributes {hal.export} {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<16xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<16xf32>) -> tensor<16xf32>
    %scatter = tensor.scatter %arg0 into %1[%arg1] scatter_dims([0]) unique : (tensor<4xf32>, tensor<16xf32>, tensor<4x1xi64>) -> tensor<16xf32>
    return %scatter : tensor<16xf32>
  }
}
