// A program for another architecture is shown without its code being loaded, and listed.
// REQUIRES: x86
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: hal-compile %s -o arm.so --target=cpu:cortex-a72@aarch64-linux-gnu --report=arm.html 2>&1 | FileCheck %s --check-prefix=ELSEWHERE
// ELSEWHERE: warning: `arm.html` has no times: `--target` names other machines
// RUN: %python %S/Inputs/look.py arm.html main_dispatch_0_matmul_64x32x48_f32 lowered:main_dispatch_0 | FileCheck %s --check-prefix=ARM
// ARM: kernel main_dispatch_0_matmul_64x32x48_f32 {{.*}} flops 196608 measured False
// ARM: text main_dispatch_0_matmul_64x32x48_f32
// ARM: fmla
// ARM: text lowered:main_dispatch_0
// RUN: hal-report arm.so --no-run -o again.html && hal-report arm.so arm.so --no-run -o both.html && %python %S/Inputs/look.py both.html | FileCheck %s --check-prefix=BOTH
// BOTH: programs arm.so arm.so
// RUN: exits 1 hal-report arm.so -o none.html 2>&1 | FileCheck %s --check-prefix=HERE
// HERE: error[wrong-machine]: the program was linked for `aarch64`, this machine is
// HERE: hint: `--no-run` shows it without running it
// RUN: test ! -e none.html
// RUN: hal-run arm.so --list | FileCheck %s --check-prefix=LIST
// LIST: main(64x48xf32, 48x32xf32) -> (64x32xf32)
// LIST: main_dispatch_0_matmul_64x32x48_f32
func.func @main(%x: tensor<64x48xf32>, %w: tensor<48x32xf32>) -> tensor<64x32xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x32xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<64x32xf32>) -> tensor<64x32xf32>
  %y = linalg.matmul ins(%x, %w : tensor<64x48xf32>, tensor<48x32xf32>) outs(%f : tensor<64x32xf32>) -> tensor<64x32xf32>
  return %y : tensor<64x32xf32>
}
