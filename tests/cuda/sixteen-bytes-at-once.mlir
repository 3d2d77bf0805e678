// Neighbours are computed by one thread where they are many: 16 bytes are loaded and stored at once. So are windows of neighbours, which overlap.
// No GPU: the fake driver interprets the PTX (Inputs/fake/README.md).
// RUN: hal-import %s -o %t.mlirbc
// RUN: hal-translate --target=cpu,cuda:sm_80,vulkan --explain %t.mlirbc -o %t.objects.mlirbc 2>&1 | FileCheck %s
// CHECK: @single{{.*}} for cuda:sm_80: {{.*}}elements of 256 x 512, 4 neighbours per thread, 128 workgroups of 256 threads
// CHECK: @single{{.*}} for vulkan: {{.*}}elements of 256 x 512, 4 neighbours per thread, 256 workgroups of 128 threads
// CHECK: @half{{.*}} for cuda:sm_80: {{.*}}elements of 512 x 512, 8 neighbours per thread
// CHECK: @windows{{.*}} for cuda:sm_80: {{.*}}elements of 1 x 32 x 64 x 64, 4 neighbours per thread
// CHECK: @odd{{.*}} for cuda:sm_80: {{.*}}elements of 301 x 511, one per thread
// RUN: hal-translate --target=cuda:sm_80 --emit=ptx --executable=single_dispatch_0 %t.mlirbc | FileCheck %s --check-prefix=ALL --implicit-check-not=global.b32 --implicit-check-not=nc.b32
// RUN: hal-translate --target=cuda:sm_80 --emit=ptx --executable=half_dispatch_0 %t.mlirbc | FileCheck %s --check-prefix=ALL --implicit-check-not=global.b16 --implicit-check-not=nc.b16
// RUN: hal-translate --target=cuda:sm_80 --emit=ptx --executable=windows_dispatch_0 %t.mlirbc | FileCheck %s --check-prefix=ALL --implicit-check-not=global.b32 --implicit-check-not=nc.b32
// ALL: ld.global.nc.v4.b32
// ALL: ld.global.nc.v4.b32
// ALL: st.global.v4.b32
// RUN: hal-link %t.objects.mlirbc -o %t.so
// RUN: hal-run %t.so --function=half --input=512x512xf16=random:1 --input=512x512xf16=random:2 --output=%t.npy
// RUN: with-fake-cuda hal-run --device=cuda %t.so --function=half --input=512x512xf16=random:1 --input=512x512xf16=random:2 --expect=@%t.npy
// RUN: hal-run %t.so --function=windows --input=1x32x128x128xf32=random:1 --output=%t.npy
// RUN: with-fake-cuda hal-run --device=cuda %t.so --function=windows --input=1x32x128x128xf32=random:1 --expect=@%t.npy

func.func @single(%a: tensor<256x512xf32>, %b: tensor<256x512xf32>) -> tensor<256x512xf32> {
  %e = tensor.empty() : tensor<256x512xf32>
  %r = linalg.add ins(%a, %b : tensor<256x512xf32>, tensor<256x512xf32>) outs(%e : tensor<256x512xf32>) -> tensor<256x512xf32>
  return %r : tensor<256x512xf32>
}
func.func @half(%a: tensor<512x512xf16>, %b: tensor<512x512xf16>) -> tensor<512x512xf16> {
  %e = tensor.empty() : tensor<512x512xf16>
  %r = linalg.add ins(%a, %b : tensor<512x512xf16>, tensor<512x512xf16>) outs(%e : tensor<512x512xf16>) -> tensor<512x512xf16>
  return %r : tensor<512x512xf16>
}
func.func @windows(%a: tensor<1x32x128x128xf32>) -> tensor<1x32x64x64xf32> {
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<1x32x64x64xf32>
  %f = linalg.fill ins(%low : f32) outs(%e : tensor<1x32x64x64xf32>) -> tensor<1x32x64x64xf32>
  %w = tensor.empty() : tensor<2x2xf32>
  %r = linalg.pooling_nchw_max {strides = dense<2> : tensor<2xi64>} ins(%a, %w : tensor<1x32x128x128xf32>, tensor<2x2xf32>)
      outs(%f : tensor<1x32x64x64xf32>) -> tensor<1x32x64x64xf32>
  return %r : tensor<1x32x64x64xf32>
}
func.func @odd(%a: tensor<301x511xf32>) -> tensor<301x511xf32> {
  %e = tensor.empty() : tensor<301x511xf32>
  %r = linalg.exp ins(%a : tensor<301x511xf32>) outs(%e : tensor<301x511xf32>) -> tensor<301x511xf32>
  return %r : tensor<301x511xf32>
}
