// One executable whose kernel others replace.
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @difference attributes {hal.executable} {
    func.func @sub(%a: tensor<1000xf32>, %b: tensor<1000xf32>) -> tensor<1000xf32> attributes {hal.export} {
      %e = tensor.empty() : tensor<1000xf32>
      %r = linalg.sub ins(%a, %b : tensor<1000xf32>, tensor<1000xf32>) outs(%e : tensor<1000xf32>) -> tensor<1000xf32>
      return %r : tensor<1000xf32>
    }
  }
  func.func private @sub(tensor<1000xf32>, tensor<1000xf32>) -> tensor<1000xf32> attributes {hal.entry = @difference::@sub}
  func.func @main(%a: tensor<1000xf32>, %b: tensor<1000xf32>) -> tensor<1000xf32> {
    %r = call @sub(%a, %b) : (tensor<1000xf32>, tensor<1000xf32>) -> tensor<1000xf32>
    return %r : tensor<1000xf32>
  }
}
