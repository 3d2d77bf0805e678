// A convolution whose window is the whole input is a product with a matrix, whatever the order of its dimensions and the number of images. A
// larger input, padding, and filters of each channel stay a convolution.
// RUN: hal-import %s | FileCheck %s
// RUN: hal-compile %s -o %t.so && hal-run %t.so --function=planes --input=2x2x1x2xf32=1,2,3,4,5,6,7,8 --input=3x2x1x2xf32=1,0,0,0,0,1,0,0,1,1,1,1 --expect=2x3x1x1xf32=1,2,10,5,6,26
// RUN: hal-run %t.so --function=channels_last --input=2x1x2x2xf32=1,3,2,4,5,7,6,8 --input=1x2x2x3xf32=1,0,1,0,0,1,0,1,1,0,0,1 --expect=2x1x1x3xf32=1,2,10,5,6,26
// CHECK-DAG: @planes_dispatch_0_matmul_
// CHECK-DAG: @channels_last_dispatch_0_matmul_
// CHECK-DAG: @any_number_dispatch_0_matmul_
// CHECK-DAG: @larger_dispatch_0_conv_
// CHECK-DAG: @padded_dispatch_0_conv_
func.func @planes(%x: tensor<2x2x1x2xf32>, %w: tensor<3x2x1x2xf32>) -> tensor<2x3x1x1xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x3x1x1xf32>
  %start = linalg.fill ins(%zero : f32) outs(%e : tensor<2x3x1x1xf32>) -> tensor<2x3x1x1xf32>
  %y = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<2x2x1x2xf32>, tensor<3x2x1x2xf32>) outs(%start : tensor<2x3x1x1xf32>) -> tensor<2x3x1x1xf32>
  return %y : tensor<2x3x1x1xf32>
}
func.func @channels_last(%x: tensor<2x1x2x2xf32>, %w: tensor<1x2x2x3xf32>) -> tensor<2x1x1x3xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x1x1x3xf32>
  %start = linalg.fill ins(%zero : f32) outs(%e : tensor<2x1x1x3xf32>) -> tensor<2x1x1x3xf32>
  %y = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<2x1x2x2xf32>, tensor<1x2x2x3xf32>) outs(%start : tensor<2x1x1x3xf32>) -> tensor<2x1x1x3xf32>
  return %y : tensor<2x1x1x3xf32>
}
func.func @any_number(%x: tensor<?x8x1x1xf32>, %w: tensor<3x8x1x1xf32>) -> tensor<?x3x1x1xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x8x1x1xf32>
  %e = tensor.empty(%n) : tensor<?x3x1x1xf32>
  %start = linalg.fill ins(%zero : f32) outs(%e : tensor<?x3x1x1xf32>) -> tensor<?x3x1x1xf32>
  %y = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<?x8x1x1xf32>, tensor<3x8x1x1xf32>) outs(%start : tensor<?x3x1x1xf32>) -> tensor<?x3x1x1xf32>
  return %y : tensor<?x3x1x1xf32>
}
func.func @larger(%x: tensor<1x8x1x2xf32>, %w: tensor<3x8x1x1xf32>) -> tensor<1x3x1x2xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x3x1x2xf32>
  %start = linalg.fill ins(%zero : f32) outs(%e : tensor<1x3x1x2xf32>) -> tensor<1x3x1x2xf32>
  %y = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x8x1x2xf32>, tensor<3x8x1x1xf32>) outs(%start : tensor<1x3x1x2xf32>) -> tensor<1x3x1x2xf32>
  return %y : tensor<1x3x1x2xf32>
}
func.func @padded(%x: tensor<1x8x1x1xf32>, %w: tensor<3x8x3x3xf32>) -> tensor<1x3x1x1xf32> {
  %zero = arith.constant 0.0 : f32
  %around = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%n: index, %c: index, %h: index, %v: index):
    tensor.yield %zero : f32
  } : tensor<1x8x1x1xf32> to tensor<1x8x3x3xf32>
  %e = tensor.empty() : tensor<1x3x1x1xf32>
  %start = linalg.fill ins(%zero : f32) outs(%e : tensor<1x3x1x1xf32>) -> tensor<1x3x1x1xf32>
  %y = linalg.conv_2d_nchw_fchw ins(%around, %w : tensor<1x8x3x3xf32>, tensor<3x8x3x3xf32>) outs(%start : tensor<1x3x1x1xf32>) -> tensor<1x3x1x1xf32>
  return %y : tensor<1x3x1x1xf32>
}
