// Convolutions with 16 registers (AVX2), and with 32.
// RUN: hal-translate %s --target=cpu:x86-64-v3 --explain=schedule --verify=1 -o /dev/null 2>&1 | FileCheck %s --check-prefix=FEW
// RUN: hal-translate %s --target=cpu:x86-64-v4 --explain=schedule -o /dev/null 2>&1 | FileCheck %s --check-prefix=MANY

// Tiles of half a row of 7 points wait for their sums: all rows are one. 14 registers hold two rows.
// FEW: @narrow for
// FEW-NEXT: family = "direct_convolution", stripe = 1,
// MANY: @narrow for
// MANY-NEXT: family = "direct_convolution", stripe = 7,

// Rows of six points are tiles.
// FEW: @whole for
// FEW-NEXT: family = "direct_convolution", stripe = 7,

// Rows that take up more lines of the first-level cache than they fill are packed, unless they are few.
// FEW: @many_channels for
// FEW-NEXT: family = "nest", {{.*}} pack = true
// FEW: @few_channels for
// FEW-NEXT: family = "nest", {{.*}} pack = false
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @k attributes {hal.executable} {
    func.func @narrow(%x: tensor<1x192x7x7xf32>, %w: tensor<64x192x1x1xf32> {hal.weight}, %b: tensor<1x64x7x7xf32>) -> tensor<1x64x7x7xf32> attributes {hal.export} {
      %z = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<1x64x7x7xf32>
      %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x64x7x7xf32>) -> tensor<1x64x7x7xf32>
      %c = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x192x7x7xf32>, tensor<64x192x1x1xf32>) outs(%f : tensor<1x64x7x7xf32>) -> tensor<1x64x7x7xf32>
      %y = linalg.add ins(%c, %b : tensor<1x64x7x7xf32>, tensor<1x64x7x7xf32>) outs(%e : tensor<1x64x7x7xf32>) -> tensor<1x64x7x7xf32>
      return %y : tensor<1x64x7x7xf32>
    }
    func.func @whole(%x: tensor<1x192x7x6xf32>, %w: tensor<64x192x1x1xf32> {hal.weight}) -> tensor<1x64x7x6xf32> attributes {hal.export} {
      %z = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<1x64x7x6xf32>
      %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x64x7x6xf32>) -> tensor<1x64x7x6xf32>
      %c = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x192x7x6xf32>, tensor<64x192x1x1xf32>) outs(%f : tensor<1x64x7x6xf32>) -> tensor<1x64x7x6xf32>
      return %c : tensor<1x64x7x6xf32>
    }
    func.func @many_channels(%x: tensor<1x192x14x14xf32>, %w: tensor<96x192x1x1xf32> {hal.weight}) -> tensor<1x96x14x14xf32> attributes {hal.export} {
      %z = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<1x96x14x14xf32>
      %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x96x14x14xf32>) -> tensor<1x96x14x14xf32>
      %c = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x192x14x14xf32>, tensor<96x192x1x1xf32>) outs(%f : tensor<1x96x14x14xf32>) -> tensor<1x96x14x14xf32>
      return %c : tensor<1x96x14x14xf32>
    }
    func.func @few_channels(%x: tensor<1x80x14x14xf32>, %w: tensor<96x80x1x1xf32> {hal.weight}) -> tensor<1x96x14x14xf32> attributes {hal.export} {
      %z = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<1x96x14x14xf32>
      %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x96x14x14xf32>) -> tensor<1x96x14x14xf32>
      %c = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x80x14x14xf32>, tensor<96x80x1x1xf32>) outs(%f : tensor<1x96x14x14xf32>) -> tensor<1x96x14x14xf32>
      return %c : tensor<1x96x14x14xf32>
    }
  }
}
