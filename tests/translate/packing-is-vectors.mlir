// Packing and unpacking of known sizes are copies in lanes.
// RUN: hal-translate %s --target=cpu:x86-64-v4 --explain -o /dev/null 2>&1 | FileCheck %s
// CHECK: @packs for {{.*}}: tiled and vectorised: {{.*}} 16 lanes
// CHECK: @unpacks for {{.*}}: tiled and vectorised: {{.*}} 16 lanes
module @k attributes {hal.executable} {
  func.func @packs(%x: tensor<100x70xf32>) -> tensor<7x5x16x16xf32> attributes {hal.export} {
    %z = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<7x5x16x16xf32>
    %r = linalg.pack %x padding_value(%z : f32) inner_dims_pos = [0, 1] inner_tiles = [16, 16] into %e : tensor<100x70xf32> -> tensor<7x5x16x16xf32>
    return %r : tensor<7x5x16x16xf32>
  }
  func.func @unpacks(%x: tensor<7x5x16x16xf32>) -> tensor<100x70xf32> attributes {hal.export} {
    %e = tensor.empty() : tensor<100x70xf32>
    %r = linalg.unpack %x inner_dims_pos = [0, 1] inner_tiles = [16, 16] into %e : tensor<7x5x16x16xf32> -> tensor<100x70xf32>
    return %r : tensor<100x70xf32>
  }
}
