module attributes {hal.phase = "objects", hal.version = 1 : i32} {
  ml_program.global private @w(#ml_program.extern : tensor<10000xf32>) : tensor<10000xf32> {hal.parameter = {archive = "w.safetensors", key = "weight"}}
  func.func @main() -> tensor<10000xf32> {
    %w = ml_program.global_load_const @w : tensor<10000xf32>
    return %w : tensor<10000xf32>
  }
}
