module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  ml_program.global private @w(dense<5.000000e-01> : tensor<128x256xf32>) : tensor<128x256xf32>
  ml_program.global private @v(dense<2.500000e-01> : tensor<256x128xf32>) : tensor<256x128xf32>
  module @large_dispatch_0 attributes {hal.executable} {
    func.func @large_dispatch_0_attention_16x256x128_f32(%arg0: tensor<16x128xf32>, %arg1: tensor<128x256xf32> {hal.weight}, %arg2: tensor<256x128xf32> {hal.weight}) -> tensor<16x128xf32> attributes {hal.export} {
      %cst = arith.constant 0.000000e+00 : f32
      %0 = tensor.empty() : tensor<16x256xf32>
      %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<16x256xf32>) -> tensor<16x256xf32>
      %2 = linalg.matmul ins(%arg0, %arg1 : tensor<16x128xf32>, tensor<128x256xf32>) outs(%1 : tensor<16x256xf32>) -> tensor<16x256xf32>
      %3 = linalg.softmax dimension(1) ins(%2 : tensor<16x256xf32>) outs(%0 : tensor<16x256xf32>) -> tensor<16x256xf32>
      %4 = tensor.empty() : tensor<16x128xf32>
      %5 = linalg.fill ins(%cst : f32) outs(%4 : tensor<16x128xf32>) -> tensor<16x128xf32>
      %6 = linalg.matmul ins(%3, %arg2 : tensor<16x256xf32>, tensor<256x128xf32>) outs(%5 : tensor<16x128xf32>) -> tensor<16x128xf32>
      return %6 : tensor<16x128xf32>
    }
  }
  func.func private @large_dispatch_0_attention_16x256x128_f32(tensor<16x128xf32>, tensor<128x256xf32>, tensor<256x128xf32>) -> tensor<16x128xf32> attributes {hal.entry = @large_dispatch_0::@large_dispatch_0_attention_16x256x128_f32}
  func.func @large(%arg0: tensor<16x128xf32>) -> tensor<16x128xf32> {
    %w = ml_program.global_load_const @w : tensor<128x256xf32>
    %v = ml_program.global_load_const @v : tensor<256x128xf32>
    %0 = call @large_dispatch_0_attention_16x256x128_f32(%arg0, %w, %v) : (tensor<16x128xf32>, tensor<128x256xf32>, tensor<256x128xf32>) -> tensor<16x128xf32>
    return %0 : tensor<16x128xf32>
  }
}
