// Without a CUDA driver everything else runs, and a program for CUDA gets one sentence.
// UNSUPPORTED: cuda
// RUN: hal-import %s | hal-translate --target=cpu,cuda | hal-link -o %t.so
// RUN: hal-run %t.so --input=2xf32=1
// RUN: exits 3 hal-run --device=cuda %t.so --input=2xf32=1 2>&1 | FileCheck %s
// CHECK: error[no-driver]: there is no CUDA driver: `libcuda.so.1` cannot be loaded
// CHECK: hint: install the driver of the GPU, or run on another device: `--device=cpu`
// RUN: hal-run --list-devices | FileCheck %s --check-prefix=LIST
// LIST: cuda: none, there is no CUDA driver: `libcuda.so.1` cannot be loaded

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %r = math.exp %x : tensor<2xf32>
  return %r : tensor<2xf32>
}
