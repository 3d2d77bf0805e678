// Kernels are guarded on the CPU only; elsewhere that is told.
// RUN: hal-compile %s --target=cpu,vulkan -o %t.so -q
// RUN: hal-run %t.so --guard --input=1,2,3,4 --expect=2,4,6,8
// RUN: exits 2 hal-run %t.so --guard --device=vulkan --input=1,2,3,4 2>&1 | FileCheck %s
// CHECK: error[guarded-device]: kernels can be guarded on the CPU only, and the program runs on device `vulkan:0`
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = arith.addf %x, %x : tensor<4xf32>
  return %r : tensor<4xf32>
}
