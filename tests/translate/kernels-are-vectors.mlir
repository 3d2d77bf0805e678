// Contractions, convolutions and rows become register tiles of vectors: fused multiply-adds on whole registers, weights
// broadcast from memory, no scalar arithmetic on elements.
// RUN: hal-translate %s --target=cpu:x86-64-v4 --emit=asm | FileCheck %s
// RUN: hal-translate %s --target=cpu:x86-64-v3 --emit=asm | FileCheck %s --check-prefix=AVX2

// CHECK-LABEL: matmul:
// CHECK: vfmadd231ps {{.*}}, %zmm
// CHECK-NOT: vmulss
// CHECK-NOT: vfmadd{{[0-9]+}}ss
// CHECK-LABEL: conv:
// CHECK: vfmadd231ps {{.*}}, %zmm
// CHECK-NOT: vfmadd{{[0-9]+}}ss
// CHECK-LABEL: exponential:
// CHECK-NOT: expf
// CHECK: vfmadd{{[0-9]+}}ps {{.*}}zmm
// CHECK-LABEL: transposed:
// CHECK-NOT: vgather
// CHECK-NOT: vscatter

// AVX2-LABEL: matmul:
// AVX2: vfmadd231ps {{.*}}, %ymm
// AVX2-LABEL: conv:
// AVX2: vfmadd231ps {{.*}}, %ymm
module @k attributes {hal.executable} {
  func.func @matmul(%a: tensor<128x256xf32>, %b: tensor<256x96xf32>) -> tensor<128x96xf32> attributes {hal.export} {
    %zero = arith.constant 0.0 : f32
    %empty = tensor.empty() : tensor<128x96xf32>
    %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<128x96xf32>) -> tensor<128x96xf32>
    %r = linalg.matmul ins(%a, %b : tensor<128x256xf32>, tensor<256x96xf32>) outs(%fill : tensor<128x96xf32>) -> tensor<128x96xf32>
    return %r : tensor<128x96xf32>
  }
  func.func @conv(%x: tensor<1x64x58x58xf32>, %w: tensor<64x64x3x3xf32>) -> tensor<1x64x56x56xf32> attributes {hal.export} {
    %zero = arith.constant 0.0 : f32
    %empty = tensor.empty() : tensor<1x64x56x56xf32>
    %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x64x56x56xf32>) -> tensor<1x64x56x56xf32>
    %r = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x64x58x58xf32>, tensor<64x64x3x3xf32>) outs(%fill : tensor<1x64x56x56xf32>) -> tensor<1x64x56x56xf32>
    return %r : tensor<1x64x56x56xf32>
  }
  func.func @exponential(%x: tensor<4096xf32>) -> tensor<4096xf32> attributes {hal.export} {
    %r = math.exp %x : tensor<4096xf32>
    return %r : tensor<4096xf32>
  }
  func.func @transposed(%x: tensor<64x96xf32>) -> tensor<96x64xf32> attributes {hal.export} {
    %empty = tensor.empty() : tensor<96x64xf32>
    %r = linalg.transpose ins(%x : tensor<64x96xf32>) outs(%empty : tensor<96x64xf32>) permutation = [1, 0]
    return %r : tensor<96x64xf32>
  }
}
