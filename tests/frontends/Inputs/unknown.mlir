func.func public @main(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = stablehlo.custom_call @my_kernel(%x) : (tensor<4x4xf32>) -> tensor<4x4xf32> loc("here")
  return %0 : tensor<4x4xf32>
}
