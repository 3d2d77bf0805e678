// An executable with two kernels, one of them with two schedules; the first is called once, the second three times.
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @pair attributes {hal.executable} {
    func.func @product(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>) -> tensor<64x64xf32> attributes {hal.export, hal.schedule = {lanes = 2, workgroups = 1}} {
      %z = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<64x64xf32>
      %f = linalg.fill ins(%z : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
      %m = linalg.matmul ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>) outs(%f : tensor<64x64xf32>) -> tensor<64x64xf32>
      return %m : tensor<64x64xf32>
    }
    func.func @sum(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>) -> tensor<64x64xf32> attributes {hal.export, hal.schedule = {lanes = 2, workgroups = 1}} {
      %e = tensor.empty() : tensor<64x64xf32>
      %s = linalg.add ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
      return %s : tensor<64x64xf32>
    }
  }
  func.func private @product(tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32> attributes {hal.entry = @pair::@product}
  func.func private @sum(tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32> attributes {hal.entry = @pair::@sum}
  func.func @main(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %0 = call @product(%a, %b) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %1 = call @sum(%0, %b) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %2 = call @sum(%1, %b) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %3 = call @sum(%2, %a) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    return %3 : tensor<64x64xf32>
  }
}
