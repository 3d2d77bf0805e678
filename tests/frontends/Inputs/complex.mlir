// A transform, there and back, times i.
func.func public @main(%x: tensor<2x6xcomplex<f32>>) -> tensor<2x6xcomplex<f32>> {
  %i = stablehlo.constant dense<(0.0, 1.0)> : tensor<2x6xcomplex<f32>>
  %0 = stablehlo.fft %x, type = FFT, length = [6] : (tensor<2x6xcomplex<f32>>) -> tensor<2x6xcomplex<f32>>
  %1 = stablehlo.fft %0, type = IFFT, length = [6] : (tensor<2x6xcomplex<f32>>) -> tensor<2x6xcomplex<f32>>
  %2 = stablehlo.multiply %1, %i : tensor<2x6xcomplex<f32>>
  return %2 : tensor<2x6xcomplex<f32>>
}
