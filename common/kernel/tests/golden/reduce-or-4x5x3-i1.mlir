// CPUs: reduction. GPUs: elements, one per thread.
module {
  func.func @kernel(%arg0: tensor<4x5x3xi1>) -> tensor<4x5xi1> attributes {hal.export} {
    %false = arith.constant false
    %0 = tensor.empty() : tensor<4x5xi1>
    %1 = linalg.fill ins(%false : i1) outs(%0 : tensor<4x5xi1>) -> tensor<4x5xi1>
    %reduced = linalg.reduce { arith.ori } ins(%arg0 : tensor<4x5x3xi1>) outs(%1 : tensor<4x5xi1>) dimensions = [2] 
    return %reduced : tensor<4x5xi1>
  }
}
