// --perf counts what a call does: by the processor, or by the kernel with the reason, or an error that says who can allow it.
// RUN: hal-compile -q %s -o %t.so
// RUN: %python %S/Inputs/counters.py %t.so %t.json | FileCheck %s
// CHECK: counted by {{processor|kernel|nobody}}
// RUN: exits 2 hal-benchmark %t.so %t.so --perf 2>&1 | FileCheck %s --check-prefix=TWO
// TWO: error: `--perf` counts one program
// RUN: exits 2 hal-benchmark --peaks --perf 2>&1 | FileCheck %s --check-prefix=PEAKS
// PEAKS: cannot be used with
func.func @main(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %y = linalg.matmul ins(%x, %w : tensor<64x64xf32>, tensor<64x64xf32>) outs(%f : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}
