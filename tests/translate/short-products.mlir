// Products of bytes are summed up by the instructions that targets have for that; bf16 only with --fast-math, because its
// instruction takes numbers below the normal range for zero.
// RUN: hal-translate %s --target=cpu:sapphirerapids --emit=asm | FileCheck %s
// RUN: hal-translate %s --target=cpu:alderlake --emit=asm | FileCheck %s --check-prefix=AVX
// RUN: hal-translate %s --target=cpu:x86-64-v3 --emit=asm | FileCheck %s --check-prefix=AVX2
// RUN: hal-translate %s --target=cpu:neoverse-n1@aarch64-linux-gnu --emit=asm | FileCheck %s --check-prefix=ARM
// RUN: hal-translate %s --target=cpu:sapphirerapids --fast-math --emit=asm | FileCheck %s --check-prefix=FAST

// CHECK-LABEL: bytes:
// CHECK: vpdpbusd {{.*}}, %zmm
// CHECK-NOT: vpmulld
// CHECK-LABEL: words:
// CHECK: vpdpwssd {{.*}}, %zmm
// CHECK-LABEL: halves:
// CHECK-NOT: vdpbf16ps
// CHECK: vfmadd231ps {{.*}}, %zmm
// AVX-LABEL: bytes:
// AVX: {vex} vpdpbusd {{.*}}, %ymm
// AVX2-LABEL: bytes:
// AVX2: vpmaddwd {{.*}}, %ymm
// AVX2: vpaddd
// ARM-LABEL: bytes:
// ARM: sdot v{{[0-9]+}}.4s, v{{[0-9]+}}.16b
// FAST-LABEL: halves:
// FAST: vdpbf16ps {{.*}}, %zmm
module @k attributes {hal.executable} {
  func.func @bytes(%a: tensor<64x128xi8>, %b: tensor<128x96xi8>) -> tensor<64x96xi32> attributes {hal.export} {
    %zero = arith.constant 0 : i32
    %empty = tensor.empty() : tensor<64x96xi32>
    %fill = linalg.fill ins(%zero : i32) outs(%empty : tensor<64x96xi32>) -> tensor<64x96xi32>
    %r = linalg.matmul ins(%a, %b : tensor<64x128xi8>, tensor<128x96xi8>) outs(%fill : tensor<64x96xi32>) -> tensor<64x96xi32>
    return %r : tensor<64x96xi32>
  }
  func.func @words(%a: tensor<64x128xi16>, %b: tensor<128x96xi16>) -> tensor<64x96xi32> attributes {hal.export} {
    %zero = arith.constant 0 : i32
    %empty = tensor.empty() : tensor<64x96xi32>
    %fill = linalg.fill ins(%zero : i32) outs(%empty : tensor<64x96xi32>) -> tensor<64x96xi32>
    %r = linalg.matmul ins(%a, %b : tensor<64x128xi16>, tensor<128x96xi16>) outs(%fill : tensor<64x96xi32>) -> tensor<64x96xi32>
    return %r : tensor<64x96xi32>
  }
  func.func @halves(%a: tensor<64x128xbf16>, %b: tensor<128x96xbf16>) -> tensor<64x96xf32> attributes {hal.export} {
    %zero = arith.constant 0.0 : f32
    %empty = tensor.empty() : tensor<64x96xf32>
    %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x96xf32>) -> tensor<64x96xf32>
    %r = linalg.matmul ins(%a, %b : tensor<64x128xbf16>, tensor<128x96xbf16>) outs(%fill : tensor<64x96xf32>) -> tensor<64x96xf32>
    return %r : tensor<64x96xf32>
  }
}
