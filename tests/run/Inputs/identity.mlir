func.func @main(%x: tensor<KIND>) -> tensor<KIND> {
  return %x : tensor<KIND>
}
