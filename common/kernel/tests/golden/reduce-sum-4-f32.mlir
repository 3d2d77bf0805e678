// CPUs: reduction. GPUs: elements, one per thread.
module {
  func.func @kernel(%arg0: tensor<4xf32>) -> tensor<f32> attributes {hal.export} {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<f32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<f32>) -> tensor<f32>
    %reduced = linalg.reduce { arith.addf } ins(%arg0 : tensor<4xf32>) outs(%1 : tensor<f32>) dimensions = [0] 
    return %reduced : tensor<f32>
  }
}
