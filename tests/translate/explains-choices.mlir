// `--explain` names the family of each kernel, its parameters and why they are so.
// RUN: hal-translate %s --target=cpu:x86-64-v4 --explain -o /dev/null 2>&1 | FileCheck %s
// RUN: hal-translate %s --target=cpu:x86-64-v3 --explain -o /dev/null 2>&1 | FileCheck %s --check-prefix=AVX2
// CHECK: @turned for {{.*}}: product, tiles of {{.*}} with 16 lanes along loop 1 (256 steps), operand transposed into panels because its rows run along the reduction
// CHECK: @across for {{.*}}: transposition, blocks of 16 x 16 transposed in registers
// CHECK: @rows for {{.*}}: row kernel, {{.*}} 1 intermediate in scratch memory
// CHECK: @columns for {{.*}}: row kernel, tiles of 128 in registers with 16 lanes along loop 2 (3136 steps), all rows of a column in order, 1 intermediate in scratch memory
// CHECK: @pool for {{.*}}: pooling, windows of 3 x 3, 27 of 27 rows at a time with 16 lanes along them
// CHECK: @vector for {{.*}}: product, bands of {{[0-9]+}} sums in the cache, to which rows are added (cache-blocked reduction) because they are far apart in memory, 2 workgroups
// CHECK: @swept for {{.*}}: transposition, blocks of 16 x 16 {{.*}}, along 128 rows of the operand at a time (streaming transpose) because it exceeds the cache, non-temporal stores
// AVX2: @turned for {{.*}}: product, tiles of {{.*}} with 8 lanes
// AVX2: @across for {{.*}}: transposition, blocks of 8 x 8 transposed in registers
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @k attributes {hal.executable} {
    func.func @turned(%a: tensor<128x64xf32>, %b: tensor<256x64xf32>) -> tensor<128x256xf32> attributes {hal.export} {
      %c = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<128x256xf32>
      %z = linalg.fill ins(%c : f32) outs(%e : tensor<128x256xf32>) -> tensor<128x256xf32>
      %r = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
           ins(%a, %b : tensor<128x64xf32>, tensor<256x64xf32>) outs(%z : tensor<128x256xf32>) -> tensor<128x256xf32>
      return %r : tensor<128x256xf32>
    }
    func.func @across(%a: tensor<128x64xf32>) -> tensor<64x128xf32> attributes {hal.export} {
      %e = tensor.empty() : tensor<64x128xf32>
      %r = linalg.transpose ins(%a : tensor<128x64xf32>) outs(%e : tensor<64x128xf32>) permutation = [1, 0]
      return %r : tensor<64x128xf32>
    }
    func.func @rows(%a: tensor<64x640xf32>) -> tensor<64x640xf32> attributes {hal.export} {
      %e = tensor.empty() : tensor<64x640xf32>
      %r = linalg.softmax dimension(1) ins(%a : tensor<64x640xf32>) outs(%e : tensor<64x640xf32>) -> tensor<64x640xf32>
      return %r : tensor<64x640xf32>
    }
    func.func @columns(%a: tensor<1x64x3136xf32>) -> tensor<1x64x3136xf32> attributes {hal.export} {
      %e = tensor.empty() : tensor<1x64x3136xf32>
      %r = linalg.softmax dimension(1) ins(%a : tensor<1x64x3136xf32>) outs(%e : tensor<1x64x3136xf32>) -> tensor<1x64x3136xf32>
      return %r : tensor<1x64x3136xf32>
    }
    func.func @pool(%a: tensor<1x64x55x55xf32>) -> tensor<1x64x27x27xf32> attributes {hal.export} {
      %c = arith.constant 0xFF800000 : f32
      %e = tensor.empty() : tensor<1x64x27x27xf32>
      %z = linalg.fill ins(%c : f32) outs(%e : tensor<1x64x27x27xf32>) -> tensor<1x64x27x27xf32>
      %w = tensor.empty() : tensor<3x3xf32>
      %r = linalg.pooling_nchw_max {strides = dense<2> : tensor<2xi64>} ins(%a, %w : tensor<1x64x55x55xf32>, tensor<3x3xf32>)
           outs(%z : tensor<1x64x27x27xf32>) -> tensor<1x64x27x27xf32>
      return %r : tensor<1x64x27x27xf32>
    }
    func.func @vector(%a: tensor<300xf32>, %b: tensor<300x4096xf32>) -> tensor<4096xf32> attributes {hal.export} {
      %c = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<4096xf32>
      %z = linalg.fill ins(%c : f32) outs(%e : tensor<4096xf32>) -> tensor<4096xf32>
      %r = linalg.vecmat ins(%a, %b : tensor<300xf32>, tensor<300x4096xf32>) outs(%z : tensor<4096xf32>) -> tensor<4096xf32>
      return %r : tensor<4096xf32>
    }
    func.func @swept(%a: tensor<4096x2048xf32>) -> tensor<2048x4096xf32> attributes {hal.export} {
      %e = tensor.empty() : tensor<2048x4096xf32>
      %r = linalg.transpose ins(%a : tensor<4096x2048xf32>) outs(%e : tensor<2048x4096xf32>) permutation = [1, 0]
      return %r : tensor<2048x4096xf32>
    }
  }
}
