// Convolutions of which some sizes are known before the run, and others are not: rows and columns of the result but not of the input, those of the
// input but not of the result, and the number of channels in the filters alone. They are right, whatever form they take.
// RUN: hal-translate %s --verify=2 --target=cpu:x86-64-v3 -o %t.mlir 2>&1 | FileCheck %s
// CHECK-COUNT-3: note[verified]: kernel `@convolution
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @a attributes {hal.executable} {
    func.func @convolution_a(%x: tensor<1x16x?x?xf32>, %w: tensor<32x16x3x3xf32> {hal.weight}) -> tensor<1x32x8x10xf32> attributes {hal.export} {
      %zero = arith.constant 0.0 : f32
      %empty = tensor.empty() : tensor<1x32x8x10xf32>
      %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x32x8x10xf32>) -> tensor<1x32x8x10xf32>
      %y = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %w : tensor<1x16x?x?xf32>, tensor<32x16x3x3xf32>) outs(%start : tensor<1x32x8x10xf32>) -> tensor<1x32x8x10xf32>
      return %y : tensor<1x32x8x10xf32>
    }
  }
  module @b attributes {hal.executable} {
    func.func @convolution_b(%x: tensor<1x16x10x12xf32>, %w: tensor<32x16x3x3xf32> {hal.weight}, %h: index, %v: index) -> (tensor<1x32x?x?xf32> {hal.dims = array<i64: 2, 3>}) attributes {hal.export} {
      %zero = arith.constant 0.0 : f32
      %empty = tensor.empty(%h, %v) : tensor<1x32x?x?xf32>
      %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x32x?x?xf32>) -> tensor<1x32x?x?xf32>
      %y = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %w : tensor<1x16x10x12xf32>, tensor<32x16x3x3xf32>) outs(%start : tensor<1x32x?x?xf32>) -> tensor<1x32x?x?xf32>
      return %y : tensor<1x32x?x?xf32>
    }
  }
  module @c attributes {hal.executable} {
    func.func @convolution_c(%x: tensor<1x?x?x?xf32>, %w: tensor<32x16x3x3xf32> {hal.weight}, %h: index, %v: index) -> (tensor<1x32x?x?xf32> {hal.dims = array<i64: 2, 3>}) attributes {hal.export} {
      %zero = arith.constant 0.0 : f32
      %empty = tensor.empty(%h, %v) : tensor<1x32x?x?xf32>
      %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x32x?x?xf32>) -> tensor<1x32x?x?xf32>
      %y = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %w : tensor<1x?x?x?xf32>, tensor<32x16x3x3xf32>) outs(%start : tensor<1x32x?x?xf32>) -> tensor<1x32x?x?xf32>
      return %y : tensor<1x32x?x?xf32>
    }
  }
}
